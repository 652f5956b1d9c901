/* The widths and types of keys and values that tables are tested with.  Tests hold keys and values as 64-bit patterns; the
 * shape says how many of the low bytes count and how they are laid into a call's arrays. */
#ifndef ROOST_TESTS_SHAPES_H
#define ROOST_TESTS_SHAPES_H

#include <roost/roost.h>
#include <stdbool.h>

struct shape {
    const char *name; /* "4+4": key and value bytes */
    roost_type key_type;
    roost_type value_type;
    unsigned key_bytes;
    unsigned value_bytes;
};

#define SHAPE_COUNT 6
/* 4+4, 8+8, 8+4, 4+8, 4+0, 8+0, all of unsigned types. */
extern const struct shape shapes[SHAPE_COUNT];

/* A place in shapes[], by widths alone. */
unsigned shape_index(const struct shape *shape);

/* The same widths with another type of value. */
struct shape shape_of_value(roost_type key_type, roost_type value_type);

unsigned type_bytes(roost_type type);
const char *type_name(roost_type type);
bool type_is_float(roost_type type);
bool shape_is_set(const struct shape *shape);
bool shape_has_values(const struct shape *shape);
bool shape_has_wide_keys(const struct shape *shape);

/* The pattern with all bits of a width set. */
uint64_t width_mask(unsigned bytes);

/* Lays n patterns into an array of items of `bytes` bytes, and reads them back. */
void pack(const uint64_t *patterns, size_t n, unsigned bytes, void *array);
void unpack(const void *array, size_t n, unsigned bytes, uint64_t *patterns);

#endif
