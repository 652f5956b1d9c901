/* Mixed batches: each item gets the result of its operation; operations on one key take effect
 * one after the other, in some order; and an operation that a table does not support changes
 * nothing. */
#include "support/allocators.h"
#include "support/answers.h"
#include "support/mixes.h"
#include "support/settings.h"
#include "roost/mixed.h"
#include "roost/tuning.h"

#include <stdlib.h>
#include <string.h>

/* ---- Keys that come once: one answer is right ----------------------------------------------- */

static void keys_that_come_once(const struct variant *variant)
{
    const size_t most = settings_launches(settings_size(20000, 3000), 1000), rounds = settings_launches(12, 4);
    const uint64_t among = UINT64_C(1) << (settings_size(15, 12));
    struct model model;
    model_open(&model, variant, NULL);
    mixed_rounds(&model, rounds, most, among);
    model_close(&model);
}

/* As above, in pieces that a memory limit makes small. */
static void pieces_that_memory_allows(const struct variant *variant)
{
    enum { N = 9000, AMONG = 1 << 14 };
    const size_t rounds = settings_launches(4, 1);
    struct mixed mixed = mixed_make(N);
    struct dice dice = {suite_seed()};
    roost_config config;
    struct model model;
    table_config(variant, &config);
    config.growth = 0;
    config.capacity = 3 * AMONG;
    model_open(&model, variant, &config);
    mixed_draw(&mixed, &dice, variant->shape, N, AMONG, true);
    model_apply(&model, &mixed, 0);
    const struct table_numbers large = table_stats(&model.table);
    model_close(&model);
    config.memory_limit = large.bytes_now + (large.bytes_peak - large.bytes_now) / settings_launches(8, 2);
    model_open(&model, variant, &config);
    for (size_t round = 0; round < rounds; round++) {
        mixed_draw(&mixed, &dice, variant->shape, N, AMONG, true);
        model_apply(&model, &mixed, 0);
    }
    /* Ranks take pieces of another size, and none from the limit. */
    require(settings_get()->ranks > 1 || large.bytes_peak == large.bytes_now ||
                table_stats(&model.table).launches > rounds * large.launches,
            "%llu launches, and %llu of one batch in one piece", (unsigned long long)table_stats(&model.table).launches,
            (unsigned long long)large.launches);
    model_compare(&model);
    model_close(&model);
    mixed_free(&mixed);
}

/* All memory is refused.  Still every item is carried out, except inserts of new keys without
 * room. */
static void no_memory(const struct variant *variant, uint32_t flags)
{
    enum { KEYS = 3000, AMONG = 1 << 13 };
    /* Pieces of 64 items: each looks at all of them, and a GPU waits for each look. */
    const size_t n = settings_on_gpu() ? 1000 : 5000;
    struct allocator allocator = {0};
    struct mixed mixed = mixed_make(n);
    struct dice dice = {suite_seed()};
    roost_config config;
    struct model model;
    table_config(variant, &config);
    if (settings_on_gpu()) config.device_allocator = allocator_device_hooks(&allocator);
    else config.allocator = allocator_hooks(&allocator);
    model_open(&model, variant, &config);
    uint64_t *keys = numbered_keys(variant->shape, 0, KEYS);
    model_insert(&model, ROOST_KEEP, keys, keys, KEYS);
    model.looking = &allocator.paused;
    allocator.refuse_at = allocator.requests + 1;
    allocator.refuse_on = true;
    mixed_draw(&mixed, &dice, variant->shape, n, AMONG, true);
    const size_t refused = model_apply_refused(&model, &mixed, flags);
    require(refused < n / 2, "%zu items were refused", refused);
    allocator.refuse_at = 0;
    model_compare(&model);
    model_close(&model);
    mixed_free(&mixed);
    free(keys);
}

static void items_that_need_no_memory(const struct variant *variant) { no_memory(variant, 0); }

static void items_in_order_without_memory(const struct variant *variant) { no_memory(variant, ROOST_ORDERED); }

/* ---- Duplicates: some order explains the answers -------------------------------------------- */

enum { GROUP = 5 /* items of one key: all their orders are tried */ };

struct group {
    size_t item[GROUP];
    size_t n;
};

/* True if the items of a group, carried out in this order, give their statuses and leave the
 * key's final state. */
static bool order_explains(struct model *model, const struct mixed *mixed, const struct group *g, bool after, uint64_t after_value)
{
    const uint64_t key = mixed->keys[g->item[0]] & width_mask(model->table.shape.key_bytes);
    uint64_t before_value = 0, value;
    const bool before = reference_get(model->reference, key, &before_value);
    bool right = true;
    for (size_t i = 0; i < g->n && right; i++) {
        const size_t at = g->item[i];
        value = mixed->values_out[at];
        right = mixed_step(model, mixed->operations[at], key, mixed->values_in[at], &value) == mixed->statuses[at] &&
                value == mixed->values_out[at];
    }
    value = 0;
    right = right && reference_get(model->reference, key, &value) == after && value == after_value;
    if (!right && before) reference_put(model->reference, key, before_value);
    if (!right && !before) reference_remove(model->reference, key);
    return right;
}

/* Tries all orders from place `from` on.  Leaves the reference with the order that explains the
 * answers, if there is one. */
static bool some_order_explains(struct model *model, const struct mixed *mixed, struct group *g, size_t from, bool after,
                                uint64_t after_value)
{
    if (from + 1 >= g->n) return order_explains(model, mixed, g, after, after_value);
    for (size_t i = from; i < g->n; i++) {
        const struct group kept = *g;
        g->item[from] = kept.item[i];
        g->item[i] = kept.item[from];
        if (some_order_explains(model, mixed, g, from + 1, after, after_value)) return true;
        *g = kept;
    }
    return false;
}

/* Items k, k + keys, k + 2 keys ... have one key. */
static void check_explained(struct model *model, const struct mixed *mixed, size_t keys)
{
    uint64_t *values = make_patterns(keys);
    uint8_t *found = make_bytes(keys);
    require_status(ROOST_OK, table_find(&model->table, mixed->keys, keys, values, found, NULL), model->table.handle);
    for (size_t k = 0; k < keys; k++) {
        struct group g = {{0}, 0};
        for (size_t at = k; at < mixed->n; at += keys) g.item[g.n++] = at;
        require(some_order_explains(model, mixed, &g, 0, found[k], found[k] ? values[k] : 0),
                "key %#llx: no order of its %zu items explains their results", (unsigned long long)mixed->keys[k], g.n);
    }
    free(values);
    free(found);
}

static void some_order_of_duplicates(const struct variant *variant)
{
    const size_t keys = settings_launches(600, 200);
    struct mixed mixed = mixed_make(GROUP * keys);
    struct dice dice = {suite_seed()};
    struct model model;
    model_open(&model, variant, NULL);
    for (size_t round = 0; round < settings_launches(10, 1); round++) {
        suite_step("round %zu", round);
        mixed_draw(&mixed, &dice, variant->shape, GROUP * keys, 4096, true);
        for (size_t i = keys; i < mixed.n; i++) mixed.keys[i] = mixed.keys[i - keys];
        for (size_t i = 0; i < mixed.n && shape_is_set(variant->shape); i++) mixed.values_out[i] = 0;
        require_status(ROOST_OK, table_apply(&model.table, &mixed, 0), model.table.handle);
        check_explained(&model, &mixed, keys);
        table_check(&model.table);
    }
    model_compare(&model);
    model_close(&model);
    mixed_free(&mixed);
}

/* True if this run's engine works on all items at the same time. */
static bool engine_mixes(void)
{
    const char *const engine = settings_get()->engine ? settings_get()->engine : "dycuckoo";
    roost_engine_info info;
    for (size_t i = 0; roost_engine_describe(i, &info, sizeof info) == ROOST_OK; i++)
        if (!strcmp(info.name, engine)) return info.mixes;
    return false;
}

/* Where the library works in phases, erases see none of the batch's inserts, and finds see all
 * of them. */
static void phases_in_their_order(const struct variant *variant)
{
    enum { KEYS = 3000 };
    struct mixed mixed = mixed_make(3 * KEYS);
    struct dice dice = {suite_seed()};
    struct table table;
    table_open(&table, variant, NULL);
    mixed_draw(&mixed, &dice, variant->shape, 3 * KEYS, 4 * KEYS, false);
    for (size_t i = 0; i < 3 * KEYS; i++) {
        mixed.operations[i] = (uint8_t)(ROOST_OP_FIND + i % 3);
        mixed.keys[i] = distinct_key(variant->shape, i / 3);
    }
    require_status(ROOST_OK, table_apply(&table, &mixed, 0), table.handle);
    for (size_t i = 0; i < 3 * KEYS; i++) {
        static const uint8_t ends[] = {ROOST_ITEM_FOUND, ROOST_ITEM_ABSENT, ROOST_ITEM_INSERTED};
        require(mixed.statuses[i] == ends[i % 3], "item %zu of operation %zu: status %u", i, i % 3, mixed.statuses[i]);
    }
    table_close(&table);
    mixed_free(&mixed);
}

/* Engines that mix operations do not mix those of few keys that are erased and inserted by turns:
 * each turn would leave an erased slot behind.  So each key is erased once at most, and all finds
 * hit. */
static void keys_that_churn(const struct variant *variant)
{
    enum { KEYS = 7, N = 6000 };
    struct mixed mixed = mixed_make(N);
    struct dice dice = {suite_seed()};
    struct table table;
    table_open(&table, variant, NULL);
    for (size_t round = 0; round < 2; round++) {
        size_t ended[ROOST_ITEM_NO_MEMORY + 1] = {0};
        suite_step("round %zu", round);
        mixed_draw(&mixed, &dice, variant->shape, N, N, false);
        for (size_t i = 0; i < N; i++) {
            mixed.operations[i] = (uint8_t)(ROOST_OP_FIND + i / KEYS % 3);
            mixed.keys[i] = distinct_key(variant->shape, i % KEYS);
        }
        require_status(ROOST_OK, table_apply(&table, &mixed, 0), table.handle);
        for (size_t i = 0; i < N; i++) ended[mixed.statuses[i]]++;
        require(ended[ROOST_ITEM_ERASED] == (round ? KEYS : 0), "%zu erases", ended[ROOST_ITEM_ERASED]);
        require(ended[ROOST_ITEM_INSERTED] == KEYS, "%zu inserts", ended[ROOST_ITEM_INSERTED]);
        for (size_t i = 0; i < N; i++)
            require(mixed.operations[i] != ROOST_OP_FIND || mixed.statuses[i] == ROOST_ITEM_FOUND, "item %zu: status %u", i,
                    mixed.statuses[i]);
        table_check(&table);
    }
    table_close(&table);
    mixed_free(&mixed);
}

/* ---- Unsupported operations ------------------------------------------------------------------ */

/* Some items have unknown operations, or modes that the table does not have; the others are
 * good. */
static void operations_that_are_not_taken(const struct variant *variant)
{
    static const uint8_t unknown[] = {ROOST_OP_APPEND, ROOST_OP_APPEND + 1, 16, 18, 127, 128, 255};
    enum { N = 4000, AMONG = 4096 };
    struct mixed mixed = mixed_make(N);
    struct dice dice = {suite_seed()};
    struct model model;
    model_open(&model, variant, NULL);
    mixed_draw(&mixed, &dice, variant->shape, N, AMONG, true);
    for (size_t i = 0; i < N; i += 2) mixed.operations[i] = unknown[i / 2 % sizeof unknown];
    /* a set supports no arithmetic */
    for (size_t i = 0; i < N && shape_is_set(variant->shape); i += 6) mixed.operations[i] = (uint8_t)(ROOST_OP_ADD + i / 6 % 3);
    require_status(ROOST_OK, table_apply(&model.table, &mixed, 0), model.table.handle);
    for (size_t i = 0; i < N; i += 2)
        require(mixed.statuses[i] == ROOST_ITEM_NONE, "operation %u: status %u", mixed.operations[i], mixed.statuses[i]);
    for (size_t i = 1; i < N; i += 2) { /* the others get the results that they would get alone */
        mixed.operations[i / 2] = mixed.operations[i];
        mixed.keys[i / 2] = mixed.keys[i];
        mixed.values_in[i / 2] = mixed.values_in[i];
        const uint8_t status = mixed_step(&model, mixed.operations[i], mixed.keys[i], mixed.values_in[i], &mixed.values_out[i]);
        require(mixed.statuses[i] == status, "item %zu, operation %u: status %u", i, mixed.operations[i], mixed.statuses[i]);
    }
    model_compare(&model);
    model_close(&model);
    mixed_free(&mixed);
}

static roost_batch batch_of(const uint8_t *operations, const void *keys, const void *values_in, void *values_out, size_t n)
{
    roost_batch batch;
    require_status(ROOST_OK, roost_batch_init(&batch, sizeof batch), NULL);
    batch.operations = operations;
    batch.keys = keys;
    batch.values_in = values_in;
    batch.values_out = values_out;
    batch.n = n;
    return batch;
}

/* Without values_in, nothing is inserted into a table with values.  Without values_out and
 * statuses the call has no answers, and does no harm. */
static void optional_arrays(const struct variant *variant)
{
    static const uint8_t operations[] = {ROOST_OP_ASSIGN, ROOST_OP_FIND, ROOST_OP_KEEP, ROOST_OP_ERASE};
    uint64_t keys[4], values[4] = {0};
    const uint64_t patterns[] = {1, 2, 3, 4};
    struct table table;
    roost_call call;
    uint8_t statuses[4];
    table_open(&table, variant, NULL);
    pack(patterns, 4, variant->shape->key_bytes, keys);
    require_status(ROOST_OK, roost_call_init(&call, sizeof call), NULL);
    call.statuses = statuses;
    roost_batch batch = batch_of(operations, keys, NULL, NULL, 4);
    require_status(ROOST_OK, roost_apply(table.handle, &batch, &call), table.handle);
    const uint64_t inserted = shape_is_set(variant->shape) ? 2 : 0;
    require(table_stats(&table).count == inserted, "%llu keys", (unsigned long long)table_stats(&table).count);
    require(statuses[0] == (inserted ? ROOST_ITEM_INSERTED : ROOST_ITEM_NONE), "status %u", statuses[0]);
    require(statuses[1] == ROOST_ITEM_ABSENT && statuses[3] == ROOST_ITEM_ABSENT, "statuses %u, %u", statuses[1], statuses[3]);
    batch.values_in = values;
    require_status(ROOST_OK, roost_apply(table.handle, &batch, NULL), table.handle);
    require(table_stats(&table).count == 2, "%llu keys", (unsigned long long)table_stats(&table).count);
    table_close(&table);
}

static void wrong_arguments(const struct variant *variant)
{
    static const uint8_t operations[2] = {ROOST_OP_ASSIGN, ROOST_OP_FIND};
    static uint64_t keys[3], values[3];
    struct table table;
    table_open(&table, variant, NULL);
    roost_table *t = table.handle;
    roost_batch batch = batch_of(operations, keys, values, values, 2), wrong;
    require_answer(ARGUMENT, roost_batch_init(NULL, sizeof batch), NULL, "no batch to initialise");
    require_answer(ARGUMENT, roost_batch_init(&wrong, sizeof batch - 1), NULL, "a batch of another size");
    require_answer(ARGUMENT, roost_apply(NULL, &batch, NULL), NULL, "no table");
    require_answer(ARGUMENT, roost_apply(t, NULL, NULL), t, "no batch");
    wrong = batch, wrong.size--;
    require_answer(ARGUMENT, roost_apply(t, &wrong, NULL), t, "a batch of another size");
    wrong = batch, wrong.operations = NULL;
    require_answer(ARGUMENT, roost_apply(t, &wrong, NULL), t, "no operations");
    wrong = batch, wrong.keys = NULL;
    require_answer(ARGUMENT, roost_apply(t, &wrong, NULL), t, "no keys");
    wrong = batch, wrong.n = SIZE_MAX;
    require_answer(ARGUMENT, roost_apply(t, &wrong, NULL), t, "too many items");
    wrong = batch, wrong.keys = (const char *)keys + 1;
    require_answer(ARGUMENT, roost_apply(t, &wrong, NULL), t, "keys that are not aligned");
    wrong = batch, wrong.values_in = (const char *)values + 1;
    if (!shape_is_set(variant->shape)) require_answer(ARGUMENT, roost_apply(t, &wrong, NULL), t, "values that are not aligned");
    wrong = batch, wrong.values_out = (char *)values + 1;
    if (!shape_is_set(variant->shape)) require_answer(ARGUMENT, roost_apply(t, &wrong, NULL), t, "results that are not aligned");
    wrong = batch_of(NULL, NULL, NULL, NULL, 0);
    require_status(ROOST_OK, roost_apply(t, &wrong, NULL), t);
    require(table_stats(&table).count == 0 && table_stats(&table).launches == 0, "wrong calls were carried out");
    table_close(&table);
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    suite_add_widths("keys that come once", keys_that_come_once);
    suite_add_wide("keys that come once", keys_that_come_once, shape_has_fixed_keys);
    suite_add_widths("pieces that memory allows", pieces_that_memory_allows);
    suite_add_wide("pieces that memory allows", pieces_that_memory_allows, shape_has_fixed_keys);
    suite_add_widths("items that need no memory", items_that_need_no_memory);
    suite_add_wide("items that need no memory", items_that_need_no_memory, shape_has_fixed_keys);
    suite_add_widths("items in order without memory", items_in_order_without_memory);
    suite_add_widths("some order of duplicates", some_order_of_duplicates);
    suite_add_wide("some order of duplicates", some_order_of_duplicates, shape_has_fixed_keys);
    if (!engine_mixes()) suite_add_widths("phases in their order", phases_in_their_order);
    /* On a GPU only far larger batches are looked at. */
    /* The shards of a table have too few items of this batch for a sample. */
    if (!settings_on_gpu() && settings_get()->ranks == 1) suite_add_widths("keys that churn", keys_that_churn);
    suite_add_widths("operations that are not taken", operations_that_are_not_taken);
    suite_add_widths("optional arrays", optional_arrays);
    suite_add_widths("wrong arguments", wrong_arguments);
    return suite_run("mixed");
}
