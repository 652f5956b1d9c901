/* Batches in order: operations on one key take effect in the order of the array, with every
 * engine, so exactly one answer is right. */
#include "support/mixes.h"
#include "support/sequences.h"
#include "support/settings.h"
#include "roost/mixed.h"

#include <stdlib.h>
#include <string.h>

/* ---- Against the reference, one item after the other ---------------------------------------- */

/* From one key for all items to many keys; small batches and large ones. */
static void heavy_duplicates(const struct variant *variant)
{
    const size_t most = settings_size(20000, 3000);
    static const uint64_t among[] = {1, 2, 7, 100, 3000, 100000};
    struct mixed mixed = mixed_make(most);
    struct dice dice = {suite_seed()};
    struct model model;
    model_open(&model, variant, NULL);
    for (int round = 0; round < 24; round++) {
        const uint64_t keys = among[round % 6];
        const size_t n = round % 4 ? 1 + draw_below(&dice, most) : 1 + draw_below(&dice, 40);
        suite_step("round %d, %zu items of %llu keys", round, n, (unsigned long long)keys);
        mixed_draw(&mixed, &dice, variant->shape, n, keys, false);
        model_apply(&model, &mixed, ROOST_ORDERED);
    }
    model_compare(&model);
    model_close(&model);
    mixed_free(&mixed);
}

static const roost_type value_types[] = {ROOST_TYPE_U32, ROOST_TYPE_I32, ROOST_TYPE_F32,
                                         ROOST_TYPE_U64, ROOST_TYPE_I64, ROOST_TYPE_F64};

/* Values near both ends of their type, whose sums wrap or saturate. */
static void extreme_values(struct mixed *mixed, struct dice *dice, roost_type type)
{
    const uint64_t mask = width_mask(type_bytes(type));
    for (size_t i = 0; i < mixed->n && !type_is_float(type); i++) {
        const uint64_t small = draw_below(dice, 4), sign = (mask >> 1) + draw_below(dice, 2);
        mixed->values_in[i] = (draw_below(dice, 3) == 0 ? small : draw_below(dice, 2) ? mask - small : sign) & mask;
    }
}

static void types_and_saturation(const struct variant *variant)
{
    struct mixed mixed = mixed_make(4000);
    struct dice dice = {suite_seed()};
    for (size_t i = 0; i < 2 * sizeof value_types / sizeof *value_types; i++) {
        const roost_type type = value_types[i / 2];
        const bool saturate = i % 2;
        if (saturate && type != ROOST_TYPE_U32 && type != ROOST_TYPE_U64) continue;
        const struct test_shape shape = shape_of_value(variant->shape, type);
        const struct variant typed = {&shape, variant->options, variant->threads, variant->placement, variant->number};
        roost_config config;
        struct model model;
        table_config(&typed, &config);
        config.saturate = saturate;
        model_open(&model, &typed, &config);
        for (int round = 0; round < 6; round++) {
            suite_step("values of %s%s, round %d", type_name(type), saturate ? ", saturating" : "", round);
            mixed_draw(&mixed, &dice, &shape, 4000, round % 2 ? 2000 : 150, false);
            if (round % 3) extreme_values(&mixed, &dice, type);
            model_apply(&model, &mixed, ROOST_ORDERED);
        }
        model_compare(&model);
        model_close(&model);
    }
    mixed_free(&mixed);
}

/* An insert with the flag ROOST_ORDERED is an ordered batch of one operation. */
static void inserts_in_order(const struct variant *variant)
{
    enum { N = 5000, KEYS = 700 };
    struct mixed mixed = mixed_make(N);
    struct dice dice = {suite_seed()};
    struct model model;
    model_open(&model, variant, NULL);
    for (unsigned round = 0; round < 3 * mode_count(variant->shape); round++) {
        const roost_mode mode = (roost_mode)(round % mode_count(variant->shape));
        suite_step("%s, round %u", mode_name(mode), round);
        mixed_draw(&mixed, &dice, variant->shape, N, KEYS, false);
        memset(mixed.operations, (int)(ROOST_OP_INSERT + mode), N);
        require_status(ROOST_OK,
                       table_insert_flagged(&model.table, mode, mixed.keys, mixed.values_in, N, mixed.statuses, ROOST_ORDERED),
                       model.table.handle);
        mixed_check(&model, &mixed);
        table_check(&model.table);
        if (round % 2) model_erase(&model, mixed.keys, N / 4);
    }
    model_compare(&model);
    model_close(&model);
    mixed_free(&mixed);
}

/* Pieces that a memory limit makes small take effect in the order of the array. */
static void pieces_in_order(const struct variant *variant)
{
    enum { N = 9000, KEYS = 1000 };
    struct mixed mixed = mixed_make(N);
    struct dice dice = {suite_seed()};
    roost_config config;
    struct model model;
    table_config(variant, &config);
    config.growth = 0;
    config.capacity = 3 * KEYS;
    uint64_t launches = 0, limit = 0;
    for (int tight = 0; tight < 2; tight++) {
        config.memory_limit = limit;
        model_open(&model, variant, &config);
        for (int round = 0; round < 4; round++) {
            mixed_draw(&mixed, &dice, variant->shape, N, KEYS, false);
            model_apply(&model, &mixed, ROOST_ORDERED);
        }
        const struct table_numbers stats = table_stats(&model.table);
        require(!tight || stats.launches > 3 * launches, "%llu launches in small pieces, %llu else",
                (unsigned long long)stats.launches, (unsigned long long)launches);
        launches = stats.launches;
        limit = stats.bytes_now + (stats.bytes_peak - stats.bytes_now) / 8;
        model_compare(&model);
        model_close(&model);
    }
    mixed_free(&mixed);
}

/* ---- Keys that cannot be stored ------------------------------------------------------------- */

/* A table that may not grow gets more keys than it has room for.  The items of a key that found
 * no room have no effect, all other items are right, and no stored key is lost. */
static void check_full(struct model *model, const struct mixed *mixed, const bool *refused, uint64_t *full)
{
    const struct test_shape *shape = &model->table.shape;
    for (size_t i = 0; i < mixed->n; i++) {
        uint64_t value = mixed->values_out[i];
        const bool insert = mixed->operations[i] >= ROOST_OP_INSERT;
        const uint8_t status =
            refused[mixed->keys[i]]
                ? (uint8_t)(insert ? ROOST_ITEM_FULL : ROOST_ITEM_ABSENT)
                : mixed_step(model, mixed->operations[i], distinct_key(shape, mixed->keys[i]), mixed->values_in[i], &value);
        require(mixed->statuses[i] == status, "item %zu, operation %u, key %llu: status %u, not %u", i, mixed->operations[i],
                (unsigned long long)mixed->keys[i], mixed->statuses[i], status);
        require(shape_is_set(shape) || mixed->values_out[i] == value, "item %zu: another value", i);
        *full += status == ROOST_ITEM_FULL;
    }
}

static void keys_without_room(const struct variant *variant)
{
    enum { N = 12000, KEYS = 12000 };
    static bool refused[KEYS];
    struct mixed mixed = mixed_make(N);
    struct dice dice = {suite_seed()};
    roost_config config;
    struct model model;
    uint64_t full = 0;
    table_config(variant, &config);
    config.growth = 0;
    config.capacity = 1000;
    model_open(&model, variant, &config);
    for (size_t round = 0; round < settings_size(5, 2); round++) {
        memset(refused, 0, sizeof refused);
        mixed_draw(&mixed, &dice, variant->shape, N, KEYS, false);
        struct mixed numbered = mixed;
        numbered.keys = make_patterns(N);
        for (size_t i = 0; i < N; i++) {
            numbered.keys[i] = draw_below(&dice, KEYS);
            mixed.keys[i] = distinct_key(variant->shape, numbered.keys[i]);
        }
        const roost_status status = table_apply(&model.table, &mixed, ROOST_ORDERED);
        for (size_t i = 0; i < N; i++) refused[numbered.keys[i]] |= mixed.statuses[i] == ROOST_ITEM_FULL;
        const uint64_t before = full;
        check_full(&model, &numbered, refused, &full);
        require_status(full > before ? ROOST_ERR_FULL : ROOST_OK, status, model.table.handle);
        table_check(&model.table);
        free(numbered.keys);
    }
    require(full > 1000, "%llu items ended FULL", (unsigned long long)full);
    model_compare(&model);
    model_close(&model);
    mixed_free(&mixed);
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    suite_add_widths("heavy duplicates", heavy_duplicates);
    for (size_t i = 0; i < 2; i++) suite_add("types and saturation", types_and_saturation, (struct variant){.shape = &shapes[i]});
    suite_add_widths("inserts in order", inserts_in_order);
    suite_add_widths("pieces in order", pieces_in_order);
    suite_add_widths("keys without room", keys_without_room);
    return suite_run("ordered");
}
