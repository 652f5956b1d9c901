/* Stamps compact's kernels for CUDA. */
#include "engines/compact/compact_kernels.h"
#include "engines/stamp_cuda.h"

#define NAME(operation, shape, driver, tile) compact_##operation##_##shape##_##driver##tile

#define STAMP(operation, shape, driver, tile)                                                                                      \
    extern "C" __global__ void ROOST_LAUNCH_BOUNDS(driver, COMPACT_BLOCKS_##operation)                                             \
        NAME(operation, shape, driver, tile)(const __grid_constant__ struct compact_args a)                                        \
    {                                                                                                                              \
        void *scratch = tile_scratch(tile, COMPACT_SCRATCH_##operation);                                                           \
        (void)scratch;                                                                                                             \
        DRIVE_##driver(compact_##operation, shape_##shape(), tile);                                                                \
    }
COMPACT_KERNELS(STAMP)

#define ENTRY(operation, shape, driver, tile)                                                                                      \
    ROOST_KERNEL(COMPACT, operation, shape, driver, tile, COMPACT_SCRATCH_##operation, NULL,                                       \
                 (const void *)NAME(operation, shape, driver, tile))
static const struct kernel kernels[] = {COMPACT_KERNELS(ENTRY)};

ROOST_KERNELS_OF_CUDA(compact, kernels, false)
