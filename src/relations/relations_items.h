/* Kernel bodies of relations: keys of one or several columns become numbers, and aggregates of
 * groups are updated.  One row per call. */
#ifndef ROOST_RELATIONS_ITEMS_H
#define ROOST_RELATIONS_ITEMS_H

#include "portable/item.h"
#include "portable/value.h"
#include "roost/join.h"

/* No number, and no row. */
#define ROW_NONE 0xffffffffu

/* A column in the machine's reach, from a row whose bit in the validity is bit 0 of a byte. */
struct relations_column {
    const void *values;
    const uint8_t *validity; /* NULL: all items are valid */
    int bytes;               /* of an item */
    uint8_t type;            /* roost_type */
};

/* A join's arrays. */
struct join_arrays {
    uint8_t *found;      /* of each row: its key has a number, and matches are looked up */
    uint64_t *places;    /* of each row, and one more: its pairs; later those before it */
    uint32_t *row_of;    /* build rows, side by side by number; NULL: a number is its row */
    uint32_t *ends;      /* of each number, and one more: its rows before; NULL: each has one */
    uint32_t *met;       /* a bit of each number: a probe has found it; NULL: not wanted */
    void *probe, *build; /* results */
    uint64_t base;       /* number of row 0 */
    uint64_t skip, room; /* pairs that are not written, and those that are */
    uint64_t *words;
    int row_bytes;
    uint8_t how;
};

struct relations_args {
    uint64_t n;    /* rows, or groups */
    uint64_t row;  /* number of row 0 */
    uint64_t rows; /* where n counts chunks of them */
    struct relations_column column;
    /* Of each row: */
    void *words;     /* keys of word_bytes */
    uint64_t *pairs; /* keys of two numbers */
    uint32_t *numbers, *codes;
    const uint32_t *groups;
    const uint8_t *statuses;
    int word_bytes;
    /* Of each group: */
    void *keys;
    uint8_t *nulls;
    uint64_t *state[2]; /* of group 0; the next one's is `stride` words behind */
    uint32_t stride;
    uint64_t fill;      /* a state's first value */
    struct batch cells; /* how states are updated: mode and value_type */
    struct join_arrays join;
};

ROOST_FN bool column_has(const struct relations_column *c, uint64_t i)
{
    return !c->validity || (c->validity[i / 8] >> (i % 8) & 1);
}

/* ---- Keys ------------------------------------------------------------------------------------ */

/* The bits of a float that equal keys have in common: 0.0 for -0.0, and one NaN. */
ROOST_FN uint64_t key_bits(uint8_t type, uint64_t bits)
{
    if (type == ROOST_TYPE_F32) return value_f32(bits) == 0 ? 0 : value_f32(bits) != value_f32(bits) ? 0x7fc00000u : bits;
    if (type == ROOST_TYPE_F64) return value_f64(bits) == 0 ? 0 : value_f64(bits) != value_f64(bits) ? 0x7ffULL << 52 | 1 : bits;
    return bits;
}

/* An item of up to 8 bytes as a number. */
ROOST_FN uint64_t column_word(const struct relations_column *c, uint64_t i)
{
    uint64_t word = 0;
    if (width_is_word(c->bytes)) return key_bits(c->type, load_width(c->bytes, c->values, i));
    for (int byte = 0; byte < c->bytes; byte++)
        word |= (uint64_t)((const unsigned char *)c->values)[i * (unsigned)c->bytes + (unsigned)byte] << 8 * byte;
    return word;
}

ROOST_FN void relations_word(const struct relations_args *a, uint64_t i)
{
    store_width(a->word_bytes, a->words, i, column_has(&a->column, i) ? column_word(&a->column, i) : 0);
}

/* The number of an item that may be NULL: that has code 0. */
ROOST_FN void relations_code(const struct relations_args *a, uint64_t i)
{
    a->codes[i] = column_has(&a->column, i) ? a->numbers[i] + 1 : 0;
}

ROOST_FN void relations_pair(const struct relations_args *a, uint64_t i)
{
    a->pairs[i] = a->numbers[i] | (uint64_t)a->codes[i] << 32;
}

/* ---- Groups ---------------------------------------------------------------------------------- */

ROOST_FN bool row_is_in(const struct relations_args *a, uint64_t i)
{
    return a->statuses[i] == ROOST_ITEM_INSERTED || a->statuses[i] == ROOST_ITEM_KEPT;
}

/* The first row of a group keeps its key. */
ROOST_FN void relations_keep(const struct relations_args *a, uint64_t i)
{
    if (a->statuses[i] != ROOST_ITEM_INSERTED) return;
    const uint32_t group = a->groups[i];
    const bool has = column_has(&a->column, i);
    if (a->nulls) a->nulls[group] = !has;
    if (has) copy_width(a->column.bytes, a->keys, group, a->column.values, i);
    else clear_width(a->column.bytes, a->keys, group);
}

/* The state of a group. */
ROOST_FN uint64_t *group_state(const struct relations_args *a, int which, uint64_t group)
{
    return a->state[which] + group * a->stride;
}

ROOST_FN void relations_fill(const struct relations_args *a, uint64_t group) { *group_state(a, 0, a->row + group) = a->fill; }

ROOST_FN struct cell state_cell(uint64_t *state)
{
    const struct cell cell = {state, 8, 0, 64};
    return cell;
}

/* An item's value as 64 bits of its kind: signed, unsigned or double. */
ROOST_FN uint64_t column_wide(const struct relations_column *c, uint64_t i)
{
    const uint64_t bits = load_width(c->bytes, c->values, i);
    if (c->type == ROOST_TYPE_I32) return (uint64_t)(int64_t)(int32_t)bits;
    return c->type == ROOST_TYPE_F32 ? bits_f64((double)value_f32(bits)) : bits;
}

/* Reads of states that rows ahead will need overlap.  An atomic addition waits for its own. */
enum { STATES_AHEAD = 24 };
ROOST_FN void states_prefetch(const struct relations_args *a, uint64_t i, uint64_t rows)
{
    if (i < rows) prefetch_read(group_state(a, 0, a->groups[i]));
}

/* ---- Sums -------------------------------------------------------------------------------------
 *
 * A tile adds up its chunk's rows in its own memory first, as far as their groups find a place
 * there: a group that comes often would make all lanes queue for its state.  So a chunk costs it
 * one addition. */

enum { GROUP_CHUNK = 1024, GROUP_PLACES = 64 };

struct group_cache {
    uint32_t group[GROUP_PLACES]; /* ROW_NONE: vacant */
    uint64_t sum[2][GROUP_PLACES];
};

/* What a row adds: 1 to a count, an integer's low and high halves, neither of which overflows for
 * 2^32 rows, or a double. */
enum addend { ADD_ONE, ADD_HALVES, ADD_REAL };

ROOST_FN uint64_t row_addend(const struct relations_args *a, uint64_t i, const enum addend kind, uint64_t *high)
{
    const bool has_sign = a->column.type == ROOST_TYPE_I32 || a->column.type == ROOST_TYPE_I64;
    const uint64_t value = kind == ADD_ONE ? 1 : column_wide(&a->column, i);
    *high = 0;
    if (kind != ADD_HALVES) return value;
    *high = has_sign ? (uint64_t)((int64_t)value >> 32) : value >> 32;
    return value & 0xffffffffu;
}

/* Lanes, and tiles, meet at a sum: of two plain additions one would be lost. */
ROOST_FN void sum_add(const struct relations_args *a, uint64_t *sum, uint64_t *high_sum, const enum addend kind, uint64_t low,
                      uint64_t high)
{
    if (kind == ADD_REAL) cell_update(&a->cells, ROOST_ADD, state_cell(sum), 0, low);
    else if (low) (void)add_relaxed_device64(sum, low);
    if (high) (void)add_relaxed_device64(high_sum, high);
}

ROOST_FN void group_add(const struct relations_args *a, uint32_t group, const enum addend kind, uint64_t low, uint64_t high)
{
    sum_add(a, group_state(a, 0, group), kind == ADD_HALVES ? group_state(a, 1, group) : NULL, kind, low, high);
}

/* Of two lanes with different groups one gets the place.  Returns ROW_NONE, or the group that was
 * there. */
ROOST_FN uint32_t place_take(const tile g, uint32_t *place, uint32_t group)
{
    const uint32_t there = *place;
    if (g.size > 1) return cas_relaxed_device32(place, ROW_NONE, group);
    if (there == ROW_NONE) *place = group;
    return there;
}

ROOST_FN void chunk_add(const tile g, const struct relations_args *a, uint64_t chunk, struct group_cache *cache,
                        const enum addend kind)
{
    const uint64_t first = chunk * GROUP_CHUNK, last = first + GROUP_CHUNK < a->rows ? first + GROUP_CHUNK : a->rows;
    for (int place = g.lane; place < GROUP_PLACES; place += g.size)
        cache->group[place] = ROW_NONE, cache->sum[0][place] = cache->sum[1][place] = 0;
    tile_sync(g);
    for (uint64_t i = first + (unsigned)g.lane; i < last; i += (unsigned)g.size) {
        if (!row_is_in(a, i) || !column_has(&a->column, i)) continue;
        const uint32_t group = a->groups[i], place = group % GROUP_PLACES;
        states_prefetch(a, i + STATES_AHEAD, last);
        const uint32_t there = place_take(g, &cache->group[place], group);
        uint64_t high;
        const uint64_t low = row_addend(a, i, kind, &high);
        if (there != ROW_NONE && there != group) group_add(a, group, kind, low, high);
        else sum_add(a, &cache->sum[0][place], &cache->sum[1][place], kind, low, high);
    }
    tile_sync(g);
    for (int place = g.lane; place < GROUP_PLACES; place += g.size)
        if (cache->group[place] != ROW_NONE) group_add(a, cache->group[place], kind, cache->sum[0][place], cache->sum[1][place]);
}

/* Rows, or (with a column) items that are not NULL; sums of integers; sums of doubles. */
ROOST_FN void relations_count(const tile g, const struct relations_args *a, uint64_t chunk, struct group_cache *cache)
{
    chunk_add(g, a, chunk, cache, ADD_ONE);
}
ROOST_FN void relations_sum(const tile g, const struct relations_args *a, uint64_t chunk, struct group_cache *cache)
{
    chunk_add(g, a, chunk, cache, ADD_HALVES);
}
ROOST_FN void relations_sum_real(const tile g, const struct relations_args *a, uint64_t chunk, struct group_cache *cache)
{
    chunk_add(g, a, chunk, cache, ADD_REAL);
}

/* Carries what the low halves have beyond 32 bits. */
ROOST_FN void relations_carry(const struct relations_args *a, uint64_t group)
{
    uint64_t *const low = group_state(a, 0, group);
    *group_state(a, 1, group) += *low >> 32;
    *low &= 0xffffffffu;
}

/* Minima and maxima. */
ROOST_FN void relations_update(const struct relations_args *a, uint64_t i)
{
    states_prefetch(a, i + STATES_AHEAD, a->n);
    if (!row_is_in(a, i) || !column_has(&a->column, i)) return;
    cell_update(&a->cells, a->cells.mode, state_cell(group_state(a, 0, a->groups[i])), 0, column_wide(&a->column, i));
}

/* The lowest row: of all, or (ANY) of those whose item is not NULL. */
ROOST_FN void relations_first(const struct relations_args *a, uint64_t i)
{
    if (!row_is_in(a, i) || (a->fill && !column_has(&a->column, i))) return;
    uint64_t *const first = group_state(a, 0, a->groups[i]);
    if (load_relaxed_device64(first) > a->row + i) cell_update(&a->cells, ROOST_MIN, state_cell(first), 0, a->row + i);
}

/* That row's item. */
ROOST_FN void relations_take(const struct relations_args *a, uint64_t i)
{
    if (!row_is_in(a, i) || *group_state(a, 0, a->groups[i]) != a->row + i) return;
    const bool has = column_has(&a->column, i);
    *group_state(a, 1, a->groups[i]) = has ? load_width(a->column.bytes, a->column.values, i) : 0;
    a->nulls[a->groups[i]] = !has;
}

/* ---- Different items ------------------------------------------------------------------------- */

/* A pair of a group and an item's number; NULLs, and rows that are in no group, have one of their
 * own. */
ROOST_FN void relations_distinct(const struct relations_args *a, uint64_t i)
{
    const bool counts = row_is_in(a, i) && column_has(&a->column, i);
    a->pairs[i] = counts ? a->groups[i] | (uint64_t)a->numbers[i] << 32 : ~0ULL;
}

ROOST_FN void relations_distinct_count(const struct relations_args *a, uint64_t i)
{
    if (a->pairs[i] != ~0ULL && a->statuses[i] == ROOST_ITEM_INSERTED)
        (void)add_relaxed_device64(group_state(a, 0, a->pairs[i] & 0xffffffffu), 1);
}

/* ---- Finding keys ---------------------------------------------------------------------------- */

/* The code of an item that was looked up; no pair of numbers has that of one that is not there. */
ROOST_FN void relations_seek(const struct relations_args *a, uint64_t i)
{
    a->codes[i] = a->join.found[i] && column_has(&a->column, i) ? a->numbers[i] + 1 : ROW_NONE;
}

/* The number of a key of several columns; or that it is not there. */
ROOST_FN void relations_sought(const struct relations_args *a, uint64_t i)
{
    if (!a->join.found[i]) a->numbers[i] = ROW_NONE;
}

/* A build row with a NULL matches nothing: it gets no number. */
ROOST_FN void relations_drop(const struct relations_args *a, uint64_t i)
{
    if (!column_has(&a->column, i)) a->numbers[i] = ROW_NONE;
}

/* ---- Building -------------------------------------------------------------------------------- */

/* Rows are their own numbers. */
ROOST_FN void relations_identity(const struct relations_args *a, uint64_t i) { a->numbers[i] = (uint32_t)(a->row + i); }

/* Counts the rows of each number; words[0]: the most.  Lanes meet at the counts: of two plain
 * additions one would be lost. */
ROOST_FN void relations_gauge(const struct relations_args *a, uint64_t i)
{
    if (a->numbers[i] == ROW_NONE) return;
    const uint32_t n = add_relaxed_device32(&a->join.ends[a->numbers[i]], 1) + 1;
    if (n > 1 && load_relaxed_device64(&a->join.words[0]) < n) (void)max_relaxed_device64(&a->join.words[0], n);
}

/* Puts a row beside the others of its number; codes: how many are there already. */
ROOST_FN void relations_place(const struct relations_args *a, uint64_t i)
{
    const uint32_t number = a->numbers[i];
    if (number != ROW_NONE) a->join.row_of[a->join.ends[number] + add_relaxed_device32(&a->codes[number], 1)] = (uint32_t)i;
}

/* Sort keys and items. */
ROOST_FN void relations_list(const struct relations_args *a, uint64_t i)
{
    a->codes[i] = a->numbers[i];
    ((uint32_t *)a->words)[i] = (uint32_t)i;
}

/* ---- Probing --------------------------------------------------------------------------------- */

/* The build rows of a probe row's key, from *first on. */
ROOST_FN uint64_t matches_of(const struct relations_args *a, uint64_t i, uint64_t *first)
{
    const uint32_t number = a->numbers[i];
    *first = number;
    if (!a->join.found[i] || number == ROW_NONE) return 0;
    if (!a->join.ends) return 1;
    *first = a->join.ends[number];
    return a->join.ends[number + 1] - *first;
}

/* Lanes meet at the word: of two plain stores one would be lost.  Most of them find the bit set. */
ROOST_FN void number_meet(uint32_t *met, uint32_t number)
{
    const uint32_t bit = 1u << number % 32;
    if (!(load_relaxed_device32(&met[number / 32]) & bit)) (void)or_relaxed_device32(&met[number / 32], bit);
}

/* How many pairs a probe row has. */
ROOST_FN void relations_pairs(const struct relations_args *a, uint64_t i)
{
    uint64_t first, n = 0;
    if (i + 1 < a->n) n = matches_of(a, i, &first);
    if (n && a->join.met) number_meet(a->join.met, a->numbers[i]);
    const uint8_t how = a->join.how;
    if (i + 1 < a->n && !n) n = how == ROOST_JOIN_LEFT || how == ROOST_JOIN_FULL || how == ROOST_JOIN_ANTI;
    else if (how == ROOST_JOIN_SEMI) n = n > 0;
    else if (how == ROOST_JOIN_ANTI) n = 0;
    a->join.places[i] = n;
}

ROOST_FN uint64_t build_row(const struct relations_args *a, uint64_t place)
{
    return a->join.row_of ? a->join.row_of[place] : place;
}

/* Writes a pair at a place of all pairs, if it is among those that are wanted. */
ROOST_FN void pair_write(const struct relations_args *a, uint64_t place, uint64_t i, uint64_t match)
{
    const struct join_arrays *j = &a->join;
    uint64_t first;
    if (place < j->skip || place - j->skip >= j->room) return;
    if (j->probe) store_width(j->row_bytes, j->probe, place - j->skip, j->base + i);
    if (!j->build || j->how == ROOST_JOIN_SEMI || j->how == ROOST_JOIN_ANTI) return;
    const bool has = matches_of(a, i, &first) > 0;
    store_width(j->row_bytes, j->build, place - j->skip, has ? build_row(a, first + match) : ~0ULL);
}

/* Rows have at most one pair each. */
ROOST_FN void relations_give(const struct relations_args *a, uint64_t i)
{
    if (a->join.places[i + 1] > a->join.places[i]) pair_write(a, a->join.places[i], i, 0);
}

/* The row of a pair: the last one whose place is not beyond it. */
ROOST_FN uint64_t row_of_pair(const uint64_t *places, uint64_t low, uint64_t high, uint64_t pair)
{
    while (low + 1 < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (places[middle] <= pair) low = middle;
        else high = middle;
    }
    return low;
}

/* Rows have any number of pairs: a chunk of these is written together, and its first and last rows
 * are searched once. */
enum { PAIRS_CHUNK = 1024 };
ROOST_FN void relations_spread(const tile g, const struct relations_args *a, uint64_t chunk, struct group_cache *cache)
{
    (void)cache;
    const struct join_arrays *j = &a->join;
    const uint64_t first = j->skip + chunk * PAIRS_CHUNK, all = j->skip + j->room,
                   last = first + PAIRS_CHUNK < all ? first + PAIRS_CHUNK : all;
    const uint64_t low = row_of_pair(j->places, 0, a->row, first), high = row_of_pair(j->places, low, a->row, last - 1) + 1;
    for (uint64_t pair = first + (unsigned)g.lane; pair < last; pair += (unsigned)g.size) {
        const uint64_t row = row_of_pair(j->places, low, high, pair);
        pair_write(a, pair, row, pair - j->places[row]);
    }
}

/* The row and the match of the pair behind those that were written. */
ROOST_FN void relations_locate(const struct relations_args *a, uint64_t i)
{
    const struct join_arrays *j = &a->join;
    const uint64_t next = j->skip + j->room;
    (void)i;
    j->words[0] = row_of_pair(j->places, 0, a->row, next);
    j->words[1] = next - j->places[j->words[0]];
}

/* A byte of 8 rows' bits. */
ROOST_FN void relations_bits(const struct relations_args *a, uint64_t byte)
{
    uint8_t bits = 0;
    for (uint64_t i = byte * 8; i < byte * 8 + 8 && i < a->row; i++)
        bits |= (uint8_t)((a->join.places[i + 1] > a->join.places[i]) << (i % 8));
    a->nulls[byte] = bits;
}

/* Build rows that no probe has met have one pair each. */
ROOST_FN void relations_unmet(const struct relations_args *a, uint64_t i)
{
    const uint32_t number = i + 1 == a->n ? ROW_NONE : a->numbers ? a->numbers[i] : (uint32_t)(a->row + i);
    a->join.places[i] = i + 1 < a->n && (number == ROW_NONE || !(a->join.met[number / 32] >> number % 32 & 1));
}

#endif
