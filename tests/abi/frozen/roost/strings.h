/* Keys that are strings: tables whose key_type is ROOST_TYPE_STRING.  On them the calls that take
 * keys as arrays (roost_insert, roost_find, roost_erase, roost_apply, roost_export) return
 * ROOST_ERR_UNSUPPORTED; on other tables the calls below do. */
#ifndef ROOST_STRINGS_H
#define ROOST_STRINGS_H

#include "roost/roost.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Byte strings in Arrow's layout: string i is the bytes from offsets[i] up to offsets[i + 1].  Any
 * bytes are allowed, and the empty string.  Both arrays may be in host or device memory.  Begin
 * with ROOST_STRINGS_INIT or roost_strings_init. */
typedef struct roost_strings {
    size_t size;         /* sizeof(roost_strings) */
    const void *offsets; /* n + 1, not falling, aligned to their width */
    const void *bytes;   /* may be NULL where all strings are empty */
    int offset_bytes;    /* 4 or 8: unsigned integers of 32 or 64 bits; default 8 */
    uint32_t reserved;
} roost_strings;

#define ROOST_STRINGS_INIT                                                                         \
    {                                                                                              \
        sizeof(roost_strings), NULL, NULL, 8, 0                                                    \
    }

/* The most bytes of a string. */
#define ROOST_STRING_MOST 0x7fffffff

/* Writes the defaults.  Returns: as roost_config_init. */
ROOST_EXPORT roost_status roost_strings_init(roost_strings *strings, size_t size);

/* Inserts, finds and erases n strings, as roost_insert, roost_find and roost_erase do other keys.
 * The table keeps copies of the strings.  Inserts wait.
 * Returns: ROOST_ERR_ARGUMENT, and nothing was done: offsets fall, or a string has more than
 * ROOST_STRING_MOST bytes.  Finds and erases whose strings are all on the table's device do not
 * check this; such items end NONE.  Else as roost_insert, roost_find and roost_erase. */
ROOST_EXPORT roost_status roost_insert_strings(roost_table *table, roost_mode mode,
                                               const roost_strings *keys, const void *values,
                                               size_t n, const roost_call *call);
ROOST_EXPORT roost_status roost_find_strings(const roost_table *table, const roost_strings *keys,
                                             size_t n, void *values, uint8_t *found,
                                             const roost_call *call);
ROOST_EXPORT roost_status roost_erase_strings(roost_table *table, const roost_strings *keys,
                                              size_t n, const roost_call *call);

/* Exports up to `room` pairs, as roost_export: offsets (room + 1 of offset_bytes each, offsets[0]
 * becomes 0) and the bytes of the strings, up to bytes_room.
 * Returns: ROOST_ERR_ARGUMENT: room is below ROOST_EXPORT_MIN; the next ROOST_EXPORT_MIN strings
 * do not fit into bytes_room (the error's text has their bytes); or offsets of 4 bytes with a
 * bytes_room of 2^32 or more. */
ROOST_EXPORT roost_status roost_export_strings(const roost_table *table, roost_cursor *cursor,
                                               void *offsets, int offset_bytes, void *bytes,
                                               uint64_t bytes_room, void *values, size_t room,
                                               size_t *n, const roost_call *call);

#ifdef __cplusplus
}
#endif
#endif
