/* A batch's way over the ranks: in rounds of a bounded number of items each goes to the rank that
 * owns its key, that rank's shard carries it out, and the answer comes back.
 *
 * A round has three parts: how many items each rank sends to each, the items, and the answers.  Its
 * columns (keys, values, operations; statuses, found, values) are exchanged one after another.  A
 * split is stable, so the items of a rank reach an owner in the rank's order, round after round. */
#include "sharding/group.h"

#include <stdlib.h>
#include <string.h>

#include "api/checks.h"

enum { ROUND = 1 << 18 /* items of a rank in a round, at most */ };
_Static_assert(ROOST_RANKS_MOST <= 1 << 16, "an owner has 16 bits");

/* One array of a round's items: of this rank's, by their owners, and of those that it owns. */
struct column {
    int bytes; /* of an item; 0: the call has none */
    char *own, *owned;
};
enum { KEYS, VALUES, OPERATIONS, STATUSES, FOUND, ANSWERS, COLUMNS, SENT = STATUSES };

/* What all ranks' items are: those of a rank that refuses say nothing of it. */
struct batch_kind {
    uint32_t flags; /* of the call */
    uint16_t takes; /* operations */
    uint8_t mode;
};

struct rounds {
    struct roost_table *t;
    struct group *g;
    enum collective of;
    const struct batch *b; /* this rank's items */
    struct batch_kind kind;
    int ranks;
    struct column column[COLUMNS];
    uint16_t *owner;     /* of each item of the round */
    uint32_t *place;     /* for each item by owner: its number in the round */
    uint64_t *to, *from; /* items to each rank, and from each */
    uint64_t room;       /* of the columns' `owned` */
    uint64_t owned;      /* items that this rank owns */
    const void **send;   /* of an exchange */
    void **receive;
    size_t *send_bytes, *receive_bytes;
};

/* ---- Memory ---------------------------------------------------------------------------------- */

static void rounds_free(struct rounds *r)
{
    for (int i = 0; i < COLUMNS; i++) free(r->column[i].own), free(r->column[i].owned);
    free(r->owner), free(r->place), free(r->to), free(r->from), free(r->send), free(r->receive), free(r->send_bytes),
        free(r->receive_bytes);
}

static roost_status memory_refused(const struct rounds *r)
{
    return error_set(&r->t->error, ROOST_ERR_MEMORY, "no memory for a round of a call on a table of %d ranks", r->ranks);
}

/* Which columns the call has.  Answers of a find say what was found; those of other calls, how
 * their items ended. */
static void columns_plan(struct rounds *r)
{
    const bool finds = r->of == COLLECTIVE_FIND, mixes = r->of == COLLECTIVE_APPLY, inserts = r->kind.takes >> ROOST_OP_INSERT;
    const int value = r->t->value_bytes;
    r->column[KEYS].bytes = r->t->key_bytes;
    r->column[VALUES].bytes = inserts ? value : 0;
    r->column[OPERATIONS].bytes = mixes;
    r->column[STATUSES].bytes = !finds;
    r->column[FOUND].bytes = finds;
    r->column[ANSWERS].bytes = finds || mixes ? value : 0;
}

static roost_status rounds_make(struct rounds *r)
{
    const size_t ranks = (size_t)r->ranks, n = r->b->n < ROUND ? r->b->n : ROUND;
    bool good = true;
    columns_plan(r);
    for (int i = 0; good && i < COLUMNS; i++)
        if (r->column[i].bytes) good = (r->column[i].own = (char *)malloc((n + 1) * (size_t)r->column[i].bytes)) != NULL;
    r->owner = (uint16_t *)malloc((n + 1) * sizeof *r->owner);
    r->place = (uint32_t *)malloc((n + 1) * sizeof *r->place);
    r->to = (uint64_t *)calloc(ranks, sizeof *r->to);
    r->from = (uint64_t *)calloc(ranks, sizeof *r->from);
    r->send = (const void **)malloc(ranks * sizeof *r->send);
    r->receive = (void **)malloc(ranks * sizeof *r->receive);
    r->send_bytes = (size_t *)malloc(ranks * sizeof *r->send_bytes);
    r->receive_bytes = (size_t *)malloc(ranks * sizeof *r->receive_bytes);
    good = good && r->owner && r->place && r->to && r->from && r->send && r->receive && r->send_bytes && r->receive_bytes;
    return good ? ROOST_OK : memory_refused(r);
}

/* Room for the items that this rank owns in a round. */
static roost_status owned_make(struct rounds *r)
{
    if (r->owned <= r->room && r->column[KEYS].owned) return ROOST_OK;
    for (int i = 0; i < COLUMNS; i++) {
        struct column *const c = &r->column[i];
        free(c->owned);
        c->owned = c->bytes ? (char *)malloc((r->owned + 1) * (size_t)c->bytes) : NULL;
        if (c->bytes && !c->owned) return r->room = 0, memory_refused(r);
    }
    r->room = r->owned;
    return ROOST_OK;
}

/* ---- To the owners --------------------------------------------------------------------------- */

static const void *item_at(const void *array, uint64_t i, int bytes) { return (const char *)array + i * (unsigned)bytes; }

/* Brings items first .. first + n - 1 of the batch into the order of their owners. */
static void split(struct rounds *r, uint64_t first, uint64_t n)
{
    const void *const arrays[SENT] = {r->b->keys, r->b->values_in, r->b->operations};
    const int key_bytes = r->t->key_bytes;
    size_t *const next = r->send_bytes; /* free until the exchange */
    memset(r->to, 0, (size_t)r->ranks * sizeof *r->to);
    for (uint64_t i = 0; i < n; i++) {
        r->owner[i] = (uint16_t)group_owner(r->g, item_at(r->b->keys, first + i, key_bytes), key_bytes);
        r->to[r->owner[i]]++;
    }
    for (size_t rank = 0, at = 0; rank < (size_t)r->ranks; rank++) next[rank] = at, at += (size_t)r->to[rank];
    for (uint64_t i = 0; i < n; i++) r->place[next[r->owner[i]]++] = (uint32_t)i;
    for (int c = 0; c < SENT; c++) {
        const size_t bytes = (size_t)r->column[c].bytes;
        if (!bytes || !arrays[c]) continue;
        for (uint64_t k = 0; k < n; k++)
            memcpy(r->column[c].own + k * bytes, item_at(arrays[c], first + r->place[k], (int)bytes), bytes);
    }
}

/* Exchanges a column: to the owners, or back. */
static roost_status column_exchange(struct rounds *r, const struct column *c, bool back)
{
    char *const ours = back ? c->owned : c->own, *const theirs = back ? c->own : c->owned;
    const uint64_t *const out = back ? r->from : r->to, *const in = back ? r->to : r->from;
    const size_t bytes = (size_t)c->bytes;
    size_t sent = 0, received = 0;
    for (int rank = 0; rank < r->ranks; rank++) {
        r->send[rank] = ours + sent, r->receive[rank] = theirs + received;
        r->send_bytes[rank] = out[rank] * bytes, r->receive_bytes[rank] = in[rank] * bytes;
        sent += r->send_bytes[rank], received += r->receive_bytes[rank];
    }
    const roost_exchange exchange = {r->send, r->send_bytes, r->receive, r->receive_bytes};
    return bytes ? comm_exchange(r->g->comm, &exchange, false, &r->t->error) : ROOST_OK;
}

/* How many items each rank sends to each.  A rank that is sent more than a round has was lied
 * to. */
static roost_status counts_exchange(struct rounds *r)
{
    for (int rank = 0; rank < r->ranks; rank++) {
        r->send[rank] = &r->to[rank], r->receive[rank] = &r->from[rank];
        r->send_bytes[rank] = r->receive_bytes[rank] = sizeof *r->to;
    }
    const roost_exchange exchange = {r->send, r->send_bytes, r->receive, r->receive_bytes};
    roost_status status = comm_exchange(r->g->comm, &exchange, false, &r->t->error);
    r->owned = 0;
    for (int rank = 0; !status && rank < r->ranks; rank++) {
        r->owned += r->from[rank];
        if (r->from[rank] <= ROUND) continue;
        comm_kill(r->g->comm);
        status = error_set(&r->t->error, ROOST_ERR_COMM, "rank %d announced more items than a round has", rank);
    }
    return status;
}

/* ---- At the owner, and back ------------------------------------------------------------------ */

/* Items without room, or without memory, are no failure of the rank that owns them. */
static roost_status owned_run(struct rounds *r)
{
    roost_call call = ROOST_CALL_INIT;
    call.flags = r->kind.flags & ROOST_ORDERED;
    call.space = ROOST_SPACE_HOST;
    call.statuses = (uint8_t *)r->column[STATUSES].owned;
    struct batch b = batch_of(r->t, r->column[KEYS].owned, (size_t)r->owned, &call);
    b.mode = r->kind.mode;
    b.takes = r->kind.takes;
    b.values_in = r->column[VALUES].owned;
    b.operations = (const uint8_t *)r->column[OPERATIONS].owned;
    b.values_out = r->column[ANSWERS].owned;
    b.found = (uint8_t *)r->column[FOUND].owned;
    b.absent_zero = r->of == COLLECTIVE_FIND;
    const roost_status status = table_batch(r->t, r->of, &b, &call);
    return status == ROOST_ERR_FULL || status == ROOST_ERR_MEMORY ? ROOST_OK : status;
}

/* Stores the answers of items first .. first + n - 1 where the caller wants them. */
static void answers_store(const struct rounds *r, uint64_t first, uint64_t n)
{
    const struct batch *const b = r->b;
    const size_t bytes = (size_t)r->column[ANSWERS].bytes;
    const uint8_t *const statuses = (const uint8_t *)r->column[STATUSES].own, *const found = (const uint8_t *)r->column[FOUND].own;
    for (uint64_t k = 0; k < n; k++) {
        const uint64_t i = first + r->place[k];
        const uint8_t status = statuses ? statuses[k] : found[k] ? ROOST_ITEM_FOUND : ROOST_ITEM_ABSENT;
        if (b->statuses) b->statuses[i] = status;
        if (b->found) b->found[i] = status == ROOST_ITEM_FOUND;
        if (bytes && b->values_out && (status == ROOST_ITEM_FOUND || b->absent_zero))
            memcpy((char *)b->values_out + i * bytes, r->column[ANSWERS].own + k * bytes, bytes);
    }
}

/* The status of this rank's own items. */
static roost_status answers_judge(const struct rounds *r, uint64_t n, roost_status before)
{
    const uint8_t *const statuses = (const uint8_t *)r->column[STATUSES].own;
    uint64_t full = 0, memory = 0;
    for (uint64_t k = 0; statuses && k < n; k++)
        full += statuses[k] == ROOST_ITEM_FULL, memory += statuses[k] == ROOST_ITEM_NO_MEMORY;
    if (memory) return error_set(&r->t->error, ROOST_ERR_MEMORY, "memory was refused to a shard of the table");
    if (full && !before) return error_set(&r->t->error, ROOST_ERR_FULL, "some items found no room in a shard of the table");
    return before;
}

/* One round: n items of this rank from `first` on.  *own: the status of those before, and now of
 * these, too. */
static roost_status round_run(struct rounds *r, uint64_t first, uint64_t n, roost_status *own)
{
    split(r, first, n);
    roost_status status = counts_exchange(r);
    if (status) return status;
    status = group_vote(r->t, owned_make(r));
    for (int c = 0; !status && c < SENT; c++) status = column_exchange(r, &r->column[c], false);
    if (status) return status;
    status = group_vote(r->t, owned_run(r));
    for (int c = SENT; !status && c < COLUMNS; c++) status = column_exchange(r, &r->column[c], true);
    if (status) return status;
    answers_store(r, first, n);
    *own = answers_judge(r, n, *own);
    return ROOST_OK;
}

/* All ranks make as many rounds as the one with the most items. */
static roost_status rounds_run(struct rounds *r, uint64_t most)
{
    const uint64_t n = r->b->n;
    roost_status own = ROOST_OK, status = group_vote(r->t, rounds_make(r));
    for (uint64_t first = 0; !status && first < most; first += ROUND) {
        const uint64_t left = first < n ? n - first : 0;
        status = round_run(r, first, left < ROUND ? left : ROUND, &own);
    }
    return status ? status : own;
}

/* Arrays on a device are refused for now, as wrong arguments are. */
static roost_status arrays_check(struct roost_table *t, const struct batch *b, const roost_call *call)
{
    const void *const arrays[] = {b->keys, b->values_in, b->values_out, b->found, b->operations, b->statuses};
    for (size_t i = 0; b->n && i < sizeof arrays / sizeof arrays[0]; i++)
        if (arrays[i] && array_on_device(t, arrays[i], call))
            return error_set(&t->error, ROOST_ERR_UNSUPPORTED, "a table that is spread over ranks takes no arrays on a device");
    return ROOST_OK;
}

static struct said said_of(const struct roost_table *t, enum collective of, const struct batch *b, const roost_call *call,
                           bool refuses)
{
    const struct said said = {.of = of,
                              .table = group_of(t)->number,
                              .widths = (uint64_t)t->key_bytes << 32 | (uint64_t)t->value_bytes,
                              .flags = (uint64_t)call->flags << 32 | (uint64_t)b->mode << 16 | b->takes,
                              .n = b->n,
                              .refuses = refuses};
    return said;
}

static struct batch_kind kind_of(uint64_t flags)
{
    const struct batch_kind kind = {(uint32_t)(flags >> 32), (uint16_t)flags, (uint8_t)(flags >> 16)};
    return kind;
}

roost_status sharded_batch(struct roost_table *t, enum collective of, const struct batch *b, const roost_call *call,
                           roost_status arguments)
{
    struct group *const g = group_of(t);
    struct batch items = *b;
    struct rounds r = {.t = t, .g = g, .of = of, .b = &items, .ranks = comm_ranks(g->comm)};
    struct agreed agreed;
    if (!arguments) arguments = arrays_check(t, b, call);
    if (arguments) items.n = 0;
    const struct error why = t->error;
    const struct said mine = said_of(t, of, &items, call, arguments != ROOST_OK);
    roost_status status = group_agree(t, &mine, &agreed);
    if (!status && agreed.most) {
        r.kind = kind_of(agreed.flags);
        status = rounds_run(&r, agreed.most);
    }
    rounds_free(&r);
    if (arguments) t->error = why;
    return arguments ? arguments : status;
}
