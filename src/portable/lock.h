/* Bucket locks: one bit each, 32 to a word, so that the locks of 2^26 buckets fit the GPU's second-level cache.
 *
 * The bits are taken and given relaxed; one fence orders a whole set of them.  After a set is taken, fence_acquire_device: what the
 * previous holders wrote must be seen by who holds the locks now; without it a slot that a holder filled could look vacant and be
 * overwritten.  Before a set is given back, fence_release_device: the new contents must be visible before a lock looks free.
 *
 * Who reads a bucket without its lock and wants to know that what it saw is complete asks lock_held, after an acquire fence and before
 * another one.  For that the writer's fence after taking the lock is fence_acquire_release_device: who sees the new contents must not
 * see the lock as it was before it was taken. */
#ifndef ROOST_PORTABLE_LOCK_H
#define ROOST_PORTABLE_LOCK_H

#include "portable/atomic.h"

/* Tries once. */
ROOST_FN bool lock_try(uint32_t *locks, uint32_t index)
{
    const uint32_t bit = 1u << (index & 31u);
    return (take_bits_relaxed_device32(locks + (index >> 5), bit) & bit) == 0;
}

ROOST_FN void lock_give(uint32_t *locks, uint32_t index)
{
    (void)keep_bits_relaxed_device32(locks + (index >> 5), ~(1u << (index & 31u)));
}

/* Is a lock taken just now? */
ROOST_FN bool lock_held(const uint32_t *locks, uint32_t index)
{
    return load_relaxed_device32(locks + (index >> 5)) >> (index & 31u) & 1u;
}

#endif
