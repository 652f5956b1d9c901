/* The options of `roost group`, parsed and checked. */
#ifndef ROOST_CLI_GROUP_OPTIONS_H
#define ROOST_CLI_GROUP_OPTIONS_H

#include "cli/column_names.h"
#include "cli/relation_options.h"
#include "roost/group.h"

/* The parser.  Its input is a struct group_options. */
extern const struct argp group_argp;

enum wish_kind { WISH_COUNT, WISH_SUM, WISH_MIN, WISH_MAX, WISH_MEAN, WISH_DISTINCT };

/* A column of the output behind the keys. */
struct wish {
    enum wish_kind kind;
    size_t column; /* of `numbers`, or of `texts` if it is WISH_DISTINCT */
};

#define WISHES_MOST 64

struct group_options {
    struct relation_options relation;
    struct column_names by;
    /* For each column of `by`, IO_FIELD_STRING or a type. */
    struct io_spec as[ROOST_GROUP_KEYS_MOST];
    bool typed; /* one of them is no string */
    struct column_names numbers, texts;
    struct wish wishes[WISHES_MOST];
    size_t wishes_n;
    const char *as_given; /* the value of --as */
    bool unsorted;
};

/* The name of a kind in options and in the output's header. */
const char *wish_name(enum wish_kind kind);

/* Returns 0, or prints a line and returns an exit code.  The caller releases the options in any
 * case. */
int group_options_parse(struct group_options *options, int argc, char **argv);

void group_options_release(struct group_options *options);

#endif
