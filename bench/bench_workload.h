/* The benchmark's keys, values and queries, the same for the host and for CUDA.
 *
 * A key is a bijection (a Feistel network) of its preimage, so all keys differ and any bit pattern may occur, 0 included.  Key i
 * of a table has the preimage 2i+1; keys that are never stored have even preimages.  Whoever sees a key can therefore tell from
 * its bits alone whether it must be found, and with which value: answers are verified without a second table.
 */
#ifndef ROOST_BENCH_WORKLOAD_H
#define ROOST_BENCH_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __CUDACC__
#define BENCH_FN static __host__ __device__ __forceinline__
#else
#define BENCH_FN static inline
#endif

#define BENCH_POISON 0xEE /* every output byte before a find; a value that is not found stays so */

/* Plain data, passed to kernels by value. */
struct workload {
    uint64_t seed;
    uint64_t keys;   /* keys stored: preimages 1, 3, ... 2 * keys - 1 */
    int key_bytes;   /* 4 or 8 */
    int value_bytes; /* 0, 4 or 8 */
};

/* What one call of find answered, and which state of the table it is to be held against. */
struct answers {
    const void *queries;
    const uint8_t *found;
    const void *values;
    uint64_t n;
    bool half_erased; /* the keys of odd index were erased */
};

BENCH_FN uint64_t workload_mix(uint64_t x)
{
    x ^= x >> 31;
    x *= 0xD6E8FEB86659FD93u;
    x ^= x >> 29;
    x *= 0xA0761D6478BD642Fu;
    return x ^ (x >> 32);
}

/* The Feistel network's round function; the caller keeps as many bits as a half has. */
BENCH_FN uint32_t workload_round(uint64_t seed, uint32_t half, int round)
{
    return (uint32_t)workload_mix(seed + half + ((uint64_t)(round + 1) << 40));
}

BENCH_FN uint64_t workload_key(struct workload w, uint64_t preimage)
{
    const int bits = w.key_bytes * 4;
    const uint32_t mask = (uint32_t)(((uint64_t)1 << bits) - 1);
    uint32_t left = (uint32_t)(preimage >> bits) & mask, right = (uint32_t)preimage & mask;
    for (int round = 0; round < 4; round++) {
        uint32_t next = left ^ (workload_round(w.seed, right, round) & mask);
        left = right;
        right = next;
    }
    return (uint64_t)left << bits | right;
}

/* The inverse of workload_key. */
BENCH_FN uint64_t workload_preimage(struct workload w, uint64_t key)
{
    const int bits = w.key_bytes * 4;
    const uint32_t mask = (uint32_t)(((uint64_t)1 << bits) - 1);
    uint32_t left = (uint32_t)(key >> bits) & mask, right = (uint32_t)key & mask;
    for (int round = 3; round >= 0; round--) {
        uint32_t previous = right ^ (workload_round(w.seed, left, round) & mask);
        right = left;
        left = previous;
    }
    return (uint64_t)left << bits | right;
}

BENCH_FN uint64_t workload_stored_key(struct workload w, uint64_t index) { return workload_key(w, 2 * index + 1); }

BENCH_FN uint64_t workload_value(struct workload w, uint64_t key)
{
    uint64_t value = workload_mix(key ^ ~w.seed);
    return w.value_bytes == 8 ? value : value >> 32;
}

/* Query j of a stream: uniform over the stored keys with a probability of hit_percent, else over as many absent ones. */
BENCH_FN uint64_t workload_query(struct workload w, uint64_t stream, int hit_percent, uint64_t j)
{
    uint64_t random = workload_mix(w.seed ^ workload_mix((stream << 48) + j + 1));
    uint64_t index = (uint64_t)(((unsigned __int128)random * w.keys) >> 64);
    bool hit = (int)(workload_mix(random) % 100) < hit_percent;
    return workload_key(w, 2 * index + hit);
}

BENCH_FN uint64_t workload_load(const void *items, int bytes, uint64_t i)
{
    return bytes == 8 ? ((const uint64_t *)items)[i] : ((const uint32_t *)items)[i];
}

BENCH_FN void workload_store(void *items, int bytes, uint64_t i, uint64_t item)
{
    if (bytes == 8) ((uint64_t *)items)[i] = item;
    else ((uint32_t *)items)[i] = (uint32_t)item;
}

/* Whether answer j is the only right one: the found flag, the value of a found key, the untouched value of an absent one. */
BENCH_FN bool workload_answer_right(struct workload w, struct answers a, uint64_t j)
{
    const uint64_t key = workload_load(a.queries, w.key_bytes, j);
    const uint64_t preimage = workload_preimage(w, key), index = preimage >> 1;
    const bool expected = (preimage & 1) && index < w.keys && !(a.half_erased && (index & 1));
    if (a.found[j] != (expected ? 1 : 0)) return false;
    if (w.value_bytes == 0) return true;
    const uint64_t poison = w.value_bytes == 8 ? 0xEEEEEEEEEEEEEEEEu : 0xEEEEEEEEu;
    return workload_load(a.values, w.value_bytes, j) == (expected ? workload_value(w, key) : poison);
}

#endif
