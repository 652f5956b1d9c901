/* Shared by the subcommands' argp parsers.  They run argp silently (ARGUMENT_FLAGS), because
 * argp's own messages take two lines, and print their own. */
#ifndef ROOST_CLI_ARGUMENTS_H
#define ROOST_CLI_ARGUMENTS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#define ARGUMENT_FLAGS (ARGP_NO_ERRS | ARGP_NO_HELP | ARGP_NO_EXIT)

/* Key of the option --help in every parser. */
#define OPTION_HELP 'h'

/* Reads a whole number without sign.  False if the text is anything else or the number is not in
 * [least, most]. */
bool argument_number(const char *text, uint64_t least, uint64_t most, uint64_t *number);

/* The same for the value of --option, which may end in k, M, G or T, powers of 1000, or in Ki, Mi,
 * Gi or Ti, powers of 1024.  If it is wrong, prints a line, sets *result to the exit code, and
 * returns 0. */
uint64_t argument_take(int *result, const char *option, const char *text, uint64_t least, uint64_t most);

/* The same for a plain decimal number; other spellings that strtod accepts are refused. */
double argument_take_decimal(int *result, const char *option, const char *text, double least, double most);

/* Prints the subcommand's help to stdout. */
void argument_help(const struct argp *argp);

/* Visits the options of the parser and its children, not the headings between them. */
void argument_each(const struct argp *argp, void (*visit)(const struct argp_option *option));

/* For ARGP_KEY_ERROR: prints the line for an option that the parser or its children refused, and
 * returns EXIT_USAGE. */
int argument_refused(const struct argp *argp, const struct argp_state *state);

#endif
