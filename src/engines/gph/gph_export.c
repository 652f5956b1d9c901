/* Exports the pairs of a GPH table, and fills in its statistics. */
#include "engines/gph/gph_table.h"

/* Exports the number of whole buckets that is guaranteed to fit, until no bucket is. */
roost_status gph_export(struct engine_table *table, roost_cursor *cursor, void *keys, void *values, size_t room, size_t *n)
{
    struct gph_table *t = (struct gph_table *)table;
    const uint64_t slots = (uint64_t)table->shape.slots;
    uint64_t written = 0;
    roost_status status = ledger_wait(&table->ledger);
    if (!status) status = gph_pairs_clear(t);
    while (!status && room - written >= slots && cursor->position < gph_buckets(t)) {
        const uint64_t left = gph_buckets(t) - cursor->position, most = (room - written) / slots, fit = most < left ? most : left;
        status = gph_export_buckets(t, cursor->position, fit, keys, values);
        if (!status) status = backend_read(table->backend, &written, &table_words(&t->base)->pairs_n, sizeof written);
        cursor->position += fit;
    }
    cursor->end = cursor->position >= gph_buckets(t);
    *n = written;
    return status;
}

roost_status gph_stats(struct engine_table *table, struct engine_stats *stats)
{
    const struct gph_table *t = gph_of_const(table);
    stats->cells = t->view.cell_count;
    stats->flagged_cells = t->counts.flagged;
    stats->overflow_keys = t->counts.overflow;
    return ROOST_OK;
}
