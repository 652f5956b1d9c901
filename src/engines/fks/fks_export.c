/* FKS's exports, a step of a cursor each, and its own numbers. */
#include "engines/fks/fks_table.h"

/* The part in which line number `position` of the table lies, the special line's behind all others.
 * *first: the number of the part's first line; *lines: how many it has. */
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

/* Exports as many whole lines of a part as are guaranteed to fit, until none does. */
roost_status fks_export(struct engine_table *table, roost_cursor *cursor, void *keys, void *values, size_t room, size_t *n)
{
    struct fks_table *t = fks_of(table);
    const uint64_t slots = (uint64_t)table->shape.slots, all = fks_buckets(t) * t->view.lines_most + 1;
    uint64_t written = 0;
    roost_status status = ledger_wait(&table->ledger);
    if (!status) status = fks_pairs_clear(t);
    while (!status && room - written >= slots && cursor->position < all) {
        uint64_t first, lines;
        const uint32_t part = part_at(t, cursor->position, &first, &lines);
        const uint64_t left = first + lines - cursor->position, most = (room - written) / slots, fit = most < left ? most : left;
        status = fks_export_lines(t, part, cursor->position - first, fit, keys, values);
        if (!status) status = backend_read(table->backend, &written, &table_words(&t->base)->pairs_n, sizeof written);
        cursor->position += fit;
    }
    cursor->end = cursor->position >= all;
    *n = written;
    return status;
}

roost_status fks_stats(struct engine_table *table, struct engine_stats *stats)
{
    stats->buckets = fks_buckets(fks_of(table));
    return ROOST_OK;
}
