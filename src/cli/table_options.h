/* The options of a subcommand's table and of its batches.  All subcommands share the parser. */
#ifndef ROOST_CLI_TABLE_OPTIONS_H
#define ROOST_CLI_TABLE_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "cli/key_kind.h"
#include "roost/roost.h"

struct table_options {
    /* keys per batch; the subcommand sets its default before parsing; 0: it chooses later */
    uint64_t batch;
    uint64_t capacity;         /* keys to make room for at the start; 0: smallest table */
    double min_fill, max_fill; /* bounds of the fill; max_fill 0: the library's default */
    bool min_fill_given;
    uint64_t memory_limit; /* bytes; 0: none */
    const char *engine;
    const char *device;
    int threads;
    uint64_t seed;
    bool seed_given;
    char *engine_options; /* "name=value,name=value" or NULL */
    /* the exit code, written once a line about wrong usage is printed */
    int *result;
};

/* Children of a subcommand's parser, whose input is a struct table_options: all of them; and where
 * a table is and how it is made, without its batches and capacity. */
extern const struct argp table_argp, place_argp;

/* Adds "NAME=VALUE" to the engine's options, or prints a line and sets *result. */
void table_options_add(char **engine_options, const char *text, int *result);

/* Is an option of this name in "name=value,name=value"?  options may be NULL. */
bool table_options_have(const char *options, const char *name);

/* Sets what the options of place_argp say.  Engine and options stay as they are unless these are
 * given. */
void table_options_place(const struct table_options *options, roost_config *config);

/* A configuration from these options, for keys of a reader.  Its other members have their
 * defaults. */
void table_options_config(const struct table_options *options, struct key_kind kind, roost_config *config);

/* Prints what failed and the library's message, and returns EXIT_FAILURE.  table may be NULL. */
int table_fail(const roost_table *table, const char *doing, roost_status status);

/* Prints the library's warnings of the table, each on a line. */
void table_options_warn(const roost_table *table);

/* Makes the table and prints the warnings.  On failure prints a line and returns
 * EXIT_FAILURE. */
int table_options_create(roost_table **table, const roost_config *config);

void table_options_release(struct table_options *options);

#endif
