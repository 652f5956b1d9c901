/* compact's kernels for the scheduled machine: the constant compact_sound.  With a fault of
 * tests/plants, the build gives the constant the fault's name. */
#include "support/scheduled_compact_kernels.h"

#ifndef SCHEDULED_STAMPED
#define SCHEDULED_STAMPED compact_sound
#endif

#define STAMP_OF(operation, shape_)                                                                                                \
    static void run_##operation(const void *args, void *scratch)                                                                   \
    {                                                                                                                              \
        const struct compact_call *c = (const struct compact_call *)args;                                                          \
        const struct compact_args *a = &c->args;                                                                                   \
        drive_tile(ROOST_OPERATION(compact_##operation), shape_, c->size, a, &a->batch, scratch);                                  \
    }
#define STAMP(operation) STAMP_OF(operation, c->shape)
/* A move's shapes, which may differ, are told at run time. */
static const struct shape any = {0, 0, 0, 0, 0};
STAMP(find)
STAMP(insert)
STAMP(erase)
STAMP(apply)
STAMP(displace)
STAMP(evict)
STAMP(export)
STAMP_OF(build, any)
STAMP(tidy)

#define NAME_(stamped) #stamped
#define NAME(stamped) NAME_(stamped)

const struct compact_stamped SCHEDULED_STAMPED = {
    NAME(SCHEDULED_STAMPED),
    {[COMPACT_find] = run_find,
     [COMPACT_insert] = run_insert,
     [COMPACT_erase] = run_erase,
     [COMPACT_apply] = run_apply,
     [COMPACT_displace] = run_displace,
     [COMPACT_evict] = run_evict,
     [COMPACT_export] = run_export,
     [COMPACT_build] = run_build,
     [COMPACT_tidy] = run_tidy},
};
