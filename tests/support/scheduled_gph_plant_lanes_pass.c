/* GPH's kernels with a planted fault: each lane looks for itself whether keys lie behind an overflow bucket. */
#define ROOST_PLANT_GPH_LANES_PASS 1
#define GPH_STAMPED gph_lanes_pass
#include "support/scheduled_gph_stamp.h"
