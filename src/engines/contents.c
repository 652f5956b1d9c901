/* Exports of a table's pairs, and their number. */
#include "engines/contents.h"

roost_status pairs_clear(const struct engine_table *t)
{
    return t->backend->operations->fill(t->backend, &table_words(t)->pairs_n, 0, sizeof(uint64_t));
}

roost_status pairs_read(const struct engine_table *t, uint64_t *n)
{
    return backend_read(t->backend, n, &table_words(t)->pairs_n, sizeof *n);
}

static uint64_t units_ahead(const struct engine_table *t, const struct exporter *e, roost_cursor *cursor)
{
    const uint64_t end = e->end(t, &cursor->position);
    return end > cursor->position ? end - cursor->position : 0;
}

roost_status export_units(struct engine_table *t, const struct exporter *e, uint64_t slots, roost_cursor *cursor, void *keys,
                          void *values, size_t room, size_t *n)
{
    uint64_t written = 0, units = 0;
    roost_status status = ledger_wait(&t->ledger);
    if (!status) status = pairs_clear(t);
    while (!status && (units = units_ahead(t, e, cursor)) != 0 && room - written >= slots) {
        const uint64_t most = (room - written) / slots, fit = most < units ? most : units;
        status = e->launch(t, cursor->position, fit, keys, values);
        if (!status) status = pairs_read(t, &written);
        if (!status) cursor->position += fit;
    }
    cursor->end = !status && units == 0;
    *n = written;
    return status;
}
