/* DyCuckoo's kernels with a planted fault: release fences that order nothing. */
#include "portable/atomic.h"
#undef fence_release_device
#define fence_release_device() ((void)0)
#define SCHEDULED_KERNELS kernels_no_release
#include "support/scheduled_stamp.h"
