/* Stadium hashing's kernels on the scheduled machine, as they are. */
#define STADIUM_STAMPED stadium_sound
#include "support/scheduled_stadium_stamp.h"
