/* What a round does in the memory of the table's machine. */
#include <string.h>

#include "sharding/steps.h"

/* Behind the work of a round of those under way. */
enum { MARK_OWNED = MARK_CALL - ROUNDS };

/* ---- To the owners --------------------------------------------------------------------------- */

/* Where the items of a rank lie, or will lie, of which others are before. */
static struct columns columns_at(const struct rounds *r, const struct side side[COLUMNS], uint64_t before)
{
    void *at[COLUMNS];
    for (int c = 0; c < COLUMNS; c++) at[c] = array_at(side[c].near, before, r->bytes[c]);
    const struct columns columns = {at[KEYS], at[VALUES], at[ANSWERS], (uint8_t *)at[OPERATIONS], (uint8_t *)at[STATUSES]};
    return columns;
}

struct columns owned_columns(const struct rounds *r, const struct flight *f, uint64_t before)
{
    return columns_at(r, f->owned_side, before);
}

void owned_grant(struct rounds *r, struct flight *f, roost_status status)
{
    struct comm *const c = r->g->comm;
    uint64_t before = 0;
    for (int rank = 0; rank < r->ranks; rank++) {
        const struct grant grant = {.status = (uint64_t)status, .columns = owned_columns(r, f, before)};
        c->grants[rank] = grant;
        if (r->g->peers) peers_name(r->g->peers, f->number, &c->grants[rank]);
        before += r->post_room ? r->post_room : f->from[rank];
    }
}

static roost_status combine_items(struct rounds *r, struct flight *f)
{
    const uint8_t mode = r->b->mode;
    const bool combined = mode == ROOST_ADD || mode == ROOST_MIN || mode == ROOST_MAX;
    return travel_combine(&f->w, f->n, combined && r->bytes[VALUES]);
}

/* The round's part of an array of the caller, or what it passes through. */
static void *user_part(const struct rounds *r, const struct flight *f, int which)
{
    const struct user *const u = &r->user[which];
    return u->reached ? array_at(u->at, f->first, u->bytes) : f->w.part[u->part];
}

static struct batch round_batch(const struct rounds *r, const struct flight *f)
{
    struct batch part = *r->b;
    part.keys = user_part(r, f, USER_KEYS);
    part.values_in = user_part(r, f, USER_VALUES_IN);
    part.operations = (const uint8_t *)user_part(r, f, USER_OPERATIONS);
    part.values_out = user_part(r, f, USER_VALUES_OUT);
    part.found = (uint8_t *)user_part(r, f, USER_FOUND);
    part.statuses = (uint8_t *)user_part(r, f, USER_STATUSES);
    part.n = f->n;
    return part;
}

/* Copies arrays that the machine does not reach: in before a round, out behind it. */
static roost_status users_copy(struct rounds *r, const struct flight *f, bool out)
{
    struct backend *const b = r->t->backend;
    roost_status status = ROOST_OK;
    for (int i = 0; !status && i < USERS; i++) {
        const struct user *const u = &r->user[i];
        void *const there = array_at(u->at, f->first, u->bytes), *const here = f->w.part[u->part];
        if (out ? u->out : u->in)
            status = b->operations->copy(b, out ? there : here, out ? here : there, f->n * (unsigned)u->bytes);
    }
    return status;
}

/* Copies columns from the machine's memory to the transport's, or (arrives) from there. */
static roost_status sides_copy(struct rounds *r, const struct side side[COLUMNS], int first, int last, uint64_t n, bool arrives)
{
    struct backend *const b = r->t->backend;
    roost_status status = ROOST_OK;
    for (int c = first; !status && c < last; c++) {
        const struct side *const s = &side[c];
        const size_t bytes = n * (unsigned)r->bytes[c];
        if (bytes && s->far) status = b->operations->copy(b, arrives ? s->near : s->far, arrives ? s->far : s->near, bytes);
    }
    return status;
}

static roost_status own_begin_round(struct rounds *r, struct flight *f)
{
    travel_place(&f->w);
    f->w.args.batch = round_batch(r, f);
    const roost_status status = users_copy(r, f, false);
    return status || !r->hot ? status : combine_items(r, f);
}

static roost_status own_split(struct rounds *r, struct flight *f)
{
    roost_status status = own_begin_round(r, f);
    if (!status) status = travel_split(&f->w, f->n);
    if (!status) status = travel_counts(&f->w, f->words);
    for (int rank = 0; !status && rank < r->ranks; rank++) f->to[rank] = f->words[rank + 1] - f->words[rank];
    f->travelling = status ? 0 : f->words[r->ranks];
    return status;
}

static roost_status own_post(struct rounds *r, struct flight *f)
{
    roost_status status = own_begin_round(r, f);
    if (!status) status = flight_enter(r, f);
    if (!status) status = travel_post(&f->w, f->n, r->post_room, f->ends);
    if (!status) status = travel_counts(&f->w, f->words);
    if (!status) flight_leave(r, f);
    if (!status) memcpy(f->to, f->words, (size_t)r->ranks * sizeof *f->to);
    return status;
}

static roost_status round_set_out(struct rounds *r, struct flight *f, uint64_t first, uint64_t n,
                                  roost_status (*way)(struct rounds *r, struct flight *f))
{
    memset(f->to, 0, (size_t)r->ranks * sizeof *f->to);
    f->first = first;
    f->n = n;
    f->travelling = 0;
    if (!n) return ROOST_OK;
    const roost_status status = way_begin(r);
    return status ? status : way_end(r, way(r, f));
}

roost_status round_split(struct rounds *r, struct flight *f, uint64_t first, uint64_t n)
{
    return round_set_out(r, f, first, n, own_split);
}

roost_status round_post(struct rounds *r, struct flight *f, uint64_t first, uint64_t n)
{
    return round_set_out(r, f, first, n, own_post);
}

roost_status ends_set(struct rounds *r, struct flight *f)
{
    struct peers *const peers = r->g->peers;
    roost_status status = ROOST_OK;
    for (int rank = 0; !status && rank < r->ranks; rank++) {
        struct travel_end *const end = &f->ends[rank];
        end->before = (uint32_t)f->words[rank];
        if (peers) status = peers_columns(peers, f->number, rank, &r->g->comm->granted[rank], &end->columns);
        else end->columns = columns_at(r, f->own, f->words[rank]);
    }
    return status;
}

static roost_status own_send(struct rounds *r, struct flight *f)
{
    roost_status status = ends_set(r, f);
    if (!status && f->n) status = flight_enter(r, f);
    if (!status && f->n) status = travel_send(&f->w, f->ends);
    return status ? status : sides_copy(r, f->own, 0, SENT, f->travelling, false);
}

roost_status round_send(struct rounds *r, struct flight *f)
{
    const roost_status status = way_begin(r);
    return status ? status : way_end(r, own_send(r, f));
}

roost_status round_sent(struct rounds *r, struct flight *f)
{
    if (!f->n && !f->owned) return ROOST_OK; /* memory for what it owns is allocated in its order */
    roost_status status = way_begin(r);
    if (status) return status;
    status = backend_wait(r->t->backend);
    flight_leave(r, f);
    return way_end(r, status);
}

/* ---- At the owner ---------------------------------------------------------------------------- */

roost_status owned_arrive(struct rounds *r, struct flight *f)
{
    struct backend *const b = r->t->backend;
    roost_status status = f->owned ? step_begin(r) : ROOST_OK;
    if (status || !f->owned) return status;
    status = sides_copy(r, f->owned_side, 0, SENT, f->owned, true);
    if (!status && r->bytes[STATUSES]) status = b->operations->fill(b, f->owned_side[STATUSES].near, ROOST_ITEM_NONE, f->owned);
    return step_end(r, status);
}

roost_status owned_refuse(struct rounds *r, const struct batch *batch)
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

roost_status owned_deliver(struct rounds *r, struct flight *f)
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

roost_status owned_mark(struct rounds *r, struct flight *f)
{
    const roost_status status = step_begin(r);
    return status ? status : step_end(r, r->t->backend->operations->mark(r->t->backend, QUEUE_WORK, MARK_OWNED + f->number));
}

roost_status owned_await(struct rounds *r, struct flight *f)
{
    const roost_status status = step_begin(r);
    return status ? status : step_end(r, r->t->backend->operations->await(r->t->backend, MARK_OWNED + f->number));
}

/* ---- The way back ---------------------------------------------------------------------------- */

static roost_status own_answer(struct rounds *r, struct flight *f)
{
    roost_status status = flight_enter(r, f);
    if (!status) status = sides_copy(r, f->own, SENT, COLUMNS, f->travelling, true);
    if (!status) status = travel_back(&f->w);
    return status ? status : users_copy(r, f, true);
}

roost_status round_answer(struct rounds *r, struct flight *f)
{
    if (!f->n || !r->statuses) return ROOST_OK;
    f->answers = true;
    const roost_status status = way_begin(r);
    return status ? status : way_end(r, own_answer(r, f));
}

roost_status round_done(struct rounds *r, struct flight *f, uint64_t refused[2])
{
    refused[0] = refused[1] = 0;
    if (!f->answers) return ROOST_OK;
    f->answers = false;
    roost_status status = way_begin(r);
    if (status) return status;
    status = travel_refused(&f->w, refused);
    flight_leave(r, f);
    return way_end(r, status);
}
