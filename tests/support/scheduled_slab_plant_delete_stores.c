/* SlabHash's kernels with a planted fault: an erase stores its tombstone, whatever the slot holds by then. */
#define ROOST_PLANT_SLAB_DELETE_STORES 1
#define SLAB_STAMPED slab_delete_stores
#include "support/scheduled_slab_stamp.h"
