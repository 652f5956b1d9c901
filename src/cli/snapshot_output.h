/* Snapshots that the command writes. */
#ifndef ROOST_CLI_SNAPSHOT_OUTPUT_H
#define ROOST_CLI_SNAPSHOT_OUTPUT_H

#include "cli/outfile.h"
#include "roost/snapshot.h"

/* The highest level of --zstd. */
#define SNAPSHOT_ZSTD_MOST 19

struct snapshot_output {
    const char *name; /* as the user gave it; NULL: not wanted */
    int zstd;         /* 0: blocks are not compressed */
    struct outfile file;
    roost_saved saved; /* what was written */
};

/* Checks the name's ending.  Returns 0, or prints a line and returns EXIT_USAGE. */
int snapshot_output_check(const struct snapshot_output *output, const char *option);

/* Opens the file, if it is wanted.  These return 0, or print a line and return an exit code. */
int snapshot_output_open(struct snapshot_output *output);

/* Writes the table and finishes the file, which outfile_commit renames. */
int snapshot_output_write(struct snapshot_output *output, roost_table *table, const char *note);

/* Saves a table that lies on several ranks or devices, by a call of all ranks: the library writes a
 * file for each. */
int snapshot_output_spread(struct snapshot_output *output, roost_table *table, const char *note);

#endif
