/* GPH's kernels with a planted fault: everybody waits for everybody's locks. */
#define ROOST_PLANT_WAIT_DIE_NEVER_DIES 1
#define GPH_STAMPED gph_never_dies
#include "support/scheduled_gph_stamp.h"
