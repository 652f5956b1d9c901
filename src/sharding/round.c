/* A round in the memory of the table's machine. */
#include "sharding/round.h"

#include <string.h>

#include "api/checks.h"
#include "portable/bits.h"

/* Items of a rank in a round, at most: on a host what caches hold, on a GPU what takes longer than
 * the waits of a round. */
enum { ROUND_HOST = 1 << 18, ROUND_GPU = 1 << 24 };

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
    r->column[KEYS].bytes = r->t->key_bytes;
    r->column[VALUES].bytes = r->kind.takes >> ROOST_OP_INSERT ? value : 0;
    r->column[OPERATIONS].bytes = mixes;
    r->column[STATUSES].bytes = !r->delivery;
    r->column[ANSWERS].bytes = answers ? value : 0;
}

/* Memory of another GPU is out of reach. */
static bool is_reached(const struct rounds *r, const void *at)
{
    const bool device = array_on_device(r->t, at, r->call);
    const int ordinal = device ? cuda_ordinal_of(r->t->backend, at) : -1;
    return device == rounds_on_device(r) && (ordinal < 0 || ordinal == r->t->backend->ordinal);
}

static void user_plan(struct rounds *r, int which, const void *at, int bytes, bool in, bool out)
{
    const bool reached = !at || !r->b->n || is_reached(r, at);
    r->user[which] = (struct user){(void *)(uintptr_t)at, reached, bytes, in && !reached, out && !reached};
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

static void parts_plan(struct rounds *r)
{
    int *const bytes = r->w.bytes;
    bytes[PART_SORT] = bytes[PART_SORT_ROOM] = bytes[PART_ITEMS] = bytes[PART_ITEMS_ROOM] = 4;
    for (int c = 0; c < COLUMNS; c++) bytes[column_parts[c]] = r->column[c].bytes;
    for (int u = 0; u < USERS; u++) bytes[user_parts[u]] = r->user[u].reached ? 0 : r->user[u].bytes;
    if (!r->combines) return;
    bytes[PART_SORT] = bytes[PART_SORT_ROOM] = 8;
    bytes[PART_RUNS] = 4;
    bytes[PART_RUN_VALUES] = r->column[VALUES].bytes;
    bytes[PART_RUN_FATES] = 1;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static bool is_far(const struct rounds *r) { return rounds_on_device(r) && !r->g->comm->operations.device; }

static void far_release(struct backend *b, struct memory *far)
{
    if (far->at) b->operations->pinned_release(b, far->at, far->bytes);
    *far = (struct memory){NULL, 0};
}

/* Host memory that the transport sends from and receives into.  What was there is lost. */
static roost_status far_make(struct rounds *r, struct memory *far, const size_t bytes[COLUMNS], void *at[COLUMNS])
{
    struct backend *const b = r->t->backend;
    const size_t all = backend_arrays_bytes(bytes, COLUMNS);
    roost_status status = ROOST_OK;
    if (all > far->bytes) {
        far_release(b, far);
        status = b->operations->pinned_allocate(b, all, &far->at);
        if (!status) far->bytes = all;
    }
    if (!status) backend_arrays_place(far->at, bytes, COLUMNS, at);
    return status;
}

static void columns_bytes(const struct rounds *r, uint64_t n, size_t bytes[COLUMNS])
{
    for (int c = 0; c < COLUMNS; c++) bytes[c] = n * (unsigned)r->column[c].bytes;
}

static roost_status own_make(struct rounds *r)
{
    size_t bytes[COLUMNS];
    void *at[COLUMNS];
    roost_status status = batches_open(&r->w, r->b->n, batches_plan_sort);
    if (status) return status;
    batches_place(&r->w);
    for (int c = 0; c < COLUMNS; c++) r->column[c].own.near = (char *)r->w.part[column_parts[c]];
    if (!is_far(r)) return ROOST_OK;
    columns_bytes(r, r->w.room, bytes);
    status = far_make(r, &r->own_far, bytes, at);
    for (int c = 0; !status && c < COLUMNS; c++) r->column[c].own.far = (char *)at[c];
    return status;
}

/* A round's memory on the table's machine; few items have the table's spare memory. */
static roost_status near_make(struct rounds *r, size_t bytes, void **memory)
{
    const bool few = bytes <= r->g->owned_spare.bytes;
    const roost_status status = few ? ROOST_OK : memory_grow(r->t->backend, &r->owned_near, bytes);
    *memory = few ? r->g->owned_spare.at : r->owned_near.at;
    return status;
}

static roost_status owned_allocate(struct rounds *r)
{
    size_t bytes[COLUMNS];
    void *at[COLUMNS], *memory;
    columns_bytes(r, r->owned, bytes);
    roost_status status = near_make(r, backend_arrays_bytes(bytes, COLUMNS), &memory);
    if (status) return status;
    backend_arrays_place(memory, bytes, COLUMNS, at);
    for (int c = 0; c < COLUMNS; c++) r->column[c].owned.near = (char *)at[c];
    if (is_far(r)) status = far_make(r, &r->owned_far, bytes, at);
    for (int c = 0; !status && is_far(r) && c < COLUMNS; c++) r->column[c].owned.far = (char *)at[c];
    return status;
}

/* The limit is of the shard.  A round's memory comes on top of it, and the limit is raised by as
 * much while it is there, so that finds, erases and updates go on where the shard has taken all. */
static roost_status beside_limit(struct rounds *r, roost_status (*make)(struct rounds *r))
{
    struct backend *const b = r->t->backend;
    const uint64_t limit = b->memory_limit, before = b->bytes_now;
    b->memory_limit = 0;
    const roost_status status = make(r);
    if (limit) b->memory_limit = limit + b->bytes_now - before;
    return status;
}

roost_status owned_make(struct rounds *r)
{
    const roost_status status = step_begin(r);
    return status ? status : step_end(r, beside_limit(r, owned_allocate));
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
        if (!b->operations->fill(b, statuses, item, r->b->n)) (void)backend_wait(b);
        return;
    }
    memset(some, item, sizeof some);
    for (uint64_t first = 0; first < r->b->n; first += sizeof some)
        (void)copy_between(statuses + first, some, r->b->n - first < sizeof some ? r->b->n - first : sizeof some);
}

static roost_status own_open(struct rounds *r)
{
    struct batches_work *const w = &r->w;
    const roost_status status = batches_begin(w, r->t->at, rounds_on_device(r) ? ROUND_GPU : ROUND_HOST, NULL);
    if (status || !r->b->n) return status;
    w->spare_memory = r->g->own_spare.at; /* the calls on the shard use the table's */
    w->spare_bytes = r->g->own_spare.bytes;
    w->least = ROUND_LEAST;
    w->shares = false;
    memcpy(w->args.secret, r->g->owners, sizeof w->args.secret);
    w->args.owners = (uint32_t)r->ranks;
    r->combines = combine_pays(r);
    w->args.bins = (uint32_t)r->ranks + r->combines;
    parts_plan(r);
    return beside_limit(r, own_make);
}

roost_status rounds_open(struct rounds *r)
{
    columns_plan(r);
    users_plan(r);
    roost_status status = step_begin(r);
    if (status) return status;
    status = own_open(r);
    if (!status) statuses_fill(r);
    return step_end(r, status);
}

void rounds_join(struct rounds *r, const struct batch_kind *kind, int value_bytes, uint64_t round)
{
    r->kind = *kind;
    r->value_bytes = value_bytes;
    r->round = round;
    columns_plan(r);
}

static roost_status memory_release(struct rounds *r)
{
    struct backend *const b = r->t->backend;
    batches_close(&r->w);
    backend_release(b, r->owned_near.at, r->owned_near.bytes);
    far_release(b, &r->own_far), far_release(b, &r->owned_far);
    return ROOST_OK;
}

/* A failed device must not prevent the release. */
void rounds_close(struct rounds *r)
{
    const struct error_mark why = error_keep(&r->t->error);
    const roost_status begun = step_begin(r);
    (void)beside_limit(r, memory_release);
    if (!begun) (void)step_end(r, ROOST_OK);
    error_restore(&why);
}

/* ---- Spare memory ---------------------------------------------------------------------------- */

/* Plans the memory of ROUND_LEAST items of a call with all columns, none of whose arrays are
 * reached. */
static roost_status spare_plan(struct rounds *r, size_t *own, size_t *owned)
{
    size_t bytes[COLUMNS];
    struct batches_work *const w = &r->w;
    roost_status status = batches_begin(w, r->t->at, ROUND_LEAST, NULL);
    w->args.bins = (uint32_t)r->ranks + 1;
    columns_plan(r);
    parts_plan(r);
    const int value = r->t->value_bytes;
    const int through[USERS] = {r->t->key_bytes, value, 1, value, 1, 1};
    for (int u = 0; u < USERS; u++) w->bytes[user_parts[u]] = through[u];
    if (!status) status = batches_memory_plan(w, ROUND_LEAST, batches_plan_sort);
    columns_bytes(r, (uint64_t)ROUND_LEAST * (unsigned)r->ranks, bytes);
    *own = w->memory_bytes;
    *owned = backend_arrays_bytes(bytes, COLUMNS);
    return status;
}

static roost_status spare_make(struct rounds *r)
{
    struct group *const g = r->g;
    size_t own = 0, owned = 0;
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
    r.value_bytes = t->value_bytes;
    const roost_status status = step_begin(&r);
    return status ? status : step_end(&r, beside_limit(&r, spare_make));
}

void rounds_spare_release(struct roost_table *t)
{
    struct group *const g = group_of(t);
    if (!t->backend) return;
    backend_release(t->backend, g->own_spare.at, g->own_spare.bytes);
    backend_release(t->backend, g->owned_spare.at, g->owned_spare.bytes);
}

/* ---- A round's steps ------------------------------------------------------------------------- */

/* The round's part of an array of the caller, or what it passes through. */
static void *user_part(const struct rounds *r, int which, uint64_t first)
{
    const struct user *const u = &r->user[which];
    return u->reached ? array_at(u->at, first, u->bytes) : r->w.part[user_parts[which]];
}

static struct batch round_batch(const struct rounds *r, uint64_t first, uint64_t n)
{
    struct batch part = *r->b;
    part.keys = user_part(r, USER_KEYS, first);
    part.values_in = user_part(r, USER_VALUES_IN, first);
    part.operations = (const uint8_t *)user_part(r, USER_OPERATIONS, first);
    part.values_out = user_part(r, USER_VALUES_OUT, first);
    part.found = (uint8_t *)user_part(r, USER_FOUND, first);
    part.statuses = (uint8_t *)user_part(r, USER_STATUSES, first);
    part.n = n;
    return part;
}

/* Copies arrays that the machine does not reach: in before a round, out behind it. */
static roost_status users_copy(struct rounds *r, uint64_t first, uint64_t n, bool out)
{
    struct backend *const b = r->t->backend;
    roost_status status = ROOST_OK;
    for (int i = 0; !status && i < USERS; i++) {
        const struct user *const u = &r->user[i];
        void *const there = array_at(u->at, first, u->bytes), *const here = r->w.part[user_parts[i]];
        if (out ? u->out : u->in) status = b->operations->copy(b, out ? there : here, out ? here : there, n * (unsigned)u->bytes);
    }
    return status;
}

/* Copies columns from the machine's memory to the transport's, or (arrives) from there. */
static roost_status sides_copy(struct rounds *r, int first, int last, bool owned, uint64_t n, bool arrives)
{
    struct backend *const b = r->t->backend;
    roost_status status = ROOST_OK;
    for (int c = first; !status && c < last; c++) {
        const struct side *const s = owned ? &r->column[c].owned : &r->column[c].own;
        const size_t bytes = n * (unsigned)r->column[c].bytes;
        if (bytes && s->far) status = b->operations->copy(b, arrives ? s->near : s->far, arrives ? s->far : s->near, bytes);
    }
    return status;
}

/* The items by owner: comm->to, and r->travelling. */
static roost_status items_order(struct rounds *r, uint64_t n)
{
    struct batches_work *const w = &r->w;
    uint64_t *const words = r->g->comm->words;
    roost_status status = batches_launch(w, BATCHES_owner, n);
    if (!status) status = batches_sort_items(w, 4, batches_bits_of(w->args.bins));
    if (!status) status = batches_launch(w, BATCHES_bound, n);
    if (!status) status = batches_read_words(w, words, r->ranks + 1);
    for (int rank = 0; !status && rank < r->ranks; rank++) r->g->comm->to[rank] = words[rank + 1] - words[rank];
    r->travelling = status ? 0 : words[r->ranks];
    return status;
}

static roost_status own_split(struct rounds *r, uint64_t first, uint64_t n)
{
    batches_place(&r->w);
    r->w.args.leaders = NULL;
    r->w.args.batch = round_batch(r, first, n);
    roost_status status = users_copy(r, first, n, false);
    if (!status && r->combines) status = combine_items(r, n);
    if (!status) status = items_order(r, n);
    if (!status) status = batches_launch(&r->w, BATCHES_gather, r->travelling);
    if (!status) status = sides_copy(r, 0, SENT, false, r->travelling, false);
    return status ? status : backend_wait(r->t->backend);
}

roost_status round_split(struct rounds *r, uint64_t first, uint64_t n)
{
    memset(r->g->comm->to, 0, (size_t)r->ranks * sizeof *r->g->comm->to);
    if (!n) return ROOST_OK;
    const roost_status status = step_begin(r);
    return status ? status : step_end(r, own_split(r, first, n));
}

roost_status owned_arrive(struct rounds *r)
{
    struct backend *const b = r->t->backend;
    roost_status status = r->owned ? step_begin(r) : ROOST_OK;
    if (status || !r->owned) return status;
    status = sides_copy(r, 0, SENT, true, r->owned, true);
    if (!status && r->column[STATUSES].bytes)
        status = b->operations->fill(b, r->column[STATUSES].owned.near, ROOST_ITEM_NONE, r->owned);
    if (!status) status = backend_wait(b);
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

roost_status owned_deliver(struct rounds *r)
{
    struct delivery *const d = r->delivery;
    const int bytes[] = {r->column[KEYS].bytes, r->column[VALUES].bytes};
    void *const to[] = {d->keys, d->payload};
    const size_t left = d->count < d->room ? d->room - d->count : 0, n = r->owned < left ? (size_t)r->owned : left;
    roost_status status = step_begin(r);
    if (status) return status;
    for (int c = KEYS; !status && c <= VALUES; c++)
        if (n && bytes[c])
            status =
                copy_anywhere(r->t->backend, array_at(to[c], d->count, bytes[c]), r->column[c].owned.near, n * (unsigned)bytes[c]);
    d->count += (size_t)r->owned;
    return step_end(r, status);
}

roost_status owned_leave(struct rounds *r)
{
    if (!rounds_on_device(r)) return ROOST_OK;
    roost_status status = step_begin(r);
    if (status) return status;
    status = sides_copy(r, SENT, COLUMNS, true, r->owned, false);
    if (!status) status = backend_wait(r->t->backend);
    return step_end(r, status);
}

static roost_status own_answer(struct rounds *r, uint64_t first, uint64_t n, uint64_t refused[2])
{
    struct batches_work *const w = &r->w;
    const struct batch *const b = r->b;
    const bool wanted = b->statuses || b->found || b->values_out;
    roost_status status = sides_copy(r, SENT, COLUMNS, false, r->travelling, true);
    if (!status) status = batches_clear_words(w);
    if (!status) status = batches_launch(w, BATCHES_refused, r->travelling);
    if (!status && wanted) status = r->combines ? combine_answers(r, n) : batches_launch(w, BATCHES_scatter, n);
    if (!status) status = users_copy(r, first, n, true);
    return status ? status : batches_read_words(w, refused, 2);
}

roost_status round_answer(struct rounds *r, uint64_t first, uint64_t n, uint64_t refused[2])
{
    if (!n || r->delivery) return ROOST_OK;
    const roost_status status = step_begin(r);
    return status ? status : step_end(r, own_answer(r, first, n, refused));
}
