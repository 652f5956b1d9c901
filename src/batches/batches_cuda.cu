/* Stamps the kernels over items of batches for CUDA: one lane per item, or one tile per chunk of
 * them. */
#include "batches/batches_kernels.h"

#define STAMP(name)                                                                                                                \
    extern "C" __global__ void __launch_bounds__(256) batches_##name##_lane1(const __grid_constant__ struct batches_args a)        \
    {                                                                                                                              \
        const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;                                                                  \
        for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < a.n; i += stride) batches_##name(&a, i);            \
    }
BATCHES_KERNELS(STAMP)

/* BESIDE: blocks of a multiprocessor, of kernels beside others. */
enum { TILE = 32, BESIDE = 3 };
#define STAMP_TILE(name)                                                                                                           \
    extern "C" __global__ void __launch_bounds__(256) batches_##name##_tile32(const __grid_constant__ struct batches_args a)       \
    {                                                                                                                              \
        __shared__ uint32_t scratch[256 / TILE][TRAVEL_SCRATCH];                                                                   \
        for (uint64_t chunk = tile_rank(TILE); chunk < a.n; chunk += tile_count(TILE))                                             \
            batches_##name(tile_make(TILE), &a, chunk, scratch[threadIdx.x / TILE]);                                               \
    }
BATCHES_TILE_KERNELS(STAMP_TILE)
BATCHES_BESIDE_KERNELS(STAMP_TILE)

#define ENTRY(name) {#name, BATCHES_##name, 0, 0, 1, 0, NULL, (const void *)batches_##name##_lane1, false, 0, 0},
#define ENTRY_TILE(name) {#name, BATCHES_##name, 0, 0, TILE, 0, NULL, (const void *)batches_##name##_tile32, 1, 0, 0},
#define ENTRY_BESIDE(name) {#name, BATCHES_##name, 0, 0, TILE, 0, NULL, (const void *)batches_##name##_tile32, -BESIDE, 0, 0},

extern "C" const struct kernel *batches_cuda_kernel(enum batches_kernel which)
{
    static const struct kernel kernels[] = {BATCHES_KERNELS(ENTRY) BATCHES_TILE_KERNELS(ENTRY_TILE)
                                                BATCHES_BESIDE_KERNELS(ENTRY_BESIDE)};
    return &kernels[which];
}
