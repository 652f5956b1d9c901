/* DyCuckoo's kernels on the scheduled machine, as they are. */
#define SCHEDULED_KERNELS kernels_sound
#include "support/scheduled_stamp.h"
