/* The handle behind roost_table, and what the files of the API share. */
#ifndef ROOST_API_TABLE_H
#define ROOST_API_TABLE_H

#include <pthread.h>

#include "profiles/profile.h"
#include "engines/engine.h"
#include "roost/tuning.h"

/* What a table was made of, for roost_table_describe. */
struct table_origin {
    char options[ROOST_DESCRIPTION_BYTES]; /* those that hold */
    char profile[PROFILE_NAME];
    struct warnings warnings;
};

struct roost_table {
    const struct engine *engine;
    struct engine_table *at; /* the engine's own */
    struct backend *backend;
    roost_allocator allocator;
    struct error error;
    pthread_mutex_t turns;      /* calls that share the backend's queues or the staging take turns */
    int inside;                 /* builds with assertions: calls that read, or -1: one that writes */
    int key_bytes, value_bytes; /* of keys that are strings 0 */
    bool strings;
    roost_type value_type;
    bool arithmetic; /* the value's type is more than a width */
    bool saturate;
    bool multi;        /* made with ROOST_MULTI */
    bool viewed;       /* a view is out: calls that write are refused */
    void *view_stream; /* on which the work through it is ordered; NULL without one */
    struct table_origin origin;
    void *pinned; /* what pageable arrays pass through; `turns` guards it, too */
    size_t pinned_bytes;
};

/* This thread's last error, for calls that got no table. */
struct error *thread_error(void);

/* What a call does with its table.  SHARED: reads, and touches nothing that calls share. */
enum access { ACCESS_SHARED, ACCESS_READ, ACCESS_WRITE };

/* Every call that works on the table begins and, if that succeeded, ends so.  Calls without a stream of their own work on the default
 * one.  What a call that failed half way has enqueued is work, too: its end is marked in any case.
 * ROOST_ERR_ARGUMENT, in builds with assertions: a call that writes meets another one (the contract says that a writer is alone). */
roost_status call_begin(struct roost_table *t, void *stream, enum access access);
roost_status call_end(struct roost_table *t, enum access access, roost_status status);

/* Does an array lie on a device, by what the call says, or else the driver? */
bool array_on_device(const struct roost_table *t, const void *array, const roost_call *call);

/* Runs a batch whose arrays may lie anywhere: they are used in place where the table's machine reaches them, else staged in pieces.
 * Both take turns where calls share anything.  run_bytes: work space an item that the run asks for by itself, at most; 0: an engine's. */
roost_status staged_run(struct roost_table *t, batch_function *run, size_t run_bytes, enum access access, const struct batch *batch,
                        const roost_call *call);

/* The same for gathering all values of keys, whose part of an array is not the same for all. */
roost_status staged_find_all(struct roost_table *t, const struct batch *batch, const roost_call *call);
#if ROOST_PROBES
/* The tests' own: where the items of the calls to come are stamped (see struct batch), in memory that the table's machine reaches. */
struct call_stamps {
    struct item_stamp *stamps; /* as many as a call has items, all 0; NULL: not wanted */
    uint64_t *clock;
};
extern struct call_stamps call_stamps;
#endif

/* The same for an export. */
roost_status staged_export(struct roost_table *t, roost_cursor *cursor, void *keys, void *values, size_t room, size_t *n,
                           const roost_call *call);

#endif
