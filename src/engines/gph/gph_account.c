/* What GPH's policy takes in of what its kernels have counted; after a call that failed half way the table itself is counted. */
#include <string.h>

#include "engines/gph/gph_table.h"

_Static_assert(sizeof(struct gph_words) <= LEDGER_BYTES, "the ledger reads the words as a whole");

static void words_take(struct engine_table *table, const void *words, const struct counters *since)
{
    struct gph_table *t = (struct gph_table *)table;
    struct gph_words now;
    memcpy(&now, words, sizeof now);
    memcpy(t->waiting, now.list_n, sizeof t->waiting);
    t->counts.main += since->stored[GPH_MAIN];
    t->counts.overflow += since->stored[GPH_OVERFLOW];
    t->counts.special += since->stored[GPH_SPECIAL];
    t->counts.flagged += since->flagged;
    t->erased = t->erased || since->erased;
    t->ledger.stats.evicted += since->evicted;
    t->ledger.stats.delta_moves += since->delta_moves;
    t->ledger.stats.phi_moves += since->phi_moves;
    t->ledger.stats.mapping_tries += since->tries;
    t->ledger.stats.wait_die_aborts += since->died;
    t->ledger.stats.second_reads += since->second_reads;
}

roost_status gph_list_clear(struct gph_table *t)
{
    return t->base.backend->operations->fill(t->base.backend, t->words->list_n, 0, sizeof t->words->list_n);
}

/* ---- After a failure ------------------------------------------------------------------------------------------------------------------- */

static roost_status count_buckets(struct gph_table *t, uint64_t first, uint64_t n, uint64_t *count)
{
    roost_status status = gph_pairs_clear(t);
    if (!status) status = gph_export_buckets(t, first, n, NULL, NULL);
    return status ? status : backend_read(t->base.backend, count, &t->words->pairs_n, sizeof *count);
}

static roost_status count_flagged(struct gph_table *t, uint64_t *flagged)
{
    enum { PIECE = 4096 };
    uint32_t words[PIECE];
    const uint64_t all = ((uint64_t)t->view.cell_count + 3) / 4;
    roost_status status = ROOST_OK;
    *flagged = 0;
    for (uint64_t first = 0; !status && first < all; first += PIECE) {
        const uint64_t n = all - first < PIECE ? all - first : PIECE;
        status = backend_read(t->base.backend, words, t->view.cells + first, n * sizeof words[0]);
        for (uint64_t i = 0; !status && i < 4 * n; i++) *flagged += gph_code_of(words[i / 4], (uint32_t)i) == GPH_FLAGGED;
    }
    return status;
}

static roost_status mend(struct engine_table *table)
{
    struct gph_table *t = (struct gph_table *)table;
    struct gph_counts counts;
    roost_status status = count_buckets(t, 0, t->view.bucket_count, &counts.main);
    if (!status) status = count_buckets(t, t->view.bucket_count, t->view.overflow_count, &counts.overflow);
    if (!status) status = count_buckets(t, gph_special(&t->view), 1, &counts.special);
    if (!status) status = count_flagged(t, &counts.flagged);
    if (!status) t->counts = counts;
    return status;
}

roost_status gph_words_make(struct gph_table *t)
{
    t->ledger.take = words_take;
    t->ledger.mend = mend;
    const roost_status status = ledger_make(&t->ledger, &t->base, sizeof *t->words);
    t->words = (struct gph_words *)t->ledger.words;
    return status;
}
