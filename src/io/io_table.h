/* Reads tables of csv or tsv whose first record is a header: of each record the fields that the
 * caller wants, in batches of some 10^5 records.
 *
 * A record has as many fields as the header.  An unquoted field that is empty, or equals a text of
 * the caller's, is NULL.  A file is hostile until it is parsed: any content ends in records or in
 * one error. */
#ifndef ROOST_IO_TABLE_H
#define ROOST_IO_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io_error.h"
#include "io_reader.h"

/* The most columns of a table. */
#define IO_COLUMNS_MOST 65536

/* The most things that are made of a record. */
#define IO_TAKES_MOST 256

/* What becomes of a record that has another number of fields, or a field that is no number or has
 * not the wanted type. */
enum io_bad { IO_BAD_ERROR, IO_BAD_SKIP, IO_BAD_NULL /* the field is NULL; else as IO_BAD_ERROR */ };

/* How to read a file. */
struct io_table_spec {
    bool verbatim;    /* no decompression */
    bool skip_blank;  /* skip empty lines */
    char comment;     /* skip lines that begin with this byte; 0: none */
    char separator;   /* 0: a tab if the first line has one outside of quotes, else a comma */
    const char *null; /* another text of NULL; NULL: none */
    enum io_bad bad;
    uint64_t max_line; /* the most bytes of a record; 0: no bound */
    int threads;       /* that parse; at least 1 */
};

/* IO_TAKE_TEXT: fields side by side with a separator, quoted as RFC 4180 has it where they need it:
 * NULL is the empty field, and the empty string is "".  IO_TAKE_NUMBER: a number. */
enum io_take_kind { IO_TAKE_TEXT, IO_TAKE_NUMBER };

/* What to make of each record. */
struct io_take {
    enum io_take_kind kind;
    const size_t *columns; /* n different ones, from 0; of IO_TAKE_NUMBER one */
    size_t n;
    /* IO_TAKE_TEXT: */
    char separator;
    bool quotes;              /* false: no quotes; a field that needs them is an error */
    const struct io_spec *as; /* for each column: `field` is IO_FIELD_STRING, or a type that the
                               * field must have; NULL: they are strings */
};

/* What a batch has for a struct io_take.  Bit i % 8 of byte i / 8 of a validity stands for
 * record i. */
struct io_taken {
    /* IO_TAKE_TEXT: text i is bytes[offsets[i]] up to bytes[offsets[i + 1]]. */
    uint64_t *offsets;
    uint8_t *bytes;
    uint8_t *validity; /* no field is NULL */
    /* IO_TAKE_NUMBER: an integer that fits, or any other number, or neither if it is NULL. */
    int64_t *whole;
    double *real;
    uint8_t *whole_validity, *real_validity;
    size_t wholes, reals; /* how many there are */
    size_t bytes_room;
};

struct io_batch {
    size_t rows;
    const struct io_taken *taken; /* one for each struct io_take */
};

struct io_table;

/* Opens a file ("-": standard input) and reads its header.  *table is NULL on failure.  spec->null
 * must live as long as the table. */
enum io_status io_table_open(struct io_table **table, const char *path, const struct io_table_spec *spec, struct io_error *error);

/* The number of columns, and the name of one, of *length bytes. */
size_t io_table_columns(const struct io_table *table);
const char *io_table_name(const struct io_table *table, size_t column, size_t *length);

/* Says what to make of each record, before the first batch.  The array is copied, what it points to
 * must live as long as the table.  Returns: IO_ERR_MEMORY. */
enum io_status io_table_take(struct io_table *table, const struct io_take *takes, size_t n, struct io_error *error);

/* Delivers the next records, which are valid until the next call.  batch->rows is 0 after the last
 * one.  After an error the table can only be closed. */
enum io_status io_table_next(struct io_table *table, struct io_batch *batch, struct io_error *error);

/* What was left out so far: with IO_BAD_NULL, fields that became NULL. */
void io_table_left_out(const struct io_table *table, struct io_left_out *left_out);

/* Bytes of the file that have been read. */
uint64_t io_table_position(const struct io_table *table);

/* NULL is allowed. */
void io_table_close(struct io_table *table);

#endif
