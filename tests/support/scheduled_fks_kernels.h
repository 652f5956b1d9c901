/* FKS's kernels on the scheduled machine: sound, and with each fault of tests/plants. */
#ifndef ROOST_TESTS_SCHEDULED_FKS_KERNELS_H
#define ROOST_TESTS_SCHEDULED_FKS_KERNELS_H

#include "engines/fks/fks_kernels.h"

/* The arguments of a kernel. Shape and tile are constants on the other machines; here one stamp
 * serves them all. */
struct fks_call {
    struct fks_args args; /* first, because shift finds the work behind the view */
    struct shape shape;
    int size;
};

enum { FKS_OPERATIONS_HERE = FKS_shift + 1 };

struct fks_stamped {
    const char *name;
    scheduled_kernel *run[FKS_OPERATIONS_HERE]; /* by enum fks_operation; args: a struct fks_call */
};

extern const struct fks_stamped fks_sound, fks_no_mark, fks_first_line_only, fks_store_claims, fks_no_locks, fks_updates_early;

#endif
