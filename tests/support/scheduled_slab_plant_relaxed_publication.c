/* SlabHash's kernels with a planted fault: slabs are linked, and values shown, without release. */
#define ROOST_PLANT_SLAB_RELAXED_PUBLICATION 1
#define SLAB_STAMPED slab_relaxed_publication
#include "support/scheduled_slab_stamp.h"
