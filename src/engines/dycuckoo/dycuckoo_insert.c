/* DyCuckoo's inserts: when a batch makes the table grow, what becomes of items that find no room,
 * and how the spill list is emptied. */
#include "engines/dycuckoo/dycuckoo_table.h"

/* The fill up to which a batch's items find room: asynchronous calls go no higher. */
#define ASYNCHRONOUS_FILL 0.9

enum { STEPWISE = 1024 /* waiting items for which one growth step at a time is soon enough */ };

/* ---- Items of one piece ---------------------------------------------------------------------- */

/* Runs some passes over the items, and takes their results into the statistics. */
static roost_status run_some(struct insertion *in, int first, int last)
{
    const roost_status status = dycuckoo_passes(dycuckoo_of(in->table), &in->batch, first, last, &in->items);
    return status ? status : insertion_take(in, last);
}

static bool may_grow(const struct dycuckoo_table *t) { return t->base.growth && !ledger_refused(&t->base.ledger); }

/* Did searches for paths end early, because many were in vain?  Then the table grows before the
 * others: they may be for as many copies of one key. */
static bool grows_next(const struct insertion *in) { return in->thorough && may_grow(dycuckoo_of(in->table)); }

/* Is the first of the passes waited for?  For few items the wait costs a GPU more than passes over
 * items that find no room; and where the fill tells nothing of collisions, none are looked for. */
static bool waits_for_fill(const struct insertion *in)
{
    enum { FEW = 1 << 14 };
    if (!in->table->backend->operations->enqueues || !dycuckoo_left(dycuckoo_of(in->table)) || grows_next(in)) return true;
    return in->items.n >= FEW && insertion_may_swamp(in);
}

/* *vain: the other passes place nothing, because the table is full, or search for paths in vain,
 * because the first one found room for far too few of n items. */
static roost_status searches_are_vain(const struct insertion *in, uint64_t n, bool *vain)
{
    *vain = !in->items.n || !dycuckoo_left(dycuckoo_of(in->table)) || grows_next(in);
    return *vain ? ROOST_OK : insertion_swamped(in, n, vain);
}

/* The passes from `first` on.  *parked: items that the first one parked. */
static roost_status run_all(struct insertion *in, int first, uint64_t *parked)
{
    const uint64_t n = in->items.n;
    const bool waits = waits_for_fill(in);
    bool vain;
    if (!waits) insertion_hasten(in);
    roost_status status = run_some(in, first, waits ? PASS_FILL : PASS_PATH);
    *parked = in->table->lists.waiting[PASS_FILL];
    if (status || !waits) return status;
    status = searches_are_vain(in, n, &vain);
    if (status || vain) return status;
    insertion_hasten(in);
    return run_some(in, PASS_EVICT, PASS_PATH);
}

static roost_status fill_again(struct insertion *in) { return run_some(in, PASS_FILL, PASS_FILL); }

static roost_status run_from(struct insertion *in, int first, uint64_t *parked)
{
    const uint64_t left = dycuckoo_left(dycuckoo_of(in->table)), n = in->items.n;
    const roost_status status = run_all(in, first, parked);
    return status || !left || left >= n ? status : insertion_repeat(in, UINT64_MAX, fill_again);
}

static roost_status run_passes(struct insertion *in)
{
    uint64_t parked;
    return run_from(in, PASS_FILL, &parked);
}

/* Grows by one step at least, and by as many as the waiting items' distinct keys need, which are
 * all new: a search for paths in a table that is too small takes long. */
static roost_status provide_room(struct insertion *in)
{
    struct dycuckoo_table *t = dycuckoo_of(in->table);
    const struct batch waiting = source_batch(&in->items, &in->batch);
    struct distinct_bounds distinct = {0, (double)in->items.n};
    roost_status status = ROOST_OK;
    if (!t->base.growth) return insertion_full(in);
    in->thorough = false; /* a larger table is searched again */
    if (in->items.n >= STEPWISE) status = dycuckoo_distinct(in->table, &waiting, &distinct);
    const double keys = (double)dycuckoo_count(&t->base) + distinct.least;
    if (!status) status = dycuckoo_enlarge(t, (uint64_t)keys, !policy_over_full(&t->base));
    while (!status && keys > t->base.max_fill * (double)dycuckoo_slots(&t->base))
        status = dycuckoo_enlarge(t, (uint64_t)keys, true);
    return status;
}

static struct insertion insertion_of(struct engine_table *table, const struct batch *batch)
{
    const struct insertion in = {.table = table,
                                 .batch = *batch,
                                 .items = {NULL, NULL, batch->n},
                                 .run = run_passes,
                                 .provide = provide_room,
                                 .distinct = dycuckoo_distinct};
    return in;
}

/* Other weights would make a tidy table untidy, and it does not need them. */
static roost_status insert_items(struct insertion *in)
{
    struct dycuckoo_table *t = dycuckoo_of(in->table);
    if (!t->view.tidy) dycuckoo_set_weights(t);
    uint64_t parked;
    const roost_status status = run_from(in, dycuckoo_may_hold(t) ? PASS_JOIN : PASS_FILL, &parked);
    if (status) return status;
    t->base.stats.parked += parked;
    t->base.stats.spilled += in->items.n;
    return insertion_finish(in);
}

/* ---- Chunks ---------------------------------------------------------------------------------- */

/* An upper bound of the new keys among the chunk's remaining items. */
static double chunk_new(const struct dycuckoo_chunk *c)
{
    const double remaining = (double)(c->n - c->done), unseen = c->distinct.most - (double)c->fresh;
    return unseen < remaining ? (unseen > 1 ? unseen : 1) : remaining;
}

/* New keys that are guaranteed to find room: within a batch the fill may pass the upper bound half
 * way to full. */
static double chunk_room(const struct dycuckoo_table *t)
{
    return (1 + t->base.max_fill) / 2 * (double)dycuckoo_slots(&t->base) - (double)dycuckoo_count(&t->base);
}

/* If the chunk may not fit: estimates a lower bound (99.997 %) of its distinct keys and grows for
 * that many now.  Not for more: the keys may already be stored.  Where memory is refused, the items
 * may find room nevertheless. */
static roost_status chunk_prepare(struct dycuckoo_table *t, const struct batch *batch)
{
    const struct error_mark before = error_keep(t->base.error);
    struct dycuckoo_chunk *c = &t->chunk;
    if (!may_grow(t) || chunk_new(c) <= chunk_room(t)) return ROOST_OK;
    roost_status status = dycuckoo_distinct(&t->base, batch, &c->distinct);
    if (!status) status = dycuckoo_enlarge_for(t, (uint64_t)c->distinct.least);
    return ledger_forgive(&t->base.ledger, &before, status);
}

static roost_status chunk_begin(struct dycuckoo_table *t, const struct batch *whole, uint64_t first)
{
    const uint64_t left = whole->n - first, n = left < DYCUCKOO_CHUNK ? left : DYCUCKOO_CHUNK;
    const struct dycuckoo_chunk chunk = {n, 0, 0, {0, (double)n}};
    const struct batch batch = batch_slice(&t->base, whole, first, n);
    t->chunk = chunk;
    return chunk_prepare(t, &batch);
}

/* How many items the next step takes: all that are guaranteed to find room.  It takes more where
 * the keys are known, or were seen in earlier steps, to be fewer than the items: half in
 * proportion, for safety.  If that was too many, the surplus waits for growth. */
static uint64_t chunk_step(const struct dycuckoo_table *t)
{
    const struct dycuckoo_chunk *c = &t->chunk;
    const uint64_t remaining = c->n - c->done;
    const double room = chunk_room(t), most = chunk_new(c);
    if (!may_grow(t) || most <= room) return remaining;
    const double known = (double)remaining / most / 2, seen = (double)c->done / ((double)c->fresh + 1) / 2;
    const double share = known > seen ? known : seen, size = room * (share > 1 ? share : 1);
    return size < 1 ? 1 : size < (double)remaining ? (uint64_t)size : remaining;
}

/* After a failure the items that wait are the caller's again. */
static roost_status chunk_insert(struct dycuckoo_table *t, struct insertion *in, struct progress *p)
{
    const roost_status status = insert_items(in);
    t->unplaced = status || t->base.waiting ? 0 : in->items.n;
    t->chunk.done += in->batch.n;
    t->chunk.fresh += in->fresh;
    p->done += in->batch.n;
    p->fresh += in->fresh;
    return status;
}

/* ---- Hooks: calls that wait ------------------------------------------------------------------ */

/* Growth for the fill stays above the lower bound.  Two kinds of growth may not:
 *   - forced growth, for erases may have left the keys of few buckets, full ones in a table with
 *     much room;
 *   - growth for more keys than a batch has (chunk_prepare).
 * Then the table shrinks as after an erase, perhaps another one of its subtables; or it is known
 * that no smaller table takes its keys.  It does so only after growth: inserts among such keys
 * would try in vain again and again. */
static roost_status shrink_at_end(struct dycuckoo_table *t, roost_status status, bool may_be_low)
{
    /* Items that wait for other seeds are in the lists that a shrinking table needs. */
    if (t->base.waiting || !may_be_low || !may_grow(t) || (status && !status_of_items(status))) return status;
    const roost_status shrunk = dycuckoo_shrink(t, false);
    return shrunk ? shrunk : status;
}

roost_status dycuckoo_write_piece(struct engine_table *table, const struct write *w, struct progress *p)
{
    struct dycuckoo_table *t = dycuckoo_of(table);
    const bool begins = p->done == 0 || t->chunk.done == t->chunk.n;
    const roost_status begun = begins ? chunk_begin(t, w->batch, p->done) : ROOST_OK;
    if (begun) return begun;
    const struct batch batch = batch_slice(table, w->batch, p->done, lists_piece(&table->lists, chunk_step(t)));
    struct insertion in = insertion_of(table, &batch);
    const roost_status status = chunk_insert(t, &in, p);
    return p->done < w->batch->n ? status : shrink_at_end(t, status, table->stats.grow_steps != t->grow_steps);
}

/* The table was reseeded at its size, which forced growth may have left below the lower bound. */
roost_status dycuckoo_resume(struct engine_table *table, struct progress *p)
{
    struct dycuckoo_table *t = dycuckoo_of(table);
    const roost_status status = insertion_resume(table, p);
    return shrink_at_end(t, status, t->chunk.done == t->chunk.n);
}

/* Inserts up to DYCUCKOO_SPILL_ROOM pairs, some of which may be in the table; the table grows for
 * them.  They were counted as inserts when they came.  ROOST_ERR_MEMORY: some found no room. */
static roost_status place_spilled(struct dycuckoo_table *t, uint64_t n)
{
    const uint64_t inserted = t->base.stats.inserted, updated = t->base.stats.updated;
    const struct batch batch = batch_of_pairs(&t->base, t->spill->keys, t->spill->values, n);
    struct insertion in = insertion_of(&t->base, &batch);
    roost_status status = run_passes(&in);
    if (!status && in.items.n && policy_doubts(&t->base)) t->base.doubtful = true;
    else if (!status) status = insertion_finish(&in);
    if (!status && t->base.doubtful) status = ROOST_ERR_MEMORY;
    t->base.stats.inserted = inserted;
    t->base.stats.updated = updated;
    return status;
}

/* Gives the spill list's entries room in the table.  Where memory is refused the rest stays in the
 * list, and is stored there.  If this fails half way, entries that were placed are in the table and
 * in the list, with one value, until the next call that waits: it drops them from the list. */
static roost_status unspill(struct dycuckoo_table *t)
{
    const struct error_mark before = error_keep(t->base.error);
    struct dycuckoo_spilled s;
    roost_status status = dycuckoo_spill_read(t, &s);
    if (status || !t->spill_n) return status; /* entries that are all erased take room, too */
    if (s.n) status = place_spilled(t, s.n);
    if (status && status != ROOST_ERR_MEMORY) return status;
    if (status) status = dycuckoo_spill_drop_placed(t, &s);
    else s.n = 0;
    error_restore(&before);
    return status ? status : dycuckoo_spill_write(t, &s);
}

/* Memory that the spill list was refused is tried again by the call that begins. */
roost_status dycuckoo_begin(struct engine_table *table, const struct write *w)
{
    struct dycuckoo_table *t = dycuckoo_of(table);
    (void)w;
    t->grow_steps = table->stats.grow_steps;
    const roost_status status = unspill(t);
    (void)ledger_settle(&table->ledger);
    return status;
}

/* ---- Hooks: asynchronous calls --------------------------------------------------------------- */

/* True if every item has room even when all keys are new and pending erases have freed nothing.  An
 * item to which no path leads goes to the spill list, which a call that waits empties. */
bool dycuckoo_has_room(const struct engine_table *table, const struct write *w)
{
    const double most = table->max_fill < ASYNCHRONOUS_FILL ? table->max_fill : ASYNCHRONOUS_FILL;
    const double keys = (double)dycuckoo_count(table) + (double)table->ledger.coming + (double)w->batch->n;
    return !dycuckoo_of_const(table)->spill_n && keys <= most * (double)dycuckoo_slots(table);
}

/* The launches of a graph leave vacancies behind at any time: the table is not tidy any more. */
roost_status dycuckoo_enqueue(struct engine_table *table, const struct write *w, const struct batch *piece)
{
    struct dycuckoo_table *t = dycuckoo_of(table);
    (void)w;
    if (!t->view.tidy) dycuckoo_set_weights(t);
    const roost_status status = dycuckoo_passes_enqueue(t, piece);
    if (table->backend->capturing) t->view.tidy = 0;
    return status;
}
