/* Finds by region: a batch's keys are partitioned by where they lie in the table, looked up region by region, each of which stays in the cache
 * meanwhile (and its addresses' translations), and what was found is brought back by running the partition backwards.  For tables whose keys have
 * their homes in one region.  How long that takes, and how long the lookups, is in the statistics, so it waits. */
#include <string.h>

#include "batches/batches_work.h"
#include "engines/partition.h"
#include "engines/policy.h"

enum {
    PIECE = 1 << 28,
    LEAST = 1 << 16,
    PAYS_ITEMS = 1 << 22 /* from where on finds by region are faster than as they come (docs/fks.md), */
};
#define PAYS_BYTES ((uint64_t)64 << 30) /* in tables from this size on */

/* The memory of a piece: columns of its items, and what the partition works in. */
enum column { CODES, CODES_BACK, KEYS, VALUES, FOUND, PLACES, SCRATCH, COLUMNS };

struct bulk {
    struct engine_table *table;
    struct backend *b;
    struct batch batch; /* the piece's */
    void *memory, *at[COLUMNS];
    size_t bytes[COLUMNS], all;
    int bits;
};

static struct partition_pass pass_of(const struct bulk *w)
{
    const struct partition_pass pass = {
        w->at[CODES], w->batch.keys, w->at[CODES_BACK], w->at[KEYS],      1, w->batch.key_bytes, PARTITION_DIGIT - w->bits,
        w->bits,      w->batch.n,    w->at[SCRATCH],    w->bytes[SCRATCH]};
    return pass;
}

static roost_status columns_plan(struct bulk *w)
{
    const uint64_t n = w->batch.n;
    const struct partition_pass pass = pass_of(w);
    size_t replay = 0;
    roost_status status = partition_scratch(w->b, &pass, &w->bytes[SCRATCH]);
    if (!status) status = partition_replay_scratch(w->b, n, &replay);
    if (w->bytes[SCRATCH] < replay) w->bytes[SCRATCH] = replay;
    w->bytes[CODES] = w->bytes[CODES_BACK] = w->bytes[FOUND] = (size_t)n;
    w->bytes[KEYS] = (size_t)n * w->batch.key_bytes;
    w->bytes[VALUES] = w->batch.values_out ? (size_t)n * w->batch.value_bytes : 0;
    w->bytes[PLACES] = (size_t)partition_replay_words(n) * sizeof(uint32_t);
    w->all = backend_arrays_bytes(w->bytes, COLUMNS);
    return status;
}

static roost_status find_in_regions(struct bulk *w)
{
    struct batch b = w->batch;
    b.keys = w->at[KEYS];
    b.values_out = w->batch.values_out ? w->at[VALUES] : NULL;
    b.found = (uint8_t *)w->at[FOUND];
    b.absent_zero = 1;
    b.statuses = NULL;
    b.stamps = NULL;
    b.by_region = 1;
    return w->table->engine->find(w->table, &b);
}

static roost_status bring_back(struct bulk *w)
{
    struct partition_replay r;
    memset(&r, 0, sizeof r);
    r.codes = (const uint8_t *)w->at[CODES];
    r.n = w->batch.n;
    r.value_bytes = w->batch.value_bytes;
    r.values = w->at[VALUES];
    r.found = (const uint8_t *)w->at[FOUND];
    r.values_out = w->batch.values_out;
    r.found_out = w->batch.found;
    r.statuses_out = w->batch.statuses;
    r.absent_zero = w->batch.absent_zero;
    r.places = (uint32_t *)w->at[PLACES];
    return partition_replay_run(w->b, &r, w->at[SCRATCH], w->bytes[SCRATCH]);
}

static roost_status bulk_piece(struct bulk *w)
{
    backend_arrays_place(w->memory, w->bytes, COLUMNS, w->at);
    const struct partition_pass pass = pass_of(w);
    const struct partition_codes codes = {(uint8_t *)w->at[CODES], w->batch.n, (uint32_t)w->bits};
    roost_status status = backend_wait(w->b); /* for what was before */
    double since = backend_seconds();
    if (!status) status = w->table->engine->codes(w->table, &w->batch, &codes);
    if (!status) status = partition_run(w->b, &pass);
    if (!status) status = backend_lap(w->b, &since, &w->b->route_seconds);
    if (!status) status = find_in_regions(w);
    if (!status) status = backend_lap(w->b, &since, &w->b->routed_find_seconds);
    if (!status) status = bring_back(w);
    return status ? status : backend_lap(w->b, &since, &w->b->route_seconds);
}

/* Memory for as many of the items from `first` on as there is memory for; MEMORY: for fewer than are worth it. */
static roost_status bulk_open(struct bulk *w, const struct batch *whole, uint64_t first)
{
    const uint64_t left = whole->n - first;
    roost_status status = ROOST_ERR_MEMORY;
    for (uint64_t n = left < PIECE ? left : PIECE; status == ROOST_ERR_MEMORY && (n >= LEAST || n == left); n /= 2) {
        w->batch = batch_part(whole, first, n, whole->key_bytes, whole->value_bytes);
        status = columns_plan(w);
        if (!status) status = backend_allocate(w->b, w->all, &w->memory);
    }
    return status;
}

bool batches_may_bulk(const struct engine_table *table, uint64_t n)
{
    if (!table->engine->codes || table->bulk == BULK_OFF) return false;
    return table->bulk == BULK_ON || (table->backend->ordinal >= 0 && n >= PAYS_ITEMS);
}

/* 8 bits are one pass, which makes regions of a 256th of the table. */
static int bits_for(const struct engine_table *table)
{
    uint64_t bytes = 0;
    if (table->backend->capturing) return 0;
    const uint32_t bits = table->engine->code_bits(table, &bytes);
    if (table->bulk == BULK_AUTO && bytes < PAYS_BYTES) return 0;
    return (int)(bits < PARTITION_DIGIT ? bits : (uint32_t)PARTITION_DIGIT);
}

roost_status batches_bulk(struct engine_table *table, const struct batch *batch)
{
    const int bits = bits_for(table);
    roost_status status = ROOST_OK;
    if (!bits) return table->engine->find(table, batch);
    for (uint64_t first = 0; !status && first < batch->n;) {
        const struct error before = *table->error;
        struct bulk w;
        memset(&w, 0, sizeof w);
        w.table = table;
        w.b = table->backend;
        w.bits = bits;
        status = bulk_open(&w, batch, first);
        if (status == ROOST_ERR_MEMORY) { /* the rest goes as it comes */
            const struct batch rest = batch_part(batch, first, batch->n - first, batch->key_bytes, batch->value_bytes);
            *table->error = before;
            return table->engine->find(table, &rest);
        }
        if (!status) status = bulk_piece(&w);
        first += w.batch.n;
        if (w.memory) backend_release(w.b, w.memory, w.all);
    }
    return status;
}
