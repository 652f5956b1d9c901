/* Batches of mixed operations: finds, inserts and erases in one call. */
#ifndef ROOST_MIXED_H
#define ROOST_MIXED_H

#include "roost/roost.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What an item of a mixed batch does, as a byte.  An insert of a mode is ROOST_OP_INSERT + mode. */
typedef enum roost_operation {
    ROOST_OP_FIND = 0,
    ROOST_OP_ERASE = 1,
    ROOST_OP_INSERT = 2,
    ROOST_OP_ASSIGN = ROOST_OP_INSERT + ROOST_ASSIGN,
    ROOST_OP_KEEP = ROOST_OP_INSERT + ROOST_KEEP,
    ROOST_OP_ADD = ROOST_OP_INSERT + ROOST_ADD,
    ROOST_OP_MIN = ROOST_OP_INSERT + ROOST_MIN,
    ROOST_OP_MAX = ROOST_OP_INSERT + ROOST_MAX,
    ROOST_OP_APPEND = ROOST_OP_INSERT + ROOST_APPEND
} roost_operation;

/* A mixed batch.  Begin with ROOST_BATCH_INIT or roost_batch_init. */
typedef struct roost_batch {
    size_t size;               /* sizeof(roost_batch) */
    const uint8_t *operations; /* n; an item whose operation the table does not take ends NONE */
    const void *keys;          /* n */
    const void *values_in;     /* n, read for inserts; NULL: sets, or no inserts */
    void *values_out;          /* n, written where a find hits; NULL: not wanted */
    size_t n;
} roost_batch;

#define ROOST_BATCH_INIT                                                                           \
    {                                                                                              \
        sizeof(roost_batch), NULL, NULL, NULL, NULL, 0                                             \
    }

/* Writes the defaults.  Returns: as roost_config_init. */
ROOST_EXPORT roost_status roost_batch_init(roost_batch *batch, size_t size);

/* Carries out a mixed batch.  Operations on one key take effect one after the other, in any order,
 * or with ROOST_ORDERED in the order of the arrays.  Tables of engines that mix
 * (roost_engine_info.mixes) work on all items at the same time, unless their options exclude it.
 * For other tables the library makes phases: erases, inserts by mode, finds.  So it does where many
 * items of a large batch erase and insert few keys by turns.
 * Memory that is refused refuses inserts of new keys alone.
 * Precondition: arrays as those of roost_insert and roost_find.
 * Returns: as roost_insert. */
ROOST_EXPORT roost_status roost_apply(roost_table *table, const roost_batch *batch,
                                      const roost_call *call);

/* Inserts n items, as roost_insert, and returns what was stored before each.  Equal keys take
 * effect one after the other, in the order of the arrays.  old (n): values of keys that were there,
 * 0 for others (ROOST_ABSENT_KEEP: not written); found (n bytes): 1 or 0; either may be NULL.  Keys
 * that come often take time as with ROOST_ORDERED.  The call waits.
 * Returns: as roost_insert; ROOST_ERR_UNSUPPORTED: keys or values of other widths than 4 and 8
 * bytes, ROOST_MULTI, or a table with a comm. */
ROOST_EXPORT roost_status roost_exchange(roost_table *table, roost_mode mode, const void *keys,
                                         const void *values, size_t n, void *old, uint8_t *found,
                                         const roost_call *call);

#ifdef __cplusplus
}
#endif
#endif
