/* What a DyCuckoo table tells about itself: its pairs, a cursor's step at a time, and its numbers. */
#include <string.h>

#include "engines/dycuckoo/dycuckoo_table.h"

static uint64_t all_buckets(const struct dycuckoo_table *t)
{
    uint64_t buckets = 0;
    for (uint32_t i = 0; i <= MAX_SUBTABLES; i++) buckets += t->view.sub[i].buckets ? t->view.sub[i].bucket_count : 0;
    return buckets;
}

/* Where a cursor's position, a number of buckets counted through all subtables, lies. */
static bool cursor_place(const struct dycuckoo_table *t, uint64_t position, uint32_t *sub, uint64_t *bucket)
{
    for (uint32_t i = 0; i <= MAX_SUBTABLES; i++) {
        const uint64_t buckets = t->view.sub[i].buckets ? t->view.sub[i].bucket_count : 0;
        if (position < buckets) {
            *sub = i, *bucket = position;
            return true;
        }
        position -= buckets;
    }
    return false;
}

roost_status dycuckoo_export_buckets(struct dycuckoo_table *t, uint32_t sub, uint64_t first, uint64_t n, void *keys, void *values)
{
    struct dycuckoo_args args;
    memset(&args, 0, sizeof args);
    args.view = t->view;
    args.batch.n = n;
    args.transfer.shape = t->shape;
    args.transfer.sub = sub;
    args.transfer.from = t->view.sub[sub].buckets + first * shape_bucket_bytes(t->shape);
    args.transfer.keys = keys;
    args.transfer.values = values;
    args.transfer.pairs_n = &t->words->list_n[0];
    return t->base.backend->operations->launch(t->base.backend, t->export_pairs, &args, sizeof args, n);
}

/* Where an export writes, and how far it is. */
struct exporting {
    void *keys, *values;
    uint64_t room, written;
};

/* As many whole buckets as are sure to fit, again and again until none is. */
static roost_status export_subtables(struct dycuckoo_table *t, roost_cursor *cursor, struct exporting *e)
{
    roost_status status = dycuckoo_list_clear(t, 0, 1);
    while (!status && e->room - e->written >= (uint64_t)t->shape.slots) {
        uint32_t sub;
        uint64_t bucket, fit = (e->room - e->written) / (uint64_t)t->shape.slots;
        if (!cursor_place(t, cursor->position, &sub, &bucket)) break;
        if (fit > t->view.sub[sub].bucket_count - bucket) fit = t->view.sub[sub].bucket_count - bucket;
        status = dycuckoo_export_buckets(t, sub, bucket, fit, e->keys, e->values);
        if (!status) status = backend_read(t->base.backend, &e->written, &t->words->list_n[0], sizeof e->written);
        cursor->position += fit;
    }
    return status;
}

/* The spill list's items, to which positions past the last bucket belong. */
static roost_status export_spilled(struct dycuckoo_table *t, roost_cursor *cursor, struct exporting *e)
{
    const struct backend_operations *operations = t->base.backend->operations;
    const uint64_t first = cursor->position - all_buckets(t);
    const unsigned key_bytes = (unsigned)t->shape.key_bytes, value_bytes = (unsigned)t->shape.value_bytes;
    struct dycuckoo_spilled s;
    roost_status status = dycuckoo_spill_read(t, &s);
    const uint64_t left = first < s.n ? s.n - first : 0, room = e->room - e->written, n = left < room ? left : room;
    if (!status && n)
        status = operations->copy(t->base.backend, (char *)e->keys + e->written * key_bytes,
                                  (const char *)dycuckoo_spill_keys(t) + first * key_bytes, n * key_bytes);
    if (!status && n && e->values && value_bytes)
        status = operations->copy(t->base.backend, (char *)e->values + e->written * value_bytes,
                                  (const char *)dycuckoo_spill_values(t) + first * value_bytes, n * value_bytes);
    if (status) return status;
    e->written += n;
    cursor->position += n;
    cursor->end = n == left;
    return n ? backend_wait(t->base.backend) : ROOST_OK;
}

roost_status dycuckoo_export(struct engine_table *table, roost_cursor *cursor, void *keys, void *values, size_t room, size_t *n)
{
    struct dycuckoo_table *t = (struct dycuckoo_table *)table;
    struct exporting e = {keys, values, room, 0};
    roost_status status = ledger_wait(&t->ledger);
    if (!status) status = export_subtables(t, cursor, &e);
    if (!status && cursor->position >= all_buckets(t)) status = export_spilled(t, cursor, &e);
    *n = e.written;
    return status;
}

/* ---- Statistics --------------------------------------------------------------------------------------------------------------------------- */

roost_status dycuckoo_stats(struct engine_table *table, struct engine_stats *stats)
{
    struct dycuckoo_table *t = (struct dycuckoo_table *)table;
    struct dycuckoo_spilled spilled;
    spilled.n = 0;
    roost_status status = ledger_stats(&t->ledger, stats);
    if (!status) status = dycuckoo_spill_read(t, &spilled);
    stats->count = dycuckoo_count(t) + spilled.n;
    stats->slots = dycuckoo_slots(t);
    stats->load_factor = (double)stats->count / (double)stats->slots;
    stats->table_bytes = dycuckoo_table_bytes(t);
    stats->subtables = t->options.subtables;
    stats->slots_per_bucket = (uint32_t)t->shape.slots;
    for (uint32_t i = 0; i < t->options.subtables; i++) {
        stats->subtable_slots[i] = (uint64_t)t->view.sub[i].bucket_count * (unsigned)t->shape.slots;
        stats->subtable_count[i] = t->count[i];
    }
    return status;
}
