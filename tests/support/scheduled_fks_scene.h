/* Batches over a small FKS table on the scheduled machine: writes, shifts, erases and finds,
 * several tiles at once.  After each kernel the table is walked, and what became of the items is
 * explained. */
#ifndef ROOST_TESTS_SCHEDULED_FKS_SCENE_H
#define ROOST_TESTS_SCHEDULED_FKS_SCENE_H

#include "support/scheduled_fks_kernels.h"
#include "support/scheduled_frame.h"

struct fks_explored {
    struct frame_explored all;
    uint64_t parked, limited; /* by write; those whose bucket may take no more despite vacancies */
    uint64_t shifted;         /* items that shift placed, */
    uint64_t moved, stuck;    /* pairs that it moved, and items that it found no move for */
    uint64_t by_columns;      /* of those placed */
    uint64_t second;          /* pairs that write put into a second line */
};

/* A whole scene; the kernels are a struct fks_stamped, the shape an enum fks_shape. */
frame_explore fks_explore;
extern struct fks_explored fks_explored;
extern const char *const fks_shape_names[SHAPE_any];

#endif
