/* What a round does in the memory of the table's machine. */
#include <string.h>

#include "sharding/steps.h"

/* ---- To the owners --------------------------------------------------------------------------- */

void owned_grant(struct rounds *r, struct flight *f, roost_status status)
{
    struct comm *const c = r->g->comm;
    uint64_t before = 0;
    for (int rank = 0; rank < r->ranks; rank++) {
        const struct grant grant = {.status = (uint64_t)status, .columns = columns_at(r->bytes, f->owned_side, before)};
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

roost_status sides_copy(struct rounds *r, const struct side side[COLUMNS], int first, int last, uint64_t n, bool arrives)
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

roost_status own_begin_round(struct rounds *r, struct flight *f)
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
        else end->columns = columns_at(r->bytes, f->own, f->words[rank]);
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
