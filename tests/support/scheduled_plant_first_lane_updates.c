/* DyCuckoo's kernels with a planted fault: the first lane updates a pair of one word, whichever lane read it. */
#include "portable/bucket.h"
#define share_lane(s, g, slot) 0
#define SCHEDULED_KERNELS kernels_first_lane_updates
#include "support/scheduled_stamp.h"
