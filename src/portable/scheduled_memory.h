/* The scheduled machine's memory, as its atomics see it.
 *
 * Strong: sequentially consistent, the words themselves.
 *
 * Weak: the behaviour that C11 permits to relaxed, acquire and release atomics and fences, modelled
 * by views (Kang, Hur, Lahav, Vafeiadis, Dreyer, "A Promising Semantics for Relaxed-Memory
 * Concurrency", 2017, without its promises).
 *
 * A location's modification order is a list of messages: a value, a time, and the view that a lane
 * gets when it acquires the message.  A lane has three views:
 *   current   the lane reads no older message (coherence)
 *   pending   views of messages that it read relaxed; an acquire fence adds them to the current
 *             view
 *   released  its current view at the last release fence, which goes with its later writes
 *
 * All lanes share one more view: what was seen at sequentially consistent fences.  Each such fence
 * reads this view and adds to it.
 *
 * A load reads any message from the lane's current view on.  A store may take its place before
 * messages that the lane has not seen.  A read-modify-write's message stands directly behind the
 * one that it read, and no other message can come between them.  It passes that message's view on:
 * release sequences consist of read-modify-writes alone, as since C++20.  C11's additional rule,
 * for later stores of the releasing thread, is not relied on.  A read-modify-write that changes
 * nothing, such as a compare-and-swap that fails, is a load.  The word in memory is always the
 * newest message, so code that reads it after a run, or plainly during one, sees that message.
 *
 * Not modelled:
 *   - Load buffering: a lane's operations take place in program order, so no load sees a value that
 *     depends on that load, or on later operations.
 *   - Plain accesses, which the machine does not intercept.  A tile's scratch memory is the
 *     exception: each lane has a copy of it (scheduled.c).  A plain load reads the newest message,
 *     and a plain store counts as old, seen by every lane.  A kernel that fills memory plainly and
 *     publishes it is therefore not tested.  A word that was accessed atomically and is then stored
 *     plainly is reported.
 *   - A history of more than HISTORY messages of a location. */
#ifndef ROOST_PORTABLE_SCHEDULED_MEMORY_H
#define ROOST_PORTABLE_SCHEDULED_MEMORY_H

#include "portable/scheduled.h"

/* Begins a run: forgets all messages, and takes memory as it is.  With weak memory, `choose`
 * chooses among messages: it gets their number, and 0 is the newest. */
void memory_begin(const struct scheduled_plan *plan, bool weak, int (*choose)(int options));

/* Words have 4, 8 or 16 bytes.  Each call returns NULL, or a description of a faulty access.  Words
 * that overlap must be accessed at one width, aligned to it.
 *
 * The exception is the value of a pair, which begins in the middle of a word: if the plan permits
 * it, and the pair was accessed before, the value may be accessed alone.  Such a load, store or
 * change is one of the pair, and leaves the rest of the pair as it is.  A store stands directly
 * behind the message whose rest it keeps, so that no rest of a later message comes before it. */
const char *memory_load(int lane, const void *p, int bytes, enum scheduled_order order, struct scheduled_word *value);
const char *memory_store(int lane, void *p, int bytes, struct scheduled_word value);
const char *memory_change(int lane, void *p, int bytes, enum scheduled_order order, const struct scheduled_change *change,
                          struct scheduled_word *seen, bool *wrote);
void memory_fence(int lane, enum scheduled_order order);

/* Lanes first .. first + n - 1 have met: each of them has now seen what any of them has done or
 * seen. */
void memory_join(int first, int n);

#endif
