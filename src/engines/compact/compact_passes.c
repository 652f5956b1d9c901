/* compact's passes over the items of a batch.  They decide nothing about the table's size. */
#include <string.h>

#include "engines/compact/compact_table.h"

roost_status compact_turn(struct compact_table *t)
{
    struct compact_args args;
    memset(&args, 0, sizeof args);
    args.transfer.turns = true;
    return compact_launch_over(t, t->base.kernel[COMPACT_tidy], &args, 1);
}

/* NULL: shapes without displacements have no second pass, and a host needs none: there a search
 * mostly ends at a line that was loaded ahead. */
static const struct kernel *kernel_of(const struct compact_table *t, const struct batch *batch, enum compact_pass pass)
{
    if (pass == PASS_DISPLACE) return t->base.backend->ordinal < 0 ? NULL : t->base.kernel[COMPACT_displace];
    if (pass == PASS_EVICT) return t->base.kernel[COMPACT_evict];
    return t->base.kernel[batch->operations ? COMPACT_apply : COMPACT_insert];
}

/* Builds the batch into the table by region, where that pays.  The items that it parks become the
 * source, and perhaps the batch.  Without memory for its columns the batch stays as it is.
 * vacant: the table has no key, and none is on its way. */
static roost_status build_launch(struct compact_table *t, const struct lists *lists, struct batch *batch, bool vacant,
                                 struct source *source, struct compact_spilled *spill)
{
    const struct error_mark before = error_keep(t->base.error);
    const struct source whole = *source;
    struct batch items = *batch;
    if (source->order || spill->memory || !compact_builds(t, batch)) return ROOST_OK;
    lists_pass(lists, &items, source, PASS_BUILD);
    const roost_status status = compact_build_enqueue(t, &items, vacant, spill);
    if (spill->memory) source->order = NULL, batch->keys = items.keys, batch->values_in = items.values_in;
    if (status != ROOST_ERR_MEMORY) return status;
    error_restore(&before);
    *source = whole;
    return ROOST_OK;
}

/* The insertion keeps the memory of its items. */
static roost_status piece_build(struct insertion *in)
{
    struct compact_table *t = compact_of(in->table);
    struct batch piece = source_batch(&in->items, &in->batch);
    struct compact_spilled spill = {in->memory, in->memory_bytes};
    roost_status status = lists_clear(&in->table->lists);
    if (!status) status = build_launch(t, &in->table->lists, &piece, compact_is_vacant(t, 0), &in->items, &spill);
    in->memory = spill.memory, in->memory_bytes = spill.bytes;
    in->batch.keys = piece.keys, in->batch.values_in = piece.values_in;
    return status || !in->items.order_n ? status : insertion_take(in, PASS_BUILD);
}

/* Launches a pass over the items; those that it parks become the items. */
static roost_status pass_launch(struct insertion *in, enum compact_pass pass)
{
    struct compact_table *t = compact_of(in->table);
    struct compact_args args = compact_batch_args(t, &in->batch);
    const roost_status status = lists_permits(&in->table->lists, compact_left(t), in->items.n, &args.view.permits);
    /* The other passes work little on each item. */
    if (pass != PASS_EVICT) args.batch.parked_most = 0;
    lists_pass(&in->table->lists, &args.batch, &in->items, pass);
    args.batch.park_status = in->batch.park_status;
    return status ? status : backend_launch(t->base.backend, kernel_of(t, &in->batch, pass), &args, sizeof args, args.batch.n);
}

/* The second pass runs before the third one, or behind the first one where nothing is to be decided
 * between them: the host need not know what was parked.  Where permits bound the keys, items take
 * one in the third pass. */
static bool displaces(const struct insertion *in, enum compact_pass pass, bool roomy)
{
    const struct compact_table *t = compact_of_const(in->table);
    if (!kernel_of(t, &in->batch, PASS_DISPLACE)) return false;
    return pass == PASS_EVICT ? compact_left(t) >= in->items.n : roomy;
}

roost_status compact_piece_pass(struct insertion *in, enum compact_pass pass, bool roomy)
{
    struct compact_table *t = compact_of(in->table);
    roost_status status = pass == PASS_FILL ? piece_build(in) : ROOST_OK;
    if (status || !in->items.n) return status;
    status = lists_clear(&in->table->lists);
    if (!status && pass == PASS_FILL && in->batch.operations) status = compact_turn(t);
    enum compact_pass last = pass;
    const bool more = displaces(in, pass, roomy);
    if (!status && pass == PASS_EVICT && more) status = pass_launch(in, PASS_DISPLACE);
    if (!status) status = pass_launch(in, pass);
    if (!status && pass == PASS_FILL && more) status = pass_launch(in, last = PASS_DISPLACE);
    return status ? status : insertion_take(in, last);
}

/* The passes over the items of `source`.  The table's own lists serve an enqueued call, whose
 * items without room go to the stash, or end in the second pass.  A move brings its own lists:
 * their items without room become the new source, unless the stash had keys before. */
static roost_status passes_launch(struct compact_table *t, const struct lists *lists, const struct batch *batch, bool vacant,
                                  struct source *source)
{
    struct backend *b = t->base.backend;
    const bool of_call = lists == &t->base.lists;
    struct compact_spilled spill = {NULL, 0};
    struct batch items = *batch;
    roost_status status = lists_clear(lists);
    if (!status && batch->operations) status = compact_turn(t);
    if (!status) status = build_launch(t, lists, &items, vacant, source, &spill);
    for (int pass = PASS_FILL; !status && pass <= PASS_EVICT; pass++) {
        struct compact_args args = compact_batch_args(t, &items);
        const struct kernel *const k = kernel_of(t, &items, (enum compact_pass)pass);
        if (!k) continue;
        if (pass != PASS_EVICT || !of_call) lists_pass(lists, &args.batch, source, pass);
        else args.batch = source_batch(source, &args.batch);
        args.view.stashes = pass == PASS_EVICT && (of_call || t->stashed);
        status = of_call ? backend_launch(b, k, &args, sizeof args, args.batch.n)
                         : b->operations->launch(b, k, &args, sizeof args, args.batch.n);
    }
    compact_spill_release(t, &spill);
    return status;
}

roost_status compact_passes_enqueue(struct compact_table *t, const struct batch *piece, bool vacant)
{
    struct source items = {NULL, NULL, piece->n};
    return passes_launch(t, &t->base.lists, piece, vacant, &items);
}

roost_status compact_insert_all(struct compact_table *t, struct lists *lists, const void *keys, const void *values, uint64_t n,
                                uint64_t *left)
{
    const uint64_t count = t->count;
    const struct batch whole = batch_of_pairs(&t->base, keys, values, n);
    struct counters since;
    roost_status status = ROOST_OK;
    for (uint64_t done = 0, size; !status && done < n; done += size) {
        size = lists_piece(lists, n - done);
        struct source items = {NULL, NULL, size};
        const struct batch part = batch_slice(&t->base, &whole, done, size);
        status = passes_launch(t, lists, &part, false, &items);
        if (!status) status = ledger_read(&t->base.ledger, &since);
        if (!status) *left += t->base.lists.waiting[PASS_EVICT];
    }
    t->count = count;
    return status;
}

roost_status compact_stash_move(struct compact_table *t, const struct compact_view *to, uint64_t *left)
{
    struct backend *b = t->base.backend;
    struct batch entries;
    struct counters since;
    memset(&entries, 0, sizeof entries);
    entries.counters = t->base.ledger.words;
    entries.n = t->view.stash_entries;
    struct compact_args args = compact_batch_args(t, &entries);
    args.transfer.drains = true;
    args.transfer.from = t->view;
    args.view.stash = to->stash;
    args.view.stash_entries = to->stash_entries;
    args.view.stashes = true;
    roost_status status = b->operations->launch(b, t->base.kernel[COMPACT_evict], &args, sizeof args, entries.n);
    if (!status) status = ledger_read(&t->base.ledger, &since);
    *left = status ? 0 : since.failed;
    return status;
}

roost_status compact_distinct(struct engine_table *table, const struct batch *batch, struct distinct_bounds *bounds)
{
    struct compact_table *t = compact_of(table);
    struct compact_args args = compact_batch_args(t, batch);
    const struct estimate e = {table->kernel[COMPACT_estimate], &args, sizeof args, &args.batch, &args.transfer.estimate};
    args.batch.parked_most = 0; /* it parks no item */
    return estimate_distinct(table, &e, t->view.seeds.a[0], bounds);
}
