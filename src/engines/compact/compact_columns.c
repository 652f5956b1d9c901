/* compact's builds on the host side: regions for a size, the columns of a batch, and their pass. */
#include <string.h>

#include "engines/compact/compact_table.h"
#include "engines/partition.h"

enum { COLUMN_HASHES, COLUMN_HASHES_BACK, COLUMN_PAYLOAD, COLUMN_PAYLOAD_BACK, COLUMN_BOUNDS, COLUMN_SCRATCH, COLUMNS };

/* Items from which a batch is built by region where that is not asked for, and buckets for each
 * item: with more, most of what a build reads and writes stays as it was.  A host reads only the
 * buckets of the items, but with fewer items its regions are not worth a sort. */
enum { BUILD_LEAST = 1 << 20, BUILD_BUCKETS = 2, PLACE_LEAST = 1 << 17, PLACE_BUCKETS = 32 };

/* A region takes at most this many times as many items as regions have on average, and as slots:
 * the rest goes through the other passes. */
enum { REGION_MOST = 4 };

static bool on_host(const struct compact_table *t) { return t->base.backend->ordinal < 0; }

/* Bits of the digits of regions with at most this many buckets.  A region may have a bucket more
 * than others. */
static int bits_of(const struct compact_table *t, unsigned most)
{
    int bits = 0;
    while (t->size.buckets >> bits >= most - 1) bits++;
    return bits;
}

int compact_digit_bits(const struct compact_table *t) { return bits_of(t, on_host(t) ? COMPACT_REGION_HOST : COMPACT_REGION_GPU); }

/* The same for a batch: a host sorts by a whole digit at least. */
static int batch_bits(const struct compact_table *t)
{
    const int small = compact_digit_bits(t), large = bits_of(t, COMPACT_REGION_PLACED);
    if (!on_host(t)) return small;
    return large > PARTITION_DIGIT ? large : small < PARTITION_DIGIT ? small : PARTITION_DIGIT;
}

/* The most buckets of a region of a batch. */
static uint64_t region_most(const struct compact_table *t)
{
    return on_host(t) ? (t->size.buckets >> batch_bits(t)) + 2 : COMPACT_REGION_GPU;
}

/* On a GPU a build that takes its shape at run time is slower than inserts, which do not. */
static bool builds_pay(const struct compact_table *t, uint64_t n)
{
    if (on_host(t)) return n >= PLACE_LEAST && n >= t->size.buckets / PLACE_BUCKETS;
    if (t->base.kernel[COMPACT_build]->shape == SHAPE_any) return false;
    return n >= BUILD_LEAST && n >= t->size.buckets / BUILD_BUCKETS;
}

bool compact_builds(const struct compact_table *t, const struct batch *items)
{
    const struct engine_table *base = &t->base;
    if (base->bulk == BULK_OFF || items->operations || items->order || base->backend->capturing || compact_left(t) < items->n)
        return false;
    return base->bulk == BULK_ON || builds_pay(t, items->n);
}

roost_status compact_columns_prepare(struct compact_table *t)
{
    const struct engine_table *base = &t->base;
    const int by_index = compact_payload_bytes(base->shape, false);
    if (base->bulk == BULK_OFF || (base->bulk != BULK_ON && !builds_pay(t, UINT64_MAX))) return ROOST_OK;
    const roost_status status = partition_prepare(base->backend, base->key_bytes, by_index);
    if (status || !base->value_bytes || base->value_bytes == by_index) return status;
    return partition_prepare(base->backend, base->key_bytes, base->value_bytes);
}

/* ---- Columns --------------------------------------------------------------------------------- */

struct columns {
    size_t bytes[COLUMNS], all;
    void *memory, *at[COLUMNS];
    struct partition_pass pass;
};

void compact_columns_forget(struct compact_table *t)
{
    if (t->spare.memory) backend_release(t->base.backend, t->spare.memory, t->spare.bytes);
    t->spare = (struct compact_spilled){NULL, 0};
}

/* Memory for all columns: the spare, or new one. */
static roost_status columns_take(struct compact_table *t, struct columns *c)
{
    if (t->spare.bytes < c->all) compact_columns_forget(t);
    if (!t->spare.memory) return backend_allocate(t->base.backend, c->all, &c->memory);
    c->memory = t->spare.memory;
    c->all = t->spare.bytes;
    t->spare = (struct compact_spilled){NULL, 0};
    return ROOST_OK;
}

/* A host keeps the memory for the next build: to get new pages from the system takes as long as to
 * sort a batch in them. */
void compact_spill_release(struct compact_table *t, const struct compact_spilled *spill)
{
    if (!spill->memory) return;
    if (!on_host(t) || t->spare.memory) backend_release(t->base.backend, spill->memory, spill->bytes);
    else t->spare = *spill;
}

/* Two of each column: a sort's passes go to and fro; by value, one takes what finds no room. */
static roost_status columns_make(struct compact_table *t, uint64_t n, bool by_value, struct columns *c)
{
    struct backend *b = t->base.backend;
    const bool both = by_value || !partition_makes_keys(b);
    memset(c, 0, sizeof *c);
    c->pass.key_bytes = t->base.key_bytes;
    c->pass.payload_bytes = compact_payload_bytes(t->base.shape, by_value);
    c->pass.bits = PARTITION_DIGIT;
    c->pass.n = n;
    roost_status status = partition_scratch(b, &c->pass, &c->pass.scratch_bytes);
    c->bytes[COLUMN_HASHES] = (size_t)n * (unsigned)c->pass.key_bytes;
    c->bytes[COLUMN_PAYLOAD] = (size_t)n * (unsigned)c->pass.payload_bytes;
    c->bytes[COLUMN_HASHES_BACK] = both ? c->bytes[COLUMN_HASHES] : 0;
    c->bytes[COLUMN_PAYLOAD_BACK] = both ? c->bytes[COLUMN_PAYLOAD] : 0;
    c->bytes[COLUMN_BOUNDS] = (((size_t)1 << batch_bits(t)) + 1) * sizeof(uint64_t);
    c->bytes[COLUMN_SCRATCH] = c->pass.scratch_bytes;
    c->all = backend_arrays_bytes(c->bytes, COLUMNS);
    if (!status) status = columns_take(t, c);
    if (!status) backend_arrays_place(c->memory, c->bytes, COLUMNS, c->at);
    c->pass.scratch = c->at[COLUMN_SCRATCH];
    return status;
}

/* A host's sort makes its keys itself. */
struct key_source {
    const struct compact_table *t;
    const void *keys;
};

static void make_hashes(const void *context, uint64_t first, int n, void *hashes)
{
    const struct key_source *from = (const struct key_source *)context;
    const int bytes = from->t->base.key_bytes;
    const struct hash_seeds *seeds = &from->t->view.seeds;
    for (uint64_t i = 0; i < (unsigned)n; i++)
        store_width(bytes, hashes, i, compact_hash(8 * bytes, seeds, load_width(bytes, from->keys, first + i)));
}

static roost_status columns_sort_made(struct compact_table *t, const struct batch *items, const struct columns *c, int low,
                                      bool by_value)
{
    const struct key_source from = {t, items->keys};
    const int bytes = t->base.key_bytes;
    const struct partition_sort sort = {.make_keys = make_hashes,
                                        .context = &from,
                                        .payload = by_value ? items->values_in : NULL,
                                        .values = !by_value && c->pass.payload_bytes == 8 ? items->values_in : NULL,
                                        .keys_out = c->at[COLUMN_HASHES],
                                        .payload_out = c->at[COLUMN_PAYLOAD],
                                        .key_bytes = bytes,
                                        .payload_bytes = c->pass.payload_bytes,
                                        .low = low,
                                        .top = 8 * bytes,
                                        .n = items->n,
                                        .scratch = c->pass.scratch};
    const roost_status status = backend_wait(t->base.backend);
    if (!status) partition_host_sort(t->base.backend, &sort);
    return status;
}

/* Sorts filled columns by the digit, from its lowest bits up. */
static roost_status columns_sort(struct compact_table *t, struct columns *c, int low, struct compact_columns *to)
{
    roost_status status = ROOST_OK;
    const int top = 8 * t->base.key_bytes;
    for (int back = 1; !status && low < top; low += c->pass.bits, back ^= 1) {
        c->pass.keys = to->hashes;
        c->pass.payload = to->payload;
        c->pass.keys_out = c->at[back ? COLUMN_HASHES_BACK : COLUMN_HASHES];
        c->pass.payload_out = c->at[back ? COLUMN_PAYLOAD_BACK : COLUMN_PAYLOAD];
        c->pass.shift = low;
        c->pass.bits = top - low < PARTITION_DIGIT ? top - low : PARTITION_DIGIT;
        status = partition_run(t->base.backend, &c->pass);
        to->hashes = c->pass.keys_out;
        to->payload = c->pass.payload_out;
    }
    return status;
}

/* The columns that a sort has not left its results in. */
static void spill_place(const struct columns *c, struct compact_transfer *transfer, uint64_t n)
{
    const bool back = transfer->columns.hashes == c->at[COLUMN_HASHES];
    const bool payload_back = transfer->columns.payload == c->at[COLUMN_PAYLOAD];
    transfer->keys = c->at[back ? COLUMN_HASHES_BACK : COLUMN_HASHES];
    transfer->values = c->at[payload_back ? COLUMN_PAYLOAD_BACK : COLUMN_PAYLOAD];
    transfer->room = n;
}

/* The batch's sorted columns; items that no region takes are parked. */
static roost_status columns_fill(struct compact_table *t, const struct batch *items, bool by_value, struct columns *c,
                                 struct compact_args *args)
{
    struct compact_columns *const to = &args->transfer.columns;
    const struct kernel *const k = t->base.kernel[COMPACT_columns];
    const int low = 8 * t->base.key_bytes - batch_bits(t);
    const struct compact_columns filled = {.hashes = c->at[COLUMN_HASHES],
                                           .payload = c->at[COLUMN_PAYLOAD],
                                           .n = items->n,
                                           .digit_bits = batch_bits(t),
                                           .by_value = by_value};
    roost_status status;
    *to = filled;
    args->batch.counters = NULL;
    if (partition_makes_keys(t->base.backend)) {
        status = columns_sort_made(t, items, c, low, by_value);
    } else {
        status = compact_launch_over(t, k, args, compact_columns_lanes(items->n));
        if (by_value) to->payload = items->values_in;
        if (!status) status = columns_sort(t, c, low, to);
    }
    spill_place(c, &args->transfer, items->n);
    to->bounds = (uint64_t *)c->at[COLUMN_BOUNDS];
    if (!status) status = compact_launch_over(t, k, args, ((uint64_t)1 << to->digit_bits) + 1);
    to->most = REGION_MOST * ((items->n >> to->digit_bits) + region_most(t) * (unsigned)t->base.shape.slots);
    to->parks = true;
    return status ? status : compact_launch_over(t, k, args, (items->n + COMPACT_RUN - 1) / COMPACT_RUN);
}

/* Where nobody asks for statuses a value is enough of an item: a sort moves a third less. */
static bool goes_by_value(const struct compact_table *t, const struct batch *items)
{
    return t->base.value_bytes && items->values_in && !items->statuses && !items->stamps;
}

roost_status compact_build_enqueue(struct compact_table *t, struct batch *items, bool vacant, struct compact_spilled *spill)
{
    struct compact_args args = compact_batch_args(t, items);
    struct columns c;
    const bool by_value = goes_by_value(t, items);
    roost_status status = columns_make(t, items->n, by_value, &c);
    if (status) return status;
    status = columns_fill(t, items, by_value, &c, &args);
    args.batch.counters = items->counters;
    args.transfer.vacant = vacant;
    if (!status)
        status = compact_launch_over(t, t->base.kernel[COMPACT_build], &args, (uint64_t)1 << args.transfer.columns.digit_bits);
    const struct compact_spilled columns = {c.memory, c.all};
    if (status || !by_value) {
        compact_spill_release(t, &columns);
        return status;
    }
    *spill = columns;
    items->keys = args.transfer.keys;
    items->values_in = args.transfer.values;
    return ROOST_OK;
}
