/* A piece of a batch while it is inserted: passes over it, growth for the items that found no room,
 * and what is said of them where memory is refused. */
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
    struct source items; /* at first the piece, then those that found no room yet */
    uint64_t fresh;      /* items that ended INSERTED */
    /* Passes over the items; those that found no room become the items.  Counts by insertion_count. */
    roost_status (*run)(struct insertion *in);
    /* Brings room for the items that wait.  ROOST_ERR_MEMORY: it was refused; ROOST_ERR_FULL: the
     * table does not grow (insertion_full). */
    roost_status (*provide)(struct insertion *in);
};

/* After a pass over the items: what it counted, and how many items it parked in the source's list. */
void insertion_count(struct insertion *in, const struct counters *since, uint64_t parked);

/* What says that items found no room in a table that does not grow. */
roost_status insertion_full(const struct insertion *in);

/* Until no item waits, or memory is refused: then the last run says so in the items' statuses, and
 * ROOST_ERR_MEMORY follows if there are such items. */
roost_status insertion_finish(struct insertion *in);

#endif
