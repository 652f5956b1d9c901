/* Removes duplicates from a stream in a kernel: four lanes insert a key, and the first tile to
 * insert it passes it on.
 *
 *     nvcc -std=c++17 -arch=native dedup.cu $(pkg-config --cflags --libs roost) && ./a.out
 *
 * Exit 77: there is no GPU here. */
#include "dedup.h"

#include <cuda_runtime.h>

enum { LANES = 4, BLOCK = 256 };

static void require_cuda(cudaError_t code)
{
    if (code == cudaSuccess) return;
    fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(code));
    exit(1);
}

__global__ void dedup(const __grid_constant__ roost_slab_view view, struct stream stream)
{
    const roost_slab_tile tile = roost_slab_tile_here(LANES);
    const uint32_t number = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;
    roost_slab_worker worker = roost_slab_worker_make(number);
    for (uint32_t i = number; i < ITEMS; i += gridDim.x * blockDim.x / LANES) {
        const roost_item_status status = dedup_item(&view, tile, stream.keys[i], &worker);
        if (tile.lane != 0 || status == ROOST_ITEM_KEPT) continue;
        if (status == ROOST_ITEM_INSERTED) stream.passed[atomicAdd(&stream.counts[0], 1u)] = i;
        else atomicAdd(&stream.counts[1], 1u);
    }
}

static uint64_t run(const uint64_t *keys, uint32_t *passed, uint32_t *counts)
{
    uint64_t *keys_there;
    struct stream there;
    roost_slab_view view = roost_slab_view_make();
    roost_table *table = dedup_table("cuda");
    require_cuda(cudaMalloc(&keys_there, ITEMS * sizeof *keys));
    require_cuda(cudaMalloc(&there.passed, ITEMS * sizeof *passed));
    require_cuda(cudaMalloc(&there.counts, 2 * sizeof *counts));
    require_cuda(cudaMemcpy(keys_there, keys, ITEMS * sizeof *keys, cudaMemcpyHostToDevice));
    require_cuda(cudaMemset(there.counts, 0, 2 * sizeof *counts));
    there.keys = keys_there;
    require(roost_view_acquire(table, &view, sizeof view, DISTINCT, NULL), table);
    dedup<<<1024, BLOCK>>>(view, there);
    require_cuda(cudaGetLastError());
    const uint64_t stored = dedup_release(table);
    require_cuda(cudaMemcpy(passed, there.passed, ITEMS * sizeof *passed, cudaMemcpyDeviceToHost));
    require_cuda(cudaMemcpy(counts, there.counts, 2 * sizeof *counts, cudaMemcpyDeviceToHost));
    require_cuda(cudaFree(keys_there));
    require_cuda(cudaFree(there.passed));
    require_cuda(cudaFree(there.counts));
    roost_table_destroy(table);
    return stored;
}

int main()
{
    static uint64_t keys[ITEMS];
    static uint32_t passed[ITEMS], counts[2];
    int gpus = 0;
    if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) {
        printf("there is no GPU here\n");
        return 77;
    }
    for (uint64_t i = 0; i < ITEMS; i++) keys[i] = dedup_key(i);
    const uint64_t stored = run(keys, passed, counts);
    return dedup_verify(keys, passed, counts, stored);
}
