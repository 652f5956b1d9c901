/* Timestamps of an item's invocation and response, for tests that prove linearisability.
 * ROOST_PROBES builds record them if the batch asks for it; other builds contain none of this.
 *
 * The recorded interval contains the real one: an item is invoked before its begin, and has
 * responded after its last step.
 *
 * With a counter (batch.clock, not 0 at first), timestamps are drawn between fences.  So their
 * order is that of the operations and of everything else that the lane does.  Such fences hide
 * faults of an engine's own ordering.
 *
 * Without a counter the machine's clock is read, unordered with the accesses around it: the reader
 * of the timestamps has to widen the intervals. */
#ifndef ROOST_PORTABLE_TIMESTAMPS_H
#define ROOST_PORTABLE_TIMESTAMPS_H

#include "portable/item.h"

#if defined(ROOST_MACHINE_HOST) && !defined(__x86_64__)
#include <time.h>
#endif

/* Ticks of the processor on x86, else nanoseconds; not ordered with memory accesses. */
ROOST_FN uint64_t machine_clock(void)
{
#if defined(ROOST_MACHINE_CUDA)
    uint64_t now;
    asm volatile("mov.u64 %0,%%globaltimer;" : "=l"(now));
    return now;
#elif defined(ROOST_MACHINE_SCHEDULED)
    return scheduled_numbers().points;
#elif defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

ROOST_FN bool stamps_wanted(const struct batch *b) { return ROOST_PROBES && b->stamps; }

/* The fences keep the lane's earlier accesses from being seen after the timestamp, and its later
 * ones from happening before it.  Otherwise an operation could take effect outside its interval. */
ROOST_FN uint64_t stamp_now(const struct batch *b)
{
    if (!b->clock) return machine_clock();
    fence_sequential_device();
    const uint64_t now = add_relaxed_device64(b->clock, 1);
    fence_sequential_device();
    return now;
}

/* Called before an item's begin, by the lane that will call stamp_responded. */
ROOST_FN uint64_t stamp_invoked(const struct batch *b) { return stamps_wanted(b) ? stamp_now(b) : 0; }

/* Orders a lane's timestamp with the work of the other lanes of its tile for the item; all of them
 * call it. */
ROOST_FN void stamp_meet(const tile g, const struct batch *b)
{
    if (stamps_wanted(b) && g.size > 1) tile_sync(g);
}

/* Called where an item is to be begun again: it keeps its first invocation. */
ROOST_FN void stamp_waits(const struct batch *b, const struct item *item)
{
    if (stamps_wanted(b) && !b->stamps[item->index].invoked) b->stamps[item->index].invoked = item->invoked;
}

/* Called after an item's last step.  A parked item responds in the pass that finishes it. */
ROOST_FN void stamp_responded(const struct batch *b, const struct item *item)
{
    if (!stamps_wanted(b)) return;
    stamp_waits(b, item);
    b->stamps[item->index].responded = stamp_now(b);
}

#endif
