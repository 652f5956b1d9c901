/* A subcommand of `roost`. */
#ifndef ROOST_CLI_SUBCOMMAND_H
#define ROOST_CLI_SUBCOMMAND_H

#include <argp.h>

struct subcommand {
    const char *name;
    const char *full_name;
    const char *summary;
    int (*run)(int argc, char **argv);
    const struct argp *options;
};

#endif
