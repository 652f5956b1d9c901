/* GPH's kernels with a planted fault: who takes a lock does not see what its last holder wrote. */
#define ROOST_PLANT_GPH_NO_ACQUIRE 1
#define GPH_STAMPED gph_no_acquire
#include "support/scheduled_gph_stamp.h"
