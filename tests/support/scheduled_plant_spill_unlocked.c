/* DyCuckoo's kernels with a planted fault: a put that looks for its key in the spill list before it takes the list's lock. */
#define ROOST_PLANT_SPILL_UNLOCKED 1
#define SCHEDULED_KERNELS kernels_spill_unlocked
#include "support/scheduled_stamp.h"
