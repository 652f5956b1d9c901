/* Operations on all pairs of a key and on whole lists, over a small slab table on the scheduled
 * machine; and a scene of all operations. */
#include "support/scheduled_slab_scene.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- All pairs of a key ---------------------------------------------------------------------- */

static int compare_values(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void every_call(struct slab_scene *s, bool erases, uint64_t *counts)
{
    slab_batch_call(s, SLAB_every, false);
    s->call.args.batch.counts = counts;
    s->call.args.batch.mode = erases ? SLAB_EVERY_ERASE : SLAB_EVERY_COUNT;
}

/* Checks that an item gathered exactly the values of its key. */
static bool gathered_check(struct slab_scene *s, int i, const uint64_t *offsets, const void *gathered)
{
    const int key = s->f.items.key[i], n = s->before.n[key], bytes = s->t.shape.value_bytes;
    uint64_t have[SLAB_MOST_VALUES], want[SLAB_MOST_VALUES];
    for (int j = 0; j < n; j++) have[j] = load_width(bytes, gathered, offsets[i] + (uint64_t)j), want[j] = s->before.value[key][j];
    qsort(have, (size_t)n, sizeof have[0], compare_values);
    qsort(want, (size_t)n, sizeof want[0], compare_values);
    return memcmp(have, want, (size_t)n * sizeof have[0]) == 0 ||
           wrong_say("item %d gathered other values than key %" PRIx64 " has", i, s->t.key[key]);
}

static bool gather(struct slab_scene *s, const struct frame_launch *l, uint64_t *counts)
{
    uint64_t offsets[FRAME_ITEMS + 1] = {0};
    for (int i = 0; i < s->f.items.n; i++) offsets[i + 1] = offsets[i] + counts[i];
    uint64_t *const gathered = (uint64_t *)malloc((size_t)offsets[s->f.items.n] * 8 + 8);
    if (!gathered) abort();
    every_call(s, false, counts);
    s->call.args.batch.offsets = offsets;
    s->call.args.batch.values_out = gathered;
    bool ok = slab_launch_kernel(s, l, SLAB_every);
    for (int i = 0; ok && i < s->f.items.n; i++) ok = gathered_check(s, i, offsets, gathered);
    free(gathered);
    return ok;
}

static bool counts_check(struct slab_scene *s, const uint64_t *counts)
{
    for (int i = 0; i < s->f.items.n; i++) {
        const int n = s->before.n[s->f.items.key[i]];
        if (counts[i] != (uint64_t)n || s->f.items.statuses[i] != (n ? ROOST_ITEM_FOUND : ROOST_ITEM_ABSENT))
            return wrong_say("item %d counted %" PRIu64 " of %d pairs, status %d", i, counts[i], n, s->f.items.statuses[i]);
    }
    return true;
}

/* If several items erase one key, each pair counts for one item. */
static bool erased_check(struct slab_scene *s, const uint64_t *counts)
{
    int left[SLAB_MOST_KEYS], stored = s->before.stored;
    memcpy(left, s->before.n, sizeof left);
    for (int i = 0; i < s->f.items.n; i++) {
        left[s->f.items.key[i]] -= (int)counts[i], stored -= (int)counts[i];
        if (s->f.items.statuses[i] != (counts[i] ? ROOST_ITEM_ERASED : ROOST_ITEM_ABSENT))
            return wrong_say("item %d erased %" PRIu64 " pairs, status %d", i, counts[i], s->f.items.statuses[i]);
    }
    for (int i = 0; i < s->f.items.n; i++)
        if (left[s->f.items.key[i]] || s->after.n[s->f.items.key[i]])
            return wrong_say("key %" PRIx64 ": erased %d too few, %d are left", s->t.key[s->f.items.key[i]],
                             left[s->f.items.key[i]], s->after.n[s->f.items.key[i]]);
    return (s->after.stored == stored && s->before.stored + (int)(int64_t)s->f.counters.stored[0] == stored &&
            (int)s->f.counters.erased == s->before.stored - stored) ||
           wrong_say("%d pairs, then %d; the counters say %" PRId64 ", %" PRIu64 " erased", s->before.stored, s->after.stored,
                     (int64_t)s->f.counters.stored[0], s->f.counters.erased);
}

/* Runs tiles only: the cooperative driver's items do not know the numbers by which values are
 * gathered, and no kernel is stamped with it. */
bool slab_scene_every(struct slab_scene *s, const struct frame_launch *launch)
{
    const struct frame_launch tiles = {DRIVER_tile, launch->size, launch->tiles, launch->weak}, *const l = &tiles;
    uint64_t counts[FRAME_ITEMS];
    s->f.items.n = 1 + (int)dice_below(&s->f.dice, 24);
    for (int i = 0; i < s->f.items.n; i++)
        frame_item_set(&s->f, i, (int)dice_below(&s->f.dice, (uint32_t)s->t.keys), ROOST_OP_FIND, 0);
    every_call(s, false, counts);
    slab_explored.all.items[SLAB_every] += (uint64_t)s->f.items.n;
    if (!slab_launch_kernel(s, l, SLAB_every) || !slab_table_walk(&s->t, &s->after) || !counts_check(s, counts)) return false;
    if (s->t.shape.value_bytes && !gather(s, l, counts)) return false;
    s->f.items.n = s->f.items.n < 7 ? s->f.items.n : 7;
    every_call(s, true, counts);
    if (!slab_launch_kernel(s, l, SLAB_every) || !slab_table_walk(&s->t, &s->after) || !erased_check(s, counts)) return false;
    s->before = s->after;
    return true;
}

/* ---- Whole lists ----------------------------------------------------------------------------- */

static bool same_contents(struct slab_scene *s)
{
    for (int key = 0; key < s->t.keys; key++) {
        const size_t n = (size_t)s->before.n[key];
        qsort(s->before.value[key], n, sizeof(uint64_t), compare_values);
        qsort(s->after.value[key], (size_t)s->after.n[key], sizeof(uint64_t), compare_values);
        if (s->before.n[key] != s->after.n[key] || memcmp(s->before.value[key], s->after.value[key], n * sizeof(uint64_t)) != 0)
            return wrong_say("key %" PRIx64 " was stored %d times, now %d times, or has other values", s->t.key[key],
                             s->before.n[key], s->after.n[key]);
    }
    return true;
}

static struct frame_launch lanes_of(const struct frame_launch *l)
{
    const struct frame_launch lanes = {DRIVER_lane, 1, l->tiles, l->weak};
    return lanes;
}

/* Flushes, doubles or halves. In a halving each list may need one slab more than it frees, so it
 * needs as many free units as lists. */
bool slab_scene_rebuild(struct slab_scene *s, const struct frame_launch *l)
{
    const struct frame_launch lanes = lanes_of(l);
    const uint32_t from = s->t.view.buckets, free_units = (uint32_t)(s->t.sizes.units - s->before.taken);
    uint32_t to = from;
    if (dice_below(&s->f.dice, 3) && from * 2 <= SLAB_MOST_BUCKETS) to = from * 2;
    else if (from % 2 == 0 && free_units >= from / 2) to = from / 2;
    unsigned char *const base = to == from ? s->t.base_memory : slab_base_make(to);
    if (to != from) *slab_aux(base + to * (size_t)SLAB_BYTES) = ~0u;
    slab_call_clear(s);
    s->t.exhausted = 0;
    const struct slab_transfer transfer = {
        .shape = s->t.shape, .from = s->t.base_memory, .to = base, .from_buckets = from, .to_buckets = to};
    s->call.args.transfer = transfer;
    s->call.args.batch.n = (to < from ? to : from) + 1u;
    bool ok = slab_launch_kernel(s, &lanes, SLAB_rebuild);
    if (to != from) free(s->t.base_memory);
    s->t.base_memory = s->t.view.base = base;
    s->t.view.buckets = to;
    slab_explored.all.items[SLAB_rebuild] += s->call.args.batch.n;
    slab_explored.moved += s->f.counters.moved;
    ok = ok && slab_table_walk(&s->t, &s->after) && same_contents(s);
    if (ok && (s->after.dead || (int)s->f.counters.moved != s->before.stored ||
               s->after.chained - s->before.chained != (int)(int64_t)s->f.counters.linked))
        ok = wrong_say("%d tombstones are left, %" PRIu64 " of %d pairs moved, %" PRId64 " slabs came, by the walk %d",
                       s->after.dead, s->f.counters.moved, s->before.stored, (int64_t)s->f.counters.linked,
                       s->after.chained - s->before.chained);
    s->before = s->after;
    return ok;
}

static bool exported_check(struct slab_scene *s, uint64_t pairs, const uint64_t *keys, const uint64_t *values)
{
    const struct shape shape = s->t.shape;
    memset(s->after.n, 0, sizeof s->after.n);
    if (pairs != (uint64_t)s->before.stored) return wrong_say("%" PRIu64 " of %d pairs exported", pairs, s->before.stored);
    for (uint64_t i = 0; i < pairs; i++) {
        int key = 0;
        while (key < s->t.keys && s->t.key[key] != load_width(shape.key_bytes, keys, i)) key++;
        if (key == s->t.keys) return wrong_say("exported a key that was never inserted");
        s->after.value[key][s->after.n[key]++] = shape.value_bytes ? load_width(shape.value_bytes, values, i) : 0;
    }
    return same_contents(s);
}

static bool export_pairs(struct slab_scene *s, const struct frame_launch *lanes)
{
    enum { MOST = SLAB_MOST_VALUES };
    uint64_t keys[MOST], values[MOST], pairs = 0;
    slab_call_clear(s);
    const struct slab_transfer transfer = {.shape = s->t.shape, .keys = keys, .values = values, .pairs_n = &pairs};
    s->call.args.transfer = transfer;
    s->call.args.batch.n = s->t.view.buckets + 1 + (uint64_t)slab_blocks(&s->t.view.pool) * SLAB_BLOCK_UNITS;
    slab_explored.exported += (uint64_t)s->before.stored;
    slab_explored.all.items[SLAB_export] += (uint64_t)s->before.stored;
    return slab_launch_kernel(s, lanes, SLAB_export) && exported_check(s, pairs, keys, values);
}

bool slab_scene_survey(struct slab_scene *s, const struct frame_launch *l)
{
    const struct frame_launch lanes = lanes_of(l);
    const struct counters *c = &s->f.counters;
    slab_call_clear(s);
    s->call.args.transfer.from = s->t.base_memory;
    s->call.args.batch.n = s->t.view.buckets + 1;
    slab_explored.all.items[SLAB_survey] += s->call.args.batch.n;
    if (!slab_launch_kernel(s, &lanes, SLAB_survey)) return false;
    if (c->distinct != (uint64_t)s->before.stored || c->moved != (uint64_t)s->before.dead ||
        c->evicted != s->call.args.batch.n + (uint64_t)s->before.chained || c->longest != (uint64_t)s->before.longest)
        return wrong_say("surveyed %" PRIu64 " of %d pairs, %" PRIu64 " of %d tombstones, %" PRIu64 " slabs, %" PRIu64 " of %d",
                         c->distinct, s->before.stored, c->moved, s->before.dead, c->evicted, c->longest, s->before.longest);
    return export_pairs(s, &lanes);
}

/* ---- A scene of all operations --------------------------------------------------------------- */

static bool play_one(struct slab_scene *s, struct frame_launch l)
{
    static const enum slab_operation batches[] = {SLAB_insert, SLAB_insert, SLAB_apply, SLAB_apply, SLAB_erase, SLAB_find};
    const uint32_t what = dice_below(&s->f.dice, 9);
    l.tiles = 2 + (int)dice_below(&s->f.dice, l.size == 1 ? 6 : l.size == 32 ? 2 : 4);
    return what < 6    ? slab_scene_batch(s, &l, batches[what])
           : what == 6 ? slab_scene_every(s, &l)
           : what == 7 ? slab_scene_rebuild(s, &l)
                       : slab_scene_survey(s, &l);
}

#define SHAPE_VALUE(name, ...) shape_##name(),

const char *slab_explore(const struct frame_scenario *scenario)
{
    const struct shape all[] = {SLAB_SHAPES(SHAPE_VALUE)};
    static struct slab_scene s;
    const struct frame_launch l = {scenario->driver, scenario->size, 2, scenario->weak};
    struct slab_sizes sizes;
    slab_scene_begin(&s, (const struct slab_stamped *)scenario->kernels,
                     mix64(scenario->seed) ^ ((uint64_t)scenario->shape << 16 | (uint64_t)l.driver << 8 | (uint64_t)l.size));
    slab_table_draw_sizes(&sizes, &s.f.dice);
    s.churn = (int)(4 * dice_below(&s.f.dice, 3));
    slab_scene_make(&s, all[scenario->shape], &sizes, 0, 0);
    bool ok = slab_table_walk(&s.t, &s.before) && slab_scene_batch(&s, &l, SLAB_insert);
    for (int i = 0; ok && i < 12; i++) ok = play_one(&s, l);
    slab_table_free(&s.t);
    return ok ? NULL : wrong_text();
}
