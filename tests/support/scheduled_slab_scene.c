/* Batches over a small slab table on the scheduled machine. */
#include "support/scheduled_slab_scene.h"

#include <inttypes.h>

struct slab_explored slab_explored;

static const char *const operation_names[] = {"find",     "insert",     "erase",     "apply",   "every",
                                              "findslab", "insertslab", "applyslab", "rebuild", "survey",
                                              "export",   "enqueue",    "serve",     "codes",   "findslot"};

#define SHAPE_TEXT(name, ...) #name,
const char *const slab_shape_names[] = {SLAB_SHAPES(SHAPE_TEXT)};

static struct frame_stored stored(const struct frame *f, bool after, int key)
{
    const struct slab_scene *s = (const struct slab_scene *)f;
    const struct slab_contents *c = after ? &s->after : &s->before;
    const struct frame_stored here = {c->n[key], c->n[key] ? c->value[key][0] : 0};
    return here;
}

static const struct frame_engine engine = {operation_names, stored, NULL};

void slab_scene_begin(struct slab_scene *s, const struct slab_stamped *stamped, uint64_t seed)
{
    memset(s, 0, sizeof *s);
    s->stamped = stamped;
    frame_begin(&s->f, &engine, &slab_explored.all, seed);
}

void slab_scene_make(struct slab_scene *s, const struct shape shape, const struct slab_sizes *sizes, int keys, int crowd)
{
    slab_table_make(&s->t, shape, sizes, keys, crowd, &s->f.dice);
    frame_universe(&s->f, shape, s->t.key, s->t.keys);
}

/* ---- Batches --------------------------------------------------------------------------------- */

static bool inserts(enum slab_operation operation)
{
    return operation == SLAB_insert || operation == SLAB_apply || operation == SLAB_serve;
}

void slab_call_clear(struct slab_scene *s)
{
    memset(&s->call.args, 0, sizeof s->call.args);
    frame_batch_clear(&s->f, &s->call.args.batch);
    s->call.shape = s->t.shape;
    s->call.churn = 0;
    s->call.args.view = s->t.view;
    s->call.args.transfer.shape = s->t.shape;
}

void slab_batch_call(struct slab_scene *s, enum slab_operation operation, bool parks)
{
    static const int sees[SLAB_OPERATIONS] = {[SLAB_find] = FRAME_VALUES_OUT,
                                              [SLAB_insert] = FRAME_VALUES_IN,
                                              [SLAB_apply] = FRAME_VALUES_IN | FRAME_VALUES_OUT | FRAME_OPERATIONS_IN};
    const struct slab_pair dirt = {s->t.key[s->t.keys - 1], 77};
    slab_call_clear(s);
    s->t.wants_flush = s->t.exhausted = s->t.is_long = s->t.admitted = 0;
    s->f.items.list_n[0] = 0;
    frame_batch_items(&s->f, &s->call.args.batch, sees[operation] | FRAME_STAMPS);
    if (inserts(operation)) s->call.churn = s->churn, s->call.dirt = dirt;
    s->call.args.view.races = s->races;
    if (s->bounded && parks) s->call.args.view.admitted = &s->t.admitted, s->call.args.view.room = s->room;
    if (parks) frame_batch_parks(&s->f, &s->call.args.batch, 0);
    else s->call.args.view.sure_length = 0;
}

struct scheduled_plan slab_plan(struct slab_scene *s, const struct frame_launch *l, enum slab_operation operation)
{
    struct scheduled_plan plan = frame_plan(&s->f, l);
    plan.values_alone = true;
    s->call.driver = l->driver;
    s->call.size = l->size;
    /* Timestamps would order a tile's accesses, and weak memory has no real time to respect. */
    if (l->weak) s->call.args.batch.stamps = NULL;
    if (!inserts(operation) && operation != SLAB_erase) return plan;
    plan.watch = slab_watch_look, plan.context = &s->watch;
    slab_watch_begin(&s->watch, &s->t, s->call.churn == 0);
    return plan;
}

static enum slab_operation kernel_of(const struct slab_scene *s, enum slab_operation operation)
{
    if (s->by_slots && operation == SLAB_find) return SLAB_findslot;
    if (!s->whole) return operation;
    if (operation == SLAB_find) return SLAB_findslab;
    if (s->t.view.multi) return operation; /* those that read slabs whole do not append */
    return operation == SLAB_insert ? SLAB_insertslab : operation == SLAB_apply ? SLAB_applyslab : operation;
}

bool slab_launch_kernel(struct slab_scene *s, const struct frame_launch *l, enum slab_operation operation)
{
    const enum slab_operation kernel = kernel_of(s, operation);
    const struct scheduled_plan plan = slab_plan(s, l, operation);
    return frame_run(&s->f, &plan, s->stamped->run[kernel], &s->call, (int)kernel);
}

/* ---- Results --------------------------------------------------------------------------------- */

/* An item that linked a slab behind the near ones may have jumped: it knows only that the list is
 * at least as long as its walk. */
static bool longest_is_right(const struct slab_scene *s, int linked)
{
    const uint64_t longest = s->f.counters.longest, is = (uint64_t)s->after.longest;
    const bool is_known = linked && s->after.longest > s->before.longest && is <= s->t.view.near + 1;
    return longest <= is && (!is_known || longest == is);
}

/* The counters must match the statuses and the walk. */
static bool counters_check(struct slab_scene *s)
{
    const struct counters *c = &s->f.counters;
    const int erased = frame_status_count(&s->f, ROOST_ITEM_ERASED), linked = s->after.chained - s->before.chained;
    const int full = s->call.args.batch.leftover ? 0 : frame_status_count(&s->f, ROOST_ITEM_FULL);
    slab_explored.linked += c->linked;
    slab_explored.reused += c->reused;
    slab_explored.tails += (uint64_t)s->after.tails;
    slab_explored.skips += (uint64_t)s->after.skips;
    slab_explored.all.put_back += c->put_back;
    return frame_counters_check(&s->f) &&
           frame_counter_check("stored", c->stored[0], frame_status_count(&s->f, ROOST_ITEM_INSERTED) - erased) &&
           frame_counter_check("linked", c->linked, linked) &&
           frame_counter_check("reused", c->reused, erased - (s->after.dead - s->before.dead)) &&
           frame_counter_check("failed", c->failed, full) && frame_counter_check("longest", !longest_is_right(s, linked), 0);
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

/* Multimaps: appended and erased pairs add up, no value is invented, and an item that found
 * nothing may indeed have found nothing. */
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
    return ok || frame_key_wrong(&s->f, key, ops, n);
}

static bool results_check(struct slab_scene *s, bool weak)
{
    struct linear_op ops[FRAME_ITEMS];
    bool ok = frame_found_check(&s->f);
    if (!s->t.view.multi) return ok && frame_orders_check(&s->f, weak);
    for (int key = 0; ok && key < s->t.keys; key++) ok = multi_key_check(s, key, ops, frame_ops_of(&s->f, key, weak, ops));
    return ok;
}

/* ---- Items without room ---------------------------------------------------------------------- */

/* Checks that an item that found no room has none: its list is full, and no unit is left. */
static bool has_no_room(const struct slab_scene *s, uint32_t i)
{
    struct item item;
    item.key = s->t.key[s->f.items.key[i]];
    slab_place(s->t.shape, &s->t.view, &item);
    const int empty = s->after.list[item.home[0].index].empty;
    return (!empty && s->after.taken == s->t.sizes.units) ||
           wrong_say("item %" PRIu32 " found no room; %d of %d units are taken, and its list has %d EMPTY slots", i, s->after.taken,
                     s->t.sizes.units, empty);
}

/* The items that found no room alone. */
static bool refused_check(const struct slab_scene *s)
{
    bool ok = true;
    for (uint64_t i = 0; ok && i < s->f.items.list_n[1]; i++) ok = has_no_room(s, s->f.items.list[1][i]);
    return ok;
}

/* Items that cannot wait try again while another tile may link a unit or give it back.  A tile that
 * churns has units for longer than they try, and with weak memory they may see a link too late. */
static bool failed_check(const struct slab_scene *s, bool weak)
{
    bool ok = true;
    for (int i = 0; ok && !weak && !s->call.churn && i < s->f.items.n; i++)
        if (s->f.items.statuses[i] == ROOST_ITEM_FULL) ok = has_no_room(s, (uint32_t)i);
    return ok;
}

/* Puts the parked items in queues, and serves these, by lanes. */
static bool queues_run(struct slab_scene *s, const struct frame_launch *l)
{
    enum { MOST = 3 };
    const struct frame_launch lanes = {DRIVER_lane, 1, l->tiles, l->weak};
    uint32_t next[FRAME_ITEMS], first[MOST];
    struct batch *const b = &s->call.args.batch;
    const struct slab_queues q = {b->order, next, first, 1 + dice_below(&s->f.dice, MOST)};
    memset(first, 0xff, sizeof first);
    s->call.args.transfer.queues = q;
    slab_explored.all.items[SLAB_enqueue] += b->n;
    slab_explored.all.items[SLAB_serve] += b->n;
    b->order = NULL;
    if (!slab_launch_kernel(s, &lanes, SLAB_enqueue)) return false;
    b->n = q.n;
    return slab_launch_kernel(s, &lanes, SLAB_serve);
}

/* Runs the parked items again, after the policy has looked: by one lane alone, or by their
 * queues. An item that finds no room now must have none. */
static bool parked_again(struct slab_scene *s, const struct frame_launch *l, enum slab_operation operation)
{
    slab_explored.parked += s->f.items.list_n[0];
    slab_explored.flush_wanted += s->t.wants_flush;
    s->t.exhausted = s->t.wants_flush = 0;
    s->call.args.view.flush_length = UINT32_MAX;
    s->call.args.view.sure_length = 0;
    s->call.args.view.admitted = NULL;
    s->call.churn = 0;
    frame_batch_again(&s->f, &s->call.args.batch);
    const bool ok = s->races ? queues_run(s, l) : slab_launch_kernel(s, &frame_alone, operation);
    frame_again_is_later(&s->f);
    return ok && frame_parked_check(&s->f, 1) && slab_table_walk(&s->t, &s->after) && refused_check(s);
}

/* Unique tables, whose tombstones stay. A list of mostly tombstones that is long enough gets no
 * further slab if its items can wait. A flush is requested only if there is such a list. */
static bool flush_check(struct slab_scene *s)
{
    const int slots = s->t.shape.slots, waits = s->call.args.batch.leftover != NULL;
    const uint32_t most = s->call.args.view.sure_length;
    bool asks = false;
    for (uint32_t i = 0; i <= s->t.view.buckets && !s->t.view.multi; i++) {
        const int was = s->before.list[i].slabs, is = s->after.list[i].slabs;
        if (waits && most && is > was && (uint32_t)is > most)
            return wrong_say("list %" PRIu32 " has grown to %d slabs, beyond %" PRIu32, i, is, most);
        asks |= waits && (uint32_t)is >= s->t.view.flush_length && 2 * s->after.list[i].dead > slots * was;
        if (waits && is > was && (uint32_t)was >= s->t.view.flush_length && 2 * s->before.list[i].dead > slots * was)
            return wrong_say("list %" PRIu32 " of tombstones grew from %d to %d slabs", i, was, is);
    }
    return asks || s->t.view.multi || !s->t.wants_flush || wrong_say("a flush is asked for, and no list is mostly tombstones");
}

/* A bounded pass stores no more new keys than that, but some if it leaves others for that reason.
 * Without room it links no slab.  A tile that churns may have the last unit while an item looks. */
static bool bound_check(struct slab_scene *s)
{
    const uint32_t inserted = (uint32_t)frame_status_count(&s->f, ROOST_ITEM_INSERTED);
    const bool others = s->call.churn || s->t.exhausted || s->t.wants_flush || s->t.is_long,
               left = s->f.items.list_n[0] != 0 && !others;
    if (!s->call.args.view.admitted) return true;
    slab_explored.bounded += inserted == s->room;
    if (inserted > s->room) return wrong_say("%" PRIu32 " keys were stored, and %" PRIu32 " may be", inserted, s->room);
    if (s->room && left && !inserted) return wrong_say("a pass with room for %" PRIu32 " keys stored none", s->room);
    return s->room || s->after.chained == s->before.chained || wrong_say("a pass without room linked a slab");
}

bool slab_batch_check(struct slab_scene *s, const struct frame_launch *l, enum slab_operation operation)
{
    const bool waits = s->call.args.batch.leftover != NULL;
    bool ok =
        slab_table_walk(&s->t, &s->after) && (waits ? frame_parked_check(&s->f, 0) && bound_check(s) : failed_check(s, l->weak));
    ok = ok && flush_check(s);
    if (ok && s->f.items.list_n[0]) ok = parked_again(s, l, operation);
    ok = ok && counters_check(s) && results_check(s, l->weak);
    s->before = s->after;
    return ok;
}

/* ---- Operations ------------------------------------------------------------------------------ */

/* Draws mostly distinct keys, few keys, or many times the keys that look like marks, until their
 * list needs slabs. Values are small, so that they coincide, or have random bits everywhere. */
static void items_draw(struct slab_scene *s, enum slab_operation operation)
{
    const bool marks = dice_below(&s->f.dice, 4) == 0, crowded = !marks && dice_below(&s->f.dice, 3) == 0;
    const uint32_t keys = marks ? 2 : crowded ? 1 + dice_below(&s->f.dice, 4) : (uint32_t)s->t.keys;
    const uint32_t from = marks ? 0 : dice_below(&s->f.dice, (uint32_t)s->t.keys - keys + 1), most = crowded ? 24 : 159;
    uint8_t one = s->t.view.multi ? ROOST_OP_APPEND : (uint8_t)(ROOST_OP_INSERT + dice_below(&s->f.dice, 5));
    if (operation == SLAB_find || operation == SLAB_erase) one = operation == SLAB_find ? ROOST_OP_FIND : ROOST_OP_ERASE;
    s->f.items.n = 1 + (int)dice_below(&s->f.dice, most);
    for (int i = 0; i < s->f.items.n; i++) {
        const int shift = dice_below(&s->f.dice, 2) ? 61 : 0;
        const uint64_t value = dice_draw(&s->f.dice) >> shift;
        uint8_t op = one;
        if (operation == SLAB_apply && dice_below(&s->f.dice, 2)) op = (uint8_t)dice_below(&s->f.dice, 2);
        else if (operation == SLAB_apply && !s->t.view.multi) op = (uint8_t)(ROOST_OP_INSERT + dice_below(&s->f.dice, 5));
        frame_item_set(&s->f, i, (int)(from + dice_below(&s->f.dice, keys)), op, value);
    }
}

bool slab_scene_batch(struct slab_scene *s, const struct frame_launch *l, enum slab_operation operation)
{
    items_draw(s, operation);
    s->f.saturate = dice_below(&s->f.dice, 2);
    const uint32_t reads = dice_below(&s->f.dice, 3);
    s->whole = reads == 0, s->by_slots = reads == 1;
    s->races = s->t.view.multi ? dice_below(&s->f.dice, 3) : 0;
    s->bounded = !s->t.view.multi && dice_below(&s->f.dice, 3) == 0;
    s->room = s->bounded ? dice_below(&s->f.dice, (uint32_t)s->f.items.n / 4 + 1) : 0;
    slab_explored.all.items[kernel_of(s, operation)] += (uint64_t)s->f.items.n;
    slab_batch_call(s, operation, inserts(operation) && dice_below(&s->f.dice, 4));
    return slab_launch_kernel(s, l, operation) && slab_batch_check(s, l, operation);
}
