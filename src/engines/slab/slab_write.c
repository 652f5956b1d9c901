/* SlabHash's batches that write: pieces that surely find memory, what waits for more of it, and calls that nobody waits for. */
#include <inttypes.h>

#include "engines/slab/slab_table.h"
#include "engines/policy.h"

enum { LEAST_PIECE = 2048 /* items: in the smallest table lists of some slabs */ };

/* ---- Pieces ----------------------------------------------------------------------------------------------------------------------------- */

/* A piece of a batch while it is worked on. */
struct piece {
    const struct kernel *kernel;
    struct slab_args args;
    uint64_t waiting; /* items parked by the last launch, in list `list` */
    int list;         /* -1: none yet */
    uint64_t fresh;   /* items that ended INSERTED */
};

/* One launch over the piece, or over what the one before parked.  What it parks goes to the other list. */
static roost_status piece_run(struct slab_table *t, struct piece *p, uint8_t park_status)
{
    struct backend *b = t->base.backend;
    struct counters since;
    const int to = p->list == 0 ? 1 : 0;
    p->args.view = slab_view_now(t);
    p->args.batch.order = p->list < 0 ? NULL : t->lists.list[p->list];
    if (p->list >= 0) p->args.batch.n = p->waiting;
    p->args.batch.leftover = t->lists.list[to];
    p->args.batch.leftover_n = &t->words->list_n[to];
    p->args.batch.park_status = park_status;
    roost_status status = b->operations->fill(b, t->words->list_n, 0, sizeof t->words->list_n);
    /* A unit that was given back while another worker wrote that there is none is free, and nobody would look for it any more. */
    if (!status && (p->list >= 0 || !t->growth))
        status = b->operations->fill(b, &t->words->exhausted, 0, sizeof t->words->exhausted);
    if (!status) status = slab_launch(t, p->kernel, &p->args);
    if (!status) status = ledger_read(&t->ledger, &since);
    if (status) return status;
    p->list = to;
    p->waiting = t->waiting[to];
    p->fresh += since.inserted;
    t->ledger.stats.inserted += since.inserted;
    t->ledger.stats.updated += since.updated;
    t->ledger.stats.erased += since.erased;
    return ROOST_OK;
}

/* Brings what the waiting items wait for.  Lists of tombstones are flushed; else slabs are needed: each waiting item at most one, and all
 * together no more than these items fill and one for each list. */
static roost_status piece_provide(struct slab_table *t, const struct piece *p)
{
    const uint64_t filled = p->waiting / (unsigned)t->shape.slots + t->view.buckets + 2;
    if (t->wants_flush || (t->tombstones && !t->growth)) return slab_flush(t);
    if (t->growth) return slab_units_reserve(t, p->waiting < filled ? p->waiting : filled);
    return error_set(t->base.error, ROOST_ERR_FULL, "%" PRIu64 " items found no room, and growth is off", p->waiting);
}

/* Until no item waits, or memory is refused.  The last launch of those that found none leaves the reason in their statuses. */
static roost_status piece_finish(struct slab_table *t, struct piece *p)
{
    roost_status status = ROOST_OK;
    while (!status && p->waiting) {
        status = piece_provide(t, p);
        if (!status) status = piece_run(t, p, ROOST_ITEM_FULL);
    }
    if (status != ROOST_ERR_MEMORY) return status;
    const struct error why = *t->base.error;
    t->ledger.refused = true;
    status = piece_run(t, p, ROOST_ITEM_NO_MEMORY);
    *t->base.error = why;
    return status ? status : p->waiting ? ROOST_ERR_MEMORY : ROOST_OK;
}

/* ---- Batches that are waited for ---------------------------------------------------------------------------------------------------------- */

/* How far a batch is. */
struct progress {
    uint64_t n, done, fresh;
};

/* How many items the next piece takes.  All of them where the table does not grow, or all would fit were they new; else as many as leave
 * its lists at most twice as long as they should be, and more where earlier pieces brought fewer new keys than items. */
static uint64_t piece_size(const struct slab_table *t, const struct progress *p)
{
    const uint64_t left = p->n - p->done;
    const double most = 2 * t->max_fill * (double)slab_slots(t), room = most - (double)t->count;
    const double seen = (double)p->done / ((double)p->fresh + 1) / 2,
                 size = (room > LEAST_PIECE ? room : LEAST_PIECE) * (seen > 1 ? seen : 1);
    if (!t->growth || t->options.chain || t->ledger.refused || (double)left <= room / 2) return left;
    return size < (double)left ? (uint64_t)size : left;
}

static roost_status piece_write(struct slab_table *t, const struct kernel *k, const struct batch *whole, uint64_t n,
                                struct progress *progress)
{
    struct piece p;
    const struct error before = *t->base.error;
    const struct batch part = batch_part(whole, progress->done, n, t->shape.key_bytes, t->shape.value_bytes);
    p.kernel = k;
    p.args = slab_batch_args(t, &part);
    p.waiting = p.fresh = 0;
    p.list = -1;
    roost_status status = t->growth ? slab_room_reserve(t, t->count + n) : ROOST_OK;
    if (status == ROOST_ERR_MEMORY) { /* the items may find room nevertheless */
        *t->base.error = before;
        status = ROOST_OK;
    }
    if (!status) status = piece_run(t, &p, ROOST_ITEM_FULL);
    if (!status) status = piece_finish(t, &p);
    progress->done += n;
    progress->fresh += p.fresh;
    const roost_status settled = status && !status_of_items(status) ? ROOST_OK : slab_settle(t);
    return status ? status : settled;
}

roost_status slab_write_begin(struct slab_table *t)
{
    roost_status status = ledger_wait(&t->ledger);
    t->ledger.refused = false;
    if (!status && slab_flush_due(t, 0)) status = slab_flush(t);
    return status;
}

static roost_status write_waiting(struct slab_table *t, const struct kernel *k, const struct batch *batch, bool erases)
{
    struct progress p = {batch->n, 0, 0};
    roost_status status = slab_write_begin(t), failure = ROOST_OK;
    while (!status && p.done < p.n) {
        status = piece_write(t, k, batch, lists_piece(&t->lists, piece_size(t, &p)), &p);
        if (!status_of_items(status)) continue;
        if (!failure) failure = status;
        status = ROOST_OK;
    }
    if (!status && (erases || t->ledger.behind)) status = slab_shrink(t, UINT32_MAX);
    t->ledger.behind = false;
    return status ? ledger_ended(&t->ledger, status) : failure;
}

/* ---- Batches that nobody waits for -------------------------------------------------------------------------------------------------------- */

/* May a batch be written without waiting?  There is memory for all its items, should all be new keys, lists stay within their bound, and
 * nothing else is due. */
static bool may_enqueue(const struct slab_table *t, uint64_t n, bool erases)
{
    const uint64_t keys = t->count + t->ledger.coming + n, going = t->ledger.going + (erases ? n : 0);
    if (!t->base.backend->enqueue || t->ledger.refused || t->ledger.broken || n > UINT32_MAX) return false;
    if (slab_flush_due(t, going) || (erases && slab_would_shrink(t, t->count > going ? t->count - going : 0))) return false;
    return t->growth ? !slab_would_grow(t, keys) : slab_has_room(t, keys);
}

/* Without lists of parked items: what finds no slab, in spite of the memory that is there for all that chance can bring, has failed. */
static roost_status write_enqueue(struct slab_table *t, const struct kernel *k, const struct batch *batch, bool erases)
{
    struct slab_args args = slab_batch_args(t, batch);
    args.batch.park_status = t->growth ? ROOST_ITEM_NO_MEMORY : ROOST_ITEM_FULL;
    t->ledger.coming += batch->n;
    if (erases) t->ledger.going += batch->n, t->ledger.behind = true;
    return ledger_enqueued(&t->ledger, slab_launch(t, k, &args));
}

static roost_status write_batch(struct slab_table *t, const struct kernel *k, const struct batch *batch, bool erases)
{
    const bool capturing = t->base.backend->capturing;
    if (capturing && t->growth) return policy_no_capture(t->base.error);
    ledger_catch_up(&t->ledger);
    return capturing || may_enqueue(t, batch->n, erases) ? write_enqueue(t, k, batch, erases) : write_waiting(t, k, batch, erases);
}

roost_status slab_insert(struct engine_table *table, const struct batch *batch)
{
    struct slab_table *t = (struct slab_table *)table;
    return write_batch(t, t->insert, batch, false);
}

roost_status slab_apply(struct engine_table *table, const struct batch *batch)
{
    struct slab_table *t = (struct slab_table *)table;
    return write_batch(t, t->apply, batch, true);
}
