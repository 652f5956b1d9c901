/* FKS's kernels on the scheduled machine, with the faults that are planted in them. */
#ifndef ROOST_TESTS_SCHEDULED_FKS_KERNELS_H
#define ROOST_TESTS_SCHEDULED_FKS_KERNELS_H

#include <stdbool.h>

/* Before the kernels, which look here: those of fks_items.h and fks_write.h. */
struct fks_planted {
    const char *name;
    bool no_mark, first_line_only, store_claims, no_locks, updates_early;
    bool writes_alone; /* no shifts are run, which would show it first */
    bool in_order;     /* it is to be found with strong memory, too */
};
extern struct fks_planted scheduled_fks_planted;

#include "engines/fks/fks_kernels.h"

/* What a kernel is called with.  Shape and tile are constants on the other machines; here one stamp serves them all. */
struct fks_call {
    struct fks_args args; /* first: shift finds the work behind the view */
    struct shape shape;
    int size;
};

enum { FKS_OPERATIONS_HERE = FKS_shift + 1 };

extern scheduled_kernel *const scheduled_fks_run[FKS_OPERATIONS_HERE]; /* by enum fks_operation; args: a struct fks_call */

#endif
