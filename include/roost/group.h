/* Groups of rows with equal keys, and aggregates of each: GROUP BY.
 * Experimental: may change before 1.0.
 *
 *     roost_group_create(&group, &config);
 *     roost_group_add(group, keys, values, n, NULL);       (batch after batch)
 *     roost_group_count(group, &groups);
 *     roost_group_export(group, 0, groups, key_results, results, &n);
 *
 * As in SQL, rows whose key is NULL are a group, -0.0 and 0.0 are one key, and so are all NaNs.
 * Errors of these calls are in roost_last_error(NULL). */
#ifndef ROOST_GROUP_H
#define ROOST_GROUP_H

#include "roost/columns.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct roost_group roost_group;

/* An aggregate's result has the type that follows.  All but COUNT_ROWS and FIRST leave out items
 * that are NULL.  Of no items SUM, SMALLEST, LARGEST, MEAN and ANY are NULL. */
typedef enum roost_aggregate_kind {
    ROOST_COUNT_ROWS = 0,    /* U64; takes no column */
    ROOST_COUNT_VALUES = 1,  /* U64 */
    ROOST_SUM = 2,           /* of signed integers I64, of unsigned ones U64, of floats F64 */
    ROOST_SMALLEST = 3,      /* MIN, of the column's type; NaNs count where there is no number */
    ROOST_LARGEST = 4,       /* MAX, the same */
    ROOST_MEAN = 5,          /* F64; of integers from their exact sum */
    ROOST_FIRST = 6,         /* the item of the group's first row, which may be NULL */
    ROOST_ANY = 7,           /* an item that is not NULL */
    ROOST_COUNT_DISTINCT = 8 /* U64: different items, exactly */
} roost_aggregate_kind;

typedef struct roost_aggregate {
    roost_aggregate_kind kind;
    int column; /* of the value columns, from 0 */
} roost_aggregate;

/* The most key columns, value columns and aggregates. */
#define ROOST_GROUP_KEYS_MOST 16
#define ROOST_GROUP_VALUES_MOST 256

/* roost_group_config.flags: sums of integers that do not fit wrap modulo 2^64. */
#define ROOST_SUMS_WRAP 0x100u

/* How groups are made.  Begin with ROOST_GROUP_CONFIG_INIT.  The columns' types count here, not
 * their arrays.  Value columns: integers and floats. */
typedef struct roost_group_config {
    size_t size;        /* sizeof(roost_group_config) */
    const char *engine; /* of the tables; NULL: the library chooses */
    const char *device; /* as in roost_config */
    int threads;        /* as in roost_config */
    uint32_t flags;     /* ROOST_ORDERED: groups in the order of their first rows, else in any;
                         * ROOST_SUMS_WRAP */
    uint64_t capacity;  /* groups that are expected; default 0 */
    int key_columns, value_columns, aggregates;
    const roost_column *keys;
    const roost_column *values;
    const roost_aggregate *aggregate;
} roost_group_config;

#define ROOST_GROUP_CONFIG_INIT                                                                    \
    {                                                                                              \
        sizeof(roost_group_config), NULL, NULL, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL                 \
    }

/* Returns: ROOST_ERR_ARGUMENT: a type or a number is wrong; ROOST_ERR_UNSUPPORTED: an aggregate of
 * this column; and as roost_table_create. */
ROOST_EXPORT roost_status roost_group_create(roost_group **group, const roost_group_config *config);

/* Adds n rows.  keys, values: the columns in the order of the configuration, with their types.
 * call: the stream alone counts.  The call waits.  Refused rows count in no group.
 * Returns: ROOST_ERR_ARGUMENT: another type, an array that is not aligned to its items' width, or
 * offsets that fall; ROOST_ERR_MEMORY; ROOST_ERR_FULL: there are 2^32 - 2 keys.  If only some rows
 * were added, the groups are of no use, and later calls return the same error. */
ROOST_EXPORT roost_status roost_group_add(roost_group *group, const roost_column *keys,
                                          const roost_column *values, size_t n,
                                          const roost_call *call);

/* How many groups there are. */
ROOST_EXPORT roost_status roost_group_count(const roost_group *group, uint64_t *groups);

/* Writes groups first .. first + *n - 1, at most `room`: their keys (a result for each key column)
 * and aggregates (one for each).  keys, results: NULL: not wanted.
 * Returns: ROOST_ERR_OVERFLOW: a sum of integers does not fit (the error names the group);
 * ROOST_ERR_ARGUMENT: the first string does not fit into bytes_room. */
ROOST_EXPORT roost_status roost_group_export(roost_group *group, uint64_t first, size_t room,
                                             const roost_result *keys, const roost_result *results,
                                             size_t *n);

/* NULL: does nothing. */
ROOST_EXPORT void roost_group_destroy(roost_group *group);

#ifdef __cplusplus
}
#endif
#endif
