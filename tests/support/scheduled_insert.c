/* Inserts on the scheduled machine: an estimate, the passes as the policy launches them, and a
 * check of each key. */
#include "support/scheduled_scene.h"

#include "support/reference.h"

#include <inttypes.h>

enum { CROWD = 24 };

/* ---- Passes and their results ---------------------------------------------------------------- */

/* Runs the items that found no room again, one lane alone, as after a growth step. Moves may
 * bring room within the search's bound, so this repeats until a pass places nothing. Then FULL
 * is true. */
static bool last_chances(struct scene *s, struct items *items, struct dycuckoo_args *args)
{
    const struct launch fill = {DYCUCKOO_fill, DRIVER_tile, 1, 1}, evict = {DYCUCKOO_evict, DRIVER_tile, 1, 1},
                        path = {DYCUCKOO_path, DRIVER_tile, 1, 1};
    const uint64_t inserted = s->counters.inserted;
    uint64_t before;
    do {
        before = items->list_n[2];
        items_pass_over(args, items, 2, 0);
        if (!scene_launch(s, fill, args)) return false;
        items_pass_over(args, items, 0, 1);
        if (!scene_launch(s, evict, args)) return false;
        items_pass_over(args, items, 1, 2);
        if (!scene_launch(s, path, args)) return false;
    } while (items->list_n[2] < before);
    explored.late += s->counters.inserted - inserted;
    explored.full += before;
    return true;
}

/* ---- A single item --------------------------------------------------------------------------- */

/* How many moves ahead a search is guaranteed to look: as long as its queue has room for all
 * buckets that it may meet. Lanes without a bucket in the queue skip the next ones, so only
 * tiles that are no wider than a bucket look at all buckets. */
static int moves_ahead(const struct scene *s)
{
    const int homes = home_count(s->t.shape, &s->t.view);
    int moves = 0;
    if (s->scenario->size > s->t.shape.slots) return 1;
    for (int level = homes, queued = homes; queued <= DYCUCKOO_PATH_NODES; queued += level) {
        level *= s->t.shape.slots * (homes - 1);
        moves++;
    }
    return moves;
}

static struct pair pair_at(const struct scheduled_table *t, const struct home at, int slot)
{
    return pair_load(t->shape, bucket_at(t->shape, &t->view, at), slot, at.sub == SPECIAL);
}

static bool holds(const struct scheduled_table *t, const struct home at, roost_key key)
{
    for (int slot = 0; slot < t->shape.slots; slot++)
        if (pair_at(t, at, slot).taken && pair_at(t, at, slot).key == key) return true;
    return false;
}

/* True if this bucket has a vacancy, or at most `moves` moves can make one. No pair moves to a
 * bucket that already has its key. */
static bool room_at(const struct scheduled_table *t, const struct home at, int moves)
{
    struct home home[MAX_HOMES];
    for (int slot = 0; slot < t->shape.slots; slot++) {
        const struct pair pair = pair_at(t, at, slot);
        if (!pair.taken) return true;
        if (moves == 0 || at.sub == SPECIAL) continue;
        homes_of(t->shape, &t->view, pair.key, home);
        for (int h = 0; h < home_count(t->shape, &t->view); h++)
            if (home[h].sub != at.sub && !holds(t, home[h], pair.key) && room_at(t, home[h], moves - 1)) return true;
    }
    return false;
}

static bool room_for(const struct scene *s, roost_key key, int moves)
{
    struct home home[MAX_HOMES];
    homes_of(s->t.shape, &s->t.view, key, home);
    for (int h = 0; h < home_count(s->t.shape, &s->t.view); h++)
        if (room_at(&s->t, home[h], moves)) return true;
    return false;
}

/* The first item that a pass parked goes through the next pass alone. That pass parks it only if
 * nothing within its reach makes room. */
static bool first_alone(struct scene *s, struct items *items, const struct dycuckoo_args *args, enum dycuckoo_operation operation,
                        int from, int to)
{
    const struct launch alone = {operation, s->scenario->driver, s->scenario->size, 1};
    const int moves = operation == DYCUCKOO_path ? moves_ahead(s) : 1;
    struct dycuckoo_args first = *args;
    uint64_t one = 1;
    first.batch.order_n = &one;
    if (!scene_launch(s, alone, &first)) return false;
    if (items->list_n[to] == 0 || (operation == DYCUCKOO_evict && s->t.shape.homes != 2) || args->view.permits) return true;
    const roost_key key = s->t.key[items->key[items->list[from][0]]];
    return !room_for(s, key, moves) ||
           wrong_say("key %" PRIx64 ", alone, found no room, though %d moves would make it", key, moves);
}

static uint64_t paths_counted(const struct scene *s)
{
    uint64_t n = 0;
    for (int i = 0; i < PATH_LENGTHS; i++) n += s->counters.path_length[i];
    return n;
}

/* Checks the paths that a pass counted, for homes in pairs. Evictions of one word without locks
 * count those that move a pair; all others count what they place. */
static bool paths_check(struct scene *s, enum dycuckoo_operation operation, uint64_t placed, uint64_t evicted, uint64_t counted)
{
    const uint64_t right = operation == DYCUCKOO_path || !s->t.shape.word ? placed : evicted;
    return counted == right || (operation == DYCUCKOO_evict && s->t.shape.homes != 2) ||
           wrong_say("%" PRIu64 " paths counted, not %" PRIu64, counted, right);
}

/* A pass over the items that another pass parked; the first item runs before all others. */
static bool evicting_pass(struct scene *s, struct items *items, struct dycuckoo_args *args, enum dycuckoo_operation operation,
                          int cell, int from, int to)
{
    const uint64_t before = paths_counted(s), evicted = s->counters.evicted;
    items_pass_over(args, items, from, to);
    uint64_t rest = items->list_n[from];
    if (rest && !first_alone(s, items, args, operation, from, to)) return false;
    if (rest) args->batch.order++, rest--;
    args->batch.order_n = &rest;
    if (!scene_launch_here(s, operation, cell, args)) return false;
    return paths_check(s, operation, items->list_n[from] - items->list_n[to], s->counters.evicted - evicted,
                       paths_counted(s) - before);
}

/* ---- A batch's passes ------------------------------------------------------------------------ */

/* Runs the passes as the policy does: fill, evict over what fill parked, path over what evict
 * parked. */
static bool insert_passes(struct scene *s, struct items *items, struct dycuckoo_args *args)
{
    const int mode = args->batch.mode;
    items_pass_over(args, items, -1, 0);
    if (!scene_launch_here(s, DYCUCKOO_fill, CELL_fill + mode, args)) return false;
    return evicting_pass(s, items, args, DYCUCKOO_evict, CELL_evict + mode, 0, 1) &&
           evicting_pass(s, items, args, DYCUCKOO_path, CELL_path + mode, 1, 2) && last_chances(s, items, args);
}

/* No more keys were added than there were permits, and the others' permits were given back. */
static bool permits_check(const struct scene *s, uint64_t before, uint64_t after)
{
    const uint64_t taken = s->counters.inserted - s->counters.stored[SPECIAL];
    return (taken <= before && after == before - taken) ||
           wrong_say("%" PRIu64 " keys added by %" PRIu64 " permits, of which %" PRId64 " are left", taken, before, (int64_t)after);
}

/* The same passes in a table that is full after a few keys. */
static bool insert_passes_permitted(struct scene *s, struct items *items, struct dycuckoo_args *args)
{
    const uint64_t before = dice_below(&s->dice, 6);
    uint64_t permits = before;
    if (dice_below(&s->dice, 2)) return insert_passes(s, items, args);
    args->view.permits = &permits;
    const bool ok = insert_passes(s, items, args) && permits_check(s, before, permits);
    args->view.permits = NULL;
    return ok;
}

/* How the items of one key ended. */
struct outcome {
    int items, inserted, updated, full, other;
    roost_value value; /* value of the inserted item */
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

/* The value that a key must have: the first value, combined with those of the items that updated
 * it. ASSIGN may leave any of them. */
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
        return wrong_say("%d items of key %" PRIx64 ", which was %s: %d inserted, %d updated or kept, %d full, %d others", o.items,
                         t->key[key], was_stored ? "stored" : "absent", o.inserted, o.updated, o.full, o.other);
    if (contents->stored[key] != is_stored)
        return wrong_say("key %" PRIx64 " should%s be stored", t->key[key], is_stored ? "" : " not");
    if (is_stored && t->shape.value_bytes &&
        !value_right(items, args, key, was_stored ? t->value[key] : o.value, was_stored, contents->value[key]))
        return wrong_say("key %" PRIx64 " has the value %" PRIx64 ", which mode %d does not give", t->key[key],
                         contents->value[key], args->batch.mode);
    t->stored[key] = is_stored;
    t->value[key] = contents->value[key];
    return true;
}

bool scene_insert_check(struct scene *s, const struct items *items, const struct dycuckoo_args *args,
                        const struct contents *contents)
{
    for (int key = 0; key < s->t.keys; key++)
        if (!insert_check_key(s, items, args, key, contents)) return false;
    if (s->counters.inserted != items_status_count(items, ROOST_ITEM_INSERTED) ||
        s->counters.updated != items_status_count(items, ROOST_ITEM_UPDATED) + items_status_count(items, ROOST_ITEM_KEPT))
        return wrong_say("the counters say %" PRIu64 " inserted and %" PRIu64 " updated, the statuses do not", s->counters.inserted,
                         s->counters.updated);
    return true;
}

static bool insert_check(struct scene *s, const struct items *items, const struct dycuckoo_args *args)
{
    struct contents contents;
    scene_counts_take(s);
    return scheduled_table_walk(&s->t, &contents) && scene_insert_check(s, items, args, &contents) && scheduled_table_check(&s->t);
}

bool scene_insert_finish(struct scene *s, struct items *items, struct dycuckoo_args *args, enum dycuckoo_operation done)
{
    const struct launch evict = {DYCUCKOO_evict, DRIVER_tile, 1, 1}, path = {DYCUCKOO_path, DRIVER_tile, 1, 1};
    if (done == DYCUCKOO_fill) {
        items_pass_over(args, items, 0, 1);
        if (!scene_launch(s, evict, args)) return false;
    }
    if (done != DYCUCKOO_path) {
        items_pass_over(args, items, 1, 2);
        if (!scene_launch(s, path, args)) return false;
    }
    return last_chances(s, items, args) && insert_check(s, items, args);
}

/* ---- Estimate -------------------------------------------------------------------------------- */

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

/* Each bit that became set is counted by exactly one lane, however many lanes set it at the same
 * time. A second run finds all bits set. */
static bool estimate(struct scene *s, const struct items *items)
{
    enum { WORDS = 2 /* few, so that keys share bits */ };
    uint32_t map[WORDS] = {0}, once[WORDS];
    struct dycuckoo_args args = scene_args(s, items);
    args.transfer.estimate = (struct linear_counting){
        .map = map, .bits = 32 * WORDS, .key_bytes = args.transfer.shape.key_bytes, .seed = args.view.seeds.a[0]};
    if (s->scenario->driver > DRIVER_tile) return true;
    if (!scene_launch_here(s, DYCUCKOO_estimate, CELL_estimate, &args)) return false;
    const int set = bits_set(map, WORDS), distinct = distinct_keys(items);
    if (s->counters.distinct != (uint64_t)set || set < 1 || set > distinct)
        return wrong_say("%d bits set by %d keys, %" PRIu64 " of them counted", set, distinct, s->counters.distinct);
    memcpy(once, map, sizeof once);
    s->counters.distinct = 0;
    if (!scene_launch_here(s, DYCUCKOO_estimate, CELL_estimate, &args)) return false;
    return (s->counters.distinct == 0 && !memcmp(once, map, sizeof once)) ||
           wrong_say("a second run set %" PRIu64 " more bits", s->counters.distinct);
}

/* ---- One batch ------------------------------------------------------------------------------- */

struct dycuckoo_args scene_insert_args(struct scene *s, const struct items *items, roost_mode mode)
{
    struct dycuckoo_args args = scene_args(s, items);
    args.batch.mode = (uint8_t)mode;
    args.batch.value_type = (uint8_t)s->type;
    args.batch.saturate = (s->type == ROOST_TYPE_U32 || s->type == ROOST_TYPE_U64) && dice_below(&s->dice, 2);
    return args;
}

bool scene_insert(struct scene *s, roost_mode mode, bool crowded)
{
    struct items items;
    scheduled_table_weigh(&s->t, &s->dice);
    items_make(s, &items, s->type, crowded ? CROWD : s->t.keys * 2 - 1, crowded);
    bool ok = estimate(s, &items);
    struct dycuckoo_args args = scene_insert_args(s, &items, mode);
    ok = ok && insert_passes_permitted(s, &items, &args) && insert_check(s, &items, &args);
    items_free(&items);
    return ok;
}
