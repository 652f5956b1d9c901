/* The hash functions of keys, both families, against plain 128-bit arithmetic, and the
 * properties that the engines rely on.  No two keys have one 64-bit MIX hash.  Doubling a range
 * splits it.  Seeds change which keys collide.  Layer 1 and the homes are spread evenly.  For
 * byte strings: SipHash-2-4 has its authors' vectors, and every bit and the length affect the
 * hash, wherever the bytes lie. */
#include "engines/dycuckoo/dycuckoo_items.h"
#include "portable/hash_bytes.h"
#include "portable/hash_seeds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SAMPLES = 200000, CELLS = 64 };

/* Special numbers first, then scattered ones. */
static uint64_t sample(uint32_t i)
{
    static const uint64_t telling[] = {
        0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000ULL, ROOST_PRIME61 - 1, ROOST_PRIME61, ~0ULL};
    const uint32_t n = sizeof telling / sizeof telling[0];
    return i < n ? telling[i] : mix64((i + 1) * 0x9e3779b97f4a7c15ULL);
}

static struct hash_seeds seeds_of(enum hash_family family, uint64_t seed)
{
    struct hash_seeds seeds;
    hash_seeds_draw(&seeds, family, seed);
    return seeds;
}

/* ---- Arithmetic ----------------------------------------------------------------------------- */

static void universal_is_ak_plus_b_mod_p(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < SAMPLES; i++) {
        const uint64_t a = sample(i) % ROOST_PRIME61, b = sample(i / 3 + 5) % ROOST_PRIME61, k = sample(i * 7 + 1) & 0xffffffffu;
        const unsigned __int128 exact = ((unsigned __int128)a * k + b) % ROOST_PRIME61;
        assert_true(universal61(a, b, k) == (uint64_t)exact << 3);
    }
    /* the largest of each */
    const unsigned __int128 top = ((unsigned __int128)(ROOST_PRIME61 - 1) * 0xffffffffu + (ROOST_PRIME61 - 1)) % ROOST_PRIME61;
    assert_true(universal61(ROOST_PRIME61 - 1, ROOST_PRIME61 - 1, 0xffffffffu) == (uint64_t)top << 3);
}

static void ranges_are_products(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < SAMPLES; i++) {
        const uint64_t hash = sample(i);
        const uint32_t n = i % 2 ? 1 + i : (uint32_t)sample(i + 1) | 1u;
        assert_true(range64(hash, n) == (uint32_t)(((unsigned __int128)hash * n) >> 64));
        assert_true(range32((uint32_t)hash, n) == (uint32_t)(((uint64_t)(uint32_t)hash * n) >> 32));
        assert_true(range64(hash, n) < n && range32((uint32_t)hash, n) < n);
    }
}

/* Growth relies on this: bucket i's keys go to 2i and 2i + 1. */
static void doubling_a_range_splits_it(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < SAMPLES; i++) {
        const uint64_t hash = sample(i);
        const uint32_t n = 1 + (uint32_t)(sample(i + 2) >> (34 + i % 30));
        assert_true(range64(hash, 2 * n) / 2 == range64(hash, n));
    }
}

/* ---- Collisions ----------------------------------------------------------------------------- */

static uint64_t unshift(uint64_t x, int by)
{
    uint64_t y = x;
    for (int known = by; known < 64; known += by) y = x ^ (y >> by);
    return y;
}

/* A function with an inverse is a bijection, and so is the chain of the homes. */
static void words_are_mapped_one_to_one(void **state)
{
    const struct hash_seeds families[] = {seeds_of(HASH_MIX, 42), seeds_of(HASH_KEYED, 42), seeds_of(HASH_KEYED, 0)};
    (void)state;
    for (uint32_t i = 0; i < 3 * SAMPLES; i++) {
        const struct hash_seeds seeds = families[i % 3];
        const uint64_t key = sample(i), first = hash_first(&seeds, key), home = hash_home(&seeds, key, first, 1);
        assert_true(hash_unword64(&seeds, first) == key);
        assert_true(hash_unword32(&seeds, hash_word32(&seeds, (uint32_t)key)) == (uint32_t)key);
        assert_true(hash_home(&seeds, key, first, 0) == first);
        const uint64_t x = unshift(home, 28) * inverse64(0x9fb21c651e98df25ULL);
        assert_true(unshift(x, 32) == first);
    }
}

static int compare64(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void sequential_keys_do_not_collide(void **state)
{
    uint64_t *hashes = (uint64_t *)malloc(SAMPLES * sizeof *hashes);
    (void)state;
    assert_non_null(hashes);
    for (int family = HASH_KEYED; family <= HASH_UNIVERSAL; family++) {
        const struct hash_seeds seeds = seeds_of((enum hash_family)family, 7);
        for (uint32_t i = 0; i < SAMPLES; i++) hashes[i] = hash_first(&seeds, i);
        qsort(hashes, SAMPLES, sizeof *hashes, compare64);
        for (uint32_t i = 1; i < SAMPLES; i++) assert_true(hashes[i - 1] != hashes[i]);
    }
    free(hashes);
}

/* Pairs of keys that share a bucket under one seed share one under another only by chance. */
static void seeds_change_who_collides(void **state)
{
    const uint32_t buckets = 1024;
    (void)state;
    for (int family = HASH_KEYED; family <= HASH_UNIVERSAL; family++) {
        const struct hash_seeds one = seeds_of((enum hash_family)family, 1), two = seeds_of((enum hash_family)family, 2);
        uint32_t shared = 0, again = 0;
        for (uint32_t a = 0; a < 4000; a++)
            for (uint32_t b = a + 1; b < 4000 && b < a + 200; b++) {
                if (range64(hash_first(&one, a), buckets) != range64(hash_first(&one, b), buckets)) continue;
                shared++;
                again += range64(hash_first(&two, a), buckets) == range64(hash_first(&two, b), buckets);
            }
        assert_true(again < 20 && again <= shared / 10 + 5); /* shared / 1024 are expected */
    }
}

/* ---- Distribution --------------------------------------------------------------------------- */

/* Chi-square of counts over n equally likely cells; its mean is n - 1 and its variance 2 (n -
 * 1). */
static double chi_square(const uint32_t *counts, uint32_t n, double total)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += (counts[i] - total / n) * (counts[i] - total / n) / (total / n);
    return sum;
}

/* The limit is nine standard deviations above the mean.  Seeds are fixed, so there are no chance
 * failures. */
static void assert_even(const uint32_t *counts, uint32_t n, double total)
{
    assert_true(chi_square(counts, n, total) < n + 9.0 * __builtin_sqrt(2.0 * n));
}

typedef uint32_t cell_of_key(const struct hash_seeds *seeds, uint64_t key);

static uint32_t cell_of_home0(const struct hash_seeds *s, uint64_t key)
{
    return range64(hash_home(s, key, hash_first(s, key), 0), CELLS);
}
static uint32_t cell_of_home1(const struct hash_seeds *s, uint64_t key)
{
    const uint64_t first = hash_first(s, key);
    return range64(hash_home(s, key, hash_home(s, key, first, 0), 1), CELLS);
}
static uint32_t cell_of_layer(const struct hash_seeds *s, uint64_t key)
{
    return range32(hash_layer(s, hash_first(s, key)), CELLS);
}
/* Eighths of layer 1 by eighths of a home: independent of each other. */
static uint32_t cell_of_layer_and_home(const struct hash_seeds *s, uint64_t key)
{
    return cell_of_layer(s, key) / 8 * 8 + cell_of_home0(s, key) / 8;
}
static uint32_t cell_of_both_homes(const struct hash_seeds *s, uint64_t key)
{
    return cell_of_home0(s, key) / 8 * 8 + cell_of_home1(s, key) / 8;
}

static void hashes_are_spread_evenly(void **state)
{
    static cell_of_key *const cells[] = {cell_of_home0, cell_of_home1, cell_of_layer, cell_of_layer_and_home, cell_of_both_homes};
    (void)state;
    for (int family = HASH_KEYED; family <= HASH_UNIVERSAL; family++)
        for (size_t c = 0; c < sizeof cells / sizeof cells[0]; c++)
            for (uint64_t seed = 0; seed < 4; seed++) {
                const struct hash_seeds seeds = seeds_of((enum hash_family)family, seed);
                uint32_t counts[CELLS] = {0};
                for (uint32_t i = 0; i < SAMPLES; i++) counts[cells[c](&seeds, sample(i) & 0xffffffffu)]++;
                assert_even(counts, CELLS, SAMPLES);
            }
}

/* Every ordered pair of different subtables, and the coin within each pair: halves of the rest
 * of the hash. */
static void pairs_and_coins_are_even(void **state)
{
    (void)state;
    for (int family = HASH_KEYED; family <= HASH_UNIVERSAL; family++)
        for (uint32_t d = 2; d <= MAX_SUBTABLES; d++) {
            const struct hash_seeds seeds = seeds_of((enum hash_family)family, d);
            struct dycuckoo_view view = {.subtables = d};
            uint32_t counts[MAX_SUBTABLES * (MAX_SUBTABLES - 1) * 2] = {0};
            for (uint32_t i = 0; i < SAMPLES; i++) {
                uint32_t first, second, coin;
                layer_pair(&view, hash_layer(&seeds, hash_first(&seeds, sample(i) & 0xffffffffu)), &first, &second, &coin);
                assert_true(first < d && second < d && first != second);
                counts[(first * (d - 1) + second - (second > first)) * 2 + range32(coin, 2)]++;
            }
            assert_even(counts, d * (d - 1) * 2, SAMPLES);
        }
}

static void seeds_are_in_range(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        const struct hash_seeds seeds = seeds_of(HASH_UNIVERSAL, seed);
        for (int i = 0; i < HASH_CHAIN; i++)
            assert_true(seeds.a[i] > 0 && seeds.a[i] < ROOST_PRIME61 && seeds.b[i] < ROOST_PRIME61);
    }
}

/* ---- Byte strings --------------------------------------------------------------------------- */

/* Entry i: the hash of the bytes 0, 1, ... i - 1 under the key 00 01 .. 0f.  The vector of 15
 * bytes is the paper's, the others are its authors'. */
static const uint64_t sip_vectors[] = {0x726fdb47dd0e0e31ULL, 0x74f839c593dc67fdULL, 0x0d6c8009d9a94f5aULL, 0x85676696d7fb7e2dULL,
                                       0xcf2794e0277187b7ULL, 0x18765564cd99a68dULL, 0xcbc9466e58fee3ceULL, 0xab0200f58b01d137ULL,
                                       0x93f5f5799a932462ULL, 0x9e0082df0ba9e4b0ULL, 0x7a5dbbc594ddb9f3ULL, 0xf4b32f46226bada7ULL,
                                       0x751e8fbc860ee5fbULL, 0x14ea5627c0843d90ULL, 0xf723ca908e7af2eeULL, 0xa129ca6149be45e5ULL,
                                       0x3f2acc7f57c29bdbULL, 0x699ae9f52cbe4794ULL};
enum { SIP_VECTORS = sizeof sip_vectors / sizeof *sip_vectors, LONGEST = 63, SKEWS = 16 };
static const uint64_t sip_vector_longest = 0x958a324ceb064572ULL;

static uint64_t sip(const unsigned char *bytes, uint32_t n)
{
    return hash_sip(2, 0x0706050403020100ULL, 0x0f0e0d0c0b0a0908ULL, bytes, n);
}

static uint64_t fold(const unsigned char *bytes, uint32_t n) { return hash_fold(42, bytes, n); }

static void sip_has_its_vectors(void **state)
{
    unsigned char bytes[SKEWS + LONGEST];
    (void)state;
    for (uint32_t skew = 0; skew < SKEWS; skew++) {
        for (uint32_t i = 0; i < LONGEST; i++) bytes[skew + i] = (unsigned char)i;
        for (uint32_t n = 0; n < SIP_VECTORS; n++) assert_true(sip(bytes + skew, n) == sip_vectors[n]);
        assert_true(sip(bytes + skew, LONGEST) == sip_vector_longest);
    }
}

/* Each flipped bit and each further byte changes the hash.  The address of the bytes and the
 * bytes behind them do not. */
static void every_bit_counts(uint64_t (*hash)(const unsigned char *bytes, uint32_t n))
{
    enum { MOST = 2 + 8 * LONGEST };
    uint64_t hashes[MOST];
    for (uint32_t n = 0; n <= LONGEST; n++) {
        unsigned char bytes[SKEWS + LONGEST + 1] = {0};
        uint32_t count = 0;
        for (uint32_t i = 0; i < n; i++) bytes[i] = (unsigned char)sample(i + n);
        hashes[count++] = hash(bytes, n);
        hashes[count++] = hash(bytes, n + 1); /* one more zero */
        for (uint32_t bit = 0; bit < 8 * n; bit++) {
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
            hashes[count++] = hash(bytes, n);
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        }
        for (uint32_t skew = 1; skew < SKEWS; skew++) {
            memmove(bytes + skew, bytes + skew - 1, n);
            bytes[skew - 1] = bytes[skew + n] = 0xff;
            assert_true(hash(bytes + skew, n) == hashes[0]);
        }
        qsort(hashes, count, sizeof *hashes, compare64);
        for (uint32_t i = 1; i < count; i++) assert_true(hashes[i] != hashes[i - 1]);
    }
}

static void every_bit_of_a_string_counts(void **state)
{
    (void)state;
    every_bit_counts(sip);
    every_bit_counts(fold);
}

/* Strings of zeros, of one byte, and numbers as text do not collide in 64 bits.  Both the upper
 * and the lower bits fill cells evenly. */
static void strings_are_spread_evenly(void **state)
{
    static uint64_t hashes[SAMPLES];
    static const unsigned char zeros[1000];
    char text[32];
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        uint32_t high[CELLS] = {0}, low[CELLS] = {0}, n = 0;
        for (; n < 1000; n++) hashes[n] = kind ? sip(zeros, n) : fold(zeros, n);
        for (; n < SAMPLES; n++) {
            const uint32_t bytes = (uint32_t)snprintf(text, sizeof text, "key %u", n);
            hashes[n] = kind ? sip((unsigned char *)text, bytes) : fold((unsigned char *)text, bytes);
            high[hashes[n] >> 58]++;
            low[hashes[n] % CELLS]++;
        }
        assert_even(high, CELLS, SAMPLES - 1000);
        assert_even(low, CELLS, SAMPLES - 1000);
        qsort(hashes, SAMPLES, sizeof *hashes, compare64);
        for (uint32_t i = 1; i < SAMPLES; i++) assert_true(hashes[i] != hashes[i - 1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(universal_is_ak_plus_b_mod_p),
        cmocka_unit_test(ranges_are_products),
        cmocka_unit_test(doubling_a_range_splits_it),
        cmocka_unit_test(words_are_mapped_one_to_one),
        cmocka_unit_test(sequential_keys_do_not_collide),
        cmocka_unit_test(seeds_change_who_collides),
        cmocka_unit_test(hashes_are_spread_evenly),
        cmocka_unit_test(pairs_and_coins_are_even),
        cmocka_unit_test(seeds_are_in_range),
        cmocka_unit_test(sip_has_its_vectors),
        cmocka_unit_test(every_bit_of_a_string_counts),
        cmocka_unit_test(strings_are_spread_evenly),
    };
    return cmocka_run_group_tests_name("hash", tests, NULL, NULL) ? EXIT_FAILURE : EXIT_SUCCESS;
}
