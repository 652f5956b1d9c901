/* Groups of rows, against a reference that sorts the rows by the numbers of their keys' items: keys
 * of all types and of several columns, NULLs, all aggregates of all types of values, batches of any
 * sizes, exports in any pieces, sums that do not fit, wrong calls, refused memory. */
#include "support/answers.h"
#include "support/columns.h"
#include "support/faulty_backend.h"
#include "support/settings.h"
#include "support/tables.h"
#include "roost/group.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS_MOST = 4, VALUES_MOST = 13, AGGREGATES_MOST = 128 };
enum { PIECE = 1 << 18 /* rows, as in src/relations/work.h */ };

/* ---- Rows ------------------------------------------------------------------------------------ */

/* How values are drawn. */
enum draws { DRAW_SMALL, DRAW_ANY, DRAW_NAN };

struct value_column {
    struct column_kind kind;
    enum draws draws;
    uint64_t *words; /* of all rows */
    bool *valid;
};

/* All rows that were added, and how the test asks for groups. */
struct rows {
    const struct variant *variant;
    struct dice dice;
    int keys, values, aggregates;
    struct column_kind key[KEYS_MOST];
    uint16_t *numbers[KEYS_MOST]; /* of the keys' items */
    struct value_column value[VALUES_MOST];
    roost_aggregate aggregate[AGGREGATES_MOST];
    size_t n, room;
    uint32_t flags;
    uint64_t capacity;
    roost_group *group;
};

static void rows_begin(struct rows *r, const struct variant *variant, size_t room)
{
    memset(r, 0, sizeof *r);
    r->variant = variant;
    r->dice.state = suite_seed() + variant->placement;
    r->room = room;
}

static void rows_key(struct rows *r, struct column_kind kind, unsigned distinct)
{
    kind.distinct = (uint16_t)(kind.bytes == 1 && distinct > 250 ? 250 : distinct);
    r->numbers[r->keys] = new_array(r->room, sizeof(uint16_t));
    r->key[r->keys++] = kind;
}

static void rows_value(struct rows *r, roost_type type, bool nullable, enum draws draws)
{
    struct value_column *const v = &r->value[r->values++];
    v->kind = (struct column_kind){.type = type, .nullable = nullable};
    v->draws = draws;
    v->words = make_patterns(r->room);
    v->valid = new_array(r->room, sizeof *v->valid);
}

static void rows_aggregate(struct rows *r, roost_aggregate_kind kind, int column)
{
    if (r->aggregates == AGGREGATES_MOST) abort();
    r->aggregate[r->aggregates++] = (roost_aggregate){kind, column};
}

/* The first value column is the row's number, and the first aggregate the number of a group's first
 * row, by which the reference knows the group. */
static void rows_first(struct rows *r)
{
    rows_value(r, ROOST_TYPE_U64, false, DRAW_ANY);
    rows_aggregate(r, ROOST_FIRST, 0);
}

static void rows_end(struct rows *r)
{
    roost_group_destroy(r->group);
    for (int i = 0; i < r->keys; i++) free(r->numbers[i]);
    for (int i = 0; i < r->values; i++) free(r->value[i].words), free(r->value[i].valid);
}

static roost_status rows_create(struct rows *r)
{
    roost_group_config config = ROOST_GROUP_CONFIG_INIT;
    roost_column keys[KEYS_MOST], values[VALUES_MOST];
    for (int i = 0; i < r->keys; i++) keys[i] = column_type(&r->key[i]);
    for (int i = 0; i < r->values; i++) values[i] = column_type(&r->value[i].kind);
    config.engine = table_engine(r->variant);
    config.device = settings_get()->device;
    config.threads = r->variant->threads;
    config.flags = r->flags;
    config.capacity = r->capacity;
    config.key_columns = r->keys, config.keys = keys;
    config.value_columns = r->values, config.values = values;
    config.aggregates = r->aggregates, config.aggregate = r->aggregate;
    return roost_group_create(&r->group, &config);
}

static void rows_open(struct rows *r) { require_status(ROOST_OK, rows_create(r), NULL); }

static uint64_t float_word(struct dice *dice, roost_type type, bool nans)
{
    const uint64_t form = draw_below(dice, 8);
    double value = (double)(int64_t)(draw_below(dice, 4001) - 2000) / 2;
    if (form == 0) value = -0.0;
    if (form == 1 && nans) value = draw(dice) & 1 ? -NAN : NAN;
    return value_bits(type, value);
}

static uint64_t value_draw(struct dice *dice, const struct value_column *v)
{
    const unsigned bytes = kind_bytes(&v->kind);
    if (v->kind.type == ROOST_TYPE_F32 || v->kind.type == ROOST_TYPE_F64)
        return float_word(dice, v->kind.type, v->draws == DRAW_NAN);
    if (v->draws == DRAW_ANY) return (draw(dice) & 1 ? draw(dice) : mix64(draw_below(dice, 9))) & width_mask(bytes);
    const bool has_sign = v->kind.type == ROOST_TYPE_I32 || v->kind.type == ROOST_TYPE_I64;
    return (draw_below(dice, 2000) - (has_sign ? 1000 : 0)) & width_mask(bytes);
}

/* Draws n more rows. */
static void rows_draw(struct rows *r, size_t n)
{
    if (r->n + n > r->room) abort();
    for (size_t i = r->n; i < r->n + n; i++) {
        for (int k = 0; k < r->keys; k++) {
            const bool null = r->key[k].nullable && !draw_below(&r->dice, 6);
            r->numbers[k][i] = (uint16_t)(null ? 0 : 1 + draw_below(&r->dice, r->key[k].distinct));
        }
        for (int v = 0; v < r->values; v++) {
            r->value[v].words[i] = v ? value_draw(&r->dice, &r->value[v]) : i;
            r->value[v].valid[i] = !r->value[v].kind.nullable || draw_below(&r->dice, 3);
        }
    }
}

static roost_status rows_give(struct rows *r, size_t n)
{
    struct batch_columns keys, values;
    batch_begin(&keys, n);
    batch_begin(&values, n);
    for (int k = 0; k < r->keys; k++) batch_keys(&keys, &r->key[k], r->numbers[k] + r->n, &r->dice, r->variant->placement);
    for (int v = 0; v < r->values; v++)
        batch_words(&values, &r->value[v].kind, r->value[v].words + r->n, r->value[v].valid + r->n, &r->dice,
                    r->variant->placement);
    const roost_status status = roost_group_add(r->group, keys.given, values.given, n, NULL);
    if (!status) r->n += n;
    column_batch_free(&keys);
    column_batch_free(&values);
    return status;
}

/* Adds the n rows that were drawn last. */
static void rows_send(struct rows *r, size_t n) { require_status(ROOST_OK, rows_give(r, n), NULL); }

static void rows_add(struct rows *r, size_t n)
{
    rows_draw(r, n);
    rows_send(r, n);
}

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

static bool is_float(roost_type type) { return type == ROOST_TYPE_F32 || type == ROOST_TYPE_F64; }

static size_t count_different(roost_type type, uint64_t *items, size_t n)
{
    size_t different = 0;
    for (size_t i = 0; i < n && is_float(type); i++) {
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
        const bool nan = is_float(type) && isnan(real_of(type, best)), nan_too = is_float(type) && isnan(real_of(type, items[i]));
        const bool lower =
            is_float(type) ? real_of(type, items[i]) < real_of(type, best) : whole_of(type, items[i]) < whole_of(type, best);
        const bool higher =
            is_float(type) ? real_of(type, items[i]) > real_of(type, best) : whole_of(type, items[i]) > whole_of(type, best);
        if (nan ? !nan_too : !nan_too && (least ? lower : higher)) best = items[i];
    }
    return best;
}

static roost_type sum_type(roost_type type)
{
    if (is_float(type)) return ROOST_TYPE_F64;
    return type == ROOST_TYPE_I32 || type == ROOST_TYPE_I64 ? ROOST_TYPE_I64 : ROOST_TYPE_U64;
}

static uint64_t sum_of(roost_type type, const uint64_t *items, size_t n, bool mean)
{
    __int128 whole = 0;
    double real = 0;
    for (size_t i = 0; i < n; i++) {
        real += real_of(type, items[i]);
        if (!is_float(type)) whole += whole_of(type, items[i]);
    }
    if (mean) return value_bits(ROOST_TYPE_F64, (is_float(type) ? real : (double)whole) / (double)n);
    return is_float(type) ? value_bits(ROOST_TYPE_F64, real) : (uint64_t)whole;
}

static bool same(roost_type type, uint64_t is, uint64_t should)
{
    const double a = real_of(type, is), b = real_of(type, should);
    return is_float(type) ? a == b || (isnan(a) && isnan(b)) : is == should;
}

static bool is_among(const uint64_t *items, size_t n, uint64_t word)
{
    for (size_t i = 0; i < n; i++)
        if (items[i] == word) return true;
    return false;
}

/* ---- Exports --------------------------------------------------------------------------------- */

enum { KEY_BYTES_MOST = 1 << 20 };

/* Arrays of results of one call. */
struct results {
    struct placed values, validity, offsets;
};

struct exported {
    struct results key[KEYS_MOST], aggregate[AGGREGATES_MOST];
    roost_result keys[KEYS_MOST], results[AGGREGATES_MOST];
    size_t n;
};

static roost_type result_type(const struct rows *r, const roost_aggregate *a)
{
    const roost_type type = a->kind ? r->value[a->column].kind.type : ROOST_TYPE_U64;
    switch (a->kind) {
    case ROOST_SUM: return sum_type(type);
    case ROOST_MEAN: return ROOST_TYPE_F64;
    case ROOST_SMALLEST:
    case ROOST_LARGEST:
    case ROOST_FIRST:
    case ROOST_ANY: return type;
    default: return ROOST_TYPE_U64;
    }
}

static void results_make(struct rows *r, struct results *a, roost_result *given, size_t bytes, size_t room)
{
    *given = (roost_result)ROOST_RESULT_INIT;
    a->values = placed_make(bytes, 8);
    a->validity = placed_make((room + 7) / 8, 1);
    a->offsets = placed_make((room + 1) * 8, 8);
    placed_send(&a->values, placement_turn(&r->dice, r->variant->placement));
    placed_send(&a->validity, placement_turn(&r->dice, r->variant->placement));
    placed_send(&a->offsets, placement_turn(&r->dice, r->variant->placement));
    given->values = placed_given(&a->values);
    given->validity = placed_given(&a->validity);
    given->offsets = placed_given(&a->offsets);
}

static void results_fetch(struct results *a)
{
    array_fetch(&a->values.array), array_fetch(&a->validity.array), array_fetch(&a->offsets.array);
}

static void results_free(struct results *a)
{
    array_free(&a->values.array), array_free(&a->validity.array), array_free(&a->offsets.array);
}

static void exported_make(struct rows *r, struct exported *e, size_t room, size_t bytes_room)
{
    for (int k = 0; k < r->keys; k++) {
        const size_t bytes = kind_bytes(&r->key[k]) ? room * kind_bytes(&r->key[k]) : bytes_room;
        results_make(r, &e->key[k], &e->keys[k], bytes, room);
        e->keys[k].bytes_room = bytes_room;
    }
    for (int a = 0; a < r->aggregates; a++)
        results_make(r, &e->aggregate[a], &e->results[a], room * type_bytes(result_type(r, &r->aggregate[a])), room);
}

static roost_status exported_call(struct rows *r, struct exported *e, uint64_t first, size_t room)
{
    const roost_status status = roost_group_export(r->group, first, room, e->keys, e->results, &e->n);
    for (int k = 0; k < r->keys; k++) results_fetch(&e->key[k]);
    for (int a = 0; a < r->aggregates; a++) results_fetch(&e->aggregate[a]);
    return status;
}

static void exported_free(const struct rows *r, struct exported *e)
{
    for (int k = 0; k < r->keys; k++) results_free(&e->key[k]);
    for (int a = 0; a < r->aggregates; a++) results_free(&e->aggregate[a]);
}

static bool result_valid(const struct results *a, size_t i)
{
    return ((const uint8_t *)placed_host(&a->validity))[i / 8] >> i % 8 & 1;
}

static uint64_t result_word(const struct results *a, unsigned bytes, size_t i)
{
    uint64_t word = 0;
    memcpy(&word, (const char *)placed_host(&a->values) + i * bytes, bytes);
    return word;
}

/* ---- Comparison ------------------------------------------------------------------------------ */

static void key_compare(const struct rows *r, const struct exported *e, size_t i, uint64_t row)
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

/* Compares all groups, exported `room` at a time; bytes_room 0: enough. */
static void rows_compare(struct rows *r, size_t room, size_t bytes_room)
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

/* ---- Keys ------------------------------------------------------------------------------------ */

static void some_batches(struct rows *r)
{
    static const size_t sizes[] = {0, 1, 1, 7, 8, 9, 100, 0, 333, 1000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        rows_add(r, sizes[i]);
        if (i == 3) rows_compare(r, 3, 0);
    }
}

static void keys_of_a_type(const struct variant *variant)
{
    size_t kinds;
    const struct column_kind *const all = all_kinds(&kinds);
    for (size_t i = 0; i < 4 * kinds; i++) {
        struct rows r;
        struct column_kind kind = all[i / 4];
        suite_step("type %d of %u bytes, %d", (int)kind.type, kind_bytes(&kind), (int)(i % 4));
        kind.nullable = i & 1;
        rows_begin(&r, variant, 2000);
        r.flags = i & 2 ? ROOST_ORDERED : 0;
        rows_key(&r, kind, 300);
        rows_first(&r);
        rows_aggregate(&r, ROOST_COUNT_ROWS, 0);
        rows_open(&r);
        some_batches(&r);
        rows_compare(&r, 64, kind.type == ROOST_TYPE_STRING ? ITEM_MOST : 0);
        rows_compare(&r, 1000, 0);
        rows_end(&r);
    }
}

static void keys_of_columns(const struct variant *variant)
{
    const size_t rounds = settings_launches(settings_size(40, 12), 4);
    for (size_t round = 0; round < rounds; round++) {
        struct rows r;
        struct column_kind kinds[KEYS_MOST];
        rows_begin(&r, variant, 2000);
        const int n = 1 + (int)draw_below(&r.dice, KEYS_MOST);
        const unsigned distinct = 2 + (unsigned)draw_below(&r.dice, n > 2 ? 6 : 60);
        suite_step("round %zu: %d columns, %u items in each", round, n, distinct);
        for (size_t i = 0; i < round; i++) (void)draw(&r.dice);
        kinds_draw(&r.dice, kinds, n, distinct);
        for (int i = 0; i < n; i++) rows_key(&r, kinds[i], distinct);
        rows_first(&r);
        rows_value(&r, ROOST_TYPE_I32, true, DRAW_SMALL);
        rows_aggregate(&r, ROOST_SUM, 1);
        r.flags = round & 1 ? ROOST_ORDERED : 0;
        r.capacity = draw_below(&r.dice, 3000);
        rows_open(&r);
        some_batches(&r);
        rows_compare(&r, 1 + draw_below(&r.dice, 2000), round & 2 ? ITEM_MOST : 0);
        rows_end(&r);
    }
}

/* The states of groups grow many times; many groups have one row. */
static void many_groups(const struct variant *variant)
{
    struct rows r;
    const size_t n = settings_size(400000, 40000);
    rows_begin(&r, variant, n);
    rows_key(&r, (struct column_kind){.type = ROOST_TYPE_U32, .nullable = true}, 60000);
    rows_key(&r, (struct column_kind){.type = ROOST_TYPE_F64}, 60000);
    rows_first(&r);
    rows_aggregate(&r, ROOST_COUNT_ROWS, 0);
    rows_aggregate(&r, ROOST_SMALLEST, 0);
    r.flags = ROOST_ORDERED;
    rows_open(&r);
    for (size_t batch = 1; r.n < n; batch *= 3) rows_add(&r, batch < n - r.n ? batch : n - r.n);
    rows_compare(&r, n, 0);
    rows_end(&r);
}

/* A batch that is more than a piece: all arrays go on in the next one. */
static void rows_across_pieces(const struct variant *variant)
{
    struct rows r;
    const size_t n = PIECE + 1001;
    rows_begin(&r, variant, n);
    rows_key(&r, (struct column_kind){.type = ROOST_TYPE_I32, .nullable = true}, 40);
    if (engine_is_built("stadium"))
        rows_key(&r, (struct column_kind){.type = ROOST_TYPE_STRING, .offset_bytes = 4, .nullable = true}, 50);
    rows_key(&r, (struct column_kind){.type = ROOST_TYPE_BYTES, .bytes = 3}, 60);
    rows_first(&r);
    rows_value(&r, ROOST_TYPE_I64, true, DRAW_SMALL);
    rows_aggregate(&r, ROOST_SUM, 1);
    rows_aggregate(&r, ROOST_COUNT_DISTINCT, 1);
    r.flags = ROOST_ORDERED;
    rows_open(&r);
    rows_add(&r, n);
    rows_compare(&r, n, 0);
    rows_end(&r);
}

/* ---- Aggregates ------------------------------------------------------------------------------ */

static void aggregates_of_all(const struct variant *variant)
{
    struct rows r;
    rows_begin(&r, variant, 20000);
    r.flags = draw(&r.dice) & 1 ? ROOST_ORDERED : 0;
    rows_key(&r, (struct column_kind){.type = ROOST_TYPE_F32, .nullable = true}, (unsigned)variant->number);
    rows_first(&r);
    for (roost_type type = ROOST_TYPE_U32; type <= ROOST_TYPE_F64; type++)
        for (int nullable = 0; nullable < 2; nullable++)
            rows_value(&r, type, nullable, is_float(type) ? (nullable ? DRAW_NAN : DRAW_SMALL) : DRAW_SMALL);
    for (int v = 1; v < r.values; v++)
        for (int kind = ROOST_COUNT_ROWS; kind <= ROOST_COUNT_DISTINCT; kind++) rows_aggregate(&r, (roost_aggregate_kind)kind, v);
    rows_open(&r);
    rows_add(&r, 0);
    rows_add(&r, 1);
    rows_add(&r, settings_size(9000, 1500));
    rows_compare(&r, 777, 0);
    rows_add(&r, settings_size(9000, 1500));
    rows_compare(&r, 100, 0);
    rows_end(&r);
}

/* Integers of all bits: what is not a sum, and sums that wrap. */
static void any_integers(const struct variant *variant)
{
    struct rows r;
    rows_begin(&r, variant, 4000);
    r.flags = ROOST_SUMS_WRAP;
    rows_key(&r, (struct column_kind){.type = ROOST_TYPE_BYTES, .bytes = 2}, 300);
    rows_first(&r);
    for (roost_type type = ROOST_TYPE_U32; type <= ROOST_TYPE_I64; type++) rows_value(&r, type, true, DRAW_ANY);
    for (int v = 1; v < r.values; v++)
        for (int kind = ROOST_COUNT_VALUES; kind <= ROOST_COUNT_DISTINCT; kind++) rows_aggregate(&r, (roost_aggregate_kind)kind, v);
    rows_open(&r);
    rows_add(&r, 1500);
    rows_add(&r, 2500);
    rows_compare(&r, 128, 0);
    rows_end(&r);
}

static void no_aggregates(const struct variant *variant)
{
    struct rows r;
    struct exported e;
    rows_begin(&r, variant, 100);
    rows_key(&r, (struct column_kind){.type = ROOST_TYPE_U64}, 1);
    rows_open(&r);
    rows_add(&r, 100);
    exported_make(&r, &e, 9, 0);
    require_status(ROOST_OK, exported_call(&r, &e, 0, 9), NULL);
    require(e.n == 1, "%zu groups instead of 1", e.n);
    key_compare(&r, &e, 0, 0);
    exported_free(&r, &e);
    rows_end(&r);
}

/* ---- Sums at the limits ---------------------------------------------------------------------- */

/* Items that two groups get in turn: first group 1, whose sum fits, then group 2. */
struct limit {
    roost_type type;
    uint64_t items[4];
    size_t n;
    bool fits;
};

static const struct limit limits[] = {
    {ROOST_TYPE_I64, {INT64_MAX}, 1, true},
    {ROOST_TYPE_I64, {INT64_MAX, 1}, 2, false},
    {ROOST_TYPE_I64, {INT64_MAX, 1, (uint64_t)-1}, 3, true},
    {ROOST_TYPE_I64, {(uint64_t)INT64_MIN}, 1, true},
    {ROOST_TYPE_I64, {(uint64_t)INT64_MIN, (uint64_t)-1}, 2, false},
    {ROOST_TYPE_I64, {(uint64_t)INT64_MIN, (uint64_t)INT64_MIN, INT64_MAX, INT64_MAX}, 4, true},
    {ROOST_TYPE_I64, {(uint64_t)INT64_MIN, (uint64_t)INT64_MIN}, 2, false},
    {ROOST_TYPE_I64, {INT64_MAX, INT64_MAX, 2}, 3, false},
    {ROOST_TYPE_I64, {(uint64_t)-1, (uint64_t)-1, 1}, 3, true},
    {ROOST_TYPE_I32, {(uint32_t)INT32_MIN, (uint32_t)INT32_MIN, INT32_MAX}, 3, true},
    {ROOST_TYPE_U32, {UINT32_MAX, UINT32_MAX, UINT32_MAX}, 3, true},
    {ROOST_TYPE_U64, {UINT64_MAX}, 1, true},
    {ROOST_TYPE_U64, {UINT64_MAX, 1}, 2, false},
    {ROOST_TYPE_U64, {UINT64_MAX - 1, 1}, 2, true},
    {ROOST_TYPE_U64, {1ULL << 63, 1ULL << 63}, 2, false},
    {ROOST_TYPE_U64, {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}, 4, false},
};

static void limit_try(const struct variant *variant, const struct limit *l, bool wraps)
{
    struct rows r;
    struct exported e;
    rows_begin(&r, variant, 100);
    r.flags = ROOST_ORDERED | (wraps ? ROOST_SUMS_WRAP : 0);
    rows_key(&r, (struct column_kind){.type = ROOST_TYPE_U32}, 2);
    rows_first(&r);
    rows_value(&r, l->type, false, DRAW_SMALL);
    rows_aggregate(&r, ROOST_MEAN, 1);
    rows_aggregate(&r, ROOST_SUM, 1);
    rows_open(&r);
    rows_draw(&r, 1 + l->n);
    for (size_t i = 0; i <= l->n; i++) {
        r.numbers[0][i] = i ? 2 : 1;
        r.value[1].words[i] = i ? l->items[i - 1] : 7;
    }
    rows_send(&r, 1 + l->n);
    if (l->fits || wraps) rows_compare(&r, 2, 0);
    exported_make(&r, &e, 2, 0);
    require_status(l->fits || wraps ? ROOST_OK : ROOST_ERR_OVERFLOW, exported_call(&r, &e, 0, 2), NULL);
    require(e.n == (l->fits || wraps ? 2 : 0), "%zu groups", e.n);
    if (!l->fits && !wraps) require(strstr(roost_last_error(NULL), "group 1"), "%s", roost_last_error(NULL));
    require_status(ROOST_OK, exported_call(&r, &e, 0, 1), NULL);
    e.results[2].values = NULL, e.results[2].validity = NULL;
    require_status(ROOST_OK, exported_call(&r, &e, 0, 2), NULL);
    exported_free(&r, &e);
    rows_end(&r);
}

static void sums_at_the_limits(const struct variant *variant)
{
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        suite_step("limit %zu", i);
        limit_try(variant, &limits[i], false);
        limit_try(variant, &limits[i], true);
    }
}

/* ---- Exports --------------------------------------------------------------------------------- */

static void results_not_wanted(const struct variant *variant)
{
    struct rows r;
    struct exported e;
    size_t n = 7;
    rows_begin(&r, variant, 1000);
    rows_key(&r, (struct column_kind){.type = ROOST_TYPE_I64, .nullable = true}, 50);
    rows_first(&r);
    rows_open(&r);
    require_status(ROOST_OK, roost_group_export(r.group, 0, 10, NULL, NULL, &n), NULL);
    require(n == 0, "%zu groups of none", n);
    rows_add(&r, 1000);
    require_status(ROOST_OK, roost_group_export(r.group, 3, 10, NULL, NULL, &n), NULL);
    require(n == 10, "%zu groups instead of 10", n);
    require_status(ROOST_OK, roost_group_export(r.group, 1ULL << 40, 10, NULL, NULL, &n), NULL);
    require(n == 0, "%zu groups beyond the last one", n);
    require_status(ROOST_OK, roost_group_export(r.group, 0, 0, NULL, NULL, &n), NULL);
    require(n == 0, "%zu groups in no room", n);
    exported_make(&r, &e, 10, 0);
    e.keys[0].values = NULL, e.results[0].validity = NULL;
    require_status(ROOST_OK, exported_call(&r, &e, 0, 10), NULL);
    e.keys[0].validity = NULL, e.results[0].values = NULL;
    require_status(ROOST_OK, exported_call(&r, &e, 0, 10), NULL);
    exported_free(&r, &e);
    rows_end(&r);
}

/* Strings that do not fit: as many groups as do, and none is an error. */
static void strings_without_room(const struct variant *variant)
{
    struct rows r;
    struct exported e;
    if (!engine_is_built("stadium")) return;
    rows_begin(&r, variant, 100);
    r.flags = ROOST_ORDERED;
    rows_key(&r, (struct column_kind){.type = ROOST_TYPE_STRING, .offset_bytes = 8}, 100);
    rows_first(&r);
    rows_open(&r);
    rows_draw(&r, 100);
    for (size_t i = 0; i < 100; i++) r.numbers[0][i] = (uint16_t)(i + 1); /* empty, then \0\0 "2" */
    rows_send(&r, 100);
    exported_make(&r, &e, 100, 3);
    require_status(ROOST_OK, exported_call(&r, &e, 0, 100), NULL);
    require(e.n == 2, "%zu strings in 3 bytes", e.n);
    key_compare(&r, &e, 1, 1);
    e.keys[0].bytes_room = 2;
    require_status(ROOST_OK, exported_call(&r, &e, 0, 100), NULL);
    require(e.n == 1, "%zu strings in 2 bytes", e.n);
    require_answer(ARGUMENT, exported_call(&r, &e, 1, 100), NULL, "a string of 3 bytes in 2");
    require(e.n == 0, "%zu groups were exported", e.n);
    e.keys[0].values = NULL;
    require_status(ROOST_OK, exported_call(&r, &e, 0, 100), NULL);
    require(e.n == 100, "%zu groups instead of 100", e.n);
    exported_free(&r, &e);
    rows_end(&r);
}

/* Columns of empty strings need no bytes. */
static void strings_without_bytes(const struct variant *variant)
{
    struct rows r;
    uint32_t offsets[9] = {0};
    uint64_t groups = 0, words[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    if (!engine_is_built("stadium")) return;
    rows_begin(&r, variant, 0);
    rows_key(&r, (struct column_kind){.type = ROOST_TYPE_STRING, .offset_bytes = 4}, 1);
    rows_first(&r);
    rows_open(&r);
    roost_column key = column_type(&r.key[0]), value = column_type(&r.value[0].kind);
    key.offsets = offsets;
    value.values = words;
    require_status(ROOST_OK, roost_group_add(r.group, &key, &value, 8, NULL), NULL);
    require_status(ROOST_OK, roost_group_count(r.group, &groups), NULL);
    require(groups == 1, "%llu groups of empty strings", (unsigned long long)groups);
    offsets[8] = 1;
    require_answer(ARGUMENT, roost_group_add(r.group, &key, &value, 8, NULL), NULL, "a string without bytes");
    rows_end(&r);
}

/* ---- Wrong calls ----------------------------------------------------------------------------- */

static void wrong_create(roost_group_config config, const char *what)
{
    roost_group *group = (roost_group *)&config;
    require_answer(ARGUMENT | UNSUPPORTED | NOT_FOUND, roost_group_create(&group, &config), NULL, what);
    require(!group, "%s: there is a group", what);
}

static void wrong_configurations(const struct variant *variant)
{
    roost_group_config right = ROOST_GROUP_CONFIG_INIT;
    roost_column key = ROOST_COLUMN_INIT, value = ROOST_COLUMN_INIT;
    roost_aggregate sum = {ROOST_SUM, 0};
    right.engine = table_engine(variant), right.device = settings_get()->device;
    right.key_columns = right.value_columns = right.aggregates = 1;
    right.keys = &key, right.values = &value, right.aggregate = &sum;
#define WRONG(change)                                                                                                              \
    do {                                                                                                                           \
        const roost_column keep_key = key, keep_value = value;                                                                     \
        const roost_aggregate keep = sum;                                                                                          \
        roost_group_config config = right;                                                                                         \
        change;                                                                                                                    \
        wrong_create(config, #change);                                                                                             \
        key = keep_key, value = keep_value, sum = keep;                                                                            \
    } while (0)
    WRONG(config.size = 8);
    WRONG(config.engine = "no such engine");
    WRONG(config.flags = 0x40);
    WRONG(config.key_columns = 0);
    WRONG(config.key_columns = ROOST_GROUP_KEYS_MOST + 1);
    WRONG(config.keys = NULL);
    WRONG(config.value_columns = -1);
    WRONG(config.value_columns = ROOST_GROUP_VALUES_MOST + 1);
    WRONG(config.values = NULL);
    WRONG(config.aggregates = -1);
    WRONG(config.aggregates = ROOST_GROUP_VALUES_MOST + 1);
    WRONG(config.aggregate = NULL);
    WRONG(key.size = 3);
    WRONG(key.type = ROOST_TYPE_NONE);
    WRONG(key.type = (roost_type)9);
    WRONG(key.type = (roost_type)-1);
    WRONG(key.type = ROOST_TYPE_BYTES);
    WRONG((key.type = ROOST_TYPE_BYTES, key.bytes = ROOST_KEY_BYTES_MOST + 1));
    WRONG(value.size = 3);
    WRONG(value.type = ROOST_TYPE_NONE);
    WRONG(value.type = ROOST_TYPE_STRING);
    WRONG((value.type = ROOST_TYPE_BYTES, value.bytes = 8));
    WRONG(sum.kind = (roost_aggregate_kind)9);
    WRONG(sum.kind = (roost_aggregate_kind)-1);
    WRONG(sum.column = 1);
    WRONG(sum.column = -1);
#undef WRONG
    roost_group *group = NULL;
    require_answer(ARGUMENT, roost_group_create(NULL, &right), NULL, "no handle");
    require_answer(ARGUMENT, roost_group_create(&group, NULL), NULL, "no configuration");
    roost_group_destroy(NULL);
}

static void wrong_rows(const struct variant *variant)
{
    struct rows r;
    uint64_t words[8] = {0}, groups = 0;
    uint8_t bits = 0xff;
    rows_begin(&r, variant, 0);
    rows_key(&r, (struct column_kind){.type = ROOST_TYPE_U64}, 1);
    rows_first(&r);
    rows_open(&r);
    const roost_column key = {sizeof key, ROOST_TYPE_U64, 8, 0, words, NULL, NULL, 0}, value = key;
#define WRONG(change)                                                                                                              \
    do {                                                                                                                           \
        roost_column k = key, v = value;                                                                                           \
        change;                                                                                                                    \
        require_answer(ARGUMENT, roost_group_add(r.group, &k, &v, 8, NULL), NULL, #change);                                        \
    } while (0)
    WRONG(k.size = 0);
    WRONG(v.size = 0);
    WRONG(k.type = ROOST_TYPE_I64);
    WRONG(v.type = ROOST_TYPE_I64);
    WRONG(k.values = NULL);
    WRONG(v.values = NULL);
    WRONG(k.validity = &bits);
    WRONG(v.validity = &bits);
    WRONG(k.values = (char *)words + 4);
    WRONG(v.values = (char *)words + 1);
#undef WRONG
    roost_call call = ROOST_CALL_INIT;
    call.flags = 0x4000;
    require_answer(ARGUMENT, roost_group_add(r.group, &key, &value, 8, &call), NULL, "flags");
    require_answer(ARGUMENT, roost_group_add(NULL, &key, &value, 8, NULL), NULL, "no group");
    require_answer(ARGUMENT, roost_group_add(r.group, NULL, &value, 8, NULL), NULL, "no keys");
    require_answer(ARGUMENT, roost_group_add(r.group, &key, NULL, 8, NULL), NULL, "no values");
    require_answer(ARGUMENT, roost_group_count(NULL, &groups), NULL, "no group");
    require_answer(ARGUMENT, roost_group_count(r.group, NULL), NULL, "no count");
    require_status(ROOST_OK, roost_group_count(r.group, &groups), NULL);
    require(groups == 0, "%llu groups of refused rows", (unsigned long long)groups);
    roost_column other = key;
    other.bytes = 99; /* counts for BYTES alone */
    require_status(ROOST_OK, roost_group_add(r.group, &other, &value, 8, NULL), NULL);
    roost_result result = ROOST_RESULT_INIT;
    size_t n = 5;
    require_answer(ARGUMENT, roost_group_export(NULL, 0, 1, &result, &result, &n), NULL, "no group");
    require_answer(ARGUMENT, roost_group_export(r.group, 0, 1, &result, &result, NULL), NULL, "no count");
    result.size = 1;
    require_answer(ARGUMENT, roost_group_export(r.group, 0, 1, &result, NULL, &n), NULL, "size of a key's result");
    require_answer(ARGUMENT, roost_group_export(r.group, 0, 1, NULL, &result, &n), NULL, "size of a result");
    rows_end(&r);
}

/* Offsets that fall are refused, and the groups are as before. */
static void falling_offsets(const struct variant *variant)
{
    struct rows r;
    uint32_t offsets[5] = {0, 2, 1, 3, 4};
    uint64_t words[4] = {0};
    if (!engine_is_built("stadium")) return;
    for (int columns = 1; columns <= 2; columns++) {
        rows_begin(&r, variant, 500);
        for (int i = 0; i < columns; i++) rows_key(&r, (struct column_kind){.type = ROOST_TYPE_STRING, .offset_bytes = 4}, 10);
        rows_first(&r);
        rows_open(&r);
        rows_add(&r, 200);
        roost_column keys[2] = {column_type(&r.key[0]), column_type(&r.key[0])}, value = column_type(&r.value[0].kind);
        keys[0].values = keys[1].values = "abcd";
        keys[0].offsets = keys[1].offsets = offsets;
        value.values = words;
        require_answer(ARGUMENT, roost_group_add(r.group, keys, &value, 4, NULL), NULL, "falling offsets");
        keys[0].offset_bytes = keys[1].offset_bytes = 5;
        require_answer(ARGUMENT, roost_group_add(r.group, keys, &value, 4, NULL), NULL, "offsets of 5 bytes");
        rows_compare(&r, 100, 0);
        rows_add(&r, 200);
        rows_compare(&r, 100, 0);
        rows_end(&r);
    }
}

/* ---- Refused memory -------------------------------------------------------------------------- */

static void faulty_rows(struct rows *r, const struct variant *variant)
{
    rows_begin(r, variant, 6000);
    rows_key(r, (struct column_kind){.type = ROOST_TYPE_U32, .nullable = true}, 3000);
    if (engine_is_built("stadium") && variant->number)
        rows_key(r, (struct column_kind){.type = ROOST_TYPE_STRING, .offset_bytes = 8}, 3);
    rows_first(r);
    rows_value(r, ROOST_TYPE_I32, true, DRAW_SMALL);
    rows_aggregate(r, ROOST_SUM, 1);
    rows_aggregate(r, ROOST_COUNT_DISTINCT, 1);
}

/* The groups are as they should be, or all calls refuse. */
static void faulty_after(struct rows *r, roost_status status)
{
    struct exported e;
    uint64_t groups;
    if (status == ROOST_OK) {
        rows_compare(r, 1000, 0);
        return;
    }
    const roost_status after = roost_group_count(r->group, &groups);
    exported_make(r, &e, 100, 100 * ITEM_MOST);
    (void)exported_call(r, &e, 0, 100);
    exported_free(r, &e);
    const roost_status more = rows_give(r, 500);
    if (after == ROOST_OK && more == ROOST_OK) rows_compare(r, 1000, 0);
    else require(after == more, "the groups are of no use, and a call returned %s", roost_status_name(more));
}

/* Fails the at-th operation of the kind while rows are added.  False: there were fewer. */
static bool fault_at(const struct variant *variant, enum fault_kind kind, uint64_t at, bool on)
{
    struct rows r;
    const int64_t before = faulty_pieces();
    faulty_begin(FAULTY_PLAIN);
    faulty_rows(&r, variant);
    require_status(ROOST_ERR_ARGUMENT, roost_group_create(NULL, NULL), NULL);
    faulty_arm(kind, at, on);
    roost_status status = rows_create(&r);
    if (status == ROOST_OK) {
        rows_draw(&r, 500);
        status = rows_give(&r, 500);
        if (status == ROOST_OK) rows_draw(&r, 4000), status = rows_give(&r, 4000);
    } else require(!r.group, "there are groups that were refused");
    const bool injected = faulty_injected() > 0;
    if (status) require(!strstr(roost_last_error(NULL), "is NULL"), "the error is still: %s", roost_last_error(NULL));
    faulty_arm(kind, 0, false);
    if (r.group) rows_draw(&r, 500);
    if (r.group) faulty_after(&r, status);
    rows_end(&r);
    require(faulty_pieces() == before, "%lld blocks of memory leaked", (long long)(faulty_pieces() - before));
    faulty_end();
    return injected;
}

static void refused_operations(const struct variant *variant)
{
    static const enum fault_kind kinds[] = {FAULT_allocate, FAULT_copy, FAULT_fill, FAULT_launch,
                                            FAULT_begin,    FAULT_read, FAULT_remap};
    const uint64_t step = settings_size(1, 7);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int on = 0; on < 2; on++)
            for (uint64_t at = 1;; at += at < 20 ? 1 : step) {
                suite_step("%s %d%s", faulty_name(kinds[k]), (int)at, on ? " and later" : "");
                if (!fault_at(variant, kinds[k], at, on)) break;
            }
}

/* ---- No number left -------------------------------------------------------------------------- */

extern uint64_t batches_numbers_most; /* src/batches/batches_number.c */

static void no_number_left(const struct variant *variant)
{
    struct rows r;
    uint64_t groups;
    rows_begin(&r, variant, 1000);
    rows_key(&r, (struct column_kind){.type = ROOST_TYPE_U32}, 300);
    rows_first(&r);
    rows_open(&r);
    batches_numbers_most = 50;
    rows_draw(&r, 1000);
    const roost_status status = rows_give(&r, 1000);
    batches_numbers_most = UINT64_MAX;
    require_answer(ANSWER(ROOST_ERR_FULL), status, NULL, "300 keys for 50 numbers");
    require_answer(ANSWER(ROOST_ERR_FULL), roost_group_count(r.group, &groups), NULL, "a count after that");
    require_answer(ANSWER(ROOST_ERR_FULL), rows_give(&r, 1000), NULL, "rows after that");
    rows_end(&r);
}

static void add_placed(const char *behaviour, test_body body, struct variant variant)
{
    variant.shape = &shapes[0];
    for (int p = PLACE_HOST; p < suite_placements(); p++) {
        variant.placement = (enum placement)p;
        suite_add(behaviour, body, variant);
    }
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    add_placed("keys of a type", keys_of_a_type, (struct variant){0});
    add_placed("keys of columns", keys_of_columns, (struct variant){0});
    add_placed("keys of columns", keys_of_columns, (struct variant){.threads = 4});
    add_placed("many groups", many_groups, (struct variant){.threads = 2});
    add_placed("rows across pieces", rows_across_pieces, (struct variant){.threads = 2});
    add_placed("aggregates of all", aggregates_of_all, (struct variant){.number = 6});
    add_placed("aggregates of all", aggregates_of_all, (struct variant){.number = 3000, .threads = 3});
    add_placed("any integers", any_integers, (struct variant){0});
    add_placed("no aggregates", no_aggregates, (struct variant){0});
    add_placed("sums at the limits", sums_at_the_limits, (struct variant){0});
    add_placed("results not wanted", results_not_wanted, (struct variant){0});
    add_placed("strings without room", strings_without_room, (struct variant){0});
    suite_add_once("strings without bytes", strings_without_bytes);
    suite_add_once("falling offsets", falling_offsets);
    suite_add_once("no number left", no_number_left);
    suite_add_once("wrong configurations", wrong_configurations);
    suite_add_once("wrong rows", wrong_rows);
    suite_add("refused operations", refused_operations, (struct variant){.shape = &shapes[0]});
    suite_add("refused operations", refused_operations, (struct variant){.shape = &shapes[0], .number = 1});
    return suite_run("group");
}
