/* The options of `roost join`, parsed and checked. */
#ifndef ROOST_CLI_JOIN_OPTIONS_H
#define ROOST_CLI_JOIN_OPTIONS_H

#include "cli/column_names.h"
#include "cli/relation_options.h"
#include "roost/join.h"

/* The parser.  Its input is a struct join_options. */
extern const struct argp join_argp;

struct join_options {
    struct relation_options relation;
    struct column_names on;          /* as given: A or A=B */
    struct column_names left, right; /* the columns of each side */
    roost_join_how how;
    const char *suffix; /* of RIGHT's columns whose names LEFT has, too */
};

/* The name of a kind of join in options. */
const char *join_how_name(roost_join_how how);

/* Are RIGHT's columns part of the output? */
static inline bool join_has_right(const struct join_options *options)
{
    return options->how != ROOST_JOIN_SEMI && options->how != ROOST_JOIN_ANTI;
}

/* Returns 0, or prints a line and returns an exit code.  The caller releases the options in any
 * case. */
int join_options_parse(struct join_options *options, int argc, char **argv);

void join_options_release(struct join_options *options);

#endif
