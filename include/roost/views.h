/* Views: a table in the caller's own kernels.  Experimental: may change before 1.0.
 *
 * A view is plain data.  With it, functions for the caller's kernels (on the host: threads) find,
 * insert and erase while they run.  roost/device/slab.h and roost/device/compact.h have these
 * functions and the type of the view, for tables of engines slab and compact. */
#ifndef ROOST_VIEWS_H
#define ROOST_VIEWS_H

#include "roost/roost.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes a view of the table to *view, and makes room for `inserts` new keys (where growth is 0:
 * does not; keys without room end FULL).  Waits.  Until the release
 *   - calls that write to the table return ROOST_ERR_ARGUMENT; kernels may write through the view;
 *   - calls that read are allowed; the caller orders them after the kernels that write;
 *   - call->stream, which orders the view as a write, must live.
 * Precondition: *view was made by the engine's header (roost_slab_view_make,
 * roost_compact_view_make); view_bytes: its size.
 * Returns: ROOST_ERR_ARGUMENT: the caller was compiled with another version of the engine's
 * header; ROOST_ERR_UNSUPPORTED: the engine has no views, or the stream is captured;
 * ROOST_ERR_MEMORY: the table is as before. */
ROOST_EXPORT roost_status roost_view_acquire(roost_table *table, void *view, size_t view_bytes,
                                             uint64_t inserts, const roost_call *call);

/* Ends the view, after all work so far on the stream of its acquisition.  The caller orders work
 * on other streams before it.  Recounts the table, brings its fill inside the bounds, and waits.
 * The statistics `inserted`, `updated` and `erased` do not have the items of kernels.
 * Returns: ROOST_ERR_ARGUMENT: the table has no view; ROOST_ERR_UNSUPPORTED: the stream is
 * captured. */
ROOST_EXPORT roost_status roost_view_release(roost_table *table);

#ifdef __cplusplus
}
#endif
#endif
