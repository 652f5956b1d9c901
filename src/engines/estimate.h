/* Estimates of a batch's distinct keys, by linear counting: the part that policies share. */
#ifndef ROOST_ENGINES_ESTIMATE_H
#define ROOST_ENGINES_ESTIMATE_H

#include "engines/table.h"
#include "portable/linear_counting.h"

/* Bits of the map for n items: 8 for each item, in whole words, at least 2^16, so that few keys
 * share a bit, and 2^31 at most.  2^32 distinct keys set 86 % of those. */
uint32_t linear_counting_bits(uint64_t n);

/* Bounds of the distinct keys of n items: four standard errors below and above the estimate, at
 * most n. */
struct distinct_bounds {
    double least, most;
};
struct distinct_bounds linear_counting_bounds(uint32_t bits, uint64_t set, uint64_t n);

/* The launch of a table's kernel of estimates: its arguments, and where in them the batch and the
 * map are. */
struct estimate {
    const struct kernel *kernel;
    const void *args;
    size_t args_bytes;
    struct batch *batch;
    struct linear_counting *counting;
};

/* Estimates the distinct keys of a batch.  If memory for the map is refused, nothing is known, and
 * *bounds stays unchanged. */
roost_status estimate_distinct(struct engine_table *t, const struct estimate *e, uint64_t seed, struct distinct_bounds *bounds);

/* Estimates the distinct keys of a batch, by an engine's launch. */
typedef roost_status (*estimate_batch)(struct engine_table *t, const struct batch *batch, struct distinct_bounds *bounds);

/* *least: a lower bound on a batch's distinct keys; 0 if the batch is too short to count, or
 * nothing is known. */
roost_status estimate_least(struct engine_table *t, estimate_batch distinct, const struct batch *batch, uint64_t *least);

/* Splits items of keys that are not stored.  *items becomes the first ones, for whose keys there is
 * `room`, at least 1: as many items, or more that are counted to be copies; else a key with many
 * copies would take many parts.  *rest becomes the others; *keys, at most `room`, a bound of the
 * keys of the first ones.  whole: the batch that the items are of. */
roost_status estimate_split(struct engine_table *t, estimate_batch distinct, const struct batch *whole, uint64_t room,
                            struct source *items, struct source *rest, uint64_t *keys);

#endif
