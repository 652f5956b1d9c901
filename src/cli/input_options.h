/* The options that say which keys a subcommand reads: files, formats, columns.  One parser for all subcommands. */
#ifndef ROOST_CLI_INPUT_OPTIONS_H
#define ROOST_CLI_INPUT_OPTIONS_H

#include <argp.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/key_count.h"
#include "cli/key_kind.h"
#include "io/io_reader.h"

struct input_options {
    char **files; /* files_n of them, in argv */
    size_t files_n;
    struct io_spec spec;
    const char *column, *as, *format; /* as given; input_options_settle makes the spec of them */
    bool words;
    int *result; /* where the exit code goes once a line is printed */
};

/* A child of a subcommand's parser; its input is a struct input_options, all zero but for `result`. */
extern const struct argp input_argp;

/* Checks that the options fit together and completes the spec: 0, or prints a line and returns an exit code. */
int input_options_settle(struct input_options *options);

/* What can be known to fail later fails now: files that are missing or, with read_twice, can be read only once (`needs` names the
 * option for which they are read twice).  *bytes: of all files; 0 if that is not known. */
int input_options_check_files(const struct input_options *options, const char *needs, bool read_twice, uint64_t *bytes);

/* Opens file i, or prints a line and returns an exit code.  The first file decides *kind, what keys are; later ones have to agree.
 * *reader is NULL after a failure. */
int input_options_open(const struct input_options *options, size_t i, struct io_reader **reader, struct key_kind *kind);

/* Which keys are read, in words; returns text. */
const char *input_options_describe(const struct input_options *options, char *text, size_t bytes);

/* The files as a list of texts; NULL if memory was refused. */
json_t *input_options_json(const struct input_options *options);

/* How keys of this kind are spelled. */
struct key_form input_options_form(const struct input_options *options, struct key_kind kind);

void input_options_release(struct input_options *options);

#endif
