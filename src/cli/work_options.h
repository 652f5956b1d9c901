/* The options of subcommands that work on a table with the keys of files: keys, table and
 * outputs. */
#ifndef ROOST_CLI_WORK_OPTIONS_H
#define ROOST_CLI_WORK_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/input_options.h"
#include "cli/table_options.h"

struct work_options {
    struct input_options input;
    struct table_options table;
    const char *plot; /* NULL: not wanted */
    bool json;
    bool verify; /* set by the subcommand's own option --verify */
    bool quiet;
    FILE *report; /* stdout, or stderr if an output takes that */
    bool help;    /* help was printed: there is nothing else to do */
};

/* A child of a subcommand's parser.  Its input is a struct work_options. */
extern const struct argp work_argp;

/* Parses with the subcommand's parser, whose input is `input`, and settles *options.  Returns 0,
 * or prints a line and returns an exit code.  The caller releases *options in any case. */
int work_options_parse(struct work_options *options, const struct argp *argp, void *input, int argc, char **argv);

/* For the subcommand's parser: its return value after an option whose value may be wrong. */
error_t work_options_judge(const struct work_options *options);

void work_options_release(struct work_options *options);

#endif
