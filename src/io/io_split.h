/* Splits the text of a table into records and their fields. */
#ifndef ROOST_IO_SPLIT_H
#define ROOST_IO_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io_scan.h"
#include "io_syntax.h"

struct io_piece {
    const uint8_t *at; /* without the quotes around it */
    size_t length;
    bool quoted;
    bool doubled; /* quotes inside of it are doubled */
};

enum io_split_result {
    IO_SPLIT_RECORD,
    IO_SPLIT_END,      /* no record begins any more */
    IO_SPLIT_PART,     /* the text ends before the record */
    IO_SPLIT_UNCLOSED, /* a quoted field does not end */
    IO_SPLIT_BEHIND    /* something follows a closing quote */
};

struct io_split {
    struct io_syntax syntax;
    bool skip_blank;
    const uint8_t *at, *end; /* the rest of the text; IO_PADDING bytes follow */
    bool last;               /* the file ends with it */
    uint64_t lines;          /* line ends before `at` */
    struct io_piece *pieces; /* room for `room` fields of the record */
    size_t room;
    size_t n;             /* fields of the record, which may be more */
    const uint8_t *begin; /* of the record */
    const uint8_t *stop;  /* its end, without the line end */
    uint64_t first_line;  /* line ends before it */
    struct io_scan scan;
};

/* Begins with the text from `at` on. */
void io_split_begin(struct io_split *split, const uint8_t *at, const uint8_t *end, bool last);

/* Takes the next record. */
enum io_split_result io_split_next(struct io_split *split);

/* Is the record an empty line? */
static inline bool io_split_is_blank(const struct io_split *split) { return split->n == 1 && split->begin == split->stop; }

#endif
