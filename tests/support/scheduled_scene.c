/* The table, batches and kernels of a scenario on the scheduled machine. */
#include "support/scheduled_scene.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MOST_FEW = 6, BUDGET = 50000000 };

/* ---- Batches --------------------------------------------------------------------------------- */

void *scene_array(size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory) abort();
    memset(memory, 0xee, bytes);
    return memory;
}

void items_free(struct items *items)
{
    free(items->keys);
    free(items->values_in);
    free(items->values_out);
    free(items->statuses);
    free(items->found);
    for (int i = 0; i < 3; i++) free(items->list[i]);
}

/* Small numbers as often as large ones. Floats are small whole numbers, so that sums are exact
 * in every order. */
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

/* A random key. Absent ones are preferred where inserts of one key are to meet in full homes. */
static int draw_key(struct scene *s, bool absent)
{
    int key;
    for (int tries = 0; tries < 8; tries++) {
        key = (int)dice_below(&s->dice, (uint32_t)s->t.keys);
        if (!absent || !s->t.stored[key]) break;
    }
    return key;
}

void items_make(struct scene *s, struct items *items, roost_type type, int most, bool crowded)
{
    const struct scheduled_table *t = &s->t;
    const uint32_t few_n = crowded ? 1 + dice_below(&s->dice, 3) : dice_below(&s->dice, 2) ? 1 + dice_below(&s->dice, MOST_FEW) : 0;
    int few[MOST_FEW];
    for (uint32_t i = 0; i < few_n; i++) few[i] = draw_key(s, true);
    memset(items, 0, sizeof *items);
    items->n = most / 4 + 1 + (int)dice_below(&s->dice, (uint32_t)(most - most / 4));
    const size_t n = (size_t)items->n, values_bytes = n * (size_t)t->shape.value_bytes;
    items->keys = scene_array(n * (size_t)t->shape.key_bytes);
    items->values_in = scene_array(values_bytes);
    items->values_out = scene_array(values_bytes);
    items->statuses = (uint8_t *)scene_array(n);
    items->found = (uint8_t *)scene_array(n);
    for (int i = 0; i < 3; i++) items->list[i] = (uint32_t *)scene_array(n * sizeof(uint32_t));
    for (int i = 0; i < items->n; i++) {
        items->key[i] = few_n && (crowded || dice_below(&s->dice, 2)) ? few[dice_below(&s->dice, few_n)] : draw_key(s, false);
        items->value[i] = draw_value(&s->dice, type);
        store_width(t->shape.key_bytes, items->keys, (uint64_t)i, t->key[items->key[i]]);
        if (t->shape.value_bytes) store_width(t->shape.value_bytes, items->values_in, (uint64_t)i, items->value[i]);
    }
}

uint64_t items_status_count(const struct items *items, uint8_t status)
{
    uint64_t n = 0;
    for (int i = 0; i < items->n; i++) n += items->statuses[i] == status;
    return n;
}

void items_pass_over(struct dycuckoo_args *args, struct items *items, int from, int to)
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

/* ---- Results of a batch ---------------------------------------------------------------------- */

bool scene_find_check(struct scene *s, const struct items *items)
{
    struct scheduled_table *t = &s->t;
    for (int i = 0; i < items->n; i++) {
        const int key = items->key[i];
        const uint8_t status = t->stored[key] ? ROOST_ITEM_FOUND : ROOST_ITEM_ABSENT;
        if (items->statuses[i] != status || items->found[i] != t->stored[key])
            return wrong_say("find of key %" PRIx64 ", which is %s: status %d, found %d", t->key[key],
                             t->stored[key] ? "stored" : "absent", items->statuses[i], items->found[i]);
        if (!t->shape.value_bytes) continue;
        const roost_value untouched = t->shape.value_bytes == 8 ? 0xeeeeeeeeeeeeeeeeULL : 0xeeeeeeeeULL;
        const roost_value got = load_width(t->shape.value_bytes, items->values_out, (uint64_t)i);
        if (got != (t->stored[key] ? t->value[key] : untouched))
            return wrong_say("find of key %" PRIx64 " gave %" PRIx64, t->key[key], got);
    }
    return true;
}

bool scene_erase_check(struct scene *s, const struct items *items)
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
            return wrong_say("%d erases of key %" PRIx64 ", which was %s: %d report it", n, t->key[key],
                             t->stored[key] ? "stored" : "absent", erased);
        if (n) t->stored[key] = false;
    }
    if (s->counters.erased != items_status_count(items, ROOST_ITEM_ERASED))
        return wrong_say("the counter of erased keys is not the statuses'");
    return true;
}

/* ---- Kernels --------------------------------------------------------------------------------- */

static const char *const operation_names[] = {"find", "erase", "fill", "evict", "path", "resize", "export", "estimate", "spill"};
static const char *const driver_names_here[] = {"lane", "tile", "cooperative", "vote"};

struct dycuckoo_args scene_args(struct scene *s, const struct items *items)
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

uint64_t scheduled_put_back;

bool scene_launch(struct scene *s, const struct launch l, const struct dycuckoo_args *args)
{
    const bool inserts = l.operation == DYCUCKOO_fill || l.operation == DYCUCKOO_evict || l.operation == DYCUCKOO_path;
    const size_t scratch = l.operation == DYCUCKOO_path ? DYCUCKOO_SCRATCH_path : 0;
    const struct scheduled_plan plan = {
        dice_draw(&s->dice), l.size, l.tiles, BUDGET, scratch, inserts ? scheduled_watch_look : NULL, &s->watch,
        s->scenario->weak,   false};
    const struct scheduled_call call = {*args, s->t.shape, l.driver, l.size};
    if (inserts) scheduled_watch_begin(&s->watch, &s->t, &call.args.view);
    const struct scheduled_kernels *kernels = (const struct scheduled_kernels *)s->scenario->kernels;
    const uint64_t counted = s->counters.put_back, before = scheduled_put_back;
    const char *report = scheduled_run(&plan, kernels->run[l.operation], &call);
    explored.points += scheduled_numbers().points;
    explored.switches += scheduled_numbers().switches;
    if (!report)
        return s->counters.put_back - counted == scheduled_put_back - before ||
               wrong_say("%s: the counter of items that were put back is not the steps'", operation_names[l.operation]);
    return wrong_say("%s, %s: %s", operation_names[l.operation], driver_names_here[l.driver], report);
}

static void count_items(struct scene *s, enum driver driver, int cell, uint64_t n)
{
    explored.items[s->scenario->shape][driver][bit_lowest32((uint32_t)s->scenario->size)][cell] += n;
}

bool scene_launch_here(struct scene *s, enum dycuckoo_operation operation, int cell, const struct dycuckoo_args *args)
{
    const struct frame_scenario *scenario = s->scenario;
    const bool buckets = operation >= DYCUCKOO_resize && operation <= DYCUCKOO_export;
    const int most = scenario->size == 1 ? 7 : scenario->size == 32 ? 2 : 3;
    const struct launch l = {operation, buckets ? DRIVER_tile : scenario->driver, scenario->size,
                             2 + (int)dice_below(&s->dice, (uint32_t)most)};
    count_items(s, l.driver, cell, args->batch.order_n ? *args->batch.order_n : args->batch.n);
    return scene_launch(s, l, args);
}

void scene_counts_take(struct scene *s)
{
    for (int i = 0; i <= MAX_SUBTABLES; i++) s->t.count[i] += s->counters.stored[i];
    explored.tidy_batches += s->t.view.tidy;
    explored.untidy += s->counters.untidy > 0;
    if (s->counters.untidy || s->counters.erased) s->t.view.tidy = 0;
    explored.evicted += s->counters.evicted;
    explored.put_back[s->scenario->driver][bit_lowest32((uint32_t)s->scenario->size)] += s->counters.put_back;
}
