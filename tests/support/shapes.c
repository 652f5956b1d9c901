/* The widths and types of keys and values that tables are tested with. */
#include "support/shapes.h"

#include <stdlib.h>

const struct shape shapes[SHAPE_COUNT] = {
    {"4+4", ROOST_TYPE_U32, ROOST_TYPE_U32, 4, 4},  {"8+8", ROOST_TYPE_U64, ROOST_TYPE_U64, 8, 8},
    {"8+4", ROOST_TYPE_U64, ROOST_TYPE_U32, 8, 4},  {"4+8", ROOST_TYPE_U32, ROOST_TYPE_U64, 4, 8},
    {"4+0", ROOST_TYPE_U32, ROOST_TYPE_NONE, 4, 0}, {"8+0", ROOST_TYPE_U64, ROOST_TYPE_NONE, 8, 0},
};

unsigned shape_index(const struct shape *shape)
{
    unsigned i = 0;
    while (shapes[i].key_bytes != shape->key_bytes || shapes[i].value_bytes != shape->value_bytes) i++;
    return i;
}

struct shape shape_of_value(roost_type key_type, roost_type value_type)
{
    struct shape shape = {"", key_type, value_type, type_bytes(key_type), type_bytes(value_type)};
    shape.name = shapes[shape_index(&shape)].name;
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
    case ROOST_TYPE_BYTES: break;
    }
    abort(); /* BYTES has no width of its own */
}

const char *type_name(roost_type type)
{
    static const char *const names[] = {"none", "u32", "u64", "i32", "i64", "f32", "f64", "bytes"};
    return names[type];
}

bool type_is_float(roost_type type) { return type == ROOST_TYPE_F32 || type == ROOST_TYPE_F64; }

bool shape_is_set(const struct shape *shape) { return shape->value_bytes == 0; }

bool shape_has_values(const struct shape *shape) { return shape->value_bytes > 0; }

bool shape_has_wide_keys(const struct shape *shape) { return shape->key_bytes == 8; }

uint64_t width_mask(unsigned bytes) { return bytes == 8 ? ~UINT64_C(0) : (UINT64_C(1) << 8 * bytes) - 1; }

void pack(const uint64_t *patterns, size_t n, unsigned bytes, void *array)
{
    uint64_t *wide = array;
    uint32_t *narrow = array;
    for (size_t i = 0; i < n; i++) {
        if (bytes == 8) wide[i] = patterns[i];
        else if (bytes == 4) narrow[i] = (uint32_t)patterns[i];
    }
}

void unpack(const void *array, size_t n, unsigned bytes, uint64_t *patterns)
{
    const uint64_t *wide = array;
    const uint32_t *narrow = array;
    for (size_t i = 0; i < n; i++) patterns[i] = bytes == 8 ? wide[i] : bytes == 4 ? narrow[i] : 0;
}
