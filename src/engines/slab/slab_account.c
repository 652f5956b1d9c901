/* What SlabHash's kernels have counted, on the policy's side: calls that wait take it in at once, others once it has arrived.  After a call
 * that failed half way the counters do not tell all of it, and the lists are walked. */
#include <inttypes.h>
#include <string.h>

#include "engines/slab/slab_table.h"
#include "engines/policy.h"

roost_status slab_words_make(struct slab_table *t)
{
    void *memory;
    const roost_status status = backend_allocate(t->base.backend, sizeof *t->words, &memory);
    if (status) return status;
    t->words = (struct slab_words *)memory;
    t->view.wants_flush = &t->words->wants_flush;
    return t->base.backend->operations->fill(t->base.backend, memory, 0, sizeof *t->words);
}

void slab_words_release(struct slab_table *t) { backend_release(t->base.backend, t->words, sizeof *t->words); }

static roost_status words_take(struct slab_table *t, const struct slab_words *now, struct counters *since)
{
    counters_since(&now->counters, &t->seen, since);
    t->seen = now->counters;
    memcpy(t->waiting, now->list_n, sizeof t->waiting);
    t->wants_flush = now->wants_flush != 0;
    t->coming = t->going = 0;
    t->under_way = false;
    t->count += since->stored[0];
    t->chained += since->linked;
    t->tombstones += since->erased - since->reused;
    t->stats.put_back += since->put_back;
    t->stats.bucket_reads += since->bucket_reads;
    t->stats.max_bucket_reads = since->max_bucket_reads;
    t->stats.longest_list = since->longest > 1 ? since->longest : 1;
    const uint64_t expected = t->expected_moves;
    t->expected_moves = 0;
    if (since->moved == expected) return ROOST_OK;
    return error_set(t->base.error, ROOST_ERR_CORRUPT, "rebuilding lists moved %" PRIu64 " pairs where the table held %" PRIu64,
                     since->moved, expected);
}

roost_status slab_read_counters(struct slab_table *t, struct counters *since)
{
    struct slab_words now;
    const roost_status status = backend_read(t->base.backend, &now, t->words, sizeof now);
    return status ? status : words_take(t, &now, since);
}

/* ---- Calls that do not wait ------------------------------------------------------------------------------------------------------------ */

/* What became of items whose calls had returned. */
static void account(struct slab_table *t, const struct counters *since)
{
    t->stats.inserted += since->inserted;
    t->stats.updated += since->updated;
    t->stats.erased += since->erased;
    t->failed += since->failed;
}

void slab_catch_up(struct slab_table *t)
{
    struct backend *b = t->base.backend;
    struct slab_words now;
    struct counters since;
    if (!t->under_way || t->broken || b->capturing || !b->operations->arrived(b, &now, sizeof now)) return;
    (void)words_take(t, &now, &since); /* a call that rebuilds waits, so nothing has moved */
    account(t, &since);
}

roost_status slab_enqueued(struct slab_table *t, roost_status status)
{
    struct backend *b = t->base.backend;
    if (b->capturing) {
        t->captured = true;
        return status;
    }
    t->under_way = true;
    if (!status) status = b->operations->snapshot(b, t->words, sizeof *t->words);
    return slab_ended(t, status);
}

/* ---- Waiting, and after a failure ------------------------------------------------------------------------------------------------------- */

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
    t->seen = after.counters;
    t->stats.longest_list = since.longest;
    t->count = since.distinct;
    t->tombstones = since.moved;
    t->chained = since.evicted - t->view.buckets - 1;
    *needs = since.put_back;
    return ROOST_OK;
}

static roost_status mend(struct slab_table *t)
{
    struct slab_words now;
    struct counters since;
    uint64_t needs;
    const struct error before = *t->base.error;
    roost_status status = backend_read(t->base.backend, &now, t->words, sizeof now);
    if (status) return status;
    if (words_take(t, &now, &since)) *t->base.error = before; /* what failed half way need not have moved what was expected */
    account(t, &since);
    if (t->half_empty) status = slab_empty_lists(t);
    if (!status) status = slab_take_stock(t, &needs);
    if (!status) t->broken = t->viewed;
    return status;
}

roost_status slab_wait(struct slab_table *t)
{
    struct counters since;
    if (t->broken) return mend(t);
    if (!t->under_way && !t->captured) return ROOST_OK;
    const roost_status status = slab_read_counters(t, &since);
    if (!status) account(t, &since);
    return status;
}

roost_status slab_ended(struct slab_table *t, roost_status status)
{
    if (status) t->refused = t->broken = true;
    return status;
}
