/* SlabHash's table on the host: its counts, its bytes, one launch, and its kernels' counters. */
#include <string.h>

#include "engines/counters.h"
#include "engines/slab/slab_table.h"

/* ---- Counts and bytes ----------------------------------------------------------------------- */

uint64_t slab_stored(const struct engine_table *table) { return slab_of_const(table)->count; }

/* Slots in memory, for a table that keeps its buckets.  For one that doubles, the slots that lists
 * are meant to have, whatever slabs they have now. */
uint64_t slab_slots(const struct slab_table *t)
{
    const unsigned slots = (unsigned)t->base.shape.slots;
    if (!t->base.growth || t->options.chain) return ((uint64_t)t->view.buckets + t->pool.units) * slots;
    return (uint64_t)(t->bucket_slots * t->view.buckets);
}

uint64_t slab_bytes(const struct engine_table *table)
{
    const struct slab_table *t = slab_of_const(table);
    return ((uint64_t)t->view.buckets + 1) * SLAB_BYTES + slab_pool_bytes(&t->pool) + sizeof(struct slab_words);
}

/* ---- Launches ------------------------------------------------------------------------------- */

/* Inserts look for tombstones in lists of this many slabs before they lengthen them; they do so for
 * a list of live keys once per slab. */
enum { FLUSH_LENGTH = 8 };

/* Slabs of a list in which appends take tombstones, and from which on jumps begin: ordinary lists
 * have fewer. */
enum { NEAR_SLABS = 4 };

bool slab_has_far_slabs(const struct slab_table *t) { return t->base.stats.longest_list > NEAR_SLABS; }

struct slab_view slab_view_now(const struct slab_table *t)
{
    struct slab_view view = t->view;
    view.pool = t->pool.pool;
    view.wants_flush = &slab_words(t)->wants_flush;
    view.flush_length = FLUSH_LENGTH;
    view.is_long = &slab_words(t)->is_long;
    view.near = NEAR_SLABS;
    return view;
}

struct slab_args slab_batch_args(const struct slab_table *t, const struct batch *batch)
{
    struct slab_args args;
    memset(&args, 0, sizeof args);
    args.view = slab_view_now(t);
    args.batch = batch_slice(&t->base, batch, 0, batch->n);
    return args;
}

/* Counts launches over a batch's items in the statistics, but not those over slabs. */
roost_status slab_launch(struct slab_table *t, const struct kernel *k, const struct slab_args *args)
{
    struct backend *b = t->base.backend;
    if (args->batch.keys) return backend_launch(b, k, args, sizeof *args, args->batch.n);
    return b->operations->launch(b, k, args, sizeof *args, args->batch.n);
}

/* ---- Counters ------------------------------------------------------------------------------- */

_Static_assert(sizeof(struct slab_words) <= LEDGER_BYTES, "the ledger reads the words as a whole");

void slab_take_words(struct engine_table *table, const void *words, const struct counters *since)
{
    struct slab_table *t = slab_of(table);
    struct slab_words now;
    memcpy(&now, words, sizeof now);
    t->wants_flush = now.wants_flush != 0;
    t->is_long = now.is_long != 0;
    t->count += since->stored[0];
    t->chained += since->linked;
    t->tombstones += since->erased - since->reused;
    table->stats.longest_list = since->longest > 1 ? since->longest : 1;
}

roost_status slab_survey(struct slab_table *t, uint64_t *needs)
{
    struct backend *b = t->base.backend;
    const struct counters *counters = t->base.ledger.words;
    struct counters before, after, since;
    struct slab_args args;
    memset(&args, 0, sizeof args);
    args.view = slab_view_now(t);
    args.batch.counters = t->base.ledger.words;
    args.batch.n = (uint64_t)t->view.buckets + 1;
    args.transfer.shape = t->base.shape;
    args.transfer.from = t->view.base;
    roost_status status = backend_read(b, &before, counters, sizeof before);
    if (!status) status = slab_launch(t, t->base.kernel[SLAB_survey], &args);
    if (!status) status = backend_read(b, &after, counters, sizeof after);
    if (status) return status;
    counters_since(&after, &before, &since);
    t->base.stats.longest_list = since.longest;
    t->count = since.distinct;
    t->tombstones = since.moved;
    t->chained = since.evicted - t->view.buckets - 1;
    *needs = since.put_back;
    return ROOST_OK;
}
