/* compact's table on the host: what the files of its policy share, the lowest first. */
#ifndef ROOST_COMPACT_TABLE_H
#define ROOST_COMPACT_TABLE_H

#include "engines/compact/compact_kernels.h"
#include "engines/contents.h"
#include "engines/insertion.h"
#include "engines/policy.h"

/* The passes of an insert.  The second one moves a pair for each item that the first one parked,
 * and the third one more of them, where that is needed.  A build comes before all. */
enum compact_pass { PASS_FILL, PASS_DISPLACE, PASS_EVICT, PASS_BUILD, PASSES };
_Static_assert((int)PASSES <= (int)MOST_PASSES, "lists count the items that each pass parks");

enum { COMPACT_SPARE = 8 /* slots that a fixed table keeps vacant, so that searches end soon */ };

/* Items of one launch, at most.  It bounds the lists to 512 MB each. */
enum { COMPACT_CHUNK = 1 << 27 };

struct compact_options {
    double step;  /* of growth */
    int hash;     /* enum hash_family */
    int in_place; /* growth */
};

/* Memory that the kernels write beside the table, on the device (engines/ledger.h). */
struct compact_words {
    struct table_words base;
    struct compact_marks marks;
};

struct compact_size {
    int shape; /* enum compact_shape */
    uint64_t buckets;
};

/* Pairs without room in a move, and lists for them: the table's own lists may have items of a
 * batch. */
struct compact_stranded {
    uint64_t room, n; /* of pairs */
    size_t bytes;
    void *keys, *values;
    struct lists lists;
};

/* A move of pairs within the table (compact_move.c). */
struct compact_move {
    struct compact_view from; /* the table before; its buckets are copied to `staging` in waves */
    struct compact_size from_size;
    struct compact_stranded x;
    void *staging;
    size_t staging_bytes;
    uint64_t count;      /* pairs of the table */
    int digit_bits;      /* of its regions */
    uint64_t next;       /* those from this digit on are in place */
    uint64_t first;      /* of the wave at hand: its first digit, */
    uint64_t old, old_n; /* and the old buckets that it needs */
    bool staged;         /* they are in `staging`; their own place may have been written */
    bool pairs_are_out;  /* some pairs may be in none of the table's buckets */
};

/* Memory of pairs that a build had no room for, until they have been inserted. */
struct compact_spilled {
    void *memory;
    size_t bytes;
};

struct compact_table {
    struct engine_table base; /* first: the API's handle */
    struct compact_options options;
    struct compact_view view;
    struct compact_size size;
    uint64_t count;
    uint64_t room_keys; /* the table was made for this number */
    struct compact_move move;
    uint64_t erased, replaced; /* keys since the filters were rebuilt, and inserts that followed */
    bool stashed;              /* the stash may have keys */

    struct compact_spilled spare; /* memory for the next build */
};

static inline struct compact_table *compact_of(struct engine_table *t) { return (struct compact_table *)t; }
static inline const struct compact_table *compact_of_const(const struct engine_table *t) { return (const struct compact_table *)t; }

/* Bytes of a view: its buckets, and the stash behind them. */
static inline size_t compact_view_bytes(uint64_t buckets)
{
    return (size_t)buckets * COMPACT_BYTES + COMPACT_STASH * sizeof(struct compact_entry);
}

static inline struct compact_words *compact_words_of(const struct compact_table *t)
{
    return (struct compact_words *)t->base.ledger.words;
}

/* The stash behind the buckets; a view's inserts may ask for a larger one elsewhere. */
static inline struct compact_entry *compact_own_stash(const struct compact_view *v)
{
    return (struct compact_entry *)(void *)(v->buckets + (size_t)v->range.buckets * COMPACT_BYTES);
}
/* Bytes of the stash elsewhere. */
static inline size_t compact_lent_bytes(const struct compact_view *v)
{
    return v->stash == compact_own_stash(v) ? 0 : v->stash_entries * sizeof(struct compact_entry);
}

/* ---- Lists (compact.c) ----------------------------------------------------------------------- */

extern const struct shape compact_shapes[]; /* by enum compact_shape */
extern const int compact_choices[];         /* the operations whose kernels options choose */

/* ---- Table (compact_table.c) ----------------------------------------------------------------- */

uint64_t compact_count(const struct engine_table *table);
uint64_t compact_slots(const struct engine_table *table);
uint64_t compact_bytes(const struct engine_table *table);
/* The share of a bucket's slots up to which every key finds room. */
double compact_reach(int slots);
/* Keys that a table which does not grow may still take; UINT64_MAX: the table may grow. */
uint64_t compact_left(const struct compact_table *t);
/* Does the table have no key, and are none on their way but those of this number of items? */
static inline bool compact_is_vacant(const struct compact_table *t, uint64_t items)
{
    return !t->count && t->base.ledger.coming == items;
}
/* Arguments of kernels over a batch. */
struct compact_args compact_batch_args(const struct compact_table *t, const struct batch *batch);
/* Launches a kernel whose n items are parts of the table, not of a batch. */
roost_status compact_launch_over(struct compact_table *t, const struct kernel *k, struct compact_args *args, uint64_t n);
/* Launches kernel export over n buckets and entries of the stash behind them, from `first` on. */
roost_status compact_launch_units(struct compact_table *t, struct compact_args *args, uint64_t first, uint64_t n);
/* Makes all entries of the stash vacant. */
roost_status compact_stash_clear(struct compact_table *t);
/* Brings keys back to their first homes and rebuilds the filters, if enough keys were replaced
 * since the last time. */
roost_status compact_tidy_due(struct compact_table *t);
/* The same in any case.  filters: memory for the new ones, of that many bytes. */
roost_status compact_tidy(struct compact_table *t, uint32_t *filters, size_t bytes);
size_t compact_filter_bytes(const struct compact_table *t);
/* Refuses tables whose pairs a failure has left half moved. */
roost_status compact_whole(const struct compact_table *t);
/* See struct engine and struct table_hooks. */
roost_status compact_find(struct engine_table *table, const struct batch *batch);
roost_status compact_erase(struct engine_table *table, const struct write *w);
void compact_take(struct engine_table *table, const void *words, const struct counters *since);

/* ---- Exports (compact_export.c): see struct engine and struct table_hooks -------------------- */

roost_status compact_export(struct engine_table *table, roost_cursor *cursor, void *keys, void *values, size_t room, size_t *n);
roost_status compact_recount(struct engine_table *table);
extern const struct engine_ranking compact_ranking;
/* Counts the pairs in the buckets. */
roost_status compact_placed(struct compact_table *t, uint64_t *n);

/* ---- Builds (compact_columns.c) -------------------------------------------------------------- */

/* The first bits of a hash that are its region's number. */
int compact_digit_bits(const struct compact_table *t);
/* Loads what builds sort with. */
roost_status compact_columns_prepare(struct compact_table *t);
/* Is it faster to build this batch by region? */
bool compact_builds(const struct compact_table *t, const struct batch *items);
/* Enqueues that.  vacant: the table has no key, and none is on its way.  The items that it parks
 * are the first ones of arrays in *spill, which become those of the batch; or it lists their
 * indices.  ROOST_ERR_MEMORY: it did nothing. */
roost_status compact_build_enqueue(struct compact_table *t, struct batch *items, bool vacant, struct compact_spilled *spill);
void compact_spill_release(struct compact_table *t, const struct compact_spilled *spill);
/* Releases the memory that is kept for the next build. */
void compact_columns_forget(struct compact_table *t);

/* ---- Passes (compact_passes.c) --------------------------------------------------------------- */

/* Enqueues all passes over a piece; an item without room ends with its park_status.  vacant: as in
 * compact_build_enqueue. */
roost_status compact_passes_enqueue(struct compact_table *t, const struct batch *piece, bool vacant);
/* The first or the third pass over an insertion's items, and its wait; the second one comes with
 * either.  roomy: the table has room for all items, whichever are new. */
roost_status compact_piece_pass(struct insertion *in, enum compact_pass pass, bool roomy);
/* Inserts n pairs that lie on the device, without counting them.  *left: pairs without room. */
roost_status compact_insert_all(struct compact_table *t, struct lists *lists, const void *keys, const void *values, uint64_t n,
                                uint64_t *left);
/* Moves the stash's pairs into the buckets, as far as there is room, or into the stash of *to.
 * *left: how many stay. */
roost_status compact_stash_move(struct compact_table *t, const struct compact_view *to, uint64_t *left);
/* Kernels that mix operations get another epoch than those before. */
roost_status compact_turn(struct compact_table *t);
/* Bounds of the distinct keys of a batch. */
roost_status compact_distinct(struct engine_table *table, const struct batch *batch, struct distinct_bounds *bounds);

/* ---- Moves to another size (compact_move.c) -------------------------------------------------- */

/* Bytes that a move of all pairs to another table takes beside both. */
uint64_t compact_move_beside(const struct compact_table *t);
/* Moves the pairs of an old view to the table's, which it writes wholly.  *left: those without
 * room. */
roost_status compact_move_all(struct compact_table *t, const struct compact_view *old, const struct compact_size *old_size,
                              uint64_t *left);
/* Begins a move within the table, whose range is the larger one already: counts the pairs that will
 * be without room and gets all memory, and changes nothing else.  *begun is false if too much would
 * lie beside the table.  Pairs of a move before that are without room stay so. */
roost_status compact_move_begin(struct compact_table *t, const struct compact_view *old, const struct compact_size *old_size,
                                bool *begun);
/* Carries it out, or what is left of it after a failure.  *left: pairs without room, which the
 * move's arrays have. */
roost_status compact_move_run(struct compact_table *t, uint64_t *left);
/* Releases a move's memory. */
void compact_move_forget(struct compact_table *t);

/* ---- Sizes (compact_size.c) ------------------------------------------------------------------ */

/* Makes the kernels those of a shape. */
roost_status compact_use_shape(struct compact_table *t, int shape);
/* Moves the table to a larger one, with room for this number of keys or for as many as a memory
 * limit leaves.  On failure the table is as it was.  ROOST_ERR_FULL: its keys collide in larger
 * tables, too.  forced: the fill is not the reason. */
roost_status compact_enlarge(struct compact_table *t, uint64_t keys, bool forced);
/* Hooks: see struct table_hooks. */
roost_status compact_make(struct engine_table *table);
roost_status compact_begin(struct engine_table *table, const struct write *w);
void compact_unmake(struct engine_table *table);
roost_status compact_empty(struct engine_table *table);
uint64_t compact_room(const struct engine_table *table);
bool compact_would_shrink(const struct engine_table *table, uint64_t keys);
roost_status compact_reserve(struct engine_table *table, uint64_t keys);
roost_status compact_settle(struct engine_table *table, bool shrinks);
roost_status compact_pack(struct engine_table *table);
roost_status compact_view_room(struct engine_table *table, uint64_t inserts);

/* ---- Inserts (compact_insert.c), hooks ------------------------------------------------------- */

roost_status compact_write_piece(struct engine_table *table, const struct write *w, struct progress *p);
roost_status compact_resume(struct engine_table *table, struct progress *p);
bool compact_has_room(const struct engine_table *table, const struct write *w);
roost_status compact_enqueue(struct engine_table *table, const struct write *w, const struct batch *piece);

/* ---- The check (compact_check.c): see struct engine ------------------------------------------ */

roost_status compact_check(struct engine_table *table);

#endif
