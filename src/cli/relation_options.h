/* The options that subcommands on tables of rows share: how files are read, where the work is done,
 * and outputs. */
#ifndef ROOST_CLI_RELATION_OPTIONS_H
#define ROOST_CLI_RELATION_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdio.h>

#include "cli/verify_rows.h"
#include "io/io_table.h"

struct relation_options {
    char **files; /* files_n names, in argv or static */
    size_t files_n;
    struct io_table_spec table;
    const char *engine, *device;
    int threads;        /* 0: one per core */
    uint64_t capacity;  /* keys that are expected */
    const char *output; /* NULL and "-": standard output */
    bool tsv;           /* of the output; else csv */
    bool json, verify, quiet;
    bool help;    /* help was printed: there is nothing else to do */
    FILE *report; /* stdout, or stderr if the output takes that */
    /* the exit code, written once a line about wrong usage is printed */
    int *result;
};

/* A child of a subcommand's parser.  Its input is a struct relation_options. */
extern const struct argp relation_argp;

/* Parses with the subcommand's parser, whose input is `input`, and completes *options.  Returns 0,
 * or prints a line and returns an exit code.  The caller releases *options in any case. */
int relation_options_parse(struct relation_options *options, const struct argp *argp, void *input, int argc, char **argv);

/* For the subcommand's parser: its return value after an option whose value may be wrong. */
error_t relation_options_judge(const struct relation_options *options);

/* The bytes of all files; 0: unknown.  Prints a line and returns an exit code if one is missing, or
 * --verify would read one twice that can be read once. */
int relation_options_check_files(const struct relation_options *options, uint64_t *bytes);

/* Can the file be read twice? */
bool relation_options_is_regular(const char *path);

/* Threads of the host. */
int relation_options_threads(const struct relation_options *options);

/* Opens a file, or prints a line and returns an exit code. */
int relation_options_open(const struct relation_options *options, const char *path, struct io_table **table);

/* Prints a warning of what was left out of a file, and returns how many records. */
uint64_t relation_options_warn(const struct relation_options *options, const char *path, const struct io_table *table);

/* What --verify needs to know of the files and the output, and of a field's type. */
void relation_options_verify(const struct relation_options *options, struct verify_rows_plan *plan);
struct verify_type relation_options_verify_type(const struct io_spec *as);

/* Prints what failed and the library's message, and returns EXIT_FAILURE. */
int relation_fail(const char *doing);

void relation_options_release(struct relation_options *options);

#endif
