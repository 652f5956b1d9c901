/* What `roost info FILE` prints of a snapshot. */
#ifndef ROOST_CLI_SNAPSHOT_INFO_H
#define ROOST_CLI_SNAPSHOT_INFO_H

#include <stdbool.h>

struct snapshot_info_options {
    const char *path; /* "-": standard input */
    bool json, verify, salvage;
};

/* Prints what the header says; with `verify` also reads all blocks into a table on the host.
 * Returns an exit code. */
int snapshot_info_print(const struct snapshot_info_options *options);

#endif
