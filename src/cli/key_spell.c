/* Keys as text: decimal, base 36, the letters of a k-mer, hexadecimal, or text with escapes. */
#define _GNU_SOURCE 1
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/key_count.h"

/* ---- Integers -------------------------------------------------------------------------------- */

static const char *spell_base36(char *text, uint64_t key)
{
    char *first = text + KEY_TEXT - 1;
    *first = 0;
    do *--first = "0123456789abcdefghijklmnopqrstuvwxyz"[key % 36];
    while ((key /= 36) > 0);
    return first;
}

/* Counted keys fit their forms; those of somebody else's snapshot may be any.  These are spelled as
 * numbers. */
static bool kmer_fits(uint64_t key, unsigned kmer) { return kmer >= 32 || key >> (2 * kmer) == 0; }

/* Times of years 0 to 9999. */
static bool seconds_fit(int64_t seconds) { return seconds >= INT64_C(-62167219200) && seconds < INT64_C(253402300800); }

static const char *spell_number(char *text, struct key_form form, uint64_t key)
{
    if (form.spelling == SPELL_I32 || form.spelling == SPELL_DATE) snprintf(text, KEY_TEXT, "%" PRId32, (int32_t)key);
    else if (form.spelling == SPELL_I64 || form.spelling == SPELL_TIME) snprintf(text, KEY_TEXT, "%" PRId64, (int64_t)key);
    else snprintf(text, KEY_TEXT, "%" PRIu64, key);
    return text;
}

static const char *spell_kmer(char *text, uint64_t key, unsigned kmer)
{
    for (unsigned i = 0; i < kmer; i++) text[i] = "ACGT"[key >> 2 * (kmer - 1 - i) & 3];
    text[kmer] = 0;
    return text;
}

static const char *spell_fixed(char *text, int64_t key, unsigned decimals)
{
    uint64_t unit = 1;
    for (unsigned i = 0; i < decimals; i++) unit *= 10;
    const uint64_t size = key < 0 ? 0 - (uint64_t)key : (uint64_t)key;
    const int length = snprintf(text, KEY_TEXT, "%s%" PRIu64, key < 0 ? "-" : "", size / unit);
    if (decimals > 0) snprintf(text + length, KEY_TEXT - (size_t)length, ".%0*" PRIu64, (int)decimals, size % unit);
    return text;
}

static const char *spell_time(char *text, int64_t microseconds, const char *format)
{
    const int64_t rest = microseconds % 1000000, fraction = rest < 0 ? rest + 1000000 : rest;
    const time_t seconds = (time_t)((microseconds - fraction) / 1000000);
    struct tm tm;
    gmtime_r(&seconds, &tm);
    const int year = snprintf(text, KEY_TEXT, "%04d", tm.tm_year + 1900);
    const size_t length = (size_t)year + strftime(text + year, KEY_TEXT - (size_t)year, format, &tm);
    if (fraction > 0) snprintf(text + length, KEY_TEXT - length, ".%06d", (int)fraction);
    return text;
}

static const char *spell_integer(char *text, struct key_form form, uint64_t key)
{
    const int64_t date = (int64_t)(int32_t)key * 86400, time = (int64_t)key;
    if (form.spelling == SPELL_FIXED) return spell_fixed(text, (int64_t)key, form.decimals);
    if (form.spelling == SPELL_DATE && seconds_fit(date)) return spell_time(text, date * 1000000, "-%m-%d");
    if (form.spelling == SPELL_TIME && seconds_fit(time / 1000000)) return spell_time(text, time, "-%m-%dT%H:%M:%S");
    if (form.spelling == SPELL_BASE36) return spell_base36(text, key);
    if (form.spelling == SPELL_KMER && kmer_fits(key, form.kmer)) return spell_kmer(text, key, form.kmer);
    return spell_number(text, form, key);
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

static char *put_hex(char *to, uint8_t byte)
{
    *to++ = "0123456789abcdef"[byte >> 4];
    *to++ = "0123456789abcdef"[byte & 15];
    return to;
}

/* The bytes of the character that begins at `at`, or 0 if its first byte must be escaped.  The
 * rule is well-formed UTF-8 by table 3-7 of the Unicode standard, without the control characters
 * of both halves of Latin-1. */
static size_t plain_length(const uint8_t *at, size_t n)
{
    static const uint32_t least[] = {0, 0, 0xa0, 0x800, 0x10000};
    const uint8_t first = at[0];
    if (first < 0x80) return first >= ' ' && first != 0x7f && first != '\\';
    const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || n < length) return 0;
    uint32_t code = first & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80) return 0;
        code = code << 6 | (at[i] & 0x3f);
    }
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    return code >= least[length] && code <= 0x10ffff && !surrogate ? length : 0;
}

static char *put_escaped(char *to, uint8_t byte)
{
    static const char names[] = "\t\n\r\\", letters[] = "tnr\\";
    const char *name = (const char *)memchr(names, byte, sizeof names - 1);
    *to++ = '\\';
    if (name != NULL) *to++ = letters[name - names];
    else {
        *to++ = 'x';
        to = put_hex(to, byte);
    }
    return to;
}

static char *put_text(char *to, struct key_bytes key)
{
    for (size_t i = 0; i < key.length;) {
        const size_t plain = plain_length(key.at + i, key.length - i);
        if (plain == 0) {
            to = put_escaped(to, key.at[i++]);
        } else {
            memcpy(to, key.at + i, plain);
            to += plain;
            i += plain;
        }
    }
    return to;
}

/* Are the bits above the letters 0? */
static bool wide_kmer_fits(struct key_bytes key, unsigned kmer)
{
    const unsigned above = (unsigned)(8 * key.length) - 2 * kmer;
    uint8_t set = above % 8 != 0 ? (uint8_t)(key.at[above / 8] >> (8 - above % 8)) : 0;
    for (unsigned i = 0; i < above / 8; i++) set |= key.at[i];
    return set == 0;
}

static char *put_kmer(char *to, struct key_bytes key, unsigned kmer)
{
    for (unsigned place = (unsigned)(4 * key.length) - kmer; place < 4 * key.length; place++)
        *to++ = "ACGT"[key.at[place / 4] >> (6 - 2 * (place % 4)) & 3];
    return to;
}

/* A byte takes at most four characters. */
static bool make_room(struct key_text *text, size_t length)
{
    if (length > SIZE_MAX / 16) return false;
    if (4 * length < text->room) return true;
    const size_t room = 8 * length + 64;
    char *grown = (char *)realloc(text->grown, room);
    if (grown == NULL) return false;
    text->grown = grown;
    text->room = room;
    return true;
}

const char *key_spell_bytes(struct key_text *text, struct key_form form, struct key_bytes key)
{
    if (!make_room(text, key.length)) return NULL;
    char *to = text->grown;
    if (form.spelling == SPELL_HEX || (form.spelling == SPELL_WIDE_KMER && !wide_kmer_fits(key, form.kmer)))
        for (size_t i = 0; i < key.length; i++) to = put_hex(to, key.at[i]);
    else to = form.spelling == SPELL_WIDE_KMER ? put_kmer(to, key, form.kmer) : put_text(to, key);
    *to = 0;
    return text->grown;
}

const char *key_spell(struct key_text *text, struct key_form form, const struct key_store *store, uint64_t key)
{
    if (form.spelling >= SPELL_WIDE_KMER) return key_spell_bytes(text, form, key_store_get(store, key));
    return spell_integer(text->fixed, form, key);
}

void key_text_release(struct key_text *text)
{
    free(text->grown);
    memset(text, 0, sizeof *text);
}
