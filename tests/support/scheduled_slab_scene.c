/* Batches over a small slab table on the scheduled machine. */
#include "support/scheduled_slab_scene.h"

#include "support/linear.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUDGET = 4000000 };

static const char *const operation_names[] = {"find",       "insert",    "erase",   "apply",  "every", "findslab",
                                              "insertslab", "applyslab", "rebuild", "survey", "export"};

/* ---- Batches -------------------------------------------------------------------------------------------------------------------- */

void slab_item_set(struct slab_scene *s, int i, int key, uint8_t operation, roost_value value)
{
    struct slab_items *items = &s->items;
    const struct shape shape = s->t.shape;
    items->key[i] = key;
    items->operations[i] = operation;
    items->value[i] = shape.value_bytes == 8 ? value : shape.value_bytes ? (uint32_t)value : 0;
    store_width(shape.key_bytes, items->keys, (uint64_t)i, s->t.key[key]);
    if (shape.value_bytes) store_width(shape.value_bytes, items->values_in, (uint64_t)i, items->value[i]);
}

static bool inserts(enum slab_operation operation) { return operation == SLAB_insert || operation == SLAB_apply; }

void slab_call_clear(struct slab_scene *s)
{
    memset(&s->counters, 0, sizeof s->counters);
    memset(&s->call.args, 0, sizeof s->call.args);
    s->call.shape = s->t.shape;
    s->call.churn = 0;
    s->call.args.view = s->t.view;
    s->call.args.batch.counters = &s->counters;
    s->call.args.batch.park_status = ROOST_ITEM_FULL;
    s->call.args.batch.saturate = s->saturate;
    s->call.args.batch.value_type = s->t.shape.value_bytes == 8 ? ROOST_TYPE_U64 : ROOST_TYPE_U32;
    s->call.args.transfer.shape = s->t.shape;
}

void slab_batch_call(struct slab_scene *s, enum slab_operation operation, bool parks)
{
    struct slab_items *items = &s->items;
    struct batch *b = &s->call.args.batch;
    const struct slab_pair dirt = {s->t.key[s->t.keys - 1], 77};
    slab_call_clear(s);
    memset(items->statuses, 0xee, sizeof items->statuses);
    memset(items->found, 0xee, sizeof items->found);
    memset(items->stamps, 0, sizeof items->stamps);
    memset(items->list_n, 0, sizeof items->list_n);
    s->t.wants_flush = s->t.exhausted = 0;
    b->n = (uint64_t)items->n;
    b->keys = items->keys;
    b->statuses = items->statuses;
    b->stamps = items->stamps;
    if (operation == SLAB_find || operation == SLAB_apply) b->values_out = items->values_out, b->found = items->found;
    if (inserts(operation)) b->values_in = items->values_in, s->call.churn = s->churn, s->call.dirt = dirt;
    if (operation == SLAB_insert) b->mode = (uint8_t)(items->operations[0] - ROOST_OP_INSERT);
    b->takes = 0xffff;
    if (operation == SLAB_apply) b->operations = items->operations;
    if (parks) b->leftover = items->list[0], b->leftover_n = &items->list_n[0];
}

struct scheduled_plan slab_plan(struct slab_scene *s, const struct slab_launch *l, enum slab_operation operation)
{
    const bool watched = inserts(operation) || operation == SLAB_erase;
    const struct scheduled_plan plan = {dice_draw(&s->dice), l->size, l->tiles, BUDGET, 0, watched ? slab_watch_look : NULL,
                                        &s->watch,           l->weak, true};
    s->call.driver = l->driver;
    s->call.size = l->size;
    if (l->weak) s->call.args.batch.stamps = NULL; /* they order a tile's accesses, and there is no real time to respect */
    if (watched) slab_watch_begin(&s->watch, &s->t, s->call.churn == 0);
    return plan;
}

static enum slab_operation kernel_of(const struct slab_scene *s, enum slab_operation operation)
{
    if (!s->whole) return operation;
    return operation == SLAB_find     ? SLAB_findslab
           : operation == SLAB_insert ? SLAB_insertslab
           : operation == SLAB_apply  ? SLAB_applyslab
                                      : operation;
}

bool slab_launch_kernel(struct slab_scene *s, const struct slab_launch *l, enum slab_operation operation)
{
    const struct scheduled_plan plan = slab_plan(s, l, operation);
    const char *report = scheduled_run(&plan, s->stamped->run[kernel_of(s, operation)], &s->call);
    s->explored->points += scheduled_numbers().points;
    s->explored->switches += scheduled_numbers().switches;
    return !report || slab_wrong(&s->t, "%s: %s", operation_names[kernel_of(s, operation)], report);
}

/* ---- Results -------------------------------------------------------------------------------------------------------------------- */

static int status_count(const struct slab_items *items, uint8_t status)
{
    int n = 0;
    for (int i = 0; i < items->n; i++) n += items->statuses[i] == status;
    return n;
}

static bool counter_check(struct slab_scene *s, const char *name, uint64_t counter, int64_t wanted)
{
    return (int64_t)counter == wanted ||
           slab_wrong(&s->t, "the counter of %s says %" PRId64 ", not %" PRId64, name, (int64_t)counter, wanted);
}

/* Counters tell what the statuses and the walk do. */
static bool counters_check(struct slab_scene *s)
{
    const struct counters *c = &s->counters;
    const struct slab_items *items = &s->items;
    const int inserted = status_count(items, ROOST_ITEM_INSERTED), erased = status_count(items, ROOST_ITEM_ERASED);
    const int linked = s->after.chained - s->before.chained;
    const int full = s->call.args.batch.leftover ? 0 : status_count(items, ROOST_ITEM_FULL);
    s->explored->linked += c->linked;
    s->explored->reused += c->reused;
    s->explored->put_back += c->put_back;
    return counter_check(s, "inserted", c->inserted, inserted) && counter_check(s, "erased", c->erased, erased) &&
           counter_check(s, "updated", c->updated,
                         status_count(items, ROOST_ITEM_UPDATED) + status_count(items, ROOST_ITEM_KEPT)) &&
           counter_check(s, "stored", c->stored[0], inserted - erased) && counter_check(s, "linked", c->linked, linked) &&
           counter_check(s, "reused", c->reused, erased - (s->after.dead - s->before.dead)) &&
           counter_check(s, "failed", c->failed, full) &&
           counter_check(s, "longest", linked && c->longest != (uint64_t)s->after.longest && s->after.longest > s->before.longest,
                         0);
}

/* What a find says beside its status. */
static bool found_check(struct slab_scene *s)
{
    const struct batch *b = &s->call.args.batch;
    for (int i = 0; b->found && i < s->items.n; i++)
        if (b->found[i] != (s->items.statuses[i] == ROOST_ITEM_FOUND))
            return slab_wrong(&s->t, "item %d: status %d, found %d", i, s->items.statuses[i], b->found[i]);
    return true;
}

static struct linear_op linear_of(const struct slab_scene *s, int i, bool weak)
{
    const struct slab_items *items = &s->items;
    const int bytes = s->t.shape.value_bytes;
    const struct linear_op op = {
        .argument = items->value[i],
        .value = bytes && items->statuses[i] == ROOST_ITEM_FOUND ? load_width(bytes, items->values_out, (uint64_t)i) : 0,
        .invoked = weak ? 0 : items->stamps[i].invoked,
        .responded = weak ? UINT64_MAX : items->stamps[i].responded,
        .operation = items->operations[i],
        .status = items->statuses[i],
        .saturates = s->saturate};
    return op;
}

static const char *op_text(char *text, size_t room, const struct linear_op *op)
{
    snprintf(text, room, " [%" PRIu64 "-%" PRIu64 " operation %d of %" PRIx64 ": status %d, %" PRIx64 "]", op->invoked,
             op->responded, op->operation, op->argument, op->status, op->value);
    return text;
}

static bool key_wrong(struct slab_scene *s, int key, const struct linear_op *ops, int n)
{
    char text[4000], one[160];
    int at = snprintf(text, sizeof text, "key %" PRIx64 ", %d and then %d times stored (%" PRIx64 ", %" PRIx64 "):", s->t.key[key],
                      s->before.n[key], s->after.n[key], s->before.value[key][0], s->after.value[key][0]);
    for (int i = 0; i < n && at < 3800; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "%s", op_text(one, sizeof one, &ops[i]));
    return slab_wrong(&s->t, "no order explains %s", text);
}

static struct linear_state state_of(const struct slab_contents *c, int key)
{
    const struct linear_state state = {c->n[key] > 0, c->n[key] ? c->value[key][0] : 0};
    return state;
}

static bool key_check(struct slab_scene *s, struct linear *linear, int key, struct linear_op *ops, int n)
{
    const struct linear_state from = state_of(&s->before, key), to = state_of(&s->after, key);
    return linear_check(linear, ops, (size_t)n, from, to) != LINEAR_NO || key_wrong(s, key, ops, n);
}

static bool has_value(const struct slab_contents *c, int key, uint64_t value)
{
    for (int i = 0; i < c->n[key]; i++)
        if (c->value[key][i] == value) return true;
    return false;
}

static bool was_appended(const struct linear_op *ops, int n, uint64_t value)
{
    for (int i = 0; i < n; i++)
        if (ops[i].status == ROOST_ITEM_INSERTED && ops[i].argument == value) return true;
    return false;
}

/* Multimaps: pairs that come and go add up, no value is made up, and who finds nothing may have found nothing. */
static bool multi_key_check(struct slab_scene *s, int key, const struct linear_op *ops, int n)
{
    int came = 0, went = 0, missed = 0;
    bool ok = true;
    for (int i = 0; i < n; i++) {
        came += ops[i].status == ROOST_ITEM_INSERTED;
        went += ops[i].status == ROOST_ITEM_ERASED;
        missed += ops[i].status == ROOST_ITEM_ABSENT;
        ok &= ops[i].operation == ROOST_OP_APPEND  ? ops[i].status == ROOST_ITEM_INSERTED || ops[i].status == ROOST_ITEM_FULL
              : ops[i].operation == ROOST_OP_ERASE ? ops[i].status == ROOST_ITEM_ERASED || ops[i].status == ROOST_ITEM_ABSENT
                                                   : ops[i].status == ROOST_ITEM_FOUND || ops[i].status == ROOST_ITEM_ABSENT;
        if (ops[i].status == ROOST_ITEM_FOUND) ok &= has_value(&s->before, key, ops[i].value) || was_appended(ops, n, ops[i].value);
    }
    for (int i = 0; i < s->after.n[key]; i++)
        ok &= has_value(&s->before, key, s->after.value[key][i]) || was_appended(ops, n, s->after.value[key][i]);
    ok &= s->after.n[key] == s->before.n[key] + came - went && (!missed || s->before.n[key] <= went);
    return ok || key_wrong(s, key, ops, n);
}

static bool results_check(struct slab_scene *s, bool weak)
{
    const uint64_t mask = s->t.shape.value_bytes == 8 ? ~0ULL : s->t.shape.value_bytes ? 0xffffffffULL : 0;
    struct linear *linear = linear_new(mask, LINEAR_PLACES);
    struct linear_op ops[SLAB_MOST_ITEMS];
    bool ok = found_check(s);
    for (int key = 0; ok && key < s->t.keys; key++) {
        int n = 0;
        for (int i = 0; i < s->items.n; i++)
            if (s->items.key[i] == key) ops[n++] = linear_of(s, i, weak);
        ok = s->t.view.multi ? multi_key_check(s, key, ops, n) : key_check(s, linear, key, ops, n);
    }
    linear_free(linear);
    return ok;
}

/* ---- Those without room --------------------------------------------------------------------------------------------------------- */

/* Those that found no room alone: no unit is left, and their lists are full. */
static bool refused_check(struct slab_scene *s)
{
    for (uint64_t i = 0; i < s->items.list_n[1]; i++) {
        struct item item;
        item.key = s->t.key[s->items.key[s->items.list[1][i]]];
        slab_place(s->t.shape, &s->t.view, &item);
        if (s->after.taken != s->t.sizes.units || s->after.list[item.home[0].index].empty)
            return slab_wrong(&s->t, "%" PRIu64 " items found no room; %d of %d units are taken, and a list has %d EMPTY slots",
                              s->items.list_n[1], s->after.taken, s->t.sizes.units, s->after.list[item.home[0].index].empty);
    }
    return true;
}

/* Once the policy has looked, by a lane alone: who finds no room now is right. */
static bool parked_again(struct slab_scene *s, enum slab_operation operation)
{
    static const struct slab_launch alone = {DRIVER_lane, 1, 1, false};
    struct batch *b = &s->call.args.batch;
    const uint64_t n = s->items.list_n[0];
    s->explored->parked += n;
    s->explored->flush_wanted += s->t.wants_flush;
    s->t.exhausted = s->t.wants_flush = 0;
    s->call.args.view.flush_length = UINT32_MAX;
    s->call.churn = 0;
    b->order = s->items.list[0];
    b->n = n;
    b->leftover = s->items.list[1];
    b->leftover_n = &s->items.list_n[1];
    const bool ok = slab_launch_kernel(s, &alone, operation);
    for (uint64_t i = 0; i < n; i++) {
        struct item_stamp *stamp = &s->items.stamps[s->items.list[0][i]]; /* they are after all others */
        stamp->responded = UINT64_MAX;
    }
    return ok && slab_table_walk(&s->t, &s->after) && refused_check(s);
}

/* Unique tables, whose tombstones stay: a list of mostly tombstones that is long enough gets no further slab if its items can wait, and a
 * flush is asked for where there is such a list. */
static bool flush_check(struct slab_scene *s)
{
    const int slots = s->t.shape.slots, waits = s->call.args.batch.leftover != NULL;
    bool asks = false;
    for (uint32_t i = 0; i <= s->t.view.buckets && !s->t.view.multi; i++) {
        const int was = s->before.list[i].slabs, is = s->after.list[i].slabs;
        asks |= waits && (uint32_t)is >= s->t.view.flush_length && 2 * s->after.list[i].dead > slots * was;
        if (waits && is > was && (uint32_t)was >= s->t.view.flush_length && 2 * s->before.list[i].dead > slots * was)
            return slab_wrong(&s->t, "list %" PRIu32 " of tombstones grew from %d to %d slabs", i, was, is);
    }
    return asks || s->t.view.multi || !s->t.wants_flush ||
           slab_wrong(&s->t, "a flush is asked for, and no list is mostly tombstones");
}

bool slab_batch_check(struct slab_scene *s, enum slab_operation operation, bool weak)
{
    const int full = status_count(&s->items, ROOST_ITEM_FULL);
    bool ok = slab_table_walk(&s->t, &s->after);
    if (ok && s->call.args.batch.leftover && (uint64_t)full != s->items.list_n[0])
        ok = slab_wrong(&s->t, "%d items are FULL, and %" PRIu64 " parked", full, s->items.list_n[0]);
    ok = ok && flush_check(s);
    if (ok && s->items.list_n[0]) ok = parked_again(s, operation);
    ok = ok && counters_check(s) && results_check(s, weak);
    s->before = s->after;
    return ok;
}

/* ---- Operations ------------------------------------------------------------------------------------------------------------------- */

/* Mostly distinct keys, or few of them, or many times those that look like marks, until their list needs slabs; values that are small, so
 * that they coincide, or of all bits. */
static void items_draw(struct slab_scene *s, enum slab_operation operation)
{
    const bool marks = dice_below(&s->dice, 4) == 0, crowded = !marks && dice_below(&s->dice, 3) == 0;
    const uint32_t keys = marks ? 2 : crowded ? 1 + dice_below(&s->dice, 4) : (uint32_t)s->t.keys;
    const uint32_t from = marks ? 0 : dice_below(&s->dice, (uint32_t)s->t.keys - keys + 1),
                   most = crowded ? 24 : SLAB_MOST_ITEMS - 1;
    uint8_t one = s->t.view.multi ? ROOST_OP_APPEND : (uint8_t)(ROOST_OP_INSERT + dice_below(&s->dice, 5));
    if (operation == SLAB_find || operation == SLAB_erase) one = operation == SLAB_find ? ROOST_OP_FIND : ROOST_OP_ERASE;
    s->items.n = 1 + (int)dice_below(&s->dice, most);
    for (int i = 0; i < s->items.n; i++) {
        const int shift = dice_below(&s->dice, 2) ? 61 : 0;
        const uint64_t value = dice_draw(&s->dice) >> shift;
        uint8_t op = one;
        if (operation == SLAB_apply && dice_below(&s->dice, 2)) op = (uint8_t)dice_below(&s->dice, 2);
        else if (operation == SLAB_apply && !s->t.view.multi) op = (uint8_t)(ROOST_OP_INSERT + dice_below(&s->dice, 5));
        slab_item_set(s, i, (int)(from + dice_below(&s->dice, keys)), op, value);
    }
}

bool slab_scene_batch(struct slab_scene *s, const struct slab_launch *l, enum slab_operation operation)
{
    items_draw(s, operation);
    s->saturate = dice_below(&s->dice, 2);
    s->whole = dice_below(&s->dice, 3) == 0;
    s->explored->items[kernel_of(s, operation)] += (uint64_t)s->items.n;
    slab_batch_call(s, operation, inserts(operation) && dice_below(&s->dice, 4));
    return slab_launch_kernel(s, l, operation) && slab_batch_check(s, operation, l->weak);
}
