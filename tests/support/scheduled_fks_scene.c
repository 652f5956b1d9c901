/* Batches over a small FKS table on the scheduled machine. */
#include "support/scheduled_fks_scene.h"

#include "support/linear.h"
#include "support/scheduled_fks_table.h"

#include <inttypes.h>
#include <stdio.h>

enum { BUDGET = 4000000, MOST_ITEMS = 40, LISTS = 2, UNTOUCHED = 0xee, ROUNDS = 2 };

struct scene {
    const struct fks_scenario *scenario;
    struct fks_explored *explored;
    struct dice dice;
    struct small_table t;
    struct small_state before, after;
    struct fks_call call;
    struct counters counters;
    enum fks_operation operation;
    int n, key[SMALL_KEYS]; /* the caller's items */
    uint8_t mode, statuses[SMALL_KEYS], fates[SMALL_KEYS];
    bool saturate, takes_part[SMALL_KEYS], waits[SMALL_KEYS]; /* in the kernel; has found no room there */
    roost_value value[SMALL_KEYS];
    uint64_t keys[SMALL_KEYS], hashes[SMALL_KEYS], values_in[SMALL_KEYS], values_out[SMALL_KEYS];
    uint8_t found[SMALL_KEYS];
    uint32_t list[LISTS][SMALL_KEYS];
    uint64_t list_n[LISTS];
    char wrong[4200];
};

static const char *const operation_names[] = {"find", "erase", "write", "shift"};

#define SHAPE_TEXT(name, ...) #name,
const char *const fks_shape_names[SHAPE_any] = {FKS_SHAPES(SHAPE_TEXT)};
#undef SHAPE_TEXT

static const struct shape shapes[SHAPE_any] = {FKS_SHAPES(ROOST_SHAPE_ROW)};

/* ---- Kernels ----------------------------------------------------------------------------------------------------------------- */

/* Items of a few keys that come again and again, the vacant one among them, or of any. */
static void items_draw(struct scene *s)
{
    const struct shape shape = s->t.shape;
    const uint32_t hot = 1 + dice_below(&s->dice, 6);
    s->n = 4 + (int)dice_below(&s->dice, MOST_ITEMS - 3);
    s->mode = (uint8_t)dice_below(&s->dice, ROOST_MAX - ROOST_ASSIGN + 1);
    s->saturate = s->mode == ROOST_ADD && dice_below(&s->dice, 2);
    for (int i = 0; i < s->n; i++) {
        const uint32_t keys = (uint32_t)s->t.keys;
        const uint64_t value = dice_below(&s->dice, 6) ? dice_below(&s->dice, 16) : ~(uint64_t)dice_below(&s->dice, 16);
        s->key[i] = (int)dice_below(&s->dice, dice_below(&s->dice, 3) || hot > keys ? keys : hot);
        s->value[i] = shape.value_bytes == 8 ? value : shape.value_bytes ? (uint32_t)value : 0;
        s->hashes[i] = s->keys[i] = 0;
    }
}

/* The columns of the caller's arrays. */
static void items_fill(struct scene *s)
{
    const struct shape shape = s->t.shape;
    for (int i = 0; i < s->n; i++) {
        store_width(shape.key_bytes, s->keys, (uint64_t)i, s->t.key[s->key[i]].key);
        store_width(shape.key_bytes, s->hashes, (uint64_t)i, s->t.key[s->key[i]].hash);
        if (shape.value_bytes) store_width(shape.value_bytes, s->values_in, (uint64_t)i, s->value[i]);
        s->statuses[i] = UNTOUCHED;
        s->takes_part[i] = true;
    }
    memset(s->waits, 0, sizeof s->waits);
}

static struct batch *call_clear(struct scene *s, enum fks_operation operation)
{
    struct batch *b = &s->call.args.batch;
    s->operation = operation;
    memset(&s->counters, 0, sizeof s->counters);
    memset(&s->call, 0, sizeof s->call);
    s->call.shape = s->t.shape;
    s->call.size = s->scenario->size;
    s->call.args.view = s->t.view;
    b->counters = &s->counters;
    b->value_type = s->t.shape.value_bytes == 8 ? ROOST_TYPE_U64 : ROOST_TYPE_U32;
    b->n = (uint64_t)s->n;
    b->keys = s->keys;
    b->statuses = s->statuses;
    b->mode = s->mode;
    b->saturate = s->saturate;
    if (operation == FKS_write || operation == FKS_shift) b->values_in = s->t.shape.value_bytes ? s->values_in : NULL;
    return b;
}

static bool kernel_run(struct scene *s)
{
    const struct scheduled_plan plan = {.seed = dice_draw(&s->dice),
                                        .size = s->scenario->size,
                                        .tiles = 2 + (int)dice_below(&s->dice, 7),
                                        .budget = BUDGET,
                                        .weak = s->scenario->weak};
    const char *report = scheduled_run(&plan, s->scenario->stamped->run[s->operation], &s->call);
    s->explored->items[s->operation] += s->call.args.batch.n;
    s->explored->put_back += s->counters.put_back;
    s->explored->points += scheduled_numbers().points;
    s->explored->switches += scheduled_numbers().switches;
    return !report || small_wrong(&s->t, "%s", report);
}

/* ---- Results ----------------------------------------------------------------------------------------------------------------- */

static uint64_t status_count(const struct scene *s, uint8_t status)
{
    uint64_t n = 0;
    for (int i = 0; i < s->n; i++) n += s->takes_part[i] && !s->waits[i] && s->statuses[i] == status;
    return n;
}

static uint64_t waits_count(const struct scene *s)
{
    uint64_t n = 0;
    for (int i = 0; i < s->n; i++) n += s->waits[i];
    return n;
}

/* What was counted is what the statuses say, and what has come to the table. */
static bool counters_check(struct scene *s)
{
    const struct counters *c = &s->counters;
    const uint64_t updated = status_count(s, ROOST_ITEM_UPDATED) + status_count(s, ROOST_ITEM_KEPT);
    const uint64_t special = (uint64_t)s->after.stored[0] - (uint64_t)s->before.stored[0];
    const bool listed = s->call.args.batch.leftover != NULL, by_columns = s->call.args.work.hashes != NULL;
    return (c->inserted == status_count(s, ROOST_ITEM_INSERTED) && c->updated == updated &&
            c->erased == status_count(s, ROOST_ITEM_ERASED) && c->stored[FKS_MAIN] == s->after.main - s->before.main &&
            c->stored[FKS_SPECIAL] == special && c->failed == (listed || by_columns ? 0 : waits_count(s))) ||
           small_wrong(&s->t,
                       "the counters say %" PRIu64 " inserted, %" PRIu64 " updated, %" PRIu64 " erased, %" PRIu64
                       " stored, %" PRIu64 " failed",
                       c->inserted, c->updated, c->erased, c->stored[FKS_MAIN], c->failed);
}

static bool key_wrong(struct scene *s, int key, const struct linear_op *ops, int n)
{
    char text[3000];
    int at = snprintf(text, sizeof text, "key %" PRIx64 ", stored %d and then %d (%" PRIx64 ", %" PRIx64 "):", s->t.key[key].key,
                      s->before.stored[key], s->after.stored[key], s->before.value[key], s->after.value[key]);
    for (int i = 0; i < n && at < 2900; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, " [operation %d of %" PRIx64 ": status %d]", ops[i].operation,
                       ops[i].argument, ops[i].status);
    return small_wrong(&s->t, "no order explains %s", text);
}

/* The items of each key that were carried out have an order. */
static bool orders_check(struct scene *s)
{
    const uint64_t mask = s->t.shape.value_bytes == 8 ? ~0ULL : s->t.shape.value_bytes ? 0xffffffffULL : 0;
    const uint8_t operation = s->operation == FKS_erase ? ROOST_OP_ERASE : (uint8_t)(ROOST_OP_INSERT + s->mode);
    struct linear *linear = linear_new(mask, LINEAR_PLACES);
    struct linear_op ops[SMALL_KEYS];
    bool ok = true;
    for (int key = 0; ok && key < s->t.keys; key++) {
        const struct linear_state from = {s->before.stored[key], s->before.value[key]},
                                  to = {s->after.stored[key], s->after.value[key]};
        int n = 0;
        for (int i = 0; i < s->n; i++)
            if (s->takes_part[i] && !s->waits[i] && s->key[i] == key)
                ops[n++] = (struct linear_op){.argument = s->value[i],
                                              .responded = UINT64_MAX,
                                              .operation = operation,
                                              .status = s->statuses[i],
                                              .saturates = s->saturate};
        ok = linear_check(linear, ops, (size_t)n, from, to) != LINEAR_NO || key_wrong(s, key, ops, n);
    }
    linear_free(linear);
    return ok;
}

/* Pairs stay where they are, but for those that shift moves. */
static bool places_check(struct scene *s)
{
    for (int i = 1; i < s->t.keys; i++) {
        const bool stays = s->before.stored[i] && s->after.stored[i];
        if (s->operation == FKS_write && s->after.stored[i] && !s->before.stored[i])
            s->explored->second += s->after.line[i] != s->t.key[i].l.first;
        if (!stays || s->before.line[i] == s->after.line[i]) continue;
        if (s->operation != FKS_shift) return small_wrong(&s->t, "key %" PRIx64 " has moved", s->t.key[i].key);
        s->explored->moved++;
    }
    return true;
}

/* Why an item may have found no room.  Nothing becomes vacant, and a line's pairs that could not move stay there, so a reason that
 * it had is one afterwards, too. */
static bool waiting_check(struct scene *s, int i)
{
    const struct small_key *k = &s->t.key[s->key[i]];
    const bool limited = small_is_limited(&s->t, k), by_write = s->operation == FKS_write;
    if (k->key == 0) return small_wrong(&s->t, "item %d of the vacant key waits", i);
    if (s->before.stored[s->key[i]]) return small_wrong(&s->t, "item %d waits, and its key was there", i);
    if (fks_form_lines(s->t.directory[k->part][k->bucket].form) == 0) return true;
    if (by_write) s->explored->parked++, s->explored->limited += limited;
    else s->explored->stuck += !limited;
    if (s->after.stored[s->key[i]] && !(by_write && limited))
        return small_wrong(&s->t, "item %d of key %" PRIx64 " waits, and another stored it", i, k->key);
    if (limited) return true;
    if (small_taken(&s->t, k, k->l.first) < s->t.shape.slots || small_taken(&s->t, k, k->l.second) < s->t.shape.slots)
        return small_wrong(&s->t, "item %d of key %" PRIx64 " waits, and its lines have a vacancy", i, k->key);
    return by_write || !small_may_move(&s->t, k) || small_wrong(&s->t, "item %d waits, though a pair may move", i);
}

/* A bucket's owner knows how many pairs it has. */
static bool limits_check(struct scene *s)
{
    for (uint32_t part = 0; part < 1u << s->t.view.part_bits && s->t.view.line_limit; part++)
        for (uint32_t b = 0; b < s->t.parts[part].buckets; b++) {
            const uint64_t n = s->after.count[part][b], lines = fks_form_lines(s->t.directory[part][b].form);
            if (n > s->before.count[part][b] && n << 16 > lines * s->t.view.line_limit)
                return small_wrong(&s->t, "a shift passed the limit of bucket %" PRIu32, b);
        }
    return true;
}

/* The table and the items as a kernel has left them. */
static bool kernel_check(struct scene *s)
{
    bool ok = small_walk(&s->t, &s->after) && counters_check(s) && places_check(s) && orders_check(s);
    for (int i = 0; ok && i < s->n; i++)
        if (s->waits[i]) ok = waiting_check(s, i);
    if (ok && s->operation == FKS_shift) ok = limits_check(s);
    s->before = s->after;
    return ok;
}

/* Each item that waits is in the list, once, and its status is what was asked for, or nothing is. */
static bool list_take(struct scene *s, int to)
{
    const uint8_t parked = s->call.args.batch.park_status;
    for (uint64_t i = 0; i < s->list_n[to]; i++) {
        const uint32_t item = s->list[to][i];
        if (s->waits[item] || !s->takes_part[item]) return small_wrong(&s->t, "item %" PRIu32 " is parked twice", item);
        if (s->statuses[item] != (parked ? parked : UNTOUCHED))
            return small_wrong(&s->t, "item %" PRIu32 " is parked with status %d", item, s->statuses[item]);
        s->waits[item] = true;
    }
    return true;
}

/* ---- Batches ----------------------------------------------------------------------------------------------------------------- */

static bool play_write(struct scene *s)
{
    items_draw(s);
    items_fill(s);
    struct batch *b = call_clear(s, FKS_write);
    b->park_status = dice_below(&s->dice, 2) ? ROOST_ITEM_FULL : ROOST_ITEM_NONE;
    b->leftover = s->list[0];
    b->leftover_n = &s->list_n[0];
    s->list_n[0] = 0;
    return kernel_run(s) && list_take(s, 0) && kernel_check(s);
}

/* What write has parked.  Without a list of its own what finds no room has failed. */
static bool play_shift(struct scene *s)
{
    const bool listed = dice_below(&s->dice, 2) != 0;
    items_fill(s);
    memset(s->takes_part, 0, sizeof s->takes_part);
    for (uint64_t i = 0; i < s->list_n[0]; i++) s->takes_part[s->list[0][i]] = true;
    struct batch *b = call_clear(s, FKS_shift);
    b->order = s->list[0];
    b->order_n = &s->list_n[0];
    b->park_status = listed && dice_below(&s->dice, 2) ? ROOST_ITEM_NONE : ROOST_ITEM_NO_MEMORY;
    b->leftover = listed ? s->list[1] : NULL;
    b->leftover_n = listed ? &s->list_n[1] : NULL;
    s->list_n[1] = 0;
    if (dice_below(&s->dice, 2)) s->call.args.view.line_limit = s->t.view.line_limit = 0; /* as where nobody waits for the call */
    if (!kernel_run(s)) return false;
    for (int i = 0; i < s->n && !listed; i++) s->waits[i] = s->takes_part[i] && s->statuses[i] == ROOST_ITEM_NO_MEMORY;
    if (!list_take(s, 1) || !kernel_check(s)) return false;
    s->explored->shifted += s->counters.inserted;
    return true;
}

/* Items in columns by region, of which some have been carried out. */
static bool play_columns(struct scene *s)
{
    static const uint8_t fates[] = {ROOST_ITEM_NONE, ROOST_ITEM_NONE, ROOST_ITEM_INSERTED, ROOST_ITEM_UPDATED};
    items_draw(s);
    items_fill(s);
    for (int i = 0; i < s->n; i++) {
        s->statuses[i] = s->fates[i] = fates[dice_below(&s->dice, 4)];
        s->takes_part[i] = s->fates[i] == ROOST_ITEM_NONE;
    }
    struct batch *b = call_clear(s, FKS_shift);
    b->keys = NULL;
    s->call.args.work.hashes = s->hashes;
    if (!kernel_run(s)) return false;
    for (int i = 0; i < s->n; i++) {
        s->waits[i] = s->statuses[i] == ROOST_ITEM_NONE;
        if (!s->takes_part[i] && s->statuses[i] != s->fates[i]) return small_wrong(&s->t, "an item's fate has changed");
    }
    s->explored->by_columns += s->counters.inserted;
    return kernel_check(s);
}

static bool play_erase(struct scene *s)
{
    items_draw(s);
    items_fill(s);
    (void)call_clear(s, FKS_erase);
    return kernel_run(s) && kernel_check(s);
}

/* Every key of the universe. */
static bool play_find(struct scene *s)
{
    const int bytes = s->t.shape.value_bytes;
    s->n = s->t.keys;
    for (int i = 0; i < s->n; i++) s->key[i] = i;
    items_fill(s);
    struct batch *b = call_clear(s, FKS_find);
    b->found = s->found;
    b->values_out = bytes ? s->values_out : NULL;
    if (!kernel_run(s)) return false;
    for (int i = 0; i < s->n; i++) {
        const bool there = s->before.stored[i], found = s->found[i] == 1 && s->statuses[i] == ROOST_ITEM_FOUND;
        const roost_value value = there && bytes ? load_width(bytes, s->values_out, (uint64_t)i) : 0;
        if (found != there || value != s->before.value[i] || (!there && s->statuses[i] != ROOST_ITEM_ABSENT))
            return small_wrong(&s->t, "key %" PRIx64 ", which is %s, is found with status %d and %" PRIx64, s->t.key[i].key,
                               there ? "stored" : "absent", s->statuses[i], value);
    }
    return true;
}

static bool play(struct scene *s)
{
    const uint32_t limit = s->t.view.line_limit;
    for (int round = 0; round < ROUNDS; round++) {
        s->t.view.line_limit = limit;
        if (!play_write(s)) return false;
        if (s->list_n[0] && !s->scenario->writes_alone && !play_shift(s)) return false;
        s->t.view.line_limit = dice_below(&s->dice, 2) ? limit : 0;
        if (!play_erase(s) || (!s->scenario->writes_alone && !play_columns(s)) || !play_find(s)) return false;
    }
    return true;
}

const char *fks_explore(const struct fks_scenario *scenario, struct fks_explored *explored)
{
    static struct scene s;
    memset(&s, 0, sizeof s);
    s.scenario = scenario;
    s.explored = explored;
    s.dice.state = scenario->seed * 0x9e3779b97f4a7c15ULL + (uint64_t)scenario->size * 16 + scenario->shape;
    small_make(&s.t, &s.dice, shapes[scenario->shape]);
    if (!small_walk(&s.t, &s.before)) return s.t.wrong;
    if (play(&s)) return NULL;
    snprintf(s.wrong, sizeof s.wrong, "%s%s: %s", s.call.args.work.hashes ? "columns, " : "", operation_names[s.operation],
             s.t.wrong);
    return s.wrong;
}
