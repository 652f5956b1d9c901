/* GPH's kernels with a planted fault: what an unlocked search found is not looked at again under the locks. */
#define ROOST_PLANT_GPH_UNCHECKED_MOVE 1
#define GPH_STAMPED gph_unchecked_move
#include "support/scheduled_gph_stamp.h"
