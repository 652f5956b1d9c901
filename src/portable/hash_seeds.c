/* Draws the constants of the hash functions from a table's seed (splitmix64, Steele et al.
 * 2014). */
#include "portable/hash_seeds.h"

static uint64_t splitmix_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
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
}
