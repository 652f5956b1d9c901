/* Insertion of a piece of a batch: passes over it, growth for the items that found no room, and the
 * items' statuses if memory is refused. */
#ifndef ROOST_ENGINES_INSERTION_H
#define ROOST_ENGINES_INSERTION_H

#include "engines/estimate.h"
#include "engines/table.h"

static inline uint64_t larger64(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* The n items of a batch from `first` on, as a table's kernels get them. */
struct batch batch_slice(const struct engine_table *t, const struct batch *whole, uint64_t first, uint64_t n);

/* A batch of n new pairs in device memory, which are inserted with mode KEEP. */
struct batch batch_of_pairs(const struct engine_table *t, const void *keys, const void *values, uint64_t n);

struct insertion {
    struct engine_table *table;
    struct batch batch;  /* the piece */
    struct source items; /* initially the piece, then the items that found no room yet */
    /* Further items of the piece, which come after those; an engine's own matter. */
    struct source rest;
    uint64_t fresh; /* items that ended INSERTED */
    /* Passes over the items; those that found no room become the new items.  Counts by
     * insertion_take. */
    roost_status (*run)(struct insertion *in);
    /* Makes room for the waiting items.  ROOST_ERR_MEMORY: memory was refused; ROOST_ERR_FULL: the
     * table does not grow (insertion_full). */
    roost_status (*provide)(struct insertion *in);
    estimate_batch distinct;
    const struct kernel *kernel; /* of the passes, in engines that choose it by the call */
    /* Items that are kept apart from the batch: their arrays' memory, and the statuses of the
     * caller.  Else NULL. */
    void *memory;
    size_t memory_bytes;
    uint8_t *statuses;
    roost_status failure; /* of the piece's items that are not kept here; an engine's own matter */
    bool refused;         /* memory for a reseeding was refused */
    bool steady;          /* other seeds would not help the items */
    bool colliding;       /* no larger table takes the stored keys */
    bool thorough;        /* passes try all items */
    bool retried;         /* the few items that found no room were tried once more */
};

/* Waits for passes over the items, and accounts for them.  Those that `pass`, the last one, parked
 * become the new items. */
roost_status insertion_take(struct insertion *in, int pass);

/* One pass over the items by a kernel with these arguments, and its wait.  batch: their batch,
 * which is the piece's. */
roost_status insertion_pass(struct insertion *in, const struct kernel *k, const void *args, size_t args_bytes, struct batch *batch);

/* Repeats a pass over the items while it stores keys.  `since`: `fresh` before the last one;
 * UINT64_MAX: at least once.  For passes that permits bound (portable/permits.h): items that find
 * none are parked, whatever the others with their key do, and update in a further pass the keys
 * that are stored by now.  Such a pass may itself store a key, by a permit that an item gave back
 * in vain, and park the key's other items before that: then one more follows. */
roost_status insertion_repeat(struct insertion *in, uint64_t since, roost_status (*pass)(struct insertion *in));

/* Forgets what passes over other items have shown. */
void insertion_anew(struct insertion *in);

/* Splits the items, whose keys are not stored, as estimate_split does. */
roost_status insertion_split(struct insertion *in, uint64_t room, struct source *rest, uint64_t *keys);

/* The error for items that found no room in a table that does not grow, or not any more. */
roost_status insertion_full(const struct insertion *in);

/* Lets the next passes end early, without trying the rest of their items, once some are parked.
 * For passes that find room for all random keys where the fill is sure.  insertion_finish sees to
 * the items that were not tried. */
void insertion_hasten(struct insertion *in);

/* Is the table so empty that items without room are a sign of colliding keys? */
bool insertion_may_swamp(const struct insertion *in);

/* Did a first pass leave more of the `tried` items without room than it would of random keys?  Then
 * further passes, which work longer on each item, are left to insertion_finish.  Many items of few
 * keys are no sign: chance leaves any one key without room in a first pass. */
roost_status insertion_swamped(const struct insertion *in, uint64_t tried, bool *swamped);

/* Runs until no item waits, or memory is refused.  Then the last run writes that into the items'
 * statuses, and ROOST_ERR_MEMORY is returned if there are such items.  Where the items have no room
 * because their keys collide (policy_doubts) they are kept in t->waiting: `resume` continues. */
roost_status insertion_finish(struct insertion *in);

/* Takes t->waiting back, which ends there. */
struct insertion insertion_recall(struct engine_table *t);
/* Runs the items of an insertion that was taken back, as insertion_finish does. */
roost_status insertion_continue(struct insertion *in, struct progress *p);
/* Hook `resume`: both. */
roost_status insertion_resume(struct engine_table *t, struct progress *p);

#endif
