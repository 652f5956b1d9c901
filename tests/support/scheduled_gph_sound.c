/* GPH's kernels on the scheduled machine, as they are. */
#define GPH_STAMPED gph_sound
#include "support/scheduled_gph_stamp.h"

uint64_t scheduled_gph_kept;
