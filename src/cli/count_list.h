/* The list of keys and their counts as a file: tsv; csv with a header; or JSON lines. */
#ifndef ROOST_CLI_COUNT_LIST_H
#define ROOST_CLI_COUNT_LIST_H

#include <stdio.h>

#include "cli/key_count.h"

enum list_format { LIST_TSV, LIST_CSV, LIST_JSON_LINES };

/* The format of a file with this name, by its ending in front of that of a compression: .csv,
 * .jsonl or .ndjson; all others are tsv. */
enum list_format count_list_format(const char *name);

struct count_list {
    FILE *to;
    enum list_format format;
    struct key_form form;
    const struct key_store *store;
    struct key_text text; /* all 0 at the start */
};

/* Writes what stands before the rows. */
void count_list_begin(struct count_list *list);

/* Writes a row.  key: NULL: of records without a key.  False: memory was refused. */
bool count_list_row(struct count_list *list, const uint64_t *key, uint64_t count);

void count_list_release(struct count_list *list);

#endif
