/* A table, whatever its engine: what all tables have, and their life as calls see it.  An engine
 * adds its kernels, its plaque and the hooks of struct table_hooks. */
#ifndef ROOST_ENGINES_TABLE_H
#define ROOST_ENGINES_TABLE_H

#include "engines/kernels.h"
#include "engines/ledger.h"
#include "engines/lists.h"
#include "engines/option_table.h"
#include "engines/stats.h"
#include "portable/bucket.h"

struct engine;
struct engine_config;

enum {
    ENGINE_CHOICES = 5,    /* operations whose kernels options choose, at most */
    ENGINE_OPERATIONS = 24 /* operations of an engine, at most */
};

/* Every engine's table begins with this. */
struct engine_table {
    const struct engine *engine;
    struct backend *backend;
    struct error *error;
    struct warnings *warnings;
    struct kernels kernels;                         /* those that this build has for the machine */
    int bulk;                                       /* batches in an order: enum by_region (engines/policy.h) */
    bool orders_finds;                              /* of any n, whatever `bulk` says */
    struct kernel_asks asks;                        /* the kernels that options ask for */
    const struct kernel *chosen[ENGINE_CHOICES];    /* by the place in engine->choices */
    const struct kernel *kernel[ENGINE_OPERATIONS]; /* by operation; NULL: not built for this shape */
    struct shape shape;
    int key_bytes, value_bytes; /* of the arrays' items; of strings 0 */
    roost_type value_type;
    bool growth, saturate;
    bool captures;             /* calls that write may be captured into a graph */
    bool inserts_wait;         /* inserts always wait, and are not captured */
    double min_fill, max_fill; /* the bounds that the engine keeps */
    uint64_t floor_keys;       /* the reservation: room for so many keys stays */
    struct ledger ledger;
    struct lists lists;        /* of parked items */
    struct engine_stats stats; /* counted since the table was made */
};

/* What a call that writes does to keys. */
enum write_kind { WRITE_INSERT, WRITE_ERASE, WRITE_MIXED, WRITE_ERASE_ALL };

/* A call that writes, on its way through a table. */
struct write {
    enum write_kind kind;
    const struct batch *batch;
};

static inline bool write_inserts(const struct write *w) { return w->kind == WRITE_INSERT || w->kind == WRITE_MIXED; }
static inline bool write_erases(const struct write *w) { return w->kind != WRITE_INSERT; }

/* How far a call that waits is. */
struct progress {
    uint64_t done;  /* items of earlier pieces */
    uint64_t fresh; /* of these, items that ended INSERTED */
};

/* What an engine adds to a table's life.  A hook calls no function of table.h. */
struct table_hooks {
    size_t table_bytes;   /* of the engine's own struct, which begins with struct engine_table */
    size_t options_at;    /* where in it the options lie: struct option's offsets count from there */
    size_t words_bytes;   /* of the engine's words on the device, which begin with struct counters */
    uint64_t most_parked; /* items of one launch, at most: as many the lists have room for */
    size_t extra_bytes;   /* behind the lists, for each of their indices */
    bool parks;           /* asynchronous inserts use the lists, and go in pieces of their length */

    /* Checks the options, sets shape, bounds, seeds and kernels.  The members of struct engine_table
     * that follow from the configuration alone are set. */
    roost_status (*configure)(struct engine_table *t, const struct engine_config *config);
    /* Makes an empty table with room for floor_keys; words and lists are there.  After a failure
     * `unmake` follows, as at a table's end. */
    roost_status (*make)(struct engine_table *t);
    void (*unmake)(struct engine_table *t);
    /* Removes all keys, and makes the table as small as the reservation allows. */
    roost_status (*empty)(struct engine_table *t);
    /* Keys stored, as far as the ledger knows; slots; bytes of the table itself. */
    uint64_t (*count)(const struct engine_table *t);
    uint64_t (*slots)(const struct engine_table *t);
    uint64_t (*bytes)(const struct engine_table *t);
    /* Adds the engine's own numbers.  NULL: it has none. */
    roost_status (*stats)(struct engine_table *t, struct engine_stats *stats);
    /* Would the table shrink if it held so many keys? */
    bool (*would_shrink)(const struct engine_table *t, uint64_t keys);
    /* Makes room for so many keys in all.  ROOST_ERR_MEMORY or _ARGUMENT: the table is what it was. */
    roost_status (*reserve)(struct engine_table *t, uint64_t keys);
    /* Brings the fill inside its bounds: grows; and shrinks, where `shrinks`.  Refused memory is no
     * failure, but a debt. */
    roost_status (*settle)(struct engine_table *t, bool shrinks);
    /* What comes before a call that waits (w NULL: a reservation or a sync).  NULL: nothing. */
    roost_status (*begin)(struct engine_table *t, const struct write *w);
    /* Inserts (or mixes) the next piece of the call, waits, and adds to *p how far it is.  FULL and
     * MEMORY: some of the piece's items were not stored. */
    roost_status (*write_piece)(struct engine_table *t, const struct write *w, struct progress *p);
    /* Is there guaranteed room for the call's items beside those of pending calls, should all be new? */
    bool (*has_room)(const struct engine_table *t, const struct write *w);
    /* Enqueues the inserts (or mixes) of a piece.  Items that find no room end with its park_status. */
    roost_status (*enqueue)(struct engine_table *t, const struct write *w, const struct batch *piece);
    /* Launches the erases of a batch. */
    roost_status (*erase)(struct engine_table *t, const struct write *w);
    /* Takes in the engine's words, which are a copy in host memory, and what was counted since. */
    void (*take)(struct engine_table *t, const void *words, const struct counters *since);
    /* Undoes or completes what a failed call left half done, and counts the table. */
    roost_status (*mend)(struct engine_table *t);
    /* Frees what erased keys left.  NULL: they leave nothing. */
    roost_status (*compact)(struct engine_table *t);
    /* Views: the size of one, 0: the engine has none; and the number of its layout, with which it
     * begins.  Memory for the inserts that the caller's kernels announce.  What they need to work on
     * the table.  takes: as in struct batch. */
    size_t view_bytes;
    uint64_t view_layout;
    roost_status (*view_room)(struct engine_table *t, uint64_t inserts);
    void (*view_write)(const struct engine_table *t, void *view, uint16_t takes);
};

/* ---- Life, as struct engine's users call it ------------------------------------------------- */

roost_status engine_create(struct engine_table **table, const struct engine *engine, const struct engine_config *config,
                           struct backend *b, struct error *error);
void engine_destroy(struct engine_table *t);
roost_status engine_clear(struct engine_table *t);
/* Room for so many keys in all, which stays.  ROOST_ERR_MEMORY and _ARGUMENT leave the table as it was. */
roost_status engine_reserve(struct engine_table *t, uint64_t keys);
/* Waits for all work, and brings the fill inside its bounds. */
roost_status engine_sync(struct engine_table *t, uint64_t *items_failed);
roost_status engine_compact(struct engine_table *t);
roost_status engine_stats(struct engine_table *t, struct engine_stats *stats);

/* Calls that write: asynchronous, where the batch is guaranteed to find room and stream order is
 * enough; captured into a graph, where the backend captures; else they wait, and the table grows or
 * shrinks. */
roost_status engine_insert(struct engine_table *t, const struct batch *batch);
roost_status engine_erase(struct engine_table *t, const struct batch *batch);
roost_status engine_apply(struct engine_table *t, const struct batch *batch);
roost_status engine_erase_all(struct engine_table *t, const struct batch *batch);

/* Finds; asynchronous. */
roost_status engine_find(struct engine_table *t, const struct batch *batch);

/* Writes a view, of so many bytes, once there is memory for its inserts.  From then on the counts
 * are uncertain; the release counts the table. */
roost_status engine_view_acquire(struct engine_table *t, void *view, size_t bytes, uint64_t inserts, uint16_t takes);
roost_status engine_view_release(struct engine_table *t);

#endif
