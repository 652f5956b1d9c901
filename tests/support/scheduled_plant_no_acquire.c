/* DyCuckoo's kernels with a planted fault: acquire fences that order nothing. */
#include "portable/atomic.h"
#undef fence_acquire_device
#define fence_acquire_device() ((void)0)
#define SCHEDULED_KERNELS kernels_no_acquire
#include "support/scheduled_stamp.h"
