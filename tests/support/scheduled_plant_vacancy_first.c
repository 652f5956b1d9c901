/* DyCuckoo's kernels with a planted fault: an insert that takes a vacancy before it has looked for its key in all homes. */
#define ROOST_PLANT_VACANCY_FIRST 1
#define SCHEDULED_KERNELS kernels_vacancy_first
#include "support/scheduled_stamp.h"
