/* Stamps DyCuckoo's kernels for CUDA. */
#include "engines/dycuckoo/dycuckoo_kernels.h"
#include "engines/stamp_cuda.h"

/* Blocks of ROOST_LAUNCH_BOUNDS. */
#define BLOCKS_find(slots, tile) ((slots) / (tile) > 4 ? 6 : 8) /* a lane's share of the bucket is in registers */
#define BLOCKS_findslot(slots, tile) 6
#define BLOCKS_erase(slots, tile) 6
#define BLOCKS_fill(slots, tile) ((slots) == 8 && (tile) == 2 ? 5 : 4)
#define BLOCKS_evict(slots, tile) 3
#define BLOCKS_path(slots, tile) 2
#define BLOCKS_grow(slots, tile) 4
#define BLOCKS_halve(slots, tile) 4
#define BLOCKS_export(slots, tile) 4
#define BLOCKS_estimate(slots, tile) 8
#define BLOCKS_spill(slots, tile) 4

#define NAME(operation, shape, driver, tile) dycuckoo_##operation##_##shape##_##driver##tile

#define STAMP(operation, shape, driver, tile)                                                                                      \
    extern "C" __global__ void ROOST_LAUNCH_BOUNDS(driver, BLOCKS_##operation(SLOTS_##shape, tile))                                \
        NAME(operation, shape, driver, tile)(const __grid_constant__ struct dycuckoo_args a)                                       \
    {                                                                                                                              \
        void *scratch = tile_scratch(tile, DYCUCKOO_SCRATCH_##operation(SLOTS_##shape));                                           \
        DRIVE_##driver(dycuckoo_##operation, shape_##shape(), tile);                                                               \
    }
DYCUCKOO_KERNELS(STAMP)
DYCUCKOO_TUNE_KERNELS(STAMP)

#define ENTRY(operation, shape, driver, tile)                                                                                      \
    ROOST_KERNEL(DYCUCKOO, operation, shape, driver, tile, DYCUCKOO_SCRATCH_##operation(SLOTS_##shape), NULL,                      \
                 (const void *)NAME(operation, shape, driver, tile))

extern "C" struct kernels dycuckoo_cuda_kernels(void)
{
    static const struct kernel kernels[] = {DYCUCKOO_KERNELS(ENTRY) DYCUCKOO_TUNE_KERNELS(ENTRY)};
    const struct kernels set = {kernels, sizeof kernels / sizeof kernels[0], false};
    return set;
}
