/* The dynamic workload of DyCuckoo, section 6.1: the keys that each batch inserts, finds and
 * erases, and the values that it inserts.
 *
 * Batch i inserts the i-th `batch` keys of the files.  It finds as many keys, drawn from all of
 * them, and erases erase_ratio times as many, drawn from those of batches 0 ..  i.  In the
 * second half the batches come again with inserts and erases swapped: the drawn keys are
 * inserted, those of the files erased.  A draw depends on the batch and the seed only, so both
 * halves draw the same keys. */
#ifndef ROOST_CLI_REPLAY_WORKLOAD_H
#define ROOST_CLI_REPLAY_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/key_count.h"
#include "cli/key_kind.h"
#include "cli/replay_options.h"

/* Consecutive keys of one width, or strings, where key i is the bytes from offsets[i] up to
 * offsets[i + 1]. */
struct workload_array {
    uint8_t *bytes;
    size_t bytes_room;
    uint64_t *offsets; /* strings: room + 1 */
    size_t room;       /* keys */
};

/* The ranks deal out the keys of the files like cards: key g, in the order of the files, is held by
 * rank g % ranks.  So each rank brings about as many items to each batch, and the batches of all
 * ranks together are those of one process. */
struct workload {
    struct workload_array keys; /* those that this rank holds, in the order of the files */
    size_t held;
    size_t n; /* keys of the files, of all ranks */
    size_t rank, ranks;
    struct key_kind kind;
    size_t batch, batches; /* batches: of one half */
    double erase_ratio;
    uint64_t seed;
};

/* The keys that this rank brings to one operation. */
struct workload_keys {
    const uint8_t *bytes;
    const uint64_t *offsets; /* NULL: keys of one width */
    size_t n;
};

/* Reads the files: each rank its parts, which are dealt out afterwards.  Returns 0, or prints a
 * line and returns EXIT_FAILURE.  The caller releases *workload in any case. */
int workload_read(struct workload *workload, const struct replay_options *options);
void workload_release(struct workload *workload);

struct key_bytes workload_key(const struct workload *workload, struct workload_keys keys, size_t i);

/* Of the keys that the batch takes from the files those that this rank holds. */
struct workload_keys workload_of_files(const struct workload *workload, size_t batch);

/* Draw the keys to find, and the keys that are erased in the first half and inserted in the
 * second: of them those that this rank holds.  The array is all 0 at the start, and grows as
 * needed.  False: memory was refused. */
bool workload_found(const struct workload *workload, size_t batch, bool second_half, struct workload_array *array,
                    struct workload_keys *keys);
bool workload_drawn(const struct workload *workload, size_t batch, struct workload_array *array, struct workload_keys *keys);

void workload_array_release(struct workload_array *array);

/* The value that a round (from 0, over both halves) inserts with a key.  It is the same for
 * every occurrence, so the value does not depend on which of several equal keys of a batch is
 * stored. */
uint32_t workload_value(struct key_bytes key, size_t round);

#endif
