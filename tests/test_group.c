/* Groups of rows, against a reference that sorts the rows by the numbers of their keys' items: keys
 * of all types and of several columns, NULLs, all aggregates of all types of values, batches of any
 * sizes, exports in any pieces, sums that do not fit, wrong calls, refused memory. */
#include "support/answers.h"
#include "support/faulty_backend.h"
#include "support/group_rows.h"
#include "support/settings.h"
#include "support/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 18 /* rows, as in src/relations/work.h */ };

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
            rows_value(&r, type, nullable, type_is_float(type) ? (nullable ? DRAW_NAN : DRAW_SMALL) : DRAW_SMALL);
    for (int v = 1; v < r.values; v++)
        for (int kind = ROOST_COUNT_ROWS; kind <= ROOST_COUNT_DISTINCT; kind++) rows_aggregate(&r, (roost_aggregate_kind)kind, v);
    rows_open(&r);
    rows_add(&r, 0);
    rows_add(&r, 1);
    rows_add(&r, settings_size(9000, 1500));
    rows_compare(&r, settings_rounds(777, 3000), 0);
    rows_add(&r, settings_size(9000, 1500));
    rows_compare(&r, settings_rounds(100, 2000), 0);
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
    faulty_end_released(before);
    return injected;
}

static void refused_operations(const struct variant *variant) { faulty_each(variant, fault_at); }

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

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    suite_add_placed("keys of a type", keys_of_a_type, (struct variant){0});
    suite_add_placed("keys of columns", keys_of_columns, (struct variant){0});
    suite_add_placed("keys of columns", keys_of_columns, (struct variant){.threads = 4});
    suite_add_placed("many groups", many_groups, (struct variant){.threads = 2});
    suite_add_placed("rows across pieces", rows_across_pieces, (struct variant){.threads = 2});
    suite_add_placed("aggregates of all", aggregates_of_all, (struct variant){.number = 6});
    suite_add_placed("aggregates of all", aggregates_of_all, (struct variant){.number = 3000, .threads = 3});
    suite_add_placed("any integers", any_integers, (struct variant){0});
    suite_add_placed("no aggregates", no_aggregates, (struct variant){0});
    suite_add_placed("sums at the limits", sums_at_the_limits, (struct variant){0});
    suite_add_placed("results not wanted", results_not_wanted, (struct variant){0});
    suite_add_placed("strings without room", strings_without_room, (struct variant){0});
    suite_add_once("strings without bytes", strings_without_bytes);
    suite_add_once("falling offsets", falling_offsets);
    suite_add_once("no number left", no_number_left);
    suite_add_once("wrong configurations", wrong_configurations);
    suite_add_once("wrong rows", wrong_rows);
    suite_add("refused operations", refused_operations, (struct variant){.shape = &shapes[0]});
    suite_add("refused operations", refused_operations, (struct variant){.shape = &shapes[0], .number = 1});
    return suite_run("group");
}
