/* DyCuckoo's kernels with a planted fault: an erase that marks its entry of the spill list whoever has marked it already. */
#define ROOST_PLANT_SPILL_ERASE_STORES 1
#define SCHEDULED_KERNELS kernels_spill_erase_stores
#include "support/scheduled_stamp.h"
