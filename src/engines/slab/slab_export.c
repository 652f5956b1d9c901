/* Export of a slab table's pairs, one cursor step at a time, and its statistics. */
#include <string.h>

#include "engines/slab/slab_table.h"

/* Number of consecutive slabs with memory from a position on; 0 at the end.  Positions count the
 * base slabs, then the allocator's blocks.  Moves *position over units that a super block's last
 * block lacks. */
static uint64_t run_of_slabs(const struct slab_table *t, uint64_t *position)
{
    const struct slab_pool *pool = &t->pool.pool;
    uint64_t first = (uint64_t)t->view.buckets + 1;
    if (*position < first) return first - *position;
    for (uint32_t i = 0; i < pool->supers; i++) {
        const uint64_t all = (uint64_t)(pool->first_block[i + 1] - pool->first_block[i]) * SLAB_BLOCK_UNITS;
        if (*position < first + t->pool.super_units[i]) return first + t->pool.super_units[i] - *position;
        if (*position < first + all) *position = first + all;
        first += all;
    }
    return 0;
}

/* Exports n slabs, whose pairs are guaranteed to fit. */
static roost_status export_slabs(struct slab_table *t, roost_cursor *cursor, uint64_t n, struct slab_args *args, uint64_t *written)
{
    struct backend *b = t->base.backend;
    args->batch.n = n;
    args->transfer.first = cursor->position;
    roost_status status = slab_launch(t, t->base.kernel[SLAB_export], args);
    if (!status) status = backend_read(b, written, &table_words(&t->base)->pairs_n, sizeof *written);
    if (!status) cursor->position += n;
    return status;
}

roost_status slab_export(struct engine_table *table, roost_cursor *cursor, void *keys, void *values, size_t room, size_t *n)
{
    struct slab_table *t = (struct slab_table *)table;
    struct backend *b = table->backend;
    struct slab_args args;
    uint64_t written = 0, run = 0;
    roost_status status = ledger_wait(&table->ledger);
    memset(&args, 0, sizeof args);
    args.view = slab_view_now(t);
    args.transfer.shape = t->base.shape;
    args.transfer.keys = keys;
    args.transfer.values = values;
    args.transfer.pairs_n = &table_words(table)->pairs_n;
    if (!status) status = b->operations->fill(b, args.transfer.pairs_n, 0, sizeof(uint64_t));
    while (!status && (run = run_of_slabs(t, &cursor->position)) != 0 && room - written >= (unsigned)t->base.shape.slots) {
        const uint64_t fit = (room - written) / (unsigned)t->base.shape.slots;
        status = export_slabs(t, cursor, fit < run ? fit : run, &args, &written);
    }
    cursor->end = !status && run == 0;
    *n = written;
    return status;
}

roost_status slab_stats(struct engine_table *table, struct engine_stats *stats)
{
    const struct slab_table *t = slab_of_const(table);
    const uint64_t slabs = (uint64_t)t->view.buckets + t->chained, slots = (unsigned)table->shape.slots;
    /* Memory for more lists was refused: these are longer than planned. */
    if (stats->slots < t->count) stats->slots = slabs * slots;
    stats->buckets = t->view.buckets;
    stats->chained_slabs = t->chained;
    stats->tombstones = t->tombstones;
    stats->average_slabs = (double)t->count / (double)((uint64_t)t->view.buckets * slots);
    stats->memory_utilisation = (double)t->count * slab_slot_bytes(table->shape) / ((double)slabs * SLAB_BYTES);
    return ROOST_OK;
}
