/* Stamps compact's kernels for the host.  Compiled once for each instruction set; compact_isa.c
 * chooses among them at run time. */
#include <string.h>

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

/* Is the launch for this shape, and if it moves a table to another size, from this shape? */
static bool is_for(const struct compact_transfer *t, const struct shape s)
{
    return !memcmp(&t->shape, &s, sizeof s) && (!t->from.range.buckets || !memcmp(&t->from_shape, &s, sizeof s));
}

/* A kernel that takes its shape at run time has code for two more: those of counts of keys of 8
 * bytes. */
#define shape_told shape_any
#define STAMP_TOLD(operation)                                                                                                      \
    STAMP(operation, k8v4)                                                                                                         \
    STAMP(operation, k8v4wide)                                                                                                     \
    STAMP(operation, told)                                                                                                         \
    static COMPILED_##operation void operation##_any(const void *args, uint64_t first, uint64_t last)                              \
    {                                                                                                                              \
        const struct compact_transfer *const t = &((const struct compact_args *)args)->transfer;                                   \
        if (is_for(t, shape_k8v4())) operation##_k8v4(args, first, last);                                                          \
        else if (is_for(t, shape_k8v4wide())) operation##_k8v4wide(args, first, last);                                             \
        else operation##_told(args, first, last);                                                                                  \
    }
STAMP_TOLD(export)
STAMP_TOLD(build)
STAMP(columns, any)
STAMP(tidy, any)
STAMP(codes, any)
STAMP(estimate, any)

#define ENTRY(operation, shape, driver, tile)                                                                                      \
    ROOST_KERNEL(COMPACT, operation, shape, driver, tile, COMPACT_SCRATCH_##operation, operation##_##shape, NULL)
static const struct kernel kernels[] = {COMPACT_KERNELS(ENTRY)};

ROOST_KERNELS_OF_ISA(compact, kernels, false)
