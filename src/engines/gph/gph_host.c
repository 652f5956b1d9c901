/* Stamps GPH's kernels for the host.  Compiled once per instruction set; gph_isa.c chooses among
 * them at run time. */
#include "backends/host_isa.h"
#include "engines/gph/gph_kernels.h"

#define COMPILED_find HOST_HOT
#define COMPILED_findslot HOST_HOT
#define COMPILED_erase HOST_HOT
#define COMPILED_fill HOST_HOT
#define COMPILED_refine HOST_WARM
#define COMPILED_mend HOST_COLD
#define COMPILED_evict HOST_COLD
#define COMPILED_export HOST_COLD
#define COMPILED_estimate HOST_COLD
#define COMPILED_route HOST_COLD

/* Pairs of one word use less than the whole workspace. */
#define STAMP(operation, shape)                                                                                                    \
    static COMPILED_##operation void operation##_##shape(const void *args, uint64_t first, uint64_t last)                          \
    {                                                                                                                              \
        const struct gph_args *a = (const struct gph_args *)args;                                                                  \
        struct gph_workspace scratch;                                                                                              \
        drive_host(ROOST_OPERATION(gph_##operation), shape_##shape(), a, &a->batch, first, last, &scratch);                        \
    }
#define STAMP_SHAPE(shape, ...) GPH_OPERATIONS(STAMP, shape)
GPH_SHAPES(STAMP_SHAPE)
GPH_TUNE_STAMPS(STAMP)
STAMP(export, any)
STAMP(estimate, any)
STAMP(route, any)

#define ENTRY(operation, shape, driver, tile)                                                                                      \
    ROOST_KERNEL(GPH, operation, shape, driver, tile, GPH_SCRATCH(operation, WORD_##shape), operation##_##shape, NULL)
static const struct kernel kernels[] = {GPH_KERNELS(ENTRY) GPH_TUNE_KERNELS(ENTRY)};

ROOST_KERNELS_OF_ISA(gph, kernels, false)
