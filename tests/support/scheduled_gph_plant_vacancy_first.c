/* GPH's kernels with a planted fault: a fill takes a flagged cell's vacancy before it looks into the overflow store. */
#define ROOST_PLANT_GPH_VACANCY_FIRST 1
#define GPH_STAMPED gph_vacancy_first
#include "support/scheduled_gph_stamp.h"
