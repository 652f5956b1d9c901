/* Hash functions of keys of 4 and 8 bytes, seeded.
 *
 *   KEYED       a bijection of words of 64 bits, or of 32: xor with a secret word, then two rounds
 *               of multiplication and xorshift, as MurmurHash3's finalisers have them, but with
 *               secret odd multipliers.  Two keys never have the same 64-bit hash.  The last
 *               multiplication makes the top bits universal: two keys, whatever they are, share the
 *               top l bits for at most 2 of 2^l multipliers (Dietzfelbinger, Hagerup, Katajainen,
 *               Penttonen, "A Reliable Randomized Algorithm for the Closest-Pair Problem", 1997).
 *   MIX         the same with MurmurHash3's multipliers.  Whoever knows its seed can invert it;
 *               and sets of keys that collide more than others might be found without the seed.
 *   UNIVERSAL   the paper's family (DyCuckoo section 4.1), h(k) = (a k + b) mod p with p = 2^61 -
 *               1, a prime larger than every 4-byte key.
 *   SUMMED      GPH's (section 7.1), H(k1, ..., kn) = H0(H1(k1) + ... + Hn(kn)), each Hi
 *               MurmurHash3's 32-bit finaliser with a seed of its own; the engine composes it
 *               (engines/gph/gph_items.h).
 *
 * All but the last give a chain of 64-bit hashes: one for layer 1 (which subtables) and one for
 * each home of the key. */
#ifndef ROOST_PORTABLE_HASH_H
#define ROOST_PORTABLE_HASH_H

#include "portable/bits.h"

enum hash_family { HASH_KEYED, HASH_MIX, HASH_UNIVERSAL, HASH_SUMMED };
enum { HASH_CHAIN = 9 }; /* layer 1, and up to eight homes */

struct hash_seeds {
    uint64_t a[HASH_CHAIN]; /* KEYED and MIX use a[0] alone */
    uint64_t b[HASH_CHAIN];
    uint64_t times64[2], back64[2]; /* multipliers of 64 bits, and their inverses */
    uint32_t times32[2], back32[2]; /* of 32 bits */
    uint32_t family;
};

#define ROOST_PRIME61 0x1fffffffffffffffULL

/* MurmurHash3's 64-bit finaliser, and its 32-bit one. */
#define ROOST_MIX64_TIMES 0xff51afd7ed558ccdULL, 0xc4ceb9fe1a85ec53ULL
#define ROOST_MIX32_TIMES 0x85ebca6bu, 0xc2b2ae35u

ROOST_FN uint64_t mix64(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdULL;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ULL;
    return x ^ (x >> 33);
}

/* MurmurHash3's 32-bit finaliser without its last step, for callers that use only the top half. */
ROOST_FN uint32_t fmix32_top(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x85ebca6bu;
    x ^= x >> 13;
    return x * 0xc2b2ae35u;
}

ROOST_FN uint32_t fmix32(uint32_t x)
{
    x = fmix32_top(x);
    return x ^ (x >> 16);
}

/* A word's hash of its own width, by KEYED or MIX. */
ROOST_FN uint64_t hash_word64(const struct hash_seeds *s, uint64_t key)
{
    uint64_t x = key ^ s->a[0];
    x = (x ^ x >> 33) * s->times64[0];
    x = (x ^ x >> 33) * s->times64[1];
    return x ^ x >> 33;
}

ROOST_FN uint32_t hash_word32(const struct hash_seeds *s, uint32_t key)
{
    uint32_t x = key ^ (uint32_t)s->a[0];
    x = (x ^ x >> 16) * s->times32[0];
    x = (x ^ x >> 13) * s->times32[1];
    return x ^ x >> 16;
}

/* The word that has this hash. */
ROOST_FN uint64_t hash_unword64(const struct hash_seeds *s, uint64_t hash)
{
    uint64_t x = (hash ^ hash >> 33) * s->back64[1];
    x = (x ^ x >> 33) * s->back64[0];
    return x ^ x >> 33 ^ s->a[0];
}

ROOST_FN uint32_t hash_unword32(const struct hash_seeds *s, uint32_t hash)
{
    uint32_t x = (hash ^ hash >> 16) * s->back32[1];
    x = (x ^ x >> 13 ^ x >> 26) * s->back32[0];
    return x ^ x >> 16 ^ (uint32_t)s->a[0];
}

/* (a k + b) mod (2^61 - 1) in the top 61 bits of the result; a, b < 2^61, k < 2^32. */
ROOST_FN uint64_t universal61(uint64_t a, uint64_t b, uint64_t k)
{
    const uint64_t low = a * k, high = multiply_high64(a, k);
    /* At most 2^61 + 2^32 + 2^61: fits. */
    uint64_t x = (low & ROOST_PRIME61) + ((high << 3) | (low >> 61)) + b;
    x = (x & ROOST_PRIME61) + (x >> 61);
    if (x >= ROOST_PRIME61) x -= ROOST_PRIME61;
    return x << 3;
}

/* The first hash of a key: layer 1 draws the subtables from its low 32 bits after hash_layer. */
ROOST_FN uint64_t hash_first(const struct hash_seeds *s, uint64_t key)
{
    return s->family == HASH_UNIVERSAL ? universal61(s->a[0], s->b[0], key) : hash_word64(s, key);
}

/* 32 bits for layer 1, from the first hash. */
ROOST_FN uint32_t hash_layer(const struct hash_seeds *s, uint64_t first)
{
    if (s->family == HASH_UNIVERSAL) return (uint32_t)(first >> 32);
    return (uint32_t)((first ^ (first >> 32)) * 0x9e3779b97f4a7c15ULL >> 8);
}

/* The hash of home `home` (0, 1, ...), from the previous one (for home 0, the first hash). */
ROOST_FN uint64_t hash_home(const struct hash_seeds *s, uint64_t key, uint64_t previous, int home)
{
    if (s->family == HASH_UNIVERSAL) return universal61(s->a[home + 1], s->b[home + 1], key);
    if (home == 0) return previous;
    const uint64_t x = (previous ^ (previous >> 32)) * 0x9fb21c651e98df25ULL;
    return x ^ (x >> 28);
}

#endif
