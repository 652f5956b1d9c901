/* The exact reference of `roost replay --verify`: the right answer to each operation.  It is an
 * array sorted by key, and shares no code with the engines. */
#ifndef ROOST_CLI_REPLAY_REFERENCE_H
#define ROOST_CLI_REPLAY_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/replay_workload.h"
#include "roost/roost.h"

struct replay_reference {
    const struct workload *workload;
    struct key_bytes *keys; /* every key of the files once, rising */
    /* first 8 bytes of each key, the first one highest, zeros after shorter keys; most
     * comparisons need no more */
    uint64_t *heads;
    size_t *first;  /* first place of each range of heads; the last one is n */
    unsigned shift; /* ranges have 2^shift heads */
    bool tails;     /* keys of equal heads may differ */
    uint32_t *values;
    uint8_t *stored;
    size_t n;
    size_t threads;  /* that search for a batch's keys */
    size_t *places;  /* of the keys of a batch's items */
    uint64_t count;  /* keys stored now */
    char wrong[200]; /* description of the first wrong answer, without the key */
    struct key_bytes wrong_key;
};

/* threads: as in roost_config.  Returns 0, or prints a line and returns EXIT_FAILURE.  The caller
 * releases *reference in any case. */
int replay_reference_make(struct replay_reference *reference, const struct workload *workload, int threads);
void replay_reference_release(struct replay_reference *reference);

/* Each compares the table's answers to an operation with the reference, and applies the
 * operation to it.  statuses: one roost_item_status per item.
 * False: an answer is wrong; reference->wrong and wrong_key describe it. */
bool replay_reference_insert(struct replay_reference *reference, struct workload_keys keys, const uint32_t *values,
                             const uint8_t *statuses);
bool replay_reference_find(struct replay_reference *reference, struct workload_keys keys, const uint32_t *values,
                           const uint8_t *found, const uint8_t *statuses);
bool replay_reference_erase(struct replay_reference *reference, struct workload_keys keys, const uint8_t *statuses);

/* replay_reference_exported takes one pair of the table's export, which must come once.
 * replay_reference_all_exported: did every stored key come? */
bool replay_reference_exported(struct replay_reference *reference, struct key_bytes key, uint32_t value);
bool replay_reference_all_exported(struct replay_reference *reference);

#endif
