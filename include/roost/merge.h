/* Two tables merged or intersected, and keys in the order of their hashes.
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

/* Inserts all pairs of `from` into `into` with this mode, which combines a value in `into` with the
 * one of `from`.  `from` does not change.  The tables have the same widths and the same type of
 * values; their engines, devices and sizes may differ.  Pairs pass through work space for at most
 * 2^22 of them.  Between tables of engine compact that are alike (roost_config.like) they come in
 * the order of the buckets of `into`.  The call waits.
 * Preconditions: no other call uses `into` meanwhile, and none writes to `from`.
 * Returns: ROOST_ERR_FULL: some pairs were not stored, all others were; ROOST_ERR_MEMORY: memory
 * was refused, and some pairs may not have been stored; ROOST_ERR_ARGUMENT: the tables are one,
 * their widths or types differ, or call.statuses is not NULL; ROOST_ERR_UNSUPPORTED: the mode,
 * strings, or a captured stream. */
ROOST_EXPORT roost_status roost_table_merge(roost_table *into, const roost_table *from,
                                            roost_mode mode, const roost_call *call);

/* Removes the keys from `into` that `from` lacks, and combines the values of the others with those
 * of `from` by this mode; ROOST_KEEP leaves them.  `from` does not change.  Work space has room for
 * at most 2^22 pairs and an eighth of the keys of `into`; with less memory the call takes longer.
 * The call waits.
 * Preconditions: as for roost_table_merge.
 * Returns: ROOST_ERR_MEMORY: memory was refused; some keys may not have been removed, and some
 * values not combined; ROOST_ERR_ARGUMENT: as roost_table_merge; ROOST_ERR_UNSUPPORTED: the mode, a
 * ROOST_MULTI table, a captured stream, or keys or values of other widths than 4 and 8 bytes. */
ROOST_EXPORT roost_status roost_table_intersect(roost_table *into, const roost_table *from,
                                                roost_mode mode, const roost_call *call);

#ifdef __cplusplus
}
#endif
#endif
