/* The exact reference behind `roost replay --verify`: what each answer of the table must be.  It is an array sorted by key, and shares
 * nothing with the engines. */
#ifndef ROOST_CLI_REPLAY_REFERENCE_H
#define ROOST_CLI_REPLAY_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/replay_workload.h"
#include "roost/roost.h"

struct replay_reference {
    const struct workload *workload;
    struct key_bytes *keys; /* distinct, rising: every key of the files */
    uint64_t *heads; /* their first bytes, which most comparisons look at alone: 8, the first one highest, or zeros behind fewer */
    uint32_t *values;
    uint8_t *stored;
    size_t n;
    uint64_t count;  /* keys that are stored */
    char wrong[200]; /* the first wrong answer, in words, but for the key */
    struct key_bytes wrong_key;
};

/* 0, or prints a line and returns EXIT_FAILURE; *reference is to be released in any case. */
int replay_reference_make(struct replay_reference *reference, const struct workload *workload);
void replay_reference_release(struct replay_reference *reference);

/* Each takes what the table answered to an operation, and does it to the reference; false: an answer is wrong, and reference->wrong
 * and wrong_key say which.  statuses: a roost_item_status an item. */
bool replay_reference_insert(struct replay_reference *reference, struct workload_keys keys, const uint32_t *values,
                             const uint8_t *statuses);
bool replay_reference_find(struct replay_reference *reference, struct workload_keys keys, const uint32_t *values,
                           const uint8_t *found, const uint8_t *statuses);
bool replay_reference_erase(struct replay_reference *reference, struct workload_keys keys, const uint8_t *statuses);

/* One pair of the table's export; it must come once, and after all of them every stored key must have come. */
bool replay_reference_exported(struct replay_reference *reference, struct key_bytes key, uint32_t value);
bool replay_reference_all_exported(struct replay_reference *reference);

#endif
