/* Stadium hashing's kernels with a planted fault: a ticket is reserved by an and, whatever it has been since it was seen. */
#define ROOST_PLANT_STADIUM_RESERVES_BY_AND 1
#define STADIUM_STAMPED stadium_reserves_by_and
#include "support/scheduled_stadium_stamp.h"
