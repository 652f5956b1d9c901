/* Exports the pairs of a GPH table, and fills in its statistics. */
#include "engines/gph/gph_table.h"

static uint64_t buckets_end(const struct engine_table *table, uint64_t *position)
{
    (void)position;
    return gph_buckets(gph_of_const(table));
}

static roost_status buckets_export(struct engine_table *table, uint64_t first, uint64_t n, void *keys, void *values)
{
    return gph_export_buckets(gph_of(table), first, n, keys, values);
}

roost_status gph_export(struct engine_table *table, roost_cursor *cursor, void *keys, void *values, size_t room, size_t *n)
{
    static const struct exporter exporter = {buckets_end, buckets_export};
    return export_units(table, &exporter, (uint64_t)table->shape.slots, cursor, keys, values, room, n);
}

roost_status gph_stats(struct engine_table *table, struct engine_stats *stats)
{
    const struct gph_table *t = gph_of_const(table);
    stats->cells = t->view.cell_count;
    stats->flagged_cells = t->counts.flagged;
    stats->overflow_keys = t->counts.overflow;
    return ROOST_OK;
}
