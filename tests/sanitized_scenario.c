/* The scenario that tests/device-log runs under compute-sanitizer, where whole tests would take too
 * long.  For every width, with the arrays of the calls on the host, on the device and mixed, KEYS
 * keys go through every mode and call, and an exact reference checks them.
 *
 *     sanitized_scenario KEYS GROWTH SEED OPTIONS DEVICE
 *         GROWTH: 1 or 0, as in roost_config; OPTIONS: the engine's, "" for none
 *     sanitized_scenario --commit      prints the commit that it was built from */
#include "build_commit.h"
#include "support/sequences.h"
#include "support/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int growth;

/* False where these options exclude the widths; 4+4 takes every option. */
static bool can_be_made(const struct variant *variant, const roost_config *config)
{
    struct table table;
    const roost_status status = table_create(&table, variant, config);
    if (status == ROOST_ERR_UNSUPPORTED && variant->shape != &shapes[0]) return false;
    require_status(ROOST_OK, status, NULL);
    table_close(&table);
    return true;
}

/* Inserts one batch in every mode from `first` on, or under a GPU's sanitizer in two modes, of
 * which the first stores the keys.  Each key comes twice in a row, so adjacent lanes work on one
 * key. */
static void insert_twice(struct model *model, unsigned first, const uint64_t *keys, size_t n, struct dice *dice)
{
    const unsigned modes = mode_count(&model->table.shape), taken = (unsigned)settings_launches(modes, 2);
    uint64_t *twice = make_patterns(2 * n), *values = make_patterns(2 * n);
    for (size_t i = 0; i < 2 * n; i++) {
        twice[i] = keys[i / 2];
        values[i] = draw_value(dice, model->table.shape.value_type);
    }
    for (unsigned i = 0; i < taken; i++) {
        const roost_mode mode = (roost_mode)((first + i) % modes);
        suite_step("inserting, mode %s", mode_name(mode));
        model_insert(model, mode, twice, values, 2 * n);
    }
    free(twice);
    free(values);
}

/* Inserts four batches and erases half of the keys again.  After each call a query looks for
 * present and absent keys. */
static void every_call(const struct variant *variant)
{
    const size_t n = (size_t)variant->number, quarter = n / 4;
    struct dice dice = {suite_seed()};
    struct model model;
    roost_config config;
    table_config(variant, &config);
    config.growth = growth;
    config.capacity = growth ? 0 : n;
    if (!can_be_made(variant, &config)) return;
    uint64_t *keys = make_patterns(n);
    for (size_t i = 0; i < n; i++) keys[i] = distinct_key(variant->shape, i);
    model_open(&model, variant, &config);
    for (unsigned i = 0; i < 4; i++) {
        insert_twice(&model, i, keys + i * quarter, quarter, &dice);
        suite_step("finding after batch %u", i);
        model_find(&model, keys, n);
    }
    suite_step("erasing");
    model_erase(&model, keys + quarter, 2 * quarter);
    model_find(&model, keys, n);
    model_compare(&model);
    model_close(&model);
    free(keys);
}

static int usage(const char *program)
{
    fprintf(stderr, "usage: %s KEYS GROWTH SEED OPTIONS DEVICE\n       %s --commit\n", program, program);
    return 2;
}

static void add_calls(const struct test_shape *shape, const char *options, uint64_t keys)
{
    for (int p = PLACE_HOST; p < suite_placements(); p++)
        suite_add(
            "every call", every_call,
            (struct variant){.shape = shape, .options = *options ? options : NULL, .placement = (enum placement)p, .number = keys});
}

int main(int argc, char **argv)
{
    static const char *const wide[] = {"12+4 u32", "16+16", "s+5", "s+8 i64"};
    if (argc == 2 && !strcmp(argv[1], "--commit")) return puts(BUILD_COMMIT) < 0;
    if (argc != 6) return usage(argv[0]);
    const uint64_t keys = strtoull(argv[1], NULL, 10);
    if (keys < 4) return usage(argv[0]);
    growth = atoi(argv[2]);
    if (setenv("ROOST_TEST_SEED", argv[3], 1) || setenv("ROOST_TEST_DEVICE", argv[5], 1)) return 1;
    suite_begin(1, argv);
    for (size_t s = 0; s < SHAPE_COUNT; s++) add_calls(&shapes[s], argv[4], keys);
    for (size_t w = 0; w < sizeof wide / sizeof *wide && settings_on_stadium(); w++) add_calls(shape_named(wide[w]), argv[4], keys);
    return suite_run("sanitized scenario");
}
