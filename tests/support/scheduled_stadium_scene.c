/* Batches over a small Stadium table on the scheduled machine. */
#include "support/scheduled_stadium_scene.h"

#include <inttypes.h>

struct stadium_explored stadium_explored;

/* Values of three kinds: guarded by a sequence, words, and none. */
static const struct stadium_widths widths[STADIUM_WIDTHS] = {{12, 20}, {12, 8}, {5, 3}, {12, 0}, {16, 4}, {0, 20}, {0, 8}, {0, 0}};

#define SHAPE_TEXT(name, ...) #name,
const char *const stadium_shape_names[] = {
    STADIUM_SHAPES(SHAPE_TEXT) "12+20", "12+8", "5+3", "12+0", "16+4", "strings+20", "strings+8", "strings+0"};

static const char *const operation_names[] = {"find",   "insert", "erase",    "apply", "rebuild", "compact",
                                              "survey", "export", "estimate", "sift",  "refill"};

static struct frame_stored stored(const struct frame *f, bool after, int key)
{
    const struct stadium_scene *s = (const struct stadium_scene *)f;
    const struct stadium_contents *c = after ? &s->after : &s->before;
    const struct frame_stored here = {c->n[key], c->value[key]};
    return here;
}

static bool value_found(const struct frame *f, int i, roost_value *value)
{
    const int bytes = stadium_value_bytes(&((const struct stadium_scene *)f)->t);
    return wide_gather((const unsigned char *)f->items.values_out + i * bytes, (uint32_t)bytes, value);
}

static const struct frame_engine engine = {operation_names, stored, value_found};

void stadium_scene_begin(struct stadium_scene *s, const struct stadium_stamped *stamped, uint64_t seed)
{
    memset(s, 0, sizeof *s);
    s->stamped = stamped;
    frame_begin(&s->f, &engine, &stadium_explored.all, seed);
}

void stadium_scene_make(struct stadium_scene *s, const struct shape shape, const struct stadium_sizes *sizes)
{
    stadium_scene_table_make(&s->t, shape, sizes, NULL, &s->f.dice);
}

void stadium_scene_keys(struct stadium_scene *s, int keys, int alike, bool infos_too)
{
    stadium_keys_draw(&s->t, keys, alike, infos_too, &s->f.dice);
    frame_universe(&s->f, s->t.shape, s->t.key, s->t.keys);
    s->f.value_mask = stadium_value_mask(&s->t);
}

/* ---- Batches --------------------------------------------------------------------------------- */

static void item_key_set_wide(struct stadium_scene *s, int i, roost_key key)
{
    struct frame_items *items = &s->f.items;
    unsigned char buffer[FRAME_KEY_BYTES];
    const struct bytes bytes = wide_key_of(s->t.sizes.wide, key, buffer);
    const uint64_t at = i ? items->offsets[i] : 0;
    memcpy((unsigned char *)items->keys + at, bytes.at, bytes.n);
    items->offsets[i] = at;
    items->offsets[i + 1] = at + bytes.n;
}

void stadium_item_set(struct frame *f, int i, int key, uint8_t operation, roost_value value)
{
    struct stadium_scene *s = (struct stadium_scene *)f;
    const int bytes = stadium_value_bytes(&s->t);
    if (!s->t.sizes.wide) {
        frame_item_set(f, i, key, operation, value);
        return;
    }
    f->items.key[i] = key;
    f->items.operations[i] = operation;
    f->items.value[i] = value & f->value_mask;
    item_key_set_wide(s, i, s->t.key[key]);
    wide_spread(f->items.value[i], (uint32_t)bytes, (unsigned char *)f->items.values_in + i * bytes);
}

static bool inserts(enum stadium_operation operation) { return operation == STADIUM_insert || operation == STADIUM_apply; }

static void call_clear(struct stadium_scene *s)
{
    const uint64_t longest = s->f.counters.longest > s->t.longest ? s->f.counters.longest : s->t.longest;
    struct batch *b = &s->call.args.batch;
    memset(&s->call.args, 0, sizeof s->call.args);
    frame_batch_clear(&s->f, b);
    s->f.counters.longest = s->t.longest = longest;
    s->call.shape = s->t.shape;
    s->call.args.view = s->t.view;
    /* As in the engine: items raise the number that other items read. */
    s->call.args.view.longest = &s->f.counters.longest;
    s->call.args.view.locks = s->refill ? s->t.locks : NULL;
    s->call.args.transfer.shape = s->t.shape;
    b->value_type = stadium_value_bytes(&s->t) == 8 ? ROOST_TYPE_U64 : ROOST_TYPE_U32;
}

void stadium_batch_call(struct stadium_scene *s, enum stadium_operation operation, bool parks)
{
    static const int sees[STADIUM_OPERATIONS] = {[STADIUM_find] = FRAME_VALUES_OUT,
                                                 [STADIUM_insert] = FRAME_VALUES_IN,
                                                 [STADIUM_apply] = FRAME_VALUES_IN | FRAME_VALUES_OUT | FRAME_OPERATIONS_IN};
    struct batch *b = &s->call.args.batch;
    call_clear(s);
    s->f.items.list_n[0] = 0;
    frame_batch_items(&s->f, b, sees[operation] | FRAME_STAMPS);
    b->key_bytes = s->t.sizes.wide ? (uint8_t)s->t.sizes.wide->key_bytes : (uint8_t)s->t.shape.key_bytes;
    b->value_bytes = (uint16_t)stadium_value_bytes(&s->t);
    if (s->t.view.wide.strings) b->key_offsets = s->f.items.offsets, b->offset_bytes = 8;
    b->absent_zero = s->absent_zero;
    if (parks) frame_batch_parks(&s->f, b, 0);
}

struct scheduled_plan stadium_plan(struct stadium_scene *s, const struct frame_launch *l, enum stadium_operation operation)
{
    struct scheduled_plan plan = frame_plan(&s->f, l);
    plan.scratch_bytes = l->driver == DRIVER_collaborate ? (size_t)l->size * COLLABORATE_BYTES : 0;
    plan.values_alone = true;
    s->call.driver = l->driver;
    s->call.size = l->size;
    /* Timestamps would order a tile's accesses, and weak memory has no real time to respect. */
    if (l->weak) s->call.args.batch.stamps = NULL;
    if (!inserts(operation) && operation != STADIUM_erase && operation != STADIUM_rebuild) return plan;
    plan.watch = stadium_watch_look, plan.context = &s->watch;
    stadium_watch_begin(&s->watch, &s->t, s->refill);
    return plan;
}

scheduled_kernel *stadium_kernel(const struct stadium_scene *s, enum stadium_operation operation)
{
    return s->stamped->run[s->refill ? STADIUM_apply : operation];
}

bool stadium_launch_kernel(struct stadium_scene *s, const struct frame_launch *l, enum stadium_operation operation)
{
    const struct scheduled_plan plan = stadium_plan(s, l, operation);
    return frame_run(&s->f, &plan, stadium_kernel(s, operation), &s->call, s->refill ? STADIUM_OPERATIONS : (int)operation);
}

/* ---- Results --------------------------------------------------------------------------------- */

/* Invariant D: the counters match the statuses and the walk. */
static bool counters_check(struct stadium_scene *s)
{
    const struct counters *c = &s->f.counters;
    const int inserted = frame_status_count(&s->f, ROOST_ITEM_INSERTED), erased = frame_status_count(&s->f, ROOST_ITEM_ERASED);
    const int full = s->call.args.batch.leftover ? 0 : frame_status_count(&s->f, ROOST_ITEM_FULL);
    stadium_explored.reused += c->reused;
    stadium_explored.all.put_back += c->put_back;
    stadium_explored.far += c->longest > 1;
    return frame_counters_check(&s->f) && frame_counter_check("stored", c->stored[0], inserted - erased) &&
           frame_counter_check("stored keys", (uint64_t)(s->after.stored - s->before.stored), inserted - erased) &&
           frame_counter_check("reused", c->reused, erased - (s->after.erased - s->before.erased)) &&
           frame_counter_check("failed", c->failed, full);
}

/* A found value is whole. Otherwise its bytes are zero, if the call asked for that, or
 * unchanged. */
static bool value_check(struct stadium_scene *s, int i)
{
    const int bytes = stadium_value_bytes(&s->t);
    const unsigned char *at = (const unsigned char *)s->f.items.values_out + i * bytes, want = s->absent_zero ? 0 : FRAME_UNTOUCHED;
    roost_value value;
    if (s->f.items.statuses[i] == ROOST_ITEM_FOUND)
        return value_found(&s->f, i, &value) || wrong_say("item %d: the value found is torn, it begins with %" PRIx64, i, value);
    for (int k = 0; k < bytes; k++)
        if (at[k] != want) return wrong_say("item %d was not found, and byte %d of its value is %x", i, k, at[k]);
    return true;
}

bool stadium_results_check(struct stadium_scene *s, bool weak)
{
    if (!frame_found_check(&s->f)) return false;
    for (int i = 0; s->f.batch->found && i < s->f.items.n; i++)
        if (!value_check(s, i)) return false;
    return frame_orders_check(&s->f, weak);
}

/* ---- Items without room ---------------------------------------------------------------------- */

static bool parked_check(struct stadium_scene *s, int list)
{
    bool ok = true;
    for (uint64_t i = 0; ok && !s->t.view.wide.closed && !s->t.view.permits && i < s->f.items.list_n[list]; i++)
        ok = stadium_way_is_full(&s->t, s->f.items.key[s->f.items.list[list][i]], s->refill);
    return ok;
}

/* Runs the parked items again as the engine does, beyond the homes' reach: under locks, if an
 * erased key's slot can be taken. */
static bool parked_again(struct stadium_scene *s, const struct frame_launch *l, enum stadium_operation operation)
{
    stadium_explored.parked += s->f.items.list_n[0];
    frame_batch_again(&s->f, &s->call.args.batch);
    s->t.view.bounded = s->call.args.view.bounded = 0;
    s->refill = s->t.view.access && s->after.erased;
    s->call.args.view.locks = s->refill ? s->t.locks : NULL;
    bool ok = stadium_launch_kernel(s, l, operation) && parked_check(s, 1);
    s->t.longest = s->f.counters.longest;
    s->refill = false;
    frame_again_is_later(&s->f);
    return ok && stadium_table_walk(&s->t, &s->after);
}

/* Without room for strings no key is inserted, but stored keys are still updated. */
static bool closed_check(struct stadium_scene *s)
{
    const struct frame_items *items = &s->f.items;
    if (!s->t.view.wide.closed) return true;
    for (int i = 0; i < items->n; i++) {
        const uint8_t status = items->statuses[i];
        if (status == ROOST_ITEM_INSERTED || (status == ROOST_ITEM_FULL && s->after.n[items->key[i]]))
            return wrong_say("no room for strings: key %" PRIx64 " ends with status %d", s->t.key[items->key[i]], status);
    }
    return true;
}

/* No more keys were added than there were permits, and the others' permits were given back.  Keys
 * that look like marks need none. */
static bool permits_check(const struct stadium_scene *s, uint64_t before)
{
    const struct frame_items *items = &s->f.items;
    uint64_t taken = 0;
    for (int i = 0; i < items->n; i++)
        taken += items->statuses[i] == ROOST_ITEM_INSERTED && !stadium_inverts(s->t.shape, &s->t.view, s->t.key[items->key[i]]);
    return (taken <= before && s->permits == before - taken) ||
           wrong_say("%" PRIu64 " keys added by %" PRIu64 " permits, of which %" PRId64 " are left", taken, before,
                     (int64_t)s->permits);
}

bool stadium_batch_check(struct stadium_scene *s, const struct frame_launch *l, enum stadium_operation operation)
{
    const bool refilled = s->refill;
    s->t.longest = s->f.counters.longest;
    bool ok = stadium_table_walk(&s->t, &s->after);
    if (ok && s->call.args.batch.leftover) ok = frame_parked_check(&s->f, 0);
    if (ok && s->f.items.list_n[0]) ok = parked_check(s, 0);
    if (ok && s->f.items.list_n[0] && !refilled && !s->t.view.wide.closed) ok = parked_again(s, l, operation);
    s->refill = refilled;
    ok = ok && closed_check(s) && counters_check(s) && stadium_results_check(s, l->weak);
    s->before = s->after;
    return ok;
}

/* ---- Drawn batches --------------------------------------------------------------------------- */

/* Draws an insert's mode: long values are assigned or kept. */
static uint8_t insert_draw(struct stadium_scene *s)
{
    if (!value_is_long((uint32_t)stadium_value_bytes(&s->t))) return (uint8_t)(ROOST_OP_INSERT + dice_below(&s->f.dice, 5));
    return dice_below(&s->f.dice, 4) ? ROOST_OP_ASSIGN : ROOST_OP_KEEP;
}

/* Draws few keys many times, all keys, or those that look like marks. Values are small, so that
 * they coincide, or have random bits everywhere. */
static void items_draw(struct stadium_scene *s, enum stadium_operation operation)
{
    const bool marks = dice_below(&s->f.dice, 8) == 0, crowded = !marks && dice_below(&s->f.dice, 3) == 0;
    const uint32_t keys = marks ? 2 : crowded ? 1 + dice_below(&s->f.dice, 4) : (uint32_t)s->t.keys;
    const uint32_t from = marks ? 0 : dice_below(&s->f.dice, (uint32_t)s->t.keys - keys + 1), most = crowded ? 24 : 60;
    const bool only_inserts = operation == STADIUM_insert || s->refill;
    uint8_t one = insert_draw(s);
    if (operation == STADIUM_find || operation == STADIUM_erase) one = operation == STADIUM_find ? ROOST_OP_FIND : ROOST_OP_ERASE;
    s->f.items.n = 1 + (int)dice_below(&s->f.dice, most);
    for (int i = 0; i < s->f.items.n; i++) {
        const uint64_t value = dice_draw(&s->f.dice) >> (dice_below(&s->f.dice, 2) ? 61 : 0);
        uint8_t op = one;
        if (operation == STADIUM_apply && !only_inserts && dice_below(&s->f.dice, 2)) op = (uint8_t)dice_below(&s->f.dice, 2);
        else if (operation == STADIUM_apply) op = insert_draw(s);
        stadium_item_set(&s->f, i, (int)(from + dice_below(&s->f.dice, keys)), op, value);
    }
}

/* Provides room for the strings of a batch, or sometimes for none. */
static void strings_provide(struct stadium_scene *s)
{
    uint64_t bytes = 0;
    for (int i = 0; i < s->f.items.n; i++) bytes += bytes_padded(s->f.items.offsets[i + 1] - s->f.items.offsets[i]);
    s->t.view.wide.closed = dice_below(&s->f.dice, 8) == 0;
    stadium_explored.closed += s->t.view.wide.closed;
    wide_arena_provide(&s->t, s->t.view.wide.closed ? 0 : bytes);
}

bool stadium_scene_batch(struct stadium_scene *s, const struct frame_launch *l, enum stadium_operation operation, bool refill)
{
    s->refill = refill;
    items_draw(s, operation);
    s->f.saturate = dice_below(&s->f.dice, 2) != 0;
    s->absent_zero = s->t.sizes.wide && dice_below(&s->f.dice, 2);
    if (s->t.view.wide.strings && inserts(operation)) strings_provide(s);
    stadium_explored.all.items[operation] += (uint64_t)s->f.items.n;
    stadium_explored.refilled += refill ? (uint64_t)s->f.items.n : 0;
    if (s->f.items.n % 2) stadium_reach_measure(&s->t);
    s->t.view.bounded = s->t.view.reach && operation == STADIUM_insert && !refill && s->f.items.n % 4 == 1;
    stadium_explored.bounded += s->t.view.bounded ? (uint64_t)s->f.items.n : 0;
    const uint64_t permits = s->permits = (uint64_t)s->f.items.n % 7;
    const bool permitted = inserts(operation) && s->f.items.n % 3 == 2;
    s->t.view.permits = permitted ? &s->permits : NULL;
    stadium_explored.permitted += permitted;
    stadium_batch_call(s, operation, inserts(operation) && dice_below(&s->f.dice, 4));
    bool ok = stadium_launch_kernel(s, l, operation) && stadium_batch_check(s, l, operation);
    ok = ok && (!permitted || permits_check(s, permits));
    s->t.view.permits = NULL;
    s->t.view.reach = NULL;
    s->t.view.bounded = 0;
    s->refill = false;
    s->t.view.wide.closed = 0;
    return ok;
}

/* ---- Other kernels --------------------------------------------------------------------------- */

/* A pass that frees ERASED tickets which no key's way passes, by lanes alone. */
static bool compact(struct stadium_scene *s, const struct frame_launch *l)
{
    const struct frame_launch lanes = {DRIVER_tile, 1, 2, l->weak};
    call_clear(s);
    s->call.args.batch.n = s->t.view.groups;
    if (!stadium_launch_kernel(s, &lanes, STADIUM_compact) || !stadium_table_walk(&s->t, &s->after)) return false;
    stadium_explored.all.items[STADIUM_compact] += s->t.view.groups;
    stadium_explored.compacted += s->f.counters.reused;
    const bool ok = frame_counter_check("compacted", s->f.counters.reused, s->before.erased - s->after.erased) &&
                    frame_same_contents(&s->f, "compact");
    s->before = s->after;
    return ok;
}

/* A pass that copies the stored strings to a new arena. */
static bool compact_arena(struct stadium_scene *s, const struct frame_launch *l)
{
    const struct frame_launch lanes = {DRIVER_tile, 1, 2, l->weak};
    const uint64_t room = s->t.ends.used - s->t.ends.dead;
    uint64_t used = 0;
    unsigned char *arena = wide_arena_make(room);
    call_clear(s);
    s->call.args.transfer.arena = arena;
    s->call.args.transfer.arena_used = &used;
    s->call.args.batch.n = s->t.view.groups;
    stadium_explored.arenas += s->t.ends.dead > 0;
    const bool ok = stadium_launch_kernel(s, &lanes, STADIUM_compact);
    wide_arena_take(&s->t, arena, room);
    s->t.ends = (struct stadium_ends){used, 0};
    return ok && stadium_table_walk(&s->t, &s->after) && frame_same_contents(&s->f, "compaction of the arena");
}

/* The reach of each home is as far as the last of its keys, and no slot is counted. */
static bool survey_reach(struct stadium_scene *s, const struct frame_launch *lanes)
{
    uint32_t reach[STADIUM_MOST_SLOTS + 1] = {0};
    call_clear(s);
    s->call.args.batch.n = ((uint64_t)s->t.slots + STADIUM_RUN - 1) / STADIUM_RUN;
    s->call.args.transfer.reach = reach;
    bool ok = stadium_launch_kernel(s, lanes, STADIUM_survey) && frame_counter_check("distinct", s->f.counters.distinct, 0);
    stadium_reach_measure(&s->t);
    s->t.view.reach = NULL;
    for (int i = 0; ok && i <= STADIUM_MOST_SLOTS; i++)
        ok = reach[i] == s->t.reach[i] || wrong_say("the reach of home %d is %u, and not %u", i, reach[i], s->t.reach[i]);
    return ok;
}

static bool survey(struct stadium_scene *s, const struct frame_launch *l)
{
    const struct frame_launch lanes = {DRIVER_tile, 1, l->tiles, l->weak};
    call_clear(s);
    s->call.args.batch.n = ((uint64_t)s->t.slots + STADIUM_RUN - 1) / STADIUM_RUN;
    stadium_explored.all.items[STADIUM_survey] += s->call.args.batch.n;
    return stadium_launch_kernel(s, &lanes, STADIUM_survey) &&
           frame_counter_check("distinct", s->f.counters.distinct, s->before.stored) &&
           frame_counter_check("erased", s->f.counters.reused, s->before.erased) &&
           frame_counter_check("reserved", s->f.counters.failed, 0) && survey_reach(s, &lanes);
}

/* The caller's arrays after an export. */
struct exported {
    uint64_t keys[STADIUM_MOST_SLOTS * FRAME_KEY_BYTES / 8], values[STADIUM_MOST_SLOTS * FRAME_VALUE_BYTES / 8];
    uint64_t offsets[STADIUM_MOST_SLOTS + 1]; /* of strings in `keys` */
};

static roost_key exported_key(const struct stadium_scene *s, const struct exported *out, uint64_t i)
{
    const struct stadium_widths *wide = s->t.sizes.wide;
    const unsigned char *keys = (const unsigned char *)out->keys;
    if (!wide) return load_width(s->t.shape.key_bytes, keys, i);
    const bool strings = s->t.view.wide.strings;
    const struct bytes bytes = {keys + (strings ? out->offsets[i] : i * (unsigned)wide->key_bytes),
                                strings ? (uint32_t)(out->offsets[i + 1] - out->offsets[i]) : (uint32_t)wide->key_bytes};
    return bytes.n <= FRAME_KEY_BYTES ? wide_key_from(wide, bytes) : STADIUM_NO_KEY;
}

static bool exported_check(struct stadium_scene *s, const struct exported *out, uint64_t pairs)
{
    const int bytes = stadium_value_bytes(&s->t);
    if (!frame_counter_check("exported pairs", pairs, s->before.stored)) return false;
    memset(&s->after, 0, sizeof s->after);
    for (uint64_t i = 0; i < pairs; i++) {
        const roost_key exported = exported_key(s, out, i);
        int key = 0;
        while (key < s->t.keys && s->t.key[key] != exported) key++;
        if (key == s->t.keys) return wrong_say("exported a key that was never inserted");
        s->after.n[key]++;
        if (!wide_gather((const unsigned char *)out->values + i * (unsigned)bytes, (uint32_t)bytes, &s->after.value[key]))
            return wrong_say("exported a torn value of key %" PRIx64, exported);
    }
    return frame_same_contents(&s->f, "export");
}

static bool export_pairs(struct stadium_scene *s, const struct frame_launch *l)
{
    static struct exported out;
    const bool strings = s->t.view.wide.strings;
    const struct frame_launch tiles = {DRIVER_tile, l->size, l->tiles, l->weak};
    uint64_t pairs = 0;
    call_clear(s);
    s->call.args.transfer.keys = out.keys;
    s->call.args.transfer.values = out.values;
    if (strings) s->call.args.transfer.offsets = out.offsets, s->call.args.transfer.offset_bytes = 8;
    s->call.args.transfer.pairs_n = &pairs;
    s->call.args.batch.n = ((uint64_t)s->t.slots + STADIUM_RUN - 1) / STADIUM_RUN;
    stadium_explored.all.items[STADIUM_export] += s->call.args.batch.n;
    const bool ok = stadium_launch_kernel(s, &tiles, STADIUM_export);
    if (!strings) return ok && exported_check(s, &out, pairs);
    out.offsets[pairs >> STRINGS_SHIFT] = pairs & STRINGS_BYTES_MOST;
    return ok && exported_check(s, &out, pairs >> STRINGS_SHIFT);
}

/* Sizes of a table with fewer, as many or more groups. */
static struct stadium_sizes other_sizes(const struct stadium_scene_table *t, struct dice *dice)
{
    static const uint32_t primes[] = {2, 3, 5, 7, 11, 17, 29};
    const uint32_t tickets = (uint32_t)stadium_group_tickets(t->shape, &t->view);
    struct stadium_sizes sizes = t->sizes;
    do sizes.groups = dice_below(dice, 3) ? primes[dice_below(dice, 7)] : t->sizes.groups;
    while ((sizes.groups + 1) * tickets > STADIUM_MOST_SLOTS);
    return sizes;
}

/* Moves all pairs to a new table; the old one stays if some find no room. */
static bool rebuild(struct stadium_scene *s, const struct frame_launch *l)
{
    /* Tiles, because items come from the table. */
    const struct frame_launch tiles = {DRIVER_tile, l->size, l->tiles, l->weak};
    static struct stadium_scene_table old;
    old = s->t;
    const struct stadium_sizes sizes = other_sizes(&old, &s->f.dice);
    stadium_scene_table_make(&s->t, old.shape, &sizes, &old, &s->f.dice);
    const uint64_t longest = s->f.counters.longest;
    s->f.counters.longest = 0;
    call_clear(s);
    s->call.args.batch.n = (uint64_t)old.slots;
    s->call.args.transfer.from = old.view;
    stadium_explored.all.items[STADIUM_rebuild] += (uint64_t)old.slots;
    bool ok = stadium_launch_kernel(s, &tiles, STADIUM_rebuild);
    s->t.longest = s->f.counters.longest;
    ok = ok && stadium_pairs_walk(&s->t, &s->after) && frame_counter_check("moved", s->f.counters.moved, s->after.stored);
    const bool all = s->after.stored == s->before.stored;
    ok = ok && (!all || (frame_same_contents(&s->f, "rebuild") && wide_arena_walk(&s->t, s->after.string_bytes))) &&
         frame_counter_check("failed", s->f.counters.failed, s->before.stored - s->after.stored);
    if (ok && all) s->before = s->after, stadium_explored.moved += s->f.counters.moved;
    stadium_scene_table_free(ok && !all ? &s->t : &old);
    if (ok && !all) s->t = old, s->f.counters.longest = longest;
    return ok;
}

/* ---- A scene of all operations --------------------------------------------------------------- */

/* Takes most slots for keys that few items use; some of these are erased. */
static void fill(struct stadium_scene *s)
{
    const int main_slots = (int)stadium_main_slots(s->t.shape, &s->t.view), spare = (int)dice_below(&s->f.dice, 3) * 6;
    const int fillers = dice_below(&s->f.dice, 4) ? main_slots - spare : main_slots / 3, away = (int)dice_below(&s->f.dice, 10);
    for (int i = 0; i < fillers && i < s->t.keys; i++) (void)stadium_put(&s->t, s->t.keys - 1 - i, dice_draw(&s->f.dice) >> 60);
    for (int i = 0; i < away && fillers > 0; i++)
        stadium_take_away(&s->t, s->t.keys - 1 - (int)dice_below(&s->f.dice, (uint32_t)fillers));
}

static bool play_one(struct stadium_scene *s, struct frame_launch l)
{
    static const enum stadium_operation batches[] = {STADIUM_insert, STADIUM_insert, STADIUM_erase, STADIUM_find,
                                                     STADIUM_apply,  STADIUM_apply,  STADIUM_apply};
    const bool mixes = s->t.view.access;
    const uint32_t what = dice_below(&s->f.dice, 12);
    l.tiles = 2 + (int)dice_below(&s->f.dice, l.size == 1 ? 6 : 4);
    if (what < 7) return stadium_scene_batch(s, &l, mixes || what < 4 ? batches[what] : STADIUM_insert, false);
    if (what < 9) return stadium_scene_batch(s, &l, mixes ? STADIUM_apply : STADIUM_insert, mixes);
    if (what == 9) return rebuild(s, &l);
    if (what == 10) return survey(s, &l) && export_pairs(s, &l) && stadium_scene_sift(s, &l);
    if (s->t.view.wide.strings && dice_below(&s->f.dice, 2)) return compact_arena(s, &l);
    return mixes && !s->t.view.single ? compact(s, &l) : survey(s, &l);
}

bool stadium_site_is_wide(const struct scheduled_site *site)
{
    return strstr(site->function, "wide") || strstr(site->function, "string");
}

#define SHAPE_VALUE(name, ...) shape_##name(),

const char *stadium_explore(const struct frame_scenario *scenario)
{
    const struct shape all[] = {STADIUM_SHAPES(SHAPE_VALUE)};
    const bool is_wide = scenario->shape > SHAPE_wide;
    const int shape = is_wide ? SHAPE_wide : scenario->shape;
    const struct stadium_widths *wide = is_wide ? &widths[scenario->shape - STADIUM_12_20] : NULL;
    const struct frame_launch l = {scenario->driver, scenario->size, 0, scenario->weak};
    static struct stadium_scene s;
    struct stadium_sizes sizes;
    uint64_t seed = mix64(scenario->seed) ^ ((uint64_t)shape << 16 | (uint64_t)l.driver << 8 | (uint64_t)l.size);
    if (wide) seed ^= mix64((uint64_t)wide->key_bytes << 16 | (uint64_t)wide->value_bytes);
    stadium_scene_begin(&s, (const struct stadium_stamped *)scenario->kernels, seed);
    stadium_sizes_draw(&sizes, all[shape], &s.f.dice);
    sizes.wide = wide;
    stadium_scene_make(&s, all[shape], &sizes);
    stadium_scene_keys(&s, s.t.slots + 12 < STADIUM_MOST_KEYS ? s.t.slots + 12 : STADIUM_MOST_KEYS, 0, false);
    fill(&s);
    bool ok = stadium_table_walk(&s.t, &s.before);
    for (int i = 0; ok && i < 10; i++) ok = play_one(&s, l);
    stadium_scene_table_free(&s.t);
    stadium_scene_arena_free(&s.t);
    return ok ? NULL : wrong_text();
}
