/* Sets of keys that somebody chose. */
#include "support/crafted_keys.h"

#include "portable/hash_bytes.h"
#include "portable/hash_seeds.h"
#include "support/draw.h"
#include "support/layouts.h"

#include <stdlib.h>
#include <string.h>

enum { SUBTABLES = 5, PAIRS_LOG = 5, TRIES_LOG = 26, WIDE_TRIES_LOG = 23 };

#define SHARED UINT64_C(0x5a5a5a5a5a5a5a5a)

bool crafted_is_narrow(const char *engine)
{
    return !strcmp(engine, "gph") || !strcmp(engine, "fks") || !strcmp(engine, "stadium") || !strcmp(engine, "compact");
}

/* ---- Hashes ---------------------------------------------------------------------------------- */

/* Hashes are words of 64 bits here; those of 4 bytes are their upper halves. */
static unsigned hash_bits(const struct crafted_set *set) { return set->narrow && set->key_bytes == 4 ? 32 : 64; }

/* Can the key of a hash be computed? */
static bool is_invertible(const struct crafted_set *set) { return set->key_bytes == 8 || hash_bits(set) == 32; }

static uint64_t hash_of(const struct crafted_set *set, const struct hash_seeds *seeds, uint64_t key)
{
    unsigned char bytes[ROOST_KEY_BYTES_MOST];
    if (set->key_bytes <= 8)
        return hash_bits(set) == 32 ? (uint64_t)hash_word32(seeds, (uint32_t)key) << 32 : hash_word64(seeds, key);
    pack_keys(&key, 1, set->key_bytes, bytes);
    return hash_sip(1, seeds->a[0], seeds->a[1], bytes, set->key_bytes);
}

static uint64_t key_of(const struct crafted_set *set, const struct hash_seeds *seeds, uint64_t hash)
{
    return hash_bits(set) == 32 ? hash_unword32(seeds, (uint32_t)(hash >> 32)) : hash_unword64(seeds, hash);
}

static uint64_t mask_of(unsigned bits) { return bits < 64 ? (UINT64_C(1) << bits) - 1 : ~UINT64_C(0); }
static uint64_t shifted(uint64_t word, unsigned by) { return by < 64 ? word << by : 0; }

/* The first n bits of a word, and the last n of those that a hash has. */
static uint64_t first_bits(uint64_t word, unsigned n) { return n ? word >> (64 - n) : 0; }
static uint64_t last_bits(uint64_t word, unsigned n, unsigned bits) { return word >> (64 - bits) & mask_of(n); }

static bool pair_fits(const struct hash_seeds *seeds, uint64_t hash)
{
    const uint32_t layer = hash_layer(seeds, hash);
    return range32(layer, SUBTABLES) == 1 && range32(layer * SUBTABLES, SUBTABLES - 1) == 2;
}

static bool hash_fits(const struct crafted_set *set, const struct hash_seeds *seeds, uint64_t hash)
{
    const unsigned bits = hash_bits(set);
    if (first_bits(shifted(hash, set->skip), set->top) != first_bits(SHARED, set->top)) return false;
    if (last_bits(hash, set->low, bits) != last_bits(SHARED, set->low, bits)) return false;
    if (set->pair && !pair_fits(seeds, hash)) return false;
    return !set->second || first_bits(hash_home(seeds, 0, hash, 1), set->second) == first_bits(SHARED, set->second);
}

/* Hash i of those that share the bits behind the first ones, and the last bits. */
static uint64_t hash_number(const struct crafted_set *set, uint64_t i)
{
    const unsigned bits = hash_bits(set), rest = bits - set->skip - set->top - set->low;
    /* different for different i, since the factor is odd */
    const uint64_t spread = i * UINT64_C(0x9e3779b97f4a7c15) & mask_of(rest + set->skip);
    const uint64_t hash = shifted(rest < 64 ? spread >> rest : 0, bits - set->skip);
    return shifted(hash | shifted(first_bits(SHARED, set->top), rest + set->low) | shifted(spread & mask_of(rest), set->low) |
                       last_bits(SHARED, set->low, bits),
                   64 - bits);
}

/* Where too few fit, random keys follow. */
static void hashes_collect(const struct crafted_set *set, uint64_t *keys, size_t n)
{
    const struct test_shape shape = {.key_bytes = set->key_bytes};
    struct hash_seeds seeds;
    hash_seeds_draw(&seeds, HASH_KEYED, set->seed);
    const bool inverts = is_invertible(set);
    const unsigned spread = hash_bits(set) - set->top - set->low,
                   tries = inverts && spread < TRIES_LOG + 1 ? spread : TRIES_LOG + 1;
    size_t found = 0;
    for (uint64_t i = 0; found < n && i >> tries == 0; i++) {
        const uint64_t hash = inverts ? hash_number(set, i) : hash_of(set, &seeds, i);
        if (hash_fits(set, &seeds, hash)) keys[found++] = inverts ? key_of(set, &seeds, hash) : i;
    }
    for (; found < n; found++) keys[found] = distinct_key(&shape, found);
}

/* ---- Numbers of keys ------------------------------------------------------------------------- */

static unsigned log2_above(uint64_t n)
{
    unsigned log = 0;
    while (log < 63 && UINT64_C(1) << log < n) log++;
    return log;
}

/* Takes from a number of shared bits what is above a bound. */
static void shorten(unsigned *bits, unsigned *over)
{
    const unsigned less = *bits < *over ? *bits : *over;
    *bits -= less;
    *over -= less;
}

static void shorten_all(struct crafted_set *set, unsigned over)
{
    if (set->pair && over) set->pair = false, over -= over < PAIRS_LOG ? over : PAIRS_LOG;
    shorten(&set->second, &over);
    shorten(&set->low, &over);
    shorten(&set->top, &over);
}

void crafted_fit(struct crafted_set *set, size_t n)
{
    const unsigned bits = set->key_bytes == 4 ? 32 : 64, tries = set->key_bytes > 8 ? WIDE_TRIES_LOG : TRIES_LOG;
    if (set->key_bytes > 8) set->second = 0, set->pair = false;
    if (set->low > bits) set->low = bits;
    /* one more bit than n keys need: numbers of random keys vary */
    const unsigned searched = set->second + (set->pair ? PAIRS_LOG : 0), shared = set->top + set->low;
    const unsigned need = log2_above(n) + 1 + searched, all = need + shared;
    const unsigned room = all > bits ? all - bits : 0, costs = is_invertible(set) ? need : all;
    const unsigned cost = costs > tries ? costs - tries : 0;
    shorten_all(set, room > cost ? room : cost);
    const unsigned rest = hash_bits(set) - set->top - set->low;
    if (set->skip > rest) set->skip = rest;
}

/* ---- Structure ------------------------------------------------------------------------------- */

static uint64_t bits_reversed(uint64_t x, unsigned bits)
{
    uint64_t y = 0;
    for (unsigned i = 0; i < bits; i++) y |= (x >> i & 1) << (bits - 1 - i);
    return y;
}

/* The next larger number with as many bits set, or the least with one bit more. */
static uint64_t sparse_next(uint64_t x, unsigned bits)
{
    const uint64_t all = mask_of(bits), least = x & (~x + 1), carried = x + least;
    const uint64_t next = carried | ((x ^ carried) >> 2) / least;
    if (carried > x && next <= all) return next;
    return (UINT64_C(2) << __builtin_popcountll(x)) - 1;
}

static uint64_t structured(const struct crafted_set *set, uint64_t i, uint64_t before, unsigned bits)
{
    const struct test_shape shape = {.key_bytes = set->key_bytes};
    switch (set->kind) {
    case CRAFTED_PROGRESSION: return (i << set->shift | (set->shift ? i >> (bits - set->shift) : 0)) & mask_of(bits);
    case CRAFTED_REVERSED: return bits_reversed(i, bits);
    case CRAFTED_SPARSE: return i ? sparse_next(before, bits) : 1;
    default: return distinct_key(&shape, i + 1);
    }
}

uint64_t *crafted_keys(const struct crafted_set *set, size_t n)
{
    const unsigned bits = set->key_bytes == 4 ? 32 : 64;
    uint64_t *keys = calloc(n + 1, sizeof *keys);
    if (!keys) abort();
    if (set->kind == CRAFTED_HASHES) hashes_collect(set, keys, n);
    else
        for (size_t i = 0; i < n; i++) keys[i] = structured(set, i, i ? keys[i - 1] : 0, bits);
    return keys;
}
