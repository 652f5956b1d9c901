/* Arrow arrays in and out of tables, groups and joins, by Arrow's C data interface, its C stream
 * interface and its C device interface (https://arrow.apache.org/docs/format/CDataInterface.html).
 * Experimental: may change before 1.0.
 *
 *     roost_arrow keys = ROOST_ARROW_INIT;                 (a column: here the first of a batch)
 *     keys.schema = &schema, keys.array = &batch, keys.child = 0;
 *     roost_insert_arrow(table, ROOST_ADD, &keys, NULL, NULL);
 *
 * Who releases what.  Arrays and schemas that a call is given are borrowed: it reads them and never
 * releases them.  As with other arrays the caller keeps them until the call has returned or, where
 * it is asynchronous, until its stream has passed it.  A stream that is given is read to its end or
 * to its first error; the call releases each schema and batch that it got from it, once, and the
 * caller releases the stream itself.  What a call gives (schemas, arrays, streams) the caller
 * releases by its callback.  On failure a call gives nothing, and what it was to write is marked as
 * released (release is NULL).
 *
 * Types.  A column has to agree with what it goes into, the keys or values of a table or a column
 * of a group or a join:
 *     U32     uint8, uint16, uint32, bool (0 and 1)
 *     U64     the same, uint64
 *     I32     int8, int16, int32, uint8, uint16, bool; date32, time32, month intervals
 *     I64     the same, uint32, int64, date64, time64, timestamps, durations
 *     F32     float32
 *     F64     float32, float64
 *     BYTES   fixed-size binary, decimals and the other intervals, of the same width
 *     STRING  utf8, large utf8, binary, large binary, and views of both
 * and dictionary arrays of these, which are decoded.  No value is narrowed, and none changes its
 * sign.  Other formats (null, float16, lists, structs, unions, maps, run-end encoded) are refused
 * with ROOST_ERR_UNSUPPORTED and their format string.  Metadata are ignored: an extension type is
 * its storage.
 *
 * Copies.  Where the layouts agree, the array's memory is used in place: items of the same width,
 * aligned to it; offsets of 32 and 64 bits; validity whose first bit begins a byte.  Else the call
 * makes a copy of that buffer in host memory, as it does of all that is decoded.
 *
 * NULL.  In tables a key that is NULL is no item: it ends ROOST_ITEM_NONE, nothing is stored, and a
 * find gives NULL for it.  A value that is NULL beside a key that is not is refused: its insert is
 * ROOST_ERR_ARGUMENT, and nothing is stored.  In groups rows whose key is NULL are a group, and in
 * joins NULL equals nothing.  A row of a struct that is NULL is NULL in all of its columns.
 *
 * Checked, with ROOST_ERR_ARGUMENT: released structs, numbers of buffers and children, lengths,
 * offsets and counts of NULLs below 0 or beyond what they may be, format strings, offsets of
 * strings that fall, views outside their buffers, indices outside their dictionary.  The interface
 * does not say how many bytes a buffer has, except those of views, so that cannot be checked;
 * offsets on a device are checked as roost/strings.h says.
 *
 * Errors of calls on a table are in roost_last_error(table), others in roost_last_error(NULL). */
#ifndef ROOST_ARROW_H
#define ROOST_ARROW_H

#include "roost/group.h"
#include "roost/join.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Arrow's structs, as its standard declares them ------------------------------------------ */

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};
#endif /* ARROW_C_DATA_INTERFACE */

#ifndef ARROW_C_DEVICE_DATA_INTERFACE
#define ARROW_C_DEVICE_DATA_INTERFACE

typedef int32_t ArrowDeviceType;
#define ARROW_DEVICE_CPU 1
#define ARROW_DEVICE_CUDA 2
#define ARROW_DEVICE_CUDA_HOST 3
#define ARROW_DEVICE_OPENCL 4
#define ARROW_DEVICE_VULKAN 7
#define ARROW_DEVICE_METAL 8
#define ARROW_DEVICE_VPI 9
#define ARROW_DEVICE_ROCM 10
#define ARROW_DEVICE_ROCM_HOST 11
#define ARROW_DEVICE_EXT_DEV 12
#define ARROW_DEVICE_CUDA_MANAGED 13
#define ARROW_DEVICE_ONEAPI 14
#define ARROW_DEVICE_WEBGPU 15
#define ARROW_DEVICE_HEXAGON 16

struct ArrowDeviceArray {
    struct ArrowArray array;
    int64_t device_id;
    ArrowDeviceType device_type;
    void *sync_event;
    int64_t reserved[3];
};
#endif /* ARROW_C_DEVICE_DATA_INTERFACE */

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};
#endif /* ARROW_C_STREAM_INTERFACE */

/* ---- Columns --------------------------------------------------------------------------------- */

/* A column of a call: an array, or a child of a struct array (a record batch).  Begin with
 * ROOST_ARROW_INIT.  Of a struct ArrowDeviceArray: array = &a.array, and its device_type, device_id
 * and sync_event. */
typedef struct roost_arrow {
    size_t size;                      /* sizeof(roost_arrow) */
    const struct ArrowSchema *schema; /* of `array` */
    const struct ArrowArray *array;
    int64_t child;       /* its column of this number, from 0; -1 (default): the array itself */
    int64_t device_id;   /* of device_type CUDA and CUDA_MANAGED: the GPU; else ignored */
    void *sync_event;    /* a pointer to a cudaEvent_t: the buffers are ready after it; NULL: they
                            are already */
    int32_t device_type; /* 0 (default) and ARROW_DEVICE_CPU: host memory; ARROW_DEVICE_CUDA,
                            ARROW_DEVICE_CUDA_HOST, ARROW_DEVICE_CUDA_MANAGED; others are
                            ROOST_ERR_UNSUPPORTED */
    uint32_t reserved;
} roost_arrow;

#define ROOST_ARROW_INIT                                                                           \
    {                                                                                              \
        sizeof(roost_arrow), NULL, NULL, -1, 0, NULL, 0, 0                                         \
    }

/* Columns on a GPU.  What is used in place (see above) stays there, and the call's work follows
 * sync_event; where a copy or a decision of the host is needed (dictionaries, views, other widths,
 * keys of a table that may be NULL) the call waits for the event and brings the buffers to the
 * host.  On a stream that is captured into a graph the latter fails. */

/* Writes the type that a column of this schema has in a group or a join, and in a table
 * (config.key_type = column.type, config.key_bytes = column.bytes): integers below 4 bytes become
 * U32 or I32, bool U32.  nullable is 1 if the schema has ARROW_FLAG_NULLABLE.  The arrays are NULL.
 * Returns: ROOST_ERR_UNSUPPORTED: the format has no type; ROOST_ERR_ARGUMENT: it is malformed, or
 * the schema is released. */
ROOST_EXPORT roost_status roost_arrow_column(const struct ArrowSchema *schema,
                                             roost_column *column);

/* ---- Tables ---------------------------------------------------------------------------------- */

/* In these calls call.statuses has a byte for each row, in host or device memory; call.space is
 * ignored.  Tables of every type of keys take them, also those whose keys are strings.
 * Returns, all of them: ROOST_ERR_ARGUMENT: a column's type does not agree with the table's, its
 * length is not that of the other one, or what is checked (see above); ROOST_ERR_UNSUPPORTED: a
 * format or a device; else as roost_insert, roost_find, roost_erase and roost_number. */

/* Inserts keys with values.  values NULL: as in roost_insert. */
ROOST_EXPORT roost_status roost_insert_arrow(roost_table *table, roost_mode mode,
                                             const roost_arrow *keys, const roost_arrow *values,
                                             const roost_call *call);

/* Finds keys, and gives an array with a value for each, in host memory: of the table's value type,
 * NULL where the key is absent or NULL; of sets a boolean array, false where the key is absent,
 * NULL where it is NULL.  The call waits. */
ROOST_EXPORT roost_status roost_find_arrow(const roost_table *table, const roost_arrow *keys,
                                           struct ArrowSchema *schema, struct ArrowArray *array,
                                           const roost_call *call);

/* Removes keys. */
ROOST_EXPORT roost_status roost_erase_arrow(roost_table *table, const roost_arrow *keys,
                                            const roost_call *call);

/* Numbers the keys of a ROOST_NUMBERED table, and gives an array of their numbers, in host memory:
 * NULL where a key is NULL or was refused.  The array is also given where some were
 * (ROOST_ERR_FULL, ROOST_ERR_MEMORY), unless its release is NULL. */
ROOST_EXPORT roost_status roost_number_arrow(roost_table *table, const roost_arrow *keys,
                                             struct ArrowSchema *schema, struct ArrowArray *array,
                                             const roost_call *call);

/* Inserts all batches of a stream of structs of a key and, except of sets and for ADD of 1, a
 * value; other columns are an error.  A stream of arrays that are no structs has keys alone.  *rows
 * (NULL: not wanted): rows of the batches that were inserted.  A batch of which items found no room
 * does not end the call.  call.statuses is NULL.
 * Returns: also ROOST_ERR_DEVICE: the stream failed (the error has its text);
 * ROOST_ERR_UNSUPPORTED: the table is shared with other ranks. */
ROOST_EXPORT roost_status roost_insert_arrow_stream(roost_table *table, roost_mode mode,
                                                    struct ArrowArrayStream *stream, uint64_t *rows,
                                                    const roost_call *call);

/* Flags of exports: keys that are strings are given as large utf8, else as large binary.  Their
 * bytes are not checked. */
#define ROOST_ARROW_UTF8 0x1u

/* Gives a stream of the table's pairs: batches of at most `room` rows (0: 65,536; at least
 * ROOST_EXPORT_MIN) of struct{key, value}, or of sets struct{key}, in host memory, each made when
 * it is asked for.  Nothing is NULL.  call: the stream and the flags of roost_export.  The table
 * may be read meanwhile.  A call that writes to it, and its destruction, end the stream with an
 * error. */
ROOST_EXPORT roost_status roost_export_arrow(const roost_table *table,
                                             struct ArrowArrayStream *stream, size_t room,
                                             uint32_t flags, const roost_call *call);

/* ---- Groups ---------------------------------------------------------------------------------- */

/* Adds rows.  keys, values: as many columns as the configuration has, all of one length; values is
 * ignored where it has none.  Types of the configuration: as roost_arrow_column writes them, or
 * wider ones.
 * Returns: as roost_group_add, and as calls on tables. */
ROOST_EXPORT roost_status roost_group_add_arrow(roost_group *group, const roost_arrow *keys,
                                                const roost_arrow *values, const roost_call *call);

/* Adds all batches of a stream of structs: the keys' columns, then the values'.  *rows (NULL: not
 * wanted): rows that were added.
 * Returns: as roost_group_add_arrow; ROOST_ERR_DEVICE: the stream failed. */
ROOST_EXPORT roost_status roost_group_add_arrow_stream(roost_group *group,
                                                       struct ArrowArrayStream *stream,
                                                       uint64_t *rows, const roost_call *call);

/* Gives a stream of the groups: batches of at most `room` rows (0: 65,536) of a struct of the keys'
 * columns and one for each aggregate.  names: theirs, in this order; NULL: "key0", "key1" ...,
 * "result0" ...  flags: ROOST_ARROW_UTF8.  The group's keys come in the types of its configuration.
 * Rows that are added meanwhile, and its destruction, end the stream with an error. */
ROOST_EXPORT roost_status roost_group_export_arrow(roost_group *group,
                                                   struct ArrowArrayStream *stream, size_t room,
                                                   const char *const *names, uint32_t flags);

/* ---- Joins ----------------------------------------------------------------------------------- */

/* Adds rows to the side that is built.  keys: as many columns as the configuration has.
 * Returns: as roost_join_build, and as calls on tables. */
ROOST_EXPORT roost_status roost_join_build_arrow(roost_join *join, const roost_arrow *keys,
                                                 const roost_call *call);

/* Adds all batches of a stream of structs of the keys' columns, in their order.  *rows (NULL: not
 * wanted): rows that were added. */
ROOST_EXPORT roost_status roost_join_build_arrow_stream(roost_join *join,
                                                        struct ArrowArrayStream *stream,
                                                        uint64_t *rows, const roost_call *call);

/* Gives a stream of the pairs of a batch: batches of at most `room` rows (0: 65,536) of
 * struct{probe, build}, of uint32 or uint64 (roost_join_config.row_bytes): numbers of rows.  Of
 * SEMI and ANTI: struct{probe}.  LEFT, FULL: `build` is NULL in rows without a match.  The caller
 * keeps the arrays of `keys` until the stream is released, and reads it to its end before the next
 * batch is probed, because the numbers of that one's rows follow.  The join's destruction ends the
 * stream with an error.
 * Returns: as roost_join_probe, and as calls on tables. */
ROOST_EXPORT roost_status roost_join_probe_arrow(roost_join *join, const roost_arrow *keys,
                                                 struct ArrowArrayStream *stream, size_t room,
                                                 const roost_call *call);

/* FULL: gives a stream of the numbers of build rows that no probe has met, ascending: batches of
 * struct{build}. */
ROOST_EXPORT roost_status roost_join_rest_arrow(roost_join *join, struct ArrowArrayStream *stream,
                                                size_t room, const roost_call *call);

#ifdef __cplusplus
}
#endif
#endif
