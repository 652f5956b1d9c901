/* Stadium hashing's kernels with a planted fault: an insert does not wait for a pair that is on its way. */
#define ROOST_PLANT_STADIUM_SKIPS_RESERVED 1
#define STADIUM_STAMPED stadium_skips_reserved
#include "support/scheduled_stadium_stamp.h"
