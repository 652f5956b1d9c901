/* DyCuckoo's kernels with a planted fault: who takes a lock to write does not release before it, so that others may see what it wrote, and
 * the lock free. */
#include "portable/atomic.h"
#undef fence_acquire_release_device
#define fence_acquire_release_device() scheduled_fence(SCHEDULED_ACQUIRE, SCHEDULED_SITE("fence_acquire_release_device", true))
#define SCHEDULED_KERNELS kernels_take_acquires
#include "support/scheduled_stamp.h"
