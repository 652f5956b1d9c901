/* Joins of two relations: pairs of rows whose keys are equal.
 * Experimental: may change before 1.0.
 *
 *     roost_join_create(&join, &config);
 *     roost_join_build(join, columns, n, NULL);            (batch after batch)
 *     roost_join_cursor cursor = {0};
 *     while (!cursor.end)                                  (for each batch of the other side)
 *         roost_join_probe(join, columns, n, &cursor, probe_rows, build_rows, room, &pairs, NULL);
 *
 * Rows are numbered from 0, and numbers go on from batch to batch, on either side.  NULL equals
 * nothing.  -0.0 and 0.0 are equal, and so are NaNs.  The first probe ends the building.  Errors of
 * these calls are in roost_last_error(NULL). */
#ifndef ROOST_JOIN_H
#define ROOST_JOIN_H

#include "roost/columns.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct roost_join roost_join;

typedef enum roost_join_how {
    ROOST_JOIN_INNER = 0,
    ROOST_JOIN_LEFT = 1, /* also probe rows without a match, with the build row of all bits set */
    ROOST_JOIN_FULL = 2, /* the same, and roost_join_rest: build rows without a match */
    ROOST_JOIN_SEMI = 3, /* probe rows that have a match, once each */
    ROOST_JOIN_ANTI = 4  /* probe rows that have none */
} roost_join_how;

/* The most key columns. */
#define ROOST_JOIN_KEYS_MOST 16

/* How rows are joined.  Begin with ROOST_JOIN_CONFIG_INIT. */
typedef struct roost_join_config {
    size_t size;        /* sizeof(roost_join_config) */
    const char *engine; /* of the tables; NULL: the library chooses */
    const char *device; /* as in roost_config */
    int threads;        /* as in roost_config */
    roost_join_how how;
    uint32_t flags;    /* ROOST_ORDERED: pairs by probe row and then build row, else in any order */
    int row_bytes;     /* 4 or 8, of a row's number; default 8 */
    uint64_t capacity; /* keys that are expected; default 0 */
    int key_columns;
    const roost_column *keys; /* their types; arrays do not count here */
} roost_join_config;

#define ROOST_JOIN_CONFIG_INIT                                                                     \
    {                                                                                              \
        sizeof(roost_join_config), NULL, NULL, 0, ROOST_JOIN_INNER, 0, 8, 0, 0, NULL               \
    }

/* Where a probe is; all 0 at its start. */
typedef struct roost_join_cursor {
    uint64_t row, match; /* of the batch's rows, and of the row's matches: the next */
    uint64_t end;        /* 1: all pairs have been given */
} roost_join_cursor;

/* Returns: ROOST_ERR_ARGUMENT: a type or a number is wrong; and as roost_table_create. */
ROOST_EXPORT roost_status roost_join_create(roost_join **join, const roost_join_config *config);

/* Adds n rows to the side that is built: at most 2^32 - 2 in all.  keys: the columns.  call: the
 * stream alone counts.
 * Returns: ROOST_ERR_ARGUMENT: another type, an array that is not aligned to its items' width, or a
 * probe has begun; ROOST_ERR_FULL: too many rows; ROOST_ERR_MEMORY.  If only some rows were added,
 * the join is of no use, and later calls return the same error. */
ROOST_EXPORT roost_status roost_join_build(roost_join *join, const roost_column *keys, size_t n,
                                           const roost_call *call);

/* Writes the next pairs of a batch of n rows, at most `room`; *pairs: how many, which may be fewer
 * before the end.  Calls with one cursor have the same batch, until cursor->end; it is read again
 * from cursor->row on.  probe_rows, build_rows: their numbers, in host or device memory; either may
 * be NULL.  SEMI, ANTI: build_rows is not written.
 * Returns: as roost_join_build; a cursor that is of another batch is ROOST_ERR_ARGUMENT. */
ROOST_EXPORT roost_status roost_join_probe(roost_join *join, const roost_column *keys, size_t n,
                                           roost_join_cursor *cursor, void *probe_rows,
                                           void *build_rows, size_t room, size_t *pairs,
                                           const roost_call *call);

/* Only counts the pairs of a batch, whose rows are not numbered. */
ROOST_EXPORT roost_status roost_join_count(roost_join *join, const roost_column *keys, size_t n,
                                           uint64_t *pairs, const roost_call *call);

/* SEMI, ANTI: writes a bit for each of n rows instead, 1 for rows that are in the result: bit i % 8
 * of byte i / 8, in host memory.  The rows are not numbered. */
ROOST_EXPORT roost_status roost_join_bits(roost_join *join, const roost_column *keys, size_t n,
                                          uint8_t *bits, const roost_call *call);

/* FULL: writes the numbers of build rows that no probe has met, ascending, from cursor->row on. */
ROOST_EXPORT roost_status roost_join_rest(roost_join *join, roost_join_cursor *cursor,
                                          void *build_rows, size_t room, size_t *rows,
                                          const roost_call *call);

/* NULL: does nothing. */
ROOST_EXPORT void roost_join_destroy(roost_join *join);

#ifdef __cplusplus
}
#endif
#endif
