/* The frame of all scenes on the scheduled machine. */
#include "support/scheduled_frame.h"

#include "support/settings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- A scene --------------------------------------------------------------------------------- */

const struct frame_launch frame_alone = {DRIVER_tile, 1, 1, false};

void frame_begin(struct frame *f, const struct frame_engine *engine, struct frame_explored *explored, uint64_t seed)
{
    memset(f, 0, sizeof *f);
    f->engine = engine;
    f->explored = explored;
    f->dice.state = seed;
}

void frame_universe(struct frame *f, const struct shape shape, const roost_key *key, int keys)
{
    f->shape = shape;
    f->value_mask = shape.value_bytes == 8 ? ~0ULL : shape.value_bytes ? 0xffffffffULL : 0;
    f->key = key;
    f->keys = keys;
}

int frame_key_index(const roost_key *keys, int n, roost_key key)
{
    for (int i = 0; i < n; i++)
        if (keys[i] == key) return i;
    return -1;
}

void frame_item_set(struct frame *f, int i, int key, uint8_t operation, roost_value value)
{
    struct frame_items *items = &f->items;
    items->key[i] = key;
    items->operations[i] = operation;
    items->value[i] = value & f->value_mask;
    store_width(f->shape.key_bytes, items->keys, (uint64_t)i, f->key[key]);
    if (f->shape.value_bytes) store_width(f->shape.value_bytes, items->values_in, (uint64_t)i, items->value[i]);
}

void frame_batch_clear(struct frame *f, struct batch *b)
{
    memset(&f->counters, 0, sizeof f->counters);
    memset(b, 0, sizeof *b);
    f->batch = b;
    b->counters = &f->counters;
    b->park_status = ROOST_ITEM_FULL;
    b->saturate = f->saturate;
    b->value_type = f->value_mask >> 32 ? ROOST_TYPE_U64 : ROOST_TYPE_U32;
    b->takes = 0xffff;
}

void frame_batch_items(struct frame *f, struct batch *b, int sees)
{
    struct frame_items *items = &f->items;
    const size_t n = (size_t)items->n;
    memset(items->statuses, FRAME_UNTOUCHED, n);
    memset(items->found, FRAME_UNTOUCHED, n);
    memset(items->values_out, FRAME_UNTOUCHED, n * FRAME_VALUE_BYTES);
    memset(items->stamps, 0, n * sizeof items->stamps[0]);
    memset(items->left_out, 0, n);
    b->n = n;
    b->keys = items->keys;
    b->statuses = items->statuses;
    if (sees & FRAME_STAMPS) b->stamps = items->stamps;
    if (sees & FRAME_VALUES_IN) b->values_in = f->value_mask ? items->values_in : NULL;
    if (sees & FRAME_VALUES_OUT) b->values_out = f->value_mask ? items->values_out : NULL, b->found = items->found;
    if (sees & FRAME_OPERATIONS_IN) b->operations = items->operations;
    else if (sees & FRAME_VALUES_IN) b->mode = (uint8_t)(items->operations[0] - ROOST_OP_INSERT);
}

void frame_batch_parks(struct frame *f, struct batch *b, int to)
{
    f->items.list_n[to] = 0;
    b->leftover = f->items.list[to];
    b->leftover_n = &f->items.list_n[to];
}

void frame_batch_again(struct frame *f, struct batch *b)
{
    b->order = f->items.list[0];
    b->n = f->items.list_n[0];
    frame_batch_parks(f, b, 1);
}

void frame_again_is_later(struct frame *f)
{
    for (uint64_t i = 0; i < f->items.list_n[0]; i++) f->items.stamps[f->items.list[0][i]].responded = UINT64_MAX;
}

struct scheduled_plan frame_plan(struct frame *f, const struct frame_launch *l)
{
    const struct scheduled_plan plan = {
        .seed = dice_draw(&f->dice), .size = l->size, .tiles = l->tiles, .budget = FRAME_BUDGET, .weak = l->weak};
    return plan;
}

bool frame_run(struct frame *f, const struct scheduled_plan *plan, scheduled_kernel *kernel, const void *call, int operation)
{
    const char *report = scheduled_run(plan, kernel, call);
    f->explored->points += scheduled_numbers().points;
    f->explored->switches += scheduled_numbers().switches;
    return !report || wrong_say("%s: %s", f->engine->operations[operation], report);
}

/* ---- Results --------------------------------------------------------------------------------- */

int frame_status_count(const struct frame *f, uint8_t status)
{
    int n = 0;
    for (int i = 0; i < f->items.n; i++) n += !f->items.left_out[i] && f->items.statuses[i] == status;
    return n;
}

bool frame_counter_check(const char *name, uint64_t counter, int64_t wanted)
{
    return (int64_t)counter == wanted ||
           wrong_say("the counter of %s says %" PRId64 ", not %" PRId64, name, (int64_t)counter, wanted);
}

bool frame_counters_check(const struct frame *f)
{
    const int updated = frame_status_count(f, ROOST_ITEM_UPDATED) + frame_status_count(f, ROOST_ITEM_KEPT);
    return frame_counter_check("inserted", f->counters.inserted, frame_status_count(f, ROOST_ITEM_INSERTED)) &&
           frame_counter_check("erased", f->counters.erased, frame_status_count(f, ROOST_ITEM_ERASED)) &&
           frame_counter_check("updated", f->counters.updated, updated);
}

bool frame_parked_check(const struct frame *f, int to)
{
    const struct frame_items *items = &f->items;
    const uint64_t n = items->list_n[to], full = (uint64_t)frame_status_count(f, ROOST_ITEM_FULL);
    int times[FRAME_ITEMS] = {0};
    if (n != full) return wrong_say("%" PRIu64 " items are FULL, and %" PRIu64 " parked", full, n);
    for (uint64_t i = 0; i < n; i++) times[items->list[to][i]]++;
    for (int i = 0; i < items->n; i++)
        if (times[i] > 1 || (times[i] && items->statuses[i] != ROOST_ITEM_FULL))
            return wrong_say("item %d of status %d is parked %d times", i, items->statuses[i], times[i]);
    return true;
}

bool frame_found_check(const struct frame *f)
{
    for (int i = 0; f->batch->found && i < f->items.n; i++)
        if (f->items.found[i] != (f->items.statuses[i] == ROOST_ITEM_FOUND))
            return wrong_say("item %d: status %d, found %d", i, f->items.statuses[i], f->items.found[i]);
    return true;
}

/* The value that a find has left in the caller's array; 0 if it found nothing. */
static roost_value value_of(const struct frame *f, int i)
{
    roost_value value = 0;
    if (f->items.statuses[i] != ROOST_ITEM_FOUND || !f->value_mask) return 0;
    if (f->engine->value_found) (void)f->engine->value_found(f, i, &value);
    else value = load_width(f->shape.value_bytes, f->items.values_out, (uint64_t)i);
    return value;
}

static struct linear_op op_of(const struct frame *f, int i, bool weak)
{
    const struct frame_items *items = &f->items;
    const bool stamped = f->batch->stamps && !weak;
    const struct linear_op op = {.argument = items->value[i],
                                 .value = value_of(f, i),
                                 .invoked = stamped ? items->stamps[i].invoked : 0,
                                 .responded = stamped ? items->stamps[i].responded : UINT64_MAX,
                                 .operation = items->operations[i],
                                 .status = items->statuses[i],
                                 .saturates = f->saturate};
    return op;
}

int frame_ops_of(const struct frame *f, int key, bool weak, struct linear_op ops[FRAME_ITEMS])
{
    int n = 0;
    for (int i = 0; i < f->items.n; i++)
        if (f->items.key[i] == key && !f->items.left_out[i]) ops[n++] = op_of(f, i, weak);
    return n;
}

bool frame_key_wrong(const struct frame *f, int key, const struct linear_op *ops, int n)
{
    const struct frame_stored before = f->engine->stored(f, false, key), after = f->engine->stored(f, true, key);
    char text[4000];
    int at = snprintf(text, sizeof text, "key %" PRIx64 ", %d and then %d times stored (%" PRIx64 ", %" PRIx64 "):", f->key[key],
                      before.n, after.n, before.value, after.value);
    for (int i = 0; i < n && at < 3800; i++)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       " [%" PRIu64 "-%" PRIu64 " operation %d of %" PRIx64 ": status %d, %" PRIx64 "]", ops[i].invoked,
                       ops[i].responded, ops[i].operation, ops[i].argument, ops[i].status, ops[i].value);
    return wrong_say("no order explains %s", text);
}

static struct linear_state state_of(const struct frame *f, bool after, int key)
{
    const struct frame_stored stored = f->engine->stored(f, after, key);
    const struct linear_state state = {stored.n > 0, stored.n ? stored.value : 0};
    return state;
}

bool frame_orders_check(const struct frame *f, bool weak)
{
    struct linear *linear = linear_new(f->value_mask, LINEAR_PLACES);
    struct linear_op ops[FRAME_ITEMS];
    bool ok = true;
    for (int key = 0; ok && key < f->keys; key++) {
        const int n = frame_ops_of(f, key, weak, ops);
        ok = linear_check(linear, ops, (size_t)n, state_of(f, false, key), state_of(f, true, key)) != LINEAR_NO ||
             frame_key_wrong(f, key, ops, n);
    }
    linear_free(linear);
    return ok;
}

bool frame_found_all_check(const struct frame *f)
{
    if (!frame_found_check(f)) return false;
    for (int i = 0; i < f->items.n; i++) {
        const struct linear_state is = state_of(f, false, f->items.key[i]);
        if (f->items.statuses[i] != (is.present ? ROOST_ITEM_FOUND : ROOST_ITEM_ABSENT) || value_of(f, i) != is.value)
            return wrong_say("a find of key %" PRIx64 ", which is %s, says %d and %" PRIx64, f->key[f->items.key[i]],
                             is.present ? "stored" : "absent", f->items.statuses[i], value_of(f, i));
    }
    return true;
}

bool frame_same_contents(const struct frame *f, const char *what)
{
    for (int i = 0; i < f->keys; i++) {
        const struct frame_stored was = f->engine->stored(f, false, i), is = f->engine->stored(f, true, i);
        if (was.n != is.n || was.value != is.value)
            return wrong_say("%s: key %" PRIx64 " was stored %d times (%" PRIx64 "), and then %d times (%" PRIx64 ")", what,
                             f->key[i], was.n, was.value, is.n, is.value);
    }
    return true;
}

/* ---- Memory as it was ------------------------------------------------------------------------ */

void frame_image_keep(struct frame_image *image, void *at, size_t bytes)
{
    if (bytes == 0) return;
    if (image->n == FRAME_PARTS) abort();
    unsigned char *copy = (unsigned char *)malloc(bytes);
    if (!copy) abort();
    memcpy(copy, at, bytes);
    image->part[image->n].at = at;
    image->part[image->n].bytes = bytes;
    image->part[image->n++].copy = copy;
}

void frame_image_restore(const struct frame_image *image)
{
    for (int i = 0; i < image->n; i++) memcpy(image->part[i].at, image->part[i].copy, image->part[i].bytes);
}

void frame_image_free(struct frame_image *image)
{
    for (int i = 0; i < image->n; i++) free(image->part[i].copy);
    image->n = 0;
}

/* ---- Small scenes ---------------------------------------------------------------------------- */

static uint8_t operation_of(char letter)
{
    switch (letter) {
    case 'K': return ROOST_OP_KEEP;
    case 'A': return ROOST_OP_ASSIGN;
    case '>': return ROOST_OP_MAX;
    case 'P': return ROOST_OP_APPEND;
    case '+':
    case '#': return ROOST_OP_ADD;
    case 'E': return ROOST_OP_ERASE;
    default: return ROOST_OP_FIND;
    }
}

/* The first maximum is more than the stored value, the second less. The summand # is so large
 * that the sum saturates. */
static uint64_t argument_of(const struct frame *f, const char *items, int i)
{
    return items[i] == '>' ? 200 - 100 * (uint64_t)i : items[i] == '#' ? f->value_mask : 1 + (uint64_t)i;
}

void frame_small_reset(struct frame *f, const struct frame_small *small)
{
    frame_image_restore(&small->image);
    f->items.n = (int)strlen(small->items);
    for (int i = 0; i < f->items.n; i++)
        frame_item_set(f, i, small->keys[i] - 'a', operation_of(small->items[i]), argument_of(f, small->items, i));
    f->saturate = strchr(small->items, '#') != NULL;
}

bool frame_small_timeless(const struct frame_small *small) { return small->weak && !small->fenced; }

void frame_small_stamps(struct frame_small *small, struct batch *b)
{
    if (frame_small_timeless(small)) b->stamps = NULL;
    if (small->fenced) small->clock = 1, b->clock = &small->clock;
}

struct scheduled_limits frame_limits(size_t items, int size, bool weak)
{
    const size_t whole = (size == 1 ? 3 : 2) - weak, usual = size == 1 && items == 2 && !weak ? 2 : 1;
    const struct scheduled_limits limits = {(int)settings_effort(whole, usual, 1), weak ? 1 : 0,
                                            settings_effort(UINT64_MAX, 4000000, 4000000)};
    return limits;
}
