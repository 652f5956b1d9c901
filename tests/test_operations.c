/* Every operation, for every width and driver, against the reference.  The last case prints the
 * items that ran in each cell of width x driver x operation, and fails if a supported cell is
 * empty. */
#include "support/coverage.h"
#include "support/sequences.h"
#include "support/settings.h"

#include <stdlib.h>

#define BATCH 1500

/* Draws keys from a range smaller than the batch, so that many come twice or more. */
static void draw_duplicates(struct dice *dice, const struct test_shape *shape, uint64_t *keys, uint64_t *values)
{
    for (size_t i = 0; i < BATCH; i++) {
        keys[i] = distinct_key(shape, draw_below(dice, BATCH * 2 / 3));
        values[i] = draw_value(dice, shape->value_type);
    }
}

/* Insert, find (half of them misses), erase, and insert again over the keys that are left. */
static void operate(struct model *model, struct dice *dice, roost_mode mode)
{
    static uint64_t keys[BATCH], values[BATCH], others[BATCH];
    suite_step("mode %s", mode_name(mode));
    draw_duplicates(dice, &model->table.shape, keys, values);
    require_status(ROOST_OK, model_insert(model, mode, keys, values, BATCH), model->table.handle);
    for (size_t i = 0; i < BATCH; i++) others[i] = distinct_key(&model->table.shape, i);
    model_find(model, others, BATCH);
    model_erase(model, keys, BATCH / 3);
    model_erase(model, others + BATCH / 2, BATCH / 2);
    draw_duplicates(dice, &model->table.shape, keys, values);
    require_status(ROOST_OK, model_insert(model, mode, keys, values, BATCH), model->table.handle);
    model_compare(model);
}

/* A set supports no arithmetic: the library says so and changes nothing. */
static void refuse_arithmetic(struct model *model, roost_mode mode)
{
    const uint64_t keys[] = {1, 2, 3}, values[3] = {0};
    const roost_status status = table_insert(&model->table, mode, keys, values, 3, NULL);
    require(status == ROOST_ERR_UNSUPPORTED || status == ROOST_ERR_ARGUMENT, "%s on a set: %s", mode_name(mode),
            roost_status_name(status));
    coverage_unsupported(&model->table.shape, model->table.driver, mode);
    model_compare(model);
}

static void note_unsupported(const struct variant *variant)
{
    const bool usual = !variant->options || (variant->shape->key_bytes == 4 && variant->shape->value_bytes == 4);
    require(!usual, "the default driver, and every driver for 4+4, must be supported");
    for (unsigned o = 0; o < COVER_COUNT; o++) coverage_unsupported(variant->shape, driver_of_options(variant->options), o);
}

static void every_operation(const struct variant *variant)
{
    roost_config config;
    table_config(variant, &config);
    struct table trial;
    const roost_status status = table_create(&trial, variant, &config);
    if (status == ROOST_ERR_UNSUPPORTED) {
        note_unsupported(variant);
        return;
    }
    require_status(ROOST_OK, status, NULL);
    table_close(&trial);

    struct model model;
    struct dice dice = {suite_seed()};
    model_open(&model, variant, NULL);
    for (roost_mode mode = ROOST_ASSIGN; mode <= ROOST_MAX; mode++) {
        if (mode < mode_count(variant->shape)) operate(&model, &dice, mode);
        else refuse_arithmetic(&model, mode);
        if (mode % 2) model_clear(&model);
    }
    model_close(&model);
}

static void an_empty_table_has_nothing(const struct variant *variant)
{
    struct model model;
    model_open(&model, variant, NULL);
    uint64_t patterns[PATTERN_COUNT];
    draw_patterns(patterns, variant->shape->key_bytes);
    model_find(&model, patterns, PATTERN_COUNT);
    model_erase(&model, patterns, PATTERN_COUNT);
    model_compare(&model);
    model_close(&model);
}

static void clear_removes_all(const struct variant *variant)
{
    static uint64_t keys[BATCH], values[BATCH];
    struct model model;
    struct dice dice = {suite_seed()};
    model_open(&model, variant, NULL);
    const uint64_t slots = table_stats(&model.table).slots;
    for (int round = 0; round < 3; round++) {
        draw_duplicates(&dice, variant->shape, keys, values);
        require_status(ROOST_OK, model_insert(&model, ROOST_ASSIGN, keys, values, BATCH), model.table.handle);
        model_clear(&model);
        model_find(&model, keys, BATCH);
        model_compare(&model);
        require(table_stats(&model.table).slots == slots, "the table was created with %llu slots and has %llu after a clear",
                (unsigned long long)slots, (unsigned long long)table_stats(&model.table).slots);
    }
    model_close(&model);
}

/* A roost_call and the optional arrays may be NULL. */
static void optional_arguments_may_be_null(const struct variant *variant)
{
    const uint64_t keys[] = {7, 8, 9, 9}, values[] = {70, 80, 90, 90};
    uint64_t key_array[4], value_array[4], got_array[4] = {0}, got[4];
    uint8_t found[4] = {2, 2, 2, 2};
    struct table table;
    table_open(&table, variant, NULL);
    pack(keys, 4, variant->shape->key_bytes, key_array);
    pack(values, 4, variant->shape->value_bytes, value_array);
    require_status(ROOST_OK,
                   roost_insert(table.handle, ROOST_ASSIGN, key_array, shape_is_set(variant->shape) ? NULL : value_array, 3, NULL),
                   table.handle);
    require_status(ROOST_OK, roost_find(table.handle, key_array, 4, NULL, NULL, NULL), table.handle);
    require_status(ROOST_OK, roost_find(table.handle, key_array, 4, got_array, NULL, NULL), table.handle);
    require_status(ROOST_OK, roost_erase(table.handle, key_array, 1, NULL), table.handle);
    require_status(ROOST_OK, roost_find(table.handle, key_array, 4, NULL, found, NULL), table.handle);
    require(!found[0] && found[1] && found[2] && found[3], "found is %u %u %u %u", found[0], found[1], found[2], found[3]);
    unpack(got_array, 4, variant->shape->value_bytes, got);
    for (int i = 0; i < 4 && !shape_is_set(variant->shape); i++)
        require(got[i] == values[i], "key %llu has value %llu", (unsigned long long)keys[i], (unsigned long long)got[i]);
    table_close(&table);
}

/* A set ignores the values that a call passes. */
static void sets_ignore_values(const struct variant *variant)
{
    const uint64_t keys[] = {1, 2};
    const uint64_t untouched = UINT64_C(0x1122334455667788);
    uint64_t key_array[2], values[2] = {untouched, untouched};
    struct table table;
    table_open(&table, variant, NULL);
    pack(keys, 2, variant->shape->key_bytes, key_array);
    require_status(ROOST_OK, roost_insert(table.handle, ROOST_ASSIGN, key_array, values, 2, NULL), table.handle);
    require_status(ROOST_OK, roost_find(table.handle, key_array, 2, values, NULL, NULL), table.handle);
    require(values[0] == untouched && values[1] == untouched, "a set's find wrote values");
    require(table_stats(&table).count == 2, "%llu keys", (unsigned long long)table_stats(&table).count);
    table_close(&table);
}

static void no_cell_is_empty(const struct variant *variant)
{
    (void)variant;
    require(coverage_print(settings_get()->device) == 0, "a supported combination never ran");
}

static void add_drivers(void)
{
    static const char *const options[] = {"driver=lane", "driver=tile", "driver=cooperative", "driver=vote", "driver=once"};
    suite_add_widths("every operation", every_operation);
    suite_add_wide("every operation", every_operation, shape_is_any);
    for (size_t s = 0; s < SHAPE_COUNT && settings_on_dycuckoo(); s++)
        for (size_t d = 0; d < sizeof options / sizeof *options; d++)
            suite_add("every operation", every_operation, (struct variant){.shape = &shapes[s], .options = options[d]});
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    add_drivers();
    suite_add_widths("an empty table has nothing", an_empty_table_has_nothing);
    suite_add_wide("an empty table has nothing", an_empty_table_has_nothing, shape_is_any);
    suite_add_widths("clear removes all", clear_removes_all);
    suite_add_wide("clear removes all", clear_removes_all, shape_is_any);
    suite_add_widths("optional arguments may be null", optional_arguments_may_be_null);
    suite_add_some("sets ignore values", sets_ignore_values, shape_is_set);
    /* only dycuckoo has drivers as options, and a sample leaves cells empty */
    if (settings_on_dycuckoo() && settings_get()->sample == 1) suite_add_once("no cell is empty", no_cell_is_empty);
    return suite_run("operations");
}
