/* The report of `roost join`, for people and as JSON. */
#ifndef ROOST_CLI_JOIN_REPORT_H
#define ROOST_CLI_JOIN_REPORT_H

#include "cli/join_side.h"

struct join_report {
    const struct join_options *options;
    const struct join_side *left, *right;
    uint64_t matched;     /* rows of LEFT that have a match */
    uint64_t rows;        /* of the output */
    double table_seconds; /* in the library's calls */
    double whole_seconds; /* from the first byte read to the last one written */
};

/* Prints to the options' report, unless `quiet` is set.  Returns an exit code. */
int join_report_print(const struct join_report *report);

#endif
