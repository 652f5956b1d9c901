/* What FKS's policy takes in of what its kernels have counted; after a call that failed half way the table itself is counted. */
#include <string.h>

#include "engines/fks/fks_table.h"

_Static_assert(sizeof(struct fks_words) <= LEDGER_BYTES, "the ledger reads the words as a whole");

static void words_take(struct engine_table *table, const void *words, const struct counters *since)
{
    struct fks_table *t = (struct fks_table *)table;
    struct fks_words now;
    memcpy(&now, words, sizeof now);
    memcpy(t->waiting, now.list_n, sizeof t->waiting);
    t->main += since->stored[FKS_MAIN];
    t->special += since->stored[FKS_SPECIAL];
    t->ledger.stats.second_reads += since->second_reads;
}

/* ---- After a failure ------------------------------------------------------------------------------------------------------------------- */

static roost_status count_part(struct fks_table *t, uint32_t part, uint64_t lines, uint64_t *count)
{
    uint64_t pairs = 0;
    roost_status status = fks_pairs_clear(t);
    if (!status) status = fks_export_lines(t, part, 0, lines, NULL, NULL);
    if (!status) status = backend_read(t->base.backend, &pairs, &t->words->pairs_n, sizeof pairs);
    *count += pairs;
    return status;
}

static roost_status mend(struct engine_table *table)
{
    struct fks_table *t = (struct fks_table *)table;
    uint64_t main = 0, special = 0;
    roost_status status = fks_ready(t);
    if (!status) status = fks_spaces_read(t);
    for (uint32_t q = 0; !status && q < fks_parts(t); q++)
        status = count_part(t, q, (uint64_t)t->parts[q].buckets * t->view.lines_most, &main);
    if (!status) status = count_part(t, FKS_PARTS, 1, &special);
    if (status) return status;
    t->main = main;
    t->special = special;
    return ROOST_OK;
}

roost_status fks_words_make(struct fks_table *t)
{
    t->ledger.take = words_take;
    t->ledger.mend = mend;
    const roost_status status = ledger_make(&t->ledger, &t->base, sizeof *t->words);
    t->words = (struct fks_words *)t->ledger.words;
    return status;
}
