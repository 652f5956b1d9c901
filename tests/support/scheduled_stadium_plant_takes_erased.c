/* Stadium hashing's kernels with a planted fault: an insert takes the first hole, also one that an erase left. */
#define ROOST_PLANT_STADIUM_TAKES_ERASED 1
#define STADIUM_STAMPED stadium_takes_erased
#include "support/scheduled_stadium_stamp.h"
