/* Batches over a small FKS table on the scheduled machine: writes, shifts, erases and finds,
 * several tiles at once. After each kernel the table is walked, and the results of the items are
 * explained. */
#ifndef ROOST_TESTS_SCHEDULED_FKS_SCENE_H
#define ROOST_TESTS_SCHEDULED_FKS_SCENE_H

#include "support/scheduled_fks_kernels.h"
#include "support/scheduled_frame.h"

struct fks_explored {
    struct frame_explored all;
    /* items that write parked, and those whose bucket was at its limit despite vacancies */
    uint64_t parked, limited;
    uint64_t shifted;      /* items that shift placed */
    uint64_t moved, stuck; /* pairs that shift moved, and items for which it found no move */
    uint64_t by_columns;   /* items that were placed from columns */
    uint64_t second;       /* pairs that write put into their second line */
};

/* A whole scene; the kernels are a struct fks_stamped, the shape is an enum fks_shape. */
frame_explore fks_explore;
extern struct fks_explored fks_explored;
extern const char *const fks_shape_names[SHAPE_any];

#endif
