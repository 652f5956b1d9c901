/* FKS's inserts on the policy's side: a piece of a batch is partitioned by region, and its items are written in place or built into their
 * buckets. */
#include <inttypes.h>
#include <string.h>

#include "engines/estimate.h"
#include "engines/fks/fks_table.h"
#include "engines/partition.h"

enum {
    PIECE = 1 << 30, /* items of a piece, at most, */
    FEW = 1024,      /* for which every table has memory, whatever else is refused, */
    FEW_BITS = 8,    /* if they are partitioned by so many bits; at least as many as say a part */
    TIMED = 1 << 20, /* items of builds whose parts are timed */
    ROUNDS = 4,      /* of compaction */
    LEAST = 64,      /* whose distinct keys are worth counting */
    REGION_ITEMS = 4 /* items of a region, on average, of a small batch */
};

/* ---- Columns ----------------------------------------------------------------------------------------------------------------------------- */

/* The memory of a piece: columns of its items, which a partition brings from one to the other. */
enum column { HASHES, HASHES_BACK, PAYLOAD, PAYLOAD_BACK, VALUES, FATES, BOUNDS, WAITING, LISTED, SCRATCH, COLUMNS };

struct columns_memory {
    void *memory, *at[COLUMNS];
    size_t bytes[COLUMNS], all;
    uint64_t room; /* items */
    uint32_t digit_bits;
    bool kept;    /* it is the table's own, for few items */
    bool by_item; /* the payload is the item's number, not its value: somebody wants to know what became of it */
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

static roost_status columns_plan(struct fks_table *t, struct columns_memory *c, uint64_t n)
{
    const size_t key = (size_t)t->shape.key_bytes, payload = (size_t)payload_bytes(t, c), value = (size_t)t->shape.value_bytes;
    const struct partition_pass pass = pass_of(t, c, n);
    const uint64_t regions = (uint64_t)1 << c->digit_bits;
    size_t scratch = 0;
    const roost_status status = partition_scratch(t->base.backend, &pass, &scratch);
    if (status) return status;
    c->room = n;
    c->bytes[HASHES] = c->bytes[HASHES_BACK] = (size_t)n * key;
    c->bytes[PAYLOAD] = c->bytes[PAYLOAD_BACK] = (size_t)n * payload;
    c->bytes[VALUES] = c->by_item ? (size_t)n * value : 0;
    c->bytes[FATES] = (size_t)n;
    c->bytes[BOUNDS] = (size_t)(regions + 1) * sizeof(uint64_t);
    c->bytes[WAITING] = c->bytes[LISTED] = (size_t)regions * sizeof(uint32_t);
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

/* The items of a batch by region. */
static roost_status columns_fill(struct fks_table *t, const struct columns_memory *c, const struct batch *batch,
                                 struct fks_piece *piece)
{
    struct backend *b = t->base.backend;
    struct fks_columns columns = {c->at[HASHES], c->by_item ? (uint32_t *)c->at[PAYLOAD] : NULL,
                                  c->at[VALUES], (uint64_t *)c->at[BOUNDS],
                                  c->digit_bits, batch->n};
    void *hashes, *sorted;
    roost_status status = columns_launch(t, t->hashes, batch, &columns);
    if (!status) status = columns_sort(t, c, c->by_item ? c->at[PAYLOAD] : batch->values_in, batch->n, &hashes, &sorted);
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
    piece->args.work.waiting = (uint32_t *)c->at[WAITING];
    piece->args.work.listed = (uint32_t *)c->at[LISTED];
    piece->args.work.waiting_n = &t->words->waiting_n;
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
    if (!c->by_item) return ROOST_OK;
    answers.park_status = park_status;
    columns.values = c->at[FATES];
    return columns_launch(t, t->fates, &answers, &columns);
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

/* Will so many items be built into their buckets, all of which are read and written for it? */
static bool builds(const struct fks_table *t, uint64_t n) { return (double)n >= t->options.dense * (double)fks_count(t); }

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
    *plan = fks_plan_for(t, count + least, 0, false);
    if (most > plan->keys && t->growth) plan->keys = most;
    if (t->main && plan->part_bits < t->view.part_bits) plan->part_bits = t->view.part_bits;
    for (uint32_t q = 0; q < fks_parts(t) && plan->part_bits == t->view.part_bits; q++) /* inserts take none away */
        if (t->main && plan->buckets < t->parts[q].buckets) plan->buckets = t->parts[q].buckets;
    if (!t->growth) plan->buckets = t->parts[0].buckets;
    return status;
}

/* By how many bits a batch is partitioned: those of fks_digits, but no more than all parts' buckets have in common, now and as they shall be, and than make
 * regions of a few items; but one part's, at least. */
static uint32_t digits_for(const struct fks_table *t, const struct fks_plan *plan, uint64_t n)
{
    uint32_t most = t->main ? fks_digits_most(t) : FKS_DIGITS_MOST, least = t->view.part_bits, bits;
    if (plan && fks_digits(plan->part_bits, plan->buckets) < most) most = fks_digits(plan->part_bits, plan->buckets);
    if (plan && plan->part_bits > least) least = plan->part_bits;
    for (bits = least; bits < most && n >> bits >= REGION_ITEMS;) bits++;
    return bits;
}

/* ---- The piece ----------------------------------------------------------------------------------------------------------------------------- */

/* How many of the piece's items have not been carried out: those that are not among what the statistics have grown by since. */
static uint64_t piece_waiting(const struct fks_table *t, const struct fks_piece *piece, uint64_t done_before)
{
    return piece->n - (t->ledger.stats.inserted + t->ledger.stats.updated - done_before);
}

/* In place, region by region. */
static roost_status piece_write(struct fks_table *t, struct fks_piece *piece)
{
    struct counters since;
    const uint32_t most = fks_digits_most(t);
    if (piece->args.work.digit_bits > most) piece->args.work.digit_bits = most; /* they were for parts that were refused memory */
    struct fks_args args = piece->args;
    args.view = t->view;
    args.work.region_count = 1u << args.work.digit_bits;
    args.batch.n = (uint64_t)args.work.region_count * FKS_SHARES;
    struct backend *b = t->base.backend;
    roost_status status = b->operations->fill(b, args.work.waiting_n, 0, sizeof *args.work.waiting_n);
    if (!status) status = b->operations->fill(b, args.work.listed, 0, args.work.region_count * sizeof *args.work.listed);
    if (!status) status = backend_launch(t->base.backend, t->write, &args, sizeof args, args.batch.n);
    if (!status) status = ledger_read(&t->ledger, &since);
    if (status) return status;
    t->ledger.stats.inserted += since.inserted;
    t->ledger.stats.updated += since.updated;
    return ROOST_OK;
}

/* Parts that had trouble, each anew and with more room. */
static roost_status piece_enlarge(struct fks_table *t, struct fks_piece *piece)
{
    roost_status failure = ROOST_OK;
    for (uint32_t q = 0; q < fks_parts(t); q++) {
        const uint32_t trouble = t->spaces[q].trouble;
        const uint64_t keys = fks_count(t) + piece->n;
        struct fks_plan plan = fks_plan_for(t, t->growth ? keys : 0, t->growth && keys > t->floor_keys ? 0.125 : 0, false);
        if (!trouble) continue;
        plan.part_bits = t->view.part_bits;
        plan.buckets = t->parts[q].buckets;
        if (trouble & FKS_NO_LAYOUT && t->growth) plan.buckets *= 2;
        const roost_status status = fks_rebuild_parts(t, &plan, q, 1, piece);
        if (status && !status_of_items(status)) return status;
        if (!failure) failure = status;
        t->ledger.stats.forced_grow_steps += !status;
    }
    return failure;
}

/* In place, with buckets as full as they get. */
static roost_status piece_write_full(struct fks_table *t, struct fks_piece *piece)
{
    const uint32_t limit = t->view.line_limit;
    t->view.line_limit = 0;
    const roost_status status = piece_write(t, piece);
    t->view.line_limit = limit;
    return status;
}

/* Where memory was refused: what buckets do not need becomes theirs who do, and buckets get fuller than the bound. */
static roost_status piece_cram(struct fks_table *t, struct fks_piece *piece, uint64_t done_before)
{
    const struct error before = *t->base.error;
    roost_status status = ROOST_OK;
    for (int round = 0; !status && round < ROUNDS && piece_waiting(t, piece, done_before); round++) {
        status = fks_compact(t);
        if (!status) status = fks_build_waiting(t, piece, round % 2 == 1);
    }
    if (!status) status = piece_write_full(t, piece);
    t->full = !t->growth && piece_waiting(t, piece, done_before);
    t->full_erased = t->ledger.stats.erased;
    t->ledger.refused = true;
    if (!status) *t->base.error = before;
    return status;
}

/* In place; then the buckets that items wait for, and then the parts that had no room even for that. */
static roost_status piece_sparse(struct fks_table *t, struct fks_piece *piece, uint64_t done_before)
{
    const bool full = t->full && t->full_erased == t->ledger.stats.erased; /* then parts have been compacted, to no avail */
    roost_status status = full ? piece_write_full(t, piece) : piece_write(t, piece);
    t->ledger.stats.parked += piece_waiting(t, piece, done_before);
    if (!status && piece_waiting(t, piece, done_before)) status = fks_build_waiting(t, piece, true);
    if (full || status) return status;
    if (piece_waiting(t, piece, done_before)) status = piece_enlarge(t, piece);
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
    roost_stats *stats = &t->ledger.stats;
    roost_status status = lap(t, piece->n, &since, &stats->partition_seconds);
    if (!status) status = piece_dense(t, plan, piece);
    return status ? status : lap(t, piece->n, &since, &stats->build_seconds);
}

static roost_status insert_piece(struct fks_table *t, const struct columns_memory *c, const struct batch *batch,
                                 const struct fks_plan *plan)
{
    const double since = backend_seconds();
    const uint64_t done_before = t->ledger.stats.inserted + t->ledger.stats.updated;
    struct fks_piece piece;
    memset(&piece, 0, sizeof piece);
    roost_status status = columns_fill(t, c, batch, &piece);
    if (!status && plan) status = piece_dense_timed(t, plan, &piece, since);
    if (!status && piece_waiting(t, &piece, done_before)) status = piece_sparse(t, &piece, done_before);
    if (status && !status_of_items(status)) return status;
    const uint64_t waiting = piece_waiting(t, &piece, done_before);
    const roost_status failure = waiting ? piece_failure(t, waiting) : ROOST_OK;
    if (failure == ROOST_ERR_MEMORY) t->ledger.refused = true;
    status = columns_answer(t, c, batch, &piece, t->growth ? ROOST_ITEM_NO_MEMORY : ROOST_ITEM_FULL);
    return status ? status : failure;
}

/* ---- The batch ------------------------------------------------------------------------------------------------------------------------------- */

/* As many of the batch's first items as memory allows.  *n: how many. */
static roost_status insert_some(struct fks_table *t, const struct batch *batch, uint64_t *n)
{
    const uint64_t piece = batch->n < PIECE ? batch->n : PIECE;
    const struct batch whole = fks_batch_slice(t, batch, 0, piece);
    struct columns_memory c;
    struct fks_plan plan;
    const bool dense = builds(t, piece);
    memset(&c, 0, sizeof c);
    c.by_item = batch->statuses != NULL;
    *n = batch->n;
    double since = backend_seconds();
    roost_status status = dense ? piece_plan(t, &whole, &plan) : ROOST_OK;
    if (dense && !status) status = lap(t, piece, &since, &t->ledger.stats.count_seconds);
    if (status) return status;
    c.digit_bits = digits_for(t, dense ? &plan : NULL, piece);
    status = columns_make(t, &c, piece);
    if (status) return status;
    *n = c.room;
    const struct batch part = fks_batch_slice(t, batch, 0, c.room);
    status = insert_piece(t, &c, &part, dense && c.room == piece ? &plan : NULL);
    const roost_status waited = backend_wait(t->base.backend);
    if (!c.kept) backend_release(t->base.backend, c.memory, c.all);
    return waited ? waited : status;
}

roost_status fks_insert(struct engine_table *table, const struct batch *batch)
{
    struct fks_table *t = (struct fks_table *)table;
    roost_status failure = ROOST_OK;
    if (t->base.backend->capturing)
        return error_set(t->base.error, ROOST_ERR_UNSUPPORTED, "fks: inserts are partitioned, and cannot be captured into a graph");
    ledger_catch_up(&t->ledger);
    roost_status status = ledger_wait(&t->ledger);
    const bool behind = t->ledger.refused;
    t->ledger.refused = false;
    if (!status) status = fks_ready(t);
    for (uint64_t first = 0, n; !status && first < batch->n; first += n) {
        const struct batch rest = fks_batch_slice(t, batch, first, batch->n - first);
        const uint64_t slots = fks_slots(t);
        status = insert_some(t, &rest, &n);
        t->ledger.stats.grow_steps += fks_slots(t) > slots;
        if (!status) status = fks_settle(t, false);
        if (!status_of_items(status)) continue;
        if (!failure) failure = status;
        status = ROOST_OK;
    }
    if (behind && fks_would_shrink(t, fks_count(t))) t->ledger.refused = true;
    return status ? ledger_ended(&t->ledger, status) : failure;
}
