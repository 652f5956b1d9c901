/* Stamps SlabHash's kernels for CUDA. */
#include "engines/slab/slab_kernels.h"
#include "engines/stamp_cuda.h"

/* Minimum resident blocks per multiprocessor (ROOST_LAUNCH_BOUNDS). */
#define BLOCKS_find 8
#define BLOCKS_findslot 6
#define BLOCKS_insert 4
#define BLOCKS_erase 5
#define BLOCKS_apply 4
#define BLOCKS_every 4
#define BLOCKS_findslab 5
#define BLOCKS_insertslab 4
#define BLOCKS_applyslab 4
#define BLOCKS_rebuild 4
#define BLOCKS_survey 4
#define BLOCKS_export 4
#define BLOCKS_codes 8

#define NAME(operation, shape, driver, tile) slab_##operation##_##shape##_##driver##tile

#define STAMP(operation, shape, driver, tile)                                                                                      \
    extern "C" __global__ void ROOST_LAUNCH_BOUNDS(driver, BLOCKS_##operation)                                                     \
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

/* The backend checks whether its device has the 128-bit atomics. */
extern "C" struct kernels slab_cuda_kernels(void)
{
    static const struct kernel kernels[] = {SLAB_KERNELS(ENTRY) SLAB_TUNE_KERNELS(ENTRY)};
    const struct kernels set = {kernels, sizeof kernels / sizeof kernels[0], true};
    return set;
}
