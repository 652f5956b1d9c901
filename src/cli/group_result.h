/* The output of `roost group`: groups in order, as rows of csv or tsv. */
#ifndef ROOST_CLI_GROUP_RESULT_H
#define ROOST_CLI_GROUP_RESULT_H

#include "cli/group_rows.h"
#include "cli/outfile.h"
#include "cli/verify_group.h"

/* Groups, as the library exports them. */
struct group_result {
    const struct group_rows *rows;
    size_t n;
    uint64_t *words;                   /* keys */
    uint64_t *values[AGGREGATES_MOST]; /* of each aggregate: integers, or doubles' bits */
    uint8_t *validity[AGGREGATES_MOST];
    struct row_text keys; /* texts of the keys, side by side */
    uint64_t *key_ends;   /* of each */
    uint64_t *order;      /* groups by rising key; NULL: as they are */
};

/* These return 0, or print a line and return an exit code. */
int group_result_take(struct group_result *result, const struct group_rows *rows);

/* verify: NULL: the rows are not compared. */
int group_result_write(const struct group_result *result, struct outfile *output, struct verify_group *verify);

void group_result_release(struct group_result *result);

#endif
