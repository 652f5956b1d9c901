/* Partitions on a GPU, by CUB; and a pass run backwards, which CUB does not have. */
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "backends/cuda_failure.h"
#include "engines/partition.h"

template <typename key, typename payload>
static cudaError_t pass_of(const struct partition_pass *p, void *scratch, size_t *bytes, cudaStream_t stream)
{
    return cub::DeviceRadixSort::SortPairs(scratch, *bytes, (const key *)p->keys, (key *)p->keys_out, (const payload *)p->payload,
                                           (payload *)p->payload_out, p->n, p->shift, p->shift + p->bits, stream);
}

template <typename key>
static cudaError_t pass_by(const struct partition_pass *p, void *scratch, size_t *bytes, cudaStream_t stream)
{
    if (p->payload_bytes == 8) return pass_of<key, uint64_t>(p, scratch, bytes, stream);
    if (p->payload_bytes == 4) return pass_of<key, uint32_t>(p, scratch, bytes, stream);
    return cub::DeviceRadixSort::SortKeys(scratch, *bytes, (const key *)p->keys, (key *)p->keys_out, p->n, p->shift,
                                          p->shift + p->bits, stream);
}

extern "C" const char *partition_cuda(const struct partition_pass *p, void *scratch, size_t *bytes, void *stream)
{
    const cudaStream_t queue = (cudaStream_t)stream;
    return cuda_failure_text(p->key_bytes == 8   ? pass_by<uint64_t>(p, scratch, bytes, queue)
                             : p->key_bytes == 4 ? pass_by<uint32_t>(p, scratch, bytes, queue)
                                                 : pass_by<uint8_t>(p, scratch, bytes, queue));
}

/* ---- Backwards ------------------------------------------------------------------------------ */

enum { REPLAY_THREADS = 256, REPLAY_TILE = 32, REPLAY_TILES = REPLAY_THREADS / REPLAY_TILE };

static __global__ void __launch_bounds__(REPLAY_THREADS) partition_count_tile32(const __grid_constant__ struct partition_replay r)
{
    __shared__ uint32_t count[REPLAY_TILES][PARTITION_GROUP * PARTITION_DIGITS];
    const uint64_t group = tile_rank(REPLAY_TILE);
    if (group < r.chunks / PARTITION_GROUP)
        partition_count(tile_make(REPLAY_TILE), &r, (uint32_t)group, count[threadIdx.x / REPLAY_TILE]);
}

/* One tile for each block: its scratch memory is too large for several. */
static __global__ void __launch_bounds__(REPLAY_TILE) partition_back_tile32(const __grid_constant__ struct partition_replay r)
{
    __shared__ struct partition_scratch scratch;
    partition_back(tile_make(REPLAY_TILE), &r, blockIdx.x, &scratch);
}

/* scratch NULL: sets *bytes to the required size. */
extern "C" const char *partition_replay_cuda(const struct partition_replay *r, void *scratch, size_t *bytes, void *stream)
{
    const cudaStream_t queue = (cudaStream_t)stream;
    const unsigned blocks = (r->chunks / PARTITION_GROUP + REPLAY_TILES - 1) / REPLAY_TILES;
    const uint64_t words = (uint64_t)r->chunks * PARTITION_DIGITS;
    if (scratch && blocks) partition_count_tile32<<<blocks, REPLAY_THREADS, 0, queue>>>(*r);
    cudaError_t code = scratch ? cudaGetLastError() : cudaSuccess;
    if (code == cudaSuccess) code = cub::DeviceScan::ExclusiveSum(scratch, *bytes, r->places, r->places, words, queue);
    if (code == cudaSuccess && scratch && blocks) {
        partition_back_tile32<<<r->chunks, REPLAY_TILE, 0, queue>>>(*r);
        code = cudaGetLastError();
    }
    return cuda_failure_text(code);
}
