/* DyCuckoo's kernels with a planted fault: locks that are not given back when a further one is taken. */
#define ROOST_PLANT_SKIP_UNLOCK 1
#define SCHEDULED_KERNELS kernels_skip_unlock
#include "support/scheduled_stamp.h"
