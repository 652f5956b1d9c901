/* DyCuckoo's kernels on the scheduled machine: as they are, and with each of the planted faults. */
#ifndef ROOST_TESTS_SCHEDULED_KERNELS_H
#define ROOST_TESTS_SCHEDULED_KERNELS_H

#include "engines/dycuckoo/dycuckoo_kernels.h"

/* What a kernel is called with.  Shape, driver and tile are constants on the other machines; here one stamp serves them all. */
struct scheduled_call {
    struct dycuckoo_args args;
    struct shape shape;
    enum driver driver;
    int size;
};

enum { SCHEDULED_OPERATIONS = DYCUCKOO_spill + 1 };

struct scheduled_kernels {
    const char *name;
    scheduled_kernel *run[SCHEDULED_OPERATIONS]; /* by enum dycuckoo_operation; args: a struct scheduled_call */
};

/* Items that steps put back, in all runs. */
extern uint64_t scheduled_put_back;

extern const struct scheduled_kernels kernels_sound, kernels_vacancy_first, kernels_clear_first, kernels_skip_unlock,
    kernels_spill_unlocked, kernels_spill_erase_stores, kernels_no_acquire, kernels_no_release, kernels_take_acquires,
    kernels_sync_votes, kernels_first_lane_updates;

#endif
