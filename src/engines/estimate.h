/* How many distinct keys a batch has, by linear counting: what of it the policies share. */
#ifndef ROOST_ENGINES_ESTIMATE_H
#define ROOST_ENGINES_ESTIMATE_H

#include "engines/table.h"
#include "portable/linear_counting.h"

/* Bounds of the distinct keys of n items: four standard errors away, and at most n. */
struct distinct_bounds {
    double least, most;
};
struct distinct_bounds linear_counting_bounds(uint32_t bits, uint64_t set, uint64_t n);

/* Launches the table's kernel of estimates over a batch. */
typedef roost_status estimate_launch(struct engine_table *table, const struct batch *batch, const struct linear_counting *c);

/* Counts the distinct keys of a batch; `c` brings the keys' width and a seed.  Where memory for the map is refused nothing is known, and the
 * bounds stay as they are. */
roost_status estimate_distinct(struct ledger *l, const struct batch *batch, struct linear_counting c, estimate_launch *launch,
                               struct distinct_bounds *bounds);

/* How many distinct keys a batch surely has; 0 if it is short, so that nobody counts them, or nothing is known. */
roost_status estimate_least(struct ledger *l, const struct batch *batch, const struct linear_counting c, estimate_launch *launch,
                            uint64_t *least);

#endif
