/* What lies in the memory of the table's machine during a call: how much of it, and where. */
#include <string.h>

#include "portable/bits.h"
#include "sharding/steps.h"

enum {
    /* Items of a rank in a round, at most: on a host what caches hold, on a GPU what takes longer
     * than the waits of a round.  Writes that go straight to their owners have as many as a part of
     * the memory holds, for tables are built faster by fewer calls. */
    ROUND_HOST = 1 << 18,
    ROUND_GPU = 1 << 23,
    ROUND_WRITES = 1 << 27,
    WRITES_SHARE = 16
};

/* Where each column's `own`, and each of the caller's arrays, lies in the memory of a piece. */
static const enum batches_part column_parts[COLUMNS] = {PART_KEYS, PART_VALUES_IN, PART_OPERATIONS, PART_STATUSES, PART_VALUES_OUT};
static const enum batches_part user_parts[USERS] = {PART_TAKEN_KEYS, PART_TAKEN_IN,       PART_TAKEN_OPERATIONS,
                                                    PART_TAKEN_OUT,  PART_WRITE_STATUSES, PART_TAKEN_STATUSES};

/* ---- Plans ----------------------------------------------------------------------------------- */

/* Which columns the call has. */
static void columns_plan(struct rounds *r)
{
    const bool mixes = r->of == COLLECTIVE_APPLY, answers = r->of == COLLECTIVE_FIND || mixes;
    const int value = r->value_bytes;
    r->bytes[KEYS] = r->t->key_bytes;
    r->bytes[VALUES] = r->kind.takes >> ROOST_OP_INSERT ? value : 0;
    r->bytes[OPERATIONS] = mixes;
    r->bytes[STATUSES] = r->statuses;
    r->bytes[ANSWERS] = answers ? value : 0;
}

static void user_plan(struct rounds *r, int which, const void *at, int bytes, bool in, bool out)
{
    const bool reached = !r->b->n || array_is_reached(r->t, at, r->call);
    r->user[which] = (struct user){(void *)(uintptr_t)at, user_parts[which], reached, bytes, in && !reached, out && !reached};
}

/* Values of absent keys stay as they are, so they come along. */
static void users_plan(struct rounds *r)
{
    const struct batch *const b = r->b;
    user_plan(r, USER_KEYS, b->keys, r->t->key_bytes, true, false);
    user_plan(r, USER_VALUES_IN, b->values_in, b->value_bytes, true, false);
    user_plan(r, USER_OPERATIONS, b->operations, 1, true, false);
    user_plan(r, USER_VALUES_OUT, b->values_out, b->value_bytes, !b->absent_zero, true);
    user_plan(r, USER_FOUND, b->found, 1, false, true);
    user_plan(r, USER_STATUSES, b->statuses, 1, false, true);
}

/* Items that go straight to their owners need no columns here. */
static void parts_plan(const struct rounds *r, struct batches_work *w)
{
    w->bytes[TRAVEL_BINS] = 2, w->bytes[TRAVEL_PLACES] = 4;
    w->bytes[TRAVEL_HOT] = r->hot ? 2 : 0;
    for (int c = 0; c < COLUMNS && !r->g->peers; c++) w->bytes[column_parts[c]] = r->bytes[c];
    for (int u = 0; u < USERS; u++) w->bytes[user_parts[u]] = r->user[u].reached ? 0 : r->user[u].bytes;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static bool is_far(const struct rounds *r) { return rounds_on_device(r) && !r->g->comm->operations.device && !r->g->peers; }

static void far_release(struct backend *b, struct memory *far)
{
    if (far->at) b->operations->pinned_release(b, far->at, far->bytes);
    *far = (struct memory){NULL, 0};
}

/* Host memory that the transport sends from and receives into.  What was there is lost. */
static roost_status far_make(struct rounds *r, struct memory *far, const size_t bytes[COLUMNS], struct side side[COLUMNS])
{
    struct backend *const b = r->t->backend;
    void *at[COLUMNS];
    const size_t all = backend_arrays_bytes(bytes, COLUMNS);
    roost_status status = ROOST_OK;
    if (!is_far(r)) return ROOST_OK;
    if (all > far->bytes) {
        far_release(b, far);
        status = b->operations->pinned_allocate(b, all, &far->at);
        if (!status) far->bytes = all;
    }
    if (!status) backend_arrays_place(far->at, bytes, COLUMNS, at);
    for (int c = 0; !status && c < COLUMNS; c++) side[c].far = (char *)at[c];
    return status;
}

static void columns_bytes(const struct rounds *r, uint64_t n, size_t bytes[COLUMNS])
{
    for (int c = 0; c < COLUMNS; c++) bytes[c] = n * (unsigned)r->bytes[c];
}

static roost_status own_make(struct rounds *r, struct flight *f)
{
    size_t bytes[COLUMNS];
    struct backend *const b = r->t->backend;
    roost_status status = batches_open(&f->w, r->b->n ? r->b->n : 1, travel_plan);
    if (status) return status;
    f->open = true;
    travel_place(&f->w);
    if (r->hot) status = b->operations->copy(b, &f->w.args.travel.hot_keys->index, r->hot, sizeof *r->hot);
    for (int c = 0; c < COLUMNS; c++) f->own[c].near = (char *)f->w.part[column_parts[c]];
    columns_bytes(r, f->w.room, bytes);
    if (!status) status = far_make(r, &f->own_far, bytes, f->own);
    if (!status) return ROOST_OK;
    batches_close(&f->w);
    f->open = false;
    return status;
}

/* A round's memory on the table's machine; few items have the table's spare memory, which is for
 * one round. */
static roost_status near_make(struct rounds *r, struct flight *f, size_t bytes, void **memory)
{
    struct group *const g = r->g;
    if (g->peers && peers_share(g->peers)) return peers_memory(g->peers, f->number, bytes, memory);
    const bool few = r->under_way == 1 && bytes <= g->owned_spare.bytes;
    const roost_status status = few ? ROOST_OK : memory_grow(r->t->backend, &f->owned_near, bytes);
    *memory = few ? g->owned_spare.at : f->owned_near.at;
    return status;
}

static roost_status owned_allocate(struct rounds *r, struct flight *f)
{
    size_t bytes[COLUMNS];
    void *at[COLUMNS], *memory;
    columns_bytes(r, f->owned, bytes);
    const roost_status status = near_make(r, f, backend_arrays_bytes(bytes, COLUMNS), &memory);
    if (status) return status;
    backend_arrays_place(memory, bytes, COLUMNS, at);
    for (int c = 0; c < COLUMNS; c++) f->owned_side[c].near = (char *)at[c];
    return far_make(r, &f->owned_far, bytes, f->owned_side);
}

/* The limit is of the shard.  A round's memory comes on top of it, and the limit is raised by as
 * much while it is there, so that finds, erases and updates go on where the shard has taken all. */
static roost_status beside_limit(struct rounds *r, struct flight *f, roost_status (*make)(struct rounds *r, struct flight *f))
{
    struct backend *const b = r->t->backend;
    const uint64_t limit = b->memory_limit, before = b->bytes_now;
    b->memory_limit = 0;
    const roost_status status = make(r, f);
    if (limit) b->memory_limit = limit + b->bytes_now - before;
    return status;
}

roost_status owned_make(struct rounds *r, struct flight *f)
{
    const roost_status status = way_begin(r);
    return status ? status : way_end(r, beside_limit(r, f, owned_allocate));
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* No item of this rank has been tried. */
static void statuses_fill(const struct rounds *r)
{
    enum { item = ROOST_ITEM_NONE };
    struct backend *const b = r->t->backend;
    uint8_t *const statuses = r->b->statuses;
    uint8_t some[4096];
    if (!statuses || !r->b->n) return;
    if (r->user[USER_STATUSES].reached) {
        if (!b->operations->fill(b, statuses, item, r->b->n) && !r->enqueues) (void)backend_wait(b);
        return;
    }
    memset(some, item, sizeof some);
    for (uint64_t first = 0; first < r->b->n; first += sizeof some)
        (void)copy_between(statuses + first, some, r->b->n - first < sizeof some ? r->b->n - first : sizeof some);
}

void rounds_init(struct rounds *r)
{
    struct comm *const c = r->g->comm;
    const size_t ranks = (size_t)r->ranks;
    r->under_way = 1;
    for (size_t i = 0; i < ROUNDS; i++) {
        struct flight *const f = &r->flight[i];
        f->number = (int)i;
        f->to = c->to + i * ranks, f->from = c->from + i * ranks, f->ends = c->ends + i * ranks;
        f->words = c->words + i * (ranks + 2);
    }
}

/* Writes of a GPU whose ranks reach each other. */
static bool is_built(const struct rounds *r) { return rounds_on_device(r) && r->g->peers && r->of != COLLECTIVE_FIND; }

static uint64_t round_most(const struct rounds *r)
{
    const uint64_t item = TRAVEL_SPLIT_BYTES + (uint64_t)r->t->key_bytes + 2 * (uint64_t)r->value_bytes + 2;
    uint64_t most = rounds_on_device(r) ? ROUND_GPU : ROUND_HOST;
    for (uint64_t more = 2 * most; is_built(r) && more <= ROUND_WRITES && more * item <= r->t->backend->memory_bytes / WRITES_SHARE;
         more *= 2)
        most = more;
    return most;
}

static roost_status own_begin(struct rounds *r, struct flight *f)
{
    struct batches_work *const w = &f->w;
    const roost_status status = batches_begin(w, r->t->at, round_most(r), NULL);
    w->least = ROUND_LEAST;
    w->shares = false;
    memcpy(w->args.travel.secret, r->g->owners, sizeof w->args.travel.secret);
    w->args.travel.owners = (uint32_t)r->ranks;
    return status;
}

static roost_status own_open(struct rounds *r, struct flight *f)
{
    struct batches_work *const w = &f->w;
    if (f->number == 0) w->spare_memory = r->g->own_spare.at, w->spare_bytes = r->g->own_spare.bytes;
    else w->spare_bytes = 0; /* the calls on the shard use the table's */
    w->args.bins = (uint32_t)r->ranks + (r->hot != NULL);
    parts_plan(r, w);
    return beside_limit(r, f, own_make);
}

/* Rounds overlap where something is gained: finds on a GPU, or while messages travel. */
static bool may_overlap(const struct rounds *r) { return !r->g->peers || rounds_enqueue(r); }

/* The memory of the second round is as large as that of the first, or rounds do not overlap. */
static void second_open(struct rounds *r)
{
    struct flight *const f = &r->flight[1];
    const struct error_mark before = error_keep(&r->t->error);
    if (r->flight[0].w.spare || r->b->n <= r->flight[0].w.room || !may_overlap(r)) return;
    f->w.most = f->w.least = r->flight[0].w.room;
    if (own_open(r, f)) error_restore(&before);
}

/* In a batch without an order equal keys of words may travel once. */
static bool may_combine(const struct rounds *r)
{
    const bool one = r->of == COLLECTIVE_INSERT || r->of == COLLECTIVE_FIND || r->of == COLLECTIVE_ERASE;
    const int key = r->t->key_bytes, value = r->t->value_bytes;
    return one && !r->enqueues && r->b->n >= HOT_SAMPLED && !(r->call->flags & ROOST_ORDERED) && width_is_word(key) &&
           (!value || width_is_word(value));
}

/* Finds of items that one round takes, in arrays that the GPU reaches. */
static bool may_enqueue(const struct rounds *r)
{
    bool may = rounds_enqueue(r) && peers_enqueue(r->g->peers) && !r->g->comm->waits && r->b->n <= ROUND_GPU &&
               r->ranks <= POST_OWNERS_MOST;
    for (int u = 0; u < USERS; u++) may = may && r->user[u].reached;
    return may;
}

static roost_status flights_open(struct rounds *r)
{
    roost_status status = ROOST_OK;
    for (int i = 0; i < ROUNDS && !status; i++) status = own_begin(r, &r->flight[i]);
    if (status || (!r->b->n && !r->enqueues)) return status;
    const struct error_mark before = error_keep(&r->t->error);
    const bool here = !array_on_device(r->t, r->b->keys, r->call);
    if (may_combine(r) && (here || r->user[USER_KEYS].reached)) r->hot = travel_hot_keys(&r->flight[0].w, r->b, here);
    status = own_open(r, &r->flight[0]);
    if (status != ROOST_ERR_MEMORY || !r->hot) return status;
    travel_hot_free(r->t->backend, r->hot);
    r->hot = NULL; /* without it few items have the table's spare memory */
    error_restore(&before);
    return own_open(r, &r->flight[0]);
}

roost_status rounds_open(struct rounds *r)
{
    struct backend *const b = r->t->backend;
    columns_plan(r);
    users_plan(r);
    r->enqueues = may_enqueue(r);
    roost_status status = step_begin(r);
    if (!status) status = step_end(r, b->operations->mark(b, QUEUE_WORK, MARK_CALL));
    if (!status) status = way_begin(r);
    if (status) return status;
    status = b->operations->follow(b, QUEUE_WAY, b, MARK_CALL);
    if (!status) status = flights_open(r);
    r->enqueues = r->enqueues && r->flight[0].w.room >= r->b->n;
    if (!status && r->b->n) second_open(r);
    if (!status) statuses_fill(r);
    return way_end(r, status);
}

void rounds_join(struct rounds *r, const struct batch_kind *kind, int value_bytes, uint64_t round)
{
    r->kind = *kind;
    r->value_bytes = value_bytes;
    r->round = round;
    columns_plan(r);
}

static roost_status memory_release(struct rounds *r, struct flight *f)
{
    struct backend *const b = r->t->backend;
    if (f->open) batches_close(&f->w);
    backend_release(b, f->owned_near.at, f->owned_near.bytes);
    far_release(b, &f->own_far), far_release(b, &f->owned_far);
    return ROOST_OK;
}

/* A failed device must not prevent the release. */
void rounds_close(struct rounds *r)
{
    const struct error_mark why = error_keep(&r->t->error);
    /* After a failure the shard may still be at work on a round's items. */
    if (!r->enqueued && !step_begin(r)) (void)step_end(r, backend_wait(r->t->backend));
    const roost_status begun = way_begin(r);
    if (!r->enqueued) (void)backend_wait(r->t->backend);
    for (int i = 0; i < ROUNDS; i++) flight_leave(r, &r->flight[i]);
    /* They may still read their answers here. */
    if (r->g->peers && !r->enqueued) peers_quiet(r->g->peers);
    for (int i = 0; i < ROUNDS; i++) (void)beside_limit(r, &r->flight[i], memory_release);
    if (!begun) (void)way_end(r, ROOST_OK);
    error_restore(&why);
    travel_hot_free(r->t->backend, r->hot);
}

/* ---- Spare memory ---------------------------------------------------------------------------- */

/* Plans the memory of ROUND_LEAST items of a call with all columns, none of whose arrays are
 * reached. */
static roost_status spare_plan(struct rounds *r, size_t *own, size_t *owned)
{
    size_t bytes[COLUMNS];
    struct batches_work *const w = &r->flight[0].w;
    const int value = r->t->value_bytes;
    const int through[USERS] = {r->t->key_bytes, value, 1, value, 1, 1};
    roost_status status = own_begin(r, &r->flight[0]);
    w->args.bins = (uint32_t)r->ranks;
    columns_plan(r);
    parts_plan(r, w);
    for (int u = 0; u < USERS; u++) w->bytes[user_parts[u]] = through[u];
    if (!status) status = batches_memory_plan(w, ROUND_LEAST, travel_plan);
    columns_bytes(r, (uint64_t)ROUND_LEAST * (unsigned)r->ranks, bytes);
    *own = w->memory_bytes;
    *owned = backend_arrays_bytes(bytes, COLUMNS);
    return status;
}

static roost_status spare_make(struct rounds *r, struct flight *f)
{
    struct group *const g = r->g;
    size_t own = 0, owned = 0;
    (void)f;
    roost_status status = spare_plan(r, &own, &owned);
    if (!status) status = memory_grow(r->t->backend, &g->own_spare, own);
    return status ? status : memory_grow(r->t->backend, &g->owned_spare, owned);
}

roost_status rounds_spare_make(struct roost_table *t)
{
    struct group *const g = group_of(t);
    const struct batch none = {.value_bytes = (uint16_t)t->value_bytes};
    const roost_call call = ROOST_CALL_INIT;
    struct rounds r = {.t = t, .g = g, .of = COLLECTIVE_APPLY, .b = &none, .call = &call, .ranks = comm_ranks(g->comm)};
    r.kind.takes = UINT16_MAX;
    r.statuses = true;
    r.value_bytes = t->value_bytes;
    const roost_status status = step_begin(&r);
    return status ? status : step_end(&r, beside_limit(&r, &r.flight[0], spare_make));
}

void rounds_spare_release(struct roost_table *t)
{
    struct group *const g = group_of(t);
    if (!t->backend) return;
    backend_release(t->backend, g->own_spare.at, g->own_spare.bytes);
    backend_release(t->backend, g->owned_spare.at, g->owned_spare.bytes);
}
