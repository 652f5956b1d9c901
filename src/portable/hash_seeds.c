/* Draws the constants of the hash functions from a table's seed (splitmix64, Steele et al.
 * 2014). */
#include "portable/hash_seeds.h"

#include <stdbool.h>

static uint64_t splitmix_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

/* Does the multiplier spread bits?  Of a random word half of the neighbouring bits differ; one in
 * which few do, such as a small number, is drawn again. */
static bool spreads(uint64_t x, int width)
{
    const uint64_t pairs = width == 64 ? ~0ULL >> 1 : (1ULL << (width - 1)) - 1;
    return __builtin_popcountll((x ^ x >> 1) & pairs) >= width * 3 / 8;
}

/* An odd multiplier of `width` bits. */
static uint64_t multiplier_draw(uint64_t *state, int width)
{
    uint64_t x;
    do x = (splitmix_next(state) >> (64 - width)) | 1;
    while (!spreads(x, width));
    return x;
}

/* The multipliers of KEYED are drawn; those of MIX are known to everybody. */
static void multipliers_draw(struct hash_seeds *seeds, uint64_t *state)
{
    static const uint64_t mix64_times[2] = {ROOST_MIX64_TIMES};
    static const uint32_t mix32_times[2] = {ROOST_MIX32_TIMES};
    for (int i = 0; i < 2; i++) {
        const bool keyed = seeds->family == HASH_KEYED;
        seeds->times64[i] = keyed ? multiplier_draw(state, 64) : mix64_times[i];
        seeds->times32[i] = keyed ? (uint32_t)multiplier_draw(state, 32) : mix32_times[i];
        seeds->back64[i] = inverse64(seeds->times64[i]);
        seeds->back32[i] = (uint32_t)inverse64(seeds->times32[i]);
    }
}

void hash_seeds_draw(struct hash_seeds *seeds, enum hash_family family, uint64_t seed)
{
    uint64_t state = seed;
    seeds->family = family;
    for (int i = 0; i < HASH_CHAIN; i++) {
        seeds->a[i] = splitmix_next(&state);
        seeds->b[i] = splitmix_next(&state);
        if (family != HASH_UNIVERSAL) continue;
        /* A multiplier of 0 would send every key to one place. */
        seeds->a[i] = 1 + seeds->a[i] % (ROOST_PRIME61 - 1);
        seeds->b[i] %= ROOST_PRIME61;
    }
    multipliers_draw(seeds, &state);
}
