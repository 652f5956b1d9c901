/* compact's inserts: when a batch makes the table grow, and what happens to items without room. */
#include "engines/compact/compact_table.h"

static bool fits(const struct compact_table *t, uint64_t keys) { return policy_is_within(&t->base, keys, compact_slots(&t->base)); }

static roost_status both_passes(struct insertion *in)
{
    const roost_status status = compact_piece_pass(in, PASS_FILL, false);
    return status || !in->items.n ? status : compact_piece_pass(in, PASS_EVICT, false);
}

static roost_status insertion_run(struct insertion *in)
{
    const uint64_t fresh = in->fresh;
    const roost_status status = both_passes(in);
    return status || in->table->growth ? status : insertion_repeat(in, fresh, both_passes);
}

/* Ends the insert of a piece into a table that does not grow, where permits bound the passes. */
static roost_status fixed_finish(struct insertion *in)
{
    const roost_status status = insertion_repeat(in, 0, both_passes);
    if (status || !in->items.n) return status;
    return compact_left(compact_of(in->table)) ? insertion_finish(in) : insertion_full(in);
}

/* Grows by at least one step, and until the distinct keys of the waiting items fit: all are new.
 * If the stored keys collide at every size, or the table is made for all of them, the items wait
 * for other seeds. */
static roost_status insertion_provide(struct insertion *in)
{
    struct compact_table *t = compact_of(in->table);
    const struct batch waiting = source_batch(&in->items, &in->batch);
    const struct error_mark before = error_keep(t->base.error);
    uint64_t least;
    if (!t->base.growth) return insertion_full(in);
    roost_status status = estimate_least(in->table, compact_distinct, &waiting, &least);
    const bool may_wait = !status && !in->colliding && policy_may_reseed(&t->base);
    if (may_wait && policy_may_reseed_once(&t->base) && t->count + least <= t->room_keys) status = ROOST_ERR_FULL;
    else if (!status) status = compact_enlarge(t, t->count + least, true);
    if (status != ROOST_ERR_FULL || !may_wait) return status;
    in->colliding = true;
    error_restore(&before);
    return ROOST_OK;
}

/* Grows before a pass over items if the table is guaranteed to hold too many keys after it: those
 * of the items, and, if these are all new (`fresh`), the stored ones.  *grown: the table grew.
 * That it could not is no failure: the items' own passes will show whether they find room.  How
 * many items of a mixed batch insert is not known before the first pass. */
static roost_status enlarge_ahead(struct insertion *in, bool fresh, bool *grown)
{
    struct compact_table *t = compact_of(in->table);
    const struct batch items = source_batch(&in->items, &in->batch);
    const struct error_mark before = error_keep(t->base.error);
    const uint64_t stored = fresh ? t->count : 0;
    uint64_t least;
    *grown = false;
    if (!t->base.growth || ledger_refused(&t->base.ledger) || fits(t, larger64(stored + items.n, t->count))) return ROOST_OK;
    if (items.operations && !fresh) return ROOST_OK;
    roost_status status = estimate_least(&t->base, compact_distinct, &items, &least);
    if (!status && fits(t, larger64(stored + least, t->count))) return ROOST_OK;
    if (!status) status = compact_enlarge(t, stored + least, false), *grown = !status;
    if (!status_of_items(status)) return status;
    error_restore(&before);
    return ROOST_OK;
}

/* The second pass over those of `tried` items that the first one parked.  If these are guaranteed
 * to be too many, the table grows, and the first pass runs again. */
static roost_status items_refine(struct insertion *in, uint64_t tried)
{
    bool grown, swamped;
    roost_status status = insertion_swamped(in, tried, &swamped);
    if (status || !in->items.n || swamped) return status;
    status = enlarge_ahead(in, true, &grown);
    if (status) return status;
    insertion_hasten(in);
    return grown ? both_passes(in) : compact_piece_pass(in, PASS_EVICT, false);
}

/* Releases the arrays of an insertion's items, unless they wait for other seeds. */
static void memory_release(const struct insertion *in)
{
    const struct compact_spilled spill = {in->memory, in->memory_bytes};
    if (!in->table->waiting) compact_spill_release(compact_of(in->table), &spill);
}

roost_status compact_write_piece(struct engine_table *table, const struct write *w, struct progress *p)
{
    const uint64_t n = lists_piece(&table->lists, w->batch->n - p->done);
    struct insertion in = {.table = table,
                           .batch = batch_slice(table, w->batch, p->done, n),
                           .items = {NULL, NULL, n},
                           .run = insertion_run,
                           .provide = insertion_provide,
                           .distinct = compact_distinct};
    bool grown;
    p->done += n;
    roost_status status = enlarge_ahead(&in, false, &grown);
    const bool roomy = table->growth && fits(compact_of(table), compact_of(table)->count + n);
    if (!status) status = compact_piece_pass(&in, PASS_FILL, roomy);
    table->stats.parked += table->lists.waiting[PASS_FILL];
    if (!status && in.items.n && (table->growth || compact_left(compact_of(table)))) status = items_refine(&in, n);
    if (!status) status = table->growth ? insertion_finish(&in) : fixed_finish(&in);
    p->fresh += in.fresh;
    memory_release(&in);
    return status;
}

roost_status compact_resume(struct engine_table *table, struct progress *p)
{
    struct insertion in = insertion_recall(table);
    const roost_status status = insertion_continue(&in, p);
    memory_release(&in);
    return status;
}

/* Up to its bound a table has room for random keys.  Keys in the stash of one that may grow are a
 * reason to wait: the call settles it. */
bool compact_has_room(const struct engine_table *table, const struct write *w)
{
    const struct compact_table *t = compact_of_const(table);
    const uint64_t keys = t->count + table->ledger.coming + w->batch->n;
    if (table->growth && t->stashed) return false;
    return fits(t, keys) && (double)keys <= 0.9 * compact_reach(table->shape.slots) * (double)compact_slots(table);
}

roost_status compact_enqueue(struct engine_table *table, const struct write *w, const struct batch *piece)
{
    struct compact_table *t = compact_of(table);
    const bool first = piece->keys == w->batch->keys;
    return compact_passes_enqueue(t, piece, first && compact_is_vacant(t, w->batch->n));
}
