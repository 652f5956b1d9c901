/* Stamps: when an item was invoked and when it responded, for tests that prove linearisability.  ROOST_PROBES builds record them where
 * the batch asks for it; elsewhere nothing of this is compiled.
 *
 * The recorded interval contains the real one: an item is invoked before its begin, and has responded after its last step.  With a
 * counter (batch.clock, not 0 at first) stamps are drawn between fences, so that their order is that of the operations, and with it of
 * everything else that the lane does.  Such fences hide faults of an engine's own ordering; without a counter the machine's clock is
 * read, unordered with the accesses around it, and who reads the stamps has to widen the intervals. */
#ifndef ROOST_PORTABLE_TIMESTAMPS_H
#define ROOST_PORTABLE_TIMESTAMPS_H

#include "portable/item.h"

#if defined(ROOST_MACHINE_HOST) && !defined(__x86_64__)
#include <time.h>
#endif

/* Not ordered with memory accesses: ticks of the processor on x86, else nanoseconds. */
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

/* The fences keep what the lane did before from being seen after the stamp, and what it does after from being done before: otherwise
 * an operation could take effect outside its interval. */
ROOST_FN uint64_t stamp_now(const struct batch *b)
{
    if (!b->clock) return machine_clock();
    fence_sequential_device();
    const uint64_t now = add_relaxed_device64(b->clock, 1);
    fence_sequential_device();
    return now;
}

/* Before an item's begin, by the lane that will call stamp_responded. */
ROOST_FN uint64_t stamp_invoked(const struct batch *b) { return stamps_wanted(b) ? stamp_now(b) : 0; }

/* Between a lane's stamp and what the other lanes of its tile do for the item; all of them call it. */
ROOST_FN void stamp_meet(const tile g, const struct batch *b)
{
    if (stamps_wanted(b) && g.size > 1) tile_sync(g);
}

/* After an item's last step.  An item that was parked was invoked when it first came, and responds when it comes for the last time. */
ROOST_FN void stamp_responded(const struct batch *b, const struct item *item)
{
    if (!stamps_wanted(b)) return;
    struct item_stamp *stamp = &b->stamps[item->index];
    if (!stamp->invoked) stamp->invoked = item->invoked;
    stamp->responded = stamp_now(b);
}

#endif
