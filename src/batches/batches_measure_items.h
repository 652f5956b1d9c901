/* Kernel bodies of roost_measure: they write the pairs to store and the keys to find, where the
 * table is, and check the answers.  Everything derives from an item's number, so nothing is kept
 * or copied. */
#ifndef ROOST_BATCHES_MEASURE_ITEMS_H
#define ROOST_BATCHES_MEASURE_ITEMS_H

#include "batches/batches_items.h"
#include "portable/bytes.h"

enum { WORD_WRONG = 0 /* in args.words: number of wrong answers */ };

/* Bijections of words of 32 and 64 bits, with other rounds than the tables' hash functions: an
 * xorshift-multiply hash found by search (Wellons, "lowbias32"), and the finaliser of
 * SplitMix64. */
ROOST_FN uint64_t measure_scrambled(uint64_t i, int bytes)
{
    if (bytes == 4) {
        uint32_t x = (uint32_t)i;
        x = (x ^ x >> 16) * 0x7feb352du;
        x = (x ^ x >> 15) * 0x846ca68bu;
        return x ^ x >> 16;
    }
    i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9u;
    i = (i ^ i >> 27) * 0x94d049bb133111ebu;
    return i ^ i >> 31;
}

/* Bytes `at` to at + 7 of the `bytes` bytes that a number is scrambled to.  The first 8 bytes,
 * or the first 4 of fewer, are the bijection. */
ROOST_FN uint64_t measure_word(uint64_t number, uint32_t at, uint32_t bytes)
{
    if (bytes >= 8) return measure_scrambled(number + at, 8);
    return measure_scrambled(number, 4) | (bytes > 4 ? measure_scrambled(number + 1, 8) << 32 : 0);
}

ROOST_FN void measure_store(uint32_t bytes, void *array, uint64_t place, uint64_t number)
{
    unsigned char *const to = (unsigned char *)array + place * bytes;
    for (uint32_t at = 0; at < bytes; at += 8) bytes_put(to + at, bytes - at, measure_word(number, at, bytes));
}

ROOST_FN bool measure_stored(uint32_t bytes, const void *array, uint64_t place, uint64_t number)
{
    const unsigned char *const from = (const unsigned char *)array + place * bytes;
    for (uint32_t at = 0; at < bytes; at += 8) {
        const uint32_t left = bytes - at;
        const uint64_t mask = left < 8 ? (1ULL << 8 * left) - 1 : ~0ULL;
        if (bytes_word(from + at, left) != (measure_word(number, at, bytes) & mask)) return false;
    }
    return true;
}

ROOST_FN bool measure_zero(uint32_t bytes, const void *array, uint64_t place)
{
    const unsigned char *const from = (const unsigned char *)array + place * bytes;
    for (uint32_t at = 0; at < bytes; at += 8)
        if (bytes_word(from + at, bytes - at)) return false;
    return true;
}

/* The numbers from which keys and values derive.  Keys 0 to n - 1 are stored, those from n on
 * are not. */
ROOST_FN uint64_t measure_key(const struct batches_args *a, uint64_t i) { return i + a->measure.seed; }
ROOST_FN uint64_t measure_value(uint64_t i) { return ~i; }

/* Is find i for a stored key?  No overflow: i is below 2^31, hits is at most 2^32. */
ROOST_FN bool measure_hits(const struct batches_args *a, uint64_t i)
{
    return ((i + 1) * a->measure.hits >> 32) > (i * a->measure.hits >> 32);
}

/* The number of the key of find i.  Finds come in another order than inserts: the factor is a
 * prime above every n. */
ROOST_FN uint64_t measure_asked(const struct batches_args *a, uint64_t i)
{
    const uint64_t other = i * 2654435761u % a->n;
    return measure_hits(a, i) ? other : a->n + other;
}

ROOST_FN void batches_pair(const struct batches_args *a, uint64_t i)
{
    const struct columns *c = &a->columns;
    measure_store(a->batch.key_bytes, c->keys, i, measure_key(a, i));
    if (c->values_in) measure_store(a->batch.value_bytes, c->values_in, i, measure_value(i));
}

ROOST_FN void batches_ask(const struct batches_args *a, uint64_t i)
{
    measure_store(a->batch.key_bytes, a->columns.keys, i, measure_key(a, measure_asked(a, i)));
}

/* Counts wrong answers.  The value of an absent key must be 0.  Lanes collide at the counter,
 * which is read only after the kernel. */
ROOST_FN void batches_check(const struct batches_args *a, uint64_t i)
{
    const struct batch *b = &a->batch;
    const bool hit = measure_hits(a, i);
    bool right = b->found[i] == hit;
    if (b->values_out)
        right &= hit ? measure_stored(b->value_bytes, b->values_out, i, measure_value(measure_asked(a, i)))
                     : measure_zero(b->value_bytes, b->values_out, i);
    if (!right) (void)add_relaxed_device64(&a->words[WORD_WRONG], 1);
}

#endif
