/* GPH's table on the host side: what the files of its policy share, the lowest first. */
#ifndef ROOST_GPH_TABLE_H
#define ROOST_GPH_TABLE_H

#include "engines/contents.h"
#include "engines/gph/gph_kernels.h"
#include "engines/insertion.h"
#include "engines/policy.h"

/* The passes of an insert, each over the items that the one before has parked.  The second pass
 * parks items of a hot key that have died too often; the third one finds that key in the table. */
enum { PASS_FILL, PASS_REFINE, PASS_REFILL, PASS_FINISH, GPH_PASSES };
_Static_assert((int)GPH_PASSES <= (int)MOST_PASSES, "the words count what each pass parks");

/* Items of one launch, at most.  In small pieces cells move earlier, and fewer mappings are tried.
 * Of the sizes measured (docs/gph.md) this one inserts the fastest.  It also bounds the lists to
 * 32 MB each. */
enum { GPH_CHUNK = 1 << 23 };

/* Where lookups read the index: in global memory, through the caches; in shared memory, if it fits
 * a block's; or in parts that fit, to which the lookups are routed. */
enum gph_index { GPH_INDEX_GLOBAL, GPH_INDEX_SHARED, GPH_INDEX_ROUTED };

enum gph_hash_option { GPH_HASH_KEYED, GPH_HASH_MIX, GPH_HASH_SUMMED };

/* Options of a table. */
struct gph_options {
    int slots;     /* 0: the width's default */
    int virtuals;  /* R */
    int cell_keys; /* keys per cell */
    double flagged;
    int index;     /* enum gph_index */
    int requester; /* 0: on, 1: off */
    int hash;      /* enum gph_hash_option */
    int paper;     /* 1: preset=paper */
};

/* Keys by where they are stored, and flagged cells. */
struct gph_counts {
    uint64_t main, overflow, special, flagged;
};

struct gph_table {
    struct engine_table base; /* first: the API's handle */
    struct gph_options options;
    struct gph_view view;
    const struct kernel *staged; /* finds that copy the index first */
    uint64_t room_keys;          /* the table was made for this number */
    /* The last size that was too small although the fill was within its bound: some item found no
     * room, or too many cells were flagged.  Its room, and the keys that it had.  A table with
     * nearly as many keys does not shrink to it. */
    uint64_t tight_room, tight_keys;
    struct gph_counts counts;
    uint64_t flagged_left; /* flagged cells after the last mend */
    uint64_t erased;       /* keys erased since then */
    /* Of a table that does not grow, or whose growth was refused: its keys when one more found no
     * room; 0: there was room for all.  Up to this number, and up to room_keys, later keys get room
     * by evictions. */
    uint64_t full_keys;
};

static inline struct gph_table *gph_of(struct engine_table *t) { return (struct gph_table *)t; }
static inline const struct gph_table *gph_of_const(const struct engine_table *t) { return (const struct gph_table *)t; }

/* ---- Table (gph_table.c) --------------------------------------------------------------------- */

uint64_t gph_count(const struct engine_table *table);
uint64_t gph_slots(const struct engine_table *table); /* with the overflow store's */
uint64_t gph_bytes(const struct engine_table *table);
uint64_t gph_buckets(const struct gph_table *t); /* with the overflow store's and the special one */
/* Bytes of a view: the index, marks and locks; and the buckets. */
size_t gph_index_bytes(const struct gph_view *v);
size_t gph_buckets_bytes(const struct shape s, const struct gph_view *v);
/* Arguments of kernels over a batch. */
struct gph_args gph_batch_args(const struct gph_table *t, const struct batch *batch);
/* Launches a kernel whose n items are parts of the table, not of a batch. */
roost_status gph_launch_over(struct gph_table *t, const struct kernel *k, struct gph_args *args, uint64_t n);
/* Appends the pairs of buckets first .. first + n - 1 to arrays on the device and adds their number
 * to pairs_n.  NULL arrays: only counts them. */
roost_status gph_export_buckets(struct gph_table *t, uint64_t first, uint64_t n, void *keys, void *values);
/* Hooks: see struct table_hooks. */
void gph_take(struct engine_table *table, const void *words, const struct counters *since);
roost_status gph_recount(struct engine_table *table);

/* ---- Passes (gph_passes.c) ------------------------------------------------------------------- */

/* Runs passes `first` to `last` over the items of `source`.  Afterwards `source` is the items
 * without room. */
roost_status gph_passes(struct gph_table *t, const struct lists *lists, const struct batch *batch, int first, int last,
                        struct source *source);
/* Enqueues all passes over a piece.  An item without room in the last one fails. */
roost_status gph_passes_enqueue(struct gph_table *t, const struct batch *piece);
/* The same over an insertion's items; adds their results to the statistics, and waits. */
roost_status gph_piece_passes(struct insertion *in, int first, int last);
/* Updates the keys that are stored, and waits.  The items of other keys remain. */
roost_status gph_piece_update(struct insertion *in);
/* Makes room by evictions for items that found none, and waits.  Those without it remain. */
roost_status gph_piece_evict(struct insertion *in);
/* Inserts n new pairs that lie on the device, without counting them as inserts.  Adds to *left the
 * number of pairs without room. */
roost_status gph_insert_all(struct gph_table *t, struct lists *lists, const void *keys, const void *values, uint64_t n,
                            uint64_t *left);
/* Mends flagged cells whose keys fit by now.  gph_mend_due: if enough cells have been flagged or
 * keys erased since the last time. */
roost_status gph_mend_cells(struct gph_table *t);
roost_status gph_mend_due(struct gph_table *t);
/* Bounds of the distinct keys of a batch. */
roost_status gph_distinct(struct engine_table *table, const struct batch *batch, struct distinct_bounds *bounds);

/* ---- Sizes (gph_size.c) ---------------------------------------------------------------------- */

/* The load factor up to which few cells are flagged, by slots, virtual buckets and keys of a cell
 * (docs/gph.md has the table). */
double gph_reach(int slots, int virtuals, int cell_keys);
/* True if the load factor of the main slots would be within its bound with this number of keys. */
bool gph_fits(const struct gph_table *t, uint64_t keys);
/* True if it or the share of flagged cells is above its bound. */
bool gph_over_full(const struct gph_table *t);
/* Rebuilds the table with room for at least this number of keys, or for as many as a memory limit
 * leaves.  On failure the table is as it was.  ROOST_ERR_FULL: its keys collide in larger tables,
 * too.  forced: the fill is not the reason. */
roost_status gph_enlarge(struct gph_table *t, uint64_t keys, bool forced);
/* Hooks: see struct table_hooks. */
roost_status gph_make(struct engine_table *table);
void gph_unmake(struct engine_table *table);
roost_status gph_empty(struct engine_table *table);
bool gph_would_shrink(const struct engine_table *table, uint64_t keys);
roost_status gph_reserve(struct engine_table *table, uint64_t keys);
roost_status gph_settle(struct engine_table *table, bool shrinks);

/* ---- Tables that do not grow (gph_fixed.c) --------------------------------------------------- */

/* True if growth is off, or was refused, and `more` new keys would exceed the number that the table
 * was made for. */
bool gph_is_tight(const struct gph_table *t, uint64_t more);
/* Inserts a piece into such a table, up to the number of keys at which it was full; or, where
 * growth was refused, into a larger one, if there is memory now. */
roost_status gph_insert_tight(struct insertion *in);
roost_status gph_insert_refused(struct insertion *in);
/* The table is full with the keys that it has, and owes room up to that number. */
void gph_filled(struct gph_table *t);
/* Makes room by evictions for the items of a table that does not grow, or says that it is full. */
roost_status gph_make_way(struct insertion *in);

/* ---- Inserts (gph_insert.c), hooks ----------------------------------------------------------- */

roost_status gph_write_piece(struct engine_table *table, const struct write *w, struct progress *p);
roost_status gph_resume(struct engine_table *table, struct progress *p);
bool gph_has_room(const struct engine_table *table, const struct write *w);
roost_status gph_enqueue(struct engine_table *table, const struct write *w, const struct batch *piece);

/* ---- Lookups (gph_find.c), and those by parts of the index: see struct engine ---------------- */

roost_status gph_find(struct engine_table *table, const struct batch *batch);
const struct kernel *gph_running(const struct engine_table *table, int choice);
struct batch_order gph_order(const struct engine_table *table, enum engine_call call, uint64_t n);
roost_status gph_codes(struct engine_table *table, const struct batch *batch, const struct batch_codes *codes);

/* ---- Contents (gph_export.c, gph_check.c): see struct engine --------------------------------- */

roost_status gph_export(struct engine_table *table, roost_cursor *cursor, void *keys, void *values, size_t room, size_t *n);
roost_status gph_stats(struct engine_table *table, struct engine_stats *stats);
roost_status gph_check(struct engine_table *table);

#endif
