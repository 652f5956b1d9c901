/* Descriptions of a table as JSON; NULL if memory was refused. */
#ifndef ROOST_CLI_TABLE_JSON_H
#define ROOST_CLI_TABLE_JSON_H

#include "cli/json.h"
#include "roost/roost.h"

/* An object with the table's engine, device, profile, options and kernels, then the members of
 * `numbers`, which it frees (NULL: none). */
json_t *table_json(const roost_table *table, json_t *numbers);

/* An object with the members of "name=value,name=value". */
json_t *table_json_pairs(const char *text);

/* Adds the statistics of a table of strings to the numbers, and returns them.  NULL if they are
 * NULL or memory was refused. */
json_t *table_json_strings(json_t *numbers, const roost_table *table);

#endif
