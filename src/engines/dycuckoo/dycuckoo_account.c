/* What DyCuckoo's kernels have counted, on the policy's side: calls that wait take it in at once, others once it has arrived.  After a
 * call that failed half way the counters do not tell all of it, and the table itself is counted. */
#include <inttypes.h>
#include <string.h>

#include "engines/dycuckoo/dycuckoo_table.h"
#include "engines/policy.h"

roost_status dycuckoo_words_make(struct dycuckoo_table *t)
{
    void *memory;
    const roost_status status = backend_allocate(t->base.backend, sizeof *t->words, &memory);
    if (status) return status;
    t->words = (struct dycuckoo_words *)memory;
    return t->base.backend->operations->fill(t->base.backend, memory, 0, sizeof *t->words);
}

void dycuckoo_words_release(struct dycuckoo_table *t) { backend_release(t->base.backend, t->words, sizeof *t->words); }

/* ---- Taking in ------------------------------------------------------------------------------------------------------------------------ */

static roost_status words_take(struct dycuckoo_table *t, const struct dycuckoo_words *now, struct counters *since)
{
    counters_since(&now->counters, &t->seen, since);
    t->seen = now->counters;
    memcpy(t->waiting, now->list_n, sizeof t->waiting);
    t->spill_n = now->spill.n;
    t->spilled = now->spill.n - now->spill.erased;
    t->coming = t->going = 0;
    t->under_way = false;
    for (int i = 0; i <= MAX_SUBTABLES; i++) t->count[i] += since->stored[i];
    t->stats.evicted += since->evicted;
    t->stats.put_back += since->put_back;
    t->stats.bucket_reads += since->bucket_reads;
    t->stats.max_bucket_reads = since->max_bucket_reads;
    if (since->untidy || since->erased) t->view.tidy = 0;
    for (int i = 0; i < ROOST_PATH_LENGTHS; i++) t->stats.path_length[i] += since->path_length[i];
    const uint64_t expected = t->expected_moves;
    t->expected_moves = 0;
    if (since->moved == expected) return ROOST_OK;
    return error_set(t->base.error, ROOST_ERR_CORRUPT, "resizing moved %" PRIu64 " pairs where the subtables held %" PRIu64,
                     since->moved, expected);
}

/* One wait brings the counters and, behind them, the lists' lengths. */
roost_status dycuckoo_read_counters(struct dycuckoo_table *t, struct counters *since)
{
    struct dycuckoo_words now;
    const roost_status status = backend_read(t->base.backend, &now, t->words, sizeof now);
    return status ? status : words_take(t, &now, since);
}

/* ---- Calls that do not wait ------------------------------------------------------------------------------------------------------------ */

/* What became of items whose calls had returned. */
static void account(struct dycuckoo_table *t, const struct counters *since)
{
    t->stats.inserted += since->inserted;
    t->stats.updated += since->updated;
    t->stats.erased += since->erased;
    t->stats.parked += since->parked;
    t->stats.spilled += since->spilled;
    t->failed += since->failed;
}

void dycuckoo_catch_up(struct dycuckoo_table *t)
{
    struct backend *b = t->base.backend;
    struct dycuckoo_words now;
    struct counters since;
    if (!t->under_way || t->broken || b->capturing || !b->operations->arrived(b, &now, sizeof now)) return;
    (void)words_take(t, &now, &since); /* a call that resizes waits, so nothing has moved */
    account(t, &since);
}

roost_status dycuckoo_enqueued(struct dycuckoo_table *t, roost_status status)
{
    struct backend *b = t->base.backend;
    if (b->capturing) {
        t->captured = true;
        t->view.tidy = 0; /* for good: nobody here sees the graph's launches */
        return status;
    }
    t->under_way = true;
    if (!status) status = b->operations->snapshot(b, t->words, sizeof *t->words);
    return dycuckoo_ended(t, status);
}

/* ---- After a failure ------------------------------------------------------------------------------------------------------------------- */

/* A halving that failed may have left pairs in their other home that are still in their subtable: out of there again. */
static roost_status halving_undo(struct dycuckoo_table *t)
{
    const uint32_t i = t->halving, buckets = t->view.sub[i].bucket_count;
    const uint64_t fit = t->list_room * DYCUCKOO_LISTS * sizeof(uint32_t) / (unsigned)(t->shape.key_bytes * t->shape.slots);
    roost_status status = ROOST_OK;
    for (uint64_t first = 0; !status && first < buckets; first += fit) {
        const uint64_t n = buckets - first < fit ? buckets - first : fit;
        struct dycuckoo_args args;
        memset(&args, 0, sizeof args);
        args.view = t->view;
        args.view.excluded = i;
        args.batch.keys = t->list[0]; /* which no insert needs just now */
        args.batch.n = n * (unsigned)t->shape.slots;
        args.batch.order_n = &t->words->list_n[0];
        status = dycuckoo_list_clear(t, 0, 1);
        if (!status) status = dycuckoo_export_buckets(t, i, first, n, t->list[0], NULL);
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

static roost_status mend(struct dycuckoo_table *t)
{
    struct dycuckoo_words now;
    struct counters since;
    const struct error before = *t->base.error;
    roost_status status = backend_read(t->base.backend, &now, t->words, sizeof now);
    if (status) return status;
    if (words_take(t, &now, &since)) *t->base.error = before; /* what failed half way need not have moved what was expected */
    account(t, &since);
    t->view.tidy = 0;
    if (t->halving < MAX_SUBTABLES) status = halving_undo(t);
    if (!status) status = recount(t);
    if (status) return status;
    t->halving = MAX_SUBTABLES;
    t->broken = false;
    return ROOST_OK;
}

roost_status dycuckoo_wait(struct dycuckoo_table *t)
{
    struct counters since;
    if (t->broken) return mend(t);
    if (!t->under_way && !t->captured) return ROOST_OK;
    const roost_status status = dycuckoo_read_counters(t, &since);
    if (!status) account(t, &since);
    return status;
}

roost_status dycuckoo_ended(struct dycuckoo_table *t, roost_status status)
{
    if (status) t->refused = t->broken = true;
    return status;
}
