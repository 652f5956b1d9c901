/* Joins the rows of two files a second time, and compares them with the output of `roost join`.
 *
 * Nothing of the library or the readers is included here: this code opens, decompresses and parses
 * the files itself, keeps all rows in memory, sorts those of RIGHT, and searches among them. */
#ifndef ROOST_CLI_VERIFY_JOIN_H
#define ROOST_CLI_VERIFY_JOIN_H

#include "cli/verify_rows.h"

enum verify_how { VERIFY_INNER, VERIFY_LEFT, VERIFY_FULL, VERIFY_SEMI, VERIFY_ANTI };

struct verify_join_plan {
    struct verify_rows_plan rows;           /* its files are LEFT and RIGHT */
    const char *const *left, *const *right; /* keys_n columns of each, as options name them */
    size_t keys_n;
    enum verify_how how;
    const char *suffix;
};

struct verify_join;

/* Reads the files.  On failure prints a line and returns an exit code. */
int verify_join_begin(struct verify_join **verify, const struct verify_join_plan *plan);

/* Compares the next rows of the output, whole ones, of which the first is the header.  If they
 * differ, prints a line and returns an exit code. */
int verify_join_rows(struct verify_join *verify, const char *rows, size_t bytes);

/* Checks that no row is missing at the end of the output.  left_out: records of the inputs that the
 * join left out. */
int verify_join_end(struct verify_join *verify, unsigned long long left_out);

/* NULL is allowed. */
void verify_join_close(struct verify_join *verify);

#endif
