/* Stamps GPH's kernels for the host.  Compiled once per instruction set; gph_isa.c chooses among them at run time. */
#include "engines/gph/gph_kernels.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

/* The workspace is whole, also where pairs of one word need less of it. */
#define STAMP(operation, shape)                                                                                                    \
    static void operation##_##shape(const void *args, uint64_t first, uint64_t last)                                               \
    {                                                                                                                              \
        const struct gph_args *a = (const struct gph_args *)args;                                                                  \
        struct gph_workspace scratch;                                                                                              \
        drive_host(ROOST_OPERATION(gph_##operation), shape_##shape(), a, &a->batch, first, last, &scratch);                        \
    }
#define STAMP_SHAPE(shape, ...) GPH_OPERATIONS(STAMP, shape)
GPH_SHAPES(STAMP_SHAPE)
STAMP(export, any)
STAMP(estimate, any)

#define ENTRY(operation, shape, driver, tile)                                                                                      \
    {#operation "_" #shape "_" #driver #tile, GPH_##operation,     SHAPE_##shape, DRIVER_##driver, tile,                           \
     GPH_SCRATCH_##operation(WORD_##shape),   operation##_##shape, NULL,          ONCE_##driver},
static const struct kernel kernels[] = {GPH_KERNELS(ENTRY) GPH_TUNE_KERNELS(ENTRY)};

struct kernels JOIN(gph_host_kernels_, ROOST_ISA)(void);
struct kernels JOIN(gph_host_kernels_, ROOST_ISA)(void)
{
    const struct kernels set = {kernels, sizeof kernels / sizeof kernels[0], false};
    return set;
}
