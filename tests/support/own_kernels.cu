/* The kernels of a table's user on a GPU, in three-dimensional blocks. */
#include "support/own_items.h"

enum { THREADS = 128, LANES_slab = 4, LANES_compact = 2 };

#define KERNEL(engine, key, value)                                                                                                 \
    static __global__ void kernel_##engine##_##key##_##value(const __grid_constant__ roost_##engine##_view view,                   \
                                                             const struct own_work w)                                              \
    {                                                                                                                              \
        enum { LANES = LANES_##engine };                                                                                           \
        const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;                               \
        const uint64_t number = (uint64_t)blockIdx.x * (THREADS / LANES) + thread / LANES;                                         \
        own_##engine##_worker worker = own_##engine##_worker_make((uint32_t)number);                                               \
        for (uint64_t i = number; i < w.n; i += (uint64_t)gridDim.x * (THREADS / LANES))                                           \
            own_item_##engine(&view, roost_##engine##_tile_here(LANES), roost_##engine##_shape_of(key, value), &w, i, &worker);    \
    }
#define KERNELS(engine) OWN_WIDTHS(KERNEL, engine)
OWN_ENGINES(KERNELS)

#define LAUNCH(name, key, value)                                                                                                   \
    if (view->engine == OWN_##name && key_bytes == key && value_bytes == value)                                                    \
        kernel_##name##_##key##_##value<<<256, threads>>>(*(const roost_##name##_view *)(const void *)view, *work);
#define LAUNCHES(engine) OWN_WIDTHS(LAUNCH, engine)

int own_kernels(const struct own_view *view, int key_bytes, int value_bytes, const struct own_work *work)
{
    const dim3 threads(8, 4, 4);
    OWN_ENGINES(LAUNCHES)
    return cudaDeviceSynchronize() != cudaSuccess;
}
