/* Reads a statistic of an engine by its name. */
#include "cli/table_stat.h"

#include <stdio.h>

#include "roost/tuning.h"

uint64_t table_stat(const roost_table *table, const char *name) { return table_stat_of(roost_table_engine(table), table, name); }

uint64_t table_stat_of(const char *whose, const roost_table *table, const char *name)
{
    char full[64];
    roost_stat stat = ROOST_STAT_INIT;
    snprintf(full, sizeof full, "%s.%s", whose, name);
    return roost_table_stat(table, full, &stat) == ROOST_OK ? stat.value.u64 : 0;
}
