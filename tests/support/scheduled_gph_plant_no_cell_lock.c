/* GPH's kernels with a planted fault: a refine locks the buckets that it writes to, but not the cell. */
#define ROOST_PLANT_GPH_NO_CELL_LOCK 1
#define GPH_STAMPED gph_no_cell_lock
#include "support/scheduled_gph_stamp.h"
