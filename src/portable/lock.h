/* Bucket locks: one bit each, 32 to a word, so that the locks of 2^26 buckets fit the GPU's
 * second-level cache.
 *
 * Locks are taken and given back with relaxed bit operations; one fence orders a whole set of them.
 *
 * After a lane takes a set, fence_acquire_device: the new holder must see what the previous holders
 * wrote.  Without it a slot that a holder filled could look vacant and be overwritten.  Before a
 * lane gives a set back, fence_release_device: the new contents must be visible before a lock looks
 * free.
 *
 * A lane that reads a bucket without its lock calls lock_held, between two acquire fences, to know
 * that it saw complete contents.  For that, the writer's fence after taking the lock is
 * fence_acquire_release_device: a lane that sees the new contents must not see the lock as it was
 * before. */
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

/* Is a lock taken at this moment? */
ROOST_FN bool lock_held(const uint32_t *locks, uint32_t index)
{
    return load_relaxed_device32(locks + (index >> 5)) >> (index & 31u) & 1u;
}

#endif
