/* The widths and types of keys and values that tables are tested with.  Tests hold keys and values as 64-bit patterns; the
 * shape says how many of the low bytes count and how they are laid into a call's arrays. */
#ifndef ROOST_TESTS_SHAPES_H
#define ROOST_TESTS_SHAPES_H

#include <roost/roost.h>
#include <stdbool.h>

struct test_shape {
    const char *name; /* "4+4": key and value bytes */
    roost_type key_type;
    roost_type value_type;
    unsigned key_bytes;
    unsigned value_bytes;
};

#define SHAPE_COUNT 6
/* 4+4, 8+8, 8+4, 4+8, 4+0, 8+0, all of unsigned types. */
extern const struct test_shape shapes[SHAPE_COUNT];

/* Keys of other widths, and values; and strings, whose widths of keys are those of the patterns that they are made of.  They are for engines
 * whose info says so.  Sets have a 0 in their name, typed values their type. */
#define WIDE_COUNT 24
#define STRING_COUNT 7
extern const struct test_shape wide_shapes[WIDE_COUNT];
extern const struct test_shape string_shapes[STRING_COUNT];

/* One of all these. */
const struct test_shape *shape_named(const char *name);

/* A place in shapes[], by widths alone; SHAPE_COUNT if it is none of them. */
unsigned shape_index(const struct test_shape *shape);

/* The same keys with another type of value. */
struct test_shape shape_of_value(const struct test_shape *keys, roost_type value_type);

unsigned type_bytes(roost_type type);
const char *type_name(roost_type type);
bool type_is_float(roost_type type);
bool shape_is_any(const struct test_shape *shape);
bool shape_is_set(const struct test_shape *shape);
bool shape_has_values(const struct test_shape *shape);
bool shape_has_wide_keys(const struct test_shape *shape);
bool shape_has_strings(const struct test_shape *shape);
bool shape_has_fixed_keys(const struct test_shape *shape); /* all that are no strings */
bool shape_has_arithmetic(const struct test_shape *shape);
bool shape_is_unsigned(const struct test_shape *shape); /* its values, which have arithmetic then */

/* How many bits of a pattern count in a key. */
unsigned shape_key_bits(const struct test_shape *shape);

/* The pattern with all bits of a width set, or all bits there are. */
uint64_t width_mask(unsigned bytes);

#endif
