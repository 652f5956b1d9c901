/* compact's arithmetic: a key's hash, its two homes, and the way back from a home to the key.
 *
 * A key of w bits (32 or 64) has a hash h of w bits by a keyed bijection.  Its bucket among n is
 * the high word of the product h n,
 *
 *      b = floor(h n / 2^w),   low = h n mod 2^w,   r = floor(low / n)
 *
 * and its remainder r counts the hashes of the bucket before it.  Hashes of bucket b are those with
 * b 2^w <= h n < (b + 1) 2^w.  The first one is ceil(b 2^w / n).  For it low < n, and each next one
 * adds n to low: so low / n, rounded down, is the number of hashes before h, and
 *
 *      h = ceil(b 2^w / n) + r.
 *
 * So (b, r) gives the key back.  low < 2^w, therefore r <= floor((2^w - 1) / n).  b never falls as
 * h rises, at any n.
 *
 * The division by n is a multiplication:
 *   w = 32   times = ceil(2^64 / n), for n >= 2.  low times / 2^64 is above low / n by at most
 *            low / 2^64 < 2^-32, and low / n is at least 1 / n > 2^-32 below the next whole number:
 *            the high word of the product is exact.
 *   w = 64   times = floor((2^64 - 1) / n), at most 1 below 2^64 / n.  So low times / 2^64 is below
 *            low / n by less than 1: the high word is floor(low / n) or one less, and one
 *            comparison corrects it.
 *
 * The second home is the place of a second hash, a bijection of the first one.
 *
 * test_compact_place compares all this with divisions: exhaustively at w = 16 (whose path is that
 * of 32), and with the inverse at 32 and 64. */
#ifndef ROOST_COMPACT_PLACE_H
#define ROOST_COMPACT_PLACE_H

#include "portable/bits.h"
#include "portable/hash.h"

/* n buckets, at least 2, and the multiplier that divides by n. */
struct compact_range {
    uint64_t times;
    uint32_t buckets;
};

static inline struct compact_range compact_range_of(int bits, uint32_t n)
{
    const uint64_t whole = ~0ULL / n;
    const struct compact_range range = {bits == 64 ? whole : whole + 1, n};
    return range;
}

/* The largest remainder of a hash in one of n buckets. */
static inline uint64_t compact_remainder_most(int bits, uint32_t n) { return (bits == 64 ? ~0ULL : (1ULL << bits) - 1) / n; }

struct compact_place {
    uint64_t remainder;
    uint32_t bucket;
};

ROOST_FN struct compact_place compact_place_of(const int bits, const struct compact_range *range, uint64_t hash)
{
    struct compact_place p;
    if (bits < 64) {
        const uint64_t product = hash * range->buckets, low = product & ((1ULL << (bits & 63)) - 1);
        p.bucket = (uint32_t)(product >> (bits & 63));
        p.remainder = multiply_high64(low, range->times);
    } else {
        const uint64_t low = hash * range->buckets, quotient = multiply_high64(low, range->times);
        p.bucket = (uint32_t)multiply_high64(hash, range->buckets);
        p.remainder = quotient + (low - quotient * range->buckets >= range->buckets);
    }
    return p;
}

/* The first hash of a bucket, ceil(bucket 2^bits / n), by the same multiplier.  For w = 32 the high
 * word is the quotient rounded down, or one more.  For w = 64, with 2^64 = times n + rest, it is
 * bucket times + bucket rest / n, where rest <= n: the product is below 2^64, and its high word is
 * the last quotient or one less. */
ROOST_FN uint64_t compact_first_hash(const int bits, const struct compact_range *range, uint32_t bucket)
{
    const uint64_t n = range->buckets;
    if (bits < 64) {
        const uint64_t product = (uint64_t)bucket << (bits & 63), high = multiply_high64(product, range->times);
        const uint64_t quotient = high - (high * n > product);
        return quotient + (quotient * n != product);
    }
    const uint64_t product = bucket * (0 - range->times * n), high = multiply_high64(product, range->times);
    const uint64_t quotient = high + (product - high * n >= n);
    return bucket * range->times + quotient + (quotient * n != product);
}

ROOST_FN uint64_t compact_hash_at(const int bits, const struct compact_range *range, const struct compact_place p)
{
    return compact_first_hash(bits, range, p.bucket) + p.remainder;
}

/* A key's first hash, and the key that has it. */
ROOST_FN uint64_t compact_hash(const int bits, const struct hash_seeds *seeds, uint64_t key)
{
    return bits == 64 ? hash_word64(seeds, key) : hash_word32(seeds, (uint32_t)key);
}
ROOST_FN uint64_t compact_unhash(const int bits, const struct hash_seeds *seeds, uint64_t hash)
{
    return bits == 64 ? hash_unword64(seeds, hash) : hash_unword32(seeds, (uint32_t)hash);
}

/* Odd multipliers, and their inverses modulo 2^64 and 2^32. */
#define COMPACT_TIMES64 0x9fb21c651e98df25ULL
#define COMPACT_BACK64 0x02ab9c720d1024adULL
#define COMPACT_TIMES32 0x9e3779b1u
#define COMPACT_BACK32 0x0e8b2f51u

/* A key's second hash, from the first one; and back. */
ROOST_FN uint64_t compact_second(const int bits, uint64_t hash)
{
    const uint32_t low = (uint32_t)hash, y = (low ^ low >> 16) * COMPACT_TIMES32;
    const uint64_t x = (hash ^ hash >> 32) * COMPACT_TIMES64;
    return bits == 64 ? x ^ x >> 32 : y ^ y >> 16;
}
ROOST_FN uint64_t compact_first(const int bits, uint64_t second)
{
    const uint32_t low = (uint32_t)second, y = (low ^ low >> 16) * COMPACT_BACK32;
    const uint64_t x = (second ^ second >> 32) * COMPACT_BACK64;
    return bits == 64 ? x ^ x >> 32 : y ^ y >> 16;
}

#endif
