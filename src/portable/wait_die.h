/* Locks that are taken by wait-die (Rosenkrantz, Stearns, Lewis, "System Level Concurrency Control for Distributed Database Systems", 1978):
 * a lock is a word that holds its holder's stamp, 0 while it is free; the smaller stamp is the older one.  Who meets an older holder dies: it
 * gives all its locks back, and comes again with the same stamp.  Who meets a younger one waits, but not for ever
 * (WAIT_LOOKS).  So nobody waits in a circle, and the oldest of all dies of impatience alone.
 *
 * Tiles of one warp that go round a loop together leave it together: who is through waits behind it until the last one is.  So who dies in a
 * loop in which others wait gives back there what it holds.  Behind the loop it would wait for those that wait for it, until they have looked
 * often enough and die, too: together, again and again.  Who is given a lock there holds those up for as long, once: they come again when it is
 * through.  Where many ask for one lock, it uses the lock in the loop, and gives it back there.
 *
 * Locks are taken and given relaxed; fences order a whole set of them, as those of portable/lock.h. */
#ifndef ROOST_PORTABLE_WAIT_DIE_H
#define ROOST_PORTABLE_WAIT_DIE_H

#include "portable/atomic.h"

enum { WAIT_LOOKS = 64 /* at a lock whose holder is younger; then who waits dies, too, so that no step lasts for ever */ };

enum stamp_lock {
    STAMP_TAKEN,   /* it is this stamp's now */
    STAMP_OWN,     /* and was already */
    STAMP_YOUNGER, /* a younger one has it: wait */
    STAMP_OLDER    /* an older one has it: die */
};

/* One look at a lock.  The compare-and-swap makes one of several that see it free its holder. */
ROOST_FN enum stamp_lock stamp_lock_try(uint32_t *lock, uint32_t stamp)
{
    const uint32_t holder = cas_relaxed_device32(lock, 0, stamp);
    if (holder == 0) return STAMP_TAKEN;
    if (holder == stamp) return STAMP_OWN;
    return holder > stamp ? STAMP_YOUNGER : STAMP_OLDER;
}

/* May who waits look once more? */
ROOST_FN bool stamp_lock_patient(uint32_t looks) { return looks < WAIT_LOOKS; }

/* True: the lock is this stamp's. */
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

/* Gives a lock back, if it is this stamp's.  Two lanes of a tile whose buckets share a lock both give it: the second one's swap must not
 * free it for who holds it by then. */
ROOST_FN void stamp_lock_give(uint32_t *lock, uint32_t stamp) { (void)cas_relaxed_device32(lock, stamp, 0); }

/* Is a lock taken just now? */
ROOST_FN bool stamp_lock_held(const uint32_t *lock) { return load_relaxed_device32(lock) != 0; }

#endif
