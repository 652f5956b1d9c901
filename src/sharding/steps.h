/* How a step of a round begins and ends.  The steps of an item's way have a stream of their own
 * beside that of the call, on which the shard carries out the items of the round before. */
#ifndef ROOST_SHARDING_STEPS_H
#define ROOST_SHARDING_STEPS_H

#include "api/checks.h"
#include "sharding/round.h"

/* A step in the order of the call's stream. */
static inline roost_status step_begin(struct rounds *r) { return call_begin(r->t, r->call->stream, ACCESS_READ); }
static inline roost_status step_end(struct rounds *r, roost_status status) { return call_end(r->t, ACCESS_READ, status); }

static inline roost_status way_end(struct rounds *r, roost_status status)
{
    r->t->backend->stream = r->work;
    return step_end(r, status);
}
/* A step on the way's stream.  The table is not used, so writes need not wait for it. */
static inline roost_status way_begin(struct rounds *r)
{
    struct backend *const b = r->t->backend;
    roost_status status = step_begin(r);
    if (status) return status;
    r->work = b->stream;
    status = b->operations->stream_of(b, QUEUE_WAY, &b->stream);
    return status ? way_end(r, status) : ROOST_OK;
}

/* The flight's work uses memory of peers, until it has been waited for. */
static inline roost_status flight_enter(struct rounds *r, struct flight *f)
{
    const roost_status status = r->g->peers ? peers_enter(r->g->peers) : ROOST_OK;
    f->inside = r->g->peers && !status;
    return status;
}
static inline void flight_leave(struct rounds *r, struct flight *f)
{
    if (f->inside) peers_leave(r->g->peers);
    f->inside = false;
}

#endif
