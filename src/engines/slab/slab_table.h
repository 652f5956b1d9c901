/* SlabHash's table on the host side: what the policy (slab.c), batches that write (slab_write.c), sizes (slab_size.c) and the check share. */
#ifndef ROOST_SLAB_TABLE_H
#define ROOST_SLAB_TABLE_H

#include "backends/slab_pool.h"
#include "engines/ledger.h"
#include "engines/lists.h"
#include "engines/policy.h"
#include "engines/slab/slab_kernels.h"

enum { SLAB_CHUNK = 1 << 26 /* items of one launch, at most: bounds the lists to 256 MB each */ };

enum slab_reads { SLAB_READS_AUTO, SLAB_READS_HALF, SLAB_READS_SLAB };
enum slab_memory { SLAB_MEMORY_AUTO, SLAB_MEMORY_LIGHT, SLAB_MEMORY_PAPER };

/* Creation options, as parsed. */
struct slab_options {
    double utilisation;
    int memory; /* enum slab_memory */
    int reads;  /* enum slab_reads */
    struct kernel_asks kernels;
    bool chain, universal, two_step;
};

/* What the kernels write besides the table, in device memory (engines/ledger.h). */
struct slab_words {
    struct counters counters;
    uint64_t list_n[LISTS]; /* how many items were parked in each list */
    uint64_t export_n;
    uint32_t wants_flush, exhausted;
};

struct slab_table {
    struct engine_table base; /* first: the API's handle */
    struct slab_options options;
    struct slab_view view; /* but for the pool, which slab_view_now adds */
    struct slab_pool_owner pool;
    struct shape shape;
    const struct kernel *find, *insert, *erase, *apply, *every, *rebuild, *survey, *export_pairs, *codes;
    roost_type value_type;
    bool growth, saturate;
    double min_fill, max_fill;
    double bucket_keys;  /* of a list, at the target utilisation */
    double bucket_slots; /* what counts as a bucket's slots in a table that grows */
    uint64_t floor_keys; /* the reservation: room for so many stays */
    uint64_t count, chained, tombstones;
    struct ledger ledger;
    struct slab_words *words; /* device */
    uint64_t waiting[LISTS];  /* as the words said when last read */
    bool wants_flush;
    struct lists lists; /* of parked items */
    bool half_empty;    /* the call that failed was to empty the lists of keys, and had begun */
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
/* Would it get buckets or memory for so many? */
bool slab_would_grow(const struct slab_table *t, uint64_t keys);
/* Is a pass due that frees tombstones, should so many more come? */
bool slab_flush_due(const struct slab_table *t, uint64_t more);

/* Makes the base slabs and the pool of an empty table, with room for floor_keys. */
roost_status slab_make(struct slab_table *t);
void slab_unmake(struct slab_table *t);
/* All slots EMPTY; if that fails half way, ledger_wait completes it. */
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
/* Enlarges for so many keys, and reserves their memory.  After ROOST_ERR_MEMORY the table is what it was, as far as that goes. */
roost_status slab_enlarge_for(struct slab_table *t, uint64_t keys);

/* ---- Counters (slab_account.c) ---- */

roost_status slab_words_make(struct slab_table *t);
/* Counts keys, slabs and tombstones by walking all lists; needs: slabs more that a halving may need, at most. */
roost_status slab_take_stock(struct slab_table *t, uint64_t *needs);

/* ---- Batches (slab.c, slab_write.c) ---- */

struct slab_view slab_view_now(const struct slab_table *t);
/* Arguments of a kernel over a batch. */
struct slab_args slab_batch_args(const struct slab_table *t, const struct batch *batch);
/* Launches a kernel over the items of the batch in its arguments. */
roost_status slab_launch(struct slab_table *t, const struct kernel *k, const struct slab_args *args);
/* How a call that writes and waits begins: it does what calls before have left to do. */
roost_status slab_write_begin(struct slab_table *t);
roost_status slab_insert(struct engine_table *table, const struct batch *batch);
roost_status slab_apply(struct engine_table *table, const struct batch *batch);

roost_status slab_export(struct engine_table *table, roost_cursor *cursor, void *keys, void *values, size_t room, size_t *n);
roost_status slab_stats(struct engine_table *table, struct engine_stats *stats);
roost_status slab_check(struct engine_table *table);

#endif
