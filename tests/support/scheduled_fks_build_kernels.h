/* FKS's builds, and the allocation of their blocks, on the scheduled machine: as they are, and with each fault of tests/plants. */
#ifndef ROOST_TESTS_SCHEDULED_FKS_BUILD_KERNELS_H
#define ROOST_TESTS_SCHEDULED_FKS_BUILD_KERNELS_H

#include "engines/fks/fks_build.h"

/* What a build is called with. */
struct fks_build_call {
    struct fks_args args;
    struct shape shape;
    int size; /* lanes of a team */
};

enum { TAKERS = 4, TAKES = 6 };

/* Blocks that lanes take of a part. */
struct fks_take_call {
    const struct fks_part *part;
    struct fks_space *space;
    uint32_t sizes[TAKERS][TAKES];
    bool kept[TAKERS][TAKES];  /* others are given back at once */
    uint32_t (*blocks)[TAKES]; /* what each lane got */
};

struct fks_build_stamped {
    scheduled_kernel *build; /* args: a struct fks_build_call; a team builds the region of its rank */
    scheduled_kernel *take;  /* args: a struct fks_take_call; one lane takes the blocks of its rank */
};

extern const struct fks_build_stamped fks_build_sound, fks_build_shift_stores, fks_build_give_back;

#endif
