/* Stamps Stadium hashing's kernels for CUDA. */
#include "engines/stadium/stadium_kernels.h"
#include "engines/stamp_cuda.h"

#define NAME(operation, shape, driver, tile) stadium_##operation##_##shape##_##driver##tile

#define STAMP(operation, shape, driver, tile)                                                                                      \
    extern "C" __global__ void ROOST_LAUNCH_BOUNDS(driver, STADIUM_BLOCKS_##operation)                                             \
        NAME(operation, shape, driver, tile)(const __grid_constant__ struct stadium_args a)                                        \
    {                                                                                                                              \
        void *scratch = tile_scratch(tile, STADIUM_SCRATCH_##driver);                                                              \
        (void)scratch;                                                                                                             \
        DRIVE_##driver(stadium_##operation, shape_##shape(), tile);                                                                \
    }
STADIUM_KERNELS(STAMP)
STADIUM_TUNE_KERNELS(STAMP)

#define ENTRY(operation, shape, driver, tile)                                                                                      \
    ROOST_KERNEL(STADIUM, operation, shape, driver, tile, STADIUM_SCRATCH_##driver, NULL,                                          \
                 (const void *)NAME(operation, shape, driver, tile))
static const struct kernel kernels[] = {STADIUM_KERNELS(ENTRY) STADIUM_TUNE_KERNELS(ENTRY)};

ROOST_KERNELS_OF_CUDA(stadium, kernels, false)
