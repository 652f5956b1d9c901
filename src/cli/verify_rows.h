/* Reads tables of csv or tsv for the second computations of --verify, without the readers' code:
 * all rows of some columns, in memory. */
#ifndef ROOST_CLI_VERIFY_ROWS_H
#define ROOST_CLI_VERIFY_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/verify.h"

enum verify_bad { VERIFY_BAD_ERROR, VERIFY_BAD_SKIP, VERIFY_BAD_NULL };

/* Prints one line, and returns an exit code: what the second computations say.  The caller gives
 * it, because they include nothing of the command. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
typedef int
verify_say(const char *format, ...);

struct verify_rows_plan {
    verify_say *say;
    char *const *files;
    size_t files_n;
    bool verbatim, skip_blank;
    char comment, separator; /* 0: none; guessed */
    const char *null;        /* another text of NULL; NULL: none */
    enum verify_bad bad;
    bool tsv; /* of the output */
};

/* What a column's fields must be. */
struct verify_type {
    enum { VERIFY_TEXT, VERIFY_NUMBER, VERIFY_TYPED } kind;
    enum verify_field field; /* VERIFY_TYPED, and its decimals and bytes */
    unsigned decimals, bytes;
};

/* A field: `length` bytes of the rows' text from `at` on, and then a 0. */
struct verify_cell {
    size_t at;
    uint32_t length;
    bool null;
};

/* All 0 at the start. */
struct verify_rows {
    size_t columns; /* that are kept of each row */
    char **names;   /* of these, in the first file's header */
    char *text;
    size_t used, text_room;
    struct verify_cell *cells;   /* `columns` of each row */
    size_t n, room;              /* rows */
    unsigned long long left_out; /* records, or fields that became NULL */
};

/* Adds the rows of a file.  wanted: the columns, as options name them, with their types; NULL: all
 * columns, which are text.  On failure prints a line and returns an exit code. */
int verify_rows_read(struct verify_rows *rows, const struct verify_rows_plan *plan, const char *path, const char *const *wanted,
                     const struct verify_type *types, size_t wanted_n);

static inline const struct verify_cell *verify_rows_cell(const struct verify_rows *rows, size_t row, size_t column)
{
    return &rows->cells[row * rows->columns + column];
}

/* The number that a field of a type stands for. */
int64_t verify_rows_number(const struct verify_rows *rows, const struct verify_type *type, const struct verify_cell *cell);

/* The column that an option names so. */
size_t verify_rows_column(const struct verify_rows *rows, const char *wanted);

/* Writes a field that is not NULL, with quotes where RFC 4180 wants them, or tsv without. */
void verify_put_text(FILE *to, const char *text, size_t length, bool tsv);

void verify_rows_release(struct verify_rows *rows);

#endif
