/* Columns of rows for groups and joins. */
#include "support/columns.h"

#include "support/tables.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *new_array(size_t n, size_t bytes)
{
    void *const memory = calloc(n + 1, bytes);
    if (!memory) abort();
    return memory;
}

/* ---- Items ----------------------------------------------------------------------------------- */

unsigned kind_bytes(const struct column_kind *kind)
{
    switch (kind->type) {
    case ROOST_TYPE_STRING: return 0;
    case ROOST_TYPE_BYTES: return kind->bytes;
    case ROOST_TYPE_U32:
    case ROOST_TYPE_I32:
    case ROOST_TYPE_F32: return 4;
    default: return 8;
    }
}

enum { FLOAT_NAN = 1, FLOAT_ZERO, FLOAT_INFINITY, FLOAT_MINUS_INFINITY, FLOAT_TINY };

static double float_of(uint64_t number, double tiny)
{
    switch (number) {
    case FLOAT_ZERO: return 0;
    case FLOAT_INFINITY: return INFINITY;
    case FLOAT_MINUS_INFINITY: return -INFINITY;
    case FLOAT_TINY: return tiny;
    default: return number % 2 ? (double)number * -0.5 : (double)number;
    }
}

static uint64_t f32_bits(uint64_t number, struct dice *dice)
{
    const uint64_t form = dice ? dice_draw(dice) : 0;
    const float value = (float)float_of(number, (double)FLT_MIN / 4);
    uint32_t bits;
    if (number == FLOAT_NAN) return 0x7f800000u | (form & 0x803fffff) | (form & 1 << 23 ? 0x400000u : 1);
    if (number == FLOAT_ZERO) return form & 0x80000000u;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t f64_bits(uint64_t number, struct dice *dice)
{
    const uint64_t form = dice ? dice_draw(dice) : 0;
    const double value = float_of(number, DBL_MIN / 4);
    uint64_t bits;
    if (number == FLOAT_NAN) return 0x7ffULL << 52 | (form & 0x8007ffffffffffff) | (form & 1ULL << 52 ? 1ULL << 51 : 1);
    if (number == FLOAT_ZERO) return form & 1ULL << 63;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Integers: those with special bits first. */
static uint64_t integer_bits(uint64_t number)
{
    static const uint64_t special[] = {0, ~0ULL, 0x8000000080000000u, 0x7fffffff7fffffffu};
    return number <= 4 ? special[number - 1] : mix64(number) << 32 | mix32((uint32_t)number);
}

static unsigned text_write(uint64_t number, unsigned char *to)
{
    unsigned n = number % 97 ? (unsigned)(number % 7) : 300;
    if (number == 1) return 0;
    memset(to, number % 97 ? 0 : 'y', n);
    return n + (unsigned)sprintf((char *)to + n, "%llu", (unsigned long long)number);
}

unsigned item_write(const struct column_kind *kind, uint64_t number, struct dice *dice, unsigned char *to)
{
    const unsigned bytes = kind_bytes(kind);
    const bool is_float = type_is_float(kind->type);
    const uint64_t bits = !is_float ? integer_bits(number) : bytes == 4 ? f32_bits(number, dice) : f64_bits(number, dice);
    if (!bytes) return text_write(number, to);
    if (kind->type != ROOST_TYPE_BYTES) return memcpy(to, &bits, bytes), bytes;
    memset(to, 0x5a, bytes);
    to[bytes - 1] = (unsigned char)number;
    if (bytes > 1) to[0] = (unsigned char)(number >> 8);
    return bytes;
}

static bool is_nan(const struct column_kind *kind, const void *bytes)
{
    float narrow;
    double wide;
    memcpy(kind->type == ROOST_TYPE_F32 ? (void *)&narrow : (void *)&wide, bytes, kind_bytes(kind));
    return kind->type == ROOST_TYPE_F32 ? isnan(narrow) : isnan(wide);
}

bool item_is(const struct column_kind *kind, uint64_t number, const void *bytes, size_t n)
{
    unsigned char is[ITEM_MOST], should[ITEM_MOST];
    const bool is_float = type_is_float(kind->type);
    const unsigned length = item_write(kind, number, NULL, should);
    if (n != length) return false;
    if (!n) return true;
    if (is_float && number == FLOAT_NAN) return is_nan(kind, bytes);
    memcpy(is, bytes, n);
    if (is_float && number == FLOAT_ZERO) is[n - 1] &= 0x7f;
    return !memcmp(is, should, n);
}

/* ---- Kinds ----------------------------------------------------------------------------------- */

roost_column column_type(const struct column_kind *kind)
{
    roost_column type = ROOST_COLUMN_INIT;
    type.type = kind->type;
    type.bytes = kind->bytes;
    type.offset_bytes = kind->offset_bytes ? kind->offset_bytes : 8;
    type.nullable = kind->nullable;
    return type;
}

const struct column_kind *all_kinds(size_t *n)
{
    enum { WORDS = 11 /* kinds that each engine stores */ };
    static const struct column_kind kinds[] = {
        {.type = ROOST_TYPE_U32},
        {.type = ROOST_TYPE_I32},
        {.type = ROOST_TYPE_U64},
        {.type = ROOST_TYPE_I64},
        {.type = ROOST_TYPE_F32},
        {.type = ROOST_TYPE_F64},
        {.type = ROOST_TYPE_BYTES, .bytes = 1},
        {.type = ROOST_TYPE_BYTES, .bytes = 2},
        {.type = ROOST_TYPE_BYTES, .bytes = 3},
        {.type = ROOST_TYPE_BYTES, .bytes = 5},
        {.type = ROOST_TYPE_BYTES, .bytes = 8},
        {.type = ROOST_TYPE_BYTES, .bytes = 12},
        {.type = ROOST_TYPE_BYTES, .bytes = 128},
        {.type = ROOST_TYPE_STRING, .offset_bytes = 4},
        {.type = ROOST_TYPE_STRING, .offset_bytes = 8},
    };
    *n = engine_is_built("stadium") ? sizeof kinds / sizeof kinds[0] : WORDS;
    return kinds;
}

void kinds_draw(struct dice *dice, struct column_kind *kinds, int n, unsigned distinct)
{
    size_t all;
    const struct column_kind *const from = all_kinds(&all);
    for (int i = 0; i < n; i++) {
        kinds[i] = from[draw_below(dice, all)];
        kinds[i].nullable = draw(dice) & 1;
        kinds[i].distinct = (uint16_t)(kinds[i].bytes == 1 && distinct > 200 ? 200 : distinct);
    }
}

/* ---- Arrays ---------------------------------------------------------------------------------- */

bool placement_turn(struct dice *dice, enum placement placement)
{
    return placement == PLACE_DEVICE || (placement == PLACE_MIXED && draw(dice) & 1);
}

struct placed placed_make(size_t bytes, size_t alignment)
{
    const size_t all = (bytes + 64) / 64 * 64 + 63; /* array_make adds one byte */
    return (struct placed){array_make(all), (all + 1 - bytes) / alignment * alignment};
}

void *placed_host(const struct placed *placed) { return (char *)placed->array.host + placed->slack; }
void *placed_given(const struct placed *placed) { return placed->array.given ? (char *)placed->array.given + placed->slack : NULL; }

/* The last byte of the memory is beyond what array_make says there is. */
void placed_send(struct placed *placed, bool to_device)
{
    placed->array.bytes++;
    array_send(&placed->array, to_device);
}

/* ---- Batches --------------------------------------------------------------------------------- */

void batch_begin(struct batch_columns *batch, size_t n)
{
    memset(batch, 0, sizeof *batch);
    batch->n = n;
}

static struct column *column_add(struct batch_columns *batch, const struct column_kind *kind)
{
    struct column *const c = &batch->column[batch->columns++];
    if (batch->columns > COLUMNS_MOST) abort();
    c->kind = *kind;
    return c;
}

/* Bits of the last byte beyond the rows are any. */
static void validity_make(struct column *c, size_t n, const bool *valid, struct dice *dice, enum placement placement)
{
    c->validity = placed_make((n + 7) / 8, 1);
    uint8_t *const bits = placed_host(&c->validity);
    memset(bits, (int)draw(dice), (n + 7) / 8);
    for (size_t i = 0; i < n; i++) bits[i / 8] = (uint8_t)((bits[i / 8] & ~(1u << i % 8)) | (unsigned)valid[i] << i % 8);
    placed_send(&c->validity, placement_turn(dice, placement));
}

static void column_finish(struct batch_columns *batch, const struct column *c)
{
    roost_column *const given = &batch->given[batch->columns - 1];
    *given = column_type(&c->kind);
    given->values = placed_given(&c->values);
    given->offsets = placed_given(&c->offsets);
    given->validity = placed_given(&c->validity);
}

/* Items that are NULL have any bytes. */
static size_t form(const struct column_kind *kind, uint16_t number, struct dice *dice, unsigned char *to)
{
    if (number) return item_write(kind, number, dice, to);
    const size_t bytes = kind_bytes(kind) ? kind_bytes(kind) : draw_below(dice, 20);
    if (draw(dice) & 1) return item_write(kind, 1 + draw_below(dice, kind->distinct), dice, to);
    for (size_t i = 0; i < bytes; i++) to[i] = (unsigned char)draw(dice);
    return bytes;
}

static void strings_make(struct column *c, size_t n, const uint16_t *numbers, struct dice *dice)
{
    unsigned char item[ITEM_MOST];
    uint64_t *const ends = new_array(n + 1, sizeof *ends);
    ends[0] = draw_below(dice, 2) * 5; /* a slice of an array begins anywhere */
    struct dice again = *dice;
    for (size_t i = 0; i < n; i++) ends[i + 1] = ends[i] + form(&c->kind, numbers[i], dice, item);
    c->values = placed_make(ends[n], 1);
    for (size_t i = 0; i < n; i++) {
        const size_t bytes = form(&c->kind, numbers[i], &again, item);
        memcpy((char *)placed_host(&c->values) + ends[i], item, bytes);
    }
    c->offsets = placed_make((n + 1) * (unsigned)c->kind.offset_bytes, 8);
    for (size_t i = 0; i <= n; i++) {
        const uint32_t narrow = (uint32_t)ends[i];
        if (c->kind.offset_bytes == 4) memcpy((char *)placed_host(&c->offsets) + 4 * i, &narrow, 4);
        else memcpy((char *)placed_host(&c->offsets) + 8 * i, &ends[i], 8);
    }
    free(ends);
}

void batch_keys(struct batch_columns *batch, const struct column_kind *kind, const uint16_t *numbers, struct dice *dice,
                enum placement placement)
{
    struct column *const c = column_add(batch, kind);
    const unsigned bytes = kind_bytes(kind);
    bool any = false, *const valid = new_array(batch->n, sizeof *valid);
    unsigned char item[ITEM_MOST];
    for (size_t i = 0; i < batch->n; i++) any |= !(valid[i] = numbers[i] != 0);
    if (bytes) c->values = placed_make(batch->n * bytes, kind->type == ROOST_TYPE_BYTES && bytes != 8 ? 1 : 8);
    for (size_t i = 0; bytes && i < batch->n; i++) {
        (void)form(kind, numbers[i], dice, item);
        memcpy((char *)placed_host(&c->values) + i * bytes, item, bytes);
    }
    if (!bytes) strings_make(c, batch->n, numbers, dice);
    placed_send(&c->values, placement_turn(dice, placement));
    if (!bytes) placed_send(&c->offsets, placement_turn(dice, placement));
    if (any || (kind->nullable && draw(dice) & 1)) validity_make(c, batch->n, valid, dice, placement);
    column_finish(batch, c);
    free(valid);
}

void batch_words(struct batch_columns *batch, const struct column_kind *kind, const uint64_t *words, const bool *valid,
                 struct dice *dice, enum placement placement)
{
    struct column *const c = column_add(batch, kind);
    const unsigned bytes = kind_bytes(kind);
    c->values = placed_make(batch->n * bytes, 8);
    for (size_t i = 0; i < batch->n; i++) memcpy((char *)placed_host(&c->values) + i * bytes, &words[i], bytes);
    placed_send(&c->values, placement_turn(dice, placement));
    if (valid && kind->nullable) validity_make(c, batch->n, valid, dice, placement);
    column_finish(batch, c);
}

void column_batch_free(struct batch_columns *batch)
{
    for (int i = 0; i < batch->columns; i++) {
        struct column *const c = &batch->column[i];
        array_free(&c->values.array);
        array_free(&c->offsets.array);
        array_free(&c->validity.array);
    }
    batch->columns = 0;
}
