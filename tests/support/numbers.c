/* Reads a table's statistics: the struct, and the list by index. */
#include "support/numbers.h"

#include <stdlib.h>
#include <string.h>

#include <roost/tuning.h>

#include "support/suite.h"

enum { UNWRITTEN = 0xEE };

static void take_general(const roost_table *table, struct table_numbers *numbers)
{
    roost_stats stats;
    memset(&stats, UNWRITTEN, sizeof stats);
    require_status(ROOST_OK, roost_table_stats(table, &stats, sizeof stats), table);
    require(stats.size == sizeof stats, "roost_stats.size is %zu, not %zu", stats.size, sizeof stats);
#define TAKE(name) numbers->name = stats.name;
    NUMBERS_GENERAL(TAKE)
#undef TAKE
    numbers->load_factor = stats.load_factor;
}

/* True if the part of the statistic's name after the engine's is `member`, alone or with an
 * index. */
static bool is_named(const char *name, const char *member, uint64_t *index)
{
    const size_t length = strlen(member);
    if (strncmp(name, member, length) != 0) return false;
    *index = name[length] == '.' ? strtoull(name + length + 1, NULL, 10) : 0;
    return name[length] == '\0' || name[length] == '.';
}

static void take_stat(const roost_stat *stat, struct table_numbers *numbers)
{
    const char *dot = strchr(stat->name, '.');
    uint64_t i;
    require(dot != NULL, "a statistic is named %s", stat->name);
#define TAKE_COUNT(member)                                                                                                         \
    if (stat->kind == ROOST_STAT_U64 && is_named(dot + 1, #member, &i)) numbers->member = stat->value.u64;                         \
    else
#define TAKE_REAL(member)                                                                                                          \
    if (stat->kind == ROOST_STAT_F64 && is_named(dot + 1, #member, &i)) numbers->member = stat->value.f64;                         \
    else
#define TAKE_ARRAY(member, elements)                                                                                               \
    if (stat->kind == ROOST_STAT_U64 && is_named(dot + 1, #member, &i) && i < elements) numbers->member[i] = stat->value.u64;      \
    else
    NUMBERS_COUNTS(TAKE_COUNT)
    NUMBERS_REALS(TAKE_REAL)
    NUMBERS_ARRAYS(TAKE_ARRAY)
    require(false, "the statistic %s of kind %d is known to no test", stat->name, (int)stat->kind);
}

struct table_numbers table_numbers_read(const roost_table *table)
{
    struct table_numbers numbers;
    roost_stat stat;
    memset(&numbers, 0, sizeof numbers);
    take_general(table, &numbers);
    for (size_t i = 0;; i++) {
        memset(&stat, UNWRITTEN, sizeof stat);
        stat.size = sizeof stat;
        const roost_status status = roost_table_stat_at(table, i, &stat);
        if (status == ROOST_ERR_NOT_FOUND) return numbers;
        require_status(ROOST_OK, status, table);
        take_stat(&stat, &numbers);
    }
}

unsigned long long print(uint64_t number) { return number; }
