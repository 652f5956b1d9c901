/* Stamps compact's kernels for the host.  Compiled once for each instruction set; compact_isa.c
 * chooses among them at run time. */
#include "backends/host_isa.h"
#include "engines/compact/compact_kernels.h"

#define COMPILED_find HOST_HOT
#define COMPILED_insert HOST_HOT
#define COMPILED_erase HOST_HOT
#define COMPILED_apply HOST_HOT
#define COMPILED_displace HOST_HOT
#define COMPILED_evict HOST_HOT
#define COMPILED_export HOST_COLD
#define COMPILED_build HOST_HOT
#define COMPILED_columns HOST_HOT
#define COMPILED_tidy HOST_COLD
#define COMPILED_codes HOST_HOT
#define COMPILED_estimate HOST_COLD

#define APPROACH_find compact_item_approach
#define APPROACH_insert compact_item_approach
#define APPROACH_erase compact_item_approach
#define APPROACH_apply compact_item_approach
#define APPROACH_displace compact_evict_approach
#define APPROACH_evict compact_evict_approach
#define APPROACH_export approach_nothing
#define APPROACH_build approach_nothing
#define APPROACH_columns approach_nothing
#define APPROACH_tidy approach_nothing
#define APPROACH_codes approach_nothing
#define APPROACH_estimate approach_nothing

#define STAMP(operation, shape)                                                                                                    \
    static COMPILED_##operation void operation##_##shape(const void *args, uint64_t first, uint64_t last)                          \
    {                                                                                                                              \
        const struct compact_args *a = (const struct compact_args *)args;                                                          \
        _Alignas(64) unsigned char scratch[COMPACT_SCRATCH_##operation + 1];                                                       \
        drive_host_by(compact_##operation##_begin, APPROACH_##operation, compact_##operation##_step, compact_##operation##_end,    \
                      shape_##shape(), a, &a->batch, first, last, scratch);                                                        \
    }
#define STAMP_SHAPE(shape, ...) COMPACT_OPERATIONS(STAMP, shape)
COMPACT_SHAPES(STAMP_SHAPE)
STAMP(displace, k4v4)
STAMP(evict, k4v4)
STAMP(evict, k8v8)
STAMP(evict, any)
STAMP(build, k4v4)
STAMP(build, k8v8)
STAMP(export, any)
STAMP(build, any)
STAMP(columns, any)
STAMP(tidy, any)
STAMP(codes, any)
STAMP(estimate, any)

#define ENTRY(operation, shape, driver, tile)                                                                                      \
    ROOST_KERNEL(COMPACT, operation, shape, driver, tile, COMPACT_SCRATCH_##operation, operation##_##shape, NULL)
static const struct kernel kernels[] = {COMPACT_KERNELS(ENTRY)};

ROOST_KERNELS_OF_ISA(compact, kernels, false)
