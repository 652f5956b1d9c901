/* The memory in which a piece of a batch is reordered, and the loop over the pieces of a batch. */
#include "batches/batches_work.h"

#include <assert.h>
#include <string.h>

/* MOST: items of a piece in batches_run. */
enum {
    MOST = 1 << 22,
    LEAST_WORDS = 16,
    /* The part of what a memory limit leaves that the memory of a piece may take, as a divisor: the
     * rest is for the table's growth, or for what the engine needs beside it. */
    SHARE_GROWING = 16,
    SHARE = 2
};

/* The arrays of a piece's memory. */
enum { ARRAY_WORDS = PARTS, ARRAY_SCRATCH, ARRAYS };

static void arrays_of(const struct batches_work *w, size_t bytes[ARRAYS])
{
    for (int p = 0; p < PARTS; p++) bytes[p] = w->room * (unsigned)w->bytes[p];
    bytes[ARRAY_WORDS] = w->words * sizeof(uint64_t);
    bytes[ARRAY_SCRATCH] = w->sort.scratch_bytes;
}

/* Sets the arrays' addresses in the memory of a piece. */
static void arrays_place(struct batches_work *w)
{
    size_t bytes[ARRAYS];
    void *at[ARRAYS];
    arrays_of(w, bytes);
    backend_arrays_place(w->memory, bytes, ARRAYS, at);
    memcpy(w->part, at, sizeof w->part);
    w->args.words = (uint64_t *)at[ARRAY_WORDS];
    w->sort.scratch = at[ARRAY_SCRATCH];
}

roost_status batches_plan_sort(struct batches_work *w)
{
    w->words = w->args.bins < LEAST_WORDS ? LEAST_WORDS : w->args.bins + 1;
    w->sort.n = w->room;
    w->sort.key_bytes = w->bytes[PART_SORT];
    w->sort.bits = 8 * w->sort.key_bytes;
    return batches_sort_scratch(w->b, &w->sort, &w->sort.scratch_bytes);
}

roost_status batches_memory_plan(struct batches_work *w, uint64_t room, batches_plan *plan)
{
    size_t bytes[ARRAYS];
    w->room = room;
    const roost_status status = plan(w);
    arrays_of(w, bytes);
    w->memory_bytes = backend_arrays_bytes(bytes, ARRAYS);
    return status;
}

static bool is_modest(const struct batches_work *w)
{
    const struct backend *b = w->b;
    const uint64_t share = w->grows ? SHARE_GROWING : SHARE;
    return !w->shares || !b->memory_limit || b->bytes_now + w->memory_bytes * share <= b->memory_limit;
}

static roost_status memory_for(struct batches_work *w, uint64_t room, batches_plan *plan)
{
    const roost_status status = batches_memory_plan(w, room, plan);
    if (status) return status;
    w->spare = !w->beside && w->memory_bytes <= w->spare_bytes;
    if (!w->spare && !is_modest(w)) return ROOST_ERR_MEMORY;
    if (!w->spare) return backend_allocate_beside(w->b, w->memory_bytes, w->beside, &w->memory);
    w->memory = w->spare_memory;
    return ROOST_OK;
}

roost_status batches_spare_allocate(struct batches_work *w, batches_plan *plan)
{
    const roost_status status = batches_memory_plan(w, backend_items_least(w->b), plan);
    assert(w->b->ordinal >= 0 || status || w->memory_bytes <= BATCHES_FEW_BYTES);
    if (status || w->b->ordinal < 0) return status;
    w->table->spare_bytes = w->memory_bytes;
    return backend_allocate(w->b, w->memory_bytes, &w->table->spare);
}

void batches_spare_release(struct engine_table *table) { backend_release(table->backend, table->spare, table->spare_bytes); }

roost_status batches_open(struct batches_work *w, uint64_t n, batches_plan *plan)
{
    const struct error_mark before = error_keep(w->b->error);
    uint64_t room = n < w->most ? n : w->most;
    w->n = n;
    w->plan = plan;
    roost_status status = memory_for(w, room, plan);
    while (status == ROOST_ERR_MEMORY && room > w->least) {
        room /= 2;
        status = memory_for(w, room, plan);
    }
    if (!status) error_restore(&before); /* a smaller piece is no failure */
    return status;
}

void batches_close(struct batches_work *w)
{
    if (!w->spare) backend_release(w->b, w->memory, w->memory_bytes);
}

static struct runs runs_of(const struct batches_work *w)
{
    const struct runs runs = {(uint32_t *)w->part[PART_RUNS],    w->part[PART_RUN_KEYS],
                              w->part[PART_RUN_VALUES],          (uint8_t *)w->part[PART_RUN_FATES],
                              w->part[PART_WRITE_KEYS],          w->part[PART_WRITE_VALUES],
                              (uint32_t *)w->part[PART_WRITTEN], (uint8_t *)w->part[PART_WRITE_STATUSES]};
    return runs;
}

static struct columns columns_of(const struct batches_work *w)
{
    const struct columns columns = {w->part[PART_KEYS], w->part[PART_VALUES_IN], w->part[PART_VALUES_OUT],
                                    (uint8_t *)w->part[PART_OPERATIONS], (uint8_t *)w->part[PART_STATUSES]};
    return columns;
}

static struct taken taken_of(const struct batches_work *w)
{
    const struct taken taken = {w->part[PART_TAKEN_KEYS],
                                w->part[PART_TAKEN_IN],
                                w->part[PART_TAKEN_OUT],
                                (uint8_t *)w->part[PART_TAKEN_OPERATIONS],
                                (uint8_t *)w->part[PART_TAKEN_STATUSES],
                                w->part[PART_TAKEN_FROM]};
    return taken;
}

void batches_place(struct batches_work *w)
{
    arrays_place(w);
    w->args.columns = columns_of(w);
    w->args.runs = runs_of(w);
    w->args.taken = taken_of(w);
    w->args.sorted = w->part[PART_SORT];
    w->args.items = (uint32_t *)w->part[PART_ITEMS];
}

roost_status batches_reopen(struct batches_work *w)
{
    batches_close(w);
    w->memory = NULL;
    w->grows = false;
    return batches_open(w, w->n, w->plan);
}

roost_status batches_pieces(struct batches_work *w, const struct batch *whole, batches_piece *piece)
{
    roost_status failure = ROOST_OK, status = ROOST_OK;
    for (uint64_t first = 0, n; !status && first < whole->n; first += n) {
        n = whole->n - first < w->room ? whole->n - first : w->room;
        w->args.batch = batch_part(whole, first, n, whole->key_bytes, whole->value_bytes);
        batches_place(w);
        status = piece(w);
        if (!status_of_items(status)) continue;
        if (!failure) failure = status;
        status = status == ROOST_ERR_MEMORY && w->grows ? batches_reopen(w) : ROOST_OK;
    }
    if (!status) status = backend_wait(w->b);
    return status ? status : failure;
}

void batches_untried_from(struct backend *b, const struct batch *batch, uint64_t first)
{
    const struct error_mark why = error_keep(b->error);
    const uint64_t n = batch->n - first;
    if (batch->statuses && !b->operations->fill(b, batch->statuses + first, ROOST_ITEM_NONE, n)) (void)backend_wait(b);
    if (batch->numbers &&
        !b->operations->fill(b, array_at(batch->values_out, first, batch->value_bytes), 0xFF, n * batch->value_bytes))
        (void)backend_wait(b);
    error_restore(&why);
}

roost_status batches_begin(struct batches_work *w, struct engine_table *table, uint64_t most, struct batches_few *few)
{
    memset(w, 0, sizeof *w);
    w->table = table;
    w->b = table->backend;
    w->spare_memory = w->b->ordinal < 0 ? few : table->spare;
    w->spare_bytes = w->b->ordinal < 0 ? sizeof *few : table->spare_bytes;
    w->least = backend_items_least(w->b);
    w->most = most;
    w->grows = table->growth;
    w->shares = true;
    if (w->b->capturing)
        return error_set(w->b->error, ROOST_ERR_UNSUPPORTED, "a batch in phases or in order cannot be captured into a graph");
    w->b->enqueue = false;
    return ROOST_OK;
}

roost_status batches_run(struct engine_table *table, const struct batch *batch, uint32_t bins, const int bytes[PARTS],
                         batches_piece *piece)
{
    struct batches_work w;
    struct batches_few few;
    roost_status status = batches_begin(&w, table, MOST, &few);
    if (status) return status;
    w.args.bins = bins;
    memcpy(w.bytes, bytes, sizeof w.bytes);
    batches_untried_from(w.b, batch, 0);
    status = batches_open(&w, batch->n, batches_plan_sort);
    if (!status) status = batches_pieces(&w, batch, piece);
    batches_close(&w);
    return status;
}

/* ---- A piece's steps ------------------------------------------------------------------------- */

const struct kernel *batches_kernel_for(const struct backend *b, enum batches_kernel which)
{
#if defined(ROOST_WITH_CUDA)
    if (b->ordinal >= 0) return batches_cuda_kernel(which);
#endif
    (void)b;
    return batches_host_kernel(which);
}

roost_status batches_launch(struct batches_work *w, enum batches_kernel which, uint64_t n)
{
    w->args.n = n;
    return backend_launch(w->b, batches_kernel_for(w->b, which), &w->args, sizeof w->args, n);
}

int batches_bits_of(uint32_t bins)
{
    int bits = 1;
    while (bits < 32 && bins > 1u << bits) bits++;
    return bits;
}

roost_status batches_sort_items(struct batches_work *w, int key_bytes, int bits)
{
    struct batches_sort *s = &w->sort;
    s->keys[0] = w->part[PART_SORT];
    s->keys[1] = w->part[PART_SORT_ROOM];
    s->items[0] = (uint32_t *)w->part[PART_ITEMS];
    s->items[1] = (uint32_t *)w->part[PART_ITEMS_ROOM];
    return batches_sort_again(w, key_bytes, bits);
}

roost_status batches_sort_again(struct batches_work *w, int key_bytes, int bits)
{
    struct batches_sort *s = &w->sort;
    s->n = w->args.batch.n;
    s->key_bytes = key_bytes;
    s->bits = bits;
    const roost_status status = batches_sort(w->b, s);
    w->args.sorted = s->keys[0];
    w->args.items = s->items[0];
    return status;
}

roost_status batches_read_words(struct batches_work *w, uint64_t *words, int n)
{
    return backend_read(w->b, words, w->args.words, (unsigned)n * sizeof *words);
}

roost_status batches_clear_words(struct batches_work *w)
{
    return w->b->operations->fill(w->b, w->args.words, 0, w->words * sizeof *w->args.words);
}
