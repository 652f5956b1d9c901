/* SlabHash's writes: the size of a piece, and memory for the items that wait. */
#include "engines/slab/slab_table.h"

enum { PASS_ITEMS_MIN = 2048 /* items; even the smallest table then has lists of only a few slabs */ };

static const struct kernel *kernel_of(const struct engine_table *t, const struct write *w)
{
    static const enum slab_operation operations[] = {
        [WRITE_INSERT] = SLAB_insert, [WRITE_ERASE] = SLAB_erase, [WRITE_MIXED] = SLAB_apply, [WRITE_ERASE_ALL] = SLAB_every};
    return t->kernel[operations[w->kind]];
}

/* ---- Pieces --------------------------------------------------------------------------------- */

/* Is a flush worth its time, where no memory is left for other slots? */
static bool may_flush(const struct slab_table *t)
{
    enum { SHARE = 16 /* of the slots, at most, for a tombstone */ };
    return SHARE * t->tombstones >= slab_slots(t);
}

/* Flushes lists of tombstones, or else adds slabs, for whatever keys the waiting items have. */
static roost_status piece_provide(struct insertion *in)
{
    struct slab_table *t = slab_of(in->table);
    const struct error_mark before = error_keep(t->base.error);
    if (!slab_room_left(t)) return insertion_full(in);
    if (t->wants_flush || (t->tombstones && !t->base.growth)) return slab_flush(t);
    if (!t->base.growth) return insertion_full(in);
    const roost_status status = slab_room_reserve(t, t->count + in->items.n, SLAB_ANY);
    if (status != ROOST_ERR_MEMORY || !may_flush(t)) return status;
    error_restore(&before);
    return slab_flush(t);
}

/* Number of items of the next piece.  All of them if the table does not grow, or if all would fit
 * even if they were new.  Otherwise as many as make its lists at most twice as long as planned, and
 * more if earlier pieces brought fewer new keys than items. */
static uint64_t piece_size(const struct slab_table *t, uint64_t left, const struct progress *p)
{
    const double most = 2 * t->base.max_fill * (double)slab_slots(t), room = most - (double)t->count;
    const double seen = (double)p->done / ((double)p->fresh + 1) / 2,
                 size = (room > PASS_ITEMS_MIN ? room : PASS_ITEMS_MIN) * (seen > 1 ? seen : 1);
    if (!t->base.growth || t->options.chain || ledger_refused(&t->base.ledger) || (double)left <= room / 2) return left;
    return size < (double)left ? (uint64_t)size : left;
}

roost_status slab_write_piece(struct engine_table *table, const struct write *w, struct progress *p)
{
    struct slab_table *t = slab_of(table);
    const struct error_mark before = error_keep(table->error);
    const uint64_t n = lists_piece(&table->lists, piece_size(t, w->batch->n - p->done, p));
    struct insertion in = {.table = table,
                           .batch = batch_slice(table, w->batch, p->done, n),
                           .items = {NULL, NULL, n},
                           .run = slab_pass,
                           .provide = piece_provide,
                           .kernel = kernel_of(table, w)};
    /* Most batches have different keys.  Others park, and get the rest then. */
    roost_status status = table->growth ? slab_room_reserve(t, t->count + n, SLAB_DIFFERENT) : ROOST_OK;
    status = error_forgive_memory(&before, status); /* the items may find room nevertheless */
    if (!status) status = slab_pass(&in);
    if (!status) status = insertion_finish(&in);
    p->done += n;
    p->fresh += in.fresh;
    return status;
}

/* Flushes lists of tombstones before inserts, which would have to search them. */
roost_status slab_begin(struct engine_table *table, const struct write *w)
{
    if (!w || !write_inserts(w) || !slab_flush_due(slab_of(table), 0)) return ROOST_OK;
    return slab_flush(slab_of(table));
}

/* ---- Asynchronous --------------------------------------------------------------------------- */

/* True if there is memory for all items, whatever keys they have, lists stay within their bound,
 * and no flush is due. */
bool slab_has_room(const struct engine_table *table, const struct write *w)
{
    const struct slab_table *t = slab_of_const(table);
    const uint64_t n = w->batch->n, keys = t->count + table->ledger.coming + n;
    const uint64_t going = table->ledger.going + (write_erases(w) ? n : 0);
    if (n > UINT32_MAX || slab_flush_due(t, going)) return false;
    const enum slab_spread spread = slab_spread_of(t, write_erases(w));
    return table->growth ? !slab_would_grow(t, keys, spread) : slab_fits(t, keys, spread);
}

/* There are no lists of parked items: an item that finds no slab has failed. */
roost_status slab_enqueue(struct engine_table *table, const struct write *w, const struct batch *piece)
{
    struct slab_args args = slab_batch_args(slab_of(table), piece);
    args.batch.park_status = piece->park_status;
    return slab_launch(slab_of(table), kernel_of(table, w), &args);
}

roost_status slab_erase(struct engine_table *table, const struct write *w)
{
    struct slab_args args = slab_batch_args(slab_of(table), w->batch);
    args.batch.mode = SLAB_EVERY_ERASE; /* the kernel of single erases ignores it */
    return slab_launch(slab_of(table), kernel_of(table, w), &args);
}
