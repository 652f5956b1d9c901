/* One of the numbers that the engine of a table counts. */
#ifndef ROOST_CLI_TABLE_STAT_H
#define ROOST_CLI_TABLE_STAT_H

#include "roost/roost.h"

/* The statistic "ENGINE.name" of the table, a count; 0 where its engine has none of this name. */
uint64_t table_stat(const roost_table *table, const char *name);

#endif
