/* Partitions on a GPU, by CUB. */
#include <cub/device/device_radix_sort.cuh>

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
    const cudaError_t code =
        p->key_bytes == 8 ? pass_by<uint64_t>(p, scratch, bytes, queue) : pass_by<uint32_t>(p, scratch, bytes, queue);
    if (code == cudaSuccess) return NULL;
    (void)cudaGetLastError();
    return cudaGetErrorString(code);
}
