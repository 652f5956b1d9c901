/* Shared by the subcommands of `roost`: their entry points, exit codes, and the line that every
 * failure prints. */
#ifndef ROOST_CLI_COMMAND_H
#define ROOST_CLI_COMMAND_H

/* Exit codes besides 0: EXIT_FAILURE (1) if the work failed, EXIT_USAGE if the command line is
 * wrong, EXIT_SALVAGED if the work is done and --salvage left damaged blocks out. */
#define EXIT_USAGE 2
#define EXIT_SALVAGED 3

int count_main(int argc, char **argv);
int group_main(int argc, char **argv);
int join_main(int argc, char **argv);
int query_main(int argc, char **argv);
int merge_main(int argc, char **argv);
int dump_main(int argc, char **argv);
int info_main(int argc, char **argv);
int replay_main(int argc, char **argv);
int tune_main(int argc, char **argv);

/* The beginning of error lines: "roost", or "roost count" once the subcommand is known.  A
 * static string. */
void command_set_name(const char *name);
const char *command_name(void);

/* Prints one line to stderr, whatever bytes the arguments contain, and returns EXIT_FAILURE. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
int command_fail(const char *format, ...);

/* The same for a problem that is no failure: prints "warning: " and the line, and keeps the
 * progress bar. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void command_warn(const char *format, ...);

/* The same for wrong usage: adds a hint to --help, and returns EXIT_USAGE. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
int command_misused(const char *format, ...);

#endif
