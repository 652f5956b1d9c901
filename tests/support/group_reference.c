/* Groups of rows again, by sorting, and their comparison with those that were exported. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/group_rows.h"
#include "support/tables.h"

/* ---- The reference --------------------------------------------------------------------------- */

struct reference {
    const struct rows *rows;
    uint64_t *key, *order; /* of each row; rows by key */
    size_t groups;
    size_t *first, *end; /* of each group, by first row: where its rows are in the order */
};

static const uint64_t *sorted_keys;

static int compare_rows(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    const uint64_t l = sorted_keys[left], r = sorted_keys[right];
    return l != r ? (l > r) - (l < r) : (left > right) - (left < right);
}

static int compare_words(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static struct reference reference_make(const struct rows *r)
{
    struct reference f = {.rows = r, .key = make_patterns(r->n), .order = make_patterns(r->n)};
    uint64_t *const begin = make_patterns(r->n);
    size_t *const at = new_array(r->n, sizeof *at);
    f.first = new_array(r->n, sizeof *f.first), f.end = new_array(r->n, sizeof *f.end);
    for (size_t i = 0; i < r->n; i++) {
        f.order[i] = i;
        for (int k = 0; k < r->keys; k++) f.key[i] = f.key[i] << 16 | r->numbers[k][i];
    }
    sorted_keys = f.key;
    qsort(f.order, r->n, sizeof *f.order, compare_rows);
    for (size_t i = 0; i < r->n; i++)
        if (!i || f.key[f.order[i]] != f.key[f.order[i - 1]]) begin[f.groups++] = f.order[i], at[f.order[i]] = i;
    qsort(begin, f.groups, sizeof *begin, compare_words);
    for (size_t g = 0; g < f.groups; g++) {
        f.first[g] = f.end[g] = at[begin[g]];
        while (f.end[g] < r->n && f.key[f.order[f.end[g]]] == f.key[begin[g]]) f.end[g]++;
    }
    free(begin), free(at);
    return f;
}

static void reference_free(struct reference *f) { free(f->key), free(f->order), free(f->first), free(f->end); }

/* The group whose first row this is. */
static size_t group_of_row(const struct reference *f, uint64_t row)
{
    size_t low = 0, high = f->groups;
    while (low + 1 < high) {
        const size_t middle = (low + high) / 2;
        if (f->order[f->first[middle]] <= row) low = middle;
        else high = middle;
    }
    require(f->groups && f->order[f->first[low]] == row, "row %llu is the first of no group", (unsigned long long)row);
    return low;
}

static double real_of(roost_type type, uint64_t word)
{
    float narrow;
    double wide;
    const uint32_t low = (uint32_t)word;
    switch (type) {
    case ROOST_TYPE_F32: return memcpy(&narrow, &low, sizeof narrow), (double)narrow;
    case ROOST_TYPE_F64: return memcpy(&wide, &word, sizeof wide), wide;
    case ROOST_TYPE_I32: return (double)(int32_t)word;
    case ROOST_TYPE_I64: return (double)(int64_t)word;
    default: return (double)word;
    }
}

static __int128 whole_of(roost_type type, uint64_t word)
{
    if (type == ROOST_TYPE_I32) return (int32_t)word;
    return type == ROOST_TYPE_I64 ? (__int128)(int64_t)word : (__int128)word;
}

/* The items of a group's rows that are not NULL. */
static size_t items_of(const struct reference *f, size_t group, const struct value_column *v, uint64_t *items)
{
    size_t n = 0;
    for (size_t i = f->first[group]; i < f->end[group]; i++)
        if (v->valid[f->order[i]]) items[n++] = v->words[f->order[i]];
    return n;
}

static size_t count_different(roost_type type, uint64_t *items, size_t n)
{
    size_t different = 0;
    for (size_t i = 0; i < n && type_is_float(type); i++) {
        if (real_of(type, items[i]) == 0) items[i] = 0;
        if (isnan(real_of(type, items[i]))) items[i] = value_bits(type, NAN);
    }
    qsort(items, n, sizeof *items, compare_words);
    for (size_t i = 0; i < n; i++) different += !i || items[i] != items[i - 1];
    return different;
}

/* MIN or MAX; NaN counts where there is no number. */
static uint64_t extreme(roost_type type, bool least, const uint64_t *items, size_t n)
{
    uint64_t best = items[0];
    for (size_t i = 1; i < n; i++) {
        const bool nan = type_is_float(type) && isnan(real_of(type, best)),
                   nan_too = type_is_float(type) && isnan(real_of(type, items[i]));
        const bool lower =
            type_is_float(type) ? real_of(type, items[i]) < real_of(type, best) : whole_of(type, items[i]) < whole_of(type, best);
        const bool higher =
            type_is_float(type) ? real_of(type, items[i]) > real_of(type, best) : whole_of(type, items[i]) > whole_of(type, best);
        if (nan ? !nan_too : !nan_too && (least ? lower : higher)) best = items[i];
    }
    return best;
}

static uint64_t sum_of(roost_type type, const uint64_t *items, size_t n, bool mean)
{
    __int128 whole = 0;
    double real = 0;
    for (size_t i = 0; i < n; i++) {
        real += real_of(type, items[i]);
        if (!type_is_float(type)) whole += whole_of(type, items[i]);
    }
    if (mean) return value_bits(ROOST_TYPE_F64, (type_is_float(type) ? real : (double)whole) / (double)n);
    return type_is_float(type) ? value_bits(ROOST_TYPE_F64, real) : (uint64_t)whole;
}

static bool same(roost_type type, uint64_t is, uint64_t should)
{
    const double a = real_of(type, is), b = real_of(type, should);
    return type_is_float(type) ? a == b || (isnan(a) && isnan(b)) : is == should;
}

static bool is_among(const uint64_t *items, size_t n, uint64_t word)
{
    for (size_t i = 0; i < n; i++)
        if (items[i] == word) return true;
    return false;
}

/* ---- Comparison ------------------------------------------------------------------------------ */

void key_compare(const struct rows *r, const struct exported *e, size_t i, uint64_t row)
{
    for (int k = 0; k < r->keys; k++) {
        const struct results *const a = &e->key[k];
        const unsigned bytes = kind_bytes(&r->key[k]);
        const uint64_t *const offsets = placed_host(&a->offsets);
        const uint64_t begin = bytes ? i * bytes : offsets[i], length = bytes ? bytes : offsets[i + 1] - offsets[i];
        const uint16_t number = r->numbers[k][row];
        require(result_valid(a, i) == (number > 0), "key column %d of group %zu: NULL or not", k, i);
        require(bytes || i || !offsets[0], "the first offset is %llu", (unsigned long long)offsets[0]);
        if (!number) require(bytes || !length, "a NULL string has %llu bytes", (unsigned long long)length);
        else
            require(item_is(&r->key[k], number, (const char *)placed_host(&a->values) + begin, length),
                    "key column %d of group %zu is not item %u", k, i, number);
    }
}

/* False: the result is NULL. */
static bool should_be(const struct reference *f, size_t group, const roost_aggregate *a, uint64_t *items, size_t n,
                      uint64_t *should)
{
    const roost_type type = a->kind ? f->rows->value[a->column].kind.type : ROOST_TYPE_U64;
    const uint64_t first = f->order[f->first[group]];
    switch (a->kind) {
    case ROOST_COUNT_ROWS: return *should = f->end[group] - f->first[group], true;
    case ROOST_COUNT_VALUES: return *should = n, true;
    case ROOST_FIRST: return *should = f->rows->value[a->column].words[first], f->rows->value[a->column].valid[first];
    case ROOST_COUNT_DISTINCT: return *should = count_different(type, items, n), true;
    default: break;
    }
    if (n)
        *should = a->kind == ROOST_SUM || a->kind == ROOST_MEAN ? sum_of(type, items, n, a->kind == ROOST_MEAN)
                                                                : extreme(type, a->kind == ROOST_SMALLEST, items, n);
    return n > 0;
}

static void aggregate_compare(const struct reference *f, const struct exported *e, size_t i, size_t group, int which,
                              uint64_t *items)
{
    const roost_aggregate *const a = &f->rows->aggregate[which];
    const roost_type type = result_type(f->rows, a);
    const uint64_t is = result_word(&e->aggregate[which], type_bytes(type), i);
    const size_t n = a->kind ? items_of(f, group, &f->rows->value[a->column], items) : 0;
    uint64_t should = 0;
    const bool has = should_be(f, group, a, items, n, &should);
    require(result_valid(&e->aggregate[which], i) == has, "aggregate %d (kind %d) of group %zu with %zu items: NULL or not", which,
            (int)a->kind, group, n);
    if (has && a->kind == ROOST_ANY) require(is_among(items, n, is), "ANY of group %zu is none of its items", group);
    else
        require(!has || same(type, is, should), "aggregate %d (kind %d of %s) of group %zu: %#llx and not %#llx, of %zu items",
                which, (int)a->kind, type_name(type), group, (unsigned long long)is, (unsigned long long)should, n);
}

void rows_compare(struct rows *r, size_t room, size_t bytes_room)
{
    struct reference f = reference_make(r);
    struct exported e;
    uint64_t groups = 0, *const items = make_patterns(r->n);
    bool *const seen = new_array(f.groups, sizeof *seen);
    require_status(ROOST_OK, roost_group_count(r->group, &groups), NULL);
    require(groups == f.groups, "%llu groups instead of %zu", (unsigned long long)groups, f.groups);
    exported_make(r, &e, room, bytes_room ? bytes_room : room * ITEM_MOST);
    for (uint64_t first = 0; first < groups; first += e.n) {
        require_status(ROOST_OK, exported_call(r, &e, first, room), NULL);
        require(e.n > 0 && e.n <= room, "%zu groups were exported", e.n);
        for (size_t i = 0; i < e.n; i++) {
            const uint64_t row = result_word(&e.aggregate[0], 8, i);
            const size_t group = group_of_row(&f, row);
            require(!seen[group], "group %zu was exported twice", group);
            require(!(r->flags & ROOST_ORDERED) || group == first + i, "group %zu is not in order", group);
            seen[group] = true;
            key_compare(r, &e, i, row);
            for (int a = 0; a < r->aggregates; a++) aggregate_compare(&f, &e, i, group, a, items);
        }
    }
    require_status(ROOST_OK, exported_call(r, &e, groups, room), NULL);
    require(e.n == 0, "%zu groups beyond the last one", e.n);
    exported_free(r, &e);
    reference_free(&f);
    free(items), free(seen);
}
