/* What a rank does with the items that it owns. */
#include <string.h>

#include "sharding/steps.h"

/* Copies what has arrived to the machine's memory. */
static roost_status owned_arrive(struct rounds *r, struct flight *f)
{
    struct backend *const b = r->t->backend;
    roost_status status = f->owned ? step_begin(r) : ROOST_OK;
    if (status || !f->owned) return status;
    status = sides_copy(r, f->owned_side, 0, SENT, f->owned, true);
    if (!status && r->bytes[STATUSES]) status = b->operations->fill(b, f->owned_side[STATUSES].near, ROOST_ITEM_NONE, f->owned);
    return step_end(r, status);
}

/* Items of a write that memory ended early have no status: they become NO_MEMORY. */
static roost_status owned_refuse(struct rounds *r, const struct batch *batch)
{
    struct backend *const b = r->t->backend;
    struct batches_args args;
    memset(&args, 0, sizeof args);
    args.batch = *batch;
    args.columns.statuses = batch->statuses;
    args.n = batch->n;
    roost_status status = step_begin(r);
    if (status) return status;
    status = backend_launch(b, batches_kernel_for(b, BATCHES_untried), &args, sizeof args, args.n);
    return step_end(r, status);
}

/* Appends what has arrived to the delivery, as far as it has room. */
static roost_status owned_deliver(struct rounds *r, struct flight *f)
{
    struct delivery *const d = r->delivery;
    const int bytes[] = {r->bytes[KEYS], r->bytes[VALUES]};
    void *const to[] = {d->keys, d->payload};
    const size_t left = d->count < d->room ? d->room - d->count : 0, n = f->owned < left ? (size_t)f->owned : left;
    roost_status status = step_begin(r);
    if (status) return status;
    for (int c = KEYS; !status && c <= VALUES; c++)
        if (n && bytes[c])
            status =
                copy_anywhere(r->t->backend, array_at(to[c], d->count, bytes[c]), f->owned_side[c].near, n * (unsigned)bytes[c]);
    d->count += (size_t)f->owned;
    return step_end(r, status);
}

roost_status owned_leave(struct rounds *r, struct flight *f)
{
    if (!rounds_on_device(r)) return ROOST_OK;
    roost_status status = step_begin(r);
    if (status) return status;
    status = sides_copy(r, f->owned_side, SENT, COLUMNS, f->owned, false);
    if (!status) status = backend_wait(r->t->backend);
    return step_end(r, status);
}

static roost_status owned_mark(struct rounds *r, struct flight *f)
{
    const roost_status status = step_begin(r);
    return status ? status : step_end(r, r->t->backend->operations->mark(r->t->backend, QUEUE_WORK, MARK_OWNED + f->number));
}

roost_status owned_await(struct rounds *r, struct flight *f)
{
    const roost_status status = step_begin(r);
    return status ? status : step_end(r, r->t->backend->operations->await(r->t->backend, MARK_OWNED + f->number));
}

/* Items without room, or without memory, are no failure of the rank that owns them. */
roost_status owned_carry_out(struct rounds *r, const struct columns *c, uint64_t n, const uint64_t *owned_n)
{
    roost_call call = ROOST_CALL_INIT;
    call.flags = r->kind.flags & ROOST_ORDERED;
    call.space = rounds_on_device(r) ? ROOST_SPACE_DEVICE : ROOST_SPACE_HOST;
    call.stream = r->call->stream;
    call.statuses = c->statuses;
    struct batch b = batch_of(r->t, c->keys, (size_t)n, &call);
    b.mode = r->kind.mode;
    b.takes = r->kind.takes;
    b.values_in = c->values_in;
    b.operations = c->operations;
    b.values_out = c->values_out;
    b.order_n = owned_n;
    b.absent_zero = r->of == COLLECTIVE_FIND;
    const struct error_mark before = error_keep(&r->t->error);
    const roost_status status = table_batch(r->t, r->of, &b, &call);
    if (r->of == COLLECTIVE_FIND || r->of == COLLECTIVE_ERASE || !status_of_items(status)) return status;
    error_restore(&before); /* the ranks that asked learn it */
    r->refused = status;
    return status == ROOST_ERR_MEMORY && c->statuses ? owned_refuse(r, &b) : ROOST_OK;
}

roost_status owned_run(struct rounds *r, struct flight *f)
{
    const roost_status status = owned_arrive(r, f);
    const struct columns all = columns_at(r->bytes, f->owned_side, 0);
    r->g->base.received += f->owned;
    r->refused = ROOST_OK;
    if (status) return status;
    return r->delivery ? owned_deliver(r, f) : owned_carry_out(r, &all, f->owned, NULL);
}

roost_status owned_run_posted(struct rounds *r, struct flight *f)
{
    roost_status status = ROOST_OK;
    for (int rank = 0; !status && rank < r->ranks; rank++) {
        const struct columns part = columns_at(r->bytes, f->owned_side, (uint64_t)rank * r->post_room);
        r->g->base.received += f->from[rank];
        status = owned_carry_out(r, &part, f->from[rank], NULL);
    }
    return status ? status : owned_mark(r, f);
}
