/* Verbs that are weakened in one way each.  tests/mutants/sites.py writes them into a copy of
 * the item operations, beside the original verbs.  The program chooses the active one when it
 * starts (ROOST_MUTANT=NUMBER; 0: none), so that one build serves all mutants.  All are made of
 * the scheduled machine's own verbs, and other lanes may run between two of them. */
#ifndef ROOST_TESTS_MUTANT_H
#define ROOST_TESTS_MUTANT_H

#include "portable/atomic.h"

enum { MUTANTS_MOST = 1 << 14 };
enum mutant_inner { MUTANT_INNER_NONE, MUTANT_INNER_torn, MUTANT_INNER_split };

extern int mutant_number;
extern bool mutant_reached[MUTANTS_MOST];
extern enum mutant_inner mutant_inner;

/* The active mutant is passed once more.  Ends the program if that repeats without end while no
 * lane reaches a point: such a loop is beyond the scheduled machine's budget of points. */
void mutant_passed(void);

/* True if this mutant is active.  Marks it as reached in any case. */
static inline bool mutant_is(int number)
{
    mutant_reached[number] = true;
    if (number != mutant_number) return false;
    mutant_passed();
    return true;
}

/* A caller of a wrapper weakens the next verb in it: the wrapper's verb takes the setting.  No
 * lane runs in between. */
static inline void mutant_inner_set(enum mutant_inner manner) { mutant_inner = manner; }
static inline bool mutant_inner_is(enum mutant_inner manner)
{
    if (mutant_inner != manner) return false;
    mutant_inner = MUTANT_INNER_NONE;
    return true;
}

/* ---- Words -----------------------------------------------------------------------------------
 *
 *   torn   as if the machine accessed half words: other accesses may come between the two
 *   split  a load, and a plain store of what follows from it
 *   blind  ignores failure */

#define MUTANT_VERBS(bits, half)                                                                                                   \
    static inline uint##bits##_t mutant_load_torn##bits(const uint##bits##_t *p)                                                   \
    {                                                                                                                              \
        const uint##bits##_t low = load_relaxed_device##bits(p) & half;                                                            \
        return low | (load_relaxed_device##bits(p) & ~half);                                                                       \
    }                                                                                                                              \
    static inline void mutant_store_half##bits(uint##bits##_t *p, uint##bits##_t v, uint##bits##_t mask)                           \
    {                                                                                                                              \
        uint##bits##_t seen = load_relaxed_device##bits(p), before;                                                                \
        while ((before = cas_relaxed_device##bits(p, seen, (seen & ~mask) | (v & mask))) != seen) seen = before;                   \
    }                                                                                                                              \
    static inline void mutant_store_torn##bits(uint##bits##_t *p, uint##bits##_t v)                                                \
    {                                                                                                                              \
        mutant_store_half##bits(p, v, half);                                                                                       \
        mutant_store_half##bits(p, v, ~half);                                                                                      \
    }                                                                                                                              \
    static inline uint##bits##_t mutant_cas_split##bits(uint##bits##_t *p, uint##bits##_t expected, uint##bits##_t desired)        \
    {                                                                                                                              \
        const uint##bits##_t seen = load_relaxed_device##bits(p);                                                                  \
        if (seen == expected) store_relaxed_device##bits(p, desired);                                                              \
        return seen;                                                                                                               \
    }                                                                                                                              \
    static inline uint##bits##_t mutant_cas_blind##bits(uint##bits##_t *p, uint##bits##_t expected, uint##bits##_t desired)        \
    {                                                                                                                              \
        (void)cas_relaxed_device##bits(p, expected, desired);                                                                      \
        return expected;                                                                                                           \
    }                                                                                                                              \
    static inline uint##bits##_t mutant_add_split##bits(uint##bits##_t *p, uint##bits##_t v)                                       \
    {                                                                                                                              \
        const uint##bits##_t seen = load_relaxed_device##bits(p);                                                                  \
        store_relaxed_device##bits(p, seen + v);                                                                                   \
        return seen;                                                                                                               \
    }                                                                                                                              \
    static inline uint##bits##_t mutant_max_split##bits(uint##bits##_t *p, uint##bits##_t v)                                       \
    {                                                                                                                              \
        const uint##bits##_t seen = load_relaxed_device##bits(p);                                                                  \
        if (seen < v) store_relaxed_device##bits(p, v);                                                                            \
        return seen;                                                                                                               \
    }                                                                                                                              \
    static inline uint##bits##_t mutant_or_split##bits(uint##bits##_t *p, uint##bits##_t v)                                        \
    {                                                                                                                              \
        const uint##bits##_t seen = load_relaxed_device##bits(p);                                                                  \
        store_relaxed_device##bits(p, seen | v);                                                                                   \
        return seen;                                                                                                               \
    }                                                                                                                              \
    static inline void mutant_load_vector_torn##bits(const int phase, const uint##bits##_t *p, uint64_t *out)                      \
    {                                                                                                                              \
        for (int i = 0; i < 128 / bits; i++) out[i] = phase != CONCURRENT ? p[i] : mutant_load_torn##bits(p + i);                  \
    }
MUTANT_VERBS(32, 0xffffu)
MUTANT_VERBS(64, 0xffffffffull)
#undef MUTANT_VERBS

static inline uint32_t mutant_and_split32(uint32_t *p, uint32_t v)
{
    const uint32_t seen = load_relaxed_device32(p);
    store_relaxed_device32(p, seen & v);
    return seen;
}

#define MUTANT_EXCHANGE(bits)                                                                                                      \
    static inline uint##bits##_t mutant_exchange_split##bits(uint##bits##_t *p, uint##bits##_t v)                                  \
    {                                                                                                                              \
        const uint##bits##_t seen = load_relaxed_device##bits(p);                                                                  \
        store_relaxed_device##bits(p, v);                                                                                          \
        return seen;                                                                                                               \
    }
MUTANT_EXCHANGE(32)
MUTANT_EXCHANGE(64)
#undef MUTANT_EXCHANGE
static inline uint32_t mutant_add_after_split32(uint32_t *p, uint32_t v, uint32_t after)
{
    return (void)after, mutant_add_split32(p, v);
}

static inline uint64_t mutant_take_place_split64(uint64_t *p) { return mutant_add_split64(p, 1); }
static inline uint64_t mutant_take_places_split64(uint64_t *p, uint64_t n) { return mutant_add_split64(p, n); }

/* ---- 16 bytes ------------------------------------------------------------------------------- */

static inline void mutant_load_torn128(const uint64_t *p, uint64_t *v)
{
    uint64_t low[2];
    load_relaxed_device128(p, low);
    load_relaxed_device128(p, v);
    v[0] = low[0];
}

static inline void mutant_cas_split128(uint64_t *p, const uint64_t *expected, const uint64_t *desired, uint64_t *seen)
{
    uint64_t now[2], before[2];
    load_relaxed_device128(p, seen);
    if (seen[0] != expected[0] || seen[1] != expected[1]) return;
    load_relaxed_device128(p, now);
    for (;; now[0] = before[0], now[1] = before[1]) { /* a store, over any value */
        cas_relaxed_device128(p, now, desired, before);
        if (before[0] == now[0] && before[1] == now[1]) return;
    }
}

static inline void mutant_cas_blind128(uint64_t *p, const uint64_t *expected, const uint64_t *desired, uint64_t *seen)
{
    cas_relaxed_device128(p, expected, desired, seen);
    seen[0] = expected[0], seen[1] = expected[1];
}

/* ---- Orders ----------------------------------------------------------------------------------
 *
 * The ordered verbs without their orders. */

#define MUTANT_VERBS(bits)                                                                                                         \
    static inline uint##bits##_t mutant_load_relaxed##bits(const uint##bits##_t *p) { return load_relaxed_device##bits(p); }       \
    static inline uint##bits##_t mutant_cas_relaxed##bits(uint##bits##_t *p, uint##bits##_t expected, uint##bits##_t desired)      \
    {                                                                                                                              \
        return cas_relaxed_device##bits(p, expected, desired);                                                                     \
    }                                                                                                                              \
    static inline void mutant_add_relaxed##bits(uint##bits##_t *p, uint##bits##_t v) { (void)add_relaxed_device##bits(p, v); }     \
    static inline uint##bits##_t mutant_or_relaxed##bits(uint##bits##_t *p, uint##bits##_t v)                                      \
    {                                                                                                                              \
        return or_relaxed_device##bits(p, v);                                                                                      \
    }                                                                                                                              \
    static inline uint##bits##_t mutant_and_relaxed##bits(uint##bits##_t *p, uint##bits##_t v)                                     \
    {                                                                                                                              \
        uint##bits##_t seen = load_relaxed_device##bits(p), before;                                                                \
        while ((before = cas_relaxed_device##bits(p, seen, seen & v)) != seen) seen = before;                                      \
        return seen;                                                                                                               \
    }
MUTANT_VERBS(32)
MUTANT_VERBS(64)
static inline uint32_t mutant_add_after_relaxed32(uint32_t *p, uint32_t v, uint32_t after)
{
    return (void)after, add_relaxed_device32(p, v);
}
#undef MUTANT_VERBS

/* ---- Locks ---------------------------------------------------------------------------------- */

/* Takes the bits for this lane even if another lane holds them.  That lane keeps them, too, and
 * may give them back. */
static inline uint32_t mutant_take_bits_blind32(uint32_t *p, uint32_t bits)
{
    uint32_t seen;
    while ((seen = take_bits_relaxed_device32(p, bits)) & bits) (void)mutant_and_relaxed32(p, ~bits);
    return seen;
}

/* Reads whether the bits are free before it takes them. */
static inline uint32_t mutant_take_bits_split32(uint32_t *p, uint32_t bits)
{
    const uint32_t seen = load_relaxed_device32(p);
    return seen & bits ? seen : mutant_take_bits_blind32(p, bits);
}

/* Undoes what others did to the word in between. */
static inline uint32_t mutant_keep_bits_split32(uint32_t *p, uint32_t bits)
{
    const uint32_t seen = load_relaxed_device32(p);
    (void)keep_bits_relaxed_device32(p, bits);
    store_relaxed_device32(p, seen & bits);
    return seen;
}

static inline uint32_t mutant_keep_bits_dropped32(const uint32_t *p, uint32_t bits)
{
    (void)bits;
    return load_relaxed_device32(p);
}

static inline bool mutant_lock_blind(uint32_t *locks, uint32_t index)
{
    (void)mutant_take_bits_blind32(locks + (index >> 5), 1u << (index & 31u));
    return true;
}

#endif
