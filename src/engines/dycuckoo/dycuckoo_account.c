/* What DyCuckoo's policy takes in of what its kernels have counted; after a call that failed half way the table itself is counted. */
#include <string.h>

#include "engines/dycuckoo/dycuckoo_table.h"

_Static_assert(sizeof(struct dycuckoo_words) <= LEDGER_BYTES, "the ledger reads the words as a whole");

static void words_take(struct engine_table *table, const void *words, const struct counters *since)
{
    struct dycuckoo_table *t = (struct dycuckoo_table *)table;
    struct dycuckoo_words now;
    memcpy(&now, words, sizeof now);
    memcpy(t->waiting, now.list_n, sizeof t->waiting);
    t->spill_n = now.spill.n;
    t->spilled = now.spill.n - now.spill.erased;
    for (int i = 0; i <= MAX_SUBTABLES; i++) t->count[i] += since->stored[i];
    if (since->untidy || since->erased) t->view.tidy = 0;
    t->ledger.stats.evicted += since->evicted;
    for (int i = 0; i < PATH_LENGTHS; i++) t->ledger.stats.path_length[i] += since->path_length[i];
}

roost_status dycuckoo_enqueued(struct dycuckoo_table *t, roost_status status)
{
    if (t->base.backend->capturing) {
        t->view.tidy = 0; /* for good: nobody here sees the graph's launches */
        t->lists.fixed = true;
    }
    return ledger_enqueued(&t->ledger, status);
}

/* ---- After a failure ------------------------------------------------------------------------------------------------------------------- */

/* A halving that failed may have left pairs in their other home that are still in their subtable: out of there again. */
static roost_status halving_undo(struct dycuckoo_table *t)
{
    const uint32_t i = t->halving, buckets = t->view.sub[i].bucket_count;
    const uint64_t fit = t->lists.room * LISTS * sizeof(uint32_t) / (unsigned)(t->shape.key_bytes * t->shape.slots);
    roost_status status = ROOST_OK;
    for (uint64_t first = 0; !status && first < buckets; first += fit) {
        const uint64_t n = buckets - first < fit ? buckets - first : fit;
        struct dycuckoo_args args;
        memset(&args, 0, sizeof args);
        args.view = t->view;
        args.view.excluded = i;
        args.batch.keys = t->lists.list[0]; /* which no insert needs just now */
        args.batch.n = n * (unsigned)t->shape.slots;
        args.batch.order_n = &t->words->list_n[0];
        status = dycuckoo_list_clear(t, 0, 1);
        if (!status) status = dycuckoo_export_buckets(t, i, first, n, t->lists.list[0], NULL);
        if (!status) status = t->base.backend->operations->launch(t->base.backend, t->erase, &args, sizeof args, args.batch.n);
    }
    return status;
}

/* Counts the stored keys of every subtable. */
static roost_status recount(struct dycuckoo_table *t)
{
    roost_status status = ROOST_OK;
    for (uint32_t i = 0; !status && i <= MAX_SUBTABLES; i++) {
        uint64_t stored = 0;
        if (!t->view.sub[i].buckets) continue;
        status = dycuckoo_list_clear(t, 0, 1);
        if (!status) status = dycuckoo_export_buckets(t, i, 0, t->view.sub[i].bucket_count, NULL, NULL);
        if (!status) status = backend_read(t->base.backend, &stored, &t->words->list_n[0], sizeof stored);
        if (!status) t->count[i] = stored;
    }
    return status;
}

static roost_status mend(struct engine_table *table)
{
    struct dycuckoo_table *t = (struct dycuckoo_table *)table;
    t->view.tidy = 0;
    roost_status status = t->halving < MAX_SUBTABLES ? halving_undo(t) : ROOST_OK;
    if (!status) status = recount(t);
    if (!status) t->halving = MAX_SUBTABLES;
    return status;
}

roost_status dycuckoo_words_make(struct dycuckoo_table *t)
{
    t->ledger.take = words_take;
    t->ledger.mend = mend;
    const roost_status status = ledger_make(&t->ledger, &t->base, sizeof *t->words);
    t->words = (struct dycuckoo_words *)t->ledger.words;
    return status;
}
