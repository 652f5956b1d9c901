/* Batches over a small FKS table on the scheduled machine: writes, shifts, erases and finds, several tiles at once.  After each
 * kernel the table is walked, and what became of the items is explained. */
#ifndef ROOST_TESTS_SCHEDULED_FKS_SCENE_H
#define ROOST_TESTS_SCHEDULED_FKS_SCENE_H

#include "support/scheduled_fks_kernels.h"

struct fks_scenario {
    const struct fks_stamped *stamped;
    enum fks_shape shape;
    int size; /* lanes of a tile */
    bool weak;
    uint64_t seed;
    bool writes_alone; /* no shifts are run */
};

struct fks_explored {
    uint64_t items[FKS_OPERATIONS_HERE]; /* by enum fks_operation */
    uint64_t parked, limited;            /* by write; those whose bucket may take no more, though there are vacancies */
    uint64_t shifted, moved, stuck;      /* items that shift placed, pairs that it moved, and items that it found no move for */
    uint64_t by_columns, second;         /* of those placed; pairs that write put into a second line */
    uint64_t put_back, points, switches;
};

extern const char *const fks_shape_names[SHAPE_any];

/* NULL, or what went wrong; the text stays until the next scenario. */
const char *fks_explore(const struct fks_scenario *scenario, struct fks_explored *explored);

#endif
