/* compact's pairs, exported and counted, and the ranks of keys. */
#include <string.h>

#include "engines/compact/compact_table.h"
#include "engines/engine.h"

/* ---- Contents -------------------------------------------------------------------------------- */

/* The buckets, and the entries of the stash. */
static uint64_t units_end(const struct engine_table *table, uint64_t *position)
{
    (void)position;
    return compact_of_const(table)->size.buckets + compact_of_const(table)->view.stash_entries;
}

static roost_status units_export(struct engine_table *table, uint64_t first, uint64_t n, void *keys, void *values)
{
    struct compact_args args;
    memset(&args, 0, sizeof args);
    args.transfer.keys = keys;
    args.transfer.values = values;
    args.transfer.pairs_n = &table_words(table)->pairs_n;
    return compact_launch_units(compact_of(table), &args, first, n);
}

roost_status compact_export(struct engine_table *table, roost_cursor *cursor, void *keys, void *values, size_t room, size_t *n)
{
    static const struct exporter exporter = {units_end, units_export};
    const roost_status status = compact_whole(compact_of(table));
    return status ? status : export_units(table, &exporter, (uint64_t)table->shape.slots, cursor, keys, values, room, n);
}

roost_status compact_placed(struct compact_table *t, uint64_t *n)
{
    uint64_t unused = 0;
    roost_status status = pairs_clear(&t->base);
    if (!status) status = units_export(&t->base, 0, units_end(&t->base, &unused), NULL, NULL);
    return status ? status : pairs_read(&t->base, n);
}

/* While pairs move within the table their number is known from before. */
roost_status compact_recount(struct engine_table *table)
{
    struct compact_table *t = compact_of(table);
    uint64_t count = t->move.count;
    const roost_status status = t->move.pairs_are_out ? ROOST_OK : compact_placed(t, &count);
    if (!status) t->count = count;
    return status;
}

/* ---- Ranks ----------------------------------------------------------------------------------- */

static roost_status ranks(struct engine_table *table, const struct batch *batch)
{
    struct compact_args args = compact_batch_args(compact_of(table), batch);
    args.batch.counters = NULL;
    args.transfer.columns.n = batch->n;
    args.batch.n = compact_columns_lanes(batch->n);
    return backend_launch(table->backend, table->kernel[COMPACT_columns], &args, sizeof args, args.batch.n);
}

static int bits_of(const struct engine_table *table) { return 8 * table->key_bytes; }

/* The end of as many buckets as are guaranteed to have no more pairs. */
static uint64_t reach(const struct engine_table *table, uint64_t low, uint64_t pairs)
{
    const struct compact_range *range = &compact_of_const(table)->view.range;
    const uint64_t end = compact_place_of(bits_of(table), range, low).bucket + pairs / (unsigned)table->shape.slots;
    return end < range->buckets ? compact_first_hash(bits_of(table), range, (uint32_t)end) - 1 : ~0ULL >> (64 - bits_of(table));
}

/* Strays are the pairs in second homes, which may be in any bucket, and those in the stash. */
static roost_status ranked_pairs(struct engine_table *table, const struct ranked_pairs *wanted, uint64_t *n)
{
    struct compact_table *t = compact_of(table);
    struct compact_args args;
    uint64_t unused = 0, first = 0, end = units_end(table, &unused);
    memset(&args, 0, sizeof args);
    args.transfer.keys = wanted->keys;
    args.transfer.values = wanted->values;
    args.transfer.pairs_n = &table_words(table)->pairs_n;
    args.transfer.wanted = wanted->strays ? COMPACT_IN_SECOND : COMPACT_IN_FIRST;
    args.transfer.low = wanted->low;
    args.transfer.high = wanted->high;
    if (!wanted->strays) {
        first = compact_place_of(bits_of(table), &t->view.range, wanted->low).bucket;
        end = compact_place_of(bits_of(table), &t->view.range, wanted->high).bucket + 1ULL;
    }
    roost_status status = compact_whole(t);
    if (!status) status = pairs_clear(table);
    if (!status) status = compact_launch_units(t, &args, first, end - first);
    return status ? status : pairs_read(table, n);
}

const struct engine_ranking compact_ranking = {ranks, reach, ranked_pairs};
