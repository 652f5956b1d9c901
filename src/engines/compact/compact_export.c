/* compact's pairs, exported and counted, and the ranks of keys. */
#include <string.h>

#include "engines/compact/compact_table.h"
#include "engines/engine.h"

/* ---- Contents -------------------------------------------------------------------------------- */

static uint64_t buckets_end(const struct engine_table *table, uint64_t *position)
{
    (void)position;
    return compact_of_const(table)->size.buckets;
}

static roost_status buckets_export(struct engine_table *table, uint64_t first, uint64_t n, void *keys, void *values)
{
    struct compact_args args;
    memset(&args, 0, sizeof args);
    args.transfer.first = first;
    args.transfer.keys = keys;
    args.transfer.values = values;
    args.transfer.pairs_n = &table_words(table)->pairs_n;
    return compact_launch_over(compact_of(table), table->kernel[COMPACT_export], &args, n);
}

roost_status compact_export(struct engine_table *table, roost_cursor *cursor, void *keys, void *values, size_t room, size_t *n)
{
    static const struct exporter exporter = {buckets_end, buckets_export};
    return export_units(table, &exporter, (uint64_t)table->shape.slots, cursor, keys, values, room, n);
}

roost_status compact_recount(struct engine_table *table)
{
    struct compact_table *t = compact_of(table);
    uint64_t count;
    roost_status status = pairs_clear(table);
    if (!status) status = buckets_export(table, 0, t->size.buckets, NULL, NULL);
    if (!status) status = pairs_read(table, &count);
    if (!status) t->count = count;
    return status;
}

/* ---- Ranks ----------------------------------------------------------------------------------- */

static roost_status ranks(struct engine_table *table, const struct batch *batch)
{
    struct compact_args args = compact_batch_args(compact_of(table), batch);
    args.batch.counters = NULL;
    return backend_launch(table->backend, table->kernel[COMPACT_rank], &args, sizeof args, batch->n);
}

const struct engine_ranking compact_ranking = {ranks};
