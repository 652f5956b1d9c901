/* Insertion of a piece of a batch: passes over it, growth for the items that found no room, and the
 * items' statuses if memory is refused. */
#ifndef ROOST_ENGINES_INSERTION_H
#define ROOST_ENGINES_INSERTION_H

#include "engines/estimate.h"
#include "engines/table.h"

/* The n items of a batch from `first` on, as a table's kernels get them. */
struct batch batch_slice(const struct engine_table *t, const struct batch *whole, uint64_t first, uint64_t n);

/* A batch of n new pairs in device memory, which are inserted with mode KEEP. */
struct batch batch_of_pairs(const struct engine_table *t, const void *keys, const void *values, uint64_t n);

struct insertion {
    struct engine_table *table;
    struct batch batch;  /* the piece */
    struct source items; /* initially the piece, then the items that found no room yet */
    uint64_t fresh;      /* items that ended INSERTED */
    /* Passes over the items; those that found no room become the new items.  Counts by
     * insertion_take. */
    roost_status (*run)(struct insertion *in);
    /* Makes room for the waiting items.  ROOST_ERR_MEMORY: memory was refused; ROOST_ERR_FULL: the
     * table does not grow (insertion_full). */
    roost_status (*provide)(struct insertion *in);
    const struct kernel *kernel; /* of the passes, in engines that choose it by the call */
};

/* Waits for passes over the items, and accounts for them.  Those that `pass`, the last one, parked
 * become the new items. */
roost_status insertion_take(struct insertion *in, int pass);

/* One pass over the items by a kernel with these arguments, and its wait.  batch: their batch,
 * which is the piece's. */
roost_status insertion_pass(struct insertion *in, const struct kernel *k, const void *args, size_t args_bytes, struct batch *batch);

/* The error for items that found no room in a table that does not grow. */
roost_status insertion_full(const struct insertion *in);

/* Runs until no item waits, or memory is refused.  Then the last run writes that into the items'
 * statuses, and ROOST_ERR_MEMORY is returned if there are such items. */
roost_status insertion_finish(struct insertion *in);

#endif
