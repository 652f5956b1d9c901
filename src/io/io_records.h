/* Makes columns of the records of a part of a table's text.  Parts are independent of each other,
 * so that several threads can each parse one. */
#ifndef ROOST_IO_RECORDS_H
#define ROOST_IO_RECORDS_H

#include "io_split.h"
#include "io_table.h"

/* Room for a field's place, its first bytes and a sentence. */
#define IO_RECORD_TEXT 512

/* What all parts of a table have in common. */
struct io_records {
    const struct io_table_spec *spec;
    struct io_syntax syntax;
    size_t columns;
    const uint64_t *name_ends; /* of each column's name in `names` */
    const char *names;
    const struct io_take *takes;
    size_t takes_n;
};

/* A part, and its records. */
struct io_part {
    const uint8_t *begin, *end; /* IO_PADDING bytes follow */
    size_t rows, room;
    struct io_taken *taken;
    struct io_piece *pieces; /* one for each column */
    bool plain;              /* no field needs quotes that has none */
    uint64_t lines;          /* line ends */
    /* Records that are bad, or fields that became NULL; and the first: the lines before it, and
     * what is wrong. */
    uint64_t bad, bad_line;
    char bad_text[IO_RECORD_TEXT];
    /* Not IO_OK: the part was left there. */
    enum io_status status;
    uint64_t wrong_line;
    char wrong_text[IO_RECORD_TEXT];
};

/* False: memory is refused. */
bool io_part_make(struct io_part *part, const struct io_records *how);

void io_part_parse(struct io_part *part, const struct io_records *how);

void io_part_release(struct io_part *part, const struct io_records *how);

/* What is wrong with text that cannot be split; NULL: nothing. */
const char *io_split_words(enum io_split_result result);

#endif
