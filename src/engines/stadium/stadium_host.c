/* Stamps Stadium hashing's kernels for the host.  Compiled once for each instruction set;
 * stadium_isa.c chooses among them at run time. */
#include "backends/host_isa.h"
#include "engines/stadium/stadium_kernels.h"

#define COMPILED_find HOST_HOT
#define COMPILED_insert HOST_HOT
#define COMPILED_erase HOST_HOT
#define COMPILED_apply HOST_HOT
#define COMPILED_sift HOST_HOT
#define COMPILED_codes HOST_HOT
#define COMPILED_rebuild HOST_COLD
#define COMPILED_compact HOST_COLD
#define COMPILED_survey HOST_COLD
#define COMPILED_export HOST_COLD
#define COMPILED_estimate HOST_COLD

#define APPROACH_find stadium_approach_find
#define APPROACH_insert stadium_approach
#define APPROACH_erase stadium_approach
#define APPROACH_apply stadium_approach
#define APPROACH_rebuild approach_nothing
#define APPROACH_compact approach_nothing
#define APPROACH_survey approach_nothing
#define APPROACH_export approach_nothing
#define APPROACH_estimate approach_nothing
#define APPROACH_sift approach_nothing
#define APPROACH_codes approach_nothing

#define STAMP(operation, shape)                                                                                                    \
    static COMPILED_##operation void operation##_##shape(const void *args, uint64_t first, uint64_t last)                          \
    {                                                                                                                              \
        const struct stadium_args *a = (const struct stadium_args *)args;                                                          \
        drive_host_by(stadium_##operation##_begin, APPROACH_##operation, stadium_##operation##_step, stadium_##operation##_end,    \
                      shape_##shape(), a, &a->batch, first, last, NULL);                                                           \
    }
#define STAMP_SHAPE(shape, ...) STADIUM_OPERATIONS(STAMP, shape)
STADIUM_SHAPES(STAMP_SHAPE)
STAMP(compact, any)
STAMP(survey, any)
STAMP(export, any)
STAMP(estimate, any)
STAMP(sift, any)
STAMP(codes, any)

#define ENTRY(operation, shape, driver, tile)                                                                                      \
    ROOST_KERNEL(STADIUM, operation, shape, driver, tile, STADIUM_SCRATCH_##driver, operation##_##shape, NULL)
static const struct kernel kernels[] = {STADIUM_KERNELS(ENTRY) STADIUM_TUNE_KERNELS(ENTRY)};

ROOST_KERNELS_OF_ISA(stadium, kernels, false)
