/* Kernel bodies of dense numbers (batches_number.c): a key that is new to the table is stored with
 * `base` and its item's index, and gets the next free number afterwards. */
#ifndef ROOST_BATCHES_NUMBER_ITEMS_H
#define ROOST_BATCHES_NUMBER_ITEMS_H

#include "batches/batches_items.h"

/* Words: counts. */
enum { NUMBER_NEW, NUMBER_MOVED, NUMBER_FREE, NUMBER_OTHERS, NUMBER_WORDS };

ROOST_FN void batches_number_first(const struct batches_args *a, uint64_t i)
{
    store_width(a->batch.value_bytes, a->columns.values_in, i, a->numbers.base + i);
}

/* The item of the batch that is candidate i: it was not found before. */
ROOST_FN uint64_t number_item(const struct batches_args *a, uint64_t i)
{
    return a->numbers.candidates ? a->numbers.candidates[i] : i;
}

/* What an item ends with; refused ones have no number. */
ROOST_FN void number_end(const struct batches_args *a, uint64_t i, uint8_t status, uint64_t number)
{
    const struct batch *b = &a->batch;
    const uint64_t item = number_item(a, i);
    const bool kept = status == ROOST_ITEM_INSERTED || status == ROOST_ITEM_KEPT || status == ROOST_ITEM_UPDATED;
    if (b->statuses) b->statuses[item] = status == ROOST_ITEM_UPDATED ? (uint8_t)ROOST_ITEM_KEPT : status;
    store_width(b->value_bytes, b->values_out, item, kept ? number : ~0ULL);
}

/* ---- Lists ----------------------------------------------------------------------------------- */

enum { NUMBER_CHUNK = 1024, NUMBER_LISTS = 2 };

/* A list that a kernel makes: of the items of a class, counted in a word. */
struct number_list {
    uint32_t *items;
    uint64_t *n;
};

/* The list that item i goes to; NUMBER_LISTS: none. */
typedef int number_class(const struct batches_args *a, uint64_t i);

/* Lists a chunk's items.  Tiles meet at the counts, once for a chunk: of two plain additions one
 * would be lost. */
ROOST_FN void number_pick(const tile g, const struct batches_args *a, uint64_t chunk, number_class *class_of,
                          const struct number_list lists[NUMBER_LISTS])
{
    const uint64_t first = chunk * NUMBER_CHUNK, last = first + NUMBER_CHUNK < a->batch.n ? first + NUMBER_CHUNK : a->batch.n;
    const uint32_t below = (1u << g.lane) - 1u;
    for (int list = 0; list < NUMBER_LISTS; list++) {
        uint32_t n = 0;
        uint64_t place = 0;
        for (uint64_t at = first; at < last; at += (unsigned)g.size) {
            const uint64_t i = at + (unsigned)g.lane;
            n += (uint32_t)bit_count32(tile_ballot(g, i < last && class_of(a, i) == list));
        }
        if (!n) continue;
        if (g.lane == 0) place = add_relaxed_device64(lists[list].n, n);
        place = tile_from64(g, place, 0);
        for (uint64_t at = first; at < last; at += (unsigned)g.size) {
            const uint64_t i = at + (unsigned)g.lane;
            const bool is_in = i < last && class_of(a, i) == list;
            const uint32_t those = tile_ballot(g, is_in);
            if (is_in) lists[list].items[place + (uint32_t)bit_count32(those & below)] = (uint32_t)i;
            place += (uint32_t)bit_count32(those);
        }
    }
}

/* The items that were not found; others are KEPT. */
ROOST_FN int number_class_missing(const struct batches_args *a, uint64_t i) { return a->numbers.found[i] ? NUMBER_LISTS : 0; }

ROOST_FN void batches_number_missing(const tile g, const struct batches_args *a, uint64_t chunk, uint32_t *scratch)
{
    const struct number_list lists[NUMBER_LISTS] = {{a->numbers.list, &a->words[NUMBER_OTHERS]}, {NULL, NULL}};
    (void)scratch;
    number_pick(g, a, chunk, number_class_missing, lists);
}

/* Of `fresh` new keys some have numbers beyond base + fresh (moved), and as many below are free. */
ROOST_FN int number_class_split(const struct batches_args *a, uint64_t i)
{
    const bool is_new = a->columns.statuses[i] == ROOST_ITEM_INSERTED, beyond = i >= a->numbers.fresh;
    return is_new != beyond ? NUMBER_LISTS : is_new ? 0 : 1;
}

ROOST_FN void batches_number_split(const tile g, const struct batches_args *a, uint64_t chunk, uint32_t *scratch)
{
    const struct number_list lists[NUMBER_LISTS] = {{a->numbers.moved, &a->words[NUMBER_MOVED]},
                                                    {a->numbers.list, &a->words[NUMBER_FREE]}};
    (void)scratch;
    number_pick(g, a, chunk, number_class_split, lists);
}

/* The items that met their key. */
ROOST_FN int number_class_others(const struct batches_args *a, uint64_t i)
{
    const uint8_t status = a->columns.statuses[i];
    return status == ROOST_ITEM_KEPT || status == ROOST_ITEM_UPDATED ? 0 : NUMBER_LISTS;
}

ROOST_FN void batches_number_others(const tile g, const struct batches_args *a, uint64_t chunk, uint32_t *scratch)
{
    const struct number_list lists[NUMBER_LISTS] = {{a->numbers.list, &a->words[NUMBER_OTHERS]}, {NULL, NULL}};
    (void)scratch;
    number_pick(g, a, chunk, number_class_others, lists);
}

/* ---- In any order ---------------------------------------------------------------------------- */

/* A new key gets a number that is free. */
ROOST_FN void batches_number_move(const struct batches_args *a, uint64_t k)
{
    const uint64_t number = a->numbers.base + a->numbers.list[k];
    store_width(a->batch.value_bytes, a->columns.values_in, a->numbers.moved[k], number);
    store_width(a->batch.value_bytes, a->numbers.values, k, number);
}

ROOST_FN void batches_number_give(const struct batches_args *a, uint64_t i)
{
    number_end(a, i, a->columns.statuses[i], load_width(a->batch.value_bytes, a->columns.values_in, i));
}

/* The same for listed items, whose numbers were looked up. */
ROOST_FN void batches_number_take(const struct batches_args *a, uint64_t k)
{
    number_end(a, a->numbers.list[k], ROOST_ITEM_KEPT, load_width(a->batch.value_bytes, a->numbers.values, k));
}

/* ---- By first occurrence --------------------------------------------------------------------- */

/* A new key has the lowest of its items' numbers, so it is that item's: its first one. */
ROOST_FN bool number_is_first(const struct batches_args *a, uint64_t i)
{
    return a->numbers.found[i] && load_width(a->batch.value_bytes, a->numbers.values, i) == a->numbers.base + i;
}

/* Where items were refused, a key may have been stored by a later one than its first. */
ROOST_FN int number_class_earlier(const struct batches_args *a, uint64_t i)
{
    const bool found = a->numbers.found[i];
    return found && load_width(a->batch.value_bytes, a->numbers.values, i) > a->numbers.base + i ? 0 : NUMBER_LISTS;
}

ROOST_FN void batches_number_earlier(const tile g, const struct batches_args *a, uint64_t chunk, uint32_t *scratch)
{
    const struct number_list lists[NUMBER_LISTS] = {{a->numbers.list, &a->words[NUMBER_OTHERS]}, {NULL, NULL}};
    (void)scratch;
    number_pick(g, a, chunk, number_class_earlier, lists);
}

ROOST_FN void batches_number_lower(const struct batches_args *a, uint64_t k)
{
    store_width(a->batch.value_bytes, a->numbers.write_values, k, a->numbers.base + a->numbers.list[k]);
}

ROOST_FN void batches_number_mark(const struct batches_args *a, uint64_t i) { a->numbers.ranks[i] = number_is_first(a, i); }

/* ranks: the first items before each.  Those whose number is not the next one are listed. */
ROOST_FN void batches_number_rank(const struct batches_args *a, uint64_t i)
{
    const uint64_t rank = a->numbers.ranks[i];
    const bool first = number_is_first(a, i);
    if (i + 1 == a->n) a->words[NUMBER_NEW] = rank + first;
    if (!first) return;
    store_width(a->batch.value_bytes, a->columns.values_in, i, a->numbers.base + rank);
    if (rank == i) return;
    const uint64_t place = take_place_relaxed_device64(&a->words[NUMBER_MOVED]);
    a->numbers.moved[place] = (uint32_t)i;
    store_width(a->batch.value_bytes, a->numbers.write_values, place, a->numbers.base + rank);
}

ROOST_FN void batches_number_answer(const struct batches_args *a, uint64_t i)
{
    const int bytes = a->batch.value_bytes;
    const bool found = a->numbers.found[i];
    const uint64_t stored = found ? load_width(bytes, a->numbers.values, i) : 0;
    if (!found) number_end(a, i, a->columns.statuses[i], 0);
    else if (stored < a->numbers.base) number_end(a, i, ROOST_ITEM_KEPT, stored);
    else
        number_end(a, i, number_is_first(a, i) ? ROOST_ITEM_INSERTED : ROOST_ITEM_KEPT,
                   load_width(bytes, a->columns.values_in, stored - a->numbers.base));
}

/* ---- Items without a number ------------------------------------------------------------------ */

/* No number is left: keys that are not there find no room. */
ROOST_FN void batches_number_refuse(const struct batches_args *a, uint64_t i)
{
    const bool found = a->numbers.found[i];
    number_end(a, i, found ? ROOST_ITEM_KEPT : ROOST_ITEM_FULL,
               load_width(a->batch.value_bytes, a->batch.values_out, number_item(a, i)));
}

/* ---- Exports --------------------------------------------------------------------------------- */

/* Takes a pair whose number is in the range. */
ROOST_FN void batches_number_range(const struct batches_args *a, uint64_t i)
{
    const struct batch *b = &a->batch;
    const uint64_t number = load_width(b->value_bytes, b->values_in, i);
    if (number - a->numbers.base >= a->numbers.fresh) return; /* also those below it */
    const uint64_t place = take_place_relaxed_device64(&a->words[0]);
    if (place >= a->numbers.room) return;
    copy_width(b->key_bytes, a->columns.keys, place, b->keys, i);
    store_width(b->value_bytes, a->columns.values_in, place, number);
}

/* ---- Inserts of 1 ---------------------------------------------------------------------------- */

/* base: the bits of 1. */
ROOST_FN void batches_number_one(const struct batches_args *a, uint64_t i)
{
    store_width(a->batch.value_bytes, a->columns.values_in, i, a->numbers.base);
}

/* ---- Listed strings -------------------------------------------------------------------------- */

ROOST_FN uint64_t string_at(const struct batches_args *a, uint64_t i, uint64_t *end)
{
    *end = load_width(a->batch.offset_bytes, a->batch.key_offsets, i + 1);
    return load_width(a->batch.offset_bytes, a->batch.key_offsets, i);
}

/* ranks: the bytes of each, and 0 behind the last. */
ROOST_FN void batches_string_bytes(const struct batches_args *a, uint64_t k)
{
    uint64_t end = 0;
    const uint64_t first = k + 1 < a->n ? string_at(a, a->items[k], &end) : 0;
    a->numbers.ranks[k] = (uint32_t)(end - first);
}

ROOST_FN void batches_string_copy(const struct batches_args *a, uint64_t k)
{
    uint64_t end;
    const uint64_t first = string_at(a, a->items[k], &end);
    bytes_copy((unsigned char *)a->columns.keys + a->numbers.ranks[k], (const unsigned char *)a->batch.keys + first,
               (uint32_t)(end - first));
}

#endif
