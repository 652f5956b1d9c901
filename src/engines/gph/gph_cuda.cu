/* Stamps GPH's kernels for CUDA. */
#include "engines/gph/gph_kernels.h"
#include "engines/stamp_cuda.h"

/* Blocks that a multiprocessor should hold, which bounds the registers. */
#define BLOCKS_find 6
#define BLOCKS_erase 6
#define BLOCKS_fill 5
#define BLOCKS_refine 4
#define BLOCKS_mend 3
#define BLOCKS_export 4
#define BLOCKS_estimate 8

#define NAME(operation, shape, driver, tile) gph_##operation##_##shape##_##driver##tile

#define STAMP(operation, shape, driver, tile)                                                                                      \
    extern "C" __global__ void __launch_bounds__(256, BLOCKS_##operation)                                                          \
        NAME(operation, shape, driver, tile)(const __grid_constant__ struct gph_args a)                                            \
    {                                                                                                                              \
        void *scratch = tile_scratch(tile, GPH_SCRATCH_##operation(WORD_##shape));                                                 \
        DRIVE_##driver(gph_##operation, shape_##shape(), tile);                                                                    \
    }
GPH_KERNELS(STAMP)
GPH_TUNE_KERNELS(STAMP)

#define ENTRY(operation, shape, driver, tile)                                                                                      \
    ROOST_KERNEL(GPH, operation, shape, driver, tile, GPH_SCRATCH_##operation(WORD_##shape), NULL,                                 \
                 (const void *)NAME(operation, shape, driver, tile))

extern "C" struct kernels gph_cuda_kernels(void)
{
    static const struct kernel kernels[] = {GPH_KERNELS(ENTRY) GPH_TUNE_KERNELS(ENTRY)};
    const struct kernels set = {kernels, sizeof kernels / sizeof kernels[0], false};
    return set;
}
