/* Batches over a small compact table on the scheduled machine. */
#include <stdlib.h>

#include "support/scheduled_compact_scene.h"

#include <inttypes.h>

struct compact_explored compact_explored;

static const char *const operation_names[COMPACT_OPERATIONS_MOST] = {
    [COMPACT_find] = "find",   [COMPACT_insert] = "insert", [COMPACT_erase] = "erase",
    [COMPACT_apply] = "apply", [COMPACT_evict] = "evict",   [COMPACT_export] = "export",
    [COMPACT_build] = "build", [COMPACT_tidy] = "tidy",     [COMPACT_displace] = "displace"};

#define SHAPE_TEXT(name, ...) #name,
const char *const compact_shape_names[] = {COMPACT_SHAPES(SHAPE_TEXT)};

static struct frame_stored stored(const struct frame *f, bool after, int key)
{
    const struct compact_scene *s = (const struct compact_scene *)f;
    const struct compact_contents *c = after ? &s->after : &s->before;
    const struct frame_stored here = {c->n[key], c->value[key]};
    return here;
}

static const struct frame_engine engine = {operation_names, stored, NULL};

void compact_scene_begin(struct compact_scene *s, const struct compact_stamped *stamped, uint64_t seed)
{
    memset(s, 0, sizeof *s);
    s->stamped = stamped;
    frame_begin(&s->f, &engine, &compact_explored.all, seed);
}

void compact_scene_make(struct compact_scene *s, const struct compact_sizes *sizes, int keys)
{
    compact_table_make(&s->t, sizes, keys, &s->f.dice);
    frame_universe(&s->f, s->t.shape, s->t.key, s->t.keys);
    compact_explored.twins += (uint64_t)s->t.twins;
}

/* ---- Batches --------------------------------------------------------------------------------- */

static bool inserts(enum compact_operation operation)
{
    return operation == COMPACT_insert || operation == COMPACT_apply || operation == COMPACT_evict || operation == COMPACT_displace;
}

static void call_clear(struct compact_scene *s)
{
    memset(&s->call, 0, sizeof s->call);
    frame_batch_clear(&s->f, &s->call.args.batch);
    s->call.shape = s->t.shape;
    s->call.args.view = compact_table_view(&s->t);
    s->call.args.transfer.shape = s->t.shape;
}

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Sorts numbers, and drops doubles; returns how many are left. */
static int numbers_sort(uint32_t *list, int n)
{
    int different = 0;
    qsort(list, (size_t)n, sizeof *list, compare_numbers);
    for (int i = 0; i < n; i++)
        if (!different || list[i] != list[different - 1]) list[different++] = list[i];
    return different;
}

/* Adds the buckets whose items also look after entries of the stash. */
static int beside_add(const struct compact_scene_table *t, uint32_t *list, int n)
{
    for (uint32_t i = 0; i < COMPACT_ENTRIES && i < t->view.range.buckets; i++) list[n++] = i;
    return n;
}

void compact_homes_call(struct compact_scene *s)
{
    static uint32_t list[COMPACT_MOST_HOMES + COMPACT_ENTRIES];
    const int n = beside_add(&s->t, list, 0);
    memcpy(list + n, s->t.home, (size_t)s->t.homes * sizeof *list);
    call_clear(s);
    s->call.args.batch.order = list;
    s->call.args.batch.n = (uint64_t)numbers_sort(list, n + s->t.homes);
}

void compact_batch_call(struct compact_scene *s, enum compact_operation operation)
{
    static const int sees[COMPACT_OPERATIONS_MOST] = {[COMPACT_find] = FRAME_VALUES_OUT,
                                                      [COMPACT_insert] = FRAME_VALUES_IN,
                                                      [COMPACT_evict] = FRAME_VALUES_IN,
                                                      [COMPACT_apply] = FRAME_VALUES_IN | FRAME_VALUES_OUT | FRAME_OPERATIONS_IN};
    call_clear(s);
    s->f.items.list_n[0] = 0;
    frame_batch_items(&s->f, &s->call.args.batch, sees[operation] | FRAME_STAMPS);
    if (inserts(operation)) frame_batch_parks(&s->f, &s->call.args.batch, 0);
}

static enum compact_watched watched_by(enum compact_operation operation)
{
    return operation == COMPACT_apply    ? WATCH_MIXED
           : operation == COMPACT_insert ? WATCH_INSERTS
           : operation == COMPACT_erase  ? WATCH_ERASES
                                         : WATCH_MOVES;
}

struct scheduled_plan compact_plan(struct compact_scene *s, const struct frame_launch *l, enum compact_operation operation)
{
    enum { SEARCHES = 20 }; /* an item may search many times */
    struct scheduled_plan plan = frame_plan(&s->f, l);
    s->call.driver = l->driver;
    s->call.size = l->size;
    /* Timestamps would order a tile's accesses, and weak memory has no real time to respect. */
    if (l->weak) s->call.args.batch.stamps = NULL;
    if (operation == COMPACT_build) plan.scratch_bytes = COMPACT_SCRATCH_build;
    if (operation == COMPACT_evict || operation == COMPACT_displace) plan.budget *= SEARCHES;
    if (s->unwatched || operation == COMPACT_find) return plan;
    plan.watch = compact_watch_look, plan.context = &s->watch;
    compact_watch_begin(&s->watch, &s->t, watched_by(operation));
    return plan;
}

bool compact_launch_kernel(struct compact_scene *s, const struct frame_launch *l, enum compact_operation operation)
{
    const struct scheduled_plan plan = compact_plan(s, l, operation);
    compact_explored.all.items[operation] += s->call.args.batch.n;
    return frame_run(&s->f, &plan, s->stamped->run[operation], &s->call, (int)operation);
}

bool compact_scene_turn(struct compact_scene *s)
{
    const uint32_t before = s->t.marks.epoch;
    call_clear(s);
    s->call.args.batch.n = 1;
    s->call.args.transfer.turns = true;
    return compact_launch_kernel(s, &frame_alone, COMPACT_tidy) &&
           (s->t.marks.epoch == !before || wrong_say("the epoch went from %" PRIu32 " to %" PRIu32, before, s->t.marks.epoch));
}

/* ---- Items without room ---------------------------------------------------------------------- */

static bool is_full(const struct compact_scene *s, uint32_t bucket)
{
    return s->after.taken[compact_home_index(&s->t, bucket)] == s->t.shape.slots;
}

/* Checks that an item that found no room has none: its homes are full, and none of their keys has
 * room in its other home.  (Searches for longer ways are bounded.) */
static bool has_no_room(const struct compact_scene *s, uint32_t i)
{
    const struct compact_known *k = &s->t.known[s->f.items.key[i]];
    if (!is_full(s, k->home[0].bucket) || !is_full(s, k->home[1].bucket))
        return wrong_say("item %" PRIu32 " found no room, and a home of its key has a vacancy", i);
    for (int key = 0; key < s->t.keys; key++) {
        const struct compact_known *other = &s->t.known[key];
        if (s->after.at[key] == COMPACT_IN_STASH) continue;
        const uint32_t at = other->home[s->after.at[key]].bucket, to = other->home[!s->after.at[key]].bucket;
        if (s->after.n[key] && (at == k->home[0].bucket || at == k->home[1].bucket) && !is_full(s, to))
            return wrong_say("item %" PRIu32 " found no room, and key %" PRIx64 " could have moved", i, s->t.key[key]);
    }
    return true;
}

/* One more pass over the items that wait; those that it parks wait then. */
static bool pass_again(struct compact_scene *s, const struct frame_launch *l, enum compact_operation operation)
{
    frame_batch_again(&s->f, &s->call.args.batch);
    const bool ok = compact_launch_kernel(s, l, operation);
    frame_again_is_later(&s->f);
    if (!ok || !frame_parked_check(&s->f, 1)) return false;
    memcpy(s->f.items.list[0], s->f.items.list[1], sizeof s->f.items.list[0]);
    s->f.items.list_n[0] = s->f.items.list_n[1];
    return true;
}

/* Items that wait go through displacements, at times, and through evictions: by some lanes, and
 * then by one lane alone. */
static bool evictions(struct compact_scene *s, const struct frame_launch *l)
{
    const struct frame_launch lanes = {DRIVER_tile, 1, 2 + l->tiles % 5, l->weak};
    const uint64_t parked = s->f.items.list_n[0];
    bool ok = true;
    compact_explored.parked += parked;
    if (!s->call.args.view.permits && dice_below(&s->f.dice, 2)) ok = pass_again(s, &lanes, COMPACT_displace);
    compact_explored.displaced += parked - s->f.items.list_n[0];
    if (ok && s->f.items.list_n[0]) ok = pass_again(s, &lanes, COMPACT_evict);
    compact_explored.placed += parked - s->f.items.list_n[0];
    if (!ok || !s->f.items.list_n[0]) return ok;
    frame_batch_again(&s->f, &s->call.args.batch);
    ok = compact_launch_kernel(s, &frame_alone, COMPACT_evict) && frame_parked_check(&s->f, 1) &&
         compact_table_walk(&s->t, &s->after);
    frame_again_is_later(&s->f);
    compact_explored.stuck += s->f.items.list_n[1];
    const bool may = !s->call.args.view.permits || (int64_t)s->permits > 0;
    if (ok && may && s->f.items.list_n[1] && s->call.args.view.stashes && s->after.stashed < COMPACT_ENTRIES)
        return wrong_say("an item found no room, and the stash has");
    for (uint64_t i = 0; ok && may && i < s->f.items.list_n[1]; i++) ok = has_no_room(s, s->f.items.list[1][i]);
    return ok;
}

/* ---- Results --------------------------------------------------------------------------------- */

/* Each key that was added took a permit, and all others were given back. */
static bool permits_check(const struct compact_scene *s)
{
    const uint64_t added = (uint64_t)frame_status_count(&s->f, ROOST_ITEM_INSERTED), left = s->permits;
    const uint64_t had = s->call.args.view.permits ? (uint64_t)s->f.items.n % 7 : 0;
    if (!s->call.args.view.permits || had - added == left) return true;
    return wrong_say("%" PRIu64 " keys added by %" PRIu64 " permits, of which %" PRId64 " are left", added, had, (int64_t)left);
}

/* The counters must match the statuses and the walk. */
static bool counters_check(const struct compact_scene *s)
{
    const struct counters *c = &s->f.counters;
    const int erased = frame_status_count(&s->f, ROOST_ITEM_ERASED);
    compact_explored.all.put_back += c->put_back;
    compact_explored.evicted += c->evicted;
    return frame_counters_check(&s->f) &&
           frame_counter_check("stored", c->stored[0], frame_status_count(&s->f, ROOST_ITEM_INSERTED) - erased) &&
           frame_counter_check("stored, by a walk", c->stored[0], s->after.stored - s->before.stored) && permits_check(s);
}

static bool orders_check(const struct compact_scene *s, bool weak, enum compact_operation operation)
{
    return operation == COMPACT_find ? frame_found_all_check(&s->f) : frame_orders_check(&s->f, weak);
}

bool compact_batch_check(struct compact_scene *s, const struct frame_launch *l, enum compact_operation operation)
{
    bool ok = compact_table_walk(&s->t, &s->after) && (!inserts(operation) || frame_parked_check(&s->f, 0));
    if (ok && s->f.items.list_n[0]) ok = evictions(s, l) && compact_table_walk(&s->t, &s->after);
    ok = ok && counters_check(s) && frame_found_check(&s->f);
    ok = ok && orders_check(s, l->weak, operation);
    compact_explored.second += (uint64_t)s->after.second;
    compact_explored.stashed += (uint64_t)s->after.stashed;
    if (inserts(operation) && s->after.dead < s->before.dead) compact_explored.reused += (uint64_t)(s->before.dead - s->after.dead);
    s->before = s->after;
    return ok;
}

/* ---- Operations ------------------------------------------------------------------------------ */

/* Draws all keys, few keys many times, or two whose tags have one low part.  Values are small, so
 * that they coincide, or have random bits everywhere. */
static void items_draw(struct compact_scene *s, enum compact_operation operation)
{
    const bool crowded = dice_below(&s->f.dice, 3) == 0;
    const uint32_t most = crowded ? 24 : 90;
    uint32_t keys = crowded ? 1 + dice_below(&s->f.dice, 4) : (uint32_t)s->t.keys;
    uint32_t from = dice_below(&s->f.dice, (uint32_t)s->t.keys - keys + 1);
    const int twins = crowded ? compact_twins_next(&s->t, (int)from) : -1;
    if (twins >= 0 && dice_below(&s->f.dice, 2)) from = (uint32_t)twins, keys = 2;
    uint8_t one = (uint8_t)(ROOST_OP_INSERT + dice_below(&s->f.dice, 5));
    if (operation == COMPACT_find || operation == COMPACT_erase) one = operation == COMPACT_find ? ROOST_OP_FIND : ROOST_OP_ERASE;
    s->f.items.n = 1 + (int)dice_below(&s->f.dice, most);
    for (int i = 0; i < s->f.items.n; i++) {
        const uint64_t value = dice_draw(&s->f.dice) >> (dice_below(&s->f.dice, 2) ? 61 : 0);
        uint8_t op = one;
        if (operation == COMPACT_apply && dice_below(&s->f.dice, 2)) op = (uint8_t)dice_below(&s->f.dice, 2);
        else if (operation == COMPACT_apply) op = (uint8_t)(ROOST_OP_INSERT + dice_below(&s->f.dice, 5));
        frame_item_set(&s->f, i, (int)(from + dice_below(&s->f.dice, keys)), op, value);
    }
}

static bool batch(struct compact_scene *s, const struct frame_launch *l, enum compact_operation operation)
{
    if (operation == COMPACT_apply && !compact_scene_turn(s)) return false;
    items_draw(s, operation);
    s->f.saturate = dice_below(&s->f.dice, 2);
    compact_batch_call(s, operation);
    s->call.args.view.stashes = dice_below(&s->f.dice, 2);
    s->permits = (uint64_t)s->f.items.n % 7;
    if (inserts(operation) && s->f.items.n % 3 == 2) s->call.args.view.permits = &s->permits, compact_explored.permitted++;
    return compact_launch_kernel(s, l, operation) && compact_batch_check(s, l, operation);
}

/* Finds every key of the universe. */
static bool find_all(struct compact_scene *s, const struct frame_launch *l)
{
    s->f.items.n = s->t.keys;
    for (int i = 0; i < s->f.items.n; i++) frame_item_set(&s->f, i, i, ROOST_OP_FIND, 0);
    compact_batch_call(s, COMPACT_find);
    return compact_launch_kernel(s, l, COMPACT_find) && compact_batch_check(s, l, COMPACT_find);
}

/* ---- Other kernels --------------------------------------------------------------------------- */

/* The filters are those of the keys in their second homes. */
static bool filters_check(const struct compact_scene *s)
{
    for (int home = 0; home < s->t.homes; home++) {
        const uint32_t bucket = s->t.home[home],
                       is = compact_filter_see(&s->t, bucket) >> COMPACT_SPARE_SHIFT << COMPACT_SPARE_SHIFT;
        uint32_t wanted = 0;
        for (int key = 0; key < s->t.keys; key++)
            if (s->after.n[key] && s->after.at[key] && s->t.known[key].home[0].bucket == bucket) wanted |= s->t.known[key].bit;
        if (is != wanted) return wrong_say("the filter of bucket %" PRIu32 " is %" PRIx32 ", not %" PRIx32, bucket, is, wanted);
    }
    return true;
}

/* If no key moved, those outside their first home had no room there. */
static bool homeward_check(const struct compact_scene *s)
{
    for (int key = 0; key < s->t.keys && !s->f.counters.evicted; key++)
        if (s->after.n[key] && s->after.at[key] == 1 && !is_full(s, s->t.known[key].home[0].bucket))
            return wrong_say("key %" PRIx64 " was not moved home, where a slot is open", s->t.key[key]);
    return true;
}

void compact_tidy_call(struct compact_scene *s)
{
    static uint32_t filters[COMPACT_MOST_BUCKETS / 2 + 1];
    compact_homes_call(s);
    for (uint64_t i = 0; i < s->call.args.batch.n; i++) filters[s->call.args.batch.order[i] / 2] = 0;
    s->call.args.transfer.filters = filters;
}

bool compact_tidy_check(struct compact_scene *s, const struct frame_launch *l)
{
    s->call.args.transfer.replaces = true;
    bool ok = compact_launch_kernel(s, l, COMPACT_tidy) && compact_table_walk(&s->t, &s->after) && filters_check(s);
    ok = ok && homeward_check(s) && frame_same_contents(&s->f, "tidy") &&
         frame_counter_check("keys moved home", s->f.counters.evicted, s->before.second - s->after.second);
    compact_explored.tidied += s->f.counters.evicted;
    s->before = s->after;
    return ok;
}

/* Both passes of tidying, by lanes alone. */
static bool tidy(struct compact_scene *s, const struct frame_launch *l)
{
    const struct frame_launch lanes = {DRIVER_tile, 1, 2 + l->tiles % 3, l->weak};
    compact_tidy_call(s);
    return compact_launch_kernel(s, &lanes, COMPACT_tidy) && compact_tidy_check(s, &lanes);
}

/* Moves the stash's pairs to the buckets; once it is empty its entries become vacant. */
static bool drain(struct compact_scene *s, const struct frame_launch *l)
{
    const struct frame_launch lanes = {DRIVER_tile, 1, 2 + l->tiles % 3, l->weak};
    call_clear(s);
    s->call.args.batch.n = COMPACT_ENTRIES;
    s->call.args.transfer.drains = true;
    s->call.args.transfer.from = s->call.args.view;
    s->call.args.view.stash_entries = 0;
    const bool ok = compact_launch_kernel(s, &lanes, COMPACT_evict) && compact_table_walk(&s->t, &s->after) &&
                    frame_same_contents(&s->f, "drain") &&
                    frame_counter_check("pairs left in the stash", s->f.counters.failed, s->after.stashed);
    compact_explored.drained += (uint64_t)(s->before.stashed - s->after.stashed);
    if (!s->after.stashed) memset(s->t.stash, 0, sizeof s->t.stash), s->t.marks.stashed = 0;
    return ok && compact_table_walk(&s->t, &s->before);
}

/* Pairs in arrays: of an export, or those that a move found no room for. */
struct pairs_out {
    uint64_t keys[COMPACT_MOST_KEYS], values[COMPACT_MOST_KEYS], n;
};

/* Adds the pairs to the contents. */
static bool pairs_take(struct compact_scene *s, const struct pairs_out *x, struct compact_contents *c)
{
    if (x->n > COMPACT_MOST_KEYS) return wrong_say("%" PRIu64 " pairs", x->n);
    for (uint64_t i = 0; i < x->n; i++) {
        const int key = frame_key_index(s->t.key, s->t.keys, load_width(s->t.shape.key_bytes, x->keys, i));
        if (key < 0 || c->n[key]++) return wrong_say("pair %" PRIu64 " has a key that was never stored, or a second time", i);
        c->value[key] = s->t.shape.value_bytes ? load_width(s->t.shape.value_bytes, x->values, i) : 0;
    }
    return true;
}

static bool export(struct compact_scene *s, const struct frame_launch *l)
{
    const struct frame_launch lanes = {DRIVER_tile, 1, l->tiles, l->weak};
    struct pairs_out x = {.n = 0};
    uint32_t list[COMPACT_MOST_HOMES + COMPACT_ENTRIES];
    compact_homes_call(s);
    memcpy(list, s->t.home, sizeof s->t.home);
    for (int i = 0; i < COMPACT_ENTRIES; i++) list[s->t.homes + i] = s->t.view.range.buckets + (uint32_t)i;
    s->call.args.batch.order = list;
    s->call.args.batch.n = (uint64_t)s->t.homes + COMPACT_ENTRIES;
    s->call.args.transfer.run = 1;
    s->call.args.transfer.end = s->t.view.range.buckets + COMPACT_ENTRIES;
    s->call.args.transfer.keys = x.keys;
    s->call.args.transfer.values = x.values;
    s->call.args.transfer.pairs_n = &x.n;
    memset(&s->after, 0, sizeof s->after);
    return compact_launch_kernel(s, &lanes, COMPACT_export) && pairs_take(s, &x, &s->after) && frame_same_contents(&s->f, "export");
}

static bool moved_check(struct compact_scene *s, const struct pairs_out *x)
{
    bool ok = compact_table_walk(&s->t, &s->after) && frame_counter_check("moved", s->f.counters.moved, s->before.stored);
    ok = ok && pairs_take(s, x, &s->after) && frame_same_contents(&s->f, "build");
    compact_explored.moved += s->f.counters.moved;
    compact_explored.stranded += x->n;
    return ok && compact_table_walk(&s->t, &s->before);
}

/* The digits of the regions that a move has to make: those of the keys' homes, and those that also
 * look after entries of the stash. */
static int moved_digits(const struct compact_scene *s, int digit_bits, uint32_t *list)
{
    const int bits = compact_bits(s->t.shape);
    int n = 0;
    for (uint32_t i = 0; i < COMPACT_ENTRIES && i >> digit_bits == 0; i++) list[n++] = i;
    for (int i = 0; i < s->t.homes; i++) {
        const uint64_t first = compact_first_hash(bits, &s->t.view.range, s->t.home[i]);
        list[n++] = digit_bits ? (uint32_t)(first >> (bits - digit_bits)) : 0;
    }
    return numbers_sort(list, n);
}

static bool moves_launch(struct compact_scene *s, const struct frame_launch *l, struct compact_scene_table *from, uint64_t room,
                         struct pairs_out *x)
{
    struct compact_transfer *const t = &s->call.args.transfer;
    uint32_t list[2 * COMPACT_MOST_HOMES + COMPACT_ENTRIES];
    int digit_bits = 0;
    memset(x, 0, sizeof *x);
    compact_homes_call(s);
    while (s->t.view.range.buckets >> digit_bits >= COMPACT_REGION - 1) digit_bits++;
    s->call.args.batch.order = list;
    const int digits = moved_digits(s, digit_bits, list);
    /* A tile of one lane for each: the machine knows no atomics in scratch memory, which is cleared
     * by stores for a second region. */
    const struct frame_launch lanes = {DRIVER_tile, 1, digits, l->weak};
    s->call.args.batch.n = (uint64_t)digits;
    t->vacant = true;
    t->columns.digit_bits = digit_bits;
    t->from = compact_table_view(from);
    t->from_shape = from->shape;
    t->keys = x->keys;
    t->values = x->values;
    t->pairs_n = &x->n;
    t->room = room;
    return compact_launch_kernel(s, &lanes, COMPACT_build);
}

/* After a move with too little room in the arrays: nothing was written behind them, and all pairs
 * were counted.  Empties the new table. */
static bool overflow_check(struct compact_scene *s, uint64_t room, const struct pairs_out *x)
{
    const size_t bytes = (size_t)room * (unsigned)s->t.shape.key_bytes;
    for (size_t i = bytes; i < sizeof x->keys; i++)
        if (((const unsigned char *)x->keys)[i]) return wrong_say("more than %" PRIu64 " keys were written", room);
    const bool ok =
        compact_table_walk(&s->t, &s->after) && frame_counter_check("pairs without room", x->n, s->before.stored - s->after.stored);
    for (int i = 0; i < s->t.homes; i++) memset(compact_bucket_words(&s->t, s->t.home[i]), 0, COMPACT_BYTES);
    return ok;
}

/* Moves the pairs to an empty table of another size, which becomes the scene's; perhaps first with
 * too little room for those that find none there. */
static bool resize(struct compact_scene *s, const struct frame_launch *l)
{
    struct compact_scene_table from = s->t;
    struct compact_sizes sizes = from.sizes;
    struct pairs_out x;
    const uint64_t room = dice_below(&s->f.dice, 2) ? COMPACT_MOST_KEYS : dice_below(&s->f.dice, 3);
    sizes.slots = compact_slots_draw((enum compact_shape)sizes.shape, &s->f.dice);
    if (sizes.buckets != COMPACT_FEW_BUCKETS) sizes.buckets += dice_below(&s->f.dice, 4);
    if (!compact_table_make_beside(&s->t, &from, &sizes)) return wrong_say("resize: a remainder is too large");
    frame_universe(&s->f, s->t.shape, s->t.key, s->t.keys);
    bool ok = moves_launch(s, l, &from, room, &x);
    if (ok && x.n > room) ok = overflow_check(s, room, &x) && moves_launch(s, l, &from, COMPACT_MOST_KEYS, &x);
    ok = ok && moved_check(s, &x);
    compact_table_free(&from);
    return ok;
}

/* ---- The scene ------------------------------------------------------------------------------- */

static bool play(struct compact_scene *s, const struct frame_launch *l)
{
    enum { ROUNDS = 3 };
    bool ok = compact_table_walk(&s->t, &s->before);
    for (int round = 0; ok && round < ROUNDS; round++) {
        ok = batch(s, l, COMPACT_insert) && batch(s, l, COMPACT_apply) && batch(s, l, COMPACT_apply) && tidy(s, l);
        ok = ok && find_all(s, l) && batch(s, l, COMPACT_insert) && batch(s, l, COMPACT_erase) && tidy(s, l);
        ok = ok && batch(s, l, COMPACT_apply) && find_all(s, l) && export(s, l) && drain(s, l);
        if (ok && round == 1) ok = resize(s, l) && find_all(s, l);
    }
    return ok;
}

const char *compact_explore(const struct frame_scenario *scenario)
{
    static struct compact_scene s;
    struct compact_sizes sizes;
    const struct frame_launch launch = {scenario->driver, scenario->size, 0, scenario->weak};
    struct frame_launch l = launch;
    compact_scene_begin(&s, (const struct compact_stamped *)scenario->kernels,
                        mix64(scenario->seed) ^
                            ((uint64_t)scenario->shape << 16 | (uint64_t)scenario->driver << 8 | (uint64_t)scenario->size));
    s.unwatched = scenario->unwatched;
    l.tiles = 2 + (int)dice_below(&s.f.dice, 5);
    compact_sizes_draw(&sizes, (enum compact_shape)scenario->shape, &s.f.dice);
    compact_scene_make(&s, &sizes, 0);
    const bool ok = play(&s, &l);
    compact_table_free(&s.t);
    if (!ok) compact_tables_clear();
    return ok ? NULL : wrong_text();
}
