/* The five insert modes: every type of value, duplicates inside a batch, wrap and saturation at
 * the top, signs, and one hot key that all items of a batch update. */
#include "support/sequences.h"
#include "support/settings.h"

#include <math.h>
#include <stdlib.h>

static const roost_type value_types[] = {ROOST_TYPE_U32, ROOST_TYPE_I32, ROOST_TYPE_F32,
                                         ROOST_TYPE_U64, ROOST_TYPE_I64, ROOST_TYPE_F64};
#define TYPE_COUNT (sizeof value_types / sizeof *value_types)

/* A body that runs for each type of value, with the variant's width of keys. */
typedef void (*typed_body)(struct model *model, struct dice *dice, roost_mode mode);

/* Only unsigned values can saturate. */
static bool can_saturate(roost_type type) { return type == ROOST_TYPE_U32 || type == ROOST_TYPE_U64; }

static void for_modes_and_types(const struct variant *variant, bool saturate, typed_body body)
{
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        if (saturate && !can_saturate(value_types[i])) continue;
        for (roost_mode mode = ROOST_ASSIGN; mode <= ROOST_MAX; mode++) {
            const struct test_shape shape = shape_of_value(variant->shape, value_types[i]);
            const struct variant typed = {&shape, variant->options, variant->threads, variant->placement, variant->number};
            struct dice dice = {suite_seed()};
            struct model model;
            roost_config config;
            table_config(&typed, &config);
            config.saturate = saturate;
            suite_step("%s on values of %s", mode_name(mode), type_name(value_types[i]));
            model_open(&model, &typed, &config);
            body(&model, &dice, mode);
            model_compare(&model);
            model_close(&model);
        }
    }
}

static void insert(struct model *model, roost_mode mode, const uint64_t *keys, const uint64_t *values, size_t n)
{
    require_status(ROOST_OK, model_insert(model, mode, keys, values, n), model->table.handle);
}

/* ---- Random values -------------------------------------------------------------------------- */

static void combine_random(struct model *model, struct dice *dice, roost_mode mode)
{
    enum { N = 2000 };
    static uint64_t keys[N], values[N];
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < N; i++) {
            keys[i] = distinct_key(&model->table.shape, draw_below(dice, N / 4));
            values[i] = draw_value(dice, model->table.shape.value_type);
        }
        insert(model, mode, keys, values, N);
    }
}

static void values_are_combined(const struct variant *variant) { for_modes_and_types(variant, false, combine_random); }

static void values_are_combined_saturating(const struct variant *variant) { for_modes_and_types(variant, true, combine_random); }

/* ---- The ends of the types ------------------------------------------------------------------ */

/* The largest and the smallest number of a type, and the numbers next to them and to zero; of
 * floating-point types also both zeros, the infinities and a NaN. */
#define EXTREME_COUNT 12
static void extremes(roost_type type, uint64_t values[EXTREME_COUNT])
{
    static const double numbers[EXTREME_COUNT] = {0, 1, -1, 2, -2, 1e30, -1e30, 0.5, -0.0, INFINITY, -INFINITY, (double)NAN};
    const unsigned bytes = type_bytes(type);
    const uint64_t top = width_mask(bytes), sign = UINT64_C(1) << (8 * bytes - 1);
    const uint64_t whole[EXTREME_COUNT] = {0, 1, top, top - 1, sign, sign - 1, sign + 1, sign - 2, 2, top - 2, sign + 2, sign - 3};
    for (int i = 0; i < EXTREME_COUNT; i++) values[i] = type_is_float(type) ? value_bits(type, numbers[i]) : whole[i];
}

/* Combines each pair of extremes at a key of its own, in two batches and in one. */
static void combine_extremes(struct model *model, struct dice *dice, roost_mode mode)
{
    enum { N = EXTREME_COUNT * EXTREME_COUNT };
    uint64_t ends[EXTREME_COUNT], keys[2 * N], values[2 * N];
    (void)dice;
    extremes(model->table.shape.value_type, ends);
    for (size_t i = 0; i < N; i++) {
        keys[i] = keys[N + i] = i;
        values[i] = ends[i % EXTREME_COUNT];
        values[N + i] = ends[i / EXTREME_COUNT];
    }
    insert(model, mode, keys, values, N);
    insert(model, mode, keys, values + N, N);
    model_clear(model);
    insert(model, mode, keys, values, 2 * N);
}

static void extremes_are_combined(const struct variant *variant) { for_modes_and_types(variant, false, combine_extremes); }

static void extremes_are_combined_saturating(const struct variant *variant)
{
    for_modes_and_types(variant, true, combine_extremes);
}

static uint64_t value_of(struct model *model, uint64_t key)
{
    uint64_t value = 0;
    uint8_t found = 0;
    require_status(ROOST_OK, table_find(&model->table, &key, 1, &value, &found, NULL), model->table.handle);
    require(found == 1, "key %llu is not there", (unsigned long long)key);
    return value;
}

/* The sum of the largest value and 5: it is 4, or with saturation the largest value. */
static uint64_t sum_at_the_top(const struct variant *variant, bool saturate)
{
    const uint64_t key = 12, first = width_mask(variant->shape->value_bytes), second = 5;
    roost_config config;
    table_config(variant, &config);
    config.saturate = saturate;
    struct model model;
    model_open(&model, variant, &config);
    insert(&model, ROOST_ADD, &key, &first, 1);
    insert(&model, ROOST_ADD, &key, &second, 1);
    const uint64_t sum = value_of(&model, key);
    model_close(&model);
    return sum;
}

/* Computed without the reference, in case that is wrong as well. */
static void sums_wrap_or_saturate(const struct variant *variant)
{
    require(sum_at_the_top(variant, false) == 4, "a sum did not wrap");
    require(sum_at_the_top(variant, true) == width_mask(variant->shape->value_bytes), "a sum did not saturate");
}

/* ---- NaNs and zeros -------------------------------------------------------------------------- */

/* Values of one key, and what MIN and MAX make of them: numbers of these. */
struct floats {
    double values[3];
    double least, most;
};

static const struct floats floats[] = {
    {{(double)NAN, 2.5, 7}, 2.5, 7},
    {{(double)NAN, (double)NAN, 2.5}, 2.5, 2.5},
    {{(double)NAN, -(double)NAN, INFINITY}, INFINITY, INFINITY},
    {{(double)NAN, -(double)NAN, -INFINITY}, -INFINITY, -INFINITY},
    {{(double)NAN, -(double)NAN, (double)NAN}, (double)NAN, -(double)NAN},
    {{-0.0, 0.0, 0.0}, -0.0, 0.0},
    {{-0.0, (double)NAN, 0.0}, -0.0, 0.0},
};

/* How the values of a key reach the table. */
enum arrival { ONE_BY_ONE, TOGETHER, IN_ORDER, ARRIVALS };

static bool takes_order(const struct test_shape *shape)
{
    return shape_has_fixed_keys(shape) && (shape->key_bytes == 4 || shape->key_bytes == 8);
}

static void arrive(struct model *model, enum arrival arrival, roost_mode mode, const uint64_t *keys, const uint64_t *values)
{
    const size_t piece = arrival == ONE_BY_ONE ? 1 : 3;
    const uint32_t flags = arrival == IN_ORDER ? ROOST_ORDERED : 0;
    for (size_t i = 0; i < 3; i += piece)
        require_status(ROOST_OK, table_insert_flagged(&model->table, mode, keys + i, values + i, piece, NULL, flags),
                       model->table.handle);
}

/* One set of values, in one of their six orders. */
static void floats_combine(struct model *model, const struct floats *set, size_t order, roost_mode mode)
{
    static const uint8_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const struct test_shape *shape = &model->table.shape;
    const roost_type type = shape->value_type;
    const uint64_t keys[3] = {3, 3, 3}, right = value_bits(type, mode == ROOST_MIN ? set->least : set->most);
    uint64_t values[3];
    for (size_t i = 0; i < 3; i++) values[i] = value_bits(type, set->values[orders[order][i]]);
    for (int arrival = 0; arrival < ARRIVALS; arrival++) {
        if (arrival == IN_ORDER && !takes_order(shape)) continue;
        model_clear(model);
        arrive(model, (enum arrival)arrival, mode, keys, values);
        require(value_of(model, 3) == right, "%s of floats, set %zu, order %zu, arrival %d: another result", mode_name(mode),
                (size_t)(set - floats), order, arrival);
    }
}

/* Computed without the reference: in any order of arrival a NaN loses to every number, and -0.0 is
 * below 0.0. */
static void order_floats(struct model *model, struct dice *dice, roost_mode mode)
{
    (void)dice;
    if (!type_is_float(model->table.shape.value_type) || mode < ROOST_MIN) return;
    for (size_t set = 0; set < sizeof floats / sizeof *floats; set++)
        for (size_t order = 0; order < 6; order++) floats_combine(model, &floats[set], order, mode);
    model_clear(model);
}

static void nans_lose(const struct variant *variant) { for_modes_and_types(variant, false, order_floats); }

/* ---- Duplicates ----------------------------------------------------------------------------- */

/* Key k comes k times in one batch, in a shuffled order, to a table that has every third key. */
static void combine_duplicates(struct model *model, struct dice *dice, roost_mode mode)
{
    enum { KEYS = 80, N = KEYS * (KEYS + 1) / 2 };
    uint64_t keys[N], values[N];
    size_t n = 0;
    for (uint64_t k = 1; k <= KEYS; k++)
        for (uint64_t i = 0; i < k; i++) keys[n++] = distinct_key(&model->table.shape, k);
    draw_order(dice, keys, N);
    for (size_t i = 0; i < N; i++) values[i] = value_bits(model->table.shape.value_type, (double)(i + 1));
    uint64_t thirds[KEYS / 3], brought[KEYS / 3];
    for (size_t i = 0; i < KEYS / 3; i++) {
        thirds[i] = distinct_key(&model->table.shape, 3 * (i + 1));
        brought[i] = values[3 * (i + 1)];
    }
    const size_t piece = settings_rounds(1, KEYS / 3);
    for (size_t i = 0; i < KEYS / 3; i += piece) insert(model, mode, thirds + i, brought + i, piece);
    insert(model, mode, keys, values, N);
    model_erase(model, keys, N);
}

static void duplicates_are_combined(const struct variant *variant) { for_modes_and_types(variant, false, combine_duplicates); }

/* ---- A hot key ------------------------------------------------------------------------------ */

/* n items.  A GPU gets a fifth of them unless they lie there, because the library moves other
 * arrays in pieces. */
static size_t hot_items(const struct variant *variant, size_t n)
{
    return settings_rounds(n, variant->placement == PLACE_DEVICE ? n : n / 5);
}

/* All items of a large batch have one key; this needs no table as a reference. */
static void hot_key(const struct variant *variant)
{
    const size_t n = hot_items(variant, settings_size(1000000, 100000));
    uint64_t *keys = make_patterns(n), *values = make_patterns(n);
    struct model model;
    struct dice dice = {suite_seed()};
    model_open(&model, variant, NULL);
    for (roost_mode mode = ROOST_ASSIGN; mode < mode_count(variant->shape); mode++) {
        suite_step("a hot key, mode %s", mode_name(mode));
        for (size_t i = 0; i < n; i++) {
            keys[i] = 42 + mode;
            values[i] = draw_value(&dice, variant->shape->value_type);
        }
        insert(&model, mode, keys, values, n);
        require(table_stats(&model.table).count == mode + 1u, "one key made %llu",
                (unsigned long long)table_stats(&model.table).count);
    }
    suite_step("erasing a hot key");
    model_erase(&model, keys, n);
    model_compare(&model);
    model_close(&model);
    free(keys);
    free(values);
}

/* Keys of half of the items among keys of one item each: in an empty table, beside the keys of an
 * earlier batch, and as copies of a stored key. */
static void hot_key_among_others(const struct variant *variant)
{
    const size_t n = hot_items(variant, settings_size(400000, 150000));
    uint64_t *keys = make_patterns(n), *values = make_patterns(n);
    struct model model;
    struct dice dice = {suite_seed()};
    model_open(&model, variant, NULL);
    for (int round = 0; round < 3; round++) {
        suite_step("batch %d", round);
        for (size_t i = 0; i < n; i++) {
            keys[i] = i % 2 ? 7 * n + (uint64_t)(round / 2) : 1 + i + (uint64_t)round * n;
            values[i] = draw_value(&dice, variant->shape->value_type);
        }
        insert(&model, mode_count(variant->shape) - 1, keys, values, n);
    }
    model_compare(&model);
    model_close(&model);
    free(keys);
    free(values);
}

/* A hot key among many others, in one batch. */
static void warm_keys(const struct variant *variant)
{
    const size_t n = hot_items(variant, settings_size(200000, 30000));
    uint64_t *keys = make_patterns(n), *values = make_patterns(n);
    struct model model;
    struct dice dice = {suite_seed()};
    model_open(&model, variant, NULL);
    for (roost_mode mode = ROOST_ASSIGN; mode < mode_count(variant->shape); mode++) {
        suite_step("warm keys, mode %s", mode_name(mode));
        for (size_t i = 0; i < n; i++) {
            keys[i] = distinct_key(variant->shape, draw_below(&dice, UINT64_C(1) << draw_below(&dice, 18)));
            values[i] = draw_value(&dice, variant->shape->value_type);
        }
        insert(&model, mode, keys, values, n);
    }
    model_erase(&model, keys, n);
    model_compare(&model);
    model_close(&model);
    free(keys);
    free(values);
}

/* ---- Values without arithmetic -------------------------------------------------------------- */

static void bytes_are_not_added(const struct variant *variant)
{
    roost_config config;
    table_config(variant, &config);
    config.value_type = ROOST_TYPE_BYTES;
    config.value_bytes = variant->shape->value_bytes;
    const uint64_t keys[] = {1, 2}, values[] = {3, 4}, others[] = {5, 6};
    struct model model;
    model_open(&model, variant, &config);
    insert(&model, ROOST_ASSIGN, keys, values, 2);
    insert(&model, ROOST_KEEP, keys, others, 2);
    for (roost_mode mode = ROOST_ADD; mode <= ROOST_MAX; mode++) {
        const roost_status status = table_insert(&model.table, mode, keys, others, 2, NULL);
        require(status == ROOST_ERR_UNSUPPORTED || status == ROOST_ERR_ARGUMENT, "%s on bytes: %s", mode_name(mode),
                roost_status_name(status));
    }
    model_compare(&model);
    model_close(&model);
}

/* True for the widths that run with every type of value. */
static bool is_usual(const struct test_shape *shape) { return shape->value_type == ROOST_TYPE_U32; }

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    for (size_t i = 0; i < 2; i++) {
        const struct variant variant = {.shape = &shapes[i]};
        suite_add("values are combined", values_are_combined, variant);
        suite_add("values are combined, saturating", values_are_combined_saturating, variant);
        suite_add("extremes are combined", extremes_are_combined, variant);
        suite_add("extremes are combined, saturating", extremes_are_combined_saturating, variant);
        suite_add("NaNs lose in any order", nans_lose, variant);
        suite_add("duplicates are combined", duplicates_are_combined, variant);
    }
    suite_add_wide("values are combined", values_are_combined, is_usual);
    suite_add_wide("values are combined, saturating", values_are_combined_saturating, is_usual);
    suite_add_wide("extremes are combined", extremes_are_combined, is_usual);
    suite_add_wide("extremes are combined, saturating", extremes_are_combined_saturating, is_usual);
    suite_add_wide("NaNs lose in any order", nans_lose, is_usual);
    suite_add_wide("duplicates are combined", duplicates_are_combined, is_usual);
    suite_add_some("sums wrap or saturate", sums_wrap_or_saturate, shape_has_values);
    suite_add_wide("sums wrap or saturate", sums_wrap_or_saturate, shape_is_unsigned);
    suite_add_widths("a hot key", hot_key);
    suite_add_wide("a hot key", hot_key, shape_is_any);
    suite_add_widths("a hot key among others", hot_key_among_others);
    suite_add_widths("warm keys", warm_keys);
    suite_add_wide("warm keys", warm_keys, shape_is_any);
    suite_add_some("bytes are not added", bytes_are_not_added, shape_has_values);
    suite_add_wide("bytes are not added", bytes_are_not_added, shape_has_values);
    return suite_run("modes");
}
