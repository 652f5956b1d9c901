/* Statistics of a table's engine. */
#ifndef ROOST_CLI_TABLE_STAT_H
#define ROOST_CLI_TABLE_STAT_H

#include "roost/roost.h"

/* The table's statistic "ENGINE.name", a count; 0 if the engine has none of this name. */
uint64_t table_stat(const roost_table *table, const char *name);
/* The same of the statistic "WHOSE.name". */
uint64_t table_stat_of(const char *whose, const roost_table *table, const char *name);

#endif
