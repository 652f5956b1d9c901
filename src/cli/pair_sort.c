/* A radix sort from the highest digit down, in place: American flag sort (McIlroy, Bostic, McIlroy,
 * "Engineering Radix Sort", 1993).  The ranges of the first digit are shared by threads. */
#include "cli/pair_sort.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum {
    DIGIT_MOST = 11, /* bits of a digit: the places of its ranges fit a first cache */
    DIGIT_SHORT = 8, /* of few pairs, which leave most ranges of a longer one empty */
    DIGITS = 1 << DIGIT_MOST,
    FEW = 1 << 12,     /* pairs */
    SHORT = 24,        /* pairs that are sorted by insertion */
    AHEAD = 8,         /* pairs of a range that are loaded ahead */
    THREADS_MOST = 16, /* more of them wait for memory */
    ALONE = 1 << 16    /* pairs that are not worth a thread */
};

/* Bits low .. high - 1 of a key. */
struct digit {
    int low;
    unsigned mask;
};

/* The digit that ends at bit `high`, for n pairs. */
static struct digit digit_below(int high, size_t n)
{
    const int most = n < FEW ? DIGIT_SHORT : DIGIT_MOST, bits = high < most ? high : most;
    return (struct digit){high - bits, (1u << bits) - 1};
}

static unsigned digit_of(const struct digit digit, uint64_t key) { return (unsigned)(key >> digit.low) & digit.mask; }

static void sort_short(struct key_count *pairs, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const struct key_count pair = pairs[i];
        size_t at = i;
        for (; at > 0 && pairs[at - 1].key > pair.key; at--) pairs[at] = pairs[at - 1];
        pairs[at] = pair;
    }
}

/* Moves pairs to the ranges of their digits; end[d]: the end of that of digit d.  A pair in hand is
 * exchanged for the one in its place, until one belongs where the first pair was. */
static void permute(struct key_count *pairs, size_t n, const struct digit digit, size_t *end)
{
    size_t next[DIGITS], place = 0;
    for (unsigned d = 0; d <= digit.mask; d++) end[d] = 0;
    for (size_t i = 0; i < n; i++) end[digit_of(digit, pairs[i].key)]++;
    for (unsigned d = 0; d <= digit.mask; d++) {
        next[d] = place;
        end[d] = place += end[d];
    }
    for (unsigned d = 0; d <= digit.mask; d++) {
        while (next[d] < end[d]) {
            struct key_count pair = pairs[next[d]];
            for (unsigned to = digit_of(digit, pair.key); to != d; to = digit_of(digit, pair.key)) {
                const struct key_count other = pairs[next[to]];
                __builtin_prefetch(&pairs[next[to] + AHEAD], 1);
                pairs[next[to]++] = pair;
                pair = other;
            }
            pairs[next[d]++] = pair;
        }
    }
}

/* Sorts by the bits below `high`. */
static void sort_below(struct key_count *pairs, size_t n, int high)
{
    size_t end[DIGITS];
    if (n <= SHORT) sort_short(pairs, n);
    if (n <= SHORT || high == 0) return;
    const struct digit digit = digit_below(high, n);
    permute(pairs, n, digit, end);
    for (unsigned d = 0; d <= digit.mask; d++) {
        const size_t first = d > 0 ? end[d - 1] : 0;
        sort_below(pairs + first, end[d] - first, digit.low);
    }
}

/* ---- Threads --------------------------------------------------------------------------------- */

/* The ranges of the first digit, which wait for a thread. */
struct ranges {
    struct key_count *pairs;
    size_t end[DIGITS];
    struct digit digit;
    atomic_uint next;
};

static void *sort_ranges(void *context)
{
    struct ranges *ranges = (struct ranges *)context;
    for (unsigned d; (d = atomic_fetch_add(&ranges->next, 1)) <= ranges->digit.mask;) {
        const size_t first = d > 0 ? ranges->end[d - 1] : 0;
        sort_below(ranges->pairs + first, ranges->end[d] - first, ranges->digit.low);
    }
    return NULL;
}

/* The lowest bits of the keys, above which all keys are equal. */
static int differing_bits(const struct key_count *pairs, size_t n)
{
    uint64_t differing = 0;
    int bits = 0;
    for (size_t i = 1; i < n; i++) differing |= pairs[i].key ^ pairs[0].key;
    while (bits < 64 && differing >> bits != 0) bits++;
    return bits;
}

static void sort_unsigned(struct key_count *pairs, size_t n)
{
    pthread_t threads[THREADS_MOST];
    int begun = 0;
    const int high = differing_bits(pairs, n);
    if (n < ALONE) {
        sort_below(pairs, n, high);
        return;
    }
    struct ranges ranges = {.pairs = pairs, .digit = digit_below(high, n)};
    permute(pairs, n, ranges.digit, ranges.end);
    const long most = sysconf(_SC_NPROCESSORS_ONLN) - 1;
    while (begun < THREADS_MOST && begun < most && pthread_create(&threads[begun], NULL, sort_ranges, &ranges) == 0) begun++;
    (void)sort_ranges(&ranges);
    while (begun > 0) pthread_join(threads[--begun], NULL);
}

static void flip(struct key_count *pairs, size_t n, uint64_t sign)
{
    for (size_t i = 0; sign != 0 && i < n; i++) pairs[i].key ^= sign;
}

void pair_sort(struct key_count *pairs, size_t n, uint64_t sign)
{
    flip(pairs, n, sign);
    sort_unsigned(pairs, n);
    flip(pairs, n, sign);
}
