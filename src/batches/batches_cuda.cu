/* Stamps the kernels over items of batches for CUDA: one lane per item. */
#include "batches/batches_kernels.h"

#define STAMP(name)                                                                                                                \
    extern "C" __global__ void __launch_bounds__(256) batches_##name##_lane1(const __grid_constant__ struct batches_args a)        \
    {                                                                                                                              \
        const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;                                                                  \
        for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < a.n; i += stride) batches_##name(&a, i);            \
    }
BATCHES_KERNELS(STAMP)

#define ENTRY(name) {#name, BATCHES_##name, 0, 0, 1, 0, NULL, (const void *)batches_##name##_lane1, false, 0, 0},

extern "C" const struct kernel *batches_cuda_kernel(enum batches_kernel which)
{
    static const struct kernel kernels[] = {BATCHES_KERNELS(ENTRY)};
    return &kernels[which];
}
