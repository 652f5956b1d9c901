/* The widths and types of keys and values that tables are tested with. Tests hold keys and values
 * as 64-bit patterns. The shape says how many of the low bytes count, and how a call's arrays hold
 * them. */
#ifndef ROOST_TESTS_SHAPES_H
#define ROOST_TESTS_SHAPES_H

#include <roost/roost.h>
#include <stdbool.h>

struct test_shape {
    const char *name; /* "4+4": bytes of a key and of a value */
    roost_type key_type;
    roost_type value_type;
    unsigned key_bytes;
    unsigned value_bytes;
};

#define SHAPE_COUNT 6
/* 4+4, 8+8, 8+4, 4+8, 4+0, 8+0, all of unsigned types. */
extern const struct test_shape shapes[SHAPE_COUNT];

/* Keys and values of other widths, and strings, for engines whose info says that they support
 * them. A string's key width is that of the pattern that it is made from. Sets have a 0 in their
 * name, typed values their type. */
#define WIDE_COUNT 24
#define STRING_COUNT 7
extern const struct test_shape wide_shapes[WIDE_COUNT];
extern const struct test_shape string_shapes[STRING_COUNT];

/* The shape with this name, among all of these. */
const struct test_shape *shape_named(const char *name);

/* The index in shapes[], by widths alone; SHAPE_COUNT if there is none. */
unsigned shape_index(const struct test_shape *shape);

/* The same keys with another value type. */
struct test_shape shape_of_value(const struct test_shape *keys, roost_type value_type);

unsigned type_bytes(roost_type type);
const char *type_name(roost_type type);
bool type_is_float(roost_type type);
bool shape_is_any(const struct test_shape *shape);
bool shape_is_set(const struct test_shape *shape);
bool shape_has_values(const struct test_shape *shape);
bool shape_has_wide_keys(const struct test_shape *shape);
bool shape_has_strings(const struct test_shape *shape);
bool shape_has_fixed_keys(const struct test_shape *shape); /* all except strings */
bool shape_has_arithmetic(const struct test_shape *shape);
/* of its values, which then have arithmetic */
bool shape_is_unsigned(const struct test_shape *shape);

/* The number of bits of a pattern that count in a key. */
unsigned shape_key_bits(const struct test_shape *shape);

/* The pattern with all bits of the width set; at most 64. */
uint64_t width_mask(unsigned bytes);

#endif
