/* The options of subcommands that load snapshots. */
#ifndef ROOST_CLI_LOAD_OPTIONS_H
#define ROOST_CLI_LOAD_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/table_options.h"

struct load_options {
    char **files; /* files_n arguments, in argv */
    size_t files_n;
    char **changes; /* changes_n files, in argv, for the first of the files */
    size_t changes_n;
    struct table_options place;
    bool salvage;
    bool quiet;
    bool help; /* help was printed: there is nothing else to do */
    /* the exit code, written once a line about wrong usage is printed */
    int *result;
};

/* A child of a subcommand's parser.  Its input is a struct load_options. */
extern const struct argp load_argp;

/* Parses with the subcommand's parser, whose input is `input`.  Returns 0, or prints a line and
 * returns an exit code.  The caller releases *options in any case. */
int load_options_parse(struct load_options *options, const struct argp *argp, void *input, int argc, char **argv);

/* For the subcommand's parser: its return value after an option whose value may be wrong. */
error_t load_options_judge(const struct load_options *options);

void load_options_release(struct load_options *options);

#endif
