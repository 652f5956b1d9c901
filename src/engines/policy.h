/* Functions that the engines' policies share, independent of the table's layout. */
#ifndef ROOST_ENGINES_POLICY_H
#define ROOST_ENGINES_POLICY_H

#include "engines/engine.h"
#include "portable/hash.h"

/* Table sizes (bytes) from which finds by region are faster, because random accesses of a GPU
 * become slow.  The reach of an H200's address translation ends between 85 and 96 GB.  And for
 * erases, which write where they have read. */
#define POLICY_FAR ((uint64_t)90 * 1000 * 1000 * 1000)
#define POLICY_ERASES_FAR ((uint64_t)64 * 1000 * 1000 * 1000)

/* True if erasing n of a table's `count` keys in region order is faster, in fks and stadium.
 * bytes: the memory that the erases may touch.  Erasing half of the keys visits each cache line
 * several times; region order keeps the line cached between visits (docs/fks.md,
 * docs/stadium.md). */
bool policy_erases_pay(uint64_t bytes, uint64_t n, uint64_t count);

/* Batches by region (batches_by_code.c): on, off, or where they are faster; and the help text of
 * the option, for engines that have such batches. */
enum by_region { BULK_AUTO, BULK_ON, BULK_OFF };
#define POLICY_BULK_TEXT                                                                                                           \
    "bulk=auto: order keys by region, so that each region stays in the cache: on, off; auto: on a GPU, from 2^22 keys, if finds "  \
    "read 90 GB or more (misses included) or erases 64 GB; fks and stadium also for erases of half the keys in 1 GB or more\n"

/* Finds the first of n shapes of the table's widths (0+0: of wide pairs) that is as the options
 * ask, and makes it the table's.  Returns its place in the list; -1: there is none, and the error's
 * text says so.  asking: the names of the options that ask. */
int policy_shape(struct engine_table *t, const struct shape *shapes, int n,
                 bool (*is_asked)(const struct engine_table *t, struct shape s), const char *asking);

/* Chooses a table's kernels for a shape.  operations[i] is the operation of choice i.  Its kernel
 * is the one that options ask for, in t->chosen[i], and in t->kernel at the choice's own operation.
 * others (n of them): operations with one kernel, of this shape or else of shape `any`.  Loads all
 * of them.  ROOST_ERR_UNSUPPORTED: a kernel that was asked for does not exist. */
roost_status policy_kernels(struct engine_table *t, int shape, const int *operations, int any, const int *others, int n);

/* Do no options ask for a kernel of choice i, by its name or for all operations? */
bool policy_unasked(const struct engine_table *t, int choice);

/* Refuses fill bounds that a table cannot hold whose steps change its size by up to a factor of 2;
 * any are right if it does not grow. */
roost_status policy_doubling_bounds(const struct engine_table *t);

/* The same for a table that cannot get fuller than `reach`.  Its upper bound becomes at most that,
 * and the lower one is then far enough below it. */
roost_status policy_reach_bounds(struct engine_table *t, double reach);

/* Is the fill of this many keys in this many slots up to its upper bound?  Is it below its lower
 * one? */
static inline bool policy_is_within(const struct engine_table *t, uint64_t keys, uint64_t slots)
{
    return (double)keys <= t->max_fill * (double)slots;
}
static inline bool policy_is_low(const struct engine_table *t, uint64_t keys, uint64_t slots)
{
    return (double)keys < t->min_fill * (double)slots;
}

/* May the call at hand reseed the table?  Not while a view or a captured graph uses it, nor after
 * an attempt that failed.  A table that is made for a reseeding has no call at hand. */
static inline bool policy_may_reseed(const struct engine_table *t)
{
    return t->reseeds_left && !t->ledger.captured && t->ledger.state != LEDGER_LENT;
}

/* Do items find no room although the table is so empty that random keys would have some?  Then the
 * table is to be reseeded, if it may be. */
bool policy_doubts(const struct engine_table *t);
/* The same where the fill is below a share of that. */
bool policy_doubts_below(const struct engine_table *t, double share);

/* May a table exchange its seed, which may be known, because it has fewer keys than it is made for
 * and no room for another one?  Among random keys chance leaves few out where a fixed table is made
 * nearly full, and makes none grow that may (0 of 25,000 tables of 100 to 14,336 keys).  So it may
 * once. */
bool policy_may_reseed_once(const struct engine_table *t);

/* Would one more step of growth make the slots more than four times those that are taken or that
 * waiting items need, and than the table had before the call?  This bounds the cost of keys that
 * collide under every seed. */
bool policy_at_bound(const struct engine_table *t, uint64_t waiting);

/* Is the table's fill above its upper bound, by its hooks `count` and `slots`? */
bool policy_over_full(const struct engine_table *t);

/* Grows by steps while the table is over full.  Refused memory is no failure: every item is stored,
 * and the table is fuller than asked. */
roost_status policy_grow(struct engine_table *t, bool (*over_full)(const struct engine_table *t),
                         roost_status (*step)(struct engine_table *t));

/* A step of growth by a table that moves elsewhere, or grows in place. */
struct growth {
    bool in_place;        /* the step takes only the new size, and 0.15 of that beside it */
    uint64_t now, wanted; /* sizes */
    uint64_t keys;        /* that the table is to have room for */
    uint64_t beside;      /* further bytes that the step needs */
    /* The bytes of a size that a memory limit counts; its slots. */
    uint64_t (*bytes_of)(const struct engine_table *t, uint64_t size);
    uint64_t (*slots_of)(const struct engine_table *t, uint64_t size);
};

/* The size that such a step leads to.  Under a memory limit both tables must fit in it.  So steps
 * lead by way of at most 1/3 of what the limit leaves for the table to at least 2/3, unless the
 * fill of seven eighths of the keys would be below its lower bound there, and the last one takes
 * what is left, however much is wanted.  If that is not more than `now`, returns `wanted`, which
 * will be refused.  In place each step leads to what is wanted, or takes what is left. */
uint64_t policy_growth_size(const struct engine_table *t, const struct growth *g);

/* Ends a growth step: counts it, or records that memory was refused.  Returns the status.  moved:
 * pairs that the step moved; forced: the fill is not the reason. */
roost_status policy_grown(struct engine_table *t, roost_status status, uint64_t moved, bool forced);

/* Shrinks by steps while the table would shrink.  After ROOST_ERR_MEMORY of a step the shrink is
 * put off. */
roost_status policy_shrink(struct engine_table *t, roost_status (*step)(struct engine_table *t));

/* Ends a shrink by rebuilding, which counts as `steps`.  Returns its status; ROOST_ERR_MEMORY
 * if it is not done, because some pair found no room. */
roost_status policy_shrunk(struct engine_table *t, roost_status status, bool done, uint64_t steps);

#endif
