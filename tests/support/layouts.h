/* How 64-bit patterns are laid into a call's arrays: into keys and values of any width, and into strings.  Every byte is the pattern's or follows
 * from it and its place, so whoever reads back fails the test where one is missing, or where a value is put together from two. */
#ifndef ROOST_TESTS_LAYOUTS_H
#define ROOST_TESTS_LAYOUTS_H

#include "support/shapes.h"

/* Values of `bytes` bytes: above 8 of them each further word is the first one turned, by whole half bytes, so that values of one half byte alone, 0
 * and UNTOUCHED_BYTE among them, stay what they are.  Keys of up to 8 bytes are laid out so, too. */
void pack(const uint64_t *patterns, size_t n, unsigned bytes, void *array);
void unpack(const void *array, size_t n, unsigned bytes, uint64_t *patterns);

/* Keys of `bytes` bytes: above 8 of them the pattern's are scattered from the first byte to the last, among others that are the same in all keys. */
void pack_keys(const uint64_t *patterns, size_t n, unsigned bytes, void *array);
void unpack_keys(const void *array, size_t n, unsigned bytes, uint64_t *patterns);

/* Strings.  Patterns below 2^40 are the short ones, of 0 to 5 bytes: all that there are, in the order of their lengths, so that many begin others.
 * Above that they have 8 bytes or more, one in 64 of them above 300, laid out as keys. */
size_t string_bytes(uint64_t pattern);
void string_write(uint64_t pattern, void *string);
uint64_t string_read(const void *string, size_t bytes);

enum { STRING_LONGEST = 8 + 31 + 300 };

#endif
