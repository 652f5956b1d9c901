/* Stadium hashing's kernels on the scheduled machine: sound, and with each fault of
 * tests/plants. */
#ifndef ROOST_TESTS_SCHEDULED_STADIUM_KERNELS_H
#define ROOST_TESTS_SCHEDULED_STADIUM_KERNELS_H

#include "engines/stadium/stadium_kernels.h"

/* The arguments of a kernel. Shape, driver and tile are constants on the other machines; here
 * one stamp serves them all. */
struct stadium_call {
    struct stadium_args args; /* first, because steps find the transfer behind the view */
    struct shape shape;
    enum driver driver;
    int size;
};

enum { STADIUM_OPERATIONS = STADIUM_sift + 1 };

struct stadium_stamped {
    const char *name;
    /* by enum stadium_operation, none for estimates; args: a struct stadium_call */
    scheduled_kernel *run[STADIUM_OPERATIONS];
};

extern const struct stadium_stamped stadium_sound, stadium_takes_erased, stadium_skips_reserved, stadium_no_release,
    stadium_reserves_by_and, stadium_info_at_once, stadium_no_sequence;

#endif
