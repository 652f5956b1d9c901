/* GPH's table on the host side: what the policy (gph.c), inserts (gph_insert.c), sizes (gph_size.c) and the check share. */
#ifndef ROOST_GPH_TABLE_H
#define ROOST_GPH_TABLE_H

#include "engines/gph/gph_kernels.h"
#include "engines/ledger.h"
#include "engines/lists.h"
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
    struct kernel_asks kernels;
    int index; /* enum gph_index */
    bool summed, paper;
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
    struct shape shape;
    const struct kernel *find, *staged, *erase, *fill, *refine, *mend, *export_pairs, *estimate, *route;
    roost_type value_type;
    bool growth, saturate;
    double min_fill, max_fill; /* the asked bounds, but no higher than the engine reaches with these parameters */
    uint64_t floor_keys;       /* the reservation: room for so many stays */
    uint64_t room_keys;        /* for which the table was made */
    uint64_t
        cramped_room; /* of the last table that had to grow below its upper bound, for an item without room or flagged cells, */
    uint64_t cramped_keys; /* and the keys that it had then: nearly as many do not make it that small again */
    struct gph_counts counts;
    struct ledger ledger;
    struct gph_words *words;      /* device */
    uint64_t waiting[GPH_PASSES]; /* as the words said when last read */
    struct lists lists;           /* of parked items */
    uint64_t mended;              /* cells that stayed flagged after their last mend */
    bool erased;                  /* and may have lost keys since then */
};

/* ---- Sizes (gph_size.c) ---- */

/* The load factor up to which few cells have to be flagged, by slots, virtual buckets and keys per cell (docs/gph.md has the table). */
double gph_reach(int slots, int virtuals, int cell_keys);
uint64_t gph_count(const struct gph_table *t);
uint64_t gph_slots(const struct gph_table *t);   /* with the overflow store's */
uint64_t gph_buckets(const struct gph_table *t); /* all, with the overflow store's and the vacant key's */
uint64_t gph_table_bytes(const struct gph_table *t);
/* Would the load factor, which is of main slots, be within its bound with so many keys? */
bool gph_has_room(const struct gph_table *t, uint64_t keys);
/* Is it, or the share of flagged cells, above its bound? */
bool gph_over_full(const struct gph_table *t);
/* Would the table shrink if it held so many keys? */
bool gph_would_shrink(const struct gph_table *t, uint64_t keys);

/* Makes an empty table with room for floor_keys. */
roost_status gph_make(struct gph_table *t);
void gph_unmake(struct gph_table *t);
/* All slots vacant, no cell flagged. */
roost_status gph_empty(struct gph_table *t);
/* The same, and as small as the reservation allows. */
roost_status gph_make_empty(struct gph_table *t);
/* Makes the table anew with room for at least so many keys; all keys are kept, also where that fails.  forced: not because of the fill. */
roost_status gph_enlarge(struct gph_table *t, uint64_t keys, bool forced);
/* The same with no more room than is asked, as long as the pairs fit. */
roost_status gph_reserve_room(struct gph_table *t, uint64_t keys);
/* Grows until the bounds hold; refused memory is no failure. */
roost_status gph_settle(struct gph_table *t);
/* Shrinks while the fill is below its lower bound. */
roost_status gph_shrink(struct gph_table *t);

/* ---- Counters (gph_account.c) ---- */

roost_status gph_words_make(struct gph_table *t);
roost_status gph_list_clear(struct gph_table *t);

/* ---- Batches ---- */

/* The n items of a batch from `first` on. */
struct batch gph_batch_slice(const struct gph_table *t, const struct batch *whole, uint64_t first, uint64_t n);
/* Launches a kernel that works on the table and not on a batch, over n things. */
roost_status gph_launch_over(struct gph_table *t, const struct kernel *k, struct gph_args *args, uint64_t n);
roost_status gph_insert(struct engine_table *table, const struct batch *batch);
/* Inserts n new pairs that lie on the device, without counting them as inserts.  *left: how many found no room. */
roost_status gph_insert_all(struct gph_table *t, struct lists *lists, const void *keys, const void *values, uint64_t n,
                            uint64_t *left);
/* Maps flagged cells anew whose keys fit by now, if some may: others have moved since, or keys are gone. */
roost_status gph_mend(struct gph_table *t);

/* Lookups, and those by parts of the index (gph_find.c); struct engine says what each of them is. */
roost_status gph_find(struct engine_table *table, const struct batch *batch);
const struct kernel *gph_running(const struct engine_table *table, int choice);
bool gph_routes(const struct engine_table *table);
uint32_t gph_part_count(const struct engine_table *table);
roost_status gph_route(struct engine_table *table, const struct batch *batch, uint32_t *part, uint32_t *items);
roost_status gph_find_parts(struct engine_table *table, const struct batch *batch, const uint64_t *bounds);

/* Appends the pairs of buckets first .. first + n - 1 to arrays on the device, whose length is pairs_n; NULL: counts them. */
roost_status gph_export_buckets(struct gph_table *t, uint64_t first, uint64_t n, void *keys, void *values);
roost_status gph_pairs_clear(struct gph_table *t);
roost_status gph_export(struct engine_table *table, roost_cursor *cursor, void *keys, void *values, size_t room, size_t *n);
roost_status gph_stats(struct engine_table *table, struct engine_stats *stats);
roost_status gph_check(struct engine_table *table);

#endif
