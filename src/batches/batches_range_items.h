/* Ordered batches that are cut by key: kernel bodies that find the items of a range of keys in the
 * call's arrays, copy them, and bring their results back; and those of a key with more items than
 * a piece holds, which is carried out in several steps. */
#ifndef ROOST_BATCHES_RANGE_ITEMS_H
#define ROOST_BATCHES_RANGE_ITEMS_H

#include "batches/batches_order_items.h"

/* Odd, so that the product is a bijection: keys differ exactly if their spreads do. */
ROOST_FN uint64_t spread_factor(const int bytes) { return bytes == 4 ? 0x9E3779B1u : UINT64_C(0x9E3779B97F4A7C15); }

/* Spreads keys that lie close together over all numbers of their width. */
ROOST_FN uint64_t key_spread(const int bytes, roost_key key)
{
    const uint64_t spread = key * spread_factor(bytes);
    return bytes == 4 ? (uint32_t)spread : spread;
}

/* The key of a spread. */
ROOST_FN roost_key key_gather(const int bytes, uint64_t spread)
{
    const uint64_t key = spread * inverse64(spread_factor(bytes));
    return bytes == 4 ? (uint32_t)key : key;
}

/* The spread of an item's key, as the distance from the range's first one. */
ROOST_FN uint64_t range_distance(const struct batches_args *a, uint64_t i)
{
    const int bytes = a->batch.key_bytes;
    return key_spread(bytes, load_width(bytes, a->batch.keys, i)) - a->range.low;
}

/* Counts the range's items by bin.  Lanes collide at the counters, which are read only after the
 * kernel. */
ROOST_FN void batches_count(const struct batches_args *a, uint64_t i)
{
    const uint64_t distance = range_distance(a, i);
    if (distance <= a->range.last) (void)add_relaxed_device64(&a->words[distance >> a->range.shift], 1);
}

/* Copies the item if its key is in the range.  The counter counts all such items, also those that
 * find no room. */
ROOST_FN void batches_take(const struct batches_args *a, uint64_t i)
{
    const struct batch *b = &a->batch;
    const struct taken *t = &a->taken;
    if (range_distance(a, i) > a->range.last) return;
    const uint64_t place = take_place_relaxed_device64(&a->words[WORD_TAKEN]);
    if (place >= a->range.room) return;
    store_width(a->range.from_bytes, t->from, place, a->range.first + i);
    store_width(b->key_bytes, t->keys, place, load_width(b->key_bytes, b->keys, i));
    if (t->values_in) store_width(b->value_bytes, t->values_in, place, load_width(b->value_bytes, b->values_in, i));
    if (t->operations) t->operations[place] = b->operations[i];
}

/* Writes the sort keys that bring the taken items into the order of the call. */
ROOST_FN void batches_arrive(const struct batches_args *a, uint64_t i)
{
    const int bytes = a->range.from_bytes;
    store_width(bytes, a->sorted, i, load_width(bytes, a->taken.from, i));
    a->items[i] = (uint32_t)i;
}

/* Writes the sort keys of items that are in an order: their keys. */
ROOST_FN void batches_rekey(const struct batches_args *a, uint64_t i)
{
    const int bytes = a->batch.key_bytes;
    store_width(bytes, a->sorted, i, load_width(bytes, a->batch.keys, a->items[i]));
}

/* The first taken item of the part or of a later one.  The parts were taken in order. */
ROOST_FN uint64_t taken_first(const struct batches_args *a)
{
    uint64_t low = 0, high = a->range.n;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (load_width(a->range.from_bytes, a->taken.from, middle) < a->range.first) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Brings the results of the part's i-th taken item, if there is one, to its arrays. */
ROOST_FN void batches_give(const struct batches_args *a, uint64_t i)
{
    const struct batch *b = &a->batch;
    const struct taken *t = &a->taken;
    const uint64_t place = taken_first(a) + i;
    if (place >= a->range.n) return;
    const uint64_t item = load_width(a->range.from_bytes, t->from, place) - a->range.first;
    if (item >= b->n) return;
    const bool found = item_met(b, t->statuses[place]);
    if (b->statuses) b->statuses[item] = t->statuses[place];
    if (b->found) b->found[item] = found;
    if (b->values_out && found) store_width(b->value_bytes, b->values_out, item, load_width(b->value_bytes, t->values_out, place));
}

/* ---- A key with more items than a piece holds ------------------------------------------------ */

/* Its run is run 0, whose state is carried from step to step; run 1 has the state in the table. */
enum { RUN_CARRIED, RUN_BEFORE };

ROOST_FN void run_save(const struct batches_args *a, uint64_t run, const struct key_state *s)
{
    a->runs.fates[run] = (uint8_t)((s->there ? FATE_THERE : 0) | s->refused << FATE_SHIFT);
    if (a->runs.values) store_width(a->batch.value_bytes, a->runs.values, run, s->value);
}

/* One step: carries out and answers the next items, which are in the columns. */
ROOST_FN void batches_carry(const struct batches_args *a, uint64_t run)
{
    struct key_state s = run_before(a, run);
    for (uint64_t i = 0; i < a->batch.n; i++) place_answer(a, i, &s);
    run_save(a, run, &s);
}

ROOST_FN void batches_remember(const struct batches_args *a, uint64_t run)
{
    const struct key_state s = run_before(a, run);
    run_save(a, RUN_BEFORE, &s);
}

/* Writes how the steps change the key to the lists of pending writes. */
ROOST_FN void batches_conclude(const struct batches_args *a, uint64_t run)
{
    const struct key_state before = run_before(a, RUN_BEFORE), after = run_before(a, run);
    run_write(a, run, &before, &after);
}

/* Goes back to the state in the table; what the key was refused stays known. */
ROOST_FN void batches_restart(const struct batches_args *a, uint64_t run)
{
    struct key_state s = run_before(a, RUN_BEFORE);
    s.refused = run_before(a, run).refused;
    run_save(a, run, &s);
}

#endif
