/* Mixed batches against the exact reference. */
#include "support/mixes.h"

#include "support/sequences.h"
#include "roost/mixed.h"

#include <stdlib.h>

struct mixed mixed_make(size_t n)
{
    return (struct mixed){n, make_bytes(n), make_patterns(n), make_patterns(n), make_patterns(n), make_bytes(n)};
}

void mixed_free(struct mixed *mixed)
{
    free(mixed->operations);
    free(mixed->keys);
    free(mixed->values_in);
    free(mixed->values_out);
    free(mixed->statuses);
}

uint8_t draw_operation(struct dice *dice, const struct test_shape *shape)
{
    return (uint8_t)draw_below(dice, ROOST_OP_INSERT + mode_count(shape));
}

static uint64_t untouched(const struct test_shape *shape, size_t i) { return (mix64(i) | 1) & width_mask(shape->value_bytes); }

void mixed_draw(struct mixed *mixed, struct dice *dice, const struct test_shape *shape, size_t n, uint64_t among, bool once)
{
    /* odd: visits all of 2^k places */
    const uint64_t first = draw_below(dice, among), stride = 2 * draw_below(dice, among) + 1;
    require(!once || (n <= among && (among & (among - 1)) == 0), "no walk over %zu of %llu keys", n, (unsigned long long)among);
    mixed->n = n;
    for (size_t i = 0; i < n; i++) {
        mixed->operations[i] = draw_operation(dice, shape);
        mixed->keys[i] = distinct_key(shape, once ? (first + i * stride) % among : draw_below(dice, among));
        mixed->values_in[i] = draw_value(dice, shape->value_type) & width_mask(shape->value_bytes);
        mixed->values_out[i] = untouched(shape, i);
    }
}

static uint8_t step_insert(struct model *model, roost_mode mode, uint64_t key, uint64_t operand)
{
    uint64_t value = 0;
    const roost_type type = model->table.shape.value_type;
    const bool present = reference_get(model->reference, key, &value);
    if (shape_is_set(&model->table.shape)) operand = 0;
    else if (present) operand = reference_combine(mode, type, model->saturate, value, operand);
    reference_put(model->reference, key, operand);
    return !present ? ROOST_ITEM_INSERTED : mode == ROOST_KEEP ? ROOST_ITEM_KEPT : ROOST_ITEM_UPDATED;
}

uint8_t mixed_step(struct model *model, uint8_t operation, uint64_t key, uint64_t operand, uint64_t *value)
{
    key &= width_mask(model->table.shape.key_bytes);
    if (operation == ROOST_OP_FIND) return reference_get(model->reference, key, value) ? ROOST_ITEM_FOUND : ROOST_ITEM_ABSENT;
    if (operation == ROOST_OP_ERASE) return reference_remove(model->reference, key) ? ROOST_ITEM_ERASED : ROOST_ITEM_ABSENT;
    return step_insert(model, (roost_mode)(operation - ROOST_OP_INSERT), key, operand);
}

/* Item i must have ended with this status and, at a find that hits, this value. */
static void check_item(const struct model *model, const struct mixed *mixed, size_t i, uint8_t status, uint64_t value)
{
    require(mixed->statuses[i] == status, "item %zu, operation %u on key %#llx: status %u instead of %u", i, mixed->operations[i],
            (unsigned long long)mixed->keys[i], mixed->statuses[i], status);
    require(shape_is_set(&model->table.shape) || mixed->values_out[i] == value,
            "item %zu, operation %u on key %#llx: value %#llx, not %#llx", i, mixed->operations[i],
            (unsigned long long)mixed->keys[i], (unsigned long long)mixed->values_out[i], (unsigned long long)value);
}

static void check_carried_out(struct model *model, const struct mixed *mixed, size_t i)
{
    uint64_t value = untouched(&model->table.shape, i);
    const uint8_t status = mixed_step(model, mixed->operations[i], mixed->keys[i], mixed->values_in[i], &value);
    check_item(model, mixed, i, status, value);
}

void mixed_check(struct model *model, const struct mixed *mixed)
{
    for (size_t i = 0; i < mixed->n; i++) check_carried_out(model, mixed, i);
}

/* The keys of refused inserts, with their statuses. */
static struct reference *refused_keys(const struct model *model, const struct mixed *mixed, size_t *n)
{
    struct reference *keys = reference_make();
    *n = 0;
    for (size_t i = 0; i < mixed->n; i++) {
        const uint64_t key = mixed->keys[i] & width_mask(model->table.shape.key_bytes);
        if (mixed->statuses[i] != ROOST_ITEM_FULL && mixed->statuses[i] != ROOST_ITEM_NO_MEMORY) continue;
        require(!reference_get(model->reference, key, NULL), "item %zu: key %#llx was stored, but is refused room", i,
                (unsigned long long)key);
        reference_put(keys, key, mixed->statuses[i]);
        (*n)++;
    }
    return keys;
}

size_t mixed_check_refused(struct model *model, const struct mixed *mixed, roost_status status)
{
    size_t n;
    struct reference *refused = refused_keys(model, mixed, &n);
    for (size_t i = 0; i < mixed->n; i++) {
        uint64_t why = 0;
        const uint64_t key = mixed->keys[i] & width_mask(model->table.shape.key_bytes);
        const bool insert = mixed->operations[i] >= ROOST_OP_INSERT;
        if (!reference_get(refused, key, &why)) check_carried_out(model, mixed, i);
        else check_item(model, mixed, i, insert ? (uint8_t)why : ROOST_ITEM_ABSENT, untouched(&model->table.shape, i));
    }
    require((status == ROOST_OK) == (n == 0), "%zu items were refused, but the call said %s", n, roost_status_name(status));
    reference_free(refused);
    return n;
}

static void check_numbers(struct model *model)
{
    require(table_stats(&model->table).count == reference_count(model->reference), "the table counts %llu keys, not %llu",
            (unsigned long long)table_stats(&model->table).count, (unsigned long long)reference_count(model->reference));
    if (model->looking) *model->looking = true;
    table_check(&model->table);
    if (model->looking) *model->looking = false;
}

void model_apply(struct model *model, struct mixed *mixed, uint32_t flags)
{
    require_status(ROOST_OK, table_apply(&model->table, mixed, flags), model->table.handle);
    mixed_check(model, mixed);
    check_numbers(model);
}

size_t model_apply_refused(struct model *model, struct mixed *mixed, uint32_t flags)
{
    const roost_status status = table_apply(&model->table, mixed, flags);
    const size_t n = mixed_check_refused(model, mixed, status);
    check_numbers(model);
    return n;
}

void mixed_rounds(struct model *model, size_t rounds, size_t most, uint64_t among)
{
    struct mixed mixed = mixed_make(most);
    struct dice dice = {suite_seed()};
    for (size_t round = 0; round < rounds; round++) {
        const size_t n = round < 3 ? round : 1 + draw_below(&dice, most);
        suite_step("round %zu, %zu items", round, n);
        mixed_draw(&mixed, &dice, &model->table.shape, n, among, true);
        model_apply(model, &mixed, 0);
    }
    model_compare(model);
    mixed_free(&mixed);
}
