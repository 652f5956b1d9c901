/* Linear counting (Whang, Vander-Zanden, Taylor, "A Linear-Time Probabilistic Counting Algorithm for Database Applications", 1990): each key
 * of a batch sets a bit of a map, and the share of bits that stay unset tells how many distinct keys there were. */
#ifndef ROOST_PORTABLE_LINEAR_COUNTING_H
#define ROOST_PORTABLE_LINEAR_COUNTING_H

#include "portable/atomic.h"
#include "portable/hash.h"

/* A key's bit, drawn by a mix whatever the hash family: keys in a row must not miss each other. */
ROOST_FN uint32_t linear_counting_bit(const struct hash_seeds *seeds, uint64_t key, uint32_t bits)
{
    return range64(mix64(key ^ seeds->a[0]), bits);
}

/* Sets a bit; 1 if it was not set.  The or tells which of several lanes set it first, so each bit is counted once; the look before it keeps
 * a hot key from queueing for its word. */
ROOST_FN uint32_t linear_counting_set(uint32_t *map, uint32_t bit)
{
    uint32_t *word = map + (bit >> 5);
    const uint32_t mask = 1u << (bit & 31u);
    if (load_relaxed_device32(word) & mask) return 0;
    return (or_relaxed_device32(word, mask) & mask) == 0;
}

#endif
