/* Columns of a relation, as databases and data frames hold them.
 * Experimental: may change before 1.0. */
#ifndef ROOST_COLUMNS_H
#define ROOST_COLUMNS_H

#include "roost/roost.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A column of n items.  Begin with ROOST_COLUMN_INIT.  Arrays are in host memory, or in that of the
 * GPU that works on them. */
typedef struct roost_column {
    size_t size;             /* sizeof(roost_column) */
    roost_type type;         /* default U32 */
    int offset_bytes;        /* STRING: 4 or 8, of an offset; default 8 */
    size_t bytes;            /* BYTES: of an item, 1 to ROOST_KEY_BYTES_MOST */
    const void *values;      /* n items; of strings their bytes, or NULL if all are empty */
    const void *offsets;     /* STRING: n + 1, as in roost_strings */
    const uint8_t *validity; /* bit i % 8 of byte i / 8: item i is valid; NULL: all are */
    int nullable;            /* 1: items may be NULL; 0 (default): `validity` is NULL */
} roost_column;

#define ROOST_COLUMN_INIT                                                                          \
    {                                                                                              \
        sizeof(roost_column), ROOST_TYPE_U32, 8, 0, NULL, NULL, NULL, 0                            \
    }

/* Where a column of results is written.  Begin with ROOST_RESULT_INIT. */
typedef struct roost_result {
    size_t size;         /* sizeof(roost_result) */
    void *values;        /* NULL: not wanted */
    uint8_t *validity;   /* a bit for each item, as in roost_column; NULL: not wanted */
    uint64_t *offsets;   /* of strings: room + 1 */
    uint64_t bytes_room; /* of strings: room for their bytes in `values` */
} roost_result;

#define ROOST_RESULT_INIT                                                                          \
    {                                                                                              \
        sizeof(roost_result), NULL, NULL, NULL, 0                                                  \
    }

#ifdef __cplusplus
}
#endif
#endif
