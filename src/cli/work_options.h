/* The options of subcommands that work a table with keys of files: which keys, which table, and what comes out. */
#ifndef ROOST_CLI_WORK_OPTIONS_H
#define ROOST_CLI_WORK_OPTIONS_H

#include <stdbool.h>

#include "cli/input_options.h"
#include "cli/table_options.h"

struct work_options {
    struct input_options input;
    struct table_options table;
    const char *plot; /* NULL: not wanted */
    bool json;
    bool verify; /* what --verify does is the subcommand's, and so is the option */
    bool quiet;
    bool help; /* help was asked for and printed: nothing else is to be done */
};

/* A child of a subcommand's parser; its input is a struct work_options. */
extern const struct argp work_argp;

/* Parses with the subcommand's parser, whose input is `input`, and settles what it made of *options: 0, or prints a line and returns
 * an exit code.  *options is to be released in any case. */
int work_options_parse(struct work_options *options, const struct argp *argp, void *input, int argc, char **argv);

/* In the subcommand's parser: what an option returns that may have found its value wrong. */
error_t work_options_judge(const struct work_options *options);

void work_options_release(struct work_options *options);

#endif
