/* The options of `roost count`, parsed and checked. */
#ifndef ROOST_CLI_COUNT_OPTIONS_H
#define ROOST_CLI_COUNT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/io_reader.h"

struct count_options {
    char **files; /* files_n of them, in argv */
    size_t files_n;
    struct io_spec spec;
    unsigned count_bits; /* 32 or 64 */
    uint64_t top;
    const char *output; /* NULL: not wanted; so are the two pictures */
    const char *histogram;
    const char *plot;
    bool json;
    bool verify;
    bool quiet;
    uint64_t batch;    /* keys a batch */
    uint64_t capacity; /* keys to make room for at the start; 0: the smallest table */
    const char *engine;
    const char *device;
    int threads;
    uint64_t seed;
    char *engine_options; /* "name=value,name=value" or NULL */
    bool help;            /* help was asked for and printed: nothing else is to be done */
};

/* Returns 0, or prints a line and returns an exit code.  *options is to be released in any case. */
int count_options_parse(struct count_options *options, int argc, char **argv);

void count_options_release(struct count_options *options);

#endif
