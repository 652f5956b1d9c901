/* Roost: hash tables for GPUs and CPUs behind one small C API.
 *
 * This is the only header a C user includes.  It is C11 and usable from C++.
 *
 * Promises that every engine keeps, on every machine:
 *   1. Nothing is lost.  Every item of a call ends with a status of its own.  A table that cannot grow says so; the items it
 *      did not store are the call's own items, never an older key.  A table stays valid after every failure.
 *   2. Every key is allowed.  No bit pattern is reserved: 0 and ~0 are keys like any other.
 *   3. One key, once.
 *   4. Counts are 64-bit; a wrong argument is an error, never undefined behaviour.
 *   5. The same answers everywhere: engine, width, host or CUDA.
 *
 * Threads: finds on one table may run beside finds, on any streams; a writer is alone; different tables are independent.  On a GPU
 * a call that writes is ordered after the reads and writes that were called before it, and a read after the writes, whatever their
 * streams.
 */
#ifndef ROOST_ROOST_H
#define ROOST_ROOST_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ROOST_VERSION_MAJOR 0
#define ROOST_VERSION_MINOR 1
#define ROOST_VERSION_PATCH 0
/* One number that grows with every version: 1000000 * major + 1000 * minor + patch. */
#define ROOST_VERSION (ROOST_VERSION_MAJOR * 1000000 + ROOST_VERSION_MINOR * 1000 + ROOST_VERSION_PATCH)

#if defined(ROOST_BUILDING) && defined(__GNUC__)
#define ROOST_EXPORT __attribute__((visibility("default")))
#else
#define ROOST_EXPORT
#endif

/* ---- Statuses of calls ------------------------------------------------------------------------------------------------- */

/* X(name, number, text): the one place where a status is defined. */
#define ROOST_STATUS_LIST(X)                                                                                                       \
    X(ROOST_OK, 0, "success")                                                                                                      \
    X(ROOST_ERR_ARGUMENT, 1, "an argument is wrong")                                                                               \
    X(ROOST_ERR_UNSUPPORTED, 2, "this engine or machine cannot do this")                                                           \
    X(ROOST_ERR_NOT_FOUND, 3, "no engine, device or option of this name")                                                          \
    X(ROOST_ERR_FULL, 4, "some items were not stored: the table is full and may not grow")                                         \
    X(ROOST_ERR_MEMORY, 5, "memory was refused; some items may not have been stored")                                              \
    X(ROOST_ERR_DEVICE, 6, "the device or its driver failed")                                                                      \
    X(ROOST_ERR_CORRUPT, 7, "the table violates one of its invariants")

#define ROOST_STATUS_ENUM(name, number, text) name = number,
typedef enum roost_status { ROOST_STATUS_LIST(ROOST_STATUS_ENUM) } roost_status;
#undef ROOST_STATUS_ENUM

/* The status's meaning in English; a static string, never NULL, also for a number that is no status. */
ROOST_EXPORT const char *roost_status_string(roost_status status);

/* The status's name, such as "ROOST_ERR_FULL"; a static string, never NULL. */
ROOST_EXPORT const char *roost_status_name(roost_status status);

/* ---- Statuses of items ------------------------------------------------------------------------------------------------- */

/* What became of one item of a call; one byte an item where roost_call.statuses asks for it. */
#define ROOST_ITEM_LIST(X)                                                                                                         \
    X(ROOST_ITEM_NONE, 0, "not processed")                                                                                         \
    X(ROOST_ITEM_INSERTED, 1, "the key was new and is stored")                                                                     \
    X(ROOST_ITEM_UPDATED, 2, "the key was there and its value was combined or overwritten")                                        \
    X(ROOST_ITEM_KEPT, 3, "the key was there and its value was kept (mode KEEP)")                                                  \
    X(ROOST_ITEM_FOUND, 4, "the key was found")                                                                                    \
    X(ROOST_ITEM_ABSENT, 5, "the key was not in the table")                                                                        \
    X(ROOST_ITEM_ERASED, 6, "the key was there and this item removed it")                                                          \
    X(ROOST_ITEM_FULL, 7, "not stored: the table is full")                                                                         \
    X(ROOST_ITEM_NO_MEMORY, 8, "not stored: the table had to grow and memory was refused")

#define ROOST_ITEM_ENUM(name, number, text) name = number,
typedef enum roost_item_status { ROOST_ITEM_LIST(ROOST_ITEM_ENUM) } roost_item_status;
#undef ROOST_ITEM_ENUM

/* The item status's meaning in English; a static string, never NULL. */
ROOST_EXPORT const char *roost_item_status_string(roost_item_status status);

/* ---- Configuration ----------------------------------------------------------------------------------------------------- */

/* Types of keys and values.  ADD, MIN and MAX need the type; everything else only its width. */
typedef enum roost_type {
    ROOST_TYPE_NONE = 0, /* for values only: the table is a set */
    ROOST_TYPE_U32 = 1,
    ROOST_TYPE_U64 = 2,
    ROOST_TYPE_I32 = 3,
    ROOST_TYPE_I64 = 4,
    ROOST_TYPE_F32 = 5,
    ROOST_TYPE_F64 = 6,
    ROOST_TYPE_BYTES = 7, /* a width of its own: key_bytes or value_bytes */
    ROOST_TYPE_STRING = 8 /* for keys only: byte strings of any length, which come by roost_insert_strings and its like */
} roost_type;

/* The widest fixed keys and values, in bytes. */
#define ROOST_KEY_BYTES_MOST 128
#define ROOST_VALUE_BYTES_MOST 4096

/* What an insert does.  Keys are equal when their bits are. */
typedef enum roost_mode {
    ROOST_ASSIGN = 0, /* insert or overwrite; of duplicates inside one batch, the value of one of them stays */
    ROOST_KEEP = 1,   /* insert if absent; of duplicates inside one batch, one is stored */
    ROOST_ADD = 2,    /* insert or add; wraps, or saturates where roost_config.saturate says so (unsigned values) */
    ROOST_MIN = 3,    /* insert or keep the smaller value */
    ROOST_MAX = 4,    /* insert or keep the larger value */
    ROOST_APPEND = 5  /* insert beside what the key has already: in ROOST_MULTI tables, and there the only mode */
} roost_mode;

/* Host memory from the caller.  `allocate` returns `bytes` bytes aligned to 64 or NULL; `release` gives the same bytes back.  All that a
 * table keeps on the host comes from there: a host table itself, and of any table its description and what it stages in. */
typedef struct roost_allocator {
    void *(*allocate)(void *context, size_t bytes);
    void (*release)(void *context, void *memory, size_t bytes);
    void *context;
} roost_allocator;

/* GPU memory from the caller, ordered by streams (a cudaStream_t each): work that comes later on the stream may use what `allocate`
 * returned, bytes aligned to 256 or NULL; work before `release` on its stream may still use what is given back. */
typedef struct roost_device_allocator {
    void *(*allocate)(void *context, size_t bytes, void *stream);
    void (*release)(void *context, void *memory, size_t bytes, void *stream);
    void *context;
} roost_device_allocator;

/* roost_config.flags: a multimap (a multiset, if values have no type), in which a key may be stored many times.  Inserts are of mode
 * ROOST_APPEND; finds and erases act on the first pair of the key in the engine's order.  For the engines whose info says so. */
#define ROOST_MULTI 0x1u

/* What a table is for, above all: a hint where the library chooses the engine (roost_choose). */
typedef enum roost_work {
    ROOST_WORK_ANY = 0,         /* built, and as many finds, half of which hit */
    ROOST_WORK_INSERT = 1,      /* inserts into a table with room for all: a build */
    ROOST_WORK_FIND_HITS = 2,   /* finds of keys that are there */
    ROOST_WORK_FIND_HALF = 3,   /* half of which are */
    ROOST_WORK_FIND_MISSES = 4, /* none of which are */
    ROOST_WORK_ERASE = 5,
    ROOST_WORK_MIXED = 6, /* batches of all operations (roost_apply), a fifth of them updates */
    ROOST_WORK_GROWTH = 7 /* inserts batch by batch into a table that grows */
} roost_work;

/* How a table is made.  Fill it with roost_config_init, then change what differs. */
typedef struct roost_config {
    size_t size;           /* sizeof(roost_config), set by roost_config_init */
    const char *engine;    /* NULL: chosen by the library; or a name that roost_engine_info lists, such as "dycuckoo" */
    const char *device;    /* NULL: the first GPU, else the host; or "host", "cuda" (the first GPU), "cuda:0", "cuda:1" ... */
    roost_type key_type;   /* default U32 */
    roost_type value_type; /* default U32; NONE makes a set */
    size_t key_bytes;      /* width of a key of type BYTES, 1 to ROOST_KEY_BYTES_MOST; else ignored */
    size_t value_bytes;    /* width of a value of type BYTES, 1 to ROOST_VALUE_BYTES_MOST; else ignored */
    uint64_t capacity;     /* keys the table holds before it has to grow; 0 (default): the smallest table */
    int growth;            /* 1 (default): grow and shrink by itself; 0: fixed size, items that find no room end FULL */
    double min_fill;       /* lower fill bound (the paper's alpha), default 0.30; 0 never shrinks */
    double max_fill;       /* upper fill bound (beta), default 0.85; at most 1; an engine that does not reach it grows earlier */
    int saturate;          /* 1: ADD on unsigned values stops at the largest value instead of wrapping; default 0 */
    uint64_t seed;         /* seeds the hash functions; any value, default 0; same seed, same layout on one thread */
    int threads;           /* host: threads a call may use; 0 (default): one a core */
    uint64_t memory_limit; /* bytes of device memory that the table may hold at any one time; 0 (default): no limit */
    roost_allocator allocator; /* host memory; all NULL (default): the library's own, with huge pages where it helps */
    roost_device_allocator device_allocator; /* GPU memory; all NULL (default): a pool that the tables of a GPU share */
    uint32_t flags;                          /* ROOST_MULTI; default 0 */
    /* The engine's own options as "name=value,name=value"; NULL: its defaults; see roost_engine_info.  They go before those of the device's
     * profile; with profile=none among them it is not asked. */
    const char *options;
    /* Hints, where engine or device is NULL. */
    roost_work work; /* default ANY */
    uint64_t
        batch; /* items of a call from arrays in host memory, on average; 0 (default): not known, or they are in a GPU's memory.
                        A table whose batches are so small that they take longer on a GPU stays on the host */
} roost_config;

/* Writes the defaults into *config.  size: sizeof(roost_config) as the caller was compiled.
 * ROOST_ERR_ARGUMENT: config is NULL or size is no size that a version of this header had. */
ROOST_EXPORT roost_status roost_config_init(roost_config *config, size_t size);

/* ---- Tables ------------------------------------------------------------------------------------------------------------ */

typedef struct roost_table roost_table;

/* Makes a table; *table is NULL after a failure, and roost_last_error(NULL) says what was wrong.
 * ROOST_ERR_ARGUMENT: NULL, fill bounds out of order, a capacity whose bytes overflow; ROOST_ERR_NOT_FOUND: no such engine,
 * device or option; ROOST_ERR_UNSUPPORTED: widths that the engine cannot store (keys of other widths than 4 and 8 bytes, strings, and values of
 * other widths than 4 and 8: engines whose info says so); ROOST_ERR_MEMORY; ROOST_ERR_DEVICE. */
ROOST_EXPORT roost_status roost_table_create(roost_table **table, const roost_config *config);

/* Frees the table and everything it holds; waits for its work on the device first.  NULL is allowed. */
ROOST_EXPORT void roost_table_destroy(roost_table *table);

/* Removes all keys.  The table returns to the size it was created with or last reserved. */
ROOST_EXPORT roost_status roost_table_clear(roost_table *table);

/* Makes room for `keys` keys in all, so that no insert up to there has to grow, and keeps the table from shrinking below it.
 * 0 lifts the reservation (and that of roost_config.capacity).  ROOST_ERR_MEMORY leaves the table as it was. */
ROOST_EXPORT roost_status roost_table_reserve(roost_table *table, uint64_t keys);

/* Takes the marks of erased keys out of the table and gives back what memory that frees; waits.  An engine without marks has nothing to
 * do: ROOST_OK. */
ROOST_EXPORT roost_status roost_compact(roost_table *table);

/* Waits until all work on the table is done and brings its fill inside the bounds.  *items_failed (may be NULL): how many
 * items of calls that did not wait were not stored since the last sync.  ROOST_ERR_FULL or ROOST_ERR_MEMORY when above 0. */
ROOST_EXPORT roost_status roost_table_sync(roost_table *table, uint64_t *items_failed);

/* What went wrong last: on the table if it is given, else in this thread (also for calls that got no table).
 * Never NULL, "" after no error.  Valid until the next failing call on the same table, or in the same thread. */
ROOST_EXPORT const char *roost_last_error(const roost_table *table);

/* ---- Items ------------------------------------------------------------------------------------------------------------- */

/* When a call returns.  With an array on the host, and on the host always, when its work is done.  With all arrays on the device a find
 * enqueues its work on the stream and returns.  So do inserts and erases that keep the fill within its bounds for sure: the keys stored,
 * what earlier calls that are under way may bring or take, and these n items together (at most 0.9 of the slots; 2^25 items a call);
 * others wait, and the table grows or shrinks.
 * Arrays of a call that only enqueued are the library's until the stream has passed it.  Its status says whether it was enqueued; what
 * fails later is in the items' statuses and in roost_table_sync.  An item that finds no room in spite of the bounds counts as stored, and
 * is found, updated and erased like others, until a call that waits makes the table grow for it; more than 1024 of them in between, or
 * any where growth is off, are not stored.
 *
 * Order: calls on one table take effect in the order in which they are made, whatever their streams; finds on several streams run beside
 * each other.  Threads may make finds at the same time; a call that writes is to be alone.
 *
 * Graphs: on a stream that is captured into a CUDA graph, finds of device arrays are captured, and on tables whose growth is off inserts
 * and erases, too (those of more items than any insert before in pieces of that size: make one first).  The graph may be launched as long
 * as the table is not resized, reserved for or destroyed (a table of strings: nor inserted into); its launches are the caller's to order against other calls on the table.
 * ROOST_ERR_UNSUPPORTED: other calls, or host arrays, on such a stream. */

/* Where a call's arrays lie. */
typedef enum roost_space {
    ROOST_SPACE_AUTO = 0, /* the library asks the driver for each array (default) */
    ROOST_SPACE_HOST = 1,
    ROOST_SPACE_DEVICE = 2
} roost_space;

/* Options of one call.  NULL instead of a pointer to it: the defaults. */
typedef struct roost_call {
    size_t size;       /* sizeof(roost_call), set by roost_call_init */
    void *stream;      /* a cudaStream_t on which the call's work is ordered; NULL: the default stream.  Ignored on the host */
    roost_space space; /* where keys, values, found and statuses lie; AUTO allows every array its own place */
    uint8_t *statuses; /* n bytes, a roost_item_status each; NULL: not wanted */
    uint32_t flags;    /* ROOST_ORDERED, for roost_apply and roost_insert; ROOST_ABSENT_KEEP, for roost_find; else 0 */
} roost_call;

/* roost_call.flags: operations on one key take effect in the order of the arrays, and each item ends as if they had been carried out one
 * after the other.  For all engines; not for ROOST_MULTI tables, nor for keys and values of other widths than 4 and 8 bytes
 * (ROOST_ERR_UNSUPPORTED).  Such a call waits.  A key that its operations
 * would leave new or changed and that finds no room, or whose table is refused memory, is left as it was: its inserts end FULL or NO_MEMORY
 * (an erase that would have found it, too), its other items as if those had not been there. */
#define ROOST_ORDERED 0x1u

/* roost_call.flags of roost_find: the values of absent keys stay as they are, and do not become 0: for answers of several tables in one array.
 * Slower where some keys are absent: memory is written in parts of sectors, and from host arrays values travel in as well. */
#define ROOST_ABSENT_KEEP 0x2u

/* Writes the defaults into *call.  Errors as roost_config_init. */
ROOST_EXPORT roost_status roost_call_init(roost_call *call, size_t size);

/* Inserts n items.  keys: n * key width bytes; values: n * value width bytes (ignored for sets; NULL then).
 * Arrays of items of 4 and 8 bytes are aligned to them; those of other widths need no alignment.  Arrays may lie in host or device memory, mixed freely.
 * Duplicates inside the batch are allowed: see roost_mode.
 * Where room is short in a table that may not grow, one of several items with a new key may end FULL and a later one INSERTED.
 * ROOST_OK: every item is stored (or, where the call only enqueues, will be, but for what roost_table_sync tells).  ROOST_ERR_FULL,
 * ROOST_ERR_MEMORY: some were not; roost_call.statuses says which. */
ROOST_EXPORT roost_status roost_insert(roost_table *table, roost_mode mode, const void *keys, const void *values, size_t n,
                                       const roost_call *call);

/* Looks n keys up.
 * values (n * value width bytes, NULL for "contains"): those of the keys, 0 for absent ones (or untouched: ROOST_ABSENT_KEEP);
 * found (n bytes, may be NULL): 1 or 0.
 * Host arrays may be larger than the GPU's memory: they pass through it in pieces, copies beside kernels.  Pinned arrays are the
 * fastest. */
ROOST_EXPORT roost_status roost_find(const roost_table *table, const void *keys, size_t n, void *values, uint8_t *found,
                                     const roost_call *call);

/* Removes n keys.  An absent key is no error.  Of several equal keys in one batch exactly one reports ERASED (in a ROOST_MULTI table
 * as many as there are pairs of the key). */
ROOST_EXPORT roost_status roost_erase(roost_table *table, const void *keys, size_t n, const roost_call *call);

/* ---- Batches of mixed operations --------------------------------------------------------------------------------------- */

/* What an item of a mixed batch does; one byte an item.  The inserts are numbered as their modes, from ROOST_OP_INSERT on. */
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

/* A batch of n items, each with an operation of its own.  Arrays as those of roost_insert and roost_find. */
typedef struct roost_batch {
    size_t size;               /* sizeof(roost_batch), set by roost_batch_init */
    const uint8_t *operations; /* n bytes, a roost_operation each; an item with another number, or a mode that the table
                                  does not take, is left alone and ends NONE */
    const void *keys;          /* n keys */
    const void
        *values_in; /* n values, of which the inserts' are read; NULL for sets, and where nothing is inserted (inserts end NONE) */
    void *values_out; /* n values, written where a find finds its key, untouched elsewhere; NULL: not wanted */
    size_t n;
} roost_batch;

/* Writes the defaults into *batch.  Errors as roost_config_init. */
ROOST_EXPORT roost_status roost_batch_init(roost_batch *batch, size_t size);

/* Carries out a batch of finds, inserts and erases.  Each item has a result of its own: its status, and a find's value.
 * Engines with concurrent mixes (roost_engine_info) work on all items at the same time; elsewhere the library splits the batch into
 * phases, the erases, then the inserts by mode, then the finds.  Either way the operations on one key take effect one after the other, in
 * some order; with ROOST_ORDERED in the call's flags, for every engine, in the order of the arrays.
 * Statuses of the call: as roost_insert. */
ROOST_EXPORT roost_status roost_apply(roost_table *table, const roost_batch *batch, const roost_call *call);

/* ---- Keys that are stored many times ----------------------------------------------------------------------------------- */

/* Counts the pairs of n keys: counts[i] (n of 8 bytes) becomes how often keys[i] is stored.  On tables without ROOST_MULTI 0 or 1.
 * Statuses: FOUND or ABSENT.  ROOST_ERR_UNSUPPORTED: the engine has no such operation (so for the next two). */
ROOST_EXPORT roost_status roost_count(const roost_table *table, const void *keys, size_t n, uint64_t *counts,
                                      const roost_call *call);

/* Gathers the values of n keys: those of keys[i] at values[offsets[i]] and after it, up to values[offsets[i + 1]].  offsets (n + 1 of
 * 8 bytes, not falling) are the running sums of what roost_count says; where a key has more pairs than its part has room the rest is
 * left out, where it has fewer the rest of its part stays untouched.  The order of a key's values is the engine's.  values NULL: nothing
 * but statuses, FOUND or ABSENT.  ROOST_ERR_ARGUMENT: offsets that fall, where the host reads them; ROOST_ERR_UNSUPPORTED: a set. */
ROOST_EXPORT roost_status roost_find_all(const roost_table *table, const void *keys, size_t n, const uint64_t *offsets,
                                         void *values, const roost_call *call);

/* Removes all pairs of n keys.  counts (n of 8 bytes, NULL: not wanted) become how many this item removed; of equal keys in one batch
 * each pair is counted once.  Statuses: ERASED or ABSENT. */
ROOST_EXPORT roost_status roost_erase_all(roost_table *table, const void *keys, size_t n, uint64_t *counts, const roost_call *call);

/* ---- Keys that are strings ---------------------------------------------------------------------------------------------- */

/* For tables whose key_type is ROOST_TYPE_STRING, on which the calls above that take keys end UNSUPPORTED. */

/* Byte strings in Arrow's layout: string i is the bytes from offsets[i] up to offsets[i + 1].  Any bytes are allowed, and none: the empty string
 * is a key.  Either array may lie in host or device memory. */
typedef struct roost_strings {
    size_t size;         /* sizeof(roost_strings), set by roost_strings_init */
    const void *offsets; /* n + 1 of them, not falling, aligned to their width */
    const void *bytes;   /* may be NULL where all strings are empty */
    int offset_bytes;    /* 4 or 8: unsigned integers of 32 or 64 bits; default 8 */
} roost_strings;

/* No string has more bytes. */
#define ROOST_STRING_MOST 0x7fffffff

/* Writes the defaults into *strings.  Errors as roost_config_init. */
ROOST_EXPORT roost_status roost_strings_init(roost_strings *strings, size_t size);

/* As roost_insert, roost_find and roost_erase, of n strings.  The library keeps copies of them.  Inserts wait until they are done.
 * ROOST_ERR_ARGUMENT, and nothing has been done: offsets that fall, or a string of more than ROOST_STRING_MOST bytes; but finds and erases of
 * strings that all lie on the table's device are not looked at so, and such items end NONE.  ROOST_ERR_UNSUPPORTED: the table's keys are no
 * strings. */
ROOST_EXPORT roost_status roost_insert_strings(roost_table *table, roost_mode mode, const roost_strings *keys, const void *values,
                                               size_t n, const roost_call *call);
ROOST_EXPORT roost_status roost_find_strings(const roost_table *table, const roost_strings *keys, size_t n, void *values,
                                             uint8_t *found, const roost_call *call);
ROOST_EXPORT roost_status roost_erase_strings(roost_table *table, const roost_strings *keys, size_t n, const roost_call *call);

/* ---- A table in the hands of one's own kernels -------------------------------------------------------------------------- */

/* Hands out a view of the table: plain data, with which functions for the caller's own kernels (on the host, loops) find, insert and erase
 * while they run; for engine slab those of roost/device/slab.h, whose roost_slab_view it is.  view_bytes: sizeof of that.  There is memory
 * for `inserts` new keys then, unless growth is off: what finds none ends FULL.  Waits.
 * Until the view is released calls that write are refused (ROOST_ERR_ARGUMENT), and kernels may write through it at any time.  Reads are let
 * in; the caller orders them after the kernels that write.
 * The view is ordered on call->stream as a write, which lives until the release.  ROOST_ERR_UNSUPPORTED: the engine has no views, or the
 * stream is captured; ROOST_ERR_MEMORY leaves the table as it was. */
ROOST_EXPORT roost_status roost_view_acquire(roost_table *table, void *view, size_t view_bytes, uint64_t inserts,
                                             const roost_call *call);

/* Takes the view back, behind all work so far on the stream that it was acquired on; work on other streams the caller orders before it.
 * Counts the table anew, brings its fill inside the bounds, and waits.  (Items of kernels are not among the statistics' inserted, updated
 * and erased: what they did is seen by the keys and slabs alone.) */
ROOST_EXPORT roost_status roost_view_release(roost_table *table);

/* ---- Contents, statistics, checks -------------------------------------------------------------------------------------- */

/* Where an export stands; all zero at the start.  Valid until the table is next written to. */
typedef struct roost_cursor {
    uint64_t position;
    uint64_t end; /* 1 when everything has been exported */
} roost_cursor;

/* The smallest `room` that roost_export accepts. */
#define ROOST_EXPORT_MIN 64

/* Copies up to `room` pairs out and moves the cursor.  *n: how many were written (0 does not mean the end: cursor->end does).
 * Every key of the table comes exactly once over the cursor's life; the order is the engine's.  values may be NULL. */
ROOST_EXPORT roost_status roost_export(const roost_table *table, roost_cursor *cursor, void *keys, void *values, size_t room,
                                       size_t *n, const roost_call *call);

/* The same of a table of strings: offsets (room + 1 of them, of 4 or 8 bytes) and their bytes, as in roost_strings; offsets[0] becomes 0.  A step
 * ends before bytes_room is full.  ROOST_ERR_ARGUMENT: the next ROOST_EXPORT_MIN strings together do not fit into it (the error says how
 * many bytes they have), or offsets of 4 bytes with a bytes_room above 2^32 - 1. */
ROOST_EXPORT roost_status roost_export_strings(const roost_table *table, roost_cursor *cursor, void *offsets, int offset_bytes,
                                               void *bytes, uint64_t bytes_room, void *values, size_t room, size_t *n,
                                               const roost_call *call);

#define ROOST_MAX_SUBTABLES 8
#define ROOST_PATH_LENGTHS 16

/* A table's numbers.  Counters run from the table's creation. */
typedef struct roost_stats {
    size_t size;                /* sizeof(roost_stats) as the caller was compiled, set by roost_table_stats */
    uint64_t count;             /* keys stored now */
    uint64_t slots;             /* room for keys now */
    double load_factor;         /* count / slots */
    uint64_t table_bytes;       /* memory of the table itself */
    uint64_t bytes_now;         /* all memory held now: table, work space, staging */
    uint64_t bytes_peak;        /* the most that was held at one time */
    uint64_t grow_steps;        /* growth steps, forced ones included */
    uint64_t forced_grow_steps; /* those taken below the upper bound because some item found no room */
    uint64_t shrink_steps;
    uint64_t shrink_aborts;                   /* shrinks undone because a residual found no room */
    uint64_t rehashed;                        /* pairs moved by resizing */
    uint64_t largest_rehash;                  /* the most pairs that one growth step moved */
    uint64_t evicted;                         /* pairs moved to their other home to make room */
    uint64_t residuals;                       /* pairs that a shrink sent to their other home */
    uint64_t inserted;                        /* items that ended INSERTED */
    uint64_t updated;                         /* items that ended UPDATED or KEPT */
    uint64_t erased;                          /* items that ended ERASED */
    uint64_t put_back;                        /* items put back because a lock was taken (vote driver) */
    uint64_t parked;                          /* items that the first insert pass left to the eviction pass */
    uint64_t spilled;                         /* items that found no room at first and waited for growth, or were refused */
    uint64_t path_length[ROOST_PATH_LENGTHS]; /* eviction paths by their number of moves; the last counts all longer ones */
    uint64_t bucket_reads;                    /* ROOST_PROBES builds: bucket reads of finds and erases; else 0 */
    uint64_t max_bucket_reads;                /* ROOST_PROBES builds: the most that one find or erase took; else 0 */
    uint64_t host_waits;                      /* times that a call waited for the device */
    uint32_t subtables;                       /* number of subtables, 0 where the engine has none */
    uint32_t slots_per_bucket;
    uint64_t subtable_slots[ROOST_MAX_SUBTABLES];
    uint64_t subtable_count[ROOST_MAX_SUBTABLES];
    uint64_t buckets;           /* lists of an engine with chains; 0 elsewhere, and so the following */
    uint64_t chained_slabs;     /* slabs behind the first of their list */
    uint64_t longest_list;      /* slabs of the longest list */
    uint64_t tombstones;        /* slots of erased keys that no flush has freed yet */
    uint64_t flushes;           /* passes over the table that freed such slots */
    double average_slabs;       /* count over (buckets * slots of a slab): the paper's average slab count */
    double memory_utilisation;  /* bytes of stored pairs over bytes of slabs in use */
    uint64_t launches;          /* kernels launched for batches of items since the table was made; all engines */
    uint64_t cells;             /* entries of the index of an engine of perfect hashing; 0 elsewhere, and so the following */
    uint64_t flagged_cells;     /* those that no mapping resolves: lookups of their keys may read a second bucket */
    uint64_t overflow_keys;     /* keys that lie there */
    uint64_t delta_moves;       /* cells mapped anew by another offset */
    uint64_t phi_moves;         /* cells mapped anew by another mapping */
    uint64_t mapping_tries;     /* mappings that were tried for these and for cells that were flagged */
    uint64_t wait_die_aborts;   /* times that an insert met an older one's lock and came again */
    uint64_t second_reads;      /* ROOST_PROBES builds: finds that looked into the overflow store; else 0 */
    double route_seconds;       /* what bringing items into the order of parts or regions took, and their results back */
    double routed_find_seconds; /* and such lookups themselves; both since the table was made, 0 where it does not route */
    uint32_t ticket_bits;       /* of each slot's ticket in an engine with a ticket-board; 0 elsewhere, and so the following */
    uint64_t board_bytes;       /* its tickets, in the device's memory: slots * ticket_bits / 8, rounded up to 32 */
    uint64_t lanes_active;      /* ROOST_PROBES builds, on a GPU: lanes that looked into a group of tickets, an item each, */
    uint64_t lanes_possible;    /* and all lanes of their warps: the share is the paper's warp execution efficiency; else 0 */
    uint64_t host_bytes;        /* pairs and strings in pinned memory of the host, which memory_limit does not count */
    uint64_t arena_bytes;       /* memory for the bytes of strings; 0 where keys are none, and so the following */
    uint64_t arena_used;        /* of it by strings that are stored or were; each takes a multiple of 8 bytes */
    uint64_t arena_dead;        /* and of these by strings that have been erased */
    uint64_t regions;           /* of the pairs, which finds of many keys go through one after the other; 1: as they come */
    uint64_t
        reseeded_buckets; /* of an engine of two levels: buckets that were built again alone, with another seed, for no layout was found;
                                   0 elsewhere, and so the following */
    uint64_t bucket_builds;  /* buckets that were built, or built anew, since the table was made */
    uint64_t second_keys;    /* keys that were put into the second of their lines then; the others lie in their first */
    uint64_t outside_keys;   /* keys in neither of their two lines: none, ever (roost_table_check looks for them) */
    uint64_t splits, merges; /* of buckets, one at a time */
    double
        count_seconds; /* what the last build of a table from a batch of a million items or more took: an estimate of its distinct keys, if any; */
    double partition_seconds; /* bringing it into regions; */
    double build_seconds;     /* and building these, where keys that come again are found */
} roost_stats;

/* Fills *stats with the table's numbers.  size: sizeof(roost_stats) as the caller was compiled. */
ROOST_EXPORT roost_status roost_table_stats(const roost_table *table, roost_stats *stats, size_t size);

/* What a table was made of, as text. */
typedef enum roost_description {
    ROOST_DESCRIBE_KERNELS = 0,   /* "find=find_k4v4_once2,erase=...": the kernel of each operation, at the table's present size */
    ROOST_DESCRIBE_OPTIONS = 1,   /* "slots=8,keys=6": the options that hold, the profile's and the configuration's */
    ROOST_DESCRIBE_PROFILE = 2,   /* where the profile's come from: a file's path, "built-in H200", or "none" */
    ROOST_DESCRIBE_WARNINGS = 3,  /* what was not done as asked, a line each: of profiles alone, for what the caller asks is done or
                                      refused */
    ROOST_DESCRIBE_PARAMETERS = 4 /* as roost_engine_info.parameters, with the kernels that there are for this table */
} roost_description;

/* No description has more bytes, its end included. */
#define ROOST_DESCRIPTION_BYTES 2048

/* Writes a description, which ends with a 0.  ROOST_ERR_ARGUMENT: NULL, no roost_description, or it does not fit into so many bytes. */
ROOST_EXPORT roost_status roost_table_describe(const roost_table *table, roost_description what, char *text, size_t bytes);

/* Walks the whole table and verifies every invariant that its engine lists.
 * ROOST_ERR_CORRUPT: one is violated; roost_last_error(table) names it.  Slow: for tests. */
ROOST_EXPORT roost_status roost_table_check(const roost_table *table);

/* ---- What this library and machine can do ------------------------------------------------------------------------------ */

/* The library's version: a number as ROOST_VERSION, and a string such as "0.1.0". */
ROOST_EXPORT uint32_t roost_version(void);
ROOST_EXPORT const char *roost_version_string(void);

typedef struct roost_engine_info {
    size_t size;
    const char *name;       /* as in roost_config.engine */
    const char *summary;    /* one line */
    const char *operations; /* "insert find erase export", ... */
    const char *widths;     /* "4+4 8+8 ...": key + value bytes */
    const char *options;    /* one line an option: "name=default: meaning\n" */
    int mixes;              /* 1: roost_apply works on all items at the same time; 0: in phases */
    int multi;              /* 1: ROOST_MULTI tables */
    const char *parameters; /* options that are worth tuning, one line each: "name=value|value\n"; "name=@\n": the kernels of an
                               operation, which ROOST_DESCRIBE_PARAMETERS lists for a table */
    int wide;               /* 1: keys of 1 to ROOST_KEY_BYTES_MOST bytes and of strings, values of 0 to ROOST_VALUE_BYTES_MOST */
} roost_engine_info;

/* Describes engine `index` (from 0).  ROOST_ERR_NOT_FOUND past the last one. */
ROOST_EXPORT roost_status roost_engine_describe(size_t index, roost_engine_info *info, size_t size);

/* What the library chooses where a configuration leaves engine and device open, and why. */
typedef struct roost_choice {
    size_t size;
    const char *engine;
    char device[16];    /* "host" or "cuda:0"; or as the configuration names it */
    double rate;        /* operations a second that are expected of it, by what was measured; 0: nothing is known of such tables */
    const char *second; /* the next one; NULL: there is none */
    double second_rate;
    char reason[512]; /* in a sentence */
} roost_choice;

/* Chooses as roost_table_create would, and makes no table.  size: sizeof(roost_choice).  Errors as roost_table_create. */
ROOST_EXPORT roost_status roost_choose(const roost_config *config, roost_choice *choice, size_t size);

typedef struct roost_device_info {
    size_t size;
    char name[16];         /* as in roost_config.device: "cuda:0", "host" */
    char description[128]; /* such as "NVIDIA H200, compute capability 9.0, 132 multiprocessors" */
    uint64_t memory_bytes;
    uint64_t l2_bytes;       /* last-level cache; 0 if unknown */
    char model[128];         /* by which profiles are kept: "NVIDIA H200", "host" */
    char profile[1024];      /* where the settings of its tables come from: a file's path, "built-in H200", or "none" */
    char profile_path[1024]; /* where a file of the user's is looked for: in the folder ROOST_PROFILES, else in
                                  XDG_CONFIG_HOME/roost, else in HOME/.config/roost; "": nowhere (ROOST_PROFILES=none) */
} roost_device_info;

/* Describes device `index` (from 0; GPUs first, the host last).  ROOST_ERR_NOT_FOUND past the last one. */
ROOST_EXPORT roost_status roost_device_describe(size_t index, roost_device_info *info, size_t size);

/* The name of the engine and of the device that a table uses; valid for the table's life. */
ROOST_EXPORT const char *roost_table_engine(const roost_table *table);
ROOST_EXPORT const char *roost_table_device(const roost_table *table);

/* ---- Measuring --------------------------------------------------------------------------------------------------------- */

/* What roost_measure is to do. */
typedef struct roost_measure_plan {
    size_t size;          /* sizeof(roost_measure_plan), set by roost_measure_plan_init */
    uint64_t keys;        /* distinct random ones that the table is filled with, 1 to 2^31; default 2^22 */
    double load;          /* how full it gets: its load factor, or what the engine has instead (slab: utilisation); default 0.70 */
    double hits;          /* share of the finds whose key is there, 0 to 1; default 0.5 */
    unsigned repetitions; /* of which the fastest counts, 1 to 1000; default 3 */
    uint64_t seed;        /* of the keys; default 0 */
} roost_measure_plan;

/* Writes the defaults into *plan.  Errors as roost_config_init. */
ROOST_EXPORT roost_status roost_measure_plan_init(roost_measure_plan *plan, size_t size);

typedef struct roost_measured {
    size_t size;
    double insert_seconds; /* all keys into an empty table that has room for them, in one call */
    double find_seconds;   /* as many finds, in one call; every answer was checked */
    double inserts_per_second, finds_per_second;
    double load;                           /* that was reached */
    int reaches;                           /* 1: it is the asked one, but for 3 % */
    uint64_t slots;                        /* of the full table */
    uint64_t table_bytes;                  /* and its memory */
    uint64_t bytes_peak;                   /* all memory at any one time, but for the arrays of the calls */
    char kernels[ROOST_DESCRIPTION_BYTES]; /* ROOST_DESCRIBE_KERNELS */
    char options[ROOST_DESCRIPTION_BYTES]; /* ROOST_DESCRIBE_OPTIONS */
} roost_measured;

/* Measures tables of a configuration, whose capacity and fill bounds follow from the plan.  The keys are where the table is, so no copy is
 * timed.  size: sizeof(roost_measured).  ROOST_ERR_CORRUPT: an answer was wrong; else as roost_table_create and roost_insert. */
ROOST_EXPORT roost_status roost_measure(const roost_config *config, const roost_measure_plan *plan, roost_measured *measured,
                                        size_t size);

#ifdef __cplusplus
}
#endif
#endif
