/* SlabHash's kernels for the scheduled machine: the constant slab_sound. With a fault of
 * tests/plants, the build gives the constant the fault's name. */
#include "support/scheduled_slab_kernels.h"

#ifndef SCHEDULED_STAMPED
#define SCHEDULED_STAMPED slab_sound
#endif

/* Replaces pair `from` by `to` in a unit's slots, with the atomics that the table's kernels use. */
static void churn_fill(const struct shape s, unsigned char *unit, const struct slab_pair from, const struct slab_pair to)
{
    for (int slot = 0; slot < s.slots; slot++) {
        uint64_t *const at = (uint64_t *)slab_slot(s, unit, slot);
        if (s.word == SLAB_PAIR) (void)slab_slot_cas(s, unit, slot, from, to);
        else if (s.word == SLAB_TWO_STEP) {
            store_relaxed_device64(at, to.key);
            store_relaxed_device64(at + 1, to.value);
        } else if (slab_slot_bytes(s) == 8) store_relaxed_device64(at, slab_word(s, to));
        else store_relaxed_device32((uint32_t *)(void *)at, (uint32_t)slab_word(s, to));
    }
}

static void churn(const struct slab_call *c, const tile g, struct slab_resident *resident)
{
    const struct slab_pair ones = slab_mark_pair(c->shape, slab_empty(c->shape));
    for (int i = 0; i < c->churn; i++) {
        const uint32_t handle = slab_take(&c->args.view.pool, g, resident);
        if (g.lane != 0 || handle == SLAB_NONE) continue;
        unsigned char *const unit = slab_unit(&c->args.view.pool, handle);
        churn_fill(c->shape, unit, ones, c->dirt);
        churn_fill(c->shape, unit, c->dirt, ones);
        slab_give(&c->args.view.pool, handle);
    }
}

/* A worker's actions before its items. */
static struct slab_resident worker_begin(const struct slab_call *c)
{
    const tile g = tile_make(c->size);
    const uint64_t worker = tile_rank(c->size);
    struct slab_resident resident = slab_resident_none((uint32_t)worker);
    if (c->resides) slab_reside(&c->args.view.pool, g, &resident, 0, 0);
    if (worker % 2) churn(c, g, &resident);
    return resident;
}

#define STAMP(operation)                                                                                                           \
    static void run_##operation(const void *args, void *scratch)                                                                   \
    {                                                                                                                              \
        const struct slab_call *c = (const struct slab_call *)args;                                                                \
        const struct slab_args *a = &c->args;                                                                                      \
        struct slab_resident resident = worker_begin(c);                                                                           \
        (void)scratch;                                                                                                             \
        if (c->driver == DRIVER_cooperative)                                                                                       \
            drive_cooperative(ROOST_OPERATION(slab_##operation), c->shape, c->size, a, &a->batch, &resident);                      \
        else drive_tile(ROOST_OPERATION(slab_##operation), c->shape, c->size, a, &a->batch, &resident);                            \
    }
STAMP(find)
STAMP(insert)
STAMP(erase)
STAMP(apply)
STAMP(every)
STAMP(findslab)
STAMP(insertslab)
STAMP(applyslab)
STAMP(rebuild)
STAMP(survey)
STAMP(export)
STAMP(enqueue)
STAMP(serve)
STAMP(findslot)

#define NAME_(stamped) #stamped
#define NAME(stamped) NAME_(stamped)

const struct slab_stamped SCHEDULED_STAMPED = {
    NAME(SCHEDULED_STAMPED),
    {[SLAB_find] = run_find,
     [SLAB_insert] = run_insert,
     [SLAB_erase] = run_erase,
     [SLAB_apply] = run_apply,
     [SLAB_every] = run_every,
     [SLAB_findslab] = run_findslab,
     [SLAB_insertslab] = run_insertslab,
     [SLAB_applyslab] = run_applyslab,
     [SLAB_rebuild] = run_rebuild,
     [SLAB_survey] = run_survey,
     [SLAB_export] = run_export,
     [SLAB_enqueue] = run_enqueue,
     [SLAB_serve] = run_serve,
     [SLAB_findslot] = run_findslot},
};
