/* GPH's kernels with a planted fault: who meets an older holder keeps the buckets that it has. */
#define ROOST_PLANT_GPH_KEEPS_LOCKS 1
#define GPH_STAMPED gph_keeps_locks
#include "support/scheduled_gph_stamp.h"
