/* Linear counting (Whang, Vander-Zanden, Taylor, "A Linear-Time Probabilistic Counting Algorithm
 * for Database Applications", 1990).  Each key of a batch sets a bit of a map; the share of bits
 * that stay unset gives the number of distinct keys. */
#ifndef ROOST_PORTABLE_LINEAR_COUNTING_H
#define ROOST_PORTABLE_LINEAR_COUNTING_H

#include "portable/hash.h"
#include "portable/item.h"

struct linear_counting {
    uint32_t *map;
    uint32_t bits;
    int key_bytes;
    uint64_t seed;
};

/* Sets a bit; returns 1 if it was not set.  The or tells which of several lanes set it first, so
 * each bit is counted once.  The load before it keeps lanes with a hot key from queueing for its
 * word. */
ROOST_FN uint32_t linear_counting_set(uint32_t *map, uint32_t bit)
{
    uint32_t *word = map + (bit >> 5);
    const uint32_t mask = 1u << (bit & 31u);
    if (load_relaxed_device32(word) & mask) return 0;
    return (or_relaxed_device32(word, mask) & mask) == 0;
}

/* The identity of a key of 4 or 8 bytes: its bits. */
ROOST_FN uint64_t linear_counting_key(const struct linear_counting *c, const void *view, const struct batch *b, uint64_t index)
{
    (void)view;
    return load_width(c->key_bytes, b->keys, index);
}

/* Draws an item's bit by a mix, whatever the table's hash family: a family may spread consecutive
 * keys evenly, and then too few of their bits would coincide. */
ROOST_FN void linear_counting_begin(const struct linear_counting *c, uint64_t key, uint64_t index, struct item *item)
{
    item->value = range64(mix64(key ^ c->seed), c->bits);
    item->index = index;
    item->status = ROOST_ITEM_NONE;
    prefetch_read(c->map + (item->value >> 5));
}

/* An engine's operation `estimate`.  Its view has a `transfer_of` with a member `estimate`.
 * key_of: a function as linear_counting_key. */
#define ROOST_LINEAR_COUNTING(engine, key_of)                                                                                      \
    ROOST_FN void engine##_estimate_begin(const struct shape unused, const void *view, const struct batch *b, uint64_t index,      \
                                          struct item *item)                                                                       \
    {                                                                                                                              \
        (void)unused;                                                                                                              \
        const struct linear_counting *const c = &transfer_of(view)->estimate;                                                      \
        linear_counting_begin(c, key_of(c, view, b, index), index, item);                                                          \
    }                                                                                                                              \
    ROOST_FN enum step engine##_estimate_step(const struct shape unused, const tile g, const void *view, const struct batch *b,    \
                                              struct item *item, struct tally *tally, void *scratch)                               \
    {                                                                                                                              \
        (void)unused, (void)g, (void)b, (void)scratch;                                                                             \
        tally->distinct += linear_counting_set(transfer_of(view)->estimate.map, (uint32_t)item->value);                            \
        return STEP_DONE;                                                                                                          \
    }                                                                                                                              \
    ROOST_FN void engine##_estimate_end(const struct shape unused, const struct batch *b, const struct item *item)                 \
    {                                                                                                                              \
        (void)unused, (void)b, (void)item;                                                                                         \
    }

#endif
