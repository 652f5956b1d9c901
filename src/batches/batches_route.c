/* Lookups brought into another order beforehand.  Routed to the parts of a table (GPH, section 5.1): sorted by part and gathered, looked up part after
 * part, and their results scattered back.  Or sifted: what the table cannot answer from what is near is sorted by where its pair would be, and looked
 * up in that order, which lies in the caller's arrays as it did.  How long that takes, and how long the lookups, is in the statistics, so it
 * waits. */
#include <string.h>

#include "batches/batches_work.h"

enum { ROUTED_PIECE = 1 << 25 /* items: each piece loads all parts anew */ };

static int bits_of(uint32_t numbers)
{
    int bits = 1;
    while (bits < 32 && numbers > 1u << bits) bits++;
    return bits;
}

/* Brings the items of a piece into the order of the parts. */
static roost_status route(struct batches_work *w)
{
    const uint64_t n = w->args.batch.n;
    roost_status status = w->table->engine->route(w->table, &w->args.batch, (uint32_t *)w->args.sorted, w->args.items);
    if (!status) status = batches_sort_items(w, 4, bits_of(w->args.bins));
    if (!status) status = batches_launch(w, BATCHES_bound, n);
    return status ? status : batches_launch(w, BATCHES_gather, n);
}

static roost_status find_in_parts(struct batches_work *w)
{
    const struct columns *c = &w->args.columns;
    struct batch b = w->args.batch;
    b.keys = c->keys;
    b.values_out = c->values_out;
    b.found = NULL;
    b.statuses = c->statuses;
    b.stamps = NULL; /* they are by the caller's order */
    return w->table->engine->find_parts(w->table, &b, w->args.words);
}

static roost_status routed_piece(struct batches_work *w)
{
    roost_status status = backend_wait(w->b); /* for what was before */
    double since = backend_seconds();
    if (!status) status = route(w);
    if (!status) status = backend_lap(w->b, &since, &w->b->route_seconds);
    if (!status) status = find_in_parts(w);
    if (!status) status = backend_lap(w->b, &since, &w->b->routed_find_seconds);
    if (!status) status = batches_launch(w, BATCHES_scatter, w->args.batch.n);
    return status ? status : backend_lap(w->b, &since, &w->b->route_seconds);
}

/* Memory that is refused is no failure: the finds go as they come. */
static roost_status run_if_memory(struct engine_table *table, const struct batch *batch, uint32_t bins, const int bytes[PARTS],
                                  batches_piece *piece)
{
    const struct error before = *table->error;
    const roost_status status = batches_run(table, batch, ROUTED_PIECE, bins, bytes, piece);
    if (status != ROOST_ERR_MEMORY) return status;
    *table->error = before;
    return engine_find(table, batch);
}

roost_status batches_routed(struct engine_table *table, const struct batch *batch)
{
    int bytes[PARTS] = {0};
    const uint32_t parts = table->engine->parts(table);
    if (parts < 2 || parts > ENGINE_MOST_PARTS || table->backend->capturing) return engine_find(table, batch);
    bytes[PART_SORT] = bytes[PART_SORT_ROOM] = bytes[PART_ITEMS] = bytes[PART_ITEMS_ROOM] = 4;
    bytes[PART_KEYS] = batch->key_bytes;
    bytes[PART_VALUES_OUT] = batch->values_out ? batch->value_bytes : 0;
    bytes[PART_STATUSES] = 1;
    return run_if_memory(table, batch, parts, bytes, routed_piece);
}

/* ---- By region ----------------------------------------------------------------------------------------------------------------------- */

/* Answers what can be answered from what is near; *left: the other items, which lie by region then. */
static roost_status sift(struct batches_work *w, uint64_t *left)
{
    uint32_t *const region = (uint32_t *)w->part[PART_SORT_ROOM]; /* free until they are sorted */
    struct batch b = w->args.batch;
    b.leftover = w->args.items;
    b.leftover_n = w->args.words;
    w->args.region = region;
    roost_status status = batches_clear_words(w);
    if (!status) status = w->table->engine->sift(w->table, &b, region, w->args.bins);
    if (!status) status = batches_read_words(w, left, 1);
    if (status || !*left) return status;
    w->args.batch.n = *left;
    status = batches_launch(w, BATCHES_region, *left);
    return status ? status : batches_sort_items(w, 4, bits_of(w->args.bins));
}

static roost_status sifted_piece(struct batches_work *w)
{
    uint64_t left = 0;
    roost_status status = backend_wait(w->b); /* for what was before */
    double since = backend_seconds();
    if (!status) status = sift(w, &left);
    if (!status) status = backend_lap(w->b, &since, &w->b->route_seconds);
    if (status || !left) return status;
    struct batch b = w->args.batch;
    b.order = w->args.items;
    status = engine_find(w->table, &b);
    return status ? status : backend_lap(w->b, &since, &w->b->routed_find_seconds);
}

roost_status batches_sifted(struct engine_table *table, const struct batch *batch)
{
    int bytes[PARTS] = {0};
    const uint32_t regions = table->engine->regions(table, batch->n);
    if (regions < 2 || table->backend->capturing) return engine_find(table, batch);
    bytes[PART_SORT] = bytes[PART_SORT_ROOM] = bytes[PART_ITEMS] = bytes[PART_ITEMS_ROOM] = 4;
    return run_if_memory(table, batch, regions, bytes, sifted_piece);
}
