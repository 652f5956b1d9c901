/* Stamps FKS's kernels for the host.  Compiled once per instruction set; fks_isa.c chooses among
 * them at run time. */
#include "backends/host_isa.h"
#include "engines/fks/fks_kernels.h"

#define COMPILED_find HOST_HOT
#define COMPILED_erase HOST_HOT
#define COMPILED_write HOST_HOT
#define COMPILED_build HOST_COLD
#define COMPILED_hashes HOST_HOT
#define COMPILED_bounds HOST_HOT
#define COMPILED_gather HOST_HOT
#define COMPILED_outcomes HOST_HOT
#define COMPILED_requeue HOST_HOT
#define COMPILED_codes HOST_HOT
#define COMPILED_shift HOST_COLD
#define COMPILED_export HOST_COLD
#define COMPILED_remain HOST_COLD
#define COMPILED_estimate HOST_COLD

#define STAMP(operation, shape)                                                                                                    \
    static COMPILED_##operation void operation##_##shape(const void *args, uint64_t first, uint64_t last)                          \
    {                                                                                                                              \
        const struct fks_args *a = (const struct fks_args *)args;                                                                  \
        drive_host(ROOST_OPERATION(fks_##operation), shape_##shape(), a, &a->batch, first, last, NULL);                            \
    }

/* Those whose items read their bucket's entry, and then its line. */
#define STAMP_KEYS(operation, shape)                                                                                               \
    static COMPILED_##operation void operation##_##shape(const void *args, uint64_t first, uint64_t last)                          \
    {                                                                                                                              \
        const struct fks_args *a = (const struct fks_args *)args;                                                                  \
        drive_host_by(fks_##operation##_begin, fks_key_approach, fks_##operation##_step, fks_##operation##_end, shape_##shape(),   \
                      a, &a->batch, first, last, NULL);                                                                            \
    }

#define STAMP_BUILD(shape)                                                                                                         \
    static COMPILED_build void build_##shape(const void *args, uint64_t first, uint64_t last)                                      \
    {                                                                                                                              \
        const struct fks_args *a = (const struct fks_args *)args;                                                                  \
        struct fks_scratch scratch __attribute__((aligned(64)));                                                                   \
        drive_host(ROOST_OPERATION(fks_build), shape_##shape(), a, &a->batch, first, last, &scratch);                              \
    }

#define STAMP_SHAPE(shape, ...)                                                                                                    \
    STAMP_KEYS(find, shape) STAMP_KEYS(erase, shape) STAMP_KEYS(write, shape) STAMP_KEYS(shift, shape) STAMP_BUILD(shape)
FKS_SHAPES(STAMP_SHAPE)
#define STAMP_ANY(operation) STAMP(operation, any)
FKS_OPERATIONS_ANY(STAMP_ANY)

#define ENTRY(operation, shape, driver, tile)                                                                                      \
    ROOST_KERNEL(FKS, operation, shape, driver, tile, FKS_SCRATCH_##operation, operation##_##shape, NULL)
static const struct kernel kernels[] = {FKS_KERNELS(ENTRY) FKS_TUNE_KERNELS(ENTRY)};

ROOST_KERNELS_OF_ISA(fks, kernels, false)
