/* Stamps SlabHash's kernels for the host.  Compiled once for each instruction set; slab_isa.c
 * chooses among them at run time. */
#include "backends/host_isa.h"
#include "engines/slab/slab_kernels.h"

#define COMPILED_find HOST_HOT
#define COMPILED_findslot HOST_HOT
#define COMPILED_findslab HOST_HOT
#define COMPILED_insert HOST_HOT
#define COMPILED_insertslab HOST_HOT
#define COMPILED_erase HOST_HOT
#define COMPILED_apply HOST_HOT
#define COMPILED_applyslab HOST_HOT
#define COMPILED_every HOST_HOT
#define COMPILED_codes HOST_HOT
#define COMPILED_rebuild HOST_COLD
#define COMPILED_enqueue HOST_COLD
#define COMPILED_serve HOST_COLD
#define COMPILED_survey HOST_COLD
#define COMPILED_export HOST_COLD

/* A thread's worker number comes from the first item of its piece, so that different pieces begin
 * in different blocks of the allocator. */
#define STAMP(operation, shape)                                                                                                    \
    static COMPILED_##operation void operation##_##shape(const void *args, uint64_t first, uint64_t last)                          \
    {                                                                                                                              \
        const struct slab_args *a = (const struct slab_args *)args;                                                                \
        struct slab_resident resident = slab_resident_none((uint32_t)(first >> 12));                                               \
        drive_host(ROOST_OPERATION(slab_##operation), shape_##shape(), a, &a->batch, first, last, &resident);                      \
    }
#define STAMP_SHAPE(shape, ...) SLAB_OPERATIONS(STAMP, shape)
SLAB_SHAPES(STAMP_SHAPE)
SLAB_TUNE_STAMPS(STAMP)
STAMP(findslab, k4v4)
STAMP(insertslab, k4v4)
STAMP(applyslab, k4v4)
STAMP(rebuild, any)
STAMP(enqueue, any)
STAMP(serve, any)
STAMP(survey, any)
STAMP(export, any)
STAMP(codes, any)

#define ENTRY(operation, shape, driver, tile) ROOST_KERNEL(SLAB, operation, shape, driver, tile, 0, operation##_##shape, NULL)
static const struct kernel kernels[] = {SLAB_KERNELS(ENTRY) SLAB_TUNE_KERNELS(ENTRY)};

ROOST_KERNELS_OF_ISA(slab, kernels, ROOST_LOAD128)
