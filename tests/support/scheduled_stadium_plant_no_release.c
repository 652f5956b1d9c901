/* Stadium hashing's kernels with a planted fault: a ticket's info comes without an order to the pair before it. */
#define ROOST_PLANT_STADIUM_NO_RELEASE 1
#define STADIUM_STAMPED stadium_no_release
#include "support/scheduled_stadium_stamp.h"
