/* Keys in the order of their hashes, and tables merged.
 * Experimental: may change before 1.0. */
#ifndef ROOST_MERGE_H
#define ROOST_MERGE_H

#include "roost/roost.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the ranks of n keys, stored or not: their places in the order of exports with
 * ROOST_HASH_ORDER.  ranks (n): numbers of 32 bits for keys of 4 bytes, of 64 bits for keys of 8;
 * different keys have different ranks.  Tables made `like` one another (roost_config.like) give a
 * key the same rank.  A table that draws another seed gives other ranks.  Arrays as those of
 * roost_find.
 * Returns: ROOST_ERR_ARGUMENT: call.statuses is not NULL; ROOST_ERR_UNSUPPORTED: the engine has no
 * order of keys (compact has one). */
ROOST_EXPORT roost_status roost_hash_order(const roost_table *table, const void *keys, size_t n,
                                           uint64_t *ranks, const roost_call *call);

#ifdef __cplusplus
}
#endif
#endif
