/* Ordered batches of more items than a piece holds. */
#ifndef ROOST_BATCHES_RANGES_H
#define ROOST_BATCHES_RANGES_H

#include "batches/batches_work.h"

enum { RANGES_BINS = 256 /* bins of the keys, whose items are counted together */ };

/* Runs the sweep's items in pieces that have all items of their keys.  w: open, with memory for
 * taken items. */
roost_status batches_in_ranges(struct batches_work *w, struct batches_sweep *sweep);

#endif
