/* What SlabHash's policy takes in of what its kernels have counted; after a call that failed half way the lists are walked. */
#include <string.h>

#include "engines/slab/slab_table.h"

_Static_assert(sizeof(struct slab_words) <= LEDGER_BYTES, "the ledger reads the words as a whole");

static void words_take(struct engine_table *table, const void *words, const struct counters *since)
{
    struct slab_table *t = (struct slab_table *)table;
    struct slab_words now;
    memcpy(&now, words, sizeof now);
    memcpy(t->waiting, now.list_n, sizeof t->waiting);
    t->wants_flush = now.wants_flush != 0;
    t->count += since->stored[0];
    t->chained += since->linked;
    t->tombstones += since->erased - since->reused;
    t->ledger.stats.longest_list = since->longest > 1 ? since->longest : 1;
}

roost_status slab_take_stock(struct slab_table *t, uint64_t *needs)
{
    struct backend *b = t->base.backend;
    struct slab_words before, after;
    struct counters since;
    struct slab_args args;
    memset(&args, 0, sizeof args);
    args.view = slab_view_now(t);
    args.batch.counters = &t->words->counters;
    args.batch.n = (uint64_t)t->view.buckets + 1;
    args.transfer.shape = t->shape;
    args.transfer.from = t->view.base;
    roost_status status = backend_read(b, &before, t->words, sizeof before);
    if (!status) status = slab_launch(t, t->survey, &args);
    if (!status) status = backend_read(b, &after, t->words, sizeof after);
    if (status) return status;
    counters_since(&after.counters, &before.counters, &since);
    t->ledger.seen = after.counters;
    t->ledger.stats.longest_list = since.longest;
    t->count = since.distinct;
    t->tombstones = since.moved;
    t->chained = since.evicted - t->view.buckets - 1;
    *needs = since.put_back;
    return ROOST_OK;
}

static roost_status mend(struct engine_table *table)
{
    struct slab_table *t = (struct slab_table *)table;
    uint64_t needs;
    const roost_status status = t->half_empty ? slab_empty_lists(t) : ROOST_OK;
    return status ? status : slab_take_stock(t, &needs);
}

roost_status slab_words_make(struct slab_table *t)
{
    t->ledger.take = words_take;
    t->ledger.mend = mend;
    const roost_status status = ledger_make(&t->ledger, &t->base, sizeof *t->words);
    if (status) return status;
    t->words = (struct slab_words *)t->ledger.words;
    t->view.wants_flush = &t->words->wants_flush;
    return ROOST_OK;
}
