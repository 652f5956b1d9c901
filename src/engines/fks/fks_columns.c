/* FKS's columns: the items of a batch by region, from which buckets are built. */
#include <assert.h>
#include <string.h>

#include "engines/fks/fks_table.h"
#include "engines/partition.h"

enum {
    SPARE_ITEMS = 1024, /* of the spare columns, */
    /* If they are partitioned by no more bits; at least as many as number a part. */
    SPARE_BITS = 8,
    FEW_ITEMS = 64, /* and of those that lie in the caller's frame */
    FEW_BITS = 3,
    SPREAD = 16,     /* regions for an item, at most, that found no room in place */
    LIMIT_SHARE = 16 /* of a memory limit that columns beside a growing table take, at most */
};

uint64_t fks_items_waiting(const struct fks_table *t, const struct fks_items *items)
{
    return items->n - (t->base.stats.inserted + t->base.stats.updated - items->done_before);
}

/* No more bits than all parts' buckets have in common, now and as they will be, and one part's at
 * least. */
uint32_t fks_digits_for(const struct fks_table *t, const struct fks_plan *plan, uint64_t n)
{
    uint32_t most = t->main ? fks_digits_most(t) : FKS_DIGITS_MOST, least = t->view.part_bits, bits;
    if (plan && fks_digits(plan->part_bits, plan->buckets) < most) most = fks_digits(plan->part_bits, plan->buckets);
    if (plan && plan->part_bits > least) least = plan->part_bits;
    for (bits = least; bits < most && (plan ? n >> bits > 0 : bits < SPARE_BITS || n * SPREAD >> bits > 1);) bits++;
    return bits;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static int payload_bytes(const struct fks_table *t, const struct fks_column_memory *c)
{
    return c->by_item ? 4 : t->base.shape.value_bytes;
}

static struct partition_pass pass_of(const struct fks_table *t, const struct fks_column_memory *c, uint64_t n)
{
    struct partition_pass pass;
    memset(&pass, 0, sizeof pass);
    pass.key_bytes = t->base.shape.key_bytes;
    pass.payload_bytes = payload_bytes(t, c);
    pass.bits = PARTITION_DIGIT;
    pass.n = n;
    return pass;
}

static roost_status columns_plan(struct fks_table *t, struct fks_column_memory *c, uint64_t n)
{
    const size_t key = (size_t)t->base.shape.key_bytes, payload = (size_t)payload_bytes(t, c);
    const struct partition_pass pass = pass_of(t, c, n);
    const uint64_t regions = (uint64_t)1 << c->digit_bits;
    const bool both = !partition_makes_keys(t->base.backend);
    size_t scratch = 0;
    const roost_status status = partition_scratch(t->base.backend, &pass, &scratch);
    if (status) return status;
    c->room = n;
    c->bytes[FKS_HASHES] = (size_t)n * key;
    c->bytes[FKS_HASHES_BACK] = both ? (size_t)n * key : 0;
    c->bytes[FKS_PAYLOAD] = (size_t)n * payload;
    c->bytes[FKS_PAYLOAD_BACK] = both ? (size_t)n * payload : 0;
    c->bytes[FKS_VALUES] = c->by_item ? (size_t)n * (size_t)t->base.shape.value_bytes : 0;
    c->bytes[FKS_OUTCOMES] = (size_t)n;
    c->bytes[FKS_BOUNDS] = (size_t)(regions + 1) * sizeof(uint64_t);
    c->bytes[FKS_SORT_SCRATCH] = scratch;
    c->all = backend_arrays_bytes(c->bytes, FKS_COLUMN_COUNT);
    return ROOST_OK;
}

static roost_status columns_allocate(struct fks_table *t, struct fks_column_memory *c, uint64_t n, uint64_t beside)
{
    const roost_status status = columns_plan(t, c, n);
    return status ? status : backend_allocate_beside(t->base.backend, c->all, (size_t)beside, &c->memory);
}

bool fks_columns_fit(struct fks_table *t, struct fks_column_memory *c, uint64_t n, uint64_t beside)
{
    const struct error_mark before = error_keep(t->base.error);
    const roost_status status = columns_allocate(t, c, n, beside);
    if (status) error_restore(&before);
    else backend_release(t->base.backend, c->memory, c->all);
    return !status;
}

static uint64_t spare_items(const struct fks_table *t) { return t->spare_columns ? SPARE_ITEMS : FEW_ITEMS; }

/* The spare columns, for as many items and bits as they are large enough for. */
static roost_status columns_spare(struct fks_table *t, struct fks_column_memory *c, uint64_t n)
{
    const uint32_t most = t->spare_columns ? SPARE_BITS : FEW_BITS;
    c->digit_bits = c->digit_bits < most ? c->digit_bits : most;
    const roost_status status = columns_plan(t, c, n < spare_items(t) ? n : spare_items(t));
    c->memory = t->spare_columns ? t->spare_columns : c->few;
    assert(t->spare_columns || status || c->all <= sizeof c->few);
    c->spare = t->spare_lent = true;
    return status;
}

/* A GPU reaches no caller's frame. */
static bool few_serve(const struct fks_table *t, uint32_t parts) { return parts == 1 && partition_makes_keys(t->base.backend); }

size_t fks_spare_columns_bytes(struct fks_table *t, uint32_t parts)
{
    struct fks_column_memory c;
    memset(&c, 0, sizeof c);
    c.by_item = true;
    c.digit_bits = SPARE_BITS;
    return few_serve(t, parts) || t->spare_columns || columns_plan(t, &c, SPARE_ITEMS) ? 0 : c.all;
}

roost_status fks_spare_columns_make(struct fks_table *t, uint32_t parts)
{
    const size_t bytes = fks_spare_columns_bytes(t, parts);
    if (few_serve(t, parts) && !t->spare_lent) fks_spare_columns_release(t);
    if (!bytes) return ROOST_OK;
    t->spare_columns_bytes = bytes;
    return backend_allocate(t->base.backend, bytes, &t->spare_columns);
}

void fks_spare_columns_release(struct fks_table *t)
{
    backend_release(t->base.backend, t->spare_columns, t->spare_columns_bytes);
    t->spare_columns = NULL;
}

static roost_status columns_placed(struct fks_column_memory *c, roost_status status)
{
    if (!status) backend_arrays_place(c->memory, c->bytes, FKS_COLUMN_COUNT, c->at);
    return status;
}

roost_status fks_columns_make_beside(struct fks_table *t, struct fks_column_memory *c, uint64_t n, uint64_t beside)
{
    return columns_placed(c, n > spare_items(t) ? columns_allocate(t, c, n, beside) : columns_spare(t, c, n));
}

/* Do columns of n items leave the table most of a memory limit? */
static bool is_modest(struct fks_table *t, struct fks_column_memory *c, uint64_t n)
{
    const uint64_t limit = t->base.backend->memory_limit;
    return !limit || columns_plan(t, c, n) || c->all <= limit / LIMIT_SHARE;
}

roost_status fks_columns_make(struct fks_table *t, struct fks_column_memory *c, uint64_t n)
{
    const struct error_mark before = error_keep(t->base.error);
    while (n / 2 > spare_items(t) && !is_modest(t, c, n)) n /= 2;
    roost_status status = fks_columns_make_beside(t, c, n, 0);
    while (status == ROOST_ERR_MEMORY && (n /= 2) > spare_items(t)) status = fks_columns_make_beside(t, c, n, 0);
    if (status != ROOST_ERR_MEMORY) return status;
    error_restore(&before);
    return columns_placed(c, columns_spare(t, c, spare_items(t)));
}

roost_status fks_columns_release(struct fks_table *t, const struct fks_column_memory *c)
{
    const roost_status status = backend_wait(t->base.backend);
    if (!c->spare) {
        backend_release(t->base.backend, c->memory, c->all);
    } else {
        t->spare_lent = false;
        if (few_serve(t, fks_parts(t))) fks_spare_columns_release(t);
    }
    return status;
}

static roost_status columns_launch(struct fks_table *t, int operation, const struct batch *batch, const struct fks_columns *columns)
{
    struct fks_args args = fks_batch_args(t, batch);
    args.columns = *columns;
    return backend_launch(t->base.backend, t->base.kernel[operation], &args, sizeof args, batch->n);
}

/* ---- Sorting --------------------------------------------------------------------------------- */

/* Sorts columns that are filled, in one or two passes from the lower digit up.  payload: from where
 * the items come.  *hashes, *sorted: where they end. */
static roost_status columns_sort(struct fks_table *t, const struct fks_column_memory *c, const void *payload, uint64_t n,
                                 void **hashes, void **sorted)
{
    struct partition_pass pass = pass_of(t, c, n);
    const int top = 8 * t->base.shape.key_bytes, low = top - (int)c->digit_bits;
    roost_status status = ROOST_OK;
    *hashes = c->at[FKS_HASHES];
    *sorted = (void *)(uintptr_t)payload; /* as long as there was no pass */
    pass.scratch = c->at[FKS_SORT_SCRATCH];
    pass.scratch_bytes = c->bytes[FKS_SORT_SCRATCH];
    pass.payload = payload;
    for (int shift = low; !status && shift < top; shift += PARTITION_DIGIT) {
        pass.keys = *hashes;
        pass.keys_out = *hashes == c->at[FKS_HASHES] ? c->at[FKS_HASHES_BACK] : c->at[FKS_HASHES];
        pass.payload_out = pass.payload == c->at[FKS_PAYLOAD] ? c->at[FKS_PAYLOAD_BACK] : c->at[FKS_PAYLOAD];
        pass.shift = shift;
        pass.bits = top - shift < PARTITION_DIGIT ? top - shift : PARTITION_DIGIT;
        status = partition_run(t->base.backend, &pass);
        *hashes = pass.keys_out;
        pass.payload = *sorted = pass.payload_out;
    }
    return status;
}

/* From what a sort makes hashes, where it makes its keys itself. */
struct hash_source {
    const struct fks_table *table;
    const void *keys;
    const uint32_t *order; /* NULL: all items */
};

static inline __attribute__((always_inline)) void make_hashes_of(const int key_bytes, const struct hash_source *from,
                                                                 uint64_t first, int n, void *hashes)
{
    const struct shape s = {.key_bytes = key_bytes};
    const struct fks_view v = from->table->view;
    for (int i = 0; i < n; i++) {
        const uint64_t number = from->order ? from->order[first + (unsigned)i] : first + (unsigned)i;
        store_width(key_bytes, hashes, (uint64_t)i, fks_hash(s, &v, load_width(key_bytes, from->keys, number)));
    }
}

static void make_hashes(const void *context, uint64_t first, int n, void *hashes)
{
    const struct hash_source *from = (const struct hash_source *)context;
    if (from->table->base.shape.key_bytes == 4) make_hashes_of(4, from, first, n, hashes);
    else make_hashes_of(8, from, first, n, hashes);
}

static roost_status columns_sort_made(struct fks_table *t, const struct fks_column_memory *c, const struct batch *batch)
{
    const struct hash_source from = {t, batch->keys, c->order};
    const int top = 8 * t->base.shape.key_bytes;
    const struct partition_sort sort = {.make_keys = make_hashes,
                                        .context = &from,
                                        .payload = c->by_item ? c->order : batch->values_in,
                                        .keys_out = c->at[FKS_HASHES],
                                        .payload_out = c->at[FKS_PAYLOAD],
                                        .key_bytes = t->base.shape.key_bytes,
                                        .payload_bytes = payload_bytes(t, c),
                                        .low = top - (int)c->digit_bits,
                                        .top = top,
                                        .n = batch->n,
                                        .scratch = c->at[FKS_SORT_SCRATCH]};
    const roost_status status = backend_wait(t->base.backend);
    if (!status) partition_host_sort(t->base.backend, &sort);
    return status;
}

/* ---- Filling and answering ------------------------------------------------------------------- */

/* Hashes and payload, sorted.  *sorted: where the payload is. */
static roost_status columns_partition(struct fks_table *t, const struct fks_column_memory *c, const struct batch *batch,
                                      struct fks_columns *columns, void **sorted)
{
    *sorted = c->at[FKS_PAYLOAD];
    if (partition_makes_keys(t->base.backend)) return columns_sort_made(t, c, batch);
    const roost_status status = columns_launch(t, FKS_hashes, batch, columns);
    return status ? status
                  : columns_sort(t, c, c->by_item ? c->at[FKS_PAYLOAD] : batch->values_in, batch->n, &columns->hashes, sorted);
}

/* Where each region begins, and the items' values; no item has an outcome yet. */
static roost_status columns_finish(struct fks_table *t, const struct fks_column_memory *c, const struct batch *batch,
                                   const struct fks_columns *columns)
{
    struct backend *b = t->base.backend;
    struct batch regions = *batch;
    regions.n = ((uint64_t)1 << c->digit_bits) + 1;
    roost_status status = columns_launch(t, FKS_bounds, &regions, columns);
    if (!status && c->by_item && t->base.shape.value_bytes) status = columns_launch(t, FKS_gather, batch, columns);
    return status ? status : b->operations->fill(b, c->at[FKS_OUTCOMES], ROOST_ITEM_NONE, batch->n);
}

roost_status fks_columns_fill(struct fks_table *t, const struct fks_column_memory *c, const struct batch *batch,
                              struct fks_items *items)
{
    struct fks_columns columns = {.hashes = c->at[FKS_HASHES],
                                  .items = c->by_item ? (uint32_t *)c->at[FKS_PAYLOAD] : NULL,
                                  .values = c->at[FKS_VALUES],
                                  .bounds = (uint64_t *)c->at[FKS_BOUNDS],
                                  .order = c->order,
                                  .digit_bits = c->digit_bits,
                                  .n = batch->n};
    void *sorted;
    roost_status status = columns_partition(t, c, batch, &columns, &sorted);
    if (c->by_item) columns.items = (uint32_t *)sorted;
    if (!status) status = columns_finish(t, c, batch, &columns);
    memset(items, 0, sizeof *items);
    items->args.batch = *batch;
    items->args.batch.statuses = (uint8_t *)c->at[FKS_OUTCOMES];
    items->args.batch.values_in = t->base.shape.value_bytes ? (c->by_item ? c->at[FKS_VALUES] : sorted) : NULL;
    items->args.work.hashes = columns.hashes;
    items->args.work.bounds = columns.bounds;
    items->args.columns = columns;
    items->args.work.digit_bits = items->args.work.bounds_bits = c->digit_bits;
    items->n = batch->n;
    items->done_before = t->base.stats.inserted + t->base.stats.updated;
    return status;
}

roost_status fks_columns_answer(struct fks_table *t, const struct fks_column_memory *c, const struct batch *batch,
                                const struct fks_items *items, uint8_t park_status)
{
    struct batch answers = *batch;
    struct fks_columns columns = items->args.columns;
    if (!c->by_item || !batch->statuses) return ROOST_OK;
    answers.park_status = park_status;
    columns.values = c->at[FKS_OUTCOMES];
    return columns_launch(t, FKS_outcomes, &answers, &columns);
}

/* ---- Items that wait for other seeds --------------------------------------------------------- */

static void remain_bytes(const struct fks_table *t, uint64_t n, size_t bytes[FKS_REMAINS])
{
    bytes[FKS_REMAIN_KEYS] = n * (unsigned)t->base.shape.key_bytes;
    bytes[FKS_REMAIN_VALUES] = n * (unsigned)t->base.shape.value_bytes;
    bytes[FKS_REMAIN_NUMBERS] = n * sizeof(uint32_t);
    bytes[FKS_REMAIN_STATUSES] = n;
}

static roost_status remain_launch(struct fks_table *t, const struct fks_items *items, void *const at[FKS_REMAINS])
{
    struct fks_args args = items->args;
    args.view = t->view;
    args.transfer.shape = t->base.shape;
    args.transfer.keys = at[FKS_REMAIN_KEYS];
    args.transfer.values = at[FKS_REMAIN_VALUES];
    args.transfer.numbers = (uint32_t *)at[FKS_REMAIN_NUMBERS];
    args.transfer.pairs_n = &table_words(&t->base)->pairs_n;
    args.columns.hashes = (void *)(uintptr_t)items->args.work.hashes;
    args.batch.n = items->n;
    const roost_status status = pairs_clear(&t->base);
    return status ? status : backend_launch(t->base.backend, t->base.kernel[FKS_remain], &args, sizeof args, items->n);
}

/* The batch of these items; their statuses are wanted if the caller wants some. */
static struct batch remain_batch(const struct fks_table *t, const struct batch *batch, uint64_t n, void *const at[FKS_REMAINS])
{
    struct batch b = batch_of_pairs(&t->base, at[FKS_REMAIN_KEYS], at[FKS_REMAIN_VALUES], n);
    b.mode = batch->mode;
    b.statuses = batch->statuses ? (uint8_t *)at[FKS_REMAIN_STATUSES] : NULL;
    return b;
}

roost_status fks_remain_keep(struct fks_table *t, const struct batch *batch, const struct fks_items *items, uint64_t waiting)
{
    struct backend *b = t->base.backend;
    size_t bytes[FKS_REMAINS];
    void *at[FKS_REMAINS];
    struct insertion *in = (struct insertion *)host_new(&b->allocator, sizeof *in);
    if (!in) return error_set(t->base.error, ROOST_ERR_MEMORY, "no memory for items that wait");
    remain_bytes(t, waiting, bytes);
    in->memory_bytes = backend_arrays_bytes(bytes, FKS_REMAINS);
    roost_status status = backend_allocate(b, in->memory_bytes, &in->memory);
    if (status) {
        host_delete(&b->allocator, in, sizeof *in);
        return status;
    }
    backend_arrays_place(in->memory, bytes, FKS_REMAINS, at);
    in->table = &t->base;
    in->batch = remain_batch(t, batch, waiting, at);
    in->statuses = batch->statuses;
    in->items.n = waiting;
    t->base.waiting = in;
    return remain_launch(t, items, at);
}

roost_status fks_remain_answer(struct fks_table *t, struct insertion *in)
{
    struct fks_columns columns;
    struct batch answers = in->batch;
    size_t bytes[FKS_REMAINS];
    void *at[FKS_REMAINS];
    roost_status status = ROOST_OK;
    memset(&columns, 0, sizeof columns);
    remain_bytes(t, in->batch.n, bytes);
    backend_arrays_place(in->memory, bytes, FKS_REMAINS, at);
    columns.items = (uint32_t *)at[FKS_REMAIN_NUMBERS];
    columns.values = at[FKS_REMAIN_STATUSES];
    answers.statuses = in->statuses;
    answers.park_status = ROOST_ITEM_NONE;
    if (in->statuses) status = columns_launch(t, FKS_outcomes, &answers, &columns);
    const roost_status ended = backend_wait(t->base.backend);
    backend_release(t->base.backend, in->memory, in->memory_bytes);
    return status ? status : ended;
}
