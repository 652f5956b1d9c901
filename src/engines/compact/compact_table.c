/* compact's table on the host side: its counts and bytes, launches, finds and erases. */
#include <math.h>
#include <string.h>

#include "engines/compact/compact_table.h"

/* ---- Counts and bytes ------------------------------------------------------------------------ */

uint64_t compact_count(const struct engine_table *table) { return compact_of_const(table)->count; }

uint64_t compact_slots(const struct engine_table *table)
{
    return compact_of_const(table)->size.buckets * (unsigned)table->shape.slots;
}

uint64_t compact_bytes(const struct engine_table *table)
{
    const struct compact_table *t = compact_of_const(table);
    return compact_view_bytes(t->size.buckets) + compact_lent_bytes(&t->view) + sizeof(struct compact_words);
}

void compact_take(struct engine_table *table, const void *words, const struct counters *since)
{
    struct compact_table *t = compact_of(table);
    struct compact_words now;
    memcpy(&now, words, sizeof now);
    t->stashed = now.marks.stashed != 0;
    t->count += since->stored[0];
    t->erased += since->erased;
    t->replaced += since->inserted;
    if (t->replaced > t->erased) t->replaced = t->erased;
    table->stats.evicted += since->evicted;
    table->stats.second_reads += since->second_reads;
}

/* Where a search of COMPACT_LOOKS slots finds no way for at most one random key in a million; at
 * 0.01 more it is one in 100,000. */
double compact_reach(int slots) { return slots < 4 ? 0.86 : slots < 6 ? 0.89 : slots < 10 ? 0.92 : slots < 14 ? 0.94 : 0.95; }

uint64_t compact_left(const struct compact_table *t)
{
    const double slots = (double)compact_slots(&t->base);
    const double most = floor(compact_reach(t->base.shape.slots) * slots - fmin(COMPACT_SPARE, slots / 32));
    if (t->base.growth) return UINT64_MAX;
    return most > (double)t->count ? (uint64_t)most - t->count : 0;
}

/* ---- Launches -------------------------------------------------------------------------------- */

struct compact_args compact_batch_args(const struct compact_table *t, const struct batch *batch)
{
    struct compact_args args;
    memset(&args, 0, sizeof args);
    args.view = t->view;
    args.view.marks = &compact_words_of(t)->marks;
    args.batch = *batch;
    args.transfer.shape = t->base.shape;
    return args;
}

roost_status compact_launch_over(struct compact_table *t, const struct kernel *k, struct compact_args *args, uint64_t n)
{
    struct backend *b = t->base.backend;
    args->view = t->view;
    args->view.marks = &compact_words_of(t)->marks;
    args->batch.n = n;
    args->transfer.shape = t->base.shape;
    return b->operations->launch(b, k, args, sizeof *args, n);
}

/* A host's threads meet at the number of pairs once a run.  A GPU has a lane for each bucket. */
roost_status compact_launch_units(struct compact_table *t, struct compact_args *args, uint64_t first, uint64_t n)
{
    const uint64_t run = t->base.backend->ordinal < 0 ? 8 : 1;
    args->transfer.first = first;
    args->transfer.end = first + n;
    args->transfer.run = run;
    return compact_launch_over(t, t->base.kernel[COMPACT_export], args, (n + run - 1) / run);
}

roost_status compact_whole(const struct compact_table *t)
{
    if (!t->move.pairs_are_out) return ROOST_OK;
    return error_set(t->base.error, ROOST_ERR_DEVICE, "growth in place failed half way: a call that writes, or a sync, goes on");
}

roost_status compact_find(struct engine_table *table, const struct batch *batch)
{
    const struct batch items = batch_slice(table, batch, 0, batch->n);
    const roost_status status = compact_whole(compact_of(table));
    if (status) return status;
    struct compact_args args = compact_batch_args(compact_of(table), &items);
    if (!ROOST_PROBES) args.batch.counters = NULL;
    return backend_launch(table->backend, table->kernel[COMPACT_find], &args, sizeof args, batch->n);
}

roost_status compact_erase(struct engine_table *table, const struct write *w)
{
    const struct batch batch = batch_slice(table, w->batch, 0, w->batch->n);
    const struct compact_args args = compact_batch_args(compact_of(table), &batch);
    return backend_launch(table->backend, table->kernel[COMPACT_erase], &args, sizeof args, batch.n);
}

/* ---- Tidying --------------------------------------------------------------------------------- */

/* With a pass for each quarter of the keys that were erased and replaced by others, finds at
 * constant size read as few buckets as if each insert moved keys home (docs/compact.md). */
enum { TIDY_SHARE = 4, TIDY_LEAST = 64 };

roost_status compact_tidy(struct compact_table *t, uint32_t *filters, size_t bytes)
{
    struct compact_args args;
    struct counters since;
    memset(&args, 0, sizeof args);
    args.batch.counters = t->base.ledger.words;
    args.transfer.filters = filters;
    roost_status status = t->base.backend->operations->fill(t->base.backend, filters, 0, bytes);
    if (!status) status = compact_launch_over(t, t->base.kernel[COMPACT_tidy], &args, t->size.buckets);
    args.transfer.replaces = true;
    if (!status) status = compact_launch_over(t, t->base.kernel[COMPACT_tidy], &args, t->size.buckets);
    return status ? status : ledger_read(&t->base.ledger, &since);
}

size_t compact_filter_bytes(const struct compact_table *t) { return (size_t)(t->size.buckets / 2 + 1) * sizeof(uint32_t); }

/* Without memory for the new filters the old ones stay. */
roost_status compact_tidy_due(struct compact_table *t)
{
    const struct error_mark before = error_keep(t->base.error);
    const size_t bytes = compact_filter_bytes(t);
    void *filters;
    if (t->replaced < t->count / TIDY_SHARE + TIDY_LEAST) return ROOST_OK;
    t->erased = t->replaced = 0;
    if (backend_allocate(t->base.backend, bytes, &filters)) {
        error_restore(&before);
        return ROOST_OK;
    }
    const roost_status status = compact_tidy(t, (uint32_t *)filters, bytes);
    backend_release(t->base.backend, filters, bytes);
    return status;
}

roost_status compact_stash_clear(struct compact_table *t)
{
    const struct backend_operations *o = t->base.backend->operations;
    roost_status status = o->fill(t->base.backend, t->view.stash, 0, t->view.stash_entries * sizeof(struct compact_entry));
    if (!status) status = o->fill(t->base.backend, &compact_words_of(t)->marks.stashed, 0, sizeof(uint32_t));
    if (!status) t->stashed = false;
    return status;
}
