/* The options that select the keys of a subcommand: files, formats, columns.  All subcommands
 * share the parser. */
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

/* The most bytes of a line, unless --max-line says otherwise. */
#define INPUT_MAX_LINE 256000000

/* What becomes of records of a column without a key. */
enum bad_records { BAD_ERROR, BAD_SKIP, BAD_NULL };

struct input_options {
    char **files; /* files_n names, in argv or static */
    size_t files_n;
    struct io_spec spec;
    /* as given; input_options_settle translates them into the spec */
    const char *column, *as, *format;
    bool words;
    enum bad_records bad;
    /* the exit code, written once a line about wrong usage is printed */
    int *result;
};

/* A child of a subcommand's parser.  Its input is a struct input_options, all 0 except `result`. */
extern const struct argp input_argp;

/* The i-th value of --format, and of --as; NULL: there are no more. */
const char *input_options_format(size_t i);
const char *input_options_type(size_t i);

/* The values of --separator, --comment, --bad and --compression.  If one is wrong, these print a
 * line and set *result to the exit code. */
char input_options_separator(int *result, const char *text);
char input_options_comment(int *result, const char *text);
enum bad_records input_options_bad(int *result, const char *text);
bool input_options_verbatim(int *result, const char *text);

/* Takes a value of --as: sets spec->field, and what belongs to it.  False: it is wrong. */
bool input_options_take_as(struct io_spec *spec, const char *as);

/* Checks that the options fit together and completes the spec.  Returns 0, or prints a line and
 * returns an exit code. */
int input_options_settle(struct input_options *options);

/* Fails early where reading would fail later: a file is missing or, with read_twice, can be read
 * only once (`needs` names the option that reads files twice), or several ranks are to read one.
 * *bytes: of all files; 0: unknown. */
int input_options_check_files(const struct input_options *options, const char *needs, bool read_twice, uint64_t *bytes);

/* Opens file i, or prints a line and returns an exit code.  The first file sets *kind; keys of
 * later files must have the same type.  *reader is NULL on failure. */
int input_options_open(const struct input_options *options, size_t i, struct io_reader **reader, struct key_kind *kind);

/* Leaves the reader of file i, which was just opened, the part of this rank (cli/ranks.h).  *reads:
 * false: the file has no parts, and another rank reads all of it. */
int input_options_share(struct io_reader *reader, size_t i, bool *reads);

/* Warns of what the reader of file i has left out, and returns how many records without a key. */
uint64_t input_options_warn(const struct input_options *options, size_t i, const struct io_reader *reader);

/* Writes a description of the keys to text, and returns it. */
const char *input_options_describe(const struct input_options *options, char *text, size_t bytes);

/* The files as a list of strings; NULL: memory was refused. */
json_t *input_options_json(const struct input_options *options);

/* How to spell keys of this kind. */
struct key_form input_options_form(const struct input_options *options, struct key_kind kind);

void input_options_release(struct input_options *options);

#endif
