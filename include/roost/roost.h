/* Roost: hash tables for GPUs and CPUs behind one small C API.  C11, usable from C++.
 *
 * This header has tables and their calls.  More is in roost/mixed.h (batches of mixed operations),
 * roost/multi.h (multimaps), roost/strings.h (keys that are strings), roost/merge.h (two tables,
 * and keys in the order of their hashes), roost/views.h (a table in the caller's own kernels) and
 * roost/tuning.h (choosing, describing, measuring, statistics by name).
 *
 * Guarantees of every engine on every machine:
 *   1. Each item of a call ends with its own status.  An item without room is refused itself; no
 *      stored key is lost for it.  A table stays valid after every failure.
 *   2. Every key is allowed: no bit pattern is reserved.
 *   3. A key is stored once (except in ROOST_MULTI tables).
 *   4. Counts have 64 bits.  A wrong argument is an error, never undefined behaviour.
 *   5. Answers do not depend on the engine, the widths or the machine.
 *
 * Threads: finds on one table may run at the same time, on any streams.  A call that writes runs
 * alone on its table.  Different tables are independent.  On the host a call shares its work with
 * threads of the library, which sleep when there is none.
 *
 * Processes: after fork() a child may use tables on the host, and make its own, except those that
 * another thread was using.  Calls on a GPU's tables end ROOST_ERR_DEVICE there.
 *
 * Structs with a member `size` grow at their end, as enums do.  The library accepts the size of
 * each earlier header, takes defaults for what the caller's struct lacks, and writes nothing
 * behind it.  Members named `reserved` must be 0.
 *
 * "Returns" lists a call's errors.  Not repeated there: ROOST_ERR_ARGUMENT for a NULL that is not
 * allowed, ROOST_ERR_MEMORY of calls that allocate, ROOST_ERR_DEVICE of calls that use a GPU. */
#ifndef ROOST_ROOST_H
#define ROOST_ROOST_H

#include <stddef.h>
#include <stdint.h>

#include "roost/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ROOST_VERSION_MAJOR 0
#define ROOST_VERSION_MINOR 1
#define ROOST_VERSION_PATCH 0
/* One number that grows with every version: 1000000 * major + 1000 * minor + patch. */
#define ROOST_VERSION                                                                              \
    (ROOST_VERSION_MAJOR * 1000000 + ROOST_VERSION_MINOR * 1000 + ROOST_VERSION_PATCH)

/* The version of the library: a number as ROOST_VERSION, and a string such as "0.1.0". */
ROOST_EXPORT uint32_t roost_version(void);
ROOST_EXPORT const char *roost_version_string(void);

/* ---- Configuration --------------------------------------------------------------------------- */

/* Types of keys and values.  Keys are equal when their bits are. */
typedef enum roost_type {
    ROOST_TYPE_NONE = 0, /* values only: the table is a set */
    ROOST_TYPE_U32 = 1,
    ROOST_TYPE_U64 = 2,
    ROOST_TYPE_I32 = 3,
    ROOST_TYPE_I64 = 4,
    ROOST_TYPE_F32 = 5,
    ROOST_TYPE_F64 = 6,
    ROOST_TYPE_BYTES = 7, /* key_bytes or value_bytes wide; not for ADD, MIN and MAX */
    ROOST_TYPE_STRING = 8 /* keys only: byte strings of any length (roost/strings.h) */
} roost_type;

/* The widest keys and values of ROOST_TYPE_BYTES, in bytes. */
#define ROOST_KEY_BYTES_MOST 128
#define ROOST_VALUE_BYTES_MOST 4096

/* The most threads that a call may use on the host (roost_config.threads). */
#define ROOST_THREADS_MOST 1024

/* What an insert does.  Of equal keys in one batch, one is stored.  MIN and MAX of floating-point
 * values do not depend on the order of arrival: a NaN never replaces a number and every number
 * replaces a NaN, so the result is a NaN only if all values are; -0.0 is below 0.0. */
typedef enum roost_mode {
    ROOST_ASSIGN = 0, /* insert or overwrite; of equal keys in one batch, the value of one stays */
    ROOST_KEEP = 1,   /* insert if absent */
    ROOST_ADD = 2,    /* insert or add; wraps, or saturates (roost_config.saturate) */
    ROOST_MIN = 3,    /* insert or keep the smaller value */
    ROOST_MAX = 4,    /* insert or keep the larger value */
    ROOST_APPEND = 5  /* insert beside the key's other values: the one mode of ROOST_MULTI tables */
} roost_mode;

/* Host memory from the caller, for all that a table keeps on the host.  `allocate` returns `bytes`
 * bytes aligned to 64, or NULL; `release` gets the same `bytes`. */
typedef struct roost_allocator {
    void *(*allocate)(void *context, size_t bytes);
    void (*release)(void *context, void *memory, size_t bytes);
    void *context;
} roost_allocator;

/* GPU memory from the caller, in the order of `stream` (a cudaStream_t).  `allocate` returns
 * `bytes` bytes aligned to 256 for later work, or NULL.  Work before `release` may use them. */
typedef struct roost_device_allocator {
    void *(*allocate)(void *context, size_t bytes, void *stream);
    void (*release)(void *context, void *memory, size_t bytes, void *stream);
    void *context;
} roost_device_allocator;

/* roost_config.flags: a multimap, in which a key may be stored several times (roost/multi.h). */
#define ROOST_MULTI 0x1u

/* What a table is for: a hint for the choice of the engine. */
typedef enum roost_work {
    ROOST_WORK_ANY = 0,         /* one build, and as many finds, half of which hit */
    ROOST_WORK_INSERT = 1,      /* inserts into a table with room for all */
    ROOST_WORK_FIND_HITS = 2,   /* finds of stored keys */
    ROOST_WORK_FIND_HALF = 3,   /* finds, half of which hit */
    ROOST_WORK_FIND_MISSES = 4, /* finds of absent keys */
    ROOST_WORK_ERASE = 5,
    ROOST_WORK_MIXED = 6, /* batches of all operations (roost_apply), a fifth of them updates */
    ROOST_WORK_GROWTH = 7 /* inserts, batch by batch, into a table that grows */
} roost_work;

typedef struct roost_table roost_table;

/* How a table is made.  Begin with ROOST_CONFIG_INIT or roost_config_init. */
typedef struct roost_config {
    size_t size;           /* sizeof(roost_config) */
    const char *engine;    /* NULL: the library chooses; else a name such as "dycuckoo" */
    const char *device;    /* NULL: the first GPU, else the host; "host", "cuda", "cuda:1" */
    roost_type key_type;   /* default U32 */
    roost_type value_type; /* default U32 */
    size_t key_bytes;      /* type BYTES: 1 to ROOST_KEY_BYTES_MOST; else ignored */
    size_t value_bytes;    /* type BYTES: 1 to ROOST_VALUE_BYTES_MOST; else ignored */
    uint64_t capacity;     /* keys that the table holds before it grows; default 0: the smallest */
    int growth;            /* 1 (default): grow and shrink; 0: only a reservation enlarges it */
    double min_fill;       /* lower bound of the fill, default 0.30; 0: never shrink */
    double max_fill;       /* upper bound, default 0.85, at most 1; an engine may grow earlier */
    int saturate;          /* 1: ADD on unsigned values stops at the largest value; default 0 */
    uint64_t seed; /* of the hash functions; default 0: a secret one, drawn by the library */
    int threads;   /* host: threads that a call may use, at most ROOST_THREADS_MOST; default 0: one
                      per core */
    uint64_t memory_limit;     /* bytes of device memory at any one time; default 0: no limit */
    roost_allocator allocator; /* all NULL (default): the library's own */
    roost_device_allocator device_allocator; /* all NULL (default): a pool per GPU */
    uint32_t flags;                          /* ROOST_MULTI; default 0 */
    const char *options; /* of the engine, "name=value,...", each name once; they precede those of
                            the device's profile, which profile=none leaves out; NULL (default):
                            none */
    roost_work work;     /* a hint, default ANY */
    uint64_t batch;      /* a hint: items of a call from host arrays, on average; 0: unknown */
    int seed_given;      /* 1: seed is the caller's even if it is 0; default 0 */
    const roost_table *like; /* a table whose hash functions the new one takes over; default NULL */
    struct roost_comm *comm; /* the table is spread over its ranks (sharding.h); default NULL */
} roost_config;

/* Seeds and chosen keys.  Without a seed of the caller's a table draws a secret one, so that nobody
 * can choose keys that collide.  If keys collide as random ones practically never do (probability
 * below 2^-40), because they were chosen for a known seed, the table draws a secret one and moves
 * its keys to a table of the same size.  It also does so once when it has no room for a key before
 * it has `capacity` keys, if growth is 0 or its seed is the caller's.  The same seed gives the same
 * layout while the statistic "table.reseeds" is 0; "table.seed" is the seed in use.  Not done while
 * a view or a captured graph uses the table; asynchronous calls leave it to a later insert, which
 * then waits, or to another call that waits.  Where memory for the move is refused, items without
 * room end NO_MEMORY. */

/* Tables alike.  A table that is made `like` another one has its engine, its seed in use, which
 * stays secret if it was, and in engine compact its option `hash`.  Keys and values have the widths
 * of `like`.  The call reads `like` as a find does; `like` may be destroyed afterwards.  Tables
 * that draw another seed later are no longer alike. */

/* Full tables.  Where growth is 0 a table takes at least `capacity` keys.  dycuckoo is full while
 * 1/128 of its slots, and up to 8 more, are vacant (slots=4: 1/32); fks from 0.90 of its slots on
 * (0.83 where a pair has 12 bytes); stadium from 0.98 of its slots on, or `max_fill` if that is
 * more; gph a little beyond its capacity; slab at its capacity.  A full table stores a new key for
 * each one that was erased, except for at most 1 in 100 (fks where a pair has 12 bytes: 2 in 100;
 * gph with slots=4 or virtual=2: 3 in 100), which end FULL. */

#define ROOST_CONFIG_INIT                                                                          \
    {                                                                                              \
        sizeof(roost_config), NULL, NULL, ROOST_TYPE_U32, ROOST_TYPE_U32, 0, 0, 0, 1, 0.30, 0.85,  \
            0, 0, 0, 0, {NULL, NULL, NULL}, {NULL, NULL, NULL}, 0, NULL, ROOST_WORK_ANY, 0, 0,     \
            NULL, NULL                                                                             \
    }

/* Writes the defaults.  size: sizeof(roost_config), as the caller was compiled.
 * Returns: ROOST_ERR_ARGUMENT: no header had this size. */
ROOST_EXPORT roost_status roost_config_init(roost_config *config, size_t size);

/* ---- Tables ---------------------------------------------------------------------------------- */

/* Makes a table.  On failure *table is NULL, and roost_last_error(NULL) has the reason.
 * Returns: ROOST_ERR_ARGUMENT: fill bounds out of order, options that are malformed or given twice,
 * a capacity whose bytes overflow, a seed beside `like`, another engine or other widths than those
 * of `like`; ROOST_ERR_NOT_FOUND: no such engine, device or option; ROOST_ERR_UNSUPPORTED: the
 * engine does not store these types (roost_engine_info.widths); ROOST_ERR_DEVICE: no seed was
 * given, and the system has no random number. */
ROOST_EXPORT roost_status roost_table_create(roost_table **table, const roost_config *config);

/* Waits for the table's work and frees it.  NULL is allowed. */
ROOST_EXPORT void roost_table_destroy(roost_table *table);

/* Removes all keys.  The table returns to the size of its creation or last reservation; where
 * growth is 0 it keeps its size. */
ROOST_EXPORT roost_status roost_table_clear(roost_table *table);

/* Makes room for `keys` keys in all and keeps the table from shrinking below it.  0 ends the
 * reservation and that of roost_config.capacity.  A table whose growth is 0 grows by this call
 * alone, and never shrinks.  No more keys than are stored need no memory.  A reservation that rises
 * by less than a quarter while there are keys rises by a quarter, if there is memory for that: each
 * one may move all keys.
 * Returns: ROOST_ERR_MEMORY: the table is as before. */
ROOST_EXPORT roost_status roost_table_reserve(roost_table *table, uint64_t keys);

/* Removes the marks of erased keys and frees the memory that they kept.  Waits. */
ROOST_EXPORT roost_status roost_compact(roost_table *table);

/* Waits for all work on the table and brings its fill inside the bounds.  *items_failed (NULL: not
 * wanted): items of asynchronous calls since the last sync that were not stored.
 * Returns: ROOST_ERR_FULL, ROOST_ERR_MEMORY: there were such items. */
ROOST_EXPORT roost_status roost_table_sync(roost_table *table, uint64_t *items_failed);

/* The last error of the table, or of this thread if table is NULL.
 * Returns: a text, "" before the first error.  It is valid until the next failing call on the same
 * table, or in the same thread. */
ROOST_EXPORT const char *roost_last_error(const roost_table *table);

/* ---- Items ----------------------------------------------------------------------------------- */

/* When a call returns.  Calls on host tables and calls with a host array return when they are
 * done.  With all arrays on the device a find is asynchronous: it enqueues its work on the stream
 * and returns.  So are inserts and erases of at most 2^25 items whose fill stays within the bounds
 * (and 0.9 of the slots) whatever the items are; others wait, and the table is resized.  The caller
 * keeps the arrays until the stream has passed the call.  Later failures are in the items'
 * statuses and in roost_table_sync.  Up to 1024 items without room count as stored until a call
 * that waits makes room; further ones, and all where growth is 0, are not stored.
 *
 * Order: calls on one table take effect in the order in which they are made, on whatever streams.
 *
 * CUDA graphs: on a captured stream finds of device arrays are captured, and inserts and erases
 * where growth is 0 (in pieces of the largest insert so far); other calls are
 * ROOST_ERR_UNSUPPORTED.  A graph may be launched until the table is resized, reserved or
 * destroyed (of strings: inserted into).  The caller orders its launches. */

/* Where a call's arrays are. */
typedef enum roost_space {
    ROOST_SPACE_AUTO = 0, /* each anywhere: the library asks the driver */
    ROOST_SPACE_HOST = 1,
    ROOST_SPACE_DEVICE = 2
} roost_space;

/* Options of one call.  Begin with ROOST_CALL_INIT or roost_call_init; NULL: the defaults. */
typedef struct roost_call {
    size_t size;       /* sizeof(roost_call) */
    void *stream;      /* a cudaStream_t that orders the work; NULL: the default stream */
    roost_space space; /* default AUTO */
    uint8_t *statuses; /* n bytes: a roost_item_status each; NULL: not wanted */
    uint32_t flags;    /* ROOST_ORDERED, ROOST_ABSENT_KEEP or ROOST_HASH_ORDER; default 0 */
    uint32_t reserved;
} roost_call;

#define ROOST_CALL_INIT                                                                            \
    {                                                                                              \
        sizeof(roost_call), NULL, ROOST_SPACE_AUTO, NULL, 0, 0                                     \
    }

/* roost_call.flags of roost_insert and roost_apply: operations on one key take effect in the order
 * of the arrays.  The call waits.  A key whose last state finds no room stays as it was: its
 * inserts end FULL or NO_MEMORY, its other items as if these were absent.  n items in work space
 * for r take time in proportion to n * (1 + n / r); where memory is refused it shrinks to 64 items,
 * on a GPU 1,024, for which the table keeps some. */
#define ROOST_ORDERED 0x1u

/* roost_call.flags of roost_find: values of absent keys are not written, which takes longer. */
#define ROOST_ABSENT_KEEP 0x2u

/* roost_call.flags of roost_export: pairs come in ascending order of their ranks (roost/merge.h).
 * All calls of the export have it.  Work space takes at most a tenth of the table's memory, and at
 * least room for 64 pairs; a part stays with the table until a call writes.  A pass over the table
 * comes before each part of the order. */
#define ROOST_HASH_ORDER 0x4u

/* Writes the defaults.  Returns: as roost_config_init. */
ROOST_EXPORT roost_status roost_call_init(roost_call *call, size_t size);

/* Inserts n items.  keys: n keys; values: n values (sets: ignored).  Arrays are in host or device
 * memory.  Those of items of 4 or 8 bytes are aligned to them.  Full tables: see above.
 * Returns: ROOST_ERR_FULL, ROOST_ERR_MEMORY: some items were not stored, see their statuses;
 * ROOST_ERR_UNSUPPORTED: the table does not take this mode or these flags, or its keys are
 * strings. */
ROOST_EXPORT roost_status roost_insert(roost_table *table, roost_mode mode, const void *keys,
                                       const void *values, size_t n, const roost_call *call);

/* Finds n keys, in a ROOST_MULTI table the first pair of each (roost/multi.h).  values (n): their
 * values, 0 for absent keys; found (n bytes): 1 or 0; either may
 * be NULL.  Host arrays may be larger than the GPU's memory; pinned ones are fastest.
 * Returns: ROOST_ERR_UNSUPPORTED: the keys are strings. */
ROOST_EXPORT roost_status roost_find(const roost_table *table, const void *keys, size_t n,
                                     void *values, uint8_t *found, const roost_call *call);

/* Removes n keys.  An absent key is no error.  Of equal keys in one batch one item ends ERASED, in
 * a ROOST_MULTI table one per stored pair.
 * Returns: as roost_find. */
ROOST_EXPORT roost_status roost_erase(roost_table *table, const void *keys, size_t n,
                                      const roost_call *call);

/* ---- Contents and numbers -------------------------------------------------------------------- */

/* The state of an export; all 0 at its start.  A call that writes to the table ends the export. */
typedef struct roost_cursor {
    uint64_t position;
    uint64_t end; /* 1: everything has been exported */
} roost_cursor;

/* The smallest `room` of an export. */
#define ROOST_EXPORT_MIN 64

/* Copies up to `room` pairs and moves the cursor; *n: pairs written, which may be 0 before the end.
 * Each pair comes once, unordered, or with ROOST_HASH_ORDER in the order of hashes.  values may be
 * NULL.
 * Returns: ROOST_ERR_ARGUMENT: room is below ROOST_EXPORT_MIN; ROOST_ERR_UNSUPPORTED:
 * ROOST_HASH_ORDER, and the engine has no order of keys (roost_hash_order). */
ROOST_EXPORT roost_status roost_export(const roost_table *table, roost_cursor *cursor, void *keys,
                                       void *values, size_t room, size_t *n,
                                       const roost_call *call);

/* What every table counts, since its creation.  Ordered batches count the keys that they insert,
 * update and erase, not their items; roost_erase_all counts pairs as erased.  roost/tuning.h has
 * what engines count. */
typedef struct roost_stats {
    size_t size;                /* sizeof(roost_stats), written by roost_table_stats */
    uint64_t count;             /* keys stored now */
    uint64_t slots;             /* room for keys now, at least `count` */
    double load_factor;         /* count / slots */
    uint64_t table_bytes;       /* memory of the table itself */
    uint64_t bytes_now;         /* all memory held now: table, work space, staging */
    uint64_t bytes_peak;        /* the most memory held at one time */
    uint64_t grow_steps;        /* growth steps, forced ones included */
    uint64_t forced_grow_steps; /* growth steps below the upper bound, for an item without room */
    uint64_t shrink_steps;
    uint64_t shrink_aborts;  /* shrink steps that were undone */
    uint64_t rehashed;       /* pairs moved by resizing */
    uint64_t largest_rehash; /* the most pairs that one growth step moved */
    uint64_t inserted;       /* items that ended INSERTED */
    uint64_t updated;        /* items that ended UPDATED or KEPT */
    uint64_t erased;         /* items that ended ERASED */
    uint64_t host_waits;     /* waits of calls for the device */
    uint64_t launches;       /* kernels launched for batches */
} roost_stats;

/* Waits and writes the table's numbers.  size: sizeof(roost_stats), as the caller was compiled.
 * Returns: ROOST_ERR_ARGUMENT: no header had this size. */
ROOST_EXPORT roost_status roost_table_stats(const roost_table *table, roost_stats *stats,
                                            size_t size);

/* Verifies every invariant of the table.  Slow: for tests.
 * Returns: ROOST_ERR_CORRUPT: roost_last_error(table) names the invariant. */
ROOST_EXPORT roost_status roost_table_check(const roost_table *table);

#ifdef __cplusplus
}
#endif
#endif
