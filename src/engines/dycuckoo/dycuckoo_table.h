/* DyCuckoo's table on the host side: what the policy (dycuckoo.c), resizing (dycuckoo_size.c) and the check share. */
#ifndef ROOST_DYCUCKOO_TABLE_H
#define ROOST_DYCUCKOO_TABLE_H

#include "engines/dycuckoo/dycuckoo_kernels.h"
#include "engines/ledger.h"
#include "engines/lists.h"
#include "engines/policy.h"

/* The passes of an insert, and the lists by which they pass items on: each takes its items from one and parks in the other.  What the
 * last parks waits for growth, or goes to the spill list.  The first is left out while that list is surely empty. */
enum { PASS_JOIN, PASS_FILL, PASS_EVICT, PASS_PATH, DYCUCKOO_PASSES };

/* Bits of the second pass's claims for each of its items: one in 32 at most finds its bit set by another key. */
enum { DYCUCKOO_CLAIM_BITS = 16 };

enum { DYCUCKOO_CHUNK = 1 << 25 /* items of one launch, at most: bounds the lists to 128 MB each, claims and estimate to 96 MB */ };

/* Creation options, as parsed. */
struct dycuckoo_options {
    uint32_t subtables, layers;
    int slots; /* 0: the width's default */
    struct kernel_asks kernels;
    bool resize_all, universal, weights_paper, locked;
};

/* What the kernels write besides the table, in device memory (engines/ledger.h). */
struct dycuckoo_words {
    struct counters counters;
    uint64_t list_n[DYCUCKOO_PASSES]; /* how many items each pass parked */
    uint64_t all_n;                   /* see struct dycuckoo_spilling */
    struct dycuckoo_spill spill;
};

struct dycuckoo_table {
    struct engine_table base; /* first: the API's handle */
    struct dycuckoo_options options;
    struct dycuckoo_view view;
    struct shape shape;
    const struct kernel *find, *erase, *fill, *evict, *path, *grow, *halve, *export_pairs, *estimate, *spill_items;
    roost_type value_type;
    bool growth, saturate;
    double min_fill, max_fill;
    uint64_t floor_keys;   /* the reservation: room for so many stays */
    uint32_t base_buckets; /* a subtable has base_buckets << level buckets */
    uint32_t level[MAX_SUBTABLES];
    uint64_t count[MAX_SUBTABLES + 1];
    bool aborted;      /* the last shrink was undone: its residuals found no room */
    uint64_t unplaced; /* items of the call at hand that wait for growth; 0 between calls */
    struct ledger ledger;
    struct dycuckoo_words *words;        /* device */
    uint64_t waiting[DYCUCKOO_PASSES];   /* as the words said when last read */
    struct lists lists;                  /* of parked items, and the second pass's claims */
    struct dycuckoo_spill_memory *spill; /* device; NULL: no growth, or every call waits */
    uint64_t spilled, spill_n;           /* live entries of the spill list and all, when last read */
    uint32_t halving;                    /* whose residuals a failed call may have left in both homes; MAX_SUBTABLES: none */
};

uint64_t dycuckoo_slots(const struct dycuckoo_table *t);
uint64_t dycuckoo_count(const struct dycuckoo_table *t);
uint64_t dycuckoo_table_bytes(const struct dycuckoo_table *t);
void dycuckoo_set_weights(struct dycuckoo_table *t);
/* After a resize or a clear: only an empty table is tidy under its new weights (invariant I). */
void dycuckoo_set_tidy(struct dycuckoo_table *t);

/* Makes the subtables of an empty table, with room for floor_keys. */
roost_status dycuckoo_make(struct dycuckoo_table *t);
void dycuckoo_unmake(struct dycuckoo_table *t);

/* One growth step: the smallest subtable doubled, or (resize=all) every one. */
roost_status dycuckoo_enlarge(struct dycuckoo_table *t, bool forced);
/* Is the fill below its lower bound? */
bool dycuckoo_is_low(const struct dycuckoo_table *t);
/* Would the table shrink if it held so many keys? */
bool dycuckoo_would_shrink(const struct dycuckoo_table *t, uint64_t keys);
/* Is there a subtable that may be halved? */
bool dycuckoo_may_shrink(const struct dycuckoo_table *t);
/* Shrinks while the fill is below the lower bound (or, with to_floor, while the reservation allows). */
roost_status dycuckoo_shrink(struct dycuckoo_table *t, bool to_floor);
/* Would the memory limit, and that of a subtable's buckets, allow growing until the table has room for so many keys? */
bool dycuckoo_growth_fits(const struct dycuckoo_table *t, uint64_t keys);
/* Undoes growth that was refused half way: back to so many slots. */
roost_status dycuckoo_shrink_back(struct dycuckoo_table *t, uint64_t slots);

roost_status dycuckoo_words_make(struct dycuckoo_table *t);
/* How a call that writes and does not wait ends. */
roost_status dycuckoo_enqueued(struct dycuckoo_table *t, roost_status status);

/* The spill list's live entries, in host memory. */
struct dycuckoo_spilled {
    uint64_t n;
    struct dycuckoo_spill_entries entries;
};

roost_status dycuckoo_spill_make(struct dycuckoo_table *t);
void dycuckoo_spill_release(struct dycuckoo_table *t);
/* May there be something in the spill list? */
bool dycuckoo_may_hold(const struct dycuckoo_table *t);
/* Launches the kernel on the spill list over n items; the batch is in the arguments. */
roost_status dycuckoo_spill_launch(struct dycuckoo_table *t, struct dycuckoo_args *args, uint32_t role, uint64_t n);
/* What is in it and in no home, once the counters are known; its packed keys and values lie at dycuckoo_spill_keys and _values. */
roost_status dycuckoo_spill_read(struct dycuckoo_table *t, struct dycuckoo_spilled *s);
const void *dycuckoo_spill_keys(const struct dycuckoo_table *t);
const void *dycuckoo_spill_values(const struct dycuckoo_table *t);
/* Gives its items room in the table, which grows for them; where memory is refused, the rest stays. */
roost_status dycuckoo_unspill(struct dycuckoo_table *t);
roost_status dycuckoo_spill_clear(struct dycuckoo_table *t);
/* Inserts residuals: all of them end in the homes that are not excluded, or (spilled > 0) some do not. */
roost_status dycuckoo_evict_all(struct dycuckoo_table *t, const struct dycuckoo_args *args, uint64_t *spilled);
/* Inserts n new pairs that lie on the device, without counting them as inserts.  *left: how many found no room. */
roost_status dycuckoo_insert_all(struct dycuckoo_table *t, const void *keys, const void *values, uint64_t n, uint64_t *left);
/* The same for up to DYCUCKOO_SPILL_ROOM pairs, some of which may be in the table, and with growth.  ROOST_ERR_MEMORY: some are not. */
roost_status dycuckoo_place(struct dycuckoo_table *t, const void *keys, const void *values, uint64_t n);
/* Appends the pairs of buckets first .. first + n - 1 of a subtable to arrays on the device, whose length is list_n[0]; NULL: counts
 * them. */
roost_status dycuckoo_export_buckets(struct dycuckoo_table *t, uint32_t sub, uint64_t first, uint64_t n, void *keys, void *values);
/* Sets list_n[first] and the next ones to 0. */
roost_status dycuckoo_list_clear(struct dycuckoo_table *t, int first, int count);
/* The n items of a batch from `first` on. */
struct batch dycuckoo_batch_slice(const struct dycuckoo_table *t, const struct batch *whole, uint64_t first, uint64_t n);
roost_status dycuckoo_insert(struct engine_table *table, const struct batch *batch);
/* The table as a kernel may see it while calls that nobody waited for are under way: perhaps not tidy any more. */
struct dycuckoo_view dycuckoo_view_now(const struct dycuckoo_table *t);
/* How a call that writes and waits begins.  Memory that the spill list's items need and do not get is no failure. */
roost_status dycuckoo_begin(struct dycuckoo_table *t);
/* Grows until the fill is not above its upper bound. */
roost_status dycuckoo_settle(struct dycuckoo_table *t);

roost_status dycuckoo_export(struct engine_table *table, roost_cursor *cursor, void *keys, void *values, size_t room, size_t *n);
roost_status dycuckoo_stats(struct engine_table *table, struct engine_stats *stats);
roost_status dycuckoo_check(struct engine_table *table);

#endif
