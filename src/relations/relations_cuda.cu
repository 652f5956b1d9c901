/* Stamps the kernels over rows and groups for CUDA: one lane per item, or one tile
 * per chunk of them. */
#include "relations/relations_kernels.h"

#define STAMP(name)                                                                                                                \
    extern "C" __global__ void __launch_bounds__(256) relations_##name##_lane1(const __grid_constant__ struct relations_args a)    \
    {                                                                                                                              \
        const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;                                                                  \
        for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < a.n; i += stride) relations_##name(&a, i);          \
    }
RELATIONS_KERNELS(STAMP)

enum { TILE = 32, BLOCK = 256 };
#define STAMP_TILE(name)                                                                                                           \
    extern "C" __global__ void __launch_bounds__(BLOCK) relations_##name##_tile32(const __grid_constant__ struct relations_args a) \
    {                                                                                                                              \
        __shared__ struct group_cache caches[BLOCK / TILE];                                                                        \
        for (uint64_t chunk = tile_rank(TILE); chunk < a.n; chunk += tile_count(TILE))                                             \
            relations_##name(tile_make(TILE), &a, chunk, &caches[threadIdx.x / TILE]);                                             \
    }
RELATIONS_TILE_KERNELS(STAMP_TILE)

#define ENTRY_TILE(name) {#name, RELATIONS_##name, 0, 0, TILE, 0, NULL, (const void *)relations_##name##_tile32, 1, 0, 0},
#define ENTRY(name) {#name, RELATIONS_##name, 0, 0, 1, 0, NULL, (const void *)relations_##name##_lane1, false, 0, 0},

extern "C" const struct kernel *relations_cuda_kernel(enum relations_kernel which)
{
    static const struct kernel kernels[] = {RELATIONS_KERNELS(ENTRY) RELATIONS_TILE_KERNELS(ENTRY_TILE)};
    return &kernels[which];
}
