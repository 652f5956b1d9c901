/* What the ranks of a table tell each other while it is saved or loaded. */
#ifndef ROOST_SNAPSHOTS_RANKS_H
#define ROOST_SNAPSHOTS_RANKS_H

#include "api/collective.h"

enum { SUMMED = SUMS_MOST - MAXIMA /* numbers of one sum */ };

/* Is the table one rank's part of a table?  (A handle of several devices is not.) */
static inline bool is_shard(const struct roost_table *t) { return t->group && !t->group->devices; }

/* Adds each of n <= SUMMED numbers to those of the other ranks.  All ranks call it; if one has
 * failed (own), it fails on all of them. */
roost_status shards_sum(struct roost_table *t, uint64_t *numbers, int n, roost_status own);
roost_status shards_vote(struct roost_table *t, roost_status own);

#endif
