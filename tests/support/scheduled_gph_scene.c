/* Batches over a small GPH table on the scheduled machine. */
#include "support/scheduled_gph_scene.h"

#include "support/linear.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUDGET = 4000000 };

static const char *const operation_names[] = {"find", "erase", "fill", "refine", "mend"};

/* ---- Kernels -------------------------------------------------------------------------------------------------------------------- */

void gph_item_set(struct gph_scene *s, int i, int key, roost_value value)
{
    const struct shape shape = s->t.shape;
    s->items.key[i] = key;
    s->items.value[i] = shape.value_bytes == 8 ? value : shape.value_bytes ? (uint32_t)value : 0;
    store_width(shape.key_bytes, s->items.keys, (uint64_t)i, s->t.key[key]);
    if (shape.value_bytes) store_width(shape.value_bytes, s->items.values_in, (uint64_t)i, s->items.value[i]);
}

void gph_call_clear(struct gph_scene *s)
{
    memset(&s->counters, 0, sizeof s->counters);
    memset(&s->call, 0, sizeof s->call);
    s->call.shape = s->t.shape;
    s->call.driver = DRIVER_tile;
    s->call.args.view = s->t.view;
    s->call.args.batch.counters = &s->counters;
    s->call.args.batch.park_status = ROOST_ITEM_FULL;
    s->call.args.batch.saturate = s->saturate;
    s->call.args.batch.value_type = s->t.shape.value_bytes == 8 ? ROOST_TYPE_U64 : ROOST_TYPE_U32;
    s->call.args.transfer.shape = s->t.shape;
}

void gph_batch_call(struct gph_scene *s, enum gph_operation operation, int from, int to)
{
    struct gph_items *items = &s->items;
    struct batch *b = &s->call.args.batch;
    gph_call_clear(s);
    memset(items->statuses, 0xee, sizeof items->statuses);
    b->n = from < 0 ? (uint64_t)items->n : items->list_n[from];
    b->order = from < 0 ? NULL : items->list[from];
    b->keys = items->keys;
    b->statuses = items->statuses;
    if (operation == GPH_erase) return;
    b->values_in = s->t.shape.value_bytes ? items->values_in : NULL;
    b->mode = (uint8_t)(items->operation - ROOST_OP_INSERT);
    items->list_n[to] = 0;
    b->leftover = items->list[to];
    b->leftover_n = &items->list_n[to];
}

/* The call is made: whose stamps its items have is known, of refine and mend. */
void gph_watch_launch(struct gph_scene *s, const struct gph_launch *l)
{
    const struct batch *b = &s->call.args.batch;
    gph_watch_begin(&s->watch, &s->t, l->operation == GPH_erase, l->size);
    for (uint32_t i = 0; i < b->n; i++) {
        const int whose = (int)(i % (uint32_t)l->tiles);
        if (l->operation == GPH_refine) gph_watch_stamp(&s->watch, (uint32_t)batch_index(b, i) + 1, whose);
        for (uint32_t k = 1; k <= 4 && l->operation == GPH_mend; k++) gph_watch_stamp(&s->watch, 4 * i + k, whose);
    }
}

struct scheduled_plan gph_plan(struct gph_scene *s, const struct gph_launch *l)
{
    const bool watched = !l->weak && !s->unwatched && l->operation != GPH_find;
    const struct scheduled_plan plan = {
        dice_draw(&s->dice), l->size, l->tiles, BUDGET, GPH_SCRATCH_refine(s->t.shape.word), watched ? gph_watch_look : NULL,
        &s->watch,           l->weak, false};
    s->call.size = l->size;
    if (watched) gph_watch_launch(s, l);
    return plan;
}

static void explored_add(struct gph_scene *s, const struct gph_launch *l)
{
    struct gph_explored *e = s->explored;
    e->items[l->operation] += s->call.args.batch.n;
    e->points += scheduled_numbers().points;
    e->switches += scheduled_numbers().switches;
    e->died += s->counters.died;
    e->put_back += s->counters.put_back;
    e->evicted += s->counters.evicted;
    e->delta_moves += s->counters.delta_moves;
    e->phi_moves += s->counters.phi_moves;
    if (l->operation == GPH_mend) e->mended -= s->counters.flagged;
}

bool gph_launch_kernel(struct gph_scene *s, const struct gph_launch *l)
{
    const struct scheduled_plan plan = gph_plan(s, l);
    scheduled_gph_kept = 0;
    const char *report = scheduled_run(&plan, s->stamped->run[l->operation], &s->call);
    explored_add(s, l);
    if (scheduled_gph_kept) return gph_wrong(&s->t, "%s: a step returned with a lock", operation_names[l->operation]);
    return !report || gph_wrong(&s->t, "%s: %s", operation_names[l->operation], report);
}

/* ---- Results -------------------------------------------------------------------------------------------------------------------- */

bool gph_counts_take(struct gph_scene *s)
{
    for (int i = 0; i <= GPH_SPECIAL; i++) s->t.count[i] += s->counters.stored[i];
    s->t.flagged += s->counters.flagged;
    return gph_table_walk(&s->t, &s->after);
}

/* The items that the kernel was given. */
static int item_at(const struct gph_scene *s, int i) { return s->call.args.batch.order ? (int)s->call.args.batch.order[i] : i; }

static uint64_t status_count(const struct gph_scene *s, uint8_t status)
{
    uint64_t n = 0;
    for (int i = 0; i < (int)s->call.args.batch.n; i++) n += s->items.statuses[item_at(s, i)] == status;
    return n;
}

static bool counters_check(struct gph_scene *s)
{
    const struct counters *c = &s->counters;
    const uint64_t updated = status_count(s, ROOST_ITEM_UPDATED) + status_count(s, ROOST_ITEM_KEPT);
    return (c->inserted == status_count(s, ROOST_ITEM_INSERTED) && c->updated == updated &&
            c->erased == status_count(s, ROOST_ITEM_ERASED) && c->failed == 0) ||
           gph_wrong(&s->t, "the counters say %" PRIu64 " inserted, %" PRIu64 " updated, %" PRIu64 " erased", c->inserted,
                     c->updated, c->erased);
}

/* Each item without room is in the list, once. */
static bool parked_check(struct gph_scene *s, int to)
{
    int times[GPH_MOST_ITEMS] = {0};
    if (s->items.list_n[to] != status_count(s, ROOST_ITEM_FULL))
        return gph_wrong(&s->t, "%" PRIu64 " items are parked", s->items.list_n[to]);
    for (uint64_t i = 0; i < s->items.list_n[to]; i++) times[s->items.list[to][i]]++;
    for (int i = 0; i < s->items.n; i++)
        if (times[i] > 1 || (times[i] && s->items.statuses[i] != ROOST_ITEM_FULL))
            return gph_wrong(&s->t, "item %d of status %d is parked", i, s->items.statuses[i]);
    return true;
}

/* Nothing becomes vacant in a fill, so what it parks is not there, and its bucket is full. */
static bool fill_parked_check(struct gph_scene *s, int to)
{
    s->explored->parked_by_fill += s->items.list_n[to];
    for (uint64_t i = 0; i < s->items.list_n[to]; i++) {
        const int key = s->items.key[s->items.list[to][i]];
        uint64_t taken = 0;
        for (int k = 0; k < s->t.keys; k++) taken += s->after.stored[k] && s->after.bucket[k] == gph_home(&s->t, key);
        if (s->after.stored[key] || taken < (uint64_t)s->t.shape.slots)
            return gph_wrong(&s->t, "a fill parked key %" PRIx64 ", for which there is room", s->t.key[key]);
    }
    return true;
}

static bool key_wrong(struct gph_scene *s, int key, const struct linear_op *ops, int n)
{
    char text[4000];
    int at = snprintf(text, sizeof text, "key %" PRIx64 ", stored %d and then %d (%" PRIx64 ", %" PRIx64 "):", s->t.key[key],
                      s->before.stored[key], s->after.stored[key], s->before.value[key], s->after.value[key]);
    for (int i = 0; i < n && at < 3900; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, " [operation %d of %" PRIx64 ": status %d]", ops[i].operation,
                       ops[i].argument, ops[i].status);
    return gph_wrong(&s->t, "no order explains %s", text);
}

static bool key_check(struct gph_scene *s, struct linear *linear, int key, struct linear_op *ops, int n)
{
    const struct linear_state from = {s->before.stored[key], s->before.value[key]},
                              to = {s->after.stored[key], s->after.value[key]};
    return linear_check(linear, ops, (size_t)n, from, to) != LINEAR_NO || key_wrong(s, key, ops, n);
}

static struct linear_op linear_of(const struct gph_scene *s, int i)
{
    const struct linear_op op = {.argument = s->items.value[i],
                                 .responded = UINT64_MAX,
                                 .operation = s->items.operation,
                                 .status = s->items.statuses[i],
                                 .saturates = s->saturate};
    return op;
}

/* The items of each key that have not been parked have an order.  All have a status. */
static bool results_check(struct gph_scene *s)
{
    const uint64_t mask = s->t.shape.value_bytes == 8 ? ~0ULL : s->t.shape.value_bytes ? 0xffffffffULL : 0;
    struct linear *linear = linear_new(mask, LINEAR_PLACES);
    struct linear_op ops[GPH_MOST_ITEMS];
    bool ok = true;
    for (int key = 0; ok && key < s->t.keys; key++) {
        int n = 0;
        for (int i = 0; i < (int)s->call.args.batch.n; i++) {
            const int item = item_at(s, i);
            if (s->items.key[item] == key && s->items.statuses[item] != ROOST_ITEM_FULL) ops[n++] = linear_of(s, item);
        }
        ok = key_check(s, linear, key, ops, n);
    }
    linear_free(linear);
    return ok;
}

bool gph_batch_check(struct gph_scene *s, const struct gph_launch *l, int to)
{
    bool ok = gph_counts_take(s) && counters_check(s);
    if (ok && l->operation != GPH_erase) ok = parked_check(s, to);
    if (ok && l->operation == GPH_fill) ok = fill_parked_check(s, to);
    ok = ok && results_check(s);
    if (ok && s->after.count[GPH_OVERFLOW] > s->before.count[GPH_OVERFLOW]) s->explored->in_overflow++;
    if (ok && s->after.flagged > s->before.flagged) s->explored->flagged++;
    s->before = s->after;
    return ok;
}

/* ---- Alone ---------------------------------------------------------------------------------------------------------------------- */

/* Until nothing changes: one that finds room may make some for others, by mapping a cell anew. */
static bool refine_until_none(struct gph_scene *s, int *from)
{
    const struct gph_launch alone = {GPH_refine, 1, 1, false};
    uint64_t n = 0;
    do {
        n = s->items.list_n[*from];
        gph_batch_call(s, GPH_refine, *from, 1 - *from);
        *from = 1 - *from;
        if (!gph_launch_kernel(s, &alone) || !gph_batch_check(s, &alone, *from)) return false;
    } while (s->items.list_n[*from] && s->items.list_n[*from] < n);
    return true;
}

bool gph_refine_alone(struct gph_scene *s, int from)
{
    const uint64_t n = s->items.list_n[from];
    if (!n) return true;
    if (!refine_until_none(s, &from)) return false;
    s->explored->late += n - s->items.list_n[from];
    s->explored->full += s->items.list_n[from];
    for (uint64_t i = 0; i < s->items.list_n[from]; i++) {
        const int key = s->items.key[s->items.list[from][i]];
        if (gph_key_fits(&s->t, &s->after, key))
            return gph_wrong(&s->t, "key %" PRIx64 " finds no room alone, though there is some", s->t.key[key]);
    }
    return true;
}

bool gph_mend_check(struct gph_scene *s)
{
    if (!gph_counts_take(s)) return false;
    for (int i = 0; i < s->t.keys; i++)
        if (s->after.stored[i] != s->before.stored[i] || s->after.value[i] != s->before.value[i])
            return gph_wrong(&s->t, "mending changed key %" PRIx64, s->t.key[i]);
    if (s->counters.delta_moves + s->counters.phi_moves != s->before.flagged - s->after.flagged)
        return gph_wrong(&s->t, "mending moved a cell that is not flagged");
    s->before = s->after;
    return true;
}

bool gph_mend_launch(struct gph_scene *s, const struct gph_launch *l)
{
    gph_call_clear(s);
    s->call.args.batch.n = s->t.view.cell_count / 4;
    return gph_launch_kernel(s, l) && gph_mend_check(s);
}

bool gph_mend_alone(struct gph_scene *s)
{
    const struct gph_launch alone = {GPH_mend, 1, 1, false};
    uint64_t flagged;
    do {
        flagged = s->t.flagged;
        if (!gph_mend_launch(s, &alone)) return false;
    } while (s->t.flagged != flagged);
    for (uint32_t cell = 0; cell < s->t.view.cell_count; cell++)
        if (gph_code(&s->t, cell) == GPH_FLAGGED && gph_cell_fits(&s->t, &s->after, cell, -1))
            return gph_wrong(&s->t, "cell %" PRIu32 " stays flagged, though its keys fit", cell);
    return true;
}

/* How finds share the universe: now and then each tile has two keys and no more, else by chance in a loop or one of its lanes' after the other. */
static struct gph_launch find_launch(struct gph_scene *s)
{
    if (dice_below(&s->dice, 8) == 0 && s->t.keys <= SCHEDULED_LANES) {
        s->call.driver = DRIVER_twice;
        return (struct gph_launch){GPH_find, 1 << dice_below(&s->dice, 2), (s->t.keys + 1) / 2, false};
    }
    if (dice_below(&s->dice, 2)) s->call.driver = DRIVER_cooperative;
    return (struct gph_launch){GPH_find, 1 << dice_below(&s->dice, 4), 2, false};
}

/* Every key of the universe. */
bool gph_find_all(struct gph_scene *s)
{
    struct batch *b = &s->call.args.batch;
    const int bytes = s->t.shape.value_bytes;
    uint64_t keys[GPH_MOST_KEYS];
    for (int i = 0; i < s->t.keys; i++) store_width(s->t.shape.key_bytes, keys, (uint64_t)i, s->t.key[i]);
    gph_call_clear(s);
    const struct gph_launch l = find_launch(s);
    b->n = (uint64_t)s->t.keys;
    b->keys = keys;
    b->values_out = bytes ? s->items.values_out : NULL;
    b->found = s->items.found;
    b->statuses = s->items.statuses;
    if (!gph_launch_kernel(s, &l)) return false;
    for (int i = 0; i < s->t.keys; i++) {
        const bool there = s->before.stored[i], found = s->items.found[i] == 1 && s->items.statuses[i] == ROOST_ITEM_FOUND;
        const roost_value value = there && bytes ? load_width(bytes, s->items.values_out, (uint64_t)i) : 0;
        if (found != there || value != s->before.value[i])
            return gph_wrong(&s->t, "a find of key %" PRIx64 ", which is %s, says %d and %" PRIx64, s->t.key[i],
                             there ? "stored" : "absent", s->items.statuses[i], value);
    }
    return true;
}
