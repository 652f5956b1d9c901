/* GPH's kernels with a planted fault: who sees a slot vacant does not see the updates of the pair that left it. */
#define ROOST_PLANT_GPH_VACATED_RELAXED 1
#define GPH_STAMPED gph_vacated_relaxed
#include "support/scheduled_gph_stamp.h"
