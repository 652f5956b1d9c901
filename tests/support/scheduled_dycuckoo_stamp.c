/* DyCuckoo's kernels for the scheduled machine: the constant dycuckoo_sound.  With a fault of
 * tests/plants, the build gives the constant the fault's name. */
#include "support/scheduled_kernels.h"

#ifndef SCHEDULED_STAMPED
#define SCHEDULED_STAMPED dycuckoo_sound
#endif

/* The step, and the machine's check that it holds no lock when it returns. Also counts the items
 * that the step puts back. */
#define STAMP_STEP(operation)                                                                                                      \
    ROOST_FN enum step checked_##operation##_step(const struct shape s, const tile g, const void *view, const struct batch *b,     \
                                                  struct item *item, struct tally *tally, void *scratch)                           \
    {                                                                                                                              \
        const enum step result = dycuckoo_##operation##_step(s, g, view, b, item, tally, scratch);                                 \
        scheduled_step_returned();                                                                                                 \
        scheduled_put_back += result == STEP_RETRY && g.lane == 0;                                                                 \
        return result;                                                                                                             \
    }

#define CHECKED(operation) dycuckoo_##operation##_begin, checked_##operation##_step, dycuckoo_##operation##_end

/* The driver lane is the driver tile with one lane. */
#define STAMP(operation)                                                                                                           \
    STAMP_STEP(operation)                                                                                                          \
    static void run_##operation(const void *args, void *scratch)                                                                   \
    {                                                                                                                              \
        const struct scheduled_call *c = (const struct scheduled_call *)args;                                                      \
        const struct dycuckoo_args *a = &c->args;                                                                                  \
        if (c->driver == DRIVER_vote) drive_vote(CHECKED(operation), c->shape, c->size, a, &a->batch, scratch);                    \
        else if (c->driver == DRIVER_cooperative) drive_cooperative(CHECKED(operation), c->shape, c->size, a, &a->batch, scratch); \
        else drive_tile(CHECKED(operation), c->shape, c->size, a, &a->batch, scratch);                                             \
    }

/* Operations without a shape of their own: on buckets (whose state is not broadcast), the
 * estimate, and the spill list. */
#define STAMP_ANY(operation)                                                                                                       \
    STAMP_STEP(operation)                                                                                                          \
    static void run_##operation(const void *args, void *scratch)                                                                   \
    {                                                                                                                              \
        const struct scheduled_call *c = (const struct scheduled_call *)args;                                                      \
        drive_tile(CHECKED(operation), shape_any(), c->size, &c->args, &c->args.batch, scratch);                                   \
    }

STAMP(find)
STAMP(erase)
STAMP(fill)
STAMP(evict)
STAMP(path)
STAMP_ANY(resize)
STAMP_ANY(export)
STAMP_ANY(estimate)
STAMP_ANY(spill)

#define NAME_(kernels) #kernels
#define NAME(kernels) NAME_(kernels)

const struct scheduled_kernels SCHEDULED_STAMPED = {
    NAME(SCHEDULED_STAMPED),
    {run_find, run_erase, run_fill, run_evict, run_path, run_resize, run_export, run_estimate, run_spill},
};
