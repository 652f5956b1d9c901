/* GPH's passes over the items of a batch, and mends.  They decide nothing about the table's
 * size. */
#include <string.h>

#include "engines/gph/gph_table.h"

enum {
    SPARE = 4, /* so few flagged cells are not worth a mend */
    /* Erased keys that pay for trying all mappings of a flagged cell (20 us on a host), and cells
     * whose codes are read for the price of one erase. */
    ERASED_FLAGGED = 8,
    ERASED_CELLS = 64,
    PATIENCE = 12 /* deaths before an item is parked, some hundreds of microseconds */
};

/* ---- Inserts --------------------------------------------------------------------------------- */

static bool pass_fills(int pass) { return pass == PASS_FILL || pass == PASS_REFILL; }

/* Launches one pass.  It parks items in the list that is not its source. */
static roost_status pass_launch(struct gph_table *t, const struct lists *lists, struct gph_args *args, int pass,
                                struct source *source)
{
    struct backend *b = t->base.backend;
    const struct kernel *k = t->base.kernel[pass_fills(pass) ? GPH_fill : GPH_refine];
    args->view.patience = pass == PASS_REFINE ? PATIENCE : UINT32_MAX;
    lists_pass(lists, &args->batch, source, pass);
    const bool of_batch = lists == &t->base.lists; /* a rebuild has its own */
    return of_batch ? backend_launch(b, k, args, sizeof *args, source->n)
                    : b->operations->launch(b, k, args, sizeof *args, source->n);
}

roost_status gph_passes(struct gph_table *t, const struct lists *lists, const struct batch *batch, int first, int last,
                        struct source *source)
{
    struct gph_args args = gph_batch_args(t, batch);
    roost_status status = lists_clear(lists);
    for (int pass = first; !status && pass <= last; pass++) {
        /* All but the last pass park many items. */
        args.batch.parked_most = pass == PASS_FINISH ? batch->parked_most : 0;
        status = pass_launch(t, lists, &args, pass, source);
    }
    return status;
}

roost_status gph_passes_enqueue(struct gph_table *t, const struct batch *piece)
{
    struct source items = {NULL, NULL, piece->n};
    roost_status status = gph_passes(t, &t->base.lists, piece, PASS_FILL, PASS_REFILL, &items);
    struct gph_args args = gph_batch_args(t, piece);
    args.batch.order = items.order;
    args.batch.order_n = items.order_n;
    return status ? status : backend_launch(t->base.backend, t->base.kernel[GPH_refine], &args, sizeof args, piece->n);
}

roost_status gph_piece_passes(struct insertion *in, int first, int last)
{
    const roost_status status = gph_passes(gph_of(in->table), &in->table->lists, &in->batch, first, last, &in->items);
    return status ? status : insertion_take(in, last);
}

roost_status gph_piece_update(struct insertion *in)
{
    struct gph_args args = gph_batch_args(gph_of(in->table), &in->batch);
    args.view.closed = 1;
    return insertion_pass(in, in->table->kernel[GPH_fill], &args, sizeof args, &args.batch);
}

roost_status gph_piece_evict(struct insertion *in)
{
    struct gph_args args = gph_batch_args(gph_of(in->table), &in->batch);
    return insertion_pass(in, in->table->kernel[GPH_evict], &args, sizeof args, &args.batch);
}

roost_status gph_insert_all(struct gph_table *t, struct lists *lists, const void *keys, const void *values, uint64_t n,
                            uint64_t *left)
{
    const struct batch whole = batch_of_pairs(&t->base, keys, values, n);
    for (uint64_t done = 0; done < n;) {
        struct counters since;
        struct source items = {NULL, NULL, lists_piece(lists, n - done)};
        const struct batch part = batch_slice(&t->base, &whole, done, items.n);
        done += items.n;
        roost_status status = gph_passes(t, lists, &part, PASS_FILL, PASS_FINISH, &items);
        if (!status) status = ledger_read(&t->base.ledger, &since);
        if (status) return status;
        *left += t->base.lists.waiting[PASS_FINISH];
    }
    return ROOST_OK;
}

roost_status gph_distinct(struct engine_table *table, const struct batch *batch, struct distinct_bounds *bounds)
{
    struct gph_table *t = gph_of(table);
    struct gph_args args = gph_batch_args(t, batch);
    const struct estimate e = {table->kernel[GPH_estimate], &args, sizeof args, &args.batch, &args.transfer.estimate};
    args.batch.parked_most = 0; /* it parks no item */
    return estimate_distinct(table, &e, t->view.seeds.a[0], bounds);
}

/* ---- Mends ----------------------------------------------------------------------------------- */

/* The kernel reads every code and tries all mappings of flagged cells.  So it runs only when the
 * cells that were flagged, or the keys that were erased, since the last mend are worth that: a
 * quarter more flagged cells, or some keys for each of them. */
static bool is_mend_due(const struct gph_table *t)
{
    const uint64_t flagged = t->counts.flagged, worth = ERASED_FLAGGED * flagged + t->view.cell_count / ERASED_CELLS;
    return flagged > t->flagged_left + t->flagged_left / 4 + SPARE || (flagged && t->erased > worth);
}

roost_status gph_mend_cells(struct gph_table *t)
{
    struct counters since;
    struct gph_args args;
    memset(&args, 0, sizeof args);
    args.batch.counters = t->base.ledger.words;
    roost_status status = gph_launch_over(t, t->base.kernel[GPH_mend], &args, t->view.cell_count / 4);
    if (!status) status = ledger_read(&t->base.ledger, &since);
    if (status) return status;
    t->erased = 0;
    t->flagged_left = t->counts.flagged;
    return ROOST_OK;
}

roost_status gph_mend_due(struct gph_table *t) { return is_mend_due(t) ? gph_mend_cells(t) : ROOST_OK; }
