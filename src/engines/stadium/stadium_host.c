/* Stamps Stadium hashing's kernels for the host.  Compiled once per instruction set; stadium_isa.c chooses among them at run time. */
#include "backends/host_isa.h"
#include "engines/stadium/stadium_kernels.h"

#define STAMP(operation, shape)                                                                                                    \
    static void operation##_##shape(const void *args, uint64_t first, uint64_t last)                                               \
    {                                                                                                                              \
        const struct stadium_args *a = (const struct stadium_args *)args;                                                          \
        drive_host(ROOST_OPERATION(stadium_##operation), shape_##shape(), a, &a->batch, first, last, NULL);                        \
    }
#define STAMP_SHAPE(shape, ...) STADIUM_OPERATIONS(STAMP, shape)
STADIUM_SHAPES(STAMP_SHAPE)
STAMP(compact, any)
STAMP(survey, any)
STAMP(export, any)
STAMP(estimate, any)

#define ENTRY(operation, shape, driver, tile) ROOST_KERNEL(STADIUM, operation, shape, driver, tile, 0, operation##_##shape, NULL)
static const struct kernel kernels[] = {STADIUM_KERNELS(ENTRY) STADIUM_TUNE_KERNELS(ENTRY)};

ROOST_KERNELS_OF_ISA(stadium, kernels, false)
