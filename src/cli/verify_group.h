/* Groups the rows of files a second time, and compares the groups with the output of `roost group`.
 *
 * Nothing of the library or the readers is included here: this code opens, decompresses and parses
 * the files itself, keeps all rows in memory, and sorts them. */
#ifndef ROOST_CLI_VERIFY_GROUP_H
#define ROOST_CLI_VERIFY_GROUP_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/verify_rows.h"

enum verify_aggregate { VERIFY_COUNT, VERIFY_SUM, VERIFY_MIN, VERIFY_MAX, VERIFY_MEAN, VERIFY_DISTINCT };

struct verify_wish {
    enum verify_aggregate kind;
    const char *column; /* as the option names it */
};

struct verify_group_plan {
    struct verify_rows_plan rows;
    const char *const *by; /* by_n columns, and their types */
    const struct verify_type *types;
    size_t by_n;
    const struct verify_wish *wishes;
    size_t wishes_n;
    unsigned long long left_out; /* records that were left out, or fields that became NULL */
};

struct verify_group;

/* Reads the files and groups their rows.  On failure prints a line and returns an exit code. */
int verify_group_begin(struct verify_group **verify, const struct verify_group_plan *plan);

/* Compares the next row of the output, with its line end.  If it differs, prints a line and returns
 * an exit code. */
int verify_group_row(struct verify_group *verify, const char *row, size_t bytes);

/* The output has ended. */
int verify_group_end(struct verify_group *verify);

/* NULL is allowed. */
void verify_group_close(struct verify_group *verify);

#endif
