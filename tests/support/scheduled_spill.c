/* The spill list on the scheduled machine: its four roles, several lanes at once. Finds and
 * erases run as after the table's own kernel found nothing, joins as before a fill, puts as
 * after a path pass that placed nothing. */
#include "support/scheduled_scene.h"

#include <inttypes.h>
#include <stdlib.h>

enum { FEW_KEYS = 6 /* no universe has fewer */, FEW_ITEMS = 24, LITTLE_ROOM = 12 };

struct spill {
    struct dycuckoo_spill list;
    struct dycuckoo_spill_entries *entries;
    uint64_t others; /* live entries with keys outside the universe */
};

/* ---- The list -------------------------------------------------------------------------------- */

static roost_key draw_other_key(struct scene *s)
{
    roost_key key;
    do key = dice_draw(&s->dice) >> (64 - 8 * s->t.shape.key_bytes);
    while (frame_key_index(s->t.key, s->t.keys, key) >= 0);
    return key;
}

/* Adds earlier entries: erased ones, which a key of the universe may have left, and live ones of
 * other keys. */
static void spill_prefill(struct scene *s, struct spill *l, uint64_t n)
{
    struct dycuckoo_spill_entries *e = l->entries;
    for (uint64_t i = 0; i < n; i++) {
        const bool gone = dice_below(&s->dice, 2);
        e->key[i] = gone ? s->t.key[dice_below(&s->dice, (uint32_t)s->t.keys)] : draw_other_key(s);
        e->value[i] = dice_draw(&s->dice);
        e->gone[i] = gone;
        l->list.erased += gone;
    }
    l->list.n = n;
    l->others = n - l->list.erased;
}

/* Makes a list that is empty, has some entries, or is nearly full. The last is rarer, because
 * every look through such a list is long. */
static void spill_make(struct scene *s, struct spill *l)
{
    const uint32_t kind = dice_below(&s->dice, 8), little = 1 + dice_below(&s->dice, LITTLE_ROOM);
    memset(l, 0, sizeof *l);
    l->entries = (struct dycuckoo_spill_entries *)scene_array(sizeof *l->entries);
    spill_prefill(s, l, kind < 3 ? 0 : kind < 6 ? little : DYCUCKOO_SPILL_ROOM - little);
}

static bool walk_entry(struct scene *s, const struct spill *l, uint64_t i, struct contents *contents, uint64_t *others)
{
    const roost_key key = l->entries->key[i];
    const int at = frame_key_index(s->t.key, s->t.keys, key);
    if (at < 0) ++*others;
    if (at < 0) return true;
    if (contents->stored[at]) return wrong_say("key %" PRIx64 " is in the spill list twice, or in the table, too", key);
    contents->stored[at] = true;
    if (s->t.shape.value_bytes) contents->value[at] = load_width(s->t.shape.value_bytes, &l->entries->value[i], 0);
    return true;
}

/* Collects what the table and the list hold. Checks that the lock is free, that the counts are
 * right, and that the entries of other keys are in place. */
static bool spill_walk(struct scene *s, const struct spill *l, struct contents *contents)
{
    uint64_t others = 0, gone = 0;
    if (!scheduled_table_walk(&s->t, contents)) return false;
    if (l->list.lock) return wrong_say("the spill list's lock is held after the kernel");
    if (l->list.n > DYCUCKOO_SPILL_ROOM) return wrong_say("the spill list has %" PRIu64 " entries", l->list.n);
    for (uint64_t i = 0; i < l->list.n; i++) {
        gone += l->entries->gone[i];
        if (!l->entries->gone[i] && !walk_entry(s, l, i, contents, &others)) return false;
    }
    return (gone == l->list.erased && others == l->others) ||
           wrong_say("%" PRIu64 " entries of the spill list are erased and %" PRIu64 " other keys', not %" PRIu64 " and %" PRIu64,
                     gone, others, l->list.erased, l->others);
}

/* Checks that table and list hold what the reference says. */
static bool spill_check(struct scene *s, const struct spill *l)
{
    struct contents contents;
    if (!spill_walk(s, l, &contents)) return false;
    for (int i = 0; i < s->t.keys; i++)
        if (contents.stored[i] != s->t.stored[i] ||
            (s->t.stored[i] && s->t.shape.value_bytes && contents.value[i] != s->t.value[i]))
            return wrong_say("key %" PRIx64 " is not in the table or the spill list as it should be", s->t.key[i]);
    return true;
}

static bool spill_launch(struct scene *s, struct spill *l, uint32_t role, int cell, struct dycuckoo_args *args)
{
    args->spilling.list = &l->list;
    args->spilling.entries = l->entries;
    args->spilling.shape = s->t.shape;
    args->spilling.role = role;
    return scene_launch_here(s, DYCUCKOO_spill, cell, args);
}

/* ---- Find and erase -------------------------------------------------------------------------- */

/* Sets the results that the table's own kernel left. */
static void items_absent(struct items *items)
{
    memset(items->statuses, ROOST_ITEM_ABSENT, (size_t)items->n);
    memset(items->found, 0, (size_t)items->n);
}

static bool spill_find_all(struct scene *s, struct spill *l)
{
    struct items items;
    items_make(s, &items, ROOST_TYPE_NONE, FEW_ITEMS, false);
    items_absent(&items);
    struct dycuckoo_args args = scene_args(s, &items);
    args.batch.values_in = NULL;
    args.batch.values_out = s->t.shape.value_bytes ? items.values_out : NULL;
    args.batch.found = items.found;
    const bool ok = spill_launch(s, l, SPILL_FIND, CELL_spill_find, &args) && scene_find_check(s, &items) && spill_check(s, l);
    items_free(&items);
    return ok;
}

static bool spill_erase_some(struct scene *s, struct spill *l, int most)
{
    struct items items;
    items_make(s, &items, ROOST_TYPE_NONE, most, false);
    items_absent(&items);
    struct dycuckoo_args args = scene_args(s, &items);
    args.batch.values_in = NULL;
    const bool ok = spill_launch(s, l, SPILL_ERASE, CELL_spill_erase, &args) && scene_erase_check(s, &items) && spill_check(s, l);
    items_free(&items);
    return ok;
}

/* ---- Join and put ---------------------------------------------------------------------------- */

static bool updates_check(struct scene *s, const struct spill *l, const struct items *items, const struct dycuckoo_args *args)
{
    struct contents contents;
    return spill_walk(s, l, &contents) && scene_insert_check(s, items, args, &contents) && spill_check(s, l);
}

/* Checks that each item outside the list is parked once. If the list is empty, no item is
 * parked, and the batch goes on unchanged. */
static bool parked_check(const struct spill *l, const struct items *items, uint64_t all_n)
{
    const uint64_t n = (uint64_t)items->n, parked = l->list.n ? items_status_count(items, ROOST_ITEM_FULL) : 0;
    int times[MOST_ITEMS] = {0};
    if (all_n != (l->list.n ? 0 : n) || items->list_n[0] != parked)
        return wrong_say("a join parked %" PRIu64 " items of %" PRIu64 " and handed on %" PRIu64, items->list_n[0], parked, all_n);
    for (uint64_t i = 0; i < parked; i++) times[items->list[0][i]]++;
    for (int i = 0; parked && i < items->n; i++)
        if (times[i] != (items->statuses[i] == ROOST_ITEM_FULL)) return wrong_say("a join parked item %d %d times", i, times[i]);
    return true;
}

static bool spill_join(struct scene *s, struct spill *l, roost_mode mode)
{
    struct items items;
    uint64_t all_n = UINT64_MAX;
    items_make(s, &items, s->type, FEW_ITEMS, false);
    /* Items whose keys are not in the list keep this status. */
    memset(items.statuses, ROOST_ITEM_FULL, (size_t)items.n);
    struct dycuckoo_args args = scene_insert_args(s, &items, mode);
    args.spilling.all_n = &all_n;
    args.batch.leftover = items.list[0];
    args.batch.leftover_n = &items.list_n[0];
    const bool ok = spill_launch(s, l, SPILL_JOIN, CELL_join + (int)mode, &args) && updates_check(s, l, &items, &args) &&
                    parked_check(l, &items, all_n);
    items_free(&items);
    return ok;
}

/* Parks most of the items, in another order than the batch's, as a path pass does; the others
 * count as placed. */
static void items_spill(struct scene *s, struct items *items)
{
    uint32_t *order = items->list[0];
    for (uint32_t i = 0; i < (uint32_t)items->n; i++) {
        const uint32_t j = dice_below(&s->dice, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    items->list_n[0] = (uint64_t)items->n - dice_below(&s->dice, (uint32_t)items->n / 4 + 1);
    memset(items->statuses, ROOST_ITEM_FULL, (size_t)items->n);
    for (uint64_t i = items->list_n[0]; i < (uint64_t)items->n; i++) {
        items->key[order[i]] = -1; /* the checks skip this item */
        items->statuses[order[i]] = ROOST_ITEM_NONE;
    }
}

static bool put_check(struct scene *s, const struct spill *l, const struct items *items, uint64_t parked)
{
    const uint64_t failed = items_status_count(items, ROOST_ITEM_FULL);
    explored.spill_failed += failed;
    if (failed && l->entries && l->list.n < DYCUCKOO_SPILL_ROOM) return wrong_say("a put failed, and there was room");
    return (s->counters.failed == failed && s->counters.parked == parked && s->counters.spilled == items->list_n[0]) ||
           wrong_say("the counters say %" PRIu64 " parked, %" PRIu64 " spilled and %" PRIu64 " failed, not %" PRIu64 ", %" PRIu64
                     " and %" PRIu64,
                     s->counters.parked, s->counters.spilled, s->counters.failed, parked, items->list_n[0], failed);
}

static bool spill_put_all(struct scene *s, struct spill *l, roost_mode mode)
{
    struct items items;
    items_make(s, &items, s->type, FEW_ITEMS, dice_below(&s->dice, 2));
    items_spill(s, &items);
    struct dycuckoo_args args = scene_insert_args(s, &items, mode);
    const uint64_t parked = args.batch.n, n = l->list.n;
    args.spilling.order = items.list[0];
    args.spilling.order_n = &items.list_n[0];
    args.spilling.parked = &parked;
    bool ok = spill_launch(s, l, SPILL_PUT, CELL_put + (int)mode, &args) && updates_check(s, l, &items, &args) &&
              put_check(s, l, &items, parked);
    if (ok && l->list.n != n + s->counters.inserted) ok = wrong_say("the spill list's length is wrong");
    items_free(&items);
    return ok;
}

/* ---- One list -------------------------------------------------------------------------------- */

static bool spill_play(struct scene *s, struct spill *l)
{
    const uint32_t first = dice_below(&s->dice, 5);
    bool ok = true;
    for (uint32_t i = 0; ok && i < 5; i++) {
        ok = spill_join(s, l, (roost_mode)((first + 2 * i) % 5)) && spill_put_all(s, l, (roost_mode)((first + i) % 5));
        ok = ok && spill_find_all(s, l) && spill_erase_some(s, l, i % 2 ? FEW_ITEMS : FEW_KEYS);
    }
    return ok;
}

static void table_empty(struct scheduled_table *t)
{
    for (int i = 0; i <= MAX_SUBTABLES; i++)
        if (t->view.sub[i].buckets)
            memset(t->view.sub[i].buckets, i == SPECIAL ? 0xff : 0, t->view.sub[i].bucket_count * shape_bucket_bytes(t->shape));
    memset(t->count, 0, sizeof t->count);
    memset(t->stored, 0, sizeof t->stored);
}

/* A table that may not grow has no list: items that are not in the table fail. */
static bool put_nowhere(struct scene *s)
{
    struct spill none;
    memset(&none, 0, sizeof none);
    return spill_put_all(s, &none, (roost_mode)dice_below(&s->dice, 5));
}

/* A key that the table holds by now, because another item with it found a path, must not enter
 * the list. */
static bool put_beside_table(struct scene *s)
{
    struct spill l;
    spill_make(s, &l);
    const bool ok = spill_put_all(s, &l, (roost_mode)dice_below(&s->dice, 5));
    free(l.entries);
    return ok;
}

bool scene_spill(struct scene *s)
{
    struct spill l;
    if (!put_nowhere(s) || !put_beside_table(s)) return false;
    table_empty(&s->t);
    /* few, so that many items meet at one key */
    s->t.keys = 2 + (int)dice_below(&s->dice, FEW_KEYS - 1);
    spill_make(s, &l);
    const bool ok = spill_play(s, &l);
    free(l.entries);
    return ok;
}
