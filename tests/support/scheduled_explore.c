/* One scenario of the scheduled machine: a small table through every operation and mode. */
#include "support/scheduled_scene.h"

#include <inttypes.h>

struct explored explored;

/* ---- Names ----------------------------------------------------------------------------------- */

#define SHAPE_VALUE(name, ...) shape_##name(),
#define SHAPE_TEXT(name, ...) #name,

struct shape scheduled_shape(enum dycuckoo_shape shape)
{
    const struct shape all[] = {DYCUCKOO_SHAPES(SHAPE_VALUE)};
    return all[shape];
}

const char *scheduled_shape_name(enum dycuckoo_shape shape)
{
    static const char *const names[] = {DYCUCKOO_SHAPES(SHAPE_TEXT)};
    return names[shape];
}

/* ---- Find and erase -------------------------------------------------------------------------- */

/* At most one read of each home. */
static bool reads_check(struct scene *s)
{
    const uint64_t most = s->t.shape.homes == 2 ? 2 : s->t.view.subtables;
    return s->counters.max_bucket_reads <= most || wrong_say("%" PRIu64 " bucket reads of one item", s->counters.max_bucket_reads);
}

/* A key that is absent takes one read of each home; in a tidy table a vacancy ends the search
 * earlier. */
static bool misses_check(struct scene *s, const struct items *items)
{
    const uint64_t all = s->t.shape.homes == 2 ? 2 : s->t.view.subtables;
    return s->t.view.tidy || !items_status_count(items, ROOST_ITEM_ABSENT) || s->counters.max_bucket_reads == all ||
           wrong_say("at most %" PRIu64 " bucket reads, though a key is absent", s->counters.max_bucket_reads);
}

/* Every item was invoked and then responded; no two of these events have the same time. */
static bool stamps_check(const struct items *items)
{
    for (int i = 0; i < items->n; i++) {
        const struct item_stamp *stamp = &items->stamps[i];
        if (!stamp->invoked || stamp->invoked >= stamp->responded || stamp->responded >= items->clock)
            return wrong_say("item %d was invoked at %" PRIu64 " and responded at %" PRIu64, i, stamp->invoked, stamp->responded);
    }
    return items->clock == 1 + 2 * (uint64_t)items->n || wrong_say("%" PRIu64 " stamps", items->clock - 1);
}

static bool find(struct scene *s)
{
    struct items items;
    items_make(s, &items, ROOST_TYPE_NONE, s->t.keys, false);
    struct dycuckoo_args args = scene_args(s, &items);
    args.batch.values_in = NULL;
    args.batch.values_out = s->t.shape.value_bytes ? items.values_out : NULL;
    args.batch.found = items.found;
    args.batch.stamps = items.stamps;
    args.batch.clock = &items.clock;
    items.clock = 1;
    const bool ok = scene_launch_here(s, DYCUCKOO_find, CELL_find, &args) && scene_find_check(s, &items) && stamps_check(&items) &&
                    reads_check(s) && misses_check(s, &items) && scheduled_table_check(&s->t);
    items_free(&items);
    return ok;
}

static bool erase(struct scene *s, int most)
{
    struct items items;
    items_make(s, &items, ROOST_TYPE_NONE, most, false);
    struct dycuckoo_args args = scene_args(s, &items);
    args.batch.values_in = NULL;
    bool ok = scene_launch_here(s, DYCUCKOO_erase, CELL_erase, &args) && reads_check(s);
    scene_counts_take(s);
    ok = ok && scene_erase_check(s, &items) && scheduled_table_check(&s->t);
    items_free(&items);
    return ok;
}

/* ---- The scenario ---------------------------------------------------------------------------- */

/* Inserts of very few distinct keys crowd into full homes while other buckets have room: several
 * items evict for the same key at the same time. */
static bool crowd(struct scene *s) { return erase(s, 4) && scene_insert(s, (roost_mode)dice_below(&s->dice, 5), true); }

static roost_type draw_type(struct scene *s)
{
    static const roost_type narrow[] = {ROOST_TYPE_U32, ROOST_TYPE_I32, ROOST_TYPE_F32},
                            wide[] = {ROOST_TYPE_U64, ROOST_TYPE_I64, ROOST_TYPE_F64};
    const uint32_t i = dice_below(&s->dice, 3);
    return s->t.shape.value_bytes == 0 ? ROOST_TYPE_NONE : s->t.shape.value_bytes == 4 ? narrow[i] : wide[i];
}

static bool play(struct scene *s)
{
    /* The table may stay tidy for this many rounds. */
    const uint32_t first = dice_below(&s->dice, 5), only_inserts = dice_below(&s->dice, 4);
    bool ok = true;
    for (uint32_t i = 0; ok && i < 5; i++) {
        ok = scene_insert(s, (roost_mode)((first + i) % 5), false);
        if (ok && i % 2 == 0 && i >= only_inserts) ok = erase(s, s->t.keys / 2);
        if (ok && i == 1) ok = find(s);
        if (ok && i == 2) ok = dice_below(&s->dice, 2) ? scene_grow(s) : scene_shrink(s);
        if (ok && i == 3) ok = scene_shrink(s) && scene_export(s);
    }
    for (uint32_t i = 0; ok && i < 8; i++) ok = crowd(s);
    /* The spill list's kernel is for the driver lane alone. */
    return ok && find(s) && (s->scenario->driver != DRIVER_lane || scene_spill(s));
}

const char *dycuckoo_explore(const struct frame_scenario *scenario)
{
    static struct scene s;
    s.scenario = scenario;
    s.dice.state =
        mix64(scenario->seed) ^ ((uint64_t)scenario->shape << 16 | (uint64_t)scenario->driver << 8 | (uint64_t)scenario->size);
    scheduled_table_make(&s.t, scheduled_shape((enum dycuckoo_shape)scenario->shape), &s.dice);
    s.type = draw_type(&s);
    const bool ok = play(&s);
    scheduled_table_free(&s.t);
    return ok ? NULL : wrong_text();
}
