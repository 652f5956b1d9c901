/* Batches over a small FKS table on the scheduled machine. */
#include "support/scheduled_fks_scene.h"

#include <inttypes.h>
#include <stdio.h>

enum { MOST_ITEMS = 40, ROUNDS = 2 };

struct fks_explored fks_explored;

static const char *const operation_names[] = {"find", "erase", "write", "shift"};

#define SHAPE_TEXT(name, ...) #name,
const char *const fks_shape_names[SHAPE_any] = {FKS_SHAPES(SHAPE_TEXT)};

const struct shape fks_shapes[SHAPE_any] = {FKS_SHAPES(ROOST_SHAPE_ROW)};

static struct frame_stored stored(const struct frame *f, bool after, int key)
{
    const struct fks_scene *s = (const struct fks_scene *)f;
    const struct small_state *c = after ? &s->after : &s->before;
    const struct frame_stored here = {c->stored[key], c->value[key]};
    return here;
}

static const struct frame_engine engine = {operation_names, stored, NULL};

void fks_scene_begin(struct fks_scene *s, const struct frame_scenario *scenario)
{
    memset(s, 0, sizeof *s);
    s->scenario = scenario;
    frame_begin(&s->f, &engine, &fks_explored.all,
                scenario->seed * 0x9e3779b97f4a7c15ULL + (uint64_t)scenario->size * 16 + (uint64_t)scenario->shape);
}

bool fks_scene_walk(struct fks_scene *s)
{
    frame_universe(&s->f, s->t.shape, s->t.keys_alone, s->t.keys);
    return small_walk(&s->t, &s->before);
}

/* ---- Kernels --------------------------------------------------------------------------------- */

/* Draws keys from a small set that repeats and includes the vacant key, or from all keys. */
static void items_draw(struct fks_scene *s, bool erases)
{
    const uint32_t keys = (uint32_t)s->t.keys, hot = 1 + dice_below(&s->f.dice, 6);
    s->f.items.n = 4 + (int)dice_below(&s->f.dice, MOST_ITEMS - 3);
    const uint8_t mode = (uint8_t)dice_below(&s->f.dice, ROOST_MAX - ROOST_ASSIGN + 1);
    s->f.saturate = mode == ROOST_ADD && dice_below(&s->f.dice, 2);
    for (int i = 0; i < s->f.items.n; i++) {
        const uint64_t value = dice_below(&s->f.dice, 6) ? dice_below(&s->f.dice, 16) : ~(uint64_t)dice_below(&s->f.dice, 16);
        const int key = (int)dice_below(&s->f.dice, dice_below(&s->f.dice, 3) || hot > keys ? keys : hot);
        frame_item_set(&s->f, i, key, erases ? ROOST_OP_ERASE : (uint8_t)(ROOST_OP_INSERT + mode), value);
        store_width(s->t.shape.key_bytes, s->hashes, (uint64_t)i, s->t.key[key].hash);
    }
}

struct batch *fks_call_begin(struct fks_scene *s, enum fks_operation operation)
{
    static const int sees[] = {[FKS_find] = FRAME_VALUES_OUT, [FKS_write] = FRAME_VALUES_IN, [FKS_shift] = FRAME_VALUES_IN};
    struct batch *b = &s->call.args.batch;
    s->operation = operation;
    memset(&s->call, 0, sizeof s->call);
    memset(s->waits, 0, sizeof s->waits);
    s->call.shape = s->t.shape;
    s->call.size = s->scenario->size;
    s->call.args.view = s->t.view;
    frame_batch_clear(&s->f, b);
    frame_batch_items(&s->f, b, operation == FKS_erase ? 0 : sees[operation]);
    b->park_status = ROOST_ITEM_NONE;
    return b;
}

static bool kernel_run(struct fks_scene *s)
{
    const struct fks_stamped *stamped = (const struct fks_stamped *)s->scenario->kernels;
    const struct frame_launch l = {DRIVER_tile, s->scenario->size, 0, s->scenario->weak};
    struct scheduled_plan plan = frame_plan(&s->f, &l);
    plan.tiles = 2 + (int)dice_below(&s->f.dice, 7);
    const bool ok = frame_run(&s->f, &plan, stamped->run[s->operation], &s->call, (int)s->operation);
    fks_explored.all.items[s->operation] += s->call.args.batch.n;
    fks_explored.all.put_back += s->f.counters.put_back;
    return ok;
}

/* ---- Results --------------------------------------------------------------------------------- */

static int waits_count(const struct fks_scene *s)
{
    int n = 0;
    for (int i = 0; i < s->f.items.n; i++) n += s->waits[i];
    return n;
}

/* The counters match the statuses and the change of the table. */
static bool counters_check(const struct fks_scene *s)
{
    const struct counters *c = &s->f.counters;
    const bool listed = s->call.args.batch.leftover != NULL, by_columns = s->call.args.work.hashes != NULL;
    return frame_counters_check(&s->f) &&
           frame_counter_check("main keys", c->stored[FKS_MAIN], (int64_t)(s->after.main - s->before.main)) &&
           frame_counter_check("special keys", c->stored[FKS_SPECIAL], s->after.stored[0] - s->before.stored[0]) &&
           frame_counter_check("failed", c->failed, listed || by_columns ? 0 : waits_count(s));
}

/* Only shift moves pairs; all others stay where they are. */
static bool places_check(struct fks_scene *s)
{
    for (int i = 1; i < s->t.keys; i++) {
        const bool stays = s->before.stored[i] && s->after.stored[i];
        if (s->operation == FKS_write && s->after.stored[i] && !s->before.stored[i])
            fks_explored.second += s->after.line[i] != s->t.key[i].l.first;
        if (!stays || s->before.line[i] == s->after.line[i]) continue;
        if (s->operation != FKS_shift) return wrong_say("key %" PRIx64 " has moved", s->t.key[i].key);
        fks_explored.moved++;
    }
    return true;
}

/* Checks that an item had a reason to find no room. Nothing becomes vacant, and pairs of a line
 * that could not move stay there, so every reason that an item had still holds afterwards. */
static bool waiting_check(struct fks_scene *s, int i)
{
    const struct small_key *k = &s->t.key[s->f.items.key[i]];
    const bool limited = small_is_limited(&s->t, k), by_write = s->operation == FKS_write;
    if (k->key == 0) return wrong_say("item %d of the vacant key waits", i);
    if (s->before.stored[s->f.items.key[i]]) return wrong_say("item %d waits, and its key was there", i);
    if (fks_form_lines(s->t.directory[k->part][k->bucket].form) == 0) return true;
    if (by_write) fks_explored.parked++, fks_explored.limited += limited;
    else fks_explored.stuck += !limited;
    if (s->after.stored[s->f.items.key[i]] && !(by_write && limited))
        return wrong_say("item %d of key %" PRIx64 " waits, and another stored it", i, k->key);
    if (limited) return true;
    if (small_taken(&s->t, k, k->l.first) < s->t.shape.slots || small_taken(&s->t, k, k->l.second) < s->t.shape.slots)
        return wrong_say("item %d of key %" PRIx64 " waits, and its lines have a vacancy", i, k->key);
    return by_write || !small_may_move(&s->t, k) || wrong_say("item %d waits, though a pair may move", i);
}

/* A bucket's owner knows how many pairs it has, so shift keeps the limit exactly. */
static bool limits_check(struct fks_scene *s)
{
    for (uint32_t part = 0; part < 1u << s->t.view.part_bits && s->t.view.line_limit; part++)
        for (uint32_t b = 0; b < s->t.parts[part].buckets; b++) {
            const uint64_t n = s->after.count[part][b], lines = fks_form_lines(s->t.directory[part][b].form);
            if (n > s->before.count[part][b] && n << 16 > lines * s->t.view.line_limit)
                return wrong_say("a shift passed the limit of bucket %" PRIu32, b);
        }
    return true;
}

bool fks_kernel_check(struct fks_scene *s)
{
    for (int i = 0; i < s->f.items.n; i++) s->f.items.left_out[i] |= s->waits[i];
    bool ok = small_walk(&s->t, &s->after) && counters_check(s) && places_check(s) && frame_orders_check(&s->f, true);
    /* A shift that does not wait for locks leaves items without another reason, too. */
    for (int i = 0; ok && i < s->f.items.n && !s->call.args.work.tries; i++)
        if (s->waits[i]) ok = waiting_check(s, i);
    if (ok && s->operation == FKS_shift) ok = limits_check(s);
    s->before = s->after;
    return ok;
}

bool fks_list_take(struct fks_scene *s, int to)
{
    const struct frame_items *items = &s->f.items;
    const uint8_t parked = s->call.args.batch.park_status;
    for (uint64_t i = 0; i < items->list_n[to]; i++) {
        const uint32_t item = items->list[to][i];
        if (s->waits[item] || items->left_out[item]) return wrong_say("item %" PRIu32 " is parked twice", item);
        if (items->statuses[item] != (parked ? parked : FRAME_UNTOUCHED))
            return wrong_say("item %" PRIu32 " is parked with status %d", item, items->statuses[item]);
        s->waits[item] = true;
    }
    return true;
}

/* ---- Batches --------------------------------------------------------------------------------- */

static bool play_write(struct fks_scene *s)
{
    items_draw(s, false);
    struct batch *b = fks_call_begin(s, FKS_write);
    b->park_status = dice_below(&s->f.dice, 2) ? ROOST_ITEM_FULL : ROOST_ITEM_NONE;
    frame_batch_parks(&s->f, b, 0);
    return kernel_run(s) && fks_list_take(s, 0) && fks_kernel_check(s);
}

/* Shifts the items that write has parked. Without a list of its own, an item that finds no room
 * has failed. */
static bool play_shift(struct fks_scene *s)
{
    struct frame_items *items = &s->f.items;
    const bool listed = dice_below(&s->f.dice, 2) != 0;
    struct batch *b = fks_call_begin(s, FKS_shift);
    memset(items->left_out, true, (size_t)items->n);
    for (uint64_t i = 0; i < items->list_n[0]; i++) items->left_out[items->list[0][i]] = false;
    b->order = items->list[0];
    b->order_n = &items->list_n[0];
    b->park_status = listed && dice_below(&s->f.dice, 2) ? ROOST_ITEM_NONE : ROOST_ITEM_NO_MEMORY;
    items->list_n[1] = 0;
    if (listed) frame_batch_parks(&s->f, b, 1);
    if (listed) s->call.args.work.tries = dice_below(&s->f.dice, 3);
    /* As for asynchronous calls. */
    if (dice_below(&s->f.dice, 2)) s->call.args.view.line_limit = s->t.view.line_limit = 0;
    if (!kernel_run(s)) return false;
    for (int i = 0; i < items->n && !listed; i++) s->waits[i] = !items->left_out[i] && items->statuses[i] == ROOST_ITEM_NO_MEMORY;
    if (!fks_list_take(s, 1) || !fks_kernel_check(s)) return false;
    fks_explored.shifted += s->f.counters.inserted;
    return true;
}

/* Runs items in columns by region; those with a fate were carried out before. */
static bool columns_run(struct fks_scene *s, enum fks_operation operation, uint8_t *fates)
{
    struct frame_items *items = &s->f.items;
    struct batch *b = fks_call_begin(s, operation);
    for (int i = 0; i < items->n; i++) {
        items->statuses[i] = fates[i];
        items->left_out[i] = fates[i] != ROOST_ITEM_NONE;
    }
    b->keys = NULL;
    s->call.args.work.hashes = s->hashes;
    if (operation == FKS_shift) s->call.args.work.tries = dice_below(&s->f.dice, 3);
    if (!kernel_run(s)) return false;
    for (int i = 0; i < items->n; i++) {
        s->waits[i] = items->statuses[i] == ROOST_ITEM_NONE;
        if (items->left_out[i] && items->statuses[i] != fates[i]) return wrong_say("an item's fate has changed");
        fates[i] = items->statuses[i];
    }
    fks_explored.by_columns += s->f.counters.inserted;
    return fks_kernel_check(s);
}

/* Columns are written, and then those items shifted that wait; or some were carried out before.
 * Shifts that do not wait for locks leave some to a second round. */
static bool play_columns(struct fks_scene *s)
{
    static const uint8_t all[] = {ROOST_ITEM_NONE, ROOST_ITEM_NONE, ROOST_ITEM_INSERTED, ROOST_ITEM_UPDATED};
    uint8_t fates[FRAME_ITEMS];
    items_draw(s, false);
    const bool writes = dice_below(&s->f.dice, 2);
    for (int i = 0; i < s->f.items.n; i++) fates[i] = writes ? ROOST_ITEM_NONE : all[dice_below(&s->f.dice, 4)];
    const bool again = dice_below(&s->f.dice, 2);
    if (writes && !columns_run(s, FKS_write, fates)) return false;
    if (!columns_run(s, FKS_shift, fates)) return false;
    return !again || (columns_run(s, FKS_write, fates) && columns_run(s, FKS_shift, fates));
}

static bool play_erase(struct fks_scene *s)
{
    items_draw(s, true);
    (void)fks_call_begin(s, FKS_erase);
    return kernel_run(s) && fks_kernel_check(s);
}

/* Finds every key of the universe. */
static bool play_find(struct fks_scene *s)
{
    s->f.items.n = s->t.keys;
    for (int i = 0; i < s->f.items.n; i++) frame_item_set(&s->f, i, i, ROOST_OP_FIND, 0);
    (void)fks_call_begin(s, FKS_find);
    return kernel_run(s) && frame_found_all_check(&s->f);
}

static bool play(struct fks_scene *s)
{
    const uint32_t limit = s->t.view.line_limit;
    for (int round = 0; round < ROUNDS; round++) {
        s->t.view.line_limit = limit;
        if (!play_write(s)) return false;
        if (s->f.items.list_n[0] && !s->scenario->writes_alone && !play_shift(s)) return false;
        s->t.view.line_limit = dice_below(&s->f.dice, 2) ? limit : 0;
        if (!play_erase(s) || (!s->scenario->writes_alone && !play_columns(s)) || !play_find(s)) return false;
    }
    return true;
}

const char *fks_explore(const struct frame_scenario *scenario)
{
    static struct fks_scene s;
    static char text[WRONG_BYTES + 32];
    fks_scene_begin(&s, scenario);
    small_make(&s.t, &s.f.dice, fks_shapes[scenario->shape]);
    if (!fks_scene_walk(&s)) return wrong_text();
    if (play(&s)) return NULL;
    snprintf(text, sizeof text, "%s%s: %s", s.call.args.work.hashes ? "columns, " : "", operation_names[s.operation], wrong_text());
    return text;
}
