/* Operations on one key in the order of the arrays: kernel bodies over runs of items with equal
 * keys.
 *
 * One lane carries a run out twice, on the key's presence and value in a variable.  The first
 * time yields the key's last state, so that the table is written once.  The second time, when it
 * is known whether the key could be stored, answers each item.  A key that could not be stored
 * stays as it was before throughout its run: each item that would have changed it gets the
 * reason as its status. */
#ifndef ROOST_BATCHES_ORDER_ITEMS_H
#define ROOST_BATCHES_ORDER_ITEMS_H

#include "batches/batches_items.h"
#include "portable/value.h"

/* Writes the sort keys: the items' keys. */
ROOST_FN void batches_key(const struct batches_args *a, uint64_t i)
{
    const int bytes = a->batch.key_bytes;
    store_width(bytes, a->sorted, i, load_width(bytes, a->batch.keys, i));
    a->items[i] = (uint32_t)i;
}

/* Is there an item at place i, and does it have the key? */
ROOST_FN bool place_has(const struct batches_args *a, uint64_t i, roost_key key)
{
    return i < a->batch.n && load_width(a->batch.key_bytes, a->sorted, i) == key;
}

/* If a run begins at this place, adds it to the runs.  No two runs share a place. */
ROOST_FN void batches_head(const struct batches_args *a, uint64_t i)
{
    const int bytes = a->batch.key_bytes;
    const roost_key key = load_width(bytes, a->sorted, i);
    if (i && place_has(a, i - 1, key)) return;
    const uint64_t run = take_place_relaxed_device64(&a->words[WORD_RUNS]);
    a->runs.first[run] = (uint32_t)i;
    store_width(bytes, a->runs.keys, run, key);
}

/* A key's state during its run. */
struct key_state {
    roost_value value;
    bool there;
    /* the status of items that would change the key, or 0 */
    uint8_t refused;
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

/* Carries out the item at place i and returns its status. */
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

/* Writes how a run changes its key to the lists of pending writes: keys to store from the front,
 * keys to erase from the back. */
ROOST_FN void run_write(const struct batches_args *a, uint64_t run, const struct key_state *before, const struct key_state *after)
{
    const struct runs *r = &a->runs;
    const struct batch *b = &a->batch;
    const roost_key key = load_width(b->key_bytes, r->keys, run);
    if (after->there && (!before->there || after->value != before->value)) {
        const uint64_t place = take_place_relaxed_device64(&a->words[WORD_WRITES]);
        store_width(b->key_bytes, r->write_keys, place, key);
        if (r->write_values) store_width(b->value_bytes, r->write_values, place, after->value);
        r->written[place] = (uint32_t)run;
    }
    if (!after->there && before->there)
        store_width(b->key_bytes, r->write_keys, a->n - 1 - take_place_relaxed_device64(&a->words[WORD_ERASES]), key);
}

/* Carries a run out, and writes its last state to the lists of pending writes. */
ROOST_FN void batches_fold(const struct batches_args *a, uint64_t run)
{
    const roost_key key = load_width(a->batch.key_bytes, a->runs.keys, run);
    const struct key_state before = run_before(a, run);
    struct key_state s = before;
    for (uint64_t i = a->runs.first[run]; place_has(a, i, key); i++) (void)place_carry_out(a, i, &s);
    run_write(a, run, &before, &s);
}

/* Tells the run why its key could not be stored.  NONE: memory was refused before it was tried. */
ROOST_FN void batches_refuse(const struct batches_args *a, uint64_t place)
{
    const uint8_t ended = a->runs.statuses[place], status = ended == ROOST_ITEM_NONE ? (uint8_t)ROOST_ITEM_NO_MEMORY : ended;
    if (status == ROOST_ITEM_FULL || status == ROOST_ITEM_NO_MEMORY)
        a->runs.fates[a->runs.written[place]] |= (uint8_t)(status << FATE_SHIFT);
}

/* Carries the item at place i out, and answers it. */
ROOST_FN void place_answer(const struct batches_args *a, uint64_t i, struct key_state *s)
{
    const struct columns *c = &a->columns;
    const roost_value before = s->value;
    c->statuses[i] = place_carry_out(a, i, s);
    if (c->values_out && item_met(&a->batch, c->statuses[i])) store_width(a->batch.value_bytes, c->values_out, i, before);
}

/* Was the item's key there?  operations: statuses. */
ROOST_FN void batches_met(const struct batches_args *a, uint64_t i)
{
    a->batch.found[i] = item_met(&a->batch, a->batch.operations[i]);
}

/* Answers a run's items. */
ROOST_FN void batches_answer(const struct batches_args *a, uint64_t run)
{
    const roost_key key = load_width(a->batch.key_bytes, a->runs.keys, run);
    struct key_state s = run_before(a, run);
    for (uint64_t i = a->runs.first[run]; place_has(a, i, key); i++) place_answer(a, i, &s);
}

#endif
