/* One scenario of the scheduled machine: a small table through every operation and mode, with
 * several tiles at once, beside an exact reference. One seed determines everything. */
#ifndef ROOST_TESTS_SCHEDULED_EXPLORE_H
#define ROOST_TESTS_SCHEDULED_EXPLORE_H

#include "support/scheduled_frame.h"
#include "support/scheduled_kernels.h"
#include "support/scheduled_table.h"

/* Counted items by kernel; by mode, too, for inserts, joins, and puts into the spill list. */
enum {
    CELL_find,
    CELL_erase,
    CELL_fill,
    CELL_evict = CELL_fill + 5,
    CELL_path = CELL_evict + 5,
    CELL_grow = CELL_path + 5,
    CELL_shrink,
    CELL_export,
    CELL_estimate,
    CELL_join,
    CELL_put = CELL_join + 5,
    CELL_spill_find = CELL_put + 5,
    CELL_spill_erase,
    CELLS
};

struct explored {
    uint64_t items[SHAPES][DRIVER_vote + 1][SCHEDULED_SIZES][CELLS];
    uint64_t put_back[DRIVER_vote + 1][SCHEDULED_SIZES];
    uint64_t evicted, full, undone_resizes, resizes_with_residuals;
    /* items placed by an exclusive second eviction pass after a concurrent one had found no path */
    uint64_t late;
    /* batches on tidy tables, and those whose evictions left a vacancy */
    uint64_t tidy_batches, untidy;
    uint64_t spill_failed; /* items for which the spill list had no room */
    uint64_t points, switches;
};
extern struct explored explored;

struct shape scheduled_shape(enum dycuckoo_shape shape);
const char *scheduled_shape_name(enum dycuckoo_shape shape);

/* A whole scene; the kernels are a struct scheduled_kernels, the shape is an enum
 * dycuckoo_shape. */
frame_explore dycuckoo_explore;

#endif
