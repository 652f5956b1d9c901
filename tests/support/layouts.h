/* How 64-bit patterns are laid out in a call's arrays: as keys and values of any width, and as
 * strings. Every byte follows from the pattern and the byte's place. Reading back fails the test
 * if a byte is wrong, or if a value mixes two patterns. */
#ifndef ROOST_TESTS_LAYOUTS_H
#define ROOST_TESTS_LAYOUTS_H

#include "support/shapes.h"

/* Values of `bytes` bytes. Beyond 8 bytes, each further word is the first one rotated by whole
 * half bytes. So values of one repeated half byte, such as 0 and UNTOUCHED_BYTE, stay the same
 * at every width. Keys of up to 8 bytes have this layout, too. */
void pack(const uint64_t *patterns, size_t n, unsigned bytes, void *array);
void unpack(const void *array, size_t n, unsigned bytes, uint64_t *patterns);

/* Keys of `bytes` bytes. Beyond 8, the pattern's bytes are scattered from the first byte to the
 * last; the other bytes are the same in all keys. */
void pack_keys(const uint64_t *patterns, size_t n, unsigned bytes, void *array);
void unpack_keys(const void *array, size_t n, unsigned bytes, uint64_t *patterns);

/* Strings. Patterns below 2^40 are short strings, of 0 to 5 bytes: nearly all of them, ordered
 * by length, so that many are prefixes of others. Higher patterns have 8 bytes or more, one in
 * 64 of them more than 300, laid out as keys. */
size_t string_bytes(uint64_t pattern);
void string_write(uint64_t pattern, void *string);
uint64_t string_read(const void *string, size_t bytes);

enum { STRING_LONGEST = 8 + 31 + 300 };

#endif
