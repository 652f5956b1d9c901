/* SlabHash's kernels on the scheduled machine: sound, and with each fault of tests/plants. */
#ifndef ROOST_TESTS_SCHEDULED_SLAB_KERNELS_H
#define ROOST_TESTS_SCHEDULED_SLAB_KERNELS_H

#include "engines/slab/slab_kernels.h"

/* The arguments of a kernel. Shape, driver and tile are constants on the other machines; here
 * one stamp serves them all. */
struct slab_call {
    struct slab_args args; /* first, because steps find the transfer behind the view */
    struct shape shape;
    enum driver driver;
    int size;
    /* workers begin in the first words of the pool, and need not look for units */
    bool resides;
    /* Rounds before a tile's items, for every other tile: it takes units, fills them with this
     * pair and then with ones, and releases them. */
    int churn;
    struct slab_pair dirt;
};

enum { SLAB_OPERATIONS = SLAB_findslot + 1 };

struct slab_stamped {
    const char *name;
    scheduled_kernel *run[SLAB_OPERATIONS]; /* by enum slab_operation; args: a struct slab_call */
};

extern const struct slab_stamped slab_sound, slab_delete_stores, slab_reuse_tombstone, slab_relaxed_publication, slab_queue_stores;

#endif
