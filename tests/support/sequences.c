/* Random sequences of batches against the reference. */
#include "support/sequences.h"

#include <stdlib.h>

enum key_kind { KEYS_SCATTERED, KEYS_SEQUENTIAL, KEYS_HIGH_BITS, KEYS_STRIDED, KEYS_PATTERNS, KEY_KINDS };

/* The source of a batch's keys. */
struct key_source {
    enum key_kind kind;
    uint64_t range; /* number of keys to draw from */
    unsigned shift;
};

unsigned mode_count(const struct test_shape *shape) { return shape_has_arithmetic(shape) ? ROOST_MAX + 1 : ROOST_KEEP + 1; }

roost_mode any_mode(const struct test_shape *shape, struct dice *dice) { return (roost_mode)draw_below(dice, mode_count(shape)); }

const char *mode_name(roost_mode mode)
{
    static const char *const names[] = {"ASSIGN", "KEEP", "ADD", "MIN", "MAX"};
    return names[mode];
}

static struct key_source draw_source(struct dice *dice)
{
    static const uint64_t ranges[] = {1, 5, 70, 3000, 40000, UINT64_C(1) << 31};
    return (struct key_source){.kind = (enum key_kind)draw_below(dice, KEY_KINDS),
                               .range = ranges[draw_below(dice, sizeof ranges / sizeof *ranges)],
                               .shift = (unsigned)draw_below(dice, 20)};
}

static uint64_t draw_key(struct dice *dice, const struct key_source *source, const struct test_shape *shape)
{
    uint64_t patterns[PATTERN_COUNT];
    const uint64_t i = draw_below(dice, source->range);
    const unsigned bytes = shape->key_bytes, bits = shape_key_bits(shape);
    switch (source->kind) {
    case KEYS_SCATTERED: return distinct_key(shape, i);
    case KEYS_HIGH_BITS: return i << (bits > 16 ? bits - 16 : 0) & width_mask(bytes);
    case KEYS_STRIDED: return i << source->shift & width_mask(bytes);
    case KEYS_PATTERNS: draw_patterns(patterns, bytes); return patterns[i % PATTERN_COUNT];
    default: return i;
    }
}

static void draw_batch(struct dice *dice, const struct test_shape *shape, uint64_t *keys, uint64_t *values, size_t n)
{
    const struct key_source source = draw_source(dice);
    for (size_t i = 0; i < n; i++) {
        keys[i] = draw_key(dice, &source, shape);
        values[i] = draw_value(dice, shape->value_type);
    }
}

static size_t draw_size(struct dice *dice, size_t most)
{
    static const size_t special[] = {0, 1, 31, 32, 33};
    const uint64_t choice = draw_below(dice, 16);
    return choice < 5 && special[choice] < most ? special[choice] : draw_below(dice, most + 1);
}

/* Erases at most n stored keys, from a random place on. */
static void erase_present(struct model *model, struct dice *dice, size_t n)
{
    struct pairs pairs = table_export(&model->table, 4096);
    const size_t from = pairs.n > n ? (size_t)draw_below(dice, pairs.n - n) : 0;
    model_erase(model, pairs.keys + from, pairs.n - from < n ? pairs.n - from : n);
    pairs_free(&pairs);
}

static void reserve(struct model *model, struct dice *dice)
{
    const uint64_t keys = draw_below(dice, 3) ? draw_below(dice, 3 * reference_count(model->reference) + 100) : 0;
    suite_step("reserve %llu keys", (unsigned long long)keys);
    model_reserve(model, keys);
}

static void insert(struct model *model, struct dice *dice, const uint64_t *keys, const uint64_t *values, size_t n)
{
    const roost_mode mode = any_mode(&model->table.shape, dice);
    suite_step("insert %zu items, mode %s", n, mode_name(mode));
    require_status(ROOST_OK, model_insert(model, mode, keys, values, n), model->table.handle);
}

static void step(struct model *model, struct dice *dice, uint64_t *keys, uint64_t *values, size_t most)
{
    const size_t n = draw_size(dice, most);
    const uint64_t choice = draw_below(dice, 100);
    draw_batch(dice, &model->table.shape, keys, values, n);
    suite_step("choice %llu, %zu items", (unsigned long long)choice, n);
    if (choice < 55) insert(model, dice, keys, values, n);
    else if (choice < 67) model_find(model, keys, n);
    else if (choice < 78) model_erase(model, keys, n);
    else if (choice < 90) erase_present(model, dice, 2 * n);
    else if (choice < 95) reserve(model, dice);
    else if (choice < 97) model_clear(model);
    else model_compare(model);
}

void sequence_run(struct model *model, struct dice *dice, size_t steps, size_t most)
{
    uint64_t *keys = make_patterns(most), *values = make_patterns(most);
    for (size_t i = 0; i < steps; i++) step(model, dice, keys, values, most);
    suite_step("the last comparison");
    model_compare(model);
    free(keys);
    free(values);
}
