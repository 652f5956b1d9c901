/* GPH's kernels with a planted fault: a lock is free before what its holder wrote is seen. */
#define ROOST_PLANT_GPH_NO_RELEASE 1
#define GPH_STAMPED gph_no_release
#include "support/scheduled_gph_stamp.h"
