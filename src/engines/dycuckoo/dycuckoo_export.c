/* What a DyCuckoo table tells about itself: its pairs, a cursor's step at a time, and its
 * numbers. */
#include <string.h>

#include "engines/dycuckoo/dycuckoo_table.h"

static uint64_t all_buckets(const struct dycuckoo_table *t)
{
    uint64_t buckets = 0;
    for (uint32_t i = 0; i <= MAX_SUBTABLES; i++) buckets += t->view.sub[i].buckets ? t->view.sub[i].bucket_count : 0;
    return buckets;
}

/* Where a cursor's position lies: a number of buckets, counted through all subtables. */
static bool cursor_place(const struct dycuckoo_table *t, uint64_t position, uint32_t *sub, uint64_t *bucket)
{
    for (uint32_t i = 0; i <= MAX_SUBTABLES; i++) {
        const uint64_t buckets = t->view.sub[i].buckets ? t->view.sub[i].bucket_count : 0;
        if (position < buckets) {
            *sub = i;
            *bucket = position;
            return true;
        }
        position -= buckets;
    }
    return false;
}

/* Where an export writes, and how far it is. */
struct exporting {
    void *keys, *values;
    uint64_t room, written;
};

/* Exports as many whole buckets as are guaranteed to fit, until none is. */
static roost_status export_subtables(struct dycuckoo_table *t, roost_cursor *cursor, struct exporting *e)
{
    roost_status status = dycuckoo_pairs_clear(t);
    while (!status && e->room - e->written >= (uint64_t)t->base.shape.slots) {
        uint32_t sub;
        uint64_t bucket, fit = (e->room - e->written) / (uint64_t)t->base.shape.slots;
        if (!cursor_place(t, cursor->position, &sub, &bucket)) break;
        if (fit > t->view.sub[sub].bucket_count - bucket) fit = t->view.sub[sub].bucket_count - bucket;
        status = dycuckoo_export_buckets(t, sub, bucket, fit, e->keys, e->values);
        if (!status) status = backend_read(t->base.backend, &e->written, &table_words(&t->base)->pairs_n, sizeof e->written);
        cursor->position += fit;
    }
    return status;
}

/* Exports the spill list's entries, to which the positions past the last bucket belong. */
static roost_status export_spilled(struct dycuckoo_table *t, roost_cursor *cursor, struct exporting *e)
{
    const struct backend_operations *operations = t->base.backend->operations;
    const uint64_t first = cursor->position - all_buckets(t);
    const unsigned key_bytes = (unsigned)t->base.shape.key_bytes, value_bytes = (unsigned)t->base.shape.value_bytes;
    struct dycuckoo_spilled s;
    roost_status status = dycuckoo_spill_read(t, &s);
    const uint64_t left = first < s.n ? s.n - first : 0, room = e->room - e->written, n = left < room ? left : room;
    if (!status && n)
        status = operations->copy(t->base.backend, (char *)e->keys + e->written * key_bytes,
                                  (const char *)t->spill->keys + first * key_bytes, n * key_bytes);
    if (!status && n && e->values && value_bytes)
        status = operations->copy(t->base.backend, (char *)e->values + e->written * value_bytes,
                                  (const char *)t->spill->values + first * value_bytes, n * value_bytes);
    if (status) return status;
    e->written += n;
    cursor->position += n;
    cursor->end = n == left;
    return n ? backend_wait(t->base.backend) : ROOST_OK;
}

roost_status dycuckoo_export(struct engine_table *table, roost_cursor *cursor, void *keys, void *values, size_t room, size_t *n)
{
    struct dycuckoo_table *t = dycuckoo_of(table);
    struct exporting e = {keys, values, room, 0};
    roost_status status = ledger_wait(&table->ledger);
    if (!status) status = export_subtables(t, cursor, &e);
    if (!status && cursor->position >= all_buckets(t)) status = export_spilled(t, cursor, &e);
    *n = e.written;
    return status;
}

/* ---- Statistics ------------------------------------------------------------------------------ */

/* Entries of the spill list are stored keys. */
roost_status dycuckoo_stats(struct engine_table *table, struct engine_stats *stats)
{
    struct dycuckoo_table *t = dycuckoo_of(table);
    struct dycuckoo_spilled spilled;
    const roost_status status = dycuckoo_spill_read(t, &spilled);
    stats->count += spilled.n;
    stats->subtables = t->options.subtables;
    for (uint32_t i = 0; i < t->options.subtables; i++) {
        stats->subtable_slots[i] = dycuckoo_sub_slots(t, i);
        stats->subtable_count[i] = t->count[i];
    }
    return status;
}
