/* A table beside the exact reference. */
#include "support/model.h"

#include "support/settings.h"

#include <stdlib.h>
#include <string.h>

void model_open(struct model *model, const struct variant *variant, const roost_config *config)
{
    roost_config usual;
    table_config(variant, &usual);
    if (!config) config = &usual;
    *model = (struct model){.reference = reference_make(), .saturate = config->saturate != 0};
    model->rules = fill_rules_of(variant, config);
    table_open(&model->table, variant, config);
}

void model_close(struct model *model)
{
    table_close(&model->table);
    reference_free(model->reference);
}

/* After every batch: the numbers, the bounds, and the library's own check. */
static void check_table(struct model *model)
{
    const struct table_numbers stats = table_stats(&model->table);
    require(stats.count == reference_count(model->reference), "the table counts %llu keys, the reference %llu",
            (unsigned long long)stats.count, (unsigned long long)reference_count(model->reference));
    fill_check(&model->rules, &stats);
    if (model->looking) *model->looking = true;
    table_check(&model->table);
    if (model->looking) *model->looking = false;
}

/* ---- The items of a batch by key ------------------------------------------------------------- */

struct item {
    uint64_t key;
    size_t index;
};

/* A batch and its results. */
struct model_batch {
    roost_mode mode;
    const uint64_t *values;
    roost_status status;
    uint8_t *statuses;
    uint64_t *after; /* values found after the call */
    uint8_t *found;  /* true for keys that were found */
    size_t failed;   /* items that were not stored */
};

typedef void (*group_check)(struct model *model, struct model_batch *batch, const struct item *items, size_t n);

static int compare_items(const void *a, const void *b)
{
    const struct item *left = a, *right = b;
    if (left->key != right->key) return left->key < right->key ? -1 : 1;
    return left->index < right->index ? -1 : 1;
}

/* Checks the items of each key together. */
static void check_groups(struct model *model, struct model_batch *batch, const uint64_t *keys, size_t n, group_check check)
{
    struct item *items = malloc((n + 1) * sizeof *items);
    if (!items) abort();
    for (size_t i = 0; i < n; i++) items[i] = (struct item){keys[i] & width_mask(model->table.shape.key_bytes), i};
    qsort(items, n, sizeof *items, compare_items);
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && items[end].key == items[first].key;) end++;
        check(model, batch, items + first, end - first);
    }
    free(items);
}

static const char *item_text(uint8_t status) { return roost_item_status_string((roost_item_status)status); }

/* ---- Find ------------------------------------------------------------------------------------ */

static uint64_t untouched_value(const struct model *model)
{
    return UINT64_C(0x0101010101010101) * UNTOUCHED_BYTE & width_mask(model->table.shape.value_bytes);
}

/* The bits of a NaN depend on the machine: a GPU computes one NaN, a host keeps an operand's. */
static bool is_nan(roost_type type, uint64_t value)
{
    if (type == ROOST_TYPE_F32) return (value & 0x7fffffff) > 0x7f800000;
    return type == ROOST_TYPE_F64 && (value & 0x7fffffffffffffff) > 0x7ff0000000000000;
}

static bool is_same(const struct test_shape *shape, uint64_t value, uint64_t expected)
{
    if (shape_is_set(shape) || value == expected) return true;
    return is_nan(shape->value_type, value) && is_nan(shape->value_type, expected);
}

/* absent: the value that an absent key has now. */
static void check_found(const struct model *model, uint64_t key, uint64_t value, uint8_t found, uint8_t status, uint64_t absent)
{
    uint64_t expected = absent;
    const bool there = reference_get(model->reference, key & width_mask(model->table.shape.key_bytes), &expected);
    require(found == there, "key %#llx: found is %u", (unsigned long long)key, found);
    require(status == (there ? ROOST_ITEM_FOUND : ROOST_ITEM_ABSENT), "key %#llx: status %u", (unsigned long long)key, status);
    require(is_same(&model->table.shape, value, expected), "key %#llx: value %#llx instead of %#llx", (unsigned long long)key,
            (unsigned long long)value, (unsigned long long)expected);
}

/* Every other call keeps the values of absent keys (ROOST_ABSENT_KEEP). */
void model_find(struct model *model, const uint64_t *keys, size_t n)
{
    const uint32_t flags = model->finds++ % 2 ? 0 : ROOST_ABSENT_KEEP;
    const uint64_t absent = flags ? untouched_value(model) : 0;
    uint64_t *values = make_patterns(n);
    uint8_t *found = make_bytes(n), *statuses = make_bytes(n);
    for (size_t i = 0; i < n; i++) values[i] = untouched_value(model);
    require_status(ROOST_OK, table_find_flagged(&model->table, keys, n, values, found, statuses, flags), model->table.handle);
    for (size_t i = 0; i < n; i++) check_found(model, keys[i], values[i], found[i], statuses[i], absent);
    free(values);
    free(found);
    free(statuses);
}

/* ---- Insert ---------------------------------------------------------------------------------- */

/* Sums of the statuses of one key's items. */
struct outcome {
    size_t stored;
    size_t inserted;
    size_t full;
    size_t inserted_index; /* item that ended INSERTED */
};

static struct outcome outcome_of(const struct model_batch *batch, const struct item *items, size_t n)
{
    struct outcome outcome = {0};
    const uint8_t there = batch->mode == ROOST_KEEP ? ROOST_ITEM_KEPT : ROOST_ITEM_UPDATED;
    for (size_t i = 0; i < n; i++) {
        const uint8_t status = batch->statuses[items[i].index];
        const bool refused = (status == ROOST_ITEM_FULL && batch->status == ROOST_ERR_FULL) ||
                             (status == ROOST_ITEM_NO_MEMORY && batch->status == ROOST_ERR_MEMORY);
        require(status == ROOST_ITEM_INSERTED || status == there || refused,
                "key %#llx: item %zu ended %u (%s) in a call that said %s", (unsigned long long)items[i].key, items[i].index,
                status, item_text(status), roost_status_name(batch->status));
        outcome.stored += !refused;
        outcome.full += status == ROOST_ITEM_FULL;
        if (status == ROOST_ITEM_INSERTED) {
            outcome.inserted++;
            outcome.inserted_index = items[i].index;
        }
    }
    return outcome;
}

static bool is_stored(const struct model_batch *batch, const struct item *item)
{
    return batch->statuses[item->index] != ROOST_ITEM_FULL && batch->statuses[item->index] != ROOST_ITEM_NO_MEMORY;
}

/* The value after an ASSIGN must be one that its items brought. */
static uint64_t assigned_value(const struct model_batch *batch, const struct item *items, size_t n)
{
    const uint64_t value = batch->after[items[0].index];
    for (size_t i = 0; i < n; i++)
        if (is_stored(batch, &items[i]) && batch->values[items[i].index] == value) return value;
    require(false, "key %#llx has value %#llx, which none of its %zu items brought", (unsigned long long)items[0].key,
            (unsigned long long)value, n);
    return value;
}

static uint64_t combined_value(const struct model *model, const struct model_batch *batch, const struct item *items, size_t n,
                               bool present, uint64_t value)
{
    for (size_t i = 0; i < n; i++) {
        if (!is_stored(batch, &items[i])) continue;
        const uint64_t operand = batch->values[items[i].index];
        value = present ? reference_combine(batch->mode, model->table.shape.value_type, model->saturate, value, operand) : operand;
        present = true;
    }
    return value;
}

static uint64_t expected_value(const struct model *model, const struct model_batch *batch, const struct item *items, size_t n,
                               bool present, uint64_t old, const struct outcome *outcome)
{
    if (shape_is_set(&model->table.shape)) return 0;
    if (batch->mode == ROOST_ASSIGN) return assigned_value(batch, items, n);
    if (batch->mode == ROOST_KEEP) return present ? old : batch->values[outcome->inserted_index];
    return combined_value(model, batch, items, n, present, old);
}

static void check_inserted(struct model *model, struct model_batch *batch, const struct item *items, size_t n)
{
    uint64_t old = 0;
    const uint64_t key = items[0].key;
    const bool present = reference_get(model->reference, key, &old);
    const struct outcome outcome = outcome_of(batch, items, n);
    batch->failed += n - outcome.stored;
    require(outcome.inserted == (!present && outcome.stored), "key %#llx, %s: %zu of %zu items ended INSERTED",
            (unsigned long long)key, present ? "present" : "new", outcome.inserted, n);
    require(!present || !outcome.full, "key %#llx is present, but %zu of its items ended FULL", (unsigned long long)key,
            outcome.full);
    if (outcome.stored) reference_put(model->reference, key, expected_value(model, batch, items, n, present, old, &outcome));
}

roost_status model_insert(struct model *model, roost_mode mode, const uint64_t *keys, const uint64_t *values, size_t n)
{
    struct model_batch batch = {.mode = mode, .statuses = make_bytes(n), .found = make_bytes(n), .after = make_patterns(n)};
    uint64_t *cut = make_patterns(n);
    for (size_t i = 0; i < n; i++) cut[i] = values[i] & width_mask(model->table.shape.value_bytes);
    batch.values = cut;
    batch.status = table_insert(&model->table, mode, keys, values, n, batch.statuses);
    if (batch.status == ROOST_ERR_MEMORY) model->rules.fixed = true;
    else if (batch.status != ROOST_ERR_FULL) require_status(ROOST_OK, batch.status, model->table.handle);
    require_status(ROOST_OK, table_find(&model->table, keys, n, batch.after, batch.found, NULL), model->table.handle);
    check_groups(model, &batch, keys, n, check_inserted);
    require((batch.status == ROOST_OK) == (batch.failed == 0), "%zu items were not stored, but the call said %s", batch.failed,
            roost_status_name(batch.status));
    model_find(model, keys, n);
    check_table(model);
    free(batch.statuses);
    free(batch.found);
    free(batch.after);
    free(cut);
    return batch.status;
}

/* ---- Erase, clear, reserve ------------------------------------------------------------------- */

static void check_erased(struct model *model, struct model_batch *batch, const struct item *items, size_t n)
{
    const bool present = reference_remove(model->reference, items[0].key);
    size_t erased = 0;
    for (size_t i = 0; i < n; i++) {
        const uint8_t status = batch->statuses[items[i].index];
        require(status == ROOST_ITEM_ERASED || status == ROOST_ITEM_ABSENT, "key %#llx: item %zu ended %u (%s)",
                (unsigned long long)items[i].key, items[i].index, status, item_text(status));
        erased += status == ROOST_ITEM_ERASED;
    }
    require(erased == present, "key %#llx, %s: %zu of %zu items ended ERASED", (unsigned long long)items[0].key,
            present ? "present" : "absent", erased, n);
}

void model_erase(struct model *model, const uint64_t *keys, size_t n)
{
    struct model_batch batch = {.statuses = make_bytes(n)};
    require_status(ROOST_OK, table_erase(&model->table, keys, n, batch.statuses), model->table.handle);
    check_groups(model, &batch, keys, n, check_erased);
    model_find(model, keys, n);
    check_table(model);
    free(batch.statuses);
}

void model_clear(struct model *model)
{
    require_status(ROOST_OK, roost_table_clear(model->table.handle), model->table.handle);
    reference_clear(model->reference);
    check_table(model);
}

void model_reserve(struct model *model, uint64_t keys)
{
    require_status(ROOST_OK, roost_table_reserve(model->table.handle, keys), model->table.handle);
    /* roost.h has the rule */
    struct fill_rules *const rules = &model->rules;
    const uint64_t ahead = rules->reserved + rules->reserved / 4;
    if (keys > rules->reserved) rules->reserved = keys < ahead && reference_count(model->reference) ? ahead : keys;
    else if (keys < rules->asked) rules->reserved = keys;
    rules->asked = keys;
    require_status(ROOST_OK, roost_table_sync(model->table.handle, NULL), model->table.handle);
    check_table(model);
}

/* ---- Contents -------------------------------------------------------------------------------- */

void model_compare(struct model *model)
{
    const uint64_t slots = table_stats(&model->table).slots;
    struct pairs pairs = table_export(&model->table, settings_rounds(1000, 1000 + slots / 4));
    struct reference *seen = reference_make();
    for (size_t i = 0; i < pairs.n; i++) {
        uint64_t value = 0;
        require(reference_get(model->reference, pairs.keys[i], &value), "key %#llx was exported, but never inserted",
                (unsigned long long)pairs.keys[i]);
        require(is_same(&model->table.shape, pairs.values[i], value), "key %#llx was exported with value %#llx instead of %#llx",
                (unsigned long long)pairs.keys[i], (unsigned long long)pairs.values[i], (unsigned long long)value);
        require(!reference_get(seen, pairs.keys[i], NULL), "key %#llx was exported twice", (unsigned long long)pairs.keys[i]);
        reference_put(seen, pairs.keys[i], 0);
    }
    require(pairs.n == reference_count(model->reference), "%zu pairs were exported, not %llu", pairs.n,
            (unsigned long long)reference_count(model->reference));
    reference_free(seen);
    pairs_free(&pairs);
}
