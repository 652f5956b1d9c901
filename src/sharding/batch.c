/* A batch's way over the ranks: in rounds of a bounded number of items each goes to the rank that
 * owns its key, that rank's shard carries it out, and the answer comes back.
 *
 * A round has three parts: how many items each rank sends to each, the items, and the answers.  Its
 * columns (keys, values, operations; statuses, values) are exchanged one after another.  A split is
 * stable, so the items of a rank reach an owner in the rank's order, round after round.
 *
 * The columns lie in the memory of the table's machine, whose kernels split the items and bring the
 * answers to their places (src/batches).  A transport that takes no memory of a GPU gets copies of
 * them in host memory. */
#include "sharding/round.h"

#include "api/checks.h"

#define FAILED UINT64_MAX /* in place of a count */

/* ---- To the owners --------------------------------------------------------------------------- */

/* Exchanges a column: to the owners, or back. */
static roost_status column_exchange(struct rounds *r, const struct column *column, bool back)
{
    struct comm *const c = r->g->comm;
    const struct side *const ours = back ? &column->owned : &column->own, *const theirs = back ? &column->own : &column->owned;
    const uint64_t *const out = back ? c->from : c->to, *const in = back ? c->to : c->from;
    const size_t bytes = (size_t)column->bytes;
    uint64_t sent = 0, received = 0;
    for (int rank = 0; rank < r->ranks; rank++) {
        c->send[rank] = side_message(ours, sent * bytes), c->receive[rank] = side_message(theirs, received * bytes);
        c->send_bytes[rank] = out[rank] * bytes, c->receive_bytes[rank] = in[rank] * bytes;
        sent += out[rank], received += in[rank];
    }
    return bytes ? comm_exchange(c, false, &r->t->error) : ROOST_OK;
}

/* How many items each rank sends to each.  mine: how this rank's split ended; a rank that has
 * failed says so in place of its counts.  One that announces more than a round has lies. */
static roost_status counts_exchange(struct rounds *r, roost_status mine)
{
    struct comm *const c = r->g->comm;
    const struct error why = r->t->error;
    for (int rank = 0; rank < r->ranks; rank++) {
        if (mine) c->to[rank] = FAILED;
        c->send[rank] = &c->to[rank], c->receive[rank] = &c->from[rank];
        c->send_bytes[rank] = c->receive_bytes[rank] = sizeof *c->to;
    }
    roost_status status = comm_exchange(c, false, &r->t->error);
    r->owned = 0;
    for (int rank = 0; !status && rank < r->ranks; rank++) {
        r->owned += c->from[rank];
        if (c->from[rank] <= r->round) continue;
        if (c->from[rank] != FAILED) comm_kill(c);
        status = error_set(&r->t->error, ROOST_ERR_COMM, "rank %d %s", rank,
                           c->from[rank] == FAILED ? "failed" : "announced more items than a round has");
    }
    if (mine) r->t->error = why;
    return mine ? mine : status;
}

/* Learns whether all ranks have memory for the items that they own.  *again: one has not, and the
 * round is repeated with fewer items: nothing has been sent yet. */
static roost_status owners_ask(struct rounds *r, roost_status mine, bool *again)
{
    const bool smaller = r->round > ROUND_LEAST;
    const struct error why = r->t->error;
    const uint32_t vote = (uint32_t)mine;
    const void *all;
    roost_status status = comm_gather(r->g->comm, &vote, sizeof vote, false, &all, &r->t->error);
    *again = false;
    for (int rank = 0; !status && rank < r->ranks; rank++) {
        const roost_status of = (roost_status)((const uint32_t *)all)[rank];
        if (of == ROOST_ERR_MEMORY && smaller) *again = true;
        else if (of) status = error_set(&r->t->error, ROOST_ERR_COMM, "rank %d failed: %s", rank, roost_status_string(of));
    }
    if (*again) r->round = r->round / 2 > ROUND_LEAST ? r->round / 2 : ROUND_LEAST;
    if (!status || !mine) return status;
    r->t->error = why;
    return mine;
}

/* ---- At the owner ---------------------------------------------------------------------------- */

/* Items without room, or without memory, are no failure of the rank that owns them. */
static roost_status owned_carry_out(struct rounds *r)
{
    roost_call call = ROOST_CALL_INIT;
    call.flags = r->kind.flags & ROOST_ORDERED;
    call.space = rounds_on_device(r) ? ROOST_SPACE_DEVICE : ROOST_SPACE_HOST;
    call.stream = r->call->stream;
    call.statuses = (uint8_t *)r->column[STATUSES].owned.near;
    struct batch b = batch_of(r->t, r->column[KEYS].owned.near, (size_t)r->owned, &call);
    b.mode = r->kind.mode;
    b.takes = r->kind.takes;
    b.values_in = r->column[VALUES].owned.near;
    b.operations = (const uint8_t *)r->column[OPERATIONS].owned.near;
    b.values_out = r->column[ANSWERS].owned.near;
    b.absent_zero = r->of == COLLECTIVE_FIND;
    const bool writes = r->of == COLLECTIVE_INSERT || r->of == COLLECTIVE_APPLY;
    const roost_status status = table_batch(r->t, r->of, &b, &call);
    if (!writes || !status_of_items(status)) return status;
    return status == ROOST_ERR_MEMORY ? owned_refuse(r, &b) : ROOST_OK;
}

static roost_status owned_run(struct rounds *r)
{
    roost_status status = owned_arrive(r);
    r->g->base.received += r->owned;
    if (!status && r->delivery) return owned_deliver(r);
    if (!status) status = owned_carry_out(r);
    return status ? status : owned_leave(r);
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

/* The status of this rank's own items. */
static roost_status answers_judge(struct rounds *r, const uint64_t refused[2], roost_status before)
{
    if (refused[1]) return error_set(&r->t->error, ROOST_ERR_MEMORY, "memory was refused to a shard of the table");
    if (refused[0] && !before) return error_set(&r->t->error, ROOST_ERR_FULL, "some items found no room in a shard of the table");
    return before;
}

/* The answers to n items from `first` on.  *own: the status of those before, and now of these,
 * too. */
static roost_status round_end(struct rounds *r, uint64_t first, uint64_t n, roost_status *own)
{
    uint64_t refused[2] = {0, 0};
    roost_status status = group_vote(r->t, owned_run(r));
    for (int c = SENT; !status && c < COLUMNS; c++) status = column_exchange(r, &r->column[c], true);
    if (!status) status = round_answer(r, first, n, refused);
    if (!status) *own = answers_judge(r, refused, *own);
    return status;
}

/* One round: this rank's items from `first` on, as many as it has. */
static roost_status round_run(struct rounds *r, uint64_t first, bool *again, roost_status *own)
{
    const uint64_t left = first < r->b->n ? r->b->n - first : 0, n = left < r->round ? left : r->round;
    roost_status status = counts_exchange(r, round_split(r, first, n));
    if (!status) status = owners_ask(r, owned_make(r), again);
    for (int c = 0; !status && !*again && c < SENT; c++) status = column_exchange(r, &r->column[c], false);
    return status || *again ? status : round_end(r, first, n, own);
}

/* All ranks make as many rounds as the one with the most items. */
static roost_status rounds_run(struct rounds *r, uint64_t most)
{
    roost_status own = ROOST_OK, status = ROOST_OK;
    bool again = false;
    for (uint64_t first = 0; !status && first < most; first += again ? 0 : r->round) status = round_run(r, first, &again, &own);
    return status ? status : own;
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
                              .room = r->w.room < b->n ? r->w.room : UINT64_MAX,
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
    rounds_join(r, &kind, (int)(agreed.widths & UINT32_MAX), agreed.room < agreed.most ? agreed.room : agreed.most);
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
