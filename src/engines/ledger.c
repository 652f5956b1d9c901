/* What a table's kernels have counted, taken in by its policy. */
#include "engines/ledger.h"

#include <assert.h>
#include <inttypes.h>

_Static_assert((int)LEDGER_BYTES <= (int)BACKEND_SNAPSHOT, "a snapshot has room for the words");

roost_status ledger_make(struct ledger *l, struct engine_table *table, size_t bytes)
{
    struct backend *b = table->backend;
    void *memory;
    assert(bytes <= LEDGER_BYTES);
    const roost_status status = backend_allocate(b, bytes, &memory);
    if (status) return status;
    l->table = table;
    l->words = (struct counters *)memory;
    l->bytes = bytes;
    return b->operations->fill(b, memory, 0, bytes);
}

void ledger_release(struct ledger *l)
{
    if (l->words) backend_release(l->table->backend, l->words, l->bytes);
}

/* ---- Taking in ------------------------------------------------------------------------------------------------------------------------ */

void counters_since(const struct counters *now, const struct counters *before, struct counters *since)
{
    const uint64_t *a = (const uint64_t *)now, *b = (const uint64_t *)before;
    uint64_t *c = (uint64_t *)since;
    for (size_t i = 0; i < sizeof *now / sizeof *a; i++) c[i] = a[i] - b[i];
    since->max_bucket_reads = now->max_bucket_reads;
    since->longest = now->longest;
}

/* A copy of the words. */
union words {
    struct counters counters;
    unsigned char bytes[LEDGER_BYTES];
};

static roost_status take(struct ledger *l, const union words *now, struct counters *since)
{
    const uint64_t expected = l->expected_moves;
    counters_since(&now->counters, &l->seen, since);
    l->seen = now->counters;
    l->expected_moves = 0;
    l->coming = l->going = 0;
    l->under_way = false;
    l->stats.put_back += since->put_back;
    l->stats.bucket_reads += since->bucket_reads;
    l->stats.lanes_active += since->lanes_active;
    l->stats.lanes_possible += since->lanes_possible;
    l->stats.max_bucket_reads = since->max_bucket_reads;
    l->take(l->table, now, since);
    if (since->moved == expected) return ROOST_OK;
    return error_set(l->table->error, ROOST_ERR_CORRUPT, "moving pairs: %" PRIu64 " arrived where the table held %" PRIu64,
                     since->moved, expected);
}

/* One wait brings the counters and, behind them, what else the engine has there. */
roost_status ledger_read(struct ledger *l, struct counters *since)
{
    union words now;
    const roost_status status = backend_read(l->table->backend, &now, l->words, l->bytes);
    return status ? status : take(l, &now, since);
}

/* What became of items whose calls had returned. */
static void account(struct ledger *l, const struct counters *since)
{
    l->stats.inserted += since->inserted;
    l->stats.updated += since->updated;
    l->stats.erased += since->erased;
    l->stats.parked += since->parked;
    l->stats.spilled += since->spilled;
    l->failed += since->failed;
}

/* ---- Calls that do not wait ------------------------------------------------------------------------------------------------------------ */

void ledger_catch_up(struct ledger *l)
{
    struct backend *b = l->table->backend;
    union words now;
    struct counters since;
    if (!l->under_way || l->broken || b->capturing || !b->operations->arrived(b, &now, l->bytes)) return;
    (void)take(l, &now, &since); /* a call that resizes waits, so nothing has moved */
    account(l, &since);
}

roost_status ledger_enqueued(struct ledger *l, roost_status status)
{
    struct backend *b = l->table->backend;
    if (b->capturing) {
        l->captured = true;
        return status;
    }
    l->under_way = true;
    if (!status) status = b->operations->snapshot(b, l->words, l->bytes);
    return ledger_ended(l, status);
}

/* ---- Waiting, and after a failure ------------------------------------------------------------------------------------------------------- */

static roost_status mend(struct ledger *l)
{
    union words now;
    struct counters since;
    const struct error before = *l->table->error;
    roost_status status = backend_read(l->table->backend, &now, l->words, l->bytes);
    if (status) return status;
    if (take(l, &now, &since)) *l->table->error = before; /* what failed half way need not have moved what was expected */
    account(l, &since);
    status = l->mend(l->table);
    if (!status) l->broken = l->viewed;
    return status;
}

roost_status ledger_wait(struct ledger *l)
{
    struct counters since;
    if (l->broken) return mend(l);
    if (!l->under_way && !l->captured) return ROOST_OK;
    const roost_status status = ledger_read(l, &since);
    if (!status) account(l, &since);
    return status;
}

roost_status ledger_stats(struct ledger *l, struct engine_stats *stats)
{
    struct counters since;
    roost_status status = ledger_wait(l);
    if (!status && ROOST_PROBES) status = ledger_read(l, &since); /* what finds, which do not wait, have counted */
    *stats = l->stats;
    return status;
}

roost_status ledger_ended(struct ledger *l, roost_status status)
{
    if (status) l->refused = l->broken = true;
    return status;
}

roost_status ledger_failures(struct ledger *l, bool growth, uint64_t *items_failed)
{
    *items_failed = l->failed;
    l->failed = 0;
    if (!*items_failed) return ROOST_OK;
    return error_set(l->table->error, growth ? ROOST_ERR_MEMORY : ROOST_ERR_FULL,
                     "%" PRIu64 " items of calls that did not wait found no room", *items_failed);
}
