/* Stamps SlabHash's kernels for the host.  Compiled once per instruction set; slab_isa.c chooses among them at run time. */
#include "engines/slab/slab_kernels.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

/* A thread's worker is known by the first item of its piece: different pieces begin in different blocks of the allocator. */
#define STAMP(operation, shape)                                                                                                    \
    static void operation##_##shape(const void *args, uint64_t first, uint64_t last)                                               \
    {                                                                                                                              \
        const struct slab_args *a = (const struct slab_args *)args;                                                                \
        struct slab_resident resident = slab_resident_none((uint32_t)(first >> 12));                                               \
        drive_host(ROOST_OPERATION(slab_##operation), shape_##shape(), a, &a->batch, first, last, &resident);                      \
    }
#define STAMP_SHAPE(shape, ...) SLAB_OPERATIONS(STAMP, shape)
SLAB_SHAPES(STAMP_SHAPE)
STAMP(findslab, k4v4)
STAMP(insertslab, k4v4)
STAMP(applyslab, k4v4)
STAMP(rebuild, any)
STAMP(survey, any)
STAMP(export, any)

#define ENTRY(operation, shape, driver, tile)                                                                                      \
    {#operation "_" #shape "_" #driver #tile,                                                                                      \
     SLAB_##operation,                                                                                                             \
     SHAPE_##shape,                                                                                                                \
     DRIVER_##driver,                                                                                                              \
     tile,                                                                                                                         \
     0,                                                                                                                            \
     operation##_##shape,                                                                                                          \
     NULL,                                                                                                                         \
     ONCE_##driver},
static const struct kernel kernels[] = {SLAB_KERNELS(ENTRY) SLAB_TUNE_KERNELS(ENTRY)};

struct kernels JOIN(slab_host_kernels_, ROOST_ISA)(void);
struct kernels JOIN(slab_host_kernels_, ROOST_ISA)(void)
{
    const struct kernels set = {kernels, sizeof kernels / sizeof kernels[0], ROOST_LOAD128};
    return set;
}
