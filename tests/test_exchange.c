/* Inserts that return what was stored before them (roost_exchange), and inserts of ADD without
 * values, which add 1. */
#include "support/allocators.h"
#include "support/answers.h"
#include "support/late_queues.h"
#include "support/mixes.h"
#include "support/sequences.h"
#include "support/settings.h"
#include "roost/mixed.h"
#include "roost/numbers.h"

#include <stdlib.h>
#include <string.h>

typedef unsigned long long ull;

static const roost_type value_types[] = {ROOST_TYPE_U32, ROOST_TYPE_I32, ROOST_TYPE_F32,
                                         ROOST_TYPE_U64, ROOST_TYPE_I64, ROOST_TYPE_F64};

/* ---- Exchanges against the reference, one item after the other ------------------------------- */

struct exchanged {
    size_t n, refused;
    uint64_t *keys, *values, *old;
    uint8_t *found, *statuses;
};

static struct exchanged exchanged_make(size_t n)
{
    return (struct exchanged){n, 0, make_patterns(n), make_patterns(n), make_patterns(n), make_bytes(n), make_bytes(n)};
}

static void exchanged_free(struct exchanged *x) { free(x->keys), free(x->values), free(x->old), free(x->found), free(x->statuses); }

/* Keys of the first `among`; values also at both ends of their type. */
static void exchanged_draw(struct exchanged *x, struct dice *dice, const struct test_shape *shape, uint64_t among)
{
    const uint64_t mask = width_mask(shape->value_bytes);
    for (size_t i = 0; i < x->n; i++) {
        x->keys[i] = distinct_key(shape, draw_below(dice, among));
        x->values[i] = draw_value(dice, shape->value_type) & mask;
        if (!type_is_float(shape->value_type) && draw_below(dice, 4) == 0) x->values[i] = mask - draw_below(dice, 3);
    }
}

static uint64_t untouched(const struct test_shape *shape, size_t i) { return mix64(i) & width_mask(shape->value_bytes); }

/* The keys of refused inserts, which were not there. */
static struct reference *refused_keys(const struct model *model, struct exchanged *x)
{
    struct reference *keys = reference_make();
    for (size_t i = 0; i < x->n; i++) {
        const uint64_t key = x->keys[i] & width_mask(model->table.shape.key_bytes);
        if (x->statuses[i] != ROOST_ITEM_FULL && x->statuses[i] != ROOST_ITEM_NO_MEMORY) continue;
        require(!reference_get(model->reference, key, NULL), "item %zu: key %#llx was stored, but is refused room", i, (ull)key);
        reference_put(keys, key, x->statuses[i]);
        x->refused++;
    }
    return keys;
}

/* What the call was told to write; the statuses are always wanted. */
enum { WANT_OLD = 1, WANT_FOUND = 2, WANT_KEEP = 4, WANTS = 8 };

static void check_item(struct model *model, const struct exchanged *x, size_t i, roost_mode mode, unsigned wants, uint64_t refused)
{
    const struct test_shape *const shape = &model->table.shape;
    const uint64_t key = x->keys[i] & width_mask(shape->key_bytes);
    uint64_t before = wants & WANT_KEEP ? untouched(shape, i) : 0;
    const bool there = reference_get(model->reference, key, &before);
    uint64_t ignored;
    const uint8_t status =
        refused ? (uint8_t)refused : mixed_step(model, (uint8_t)(ROOST_OP_INSERT + mode), x->keys[i], x->values[i], &ignored);
    require(x->statuses[i] == status, "item %zu, key %#llx: status %u instead of %u", i, (ull)key, x->statuses[i], status);
    if (!(wants & WANT_OLD)) before = untouched(shape, i);
    if (shape_has_values(shape))
        require(x->old[i] == before, "item %zu, key %#llx: %#llx was there before, not %#llx", i, (ull)key, (ull)before,
                (ull)x->old[i]);
    require(x->found[i] == (wants & WANT_FOUND ? there : UNTOUCHED_BYTE), "item %zu, key %#llx: found is %u", i, (ull)key,
            x->found[i]);
}

/* One batch through the table and the reference. */
static roost_status exchanged_run(struct model *model, struct exchanged *x, roost_mode mode, unsigned wants)
{
    const struct exchange e = {
        x->n, x->keys, x->values, wants & WANT_OLD ? x->old : NULL, wants & WANT_FOUND ? x->found : NULL, x->statuses};
    for (size_t i = 0; i < x->n; i++) x->old[i] = untouched(&model->table.shape, i);
    memset(x->found, UNTOUCHED_BYTE, x->n);
    const roost_status status = table_exchange(&model->table, mode, &e, wants & WANT_KEEP ? ROOST_ABSENT_KEEP : 0);
    require(status == ROOST_OK || status == ROOST_ERR_FULL || status == ROOST_ERR_MEMORY, "%s: %s", roost_status_name(status),
            roost_last_error(model->table.handle));
    x->refused = 0;
    struct reference *refused = refused_keys(model, x);
    for (size_t i = 0; i < x->n; i++) {
        uint64_t why = 0;
        (void)reference_get(refused, x->keys[i] & width_mask(model->table.shape.key_bytes), &why);
        check_item(model, x, i, mode, wants, why);
    }
    require((status == ROOST_OK) == (x->refused == 0), "%zu items were refused, but the call said %s", x->refused,
            roost_status_name(status));
    const uint64_t count = table_stats(&model->table).count;
    require(count == reference_count(model->reference), "%llu keys are stored, not %llu", (ull)count,
            (ull)reference_count(model->reference));
    reference_free(refused);
    table_check(&model->table);
    return status;
}

/* Every mode with every choice of results, on one key to many. */
static void every_mode(struct model *model, size_t most)
{
    static const uint64_t among[] = {1, 5, 300, 100000};
    struct dice dice = {suite_seed()};
    struct exchanged x = exchanged_make(most);
    const unsigned modes = mode_count(&model->table.shape);
    for (unsigned round = 0; round < settings_rounds(2, 1) * WANTS * modes; round++) {
        const roost_mode mode = (roost_mode)(round % modes);
        x.n = round < 2 ? round : 1 + draw_below(&dice, round % 4 ? most : 30);
        suite_step("round %u, %s of %zu items", round, mode_name(mode), x.n);
        exchanged_draw(&x, &dice, &model->table.shape, among[draw_below(&dice, 4)]);
        require_status(ROOST_OK, exchanged_run(model, &x, mode, round / modes % WANTS), model->table.handle);
        if (draw_below(&dice, 4) == 0) model_erase(model, x.keys, x.n / 2);
    }
    x.n = most;
    model_compare(model);
    exchanged_free(&x);
}

static void modes_and_results(const struct variant *variant)
{
    struct model model;
    model_open(&model, variant, NULL);
    every_mode(&model, settings_size(3000, 800));
    model_close(&model);
}

static void types_and_saturation(const struct variant *variant)
{
    for (size_t i = 0; i < 2 * sizeof value_types / sizeof *value_types; i++) {
        const struct test_shape shape = shape_of_value(variant->shape, value_types[i / 2]);
        const struct variant typed = {&shape, variant->options, variant->threads, variant->placement, variant->number};
        roost_config config;
        struct model model;
        if (i % 2 && !shape_is_unsigned(&shape)) continue;
        table_config(&typed, &config);
        config.saturate = i % 2;
        model_open(&model, &typed, &config);
        every_mode(&model, 300);
        model_close(&model);
    }
}

/* Pieces that a memory limit makes small, and keys with more items than a piece. */
static void pieces_and_hot_keys(const struct variant *variant)
{
    enum { N = 9000, KEYS = 1000 };
    static const uint64_t among[] = {KEYS, 2, KEYS, 1};
    struct dice dice = {suite_seed()};
    struct exchanged x = exchanged_make(N);
    uint64_t launches = 0, limit = 0;
    roost_config config;
    table_config(variant, &config);
    config.growth = 0;
    config.capacity = 3 * KEYS;
    for (int tight = 0; tight < 2; tight++) {
        struct model model;
        config.memory_limit = limit;
        model_open(&model, variant, &config);
        for (unsigned round = 0; round < 8; round++) {
            suite_step("%s, round %u", tight ? "small pieces" : "large pieces", round);
            exchanged_draw(&x, &dice, variant->shape, among[round % 4]);
            require_status(ROOST_OK, exchanged_run(&model, &x, round % 2 ? ROOST_KEEP : ROOST_ASSIGN, round % 2 ? 7 : 3), NULL);
        }
        const struct table_numbers stats = table_stats(&model.table);
        require(!tight || stats.launches > 3 * launches, "%llu launches in small pieces, %llu else", (ull)stats.launches,
                (ull)launches);
        launches = stats.launches;
        limit = stats.bytes_now + (stats.bytes_peak - stats.bytes_now) / 8;
        model_compare(&model);
        model_close(&model);
    }
    exchanged_free(&x);
}

static void keys_without_room(const struct variant *variant)
{
    enum { N = 3000 };
    struct dice dice = {suite_seed()};
    struct exchanged x = exchanged_make(N);
    size_t refused = 0;
    struct model model;
    roost_config config;
    table_config(variant, &config);
    config.growth = 0;
    config.capacity = 1000;
    model_open(&model, variant, &config);
    for (unsigned round = 0; round < 8; round++) {
        suite_step("round %u", round);
        exchanged_draw(&x, &dice, variant->shape, 3 * N);
        (void)exchanged_run(&model, &x, (roost_mode)(round % mode_count(variant->shape)), round);
        refused += x.refused;
    }
    require(refused > N, "%zu items were refused", refused);
    model_compare(&model);
    model_close(&model);
    exchanged_free(&x);
}

/* ---- Inserts of 1 ---------------------------------------------------------------------------- */

/* Each item adds 1 to its key, whatever the values' type is. */
static void check_ones(struct model *model, const uint64_t *keys, size_t n, const uint8_t *statuses)
{
    const roost_type type = model->table.shape.value_type;
    const uint64_t one = value_bits(type, 1), mask = width_mask(model->table.shape.key_bytes);
    struct reference *inserted = reference_make();
    for (size_t i = 0; i < n; i++) {
        const uint64_t key = keys[i] & mask;
        uint64_t value = 0;
        const bool refused = statuses && (statuses[i] == ROOST_ITEM_FULL || statuses[i] == ROOST_ITEM_NO_MEMORY);
        if (statuses && statuses[i] == ROOST_ITEM_INSERTED) {
            require(!reference_get(inserted, key, NULL), "two items of key %#llx ended INSERTED", (ull)key);
            reference_put(inserted, key, 0);
        } else require(!statuses || refused || statuses[i] == ROOST_ITEM_UPDATED, "item %zu ended %u", i, statuses[i]);
        if (refused) continue;
        const bool there = reference_get(model->reference, key, &value);
        reference_put(model->reference, key, there ? reference_combine(ROOST_ADD, type, model->saturate, value, one) : one);
    }
    reference_free(inserted);
    model_find(model, keys, n);
}

static roost_status add_ones(struct model *model, const uint64_t *keys, size_t n, bool with_statuses)
{
    uint8_t *statuses = with_statuses ? make_bytes(n) : NULL;
    const roost_status status = table_insert(&model->table, ROOST_ADD, keys, NULL, n, statuses);
    check_ones(model, keys, n, statuses);
    free(statuses);
    table_check(&model->table);
    return status;
}

static void draw_keys(struct dice *dice, const struct test_shape *shape, uint64_t among, uint64_t *keys, size_t n)
{
    for (size_t i = 0; i < n; i++) keys[i] = distinct_key(shape, draw_below(dice, among));
}

static void ones_in(struct model *model)
{
    enum { N = 4000 };
    static const uint64_t among[] = {1, 20, 3000, 1 << 20};
    struct dice dice = {suite_seed()};
    uint64_t *keys = make_patterns(N);
    for (size_t round = 0; round < settings_rounds(10, 6); round++) {
        const size_t n = round < 2 ? round : 1 + draw_below(&dice, N);
        suite_step("round %zu, %zu items", round, n);
        draw_keys(&dice, &model->table.shape, among[round % 4], keys, n);
        require_status(ROOST_OK, add_ones(model, keys, n, round % 3 > 0), model->table.handle);
    }
    model_compare(model);
    free(keys);
}

static void ones_are_added(const struct variant *variant)
{
    struct model model;
    model_open(&model, variant, NULL);
    ones_in(&model);
    model_close(&model);
}

static void ones_of_every_type(const struct variant *variant)
{
    for (size_t i = 0; i < sizeof value_types / sizeof *value_types; i++) {
        const struct test_shape shape = shape_of_value(variant->shape, value_types[i]);
        ones_are_added(&(struct variant){&shape, variant->options, variant->threads, variant->placement, variant->number});
    }
}

/* A saturating sum stays at its end. */
static void ones_saturate(const struct variant *variant)
{
    const uint64_t key = distinct_key(variant->shape, 1), keys[] = {key, key, key},
                   high = width_mask(variant->shape->value_bytes) - 1;
    for (int saturate = 0; saturate < 2; saturate++) {
        struct model model;
        roost_config config;
        table_config(variant, &config);
        config.saturate = saturate;
        model_open(&model, variant, &config);
        require_status(ROOST_OK, model_insert(&model, ROOST_ASSIGN, &key, &high, 1), model.table.handle);
        require_status(ROOST_OK, add_ones(&model, keys, 3, true), model.table.handle);
        model_close(&model);
    }
}

/* Room, and memory for the values, are refused. */
static void ones_without_room(const struct variant *variant)
{
    enum { N = 3000 };
    struct dice dice = {suite_seed()};
    uint64_t *keys = make_patterns(N);
    struct model model;
    roost_config config;
    roost_status status = ROOST_OK;
    table_config(variant, &config);
    config.growth = 0;
    config.capacity = 1000;
    model_open(&model, variant, &config);
    for (int round = 0; round < 4; round++) {
        draw_keys(&dice, variant->shape, 2 * N, keys, N);
        status = add_ones(&model, keys, N, true);
    }
    require(status == ROOST_ERR_FULL, "%s", roost_status_name(status));
    model_compare(&model);
    model_close(&model);
    free(keys);
}

static void ones_without_memory(const struct variant *variant)
{
    enum { N = 3000 };
    struct dice dice = {suite_seed()};
    uint64_t *keys = make_patterns(N);
    for (uint64_t k = 1; k < 8; k++) {
        struct allocator allocator = {0};
        struct model model;
        roost_config config;
        table_config(variant, &config);
        config.allocator = allocator_hooks(&allocator);
        suite_step("refusing request %llu and on", (ull)k);
        model_open(&model, variant, &config);
        draw_keys(&dice, variant->shape, N, keys, N);
        require_status(ROOST_OK, add_ones(&model, keys, N / 4, true), model.table.handle);
        allocator.refuse_on = true;
        allocator.refuse_at = allocator.requests + k;
        const roost_status status = table_insert(&model.table, ROOST_ADD, keys, NULL, N / 4, NULL);
        require_status(ROOST_OK, status, model.table.handle); /* updates need none */
        allocator.refuse_at = 0;
        check_ones(&model, keys, N / 4, NULL);
        model_compare(&model);
        model_close(&model);
        require(allocator.bytes == 0, "%llu bytes leaked", (ull)allocator.bytes);
    }
    free(keys);
}

/* ---- Arrays out of reach --------------------------------------------------------------------- */

/* A variant's number: LATE_* of pinned and of reachable arrays, 3 bits each. */
static void arrays_out_of_reach(const struct variant *variant)
{
    const struct late_rules rules = {(enum late_which)(variant->number & 7), (enum late_which)(variant->number >> 3 & 7), true,
                                     suite_seed(), false};
    struct dice dice = {suite_seed()};
    struct model model;
    roost_config config;
    struct exchanged x = exchanged_make(20000);
    table_config(variant, &config);
    config.capacity = 40000;
    config.growth = 0;
    model_open(&model, variant, &config);
    const uint64_t bytes = table_stats(&model.table).bytes_now;
    model_close(&model);
    for (int tight = 0; tight < 2; tight++) {
        suite_step("%s", tight ? "small pieces" : "large pieces");
        config.memory_limit = tight ? bytes + 4 * 1024 * 18 + (1 << 17) : 0;
        model_open(&model, variant, &config);
        late_queues_begin(model.table.handle, &rules);
        every_mode(&model, 1500);
        x.n = 20000;
        exchanged_draw(&x, &dice, variant->shape, 9000);
        require_status(ROOST_OK, exchanged_run(&model, &x, ROOST_ASSIGN, 3), model.table.handle);
        exchanged_draw(&x, &dice, variant->shape, 9000);
        require_status(ROOST_OK, exchanged_run(&model, &x, ROOST_KEEP, 7), model.table.handle);
        if (shape_has_arithmetic(variant->shape)) ones_in(&model);
        model_close(&model);
    }
    exchanged_free(&x);
}

/* ---- Refusals -------------------------------------------------------------------------------- */

static void refused_exchanges(const struct variant *variant)
{
    const uint32_t key = 1, value = 2;
    uint32_t old;
    uint8_t found;
    struct table t;
    roost_config config;
    roost_call call = ROOST_CALL_INIT;
    table_open(&t, variant, NULL);
    require_answer(ARGUMENT, roost_exchange(NULL, ROOST_KEEP, &key, &value, 1, &old, &found, NULL), NULL, "no table");
    require_answer(ARGUMENT, roost_exchange(t.handle, (roost_mode)77, &key, &value, 1, &old, &found, NULL), t.handle, "no mode");
    require_answer(ARGUMENT, roost_exchange(t.handle, ROOST_KEEP, NULL, &value, 1, &old, &found, NULL), t.handle, "no keys");
    require_answer(ARGUMENT, roost_exchange(t.handle, ROOST_KEEP, &key, NULL, 1, &old, &found, NULL), t.handle, "no values");
    require_answer(ARGUMENT, roost_exchange(t.handle, ROOST_ADD, &key, NULL, 1, &old, &found, NULL), t.handle, "ADD, no values");
    require_answer(ARGUMENT | UNSUPPORTED, roost_exchange(t.handle, ROOST_APPEND, &key, &value, 1, &old, &found, NULL), t.handle,
                   "an append");
    call.flags = ROOST_NUMBER_ORDER;
    require_answer(ARGUMENT, roost_exchange(t.handle, ROOST_KEEP, &key, &value, 1, &old, &found, &call), t.handle, "another flag");
    require_status(ROOST_OK, roost_exchange(t.handle, ROOST_KEEP, NULL, NULL, 0, NULL, NULL, NULL), t.handle);
    require(table_stats(&t).count == 0, "a refused call has stored a key");
    table_close(&t);
    table_config(variant, &config);
    config.flags = ROOST_MULTI;
    if (table_create(&t, variant, &config)) return; /* the engine has no multimaps */
    require_answer(UNSUPPORTED, roost_exchange(t.handle, ROOST_APPEND, &key, &value, 1, &old, &found, NULL), t.handle,
                   "a multimap");
    table_close(&t);
}

static void refused_widths(const struct variant *variant)
{
    const uint64_t key = 1, value = 2;
    uint64_t old = 0;
    struct table t;
    if (shape_has_strings(variant->shape)) return; /* there is no such call */
    table_open(&t, variant, NULL);
    const struct exchange e = {1, &key, &value, &old, NULL, NULL};
    require_answer(UNSUPPORTED, table_exchange(&t, ROOST_KEEP, &e, 0), t.handle, variant->shape->name);
    table_close(&t);
}

static void refused_ones(const struct variant *variant)
{
    const uint32_t key = 1;
    struct table t;
    roost_call call = ROOST_CALL_INIT;
    table_open(&t, variant, NULL);
    static const roost_mode others[] = {ROOST_ASSIGN, ROOST_KEEP, ROOST_MIN, ROOST_MAX};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        require_answer(ARGUMENT, roost_insert(t.handle, others[i], &key, NULL, 1, NULL), t.handle, mode_name(others[i]));
    call.flags = ROOST_ORDERED;
    require_answer(UNSUPPORTED, roost_insert(t.handle, ROOST_ADD, &key, NULL, 1, &call), t.handle, "ones in order");
    require_status(ROOST_OK, roost_insert(t.handle, ROOST_ADD, NULL, NULL, 0, NULL), t.handle);
    require(table_stats(&t).count == 0, "a refused call has stored a key");
    table_close(&t);
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    suite_add_widths("modes and results", modes_and_results);
    for (size_t i = 0; i < 2; i++) suite_add("types and saturation", types_and_saturation, (struct variant){.shape = &shapes[i]});
    suite_add_widths("pieces and hot keys", pieces_and_hot_keys);
    suite_add_widths("keys without room", keys_without_room);
    suite_add_some("ones are added", ones_are_added, shape_has_arithmetic);
    suite_add_wide("ones are added", ones_are_added, shape_has_arithmetic);
    for (size_t i = 0; i < 2; i++) suite_add("ones of every type", ones_of_every_type, (struct variant){.shape = &shapes[i]});
    suite_add_some("ones saturate", ones_saturate, shape_is_unsigned);
    suite_add_some("ones without room", ones_without_room, shape_has_arithmetic);
    suite_add_once("refused exchanges", refused_exchanges);
    suite_add_once("refused ones", refused_ones);
    suite_add_wide("refused widths", refused_widths, shape_is_any);
    if (settings_on_gpu()) return suite_run("exchange");
    static const uint64_t reaches[] = {LATE_ALL | LATE_NONE << 3, LATE_NONE | LATE_NONE << 3, LATE_SOME | LATE_SOME << 3};
    for (size_t i = 0; i < SHAPE_COUNT; i++)
        suite_add("arrays out of reach", arrays_out_of_reach, (struct variant){.shape = &shapes[i], .number = reaches[i % 3]});
    suite_add("arrays out of reach", arrays_out_of_reach, (struct variant){.shape = &shapes[2], .number = reaches[0]});
    suite_add_some("ones without memory", ones_without_memory, shape_has_arithmetic);
    return suite_run("exchange");
}
