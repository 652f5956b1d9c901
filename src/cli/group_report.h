/* The report of `roost group`, for people and as JSON. */
#ifndef ROOST_CLI_GROUP_REPORT_H
#define ROOST_CLI_GROUP_REPORT_H

#include "cli/group_rows.h"

struct group_report {
    const struct group_rows *rows;
    size_t groups;
    double whole_seconds; /* from the first byte read to the last one written */
};

/* Prints to the options' report, unless `quiet` is set.  Returns an exit code. */
int group_report_print(const struct group_report *report);

#endif
