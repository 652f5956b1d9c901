/* The kernels of a table's user on a GPU, in three-dimensional blocks. */
#include "support/own_items.h"

static_assert(sizeof(struct own_view) >= sizeof(roost_slab_view), "room for a view");

enum { THREADS = 128, LANES = 4 };

#define KERNEL(key, value)                                                                                                         \
    static __global__ void kernel_##key##_##value(const __grid_constant__ roost_slab_view view, const struct own_work w)           \
    {                                                                                                                              \
        const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;                               \
        const uint64_t number = (uint64_t)blockIdx.x * (THREADS / LANES) + thread / LANES;                                         \
        roost_slab_worker worker = roost_slab_worker_make((uint32_t)number);                                                       \
        for (uint64_t i = number; i < w.n; i += (uint64_t)gridDim.x * (THREADS / LANES))                                           \
            own_item(&view, roost_slab_tile_here(LANES), roost_slab_shape_of(key, value), &w, i, &worker);                         \
    }
OWN_WIDTHS(KERNEL)

#define LAUNCH(key, value)                                                                                                         \
    if (key_bytes == key && value_bytes == value) kernel_##key##_##value<<<256, threads>>>(at, *work);

int own_kernels(const struct own_view *view, int key_bytes, int value_bytes, const struct own_work *work)
{
    const dim3 threads(8, 4, 4);
    const roost_slab_view &at = *(const roost_slab_view *)(const void *)view;
    OWN_WIDTHS(LAUNCH)
    return cudaDeviceSynchronize() != cudaSuccess;
}
