/* What Stadium's policy takes in of what its kernels have counted; after a call that failed half way the slots are counted. */
#include <string.h>

#include "engines/stadium/stadium_table.h"

_Static_assert(sizeof(struct stadium_words) <= LEDGER_BYTES, "the ledger reads the words as a whole");

static void words_take(struct engine_table *table, const void *words, const struct counters *since)
{
    struct stadium_table *t = (struct stadium_table *)table;
    struct stadium_words now;
    memcpy(&now, words, sizeof now);
    memcpy(t->waiting, now.list_n, sizeof t->waiting);
    t->count += since->stored[0];
    t->tombstones += since->erased - since->reused;
    t->ends = now.ends;
}

/* Counts keys and erased slots. */
static roost_status take_stock(struct stadium_table *t)
{
    struct backend *b = t->base.backend;
    struct stadium_words before, after;
    struct counters since;
    struct stadium_args args;
    memset(&args, 0, sizeof args);
    args.batch.counters = &t->words->counters;
    const uint64_t runs = (stadium_all_slots(t->shape, &t->view) + STADIUM_RUN - 1) / STADIUM_RUN;
    roost_status status = backend_read(b, &before, t->words, sizeof before);
    if (!status) status = stadium_launch_over(t, t->survey, &args, runs);
    if (!status) status = backend_read(b, &after, t->words, sizeof after);
    if (status) return status;
    counters_since(&after.counters, &before.counters, &since);
    t->ledger.seen = after.counters;
    t->count = since.distinct;
    t->tombstones = since.reused;
    return ROOST_OK;
}

static roost_status mend(struct engine_table *table)
{
    struct stadium_table *t = (struct stadium_table *)table;
    const roost_status status = t->half_empty ? stadium_empty_slots(t) : ROOST_OK;
    return status ? status : take_stock(t);
}

roost_status stadium_words_make(struct stadium_table *t)
{
    t->ledger.take = words_take;
    t->ledger.mend = mend;
    const roost_status status = ledger_make(&t->ledger, &t->base, sizeof *t->words);
    t->words = (struct stadium_words *)t->ledger.words;
    if (t->words) t->view.longest = &t->words->counters.longest;
    return status;
}
