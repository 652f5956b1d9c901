/* Stamps DyCuckoo's kernels for CUDA. */
#include "engines/dycuckoo/dycuckoo_kernels.h"
#include "engines/stamp_cuda.h"

#define BLOCKS(operation, scratch, blocks)                                                                                         \
    constexpr int blocks_##operation(int slots, int tile) { return (void)slots, (void)tile, blocks; }
DYCUCKOO_LIST(BLOCKS)

#define NAME(operation, shape, driver, tile) dycuckoo_##operation##_##shape##_##driver##tile

#define STAMP(operation, shape, driver, tile)                                                                                      \
    extern "C" __global__ void ROOST_LAUNCH_BOUNDS(driver, blocks_##operation(SLOTS_##shape, tile))                                \
        NAME(operation, shape, driver, tile)(const __grid_constant__ struct dycuckoo_args a)                                       \
    {                                                                                                                              \
        void *scratch = tile_scratch(tile, DYCUCKOO_SCRATCH_##operation);                                                          \
        DRIVE_##driver(dycuckoo_##operation, shape_##shape(), tile);                                                               \
    }
DYCUCKOO_KERNELS(STAMP)
DYCUCKOO_TUNE_KERNELS(STAMP)

#define ENTRY(operation, shape, driver, tile)                                                                                      \
    ROOST_KERNEL(DYCUCKOO, operation, shape, driver, tile, DYCUCKOO_SCRATCH_##operation, NULL,                                     \
                 (const void *)NAME(operation, shape, driver, tile))
static const struct kernel kernels[] = {DYCUCKOO_KERNELS(ENTRY) DYCUCKOO_TUNE_KERNELS(ENTRY)};

ROOST_KERNELS_OF_CUDA(dycuckoo, kernels, false)
