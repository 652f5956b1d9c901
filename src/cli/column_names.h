/* Columns of a table by the names or numbers that options give. */
#ifndef ROOST_CLI_COLUMN_NAMES_H
#define ROOST_CLI_COLUMN_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "io/io_table.h"

#define COLUMN_NAMES_MOST 256

/* Names in options, each allocated. */
struct column_names {
    char *name[COLUMN_NAMES_MOST];
    size_t n;
};

/* Adds the names of "A,B,...", which may be quoted as in csv.  Prints a line and returns an exit
 * code if one is empty or there are too many; `option` is the option's name. */
int column_names_add(struct column_names *names, const char *option, const char *text);

/* The place of a name in the list, where it is added if it is absent.  -1: no memory or room. */
int column_names_place(struct column_names *names, const char *name);

/* The column of a table that a name stands for: a number from 1, or the name in the header, with =
 * before it if it is a number or begins with =.  Prints a line and returns an exit code if there is
 * none, or two. */
int column_names_find(const char *name, const struct io_table *table, const char *path, size_t *column);

void column_names_release(struct column_names *names);

#endif
