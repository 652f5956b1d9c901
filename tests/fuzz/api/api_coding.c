/* How the numbers of the fuzzer's model become keys and values of a table. */
#include "fuzz/api/api_coding.h"

#include "support/draw.h"

#include <string.h>

enum { WORD = 8 };

uint64_t coding_key_mask(const struct coding *coding)
{
    return shape_has_strings(&coding->shape) ? ~UINT64_C(0) : width_mask(coding->shape.key_bytes);
}

uint64_t coding_value_mask(const struct coding *coding) { return width_mask(coding->shape.value_bytes); }

/* ---- Bytes ----------------------------------------------------------------------------------- */

/* Writes bytes that follow from a number. */
static void derive(uint64_t number, unsigned char *to, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += WORD) {
        const uint64_t word = mix64(number + i + 1);
        memcpy(to + i, &word, bytes - i < WORD ? bytes - i : WORD);
    }
}

static bool is_derived(uint64_t number, const unsigned char *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += WORD) {
        const uint64_t word = mix64(number + i + 1);
        if (memcmp(at + i, &word, bytes - i < WORD ? bytes - i : WORD) != 0) return false;
    }
    return true;
}

/* ---- Keys ------------------------------------------------------------------------------------ */

/* Digits of a number in the numeration of base 256 whose digits are 1 to 256: every string of
 * bytes is a number's. */
static size_t digits_of(uint64_t id, unsigned char *digits)
{
    size_t n = 0;
    for (; id; id = (id - 1) >> 8, n++) digits[n] = (unsigned char)(id - 1);
    return n;
}

static bool number_of(const unsigned char *digits, size_t n, uint64_t *id)
{
    *id = 0;
    for (size_t i = n; i-- > 0;) {
        if (*id > (UINT64_MAX - digits[i] - 1) >> 8) return false;
        *id = (*id << 8) + digits[i] + 1;
    }
    return true;
}

static size_t tail_bytes(const struct coding *coding, uint64_t id)
{
    return coding->spread ? (size_t)(mix64(~id) % (coding->spread + 1)) : 0;
}

static size_t string_bytes(const struct coding *coding, uint64_t id)
{
    unsigned char digits[2 * WORD];
    if (coding->strings == STRINGS_LONG) return WORD + tail_bytes(coding, id);
    return coding->prefix + digits_of(id, digits);
}

static void string_write(const struct coding *coding, uint64_t id, unsigned char *key)
{
    unsigned char digits[2 * WORD];
    if (coding->strings == STRINGS_LONG) {
        memcpy(key, &id, WORD);
        derive(id, key + WORD, tail_bytes(coding, id));
        return;
    }
    const size_t n = digits_of(id, digits);
    memset(key, coding->fill, coding->prefix);
    memcpy(key + coding->prefix, digits, n);
}

static bool string_read(const struct coding *coding, const unsigned char *key, size_t bytes, uint64_t *id)
{
    if (coding->strings == STRINGS_LONG) {
        if (bytes < WORD) return false;
        memcpy(id, key, WORD);
        return bytes == WORD + tail_bytes(coding, *id) && is_derived(*id, key + WORD, bytes - WORD);
    }
    if (bytes < coding->prefix || bytes > coding->prefix + WORD) return false;
    for (size_t i = 0; i < coding->prefix; i++)
        if (key[i] != coding->fill) return false;
    return number_of(key + coding->prefix, bytes - coding->prefix, id);
}

size_t coding_key_bytes(const struct coding *coding, uint64_t id)
{
    return shape_has_strings(&coding->shape) ? string_bytes(coding, id) : coding->shape.key_bytes;
}

void coding_key(const struct coding *coding, uint64_t id, unsigned char *key)
{
    const size_t bytes = coding->shape.key_bytes;
    if (shape_has_strings(&coding->shape)) {
        string_write(coding, id, key);
        return;
    }
    if (bytes <= WORD) {
        memcpy(key, &id, bytes);
        return;
    }
    if (coding->derived) derive(id, key, bytes);
    else memset(key, coding->fill, bytes);
    memcpy(key + coding->place, &id, WORD);
}

bool coding_id(const struct coding *coding, const unsigned char *key, size_t bytes, uint64_t *id)
{
    unsigned char same[ROOST_KEY_BYTES_MOST];
    if (shape_has_strings(&coding->shape)) return string_read(coding, key, bytes, id);
    *id = 0;
    memcpy(id, bytes <= WORD ? key : key + coding->place, bytes < WORD ? bytes : WORD);
    if (bytes <= WORD) return true;
    coding_key(coding, *id, same);
    return memcmp(same, key, bytes) == 0;
}

/* ---- Values ---------------------------------------------------------------------------------- */

void coding_value(const struct coding *coding, uint64_t number, unsigned char *values, size_t i)
{
    const size_t bytes = coding->shape.value_bytes;
    unsigned char *const at = values + i * bytes;
    memcpy(at, &number, bytes < WORD ? bytes : WORD);
    if (bytes > WORD) derive(number, at + WORD, bytes - WORD);
}

bool coding_number(const struct coding *coding, const unsigned char *values, size_t i, uint64_t *number)
{
    const size_t bytes = coding->shape.value_bytes;
    const unsigned char *const at = values + i * bytes;
    *number = 0;
    memcpy(number, at, bytes < WORD ? bytes : WORD);
    return bytes <= WORD || is_derived(*number, at + WORD, bytes - WORD);
}
