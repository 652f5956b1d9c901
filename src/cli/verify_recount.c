/* Collects keys, sorts them byte by byte and merges them into the counts so far. */
#include "cli/verify_recount.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Least number of keys that are collected before they are sorted and merged. */
#define PENDING_MIN ((size_t)1 << 20)

bool recount_fail(struct recount *recount, const char *format, ...)
{
    const int head = snprintf(recount->why, recount->why_bytes, "%s: ", recount->file);
    if (head < 0 || (size_t)head >= recount->why_bytes) return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(recount->why + head, recount->why_bytes - (size_t)head, format, arguments);
    va_end(arguments);
    return false;
}

/* Sorts keys by byte from the lowest.  A byte in which all keys agree costs one pass. */
static void sort_keys(uint64_t *keys, uint64_t *scratch, size_t n)
{
    uint64_t *from = keys;
    uint64_t *to = scratch;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        size_t starts[257] = {0};
        for (size_t i = 0; i < n; i++) starts[(from[i] >> shift & 255) + 1]++;
        if (starts[(from[0] >> shift & 255) + 1] == n) continue;
        for (size_t digit = 0; digit < 256; digit++) starts[digit + 1] += starts[digit];
        for (size_t i = 0; i < n; i++) to[starts[from[i] >> shift & 255]++] = from[i];
        uint64_t *swapped = from;
        from = to;
        to = swapped;
    }
    if (from != keys) memcpy(keys, from, n * sizeof *keys);
}

static size_t count_runs(const uint64_t *keys, size_t n)
{
    size_t runs = n > 0;
    for (size_t i = 1; i < n; i++) runs += keys[i] != keys[i - 1];
    return runs;
}

/* Sorts the pending keys and merges their runs into the sorted counts. */
bool recount_finish(struct recount *recount)
{
    if (recount->plan->store != NULL) return verify_strings_fold(&recount->strings) || recount_fail(recount, "out of memory");
    if (recount->pending_n == 0) return true;
    const uint64_t *keys = recount->pending;
    sort_keys(recount->pending, recount->scratch, recount->pending_n);
    const size_t most = recount->sorted_n + count_runs(keys, recount->pending_n);
    struct key_count *merged = (struct key_count *)malloc(most * sizeof *merged);
    if (merged == NULL) return recount_fail(recount, "out of memory");
    size_t n = 0;
    size_t old = 0;
    for (size_t i = 0; i < recount->pending_n;) {
        const uint64_t key = keys[i];
        uint64_t count = 0;
        while (old < recount->sorted_n && recount->sorted[old].key < key) merged[n++] = recount->sorted[old++];
        if (old < recount->sorted_n && recount->sorted[old].key == key) count = recount->sorted[old++].count;
        for (; i < recount->pending_n && keys[i] == key; i++) count++;
        merged[n].key = key;
        merged[n++].count = count;
    }
    while (old < recount->sorted_n) merged[n++] = recount->sorted[old++];
    free(recount->sorted);
    struct key_count *fitted = (struct key_count *)realloc(merged, n * sizeof *merged);
    recount->sorted = fitted != NULL ? fitted : merged;
    recount->sorted_n = n;
    recount->pending_n = 0;
    return true;
}

/* Makes room for as many pending keys as there are distinct ones, so that merging costs a
 * bounded number of moves per key. */
static bool make_room(struct recount *recount)
{
    const size_t room = recount->sorted_n > PENDING_MIN ? recount->sorted_n : PENDING_MIN;
    if (room <= recount->pending_room) return true;
    free(recount->pending);
    free(recount->scratch);
    recount->pending = (uint64_t *)malloc(room * sizeof *recount->pending);
    recount->scratch = (uint64_t *)malloc(room * sizeof *recount->scratch);
    recount->pending_room = room;
    return (recount->pending != NULL && recount->scratch != NULL) || recount_fail(recount, "out of memory");
}

bool recount_add(struct recount *recount, uint64_t key)
{
    if (recount->pending_n == recount->pending_room && !(recount_finish(recount) && make_room(recount))) return false;
    recount->pending[recount->pending_n++] = key ^ recount->plan->sign;
    return true;
}

bool recount_add_bytes(struct recount *recount, const char *bytes, size_t length)
{
    return verify_strings_add(&recount->strings, bytes, length) || recount_fail(recount, "out of memory");
}

bool recount_begin(struct recount *recount, const struct verify_plan *plan, char *why, size_t why_bytes)
{
    memset(recount, 0, sizeof *recount);
    recount->plan = plan;
    recount->file = plan->files[0];
    recount->why = why;
    recount->why_bytes = why_bytes;
    return plan->store != NULL || make_room(recount);
}

void recount_release(struct recount *recount)
{
    free(recount->pending);
    free(recount->scratch);
    free(recount->sorted);
    verify_strings_release(&recount->strings);
}
