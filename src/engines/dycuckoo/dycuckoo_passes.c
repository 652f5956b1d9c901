/* DyCuckoo's passes over the items of a batch, and the lists between them.  They decide nothing
 * about the table's size. */
#include <string.h>

#include "engines/dycuckoo/dycuckoo_table.h"

/* ---- Beside the spill list ------------------------------------------------------------------- */

bool dycuckoo_may_hold(const struct dycuckoo_table *t)
{
    return t->spill && (ledger_lags(&t->base.ledger) || t->spilled || t->base.backend->capturing);
}

/* Launches the kernel on the spill list over n items.  The batch is in the arguments. */
static roost_status spill_launch(struct dycuckoo_table *t, struct dycuckoo_args *args, enum dycuckoo_spill_role role, uint64_t n)
{
    struct dycuckoo_words *words = dycuckoo_words(t);
    args->spilling.list = &words->spill;
    args->spilling.entries = t->spill ? &t->spill->entries : NULL;
    args->spilling.shape = t->base.shape;
    args->spilling.role = role;
    args->spilling.all_n = &words->all_n;
    args->spilling.parked = &words->base.parked_n[PASS_FILL];
    return backend_launch(t->base.backend, t->base.kernel[DYCUCKOO_spill], args, sizeof *args, n);
}

roost_status dycuckoo_batch_launch(struct dycuckoo_table *t, const struct kernel *k, struct dycuckoo_args *args,
                                   enum dycuckoo_spill_role role)
{
    const uint64_t n = args->batch.n;
    const roost_status status = backend_launch(t->base.backend, k, args, sizeof *args, n);
    return status || !dycuckoo_may_hold(t) ? status : spill_launch(t, args, role, n);
}

/* ---- Inserts --------------------------------------------------------------------------------- */

/* Launches one pass, which counts in parked_n[pass] the items that it parks. */
static roost_status pass_launch(struct dycuckoo_table *t, int operation, struct dycuckoo_args *args, int pass,
                                struct source *source)
{
    lists_pass(&t->base.lists, &args->batch, source, pass);
    return backend_launch(t->base.backend, t->base.kernel[operation], args, sizeof *args, source->n);
}

/* Updates the keys that are in the spill list, and leaves the rest of the batch to the two fills
 * that follow.  If the list was empty, which only the device knows, the first fill has the whole
 * batch; else the second one has a list of items.  The other one has no items. */
static roost_status join_launch(struct dycuckoo_table *t, struct dycuckoo_args *args, struct source *source)
{
    struct source all = {NULL, &dycuckoo_words(t)->all_n, source->n};
    args->batch.order = NULL;
    args->batch.order_n = NULL;
    args->batch.leftover = t->base.lists.list[1];
    args->batch.leftover_n = &table_words(&t->base)->parked_n[PASS_JOIN];
    args->batch.n = source->n;
    source->order = args->batch.leftover;
    source->order_n = args->batch.leftover_n;
    const roost_status status = spill_launch(t, args, SPILL_JOIN, source->n);
    return status ? status : pass_launch(t, DYCUCKOO_fill, args, PASS_FILL, &all);
}

/* The passes from `first` to `last`.  PASS_EVICT: no item has room without a move or a match. */
static roost_status passes_launch(struct dycuckoo_table *t, struct dycuckoo_args *args, int first, int last, struct source *source)
{
    struct backend *b = t->base.backend;
    const uint64_t parked_most = args->batch.parked_most, claims = (source->n * DYCUCKOO_CLAIM_BITS + 31) / 32;
    args->batch.parked_most = 0; /* all but the last pass park many items */
    args->view.claims = (uint32_t *)t->base.lists.extra;
    args->view.claim_bits = (uint32_t)(claims * 32);
    roost_status status = lists_clear(&t->base.lists);
    if (!status && t->base.shape.word && last >= PASS_EVICT) status = b->operations->fill(b, args->view.claims, 0, claims * 4);
    if (!status && first == PASS_JOIN) status = join_launch(t, args, source);
    if (!status && first <= PASS_FILL) status = pass_launch(t, DYCUCKOO_fill, args, PASS_FILL, source);
    if (!status && last >= PASS_EVICT) status = pass_launch(t, DYCUCKOO_evict, args, PASS_EVICT, source);
    args->batch.parked_most = parked_most;
    if (!status && last >= PASS_PATH) status = pass_launch(t, DYCUCKOO_path, args, PASS_PATH, source);
    return status;
}

roost_status dycuckoo_passes(struct dycuckoo_table *t, const struct batch *batch, int first, int last, struct source *source)
{
    struct dycuckoo_args args = dycuckoo_batch_args(t, batch);
    const roost_status status = lists_permits(&t->base.lists, dycuckoo_left(t), source->n, &args.view.permits);
    return status ? status : passes_launch(t, &args, first, last, source);
}

roost_status dycuckoo_passes_enqueue(struct dycuckoo_table *t, const struct batch *piece)
{
    struct source items = {NULL, NULL, piece->n};
    struct dycuckoo_args args = dycuckoo_batch_args(t, piece);
    const roost_status status = passes_launch(t, &args, dycuckoo_may_hold(t) ? PASS_JOIN : PASS_FILL, PASS_PATH, &items);
    args.batch.order = NULL;
    args.batch.order_n = NULL;
    args.batch.leftover = NULL;
    args.spilling.order = items.order;
    args.spilling.order_n = items.order_n;
    return status ? status : spill_launch(t, &args, SPILL_PUT, piece->n);
}

/* The lists are the residuals' own, for items of the call at hand may wait in the table's. */
roost_status dycuckoo_evict_all(struct dycuckoo_table *t, const struct dycuckoo_args *args, uint64_t *unplaced)
{
    const struct lists kept = t->base.lists;
    struct lists *const own = &t->base.lists;
    struct dycuckoo_args pass = *args;
    struct source all = {NULL, NULL, args->batch.n};
    struct counters since;
    if (t->base.shape.word && all.n > UINT32_MAX / DYCUCKOO_CLAIM_BITS - 2)
        return error_set(t->base.error, ROOST_ERR_MEMORY, "more than 2^28 residuals in one step");
    memset(own, 0, sizeof *own);
    roost_status status = lists_begin(own, &t->base, all.n, all.n, kept.extra_bytes);
    if (!status) {
        t->resizing = args->view.excluded; /* until it is done or undone */
        status = passes_launch(t, &pass, PASS_EVICT, PASS_PATH, &all);
    }
    if (!status) status = ledger_read(&t->base.ledger, &since);
    if (!status) *unplaced = own->waiting[PASS_PATH];
    lists_release(own);
    *own = kept;
    return status;
}

roost_status dycuckoo_insert_all(struct dycuckoo_table *t, const void *keys, const void *values, uint64_t n, uint64_t *left)
{
    const struct batch whole = batch_of_pairs(&t->base, keys, values, n);
    *left = 0;
    for (uint64_t done = 0; done < n;) {
        struct counters since;
        struct source items = {NULL, NULL, lists_piece(&t->base.lists, n - done)};
        const struct batch part = batch_slice(&t->base, &whole, done, items.n);
        done += items.n;
        roost_status status = dycuckoo_passes(t, &part, PASS_FILL, PASS_PATH, &items);
        if (!status) status = ledger_read(&t->base.ledger, &since);
        if (status) return status;
        *left += t->base.lists.waiting[PASS_PATH];
    }
    return ROOST_OK;
}

/* ---- Estimates ------------------------------------------------------------------------------- */

roost_status dycuckoo_distinct(struct engine_table *table, const struct batch *batch, struct distinct_bounds *bounds)
{
    struct dycuckoo_table *t = dycuckoo_of(table);
    struct dycuckoo_args args = dycuckoo_batch_args(t, batch);
    const struct estimate e = {t->base.kernel[DYCUCKOO_estimate], &args, sizeof args, &args.batch, &args.transfer.estimate};
    return estimate_distinct(&t->base, &e, t->view.seeds.a[0], bounds);
}
