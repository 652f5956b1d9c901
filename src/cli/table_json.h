/* What a table was made of, as JSON; NULL where memory was refused. */
#ifndef ROOST_CLI_TABLE_JSON_H
#define ROOST_CLI_TABLE_JSON_H

#include "cli/json.h"
#include "roost/roost.h"

json_t *table_json_profile(const roost_table *table);
json_t *table_json_options(const roost_table *table);
json_t *table_json_kernels(const roost_table *table);

/* An object of a text "name=value,name=value". */
json_t *table_json_pairs(const char *text);

#endif
