/* GPH's table on the host side: what the files of its policy share, the lowest first. */
#ifndef ROOST_GPH_TABLE_H
#define ROOST_GPH_TABLE_H

#include "engines/gph/gph_kernels.h"
#include "engines/insertion.h"
#include "engines/policy.h"

/* The passes of an insert, each over what the one before has parked.  Items of a hot key that the second one parks after they died too
 * often find it in the table in the third. */
enum { PASS_FILL, PASS_REFINE, PASS_REFILL, PASS_FINISH, GPH_PASSES };

/* Items of one launch, at most.  In small pieces cells move in smaller steps, which takes fewer tries: of the sizes measured (docs/gph.md) this one
 * inserts the fastest.  That it bounds the lists to 32 MB each is a by-product. */
enum { GPH_CHUNK = 1 << 23 };

/* Where lookups read the index: in global memory, and so in the caches; copied to shared memory where it fits a block's; or in parts that
 * do, to which the lookups are routed. */
enum gph_index { GPH_INDEX_GLOBAL, GPH_INDEX_SHARED, GPH_INDEX_ROUTED };

/* Creation options, as parsed. */
struct gph_options {
    int slots;     /* 0: the width's default */
    int virtuals;  /* R */
    int cell_keys; /* keys per cell */
    double flagged;
    int index;     /* enum gph_index */
    int requester; /* 0: on, 1: off */
    int summed;    /* 1: hash=summed, the paper's */
    int paper;     /* 1: preset=paper */
};

/* What the kernels write besides the table, in device memory (engines/ledger.h). */
struct gph_words {
    struct counters counters;
    uint64_t list_n[GPH_PASSES]; /* how many items each pass parked */
    uint64_t pairs_n;
};

/* Where stored keys are counted: enum GPH_MAIN, GPH_OVERFLOW, and the vacant key. */
struct gph_counts {
    uint64_t main, overflow, special, flagged;
};

struct gph_table {
    struct engine_table base; /* first: the API's handle */
    struct gph_options options;
    struct gph_view view;
    const struct kernel *staged; /* finds that copy the index first */
    uint64_t room_keys;          /* for which the table was made */
    /* The last table that had to grow below its upper bound, for an item without room or for flagged
     * cells: its room, and the keys that it had then.  Nearly as many do not make it that small again. */
    uint64_t cramped_room, cramped_keys;
    struct gph_counts counts;
    uint64_t waiting[GPH_PASSES]; /* items that each pass parked, when the words were last read */
    uint64_t mended;              /* cells that stayed flagged after their last mend */
    bool erased;                  /* and may have lost keys since then */
};

static inline struct gph_table *gph_of(struct engine_table *t) { return (struct gph_table *)t; }
static inline const struct gph_table *gph_of_const(const struct engine_table *t) { return (const struct gph_table *)t; }
/* What the kernels write beside the table, on the device. */
static inline struct gph_words *gph_words(const struct gph_table *t) { return (struct gph_words *)t->base.ledger.words; }

/* ---- Table (gph_table.c) ---------------------------------------------------------------------- */

uint64_t gph_count(const struct engine_table *table);
uint64_t gph_slots(const struct engine_table *table); /* with the overflow store's */
uint64_t gph_bytes(const struct engine_table *table);
uint64_t gph_buckets(const struct gph_table *t); /* all, with the overflow store's and the vacant key's */
/* The view's memory: the index, marks and locks; and the buckets. */
size_t gph_words_bytes(const struct gph_view *v);
size_t gph_buckets_bytes(const struct shape s, const struct gph_view *v);
/* A batch's arguments. */
struct gph_args gph_batch_args(const struct gph_table *t, const struct batch *batch);
/* Launches a kernel that works on the table and not on a batch, over n things. */
roost_status gph_launch_over(struct gph_table *t, const struct kernel *k, struct gph_args *args, uint64_t n);
/* Appends the pairs of buckets first .. first + n - 1 to arrays on the device, whose length is
 * pairs_n; NULL: counts them. */
roost_status gph_export_buckets(struct gph_table *t, uint64_t first, uint64_t n, void *keys, void *values);
roost_status gph_pairs_clear(struct gph_table *t);
/* Hooks: see struct table_hooks. */
void gph_take(struct engine_table *table, const void *words, const struct counters *since);
roost_status gph_recount(struct engine_table *table);

/* ---- Passes (gph_passes.c) -------------------------------------------------------------------- */

/* Passes `first` to `last` over the items of `source`, which are those without room afterwards. */
roost_status gph_passes(struct gph_table *t, const struct lists *lists, const struct batch *batch, int first, int last,
                        struct source *source);
/* All passes but the lists' end: what finds no room in the last one has failed. */
roost_status gph_passes_enqueue(struct gph_table *t, const struct batch *piece);
/* Inserts n new pairs that lie on the device, without counting them as inserts.  *left: how many
 * found no room. */
roost_status gph_insert_all(struct gph_table *t, struct lists *lists, const void *keys, const void *values, uint64_t n,
                            uint64_t *left);
/* Maps flagged cells anew whose keys fit by now, if some may: others have moved since, or keys are gone. */
roost_status gph_mend_cells(struct gph_table *t);
/* A lower bound of a batch's distinct keys. */
roost_status gph_distinct_least(struct gph_table *t, const struct batch *batch, uint64_t *least);

/* ---- Sizes (gph_size.c) ----------------------------------------------------------------------- */

/* The load factor up to which few cells have to be flagged, by slots, virtual buckets and keys per
 * cell (docs/gph.md has the table). */
double gph_reach(int slots, int virtuals, int cell_keys);
/* Would the load factor, which is of main slots, be within its bound with so many keys? */
bool gph_fits(const struct gph_table *t, uint64_t keys);
/* Is it, or the share of flagged cells, above its bound? */
bool gph_over_full(const struct gph_table *t);
/* Rebuilds the table with room for at least so many keys; all keys are kept, also on failure.
 * forced: not because of the fill. */
roost_status gph_enlarge(struct gph_table *t, uint64_t keys, bool forced);
/* Hooks: see struct table_hooks. */
roost_status gph_make(struct engine_table *table);
void gph_unmake(struct engine_table *table);
roost_status gph_empty(struct engine_table *table);
bool gph_would_shrink(const struct engine_table *table, uint64_t keys);
roost_status gph_reserve(struct engine_table *table, uint64_t keys);
roost_status gph_settle(struct engine_table *table, bool shrinks);

/* ---- Inserts (gph_insert.c), hooks ------------------------------------------------------------ */

roost_status gph_write_piece(struct engine_table *table, const struct write *w, struct progress *p);
bool gph_has_room(const struct engine_table *table, const struct write *w);
roost_status gph_enqueue(struct engine_table *table, const struct write *w, const struct batch *piece);

/* ---- Lookups (gph_find.c), and those by parts of the index: see struct engine ------------------ */

roost_status gph_find(struct engine_table *table, const struct batch *batch);
const struct kernel *gph_running(const struct engine_table *table, int choice);
struct batch_order gph_order(const struct engine_table *table, enum engine_call call, uint64_t n);
roost_status gph_codes(struct engine_table *table, const struct batch *batch, const struct batch_codes *codes);

/* ---- Contents (gph_export.c, gph_check.c): see struct engine ---------------------------------- */

roost_status gph_export(struct engine_table *table, roost_cursor *cursor, void *keys, void *values, size_t room, size_t *n);
roost_status gph_stats(struct engine_table *table, struct engine_stats *stats);
roost_status gph_check(struct engine_table *table);

#endif
