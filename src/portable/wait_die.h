/* Locks taken by wait-die (Rosenkrantz, Stearns, Lewis, "System Level Concurrency Control for
 * Distributed Database Systems", 1978).
 *
 * A lock is a word that holds its holder's stamp, and 0 while it is free; the smaller stamp is the
 * older one.  A tile that meets an older holder dies: it gives all its locks back, and retries with
 * the same stamp.  A tile that meets a younger holder waits, but not for ever (WAIT_LOOKS).  So no
 * circle of tiles waits, and the oldest of all dies only because its looks are used up.
 *
 * Tiles of one warp that run a loop together leave it together: those that have finished wait
 * behind the loop for the last one.  So a tile that dies in a loop in which others wait gives its
 * locks back inside the loop.  Behind the loop, it would wait for tiles that wait for its locks
 * until their looks are used up and they die, too: together, again and again.  A tile that gets a
 * lock in the loop delays those that want it in the same way, but once: they retry when it has
 * finished.  For a lock that many tiles want, the tile uses the lock inside the loop, and gives it
 * back there.
 *
 * Locks are taken and given back relaxed; fences order a whole set of them, as those of
 * portable/lock.h. */
#ifndef ROOST_PORTABLE_WAIT_DIE_H
#define ROOST_PORTABLE_WAIT_DIE_H

#include "portable/atomic.h"

/* Looks at a lock whose holder is younger; then the waiting tile dies as well, so that every step
 * ends. */
enum { WAIT_LOOKS = 64 };

enum stamp_lock {
    STAMP_TAKEN,   /* the lock is now this stamp's */
    STAMP_OWN,     /* the lock was this stamp's already */
    STAMP_YOUNGER, /* a younger stamp holds it: wait */
    STAMP_OLDER    /* an older stamp holds it: die */
};

/* One look at a lock.  The compare-and-swap gives a free lock to only one of the tiles that see it
 * free. */
ROOST_FN enum stamp_lock stamp_lock_try(uint32_t *lock, uint32_t stamp)
{
    const uint32_t holder = cas_relaxed_device32(lock, 0, stamp);
    if (holder == 0) return STAMP_TAKEN;
    if (holder == stamp) return STAMP_OWN;
    return holder > stamp ? STAMP_YOUNGER : STAMP_OLDER;
}

/* May a waiting tile take another look? */
ROOST_FN bool stamp_lock_patient(uint32_t looks) { return looks < WAIT_LOOKS; }

/* Takes a lock; true on success. */
ROOST_FN bool stamp_lock_take(uint32_t *lock, uint32_t stamp)
{
    ROOST_ROLLED
    for (uint32_t looks = 0; stamp_lock_patient(looks); looks++) {
        const enum stamp_lock look = stamp_lock_try(lock, stamp);
        if (look != STAMP_YOUNGER) return look != STAMP_OLDER;
        back_off(0);
    }
    return false;
}

/* Gives a lock back if it is this stamp's.  If buckets of two lanes of a tile share a lock, both
 * lanes give it back: the second swap must not free it for a new holder. */
ROOST_FN void stamp_lock_give(uint32_t *lock, uint32_t stamp) { (void)cas_relaxed_device32(lock, stamp, 0); }

/* Is a lock taken at this moment? */
ROOST_FN bool stamp_lock_held(const uint32_t *lock) { return load_relaxed_device32(lock) != 0; }

#endif
