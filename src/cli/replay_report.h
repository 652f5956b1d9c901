/* The report of `roost replay`, for people and as JSON. */
#ifndef ROOST_CLI_REPLAY_REPORT_H
#define ROOST_CLI_REPLAY_REPORT_H

#include "cli/curve.h"
#include "cli/replay_options.h"
#include "cli/replay_workload.h"
#include "roost/roost.h"

enum replay_operation { REPLAY_INSERT, REPLAY_FIND, REPLAY_ERASE, REPLAY_OPERATIONS };

/* Totals of one kind of operation. */
struct replay_sum {
    uint64_t items;
    uint64_t hits; /* inserts of new keys; finds that hit; erases that removed */
    double seconds;
};

struct replay_report {
    const struct replay_options *options;
    const struct workload *workload;
    const roost_table *table;
    const struct curve *curve;
    struct replay_sum sum[REPLAY_OPERATIONS];
    double lowest_fill, highest_fill; /* after batches, while the table had keys */
    uint64_t highest_bytes;           /* of the table, after a batch */
    double whole_seconds;             /* from the first batch to the last, with checks */
    roost_stats stats;
};

/* Prints to stdout, unless `quiet` is set. */
int replay_report_print(const struct replay_report *report);

#endif
