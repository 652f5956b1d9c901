/* Growing, shrinking and exporting on the scheduled machine. */
#include "support/scheduled_scene.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- Resizing -------------------------------------------------------------------------------- */

/* A random subtable among the smallest (or largest) ones. */
static uint32_t draw_subtable(struct scene *s, bool lowest)
{
    const struct scheduled_table *t = &s->t;
    uint32_t limit = t->view.sub[0].bucket_count, i;
    for (i = 1; i < t->view.subtables; i++) {
        const uint32_t buckets = t->view.sub[i].bucket_count;
        if (lowest ? buckets < limit : buckets > limit) limit = buckets;
    }
    do i = dice_below(&s->dice, t->view.subtables);
    while (t->view.sub[i].bucket_count != limit);
    return i;
}

static struct dycuckoo_args transfer_of_subtable(struct scene *s, uint32_t i, const struct dycuckoo_subtable *to)
{
    struct dycuckoo_args args = scene_args(s, NULL);
    args.transfer.sub = i;
    args.transfer.from = s->t.view.sub[i].buckets;
    args.transfer.to = to->buckets;
    args.transfer.from_buckets = s->t.view.sub[i].bucket_count;
    args.transfer.to_buckets = to->bucket_count;
    args.view.sub[i] = *to;
    return args;
}

static void subtable_replace(struct scene *s, uint32_t i, const struct dycuckoo_subtable *by)
{
    scheduled_subtable_free(&s->t.view.sub[i]);
    s->t.view.sub[i] = *by;
}

/* Places the residuals in their other homes. *done is false if some found no room; then those
 * that were placed are erased there again. */
static bool residuals_place(struct scene *s, struct dycuckoo_args *args, struct items *lists, bool *done)
{
    args->view.excluded = args->transfer.sub;
    args->batch.keys = args->transfer.keys;
    args->batch.values_in = args->transfer.values;
    args->batch.mode = ROOST_KEEP;
    args->batch.value_type = ROOST_TYPE_U32;
    items_pass_over(args, lists, -1, 1);
    if (!scene_launch_here(s, DYCUCKOO_evict, CELL_evict + ROOST_KEEP, args)) return false;
    items_pass_over(args, lists, 1, 2);
    if (!scene_launch_here(s, DYCUCKOO_path, CELL_path + ROOST_KEEP, args)) return false;
    args->batch.order = NULL;
    args->batch.order_n = NULL;
    *done = lists->list_n[2] == 0;
    return *done || scene_launch_here(s, DYCUCKOO_erase, CELL_erase, args);
}

/* With room for half of the pairs at first, the kernel may have to count the residuals alone. */
static bool transfer(struct scene *s, struct dycuckoo_args *args, int cell, uint64_t pairs)
{
    uint64_t *const residuals = args->transfer.pairs_n;
    bool ok = true;
    args->transfer.room = pairs / 2;
    do {
        if (*residuals) args->transfer.room = *residuals;
        *residuals = 0;
        memset(&s->counters, 0, sizeof s->counters);
        ok = scene_launch_here(s, DYCUCKOO_resize, cell, args);
    } while (ok && *residuals > args->transfer.room);
    if (!ok || s->counters.moved + *residuals == pairs) return ok;
    return wrong_say("resizing moved %" PRIu64 " pairs and left %" PRIu64 " of %" PRIu64, s->counters.moved, *residuals, pairs);
}

static bool resize_into(struct scene *s, uint32_t i, const struct dycuckoo_subtable *to, int cell, uint64_t *residuals, bool *done)
{
    const size_t room = s->t.count[i];
    struct items lists; /* only its index lists are used */
    struct dycuckoo_args args = transfer_of_subtable(s, i, to);
    memset(&lists, 0, sizeof lists);
    lists.keys = args.transfer.keys = scene_array(room * (size_t)s->t.shape.key_bytes);
    lists.values_in = args.transfer.values = scene_array(room * (size_t)s->t.shape.value_bytes);
    for (int k = 0; k < 3; k++) lists.list[k] = (uint32_t *)scene_array(room * sizeof(uint32_t));
    args.transfer.pairs_n = residuals;
    args.batch.n = to->bucket_count;
    bool ok = transfer(s, &args, cell, room);
    args.batch.n = *residuals;
    *done = true;
    if (ok && *residuals) ok = residuals_place(s, &args, &lists, done);
    items_free(&lists);
    return ok;
}

/* The new subtable's memory holds a pattern, because the kernel must write all of it. */
static bool resize(struct scene *s, uint32_t i, uint32_t buckets, int cell)
{
    uint64_t residuals = 0;
    bool done;
    const struct dycuckoo_subtable *old = &s->t.view.sub[i];
    struct dycuckoo_subtable to = scheduled_subtable_make(s->t.shape, buckets, 0x5a, old->weight);
    const bool ok = resize_into(s, i, &to, cell, &residuals, &done);
    if (!done && buckets == 2 * old->bucket_count) return wrong_say("a doubled subtable had residuals");
    scene_counts_take(s);
    s->t.view.tidy = 0; /* residuals and evictions left vacancies */
    explored.resizes_with_residuals += residuals > 0;
    explored.undone_resizes += !done;
    if (!ok || !done) {
        scheduled_subtable_free(&to);
        return ok && scheduled_table_check(&s->t);
    }
    subtable_replace(s, i, &to);
    s->t.count[i] -= residuals;
    return scheduled_table_check(&s->t);
}

bool scene_grow(struct scene *s)
{
    const uint32_t i = draw_subtable(s, true), buckets = s->t.view.sub[i].bucket_count;
    return resize(s, i, buckets + 1 + dice_below(&s->dice, buckets), CELL_grow);
}

bool scene_shrink(struct scene *s)
{
    const uint32_t i = draw_subtable(s, false), buckets = s->t.view.sub[i].bucket_count, half = buckets / 2;
    return buckets == 1 || resize(s, i, half + dice_below(&s->dice, buckets - half), CELL_shrink);
}

/* ---- Export ---------------------------------------------------------------------------------- */

static bool export_check(struct scene *s, const void *keys, const void *values, uint64_t n)
{
    struct scheduled_table *t = &s->t;
    uint64_t stored = 0;
    for (int key = 0; key < t->keys; key++) {
        if (!t->stored[key]) continue;
        stored++;
        int times = 0;
        for (uint64_t i = 0; i < n; i++) {
            if (load_width(t->shape.key_bytes, keys, i) != t->key[key]) continue;
            times += !t->shape.value_bytes || load_width(t->shape.value_bytes, values, i) == t->value[key];
        }
        if (times != 1) return wrong_say("key %" PRIx64 " came %d times out of an export with its value", t->key[key], times);
    }
    return n == stored || wrong_say("%" PRIu64 " pairs exported of %" PRIu64, n, stored);
}

bool scene_export(struct scene *s)
{
    uint64_t n = 0;
    bool ok = true;
    void *keys = scene_array(MOST_KEYS * 8), *values = scene_array(MOST_KEYS * 8);
    for (uint32_t i = 0; ok && i <= MAX_SUBTABLES; i++) {
        if (!s->t.view.sub[i].buckets) continue;
        struct dycuckoo_args args = scene_args(s, NULL);
        args.transfer.sub = i;
        args.transfer.from = s->t.view.sub[i].buckets;
        args.transfer.keys = keys;
        args.transfer.values = values;
        args.transfer.pairs_n = &n;
        args.batch.n = s->t.view.sub[i].bucket_count;
        ok = scene_launch_here(s, DYCUCKOO_export, CELL_export, &args);
    }
    ok = ok && export_check(s, keys, values, n);
    free(keys);
    free(values);
    return ok;
}
