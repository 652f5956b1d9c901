/* Stadium hashing's kernels with a planted fault: long values are read without a look at their sequence. */
#define ROOST_PLANT_STADIUM_NO_SEQUENCE 1
#define STADIUM_STAMPED stadium_no_sequence
#include "support/scheduled_stadium_stamp.h"
