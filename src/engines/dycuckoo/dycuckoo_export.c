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

static uint64_t buckets_end(const struct engine_table *table, uint64_t *position)
{
    const struct dycuckoo_table *t = dycuckoo_of_const(table);
    uint32_t sub;
    uint64_t bucket;
    return cursor_place(t, *position, &sub, &bucket) ? *position - bucket + t->view.sub[sub].bucket_count : 0;
}

static roost_status buckets_export(struct engine_table *table, uint64_t position, uint64_t n, void *keys, void *values)
{
    uint32_t sub = 0;
    uint64_t bucket = 0;
    (void)cursor_place(dycuckoo_of(table), position, &sub, &bucket);
    return dycuckoo_export_buckets(dycuckoo_of(table), sub, bucket, n, keys, values);
}

/* Exports the spill list's entries, to which the positions past the last bucket belong. */
static roost_status export_spilled(struct dycuckoo_table *t, roost_cursor *cursor, void *keys, void *values, size_t room,
                                   size_t *written)
{
    const struct backend_operations *operations = t->base.backend->operations;
    const uint64_t first = cursor->position - all_buckets(t);
    const unsigned key_bytes = (unsigned)t->base.shape.key_bytes, value_bytes = (unsigned)t->base.shape.value_bytes;
    struct dycuckoo_spilled s;
    roost_status status = dycuckoo_spill_read(t, &s);
    cursor->end = 0;
    const uint64_t left = first < s.n ? s.n - first : 0, rest = room - *written, n = left < rest ? left : rest;
    if (!status && n)
        status = operations->copy(t->base.backend, (char *)keys + *written * key_bytes,
                                  (const char *)t->spill->keys + first * key_bytes, n * key_bytes);
    if (!status && n && values && value_bytes)
        status = operations->copy(t->base.backend, (char *)values + *written * value_bytes,
                                  (const char *)t->spill->values + first * value_bytes, n * value_bytes);
    if (status) return status;
    *written += n;
    cursor->position += n;
    cursor->end = n == left;
    return n ? backend_wait(t->base.backend) : ROOST_OK;
}

roost_status dycuckoo_export(struct engine_table *table, roost_cursor *cursor, void *keys, void *values, size_t room, size_t *n)
{
    static const struct exporter exporter = {buckets_end, buckets_export};
    struct dycuckoo_table *t = dycuckoo_of(table);
    const roost_status status = export_units(table, &exporter, (uint64_t)table->shape.slots, cursor, keys, values, room, n);
    return status || !cursor->end ? status : export_spilled(t, cursor, keys, values, room, n);
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
