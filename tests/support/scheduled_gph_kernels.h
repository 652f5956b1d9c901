/* GPH's kernels on the scheduled machine: sound, and with each fault of tests/plants. */
#ifndef ROOST_TESTS_SCHEDULED_GPH_KERNELS_H
#define ROOST_TESTS_SCHEDULED_GPH_KERNELS_H

#include "engines/gph/gph_kernels.h"

/* The arguments of a kernel. Shape, driver and tile are constants on the other machines; here
 * one stamp serves them all. */
struct gph_call {
    struct gph_args args; /* first, because mend finds the transfer behind the view */
    struct shape shape;
    enum driver driver; /* of finds; tiles run all others */
    int size;
};

enum { GPH_OPERATIONS_HERE = GPH_evict + 1 };

struct gph_stamped {
    const char *name;
    scheduled_kernel *run[GPH_OPERATIONS_HERE]; /* by enum gph_operation; args: a struct gph_call */
};

/* Locks that items still held when their step had returned, in all runs. */
extern uint64_t scheduled_gph_kept;

extern const struct gph_stamped gph_sound, gph_vacancy_first, gph_no_cell_lock, gph_unchecked_move, gph_no_acquire, gph_no_release,
    gph_vacated_relaxed, gph_keeps_locks, gph_lanes_pass, gph_never_dies;

#endif
