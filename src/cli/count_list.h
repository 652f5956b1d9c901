/* Lists of keys and what belongs to each, such as its count, as files: tsv; csv with a header; JSON
 * lines; or FASTA. */
#ifndef ROOST_CLI_COUNT_LIST_H
#define ROOST_CLI_COUNT_LIST_H

#include "cli/harvest.h"
#include "cli/outfile.h"
#include "cli/row_text.h"
#include "cli/table_walk.h"
#include "cli/value_spell.h"

/* LIST_FASTA: k-mers alone, each behind its count as a header. */
enum list_format { LIST_TSV, LIST_CSV, LIST_JSON_LINES, LIST_FASTA };

/* The format of a file with this name, by its ending in front of that of a compression: .csv,
 * .jsonl or .ndjson, .fa or .fasta; all others are tsv. */
enum list_format count_list_format(const char *name);

/* The format of this name; false: there is none. */
bool count_list_format_named(const char *name, enum list_format *format);

struct count_list {
    struct outfile *file;
    enum list_format format;
    struct key_form form;
    struct value_form value;
    uint64_t least_count, most_count; /* of the keys that are listed; of numbers without sign */
    uint64_t nulls;                   /* records without a key: the row KEY_NULL, the first one */
};

/* These write a row for each key.  On failure they print a line and return EXIT_FAILURE; a write
 * that failed is reported by outfile_finish. */

/* The keys in harvest->all, in their order. */
int count_list_harvest(const struct count_list *list, const struct harvest *harvest);

/* The keys of the table, in no order. */
int count_list_table(const struct count_list *list, const roost_table *table, struct key_kind kind);

/* ---- Row by row ------------------------------------------------------------------------------ */

/* Rows are put together in memory, because a call of printf for each takes longer than counting. */
struct list_writer {
    const struct count_list *list;
    struct key_text spelling;
    struct row_text rows;
    bool failed; /* a write */
};

/* Writes what stands before the rows. */
int list_begin(struct list_writer *w, const struct count_list *list);

/* Adds a row: a key's spelling, or NULL if memory was refused for it; and its value, or NULL if it
 * has none. */
int list_add(struct list_writer *w, const char *key, const void *value);

/* Writes the rest, and releases the writer.  Returns `result`. */
int list_end(struct list_writer *w, int result);

#endif
