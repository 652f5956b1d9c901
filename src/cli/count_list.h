/* The list of keys and their counts as a file: tsv; csv with a header; or JSON lines. */
#ifndef ROOST_CLI_COUNT_LIST_H
#define ROOST_CLI_COUNT_LIST_H

#include "cli/harvest.h"
#include "cli/outfile.h"

enum list_format { LIST_TSV, LIST_CSV, LIST_JSON_LINES };

/* The format of a file with this name, by its ending in front of that of a compression: .csv,
 * .jsonl or .ndjson; all others are tsv. */
enum list_format count_list_format(const char *name);

struct count_list {
    struct outfile *file;
    enum list_format format;
    struct key_form form;
    uint64_t least_count, most_count; /* of the keys that are listed */
    uint64_t nulls;                   /* records without a key: the row KEY_NULL, the first one */
};

/* These write a row for each key.  On failure they print a line and return EXIT_FAILURE; a write
 * that failed is reported by outfile_finish. */

/* The keys in harvest->all, in their order. */
int count_list_harvest(const struct count_list *list, const struct harvest *harvest);

/* The keys of the table, in no order. */
int count_list_table(const struct count_list *list, const roost_table *table, const struct harvest_wish *wish);

#endif
