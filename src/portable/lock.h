/* Bucket locks: one bit each, 32 to a word, so that the locks of 2^26 buckets fit the GPU's second-level cache. */
#ifndef ROOST_PORTABLE_LOCK_H
#define ROOST_PORTABLE_LOCK_H

#include "portable/atomic.h"
#include "portable/tile.h"

/* Tries once.  Acquire: what the previous holder wrote in the bucket must be seen by who holds it now; with a relaxed or, a slot
 * that the previous holder filled could look vacant and be overwritten. */
ROOST_FN bool lock_try(uint32_t *locks, uint32_t index)
{
    const uint32_t bit = 1u << (index & 31u);
    return (or_acquire_device32(locks + (index >> 5), bit) & bit) == 0;
}

/* Release: the bucket's new contents must be visible before the lock looks free. */
ROOST_FN void lock_release(uint32_t *locks, uint32_t index) { and_release_device32(locks + (index >> 5), ~(1u << (index & 31u))); }

#endif
