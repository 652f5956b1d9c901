/* Mixed batches of the fuzzer of the API: for the operations on each key there must be an order
 * that explains their results. */
#include "fuzz/api/api_life.h"

#include <roost/mixed.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- A batch --------------------------------------------------------------------------------- */

static uint8_t operation_draw(const struct api_life *life, struct dice *dice)
{
    const uint64_t number = draw_below(dice, 100);
    if (number == 0) return (uint8_t)draw_below(dice, 256); /* perhaps one that no table takes */
    if (number < 35) return ROOST_OP_FIND;
    if (number < 60) return ROOST_OP_ERASE;
    if (life->multi) return ROOST_OP_APPEND;
    return (uint8_t)(ROOST_OP_INSERT +
                     draw_below(dice, shape_has_arithmetic(&life->coding.shape) ? ROOST_MAX + 1 : ROOST_KEEP + 1));
}

void mixture_begin(struct api_life *life, struct mixture *m)
{
    const bool has_values = shape_has_values(&life->coding.shape);
    m->values_in = has_values && choose(life->choices, 16);
    m->values_out = has_values && choose(life->choices, 8);
    life_draw(life, &m->batch, life_size(life));
    struct dice dice = choose_dice(life->choices);
    for (size_t i = 0; i < m->batch.n; i++) m->batch.operations[i] = operation_draw(life, &dice);
    groups_make(&m->groups, &m->batch);
}

void mixture_apply(struct api_life *life, struct mixture *m, uint32_t flags)
{
    const roost_call call = life_call(m->batch.statuses, flags);
    const roost_batch batch = {sizeof batch,
                               m->batch.operations,
                               m->batch.keys,
                               m->values_in ? m->batch.values_in : NULL,
                               m->values_out ? m->batch.values_out : NULL,
                               m->batch.n};
    life_call_begins(life);
    m->status = roost_apply(life->table, &batch, &call);
    life_call_ended(life, m->status, m->batch.n, "a mixed batch");
    uint64_t finds = 0;
    for (size_t i = 0; i < m->batch.n; i++) finds += m->batch.operations[i] == ROOST_OP_FIND;
    life->totals->finds += finds;
    *(flags ? &life->totals->mixed_ordered : &life->totals->mixed) += m->batch.n - finds;
}

void mixture_end(struct mixture *m)
{
    groups_free(&m->groups);
    batch_free(&m->batch);
}

bool mixture_takes(const struct api_life *life, const struct mixture *m, uint8_t operation)
{
    if (operation <= ROOST_OP_ERASE) return true;
    if (operation > ROOST_OP_APPEND || (shape_has_values(&life->coding.shape) && !m->values_in)) return false;
    if (life->multi || operation == ROOST_OP_APPEND) return life->multi && operation == ROOST_OP_APPEND;
    return operation <= ROOST_OP_KEEP || shape_has_arithmetic(&life->coding.shape);
}

const char *mixture_text(const struct mixture *m, uint32_t item)
{
    static char text[128];
    const uint8_t status = m->batch.statuses[item];
    snprintf(text, sizeof text, "item %u, operation %u on key %#llx, ended %u (%s)", item, m->batch.operations[item],
             (unsigned long long)m->batch.ids[item], status, roost_item_status_string((roost_item_status)status));
    return text;
}

/* ---- One item -------------------------------------------------------------------------------- */

static bool find_fits(const struct mixture *m, uint32_t item, bool present, uint64_t value)
{
    uint64_t out = 0;
    if (m->batch.statuses[item] != (present ? ROOST_ITEM_FOUND : ROOST_ITEM_ABSENT)) return false;
    if (!present || !m->values_out) return !m->batch.values_out || batch_is_unwritten(&m->batch, item);
    return batch_value_out(&m->batch, item, &out) && out == value;
}

bool mixture_fits(const struct api_life *life, const struct mixture *m, uint32_t item, bool *present, uint64_t *value)
{
    const uint8_t operation = m->batch.operations[item], status = m->batch.statuses[item];
    if (operation == ROOST_OP_FIND) return find_fits(m, item, *present, *value);
    if (operation == ROOST_OP_ERASE) {
        if (status != (*present ? ROOST_ITEM_ERASED : ROOST_ITEM_ABSENT)) return false;
        *present = false;
        return true;
    }
    const roost_mode mode = (roost_mode)(operation - ROOST_OP_INSERT);
    const uint8_t there = mode == ROOST_KEEP ? ROOST_ITEM_KEPT : ROOST_ITEM_UPDATED;
    if (status != (*present ? there : ROOST_ITEM_INSERTED)) return false;
    *value = life_combine(life, mode, *present, *value, m->batch.values[item]);
    *present = true;
    return true;
}

bool mixture_passed_over(const struct api_life *life, const struct mixture *m, uint32_t item)
{
    const uint8_t operation = m->batch.operations[item], status = m->batch.statuses[item];
    if (!mixture_takes(life, m, operation)) return true;
    if (item_is_untried(m->status, status)) return true;
    /* A full table refuses inserts alone. */
    return item_is_refused(life, m->status, status) && (operation >= ROOST_OP_INSERT || status == ROOST_ITEM_NO_MEMORY);
}

void mixture_count(struct api_life *life, const struct mixture *m)
{
    size_t refused = 0, idle = 0;
    for (uint32_t i = 0; i < m->batch.n; i++) {
        const uint8_t status = m->batch.statuses[i];
        const bool taken = mixture_takes(life, m, m->batch.operations[i]);
        expect(taken || status == ROOST_ITEM_NONE || m->status, "%s, though the table does not take it", mixture_text(m, i));
        life->inserted += status == ROOST_ITEM_INSERTED;
        life->updated += status == ROOST_ITEM_UPDATED || status == ROOST_ITEM_KEPT;
        life->erased += status == ROOST_ITEM_ERASED;
        refused += taken && mixture_passed_over(life, m, i);
        idle += !taken;
    }
    /* Memory may be refused before a call knows that it takes no item. */
    expect(m->status == ROOST_OK ? refused == 0 : refused > 0 || idle > 0, "%zu items were refused, but the call ended %s", refused,
           roost_status_name(m->status));
}

/* ---- Orders ---------------------------------------------------------------------------------- */

enum { ORDER_ITEMS = 24, ORDER_TRIALS = 20000 };

/* The items of a key that took effect, and what is known of its state afterwards. */
struct order {
    const struct api_life *life;
    const struct mixture *m;
    uint32_t items[ORDER_ITEMS], n, trials;
    bool present;
    uint64_t value;
};

static bool changes_nothing(const struct order *o, uint32_t k)
{
    const uint8_t status = o->m->batch.statuses[o->items[k]];
    return status == ROOST_ITEM_FOUND || status == ROOST_ITEM_ABSENT || status == ROOST_ITEM_KEPT;
}

/* Items that change nothing and fit come first: they fit nowhere better. */
static uint32_t take_idle(const struct order *o, uint32_t used, bool present, uint64_t value)
{
    for (uint32_t k = 0; k < o->n; k++)
        if (!(used >> k & 1) && changes_nothing(o, k) && mixture_fits(o->life, o->m, o->items[k], &present, &value))
            used |= 1u << k;
    return used;
}

static bool order_exists(struct order *o, uint32_t used, bool present, uint64_t value)
{
    used = take_idle(o, used, present, value);
    if (used == (1u << o->n) - 1) return present == o->present && (!present || value == o->value);
    if (o->trials++ > ORDER_TRIALS) return true;
    for (uint32_t k = 0; k < o->n; k++) {
        bool next_present = present;
        uint64_t next_value = value;
        if (used >> k & 1 || changes_nothing(o, k)) continue;
        if (!mixture_fits(o->life, o->m, o->items[k], &next_present, &next_value)) continue;
        if (order_exists(o, used | 1u << k, next_present, next_value)) return true;
    }
    return false;
}

static void print_items(const struct mixture *m, const struct api_group *group)
{
    uint32_t n = 0;
    for (uint32_t i = group->first; i != UINT32_MAX && n < ORDER_ITEMS; i = m->groups.next[i], n++)
        report_step("  %s, value %#llx", mixture_text(m, i), (unsigned long long)m->batch.values[i]);
}

/* ---- Maps ------------------------------------------------------------------------------------ */

/* The keys of a batch, once each, as they are found afterwards. */
static void look_after(struct api_life *life, const struct mixture *m, struct api_batch *after)
{
    batch_make(after, &life->coding, m->groups.n);
    for (size_t k = 0; k < m->groups.n; k++) after->ids[k] = m->groups.groups[k].id, after->values[k] = 0;
    batch_encode(after, 8);
    life_look_up(life, after);
}

/* Inserts less erases are the difference in presence, whatever the order. */
static void balance_check(const struct mixture *m, const struct api_group *group, bool before, bool after)
{
    int64_t balance = before;
    for (uint32_t i = group->first; i != UINT32_MAX; i = m->groups.next[i])
        balance += (m->batch.statuses[i] == ROOST_ITEM_INSERTED) - (m->batch.statuses[i] == ROOST_ITEM_ERASED);
    if (balance != (int64_t)after) print_items(m, group);
    expect(balance == (int64_t)after, "key %#llx was %s, and is %s; inserts less erases and what was there are %lld",
           (unsigned long long)group->id, before ? "present" : "absent", after ? "present" : "absent", (long long)balance);
}

static void order_check(struct api_life *life, const struct mixture *m, const struct api_group *group, struct order *o)
{
    const struct exact_slot *slot = exact_find(&life->exact, group->id);
    if (group->items > ORDER_ITEMS) {
        life->totals->undecided++;
        return;
    }
    for (uint32_t i = group->first; i != UINT32_MAX; i = m->groups.next[i])
        if (!mixture_passed_over(life, m, i)) o->items[o->n++] = i;
    const bool exists = order_exists(o, 0, slot != NULL, slot ? slot->value : 0);
    if (!exists) print_items(m, group);
    expect(exists, "no order explains what happened to key %#llx, which was %s with value %#llx, and is %s with value %#llx",
           (unsigned long long)group->id, slot ? "present" : "absent", (unsigned long long)(slot ? slot->value : 0),
           o->present ? "present" : "absent", (unsigned long long)o->value);
    life->totals->undecided += o->trials > ORDER_TRIALS;
}

static void group_check(struct api_life *life, const struct mixture *m, const struct api_batch *after, size_t k)
{
    const struct api_group *group = &m->groups.groups[k];
    struct order o = {.life = life, .m = m, .present = after->found[k] == 1};
    expect(shape_is_set(&life->coding.shape) || !o.present || batch_value_out(after, k, &o.value),
           "key %#llx has a value of nobody", (unsigned long long)group->id);
    balance_check(m, group, exact_find(&life->exact, group->id) != NULL, o.present);
    order_check(life, m, group, &o);
    if (o.present) exact_put(&life->exact, group->id, o.value);
    else exact_remove(&life->exact, group->id);
}

/* ---- Multimaps ------------------------------------------------------------------------------- */

/* The pairs that a key has left; those that it may have are added to the exact contents. */
static uint32_t pairs_left(struct api_life *life, const struct mixture *m, const struct api_group *group)
{
    uint32_t erased = 0;
    for (uint32_t i = group->first; i != UINT32_MAX; i = m->groups.next[i]) {
        erased += m->batch.statuses[i] == ROOST_ITEM_ERASED;
        if (m->batch.statuses[i] == ROOST_ITEM_INSERTED) exact_append(&life->exact, group->id, m->batch.values[i]);
    }
    const struct exact_slot *slot = exact_find(&life->exact, group->id);
    const uint32_t pairs = slot ? slot->pairs : 0;
    expect(erased <= pairs, "key %#llx has %u pairs, of which %u were erased", (unsigned long long)group->id, pairs, erased);
    return pairs - erased;
}

/* Values that a find may have seen. */
static void finds_check(struct api_life *life, const struct mixture *m)
{
    for (uint32_t i = 0; i < m->batch.n; i++) {
        uint64_t value = 0;
        const struct exact_slot *slot = exact_find(&life->exact, m->batch.ids[i]);
        if (m->batch.statuses[i] != ROOST_ITEM_FOUND || (slot && slot->pairs > 64 && i % 64)) continue;
        expect(slot, "%s, and the key never was there", mixture_text(m, i));
        expect(!m->values_out || (batch_value_out(&m->batch, i, &value) && exact_has(&life->exact, slot->id, value)),
               "%s, value %#llx, which is none of its values", mixture_text(m, i), (unsigned long long)value);
    }
}

static void bags_check(struct api_life *life, const struct mixture *m)
{
    uint64_t *ids = api_memory(m->groups.n * sizeof *ids);
    uint32_t *left = api_memory(m->groups.n * sizeof *left);
    size_t n = 0;
    for (size_t k = 0; k < m->groups.n; k++) left[k] = pairs_left(life, m, &m->groups.groups[k]);
    finds_check(life, m);
    for (size_t k = 0; k < m->groups.n; k++) {
        const uint64_t id = m->groups.groups[k].id;
        const struct exact_slot *slot = exact_find(&life->exact, id);
        if (!slot || slot->pairs == left[k]) continue;
        if (!left[k]) exact_remove(&life->exact, id);
        else ids[n] = id, left[n++] = left[k];
    }
    multi_learn(life, ids, left, n);
    free(ids);
    free(left);
}

void step_mixed(struct api_life *life)
{
    struct mixture m;
    struct api_batch after;
    report_step("mixed");
    mixture_begin(life, &m);
    mixture_apply(life, &m, 0);
    mixture_count(life, &m);
    if (life->multi) bags_check(life, &m);
    else {
        look_after(life, &m, &after);
        for (size_t k = 0; k < m.groups.n; k++) group_check(life, &m, &after, k);
        batch_free(&after);
    }
    life_wrote(life, m.batch.n);
    mixture_end(&m);
}
