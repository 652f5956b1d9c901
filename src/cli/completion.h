/* Completion scripts for shells, made from the option tables of the subcommands. */
#ifndef ROOST_CLI_COMPLETION_H
#define ROOST_CLI_COMPLETION_H

#include <stddef.h>

#include "cli/subcommand.h"

/* Prints the script for `shell`, bash, zsh or fish, or a line, and returns an exit code. */
int completion_print(const char *shell, const struct subcommand *subcommands, size_t n);

#endif
