/* A table of any engine: the part that all tables have, and their life as calls see it.  An engine
 * adds its kernels, its plaque and the hooks of struct table_hooks. */
#ifndef ROOST_ENGINES_TABLE_H
#define ROOST_ENGINES_TABLE_H

#include "engines/kernels.h"
#include "engines/ledger.h"
#include "engines/lists.h"
#include "engines/option_table.h"
#include "engines/stats.h"
#include "portable/bucket.h"
#include "portable/hash_bytes.h"

struct engine;
struct engine_config;
struct insertion;

enum {
    ENGINE_CHOICES = 5,     /* most operations whose kernels options choose */
    ENGINE_OPERATIONS = 24, /* most operations of an engine */
    HASHES_MOST = 2         /* of a key, that choose homes */
};

/* Are there keys of which a batch has many copies (engines/crowd.h)? */
enum batch_copies { COPIES_UNKNOWN, COPIES_FEW, COPIES_MANY };

/* Every engine's table begins with this. */
struct engine_table {
    const struct engine *engine;
    struct backend *backend;
    struct error *error;
    struct warnings *warnings;
    struct kernels kernels; /* this build's kernels for the machine */
    /* Ordering of batches: enum by_region (engines/policy.h). */
    int bulk;
    bool orders_finds;                           /* orders finds of any n, whatever `bulk` is */
    struct kernel_asks asks;                     /* the kernels that options ask for */
    const struct kernel *chosen[ENGINE_CHOICES]; /* by the place in engine->choices */
    /* By operation; NULL: not built for this shape. */
    const struct kernel *kernel[ENGINE_OPERATIONS];
    struct shape shape;
    int key_bytes, value_bytes; /* of the arrays' items; 0 for strings */
    roost_type value_type;
    bool growth, saturate;
    bool multi;                /* a multimap */
    bool captures;             /* calls that write may be captured into a graph */
    bool mixes;                /* a kernel may mix operations; else mixed batches run in phases */
    bool inserts_wait;         /* inserts always wait, and are not captured */
    double min_fill, max_fill; /* the bounds that the engine keeps */
    uint64_t floor_keys;       /* the reservation: the table keeps room for this many keys */
    uint64_t asked_keys;       /* that the caller asked for; the reservation may be larger */
    uint64_t seed;             /* of the hash functions */
    bool seed_secret;          /* nobody knew it when it was drawn */
    /* The fill up to which items of random keys find room, but with a probability below 2^-40.  0:
     * such tables are not reseeded. */
    double sure_fill;
    uint64_t call_slots;       /* slots before the call at hand */
    void *origin;              /* a copy of this struct as it was configured */
    struct insertion *waiting; /* an insert that waits for other seeds; else NULL */
    void *crowd;               /* keys of small batches (engines/crowd.h); NULL: none */
    bool foreseen;             /* the batch at hand was sampled as a whole */
    enum batch_copies copies;  /* what its sample showed */
    bool doubtful;             /* items without room were left to other seeds */
    bool oversized;            /* it has grown as far as it may for keys that collide */
    int reseeds_left;          /* of the call at hand */
    struct ledger ledger;
    struct lists lists;        /* of parked items */
    struct engine_stats stats; /* counts since the table was made */
    /* Work space of small pieces of batches (src/batches), kept for the time when memory is
     * refused; NULL: none. */
    void *spare;
    size_t spare_bytes;
    struct {
        uint64_t next;    /* of ROOST_NUMBERED: the numbers below are given away */
        bool finds_first; /* most keys were there before */
    } numbers;
    void *strays; /* of an export in the order of hashes (src/batches); NULL: none */
};

/* The effect of a call that writes on keys. */
enum write_kind { WRITE_INSERT, WRITE_ERASE, WRITE_MIXED, WRITE_ERASE_ALL };

/* A call that writes, as hooks get it. */
struct write {
    enum write_kind kind;
    const struct batch *batch;
};

static inline bool write_inserts(const struct write *w) { return w->kind == WRITE_INSERT || w->kind == WRITE_MIXED; }
static inline bool write_erases(const struct write *w) { return w->kind != WRITE_INSERT; }

/* Progress of a call that waits. */
struct progress {
    uint64_t done;  /* items of finished pieces */
    uint64_t fresh; /* items among these that ended INSERTED */
};

/* An engine's part of a table's life.  A hook calls no function of table.h. */
struct table_hooks {
    size_t table_bytes; /* size of the engine's own struct, which begins with struct engine_table */
    /* Offset of the options in it; struct option's offsets count from there. */
    size_t options_at;
    size_t seeds_at; /* offset of its struct hash_seeds */
    /* Size of the engine's words on the device, which begin with struct counters. */
    size_t words_bytes;
    uint64_t least_parked; /* the lists' room at first on the host; 0: LISTS_LEAST */
    uint64_t most_parked;  /* most items of one launch; a limit of the lists' room */
    size_t extra_bytes;    /* bytes behind the lists, for each of their indices */
    /* Asynchronous inserts use the lists, and are cut into pieces of their length. */
    bool parks;

    /* Checks the options; sets shape, bounds, seeds and kernels.  The members of struct
     * engine_table that follow from the configuration alone are set before. */
    roost_status (*configure)(struct engine_table *t, const struct engine_config *config);
    /* Makes an empty table with room for floor_keys; words and lists exist before.  After a failure
     * `unmake` is called, as at a table's end. */
    roost_status (*make)(struct engine_table *t);
    void (*unmake)(struct engine_table *t);
    /* Removes all keys, and makes the table as small as the reservation allows. */
    roost_status (*empty)(struct engine_table *t);
    /* Writes hashes of a word, each of which chooses a home by its first bits; returns how many. */
    int (*hashes)(const struct engine_table *t, uint64_t key, uint64_t hash[HASHES_MOST]);
    /* Are keys hashed as bytes, and how?  The first bits choose the home.  NULL: no. */
    bool (*hashing)(const struct engine_table *t, struct bytes_hash *hash);
    /* Keys stored, as far as the ledger knows; slots; bytes of the table itself. */
    uint64_t (*count)(const struct engine_table *t);
    uint64_t (*slots)(const struct engine_table *t);
    uint64_t (*bytes)(const struct engine_table *t);
    /* Keys that an empty table of this size is made for.  NULL: as many as its slots have room
     * for. */
    uint64_t (*room)(const struct engine_table *t);
    /* Slots that are not vacant.  NULL: as many as keys are stored. */
    uint64_t (*taken)(const struct engine_table *t);
    /* Adds the engine's own numbers.  NULL: it has none. */
    roost_status (*stats)(struct engine_table *t, struct engine_stats *stats);
    /* Would the table shrink if it held this many keys? */
    bool (*would_shrink)(const struct engine_table *t, uint64_t keys);
    /* Makes room for this many keys in all, also if growth is off; 0: there is room, and nothing is
     * allocated.  ROOST_ERR_MEMORY leaves the table unchanged. */
    roost_status (*reserve)(struct engine_table *t, uint64_t keys);
    /* Brings the fill inside its bounds: grows and, if `shrinks`, shrinks.  Refused memory is no
     * failure, but a debt.  The loops are policy_grow and policy_shrink (engines/policy.h). */
    roost_status (*settle)(struct engine_table *t, bool shrinks);
    /* Called before a call that waits (w NULL: a reservation or a sync).  NULL: nothing to do. */
    roost_status (*begin)(struct engine_table *t, const struct write *w);
    /* Inserts (or mixes) the next piece of the call, waits, and advances *p.  FULL and MEMORY: some
     * of the piece's items were not stored.  `settle` is called after it, unless it failed. */
    roost_status (*write_piece)(struct engine_table *t, const struct write *w, struct progress *p);
    /* Continues with t->waiting after the table was reseeded, or could not be.  Returns: as
     * write_piece. */
    roost_status (*resume)(struct engine_table *t, struct progress *p);
    /* Is room guaranteed for the call's items, beside those of pending calls, even if all are
     * new? */
    bool (*has_room)(const struct engine_table *t, const struct write *w);
    /* Enqueues the inserts (or mixes) of a piece.  Items that find no room end with its
     * park_status. */
    roost_status (*enqueue)(struct engine_table *t, const struct write *w, const struct batch *piece);
    /* Launches the erases of a batch. */
    roost_status (*erase)(struct engine_table *t, const struct write *w);
    /* Reads the engine's own words, a copy in host memory, and the counts since the last
     * reading. */
    void (*take)(struct engine_table *t, const void *words, const struct counters *since);
    /* Undoes or completes what a failed call left half done, and counts the table. */
    roost_status (*mend)(struct engine_table *t);
    /* Frees the remains of erased keys.  NULL: there are none. */
    roost_status (*compact)(struct engine_table *t);
    /* Views.  view_bytes: size of a view, 0 if the engine has none; view_layout: number of its
     * layout, with which it begins.  view_room makes memory for the inserts that the caller's
     * kernels announce.  view_write writes the view; takes: as in struct batch. */
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
/* Makes room for this many keys in all, and keeps it.  ROOST_ERR_MEMORY and _ARGUMENT leave the
 * table unchanged. */
roost_status engine_reserve(struct engine_table *t, uint64_t keys);
/* Grows a table that may grow at once to a size for this many keys, without keeping it.  Refused
 * memory leaves the table as it is. */
roost_status engine_make_room(struct engine_table *t, uint64_t keys);
/* Waits for all work, and brings the fill inside its bounds. */
roost_status engine_sync(struct engine_table *t, uint64_t *items_failed);
roost_status engine_compact(struct engine_table *t);
roost_status engine_stats(struct engine_table *t, struct engine_stats *stats);

/* Calls that write.  A call is asynchronous if its batch is guaranteed to find room and stream
 * order is enough.  It is captured into a graph if the backend captures.  Otherwise it waits, and
 * the table grows or shrinks. */
roost_status engine_insert(struct engine_table *t, const struct batch *batch);
roost_status engine_erase(struct engine_table *t, const struct batch *batch);
roost_status engine_apply(struct engine_table *t, const struct batch *batch);
roost_status engine_erase_all(struct engine_table *t, const struct batch *batch);

/* Takes one sample (engines/crowd.h) of a mixed batch whose items come in several calls, until
 * engine_forget: then these take none. */
roost_status engine_foresee(struct engine_table *t, const struct batch *batch);
void engine_forget(struct engine_table *t);
/* Takes no samples until engine_forget: the keys come in the order of this table's hashes, and look
 * like keys that collide. */
void engine_trust(struct engine_table *t);

/* Finds; asynchronous. */
roost_status engine_find(struct engine_table *t, const struct batch *batch);

/* Writes a view of `bytes` bytes, after making memory for its inserts.  From then on the counts are
 * uncertain; the release counts the table. */
roost_status engine_view_acquire(struct engine_table *t, void *view, size_t bytes, uint64_t inserts, uint16_t takes);
roost_status engine_view_release(struct engine_table *t);

#endif
