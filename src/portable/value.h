/* Values: how a new value is combined with a stored one (roost_mode x roost_type), and the atomic
 * update of a stored cell. */
#ifndef ROOST_PORTABLE_VALUE_H
#define ROOST_PORTABLE_VALUE_H

#include "portable/item.h"

ROOST_FN float value_f32(uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    float f;
    memcpy(&f, &low, sizeof f);
    return f;
}
ROOST_FN double value_f64(uint64_t bits)
{
    double f;
    memcpy(&f, &bits, sizeof f);
    return f;
}
ROOST_FN uint64_t bits_f32(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}
ROOST_FN uint64_t bits_f64(double f)
{
    uint64_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* A number that orders values as MIN and MAX do: the smaller (larger) one is the result.
 *
 * Flipping a float's bits orders all of its patterns: NaNs with a sign, numbers, NaNs without one;
 * -0.0 lies below 0.0.  MIN moves the NaNs with a sign behind the others, and MAX moves those
 * without one before the others, so that a NaN loses to every number.  NaNs are ordered too:
 * otherwise the result would depend on the order of arrival. */
ROOST_FN uint64_t value_rank(uint8_t type, const int mode, uint64_t bits)
{
    const uint64_t nans64 = (1ULL << 52) - 1, top64 = 1ULL << 63; /* NaNs of either sign */
    const uint32_t nans32 = (1u << 23) - 1, top32 = 1u << 31, low = (uint32_t)bits;
    const uint32_t flipped32 = low & top32 ? ~low : low | top32;
    const uint64_t flipped64 = bits & top64 ? ~bits : bits | top64;
    switch (type) {
    case ROOST_TYPE_I32: return low ^ top32;
    case ROOST_TYPE_I64: return bits ^ top64;
    case ROOST_TYPE_F32: return mode == ROOST_MIN ? flipped32 - nans32 : flipped32 + nans32;
    case ROOST_TYPE_F64: return mode == ROOST_MIN ? flipped64 - nans64 : flipped64 + nans64;
    default: return bits;
    }
}

/* Does a value replace the stored one by MIN or MAX? */
ROOST_FN bool value_wins(uint8_t type, const int mode, uint64_t stored, uint64_t value)
{
    const uint64_t a = value_rank(type, mode, value), b = value_rank(type, mode, stored);
    return mode == ROOST_MIN ? a < b : a > b;
}

ROOST_FN bool value_is_float(uint8_t type) { return type == ROOST_TYPE_F32 || type == ROOST_TYPE_F64; }

/* Combines two values for MIN, MAX and floating-point ADD; the other modes need not read the stored
 * value (cell_update). */
ROOST_FN uint64_t value_combine(const struct batch *b, const int mode, uint64_t stored, uint64_t value)
{
    if (mode == ROOST_MIN || mode == ROOST_MAX) return value_wins(b->value_type, mode, stored, value) ? value : stored;
    return b->value_type == ROOST_TYPE_F32 ? bits_f32(value_f32(stored) + value_f32(value))
                                           : bits_f64(value_f64(stored) + value_f64(value));
}

/* The new value of `bytes` for a stored one, in every mode except KEEP. */
ROOST_FN uint64_t value_next(const struct batch *b, const int mode, const int bytes, uint64_t stored, uint64_t value)
{
    const uint64_t top = bytes == 8 ? ~0ULL : 0xffffffffULL, sum = (stored + value) & top;
    if (mode == ROOST_ASSIGN) return value;
    if (mode != ROOST_ADD || value_is_float(b->value_type)) return value_combine(b, mode, stored, value);
    return b->saturate && sum < stored ? top : sum;
}

/* A value in memory: `bits` wide, at `shift` in a word of word_bytes.  A pair in one word has its
 * value in the high half. */
struct cell {
    void *word;
    int word_bytes, shift, bits;
};

ROOST_FN uint64_t cell_mask(const struct cell c) { return c.bits == 64 ? ~0ULL : ((1ULL << c.bits) - 1) << c.shift; }

ROOST_FN uint64_t cell_cas(const struct cell c, uint64_t expected, uint64_t desired)
{
    if (c.word_bytes == 8) return cas_relaxed_device64((uint64_t *)c.word, expected, desired);
    return cas_relaxed_device32((uint32_t *)c.word, (uint32_t)expected, (uint32_t)desired);
}

/* Integer ADD in one atomic, whatever the contention.
 *
 * Saturation, among ADDs alone: an add that overflows sets the value to all ones afterwards.  Adds
 * in between see a wrapped value and are lost in it.  That is correct: the or comes after the
 * overflow in the word's order, and an add after the last or overflows all ones itself and sets it
 * again.  But a find or another update in between would see a value that never existed
 * (cell_swap). */
ROOST_FN void cell_add(const struct batch *b, const struct cell c, uint64_t value)
{
    const uint64_t delta = value << c.shift;
    uint64_t old;
    if (c.word_bytes == 8) old = add_relaxed_device64((uint64_t *)c.word, delta);
    else old = add_relaxed_device32((uint32_t *)c.word, (uint32_t)delta);
    if (!b->saturate) return;
    const uint64_t before = (old & cell_mask(c)) >> c.shift, top = cell_mask(c) >> c.shift;
    if (value <= top - before) return;
    if (c.word_bytes == 8) or_relaxed_device64((uint64_t *)c.word, cell_mask(c));
    else or_relaxed_device32((uint32_t *)c.word, (uint32_t)cell_mask(c));
}

/* ASSIGN is a store: of several at once, one stays.  In the word layout it stores the key as well;
 * the key is the same, because a slot's key does not change while its value may be updated. */
ROOST_FN void cell_assign(const struct cell c, uint64_t key, uint64_t value)
{
    const uint64_t word = c.shift ? key | value << c.shift : value;
    if (c.word_bytes == 8) store_relaxed_device64((uint64_t *)c.word, word);
    else store_relaxed_device32((uint32_t *)c.word, (uint32_t)word);
}

/* Updates a value by a mode, also while others update it.  The compare-and-swap retries if another
 * update came between the load and the store; a plain store would lose that update.  Retries back
 * off, or most updates of a hot key would make each other fail. */
ROOST_FN void cell_swap(const struct batch *b, const int mode, const struct cell c, uint64_t value)
{
    for (uint32_t attempt = 0;; attempt++) {
        const uint64_t word =
            c.word_bytes == 8 ? load_relaxed_device64((const uint64_t *)c.word) : load_relaxed_device32((const uint32_t *)c.word);
        const uint64_t stored = (word & cell_mask(c)) >> c.shift, next = value_next(b, mode, c.bits / 8, stored, value);
        if (next == stored) return;
        if (cell_cas(c, word, (word & ~cell_mask(c)) | next << c.shift) == word) return;
        back_off(attempt);
    }
}

/* Updates a cell by one atomic, or by swaps where no atomic exists.  In mixed batches a saturating
 * sum uses swaps: a find would see it wrapped, and setting it to all ones would lose another
 * update. */
ROOST_FN void cell_update(const struct batch *b, const int mode, const struct cell c, uint64_t key, uint64_t value)
{
    if (mode == ROOST_KEEP || c.bits == 0) return;
    if (mode == ROOST_ASSIGN) cell_assign(c, key, value);
    else if (mode == ROOST_ADD && !value_is_float(b->value_type) && !(b->saturate && b->operations)) cell_add(b, c, value);
    else cell_swap(b, mode, c, value);
}

#endif
