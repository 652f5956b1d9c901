/* The different keys of an array, without a table of the caller's.
 * Experimental: may change before 1.0. */
#ifndef ROOST_DISTINCT_H
#define ROOST_DISTINCT_H

#include "roost/roost.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes each key among n once, in any order, and how many there are to *distinct_n.  Keys are
 * equal when their bits are.  keys (n) and distinct (room for n + ROOST_EXPORT_MIN) do not overlap,
 * and lie where those of roost_insert may.
 *
 * config: device, engine, options, key_type and key_bytes, threads, seed, allocators and
 * memory_limit count; capacity does where it is not 0.  With neither engine nor options given, 2^18
 * or more keys of 4 or 8 bytes on a GPU, in arrays there, need no table: ranges of their hashes go
 * through thread blocks, in work space for n keys.  Else, and where memory for that is refused, a
 * table is made and released again.  The call waits.
 * Returns: ROOST_ERR_UNSUPPORTED: the keys are strings, flags are set, there is a comm, or the
 * stream is captured; ROOST_ERR_ARGUMENT: call.statuses is not NULL; and as roost_table_create,
 * roost_insert and roost_export.  After a failure `distinct` has no meaning. */
ROOST_EXPORT roost_status roost_distinct(const roost_config *config, const void *keys, size_t n,
                                         void *distinct, size_t *distinct_n,
                                         const roost_call *call);

#ifdef __cplusplus
}
#endif
#endif
