/* Batches by region: the items are partitioned by where their keys lie in the table, worked on region by region, each of which stays in the cache
 * meanwhile (and its addresses' translations), and what became of them is brought back by running the partition backwards.  For tables whose keys
 * have their homes in one region.  How long that takes, and how long the lookups, is in the statistics, so it waits. */
#include <string.h>

#include "batches/batches_work.h"
#include "engines/partition.h"
#include "engines/policy.h"

enum {
    PIECE = 1 << 28,
    LEAST = 1 << 16,
    LISTED = 1 << 26,    /* items of a call, at most, for which an engine makes lists, */
    LIST_BYTES = 16,     /* of so many bytes each */
    PAYS_ITEMS = 1 << 22 /* from where on batches by region may be faster than as they come (docs/fks.md) */
};

/* The memory of a piece: columns of its items, and what the partition works in. */
enum column { CODES, CODES_BACK, KEYS, VALUES, FATES, PLACES, SCRATCH, COLUMNS };

struct bulk {
    struct engine_table *table;
    struct backend *b;
    enum engine_call call;
    struct batch batch; /* the piece's */
    void *memory, *at[COLUMNS];
    size_t bytes[COLUMNS], all;
    int bits;
};

static bool has_values(const struct bulk *w) { return w->call == ENGINE_INSERT ? w->batch.values_in : w->batch.values_out; }

/* Does somebody want to know what became of the items? */
static bool has_answers(const struct bulk *w) { return w->call == ENGINE_FIND || w->batch.statuses; }

/* A column of the batch's goes where the codes do. */
static struct partition_pass pass_of(const struct bulk *w, const void *column, int bytes, enum column to)
{
    const struct partition_pass pass = {
        w->at[CODES], column,     w->at[CODES_BACK], w->at[to],        1, bytes, PARTITION_DIGIT - w->bits,
        w->bits,      w->batch.n, w->at[SCRATCH],    w->bytes[SCRATCH]};
    return pass;
}

/* What the passes of keys and values need to work in, and their way back. */
static roost_status scratch_plan(struct bulk *w)
{
    const struct partition_pass keys = pass_of(w, w->batch.keys, w->batch.key_bytes, KEYS),
                                values = pass_of(w, w->batch.values_in, w->batch.value_bytes, VALUES);
    size_t replay = 0, of_values = 0;
    roost_status status = partition_scratch(w->b, &keys, &w->bytes[SCRATCH]);
    if (!status && w->batch.values_in) status = partition_scratch(w->b, &values, &of_values);
    if (!status && has_answers(w)) status = partition_replay_scratch(w->b, w->batch.n, &replay);
    if (w->bytes[SCRATCH] < of_values) w->bytes[SCRATCH] = of_values;
    if (w->bytes[SCRATCH] < replay) w->bytes[SCRATCH] = replay;
    return status;
}

static roost_status columns_plan(struct bulk *w)
{
    const uint64_t n = w->batch.n;
    w->bytes[CODES] = w->bytes[CODES_BACK] = (size_t)n;
    w->bytes[KEYS] = (size_t)n * w->batch.key_bytes;
    w->bytes[VALUES] = has_values(w) ? (size_t)n * w->batch.value_bytes : 0;
    w->bytes[FATES] = has_answers(w) ? (size_t)n : 0;
    w->bytes[PLACES] = has_answers(w) ? (size_t)partition_replay_words(n) * sizeof(uint32_t) : 0;
    const roost_status status = scratch_plan(w);
    w->all = backend_arrays_bytes(w->bytes, COLUMNS);
    return status;
}

/* The items' keys by region, and the values that inserts store. */
static roost_status route(struct bulk *w)
{
    const struct partition_codes codes = {(uint8_t *)w->at[CODES], w->batch.n, (uint32_t)w->bits};
    const struct partition_pass keys = pass_of(w, w->batch.keys, w->batch.key_bytes, KEYS),
                                values = pass_of(w, w->batch.values_in, w->batch.value_bytes, VALUES);
    roost_status status = w->table->engine->codes(w->table, &w->batch, &codes);
    if (!status) status = partition_run(w->b, &keys);
    return status || !w->batch.values_in ? status : partition_run(w->b, &values);
}

static roost_status carry_out(struct engine_table *table, enum engine_call call, const struct batch *batch)
{
    return engine_function_of(call)(table, batch);
}

/* What ends early, for lack of memory, has not said of each item what became of it. */
static roost_status fates_begin(struct bulk *w)
{
    if (w->call == ENGINE_FIND || !has_answers(w)) return ROOST_OK;
    return w->b->operations->fill(w->b, w->at[FATES], ROOST_ITEM_NO_MEMORY, w->batch.n);
}

static roost_status work_in_regions(struct bulk *w)
{
    struct batch b = w->batch;
    b.keys = w->at[KEYS];
    b.values_in = b.values_in ? w->at[VALUES] : NULL;
    b.values_out = b.values_out ? w->at[VALUES] : NULL;
    b.found = NULL;
    b.statuses = has_answers(w) ? (uint8_t *)w->at[FATES] : NULL;
    b.absent_zero = 1;
    b.stamps = NULL; /* they are by the caller's order */
    b.by_region = 1;
    return carry_out(w->table, w->call, &b);
}

static roost_status bring_back(struct bulk *w)
{
    struct partition_replay r;
    memset(&r, 0, sizeof r);
    r.codes = (const uint8_t *)w->at[CODES];
    r.n = w->batch.n;
    r.value_bytes = w->batch.value_bytes;
    r.values = w->at[VALUES];
    r.fates = (const uint8_t *)w->at[FATES];
    r.values_out = w->batch.values_out;
    r.found_out = w->batch.found;
    r.statuses_out = w->batch.statuses;
    r.absent_zero = w->batch.absent_zero;
    r.places = (uint32_t *)w->at[PLACES];
    return partition_replay_run(w->b, &r, w->at[SCRATCH], w->bytes[SCRATCH]);
}

/* A failure of writes that is one of items, which says what became of each. */
static bool is_of_items(const struct bulk *w, roost_status status) { return w->call != ENGINE_FIND && status_of_items(status); }

static roost_status bulk_route(struct bulk *w, double *since)
{
    roost_status status = backend_wait(w->b); /* for what was before */
    *since = backend_seconds();
    if (!status) status = route(w);
    if (!status) status = fates_begin(w);
    return status ? status : backend_lap(w->b, since, &w->b->route_seconds);
}

/* What failed some of the items does not keep the others' answers from them. */
static roost_status bulk_piece(struct bulk *w)
{
    const struct error before = *w->table->error;
    double since, writing = 0, *const working = w->call == ENGINE_FIND ? &w->b->routed_find_seconds : &writing;
    backend_arrays_place(w->memory, w->bytes, COLUMNS, w->at);
    roost_status status = bulk_route(w, &since);
    if (status == ROOST_ERR_MEMORY) { /* nothing has been done yet */
        *w->table->error = before;
        return carry_out(w->table, w->call, &w->batch);
    }
    const roost_status failure = status ? status : work_in_regions(w);
    if (failure && !is_of_items(w, failure)) return failure;
    status = backend_lap(w->b, &since, working);
    if (!status && has_answers(w)) status = bring_back(w);
    if (!status) status = backend_lap(w->b, &since, &w->b->route_seconds);
    return status ? status : failure;
}

/* The columns of a piece, and beside them, for a moment, what a write will ask for: without its lists it would go by few items at a time. */
static roost_status bulk_allocate(struct bulk *w)
{
    const uint64_t listed = w->batch.n < LISTED ? w->batch.n : LISTED;
    return backend_allocate_beside(w->b, w->all, w->call == ENGINE_FIND ? 0 : listed * LIST_BYTES, &w->memory);
}

/* Memory for as many of the items from `first` on as there is memory for; MEMORY: for fewer than are worth it.  The error stays what it was. */
static roost_status bulk_open(struct bulk *w, const struct batch *whole, uint64_t first)
{
    const struct error before = *w->table->error;
    const uint64_t left = whole->n - first;
    roost_status status = ROOST_ERR_MEMORY;
    for (uint64_t n = left < PIECE ? left : PIECE; status == ROOST_ERR_MEMORY && (n >= LEAST || n == left); n /= 2) {
        w->batch = batch_part(whole, first, n, whole->key_bytes, whole->value_bytes);
        status = columns_plan(w);
        if (!status) status = bulk_allocate(w);
    }
    if (!status || status == ROOST_ERR_MEMORY) *w->table->error = before;
    return status;
}

bool batches_may_bulk(const struct engine_table *table, enum engine_call call, uint64_t n)
{
    if (!(table->engine->by_region & 1 << call) || table->bulk == BULK_OFF) return false;
    return table->bulk == BULK_ON || (table->backend->ordinal >= 0 && n >= PAYS_ITEMS);
}

/* 8 bits are one pass, which makes regions of a 256th of the table. */
static int bits_for(const struct engine_table *table, enum engine_call call, uint64_t n)
{
    bool pays = false;
    if (table->backend->capturing || !batches_may_bulk(table, call, n))
        return 0; /* n: of a piece, which may be fewer than the call has */
    const uint32_t bits = table->engine->code_bits(table, call, n, &pays);
    if (table->bulk == BULK_AUTO && !pays) return 0;
    return (int)(bits < PARTITION_DIGIT ? bits : (uint32_t)PARTITION_DIGIT);
}

static roost_status bulk_run(struct engine_table *table, enum engine_call call, const struct batch *batch)
{
    const int bits = bits_for(table, call, batch->n);
    roost_status failure = ROOST_OK;
    if (!bits) return carry_out(table, call, batch);
    table->backend->enqueue = false;
    for (uint64_t first = 0; first < batch->n;) {
        struct bulk w;
        memset(&w, 0, sizeof w);
        w.table = table;
        w.b = table->backend;
        w.call = call;
        w.bits = bits;
        roost_status status = bulk_open(&w, batch, first);
        if (status == ROOST_ERR_MEMORY) { /* the rest goes as it comes */
            w.batch = batch_part(batch, first, batch->n - first, batch->key_bytes, batch->value_bytes);
            status = carry_out(table, call, &w.batch);
        } else if (!status) status = bulk_piece(&w);
        first += w.batch.n;
        if (w.memory) backend_release(w.b, w.memory, w.all);
        if (status && !is_of_items(&w, status)) return status;
        if (!failure) failure = status;
    }
    return failure;
}

roost_status batches_bulk_find(struct engine_table *table, const struct batch *batch)
{
    return bulk_run(table, ENGINE_FIND, batch);
}

roost_status batches_bulk_insert(struct engine_table *table, const struct batch *batch)
{
    return bulk_run(table, ENGINE_INSERT, batch);
}

roost_status batches_bulk_erase(struct engine_table *table, const struct batch *batch)
{
    return bulk_run(table, ENGINE_ERASE, batch);
}
