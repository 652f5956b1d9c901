/* A file of `roost join` while it is read: its keys as words, and its rows as text. */
#ifndef ROOST_CLI_JOIN_SIDE_H
#define ROOST_CLI_JOIN_SIDE_H

#include "cli/join_options.h"
#include "cli/key_words.h"

/* All 0 at the start. */
struct join_side {
    const char *path;
    struct io_table *table;
    size_t columns; /* of the file */
    size_t *place;  /* of each column among those of --on, from 1; 0: it is none of them */
    size_t *keys;   /* the columns of --on */
    size_t *kept;   /* columns of the output */
    size_t kept_n;
    bool has_lines;  /* the text of these columns is wanted */
    uint64_t *words; /* of a batch */
    size_t words_room;
    struct io_batch batch;
    uint64_t rows, left_out;
};

/* Opens a file, with the columns `on`.  whole: all of its columns are for the output; else those
 * that are not in `on`.  These return 0, or print a line and return an exit code. */
int join_side_open(struct join_side *side, const struct join_options *options, size_t file, const struct column_names *on,
                   bool whole);

/* Reads the next batch.  batch.rows is 0 at the end. */
int join_side_next(struct join_side *side);

/* Makes words of the batch's keys.  finds: texts that `words` has not met have none.  A row with a
 * NULL gets the word `null`. */
int join_side_words(struct join_side *side, struct key_words *words, bool finds, uint64_t null);

/* The texts of the batch's keys, and of its rows. */
static inline const struct io_taken *join_side_keys(const struct join_side *side) { return &side->batch.taken[0]; }
static inline const struct io_taken *join_side_lines(const struct join_side *side) { return &side->batch.taken[1]; }

void join_side_close(struct join_side *side);

#endif
