/* SlabHash's kernels on the scheduled machine: as they are, and with each fault of tests/plants. */
#ifndef ROOST_TESTS_SCHEDULED_SLAB_KERNELS_H
#define ROOST_TESTS_SCHEDULED_SLAB_KERNELS_H

#include "engines/slab/slab_kernels.h"

/* What a kernel is called with.  Shape, driver and tile are constants on the other machines; here one stamp serves them all. */
struct slab_call {
    struct slab_args args; /* first: steps find the transfer behind the view */
    struct shape shape;
    enum driver driver;
    int size;
    bool resides; /* workers begin in the first words of the pool, and need not look for units */
    int churn;    /* before its items every other tile takes units, fills them with this pair and then with ones, and gives them
                          * back, so many times */
    struct slab_pair dirt;
};

enum { SLAB_OPERATIONS = SLAB_export + 1 };

struct slab_stamped {
    const char *name;
    scheduled_kernel *run[SLAB_OPERATIONS]; /* by enum slab_operation; args: a struct slab_call */
};

extern const struct slab_stamped slab_sound, slab_delete_stores, slab_reuse_tombstone, slab_relaxed_publication;

#endif
