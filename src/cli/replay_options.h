/* The options of `roost replay`, parsed and checked. */
#ifndef ROOST_CLI_REPLAY_OPTIONS_H
#define ROOST_CLI_REPLAY_OPTIONS_H

#include <stdbool.h>

#include "cli/input_options.h"
#include "cli/table_options.h"

struct replay_options {
    struct input_options input;
    struct table_options table;
    double erase_ratio; /* erases for an insert, 0 to 1 */
    const char *plot;   /* NULL: not wanted */
    bool json;
    bool verify;
    bool quiet;
    bool help; /* help was asked for and printed: nothing else is to be done */
};

/* Returns 0, or prints a line and returns an exit code.  *options is to be released in any case. */
int replay_options_parse(struct replay_options *options, int argc, char **argv);

void replay_options_release(struct replay_options *options);

#endif
