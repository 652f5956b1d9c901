/* Rows of csv and tsv as text in memory: buffers, fields, names of columns. */
#ifndef ROOST_CLI_ROW_TEXT_H
#define ROOST_CLI_ROW_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Text that grows; all 0 at the start. */
struct row_text {
    uint8_t *bytes;
    size_t used, room;
    bool failed; /* memory was refused, or a field cannot be written */
};

/* Makes room for more bytes and returns where they go, or NULL: memory was refused. */
uint8_t *row_text_room(struct row_text *text, size_t bytes);

void row_text_add(struct row_text *text, const void *bytes, size_t n);
static inline void row_text_byte(struct row_text *text, char byte)
{
    if (text->used < text->room) text->bytes[text->used++] = (uint8_t)byte;
    else row_text_add(text, &byte, 1);
}

/* Writes a number's decimal digits so that they end at `end`; returns where they begin. */
uint8_t *row_digits(uint64_t number, uint8_t *end);

void row_text_unsigned(struct row_text *text, uint64_t number);
void row_text_number(struct row_text *text, int64_t number);

/* The shortest of %.15g, %.16g and %.17g that is read back as this number. */
void row_text_real(struct row_text *text, double number);

/* A field that is not NULL, with quotes as RFC 4180 has them where they are needed; of tsv without,
 * where a tab or a line end in the field is a failure. */
void row_text_field(struct row_text *text, const uint8_t *field, size_t n, bool tsv);

void row_text_release(struct row_text *text);

/* Takes the next field of a row whose fields stand between commas, quoted where they need it:
 * *field becomes its text, unquoted into `unquoted` if need be.  False: there are no more.  *at
 * begins as the row. */
struct row_fields {
    const uint8_t *at, *end; /* the rest of the row; at: NULL behind the last field */
    struct row_text unquoted;
    const uint8_t *field;
    size_t length;
    bool null;
};
bool row_fields_next(struct row_fields *fields);

#endif
