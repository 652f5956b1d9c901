/* Arrays that the table's machine cannot reach are brought to it in pieces, and results back. */
#include "api/table.h"

enum { PIECE = 1 << 22, LEAST = 1 << 10 /* items of a staging piece; less when memory is refused */ };

/* Which of a batch's arrays have to be staged. */
struct staging {
    struct roost_table *t;
    bool keys, values_in, values_out, found, statuses;
    void *memory;
    size_t bytes;
    uint64_t room; /* items */
};

static bool reachable(const struct roost_table *t, const void *array, const roost_call *call)
{
    if (!array) return true;
    const roost_space space = call->space == ROOST_SPACE_AUTO ? t->backend->operations->locate(t->backend, array) : call->space;
    return (space == ROOST_SPACE_DEVICE) == (t->backend->operations->machine == MACHINE_CUDA);
}

static size_t item_bytes(const struct staging *s)
{
    const size_t key = (size_t)s->t->key_bytes, value = (size_t)s->t->value_bytes;
    return s->keys * key + s->values_in * value + s->values_out * value + s->found + s->statuses;
}

/* Each array's part is rounded up to 16 bytes. */
static roost_status staging_allocate(struct staging *s, uint64_t n)
{
    roost_status status;
    s->room = n < PIECE ? n : PIECE;
    for (;;) {
        s->bytes = s->room * item_bytes(s) + 5 * 16;
        status = backend_allocate(s->t->backend, s->bytes, &s->memory);
        if (status != ROOST_ERR_MEMORY || s->room <= LEAST) return status;
        s->room /= 2;
    }
}

/* Takes the next part of the staging memory. */
static void *part(char **at, uint64_t n, int bytes)
{
    void *taken = *at;
    *at += (n * (unsigned)bytes + 15) / 16 * 16;
    return taken;
}

static void *offset(const void *array, uint64_t items, int bytes)
{
    return array ? (char *)(uintptr_t)array + items * (unsigned)bytes : NULL;
}

/* The caller's arrays from item `first` on. */
static struct batch slice(const struct roost_table *t, const struct batch *b, uint64_t first, uint64_t n)
{
    struct batch s = *b;
    s.keys = offset(b->keys, first, t->key_bytes);
    s.values_in = offset(b->values_in, first, t->value_bytes);
    s.values_out = offset(b->values_out, first, t->value_bytes);
    s.found = (uint8_t *)offset(b->found, first, 1);
    s.statuses = (uint8_t *)offset(b->statuses, first, 1);
    s.n = n;
    return s;
}

static roost_status copy(struct roost_table *t, void *to, const void *from, uint64_t n, int bytes)
{
    return t->backend->operations->copy(t->backend, to, from, n * (unsigned)bytes);
}

/* Inputs to the staging memory; values that finds leave untouched travel both ways. */
static roost_status stage_in(struct staging *s, const struct batch *user, struct batch *staged)
{
    struct roost_table *t = s->t;
    char *at = (char *)s->memory;
    roost_status status = ROOST_OK;
    *staged = *user;
    if (s->keys) staged->keys = part(&at, user->n, t->key_bytes);
    if (s->values_in) staged->values_in = part(&at, user->n, t->value_bytes);
    if (s->values_out) staged->values_out = part(&at, user->n, t->value_bytes);
    if (s->found) staged->found = (uint8_t *)part(&at, user->n, 1);
    if (s->statuses) staged->statuses = (uint8_t *)part(&at, user->n, 1);
    if (s->keys) status = copy(t, (void *)(uintptr_t)staged->keys, user->keys, user->n, t->key_bytes);
    if (!status && s->values_in) status = copy(t, (void *)(uintptr_t)staged->values_in, user->values_in, user->n, t->value_bytes);
    if (!status && s->values_out) status = copy(t, staged->values_out, user->values_out, user->n, t->value_bytes);
    return status;
}

static roost_status stage_out(struct staging *s, const struct batch *user, const struct batch *staged)
{
    struct roost_table *t = s->t;
    roost_status status = ROOST_OK;
    if (s->values_out) status = copy(t, user->values_out, staged->values_out, user->n, t->value_bytes);
    if (!status && s->found) status = copy(t, user->found, staged->found, user->n, 1);
    if (!status && s->statuses) status = copy(t, user->statuses, staged->statuses, user->n, 1);
    return status ? status : backend_wait(t->backend);
}

/* The items of a batch that could not even be brought to the table say so. */
static void refuse_items(const struct staging *s, const struct batch *b)
{
    if (b->statuses && s->statuses == (s->t->backend->operations->machine == MACHINE_CUDA))
        memset(b->statuses, ROOST_ITEM_NO_MEMORY, b->n);
}

static roost_status run_piece(struct staging *s, batch_function *run, const struct batch *user)
{
    struct batch staged;
    roost_status status = stage_in(s, user, &staged);
    if (status) return status;
    status = run(s->t->at, &staged);
    if (status && !status_of_items(status)) return status;
    const roost_status out = stage_out(s, user, &staged);
    return status ? status : out;
}

static roost_status run_pieces(struct staging *s, batch_function *run, const struct batch *batch)
{
    roost_status first_failure = ROOST_OK;
    for (uint64_t done = 0; done < batch->n;) {
        const uint64_t n = batch->n - done < s->room ? batch->n - done : s->room;
        const struct batch user = slice(s->t, batch, done, n);
        const roost_status status = run_piece(s, run, &user);
        if (status && !status_of_items(status)) return status;
        if (!first_failure) first_failure = status;
        done += n;
    }
    return first_failure;
}

static roost_status staged(struct roost_table *t, batch_function *run, const struct batch *batch, const roost_call *call)
{
    struct staging s;
    memset(&s, 0, sizeof s);
    s.t = t;
    s.keys = !reachable(t, batch->keys, call);
    s.values_in = !reachable(t, batch->values_in, call);
    s.values_out = !reachable(t, batch->values_out, call);
    s.found = !reachable(t, batch->found, call);
    s.statuses = !reachable(t, batch->statuses, call);
    if (item_bytes(&s) == 0) return run(t->at, batch);
    roost_status status = staging_allocate(&s, batch->n);
    if (status) {
        refuse_items(&s, batch);
        return status;
    }
    status = run_pieces(&s, run, batch);
    backend_release(t->backend, s.memory, s.bytes);
    return status;
}

roost_status staged_run(struct roost_table *t, batch_function *run, const struct batch *batch, const roost_call *call)
{
    const roost_status status = call_begin(t, call->stream);
    return status ? status : call_end(t, staged(t, run, batch, call));
}

static roost_status staged_pairs(struct roost_table *t, roost_cursor *cursor, void *keys, void *values, size_t room, size_t *n,
                                 const roost_call *call)
{
    struct staging s;
    struct batch staged;
    memset(&s, 0, sizeof s);
    s.t = t;
    s.keys = !reachable(t, keys, call);
    s.values_in = values && !reachable(t, values, call);
    if (item_bytes(&s) == 0) return t->engine->export_pairs(t->at, cursor, keys, values, room, n);
    roost_status status = staging_allocate(&s, room);
    if (status) return status;
    char *at = (char *)s.memory;
    staged.keys = s.keys ? part(&at, s.room, t->key_bytes) : keys;
    staged.values_in = s.values_in ? part(&at, s.room, t->value_bytes) : values;
    status = t->engine->export_pairs(t->at, cursor, (void *)(uintptr_t)staged.keys, (void *)(uintptr_t)staged.values_in, s.room, n);
    if (!status && s.keys) status = copy(t, keys, staged.keys, *n, t->key_bytes);
    if (!status && s.values_in) status = copy(t, values, staged.values_in, *n, t->value_bytes);
    if (!status) status = backend_wait(t->backend);
    backend_release(t->backend, s.memory, s.bytes);
    return status;
}

roost_status staged_export(struct roost_table *t, roost_cursor *cursor, void *keys, void *values, size_t room, size_t *n,
                           const roost_call *call)
{
    const roost_status status = call_begin(t, call->stream);
    return status ? status : call_end(t, staged_pairs(t, cursor, keys, values, room, n, call));
}
