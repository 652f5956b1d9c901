/* Sorting: on the host a radix sort from the lowest byte up, whose threads have a part of the items each; on a GPU, CUB's. */
#include "batches/batches_sort.h"

#include <string.h>

#include "portable/item.h"

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS, PART = 1 << 15 /* items, at least, that are worth a thread */ };

/* How often each digit occurs in a part; then, where the part's items of that digit go. */
typedef uint64_t digit_places[DIGITS];

static uint64_t parts_of(const struct backend *b, uint64_t n)
{
    const uint64_t most = (n + PART - 1) / PART;
    return most < (unsigned)b->threads ? most : (unsigned)b->threads;
}

static unsigned digit_of(const struct batches_sort *s, uint64_t i, int shift)
{
    return (unsigned)(load_width(s->key_bytes, s->keys[0], i) >> shift) & (DIGITS - 1);
}

static void part_count(const struct batches_sort *s, int shift, uint64_t first, uint64_t last, uint64_t *count)
{
    memset(count, 0, sizeof(digit_places));
    for (uint64_t i = first; i < last; i++) count[digit_of(s, i, shift)]++;
}

static void part_move(const struct batches_sort *s, int shift, uint64_t first, uint64_t last, uint64_t *place)
{
    for (uint64_t i = first; i < last; i++) {
        const uint64_t to = place[digit_of(s, i, shift)]++;
        store_width(s->key_bytes, s->keys[1], to, load_width(s->key_bytes, s->keys[0], i));
        s->items[1][to] = s->items[0][i];
    }
}

/* Counts become places; false: all items have one digit, and stay where they are. */
static bool places_from_counts(digit_places *count, uint64_t parts, uint64_t n)
{
    uint64_t place = 0;
    for (int digit = 0; digit < DIGITS; digit++) {
        const uint64_t before = place;
        for (uint64_t p = 0; p < parts; p++) {
            const uint64_t here = count[p][digit];
            count[p][digit] = place;
            place += here;
        }
        if (place - before == n) return false;
    }
    return true;
}

static void swap_sides(struct batches_sort *s)
{
    void *keys = s->keys[0];
    uint32_t *items = s->items[0];
    s->keys[0] = s->keys[1], s->keys[1] = keys;
    s->items[0] = s->items[1], s->items[1] = items;
}

/* One digit.  Parts are in the order of the items, and take their places in it: so it is stable. */
static void sort_digit(struct batches_sort *s, int shift, uint64_t parts)
{
    digit_places *count = (digit_places *)s->scratch;
    const uint64_t n = s->n;
#pragma omp parallel for num_threads((int)parts) schedule(static, 1)
    for (uint64_t p = 0; p < parts; p++) part_count(s, shift, n * p / parts, n * (p + 1) / parts, count[p]);
    if (!places_from_counts(count, parts, n)) return;
#pragma omp parallel for num_threads((int)parts) schedule(static, 1)
    for (uint64_t p = 0; p < parts; p++) part_move(s, shift, n * p / parts, n * (p + 1) / parts, count[p]);
    swap_sides(s);
}

/* ---- Either machine ------------------------------------------------------------------------------------------------------------------ */

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
    *bytes = parts_of(b, s->n) * sizeof(digit_places);
    return ROOST_OK;
}

roost_status batches_sort(struct backend *b, struct batches_sort *s)
{
#if defined(ROOST_WITH_CUDA)
    if (on_cuda(b)) return cuda_sorted(b, batches_cuda_sort(s, b->stream));
#endif
    const roost_status status = b->operations->wait(b); /* here it is not a queue that sorts */
    if (status) return status;
    for (int shift = 0; shift < s->bits; shift += DIGIT_BITS) sort_digit(s, shift, parts_of(b, s->n));
    return ROOST_OK;
}
