/* Rows of csv and tsv as text in memory. */
#include "cli/row_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint8_t *row_text_room(struct row_text *text, size_t bytes)
{
    if (text->used + bytes > text->room) {
        const size_t room = 2 * (text->used + bytes) + 64;
        uint8_t *const more = (uint8_t *)realloc(text->bytes, room);
        text->failed = text->failed || more == NULL;
        if (more == NULL) return NULL;
        text->bytes = more;
        text->room = room;
    }
    return text->bytes + text->used;
}

void row_text_add(struct row_text *text, const void *bytes, size_t n)
{
    uint8_t *const to = row_text_room(text, n);
    if (to == NULL) return;
    if (n > 0) memcpy(to, bytes, n);
    text->used += n;
}

uint8_t *row_digits(uint64_t number, uint8_t *end)
{
    do {
        *--end = (uint8_t)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    return end;
}

void row_text_unsigned(struct row_text *text, uint64_t number)
{
    uint8_t digits[24], *const end = digits + sizeof digits, *const at = row_digits(number, end);
    row_text_add(text, at, (size_t)(end - at));
}

void row_text_number(struct row_text *text, int64_t number)
{
    if (number < 0) row_text_byte(text, '-');
    row_text_unsigned(text, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
}

void row_text_real(struct row_text *text, double number)
{
    char digits[40];
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, number);
        if (strtod(digits, NULL) == number) break;
    }
    row_text_add(text, digits, strlen(digits));
}

/* Has the field one of the bytes that need quotes? */
static bool needs_quotes(const uint8_t *field, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (field[i] == ',' || field[i] == '"' || field[i] == '\r' || field[i] == '\n') return true;
    return n == 0;
}

static void add_tsv(struct row_text *text, const uint8_t *field, size_t n)
{
    for (size_t i = 0; i < n; i++) text->failed = text->failed || field[i] == '\t' || field[i] == '\r' || field[i] == '\n';
    row_text_add(text, field, n);
}

void row_text_field(struct row_text *text, const uint8_t *field, size_t n, bool tsv)
{
    if (tsv) add_tsv(text, field, n);
    else if (!needs_quotes(field, n)) row_text_add(text, field, n);
    else {
        row_text_byte(text, '"');
        for (size_t i = 0; i < n; i++) {
            if (field[i] == '"') row_text_byte(text, '"');
            row_text_byte(text, (char)field[i]);
        }
        row_text_byte(text, '"');
    }
}

void row_text_release(struct row_text *text)
{
    free(text->bytes);
    memset(text, 0, sizeof *text);
}

/* Takes a quoted field: the bytes up to a quote that no other one follows. */
static const uint8_t *take_quoted(struct row_fields *fields)
{
    const uint8_t *at = fields->at + 1;
    fields->unquoted.used = 0;
    for (; at < fields->end; at++) {
        if (*at == '"' && (at + 1 == fields->end || *++at != '"')) break;
        row_text_byte(&fields->unquoted, (char)*at);
    }
    fields->field = fields->unquoted.bytes;
    fields->length = fields->unquoted.used;
    return at < fields->end && *at == '"' ? at + 1 : at;
}

bool row_fields_next(struct row_fields *fields)
{
    if (fields->at == NULL) return false;
    fields->null = false;
    const uint8_t *stop;
    if (fields->at < fields->end && *fields->at == '"') {
        stop = take_quoted(fields);
    } else {
        const size_t rest = (size_t)(fields->end - fields->at);
        stop = rest > 0 ? (const uint8_t *)memchr(fields->at, ',', rest) : NULL;
        if (stop == NULL) stop = fields->end;
        fields->field = fields->at;
        fields->length = (size_t)(stop - fields->at);
        fields->null = fields->length == 0;
    }
    fields->at = stop < fields->end ? stop + 1 : NULL;
    return true;
}
