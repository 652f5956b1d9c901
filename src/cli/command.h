/* What the subcommands of `roost` share: their entry points, exit codes, and the one line that every failure prints. */
#ifndef ROOST_CLI_COMMAND_H
#define ROOST_CLI_COMMAND_H

/* Exit codes beside 0: what was asked could not be done (EXIT_FAILURE, 1), or was asked wrongly. */
#define EXIT_USAGE 2

int count_main(int argc, char **argv);
int info_main(int argc, char **argv);
int replay_main(int argc, char **argv);
int tune_main(int argc, char **argv);

/* "roost", or "roost count" once the subcommand is known: what error lines begin with.  A static string. */
void command_set_name(const char *name);
const char *command_name(void);

/* Prints one line to stderr, whatever bytes the arguments hold, and returns EXIT_FAILURE. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
int command_fail(const char *format, ...);

/* The same for what was not done as asked and is no failure: "warning: " and the line; the progress bar goes on. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void command_warn(const char *format, ...);

/* The same for wrong usage: says where help is and returns EXIT_USAGE. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
int command_misused(const char *format, ...);

#endif
