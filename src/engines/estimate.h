/* Estimates of a batch's distinct keys, by linear counting: the part that policies share. */
#ifndef ROOST_ENGINES_ESTIMATE_H
#define ROOST_ENGINES_ESTIMATE_H

#include "engines/table.h"
#include "portable/linear_counting.h"

/* Bounds of the distinct keys of n items: four standard errors below and above the estimate, at
 * most n. */
struct distinct_bounds {
    double least, most;
};
struct distinct_bounds linear_counting_bounds(uint32_t bits, uint64_t set, uint64_t n);

/* Launches the table's kernel of estimates over a batch. */
typedef roost_status estimate_launch(struct engine_table *table, const struct batch *batch, const struct linear_counting *c);

/* Estimates the distinct keys of a batch; `c` holds the keys' width and a seed.  If memory for the
 * map is refused, nothing is known, and *bounds stays unchanged. */
roost_status estimate_distinct(struct ledger *l, const struct batch *batch, struct linear_counting c, estimate_launch *launch,
                               struct distinct_bounds *bounds);

/* *least: a lower bound on a batch's distinct keys; 0 if the batch is too short to count, or
 * nothing is known. */
roost_status estimate_least(struct ledger *l, const struct batch *batch, const struct linear_counting c, estimate_launch *launch,
                            uint64_t *least);

#endif
