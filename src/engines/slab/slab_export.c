/* Export of a slab table's pairs, one cursor step at a time, and its statistics. */
#include <string.h>

#include "engines/contents.h"
#include "engines/slab/slab_table.h"

/* Positions count the base slabs, then the allocator's blocks.  Moves *position over units that a
 * super block's last block lacks. */
static uint64_t slabs_end(const struct engine_table *table, uint64_t *position)
{
    const struct slab_table *t = slab_of_const(table);
    const struct slab_pool *pool = &t->pool.pool;
    uint64_t first = (uint64_t)t->view.buckets + 1;
    if (*position < first) return first;
    for (uint32_t i = 0; i < pool->supers; i++) {
        const uint64_t all = (uint64_t)(pool->first_block[i + 1] - pool->first_block[i]) * SLAB_BLOCK_UNITS;
        if (*position < first + t->pool.super_units[i]) return first + t->pool.super_units[i];
        if (*position < first + all) *position = first + all;
        first += all;
    }
    return first;
}

static roost_status slabs_export(struct engine_table *table, uint64_t first, uint64_t n, void *keys, void *values)
{
    struct slab_table *t = slab_of(table);
    struct slab_args args;
    memset(&args, 0, sizeof args);
    args.view = slab_view_now(t);
    args.batch.n = n;
    args.transfer.shape = table->shape;
    args.transfer.first = first;
    args.transfer.keys = keys;
    args.transfer.values = values;
    args.transfer.pairs_n = &table_words(table)->pairs_n;
    return slab_launch(t, table->kernel[SLAB_export], &args);
}

roost_status slab_export(struct engine_table *table, roost_cursor *cursor, void *keys, void *values, size_t room, size_t *n)
{
    static const struct exporter exporter = {slabs_end, slabs_export};
    return export_units(table, &exporter, (uint64_t)table->shape.slots, cursor, keys, values, room, n);
}

/* Counts the longest list: walks that jumped do not know its length. */
static roost_status lengths_count(struct slab_table *t, struct engine_stats *stats)
{
    uint64_t needs;
    roost_status status = slab_survey(t, &needs);
    if (!status) status = ledger_skip(&t->base.ledger);
    stats->longest_list = t->base.stats.longest_list;
    return status;
}

roost_status slab_stats(struct engine_table *table, struct engine_stats *stats)
{
    struct slab_table *t = slab_of(table);
    const uint64_t slabs = (uint64_t)t->view.buckets + t->chained, slots = (unsigned)table->shape.slots;
    const uint64_t existing = ((uint64_t)t->view.buckets + t->pool.units) * slots;
    if (stats->slots > existing) stats->slots = existing; /* lists are planned to get longer */
    if (slab_has_far_slabs(t) && (t->view.multi || t->tombstones)) {
        const roost_status status = lengths_count(t, stats);
        if (status) return status;
    }
    /* Memory for more lists was refused: these are longer than planned. */
    if (stats->slots < t->count) stats->slots = slabs * slots;
    stats->buckets = t->view.buckets;
    stats->chained_slabs = t->chained;
    stats->tombstones = t->tombstones;
    stats->average_slabs = (double)t->count / (double)((uint64_t)t->view.buckets * slots);
    stats->memory_utilisation = (double)t->count * slab_slot_bytes(table->shape) / ((double)slabs * SLAB_BYTES);
    return ROOST_OK;
}
