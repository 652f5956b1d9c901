/* Batches over a small GPH table on the scheduled machine. */
#include "support/scheduled_gph_scene.h"

#include <inttypes.h>

struct gph_explored gph_explored;

static const char *const operation_names[] = {"find", "erase", "fill", "refine", "mend", "evict"};

static struct frame_stored stored(const struct frame *f, bool after, int key)
{
    const struct gph_scene *s = (const struct gph_scene *)f;
    const struct gph_contents *c = after ? &s->after : &s->before;
    const struct frame_stored here = {c->stored[key], c->value[key]};
    return here;
}

static const struct frame_engine engine = {operation_names, stored, NULL};

void gph_scene_begin(struct gph_scene *s, const struct gph_stamped *stamped, uint64_t seed)
{
    memset(s, 0, sizeof *s);
    s->stamped = stamped;
    frame_begin(&s->f, &engine, &gph_explored.all, seed);
}

void gph_scene_make(struct gph_scene *s, const struct shape shape, const struct gph_sizes *sizes)
{
    gph_table_make(&s->t, shape, sizes, &s->f.dice);
    frame_universe(&s->f, shape, s->t.key, s->t.keys);
}

void gph_items_do(struct gph_scene *s, uint8_t operation) { memset(s->f.items.operations, operation, (size_t)s->f.items.n); }

/* ---- Kernels --------------------------------------------------------------------------------- */

void gph_call_clear(struct gph_scene *s, enum gph_operation operation)
{
    memset(&s->call, 0, sizeof s->call);
    frame_batch_clear(&s->f, &s->call.args.batch);
    s->operation = operation;
    s->call.shape = s->t.shape;
    s->call.driver = DRIVER_tile;
    s->call.args.view = s->t.view;
    s->call.args.transfer.shape = s->t.shape;
}

void gph_mend_call(struct gph_scene *s)
{
    gph_call_clear(s, GPH_mend);
    s->call.args.batch.n = s->t.view.cell_count / 4;
}

void gph_batch_call(struct gph_scene *s, enum gph_operation operation, int from, int to)
{
    struct frame_items *items = &s->f.items;
    struct batch *b = &s->call.args.batch;
    gph_call_clear(s, operation);
    frame_batch_items(&s->f, b, operation == GPH_erase ? 0 : FRAME_VALUES_IN);
    if (from >= 0) {
        b->n = items->list_n[from];
        b->order = items->list[from];
        memset(items->left_out, true, (size_t)items->n);
        for (uint64_t i = 0; i < b->n; i++) items->left_out[b->order[i]] = false;
    }
    if (operation != GPH_erase) frame_batch_parks(&s->f, b, to);
}

/* To be called once the call is made. For refine, evict and mend, it records which tile owns the
 * stamps of which item. */
void gph_watch_launch(struct gph_scene *s, const struct frame_launch *l)
{
    const struct batch *b = &s->call.args.batch;
    gph_watch_begin(&s->watch, &s->t, s->operation == GPH_erase, l->size);
    for (uint32_t i = 0; i < b->n; i++) {
        const int whose = (int)(i % (uint32_t)l->tiles);
        if (s->operation == GPH_refine || s->operation == GPH_evict)
            gph_watch_stamp(&s->watch, (uint32_t)batch_index(b, i) + 1, whose);
        for (uint32_t k = 1; k <= 4 && s->operation == GPH_mend; k++) gph_watch_stamp(&s->watch, 4 * i + k, whose);
    }
}

struct scheduled_plan gph_plan(struct gph_scene *s, const struct frame_launch *l)
{
    struct scheduled_plan plan = frame_plan(&s->f, l);
    plan.scratch_bytes = GPH_SCRATCH(refine, s->t.shape.word);
    s->call.size = l->size;
    if (l->weak || s->unwatched || s->operation == GPH_find) return plan;
    plan.watch = gph_watch_look, plan.context = &s->watch;
    gph_watch_launch(s, l);
    return plan;
}

static void explored_add(const struct gph_scene *s)
{
    const struct counters *c = &s->f.counters;
    struct gph_explored *e = &gph_explored;
    e->all.items[s->operation] += s->call.args.batch.n;
    e->all.put_back += c->put_back;
    e->died += c->died;
    e->evicted += c->evicted;
    e->delta_moves += c->delta_moves;
    e->phi_moves += c->phi_moves;
    if (s->operation == GPH_mend) e->mended -= c->flagged;
    if (s->operation == GPH_evict) e->placed += c->inserted;
}

bool gph_launch_kernel(struct gph_scene *s, const struct frame_launch *l)
{
    const struct scheduled_plan plan = gph_plan(s, l);
    scheduled_gph_kept = 0;
    const bool ok = frame_run(&s->f, &plan, s->stamped->run[s->operation], &s->call, (int)s->operation);
    explored_add(s);
    if (scheduled_gph_kept) return wrong_say("%s: a step returned with a lock", operation_names[s->operation]);
    return ok;
}

/* ---- Results --------------------------------------------------------------------------------- */

bool gph_counts_take(struct gph_scene *s)
{
    for (int i = 0; i <= GPH_SPECIAL; i++) s->t.count[i] += s->f.counters.stored[i];
    s->t.flagged += s->f.counters.flagged;
    return gph_table_walk(&s->t, &s->after);
}

/* Nothing becomes vacant in a fill. So a parked item's key is not stored, and its bucket is full,
 * or the table closed. */
static bool fill_parked_check(struct gph_scene *s, int to)
{
    gph_explored.parked_by_fill += s->f.items.list_n[to];
    for (uint64_t i = 0; i < s->f.items.list_n[to]; i++) {
        const int key = s->f.items.key[s->f.items.list[to][i]];
        uint64_t taken = 0;
        for (int k = 0; k < s->t.keys; k++) taken += s->after.stored[k] && s->after.bucket[k] == gph_home(&s->t, key);
        if (s->after.stored[key] || (taken < (uint64_t)s->t.shape.slots && !s->call.args.view.closed))
            return wrong_say("a fill parked key %" PRIx64 ", for which there is room", s->t.key[key]);
    }
    return true;
}

/* Parked items no longer count among the batch's items. */
static void parked_leave(struct gph_scene *s, int to)
{
    for (uint64_t i = 0; i < s->f.items.list_n[to]; i++) s->f.items.left_out[s->f.items.list[to][i]] = true;
}

/* A closed table gets no key but the vacant one. */
static bool closed_check(struct gph_scene *s)
{
    return !s->call.args.view.closed || frame_counter_check("inserted", s->f.counters.inserted, s->f.counters.stored[GPH_SPECIAL]);
}

bool gph_batch_check(struct gph_scene *s, int to)
{
    bool ok = gph_counts_take(s) && frame_counters_check(&s->f) && frame_counter_check("failed", s->f.counters.failed, 0);
    if (ok && s->operation != GPH_erase) ok = frame_parked_check(&s->f, to);
    if (ok && s->operation == GPH_fill) ok = fill_parked_check(s, to) && closed_check(s);
    if (ok && s->operation != GPH_erase) parked_leave(s, to);
    ok = ok && frame_orders_check(&s->f, true);
    if (ok && s->after.count[GPH_OVERFLOW] > s->before.count[GPH_OVERFLOW]) gph_explored.in_overflow++;
    if (ok && s->after.flagged > s->before.flagged) gph_explored.flagged++;
    s->before = s->after;
    return ok;
}

/* ---- Single tiles ---------------------------------------------------------------------------- */

/* Repeats until nothing changes: an item that finds room may make room for others when it maps a
 * cell again. */
static bool repeat_until_none(struct gph_scene *s, enum gph_operation operation, int *from)
{
    uint64_t n = 0;
    do {
        n = s->f.items.list_n[*from];
        gph_batch_call(s, operation, *from, 1 - *from);
        *from = 1 - *from;
        if (!gph_launch_kernel(s, &frame_alone) || !gph_batch_check(s, *from)) return false;
    } while (s->f.items.list_n[*from] && s->f.items.list_n[*from] < n);
    return true;
}

/* No item of the list has what it must not have: room, or (`evicts`) a way to it. */
static bool without_room_check(struct gph_scene *s, int from, bool evicts)
{
    for (uint64_t i = 0; i < s->f.items.list_n[from]; i++) {
        const int key = s->f.items.key[s->f.items.list[from][i]];
        if (evicts ? gph_key_evicts(&s->t, &s->after, key) : gph_key_fits(&s->t, &s->after, key))
            return wrong_say("key %" PRIx64 " finds no room alone, though %s", s->t.key[key],
                             evicts ? "a cell can move out of its way" : "there is some");
    }
    return true;
}

bool gph_insert_alone(struct gph_scene *s, int from)
{
    const uint64_t n = s->f.items.list_n[from];
    if (!n) return true;
    if (!repeat_until_none(s, GPH_refine, &from)) return false;
    const uint64_t full = s->f.items.list_n[from];
    gph_explored.late += n - full;
    gph_explored.full += full;
    if (!full) return true;
    return without_room_check(s, from, false) && repeat_until_none(s, GPH_evict, &from) && without_room_check(s, from, true);
}

bool gph_mend_check(struct gph_scene *s)
{
    if (!gph_counts_take(s) || !frame_same_contents(&s->f, "mend")) return false;
    if (s->f.counters.delta_moves + s->f.counters.phi_moves != s->before.flagged - s->after.flagged)
        return wrong_say("mending moved a cell that is not flagged");
    s->before = s->after;
    return true;
}

bool gph_mend_launch(struct gph_scene *s, const struct frame_launch *l)
{
    gph_mend_call(s);
    return gph_launch_kernel(s, l) && gph_mend_check(s);
}

bool gph_mend_alone(struct gph_scene *s)
{
    uint64_t flagged;
    do {
        flagged = s->t.flagged;
        if (!gph_mend_launch(s, &frame_alone)) return false;
    } while (s->t.flagged != flagged);
    for (uint32_t cell = 0; cell < s->t.view.cell_count; cell++)
        if (gph_code(&s->t, cell) == GPH_FLAGGED && gph_cell_fits(&s->t, &s->after, cell, -1))
            return wrong_say("cell %" PRIu32 " stays flagged, though its keys fit", cell);
    return true;
}

/* How finds share the universe. Sometimes each tile has exactly two keys. Otherwise a tile loops
 * over its keys, or serves those of its lanes one after the other, at random. */
static struct frame_launch find_launch(struct gph_scene *s)
{
    struct frame_launch l = {DRIVER_tile, 0, 2, false};
    if (dice_below(&s->f.dice, 8) == 0 && s->t.keys <= SCHEDULED_LANES) {
        l.driver = DRIVER_twice;
        l.tiles = (s->t.keys + 1) / 2;
        l.size = 1 << dice_below(&s->f.dice, 2);
        return l;
    }
    if (dice_below(&s->f.dice, 2)) l.driver = DRIVER_cooperative;
    l.size = 1 << dice_below(&s->f.dice, 4);
    return l;
}

/* Finds every key of the universe. */
bool gph_find_all(struct gph_scene *s)
{
    static struct frame_items kept;
    gph_call_clear(s, GPH_find);
    const struct frame_launch l = find_launch(s);
    s->call.driver = l.driver;
    kept = s->f.items; /* restored below */
    s->f.items.n = s->t.keys;
    for (int i = 0; i < s->t.keys; i++) frame_item_set(&s->f, i, i, ROOST_OP_FIND, 0);
    frame_batch_items(&s->f, &s->call.args.batch, FRAME_VALUES_OUT);
    const bool ok = gph_launch_kernel(s, &l) && frame_found_all_check(&s->f);
    s->f.items = kept;
    return ok;
}
