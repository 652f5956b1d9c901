/* GPH's table on the host side: its counts and bytes, one launch, and the kernels' counters. */
#include <string.h>

#include "engines/gph/gph_table.h"

/* ---- Counts and bytes ------------------------------------------------------------------------ */

uint64_t gph_count(const struct engine_table *table)
{
    const struct gph_counts *c = &gph_of_const(table)->counts;
    return c->main + c->overflow + c->special;
}

uint64_t gph_slots(const struct engine_table *table)
{
    const struct gph_view *v = &gph_of_const(table)->view;
    return ((uint64_t)v->bucket_count + v->overflow_count) * (unsigned)table->shape.slots;
}

uint64_t gph_buckets(const struct gph_table *t) { return (uint64_t)gph_special(&t->view) + 1; }

/* The index, the marks of passed buckets and the locks lie in one block of memory.  Up to three
 * words at its end are for lookups that copy the index in vectors. */
size_t gph_index_bytes(const struct gph_view *v)
{
    const uint64_t cells = v->cell_count / 4, locks = (uint64_t)v->cell_lock_mask + 1 + (uint64_t)v->bucket_lock_mask + 1;
    return (size_t)(cells + v->overflow_count + locks + 3) * sizeof(uint32_t);
}

size_t gph_buckets_bytes(const struct shape s, const struct gph_view *v)
{
    return ((size_t)gph_special(v) + 1) * shape_bucket_bytes(s);
}

uint64_t gph_bytes(const struct engine_table *table)
{
    const struct gph_view *v = &gph_of_const(table)->view;
    return (uint64_t)gph_index_bytes(v) + gph_buckets_bytes(table->shape, v) + sizeof(struct table_words);
}

/* ---- Launches -------------------------------------------------------------------------------- */

struct gph_args gph_batch_args(const struct gph_table *t, const struct batch *batch)
{
    struct gph_args args;
    memset(&args, 0, sizeof args);
    args.view = t->view;
    args.view.patience = UINT32_MAX;
    args.batch = *batch;
    return args;
}

roost_status gph_launch_over(struct gph_table *t, const struct kernel *k, struct gph_args *args, uint64_t n)
{
    struct backend *b = t->base.backend;
    args->view = t->view;
    args->view.patience = UINT32_MAX;
    args->batch.n = n;
    args->transfer.shape = t->base.shape;
    return b->operations->launch(b, k, args, sizeof *args, n);
}

roost_status gph_export_buckets(struct gph_table *t, uint64_t first, uint64_t n, void *keys, void *values)
{
    struct gph_args args;
    memset(&args, 0, sizeof args);
    args.transfer.first = first;
    args.transfer.keys = keys;
    args.transfer.values = values;
    args.transfer.pairs_n = &table_words(&t->base)->pairs_n;
    return gph_launch_over(t, t->base.kernel[GPH_export], &args, n);
}

/* ---- Counters -------------------------------------------------------------------------------- */

void gph_take(struct engine_table *table, const void *words, const struct counters *since)
{
    struct gph_table *t = gph_of(table);
    (void)words;
    t->counts.main += since->stored[GPH_MAIN];
    t->counts.overflow += since->stored[GPH_OVERFLOW];
    t->counts.special += since->stored[GPH_SPECIAL];
    t->counts.flagged += since->flagged;
    t->erased += since->erased;
    table->stats.evicted += since->evicted;
    table->stats.delta_moves += since->delta_moves;
    table->stats.phi_moves += since->phi_moves;
    table->stats.mapping_tries += since->tries;
    table->stats.wait_die_aborts += since->died;
    table->stats.second_reads += since->second_reads;
}

static roost_status count_buckets(struct gph_table *t, uint64_t first, uint64_t n, uint64_t *count)
{
    roost_status status = pairs_clear(&t->base);
    if (!status) status = gph_export_buckets(t, first, n, NULL, NULL);
    return status ? status : pairs_read(&t->base, count);
}

static roost_status count_flagged(struct gph_table *t, uint64_t *flagged)
{
    enum { READ_WORDS = 4096 };
    uint32_t words[READ_WORDS];
    const uint64_t all = ((uint64_t)t->view.cell_count + 3) / 4;
    roost_status status = ROOST_OK;
    *flagged = 0;
    for (uint64_t first = 0; !status && first < all; first += READ_WORDS) {
        const uint64_t n = all - first < READ_WORDS ? all - first : READ_WORDS;
        status = backend_read(t->base.backend, words, t->view.cells + first, n * sizeof words[0]);
        for (uint64_t i = 0; !status && i < 4 * n; i++) *flagged += gph_code_of(words[i / 4], (uint32_t)i) == GPH_FLAGGED;
    }
    return status;
}

roost_status gph_recount(struct engine_table *table)
{
    struct gph_table *t = gph_of(table);
    struct gph_counts counts;
    roost_status status = count_buckets(t, 0, t->view.bucket_count, &counts.main);
    if (!status) status = count_buckets(t, t->view.bucket_count, t->view.overflow_count, &counts.overflow);
    if (!status) status = count_buckets(t, gph_special(&t->view), 1, &counts.special);
    if (!status) status = count_flagged(t, &counts.flagged);
    if (!status) t->counts = counts;
    return status;
}
