/* A batch's way over the ranks: in rounds of a bounded number of items each goes to the rank that
 * owns its key, that rank's shard carries it out, and the answer comes back.
 *
 * A round has four parts: how many items each rank sends to each, where the owners want them, the
 * items, and the answers.  Its
 * columns (keys, values, operations; statuses, values) are exchanged one after another.  A split is
 * stable, so the items of a rank reach an owner in the rank's order, round after round.
 *
 * Two rounds may be under way: while the owners carry out one, the next travels.
 *
 * The columns lie in the memory of the table's machine, whose kernels split the items and bring the
 * answers to their places (src/batches).  Ranks that reach each other's memory (peers.h) store
 * their items straight into the owners' columns, and read the answers there.  A transport that takes
 * no memory of a GPU gets copies of the columns in host memory. */
#include "sharding/round.h"

#include "api/checks.h"

#define FAILED UINT64_MAX /* in place of a count */

/* ---- To the owners --------------------------------------------------------------------------- */

/* Describes a column's exchange: to the owners, or back. */
static void column_describe(struct rounds *r, struct flight *f, int column, bool back)
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
}

/* Exchanges columns, unless ranks store them in each other's memory. */
static roost_status columns_exchange(struct rounds *r, struct flight *f, int first, int last)
{
    roost_status status = ROOST_OK;
    for (int column = first; !status && column < last && !r->g->peers; column++) {
        if (!r->bytes[column]) continue;
        column_describe(r, f, column, first == SENT);
        status = comm_exchange(r->g->comm, false, &r->t->error);
    }
    return status;
}

/* How many items each rank sends to each.  mine: how this rank's split ended; a rank that has
 * failed says so in place of its counts.  One that announces more than a round has lies. */
static roost_status counts_exchange(struct rounds *r, struct flight *f, roost_status mine)
{
    struct comm *const c = r->g->comm;
    const struct error why = r->t->error;
    for (int rank = 0; rank < r->ranks; rank++) {
        if (mine) f->to[rank] = FAILED;
        c->send[rank] = &f->to[rank], c->receive[rank] = &f->from[rank];
        c->send_bytes[rank] = c->receive_bytes[rank] = sizeof *f->to;
    }
    roost_status status = comm_exchange(c, false, &r->t->error);
    f->owned = 0;
    for (int rank = 0; !status && rank < r->ranks; rank++) {
        f->owned += f->from[rank];
        if (f->from[rank] <= r->round) continue;
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
    r->round = r->round / 2 > ROUND_LEAST ? r->round / 2 : ROUND_LEAST;
}

/* Asks the owners for room.  mine: whether this rank has memory for the items that it owns.  *again:
 * one has not. */
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
    if (*again) rounds_shrink(r);
    if (!status || !mine) return status;
    r->t->error = why;
    return mine;
}

/* ---- At the owner ---------------------------------------------------------------------------- */

/* Items without room, or without memory, are no failure of the rank that owns them. */
static roost_status owned_carry_out(struct rounds *r, struct flight *f)
{
    roost_call call = ROOST_CALL_INIT;
    call.flags = r->kind.flags & ROOST_ORDERED;
    call.space = rounds_on_device(r) ? ROOST_SPACE_DEVICE : ROOST_SPACE_HOST;
    call.stream = r->call->stream;
    call.statuses = (uint8_t *)f->owned_side[STATUSES].near;
    struct batch b = batch_of(r->t, f->owned_side[KEYS].near, (size_t)f->owned, &call);
    b.mode = r->kind.mode;
    b.takes = r->kind.takes;
    b.values_in = f->owned_side[VALUES].near;
    b.operations = (const uint8_t *)f->owned_side[OPERATIONS].near;
    b.values_out = f->owned_side[ANSWERS].near;
    b.absent_zero = r->of == COLLECTIVE_FIND;
    const bool writes = r->of == COLLECTIVE_INSERT || r->of == COLLECTIVE_APPLY;
    const roost_status status = table_batch(r->t, r->of, &b, &call);
    if (!writes || !status_of_items(status)) return status;
    return status == ROOST_ERR_MEMORY ? owned_refuse(r, &b) : ROOST_OK;
}

/* On a GPU it may still be at work when this returns. */
static roost_status owned_run(struct rounds *r, struct flight *f)
{
    const roost_status status = owned_arrive(r, f);
    r->g->base.received += f->owned;
    if (status) return status;
    return r->delivery ? owned_deliver(r, f) : owned_carry_out(r, f);
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

/* A round sets out: this rank's items from `first` on, as many as it has.  c->out stays NULL if owners
 * have no memory for so many. */
static roost_status round_depart(struct rounds *r, struct course *c)
{
    const uint64_t left = c->first < r->b->n ? r->b->n - c->first : 0, n = left < r->round ? left : r->round;
    struct flight *const f = &r->flight[c->here ? !c->here->number : 0];
    bool again = false;
    if (!c->mine) c->mine = round_end(r, f, &c->own);
    if (!c->mine) c->mine = round_split(r, f, c->first, n);
    roost_status status = counts_exchange(r, f, c->mine);
    if (!status) status = grants_exchange(r, f, owned_make(r, f), &again);
    if (status || again) return status;
    c->first += r->round;
    c->out = f;
    c->mine = round_send(r, f);
    return ROOST_OK;
}

/* The owners carry out a round's items, while those of the next arrive. */
static roost_status round_land(struct rounds *r, struct course *c, bool begun)
{
    const bool messages = c->out && !r->g->peers;
    roost_status status = ROOST_OK, mine = c->mine;
    if (messages) {
        mine = round_sent(r, c->out);
        column_describe(r, c->out, KEYS, false);
        status = comm_start(r->g->comm, &r->t->error);
    }
    if (!c->mine) c->mine = mine;
    if (!status && !c->mine && c->here && !begun) c->mine = owned_run(r, c->here);
    if (!status && messages) status = comm_finish(r->g->comm, false, &r->t->error);
    if (!status && c->out) status = columns_exchange(r, c->out, VALUES, SENT);
    if (!status && !c->mine && c->here) c->mine = owned_leave(r, c->here);
    if (!status && !c->mine && c->out) c->mine = round_sent(r, c->out);
    return status ? status : group_vote(r->t, c->mine);
}

/* Answers leave for the ranks that asked. */
static roost_status round_return(struct rounds *r, struct course *c)
{
    const roost_status status = columns_exchange(r, c->here, SENT, COLUMNS);
    if (!status) c->mine = round_answer(r, c->here);
    return status;
}

/* On a GPU finds are enqueued before the next round sets out, so that its steps run beside them.
 * Other calls may wait. */
static bool runs_first(const struct rounds *r) { return r->of == COLLECTIVE_FIND && rounds_on_device(r); }

static roost_status course_step(struct rounds *r, struct course *c)
{
    const bool begun = c->here && runs_first(r), goes = c->first < c->most && (!c->here || r->under_way > 1);
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

/* All ranks make as many rounds as the one with the most items.  They leave the last one together,
 * because some may still read their answers in the memory of others. */
static roost_status rounds_run(struct rounds *r, uint64_t most)
{
    struct course c = {.most = most};
    roost_status status = ROOST_OK;
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
                              .overlap = r->flight[1].open,
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
    rounds_join(r, &kind, (int)(agreed.widths & UINT32_MAX), agreed.room < agreed.most ? agreed.room : agreed.most,
                agreed.under_way);
    return rounds_run(r, agreed.most);
}

roost_status sharded_rounds(struct roost_table *t, enum collective of, const struct batch *b, struct delivery *delivery,
                            const roost_call *call, roost_status arguments)
{
    struct group *const g = group_of(t);
    struct batch items = *b;
    struct rounds r = {.t = t, .g = g, .of = of, .b = &items, .call = call, .delivery = delivery, .ranks = comm_ranks(g->comm)};
    r.kind = kind_of(flags_of(&r));
    r.value_bytes = b->value_bytes;
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
