/* A piece of an ordered batch, all of whose items of a key it has, as runs of items with equal
 * keys. */
#ifndef ROOST_BATCHES_RUNS_H
#define ROOST_BATCHES_RUNS_H

#include "batches/batches_work.h"

/* Processes a piece: items of the call's arrays, or (args.range.n) taken ones.
 * Returns: ROOST_ERR_FULL, ROOST_ERR_MEMORY: some keys stayed as they were.  If memory was refused
 * before anything was written, no item is answered. */
roost_status runs_piece(struct batches_work *w);

/* Its steps: looks up the runs' keys; writes to the table what the kernels listed, and tells the
 * runs which keys could not be stored (*refused: FULL or MEMORY).  After a failure nothing is
 * stored. */
roost_status runs_find(struct batches_work *w, uint64_t runs);
roost_status runs_write(struct batches_work *w, uint64_t runs, roost_status *refused);

/* Sorts taken items into the order of the call's arrays. */
roost_status runs_arrange(struct batches_work *w);

#endif
