/* Sorting: on the host by passes of partitions, from the lowest digit up; on a GPU by CUB.  Sums:
 * on a GPU by CUB. */
#include "batches/batches_sort.h"

#include "engines/partition.h"
#include "portable/item.h"

static void swap_sides(struct batches_sort *s)
{
    void *keys = s->keys[0];
    uint32_t *items = s->items[0];
    s->keys[0] = s->keys[1], s->keys[1] = keys;
    s->items[0] = s->items[1], s->items[1] = items;
}

/* Sorts by one digit.  If all items have the same digit, nothing moves. */
static void sort_digit(const struct backend *b, struct batches_sort *s, int shift)
{
    const struct partition_pass pass = {s->keys[0], s->items[0],     s->keys[1], s->items[1], s->key_bytes,    4,
                                        shift,      PARTITION_DIGIT, s->n,       s->scratch,  s->scratch_bytes};
    if (partition_host(b, &pass)) swap_sides(s);
}

/* ---- Either machine -------------------------------------------------------------------------- */

#if defined(ROOST_WITH_CUDA)
static bool on_cuda(const struct backend *b) { return b->ordinal >= 0; }

static roost_status cuda_sorted(struct backend *b, const char *failure)
{
    return failure ? error_set(b->error, ROOST_ERR_DEVICE, "sorting a batch: %s", failure) : ROOST_OK;
}
#endif

roost_status batches_sort_scratch(struct backend *b, const struct batches_sort *s, size_t *bytes)
{
#if defined(ROOST_WITH_CUDA)
    if (on_cuda(b)) return cuda_sorted(b, batches_cuda_sort_scratch(s, bytes));
#endif
    *bytes = partition_host_scratch(b, s->n);
    return ROOST_OK;
}

roost_status batches_sort(struct backend *b, struct batches_sort *s)
{
#if defined(ROOST_WITH_CUDA)
    if (on_cuda(b)) return cuda_sorted(b, batches_cuda_sort(s, b->stream));
#endif
    const roost_status status = b->operations->wait(b); /* the host sorts at once, not in a queue */
    if (status) return status;
    for (int shift = 0; shift < s->bits; shift += PARTITION_DIGIT) sort_digit(b, s, shift);
    return ROOST_OK;
}

roost_status batches_scan_scratch(struct backend *b, int width, uint64_t n, size_t *bytes)
{
    *bytes = 0;
#if defined(ROOST_WITH_CUDA)
    if (on_cuda(b)) return cuda_sorted(b, batches_cuda_scan(width, NULL, n, NULL, bytes, NULL));
#endif
    (void)b, (void)width, (void)n;
    return ROOST_OK;
}

roost_status batches_scan(struct backend *b, int width, void *numbers, uint64_t n, void *scratch, size_t bytes)
{
#if defined(ROOST_WITH_CUDA)
    if (on_cuda(b)) return cuda_sorted(b, batches_cuda_scan(width, numbers, n, scratch, &bytes, b->stream));
#endif
    (void)scratch, (void)bytes;
    const roost_status status = b->operations->wait(b); /* as the sort */
    if (status) return status;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t number = load_width(width, numbers, i);
        store_width(width, numbers, i, sum);
        sum += number;
    }
    return ROOST_OK;
}
