/* The policy's knowledge of a table: the states of a ledger and their transitions. */
#include "engines/ledger.h"

#include <assert.h>
#include <inttypes.h>

#include "engines/counters.h"
#include "engines/engine.h"

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

/* ---- Reading the counts --------------------------------------------------------------------- */

/* A copy of the words. */
union words {
    struct counters counters;
    unsigned char bytes[LEDGER_BYTES];
};

static enum ledger_state state_known(const struct ledger *l) { return l->captured ? LEDGER_CAPTURED : LEDGER_CERTAIN; }

static roost_status take(struct ledger *l, const union words *now, struct counters *since)
{
    struct engine_stats *stats = &l->table->stats;
    const uint64_t expected = l->expected_moves;
    counters_since(&now->counters, &l->seen, since);
    l->seen = now->counters;
    l->expected_moves = 0;
    l->coming = l->going = 0;
    if (l->state == LEDGER_PENDING) l->state = state_known(l);
    stats->put_back += since->put_back;
    stats->bucket_reads += since->bucket_reads;
    stats->lanes_active += since->lanes_active;
    stats->lanes_possible += since->lanes_possible;
    stats->max_bucket_reads = since->max_bucket_reads;
    lists_take(&l->table->lists, now);
    l->table->engine->hooks.take(l->table, now, since);
    if (since->moved == expected) return ROOST_OK;
    return error_set(l->table->error, ROOST_ERR_CORRUPT, "moving pairs: %" PRIu64 " of %" PRIu64 " pairs arrived", since->moved,
                     expected);
}

/* One wait reads the counters and the engine's words behind them. */
roost_status ledger_read(struct ledger *l, struct counters *since)
{
    union words now;
    const roost_status status = backend_read(l->table->backend, &now, l->words, l->bytes);
    return status ? status : take(l, &now, since);
}

/* Counts the items of calls that had returned before. */
static void account(struct ledger *l, const struct counters *since)
{
    struct engine_stats *stats = &l->table->stats;
    stats->inserted += since->inserted;
    stats->updated += since->updated;
    stats->erased += since->erased;
    stats->parked += since->parked;
    stats->spilled += since->spilled;
    l->failed += since->failed;
}

void ledger_expect_moves(struct ledger *l, uint64_t n) { l->expected_moves += n; }

roost_status ledger_skip(struct ledger *l) { return backend_read(l->table->backend, &l->seen, l->words, sizeof l->seen); }

/* ---- Asynchronous calls --------------------------------------------------------------------- */

void ledger_catch_up(struct ledger *l)
{
    struct backend *b = l->table->backend;
    union words now;
    struct counters since;
    if (l->state != LEDGER_PENDING || b->capturing || !backend_arrived(b, l->words, &now, l->bytes)) return;
    (void)take(l, &now, &since); /* a call that resizes waits, so nothing has moved */
    account(l, &since);
}

void ledger_announce(struct ledger *l, uint64_t coming, uint64_t going)
{
    l->coming += coming;
    l->going += going;
    if (going && l->debt == LEDGER_SETTLED) l->debt = LEDGER_OWES_SHRINK;
}

roost_status ledger_enqueued(struct ledger *l, roost_status status)
{
    struct backend *b = l->table->backend;
    if (b->capturing) {
        l->captured = true;
        if (l->state <= LEDGER_CAPTURED) l->state = LEDGER_CAPTURED;
        return status;
    }
    if (l->state == LEDGER_CERTAIN) l->state = LEDGER_PENDING;
    if (!status) status = backend_snapshot(b, l->words, l->bytes);
    return ledger_ended(l, status);
}

/* ---- Waiting, and after a failure ----------------------------------------------------------- */

static roost_status mend(struct ledger *l)
{
    union words now;
    struct counters since;
    const struct error_mark before = error_keep(l->table->error);
    roost_status status = backend_read(l->table->backend, &now, l->words, l->bytes);
    if (status) return status;
    /* Moves that were expected may not have happened. */
    if (take(l, &now, &since)) error_restore(&before);
    account(l, &since);
    status = l->table->engine->hooks.mend(l->table);
    if (!status) status = ledger_skip(l);
    if (!status && l->state == LEDGER_UNCERTAIN) l->state = state_known(l);
    return status;
}

roost_status ledger_wait(struct ledger *l)
{
    struct counters since;
    if (!ledger_trusted(l)) return mend(l);
    if (l->state == LEDGER_CERTAIN) return ROOST_OK;
    const roost_status status = ledger_read(l, &since);
    if (!status) account(l, &since);
    return status;
}

roost_status ledger_ended(struct ledger *l, roost_status status)
{
    if (!status) return ROOST_OK;
    ledger_refuse(l);
    if (l->state != LEDGER_LENT) l->state = LEDGER_UNCERTAIN;
    return status;
}

void ledger_refuse(struct ledger *l) { l->debt = LEDGER_OWES_MEMORY; }

roost_status ledger_put_off(struct ledger *l, const struct error_mark *before)
{
    ledger_refuse(l);
    error_restore(before);
    return ROOST_OK;
}

roost_status ledger_forgive(struct ledger *l, const struct error_mark *before, roost_status status)
{
    return status == ROOST_ERR_MEMORY ? ledger_put_off(l, before) : status;
}

enum ledger_debt ledger_settle(struct ledger *l)
{
    const enum ledger_debt debt = l->debt;
    l->debt = LEDGER_SETTLED;
    return debt;
}

void ledger_owe(struct ledger *l, enum ledger_debt debt)
{
    if (debt > l->debt) l->debt = debt;
}

void ledger_exchange(struct ledger *a, struct ledger *b)
{
    struct counters *const words = a->words, seen = a->seen;
    const uint64_t expected = a->expected_moves;
    a->words = b->words, b->words = words;
    a->seen = b->seen, b->seen = seen;
    a->expected_moves = b->expected_moves, b->expected_moves = expected;
}

void ledger_lend(struct ledger *l) { l->state = LEDGER_LENT; }

void ledger_return(struct ledger *l) { l->state = LEDGER_UNCERTAIN; }

void ledger_judge(struct ledger *l) { l->judged = l->failed; }

roost_status ledger_failures(struct ledger *l, bool growth, uint64_t *items_failed)
{
    *items_failed = l->failed;
    l->failed = l->judged = 0;
    if (!*items_failed) return ROOST_OK;
    return error_set(l->table->error, growth ? ROOST_ERR_MEMORY : ROOST_ERR_FULL,
                     "%" PRIu64 " items of asynchronous calls found no room", *items_failed);
}
