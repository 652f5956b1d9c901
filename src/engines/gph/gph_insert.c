/* GPH's inserts: when a batch makes the table grow, and what happens to items without room. */
#include "engines/gph/gph_table.h"

enum { AMPLE_OVERFLOW = 8 /* overflow buckets that chance does not fill */ };

static roost_status insertion_distinct(struct engine_table *table, const struct batch *batch, uint64_t *least)
{
    return gph_distinct_least(gph_of(table), batch, least);
}

static roost_status insertion_run(struct insertion *in) { return gph_piece_passes(in, PASS_FILL, PASS_FINISH); }

/* Grows by at least one step, and until the distinct keys of the waiting items fit: all are new.
 * If the stored keys collide at every size, or the table is made for all of them, the items wait
 * for other seeds. */
static roost_status insertion_provide(struct insertion *in)
{
    struct gph_table *t = gph_of(in->table);
    const struct batch waiting = source_batch(&in->items, &in->batch);
    const struct error_mark before = error_keep(t->base.error);
    uint64_t least;
    if (!t->base.growth) return gph_make_way(in);
    roost_status status = gph_distinct_least(t, &waiting, &least);
    const bool may_wait = !status && !in->colliding && policy_may_reseed(&t->base);
    if (may_wait && policy_may_reseed_once(&t->base) && gph_count(&t->base) + least <= t->room_keys) status = ROOST_ERR_FULL;
    else if (!status) status = gph_enlarge(t, gph_count(&t->base) + least, true);
    if (status != ROOST_ERR_FULL || !may_wait) return status;
    in->colliding = true;
    error_restore(&before);
    return ROOST_OK;
}

/* Grows before a pass over a batch if the table is guaranteed to hold too many keys after it: those
 * of the batch, and, if these are all new (`fresh`), the stored ones.  *grown: the table grew. */
static roost_status enlarge_ahead(struct gph_table *t, const struct batch *batch, bool fresh, bool *grown)
{
    const uint64_t count = gph_count(&t->base);
    uint64_t least;
    *grown = false;
    if (!t->base.growth || ledger_refused(&t->base.ledger) || gph_fits(t, count + batch->n)) return ROOST_OK;
    roost_status status = gph_distinct_least(t, batch, &least);
    const uint64_t keys = fresh ? count + least : least;
    if (status || gph_fits(t, keys > count ? keys : count)) return status;
    const struct error_mark before = error_keep(t->base.error);
    status = gph_enlarge(t, keys, false);
    *grown = !status;
    if (status != ROOST_ERR_FULL) return status;
    error_restore(&before); /* the items' own passes will show whether they find room */
    return ROOST_OK;
}

/* Was a table that is to grow for n more keys refused memory for that? */
static bool is_overrun(const struct gph_table *t, uint64_t n)
{
    return t->base.growth && ledger_refused(&t->base.ledger) && !gph_fits(t, gph_count(&t->base) + n);
}

/* The second pass over the items that the first one parked.  If they are guaranteed to be too many,
 * the table grows and the first pass runs again.  *refused: memory for that was refused.  Then a
 * search for each of them would take a hundred times as long as refusing those that a full table
 * refuses. */
static roost_status insertion_refine(struct insertion *in, bool *refused)
{
    const struct error_mark before = error_keep(in->table->error);
    const struct batch waiting = source_batch(&in->items, &in->batch);
    struct gph_table *t = gph_of(in->table);
    bool grown, swamped;
    *refused = false;
    roost_status status = insertion_swamped(in, in->batch.n, &swamped);
    if (status || !in->items.n || swamped) return status;
    status = error_forgive_memory(&before, enlarge_ahead(t, &waiting, true, &grown));
    *refused = !status && is_overrun(t, in->items.n);
    if (status || *refused) return status;
    insertion_hasten(in);
    return gph_piece_passes(in, grown ? PASS_FILL : PASS_REFINE, PASS_FINISH);
}

static roost_status piece_insert(struct insertion *in)
{
    bool refused = false;
    roost_status status = gph_piece_passes(in, PASS_FILL, PASS_FILL);
    in->table->stats.parked += in->items.n;
    if (!status) status = insertion_refine(in, &refused);
    if (status) return status;
    return refused ? gph_insert_refused(in) : insertion_finish(in);
}

roost_status gph_write_piece(struct engine_table *table, const struct write *w, struct progress *p)
{
    const struct error_mark before = error_keep(table->error);
    const struct gph_table *t = gph_of_const(table);
    const uint64_t rest = w->batch->n - p->done;
    const bool tight = gph_is_tight(t, rest), doubted = tight && gph_count(table) < t->room_keys && policy_doubts(table);
    /* A table that may be reseeded is first filled as far as it was made for. */
    const uint64_t n = lists_piece(&table->lists, doubted ? t->room_keys - gph_count(table) : rest);
    struct insertion in = {.table = table,
                           .batch = batch_slice(table, w->batch, p->done, n),
                           .items = {NULL, NULL, n},
                           .run = insertion_run,
                           .provide = insertion_provide,
                           .distinct = insertion_distinct};
    bool grown;
    p->done += n;
    if (tight && !doubted) return table->growth ? gph_insert_refused(&in) : gph_insert_tight(&in);
    roost_status status = error_forgive_memory(&before, enlarge_ahead(gph_of(table), &in.batch, false, &grown));
    if (!status) status = piece_insert(&in);
    if (status == ROOST_ERR_MEMORY) gph_filled(gph_of(table));
    return status;
}

/* True if every item finds room, except where neither a mapping nor the overflow store has any. */
bool gph_has_room(const struct engine_table *table, const struct write *w)
{
    const struct gph_table *t = gph_of_const(table);
    if (table->growth && (gph_over_full(t) || t->view.overflow_count < AMPLE_OVERFLOW)) return false;
    return gph_fits(t, gph_count(table) + table->ledger.coming + w->batch->n);
}

roost_status gph_enqueue(struct engine_table *table, const struct write *w, const struct batch *piece)
{
    (void)w;
    return gph_passes_enqueue(gph_of(table), piece);
}
