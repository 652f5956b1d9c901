/* Stadium hashing's kernels for the scheduled machine: the constant stadium_sound. With a fault
 * of tests/plants, the build gives the constant the fault's name. */
#include "support/scheduled_stadium_kernels.h"

#ifndef SCHEDULED_STAMPED
#define SCHEDULED_STAMPED stadium_sound
#endif

/* Only inserts have a step for each group, too; other operations have one step. */
#define stadium_find_one_step stadium_find_step
#define stadium_erase_one_step stadium_erase_step
#define stadium_apply_one_step stadium_apply_step
#define stadium_rebuild_one_step stadium_rebuild_step
#define stadium_compact_one_step stadium_compact_step
#define stadium_survey_one_step stadium_survey_step
#define stadium_export_one_step stadium_export_step
#define stadium_sift_one_step stadium_sift_step

#define STAMP(operation)                                                                                                           \
    static void run_##operation(const void *args, void *scratch)                                                                   \
    {                                                                                                                              \
        const struct stadium_call *c = (const struct stadium_call *)args;                                                          \
        const struct stadium_args *a = &c->args;                                                                                   \
        if (c->driver == DRIVER_cooperative)                                                                                       \
            drive_cooperative(ROOST_OPERATION(stadium_##operation), c->shape, c->size, a, &a->batch, scratch);                     \
        else if (c->driver == DRIVER_collaborate)                                                                                  \
            drive_collaborate(stadium_##operation##_begin, stadium_##operation##_one_step, stadium_##operation##_end, c->shape,    \
                              c->size, a, &a->batch, scratch);                                                                     \
        else drive_tile(ROOST_OPERATION(stadium_##operation), c->shape, c->size, a, &a->batch, scratch);                           \
    }
STAMP(find)
STAMP(insert)
STAMP(erase)
STAMP(apply)
STAMP(rebuild)
STAMP(compact)
STAMP(survey)
STAMP(export)
STAMP(sift)

#define NAME_(stamped) #stamped
#define NAME(stamped) NAME_(stamped)

const struct stadium_stamped SCHEDULED_STAMPED = {
    NAME(SCHEDULED_STAMPED),
    {[STADIUM_find] = run_find,
     [STADIUM_insert] = run_insert,
     [STADIUM_erase] = run_erase,
     [STADIUM_apply] = run_apply,
     [STADIUM_rebuild] = run_rebuild,
     [STADIUM_compact] = run_compact,
     [STADIUM_survey] = run_survey,
     [STADIUM_export] = run_export,
     [STADIUM_sift] = run_sift},
};
