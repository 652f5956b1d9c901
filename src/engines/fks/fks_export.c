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

static uint64_t lines_end(const struct engine_table *table, uint64_t *position)
{
    uint64_t first, lines;
    (void)part_at(fks_of_const(table), *position, &first, &lines);
    return first + lines;
}

static roost_status lines_export(struct engine_table *table, uint64_t position, uint64_t n, void *keys, void *values)
{
    uint64_t first, lines;
    const uint32_t part = part_at(fks_of(table), position, &first, &lines);
    return fks_export_lines(fks_of(table), part, position - first, n, keys, values);
}

roost_status fks_export(struct engine_table *table, roost_cursor *cursor, void *keys, void *values, size_t room, size_t *n)
{
    static const struct exporter exporter = {lines_end, lines_export};
    return export_units(table, &exporter, (uint64_t)table->shape.slots, cursor, keys, values, room, n);
}

roost_status fks_stats(struct engine_table *table, struct engine_stats *stats)
{
    stats->buckets = fks_buckets(fks_of(table));
    return ROOST_OK;
}
