/* roost_find_all where the table's machine does not reach all arrays: one piece after the other
 * is copied in, processed and copied out.  Values are copied in, too, because the values beyond
 * a key's pairs must stay untouched. */
#include <inttypes.h>
#include <string.h>

#include "api/table.h"

/* limits of a piece of more than one key */
enum { GATHERED_KEYS = 1 << 20, GATHERED_VALUES = 1 << 22 };

/* Keys first .. first + n - 1, staged in memory that the table's machine reaches. */
struct gathering {
    struct roost_table *t;
    const struct batch *batch;
    bool keys, offsets, values, statuses; /* arrays that the machine does not reach */
    uint64_t *at;                         /* n + 1 offsets on the host, minus `base` */
    uint64_t base;                        /* the piece's first offset if values are staged */
    uint64_t first, n, range;             /* range: values of the piece */
    char *memory;
    size_t bytes;
};

static size_t rounded(uint64_t n, int bytes) { return (size_t)((n * (unsigned)bytes + 255) / 256 * 256); }

/* ---- Offsets --------------------------------------------------------------------------------- */

static roost_status offsets_check(struct roost_table *t, const uint64_t *offsets, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        if (offsets[i + 1] < offsets[i])
            return error_set(&t->error, ROOST_ERR_ARGUMENT, "offsets fall: %" PRIu64 " is followed by %" PRIu64, offsets[i],
                             offsets[i + 1]);
    if (offsets[n] > SIZE_MAX / 16) return error_set(&t->error, ROOST_ERR_ARGUMENT, "offsets: %" PRIu64 " overflows", offsets[n]);
    return ROOST_OK;
}

/* Reads the offsets of at most `most` keys, and keeps n of these keys, so that they have at most
 * GATHERED_VALUES values together (or n = 1). */
static roost_status offsets_bring(struct gathering *g, uint64_t most)
{
    const uint64_t left = g->batch->n - g->first;
    g->n = left < most ? left : most;
    roost_status status = backend_read(g->t->backend, g->at, g->batch->offsets + g->first, (g->n + 1) * sizeof *g->at);
    if (!status) status = offsets_check(g->t, g->at, g->n);
    if (status) return status;
    while (g->n > 1 && g->at[g->n] - g->at[0] > GATHERED_VALUES) g->n /= 2;
    g->base = g->values ? g->at[0] : 0;
    g->range = g->values ? g->at[g->n] - g->at[0] : 0;
    for (uint64_t i = 0; i <= g->n; i++) g->at[i] -= g->base;
    return ROOST_OK;
}

/* ---- Pieces ---------------------------------------------------------------------------------- */

/* The next array's place in the piece's memory, or the caller's array if it needs no staging. */
static void *place(const struct gathering *g, bool staged, const void *own, size_t *at, uint64_t n, int bytes)
{
    if (!staged) return (void *)(uintptr_t)own;
    void *here = g->memory ? g->memory + *at : NULL;
    *at += rounded(n, bytes);
    return here;
}

/* The piece as the engine gets it.  *bytes: memory that the staged arrays take. */
static struct batch piece_of(const struct gathering *g, size_t *bytes)
{
    struct batch b = batch_part(g->batch, g->first, g->n, g->batch->key_bytes, g->batch->value_bytes);
    *bytes = 0;
    b.values_out = place(g, g->values, g->batch->values_out, bytes, g->range, b.value_bytes);
    b.keys = place(g, g->keys, b.keys, bytes, g->n, b.key_bytes);
    b.offsets =
        (const uint64_t *)place(g, g->offsets || g->values, g->batch->offsets + g->first, bytes, g->n + 1, sizeof *b.offsets);
    b.statuses = (uint8_t *)place(g, g->statuses, b.statuses, bytes, g->n, 1);
    return b;
}

/* Allocates memory for the piece, and halves the piece while memory is refused. */
static roost_status piece_allocate(struct gathering *g)
{
    struct backend *b = g->t->backend;
    void *memory = NULL;
    for (;; g->n /= 2) {
        g->memory = NULL;
        g->range = g->values ? g->at[g->n] - g->at[0] : 0;
        (void)piece_of(g, &g->bytes);
        const roost_status status = backend_allocate(b, g->bytes, &memory);
        g->memory = (char *)memory;
        if (status != ROOST_ERR_MEMORY || g->n == 1) return status;
    }
}

static roost_status copy_if(struct gathering *g, bool staged, void *to, const void *from, uint64_t n, int bytes)
{
    return staged && n ? g->t->backend->operations->copy(g->t->backend, to, from, n * (unsigned)bytes) : ROOST_OK;
}

static roost_status piece_carry_out(struct gathering *g)
{
    const struct batch own = batch_part(g->batch, g->first, g->n, g->batch->key_bytes, g->batch->value_bytes);
    const struct batch b = piece_of(g, &g->bytes);
    void *values = array_at(g->batch->values_out, g->base, b.value_bytes);
    roost_status status = copy_if(g, g->keys, (void *)(uintptr_t)b.keys, own.keys, g->n, b.key_bytes);
    if (!status)
        status = copy_if(g, g->offsets || g->values, (void *)(uintptr_t)b.offsets, g->at, g->n + 1, (int)sizeof *b.offsets);
    if (!status) status = copy_if(g, g->values, b.values_out, values, g->range, b.value_bytes);
    if (!status) status = g->t->engine->find_all(g->t->at, &b);
    if (!status) status = copy_if(g, g->values, values, b.values_out, g->range, b.value_bytes);
    if (!status) status = copy_if(g, g->statuses, own.statuses, b.statuses, g->n, 1);
    /* Also after a failure: copies from `at` may be in flight. */
    const roost_status waited = backend_wait(g->t->backend);
    return status ? status : waited;
}

static roost_status pieces_run(struct gathering *g, uint64_t most)
{
    roost_status status = ROOST_OK;
    for (g->first = 0; !status && g->first < g->batch->n; g->first += g->n) {
        status = offsets_bring(g, most);
        if (!status) status = piece_allocate(g);
        if (status) return status;
        status = piece_carry_out(g);
        backend_release(g->t->backend, g->memory, g->bytes);
    }
    return status;
}

static roost_status gather(struct gathering *g)
{
    const roost_allocator *allocator = &g->t->allocator;
    const uint64_t most = g->batch->n < GATHERED_KEYS ? g->batch->n : GATHERED_KEYS;
    g->at = (uint64_t *)host_new(allocator, (most + 1) * sizeof *g->at);
    if (!g->at) return error_set(&g->t->error, ROOST_ERR_MEMORY, "no memory for %" PRIu64 " offsets", most + 1);
    const roost_status status = pieces_run(g, most);
    host_delete(allocator, g->at, (most + 1) * sizeof *g->at);
    return status;
}

static bool out_of_reach(const struct roost_table *t, const void *array, const roost_call *call)
{
    return array && array_on_device(t, array, call) != (t->backend->operations->machine == MACHINE_CUDA);
}

roost_status staged_find_all(struct roost_table *t, const struct batch *batch, const roost_call *call)
{
    struct gathering g;
    memset(&g, 0, sizeof g);
    g.t = t;
    g.batch = batch;
    g.keys = out_of_reach(t, batch->keys, call);
    g.offsets = out_of_reach(t, batch->offsets, call);
    g.values = out_of_reach(t, batch->values_out, call);
    g.statuses = out_of_reach(t, batch->statuses, call);
    const bool pieces = g.keys || g.offsets || g.values || g.statuses;
    /* A device kernel reads device offsets without this check. */
    const bool seen = !pieces && t->backend->operations->machine == MACHINE_HOST;
    roost_status status = seen ? offsets_check(t, batch->offsets, batch->n) : ROOST_OK;
    if (!status && !pieces) return staged_run(t, t->engine->find_all, 0, ACCESS_READ, batch, call);
    if (!status) status = call_begin(t, call->stream, ACCESS_READ);
    if (status) return status;
    if (t->backend->capturing)
        status = error_set(&t->error, ROOST_ERR_UNSUPPORTED, "arrays that the GPU cannot reach cannot be captured into a graph");
    else status = gather(&g);
    return call_end(t, ACCESS_READ, status);
}
