/* The options of `roost replay`, parsed and checked. */
#ifndef ROOST_CLI_REPLAY_OPTIONS_H
#define ROOST_CLI_REPLAY_OPTIONS_H

#include "cli/work_options.h"

/* The parser.  Its input is a struct replay_options. */
extern const struct argp replay_argp;

struct replay_options {
    struct work_options work;
    double erase_ratio; /* erases per insert, 0 to 1 */
};

/* Returns 0, or prints a line and returns an exit code.  The caller releases options->work in
 * any case. */
int replay_options_parse(struct replay_options *options, int argc, char **argv);

#endif
