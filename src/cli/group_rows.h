/* The rows of `roost group`: reads files and adds their rows to groups. */
#ifndef ROOST_CLI_GROUP_ROWS_H
#define ROOST_CLI_GROUP_ROWS_H

#include "cli/group_options.h"
#include "cli/key_words.h"
#include "cli/row_text.h"

#define AGGREGATES_MOST 256

/* All 0 at the start, except the options. */
struct group_rows {
    const struct group_options *options;
    roost_group *group;
    struct key_words keys;
    struct key_words *texts; /* of each column of options->texts */
    /* Of a batch: words of the keys, and of each column of options->texts. */
    uint64_t *words, **text_words;
    size_t words_room;
    /* Keys of typed columns, spelled as their type has it. */
    struct row_text spelled;
    uint64_t *spelled_offsets;
    /* The aggregates of the library, and the first of each wish. */
    roost_aggregate aggregates[AGGREGATES_MOST];
    int aggregates_n, first[WISHES_MOST];
    /* The library's value columns: for integers and other numbers of options->numbers, the latter
     * unless the column is narrow; and for options->texts. */
    int whole_column[COLUMN_NAMES_MOST], real_column[COLUMN_NAMES_MOST], text_column[COLUMN_NAMES_MOST];
    /* The names of the columns in the first file's header. */
    struct column_names by_titles, number_titles, text_titles;
    bool real[COLUMN_NAMES_MOST]; /* of options->numbers: not all are integers */
    /* Of options->numbers: all are integers so far, and none is NULL. */
    bool narrow[COLUMN_NAMES_MOST];
    bool chosen; /* it is known which columns are narrow */
    bool again;  /* a narrow column has another item: all files are read again */
    uint64_t rows, left_out;
    uint64_t bytes_done;  /* of the files before this one */
    double table_seconds; /* in the library's calls */
};

/* Reads all files.  Returns 0, or prints a line and returns an exit code. */
int group_rows_read(struct group_rows *rows);

void group_rows_release(struct group_rows *rows);

#endif
