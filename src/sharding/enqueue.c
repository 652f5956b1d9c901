/* Finds that are enqueued, of ranks that are threads of one process with their tables on GPUs.
 *
 * Each owner reserves room for all keys of each rank, so no rank waits for the number of keys that
 * come: the owner's finds read it.  The work of a GPU waits for that of the others by marks, and a
 * meeting of the ranks' threads guarantees that the marks are set.  A mark is set again only in a
 * later call, after a meeting that each rank enters once it no longer waits for the mark. */
#include "sharding/steps.h"

/* A rank is inside until it has used the others' marks: one that frees its table waits for that. */
static roost_status keys_enqueue(struct rounds *r, struct flight *f)
{
    struct backend *const b = r->t->backend;
    roost_status status = way_begin(r);
    if (status) return status;
    status = flight_enter(r, f);
    if (!status) status = own_begin_round(r, f);
    if (!status) status = travel_post(&f->w, f->n, POST_ROOM_MOST, r->g->posts.ends);
    if (!status) status = travel_tell(&f->w);
    if (!status) status = b->operations->mark(b, QUEUE_WAY, MARK_POSTED);
    return way_end(r, status);
}

/* More keys than chance sends are found by the kernels of as many, in turns. */
static roost_status owned_enqueue(struct rounds *r, uint64_t most)
{
    const struct group *const g = r->g;
    struct backend *const b = r->t->backend;
    roost_status status = step_begin(r);
    if (!status) status = step_end(r, peers_follow(g->peers, QUEUE_WORK, MARK_POSTED));
    for (int rank = 0; !status && rank < r->ranks; rank++) {
        const struct columns part = columns_at(r->bytes, g->posts.side, g->posts.room * (unsigned)rank);
        status = owned_carry_out(r, &part, share_by_chance(most, r->ranks), &g->posts.counts[rank]);
    }
    if (!status) status = step_begin(r);
    return status ? status : step_end(r, b->operations->mark(b, QUEUE_WORK, MARK_FOUND));
}

static roost_status answers_enqueue(struct rounds *r, struct flight *f)
{
    struct backend *const b = r->t->backend;
    roost_status status = way_begin(r);
    if (status) return status;
    status = peers_follow(r->g->peers, QUEUE_WAY, MARK_FOUND);
    if (!status) status = travel_back(&f->w);
    if (!status) status = b->operations->mark(b, QUEUE_WAY, MARK_ANSWERED);
    status = way_end(r, status);
    if (!status) status = step_begin(r);
    return status ? status : step_end(r, b->operations->follow(b, QUEUE_WORK, b, MARK_ANSWERED));
}

roost_status finds_enqueue(struct rounds *r, uint64_t most, bool *done)
{
    struct flight *const f = &r->flight[0];
    bool room;
    roost_status status = posts_agree(r->t, most, r->bytes, &room);
    if (status || !room) return status;
    f->first = 0, f->n = r->b->n;
    status = group_vote(r->t, keys_enqueue(r, f));
    if (!status) status = group_vote(r->t, owned_enqueue(r, most));
    if (!status) status = answers_enqueue(r, f);
    *done = !status;
    return status;
}
