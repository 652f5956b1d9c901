/* The scheduled machine's memory, as its atomics see it.
 *
 * Strong: sequentially consistent, the words themselves.
 *
 * Weak: what C11 permits to relaxed, acquire and release atomics and fences, by views (Kang, Hur, Lahav, Vafeiadis, Dreyer, "A Promising
 * Semantics for Relaxed-Memory Concurrency", 2017, without its promises).  A location's modification order is a list of messages: a
 * value, a time, and the view that comes with it to who acquires it.  A lane has three views:
 *   current   it reads no message that is older (coherence)
 *   pending   came with messages that it read relaxed: an acquire fence takes it over
 *   released  its current view at the last release fence, which goes with its later writes
 * and all lanes together have one of what was seen at sequentially consistent fences, which each of these takes over and adds to.
 * A load reads any message from the lane's current view on.  A store may take its place before messages that the lane has not seen.  A
 * read-modify-write's message stands next to the one that it read, and nothing comes between any more; it hands that one's view on
 * (release sequences are made of read-modify-writes alone, as since C++20: what C11 adds, later stores of the releasing thread, is
 * taken for no order).  One that changes nothing, as a compare-and-swap that fails, is a load.  The word in memory is always the newest
 * message, so whoever looks at it after a run, or plainly during one, sees that.
 *
 * What it leaves out:
 *   - Load buffering: a lane's operations take place in the program's order, so no load sees what depends on it, or on what follows it.
 *   - Plain accesses, which nobody intercepts: but for a tile's scratch memory, of which each lane has a copy (scheduled.c), a plain load reads
 *     the newest message, and a plain store counts as old news that every lane has.  Who fills memory plainly and publishes it in the same
 *     kernel is not tested.  A word that has been accessed atomically and is then stored plainly is reported.
 *   - A history beyond HISTORY messages of a location. */
#ifndef ROOST_PORTABLE_SCHEDULED_MEMORY_H
#define ROOST_PORTABLE_SCHEDULED_MEMORY_H

#include "portable/scheduled.h"

/* A run begins: nobody remembers anything, and memory is as it is.  Weak memory chooses among messages by `choose`, which is given how
 * many there are; 0 is the newest. */
void memory_begin(const struct scheduled_plan *plan, bool weak, int (*choose)(int options));

/* Words have 4, 8 or 16 bytes.  What is wrong with the access, or NULL: words that overlap are accessed at one width, aligned to it, but
 * for the value of a pair, which begins in the middle of a word: where the plan says so, and once the pair was accessed, its value may be
 * alone.  Such a load, store or change is one of the pair, of which it leaves the rest as it is; a store is next to the message whose rest
 * it keeps, so that none of a later one comes before it. */
const char *memory_load(int lane, const void *p, int bytes, enum scheduled_order order, struct scheduled_word *value);
const char *memory_store(int lane, void *p, int bytes, struct scheduled_word value);
const char *memory_change(int lane, void *p, int bytes, enum scheduled_order order, const struct scheduled_change *change,
                          struct scheduled_word *seen, bool *wrote);
void memory_fence(int lane, enum scheduled_order order);

/* Lanes first .. first + n - 1 have come together: what one of them has done or seen, each has seen. */
void memory_join(int first, int n);

#endif
