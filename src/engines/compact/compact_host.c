/* Stamps compact's kernels for the host.  Compiled once for each instruction set; compact_isa.c
 * chooses among them at run time. */
#include "backends/host_isa.h"
#include "engines/compact/compact_kernels.h"

#define COMPILED_export HOST_COLD
#define COMPILED_build HOST_HOT
#define COMPILED_columns HOST_HOT
#define COMPILED_tidy HOST_COLD
#define COMPILED_codes HOST_HOT
#define COMPILED_turn HOST_COLD
#define COMPILED_estimate HOST_COLD

#define STAMP(operation, shape)                                                                                                    \
    static COMPILED_##operation void operation##_##shape(const void *args, uint64_t first, uint64_t last)                          \
    {                                                                                                                              \
        const struct compact_args *a = (const struct compact_args *)args;                                                          \
        _Alignas(64) unsigned char scratch[COMPACT_SCRATCH_##operation + 1];                                                       \
        drive_host(ROOST_OPERATION(compact_##operation), shape_##shape(), a, &a->batch, first, last, scratch);                     \
    }
#define STAMP_EVICT(shape)                                                                                                         \
    static HOST_HOT void evict_##shape(const void *args, uint64_t first, uint64_t last)                                            \
    {                                                                                                                              \
        const struct compact_args *a = (const struct compact_args *)args;                                                          \
        _Alignas(64) unsigned char scratch[COMPACT_SCRATCH_evict];                                                                 \
        drive_host_by(compact_evict_begin, compact_evict_approach, compact_evict_step, compact_evict_end, shape_##shape(), a,      \
                      &a->batch, first, last, scratch);                                                                            \
    }
#define STAMP_KEYS(operation, shape)                                                                                               \
    static HOST_HOT void operation##_##shape(const void *args, uint64_t first, uint64_t last)                                      \
    {                                                                                                                              \
        const struct compact_args *a = (const struct compact_args *)args;                                                          \
        drive_host_by(compact_##operation##_begin, compact_item_approach, compact_##operation##_step, compact_##operation##_end,   \
                      shape_##shape(), a, &a->batch, first, last, NULL);                                                           \
    }
#define STAMP_SHAPE(shape, ...) COMPACT_OPERATIONS(STAMP_KEYS, shape)
COMPACT_SHAPES(STAMP_SHAPE)
STAMP_EVICT(k4v4)
STAMP_EVICT(k8v8)
STAMP_EVICT(any)
STAMP(build, k4v4)
STAMP(build, k8v8)
STAMP(export, any)
STAMP(build, any)
STAMP(columns, any)
STAMP(tidy, any)
STAMP(codes, any)
STAMP(turn, any)
STAMP(estimate, any)

#define ENTRY(operation, shape, driver, tile)                                                                                      \
    ROOST_KERNEL(COMPACT, operation, shape, driver, tile, COMPACT_SCRATCH_##operation, operation##_##shape, NULL)
static const struct kernel kernels[] = {COMPACT_KERNELS(ENTRY)};

ROOST_KERNELS_OF_ISA(compact, kernels, false)
