/* Stamps FKS's kernels for CUDA. */
#include "engines/fks/fks_kernels.h"
#include "engines/stamp_cuda.h"

#define NAME(operation, shape, driver, tile) fks_##operation##_##shape##_##driver##tile

#define STAMP(operation, shape, driver, tile)                                                                                      \
    extern "C" __global__ void ROOST_LAUNCH_BOUNDS(driver, FKS_BLOCKS_##operation)                                                 \
        NAME(operation, shape, driver, tile)(const __grid_constant__ struct fks_args a)                                            \
    {                                                                                                                              \
        void *scratch = tile_scratch(tile, FKS_SCRATCH_##operation);                                                               \
        (void)scratch;                                                                                                             \
        DRIVE_##driver(fks_##operation, shape_##shape(), tile);                                                                    \
    }
FKS_KERNELS(STAMP)
FKS_TUNE_KERNELS(STAMP)

#define ENTRY(operation, shape, driver, tile)                                                                                      \
    ROOST_KERNEL(FKS, operation, shape, driver, tile, FKS_SCRATCH_##operation, NULL,                                               \
                 (const void *)NAME(operation, shape, driver, tile))
static const struct kernel kernels[] = {FKS_KERNELS(ENTRY) FKS_TUNE_KERNELS(ENTRY)};

ROOST_KERNELS_OF_CUDA(fks, kernels, false)
