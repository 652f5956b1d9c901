/* The report of `roost count`, for people and as JSON. */
#ifndef ROOST_CLI_COUNT_REPORT_H
#define ROOST_CLI_COUNT_REPORT_H

#include "cli/count_options.h"
#include "cli/harvest.h"
#include "roost/roost.h"

struct count_report {
    const struct count_options *options;
    const struct harvest *harvest;
    const roost_table *table;
    struct key_kind kind;
    struct key_form form;
    uint64_t total;    /* keys read */
    uint64_t left_out; /* records without a key */
    uint64_t batches;
    double table_seconds; /* in the table's calls */
    double whole_seconds; /* with reading, from the first byte to the last counted key */
    roost_stats stats;
};

/* Prints to options->work.report the report, unless `quiet` is set, and the most frequent keys if
 * they are wanted. */
int count_report_print(const struct count_report *report);

#endif
