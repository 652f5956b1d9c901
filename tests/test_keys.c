/* The keys that a table accepts: every bit pattern as key and as value, every type of key, and
 * structured sets of keys that a weak hash function would send to few buckets. */
#include "support/sequences.h"
#include "support/settings.h"

#include <stdlib.h>

static void insert(struct model *model, roost_mode mode, const uint64_t *keys, const uint64_t *values, size_t n)
{
    require_status(ROOST_OK, model_insert(model, mode, keys, values, n), model->table.handle);
}

/* ---- Patterns ------------------------------------------------------------------------------- */

/* Each pattern as a key with each pattern as its value. */
static void every_pattern(const struct variant *variant)
{
    uint64_t keys[PATTERN_COUNT], values[PATTERN_COUNT], turned[PATTERN_COUNT];
    struct model model;
    model_open(&model, variant, NULL);
    draw_patterns(keys, variant->shape->key_bytes);
    draw_patterns(values, variant->shape->value_bytes);
    for (size_t turn = 0; turn < PATTERN_COUNT; turn++) {
        suite_step("turn %zu", turn);
        for (size_t i = 0; i < PATTERN_COUNT; i++) turned[i] = values[(i + turn) % PATTERN_COUNT];
        insert(&model, turn % 2 ? ROOST_KEEP : ROOST_ASSIGN, keys, turned, PATTERN_COUNT);
        model_compare(&model);
        if (turn % 3 == 0) model_erase(&model, keys, PATTERN_COUNT);
    }
    model_close(&model);
}

/* A pattern alone in the table, so that nothing hides one that is taken for a vacancy. */
static void each_pattern_alone(const struct variant *variant)
{
    uint64_t patterns[PATTERN_COUNT];
    draw_patterns(patterns, variant->shape->key_bytes);
    struct model model;
    model_open(&model, variant, NULL);
    for (size_t i = 0; i < PATTERN_COUNT; i++) {
        suite_step("pattern %#llx", (unsigned long long)patterns[i]);
        model_find(&model, patterns, PATTERN_COUNT);
        insert(&model, ROOST_ASSIGN, &patterns[i], &patterns[PATTERN_COUNT - 1 - i], 1);
        model_find(&model, patterns, PATTERN_COUNT);
        model_compare(&model);
        model_erase(&model, &patterns[i], 1);
    }
    model_close(&model);
}

/* Patterns among many others, through growth, evictions and shrinking. */
static void patterns_in_a_crowd(const struct variant *variant)
{
    const size_t n = settings_size(30000, 8000);
    uint64_t patterns[PATTERN_COUNT];
    uint64_t *keys = make_patterns(n), *values = make_patterns(n);
    struct dice dice = {suite_seed()};
    struct model model;
    model_open(&model, variant, NULL);
    draw_patterns(patterns, variant->shape->key_bytes);
    insert(&model, ROOST_ASSIGN, patterns, patterns, PATTERN_COUNT);
    for (size_t i = 0; i < n; i++) {
        keys[i] = distinct_key(variant->shape, i + 1);
        values[i] = draw_value(&dice, variant->shape->value_type);
    }
    for (int part = 0; part < 4; part++) {
        insert(&model, ROOST_KEEP, keys + n / 4 * part, values, n / 4);
        model_find(&model, patterns, PATTERN_COUNT);
    }
    model_erase(&model, keys, n);
    model_find(&model, patterns, PATTERN_COUNT);
    model_compare(&model);
    model_close(&model);
    free(keys);
    free(values);
}

/* ---- Types ---------------------------------------------------------------------------------- */

/* Keys are equal if their bits are: 0.0 and -0.0 are two keys, a NaN is one key. */
static void every_type_of_key(const struct variant *variant)
{
    static const roost_type types[] = {ROOST_TYPE_U32, ROOST_TYPE_I32, ROOST_TYPE_F32,  ROOST_TYPE_U64,
                                       ROOST_TYPE_I64, ROOST_TYPE_F64, ROOST_TYPE_BYTES};
    uint64_t patterns[PATTERN_COUNT];
    draw_patterns(patterns, variant->shape->key_bytes);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i] != ROOST_TYPE_BYTES && type_bytes(types[i]) != variant->shape->key_bytes) continue;
        roost_config config;
        table_config(variant, &config);
        config.key_type = types[i];
        /* ignored for the others */
        config.key_bytes = types[i] == ROOST_TYPE_BYTES ? variant->shape->key_bytes : 99;
        struct model model;
        suite_step("keys of %s", type_name(types[i]));
        model_open(&model, variant, &config);
        insert(&model, ROOST_ASSIGN, patterns, patterns, PATTERN_COUNT);
        model_compare(&model);
        model_erase(&model, patterns, PATTERN_COUNT / 2);
        model_compare(&model);
        model_close(&model);
    }
}

/* ---- Structure ------------------------------------------------------------------------------ */

static void insert_and_erase(const struct variant *variant, const uint64_t *keys, size_t n)
{
    struct model model;
    uint64_t *values = make_patterns(n);
    for (size_t i = 0; i < n; i++) values[i] = i;
    model_open(&model, variant, NULL);
    insert(&model, ROOST_ASSIGN, keys, values, n / 2);
    insert(&model, ROOST_ASSIGN, keys, values, n);
    model_erase(&model, keys + n / 3, n / 3);
    model_compare(&model);
    insert(&model, ROOST_KEEP, keys, values, n);
    model_erase(&model, keys, n);
    model_close(&model);
    free(values);
}

static void strides(const struct variant *variant)
{
    const size_t n = settings_size(3000, 1000);
    uint64_t *keys = make_patterns(n);
    const unsigned apart = (unsigned)settings_rounds(5, 10);
    for (unsigned shift = 0; shift < shape_key_bits(variant->shape) - 13; shift += apart) {
        suite_step("a stride of 2^%u", shift);
        for (size_t i = 0; i < n; i++) keys[i] = (uint64_t)i << shift;
        insert_and_erase(variant, keys, n);
    }
    free(keys);
}

static void downwards_from_the_top(const struct variant *variant)
{
    const size_t n = settings_size(8000, 3000);
    uint64_t *keys = make_patterns(n);
    for (size_t i = 0; i < n; i++) keys[i] = width_mask(variant->shape->key_bytes) - i;
    insert_and_erase(variant, keys, n);
    free(keys);
}

static void only_high_bits(const struct variant *variant)
{
    const size_t n = settings_size(16384, 4096);
    uint64_t *keys = make_patterns(n);
    for (size_t i = 0; i < n; i++) keys[i] = (uint64_t)i << (shape_key_bits(variant->shape) - 14);
    insert_and_erase(variant, keys, n);
    free(keys);
}

/* Keys of 8 bytes whose halves are equal, or of which one half never changes. */
static void halves(const struct variant *variant)
{
    const size_t n = settings_size(8000, 3000);
    uint64_t *keys = make_patterns(n);
    for (size_t i = 0; i < n; i++) keys[i] = (uint64_t)i << 32 | i;
    insert_and_erase(variant, keys, n);
    for (size_t i = 0; i < n; i++) keys[i] = (uint64_t)i << 32 | 0xffffffff;
    insert_and_erase(variant, keys, n);
    for (size_t i = 0; i < n; i++) keys[i] = UINT64_C(0xffffffff00000000) | i;
    insert_and_erase(variant, keys, n);
    free(keys);
}

/* Many more keys than buckets, key by key from the smallest table, so that each bucket fills and
 * overflows. */
static void key_by_key(const struct variant *variant)
{
    const size_t n = settings_rounds(settings_size(1500, 400), 300);
    struct model model;
    model_open(&model, variant, NULL);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t key = distinct_key(variant->shape, i);
        suite_step("key %llu of %zu", (unsigned long long)i, n);
        insert(&model, ROOST_ASSIGN, &key, &i, 1);
    }
    model_compare(&model);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t key = distinct_key(variant->shape, i);
        model_erase(&model, &key, 1);
    }
    model_close(&model);
}

/* The same keys under many seeds: no seed makes two of them collide into one. */
static void many_seeds(const struct variant *variant)
{
    const size_t n = 1000, seeds = settings_rounds(40, 10);
    uint64_t *keys = make_patterns(n);
    for (size_t i = 0; i < n; i++) keys[i] = i % 2 ? i : width_mask(variant->shape->key_bytes) - i;
    for (uint64_t seed = 0; seed < seeds; seed++) {
        roost_config config;
        table_config(variant, &config);
        config.seed = seed < 2 ? seed - 1 : suite_seed() + seed;
        struct model model;
        suite_step("seed %#llx", (unsigned long long)config.seed);
        model_open(&model, variant, &config);
        insert(&model, ROOST_ASSIGN, keys, keys, n);
        model_compare(&model);
        model_close(&model);
    }
    free(keys);
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    suite_add_widths("every pattern", every_pattern);
    suite_add_wide("every pattern", every_pattern, shape_is_any);
    suite_add_widths("each pattern alone", each_pattern_alone);
    suite_add_widths("patterns in a crowd", patterns_in_a_crowd);
    suite_add_wide("patterns in a crowd", patterns_in_a_crowd, shape_is_any);
    suite_add_widths("every type of key", every_type_of_key);
    suite_add_widths("strides", strides);
    suite_add_wide("strides", strides, shape_is_any);
    suite_add_widths("downwards from the top", downwards_from_the_top);
    suite_add_wide("downwards from the top", downwards_from_the_top, shape_is_any);
    suite_add_widths("only high bits", only_high_bits);
    suite_add_wide("only high bits", only_high_bits, shape_is_any);
    suite_add_some("halves", halves, shape_has_wide_keys);
    suite_add_widths("key by key", key_by_key);
    suite_add_wide("key by key", key_by_key, shape_is_any);
    suite_add_widths("many seeds", many_seeds);
    suite_add_wide("many seeds", many_seeds, shape_is_any);
    return suite_run("keys");
}
