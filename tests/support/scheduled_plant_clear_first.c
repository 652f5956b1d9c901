/* DyCuckoo's kernels with a planted fault: an eviction that clears the original before it writes the copy. */
#define ROOST_PLANT_CLEAR_FIRST 1
#define SCHEDULED_KERNELS kernels_clear_first
#include "support/scheduled_stamp.h"
