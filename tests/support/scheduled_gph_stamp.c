/* GPH's kernels for the scheduled machine: the constant gph_sound. With a fault of tests/plants,
 * the build gives the constant the fault's name. */
#include "support/scheduled_gph_kernels.h"

#ifndef SCHEDULED_STAMPED
#define SCHEDULED_STAMPED gph_sound
uint64_t scheduled_gph_kept;
#endif

/* The number of locks with this stamp. */
static uint64_t locks_of(const struct gph_view *v, uint32_t stamp)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i <= v->cell_lock_mask; i++) n += v->cell_locks[i] == stamp;
    for (uint32_t i = 0; i <= v->bucket_lock_mask; i++) n += v->bucket_locks[i] == stamp;
    return n;
}

/* The stamps of an item: one in refine and evict, those of its cells in mend. All items of a fill
 * share one. */
static inline void locks_look_refine(const struct gph_view *v, uint64_t index)
{
    scheduled_gph_kept += locks_of(v, (uint32_t)index + 1);
}
static inline void locks_look_mend(const struct gph_view *v, uint64_t index)
{
    for (uint32_t k = 1; k <= 4; k++) scheduled_gph_kept += locks_of(v, (uint32_t)index * 4 + k);
}
#define LOCKS_LOOK_NONE(v, index) ((void)(v), (void)(index))

#define STAMP_STEP(operation, look)                                                                                                \
    ROOST_FN enum step checked_##operation##_step(const struct shape s, const tile g, const void *view, const struct batch *b,     \
                                                  struct item *item, struct tally *tally, void *scratch)                           \
    {                                                                                                                              \
        const enum step result = gph_##operation##_step(s, g, view, b, item, tally, scratch);                                      \
        if (g.lane == 0) look((const struct gph_view *)view, item->index);                                                         \
        return result;                                                                                                             \
    }

#define CHECKED(operation) gph_##operation##_begin, checked_##operation##_step, gph_##operation##_end

#define STAMP(operation, look)                                                                                                     \
    STAMP_STEP(operation, look)                                                                                                    \
    static void run_##operation(const void *args, void *scratch)                                                                   \
    {                                                                                                                              \
        const struct gph_call *c = (const struct gph_call *)args;                                                                  \
        if (GPH_##operation == GPH_find && c->driver == DRIVER_cooperative)                                                        \
            drive_cooperative(CHECKED(operation), c->shape, c->size, &c->args, &c->args.batch, scratch);                           \
        else if (GPH_##operation == GPH_find && c->driver == DRIVER_twice)                                                         \
            drive_twice(ROOST_OPERATION_HALVES(gph_find), c->shape, c->size, &c->args, &c->args.batch);                            \
        else drive_tile(CHECKED(operation), c->shape, c->size, &c->args, &c->args.batch, scratch);                                 \
    }
STAMP(find, LOCKS_LOOK_NONE)
STAMP(erase, LOCKS_LOOK_NONE)
STAMP(fill, LOCKS_LOOK_NONE)
STAMP(refine, locks_look_refine)
STAMP(mend, locks_look_mend)
STAMP(evict, locks_look_refine)

#define NAME_(stamped) #stamped
#define NAME(stamped) NAME_(stamped)

const struct gph_stamped SCHEDULED_STAMPED = {
    NAME(SCHEDULED_STAMPED),
    {[GPH_find] = run_find,
     [GPH_erase] = run_erase,
     [GPH_fill] = run_fill,
     [GPH_refine] = run_refine,
     [GPH_mend] = run_mend,
     [GPH_evict] = run_evict},
};
