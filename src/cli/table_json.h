/* What a table was made of, as JSON; NULL where memory was refused. */
#ifndef ROOST_CLI_TABLE_JSON_H
#define ROOST_CLI_TABLE_JSON_H

#include "cli/json.h"
#include "roost/roost.h"

/* An object of the table's engine, device, profile, options and kernels, and then of the members of `numbers`, which it takes; NULL: none. */
json_t *table_json(const roost_table *table, json_t *numbers);

/* An object of a text "name=value,name=value". */
json_t *table_json_pairs(const char *text);

/* Adds the numbers that a table of strings has besides, and returns them; NULL for NULL, or if memory was refused. */
json_t *table_json_strings(json_t *numbers, const roost_table *table);

#endif
