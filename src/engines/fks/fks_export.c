/* What an FKS table tells about itself: its pairs, a cursor's step at a time, and its numbers. */
#include <string.h>

#include "engines/fks/fks_table.h"

roost_status fks_pairs_clear(struct fks_table *t)
{
    return t->base.backend->operations->fill(t->base.backend, &t->words->pairs_n, 0, sizeof t->words->pairs_n);
}

roost_status fks_export_lines(struct fks_table *t, uint32_t part, uint64_t first, uint64_t n, void *keys, void *values)
{
    struct fks_args args;
    memset(&args, 0, sizeof args);
    args.view = t->view;
    args.batch.n = n;
    args.transfer.shape = t->shape;
    args.transfer.part = part;
    args.transfer.first = first;
    args.transfer.keys = keys;
    args.transfer.values = values;
    args.transfer.pairs_n = &t->words->pairs_n;
    return n ? t->base.backend->operations->launch(t->base.backend, t->export_pairs, &args, sizeof args, n) : ROOST_OK;
}

/* The part in which line number `position` of the table lies, the special line's behind all others; *first: the number of the part's first
 * line, *lines: how many it has. */
static uint32_t part_at(const struct fks_table *t, uint64_t position, uint64_t *first, uint64_t *lines)
{
    uint32_t part = 0;
    *first = 0;
    for (; part < fks_parts(t); part++, *first += *lines) {
        *lines = (uint64_t)t->parts[part].buckets * t->view.lines_most;
        if (position < *first + *lines) return part;
    }
    *lines = 1;
    return FKS_PARTS;
}

/* As many whole lines of a part as are sure to fit, again and again until none is. */
roost_status fks_export(struct engine_table *table, roost_cursor *cursor, void *keys, void *values, size_t room, size_t *n)
{
    struct fks_table *t = (struct fks_table *)table;
    const uint64_t slots = (uint64_t)t->shape.slots, all = fks_buckets(t) * t->view.lines_most + 1;
    uint64_t written = 0;
    roost_status status = ledger_wait(&t->ledger);
    if (!status) status = fks_pairs_clear(t);
    while (!status && room - written >= slots && cursor->position < all) {
        uint64_t first, lines;
        const uint32_t part = part_at(t, cursor->position, &first, &lines);
        const uint64_t left = first + lines - cursor->position, most = (room - written) / slots, fit = most < left ? most : left;
        status = fks_export_lines(t, part, cursor->position - first, fit, keys, values);
        if (!status) status = backend_read(t->base.backend, &written, &t->words->pairs_n, sizeof written);
        cursor->position += fit;
    }
    cursor->end = cursor->position >= all;
    *n = written;
    return status;
}

roost_status fks_stats(struct engine_table *table, struct engine_stats *stats)
{
    struct fks_table *t = (struct fks_table *)table;
    const roost_status status = ledger_stats(&t->ledger, stats);
    stats->count = fks_count(t);
    stats->slots = fks_slots(t);
    stats->load_factor = (double)stats->count / (double)stats->slots;
    stats->table_bytes = fks_table_bytes(t);
    stats->slots_per_bucket = (uint32_t)t->shape.slots;
    stats->buckets = fks_buckets(t);
    return status;
}
