/* Sorting and sums on a GPU, by CUB. */
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "backends/cuda_failure.h"
#include "batches/batches_sort.h"

/* scratch NULL: only sets *bytes to the size it needs. */
template <typename key> static const char *sort_by(struct batches_sort *s, void *scratch, size_t *bytes, void *stream)
{
    cub::DoubleBuffer<key> keys((key *)s->keys[0], (key *)s->keys[1]);
    cub::DoubleBuffer<uint32_t> items(s->items[0], s->items[1]);
    const cudaError_t code = cub::DeviceRadixSort::SortPairs(scratch, *bytes, keys, items, s->n, 0, s->bits, (cudaStream_t)stream);
    if (code != cudaSuccess || !scratch) return cuda_failure_text(code);
    s->keys[0] = keys.Current();
    s->keys[1] = keys.Alternate();
    s->items[0] = items.Current();
    s->items[1] = items.Alternate();
    return NULL;
}

extern "C" const char *batches_cuda_sort_scratch(const struct batches_sort *s, size_t *bytes)
{
    struct batches_sort sizes = *s;
    return s->key_bytes == 8 ? sort_by<uint64_t>(&sizes, NULL, bytes, NULL) : sort_by<uint32_t>(&sizes, NULL, bytes, NULL);
}

extern "C" const char *batches_cuda_sort(struct batches_sort *s, void *stream)
{
    size_t bytes = s->scratch_bytes;
    return s->key_bytes == 8 ? sort_by<uint64_t>(s, s->scratch, &bytes, stream) : sort_by<uint32_t>(s, s->scratch, &bytes, stream);
}

template <typename number> static const char *scan(void *numbers, uint64_t n, void *scratch, size_t *bytes, void *stream)
{
    number *const at = (number *)numbers;
    return cuda_failure_text(cub::DeviceScan::ExclusiveSum(scratch, *bytes, at, at, n, (cudaStream_t)stream));
}

extern "C" const char *batches_cuda_scan(int width, void *numbers, uint64_t n, void *scratch, size_t *bytes, void *stream)
{
    return width == 8 ? scan<uint64_t>(numbers, n, scratch, bytes, stream) : scan<uint32_t>(numbers, n, scratch, bytes, stream);
}
