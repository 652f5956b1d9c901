/* What a GPH table tells about itself: its pairs, a cursor's step at a time, and its numbers. */
#include <string.h>

#include "engines/gph/gph_table.h"

roost_status gph_pairs_clear(struct gph_table *t)
{
    return t->base.backend->operations->fill(t->base.backend, &t->words->pairs_n, 0, sizeof t->words->pairs_n);
}

roost_status gph_export_buckets(struct gph_table *t, uint64_t first, uint64_t n, void *keys, void *values)
{
    struct gph_args args;
    memset(&args, 0, sizeof args);
    args.transfer.first = first;
    args.transfer.keys = keys;
    args.transfer.values = values;
    args.transfer.pairs_n = &t->words->pairs_n;
    return gph_launch_over(t, t->export_pairs, &args, n);
}

/* As many whole buckets as are sure to fit, again and again until none is. */
roost_status gph_export(struct engine_table *table, roost_cursor *cursor, void *keys, void *values, size_t room, size_t *n)
{
    struct gph_table *t = (struct gph_table *)table;
    const uint64_t slots = (uint64_t)t->shape.slots;
    uint64_t written = 0;
    roost_status status = ledger_wait(&t->ledger);
    if (!status) status = gph_pairs_clear(t);
    while (!status && room - written >= slots && cursor->position < gph_buckets(t)) {
        const uint64_t left = gph_buckets(t) - cursor->position, most = (room - written) / slots, fit = most < left ? most : left;
        status = gph_export_buckets(t, cursor->position, fit, keys, values);
        if (!status) status = backend_read(t->base.backend, &written, &t->words->pairs_n, sizeof written);
        cursor->position += fit;
    }
    cursor->end = cursor->position >= gph_buckets(t);
    *n = written;
    return status;
}

roost_status gph_stats(struct engine_table *table, struct engine_stats *stats)
{
    struct gph_table *t = (struct gph_table *)table;
    const roost_status status = ledger_stats(&t->ledger, stats);
    stats->count = gph_count(t);
    stats->slots = gph_slots(t);
    stats->load_factor = (double)stats->count / (double)stats->slots;
    stats->table_bytes = gph_table_bytes(t);
    stats->slots_per_bucket = (uint32_t)t->shape.slots;
    stats->cells = t->view.cell_count;
    stats->flagged_cells = t->counts.flagged;
    stats->overflow_keys = t->counts.overflow;
    return status;
}
