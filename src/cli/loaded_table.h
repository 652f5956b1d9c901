/* A table that a subcommand loads from a snapshot. */
#ifndef ROOST_CLI_LOADED_TABLE_H
#define ROOST_CLI_LOADED_TABLE_H

#include "cli/key_note.h"
#include "cli/load_options.h"
#include "roost/snapshot.h"

/* All 0 at the start. */
struct loaded_table {
    const char *path;
    const struct load_options *options;
    const struct loaded_table *like; /* whose types and note it must have; NULL: any */
    roost_table *table;
    roost_config config; /* that the table was made with; without engine and options */
    roost_snapshot_info info;
    roost_loaded loaded;
    bool refused; /* a line about the header is printed */
};

/* Loads a snapshot ("-": from standard input), and applies the changes of the options where it is
 * the first one (like NULL).  Warns of what --salvage left out.  Returns 0, or prints a line and
 * returns EXIT_FAILURE.  The caller releases *t in any case. */
int loaded_table_load(struct loaded_table *t, const char *path, const struct load_options *options,
                      const struct loaded_table *like);

/* Prints the library's error of this snapshot, and returns EXIT_FAILURE.  Its text has the
 * path where it knows it. */
int loaded_table_fail(const char *path, roost_status status);

/* What its keys are, or a line is printed and EXIT_FAILURE returned: the command cannot spell
 * them. */
int loaded_table_keys(const struct loaded_table *t, struct key_meaning *keys);

/* EXIT_SALVAGED if something was left out and the rest went well; else `result`. */
int loaded_table_end(const struct loaded_table *t, int result);

/* The types of a snapshot for messages: "U64", "BYTES of 20 bytes". */
#define TYPE_WORDS 48
const char *loaded_type_words(roost_type type, size_t bytes, char words[TYPE_WORDS]);

void loaded_table_release(struct loaded_table *t);

#endif
