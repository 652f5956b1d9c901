/* SlabHash's kernels on the scheduled machine, as they are. */
#define SLAB_STAMPED slab_sound
#include "support/scheduled_slab_stamp.h"
