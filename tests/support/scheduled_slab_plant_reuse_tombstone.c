/* SlabHash's kernels with a planted fault: inserts of unique tables take tombstones. */
#define ROOST_PLANT_SLAB_REUSE_TOMBSTONE 1
#define SLAB_STAMPED slab_reuse_tombstone
#include "support/scheduled_slab_stamp.h"
