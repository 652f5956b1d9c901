/* Parses keys by their forms. */
#include "cli/key_parse.h"

#include <stdio.h>
#include <string.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "io/io_field.h"
#include "io/io_kmers.h"

enum { NUMBER_TEXT = 64 /* bytes of a number's text at most */ };

/* ---- Integers -------------------------------------------------------------------------------- */

static bool parse_base36(const char *text, uint64_t *key)
{
    *key = 0;
    for (const char *at = text; *at != 0; at++) {
        const char lower = *at >= 'A' && *at <= 'Z' ? (char)(*at - 'A' + 'a') : *at;
        const bool digit = lower >= '0' && lower <= '9', letter = lower >= 'a' && lower <= 'z';
        const uint64_t value = (uint64_t)(digit ? lower - '0' : lower - 'a' + 10);
        if ((!digit && !letter) || *key > (UINT64_MAX - value) / 36) return false;
        *key = *key * 36 + value;
    }
    return *text != 0;
}

static bool parse_field(const struct key_form *form, struct key_bytes text, uint64_t *key)
{
    static const enum io_field fields[] = {[SPELL_I32] = IO_SIGNED_I32,
                                           [SPELL_I64] = IO_SIGNED_I64,
                                           [SPELL_FIXED] = IO_FIXED,
                                           [SPELL_DATE] = IO_DATE,
                                           [SPELL_TIME] = IO_TIME};
    const struct io_spec spec = {.field = fields[form->spelling], .decimals = form->decimals};
    return io_field_parse(&spec, (const char *)text.at, text.length, key) == IO_PARSED;
}

static bool parse_integer(const struct key_meaning *meaning, struct key_bytes text, uint64_t *key)
{
    char copy[NUMBER_TEXT];
    const uint64_t most = meaning->kind.bytes == 4 ? UINT32_MAX : UINT64_MAX;
    const enum key_spelling spelling = meaning->form.spelling;
    if (spelling != SPELL_UNSIGNED && spelling != SPELL_BASE36) return parse_field(&meaning->form, text, key);
    if (text.length >= sizeof copy || memchr(text.at, 0, text.length) != NULL) return false;
    memcpy(copy, text.at, text.length);
    copy[text.length] = 0;
    return spelling == SPELL_BASE36 ? parse_base36(copy, key) : argument_number(copy, 0, most, key);
}

/* ---- k-mers ---------------------------------------------------------------------------------- */

/* By the window of the readers of FASTA, so that letters mean the same. */
static bool parse_kmer(const struct key_meaning *meaning, struct key_bytes text, void *key)
{
    struct io_stream stream = {.at = text.at, .end = text.at + text.length};
    struct io_reader reader = {.stream = &stream, .spec = {.kmer = meaning->form.kmer, .one_strand = !meaning->canonical}};
    struct io_kmers kmers;
    struct io_error error;
    if (text.length != meaning->form.kmer || io_kmers_begin(&kmers, &reader, &error) != IO_OK) return false;
    return io_kmers_take(&kmers, &stream, key, 0, 1) == 1;
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

/* The value of a hexadecimal digit; -1: it is none. */
static int hex_digit(uint8_t digit)
{
    static const char digits[] = "0123456789abcdef";
    const char lower = digit >= 'A' && digit <= 'F' ? (char)(digit - 'A' + 'a') : (char)digit;
    const char *at = (const char *)memchr(digits, lower, sizeof digits - 1);
    return at != NULL ? (int)(at - digits) : -1;
}

static bool take_hex(struct key_bytes text, size_t at, uint8_t *byte)
{
    if (at + 2 > text.length) return false;
    const int high = hex_digit(text.at[at]), low = hex_digit(text.at[at + 1]);
    *byte = (uint8_t)(16 * (high < 0 ? 0 : high) + (low < 0 ? 0 : low));
    return high >= 0 && low >= 0;
}

static bool parse_hex(struct key_bytes text, uint8_t *key, size_t bytes)
{
    bool good = text.length == 2 * bytes;
    for (size_t i = 0; good && i < bytes; i++) good = take_hex(text, 2 * i, &key[i]);
    return good;
}

/* Takes \t, \n, \r, \\ or \xHH, of which *at is the first byte. */
static bool take_escape(struct key_bytes text, size_t *at, uint8_t *byte)
{
    static const char names[] = "tnr\\", bytes[] = "\t\n\r\\";
    const uint8_t name = *at + 1 < text.length ? text.at[*at + 1] : 0;
    const char *const found = name != 0 ? (const char *)memchr(names, name, sizeof names - 1) : NULL;
    if (found != NULL) *byte = (uint8_t)bytes[found - names];
    else if (name != 'x' || !take_hex(text, *at + 2, byte)) return false;
    *at += found != NULL ? 2 : 4;
    return true;
}

/* Writes at most as many bytes as the text has.  False: an escape is none. */
static bool unescape(struct key_bytes text, uint8_t *to, size_t *length)
{
    *length = 0;
    for (size_t at = 0; at < text.length;) {
        uint8_t byte = text.at[at];
        if (byte != '\\') at++;
        else if (!take_escape(text, &at, &byte)) return false;
        to[(*length)++] = byte;
    }
    return true;
}

static int parse_string(struct key_batch *batch, struct key_bytes text)
{
    size_t length;
    uint8_t *const to = key_batch_string(batch, text.length);
    if (to == NULL) return command_fail("out of memory for a key of %zu bytes", text.length);
    if (!unescape(text, to, &length)) return KEY_NOT_PARSED;
    key_batch_string_end(batch, length);
    return 0;
}

/* Text for keys of one width. */
static bool parse_text(struct key_bytes text, uint8_t *key, size_t bytes)
{
    uint8_t whole[4 * IO_KEY_BYTES_MAX];
    size_t length;
    if (text.length > sizeof whole || !unescape(text, whole, &length) || length != bytes) return false;
    memcpy(key, whole, bytes);
    return true;
}

/* ---- All of them ----------------------------------------------------------------------------- */

int key_parse(struct key_batch *batch, const struct key_meaning *meaning, struct key_bytes text)
{
    const size_t bytes = meaning->kind.bytes;
    uint64_t number = 0;
    bool good;
    if (meaning->kind.type == IO_STRING) return parse_string(batch, text);
    uint8_t *const key = (uint8_t *)batch->keys + batch->n * bytes;
    switch (meaning->form.spelling) {
    case SPELL_KMER:
    case SPELL_WIDE_KMER: good = parse_kmer(meaning, text, key); break;
    case SPELL_HEX: good = parse_hex(text, key, bytes); break;
    case SPELL_TEXT: good = parse_text(text, key, bytes); break;
    default:
        good = parse_integer(meaning, text, &number);
        memcpy(key, &number, bytes); /* of an integer the lowest bytes come first */
    }
    batch->n += good;
    return good ? 0 : KEY_NOT_PARSED;
}

const char *key_parse_words(const struct key_meaning *meaning, char words[KEY_WORDS_TEXT])
{
    const unsigned kmer = meaning->form.kmer;
    switch (meaning->form.spelling) {
    case SPELL_UNSIGNED: snprintf(words, KEY_WORDS_TEXT, "a decimal number of %zu bits", 8 * meaning->kind.bytes); break;
    case SPELL_I32:
    case SPELL_I64: snprintf(words, KEY_WORDS_TEXT, "a signed number of %zu bits", 8 * meaning->kind.bytes); break;
    case SPELL_BASE36: snprintf(words, KEY_WORDS_TEXT, "a base-36 number of 64 bits"); break;
    case SPELL_FIXED: snprintf(words, KEY_WORDS_TEXT, "a number with at most %u decimals", meaning->form.decimals); break;
    case SPELL_DATE: snprintf(words, KEY_WORDS_TEXT, "a date as 2026-12-31"); break;
    case SPELL_TIME: snprintf(words, KEY_WORDS_TEXT, "a time as 2026-12-31T23:59:59"); break;
    case SPELL_KMER:
    case SPELL_WIDE_KMER: snprintf(words, KEY_WORDS_TEXT, "a %u-mer of the letters A, C, G and T", kmer); break;
    case SPELL_HEX: snprintf(words, KEY_WORDS_TEXT, "%zu bytes in hexadecimal", meaning->kind.bytes); break;
    case SPELL_TEXT:
        if (meaning->kind.type == IO_STRING)
            snprintf(words, KEY_WORDS_TEXT, "a text whose escapes are \\t, \\n, \\r, \\\\ and \\xHH");
        else snprintf(words, KEY_WORDS_TEXT, "a text of %zu bytes", meaning->kind.bytes);
        break;
    }
    return words;
}
