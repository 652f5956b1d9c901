/* Stadium's writes: the size of a piece, and room for the items that wait. */
#include <inttypes.h>
#include <string.h>

#include "engines/stadium/stadium_table.h"

/* Items: fewer are not worth a launch; items without room wait. */
enum { PASS_ITEMS_MIN = 1024 };

enum {
    /* Groups that the first pass looks at: at the load factor of 0.9 a random key's are all full
     * with a probability below 2^-50.  Keys that collide have long ways. */
    SURE_GROUPS = 32,
    SURE_TICKETS = 400 /* for groups of one ticket */
};

static roost_status distinct(struct engine_table *table, const struct batch *batch, struct distinct_bounds *bounds)
{
    struct stadium_table *t = stadium_of(table);
    struct stadium_args args = stadium_batch_args(t, batch);
    const struct estimate e = {t->base.kernel[STADIUM_estimate], &args, sizeof args, &args.batch, &args.transfer.estimate};
    return estimate_distinct(table, &e, t->view.seeds.a[0], bounds);
}

/* Collaborating lanes insert where most groups on a key's way are full: other lanes would wait for
 * each other (section III-C2). */
static const struct kernel *kernel_of(const struct engine_table *table, const struct write *w)
{
    static const enum stadium_operation operations[] = {
        [WRITE_INSERT] = STADIUM_insert, [WRITE_ERASE] = STADIUM_erase, [WRITE_MIXED] = STADIUM_apply};
    const struct stadium_table *t = stadium_of_const(table);
    const double fill = (double)(t->count + t->tombstones + table->ledger.coming) / (double)stadium_slots(t);
    if (w->kind == WRITE_INSERT && fill >= t->options.hybrid) return t->crowding;
    return table->kernel[operations[w->kind]];
}

/* ---- Tables that are nearly full ------------------------------------------------------------ */

/* Can the items not all be new, and find room, because no larger table follows? */
static bool is_scarce(const struct insertion *in)
{
    const struct stadium_table *t = stadium_of_const(in->table);
    const bool last = !t->base.growth || ledger_refused(&t->base.ledger);
    return last && (in->items.n > stadium_vacant(t) || in->items.n > stadium_left(t));
}

enum { LOST = 16 /* items that find no room before a pass over scarce slots is given up */ };

/* Are FREE slots so few that it does not pay to look for them beyond the homes' reach? */
static bool is_taken(const struct stadium_table *t)
{
    enum { SLOTS = 1024 /* for a FREE one, at least */ };
    return SLOTS * stadium_vacant(t) <= stadium_slots(t);
}

/* Is it vain to look for FREE slots? */
static bool is_packed(const struct stadium_table *t)
{
    return !stadium_left(t) || !stadium_vacant(t) || (t->view.reach && is_taken(t));
}

/* A pass, and others while it stores keys, if the items may lack permits. */
static roost_status pass_settled(struct insertion *in, roost_status (*pass)(struct insertion *in))
{
    const uint64_t fresh = in->fresh;
    const bool bounded = stadium_left(stadium_of(in->table)) < in->items.n;
    const roost_status status = pass(in);
    return status || !bounded ? status : insertion_repeat(in, fresh, pass);
}

static roost_status pass_plain(struct insertion *in) { return stadium_pass(in, in->kernel); }

/* A pass over the items that are left.  An item without room looks at all groups of its way.  So
 * where there are more items than FREE slots, passes give up early.  Once they find hardly a slot,
 * the others look only where stored keys are. */
static roost_status piece_squeeze(struct insertion *in)
{
    struct stadium_table *t = stadium_of(in->table);
    uint64_t found = LOST;
    roost_status status = ROOST_OK;
    while (!status && in->items.n && is_scarce(in) && !is_packed(t) && found >= LOST / 8) {
        const uint64_t vacant = stadium_vacant(t);
        in->batch.parked_most = LOST;
        status = stadium_pass(in, in->kernel);
        in->batch.parked_most = 0;
        found = vacant - stadium_vacant(t);
    }
    if (status || !in->items.n) return status;
    const bool by_reach = is_scarce(in) && (stadium_left(t) || is_taken(t));
    return pass_settled(in, by_reach ? stadium_reach_pass : pass_plain);
}

/* ---- Pieces --------------------------------------------------------------------------------- */

/* After memory was refused, slots of erased keys are the last room. */
static roost_status piece_run(struct insertion *in)
{
    const bool last = in->batch.park_status == ROOST_ITEM_NO_MEMORY;
    const roost_status status = last ? stadium_refill_pass(in) : ROOST_OK;
    return status || !in->items.n ? status : piece_squeeze(in);
}

/* Makes room for the waiting items: from erased keys, or by growth.  Where tickets mark the slots
 * of erased keys, refills have taken those.  Growth is by at least one step, and by as many as the
 * waiting keys need, which are all new. */
static roost_status piece_provide(struct insertion *in)
{
    struct stadium_table *t = stadium_of(in->table);
    const struct batch waiting = source_batch(&in->items, &in->batch);
    uint64_t least;
    if (t->view.wide.closed)
        return error_set(t->base.error, ROOST_ERR_MEMORY, "no memory for the bytes of %" PRIu64 " strings", in->items.n);
    if (t->tombstones && (t->base.growth || (!t->view.access && stadium_may_rebuild(t)))) {
        const roost_status status = stadium_reclaim(t, !t->base.growth);
        if (t->base.growth || status != ROOST_ERR_MEMORY) return status;
    }
    if (!t->base.growth) return insertion_full(in);
    const roost_status status = estimate_least(&t->base, distinct, &waiting, &least);
    return status ? status : stadium_enlarge(t, t->count + least, true);
}

/* The most items of the next piece.  Where slots of erased keys are the last room, items without
 * room look at their ways before a refill and after it (piece_refill).  Those of later pieces, for
 * which nothing is left, look once.  Keys that collide have shown it after a piece (strays in
 * stadium_size.c); but on a GPU each piece costs a wait, and colliding keys cost less. */
static uint64_t piece_most(const struct stadium_table *t, const struct progress *p)
{
    enum { COLLIDING = 1 << 14, TIMES = 4 };
    const uint64_t left = stadium_left(t); /* no more than there are holes */
    if (!t->base.growth && t->tombstones && left && is_packed(t)) return larger64(larger64(left, PASS_ITEMS_MIN), TIMES * p->done);
    if (t->base.backend->operations->enqueues || !policy_may_reseed(&t->base)) return UINT64_MAX;
    return TIMES * larger64(t->placed, COLLIDING);
}

/* Number of items of the next piece: all if the table does not grow.  Otherwise as many as ways of
 * bounded length can place if all keys are new, and more if earlier pieces brought fewer new keys
 * than items. */
static uint64_t piece_wanted(const struct stadium_table *t, uint64_t left, const struct progress *p)
{
    const double used = (double)(t->count + t->tombstones), room = STADIUM_REACH * (double)stadium_slots(t) - used;
    const double seen = (double)p->done / ((double)p->fresh + 1) / 2,
                 size = (room > PASS_ITEMS_MIN ? room : PASS_ITEMS_MIN) * (seen > 1 ? seen : 1);
    return !t->base.growth || ledger_refused(&t->base.ledger) || size >= (double)left ? left : (uint64_t)size;
}

/* Looks at no more groups than random keys need. */
static roost_status first_pass(struct insertion *in)
{
    struct stadium_view *const v = &stadium_of(in->table)->view;
    const uint32_t bound = v->bound, sure = v->single ? SURE_TICKETS : SURE_GROUPS;
    insertion_hasten(in);
    if (is_scarce(in)) in->batch.parked_most = LOST;
    if (in->batch.parked_most && sure < bound) v->bound = sure;
    const roost_status status = stadium_pass(in, in->kernel);
    v->bound = bound;
    in->table->stats.parked += in->items.n;
    return status;
}

/* Frees all slots of erased keys by a rebuild.  Refused memory, or pairs without room, are no
 * failure. */
static roost_status marks_free(struct stadium_table *t)
{
    const struct error_mark before = error_keep(t->base.error);
    return error_forgive_memory(&before, stadium_reclaim(t, true));
}

/* Refills put pairs far from their homes, and other items pass them on their ways.  So a rebuild
 * comes once this has cost as much as it does: the time of 32 to 64 looks at the whole table.
 * Copies of a key that a refill stored may be among the items without room; they end as it did. */
static roost_status piece_refill(struct insertion *in)
{
    enum { LOOKS = 64 };
    struct stadium_table *t = stadium_of(in->table);
    roost_status status = ROOST_OK;
    if (!stadium_left(t)) return ROOST_OK;
    if (t->tombstones && t->spent >= LOOKS * t->view.groups && stadium_may_rebuild(t)) {
        status = marks_free(t);
        if (!status) status = piece_squeeze(in);
    }
    const uint64_t count = t->count;
    if (!status) status = stadium_refill_pass(in);
    return status || !in->items.n || t->count == count ? status : pass_settled(in, stadium_reach_pass);
}

static roost_status piece_write(struct insertion *in)
{
    const bool full = is_scarce(in) && is_packed(stadium_of(in->table));
    bool swamped = false;
    roost_status status = full ? ROOST_OK : first_pass(in);
    if (!status && !full) status = insertion_swamped(in, in->batch.n, &swamped);
    if (status || !in->items.n || swamped) return status ? status : insertion_finish(in);
    in->batch.parked_most = 0;
    status = piece_squeeze(in);
    if (!status && in->items.n && !in->table->growth) status = piece_refill(in);
    return status ? status : insertion_finish(in);
}

roost_status stadium_write_piece(struct engine_table *table, const struct write *w, struct progress *p)
{
    struct stadium_table *t = stadium_of(table);
    const uint64_t wanted = piece_wanted(t, w->batch->n - p->done, p), most = piece_most(t, p);
    uint64_t n = lists_piece(&table->lists, wanted < most ? wanted : most);
    roost_status status = t->view.wide.strings ? stadium_arena_piece(t, w->batch, p->done, &n) : ROOST_OK;
    if (status) return status;
    struct insertion in = {.table = table,
                           .batch = batch_slice(table, w->batch, p->done, n),
                           .items = {NULL, NULL, n},
                           .run = piece_run,
                           .provide = piece_provide,
                           .distinct = distinct,
                           .kernel = kernel_of(table, w),
                           .steady = t->view.wide.closed};
    status = piece_write(&in);
    if (table->ledger.captured) t->view.reach = NULL; /* its graph may insert after the call */
    p->done += n;
    p->fresh += in.fresh;
    return status;
}

/* Strings that wait have no bytes in the arena yet, and that of another seed is another one.  If it
 * has no room for all of them, it is closed: new ones are refused. */
roost_status stadium_resume(struct engine_table *table, struct progress *p)
{
    struct stadium_table *t = stadium_of(table);
    struct insertion in = insertion_recall(table);
    uint64_t n = in.batch.n;
    const roost_status status = t->view.wide.strings ? stadium_arena_piece(t, &in.batch, 0, &n) : ROOST_OK;
    if (status) return status;
    t->view.wide.closed |= n < in.batch.n;
    in.steady = t->view.wide.closed;
    return insertion_continue(&in, p);
}

/* ---- Before a call -------------------------------------------------------------------------- */

/* Frees slots of erased keys that are in the way of n inserts.  Refused memory is no failure. */
static roost_status crowd_reclaim(struct stadium_table *t, uint64_t n)
{
    const struct error_mark before = error_keep(t->base.error);
    if (stadium_cramped(t, n)) return marks_free(t);
    if (!stadium_crowded(t)) return ROOST_OK;
    return ledger_forgive(&t->base.ledger, &before, stadium_reclaim(t, false));
}

/* Grows before a batch whose distinct keys are guaranteed to be too many for the table, whatever
 * else is stored.  Refused memory is no failure: the items may find room nevertheless. */
static roost_status enlarge_ahead(struct stadium_table *t, const struct batch *batch)
{
    const struct error_mark before = error_keep(t->base.error);
    uint64_t keys;
    if (!t->base.growth || ledger_refused(&t->base.ledger) || stadium_fits(t, t->count + batch->n)) return ROOST_OK;
    roost_status status = estimate_least(&t->base, distinct, batch, &keys);
    if (status || stadium_fits(t, keys)) return status;
    status = stadium_enlarge(t, keys, false);
    return error_forgive_memory(&before, status);
}

roost_status stadium_begin(struct engine_table *table, const struct write *w)
{
    struct stadium_table *t = stadium_of(table);
    roost_status status = w ? stadium_settle(table, false) : ROOST_OK;
    if (!w || !write_inserts(w)) return status;
    if (!status) status = crowd_reclaim(t, w->batch->n);
    if (!status && w->kind == WRITE_INSERT) status = enlarge_ahead(t, w->batch);
    return status;
}

/* ---- Asynchronous --------------------------------------------------------------------------- */

/* True if there is room for all items beside the stored and erased keys.  Keys that look like marks
 * have only one or a few slots, which erased ones may occupy. */
bool stadium_has_room(const struct engine_table *table, const struct write *w)
{
    const struct stadium_table *t = stadium_of_const(table);
    const uint64_t n = w->batch->n, going = table->ledger.going + (write_erases(w) ? n : 0);
    if (n > UINT32_MAX || (!t->view.access && (t->tombstones || going))) return false;
    return stadium_fits(t, t->count + t->tombstones + table->ledger.coming + n);
}

/* There are no lists of parked items: an item that finds no room has failed.  A graph raises no
 * reach. */
roost_status stadium_enqueue(struct engine_table *table, const struct write *w, const struct batch *piece)
{
    if (table->backend->capturing) stadium_of(table)->view.reach = NULL;
    struct stadium_args args = stadium_batch_args(stadium_of(table), piece);
    args.batch.park_status = piece->park_status;
    return backend_launch(table->backend, kernel_of(table, w), &args, sizeof args, piece->n);
}

roost_status stadium_erase(struct engine_table *table, const struct write *w)
{
    const struct stadium_args args = stadium_batch_args(stadium_of(table), w->batch);
    return backend_launch(table->backend, table->kernel[STADIUM_erase], &args, sizeof args, w->batch->n);
}
