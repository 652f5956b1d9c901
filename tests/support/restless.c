/* Host threads that yield their processor at random places. */
#include "support/restless.h"

#include "backends/backend.h"
#include "backends/host_threads.h"
#include "portable/atomic.h"
#include "support/draw.h"

#include <sched.h>

static struct {
    uint64_t seed, piece;
    unsigned one_in, run, threads;
} plan;

static _Thread_local struct dice dice;
static _Thread_local unsigned seeded; /* run for which `dice` is seeded */

static void seed_thread(void)
{
    seeded = plan.run;
    dice.state = mix64(plan.seed + __atomic_add_fetch(&plan.threads, 1, __ATOMIC_RELAXED));
}

/* Yields only if other threads share the launch: on a busy machine other processes may keep the
 * processor for long. */
static void give_up_processor(void)
{
    if (!host_shares_work) return;
    if (seeded != plan.run) seed_thread();
    if (draw_below(&dice, plan.one_in) == 0) sched_yield();
}

void restless_begin(uint64_t seed, unsigned one_in, uint64_t piece)
{
    if (!plan.piece) plan.piece = host_grain;
    plan.seed = seed;
    plan.one_in = one_in;
    plan.run++;
    plan.threads = 0;
    host_grain = piece;
    atomic_pause = give_up_processor;
}

void restless_end(void)
{
    atomic_pause = NULL;
    host_grain = plan.piece;
}
