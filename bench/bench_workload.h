/* The benchmark's keys, values and queries, the same for the host and for CUDA.
 *
 * A key is a bijection (a Feistel network) of its preimage, so all keys differ and any bit
 * pattern may occur, 0 included. Key i of a table has the preimage 2i+1; keys that are never
 * stored have even preimages. So a key's bits alone tell whether it must be found, and with
 * which value: answers are verified without a second table. */
#ifndef ROOST_BENCH_WORKLOAD_H
#define ROOST_BENCH_WORKLOAD_H

#include <roost/roost.h>
#include <roost/mixed.h>

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __CUDACC__
#define BENCH_FN static __host__ __device__ __forceinline__
#else
#define BENCH_FN static inline
#endif

/* Fill of output bytes before a find; a value that is not found keeps it. */
#define BENCH_POISON 0xEE

/* Plain data, passed to kernels by value. */
struct workload {
    uint64_t seed;
    uint64_t keys;   /* keys stored: preimages 1, 3, ... 2 * keys - 1 */
    int key_bytes;   /* 4, or a multiple of 8 */
    int value_bytes; /* 0, 4, or a multiple of 8 */
    /* 4+4 bytes: key i is i + 1 and has the value 3 i + 5; absent keys are far above. */
    bool trace;
};

BENCH_FN uint64_t workload_pair_bytes(struct workload w, uint64_t n) { return n * (unsigned)(w.key_bytes + w.value_bytes); }

/* The answers of one find, and the state of the table that they must match. */
struct answers {
    const void *queries;
    const uint8_t *found;
    const void *values;
    uint64_t n;
    bool half_erased; /* the keys of odd index were erased */
    bool absent_keep; /* values of absent keys were kept, not set to 0 */
};

BENCH_FN uint64_t workload_mix(uint64_t x)
{
    x ^= x >> 31;
    x *= 0xD6E8FEB86659FD93u;
    x ^= x >> 29;
    x *= 0xA0761D6478BD642Fu;
    return x ^ (x >> 32);
}

/* The number of bits in half of a key's preimage. */
BENCH_FN int workload_half_bits(struct workload w) { return w.key_bytes == 4 ? 16 : 32; }

/* The Feistel network's round function; the caller keeps as many bits as a half has. */
BENCH_FN uint32_t workload_round(uint64_t seed, uint32_t half, int round)
{
    return (uint32_t)workload_mix(seed + half + ((uint64_t)(round + 1) << 40));
}

enum { TRACE_ABSENT = 1 << 30 };

BENCH_FN uint64_t workload_key(struct workload w, uint64_t preimage)
{
    if (w.trace) return (preimage >> 1) + (preimage & 1 ? 1 : TRACE_ABSENT);
    const int bits = workload_half_bits(w);
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
    if (w.trace) return key < TRACE_ABSENT ? 2 * (key - 1) + 1 : 2 * (key - TRACE_ABSENT);
    const int bits = workload_half_bits(w);
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
    if (w.trace) return 3 * (key - 1) + 5;
    uint64_t value = workload_mix(key ^ ~w.seed);
    return w.value_bytes >= 8 ? value : value >> 32;
}

/* Which keys are drawn: stored ones with a probability of hit_percent, else absent ones. Each is
 * drawn by Zipf's law with the exponent skew; 0 is uniform. */
struct drawing {
    uint64_t stream;
    int hit_percent;
    double skew;
};

/* An integral of 1 / x^skew, and its inverse. */
BENCH_FN double zipf_integral(double skew, double x) { return skew == 1 ? log(x) : (pow(x, 1 - skew) - 1) / (1 - skew); }
BENCH_FN double zipf_inverse(double skew, double area)
{
    return skew == 1 ? exp(area) : pow(1 + area * (1 - skew), 1 / (1 - skew));
}

/* A rank from 1 to n; rank k has a probability in proportion to 1 / k^skew. By
 * rejection-inversion (Hoermann, Derflinger, "Rejection-Inversion to Generate Variates from
 * Monotone Discrete Distributions", 1996). */
BENCH_FN uint64_t zipf_rank(double skew, uint64_t n, uint64_t random)
{
    const double low = zipf_integral(skew, 1.5) - 1, high = zipf_integral(skew, (double)n + 0.5);
    for (;; random = workload_mix(random + 1)) {
        const double area = high + (double)(random >> 11) * 0x1p-53 * (low - high), x = zipf_inverse(skew, area);
        const double rank = x < 1 ? 1 : x > (double)n ? (double)n : floor(x + 0.5);
        if (area >= zipf_integral(skew, rank + 0.5) - pow(rank, -skew)) return (uint64_t)rank;
    }
}

/* Query j. */
BENCH_FN uint64_t workload_query(struct workload w, struct drawing d, uint64_t j)
{
    const uint64_t random = workload_mix(w.seed ^ workload_mix((d.stream << 48) + j + 1));
    uint64_t index = (uint64_t)(((unsigned __int128)random * w.keys) >> 64);
    /* Scatters the keys of high ranks. */
    if (d.skew > 0) index = (zipf_rank(d.skew, w.keys, random) - 1) * 2654435761u % w.keys;
    const bool hit = (int)(workload_mix(random) % 100) < d.hit_percent;
    return workload_key(w, 2 * index + hit);
}

/* Batch `number` of n mixed items. The shares, in per cent, are of inserts of new keys, erases
 * of stored keys and finds that hit; the rest are finds that miss. n is at most the workload's
 * number of keys. */
struct mix {
    uint64_t number, n;
    int inserts, erases, hits;
    /* instead: inserts of one key, each with another value, alternating with its erases */
    bool one_key;
    /* Instead, if above 0: slices of this many items, a multiple of 2 * MIX_GROUP. MIX_GROUP
     * inserts alternate with as many finds of keys that the slice before inserted; those of the
     * first slice are absent. */
    uint64_t slice;
};

enum { MIX_GROUP = 32 };

struct mix_item {
    uint64_t key;
    uint8_t operation; /* roost_operation */
    uint8_t status;    /* required status; NONE: it depends on the other items */
};

/* Item j of slices, which insert the keys in the order of their indices. */
BENCH_FN struct mix_item slice_item_at(struct workload w, struct mix mix, uint64_t j)
{
    const uint64_t slice = j / mix.slice, at = j % mix.slice, half = mix.slice / 2;
    const uint64_t index = slice * half + at / (2 * MIX_GROUP) * MIX_GROUP + at % MIX_GROUP;
    const uint64_t earlier = (slice - 1) * half + workload_mix(w.seed ^ workload_mix((mix.number << 48) + j)) % half;
    struct mix_item item;
    if (at / MIX_GROUP % 2 == 0) {
        item.key = workload_stored_key(w, index);
        item.operation = ROOST_OP_ASSIGN;
        item.status = ROOST_ITEM_INSERTED;
    } else {
        item.key = slice ? workload_stored_key(w, earlier) : workload_key(w, 2 * index);
        item.operation = ROOST_OP_FIND;
        item.status = slice ? ROOST_ITEM_FOUND : ROOST_ITEM_ABSENT;
    }
    return item;
}

/* Item j of a mix; no key occurs twice. Stored and absent keys come in strides, so that not only
 * the keys stored first are taken. The stride is prime and above any number of keys. */
BENCH_FN struct mix_item mix_item_at(struct workload w, struct mix mix, uint64_t j)
{
    const uint64_t index = j * 2654435761u % w.keys;
    const int draw = (int)(workload_mix(w.seed ^ workload_mix((mix.number << 48) + ~j)) % 100);
    struct mix_item item;
    if (mix.slice) return slice_item_at(w, mix, j);
    if (mix.one_key) {
        item.key = workload_stored_key(w, w.keys);
        item.operation = j % 2 ? ROOST_OP_ERASE : ROOST_OP_ASSIGN;
        item.status = ROOST_ITEM_NONE;
    } else if (draw < mix.inserts) {
        item.key = workload_stored_key(w, w.keys + j);
        item.operation = ROOST_OP_ASSIGN;
        item.status = ROOST_ITEM_INSERTED;
    } else if (draw < mix.inserts + mix.erases) {
        item.key = workload_stored_key(w, index);
        item.operation = ROOST_OP_ERASE;
        item.status = ROOST_ITEM_ERASED;
    } else {
        const bool hit = draw < mix.inserts + mix.erases + mix.hits;
        item.key = workload_key(w, 2 * index + hit);
        item.operation = ROOST_OP_FIND;
        item.status = hit ? ROOST_ITEM_FOUND : ROOST_ITEM_ABSENT;
    }
    return item;
}

/* The i-th 4 bytes of an array, or the rest at its end, as a term of its checksum. */
BENCH_FN uint64_t checksum_term(const void *memory, uint64_t bytes, uint64_t i)
{
    const uint8_t *const at = (const uint8_t *)memory + 4 * i;
    uint64_t word = 0;
    for (uint64_t k = 0; k < 4 && 4 * i + k < bytes; k++) word |= (uint64_t)at[k] << (8 * k);
    return workload_mix(word ^ workload_mix(i + 1));
}

/* The arrays of a mixed batch. */
struct mix_arrays {
    uint8_t *operations, *statuses, *found; /* found: by finds of the same keys, after the batch */
    void *keys, *values, *answers;
};

/* Item i of an array; of a wide item its first 8 bytes. */
BENCH_FN uint64_t workload_load(const void *items, int bytes, uint64_t i)
{
    return bytes == 4 ? ((const uint32_t *)items)[i] : ((const uint64_t *)items)[i * (unsigned)(bytes / 8)];
}

/* The k-th 8 bytes of a wide item. */
BENCH_FN uint64_t workload_word(uint64_t item, int k) { return k ? workload_mix(item + (unsigned)k) : item; }

BENCH_FN void workload_store(void *items, int bytes, uint64_t i, uint64_t item)
{
    const int words = bytes / 8;
    if (bytes == 4) ((uint32_t *)items)[i] = (uint32_t)item;
    for (int k = 0; k < words; k++) ((uint64_t *)items)[i * (unsigned)words + (unsigned)k] = workload_word(item, k);
}

/* True if item i is this item as it was stored; without `wide`, if it repeats these 8 (or 4)
 * bytes. */
BENCH_FN bool workload_same(const void *items, int bytes, uint64_t i, uint64_t item, bool wide)
{
    const int words = bytes / 8;
    if (bytes == 4) return ((const uint32_t *)items)[i] == (uint32_t)item;
    for (int k = 0; k < words; k++)
        if (((const uint64_t *)items)[i * (unsigned)words + (unsigned)k] != (wide ? workload_word(item, k) : item)) return false;
    return true;
}

BENCH_FN void query_store(struct workload w, struct drawing d, uint64_t i, void *queries, void *values)
{
    const uint64_t key = workload_query(w, d, i);
    workload_store(queries, w.key_bytes, i, key);
    if (values) workload_store(values, w.value_bytes, i, workload_value(w, key));
}

BENCH_FN uint64_t workload_poison(struct workload w) { return w.value_bytes >= 8 ? 0xEEEEEEEEEEEEEEEEu : 0xEEEEEEEEu; }

BENCH_FN void mix_store(struct workload w, struct mix mix, uint64_t j, struct mix_arrays a)
{
    const struct mix_item item = mix_item_at(w, mix, j);
    workload_store(a.keys, w.key_bytes, j, item.key);
    workload_store(a.values, w.value_bytes, j, workload_value(w, item.key) + (mix.one_key ? j : 0));
    a.operations[j] = item.operation;
}

/* True if item j ended as it must. The answers are the batch's or, if `found` is given, those of
 * later finds of its keys: inserted keys are present, erased ones absent. */
BENCH_FN bool mix_right(struct workload w, struct mix mix, uint64_t j, struct mix_arrays a)
{
    const struct mix_item item = mix_item_at(w, mix, j);
    const bool here = item.status == ROOST_ITEM_FOUND || (a.found && item.status == ROOST_ITEM_INSERTED);
    if (a.found ? a.found[j] != here : a.statuses[j] != item.status) return false;
    /* A batch keeps the values of its other items. */
    const uint64_t absent = a.found ? 0 : workload_poison(w);
    return workload_same(a.answers, w.value_bytes, j, here ? workload_value(w, item.key) : absent, here);
}

/* True if answer j is the only right one: the found flag, and the value of a found key. The
 * value of an absent key is 0 or untouched. */
BENCH_FN bool workload_answer_right(struct workload w, struct answers a, uint64_t j)
{
    const uint64_t key = workload_load(a.queries, w.key_bytes, j);
    const uint64_t preimage = workload_preimage(w, key), index = preimage >> 1;
    const bool expected = (preimage & 1) && index < w.keys && !(a.half_erased && (index & 1));
    if (a.found[j] != (expected ? 1 : 0)) return false;
    if (w.value_bytes == 0) return true;
    const uint64_t value = expected ? workload_value(w, key) : a.absent_keep ? workload_poison(w) : 0;
    return workload_same(a.values, w.value_bytes, j, value, expected);
}

#endif
