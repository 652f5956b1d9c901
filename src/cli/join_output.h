/* The output of `roost join`: rows of LEFT and of RIGHT side by side. */
#ifndef ROOST_CLI_JOIN_OUTPUT_H
#define ROOST_CLI_JOIN_OUTPUT_H

#include "cli/join_side.h"
#include "cli/outfile.h"
#include "cli/row_text.h"
#include "cli/verify_join.h"
#include "io/io_threads.h"

/* Texts that are kept: text i ends at ends[i], where the next one begins. */
struct join_texts {
    struct row_text text;
    uint64_t *ends;
    size_t n, room;
};

/* The texts that have no rows of RIGHT, or none that are wanted, are empty. */
struct join_output {
    const struct join_options *options;
    const struct join_side *left, *right;
    struct join_texts right_lines, right_keys; /* of all rows of RIGHT */
    /* What a row of LEFT without a match has of RIGHT. */
    char *no_right;
    size_t no_right_n;
    struct outfile *file;
    struct verify_join *verify; /* NULL: rows are not compared */
    struct row_text buffers[IO_THREADS_MOST];
    int threads;
    uint64_t rows; /* that were written */
};

/* Appends the first n texts of a batch.  False: memory is refused. */
bool join_texts_add(struct join_texts *texts, const struct io_taken *taken, size_t n);

/* These return 0, or print a line and return an exit code. */
int join_output_begin(struct join_output *output);

/* Writes pairs of a row of the batch of LEFT, which begins with row `base`, and a row of RIGHT, or
 * JOIN_NO_ROW. */
#define JOIN_NO_ROW UINT64_MAX
int join_output_pairs(struct join_output *output, uint64_t base, const uint64_t *left, const uint64_t *right, size_t n);

/* Writes the rows of the batch of LEFT that have a bit. */
int join_output_bits(struct join_output *output, const uint8_t *bits);

/* Writes rows of RIGHT alone. */
int join_output_rest(struct join_output *output, const uint64_t *right, size_t n);

void join_output_release(struct join_output *output);

#endif
