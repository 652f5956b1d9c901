/* SlabHash's table on the host side: what the policy (slab.c), batches that write (slab_write.c), sizes (slab_size.c) and the check share. */
#ifndef ROOST_SLAB_TABLE_H
#define ROOST_SLAB_TABLE_H

#include "backends/slab_pool.h"
#include "engines/engine.h"
#include "engines/slab/slab_kernels.h"

enum { SLAB_LISTS = 2, SLAB_CHUNK = 1 << 26 /* items of one launch, at most: bounds the lists to 256 MB each */ };

enum slab_reads { SLAB_READS_AUTO, SLAB_READS_HALF, SLAB_READS_SLAB };
enum slab_memory { SLAB_MEMORY_AUTO, SLAB_MEMORY_LIGHT, SLAB_MEMORY_PAPER };

/* Creation options, as parsed. */
struct slab_options {
    double utilisation;
    int memory; /* enum slab_memory */
    int reads;  /* enum slab_reads */
    int driver; /* enum slab_driver, or -1: the default of each operation */
    int tile;   /* 0: the default */
    bool chain, universal, two_step;
};

/* What the kernels write besides the table, in device memory; the host reads it as a whole. */
struct slab_words {
    struct counters counters;    /* they only ever rise, but for longest */
    uint64_t list_n[SLAB_LISTS]; /* how many items were parked in each list */
    uint64_t export_n;
    uint32_t wants_flush, exhausted;
};

struct slab_table {
    struct engine_table base; /* first: the API's handle */
    struct slab_options options;
    struct slab_view view; /* but for the pool, which slab_view_now adds */
    struct slab_pool_owner pool;
    struct shape shape;
    const struct kernel *find, *insert, *erase, *apply, *every, *rebuild, *survey, *export_pairs;
    roost_type value_type;
    bool growth, saturate;
    double min_fill, max_fill;
    double bucket_keys;  /* of a list, at the target utilisation */
    double bucket_slots; /* what counts as a bucket's slots in a table that grows */
    uint64_t floor_keys; /* the reservation: room for so many stays */
    uint64_t count, chained, tombstones;
    struct slab_words *words; /* device */
    struct counters seen;     /* the counters' value when last read */
    uint64_t waiting[SLAB_LISTS];
    bool wants_flush;
    uint64_t expected_moves;    /* since the last read of the counters */
    uint32_t *list[SLAB_LISTS]; /* device: indices of parked items */
    uint64_t list_room;
    roost_stats stats; /* the counters' part of it */
    bool refused;      /* since the last batch began, memory was refused or the machine failed */
    bool broken;       /* a call failed half way, or a view is out: counts are uncertain until slab_wait */
    bool half_empty;   /* that call was to empty the lists, and has begun */
    bool viewed;       /* a view is out: they become uncertain again */
    /* Calls that do not wait */
    bool under_way;         /* there were some whose counts have not been taken in */
    uint64_t coming, going; /* their items: keys that may have come, and gone */
    bool behind;            /* some of them were erases, after which the table has not shrunk yet */
    uint64_t failed;        /* items of such calls that were not stored, since the last sync */
    bool captured;          /* a call that writes is in a graph, which may be launched at any time */
};

/* ---- Sizes (slab_size.c) ---- */

/* Slabs of a list, on average, whose bucket is hit by so many keys on average: the first, and what Poisson's law lets chain. */
double slab_average_length(int slots, double keys);
/* Keys of a list at which slabs are used to this share, in bytes of slots; 0: no number of keys gives that. */
double slab_keys_for(const struct shape s, double utilisation);
uint64_t slab_slots(const struct slab_table *t);
uint64_t slab_table_bytes(const struct slab_table *t);
bool slab_over_full(const struct slab_table *t);
bool slab_would_shrink(const struct slab_table *t, uint64_t keys);
/* Has the table memory for lists of so many keys in all? */
bool slab_has_room(const struct slab_table *t, uint64_t keys);
/* Is a pass due that frees tombstones, should so many more come? */
bool slab_flush_due(const struct slab_table *t, uint64_t more);

/* Makes the base slabs and the pool of an empty table, with room for floor_keys. */
roost_status slab_make(struct slab_table *t);
void slab_unmake(struct slab_table *t);
/* All slots EMPTY; if that fails half way, slab_wait completes it. */
roost_status slab_empty_lists(struct slab_table *t);
/* The same, and as small as the reservation allows. */
roost_status slab_make_empty(struct slab_table *t);
/* Memory for lists of so many keys in all, or (slab_units_reserve) for so many slabs more. */
roost_status slab_room_reserve(struct slab_table *t, uint64_t keys);
roost_status slab_units_reserve(struct slab_table *t, uint64_t more);
roost_status slab_flush(struct slab_table *t);
roost_status slab_enlarge(struct slab_table *t);
/* Doubles until the fill is not above its upper bound; refused memory is no failure. */
roost_status slab_settle(struct slab_table *t);
/* Halves while there are more than `most` buckets, or the fill is below its lower bound. */
roost_status slab_shrink(struct slab_table *t, uint32_t most);
/* Counts keys, slabs and tombstones by walking all lists; needs: slabs more that a halving may need, at most. */
roost_status slab_take_stock(struct slab_table *t, uint64_t *needs);
/* Enlarges for so many keys, and reserves their memory.  After ROOST_ERR_MEMORY the table is what it was, as far as that goes. */
roost_status slab_enlarge_for(struct slab_table *t, uint64_t keys);

/* ---- Counters (slab_account.c) ---- */

roost_status slab_words_make(struct slab_table *t);
void slab_words_release(struct slab_table *t);
/* Reads the kernels' counters and takes what has come since the last time into counts and statistics. */
roost_status slab_read_counters(struct slab_table *t, struct counters *since);
/* Takes in what calls that did not wait have done, if that has become known. */
void slab_catch_up(struct slab_table *t);
/* Waits until all that is known, and makes a table certain again that a failed call has left uncertain. */
roost_status slab_wait(struct slab_table *t);
/* How a call that writes and does not wait ends. */
roost_status slab_enqueued(struct slab_table *t, roost_status status);
/* How any call that writes ends: after a failure what is known is uncertain, and the status is handed on. */
roost_status slab_ended(struct slab_table *t, roost_status status);

/* ---- Batches (slab.c, slab_write.c) ---- */

struct slab_view slab_view_now(const struct slab_table *t);
/* Arguments of a kernel over a batch. */
struct slab_args slab_batch_args(const struct slab_table *t, const struct batch *batch);
/* Launches a kernel over the items of the batch in its arguments. */
roost_status slab_launch(struct slab_table *t, const struct kernel *k, const struct slab_args *args);
roost_status slab_lists_make(struct slab_table *t, uint64_t n);
void slab_lists_release(struct slab_table *t);
/* How a call that writes and waits begins: it does what calls before have left to do. */
roost_status slab_write_begin(struct slab_table *t);
roost_status slab_insert(struct engine_table *table, const struct batch *batch);
roost_status slab_apply(struct engine_table *table, const struct batch *batch);

roost_status slab_export(struct engine_table *table, roost_cursor *cursor, void *keys, void *values, size_t room, size_t *n);
roost_status slab_stats(struct engine_table *table, roost_stats *stats);
roost_status slab_check(struct engine_table *table);

#endif
