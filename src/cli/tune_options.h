/* The options of `roost tune`, parsed and checked. */
#ifndef ROOST_CLI_TUNE_OPTIONS_H
#define ROOST_CLI_TUNE_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "roost/roost.h"

/* The parser.  Its input is a struct tune_options. */
extern const struct argp tune_argp;

struct tune_options {
    const char *engine;
    const char *device;   /* NULL: the first GPU, else the host */
    char *engine_options; /* common to all settings, or NULL */
    unsigned key_bytes, value_bytes;
    uint64_t keys; /* 0: depends on the device */
    double load;
    double hits;
    double finds_per_insert;
    double budget;   /* seconds */
    uint64_t random; /* number of random settings */
    uint64_t seed;
    int threads;
    const char *output; /* NULL: the user's profile of the device */
    bool dry_run;
    bool json;
    bool quiet;
    bool help;
    int result; /* exit code, once a line about wrong usage is printed */
};

/* Returns 0, or prints a line and returns an exit code.  The caller releases *options in any
 * case. */
int tune_options_parse(struct tune_options *options, int argc, char **argv);
void tune_options_release(struct tune_options *options);

#endif
