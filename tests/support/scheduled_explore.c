/* One scenario of the scheduled machine: a small table through every operation and mode. */
#include "support/scheduled_explore.h"

#include "support/reference.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MOST_ITEMS = 2 * MOST_KEYS, MOST_FEW = 6, CROWD = 24, BUDGET = 50000000 };

/* ---- Names ---------------------------------------------------------------------------------------------------------------------- */

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

/* ---- Batches -------------------------------------------------------------------------------------------------------------------- */

enum { CLAIM_BITS = 64 /* few: keys that share a bit must occur, too */ };

/* A batch by its keys' places in the universe, and the arrays that kernels see: just as long as they must be. */
struct items {
    int n;
    int key[MOST_ITEMS];
    roost_value value[MOST_ITEMS];
    void *keys, *values_in, *values_out;
    uint8_t *statuses, *found;
    uint32_t *list[3]; /* what fill, evict and path park */
    uint64_t list_n[3];
    uint32_t claims[CLAIM_BITS / 32];
};

struct scene {
    const struct scenario *scenario;
    struct explored *explored;
    struct dice dice;
    struct scheduled_table t;
    struct scheduled_watch watch;
    struct counters counters; /* of the last operation */
    roost_type type;          /* of the table's values */
};

static void *array_make(size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory) abort();
    memset(memory, 0xee, bytes);
    return memory;
}

static void items_free(struct items *items)
{
    free(items->keys);
    free(items->values_in);
    free(items->values_out);
    free(items->statuses);
    free(items->found);
    for (int i = 0; i < 3; i++) free(items->list[i]);
}

/* Small numbers as often as large ones; whole and small in floats, so that sums are exact in every order. */
static roost_value draw_value(struct dice *dice, roost_type type)
{
    const int small = (int)dice_below(dice, 17) - 8;
    switch (type) {
    case ROOST_TYPE_NONE: return 0;
    case ROOST_TYPE_F32: return bits_f32((float)small);
    case ROOST_TYPE_F64: return bits_f64((double)small);
    case ROOST_TYPE_U64:
    case ROOST_TYPE_I64: return dice_below(dice, 2) ? (uint64_t)(int64_t)small : dice_draw(dice);
    default: return (uint32_t)(dice_below(dice, 2) ? (uint64_t)(int64_t)small : dice_draw(dice));
    }
}

/* A key by chance; absent ones are preferred where inserts of one key should meet in full homes. */
static int draw_key(struct scene *s, bool absent)
{
    int key;
    for (int tries = 0; tries < 8; tries++) {
        key = (int)dice_below(&s->dice, (uint32_t)s->t.keys);
        if (!absent || !s->t.stored[key]) break;
    }
    return key;
}

/* At most `most` items and at least a quarter of that, with duplicates: half of the batches draw half of their items from few keys,
 * a crowd all of them. */
static void items_make(struct scene *s, struct items *items, roost_type type, int most, bool crowded)
{
    const struct scheduled_table *t = &s->t;
    const uint32_t few_n = crowded ? 1 + dice_below(&s->dice, 3) : dice_below(&s->dice, 2) ? 1 + dice_below(&s->dice, MOST_FEW) : 0;
    int few[MOST_FEW];
    for (uint32_t i = 0; i < few_n; i++) few[i] = draw_key(s, true);
    memset(items, 0, sizeof *items);
    items->n = most / 4 + 1 + (int)dice_below(&s->dice, (uint32_t)(most - most / 4));
    const size_t n = (size_t)items->n, values_bytes = n * (size_t)t->shape.value_bytes;
    items->keys = array_make(n * (size_t)t->shape.key_bytes);
    items->values_in = array_make(values_bytes);
    items->values_out = array_make(values_bytes);
    items->statuses = (uint8_t *)array_make(n);
    items->found = (uint8_t *)array_make(n);
    for (int i = 0; i < 3; i++) items->list[i] = (uint32_t *)array_make(n * sizeof(uint32_t));
    for (int i = 0; i < items->n; i++) {
        items->key[i] = few_n && (crowded || dice_below(&s->dice, 2)) ? few[dice_below(&s->dice, few_n)] : draw_key(s, false);
        items->value[i] = draw_value(&s->dice, type);
        store_width(t->shape.key_bytes, items->keys, (uint64_t)i, t->key[items->key[i]]);
        if (t->shape.value_bytes) store_width(t->shape.value_bytes, items->values_in, (uint64_t)i, items->value[i]);
    }
}

/* ---- Kernels -------------------------------------------------------------------------------------------------------------------- */

static const char *const operation_names[] = {"find", "erase", "fill",   "evict",    "path",
                                              "grow", "halve", "export", "estimate", "spill"};
static const char *const driver_names_here[] = {"lane", "tile", "cooperative", "vote"};

static struct dycuckoo_args args_of(struct scene *s, const struct items *items)
{
    struct dycuckoo_args args;
    memset(&args, 0, sizeof args);
    memset(&s->counters, 0, sizeof s->counters);
    args.view = s->t.view;
    args.batch.counters = &s->counters;
    args.batch.park_status = ROOST_ITEM_FULL;
    args.transfer.shape = s->t.shape;
    if (!items) return args;
    args.batch.n = (uint64_t)items->n;
    args.batch.keys = items->keys;
    args.batch.values_in = items->values_in;
    args.batch.statuses = items->statuses;
    return args;
}

/* How a kernel is launched. */
struct launch {
    enum dycuckoo_operation operation;
    enum dycuckoo_driver driver;
    int size, tiles;
};

static bool launch(struct scene *s, const struct launch l, const struct dycuckoo_args *args)
{
    const bool inserts = l.operation == DYCUCKOO_fill || l.operation == DYCUCKOO_evict || l.operation == DYCUCKOO_path;
    const size_t scratch = l.operation == DYCUCKOO_path ? DYCUCKOO_SCRATCH_path(s->t.shape.slots) : 0;
    const struct scheduled_plan plan = {
        dice_draw(&s->dice), l.size, l.tiles, BUDGET, scratch, inserts ? scheduled_watch_look : NULL, &s->watch};
    const struct scheduled_call call = {*args, s->t.shape, l.driver, l.size};
    if (inserts) scheduled_watch_begin(&s->watch, &s->t, &call.args.view);
    const char *report = scheduled_run(&plan, s->scenario->kernels->run[l.operation], &call);
    s->explored->points += scheduled_numbers().points;
    s->explored->switches += scheduled_numbers().switches;
    if (!report) return true;
    return scheduled_wrong(&s->t, "%s, %s: %s", operation_names[l.operation], driver_names_here[l.driver], report);
}

static void count_items(struct scene *s, enum dycuckoo_driver driver, int cell, uint64_t n)
{
    s->explored->items[s->scenario->shape][driver][bit_lowest32((uint32_t)s->scenario->size)][cell] += n;
}

/* Launches with the scenario's driver and tile: several tiles at once. */
static bool launch_here(struct scene *s, enum dycuckoo_operation operation, int cell, const struct dycuckoo_args *args)
{
    const struct scenario *scenario = s->scenario;
    const bool buckets = operation >= DYCUCKOO_grow && operation <= DYCUCKOO_export;
    const int most = scenario->size == 1 ? 7 : scenario->size == 32 ? 2 : 3;
    const struct launch l = {operation, buckets ? DRIVER_tile : scenario->driver, scenario->size,
                             2 + (int)dice_below(&s->dice, (uint32_t)most)};
    count_items(s, l.driver, cell, args->batch.order_n ? *args->batch.order_n : args->batch.n);
    return launch(s, l, args);
}

/* What came and went, by the kernels' counters. */
static void counts_take(struct scene *s)
{
    for (int i = 0; i <= MAX_SUBTABLES; i++) s->t.count[i] += s->counters.stored[i];
    s->explored->tidy_batches += s->t.view.tidy;
    s->explored->untidy += s->counters.untidy > 0;
    if (s->counters.untidy || s->counters.erased) s->t.view.tidy = 0;
    s->explored->evicted += s->counters.evicted;
    s->explored->put_back[s->scenario->driver][bit_lowest32((uint32_t)s->scenario->size)] += s->counters.put_back;
}

/* ---- Insert --------------------------------------------------------------------------------------------------------------------- */

static void pass_over(struct dycuckoo_args *args, struct items *items, int from, int to)
{
    memset(items->claims, 0, sizeof items->claims);
    args->view.claims = items->claims;
    args->view.claim_bits = CLAIM_BITS;
    items->list_n[to] = 0;
    args->batch.order = from < 0 ? NULL : items->list[from];
    args->batch.order_n = from < 0 ? NULL : &items->list_n[from];
    args->batch.leftover = items->list[to];
    args->batch.leftover_n = &items->list_n[to];
}

/* What spilled gets another chance, by one lane alone, as after a growth step; moves may bring room within the search's bound, so it is
 * repeated until a pass places nothing: FULL is true then. */
static bool last_chances(struct scene *s, struct items *items, struct dycuckoo_args *args)
{
    const struct launch fill = {DYCUCKOO_fill, DRIVER_tile, 1, 1}, evict = {DYCUCKOO_evict, DRIVER_tile, 1, 1},
                        path = {DYCUCKOO_path, DRIVER_tile, 1, 1};
    const uint64_t inserted = s->counters.inserted;
    uint64_t before;
    do {
        before = items->list_n[2];
        pass_over(args, items, 2, 0);
        if (!launch(s, fill, args)) return false;
        pass_over(args, items, 0, 1);
        if (!launch(s, evict, args)) return false;
        pass_over(args, items, 1, 2);
        if (!launch(s, path, args)) return false;
    } while (items->list_n[2] < before);
    s->explored->late += s->counters.inserted - inserted;
    s->explored->full += before;
    return true;
}

/* As the policy does: fill, evict over what fill parked, path over what evict parked. */
static bool insert_passes(struct scene *s, struct items *items, struct dycuckoo_args *args)
{
    const int mode = args->batch.mode;
    pass_over(args, items, -1, 0);
    if (!launch_here(s, DYCUCKOO_fill, CELL_fill + mode, args)) return false;
    pass_over(args, items, 0, 1);
    if (!launch_here(s, DYCUCKOO_evict, CELL_evict + mode, args)) return false;
    pass_over(args, items, 1, 2);
    return launch_here(s, DYCUCKOO_path, CELL_path + mode, args) && last_chances(s, items, args);
}

/* What the items of one key ended as. */
struct outcome {
    int items, inserted, updated, full, other;
    roost_value value; /* of the item that was inserted */
};

static struct outcome outcome_of(const struct items *items, int key, uint8_t updated)
{
    struct outcome o = {0, 0, 0, 0, 0, 0};
    for (int i = 0; i < items->n; i++) {
        if (items->key[i] != key) continue;
        o.items++;
        if (items->statuses[i] == ROOST_ITEM_INSERTED) o.inserted++, o.value = items->value[i];
        else if (items->statuses[i] == updated) o.updated++;
        else if (items->statuses[i] == ROOST_ITEM_FULL) o.full++;
        else o.other++;
    }
    return o;
}

static bool outcome_right(const struct outcome *o, bool was_stored)
{
    if (o->other) return false;
    if (was_stored) return o->updated == o->items;
    return (o->inserted == 1 && o->full == 0) || o->full == o->items;
}

/* The value that a key must have: the first, combined with those of the items that updated it; ASSIGN leaves any of them. */
static bool value_right(const struct items *items, const struct dycuckoo_args *args, int key, roost_value first, bool was_stored,
                        roost_value is)
{
    const roost_mode mode = (roost_mode)args->batch.mode;
    bool skipped = was_stored;
    for (int i = 0; i < items->n; i++) {
        if (items->key[i] != key) continue;
        if (mode == ROOST_ASSIGN && items->value[i] == is) return true;
        if (!skipped && items->statuses[i] == ROOST_ITEM_INSERTED) skipped = true;
        else first = reference_combine(mode, (roost_type)args->batch.value_type, args->batch.saturate, first, items->value[i]);
    }
    return mode != ROOST_ASSIGN && first == is;
}

static bool insert_check_key(struct scene *s, const struct items *items, const struct dycuckoo_args *args, int key,
                             const struct contents *contents)
{
    struct scheduled_table *t = &s->t;
    const uint8_t updated = args->batch.mode == ROOST_KEEP ? ROOST_ITEM_KEPT : ROOST_ITEM_UPDATED;
    const struct outcome o = outcome_of(items, key, updated);
    const bool was_stored = t->stored[key], is_stored = was_stored || o.inserted;
    if (o.items == 0) return true;
    if (!outcome_right(&o, was_stored))
        return scheduled_wrong(t, "%d items of key %" PRIx64 ", which was %s: %d inserted, %d updated or kept, %d full, %d others",
                               o.items, t->key[key], was_stored ? "stored" : "absent", o.inserted, o.updated, o.full, o.other);
    if (contents->stored[key] != is_stored)
        return scheduled_wrong(t, "key %" PRIx64 " should%s be stored", t->key[key], is_stored ? "" : " not");
    if (is_stored && t->shape.value_bytes &&
        !value_right(items, args, key, was_stored ? t->value[key] : o.value, was_stored, contents->value[key]))
        return scheduled_wrong(t, "key %" PRIx64 " has the value %" PRIx64 ", which mode %d does not give", t->key[key],
                               contents->value[key], args->batch.mode);
    t->stored[key] = is_stored;
    t->value[key] = contents->value[key];
    return true;
}

static uint64_t status_count(const struct items *items, uint8_t status)
{
    uint64_t n = 0;
    for (int i = 0; i < items->n; i++) n += items->statuses[i] == status;
    return n;
}

static bool insert_check(struct scene *s, const struct items *items, const struct dycuckoo_args *args)
{
    struct contents contents;
    counts_take(s);
    if (!scheduled_table_walk(&s->t, &contents)) return false;
    for (int key = 0; key < s->t.keys; key++)
        if (!insert_check_key(s, items, args, key, &contents)) return false;
    if (s->counters.inserted != status_count(items, ROOST_ITEM_INSERTED) ||
        s->counters.updated != status_count(items, ROOST_ITEM_UPDATED) + status_count(items, ROOST_ITEM_KEPT))
        return scheduled_wrong(&s->t, "the counters say %" PRIu64 " inserted and %" PRIu64 " updated, the statuses do not",
                               s->counters.inserted, s->counters.updated);
    return scheduled_table_check(&s->t);
}

/* ---- Estimate ------------------------------------------------------------------------------------------------------------------- */

static int bits_set(const uint32_t *map, int words)
{
    int n = 0;
    for (int i = 0; i < words; i++) n += __builtin_popcount(map[i]);
    return n;
}

static int distinct_keys(const struct items *items)
{
    bool seen[MOST_KEYS] = {false};
    int n = 0;
    for (int i = 0; i < items->n; i++) n += !seen[items->key[i]], seen[items->key[i]] = true;
    return n;
}

/* Each bit that became set is counted by one lane alone, however many lanes set it at the same time; a second run finds them all. */
static bool estimate(struct scene *s, const struct items *items)
{
    enum { WORDS = 2 /* few: keys that share a bit must occur, too */ };
    uint32_t map[WORDS] = {0}, once[WORDS];
    struct dycuckoo_args args = args_of(s, items);
    args.transfer.to = (unsigned char *)map;
    args.transfer.to_buckets = 32 * WORDS;
    if (s->scenario->driver > DRIVER_tile) return true;
    if (!launch_here(s, DYCUCKOO_estimate, CELL_estimate, &args)) return false;
    const int set = bits_set(map, WORDS), distinct = distinct_keys(items);
    if (s->counters.distinct != (uint64_t)set || set < 1 || set > distinct)
        return scheduled_wrong(&s->t, "%d bits set by %d keys, %" PRIu64 " of them counted", set, distinct, s->counters.distinct);
    memcpy(once, map, sizeof once);
    s->counters.distinct = 0;
    if (!launch_here(s, DYCUCKOO_estimate, CELL_estimate, &args)) return false;
    return (s->counters.distinct == 0 && !memcmp(once, map, sizeof once)) ||
           scheduled_wrong(&s->t, "a second run set %" PRIu64 " more bits", s->counters.distinct);
}

/* ---- Insert, one batch ---------------------------------------------------------------------------------------------------------- */

static roost_type draw_type(struct scene *s)
{
    static const roost_type narrow[] = {ROOST_TYPE_U32, ROOST_TYPE_I32, ROOST_TYPE_F32},
                            wide[] = {ROOST_TYPE_U64, ROOST_TYPE_I64, ROOST_TYPE_F64};
    const uint32_t i = dice_below(&s->dice, 3);
    return s->t.shape.value_bytes == 0 ? ROOST_TYPE_NONE : s->t.shape.value_bytes == 4 ? narrow[i] : wide[i];
}

static bool insert(struct scene *s, roost_mode mode, bool crowded)
{
    struct items items;
    const roost_type type = s->type;
    scheduled_table_weigh(&s->t, &s->dice);
    items_make(s, &items, type, crowded ? CROWD : s->t.keys * 2 - 1, crowded);
    bool ok = estimate(s, &items);
    struct dycuckoo_args args = args_of(s, &items);
    args.batch.mode = (uint8_t)mode;
    args.batch.value_type = (uint8_t)type;
    args.batch.saturate = (type == ROOST_TYPE_U32 || type == ROOST_TYPE_U64) && dice_below(&s->dice, 2);
    ok = ok && insert_passes(s, &items, &args) && insert_check(s, &items, &args);
    items_free(&items);
    return ok;
}

/* ---- Find and erase ------------------------------------------------------------------------------------------------------------- */

static bool find_check(struct scene *s, const struct items *items)
{
    const struct scheduled_table *t = &s->t;
    for (int i = 0; i < items->n; i++) {
        const int key = items->key[i];
        const uint8_t status = t->stored[key] ? ROOST_ITEM_FOUND : ROOST_ITEM_ABSENT;
        if (items->statuses[i] != status || items->found[i] != t->stored[key])
            return scheduled_wrong(&s->t, "find of key %" PRIx64 ", which is %s: status %d, found %d", t->key[key],
                                   t->stored[key] ? "stored" : "absent", items->statuses[i], items->found[i]);
        if (!t->shape.value_bytes) continue;
        const roost_value untouched = t->shape.value_bytes == 8 ? 0xeeeeeeeeeeeeeeeeULL : 0xeeeeeeeeULL;
        const roost_value got = load_width(t->shape.value_bytes, items->values_out, (uint64_t)i);
        if (got != (t->stored[key] ? t->value[key] : untouched))
            return scheduled_wrong(&s->t, "find of key %" PRIx64 " gave %" PRIx64, t->key[key], got);
    }
    return true;
}

/* Two homes: two reads at most. */
static bool reads_check(struct scene *s)
{
    const uint64_t most = s->t.shape.homes == 2 ? 2 : s->t.view.subtables;
    return s->counters.max_bucket_reads <= most ||
           scheduled_wrong(&s->t, "%" PRIu64 " bucket reads of one item", s->counters.max_bucket_reads);
}

static bool find(struct scene *s)
{
    struct items items;
    items_make(s, &items, ROOST_TYPE_NONE, s->t.keys, false);
    struct dycuckoo_args args = args_of(s, &items);
    args.batch.values_in = NULL;
    args.batch.values_out = s->t.shape.value_bytes ? items.values_out : NULL;
    args.batch.found = items.found;
    const bool ok =
        launch_here(s, DYCUCKOO_find, CELL_find, &args) && find_check(s, &items) && reads_check(s) && scheduled_table_check(&s->t);
    items_free(&items);
    return ok;
}

static bool erase_check(struct scene *s, const struct items *items)
{
    struct scheduled_table *t = &s->t;
    for (int key = 0; key < t->keys; key++) {
        int n = 0, erased = 0, absent = 0;
        for (int i = 0; i < items->n; i++) {
            if (items->key[i] != key) continue;
            n++;
            erased += items->statuses[i] == ROOST_ITEM_ERASED;
            absent += items->statuses[i] == ROOST_ITEM_ABSENT;
        }
        if (erased + absent != n || erased != (n > 0 && t->stored[key]))
            return scheduled_wrong(t, "%d erases of key %" PRIx64 ", which was %s: %d report it", n, t->key[key],
                                   t->stored[key] ? "stored" : "absent", erased);
        if (n) t->stored[key] = false;
    }
    if (s->counters.erased != status_count(items, ROOST_ITEM_ERASED))
        return scheduled_wrong(t, "the counter of erased keys is not the statuses'");
    return scheduled_table_check(t);
}

static bool erase(struct scene *s, int most)
{
    struct items items;
    items_make(s, &items, ROOST_TYPE_NONE, most, false);
    struct dycuckoo_args args = args_of(s, &items);
    args.batch.values_in = NULL;
    bool ok = launch_here(s, DYCUCKOO_erase, CELL_erase, &args) && reads_check(s);
    counts_take(s);
    ok = ok && erase_check(s, &items);
    items_free(&items);
    return ok;
}

/* ---- Resizing ------------------------------------------------------------------------------------------------------------------- */

/* A subtable by chance among the lowest (or highest) ones. */
static uint32_t draw_subtable(struct scene *s, bool lowest)
{
    const struct scheduled_table *t = &s->t;
    uint32_t limit = t->level[0], i;
    for (i = 1; i < t->view.subtables; i++)
        if (lowest ? t->level[i] < limit : t->level[i] > limit) limit = t->level[i];
    do i = dice_below(&s->dice, t->view.subtables);
    while (t->level[i] != limit);
    return i;
}

static struct dycuckoo_args transfer_of_subtable(struct scene *s, uint32_t i, const struct dycuckoo_subtable *to)
{
    struct dycuckoo_args args = args_of(s, NULL);
    args.transfer.sub = i;
    args.transfer.from = s->t.view.sub[i].buckets;
    args.transfer.to = to->buckets;
    args.view.sub[i] = *to;
    return args;
}

static void subtable_replace(struct scene *s, uint32_t i, const struct dycuckoo_subtable *by)
{
    scheduled_subtable_free(&s->t.view.sub[i]);
    s->t.view.sub[i] = *by;
}

/* The doubled subtable's memory holds a pattern: the kernel must write all of it. */
static bool grow(struct scene *s)
{
    const uint32_t i = draw_subtable(s, true);
    const struct dycuckoo_subtable *old = &s->t.view.sub[i];
    const struct dycuckoo_subtable doubled = scheduled_subtable_make(s->t.shape, old->bucket_count * 2, 0x5a, old->weight);
    struct dycuckoo_args args = transfer_of_subtable(s, i, &doubled);
    args.batch.n = old->bucket_count;
    const bool ok = launch_here(s, DYCUCKOO_grow, CELL_grow, &args);
    subtable_replace(s, i, &doubled);
    s->t.level[i]++;
    s->t.view.tidy = 0;
    if (ok && s->counters.moved != s->t.count[i])
        return scheduled_wrong(&s->t, "growing moved %" PRIu64 " pairs of %" PRIu64, s->counters.moved, s->t.count[i]);
    return ok && scheduled_table_check(&s->t);
}

/* The residuals go to their other homes, or (*done is false) those that did are erased there again. */
static bool residuals_place(struct scene *s, struct dycuckoo_args *args, struct items *lists, bool *done)
{
    args->view.excluded = args->transfer.sub;
    args->batch.keys = args->transfer.keys;
    args->batch.values_in = args->transfer.values;
    args->batch.mode = ROOST_KEEP;
    args->batch.value_type = ROOST_TYPE_U32;
    pass_over(args, lists, -1, 1);
    if (!launch_here(s, DYCUCKOO_evict, CELL_evict + ROOST_KEEP, args)) return false;
    pass_over(args, lists, 1, 2);
    if (!launch_here(s, DYCUCKOO_path, CELL_path + ROOST_KEEP, args)) return false;
    args->batch.order = NULL;
    args->batch.order_n = NULL;
    *done = lists->list_n[2] == 0;
    return *done || launch_here(s, DYCUCKOO_erase, CELL_erase, args);
}

static bool halve_into(struct scene *s, uint32_t i, const struct dycuckoo_subtable *half, uint64_t *residuals, bool *done)
{
    const size_t room = s->t.count[i];
    struct items lists; /* its index lists alone */
    struct dycuckoo_args args = transfer_of_subtable(s, i, half);
    memset(&lists, 0, sizeof lists);
    lists.keys = args.transfer.keys = array_make(room * (size_t)s->t.shape.key_bytes);
    lists.values_in = args.transfer.values = array_make(room * (size_t)s->t.shape.value_bytes);
    for (int k = 0; k < 3; k++) lists.list[k] = (uint32_t *)array_make(room * sizeof(uint32_t));
    args.transfer.pairs_n = residuals;
    args.batch.n = half->bucket_count;
    bool ok = launch_here(s, DYCUCKOO_halve, CELL_halve, &args);
    if (ok && s->counters.moved + *residuals != room)
        ok = scheduled_wrong(&s->t, "halving moved %" PRIu64 " pairs and left %" PRIu64, s->counters.moved, *residuals);
    args.batch.n = *residuals;
    *done = true;
    if (ok && *residuals) ok = residuals_place(s, &args, &lists, done);
    items_free(&lists);
    return ok;
}

static bool halve(struct scene *s)
{
    uint64_t residuals = 0;
    bool done;
    const uint32_t i = draw_subtable(s, false);
    if (s->t.level[i] == 0) return true;
    struct dycuckoo_subtable *old = &s->t.view.sub[i];
    struct dycuckoo_subtable half = scheduled_subtable_make(s->t.shape, old->bucket_count / 2, 0, old->weight);
    const bool ok = halve_into(s, i, &half, &residuals, &done);
    counts_take(s);
    s->t.view.tidy = 0; /* residuals and evictions left vacancies */
    s->explored->halvings_with_residuals += residuals > 0;
    s->explored->undone_halvings += !done;
    if (!ok || !done) {
        scheduled_subtable_free(&half);
        return ok && scheduled_table_check(&s->t);
    }
    subtable_replace(s, i, &half);
    s->t.level[i]--;
    s->t.count[i] -= residuals;
    return scheduled_table_check(&s->t);
}

/* ---- Export --------------------------------------------------------------------------------------------------------------------- */

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
        if (times != 1)
            return scheduled_wrong(t, "key %" PRIx64 " came %d times out of an export with its value", t->key[key], times);
    }
    return n == stored || scheduled_wrong(t, "%" PRIu64 " pairs exported of %" PRIu64, n, stored);
}

static bool export_pairs(struct scene *s)
{
    uint64_t n = 0;
    bool ok = true;
    void *keys = array_make(MOST_KEYS * 8), *values = array_make(MOST_KEYS * 8);
    for (uint32_t i = 0; ok && i <= MAX_SUBTABLES; i++) {
        if (!s->t.view.sub[i].buckets) continue;
        struct dycuckoo_args args = args_of(s, NULL);
        args.transfer.sub = i;
        args.transfer.from = s->t.view.sub[i].buckets;
        args.transfer.keys = keys;
        args.transfer.values = values;
        args.transfer.pairs_n = &n;
        args.batch.n = s->t.view.sub[i].bucket_count;
        ok = launch_here(s, DYCUCKOO_export, CELL_export, &args);
    }
    ok = ok && export_check(s, keys, values, n);
    free(keys);
    free(values);
    return ok;
}

/* ---- The scenario --------------------------------------------------------------------------------------------------------------- */

/* Inserts of very few keys crowd into homes that are full, with some room elsewhere: they evict for the same key at the same time. */
static bool crowd(struct scene *s) { return erase(s, 4) && insert(s, (roost_mode)dice_below(&s->dice, 5), true); }

static bool play(struct scene *s)
{
    const uint32_t first = dice_below(&s->dice, 5), only_inserts = dice_below(&s->dice, 4); /* so long a table may stay tidy */
    bool ok = true;
    for (uint32_t i = 0; ok && i < 5; i++) {
        ok = insert(s, (roost_mode)((first + i) % 5), false);
        if (ok && i % 2 == 0 && i >= only_inserts) ok = erase(s, s->t.keys / 2);
        if (ok && i == 1) ok = find(s);
        if (ok && i == 2) ok = dice_below(&s->dice, 2) ? grow(s) : halve(s);
        if (ok && i == 3) ok = halve(s) && export_pairs(s);
    }
    for (uint32_t i = 0; ok && i < 8; i++) ok = crowd(s);
    return ok && find(s);
}

const char *explore(const struct scenario *scenario, struct explored *explored)
{
    static struct scene s;
    s.scenario = scenario;
    s.explored = explored;
    s.dice.state =
        mix64(scenario->seed) ^ ((uint64_t)scenario->shape << 16 | (uint64_t)scenario->driver << 8 | (uint64_t)scenario->size);
    scheduled_table_make(&s.t, scheduled_shape(scenario->shape), &s.dice);
    s.type = draw_type(&s);
    const bool ok = play(&s);
    scheduled_table_free(&s.t);
    return ok ? NULL : s.t.wrong;
}
