/* Stamps FKS's kernels for CUDA. */
#include "engines/fks/fks_kernels.h"
#include "engines/stamp_cuda.h"

/* Blocks of ROOST_LAUNCH_BOUNDS. */
#define BLOCKS_find 8
#define BLOCKS_erase 6
#define BLOCKS_write 6
#define BLOCKS_shift 4
#define BLOCKS_build 2 /* 16 warps a multiprocessor, as many as its shared memory has room for */
#define BLOCKS_export 4
#define BLOCKS_estimate 8
#define BLOCKS_hashes 8
#define BLOCKS_bounds 8
#define BLOCKS_gather 8
#define BLOCKS_fates 8
#define BLOCKS_again 8
#define BLOCKS_codes 8

#define NAME(operation, shape, driver, tile) fks_##operation##_##shape##_##driver##tile

#define STAMP(operation, shape, driver, tile)                                                                                      \
    extern "C" __global__ void ROOST_LAUNCH_BOUNDS(driver, BLOCKS_##operation)                                                     \
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

extern "C" struct kernels fks_cuda_kernels(void)
{
    static const struct kernel kernels[] = {FKS_KERNELS(ENTRY) FKS_TUNE_KERNELS(ENTRY)};
    const struct kernels set = {kernels, sizeof kernels / sizeof kernels[0], false};
    return set;
}
