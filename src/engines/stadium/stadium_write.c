/* Stadium's batches that write: pieces that surely find room, what waits for more of it, and calls that nobody waits for. */
#include <inttypes.h>
#include <string.h>

#include "engines/estimate.h"
#include "engines/policy.h"
#include "engines/stadium/stadium_table.h"

enum { LEAST_PIECE = 1024 /* items: fewer are not worth a launch, and what finds no room waits */ };

static roost_status launch_estimate(struct engine_table *table, const struct batch *batch, const struct linear_counting *c)
{
    struct stadium_table *t = (struct stadium_table *)table;
    struct stadium_args args = stadium_batch_args(t, batch);
    args.transfer.estimate = *c;
    return backend_launch(table->backend, t->estimate, &args, sizeof args, batch->n);
}

/* How many distinct keys a batch has at least. */
static roost_status distinct_least(struct stadium_table *t, const struct batch *batch, uint64_t *least)
{
    const struct linear_counting c = {.key_bytes = t->shape.key_bytes, /* of wide ones 0 */ .seed = t->view.seeds.a[0]};
    return estimate_least(&t->ledger, batch, c, launch_estimate, least);
}

/* ---- Pieces ----------------------------------------------------------------------------------------------------------------------------- */

/* A piece of a batch while it is worked on. */
struct piece {
    const struct kernel *kernel;
    struct stadium_args args;
    struct source items; /* that have not been carried out yet */
    uint64_t fresh;      /* items that ended INSERTED */
};

/* One launch over the items; those that found no room are left. */
static roost_status piece_run(struct stadium_table *t, struct piece *p, uint8_t park_status)
{
    struct backend *b = t->base.backend;
    struct counters since;
    const int to = p->items.order == t->lists.list[0] ? 1 : 0;
    p->args.view = t->view;
    lists_pass(&t->lists, &p->args.batch, &p->items, &t->words->list_n[to]);
    p->args.batch.park_status = park_status;
    roost_status status = b->operations->fill(b, t->words->list_n, 0, sizeof t->words->list_n);
    if (!status) status = backend_launch(b, p->kernel, &p->args, sizeof p->args, p->args.batch.n);
    if (!status) status = ledger_read(&t->ledger, &since);
    if (status) return status;
    p->items.order_n = NULL;
    p->items.n = t->waiting[to];
    p->fresh += since.inserted;
    t->ledger.stats.inserted += since.inserted;
    t->ledger.stats.updated += since.updated;
    t->ledger.stats.erased += since.erased;
    return ROOST_OK;
}

/* One launch over the items that found no room, under locks: they take slots of erased keys, wherever these are, and FREE ones that inserts do not go
 * as far as.  Those alone are looked for only if there is one for each item: the others would all go as far as a refill does. */
static roost_status piece_refill(struct stadium_table *t, struct piece *p, uint8_t park_status)
{
    struct backend *b = t->base.backend;
    uint64_t locks = 1024; /* words of 32 locks: the least room of a list */
    const struct kernel *const kernel = p->kernel;
    if (!t->view.access || !p->items.n || (!t->tombstones && p->items.n > stadium_slots(t) - t->count)) return ROOST_OK;
    while (locks * 2 <= t->lists.room) locks *= 2;
    roost_status status = b->operations->fill(b, t->lists.extra, 0, locks * sizeof(uint32_t));
    if (status) return status;
    t->view.locks = (uint32_t *)t->lists.extra;
    t->view.lock_mask = (uint32_t)(32 * locks - 1);
    p->kernel = t->apply;
    status = piece_run(t, p, park_status);
    p->kernel = kernel;
    t->view.locks = NULL;
    return status;
}

/* Brings the room that items wait for: that of erased keys, or more of it. */
static roost_status piece_provide(struct stadium_table *t, const struct piece *p)
{
    uint64_t least;
    roost_status status;
    if (t->view.wide.closed)
        return error_set(t->base.error, ROOST_ERR_MEMORY, "no memory for the bytes of %" PRIu64 " strings", p->items.n);
    if (t->tombstones && (t->growth || !t->view.access)) { /* where tickets say what erases left, refills have taken it */
        status = stadium_reclaim(t, !t->growth);
        if (t->growth || status != ROOST_ERR_MEMORY) return status;
    }
    if (t->growth) { /* by one step at least, and as many as the waiting keys need, which are all new */
        const struct batch waiting = source_batch(&p->items, &p->args.batch);
        status = distinct_least(t, &waiting, &least);
        return status ? status : stadium_enlarge(t, t->count + least, true);
    }
    return error_set(t->base.error, ROOST_ERR_FULL, "%" PRIu64 " items found no room, and growth is off", p->items.n);
}

/* Until no item waits, or memory is refused.  The last launch of those that found none leaves the reason in their statuses. */
static roost_status piece_finish(struct stadium_table *t, struct piece *p)
{
    roost_status status = ROOST_OK;
    t->ledger.stats.parked += p->items.n;
    if (!t->growth) status = piece_refill(t, p, ROOST_ITEM_FULL);
    while (!status && p->items.n) {
        status = piece_provide(t, p);
        if (!status) status = piece_run(t, p, ROOST_ITEM_FULL);
    }
    if (status != ROOST_ERR_MEMORY) return status;
    const struct error why = *t->base.error;
    t->ledger.refused = true;
    status = piece_refill(t, p, ROOST_ITEM_NO_MEMORY);
    if (!status && p->items.n) status = piece_run(t, p, ROOST_ITEM_NO_MEMORY);
    *t->base.error = why;
    return status ? status : p->items.n ? ROOST_ERR_MEMORY : ROOST_OK;
}

/* ---- Batches that are waited for ---------------------------------------------------------------------------------------------------------- */

/* How far a batch is. */
struct progress {
    uint64_t n, done, fresh;
};

/* Grows before a batch whose keys are surely too many for the table: its distinct ones, whatever else is stored. */
static roost_status enlarge_ahead(struct stadium_table *t, const struct batch *batch)
{
    const struct error before = *t->base.error;
    uint64_t keys;
    if (!t->growth || t->ledger.refused || batch->operations || stadium_has_room(t, t->count + batch->n)) return ROOST_OK;
    roost_status status = distinct_least(t, batch, &keys);
    if (status || stadium_has_room(t, keys)) return status;
    status = stadium_enlarge(t, keys, false);
    if (status != ROOST_ERR_MEMORY) return status;
    *t->base.error = before; /* the items may find room nevertheless */
    return ROOST_OK;
}

/* How many items the next piece takes: as many as leave the table no fuller than ways of bounded length reach, should all be new, and more where
 * earlier pieces brought fewer new keys than items.  All of them where the table does not grow. */
static uint64_t piece_size(const struct stadium_table *t, const struct progress *p)
{
    const uint64_t left = p->n - p->done;
    const double used = (double)(t->count + t->tombstones), room = STADIUM_REACH * (double)stadium_slots(t) - used;
    const double seen = (double)p->done / ((double)p->fresh + 1) / 2,
                 size = (room > LEAST_PIECE ? room : LEAST_PIECE) * (seen > 1 ? seen : 1);
    return !t->growth || t->ledger.refused || size >= (double)left ? left : (uint64_t)size;
}

/* Inserts by lanes that collaborate where most groups on a key's way are full, and lanes would wait for each other (section III-C2). */
static const struct kernel *kernel_now(const struct stadium_table *t, const struct kernel *k)
{
    const double fill = (double)(t->count + t->tombstones + t->ledger.coming) / (double)stadium_slots(t);
    return k == t->insert && fill >= t->options.hybrid ? t->crowding : k;
}

static roost_status piece_write(struct stadium_table *t, const struct kernel *k, const struct batch *whole, uint64_t n,
                                struct progress *progress)
{
    struct piece p;
    const struct batch part = batch_part(whole, progress->done, n, t->key_bytes, t->value_bytes);
    memset(&p, 0, sizeof p);
    p.kernel = kernel_now(t, k);
    p.args = stadium_batch_args(t, &part);
    p.items.n = n;
    roost_status status = piece_run(t, &p, ROOST_ITEM_FULL);
    if (!status) status = piece_finish(t, &p);
    progress->done += n;
    progress->fresh += p.fresh;
    const roost_status settled = status && !status_of_items(status) ? ROOST_OK : stadium_settle(t);
    return status ? status : settled;
}

/* What a batch that inserts begins with: slots of erased keys that are in its way are freed; refused memory for that is no failure. */
static roost_status insert_begin(struct stadium_table *t)
{
    const struct error before = *t->base.error;
    if (!stadium_crowded(t)) return ROOST_OK;
    const roost_status status = stadium_reclaim(t, false);
    if (status != ROOST_ERR_MEMORY) return status;
    *t->base.error = before;
    t->ledger.refused = true;
    return ROOST_OK;
}

static roost_status write_waiting(struct stadium_table *t, const struct kernel *k, const struct batch *batch, bool inserts,
                                  bool erases)
{
    struct progress p = {batch->n, 0, 0};
    roost_status status = ledger_wait(&t->ledger), failure = ROOST_OK;
    const bool behind = t->ledger.refused;
    t->ledger.refused = false;
    if (!status) status = stadium_settle(t);
    if (!status && inserts) status = insert_begin(t);
    if (!status && inserts) status = enlarge_ahead(t, batch);
    while (!status && p.done < p.n) {
        uint64_t n = lists_piece(&t->lists, piece_size(t, &p));
        if (inserts && t->view.wide.strings) status = stadium_arena_piece(t, batch, p.done, &n);
        if (!status) status = piece_write(t, k, batch, n, &p);
        if (!status_of_items(status)) continue;
        if (!failure) failure = status;
        status = ROOST_OK;
    }
    if (!status && (erases || t->ledger.behind)) status = stadium_shrink(t);
    t->ledger.behind = false;
    if (behind && stadium_would_shrink(t, t->count)) t->ledger.refused = true; /* inserts do not shrink */
    return status ? ledger_ended(&t->ledger, status) : failure;
}

/* ---- Batches that nobody waits for -------------------------------------------------------------------------------------------------------- */

/* May a batch be written without waiting?  There is room for all its items, should all be new keys, beside those that are stored and erased, and
 * nothing else is due. */
static bool may_enqueue(const struct stadium_table *t, uint64_t n, bool inserts, bool erases)
{
    const uint64_t used = t->count + t->tombstones + t->ledger.coming + (inserts ? n : 0);
    const uint64_t going = t->ledger.going + (erases ? n : 0);
    if (!t->base.backend->enqueue || t->ledger.refused || t->ledger.broken || n > UINT32_MAX) return false;
    if (inserts && !t->view.access && (t->tombstones || going)) return false; /* keys that look like marks have few slots, or one */
    if (erases && stadium_would_shrink(t, t->count > going ? t->count - going : 0)) return false;
    if (inserts && t->view.wide.strings) return false; /* how much room they need is read first */
    return !inserts || stadium_has_room(t, used);
}

/* Without lists of parked items: what finds no room has failed. */
static roost_status write_enqueue(struct stadium_table *t, const struct kernel *k, const struct batch *batch, bool inserts,
                                  bool erases)
{
    struct stadium_args args = stadium_batch_args(t, batch);
    args.batch.park_status = t->growth ? ROOST_ITEM_NO_MEMORY : ROOST_ITEM_FULL;
    k = kernel_now(t, k);
    if (inserts) t->ledger.coming += batch->n;
    if (erases) t->ledger.going += batch->n, t->ledger.behind = true;
    return ledger_enqueued(&t->ledger, backend_launch(t->base.backend, k, &args, sizeof args, batch->n));
}

static roost_status write_batch(struct stadium_table *t, const struct kernel *k, const struct batch *batch, bool inserts,
                                bool erases)
{
    const bool capturing = t->base.backend->capturing;
    if (capturing && (t->growth || (inserts && t->view.wide.strings))) return policy_no_capture(t->base.error);
    ledger_catch_up(&t->ledger);
    if (capturing || may_enqueue(t, batch->n, inserts, erases)) return write_enqueue(t, k, batch, inserts, erases);
    return write_waiting(t, k, batch, inserts, erases);
}

roost_status stadium_insert(struct engine_table *table, const struct batch *batch)
{
    struct stadium_table *t = (struct stadium_table *)table;
    return write_batch(t, t->insert, batch, true, false);
}

roost_status stadium_erase(struct engine_table *table, const struct batch *batch)
{
    struct stadium_table *t = (struct stadium_table *)table;
    return write_batch(t, t->erase, batch, false, true);
}

roost_status stadium_apply(struct engine_table *table, const struct batch *batch)
{
    struct stadium_table *t = (struct stadium_table *)table;
    if (!t->view.access)
        return error_set(
            table->error, ROOST_ERR_UNSUPPORTED,
            "operations do not mix where tickets do not say that a pair is on its way (access=off, tickets of 1 bit); with "
            "access=on they do");
    return write_batch(t, t->apply, batch, true, true);
}
