/* A batch's way over the ranks: in rounds of a bounded number of items each goes to the rank that
 * owns its key, that rank's shard carries it out, and the answer comes back.
 *
 * A round has four parts: how many items each rank sends to each, where the owners want them, the
 * items, and the answers.  Its columns (keys, values, operations; statuses, values) are exchanged
 * one after another.  A split is stable, so the items of a rank reach an owner in the rank's order,
 * round after round.
 *
 * Two rounds may be under way: while the owners carry out one, the next travels.
 *
 * The columns lie in the memory of the table's machine, whose kernels split the items and bring the
 * answers to their places (src/batches).  Ranks that reach each other's memory (peers.h) store
 * their items straight into the owners' columns, and read the answers there.  A transport that
 * takes no memory of a GPU gets copies of the columns in host memory. */
#include "sharding/round.h"

#include "api/checks.h"

/* In place of a count. */
#define FAILED UINT64_MAX
#define NO_ROOM (UINT64_MAX - 1)

/* ---- To the owners --------------------------------------------------------------------------- */

/* Starts a column's exchange: to the owners, or back. */
static roost_status column_start(struct rounds *r, struct flight *f, int column, bool back)
{
    struct comm *const c = r->g->comm;
    const struct side *const ours = back ? &f->owned_side[column] : &f->own[column];
    const struct side *const theirs = back ? &f->own[column] : &f->owned_side[column];
    const uint64_t *const out = back ? f->from : f->to, *const in = back ? f->to : f->from;
    const size_t bytes = (size_t)r->bytes[column];
    uint64_t sent = 0, received = 0;
    for (int rank = 0; rank < r->ranks; rank++) {
        c->send[rank] = side_message(ours, sent * bytes), c->receive[rank] = side_message(theirs, received * bytes);
        c->send_bytes[rank] = out[rank] * bytes, c->receive_bytes[rank] = in[rank] * bytes;
        sent += out[rank], received += in[rank];
    }
    return comm_start(c, rounds_on_device(r) && c->operations.device, &r->t->error);
}

/* Exchanges columns, unless ranks store them in each other's memory. */
static roost_status columns_exchange(struct rounds *r, struct flight *f, int first, int last)
{
    roost_status status = ROOST_OK;
    for (int column = first; !status && column < last && !r->g->peers; column++) {
        if (!r->bytes[column]) continue;
        status = column_start(r, f, column, first == SENT);
        if (!status) status = comm_finish(r->g->comm, false, &r->t->error);
    }
    return status;
}

/* Does a rank find no room for its items? */
static bool is_refused(const struct rounds *r, const uint64_t *counts)
{
    bool refused = false;
    for (int rank = 0; rank < r->ranks; rank++) refused = refused || (r->post_room && counts[rank] > r->post_room);
    return refused;
}

/* How many items each rank sends to each.  mine: how this rank's split ended; a rank that has
 * failed says so in place of its counts, or that owners had no room.  One that announces more than
 * a round has lies. */
static roost_status counts_exchange(struct rounds *r, struct flight *f, roost_status mine)
{
    struct comm *const c = r->g->comm;
    const struct error why = r->t->error;
    const bool refused = is_refused(r, f->to);
    for (int rank = 0; rank < r->ranks; rank++) {
        if (mine) f->to[rank] = FAILED;
        else if (refused) f->to[rank] = NO_ROOM;
        c->send[rank] = &f->to[rank], c->receive[rank] = &f->from[rank];
        c->send_bytes[rank] = c->receive_bytes[rank] = sizeof *f->to;
    }
    roost_status status = comm_exchange(c, false, &r->t->error);
    f->owned = 0;
    for (int rank = 0; !status && rank < r->ranks; rank++) {
        f->owned += f->from[rank];
        if (f->from[rank] <= r->round || (r->post_room && f->from[rank] == NO_ROOM)) continue;
        if (f->from[rank] != FAILED) comm_kill(c);
        status = error_set(&r->t->error, ROOST_ERR_COMM, "rank %d %s", rank,
                           f->from[rank] == FAILED ? "failed" : "announced more items than a round has");
    }
    if (mine) r->t->error = why;
    return mine ? mine : status;
}

/* The round is repeated with fewer items: nothing has been sent yet. */
static void rounds_shrink(struct rounds *r)
{
    r->under_way = 1;
    if (r->round > ROUND_LEAST) r->round = r->round / 2 > ROUND_LEAST ? r->round / 2 : ROUND_LEAST;
}

/* Asks the owners for room.  mine: whether this rank has memory for the items that it owns.
 * *again: one has not. */
static roost_status grants_exchange(struct rounds *r, struct flight *f, roost_status mine, bool *again)
{
    struct comm *const c = r->g->comm;
    const bool smaller = r->round > ROUND_LEAST || r->under_way > 1;
    const struct error why = r->t->error;
    owned_grant(r, f, mine);
    for (int rank = 0; rank < r->ranks; rank++) {
        c->send[rank] = &c->grants[rank], c->receive[rank] = &c->granted[rank];
        c->send_bytes[rank] = c->receive_bytes[rank] = sizeof *c->grants;
    }
    roost_status status = comm_exchange(c, false, &r->t->error);
    *again = false;
    for (int rank = 0; !status && rank < r->ranks; rank++) {
        const roost_status of = (roost_status)c->granted[rank].status;
        if (of == ROOST_ERR_MEMORY && smaller) *again = true;
        else if (of) status = error_set(&r->t->error, ROOST_ERR_COMM, "rank %d failed: %s", rank, roost_status_string(of));
    }
    if (!status || !mine) return status;
    r->t->error = why;
    return mine;
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

/* The status of this rank's own items. */
static roost_status answers_judge(struct rounds *r, const uint64_t refused[2], roost_status before)
{
    if (refused[1]) return error_set(&r->t->error, ROOST_ERR_MEMORY, "memory was refused to a shard of the table");
    if (refused[0] && !before) return error_set(&r->t->error, ROOST_ERR_FULL, "some items found no room in a shard of the table");
    return before;
}

/* Waits for the answers of a round.  *own: the status of this rank's items so far. */
static roost_status round_end(struct rounds *r, struct flight *f, roost_status *own)
{
    uint64_t refused[2];
    const roost_status status = round_done(r, f, refused);
    if (!status) *own = answers_judge(r, refused, *own);
    return status;
}

/* The rounds of a call. */
struct course {
    uint64_t first, most;      /* the next round's first item; the most items of a rank */
    struct flight *here, *out; /* whose items are at their owners; whose are on their way there */
    roost_status mine;         /* how this rank fares, which others learn with its next vote */
    roost_status own;          /* of its items */
};

/* This rank's items of the next round, from c->first on, as many as it has. */
static uint64_t items_next(const struct rounds *r, const struct course *c)
{
    const uint64_t left = c->first < r->b->n ? r->b->n - c->first : 0;
    return left < r->round ? left : r->round;
}
static struct flight *flight_next(struct rounds *r, const struct course *c) { return &r->flight[c->here ? !c->here->number : 0]; }

/* Starts a round.  c->out stays NULL if an owner has no memory for its items. */
static roost_status round_depart(struct rounds *r, struct course *c)
{
    struct flight *const f = flight_next(r, c);
    bool again = false;
    if (!c->mine) c->mine = round_end(r, f, &c->own);
    if (!c->mine) c->mine = round_split(r, f, c->first, items_next(r, c));
    roost_status status = counts_exchange(r, f, c->mine);
    if (!status) status = grants_exchange(r, f, owned_make(r, f), &again);
    if (again) rounds_shrink(r);
    if (status || again) return status;
    c->first += r->round;
    c->out = f;
    c->mine = round_send(r, f);
    return ROOST_OK;
}

/* All learn how the owners fared with a round's items.  Where nobody wants statuses, that of a
 * rank's call is that of the shards that got its items. */
static roost_status round_vote(struct rounds *r, struct course *c)
{
    const struct vote *all;
    const roost_status status = group_votes(r->t, c->mine, c->here ? r->refused : ROOST_OK, &all);
    for (int rank = 0; !status && c->here && !r->statuses && rank < r->ranks; rank++) {
        const bool ours = c->here->to[rank] != 0;
        const uint64_t refused[2] = {ours && all[rank].items == ROOST_ERR_FULL, ours && all[rank].items == ROOST_ERR_MEMORY};
        c->own = answers_judge(r, refused, c->own);
    }
    return status;
}

/* The owners carry out a round's items, while those of the next arrive. */
static roost_status round_land(struct rounds *r, struct course *c, bool begun)
{
    const bool messages = c->out && !r->g->peers;
    roost_status status = ROOST_OK, mine = c->mine;
    if (messages) {
        mine = round_sent(r, c->out);
        status = column_start(r, c->out, KEYS, false);
    }
    if (!c->mine) c->mine = mine;
    if (!status && !c->mine && c->here && !begun) c->mine = owned_run(r, c->here);
    if (!status && messages) status = comm_finish(r->g->comm, false, &r->t->error);
    if (!status && c->out) status = columns_exchange(r, c->out, VALUES, SENT);
    if (!status && !c->mine && c->here) c->mine = owned_leave(r, c->here);
    if (!status && !c->mine && c->out) c->mine = round_sent(r, c->out);
    return status ? status : round_vote(r, c);
}

/* Answers leave for the ranks that asked. */
static roost_status round_return(struct rounds *r, struct course *c)
{
    const roost_status status = columns_exchange(r, c->here, SENT, COLUMNS);
    if (!status) c->mine = round_answer(r, c->here);
    return status;
}

static roost_status course_step(struct rounds *r, struct course *c)
{
    const bool begun = c->here && rounds_enqueue(r), goes = c->first < c->most && (!c->here || r->under_way > 1);
    roost_status status = ROOST_OK;
    c->out = NULL;
    if (begun && !c->mine) c->mine = owned_run(r, c->here);
    if (goes) status = round_depart(r, c);
    if (!status && (c->here || c->out)) status = round_land(r, c, begun);
    if (!status && c->out && r->g->peers) peers_settle(r->g->peers, c->out->number);
    if (!status && c->here) status = round_return(r, c);
    c->here = c->out;
    return status;
}

/* ---- Finds of ranks that reach each other ---------------------------------------------------- */

/* Finds need no order, so owners give each rank room for what chance sends them before the first
 * round, and keys go there without being counted.  If more come than chance would send, the rounds
 * from there on are counted. */
static uint32_t post_room(const struct rounds *r)
{
    const bool may = r->of == COLLECTIVE_FIND && r->g->peers && r->ranks <= POST_OWNERS_MOST && r->round <= POST_ROOM_MOST;
    return may ? (uint32_t)share_by_chance(r->round, r->ranks) : 0;
}

static roost_status posts_begin(struct rounds *r, struct course *c)
{
    roost_status status = ROOST_OK;
    bool again = false;
    r->post_room = post_room(r);
    for (int i = 0; i < r->under_way && r->post_room && !status; i++) {
        struct flight *const f = &r->flight[i];
        f->owned = (uint64_t)r->post_room * (unsigned)r->ranks;
        status = grants_exchange(r, f, owned_make(r, f), &again);
        if (again) r->post_room = 0;
        if (!status && !again && !c->mine) c->mine = ends_set(r, f);
    }
    return status;
}

static roost_status post_depart(struct rounds *r, struct course *c)
{
    struct flight *const f = flight_next(r, c);
    if (!c->mine) c->mine = round_end(r, f, &c->own);
    if (!c->mine) c->mine = round_post(r, f, c->first, items_next(r, c));
    const roost_status status = counts_exchange(r, f, c->mine);
    for (int rank = 0; !status && rank < r->ranks; rank++)
        if (f->from[rank] == NO_ROOM) r->post_room = 0;
    if (status || !r->post_room) return status;
    c->first += r->round;
    c->out = f;
    return ROOST_OK;
}

/* On a GPU the finds of two rounds are enqueued at a time. */
static roost_status post_step(struct rounds *r, struct course *c)
{
    roost_status status = ROOST_OK;
    c->out = NULL;
    if (c->first < c->most) status = post_depart(r, c);
    if (status) return status;
    if (c->out && !c->mine) c->mine = owned_run_posted(r, c->out);
    struct flight *const done = r->under_way > 1 ? c->here : c->out;
    c->here = r->under_way > 1 ? c->out : NULL;
    if (!done) return ROOST_OK;
    if (!c->mine) c->mine = owned_await(r, done);
    status = group_vote(r->t, c->mine);
    if (!status) c->mine = round_answer(r, done);
    return status;
}

/* ---- All rounds ------------------------------------------------------------------------------ */

/* All ranks make as many rounds as the one with the most items.  They leave the last one together,
 * because some may still read their answers in the memory of others. */
static roost_status rounds_run(struct rounds *r, uint64_t most)
{
    struct course c = {.most = most};
    roost_status status = posts_begin(r, &c);
    while (!status && (c.here || (r->post_room && c.first < most))) status = post_step(r, &c);
    while (!status && (c.here || c.first < most)) status = course_step(r, &c);
    for (int i = 0; i < ROUNDS && !status && !c.mine; i++) c.mine = round_end(r, &r->flight[i], &c.own);
    if (!status) status = r->g->peers ? group_vote(r->t, c.mine) : c.mine;
    return status ? status : c.own;
}

static uint64_t flags_of(const struct rounds *r)
{
    return (uint64_t)r->call->flags << 32 | (uint64_t)r->b->mode << 16 | r->b->takes;
}

static struct said said_of(const struct rounds *r, bool refuses)
{
    const struct roost_table *const t = r->t;
    const struct batch *const b = r->b;
    const struct said said = {.of = r->of,
                              .table = r->g->number,
                              .widths = (uint64_t)t->key_bytes << 32 | (uint64_t)b->value_bytes,
                              .flags = flags_of(r),
                              .n = b->n,
                              .room = r->flight[0].w.room < b->n ? r->flight[0].w.room : UINT64_MAX,
                              .statuses = b->statuses || (r->of != COLLECTIVE_INSERT && r->of != COLLECTIVE_ERASE),
                              .overlap = r->flight[1].open,
                              .enqueues = r->enqueues && !refuses,
                              .refuses = refuses};
    return said;
}

static struct batch_kind kind_of(uint64_t flags)
{
    const struct batch_kind kind = {(uint32_t)(flags >> 32), (uint16_t)flags, (uint8_t)(flags >> 16)};
    return kind;
}

/* The rank takes part, with or without items of its own. */
static roost_status rounds_agree(struct rounds *r, bool refuses)
{
    struct agreed agreed;
    const struct said mine = said_of(r, refuses);
    const roost_status status = group_agree(r->t, &mine, &agreed);
    if (status || !agreed.most) return status;
    const struct batch_kind kind = kind_of(agreed.flags);
    r->under_way = agreed.under_way;
    r->statuses = agreed.statuses && !r->delivery;
    rounds_join(r, &kind, (int)(agreed.widths & UINT32_MAX), agreed.room < agreed.most ? agreed.room : agreed.most);
    const roost_status enqueued = agreed.enqueues ? finds_enqueue(r, agreed.most, &r->enqueued) : ROOST_OK;
    return enqueued || r->enqueued ? enqueued : rounds_run(r, agreed.most);
}

roost_status sharded_rounds(struct roost_table *t, enum collective of, const struct batch *b, struct delivery *delivery,
                            const roost_call *call, roost_status arguments)
{
    struct group *const g = group_of(t);
    struct batch items = *b;
    struct rounds r = {.t = t, .g = g, .of = of, .b = &items, .call = call, .delivery = delivery, .ranks = comm_ranks(g->comm)};
    r.kind = kind_of(flags_of(&r));
    r.value_bytes = b->value_bytes;
    r.statuses = delivery == NULL;
    rounds_init(&r);
    if (!arguments) arguments = rounds_open(&r);
    if (arguments) items.n = 0;
    const struct error why = t->error;
    const roost_status status = rounds_agree(&r, arguments != ROOST_OK);
    rounds_close(&r);
    if (arguments) t->error = why;
    return arguments ? arguments : status;
}

roost_status sharded_batch(struct roost_table *t, enum collective of, const struct batch *b, const roost_call *call,
                           roost_status arguments)
{
    return sharded_rounds(t, of, b, NULL, call, arguments);
}
