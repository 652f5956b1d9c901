/* The widths and types of keys and values that tables are tested with. */
#include "support/shapes.h"

#include <stdlib.h>
#include <string.h>

const struct test_shape shapes[SHAPE_COUNT] = {
    {"4+4", ROOST_TYPE_U32, ROOST_TYPE_U32, 4, 4},  {"8+8", ROOST_TYPE_U64, ROOST_TYPE_U64, 8, 8},
    {"8+4", ROOST_TYPE_U64, ROOST_TYPE_U32, 8, 4},  {"4+8", ROOST_TYPE_U32, ROOST_TYPE_U64, 4, 8},
    {"4+0", ROOST_TYPE_U32, ROOST_TYPE_NONE, 4, 0}, {"8+0", ROOST_TYPE_U64, ROOST_TYPE_NONE, 8, 0},
};

const struct test_shape wide_shapes[WIDE_COUNT] = {
    {"1+0", ROOST_TYPE_BYTES, ROOST_TYPE_NONE, 1, 0},      {"1+4 u32", ROOST_TYPE_BYTES, ROOST_TYPE_U32, 1, 4},
    {"2+0", ROOST_TYPE_BYTES, ROOST_TYPE_NONE, 2, 0},      {"2+8 u64", ROOST_TYPE_BYTES, ROOST_TYPE_U64, 2, 8},
    {"3+1", ROOST_TYPE_BYTES, ROOST_TYPE_BYTES, 3, 1},     {"4+3", ROOST_TYPE_U32, ROOST_TYPE_BYTES, 4, 3},
    {"4+16", ROOST_TYPE_BYTES, ROOST_TYPE_BYTES, 4, 16},   {"5+4 f32", ROOST_TYPE_BYTES, ROOST_TYPE_F32, 5, 4},
    {"7+12", ROOST_TYPE_BYTES, ROOST_TYPE_BYTES, 7, 12},   {"8+100", ROOST_TYPE_U64, ROOST_TYPE_BYTES, 8, 100},
    {"8+256", ROOST_TYPE_BYTES, ROOST_TYPE_BYTES, 8, 256}, {"12+0", ROOST_TYPE_BYTES, ROOST_TYPE_NONE, 12, 0},
    {"12+12", ROOST_TYPE_BYTES, ROOST_TYPE_BYTES, 12, 12}, {"12+4 u32", ROOST_TYPE_BYTES, ROOST_TYPE_U32, 12, 4},
    {"16+8 u64", ROOST_TYPE_BYTES, ROOST_TYPE_U64, 16, 8}, {"16+16", ROOST_TYPE_BYTES, ROOST_TYPE_BYTES, 16, 16},
    {"24+8 f64", ROOST_TYPE_BYTES, ROOST_TYPE_F64, 24, 8}, {"31+4 i32", ROOST_TYPE_BYTES, ROOST_TYPE_I32, 31, 4},
    {"32+8 i64", ROOST_TYPE_BYTES, ROOST_TYPE_I64, 32, 8}, {"64+0", ROOST_TYPE_BYTES, ROOST_TYPE_NONE, 64, 0},
    {"64+8 u64", ROOST_TYPE_BYTES, ROOST_TYPE_U64, 64, 8}, {"127+3", ROOST_TYPE_BYTES, ROOST_TYPE_BYTES, 127, 3},
    {"128+8", ROOST_TYPE_BYTES, ROOST_TYPE_BYTES, 128, 8}, {"128+4096", ROOST_TYPE_BYTES, ROOST_TYPE_BYTES, 128, 4096},
};

const struct test_shape string_shapes[STRING_COUNT] = {
    {"s+0", ROOST_TYPE_STRING, ROOST_TYPE_NONE, 8, 0},        {"s+4 u32", ROOST_TYPE_STRING, ROOST_TYPE_U32, 8, 4},
    {"s+8 i64", ROOST_TYPE_STRING, ROOST_TYPE_I64, 8, 8},     {"s+8 f64", ROOST_TYPE_STRING, ROOST_TYPE_F64, 8, 8},
    {"s+5", ROOST_TYPE_STRING, ROOST_TYPE_BYTES, 8, 5},       {"s+256", ROOST_TYPE_STRING, ROOST_TYPE_BYTES, 8, 256},
    {"s+4096", ROOST_TYPE_STRING, ROOST_TYPE_BYTES, 8, 4096},
};

static const struct test_shape *find_named(const struct test_shape *list, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(list[i].name, name)) return &list[i];
    return NULL;
}

const struct test_shape *shape_named(const char *name)
{
    const struct test_shape *found = find_named(shapes, SHAPE_COUNT, name);
    if (!found) found = find_named(wide_shapes, WIDE_COUNT, name);
    if (!found) found = find_named(string_shapes, STRING_COUNT, name);
    if (!found) abort();
    return found;
}

unsigned shape_index(const struct test_shape *shape)
{
    unsigned i = 0;
    if (shape_has_strings(shape)) return SHAPE_COUNT;
    while (i < SHAPE_COUNT && (shapes[i].key_bytes != shape->key_bytes || shapes[i].value_bytes != shape->value_bytes)) i++;
    return i;
}

struct test_shape shape_of_value(const struct test_shape *keys, roost_type value_type)
{
    struct test_shape shape = *keys;
    shape.value_type = value_type;
    shape.value_bytes = type_bytes(value_type);
    return shape;
}

unsigned type_bytes(roost_type type)
{
    switch (type) {
    case ROOST_TYPE_U32:
    case ROOST_TYPE_I32:
    case ROOST_TYPE_F32: return 4;
    case ROOST_TYPE_U64:
    case ROOST_TYPE_I64:
    case ROOST_TYPE_F64: return 8;
    case ROOST_TYPE_NONE: return 0;
    case ROOST_TYPE_BYTES:
    case ROOST_TYPE_STRING: break;
    }
    abort(); /* no width of their own */
}

const char *type_name(roost_type type)
{
    static const char *const names[] = {"none", "u32", "u64", "i32", "i64", "f32", "f64", "bytes", "string"};
    return names[type];
}

bool type_is_float(roost_type type) { return type == ROOST_TYPE_F32 || type == ROOST_TYPE_F64; }

bool shape_is_any(const struct test_shape *shape)
{
    (void)shape;
    return true;
}

bool shape_is_set(const struct test_shape *shape) { return shape->value_bytes == 0; }

bool shape_has_values(const struct test_shape *shape) { return shape->value_bytes > 0; }

bool shape_has_wide_keys(const struct test_shape *shape) { return shape->key_bytes == 8; }

bool shape_has_strings(const struct test_shape *shape) { return shape->key_type == ROOST_TYPE_STRING; }

bool shape_has_fixed_keys(const struct test_shape *shape) { return !shape_has_strings(shape); }

bool shape_has_arithmetic(const struct test_shape *shape)
{
    return shape->value_type != ROOST_TYPE_NONE && shape->value_type != ROOST_TYPE_BYTES;
}

bool shape_is_unsigned(const struct test_shape *shape)
{
    return shape->value_type == ROOST_TYPE_U32 || shape->value_type == ROOST_TYPE_U64;
}

unsigned shape_key_bits(const struct test_shape *shape) { return 8 * (shape->key_bytes < 8 ? shape->key_bytes : 8); }

uint64_t width_mask(unsigned bytes) { return bytes >= 8 ? ~UINT64_C(0) : (UINT64_C(1) << 8 * bytes) - 1; }
