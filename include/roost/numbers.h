/* Dense numbers: a table that gives each key a number, as dictionary encoding, the vertices of a
 * graph, and groups need them.
 * Experimental: may change before 1.0.
 *
 *     config.flags = ROOST_NUMBERED;
 *     config.value_type = ROOST_TYPE_U32;
 *     roost_table_create(&table, &config);
 *     roost_number(table, keys, n, numbers, NULL);
 *
 * The numbers are the table's values, so roost_find looks them up.  The first key gets 0, and each
 * new one the next number: without erases the numbers are 0 to count - 1.  A key keeps its number
 * until it is erased; no number is given again.  roost_table_clear starts at 0.  Other inserts into
 * such tables are UNSUPPORTED, and so are ROOST_MULTI, views and comms. */
#ifndef ROOST_NUMBERS_H
#define ROOST_NUMBERS_H

#include "roost/strings.h"

#ifdef __cplusplus
extern "C" {
#endif

/* roost_config.flags: values are numbers of keys.  value_type: U32, U64, I32 or I64. */
#define ROOST_NUMBERED 0x2u

/* roost_call.flags of roost_export, for such tables: pairs come in the order of their numbers.
 * Each call makes at least two passes over the table, so `room` should be a large part of it.  Not
 * for keys that are strings. */
#define ROOST_NUMBER_ORDER 0x10u

/* Writes the number of each of n keys to numbers (n, of the table's value type), and gives new keys
 * numbers: with ROOST_ORDERED in the order of their first items, else in any order.  Statuses:
 * INSERTED for one item of each new key, with ROOST_ORDERED the first one; else KEPT.  Refused
 * items get the number with all bits set; so does no key.  The call waits.  If it fails otherwise
 * (ROOST_ERR_DEVICE), some numbers may never be given.
 * Returns: ROOST_ERR_UNSUPPORTED: the table is not ROOST_NUMBERED; ROOST_ERR_FULL,
 * ROOST_ERR_MEMORY: as roost_insert, and FULL where all numbers of the value type are given
 * away. */
ROOST_EXPORT roost_status roost_number(roost_table *table, const void *keys, size_t n,
                                       void *numbers, const roost_call *call);
ROOST_EXPORT roost_status roost_number_strings(roost_table *table, const roost_strings *keys,
                                               size_t n, void *numbers, const roost_call *call);

#ifdef __cplusplus
}
#endif
#endif
