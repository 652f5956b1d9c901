/* Reads a table's statistics. */
#include "numbers.h"

#include <stdio.h>
#include <string.h>

#include <roost/tuning.h>

/* The engine's statistic of this name, or else that of all engines; value 0 if there is none. */
static roost_stat stat_of(const roost_table *table, const char *name)
{
    char full[64];
    roost_stat stat = ROOST_STAT_INIT;
    snprintf(full, sizeof full, "%s.%s", roost_table_engine(table), name);
    if (roost_table_stat(table, full, &stat) == ROOST_OK) return stat;
    snprintf(full, sizeof full, "table.%s", name);
    roost_table_stat(table, full, &stat);
    return stat;
}

struct numbers numbers_read(const roost_table *table)
{
    struct numbers numbers;
    roost_stats stats;
    memset(&numbers, 0, sizeof numbers);
    if (roost_table_stats(table, &stats, sizeof stats) != ROOST_OK) return numbers;
    numbers.load_factor = stats.load_factor;
#define TAKE(name) numbers.name = stats.name;
    NUMBERS_GENERAL(TAKE)
#undef TAKE
#define TAKE(name) numbers.name = stat_of(table, #name).value.u64;
    NUMBERS_COUNTS(TAKE)
#undef TAKE
#define TAKE(name) numbers.name = stat_of(table, #name).value.f64;
    NUMBERS_REALS(TAKE)
#undef TAKE
    return numbers;
}
