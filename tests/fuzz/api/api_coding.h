/* How the numbers of the fuzzer's model become keys and values of a table: of any width, or
 * strings.  Different numbers become different keys. */
#ifndef ROOST_TESTS_API_CODING_H
#define ROOST_TESTS_API_CODING_H

#include "support/shapes.h"

/* How strings are made of numbers. */
enum coding_strings {
    STRINGS_SHORT, /* all strings of 0 to 8 bytes in turn, behind a prefix that all have */
    STRINGS_LONG   /* the number's 8 bytes, and up to `spread` more that follow from it */
};

struct coding {
    struct test_shape shape;
    unsigned place; /* keys of more than 8 bytes: where the number's bytes lie */
    bool derived;   /* the other bytes follow from the number; else all are `fill` */
    uint8_t fill;   /* and the bytes of the prefix */
    enum coding_strings strings;
    unsigned prefix, spread; /* bytes */
};

/* Bits in which keys, and values, differ. */
uint64_t coding_key_mask(const struct coding *coding);
uint64_t coding_value_mask(const struct coding *coding);

/* Bytes of a key; for strings: of the number's own one. */
size_t coding_key_bytes(const struct coding *coding, uint64_t id);
void coding_key(const struct coding *coding, uint64_t id, unsigned char *key);
/* The number of a key; false: no number has this key. */
bool coding_id(const struct coding *coding, const unsigned char *key, size_t bytes, uint64_t *id);

/* Writes and reads value i of an array; false: no number has this value. */
void coding_value(const struct coding *coding, uint64_t number, unsigned char *values, size_t i);
bool coding_number(const struct coding *coding, const unsigned char *values, size_t i, uint64_t *number);

#endif
