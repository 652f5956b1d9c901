/* Batches over a small Stadium table on the scheduled machine. */
#include "support/scheduled_stadium_scene.h"

#include "support/linear.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUDGET = 4000000, UNTOUCHED = 0xee };

static const char *const operation_names[] = {"find", "insert", "erase", "apply", "rebuild", "compact", "survey", "export"};

/* ---- Batches -------------------------------------------------------------------------------------------------------------------- */

static void item_key_set_wide(struct stadium_scene *s, int i, roost_key key)
{
    const struct stadium_widths *wide = s->t.sizes.wide;
    struct stadium_items *items = &s->items;
    unsigned char buffer[STADIUM_KEY_BYTES];
    const struct bytes bytes = wide_key_of(wide, key, buffer);
    const uint64_t at = i ? items->offsets[i] : 0;
    memcpy((unsigned char *)items->keys + at, bytes.at, bytes.n);
    items->offsets[i] = at;
    items->offsets[i + 1] = at + bytes.n;
}

void stadium_item_set(struct stadium_scene *s, int i, int key, uint8_t operation, roost_value value)
{
    struct stadium_items *items = &s->items;
    const int bytes = stadium_value_bytes(&s->t);
    items->key[i] = key;
    items->operations[i] = operation;
    items->value[i] = value & stadium_value_mask(&s->t);
    if (s->t.sizes.wide) item_key_set_wide(s, i, s->t.key[key]);
    else store_width(s->t.shape.key_bytes, items->keys, (uint64_t)i, s->t.key[key]);
    wide_spread(items->value[i], (uint32_t)bytes, (unsigned char *)items->values_in + i * bytes);
}

static bool inserts(enum stadium_operation operation) { return operation == STADIUM_insert || operation == STADIUM_apply; }

static void call_clear(struct stadium_scene *s)
{
    const uint64_t longest = s->counters.longest > s->t.longest ? s->counters.longest : s->t.longest;
    memset(&s->counters, 0, sizeof s->counters);
    memset(&s->call.args, 0, sizeof s->call.args);
    s->counters.longest = s->t.longest = longest;
    s->call.shape = s->t.shape;
    s->call.args.view = s->t.view;
    s->call.args.view.longest = &s->counters.longest; /* as in the engine: they raise what others read */
    s->call.args.view.locks = s->refill ? s->t.locks : NULL;
    s->call.args.batch.counters = &s->counters;
    s->call.args.batch.park_status = ROOST_ITEM_FULL;
    s->call.args.batch.saturate = s->saturate;
    s->call.args.batch.value_type = stadium_value_bytes(&s->t) == 8 ? ROOST_TYPE_U64 : ROOST_TYPE_U32;
    s->call.args.batch.takes = 0xffff;
    s->call.args.transfer.shape = s->t.shape;
}

void stadium_batch_call(struct stadium_scene *s, enum stadium_operation operation, bool parks)
{
    struct stadium_items *items = &s->items;
    struct batch *b = &s->call.args.batch;
    call_clear(s);
    memset(items->statuses, 0xee, sizeof items->statuses);
    memset(items->found, 0xee, sizeof items->found);
    memset(items->values_out, UNTOUCHED, sizeof items->values_out);
    memset(items->stamps, 0, sizeof items->stamps);
    memset(items->list_n, 0, sizeof items->list_n);
    b->n = (uint64_t)items->n;
    b->keys = items->keys;
    b->key_bytes = s->t.sizes.wide ? (uint8_t)s->t.sizes.wide->key_bytes : (uint8_t)s->t.shape.key_bytes;
    b->value_bytes = (uint16_t)stadium_value_bytes(&s->t);
    if (s->t.view.wide.strings) b->key_offsets = items->offsets, b->offset_bytes = 8;
    b->absent_zero = s->absent_zero;
    b->statuses = items->statuses;
    b->stamps = items->stamps;
    if (operation == STADIUM_find || operation == STADIUM_apply) b->values_out = items->values_out, b->found = items->found;
    if (inserts(operation)) b->values_in = items->values_in;
    if (operation == STADIUM_insert) b->mode = (uint8_t)(items->operations[0] - ROOST_OP_INSERT);
    if (operation == STADIUM_apply) b->operations = items->operations;
    if (parks) b->leftover = items->list[0], b->leftover_n = &items->list_n[0];
}

struct scheduled_plan stadium_plan(struct stadium_scene *s, const struct stadium_launch *l, enum stadium_operation operation)
{
    const bool watched = inserts(operation) || operation == STADIUM_erase || operation == STADIUM_rebuild;
    const size_t scratch = l->driver == DRIVER_collaborate ? (size_t)l->size * COLLABORATE_BYTES : 0;
    const struct scheduled_plan plan = {
        dice_draw(&s->dice), l->size, l->tiles, BUDGET, scratch, watched ? stadium_watch_look : NULL, &s->watch, l->weak, true};
    s->call.driver = l->driver;
    s->call.size = l->size;
    if (l->weak) s->call.args.batch.stamps = NULL; /* they order a tile's accesses, and there is no real time to respect */
    if (watched) stadium_watch_begin(&s->watch, &s->t, s->refill);
    return plan;
}

scheduled_kernel *stadium_kernel(const struct stadium_scene *s, enum stadium_operation operation)
{
    return s->stamped->run[s->refill ? STADIUM_apply : operation];
}

bool stadium_launch_kernel(struct stadium_scene *s, const struct stadium_launch *l, enum stadium_operation operation)
{
    const struct scheduled_plan plan = stadium_plan(s, l, operation);
    const char *report = scheduled_run(&plan, stadium_kernel(s, operation), &s->call);
    s->explored->points += scheduled_numbers().points;
    s->explored->switches += scheduled_numbers().switches;
    return !report || stadium_wrong(&s->t, "%s%s: %s", s->refill ? "refill by " : "", operation_names[operation], report);
}

/* ---- Results -------------------------------------------------------------------------------------------------------------------- */

static int status_count(const struct stadium_items *items, uint8_t status)
{
    int n = 0;
    for (int i = 0; i < items->n; i++) n += items->statuses[i] == status;
    return n;
}

static bool counter_check(struct stadium_scene *s, const char *name, uint64_t counter, int64_t wanted)
{
    return (int64_t)counter == wanted ||
           stadium_wrong(&s->t, "the counter of %s says %" PRId64 ", not %" PRId64, name, (int64_t)counter, wanted);
}

/* D: counters tell what the statuses and the walk do. */
static bool counters_check(struct stadium_scene *s)
{
    const struct counters *c = &s->counters;
    const struct stadium_items *items = &s->items;
    const int inserted = status_count(items, ROOST_ITEM_INSERTED), erased = status_count(items, ROOST_ITEM_ERASED);
    const int full = s->call.args.batch.leftover ? 0 : status_count(items, ROOST_ITEM_FULL);
    s->explored->reused += c->reused;
    s->explored->put_back += c->put_back;
    s->explored->far += c->longest > 1;
    return counter_check(s, "inserted", c->inserted, inserted) && counter_check(s, "erased", c->erased, erased) &&
           counter_check(s, "updated", c->updated,
                         status_count(items, ROOST_ITEM_UPDATED) + status_count(items, ROOST_ITEM_KEPT)) &&
           counter_check(s, "stored", c->stored[0], inserted - erased) &&
           counter_check(s, "stored keys", (uint64_t)(s->after.stored - s->before.stored), inserted - erased) &&
           counter_check(s, "reused", c->reused, erased - (s->after.erased - s->before.erased)) &&
           counter_check(s, "failed", c->failed, full);
}

/* The value that a find has left in the caller's array. */
static bool value_found(const struct stadium_scene *s, int i, roost_value *value)
{
    const int bytes = stadium_value_bytes(&s->t);
    return wide_gather((const unsigned char *)s->items.values_out + i * bytes, (uint32_t)bytes, value);
}

/* Whole where the key was found; else zero, if that was asked for, or what was there before. */
static bool value_check(struct stadium_scene *s, int i)
{
    const int bytes = stadium_value_bytes(&s->t);
    const unsigned char *at = (const unsigned char *)s->items.values_out + i * bytes, want = s->absent_zero ? 0 : UNTOUCHED;
    roost_value value;
    if (s->items.statuses[i] == ROOST_ITEM_FOUND)
        return value_found(s, i, &value) ||
               stadium_wrong(&s->t, "item %d: the value found is torn, it begins with %" PRIx64, i, value);
    for (int k = 0; k < bytes; k++)
        if (at[k] != want) return stadium_wrong(&s->t, "item %d was not found, and byte %d of its value is %x", i, k, at[k]);
    return true;
}

/* What a find says beside its status. */
static bool found_check(struct stadium_scene *s)
{
    const struct batch *b = &s->call.args.batch;
    for (int i = 0; b->found && i < s->items.n; i++) {
        if (b->found[i] != (s->items.statuses[i] == ROOST_ITEM_FOUND))
            return stadium_wrong(&s->t, "item %d: status %d, found %d", i, s->items.statuses[i], b->found[i]);
        if (!value_check(s, i)) return false;
    }
    return true;
}

static struct linear_op linear_of(const struct stadium_scene *s, int i, bool weak)
{
    const struct stadium_items *items = &s->items;
    roost_value value = 0;
    if (items->statuses[i] == ROOST_ITEM_FOUND) (void)value_found(s, i, &value);
    const struct linear_op op = {.argument = items->value[i],
                                 .value = value,
                                 .invoked = weak ? 0 : items->stamps[i].invoked,
                                 .responded = weak ? UINT64_MAX : items->stamps[i].responded,
                                 .operation = items->operations[i],
                                 .status = items->statuses[i],
                                 .saturates = s->saturate};
    return op;
}

static bool key_wrong(struct stadium_scene *s, int key, const struct linear_op *ops, int n)
{
    char text[4000];
    int at = snprintf(text, sizeof text, "key %" PRIx64 ", %d and then %d times stored (%" PRIx64 ", %" PRIx64 "):", s->t.key[key],
                      s->before.n[key], s->after.n[key], s->before.value[key], s->after.value[key]);
    for (int i = 0; i < n && at < 3800; i++)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       " [%" PRIu64 "-%" PRIu64 " operation %d of %" PRIx64 ": status %d, %" PRIx64 "]", ops[i].invoked,
                       ops[i].responded, ops[i].operation, ops[i].argument, ops[i].status, ops[i].value);
    return stadium_wrong(&s->t, "no order explains %s", text);
}

static struct linear_state state_of(const struct stadium_contents *c, int key)
{
    const struct linear_state state = {c->n[key] > 0, c->n[key] ? c->value[key] : 0};
    return state;
}

static bool results_check(struct stadium_scene *s, bool weak)
{
    struct linear *linear = linear_new(stadium_value_mask(&s->t), LINEAR_PLACES);
    struct linear_op ops[STADIUM_MOST_ITEMS];
    bool ok = found_check(s);
    for (int key = 0; ok && key < s->t.keys; key++) {
        const struct linear_state from = state_of(&s->before, key), to = state_of(&s->after, key);
        int n = 0;
        for (int i = 0; i < s->items.n; i++)
            if (s->items.key[i] == key) ops[n++] = linear_of(s, i, weak);
        ok = linear_check(linear, ops, (size_t)n, from, to) != LINEAR_NO || key_wrong(s, key, ops, n);
    }
    linear_free(linear);
    return ok;
}

/* ---- Those without room --------------------------------------------------------------------------------------------------------- */

/* The clock of the next run begins anew, and all of it is later. */
static void parked_respond_late(struct stadium_items *items)
{
    for (uint64_t i = 0; i < items->list_n[0]; i++) items->stamps[items->list[0][i]].responded = UINT64_MAX;
}

static bool parked_check(struct stadium_scene *s, int list)
{
    bool ok = true;
    for (uint64_t i = 0; ok && !s->t.view.wide.closed && i < s->items.list_n[list]; i++)
        ok = stadium_way_is_full(&s->t, s->items.key[s->items.list[list][i]], s->refill);
    return ok;
}

/* As the engine runs them: under locks, if a slot of an erased key is there to be taken. */
static bool parked_again(struct stadium_scene *s, const struct stadium_launch *l, enum stadium_operation operation)
{
    struct batch *b = &s->call.args.batch;
    s->explored->parked += s->items.list_n[0];
    b->order = s->items.list[0];
    b->n = s->items.list_n[0];
    b->leftover = s->items.list[1];
    b->leftover_n = &s->items.list_n[1];
    s->refill = s->t.view.access && s->after.erased;
    s->call.args.view.locks = s->refill ? s->t.locks : NULL;
    bool ok = stadium_launch_kernel(s, l, operation) && parked_check(s, 1);
    s->t.longest = s->counters.longest;
    s->refill = false;
    parked_respond_late(&s->items);
    return ok && stadium_table_walk(&s->t, &s->after);
}

/* Without room for strings nothing is taken in, and what is stored is updated all the same. */
static bool closed_check(struct stadium_scene *s)
{
    const struct stadium_items *items = &s->items;
    if (!s->t.view.wide.closed) return true;
    for (int i = 0; i < items->n; i++) {
        const uint8_t status = items->statuses[i];
        if (status == ROOST_ITEM_INSERTED || (status == ROOST_ITEM_FULL && s->after.n[items->key[i]]))
            return stadium_wrong(&s->t, "no room for strings: key %" PRIx64 " ends with status %d", s->t.key[items->key[i]],
                                 status);
    }
    return true;
}

bool stadium_batch_check(struct stadium_scene *s, const struct stadium_launch *l, enum stadium_operation operation)
{
    const int full = status_count(&s->items, ROOST_ITEM_FULL);
    const bool refilled = s->refill;
    s->t.longest = s->counters.longest;
    bool ok = stadium_table_walk(&s->t, &s->after);
    if (ok && s->call.args.batch.leftover && (uint64_t)full != s->items.list_n[0])
        ok = stadium_wrong(&s->t, "%d items are FULL, and %" PRIu64 " parked", full, s->items.list_n[0]);
    if (ok && s->items.list_n[0]) ok = parked_check(s, 0);
    if (ok && s->items.list_n[0] && !refilled && !s->t.view.wide.closed) ok = parked_again(s, l, operation);
    s->refill = refilled;
    ok = ok && closed_check(s) && counters_check(s) && results_check(s, l->weak);
    s->before = s->after;
    return ok;
}

/* ---- Drawn batches ---------------------------------------------------------------------------------------------------------------- */

/* An insert's mode: long values are assigned or kept. */
static uint8_t insert_draw(struct stadium_scene *s)
{
    if (!value_is_long((uint32_t)stadium_value_bytes(&s->t))) return (uint8_t)(ROOST_OP_INSERT + dice_below(&s->dice, 5));
    return dice_below(&s->dice, 4) ? ROOST_OP_ASSIGN : ROOST_OP_KEEP;
}

/* Few keys many times, or all of them, or those that look like marks; values that are small, so that they coincide, or of all bits. */
static void items_draw(struct stadium_scene *s, enum stadium_operation operation)
{
    const bool marks = dice_below(&s->dice, 8) == 0, crowded = !marks && dice_below(&s->dice, 3) == 0;
    const uint32_t keys = marks ? 2 : crowded ? 1 + dice_below(&s->dice, 4) : (uint32_t)s->t.keys;
    const uint32_t from = marks ? 0 : dice_below(&s->dice, (uint32_t)s->t.keys - keys + 1), most = crowded ? 24 : 60;
    const bool only_inserts = operation == STADIUM_insert || s->refill;
    uint8_t one = insert_draw(s);
    if (operation == STADIUM_find || operation == STADIUM_erase) one = operation == STADIUM_find ? ROOST_OP_FIND : ROOST_OP_ERASE;
    s->items.n = 1 + (int)dice_below(&s->dice, most);
    for (int i = 0; i < s->items.n; i++) {
        const uint64_t value = dice_draw(&s->dice) >> (dice_below(&s->dice, 2) ? 61 : 0);
        uint8_t op = one;
        if (operation == STADIUM_apply && !only_inserts && dice_below(&s->dice, 2)) op = (uint8_t)dice_below(&s->dice, 2);
        else if (operation == STADIUM_apply) op = insert_draw(s);
        stadium_item_set(s, i, (int)(from + dice_below(&s->dice, keys)), op, value);
    }
}

/* Room for the strings of a batch, or at times for none. */
static void strings_provide(struct stadium_scene *s)
{
    uint64_t bytes = 0;
    for (int i = 0; i < s->items.n; i++) bytes += bytes_padded(s->items.offsets[i + 1] - s->items.offsets[i]);
    s->t.view.wide.closed = dice_below(&s->dice, 8) == 0;
    s->explored->closed += s->t.view.wide.closed;
    wide_arena_provide(&s->t, s->t.view.wide.closed ? 0 : bytes);
}

bool stadium_scene_batch(struct stadium_scene *s, const struct stadium_launch *l, enum stadium_operation operation, bool refill)
{
    s->refill = refill;
    items_draw(s, operation);
    s->saturate = dice_below(&s->dice, 2) != 0;
    s->absent_zero = s->t.sizes.wide && dice_below(&s->dice, 2);
    if (s->t.view.wide.strings && inserts(operation)) strings_provide(s);
    s->explored->items[operation] += (uint64_t)s->items.n;
    s->explored->refilled += refill ? (uint64_t)s->items.n : 0;
    stadium_batch_call(s, operation, inserts(operation) && dice_below(&s->dice, 4));
    const bool ok = stadium_launch_kernel(s, l, operation) && stadium_batch_check(s, l, operation);
    s->refill = false;
    s->t.view.wide.closed = 0;
    return ok;
}

/* ---- Other kernels ---------------------------------------------------------------------------------------------------------------- */

static bool same_contents(struct stadium_scene *s, const char *what)
{
    for (int i = 0; i < s->t.keys; i++)
        if (s->before.n[i] != s->after.n[i] || s->before.value[i] != s->after.value[i])
            return stadium_wrong(&s->t, "%s: key %" PRIx64 " was stored %d times (%" PRIx64 "), and then %d times (%" PRIx64 ")",
                                 what, s->t.key[i], s->before.n[i], s->before.value[i], s->after.n[i], s->after.value[i]);
    return true;
}

/* A pass that frees ERASED tickets where nobody passed, by lanes alone. */
static bool compact(struct stadium_scene *s, const struct stadium_launch *l)
{
    const struct stadium_launch lanes = {DRIVER_tile, 1, 2, l->weak};
    call_clear(s);
    s->call.args.batch.n = s->t.view.groups;
    if (!stadium_launch_kernel(s, &lanes, STADIUM_compact) || !stadium_table_walk(&s->t, &s->after)) return false;
    s->explored->items[STADIUM_compact] += s->t.view.groups;
    s->explored->compacted += s->counters.reused;
    const bool ok =
        counter_check(s, "compacted", s->counters.reused, s->before.erased - s->after.erased) && same_contents(s, "compact");
    s->before = s->after;
    return ok;
}

/* A pass that copies the stored strings to a new arena. */
static bool compact_arena(struct stadium_scene *s, const struct stadium_launch *l)
{
    const struct stadium_launch lanes = {DRIVER_tile, 1, 2, l->weak};
    const uint64_t room = s->t.ends.used - s->t.ends.dead;
    uint64_t used = 0;
    unsigned char *arena = wide_arena_make(room);
    call_clear(s);
    s->call.args.transfer.arena = arena;
    s->call.args.transfer.arena_used = &used;
    s->call.args.batch.n = s->t.view.groups;
    s->explored->arenas += s->t.ends.dead > 0;
    const bool ok = stadium_launch_kernel(s, &lanes, STADIUM_compact);
    wide_arena_take(&s->t, arena, room);
    s->t.ends = (struct stadium_ends){used, 0};
    return ok && stadium_table_walk(&s->t, &s->after) && same_contents(s, "compaction of the arena");
}

static bool survey(struct stadium_scene *s, const struct stadium_launch *l)
{
    const struct stadium_launch lanes = {DRIVER_tile, 1, 2, l->weak};
    call_clear(s);
    s->call.args.batch.n = ((uint64_t)s->t.slots + STADIUM_RUN - 1) / STADIUM_RUN;
    s->explored->items[STADIUM_survey] += s->call.args.batch.n;
    return stadium_launch_kernel(s, &lanes, STADIUM_survey) &&
           counter_check(s, "distinct", s->counters.distinct, s->before.stored) &&
           counter_check(s, "erased", s->counters.reused, s->before.erased) && counter_check(s, "reserved", s->counters.failed, 0);
}

/* What the caller's arrays are after an export. */
struct exported {
    uint64_t keys[STADIUM_MOST_SLOTS * STADIUM_KEY_BYTES / 8], values[STADIUM_MOST_SLOTS * STADIUM_VALUE_BYTES / 8];
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
    return bytes.n <= STADIUM_KEY_BYTES ? wide_key_from(wide, bytes) : STADIUM_NO_KEY;
}

static bool exported_check(struct stadium_scene *s, const struct exported *out, uint64_t pairs)
{
    const int bytes = stadium_value_bytes(&s->t);
    if (!counter_check(s, "exported pairs", pairs, s->before.stored)) return false;
    memset(&s->after, 0, sizeof s->after);
    for (uint64_t i = 0; i < pairs; i++) {
        const roost_key exported = exported_key(s, out, i);
        int key = 0;
        while (key < s->t.keys && s->t.key[key] != exported) key++;
        if (key == s->t.keys) return stadium_wrong(&s->t, "exported a key that nobody inserted");
        s->after.n[key]++;
        if (!wide_gather((const unsigned char *)out->values + i * (unsigned)bytes, (uint32_t)bytes, &s->after.value[key]))
            return stadium_wrong(&s->t, "exported a torn value of key %" PRIx64, exported);
    }
    return same_contents(s, "export");
}

static bool export_pairs(struct stadium_scene *s, const struct stadium_launch *l)
{
    static struct exported out;
    const bool strings = s->t.view.wide.strings;
    const struct stadium_launch tiles = {DRIVER_tile, l->size, l->tiles, l->weak};
    uint64_t pairs = 0;
    call_clear(s);
    s->call.args.transfer.keys = out.keys;
    s->call.args.transfer.values = out.values;
    if (strings) s->call.args.transfer.offsets = out.offsets, s->call.args.transfer.offset_bytes = 8;
    s->call.args.transfer.pairs_n = &pairs;
    s->call.args.batch.n = ((uint64_t)s->t.slots + STADIUM_RUN - 1) / STADIUM_RUN;
    s->explored->items[STADIUM_export] += s->call.args.batch.n;
    const bool ok = stadium_launch_kernel(s, &tiles, STADIUM_export);
    if (!strings) return ok && exported_check(s, &out, pairs);
    out.offsets[pairs >> STRINGS_SHIFT] = pairs & STRINGS_BYTES_MOST;
    return ok && exported_check(s, &out, pairs >> STRINGS_SHIFT);
}

/* Of a table of fewer, as many or more groups. */
static struct stadium_sizes other_sizes(const struct stadium_scene_table *t, struct dice *dice)
{
    static const uint32_t primes[] = {2, 3, 5, 7, 11, 17, 29};
    const uint32_t tickets = (uint32_t)stadium_group_tickets(t->shape, &t->view);
    struct stadium_sizes sizes = t->sizes;
    do sizes.groups = dice_below(dice, 3) ? primes[dice_below(dice, 7)] : t->sizes.groups;
    while ((sizes.groups + 1) * tickets > STADIUM_MOST_SLOTS);
    return sizes;
}

/* All pairs into a new table; where not all find room the old one stays. */
static bool rebuild(struct stadium_scene *s, const struct stadium_launch *l)
{
    const struct stadium_launch tiles = {DRIVER_tile, l->size, l->tiles, l->weak}; /* whose items come from the table */
    static struct stadium_scene_table old;
    old = s->t;
    const struct stadium_sizes sizes = other_sizes(&old, &s->dice);
    stadium_scene_table_make(&s->t, old.shape, &sizes, &old, &s->dice);
    const uint64_t longest = s->counters.longest;
    s->counters.longest = 0;
    call_clear(s);
    s->call.args.batch.n = (uint64_t)old.slots;
    s->call.args.transfer.from = old.view;
    s->explored->items[STADIUM_rebuild] += (uint64_t)old.slots;
    bool ok = stadium_launch_kernel(s, &tiles, STADIUM_rebuild);
    s->t.longest = s->counters.longest;
    ok = ok && stadium_pairs_walk(&s->t, &s->after) && counter_check(s, "moved", s->counters.moved, s->after.stored);
    const bool all = s->after.stored == s->before.stored;
    ok = ok && (!all || (same_contents(s, "rebuild") && wide_arena_walk(&s->t, s->after.string_bytes))) &&
         counter_check(s, "failed", s->counters.failed, s->before.stored - s->after.stored);
    if (ok && all) s->before = s->after, s->explored->moved += s->counters.moved;
    stadium_scene_table_free(ok && !all ? &s->t : &old);
    if (ok && !all) s->t = old, s->counters.longest = longest;
    return ok;
}

/* ---- A scene of everything ---------------------------------------------------------------------------------------------------------- */

/* Most slots are taken by keys that few items ask for; some of these are erased. */
static void fill(struct stadium_scene *s)
{
    const int main_slots = (int)stadium_main_slots(s->t.shape, &s->t.view), spare = (int)dice_below(&s->dice, 3) * 6;
    const int fillers = dice_below(&s->dice, 4) ? main_slots - spare : main_slots / 3, away = (int)dice_below(&s->dice, 10);
    for (int i = 0; i < fillers && i < s->t.keys; i++) (void)stadium_put(&s->t, s->t.keys - 1 - i, dice_draw(&s->dice) >> 60);
    for (int i = 0; i < away && fillers > 0; i++)
        stadium_take_away(&s->t, s->t.keys - 1 - (int)dice_below(&s->dice, (uint32_t)fillers));
}

static bool play_one(struct stadium_scene *s, struct stadium_launch *l)
{
    static const enum stadium_operation batches[] = {STADIUM_insert, STADIUM_insert, STADIUM_erase, STADIUM_find,
                                                     STADIUM_apply,  STADIUM_apply,  STADIUM_apply};
    const bool mixes = s->t.view.access;
    const uint32_t what = dice_below(&s->dice, 12);
    const bool tiles = l->tiles == 0;
    bool ok = true;
    if (tiles) l->tiles = 2 + (int)dice_below(&s->dice, l->size == 1 ? 6 : 4);
    if (what < 7) ok = stadium_scene_batch(s, l, mixes || what < 4 ? batches[what] : STADIUM_insert, false);
    else if (what < 9) ok = stadium_scene_batch(s, l, mixes ? STADIUM_apply : STADIUM_insert, mixes);
    else if (what == 9) ok = rebuild(s, l);
    else if (what == 10) ok = survey(s, l) && export_pairs(s, l);
    else if (s->t.view.wide.strings && dice_below(&s->dice, 2)) ok = compact_arena(s, l);
    else ok = mixes && !s->t.view.single ? compact(s, l) : survey(s, l);
    if (tiles) l->tiles = 0;
    return ok;
}

bool stadium_site_is_wide(const struct scheduled_site *site)
{
    return strstr(site->function, "wide") || strstr(site->function, "string");
}

#define SHAPE_VALUE(name, ...) shape_##name(),

const char *stadium_explore(const struct stadium_scenario *scenario, struct stadium_explored *explored)
{
    const struct shape all[] = {STADIUM_SHAPES(SHAPE_VALUE)}, shape = all[scenario->shape];
    static struct stadium_scene s;
    struct stadium_launch l = scenario->launch;
    struct stadium_sizes sizes;
    memset(&s, 0, sizeof s);
    s.stamped = scenario->stamped;
    s.explored = explored;
    s.dice.state = mix64(scenario->seed) ^ ((uint64_t)scenario->shape << 16 | (uint64_t)l.driver << 8 | (uint64_t)l.size);
    if (scenario->wide) s.dice.state ^= mix64((uint64_t)scenario->wide->key_bytes << 16 | (uint64_t)scenario->wide->value_bytes);
    stadium_sizes_draw(&sizes, shape, &s.dice);
    sizes.wide = scenario->wide;
    stadium_scene_table_make(&s.t, shape, &sizes, NULL, &s.dice);
    stadium_keys_draw(&s.t, s.t.slots + 12 < STADIUM_MOST_KEYS ? s.t.slots + 12 : STADIUM_MOST_KEYS, 0, false, &s.dice);
    fill(&s);
    bool ok = stadium_table_walk(&s.t, &s.before);
    for (int i = 0; ok && i < 10; i++) ok = play_one(&s, &l);
    stadium_scene_table_free(&s.t);
    stadium_scene_arena_free(&s.t);
    return ok ? NULL : s.t.wrong;
}
