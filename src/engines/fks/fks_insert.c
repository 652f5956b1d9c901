/* FKS's inserts on the policy's side: items of small batches are written in place; those of large ones, and those that found no room in place, are
 * partitioned by region and built into their buckets. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "engines/estimate.h"
#include "engines/fks/fks_table.h"
#include "engines/partition.h"
#include "portable/stamp.h"

enum {
    PIECE = 1 << 30,      /* items of a piece, at most, */
    FEW = 1024,           /* for which every table has memory, whatever else is refused, */
    FEW_BITS = 8,         /* if they are partitioned by so many bits; at least as many as say a part */
    TIMED = 1 << 20,      /* items of builds whose parts are timed */
    ROUNDS = 4,           /* of compaction */
    LEAST = 64,           /* whose distinct keys are worth counting */
    LOCK_WORDS = 1 << 16, /* of 32 locks */
    SPREAD = 16,          /* regions for an item, at most, that found no room in place */
    TROUBLED = 8,         /* more than this share of the parts without room: the table grows as a whole */
    AT_ONCE = 1 << 16     /* items for which a build, which waits, is not worth its while where there is room for them in place */
};

/* Load factor of buckets that are built where memory was refused: most have a layout. */
static const double DENSE_LOAD = 0.92;

/* ---- Columns ----------------------------------------------------------------------------------------------------------------------------- */

/* The memory of a piece: columns of its items, which a partition brings from one to the other. */
enum column { HASHES, HASHES_BACK, PAYLOAD, PAYLOAD_BACK, VALUES, FATES, BOUNDS, SCRATCH, COLUMNS };

struct columns_memory {
    void *memory, *at[COLUMNS];
    size_t bytes[COLUMNS], all;
    uint64_t room; /* items */
    uint32_t digit_bits;
    const uint32_t *order; /* the items that they are for; NULL: all of the batch */
    bool tried;            /* no room was found for them in place, and nothing has changed since */
    bool kept;             /* it is the table's own, for few items */
    bool by_item;          /* the payload is the item's number, not its value: somebody wants to know what became of it */
};

static int payload_bytes(const struct fks_table *t, const struct columns_memory *c)
{
    return c->by_item ? 4 : t->shape.value_bytes;
}

static struct partition_pass pass_of(const struct fks_table *t, const struct columns_memory *c, uint64_t n)
{
    struct partition_pass pass;
    memset(&pass, 0, sizeof pass);
    pass.key_bytes = t->shape.key_bytes;
    pass.payload_bytes = payload_bytes(t, c);
    pass.bits = PARTITION_DIGIT;
    pass.n = n;
    return pass;
}

/* There a partition goes from one column to the other, by kernels; on a host it makes hashes as it needs them. */
static bool on_gpu(const struct fks_table *t) { return t->base.backend->ordinal >= 0; }

static roost_status columns_plan(struct fks_table *t, struct columns_memory *c, uint64_t n)
{
    const size_t key = (size_t)t->shape.key_bytes, payload = (size_t)payload_bytes(t, c), value = (size_t)t->shape.value_bytes;
    const struct partition_pass pass = pass_of(t, c, n);
    const uint64_t regions = (uint64_t)1 << c->digit_bits;
    size_t scratch = 0;
    const roost_status status = partition_scratch(t->base.backend, &pass, &scratch);
    if (status) return status;
    c->room = n;
    c->bytes[HASHES] = (size_t)n * key;
    c->bytes[PAYLOAD] = (size_t)n * payload;
    if (on_gpu(t)) c->bytes[HASHES_BACK] = c->bytes[HASHES], c->bytes[PAYLOAD_BACK] = c->bytes[PAYLOAD];
    c->bytes[VALUES] = c->by_item ? (size_t)n * value : 0;
    c->bytes[FATES] = (size_t)n;
    c->bytes[BOUNDS] = (size_t)(regions + 1) * sizeof(uint64_t);
    c->bytes[SCRATCH] = scratch;
    c->all = backend_arrays_bytes(c->bytes, COLUMNS);
    return ROOST_OK;
}

static roost_status columns_allocate(struct fks_table *t, struct columns_memory *c, uint64_t n)
{
    const roost_status status = columns_plan(t, c, n);
    return status ? status : backend_allocate(t->base.backend, c->all, &c->memory);
}

/* The memory that every table has, for as many items as it is large enough for, and as many digits. */
static roost_status columns_few(struct fks_table *t, struct columns_memory *c, uint64_t n)
{
    const uint32_t most = FEW_BITS;
    c->digit_bits = c->digit_bits < most ? c->digit_bits : most;
    const roost_status status = columns_plan(t, c, n < FEW ? n : FEW);
    c->memory = t->few;
    c->kept = true;
    return status;
}

roost_status fks_few_make(struct fks_table *t)
{
    struct columns_memory c;
    memset(&c, 0, sizeof c);
    c.by_item = true;
    c.digit_bits = FEW_BITS;
    roost_status status = columns_plan(t, &c, FEW);
    t->few_bytes = c.all;
    if (!status) status = backend_allocate(t->base.backend, c.all, &t->few);
    return status;
}

/* Memory for as many of n items as there is memory for. */
static roost_status columns_make(struct fks_table *t, struct columns_memory *c, uint64_t n)
{
    const struct error before = *t->base.error;
    roost_status status = n > FEW ? columns_allocate(t, c, n) : columns_few(t, c, n);
    for (uint64_t room = n / 2; status == ROOST_ERR_MEMORY && room > FEW; room /= 2) status = columns_allocate(t, c, room);
    if (status == ROOST_ERR_MEMORY) {
        *t->base.error = before;
        status = columns_few(t, c, n);
    }
    if (!status) backend_arrays_place(c->memory, c->bytes, COLUMNS, c->at);
    return status;
}

/* When its items are done with. */
static roost_status columns_release(struct fks_table *t, const struct columns_memory *c)
{
    const roost_status status = backend_wait(t->base.backend);
    if (!c->kept) backend_release(t->base.backend, c->memory, c->all);
    return status;
}

static roost_status columns_launch(struct fks_table *t, const struct kernel *k, const struct batch *batch,
                                   const struct fks_columns *columns)
{
    struct fks_args args;
    memset(&args, 0, sizeof args);
    args.view = t->view;
    args.batch = *batch;
    args.transfer.shape = t->shape;
    args.columns = *columns;
    return backend_launch(t->base.backend, k, &args, sizeof args, batch->n);
}

/* One or two passes, from the lower digit up.  The items come from `payload` and end, as the hashes do, where the piece looks for them. */
static roost_status columns_sort(struct fks_table *t, const struct columns_memory *c, const void *payload, uint64_t n,
                                 void **hashes, void **sorted)
{
    struct partition_pass pass = pass_of(t, c, n);
    const int top = 8 * t->shape.key_bytes, low = top - (int)c->digit_bits;
    roost_status status = ROOST_OK;
    *hashes = c->at[HASHES];
    *sorted = (void *)(uintptr_t)payload; /* as long as there was no pass */
    pass.scratch = c->at[SCRATCH];
    pass.scratch_bytes = c->bytes[SCRATCH];
    pass.payload = payload;
    for (int shift = low; !status && shift < top; shift += PARTITION_DIGIT) {
        pass.keys = *hashes;
        pass.keys_out = *hashes == c->at[HASHES] ? c->at[HASHES_BACK] : c->at[HASHES];
        pass.payload_out = pass.payload == c->at[PAYLOAD] ? c->at[PAYLOAD_BACK] : c->at[PAYLOAD];
        pass.shift = shift;
        pass.bits = top - shift < PARTITION_DIGIT ? top - shift : PARTITION_DIGIT;
        status = partition_run(t->base.backend, &pass);
        *hashes = pass.keys_out;
        pass.payload = *sorted = pass.payload_out;
    }
    return status;
}

/* What a host's partition makes hashes of. */
struct hash_source {
    const struct fks_table *table;
    const void *keys;
    const uint32_t *order; /* NULL: all items, as they come */
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
    if (from->table->shape.key_bytes == 4) make_hashes_of(4, from, first, n, hashes);
    else make_hashes_of(8, from, first, n, hashes);
}

static roost_status columns_sort_host(struct fks_table *t, const struct columns_memory *c, const struct batch *batch)
{
    const struct hash_source from = {t, batch->keys, c->order};
    const int top = 8 * t->shape.key_bytes;
    const struct partition_sort sort = {make_hashes,
                                        &from,
                                        c->by_item ? c->order : batch->values_in,
                                        c->at[HASHES],
                                        c->at[PAYLOAD],
                                        t->shape.key_bytes,
                                        payload_bytes(t, c),
                                        top - (int)c->digit_bits,
                                        top,
                                        batch->n,
                                        c->at[SCRATCH]};
    const roost_status status = backend_wait(t->base.backend);
    if (!status) partition_host_sort(t->base.backend, &sort);
    return status;
}

/* The items of a batch by region. */
static roost_status columns_fill(struct fks_table *t, const struct columns_memory *c, const struct batch *batch,
                                 struct fks_piece *piece)
{
    struct backend *b = t->base.backend;
    struct fks_columns columns = {.hashes = c->at[HASHES],
                                  .items = c->by_item ? (uint32_t *)c->at[PAYLOAD] : NULL,
                                  .values = c->at[VALUES],
                                  .bounds = (uint64_t *)c->at[BOUNDS],
                                  .order = c->order,
                                  .digit_bits = c->digit_bits,
                                  .n = batch->n};
    void *hashes = c->at[HASHES], *sorted = c->at[PAYLOAD];
    roost_status status;
    if (on_gpu(t)) {
        status = columns_launch(t, t->hashes, batch, &columns);
        if (!status) status = columns_sort(t, c, c->by_item ? c->at[PAYLOAD] : batch->values_in, batch->n, &hashes, &sorted);
    } else status = columns_sort_host(t, c, batch);
    if (status) return status;
    columns.hashes = hashes;
    if (c->by_item) columns.items = (uint32_t *)sorted;
    struct batch regions = *batch;
    regions.n = ((uint64_t)1 << c->digit_bits) + 1;
    status = columns_launch(t, t->bounds, &regions, &columns);
    if (!status && c->by_item && t->shape.value_bytes) status = columns_launch(t, t->gather, batch, &columns);
    if (!status) status = b->operations->fill(b, c->at[FATES], ROOST_ITEM_NONE, batch->n);
    piece->args.batch = *batch;
    piece->args.batch.statuses = (uint8_t *)c->at[FATES];
    piece->args.batch.values_in = t->shape.value_bytes ? (c->by_item ? c->at[VALUES] : sorted) : NULL;
    piece->args.work.hashes = hashes;
    piece->args.work.bounds = columns.bounds;
    piece->args.columns = columns;
    piece->args.work.digit_bits = piece->args.work.bounds_bits = c->digit_bits;
    piece->n = batch->n;
    return status;
}

/* What became of the items, to where the caller wants to know it. */
static roost_status columns_answer(struct fks_table *t, const struct columns_memory *c, const struct batch *batch,
                                   const struct fks_piece *piece, uint8_t park_status)
{
    struct batch answers = *batch;
    struct fks_columns columns = piece->args.columns;
    if (!c->by_item || !batch->statuses) return ROOST_OK;
    answers.park_status = park_status;
    columns.values = c->at[FATES];
    return columns_launch(t, t->fates, &answers, &columns);
}

/* ---- What in-place inserts share -------------------------------------------------------------------------------------------------------------- */

/* Their locks, behind the lists, all free: a power of two of them. */
static roost_status locks_clear(struct fks_table *t, struct fks_args *args)
{
    struct backend *b = t->base.backend;
    uint64_t words = FEW; /* the least room of a list */
    while (words * 2 <= t->lists.room && words * 2 <= LOCK_WORDS) words *= 2;
    args->view.locks = (uint32_t *)t->lists.extra;
    args->view.lock_mask = (uint32_t)(32 * words - 1);
    return b->operations->fill(b, t->lists.extra, 0, words * sizeof(uint32_t));
}

/* ---- What a piece needs ------------------------------------------------------------------------------------------------------------------ */

struct batch fks_batch_slice(const struct fks_table *t, const struct batch *whole, uint64_t first, uint64_t n)
{
    struct batch part = batch_part(whole, first, n, t->shape.key_bytes, t->shape.value_bytes);
    part.counters = &t->words->counters;
    part.value_type = (uint8_t)t->value_type;
    part.saturate = t->saturate;
    return part;
}

static roost_status launch_estimate(struct engine_table *table, const struct batch *batch, const struct linear_counting *c)
{
    struct fks_table *t = (struct fks_table *)table;
    struct fks_args args;
    memset(&args, 0, sizeof args);
    args.view = t->view;
    args.batch = *batch;
    args.transfer.shape = t->shape;
    args.transfer.estimate = *c;
    return backend_launch(table->backend, t->estimate, &args, sizeof args, batch->n);
}

/* Is there surely room in place for so many more keys? */
static bool has_room(const struct fks_table *t, uint64_t n) { return t->ledger.stats.inserted + t->ledger.coming + n <= t->room; }

/* Will so many items be built into their buckets, all of which are read and written for it, those that are for keys to come, too? */
static bool builds(const struct fks_table *t, uint64_t n)
{
    const uint64_t count = fks_count(t), all = count + fks_spare_keys(t, count);
    return (double)n >= t->options.dense * (double)all && (n >= AT_ONCE || !has_room(t, n));
}

/* The parts with room for the items; where nothing is reserved for as many, those that are new keys are counted.  The buckets are for those that
 * there will surely be. */
static roost_status piece_plan(struct fks_table *t, const struct batch *batch, struct fks_plan *plan)
{
    const uint64_t count = fks_count(t);
    struct distinct_bounds distinct = {(double)batch->n, (double)batch->n};
    roost_status status = ROOST_OK;
    if (t->growth && count + batch->n > t->floor_keys && batch->n > LEAST) {
        const struct linear_counting c = {.key_bytes = t->shape.key_bytes, .seed = t->view.seeds.a[1]};
        distinct.least = 0;
        status = estimate_distinct(&t->ledger, batch, c, launch_estimate, &distinct);
    }
    const uint64_t least = (uint64_t)distinct.least, most = count + (uint64_t)distinct.most;
    if (most > t->grown_keys) t->grown_keys = 0; /* there will be room for them all, and no more */
    *plan = fks_plan_for(t, count + least, 0, false);
    if (most > plan->keys && t->growth) plan->keys = most;
    if (t->main) fks_plan_keep(t, plan);
    if (!t->growth) plan->buckets = t->parts[0].buckets;
    return status;
}

/* By how many bits a batch is partitioned: those of fks_digits, but no more than all parts' buckets have in common, now and as they shall be; and
 * where items are built in place (plan NULL), than make many regions without an item; but one part's, at least. */
static uint32_t digits_for(const struct fks_table *t, const struct fks_plan *plan, uint64_t n)
{
    uint32_t most = t->main ? fks_digits_most(t) : FKS_DIGITS_MOST, least = t->view.part_bits, bits;
    if (plan && fks_digits(plan->part_bits, plan->buckets) < most) most = fks_digits(plan->part_bits, plan->buckets);
    if (plan && plan->part_bits > least) least = plan->part_bits;
    for (bits = least; bits < most && (plan ? n >> bits > 0 : bits < FEW_BITS || n * SPREAD >> bits > 1);) bits++;
    return bits;
}

/* ---- The piece ----------------------------------------------------------------------------------------------------------------------------- */

/* How many of the piece's items have not been carried out: those that are not among what the statistics have grown by since. */
static uint64_t piece_waiting(const struct fks_table *t, const struct fks_piece *piece, uint64_t done_before)
{
    return piece->n - (t->ledger.stats.inserted + t->ledger.stats.updated - done_before);
}

/* Parts that had trouble, each anew and, beyond the reservation, with more room than now: it may have more keys than others. */
static roost_status parts_enlarge(struct fks_table *t, struct fks_piece *piece, uint64_t waiting)
{
    const uint64_t keys = fks_count(t) + waiting;
    const bool grows = t->growth && keys > t->floor_keys;
    roost_status failure = ROOST_OK;
    t->to_come = fks_spare_keys(t, keys);
    t->room = 0;
    for (uint32_t q = 0; q < fks_parts(t); q++) {
        const uint32_t trouble = t->spaces[q].trouble;
        struct fks_plan plan = fks_plan_part(t, q, t->growth ? keys : 0, t->parts[q].granules);
        if (!trouble) continue;
        plan.slack = grows ? 1.0 / FKS_ROOMY + fmax(0, plan.slack) : 0;
        if (trouble & FKS_NO_LAYOUT && t->growth) plan.buckets *= 2;
        const roost_status status = fks_rebuild_parts(t, &plan, q, 1, piece);
        if (status && !status_of_items(status)) return status;
        if (!failure) failure = status;
        t->ledger.stats.forced_grow_steps += !status;
    }
    return failure;
}

/* Waits for inserts in place, and takes in what they have counted. */
static roost_status inserts_take(struct fks_table *t)
{
    struct counters since;
    const roost_status status = ledger_read(&t->ledger, &since);
    if (status) return status;
    t->ledger.stats.inserted += since.inserted;
    t->ledger.stats.updated += since.updated;
    return ROOST_OK;
}

/* In place, with buckets as full as line_limit says. */
static roost_status piece_shift(struct fks_table *t, struct fks_piece *piece, uint32_t line_limit)
{
    struct fks_args args = piece->args;
    args.view = t->view;
    args.view.line_limit = line_limit;
    roost_status status = locks_clear(t, &args);
    if (!status) status = backend_launch(t->base.backend, t->shift, &args, sizeof args, args.batch.n);
    return status ? status : inserts_take(t);
}

/* Have more than a few parts no room?  Then the table grows as a whole: beside each other they are built in a fraction of the time. */
static bool many_troubled(const struct fks_table *t)
{
    uint32_t troubled = 0;
    for (uint32_t q = 0; q < fks_parts(t); q++) troubled += t->spaces[q].trouble != 0;
    return t->growth && troubled > fks_parts(t) / TROUBLED;
}

/* As a whole; where memory for that is refused, some parts may have grown, and for the others items wait as before. */
static roost_status piece_grow(struct fks_table *t, struct fks_piece *piece, uint64_t done_before)
{
    const struct error before = *t->base.error;
    roost_status status = fks_grow(t, piece_waiting(t, piece, done_before));
    t->ledger.stats.forced_grow_steps += !status;
    if (status_of_items(status)) {
        *t->base.error = before;
        status = ROOST_OK;
    }
    if (!status) status = piece_shift(t, piece, 0);
    return status || !piece_waiting(t, piece, done_before) ? status : fks_build_waiting(t, piece, true);
}

static roost_status piece_enlarge(struct fks_table *t, struct fks_piece *piece, uint64_t done_before)
{
    const bool as_a_whole = many_troubled(t) && fks_spare_keys(t, fks_count(t)) < piece_waiting(t, piece, done_before);
    const roost_status status = as_a_whole ? piece_grow(t, piece, done_before) : ROOST_OK;
    const uint64_t waiting = piece_waiting(t, piece, done_before);
    return status || !waiting ? status : parts_enlarge(t, piece, waiting);
}

/* What parts do not need, when buckets have been built down to what they need, becomes theirs who do. */
static roost_status parts_even_out(struct fks_table *t, struct fks_piece *piece, uint64_t done_before)
{
    const uint64_t waiting = piece_waiting(t, piece, done_before);
    roost_status status = t->growth && waiting ? fks_tighten(t) : ROOST_OK;
    if (!status && t->growth && waiting) status = parts_enlarge(t, piece, waiting);
    return status_of_items(status) ? ROOST_OK : status;
}

/* Where memory was refused: what buckets do not need becomes theirs who do, and if that is not enough, what parts do not need; and then buckets get
 * fuller than REG_LOAD. */
static roost_status piece_cram(struct fks_table *t, struct fks_piece *piece, uint64_t done_before)
{
    const struct error before = *t->base.error;
    const uint32_t load = t->view.line_load, dense = (uint32_t)(DENSE_LOAD * t->shape.slots * 65536);
    roost_status status = ROOST_OK;
    for (int round = 0; !status && round < ROUNDS && piece_waiting(t, piece, done_before); round++) {
        if (round == ROUNDS / 2) status = parts_even_out(t, piece, done_before);
        if (round == ROUNDS / 2 && load && load < dense && t->shape.slots > 1) t->view.line_load = dense;
        if (!status) status = fks_compact(t);
        if (!status) status = fks_build_waiting(t, piece, round % 2 == 1);
    }
    t->view.line_load = load;
    if (!status) status = piece_shift(t, piece, 0);
    t->room = 0; /* what was spare has been given to others */
    t->full = !t->growth && piece_waiting(t, piece, done_before);
    t->full_erased = t->ledger.stats.erased;
    t->ledger.refused = true;
    if (!status) *t->base.error = before;
    return status;
}

/* Is the table full, and has been compacted to no avail? */
static bool is_full(const struct fks_table *t) { return t->full && t->full_erased == t->ledger.stats.erased; }

/* In place, if that has not been tried; then the buckets that items wait for, and then the parts that had no room even for that. */
static roost_status piece_sparse(struct fks_table *t, struct fks_piece *piece, bool tried, uint64_t done_before)
{
    const uint32_t most = fks_digits_most(t);
    if (piece->args.work.digit_bits > most) piece->args.work.digit_bits = most; /* they were for parts that were refused memory */
    roost_status status = tried ? ROOST_OK : piece_shift(t, piece, t->view.line_limit);
    if (status || is_full(t)) return status;
    if (piece_waiting(t, piece, done_before)) status = fks_build_waiting(t, piece, true);
    if (!status && piece_waiting(t, piece, done_before)) status = piece_enlarge(t, piece, done_before);
    return status_of_items(status) ? piece_cram(t, piece, done_before) : status;
}

static roost_status piece_dense(struct fks_table *t, const struct fks_plan *plan, struct fks_piece *piece)
{
    const struct error before = *t->base.error;
    piece->args.work.fresh = 1;
    const roost_status status = fks_rebuild(t, plan, piece);
    piece->args.work.fresh = 0;
    if (!status_of_items(status)) return status;
    *t->base.error = before; /* what is left is tried in place */
    return ROOST_OK;
}

/* What kept some of the items out. */
static roost_status piece_failure(struct fks_table *t, uint64_t waiting)
{
    if (t->growth)
        return error_set(t->base.error, ROOST_ERR_MEMORY, "%" PRIu64 " items found no room, and memory for more was refused",
                         waiting);
    return error_set(t->base.error, ROOST_ERR_FULL, "%" PRIu64 " items found no room, and growth is off", waiting);
}

/* Builds from many items are few and take long: that they wait to be timed is nothing beside them. */
static roost_status lap(struct fks_table *t, uint64_t n, double *from, double *took)
{
    if (n < TIMED) return ROOST_OK;
    *took = 0; /* the last build's */
    return backend_lap(t->base.backend, from, took);
}

/* What all buckets are built anew from.  since: when that began. */
static roost_status piece_dense_timed(struct fks_table *t, const struct fks_plan *plan, struct fks_piece *piece, double since)
{
    struct engine_stats *stats = &t->ledger.stats;
    roost_status status = lap(t, piece->n, &since, &stats->partition_seconds);
    if (!status) status = piece_dense(t, plan, piece);
    return status ? status : lap(t, piece->n, &since, &stats->build_seconds);
}

static roost_status insert_columns(struct fks_table *t, const struct columns_memory *c, const struct batch *batch,
                                   const struct fks_plan *plan)
{
    const double since = backend_seconds();
    const uint64_t done_before = t->ledger.stats.inserted + t->ledger.stats.updated;
    struct fks_piece piece;
    memset(&piece, 0, sizeof piece);
    roost_status status = columns_fill(t, c, batch, &piece);
    if (!status && plan) status = piece_dense_timed(t, plan, &piece, since);
    if (!status && piece_waiting(t, &piece, done_before)) status = piece_sparse(t, &piece, c->tried, done_before);
    if (status && !status_of_items(status)) return status;
    const uint64_t waiting = piece_waiting(t, &piece, done_before);
    const roost_status failure = waiting ? piece_failure(t, waiting) : ROOST_OK;
    if (failure == ROOST_ERR_MEMORY) t->ledger.refused = true;
    status = columns_answer(t, c, batch, &piece, t->growth ? ROOST_ITEM_NO_MEMORY : ROOST_ITEM_FULL);
    return status ? status : failure;
}

/* Tests of a host's tables want to know from when to when each item was on its way: all the time.  (A GPU's hashes say it, in the items' order, in which
 * copies of a key are carried out there.) */
static void stamp_all(const struct columns_memory *c, const struct batch *batch, bool responded)
{
    for (uint64_t i = 0; i < batch->n; i++) {
        struct item_stamp *const stamp = &batch->stamps[c->order ? c->order[i] : i];
        if (responded) stamp->responded = stamp_now(batch);
        else if (!stamp->invoked) stamp->invoked = stamp_now(batch);
    }
}

static roost_status insert_piece(struct fks_table *t, const struct columns_memory *c, const struct batch *batch,
                                 const struct fks_plan *plan)
{
    struct batch unstamped = *batch;
    if (on_gpu(t) || !stamps_wanted(batch)) return insert_columns(t, c, batch, plan);
    unstamped.stamps = NULL; /* kernels of columns and regions would stamp others' */
    stamp_all(c, batch, false);
    const roost_status status = insert_columns(t, c, &unstamped, plan);
    stamp_all(c, batch, true);
    return status;
}

/* ---- In place ------------------------------------------------------------------------------------------------------------------------------ */

/* A pass of a batch that is inserted in place: what finds no room there goes to a list. */
static roost_status insert_pass(struct fks_table *t, const struct kernel *k, struct fks_args *args, int pass, struct source *source)
{
    lists_pass(&t->lists, &args->batch, source, &t->words->list_n[pass]);
    return backend_launch(t->base.backend, k, args, sizeof *args, source->n);
}

static roost_status insert_begin(struct fks_table *t, struct fks_args *args, const struct batch *piece)
{
    struct backend *b = t->base.backend;
    memset(args, 0, sizeof *args);
    args->view = t->view;
    args->batch = *piece;
    const roost_status status = locks_clear(t, args);
    return status ? status : b->operations->fill(b, t->words->list_n, 0, sizeof t->words->list_n);
}

/* Builds what found no room in place: the batch's items in `left`. */
static roost_status insert_left(struct fks_table *t, const struct batch *batch, const struct source *left)
{
    roost_status failure = ROOST_OK, status = ROOST_OK;
    for (uint64_t first = 0; !status && first < left->n;) {
        struct columns_memory c;
        struct batch some = *batch;
        memset(&c, 0, sizeof c);
        c.by_item = true;
        c.order = left->order + first;
        c.tried = first == 0;
        c.digit_bits = digits_for(t, NULL, left->n - first);
        status = columns_make(t, &c, left->n - first);
        if (status) return status;
        some.n = c.room;
        first += c.room;
        status = insert_piece(t, &c, &some, NULL);
        const roost_status released = columns_release(t, &c);
        if (status_of_items(status)) failure = status, status = ROOST_OK;
        if (!status) status = released;
    }
    return status ? status : failure;
}

/* In place, and then what found no room there. */
static roost_status insert_in_place(struct fks_table *t, const struct batch *piece)
{
    struct source items = {NULL, NULL, piece->n};
    struct fks_args args;
    roost_status status = insert_begin(t, &args, piece);
    args.batch.park_status = is_full(t) ? ROOST_ITEM_FULL : ROOST_ITEM_NONE; /* else it is not known yet what becomes of them */
    if (!status) status = insert_pass(t, t->write, &args, PASS_WRITE, &items);
    args.view.line_limit = 0; /* as long as moves find room, no bucket need be built */
    if (!status) status = insert_pass(t, t->shift, &args, PASS_SHIFT, &items);
    if (!status) status = inserts_take(t);
    if (status) return status;
    t->ledger.stats.parked += t->waiting[PASS_WRITE];
    items.n = t->waiting[PASS_SHIFT];
    if (!items.n) return ROOST_OK;
    return is_full(t) ? piece_failure(t, items.n) : insert_left(t, piece, &items);
}

/* ---- The batch ------------------------------------------------------------------------------------------------------------------------------- */

/* As many of the batch's first items as memory allows, built into their buckets.  *n: how many. */
static roost_status insert_built(struct fks_table *t, const struct batch *batch, uint64_t *n)
{
    const uint64_t piece = batch->n < PIECE ? batch->n : PIECE;
    const struct batch whole = fks_batch_slice(t, batch, 0, piece);
    struct columns_memory c;
    struct fks_plan plan;
    memset(&c, 0, sizeof c);
    c.by_item = batch->statuses != NULL;
    *n = batch->n;
    double since = backend_seconds();
    roost_status status = piece_plan(t, &whole, &plan);
    if (!status) status = lap(t, piece, &since, &t->ledger.stats.count_seconds);
    if (status) return status;
    c.digit_bits = digits_for(t, &plan, piece);
    status = columns_make(t, &c, piece);
    if (status) return status;
    *n = c.room;
    const struct batch part = fks_batch_slice(t, batch, 0, c.room);
    status = insert_piece(t, &c, &part, c.room == piece ? &plan : NULL);
    const roost_status released = columns_release(t, &c);
    return status ? status : released;
}

static roost_status insert_some(struct fks_table *t, const struct batch *batch, uint64_t *n)
{
    if (builds(t, batch->n < PIECE ? batch->n : PIECE)) return insert_built(t, batch, n);
    *n = lists_piece(&t->lists, batch->n);
    const struct batch piece = fks_batch_slice(t, batch, 0, *n);
    return insert_in_place(t, &piece);
}

static roost_status insert_waiting(struct fks_table *t, const struct batch *batch)
{
    roost_status failure = ROOST_OK, status = ledger_wait(&t->ledger);
    const bool behind = t->ledger.refused;
    t->ledger.refused = false;
    if (!status) status = fks_ready(t);
    for (uint64_t first = 0, n; !status && first < batch->n; first += n) {
        const struct batch rest = fks_batch_slice(t, batch, first, batch->n - first);
        const uint64_t slots = fks_slots(t);
        status = insert_some(t, &rest, &n);
        if (!status) status = fks_settle(t, false);
        t->ledger.stats.grow_steps += fks_slots(t) > slots;
        if (!status_of_items(status)) continue;
        if (!failure) failure = status;
        status = ROOST_OK;
    }
    if (behind && fks_would_shrink(t, fks_count(t))) t->ledger.refused = true;
    return status ? ledger_ended(&t->ledger, status) : failure;
}

/* May a batch be inserted without waiting?  All its items surely find room in place, should all be new keys and no erase that is under way
 * have happened. */
static bool insert_enqueues(struct fks_table *t, uint64_t n)
{
    if (!t->base.backend->enqueue || t->ledger.refused || t->ledger.broken) return false;
    if (t->ledger.captured) return false; /* graphs insert, too, at any time */
    return has_room(t, n) && !builds(t, n) && lists_piece(&t->lists, n) == n;
}

/* The last pass has no list: what finds no room in it has failed. */
static roost_status enqueue_piece(struct fks_table *t, const struct batch *piece)
{
    struct source items = {NULL, NULL, piece->n};
    struct fks_args args;
    roost_status status = insert_begin(t, &args, piece);
    args.view.line_limit = 0;
    args.batch.park_status = t->growth ? ROOST_ITEM_NO_MEMORY : ROOST_ITEM_FULL;
    if (!status) status = insert_pass(t, t->write, &args, PASS_WRITE, &items);
    args.batch = source_batch(&items, &args.batch);
    args.batch.leftover = NULL;
    return status ? status : backend_launch(t->base.backend, t->shift, &args, sizeof args, piece->n);
}

/* A graph uses the lists for ever, and none can be made while it is captured: hence pieces. */
static roost_status insert_enqueue(struct fks_table *t, const struct batch *batch)
{
    roost_status status = fks_ready(t);
    t->ledger.coming += batch->n;
    for (uint64_t first = 0, n; !status && first < batch->n; first += n) {
        n = batch->n - first < t->lists.room ? batch->n - first : t->lists.room;
        const struct batch piece = fks_batch_slice(t, batch, first, n);
        status = enqueue_piece(t, &piece);
    }
    if (t->base.backend->capturing) t->lists.fixed = true;
    return ledger_enqueued(&t->ledger, status);
}

roost_status fks_insert(struct engine_table *table, const struct batch *batch)
{
    struct fks_table *t = (struct fks_table *)table;
    const bool capturing = t->base.backend->capturing;
    if (capturing && t->growth) return policy_no_capture(t->base.error);
    ledger_catch_up(&t->ledger);
    return capturing || insert_enqueues(t, batch->n) ? insert_enqueue(t, batch) : insert_waiting(t, batch);
}
