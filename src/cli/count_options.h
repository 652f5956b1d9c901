/* The options of `roost count`, parsed and checked. */
#ifndef ROOST_CLI_COUNT_OPTIONS_H
#define ROOST_CLI_COUNT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/input_options.h"
#include "cli/table_options.h"

struct count_options {
    struct input_options input;
    struct table_options table;
    unsigned count_bits; /* 32 or 64 */
    uint64_t top;
    const char *output; /* NULL: not wanted; so are the two pictures */
    const char *histogram;
    const char *plot;
    bool json;
    bool verify;
    bool quiet;
    bool help; /* help was asked for and printed: nothing else is to be done */
};

/* Returns 0, or prints a line and returns an exit code.  *options is to be released in any case. */
int count_options_parse(struct count_options *options, int argc, char **argv);

void count_options_release(struct count_options *options);

#endif
