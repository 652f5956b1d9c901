/* DyCuckoo's kernels on the scheduled machine: sound, and with each fault of tests/plants. */
#ifndef ROOST_TESTS_SCHEDULED_KERNELS_H
#define ROOST_TESTS_SCHEDULED_KERNELS_H

#include "engines/dycuckoo/dycuckoo_kernels.h"

/* The arguments of a kernel. Shape, driver and tile are constants on the other machines; here
 * one stamp serves them all. */
struct scheduled_call {
    struct dycuckoo_args args;
    struct shape shape;
    enum driver driver;
    int size;
};

enum { SCHEDULED_OPERATIONS = DYCUCKOO_spill + 1 };

struct scheduled_kernels {
    const char *name;
    /* by enum dycuckoo_operation; args: a struct scheduled_call */
    scheduled_kernel *run[SCHEDULED_OPERATIONS];
};

/* Items that steps put back, in all runs. */
extern uint64_t scheduled_put_back;

extern const struct scheduled_kernels dycuckoo_sound, dycuckoo_vacancy_first, dycuckoo_clear_first, dycuckoo_skip_unlock,
    dycuckoo_spill_unlocked, dycuckoo_spill_erase_stores, dycuckoo_no_acquire, dycuckoo_no_release, dycuckoo_take_acquires,
    dycuckoo_sync_votes, dycuckoo_first_lane_updates;

#endif
