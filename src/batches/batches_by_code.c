/* Batches in the order of the table's parts (struct batch_order): each key gets a code, the
 * items are partitioned or sorted by it, the engine's function runs on them, and the results are
 * brought back.  A part of the table that many consecutive items need stays in fast memory: a
 * cache, shared memory, or the reach of address translation.  The statistics tell how long the
 * order and the finds take, so each piece waits. */
#include <string.h>

#include "batches/batches_work.h"
#include "engines/partition.h"
#include "engines/policy.h"

enum {
    MOST_SORTED = 1 << 25,      /* items of a piece: each piece loads all parts again */
    MOST_PARTITIONED = 1 << 28, /* items of a piece */
    LEAST = 1 << 16,            /* items of a piece: a smaller one gains nothing by its order */
    /* Most items of a call for which an engine makes lists; bytes per item of these. */
    LISTED = 1 << 26,
    LIST_BYTES = 16,
    PAYS_ITEMS = 1 << 22 /* least keys of a call that bulk=auto orders (docs/fks.md) */
};

static bool is_partition(const struct batches_work *w) { return !w->order.near && !w->order.bounds; }

/* Does the engine get copies of the items' keys?  Else it gets the sorted list of the items. */
static bool is_copied(const struct batches_work *w) { return !w->order.near; }

/* Are there results to bring back?  Those of items that stay in their arrays are there already. */
static bool has_results(const struct batches_work *w) { return w->bytes[PART_STATUSES] > 0; }

/* Failures of items end a write with a status for each item. */
static bool is_of_items(const struct batches_work *w, roost_status status)
{
    return w->call != ENGINE_FIND && status_of_items(status);
}

static roost_status carry_out(const struct batches_work *w, const struct batch *batch)
{
    return engine_function_of(w->call)(w->table, batch);
}

/* ---- Memory of a piece ----------------------------------------------------------------------- */

static void arrays_plan(struct batches_work *w, const struct batch *batch)
{
    w->bytes[PART_SORT] = w->bytes[PART_SORT_ROOM] = is_partition(w) ? 1 : 4;
    w->bytes[PART_ITEMS] = w->bytes[PART_ITEMS_ROOM] = is_partition(w) ? 0 : 4;
    if (!is_copied(w)) return;
    w->bytes[PART_KEYS] = batch->key_bytes;
    w->bytes[PART_VALUES_IN] = batch->values_in ? batch->value_bytes : 0;
    w->bytes[PART_VALUES_OUT] = batch->values_out ? batch->value_bytes : 0;
    w->bytes[PART_STATUSES] = w->call == ENGINE_FIND || batch->statuses;
}

/* A column of the batch goes to `to`, in the order of the codes. */
static struct partition_pass pass_of(const struct batches_work *w, const void *column, enum batches_part to)
{
    const int bits = batches_bits_of(w->order.codes);
    const struct partition_pass pass = {
        w->part[PART_SORT], column,          w->part[PART_SORT_ROOM], w->part[to], 1, w->bytes[to], PARTITION_DIGIT - bits, bits,
        w->args.batch.n,    w->sort.scratch, w->sort.scratch_bytes};
    return pass;
}

static roost_status scratch_grow(struct batches_work *w, enum batches_part column)
{
    struct partition_pass pass = pass_of(w, NULL, column);
    size_t bytes = 0;
    pass.n = w->room;
    const roost_status status = partition_scratch(w->b, &pass, &bytes);
    if (w->sort.scratch_bytes < bytes) w->sort.scratch_bytes = bytes;
    return status;
}

/* Plans scratch memory for the passes of keys and values, and for the way back.  `beside` is the
 * memory of the lists that a write makes: without these it would process few items at a time. */
static roost_status plan_partition(struct batches_work *w)
{
    const uint64_t listed = w->room < LISTED ? w->room : LISTED;
    size_t replay = 0;
    w->sort.scratch_bytes = 0;
    w->words = has_results(w) ? (size_t)(partition_replay_words(w->room) + 1) / 2 : 0;
    w->beside = w->call == ENGINE_FIND ? 0 : listed * LIST_BYTES;
    roost_status status = scratch_grow(w, PART_KEYS);
    if (!status && w->bytes[PART_VALUES_IN]) status = scratch_grow(w, PART_VALUES_IN);
    if (!status && has_results(w)) status = partition_replay_scratch(w->b, w->room, &replay);
    if (w->sort.scratch_bytes < replay) w->sort.scratch_bytes = replay;
    return status;
}

/* ---- A piece into its order ------------------------------------------------------------------ */

static roost_status codes_make(struct batches_work *w)
{
    struct batch_codes codes;
    memset(&codes, 0, sizeof codes);
    codes.codes = w->order.codes;
    if (is_partition(w)) {
        codes.bytes.codes = (uint8_t *)w->part[PART_SORT];
        codes.bytes.n = w->args.batch.n;
        codes.bytes.bits = (uint32_t)batches_bits_of(w->order.codes);
    } else {
        /* Codes of parked items are gathered into PART_SORT.  PART_SORT_ROOM is free before the
         * sort. */
        const enum batches_part at = w->order.near ? PART_SORT_ROOM : PART_SORT;
        codes.code = (uint32_t *)w->part[at];
        codes.items = w->args.items;
        codes.items_n = w->args.words;
        w->args.code = codes.code;
    }
    const roost_status status = w->order.near ? batches_clear_words(w) : ROOST_OK;
    return status ? status : w->table->engine->codes(w->table, &w->args.batch, &codes);
}

/* The piece becomes the items that the pass over the codes has not answered. */
static roost_status rest_take(struct batches_work *w)
{
    const roost_status status = batches_read_words(w, &w->args.batch.n, 1);
    return status || !w->args.batch.n ? status : batches_launch(w, BATCHES_code, w->args.batch.n);
}

static roost_status sort_by_code(struct batches_work *w)
{
    roost_status status = w->order.near ? rest_take(w) : ROOST_OK;
    if (!status && w->args.batch.n) status = batches_sort_items(w, 4, batches_bits_of(w->order.codes));
    if (status || !is_copied(w)) return status;
    status = batches_launch(w, BATCHES_bound, w->args.batch.n);
    return status ? status : batches_launch(w, BATCHES_gather, w->args.batch.n);
}

static roost_status partition_by_code(struct batches_work *w)
{
    const struct partition_pass keys = pass_of(w, w->args.batch.keys, PART_KEYS),
                                values = pass_of(w, w->args.batch.values_in, PART_VALUES_IN);
    const roost_status status = partition_run(w->b, &keys);
    return status || !w->args.batch.values_in ? status : partition_run(w->b, &values);
}

/* A write that ends early for lack of memory does not write every item's status. */
static roost_status statuses_begin(struct batches_work *w)
{
    if (w->call == ENGINE_FIND || !has_results(w)) return ROOST_OK;
    return w->b->operations->fill(w->b, w->args.columns.statuses, ROOST_ITEM_NONE, w->args.batch.n);
}

static roost_status order_make(struct batches_work *w, double *since)
{
    roost_status status = backend_wait(w->b); /* for earlier work */
    *since = backend_seconds();
    if (!status) status = codes_make(w);
    if (!status) status = is_partition(w) ? partition_by_code(w) : sort_by_code(w);
    if (!status) status = statuses_begin(w);
    return status ? status : backend_lap(w->b, since, &w->b->route_seconds);
}

/* ---- A piece in its order, and back ---------------------------------------------------------- */

/* The items as the engine gets them. */
static struct batch batch_in_order(const struct batches_work *w)
{
    const struct columns *c = &w->args.columns;
    struct batch b = w->args.batch;
    b.by_region = 1;
    if (!is_copied(w)) {
        b.order = w->args.items;
        return b;
    }
    b.keys = c->keys;
    b.values_in = c->values_in;
    b.values_out = c->values_out;
    b.found = NULL;
    b.statuses = c->statuses;
    b.stamps = NULL; /* they are in the caller's order */
    b.bounds = w->order.bounds ? w->args.words : NULL;
    if (is_partition(w)) b.absent_zero = 1;
    return b;
}

/* Runs the partition backwards. */
static roost_status replay(struct batches_work *w)
{
    struct partition_replay r;
    memset(&r, 0, sizeof r);
    r.codes = (const uint8_t *)w->part[PART_SORT];
    r.n = w->args.batch.n;
    r.value_bytes = w->args.batch.value_bytes;
    r.values = w->args.columns.values_out;
    r.fates = w->args.columns.statuses;
    r.values_out = w->args.batch.values_out;
    r.found_out = w->args.batch.found;
    r.statuses_out = w->args.batch.statuses;
    r.absent_zero = w->args.batch.absent_zero;
    r.places = (uint32_t *)(void *)w->args.words;
    return partition_replay_run(w->b, &r, w->sort.scratch, w->sort.scratch_bytes);
}

static roost_status bring_back(struct batches_work *w, double *since)
{
    if (!has_results(w)) return ROOST_OK;
    const roost_status status = is_partition(w) ? replay(w) : batches_launch(w, BATCHES_scatter, w->args.batch.n);
    return status ? status : backend_lap(w->b, since, &w->b->route_seconds);
}

/* Where some items fail, the others still get their results. */
static roost_status by_code_piece(struct batches_work *w)
{
    const struct error_mark before = error_keep(w->table->error);
    const struct batch unordered = w->args.batch;
    double since, writing = 0, *const working = w->call == ENGINE_FIND ? &w->b->routed_find_seconds : &writing;
    roost_status status = order_make(w, &since);
    if (status == ROOST_ERR_MEMORY) { /* the table is unchanged */
        error_restore(&before);
        return carry_out(w, &unordered);
    }
    if (status || !w->args.batch.n) return status;
    const struct batch ordered = batch_in_order(w);
    const roost_status failure = carry_out(w, &ordered);
    if (failure && !is_of_items(w, failure)) return failure;
    status = backend_lap(w->b, &since, working);
    if (!status) status = bring_back(w, &since);
    return status ? status : failure;
}

/* ---- Which calls are ordered ----------------------------------------------------------------- */

/* Depends on nothing that writes change. */
static bool may_order(const struct engine_table *table, enum engine_call call, uint64_t n)
{
    if (call == ENGINE_FIND && table->orders_finds) return true;
    if (!table->engine->bulk || table->bulk == BULK_OFF) return false;
    return table->bulk == BULK_ON || (table->backend->ordinal >= 0 && n >= PAYS_ITEMS);
}

/* Gets the order for n items, perhaps a staged piece of the call.  False: they go unordered. */
static bool order_wanted(const struct engine_table *table, enum engine_call call, uint64_t n, struct batch_order *order)
{
    if (table->backend->capturing || !may_order(table, call, n)) return false;
    *order = table->engine->order(table, call, n);
    return order->codes > 1 && (order->pays || table->bulk != BULK_AUTO);
}

static roost_status by_code(struct engine_table *table, enum engine_call call, const struct batch *batch)
{
    const struct error_mark before = error_keep(table->error);
    struct batches_work w;
    memset(&w, 0, sizeof w);
    w.table = table;
    w.b = table->backend;
    w.call = call;
    w.spare_memory = table->spare;
    w.spare_bytes = table->spare_bytes;
    if (batch->order_n || !order_wanted(table, call, batch->n, &w.order)) return carry_out(&w, batch);
    w.b->enqueue = false;
    w.least = LEAST;
    w.most = is_partition(&w) ? MOST_PARTITIONED : MOST_SORTED;
    w.args.bins = w.order.codes;
    arrays_plan(&w, batch);
    roost_status status = batches_open(&w, batch->n, is_partition(&w) ? plan_partition : batches_plan_sort);
    if (!status || status == ROOST_ERR_MEMORY) error_restore(&before);
    if (!status) status = batches_pieces(&w, batch, by_code_piece);
    else if (status == ROOST_ERR_MEMORY) status = carry_out(&w, batch);
    batches_close(&w);
    return status;
}

static roost_status find_by_code(struct engine_table *table, const struct batch *batch)
{
    return by_code(table, ENGINE_FIND, batch);
}

static roost_status insert_by_code(struct engine_table *table, const struct batch *batch)
{
    return by_code(table, ENGINE_INSERT, batch);
}

static roost_status erase_by_code(struct engine_table *table, const struct batch *batch)
{
    return by_code(table, ENGINE_ERASE, batch);
}

struct batches_way batches_way_of(const struct engine_table *table, enum engine_call call, uint64_t n)
{
    static batch_function *const ordered[] = {
        [ENGINE_FIND] = find_by_code, [ENGINE_INSERT] = insert_by_code, [ENGINE_ERASE] = erase_by_code};
    struct batches_way way = {engine_function_of(call), 0};
    if (!may_order(table, call, n)) return way;
    way.run = ordered[call];
    way.work_bytes = call == ENGINE_FIND ? BATCHES_BYTES : 0;
    return way;
}
