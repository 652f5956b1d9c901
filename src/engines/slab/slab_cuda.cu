/* Stamps SlabHash's kernels for CUDA. */
#include "engines/slab/slab_kernels.h"
#include "engines/stamp_cuda.h"

#define NAME(operation, shape, driver, tile) slab_##operation##_##shape##_##driver##tile

#define STAMP(operation, shape, driver, tile)                                                                                      \
    extern "C" __global__ void ROOST_LAUNCH_BOUNDS(driver, SLAB_BLOCKS_##operation)                                                \
        NAME(operation, shape, driver, tile)(const __grid_constant__ struct slab_args a)                                           \
    {                                                                                                                              \
        struct slab_resident resident = slab_resident_none((uint32_t)tile_rank(tile));                                             \
        void *scratch = &resident;                                                                                                 \
        DRIVE_##driver(slab_##operation, shape_##shape(), tile);                                                                   \
    }
SLAB_KERNELS(STAMP)
SLAB_TUNE_KERNELS(STAMP)

#define ENTRY(operation, shape, driver, tile)                                                                                      \
    ROOST_KERNEL(SLAB, operation, shape, driver, tile, 0, NULL, (const void *)NAME(operation, shape, driver, tile))
static const struct kernel kernels[] = {SLAB_KERNELS(ENTRY) SLAB_TUNE_KERNELS(ENTRY)};

/* The backend checks whether its device has the 128-bit atomics. */
ROOST_KERNELS_OF_CUDA(slab, kernels, true)
