/* Stadium hashing's kernels with a planted fault: an and brings the info whether it reserves the ticket or not. */
#define ROOST_PLANT_STADIUM_INFO_AT_ONCE 1
#define STADIUM_STAMPED stadium_info_at_once
#include "support/scheduled_stadium_stamp.h"
