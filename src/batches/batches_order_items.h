/* Operations on one key in the order of the array: what kernels do to the runs of items that have one key.
 *
 * A run is carried out twice, by one lane, on the key's presence and value in a variable.  First to learn how it leaves the key, so that the
 * table is written to once; then, when it is known whether the key could be stored, to answer each item.  A key that could not be stored is
 * as it was before throughout its run: whatever would have changed it says why it did not. */
#ifndef ROOST_BATCHES_ORDER_ITEMS_H
#define ROOST_BATCHES_ORDER_ITEMS_H

#include "batches/batches_items.h"
#include "portable/value.h"

/* What the items shall be sorted by: their keys. */
ROOST_FN void batches_key(const struct batches_args *a, uint64_t i)
{
    const int bytes = a->batch.key_bytes;
    store_width(bytes, a->sorted, i, load_width(bytes, a->batch.keys, i));
    a->items[i] = (uint32_t)i;
}

/* Does the item at place i, which exists, have the key? */
ROOST_FN bool place_has(const struct batches_args *a, uint64_t i, roost_key key)
{
    return i < a->batch.n && load_width(a->batch.key_bytes, a->sorted, i) == key;
}

/* A place where a run begins, begins one. */
ROOST_FN void batches_head(const struct batches_args *a, uint64_t i)
{
    const int bytes = a->batch.key_bytes;
    const roost_key key = load_width(bytes, a->sorted, i);
    if (i && place_has(a, i - 1, key)) return;
    const uint64_t run = take_place_relaxed_device64(&a->words[WORD_RUNS]); /* a place of its own: no two runs share one */
    a->runs.first[run] = (uint32_t)i;
    store_width(bytes, a->runs.keys, run, key);
}

/* A key while its run is carried out. */
struct key_state {
    roost_value value;
    bool there;
    uint8_t refused; /* the roost_item_status of what would change it, or 0 */
};

ROOST_FN struct key_state run_before(const struct batches_args *a, uint64_t run)
{
    const uint8_t fate = a->runs.fates[run];
    struct key_state s;
    s.there = fate & FATE_THERE;
    s.refused = (uint8_t)(fate >> FATE_SHIFT);
    s.value = s.there && a->runs.values ? load_width(a->batch.value_bytes, a->runs.values, run) : 0;
    return s;
}

ROOST_FN uint8_t state_insert(const struct batch *b, struct key_state *s, uint8_t mode, roost_value value)
{
    if (s->refused) return s->refused;
    if (!s->there) s->value = value;
    else if (mode != ROOST_KEEP) s->value = value_next(b, mode, b->value_bytes, s->value, value);
    if (s->there) return mode == ROOST_KEEP ? ROOST_ITEM_KEPT : ROOST_ITEM_UPDATED;
    s->there = true;
    return ROOST_ITEM_INSERTED;
}

ROOST_FN uint8_t state_erase(struct key_state *s)
{
    if (!s->there) return ROOST_ITEM_ABSENT;
    if (s->refused) return s->refused;
    s->there = false;
    return ROOST_ITEM_ERASED;
}

/* Carries out the item at place i; its status. */
ROOST_FN uint8_t place_carry_out(const struct batches_args *a, uint64_t i, struct key_state *s)
{
    const struct columns *c = &a->columns;
    const uint8_t operation = c->operations ? c->operations[i] : (uint8_t)(ROOST_OP_INSERT + a->batch.mode);
    if (!batch_takes(&a->batch, operation)) return ROOST_ITEM_NONE;
    if (operation == ROOST_OP_FIND) return s->there ? ROOST_ITEM_FOUND : ROOST_ITEM_ABSENT;
    if (operation == ROOST_OP_ERASE) return state_erase(s);
    const roost_value value = c->values_in ? load_width(a->batch.value_bytes, c->values_in, i) : 0;
    return state_insert(&a->batch, s, (uint8_t)(operation - ROOST_OP_INSERT), value);
}

/* How a run leaves its key, to where what the table shall become is listed: each by a place of its own, from either end. */
ROOST_FN void batches_fold(const struct batches_args *a, uint64_t run)
{
    const struct runs *r = &a->runs;
    const struct batch *b = &a->batch;
    const roost_key key = load_width(b->key_bytes, r->keys, run);
    const struct key_state before = run_before(a, run);
    struct key_state s = before;
    for (uint64_t i = r->first[run]; place_has(a, i, key); i++) (void)place_carry_out(a, i, &s);
    if (s.there && (!before.there || s.value != before.value)) {
        const uint64_t place = take_place_relaxed_device64(&a->words[WORD_WRITES]);
        store_width(b->key_bytes, r->write_keys, place, key);
        if (r->write_values) store_width(b->value_bytes, r->write_values, place, s.value);
        r->written[place] = (uint32_t)run;
    }
    if (!s.there && before.there)
        store_width(b->key_bytes, r->write_keys, a->n - 1 - take_place_relaxed_device64(&a->words[WORD_ERASES]), key);
}

/* Why a key could not be stored, to its run. */
ROOST_FN void batches_refuse(const struct batches_args *a, uint64_t place)
{
    const uint8_t status = a->runs.statuses[place];
    if (status == ROOST_ITEM_FULL || status == ROOST_ITEM_NO_MEMORY)
        a->runs.fates[a->runs.written[place]] |= (uint8_t)(status << FATE_SHIFT);
}

/* The answers of a run's items. */
ROOST_FN void batches_answer(const struct batches_args *a, uint64_t run)
{
    const struct columns *c = &a->columns;
    const roost_key key = load_width(a->batch.key_bytes, a->runs.keys, run);
    struct key_state s = run_before(a, run);
    for (uint64_t i = a->runs.first[run]; place_has(a, i, key); i++) {
        c->statuses[i] = place_carry_out(a, i, &s);
        if (c->values_out && c->statuses[i] == ROOST_ITEM_FOUND) store_width(a->batch.value_bytes, c->values_out, i, s.value);
    }
}

#endif
