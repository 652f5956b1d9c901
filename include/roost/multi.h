/* Multimaps: tables made with ROOST_MULTI, in which a key may be stored several times.
 *
 * Inserts have mode ROOST_APPEND.  roost_find and roost_erase act on the key's first pair.  Every
 * call that writes may change the order of a key's pairs, as growth, shrinking and compaction do.
 * So the first pair need not be the least recently inserted one.  Until such a call all finds get
 * the same pair, and the next erase of the key removes it.
 *
 * roost_engine_info.multi says which engines have such tables.  The calls below also work on tables
 * without ROOST_MULTI, of engines that have them.
 *
 * Their arrays are as those of roost_find.
 * Returns, of all three: ROOST_ERR_UNSUPPORTED: the engine has no such call. */
#ifndef ROOST_MULTI_H
#define ROOST_MULTI_H

#include "roost/roost.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Counts the pairs of n keys: counts[i] (n) becomes the number of pairs of keys[i].
 * Statuses: FOUND, ABSENT. */
ROOST_EXPORT roost_status roost_count(const roost_table *table, const void *keys, size_t n,
                                      uint64_t *counts, const roost_call *call);

/* Gathers the values of n keys: those of keys[i], unordered, at values[offsets[i]] up to, but not
 * including, values[offsets[i + 1]].  Values that do not fit into this part are left out; places
 * of the part without a value are not written.  values NULL: only the statuses FOUND and ABSENT
 * are written.
 * Precondition: offsets (n + 1) do not fall; the running sums of roost_count take all values.
 * Returns: ROOST_ERR_ARGUMENT: offsets fall, where the host reads them; ROOST_ERR_UNSUPPORTED: a
 * set. */
ROOST_EXPORT roost_status roost_find_all(const roost_table *table, const void *keys, size_t n,
                                         const uint64_t *offsets, void *values,
                                         const roost_call *call);

/* Removes all pairs of n keys.  counts (n, NULL: not wanted): pairs that the item removed; of equal
 * keys in one batch each pair is counted once.
 * Statuses: ERASED, ABSENT. */
ROOST_EXPORT roost_status roost_erase_all(roost_table *table, const void *keys, size_t n,
                                          uint64_t *counts, const roost_call *call);

#ifdef __cplusplus
}
#endif
#endif
