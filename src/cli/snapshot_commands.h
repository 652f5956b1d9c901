/* The parsers of the subcommands on snapshots. */
#ifndef ROOST_CLI_SNAPSHOT_COMMANDS_H
#define ROOST_CLI_SNAPSHOT_COMMANDS_H

#include <argp.h>

extern const struct argp query_argp, merge_argp, dump_argp;

#endif
