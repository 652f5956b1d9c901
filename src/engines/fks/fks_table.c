/* FKS's table on the host side: its counts and bytes, what the device is told of it, exports of
 * lines, and what its kernels have counted. */
#include <string.h>

#include "engines/fks/fks_table.h"

/* ---- Counts and bytes ------------------------------------------------------------------------ */

uint64_t fks_count(const struct engine_table *table)
{
    const struct fks_table *t = fks_of_const(table);
    return t->main + t->special;
}

uint32_t fks_parts(const struct fks_table *t) { return 1u << t->view.part_bits; }

uint64_t fks_granule_slots(const struct fks_table *t, uint64_t granules)
{
    return (granules << t->view.granule_log) / shape_bucket_bytes(t->base.shape) * (unsigned)t->base.shape.slots;
}

uint64_t fks_slots(const struct engine_table *table)
{
    const struct fks_table *t = fks_of_const(table);
    uint64_t granules = 0;
    for (uint32_t q = 0; q < fks_parts(t); q++) granules += t->parts[q].granules;
    return fks_granule_slots(t, granules);
}

uint64_t fks_buckets(const struct fks_table *t)
{
    uint64_t buckets = 0;
    for (uint32_t q = 0; q < fks_parts(t); q++) buckets += t->parts[q].buckets;
    return buckets;
}

uint32_t fks_buckets_extreme(const struct fks_table *t, bool most)
{
    uint32_t extreme = t->parts[0].buckets;
    for (uint32_t q = 1; q < fks_parts(t); q++)
        if (most ? t->parts[q].buckets > extreme : t->parts[q].buckets < extreme) extreme = t->parts[q].buckets;
    return extreme;
}

size_t fks_links_bytes(uint64_t granules) { return (size_t)(granules + 3) / 4 * 16; }

size_t fks_part_bytes(const struct fks_table *t, uint64_t granules, uint64_t entries)
{
    return ((size_t)granules << t->view.granule_log) + fks_links_bytes(granules) + (size_t)entries * sizeof(struct fks_entry);
}

size_t fks_device_bytes(uint32_t parts) { return parts * (3 * sizeof(struct fks_part) + 2 * sizeof(struct fks_space)); }

uint64_t fks_bytes(const struct engine_table *table)
{
    const struct fks_table *t = fks_of_const(table);
    uint64_t bytes = fks_device_bytes(t->device.room) + FKS_SPECIAL_BYTES + sizeof(struct table_words);
    if (t->spare_columns) bytes += t->spare_columns_bytes;
    for (uint32_t q = 0; q < fks_parts(t); q++) bytes += fks_part_bytes(t, t->parts[q].granules, t->entries[q]);
    return bytes;
}

/* ---- The device's copy ----------------------------------------------------------------------- */

struct fks_args fks_batch_args(const struct fks_table *t, const struct batch *batch)
{
    struct fks_args args;
    memset(&args, 0, sizeof args);
    args.view = t->view;
    args.batch = *batch;
    args.transfer.shape = t->base.shape;
    return args;
}

roost_status fks_copy(struct fks_table *t, void *to, const void *from, size_t bytes)
{
    return t->base.backend->operations->copy(t->base.backend, to, from, bytes);
}

/* A copy that failed is made up for before the next call's work.  In a graph it would be repeated
 * by every launch. */
roost_status fks_ready(struct fks_table *t)
{
    roost_status status = ROOST_OK;
    if (t->base.backend->capturing && (t->parts_dirty || t->spaces_dirty))
        return error_set(t->base.error, ROOST_ERR_DEVICE,
                         "fks: the device's copy of the table's parts is not current; sync, and capture then");
    if (t->parts_dirty) {
        status = fks_copy(t, t->device.parts, t->parts, t->device.room * sizeof t->parts[0]);
        if (!status) t->parts_dirty = false;
    }
    if (!status && t->spaces_dirty) {
        status = fks_copy(t, t->device.spaces, t->spaces, t->device.room * sizeof t->spaces[0]);
        if (!status) t->spaces_dirty = false;
    }
    return status;
}

roost_status fks_tell(struct fks_table *t)
{
    t->parts_dirty = t->spaces_dirty = true;
    return fks_ready(t);
}

roost_status fks_spaces_read(struct fks_table *t, const struct fks_space *from, const struct fks_part *parts,
                             struct fks_space to[FKS_PARTS])
{
    const roost_status status = backend_read(t->base.backend, to, from, t->device.room * sizeof to[0]);
    for (uint32_t q = 0; !status && q < t->device.room; q++)
        if (to[q].used > parts[q].granules) to[q].used = parts[q].granules;
    return status;
}

/* What no bucket ever had stays zero. */
roost_status fks_part_read(struct fks_table *t, uint32_t q, unsigned char *to)
{
    const struct fks_part *p = &t->parts[q];
    const size_t links = (size_t)((unsigned char *)p->links - p->lines);
    const size_t entries = (size_t)((unsigned char *)p->directory - p->lines);
    const size_t used = (size_t)t->spaces[q].used << t->view.granule_log;
    roost_status status = used ? backend_read(t->base.backend, to, p->lines, used < links ? used : links) : ROOST_OK;
    if (!status) status = backend_read(t->base.backend, to + links, p->links, entries - links);
    return status ? status : backend_read(t->base.backend, to + entries, p->directory, p->buckets * sizeof(struct fks_entry));
}

roost_status fks_special_clear(struct fks_table *t)
{
    return t->base.backend->operations->fill(t->base.backend, t->device.special, 0xff, FKS_SPECIAL_BYTES);
}

/* ---- Exports of lines ------------------------------------------------------------------------ */

roost_status fks_export_lines(struct fks_table *t, uint32_t part, uint64_t first, uint64_t n, void *keys, void *values)
{
    struct batch lines;
    memset(&lines, 0, sizeof lines);
    lines.n = n;
    struct fks_args args = fks_batch_args(t, &lines);
    args.transfer.part = part;
    args.transfer.first = first;
    args.transfer.keys = keys;
    args.transfer.values = values;
    args.transfer.pairs_n = &table_words(&t->base)->pairs_n;
    if (!n) return ROOST_OK;
    return t->base.backend->operations->launch(t->base.backend, t->base.kernel[FKS_export], &args, sizeof args, n);
}

/* ---- Counters -------------------------------------------------------------------------------- */

void fks_counters_take(struct engine_table *table, const void *words, const struct counters *since)
{
    struct fks_table *t = fks_of(table);
    (void)words;
    t->main += since->stored[FKS_MAIN];
    t->special += since->stored[FKS_SPECIAL];
    table->stats.second_reads += since->second_reads;
}

static roost_status count_part(struct fks_table *t, uint32_t part, uint64_t lines, uint64_t *count)
{
    uint64_t pairs = 0;
    roost_status status = pairs_clear(&t->base);
    if (!status) status = fks_export_lines(t, part, 0, lines, NULL, NULL);
    if (!status) status = pairs_read(&t->base, &pairs);
    *count += pairs;
    return status;
}

roost_status fks_recount(struct engine_table *table)
{
    struct fks_table *t = fks_of(table);
    uint64_t main = 0, special = 0;
    roost_status status = fks_ready(t);
    if (!status) status = fks_spaces_read(t, t->device.spaces, t->parts, t->spaces);
    for (uint32_t q = 0; !status && q < fks_parts(t); q++)
        status = count_part(t, q, (uint64_t)t->parts[q].buckets * t->view.lines_most, &main);
    if (!status) status = count_part(t, FKS_PARTS, 1, &special);
    if (status) return status;
    t->main = main;
    t->special = special;
    return ROOST_OK;
}
