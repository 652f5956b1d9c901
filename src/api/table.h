/* The handle behind roost_table, and declarations that the files of the API share. */
#ifndef ROOST_API_TABLE_H
#define ROOST_API_TABLE_H

#include <pthread.h>

#include "profiles/profile.h"
#include "engines/engine.h"
#include "roost/tuning.h"

/* What a table was made of, for roost_table_describe and snapshots. */
struct table_origin {
    roost_config config;                   /* as the caller gave it; without pointers */
    char given[ROOST_DESCRIPTION_BYTES];   /* the caller's options for the engine */
    char options[ROOST_DESCRIPTION_BYTES]; /* options in force */
    char profile[PROFILE_NAME];
    struct warnings warnings;
};

/* The snapshot that a table was last saved as, or loaded from. */
struct table_saved {
    uint64_t id;     /* of the whole one; 0: none */
    uint64_t last;   /* of it, or of the last changes */
    uint32_t number; /* of the last changes; 0: none */
    bool written;    /* the table was written to since */
};

/* What was written since (api/changes.h). */
struct table_changes {
    struct engine_table *log; /* the keys; NULL: none */
    const char *lost;         /* why there is no log */
    bool held;                /* what is written is known to be saved */
};

struct roost_table {
    const struct engine *engine;
    struct engine_table *at; /* the engine's table */
    struct backend *backend;
    roost_allocator allocator;
    struct error error;
    /* held by calls that share the backend's queues or the staging memory */
    pthread_mutex_t turns;
    /* in builds with assertions the number of calls that read, or -1 for one that writes */
    int inside;
    int key_bytes, value_bytes; /* key_bytes: 0 for strings */
    bool strings;
    roost_type value_type;
    bool arithmetic; /* values are numbers, not only bytes */
    bool saturate;
    bool multi;                /* made with ROOST_MULTI */
    bool numbered;             /* made with ROOST_NUMBERED */
    bool viewed;               /* a view is acquired: calls that write are refused */
    struct table_group *group; /* of a table that is spread over ranks; else NULL */
    uint64_t writes;           /* calls that wrote, or may have */
    struct table_watch *watches;
    /* orders work through the view; NULL without a view */
    void *view_stream;
    struct table_origin origin;
    struct table_saved saved;
    struct table_changes changes;
    void *pinned; /* staging memory of pageable arrays; guarded by `turns` */
    size_t pinned_bytes;
    void *spare; /* for staging few items when memory is refused; NULL: none */
    size_t spare_bytes;
};

/* The calling thread's last error, for calls that got no table. */
struct error *thread_error(void);

/* What a call does with its table.  SHARED: reads, and touches nothing that calls share. */
enum access { ACCESS_SHARED, ACCESS_READ, ACCESS_WRITE };

/* Every call that works on a table runs between call_begin and, if that succeeded, call_end.
 * stream NULL: the default stream.  call_end also follows a failed call, because it marks the end
 * of the work that the call enqueued.
 * Returns: ROOST_ERR_ARGUMENT, in builds with assertions: another call is inside, and one of the
 * two writes. */
roost_status call_begin(struct roost_table *t, void *stream, enum access access);
roost_status call_end(struct roost_table *t, enum access access, roost_status status);

/* Bytes of a type, or -1 if it has none, as strings.  own: the width of ROOST_TYPE_BYTES. */
int type_width(roost_type type, size_t own);

/* True if an array lies on a device.  The call says so, or else the driver is asked. */
bool array_on_device(const struct roost_table *t, const void *array, const roost_call *call);

/* True if the table's machine reaches an array where it lies, or it is NULL.  The memory of another
 * GPU is out of reach. */
bool array_is_reached(const struct roost_table *t, const void *array, const roost_call *call);

/* Runs a batch whose arrays may lie anywhere.  Arrays that the table's machine reaches are used
 * in place; others are staged in pieces.  Calls that share anything take turns.  run_bytes: upper
 * bound of the work space per item that `run` allocates itself; 0: the engine's work space only. */
roost_status staged_run(struct roost_table *t, batch_function *run, size_t run_bytes, enum access access, const struct batch *batch,
                        const roost_call *call);

/* The same for an ordered batch, whose pieces depend on each other. */
roost_status staged_in_order(struct roost_table *t, const struct batch *batch, const roost_call *call);

/* Memory that a table keeps to stage a few items (backend_items_least), where its calls may have
 * to. */
size_t staging_spare_bytes(const struct roost_table *t);
roost_status staging_spare_make(struct roost_table *t);
void staging_spare_release(struct roost_table *t);

/* The same for roost_find_all, where each key has its own share of the values. */
roost_status staged_find_all(struct roost_table *t, const struct batch *batch, const roost_call *call);
#if ROOST_PROBES
/* For tests: where later calls stamp their items (see struct batch), in memory that the table's
 * machine reaches. */
struct call_stamps {
    struct item_stamp *stamps; /* one per item of a call, all 0; NULL: no stamps */
    uint64_t *clock;
};
extern struct call_stamps call_stamps;
#endif

/* The same for an export; in the order of hashes if the call asks for it. */
roost_status staged_export(struct roost_table *t, roost_cursor *cursor, void *keys, void *values, size_t room, size_t *n,
                           const roost_call *call);

#endif
