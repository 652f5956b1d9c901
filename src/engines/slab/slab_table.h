/* SlabHash's table on the host: declarations that its policy's files share, the lowest file
 * first. */
#ifndef ROOST_SLAB_TABLE_H
#define ROOST_SLAB_TABLE_H

#include "backends/slab_pool.h"
#include "engines/insertion.h"
#include "engines/policy.h"
#include "engines/slab/slab_kernels.h"

enum { SLAB_MOST_PARKED = 1 << 26 /* items of one launch; bounds the lists to 256 MB each */ };

enum slab_reads { SLAB_READS_AUTO, SLAB_READS_HALF, SLAB_READS_SLAB };
enum slab_memory { SLAB_MEMORY_AUTO, SLAB_MEMORY_LIGHT, SLAB_MEMORY_PAPER };

/* Creation options, as parsed. */
struct slab_options {
    double utilisation;
    int chain;     /* 1: growth=chain */
    int memory;    /* enum slab_memory */
    int reads;     /* enum slab_reads */
    int hash;      /* enum hash_family */
    int two_step;  /* 1: publish=two-step */
    int requester; /* 1: off */
};

/* Memory that the kernels write beside the table, on the device (engines/ledger.h). */
struct slab_words {
    struct table_words base;
    uint32_t wants_flush, exhausted, is_long, admitted;
};

struct slab_table {
    struct engine_table base; /* first: the API's handle */
    struct slab_options options;
    struct slab_view view; /* without the pool, which slab_view_now adds */
    struct slab_pool_owner pool;
    double bucket_keys;  /* keys of a list at the target utilisation */
    double bucket_slots; /* number that counts as a bucket's slots, in a table that grows */
    uint64_t count, chained, tombstones;
    uint64_t room_keys; /* for which memory was reserved */
    uint64_t judged;    /* chained slabs when they were last compared with those of random keys */
    bool wants_flush;
    bool is_long;    /* an insert has met a list longer than those of random keys */
    bool half_empty; /* a call failed while it emptied all lists */
};

static inline struct slab_table *slab_of(struct engine_table *t) { return (struct slab_table *)t; }
static inline const struct slab_table *slab_of_const(const struct engine_table *t) { return (const struct slab_table *)t; }
/* The words, on the device. */
static inline struct slab_words *slab_words(const struct slab_table *t) { return (struct slab_words *)t->base.ledger.words; }

/* ---- Table (slab_table.c) ------------------------------------------------------------------- */

uint64_t slab_stored(const struct engine_table *table);
uint64_t slab_slots(const struct slab_table *t);
uint64_t slab_bytes(const struct engine_table *table);
/* Does some list have slabs behind the near ones?  In a multimap these keep their tombstones. */
bool slab_has_far_slabs(const struct slab_table *t);
/* The view that kernels get. */
struct slab_view slab_view_now(const struct slab_table *t);
/* Arguments of a kernel over a batch. */
struct slab_args slab_batch_args(const struct slab_table *t, const struct batch *batch);
/* Launches a kernel over the items of the batch in its arguments. */
roost_status slab_launch(struct slab_table *t, const struct kernel *k, const struct slab_args *args);
/* Counts keys, slabs and tombstones by walking all lists.  needs: the most slabs that a halving may
 * need.  The caller has to make the ledger skip the survey's counts. */
roost_status slab_survey(struct slab_table *t, uint64_t *needs);
void slab_take_words(struct engine_table *table, const void *words, const struct counters *since);

/* ---- Finds, counts and exports (slab_find.c, slab_export.c): see struct engine -------------- */

roost_status slab_find(struct engine_table *table, const struct batch *batch);
roost_status slab_count(struct engine_table *table, const struct batch *batch);
roost_status slab_export(struct engine_table *table, roost_cursor *cursor, void *keys, void *values, size_t room, size_t *n);
roost_status slab_stats(struct engine_table *table, struct engine_stats *stats);

/* ---- Passes (slab_passes.c) ----------------------------------------------------------------- */

/* One launch over the items of a piece.  It parks items in the list that is not their source; they
 * become the new items. */
roost_status slab_pass(struct insertion *in);

/* ---- Sizes (slab_size.c) -------------------------------------------------------------------- */

/* Average slabs of a list whose bucket gets this many keys on average: the first slab, and the
 * chained ones by the Poisson distribution. */
double slab_average_length(int slots, double keys);
/* Keys of a list at which slabs reach this utilisation, in bytes of slots; 0 if none does. */
double slab_keys_for(const struct shape s, double utilisation);
/* How keys spread over the lists: as the hashes of different keys do, or anyhow, if equal keys may
 * take a slot each.  (Of equal keys in a unique table one is stored, unless erases come between
 * them.) */
enum slab_spread { SLAB_DIFFERENT, SLAB_ANY };
enum slab_spread slab_spread_of(const struct slab_table *t, bool erases);
/* Units that the pool needs for lists of this many keys in all: enough for any keys, or for
 * different ones six standard deviations more than they link on average. */
uint64_t slab_units_for(const struct slab_table *t, uint64_t keys, enum slab_spread spread);
/* New keys that the table takes.  Where growth is off they are no more than it has memory for,
 * whatever lists they come to.  So lists are not filled to their last slot, and an erase makes room
 * for any other key.  Tables that grow, and multimaps, have no such bound: UINT64_MAX. */
uint64_t slab_room_left(const struct slab_table *t);
/* Does the table have memory for them? */
bool slab_fits(const struct slab_table *t, uint64_t keys, enum slab_spread spread);
/* Would it get buckets or memory for them? */
bool slab_would_grow(const struct slab_table *t, uint64_t keys, enum slab_spread spread);
/* Makes memory for them. */
roost_status slab_room_reserve(struct slab_table *t, uint64_t keys, enum slab_spread spread);
/* The slabs of the longest list, if this many more keys come and all are random. */
uint32_t slab_longest_sure(const struct slab_table *t, uint64_t more);
/* Are there more chained slabs than random keys link on average, by more than these standard
 * deviations and as many slabs? */
bool slab_lists_crowd(const struct slab_table *t, double deviations);
/* Is a flush due, if `more` tombstones are added? */
bool slab_flush_due(const struct slab_table *t, uint64_t more);
/* Rebuilds all lists without tombstones. */
roost_status slab_flush(struct slab_table *t);
/* Hooks: see struct table_hooks. */
roost_status slab_make(struct engine_table *table);
void slab_unmake(struct engine_table *table);
roost_status slab_clear(struct engine_table *table);
bool slab_would_shrink(const struct engine_table *table, uint64_t keys);
roost_status slab_reserve(struct engine_table *table, uint64_t keys);
roost_status slab_settle(struct engine_table *table, bool shrinks);
roost_status slab_mend(struct engine_table *table);
roost_status slab_compact(struct engine_table *table);
roost_status slab_view_room(struct engine_table *table, uint64_t inserts);

/* ---- Writes (slab_insert.c), hooks ---------------------------------------------------------- */

roost_status slab_begin(struct engine_table *table, const struct write *w);
roost_status slab_write_piece(struct engine_table *table, const struct write *w, struct progress *p);
bool slab_has_room(const struct engine_table *table, const struct write *w);
roost_status slab_enqueue(struct engine_table *table, const struct write *w, const struct batch *piece);
roost_status slab_erase(struct engine_table *table, const struct write *w);

roost_status slab_check(struct engine_table *table);

#endif
