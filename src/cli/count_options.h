/* The options of `roost count`, parsed and checked. */
#ifndef ROOST_CLI_COUNT_OPTIONS_H
#define ROOST_CLI_COUNT_OPTIONS_H

#include <stdint.h>

#include "cli/count_list.h"
#include "cli/snapshot_output.h"
#include "cli/work_options.h"

/* The parser.  Its input is a struct count_options. */
extern const struct argp count_argp;

struct count_options {
    struct work_options work;
    unsigned count_bits; /* 32 or 64 */
    uint64_t top;
    uint64_t least_count, most_count; /* of keys in lists */
    const char *output;               /* NULL: not wanted, as histogram */
    enum list_format list;            /* of the output */
    bool list_given;                  /* else it is known by the name */
    const char *histogram;
    struct snapshot_output save; /* of the table */
    bool unsorted;               /* the output */
    bool histogram_drawn;        /* else it is written as numbers */
};

/* How many of the records without a key count as one key of their own. */
static inline uint64_t count_options_nulls(const struct count_options *options, uint64_t left_out)
{
    return options->work.input.bad == BAD_NULL ? left_out : 0;
}

/* Returns 0, or prints a line and returns an exit code.  The caller releases options->work in
 * any case. */
int count_options_parse(struct count_options *options, int argc, char **argv);

#endif
