/* compact's kernels on the scheduled machine: sound, and with each fault of tests/plants. */
#ifndef ROOST_TESTS_SCHEDULED_COMPACT_KERNELS_H
#define ROOST_TESTS_SCHEDULED_COMPACT_KERNELS_H

#include "engines/compact/compact_kernels.h"

/* The arguments of a kernel.  Shape, driver and tile are constants on the other machines; here one
 * stamp serves them all. */
struct compact_call {
    struct compact_args args; /* first, because steps find the transfer behind the view */
    struct shape shape;
    enum driver driver;
    int size;
};

enum { COMPACT_OPERATIONS_MOST = 16 };

struct compact_stamped {
    const char *name;
    /* by enum compact_operation; args: a struct compact_call */
    scheduled_kernel *run[COMPACT_OPERATIONS_MOST];
};

extern const struct compact_stamped compact_sound, compact_bit_after_claim, compact_no_second_look, compact_reopens_dead,
    compact_no_release, compact_no_reload, compact_erase_stores, compact_clears_first, compact_no_locks, compact_meets_incomplete,
    compact_displace_stores, compact_tidy_unfenced, compact_bit_unreleased, compact_stash_sure, compact_stash_unmarked;

#endif
