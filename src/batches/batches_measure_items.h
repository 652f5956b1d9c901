/* What kernels do for a measurement (roost_measure): they write the pairs that are stored and the keys that are asked for, where the table
 * is, and look at the answers.  Everything follows from an item's number, so nothing has to be kept or copied. */
#ifndef ROOST_BATCHES_MEASURE_ITEMS_H
#define ROOST_BATCHES_MEASURE_ITEMS_H

#include "batches/batches_items.h"

enum { WORD_WRONG = 0 /* of args.words: how many answers are wrong */ };

/* Bijections of words of 32 and 64 bits whose rounds are not those of the tables' hash functions: an xorshift-multiply hash found by search
 * (Wellons, "lowbias32"), and the finaliser of SplitMix64. */
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

/* Keys 0 to n - 1 are stored, those from n on are not. */
ROOST_FN roost_key measure_key(const struct batches_args *a, uint64_t i)
{
    return measure_scrambled(i + a->measure.seed, a->batch.key_bytes);
}

ROOST_FN roost_value measure_value(const struct batches_args *a, uint64_t i) { return measure_scrambled(~i, a->batch.value_bytes); }

/* Is find i for a stored key?  Nothing overflows: i is below 2^31, hits at most 2^32. */
ROOST_FN bool measure_hits(const struct batches_args *a, uint64_t i)
{
    return ((i + 1) * a->measure.hits >> 32) > (i * a->measure.hits >> 32);
}

/* Whose key find i asks for.  Finds come in another order than inserts: the factor is a prime above all n. */
ROOST_FN uint64_t measure_asked(const struct batches_args *a, uint64_t i)
{
    const uint64_t other = i * 2654435761u % a->n;
    return measure_hits(a, i) ? other : a->n + other;
}

ROOST_FN void batches_pair(const struct batches_args *a, uint64_t i)
{
    const struct columns *c = &a->columns;
    store_width(a->batch.key_bytes, c->keys, i, measure_key(a, i));
    if (c->values_in) store_width(a->batch.value_bytes, c->values_in, i, measure_value(a, i));
}

ROOST_FN void batches_ask(const struct batches_args *a, uint64_t i)
{
    store_width(a->batch.key_bytes, a->columns.keys, i, measure_key(a, measure_asked(a, i)));
}

/* Counts the answers that are wrong; a find of an absent key has the value 0. */
ROOST_FN void batches_check(const struct batches_args *a, uint64_t i)
{
    const struct batch *b = &a->batch;
    const bool hit = measure_hits(a, i);
    bool right = b->found[i] == hit;
    if (b->values_out) right &= load_width(b->value_bytes, b->values_out, i) == (hit ? measure_value(a, measure_asked(a, i)) : 0);
    if (!right)
        (void)add_relaxed_device64(&a->words[WORD_WRONG], 1); /* lanes meet there; nobody reads it before the kernel's end */
}

#endif
