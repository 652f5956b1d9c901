/* FKS's builds and the allocation of their blocks on the scheduled machine: sound, and with each
 * fault of tests/plants. */
#ifndef ROOST_TESTS_SCHEDULED_FKS_BUILD_KERNELS_H
#define ROOST_TESTS_SCHEDULED_FKS_BUILD_KERNELS_H

#include "engines/fks/fks_build.h"

/* The arguments of a build. */
struct fks_build_call {
    struct fks_args args;
    struct shape shape;
    int size; /* lanes of a team */
};

enum { TAKERS = 4, TAKES = 6 };

/* Blocks that lanes take from a part. */
struct fks_take_call {
    const struct fks_part *part;
    struct fks_space *space;
    uint32_t sizes[TAKERS][TAKES];
    bool kept[TAKERS][TAKES];  /* blocks that are kept; the others are returned at once */
    uint32_t (*blocks)[TAKES]; /* blocks that each lane got */
};

struct fks_build_stamped {
    /* args: a struct fks_build_call; a team builds the region numbered by its rank */
    scheduled_kernel *build;
    /* args: a struct fks_take_call; a lane takes the blocks numbered by its rank */
    scheduled_kernel *take;
};

extern const struct fks_build_stamped fks_build_sound, fks_build_shift_stores, fks_build_give_back;

#endif
