/* DyCuckoo's table on the host side: what the files of its policy share, the lowest first. */
#ifndef ROOST_DYCUCKOO_TABLE_H
#define ROOST_DYCUCKOO_TABLE_H

#include "engines/contents.h"
#include "engines/dycuckoo/dycuckoo_kernels.h"
#include "engines/insertion.h"
#include "engines/policy.h"

/* The passes of an insert.  Each takes its items from one list and parks items in the other.  Items
 * that the last pass parks wait for growth, or go to the spill list.  PASS_JOIN is left out while
 * the spill list is known to be empty. */
enum { PASS_JOIN, PASS_FILL, PASS_EVICT, PASS_PATH, DYCUCKOO_PASSES };
_Static_assert((int)DYCUCKOO_PASSES <= (int)MOST_PASSES, "the words count what each pass parks");

/* Bits of the evict pass's claims for each of its items.  At most one item in 32 finds its bit set
 * by another key. */
enum { DYCUCKOO_CLAIM_BITS = 16 };

/* Items of one launch, at most.  It bounds each list to 128 MB, and claims and estimate to 96
 * MB. */
enum { DYCUCKOO_CHUNK = 1 << 25 };

/* Creation options, as parsed. */
struct dycuckoo_options {
    uint32_t subtables;
    int layers;                /* 1: a home in every subtable */
    int slots;                 /* 0: the width's default */
    int requester;             /* 0: on, 1: off */
    int hash;                  /* enum hash_family */
    int resize;                /* enum dycuckoo_resize */
    int weights_paper, locked; /* 1: as the name says */
};

/* How a table grows: all subtables by half of their size; one of them to twice its size, as the
 * paper has it; all to twice their size.  A table of two subtables has no level steps: pairs that
 * do not fit into one subtable have their other homes in the other one, where none could move. */
enum dycuckoo_resize { RESIZE_LEVEL, RESIZE_ONE, RESIZE_ALL };

/* What the kernels write besides the table, in device memory (engines/ledger.h). */
struct dycuckoo_words {
    struct table_words base;
    uint64_t all_n; /* see struct dycuckoo_spilling */
    struct dycuckoo_spill spill;
};

/* The next DYCUCKOO_CHUNK items of a call, while they are inserted in steps. */
struct dycuckoo_chunk {
    uint64_t n, done; /* items; those of earlier steps */
    uint64_t fresh;   /* new keys so far */
    struct distinct_bounds distinct;
};

/* What a table that may grow has on the device for asynchronous calls: the spill list's entries,
 * and room to work on them. */
struct dycuckoo_spill_memory {
    struct dycuckoo_spill_entries entries;
    /* Keys and values of the live entries, in the table's widths. */
    uint64_t keys[DYCUCKOO_SPILL_ROOM], values[DYCUCKOO_SPILL_ROOM];
    uint8_t found[DYCUCKOO_SPILL_ROOM];
};

struct dycuckoo_table {
    struct engine_table base; /* first: the API's handle */
    struct dycuckoo_options options;
    struct dycuckoo_view view;
    uint32_t base_buckets; /* of a subtable, at least */
    uint64_t count[MAX_SUBTABLES + 1];
    bool aborted;                        /* the last shrink was undone for lack of room */
    uint64_t unplaced;                   /* items that wait for growth; 0 between calls */
    struct dycuckoo_chunk chunk;         /* of the call at hand */
    uint64_t grow_steps;                 /* before the call at hand */
    struct dycuckoo_spill_memory *spill; /* device; NULL: no growth, or every call waits */
    uint64_t spilled, spill_n;           /* entries of the spill list, live and all */
    /* A failed call may have left residuals of this subtable in both homes; MAX_SUBTABLES if
     * none. */
    uint32_t resizing;
};

static inline struct dycuckoo_table *dycuckoo_of(struct engine_table *t) { return (struct dycuckoo_table *)t; }
static inline const struct dycuckoo_table *dycuckoo_of_const(const struct engine_table *t)
{
    return (const struct dycuckoo_table *)t;
}
/* What the kernels write besides the table, on the device. */
static inline struct dycuckoo_words *dycuckoo_words(const struct dycuckoo_table *t)
{
    return (struct dycuckoo_words *)t->base.ledger.words;
}

/* ---- Table (dycuckoo_table.c) ---------------------------------------------------------------- */

uint64_t dycuckoo_count(const struct engine_table *table);
uint64_t dycuckoo_slots(const struct engine_table *table);
uint64_t dycuckoo_bytes(const struct engine_table *table);
/* The number of keys at which a table with this many slots is full (invariant J). */
uint64_t dycuckoo_keys_most(const struct dycuckoo_table *t, uint64_t slots);
/* Has a table with this many slots room for this many keys, by its upper bound and invariant J? */
bool dycuckoo_fits(const struct dycuckoo_table *t, uint64_t keys, uint64_t slots);
/* The fill up to which a large table has room, less a few keys. */
double dycuckoo_fill_most(const struct dycuckoo_table *t);
/* Keys that inserts may still add (invariant J). */
uint64_t dycuckoo_left(const struct dycuckoo_table *t);
uint64_t dycuckoo_sub_slots(const struct dycuckoo_table *t, uint32_t i);
/* A subtable's memory: its buckets, then its locks at this offset; and the bytes of both. */
size_t dycuckoo_locks_at(const struct dycuckoo_table *t, uint32_t buckets);
size_t dycuckoo_sub_bytes(const struct dycuckoo_table *t, uint32_t buckets);
/* A batch's arguments.  While asynchronous calls are in flight the table may not be tidy any
 * more. */
struct dycuckoo_args dycuckoo_batch_args(const struct dycuckoo_table *t, const struct batch *batch);
/* Launches a kernel that works on the table and not on a call's batch, over n things. */
roost_status dycuckoo_launch_over(struct dycuckoo_table *t, const struct kernel *k, struct dycuckoo_args *args, uint64_t n);
/* Appends the pairs of buckets first .. first + n - 1 of a subtable to arrays on the device, whose
 * length is pairs_n; NULL: counts them. */
roost_status dycuckoo_export_buckets(struct dycuckoo_table *t, uint32_t sub, uint64_t first, uint64_t n, void *keys, void *values);
/* Hooks: see struct table_hooks. */
uint64_t dycuckoo_room(const struct engine_table *table);
void dycuckoo_take(struct engine_table *table, const void *words, const struct counters *since);
roost_status dycuckoo_mend(struct engine_table *table);

/* ---- Contents of the spill list (dycuckoo_spill.c) ------------------------------------------- */

/* The spill list's live entries, in host memory. */
struct dycuckoo_spilled {
    uint64_t n;
    struct dycuckoo_spill_entries entries;
};

roost_status dycuckoo_spill_make(struct dycuckoo_table *t);
void dycuckoo_spill_release(struct dycuckoo_table *t);
/* Reads the entries that are in no home.  Precondition: the counters are known.  Their packed keys
 * and values lie in t->spill. */
roost_status dycuckoo_spill_read(struct dycuckoo_table *t, struct dycuckoo_spilled *s);
/* Leaves out the entries that are in the table: a call placed them, and then failed or was refused
 * memory for the rest. */
roost_status dycuckoo_spill_drop_placed(struct dycuckoo_table *t, struct dycuckoo_spilled *s);
roost_status dycuckoo_spill_write(struct dycuckoo_table *t, const struct dycuckoo_spilled *s);
roost_status dycuckoo_spill_clear(struct dycuckoo_table *t);

/* ---- Passes (dycuckoo_passes.c) -------------------------------------------------------------- */

/* May the spill list have entries? */
bool dycuckoo_may_hold(const struct dycuckoo_table *t);
/* Launches a batch's kernel and, where the spill list may have entries, its kernel after it. */
roost_status dycuckoo_batch_launch(struct dycuckoo_table *t, const struct kernel *k, struct dycuckoo_args *args,
                                   enum dycuckoo_spill_role role);
/* The passes from `first` to `last`, over the items of `source`.  Afterwards these are the items
 * without room. */
roost_status dycuckoo_passes(struct dycuckoo_table *t, const struct batch *batch, int first, int last, struct source *source);
/* All passes over a piece.  Items that they cannot place go to the spill list. */
roost_status dycuckoo_passes_enqueue(struct dycuckoo_table *t, const struct batch *piece);
/* Inserts residuals in their homes that are not excluded, and notes that they are of two places
 * (resizing).  *unplaced: residuals that found no room. */
roost_status dycuckoo_evict_all(struct dycuckoo_table *t, const struct dycuckoo_args *args, uint64_t *unplaced);
/* Inserts n new pairs that lie on the device, without counting them as inserts.  *left: pairs that
 * found no room. */
roost_status dycuckoo_insert_all(struct dycuckoo_table *t, const void *keys, const void *values, uint64_t n, uint64_t *left);
/* Bounds of a batch's distinct keys.  Where memory is refused they stay as they are. */
roost_status dycuckoo_distinct(struct engine_table *table, const struct batch *batch, struct distinct_bounds *bounds);

/* ---- Sizes (dycuckoo_size.c) ----------------------------------------------------------------- */

/* The weights by which new pairs are spread over the subtables, from their counts. */
void dycuckoo_set_weights(struct dycuckoo_table *t);
/* One growth step, of one subtable or all, towards room for `keys`.  forced: not because of the
 * fill. */
roost_status dycuckoo_enlarge(struct dycuckoo_table *t, uint64_t keys, bool forced);
/* Grows until this many keys are within the upper bound; an empty table does so at once. */
roost_status dycuckoo_enlarge_for(struct dycuckoo_table *t, uint64_t keys);
/* Shrinks while the fill is below the lower bound (to_floor: while the reservation allows).
 * Refused memory puts a shrink off, and is no failure. */
roost_status dycuckoo_shrink(struct dycuckoo_table *t, bool to_floor);
/* Hooks: see struct table_hooks. */
roost_status dycuckoo_make(struct engine_table *table);
void dycuckoo_unmake(struct engine_table *table);
roost_status dycuckoo_empty(struct engine_table *table);
bool dycuckoo_would_shrink(const struct engine_table *table, uint64_t keys);
roost_status dycuckoo_reserve(struct engine_table *table, uint64_t keys);
roost_status dycuckoo_settle(struct engine_table *table, bool shrinks);

/* ---- Inserts (dycuckoo_insert.c), hooks ------------------------------------------------------ */

roost_status dycuckoo_begin(struct engine_table *table, const struct write *w);
roost_status dycuckoo_write_piece(struct engine_table *table, const struct write *w, struct progress *p);
roost_status dycuckoo_resume(struct engine_table *table, struct progress *p);
bool dycuckoo_has_room(const struct engine_table *table, const struct write *w);
roost_status dycuckoo_enqueue(struct engine_table *table, const struct write *w, const struct batch *piece);

/* ---- Contents (dycuckoo_export.c, dycuckoo_check.c): see struct engine ----------------------- */

roost_status dycuckoo_export(struct engine_table *table, roost_cursor *cursor, void *keys, void *values, size_t room, size_t *n);
roost_status dycuckoo_stats(struct engine_table *table, struct engine_stats *stats);
roost_status dycuckoo_check(struct engine_table *table);

#endif
