/* Draws rows, groups them, and exports the groups. */
#include "support/group_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/settings.h"
#include "support/tables.h"

/* ---- Rows ------------------------------------------------------------------------------------ */

void rows_begin(struct rows *r, const struct variant *variant, size_t room)
{
    memset(r, 0, sizeof *r);
    r->variant = variant;
    r->dice.state = suite_seed() + variant->placement;
    r->room = room;
}

void rows_key(struct rows *r, struct column_kind kind, unsigned distinct)
{
    kind.distinct = (uint16_t)(kind.bytes == 1 && distinct > 250 ? 250 : distinct);
    r->numbers[r->keys] = new_array(r->room, sizeof(uint16_t));
    r->key[r->keys++] = kind;
}

void rows_value(struct rows *r, roost_type type, bool nullable, enum draws draws)
{
    struct value_column *const v = &r->value[r->values++];
    v->kind = (struct column_kind){.type = type, .nullable = nullable};
    v->draws = draws;
    v->words = make_patterns(r->room);
    v->valid = new_array(r->room, sizeof *v->valid);
}

void rows_aggregate(struct rows *r, roost_aggregate_kind kind, int column)
{
    if (r->aggregates == AGGREGATES_MOST) abort();
    r->aggregate[r->aggregates++] = (roost_aggregate){kind, column};
}

void rows_first(struct rows *r)
{
    rows_value(r, ROOST_TYPE_U64, false, DRAW_ANY);
    rows_aggregate(r, ROOST_FIRST, 0);
}

void rows_end(struct rows *r)
{
    roost_group_destroy(r->group);
    for (int i = 0; i < r->keys; i++) free(r->numbers[i]);
    for (int i = 0; i < r->values; i++) free(r->value[i].words), free(r->value[i].valid);
}

roost_status rows_create(struct rows *r)
{
    roost_group_config config = ROOST_GROUP_CONFIG_INIT;
    roost_column keys[KEYS_MOST], values[VALUES_MOST];
    for (int i = 0; i < r->keys; i++) keys[i] = column_type(&r->key[i]);
    for (int i = 0; i < r->values; i++) values[i] = column_type(&r->value[i].kind);
    config.engine = table_engine(r->variant);
    config.device = settings_get()->device;
    config.threads = r->variant->threads;
    config.flags = r->flags;
    config.capacity = r->capacity;
    config.key_columns = r->keys, config.keys = keys;
    config.value_columns = r->values, config.values = values;
    config.aggregates = r->aggregates, config.aggregate = r->aggregate;
    return roost_group_create(&r->group, &config);
}

void rows_open(struct rows *r) { require_status(ROOST_OK, rows_create(r), NULL); }

static uint64_t float_word(struct dice *dice, roost_type type, bool nans)
{
    const uint64_t form = draw_below(dice, 8);
    double value = (double)(int64_t)(draw_below(dice, 4001) - 2000) / 2;
    if (form == 0) value = -0.0;
    if (form == 1 && nans) value = draw(dice) & 1 ? -NAN : NAN;
    return value_bits(type, value);
}

static uint64_t value_draw(struct dice *dice, const struct value_column *v)
{
    const unsigned bytes = kind_bytes(&v->kind);
    if (v->kind.type == ROOST_TYPE_F32 || v->kind.type == ROOST_TYPE_F64)
        return float_word(dice, v->kind.type, v->draws == DRAW_NAN);
    if (v->draws == DRAW_ANY) return (draw(dice) & 1 ? draw(dice) : mix64(draw_below(dice, 9))) & width_mask(bytes);
    const bool has_sign = v->kind.type == ROOST_TYPE_I32 || v->kind.type == ROOST_TYPE_I64;
    return (draw_below(dice, 2000) - (has_sign ? 1000 : 0)) & width_mask(bytes);
}

void rows_draw(struct rows *r, size_t n)
{
    if (r->n + n > r->room) abort();
    for (size_t i = r->n; i < r->n + n; i++) {
        for (int k = 0; k < r->keys; k++) {
            const bool null = r->key[k].nullable && !draw_below(&r->dice, 6);
            r->numbers[k][i] = (uint16_t)(null ? 0 : 1 + draw_below(&r->dice, r->key[k].distinct));
        }
        for (int v = 0; v < r->values; v++) {
            r->value[v].words[i] = v ? value_draw(&r->dice, &r->value[v]) : i;
            r->value[v].valid[i] = !r->value[v].kind.nullable || draw_below(&r->dice, 3);
        }
    }
}

roost_status rows_give(struct rows *r, size_t n)
{
    struct batch_columns keys, values;
    batch_begin(&keys, n);
    batch_begin(&values, n);
    for (int k = 0; k < r->keys; k++) batch_keys(&keys, &r->key[k], r->numbers[k] + r->n, &r->dice, r->variant->placement);
    for (int v = 0; v < r->values; v++)
        batch_words(&values, &r->value[v].kind, r->value[v].words + r->n, r->value[v].valid + r->n, &r->dice,
                    r->variant->placement);
    const roost_status status = roost_group_add(r->group, keys.given, values.given, n, NULL);
    if (!status) r->n += n;
    column_batch_free(&keys);
    column_batch_free(&values);
    return status;
}

void rows_send(struct rows *r, size_t n) { require_status(ROOST_OK, rows_give(r, n), NULL); }

void rows_add(struct rows *r, size_t n)
{
    rows_draw(r, n);
    rows_send(r, n);
}

/* ---- Exports --------------------------------------------------------------------------------- */

static roost_type sum_type(roost_type type)
{
    if (type_is_float(type)) return ROOST_TYPE_F64;
    return type == ROOST_TYPE_I32 || type == ROOST_TYPE_I64 ? ROOST_TYPE_I64 : ROOST_TYPE_U64;
}

roost_type result_type(const struct rows *r, const roost_aggregate *a)
{
    const roost_type type = a->kind ? r->value[a->column].kind.type : ROOST_TYPE_U64;
    switch (a->kind) {
    case ROOST_SUM: return sum_type(type);
    case ROOST_MEAN: return ROOST_TYPE_F64;
    case ROOST_SMALLEST:
    case ROOST_LARGEST:
    case ROOST_FIRST:
    case ROOST_ANY: return type;
    default: return ROOST_TYPE_U64;
    }
}

static void results_make(struct rows *r, struct results *a, roost_result *given, size_t bytes, size_t room)
{
    *given = (roost_result)ROOST_RESULT_INIT;
    a->values = placed_make(bytes, 8);
    a->validity = placed_make((room + 7) / 8, 1);
    a->offsets = placed_make((room + 1) * 8, 8);
    placed_send(&a->values, placement_turn(&r->dice, r->variant->placement));
    placed_send(&a->validity, placement_turn(&r->dice, r->variant->placement));
    placed_send(&a->offsets, placement_turn(&r->dice, r->variant->placement));
    given->values = placed_given(&a->values);
    given->validity = placed_given(&a->validity);
    given->offsets = placed_given(&a->offsets);
}

static void results_fetch(struct results *a)
{
    array_fetch(&a->values.array), array_fetch(&a->validity.array), array_fetch(&a->offsets.array);
}

static void results_free(struct results *a)
{
    array_free(&a->values.array), array_free(&a->validity.array), array_free(&a->offsets.array);
}

void exported_make(struct rows *r, struct exported *e, size_t room, size_t bytes_room)
{
    for (int k = 0; k < r->keys; k++) {
        const size_t bytes = kind_bytes(&r->key[k]) ? room * kind_bytes(&r->key[k]) : bytes_room;
        results_make(r, &e->key[k], &e->keys[k], bytes, room);
        e->keys[k].bytes_room = bytes_room;
    }
    for (int a = 0; a < r->aggregates; a++)
        results_make(r, &e->aggregate[a], &e->results[a], room * type_bytes(result_type(r, &r->aggregate[a])), room);
}

roost_status exported_call(struct rows *r, struct exported *e, uint64_t first, size_t room)
{
    const roost_status status = roost_group_export(r->group, first, room, e->keys, e->results, &e->n);
    for (int k = 0; k < r->keys; k++) results_fetch(&e->key[k]);
    for (int a = 0; a < r->aggregates; a++) results_fetch(&e->aggregate[a]);
    return status;
}

void exported_free(const struct rows *r, struct exported *e)
{
    for (int k = 0; k < r->keys; k++) results_free(&e->key[k]);
    for (int a = 0; a < r->aggregates; a++) results_free(&e->aggregate[a]);
}

bool result_valid(const struct results *a, size_t i) { return ((const uint8_t *)placed_host(&a->validity))[i / 8] >> i % 8 & 1; }

uint64_t result_word(const struct results *a, unsigned bytes, size_t i)
{
    uint64_t word = 0;
    memcpy(&word, (const char *)placed_host(&a->values) + i * bytes, bytes);
    return word;
}
