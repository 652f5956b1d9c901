/* The dynamic workload of DyCuckoo, section 6.1: which keys each batch inserts, finds and erases, and the values it inserts.
 *
 * Batch i inserts the i-th `batch` keys of the files, finds as many keys, drawn from all of them, and erases erase_ratio times as
 * many, drawn from those of batches 0 .. i.  In the second half the batches come again with inserts and erases swapped: the drawn
 * keys are inserted, those of the files erased.  What is drawn depends on the batch and the seed alone, so both halves draw the same. */
#ifndef ROOST_CLI_REPLAY_WORKLOAD_H
#define ROOST_CLI_REPLAY_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/replay_options.h"

struct workload {
    void *keys; /* n of the files, in their order */
    size_t n, room, key_bytes;
    enum io_key_type key_type;
    size_t batch, batches; /* of one half */
    double erase_ratio;
    uint64_t seed;
};

/* The keys of one operation. */
struct workload_keys {
    const void *keys;
    size_t n;
};

/* Reads the files.  0, or prints a line and returns EXIT_FAILURE; *workload is to be released in any case. */
int workload_read(struct workload *workload, const struct replay_options *options);
void workload_release(struct workload *workload);

/* Key i of an array of the workload's keys. */
uint64_t workload_key(const struct workload *workload, const void *keys, size_t i);

/* The batch's keys of the files. */
struct workload_keys workload_of_files(const struct workload *workload, size_t batch);

/* Draws into `keys`, room for `batch` of them: what is found, and what is erased first and inserted in the second half. */
struct workload_keys workload_found(const struct workload *workload, size_t batch, bool second_half, void *keys);
struct workload_keys workload_drawn(const struct workload *workload, size_t batch, void *keys);

/* The value that the round (from 0, over both halves) inserts with a key: the same for every occurrence, so that it does not matter
 * which of several equal keys of a batch is stored. */
uint32_t workload_value(uint64_t key, size_t round);

#endif
