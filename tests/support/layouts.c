/* How 64-bit patterns are laid out in a call's arrays. */
#include "support/layouts.h"

#include "support/draw.h"
#include "support/suite.h"

#include <string.h>

/* ---- Values ---------------------------------------------------------------------------------- */

/* The i-th word of a value: the pattern rotated by i half bytes. */
static uint64_t turned(uint64_t pattern, size_t i)
{
    const unsigned by = 4 * (i % 16);
    return by ? pattern << by | pattern >> (64 - by) : pattern;
}

static void value_write(uint64_t pattern, unsigned bytes, unsigned char *value)
{
    for (unsigned at = 0; at < bytes; at += 8) {
        const uint64_t word = turned(pattern, at / 8);
        memcpy(value + at, &word, bytes - at < 8 ? bytes - at : 8);
    }
}

static uint64_t value_read(const unsigned char *value, unsigned bytes)
{
    uint64_t pattern = 0;
    memcpy(&pattern, value, bytes < 8 ? bytes : 8);
    for (unsigned at = 8; at < bytes; at += 8) {
        const uint64_t word = turned(pattern, at / 8);
        require(!memcmp(value + at, &word, bytes - at < 8 ? bytes - at : 8),
                "a value of %u bytes that begins with %#llx is not of one piece: not at byte %u", bytes,
                (unsigned long long)pattern, at);
    }
    return pattern;
}

void pack(const uint64_t *patterns, size_t n, unsigned bytes, void *array)
{
    for (size_t i = 0; i < n && bytes; i++) value_write(patterns[i], bytes, (unsigned char *)array + i * bytes);
}

void unpack(const void *array, size_t n, unsigned bytes, uint64_t *patterns)
{
    for (size_t i = 0; i < n; i++) patterns[i] = bytes ? value_read((const unsigned char *)array + i * bytes, bytes) : 0;
}

/* ---- Keys ------------------------------------------------------------------------------------ */

/* Where the pattern's i-th byte is in a key of more than 8 bytes. */
static size_t place(size_t bytes, unsigned i) { return i * (bytes - 1) / 7; }

static unsigned char filler(size_t at) { return (unsigned char)(at * 29 + 7); }

static void key_write(uint64_t pattern, size_t bytes, unsigned char *key)
{
    for (size_t at = 0; at < bytes && bytes > 8; at++) key[at] = filler(at);
    for (unsigned i = 0; i < 8 && i < bytes; i++) key[bytes > 8 ? place(bytes, i) : i] = (unsigned char)(pattern >> 8 * i);
}

static uint64_t key_read(const unsigned char *key, size_t bytes)
{
    uint64_t pattern = 0;
    unsigned next = 0;
    for (size_t at = 0; at < bytes; at++) {
        if (bytes <= 8 || (next < 8 && at == place(bytes, next))) pattern |= (uint64_t)key[at] << 8 * next++;
        else require(key[at] == filler(at), "byte %zu of a key of %zu bytes is %u", at, bytes, key[at]);
    }
    return pattern;
}

void pack_keys(const uint64_t *patterns, size_t n, unsigned bytes, void *array)
{
    for (size_t i = 0; i < n; i++) key_write(patterns[i], bytes, (unsigned char *)array + i * bytes);
}

void unpack_keys(const void *array, size_t n, unsigned bytes, uint64_t *patterns)
{
    for (size_t i = 0; i < n; i++) patterns[i] = key_read((const unsigned char *)array + i * bytes, bytes);
}

/* ---- Strings --------------------------------------------------------------------------------- */

#define SHORT_PATTERNS (UINT64_C(1) << 40)

/* Short strings are numbers with the digits 1 to 256, least significant first: each string is
 * one number, and the empty string is 0. */
static size_t short_write(uint64_t pattern, unsigned char *string)
{
    size_t n = 0;
    for (; pattern; pattern = (pattern - 1) / 256, n++)
        if (string) string[n] = (unsigned char)(pattern - 1);
    return n;
}

static uint64_t short_read(const unsigned char *string, size_t n)
{
    uint64_t pattern = 0;
    while (n) pattern = pattern * 256 + string[--n] + 1;
    return pattern;
}

size_t string_bytes(uint64_t pattern)
{
    const uint64_t mixed = mix64(pattern);
    if (pattern < SHORT_PATTERNS) return short_write(pattern, NULL);
    return 8 + mixed % 32 + (mixed >> 58 ? 0 : 300);
}

void string_write(uint64_t pattern, void *string)
{
    if (pattern < SHORT_PATTERNS) short_write(pattern, string);
    else key_write(pattern, string_bytes(pattern), string);
}

uint64_t string_read(const void *string, size_t bytes)
{
    if (bytes < 8) return short_read(string, bytes);
    const uint64_t pattern = key_read(string, bytes);
    require(string_bytes(pattern) == bytes, "a string of %zu bytes instead of %zu", bytes, string_bytes(pattern));
    return pattern;
}
