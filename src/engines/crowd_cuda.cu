/* Stamps the kernel that takes samples for CUDA: one lane per key. */
#include "engines/crowd_items.h"

extern "C" __global__ void __launch_bounds__(256) crowd_take_lane1(const __grid_constant__ struct crowd_sample c)
{
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < c.size; i += stride) crowd_take(&c, i);
}

extern "C" const struct kernel *crowd_cuda_kernel(void)
{
    static const struct kernel kernel = {"crowd", 0, 0, 0, 1, 0, NULL, (const void *)crowd_take_lane1, 0, 0, 0};
    return &kernel;
}
