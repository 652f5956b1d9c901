/* Options of commands that list pairs as text: where to, and in which format. */
#ifndef ROOST_CLI_LIST_OPTIONS_H
#define ROOST_CLI_LIST_OPTIONS_H

#include <argp.h>

#include "cli/count_list.h"

struct list_options {
    const char *output; /* "-": standard output */
    enum list_format format;
    bool format_given; /* else it is known by the name */
    int *result;       /* of the command: an option's wrong argument is noted there */
};

/* Parses the options into a struct list_options. */
extern const struct argp list_argp;

/* Chooses what was not given. */
void list_options_settle(struct list_options *list);

#endif
