/* SlabHash's pass over the items of a batch; it makes no decision about the table's size. */
#include "engines/slab/slab_table.h"

/* ---- Appends to lists that many items share (slab_queues.h) --------------------------------- */

enum {
    RACES = 4,            /* that an append loses before it parks */
    MOST_QUEUES = 1 << 16 /* a GPU serves no more at a time */
};

/* Puts the waiting items in queues, in `memory` of one word for each item and queue, and serves
 * these. */
static roost_status queues_serve(struct insertion *in, uint32_t *memory, uint32_t queues)
{
    const struct slab_table *t = slab_of_const(in->table);
    const struct backend_operations *o = t->base.backend->operations;
    const uint64_t n = in->items.n;
    const int to = in->items.order == t->base.lists.list[0] ? 1 : 0;
    struct slab_args args = slab_batch_args(t, &in->batch);
    const struct slab_queues q = {in->items.order, memory, memory + n, queues};
    lists_pass(&t->base.lists, &args.batch, &in->items, to);
    args.batch.order = NULL; /* the kernels' items are places, and queues */
    args.batch.park_status = in->batch.park_status;
    args.transfer.shape = t->base.shape;
    args.transfer.queues = q;
    roost_status status = lists_clear(&t->base.lists);
    if (!status) status = o->fill(t->base.backend, q.first, 0xff, queues * sizeof *q.first);
    args.batch.n = n;
    if (!status) status = o->launch(t->base.backend, t->base.kernel[SLAB_enqueue], &args, sizeof args, n);
    args.batch.n = queues;
    if (!status) status = o->launch(t->base.backend, t->base.kernel[SLAB_serve], &args, sizeof args, queues);
    return status ? status : insertion_take(in, to);
}

/* Serves the items that a pass of appends parked, which may have lost races.  Without memory for
 * queues they race on. */
static roost_status parked_serve(struct insertion *in, struct slab_args *args)
{
    struct backend *b = in->table->backend;
    const struct error_mark before = error_keep(in->table->error);
    const uint32_t queues = in->items.n < MOST_QUEUES ? (uint32_t)in->items.n : MOST_QUEUES;
    const size_t bytes = (in->items.n + queues) * sizeof(uint32_t);
    void *memory;
    if (backend_allocate(b, bytes, &memory)) {
        error_restore(&before);
        args->view.races = 0;
        return insertion_pass(in, in->kernel, args, sizeof *args, &args->batch);
    }
    const roost_status status = queues_serve(in, (uint32_t *)memory, queues);
    backend_release(b, memory, bytes);
    return status;
}

/* ---- Passes ---------------------------------------------------------------------------------- */

/* Do items wait because keys that collide have taken the slabs?  Memory is for six standard
 * deviations more than random keys link, and a fifth. */
static bool took_slabs(const struct insertion *in) { return in->items.n && slab_lists_crowd(slab_of(in->table), 5); }

/* Lets a pass over n items store as many new keys as there is room for, if it may have more. */
static roost_status pass_bound(struct slab_table *t, uint64_t n, struct slab_view *view)
{
    const uint64_t room = slab_room_left(t);
    if (n <= room) return ROOST_OK;
    view->room = (uint32_t)room;
    view->admitted = &slab_words(t)->admitted;
    return t->base.backend->operations->fill(t->base.backend, view->admitted, 0, sizeof *view->admitted);
}

static bool inserts_alone(const struct insertion *in) { return in->kernel == in->table->kernel[SLAB_insert]; }

/* Watched are inserts alone: in a mixed batch one key may leave many tombstones in its list; and
 * multimaps have long lists of equal keys.  A full table refuses keys whatever their lists are. */
static bool is_watched(const struct insertion *in)
{
    const struct slab_table *t = slab_of_const(in->table);
    return inserts_alone(in) && !t->view.multi && policy_may_reseed(&t->base) && slab_room_left(t);
}

/* *bounded: the pass may have left keys because it stored as many as it might. */
static roost_status pass_once(struct insertion *in, bool *bounded)
{
    struct slab_table *t = slab_of(in->table);
    const bool watched = is_watched(in);
    struct slab_args args = slab_batch_args(t, &in->batch);
    if (t->view.multi) args.view.races = RACES;
    if (inserts_alone(in) && !t->tombstones) args.view.wants_flush = NULL;
    if (watched) args.view.sure_length = slab_longest_sure(t, in->items.n);
    if (watched) insertion_hasten(in);
    args.batch.parked_most = in->batch.parked_most;
    roost_status status = pass_bound(t, in->items.n, &args.view);
    *bounded = args.view.admitted != NULL;
    if (!status && watched) status = t->base.backend->operations->fill(t->base.backend, args.view.is_long, 0, sizeof(uint32_t));
    if (!status) status = insertion_pass(in, in->kernel, &args, sizeof args, &args.batch);
    if (!status && t->view.multi && in->items.n) status = parked_serve(in, &args);
    in->steady = !watched || (!t->is_long && !took_slabs(in));
    return status;
}

/* After a bounded pass that stored keys, others may be copies of these, or there may be room. */
roost_status slab_pass(struct insertion *in)
{
    bool bounded = false;
    uint64_t fresh = in->fresh;
    roost_status status = pass_once(in, &bounded);
    while (!status && bounded && in->items.n && in->fresh > fresh) {
        fresh = in->fresh;
        status = pass_once(in, &bounded);
    }
    return status;
}
