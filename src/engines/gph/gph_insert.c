/* GPH's inserts: when a batch makes the table grow, and what happens to items without room. */
#include "engines/gph/gph_table.h"

enum { AMPLE_OVERFLOW = 8 /* overflow buckets that chance does not fill */ };

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
    roost_status status = estimate_least(in->table, gph_distinct, &waiting, &least);
    const bool may_wait = !status && !in->colliding && policy_may_reseed(&t->base);
    if (may_wait && policy_may_reseed_once(&t->base) && gph_count(&t->base) + least <= t->room_keys) status = ROOST_ERR_FULL;
    else if (!status) status = gph_enlarge(t, gph_count(&t->base) + least, true);
    if (status != ROOST_ERR_FULL || !may_wait) return status;
    in->colliding = true;
    error_restore(&before);
    return ROOST_OK;
}

/* Grows before a pass over a batch if the table is guaranteed to hold too many keys after it: those
 * of the batch, and, if these are all new (`fresh`), the stored ones.  *grown: the table grew.
 * That it could not is no failure: the items' own passes will show whether they find room. */
static roost_status enlarge_ahead(struct gph_table *t, const struct batch *batch, bool fresh, bool *grown)
{
    const struct error_mark before = error_keep(t->base.error);
    const uint64_t count = gph_count(&t->base);
    uint64_t least;
    *grown = false;
    if (!t->base.growth || ledger_refused(&t->base.ledger) || gph_fits(t, count + batch->n)) return ROOST_OK;
    roost_status status = estimate_least(&t->base, gph_distinct, batch, &least);
    const uint64_t keys = fresh ? count + least : least;
    if (!status && gph_fits(t, keys > count ? keys : count)) return ROOST_OK;
    if (!status) status = gph_enlarge(t, keys, false), *grown = !status;
    if (!status_of_items(status)) return status;
    error_restore(&before);
    return ROOST_OK;
}

/* Was a table that is to grow for n more keys refused memory for that? */
static bool is_overrun(const struct gph_table *t, uint64_t n)
{
    return t->base.growth && ledger_refused(&t->base.ledger) && !gph_fits(t, gph_count(&t->base) + n);
}

/* The second pass over those of `tried` items that the first one parked.  If they are guaranteed to
 * be too many, the table grows and the first pass runs again.  *refused: memory for that was
 * refused.  Then a search for each of them would take a hundred times as long as refusing those
 * that a full table refuses. */
static roost_status insertion_refine(struct insertion *in, uint64_t tried, bool *refused)
{
    const struct batch waiting = source_batch(&in->items, &in->batch);
    struct gph_table *t = gph_of(in->table);
    bool grown, swamped;
    *refused = false;
    roost_status status = insertion_swamped(in, tried, &swamped);
    if (status || !in->items.n || swamped) return status;
    status = enlarge_ahead(t, &waiting, true, &grown);
    *refused = !status && is_overrun(t, in->items.n);
    if (status || *refused) return status;
    insertion_hasten(in);
    return gph_piece_passes(in, grown ? PASS_FILL : PASS_REFINE, PASS_FINISH);
}

static roost_status items_insert(struct insertion *in)
{
    const uint64_t n = in->items.n;
    bool refused = false;
    roost_status status = gph_piece_passes(in, PASS_FILL, PASS_FILL);
    in->table->stats.parked += in->items.n;
    if (!status) status = insertion_refine(in, n, &refused);
    if (!status) status = refused ? gph_insert_refused(in) : insertion_finish(in);
    if (status == ROOST_ERR_MEMORY) gph_filled(gph_of(in->table));
    return status;
}

/* A table that may be reseeded is first filled as far as it was made for: an item without room is a
 * sign of colliding keys as long as there is room for all that are tried.  Stored keys need none:
 * their items are updated first. */
static roost_status doubted_split(struct insertion *in)
{
    const uint64_t room_keys = gph_of(in->table)->room_keys;
    const roost_status status = gph_piece_update(in);
    uint64_t keys;
    if (status || !in->items.n) return status;
    if (gph_count(in->table) < room_keys) return insertion_split(in, room_keys - gph_count(in->table), &in->rest, &keys);
    in->rest = in->items; /* the vacant key, which has a slot of its own, was new */
    in->items.n = 0;
    return ROOST_OK;
}

/* Grows before the passes over the piece where that is due. */
static roost_status piece_insert(struct insertion *in)
{
    const struct batch items = source_batch(&in->items, &in->batch);
    bool grown;
    const roost_status status = enlarge_ahead(gph_of(in->table), &items, false, &grown);
    return status ? status : items_insert(in);
}

/* Inserts the next items of a piece: all of them, or those that the table was made for. */
static roost_status next_insert(struct insertion *in)
{
    struct engine_table *table = in->table;
    const struct gph_table *t = gph_of(table);
    if (!gph_is_tight(t, in->items.n)) return piece_insert(in);
    if (gph_count(table) >= t->room_keys || !policy_doubts(table))
        return table->growth ? gph_insert_refused(in) : gph_insert_tight(in);
    const roost_status status = doubted_split(in);
    return status || !in->items.n ? status : items_insert(in);
}

/* Inserts the rest of a piece, until items wait for other seeds.  Keeps a failure of items. */
static roost_status rest_insert(struct insertion *in)
{
    roost_status status = ROOST_OK;
    while (!status && in->rest.n && !in->table->waiting) {
        in->items = in->rest;
        in->rest.n = 0;
        insertion_anew(in);
        status = next_insert(in);
        if (!status_of_items(status)) continue;
        in->failure = status;
        status = ROOST_OK;
    }
    return status ? status : in->failure;
}

roost_status gph_write_piece(struct engine_table *table, const struct write *w, struct progress *p)
{
    const uint64_t n = lists_piece(&table->lists, w->batch->n - p->done);
    struct insertion in = {.table = table,
                           .batch = batch_slice(table, w->batch, p->done, n),
                           .rest = {NULL, NULL, n},
                           .run = insertion_run,
                           .provide = insertion_provide,
                           .distinct = gph_distinct};
    p->done += n;
    return rest_insert(&in);
}

roost_status gph_resume(struct engine_table *table, struct progress *p)
{
    struct insertion in = insertion_recall(table);
    const roost_status status = insertion_continue(&in, p);
    if (status_of_items(status)) in.failure = status;
    return status && !status_of_items(status) ? status : rest_insert(&in);
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
