/* FKS's parts: their memory, launches of builds in it, and what those have counted. */
#include <string.h>

#include "engines/fks/fks_table.h"

/* ---- Memory ---------------------------------------------------------------------------------- */

void fks_part_use_buckets(struct fks_part *p, uint32_t buckets)
{
    p->buckets = buckets;
    p->mask = 1;
    while (p->mask < buckets) p->mask = 2 * p->mask + 1; /* 2^(level + 1) - 1 */
}

roost_status fks_part_make(struct fks_table *t, uint64_t granules, uint32_t entries, struct fks_part *p)
{
    void *memory;
    roost_status status = backend_allocate(t->base.backend, fks_part_bytes(t, granules, entries), &memory);
    if (status) return status;
    p->lines = (unsigned char *)memory;
    p->links = (uint32_t *)(void *)(p->lines + ((size_t)granules << t->view.granule_log));
    p->directory = (struct fks_entry *)(void *)((unsigned char *)p->links + fks_links_bytes(granules));
    p->granules = (uint32_t)granules;
    status = t->base.backend->operations->fill(t->base.backend, p->links, 0, fks_links_bytes(granules));
    if (status) backend_release(t->base.backend, memory, fks_part_bytes(t, granules, entries));
    return status;
}

void fks_part_release(struct fks_table *t, const struct fks_part *p, uint32_t entries)
{
    if (p->lines) backend_release(t->base.backend, p->lines, fks_part_bytes(t, p->granules, entries));
}

static void device_place(struct fks_device *d, void *memory, uint32_t parts)
{
    d->room = parts;
    d->parts = (struct fks_part *)memory;
    d->to = d->parts + parts;
    d->empty = d->to + parts;
    d->spaces = (struct fks_space *)(void *)(d->empty + parts);
    d->to_spaces = d->spaces + parts;
}

roost_status fks_device_make(struct fks_table *t, uint32_t parts)
{
    struct backend *b = t->base.backend;
    void *memory;
    roost_status status = backend_allocate(b, fks_device_bytes(parts), &memory);
    if (status) return status;
    status = b->operations->fill(b, memory, 0, fks_device_bytes(parts));
    if (status) {
        backend_release(b, memory, fks_device_bytes(parts));
        return status;
    }
    fks_device_release(t);
    device_place(&t->device, memory, parts);
    t->view.parts = t->device.parts;
    t->parts_dirty = t->spaces_dirty = true;
    return ROOST_OK;
}

void fks_device_release(struct fks_table *t)
{
    backend_release(t->base.backend, t->device.parts, fks_device_bytes(t->device.room));
}

/* ---- What builds have counted ---------------------------------------------------------------- */

void fks_special_take(struct fks_table *t, const struct fks_space *now, const struct fks_space *before)
{
    t->special += now->special_inserted - before->special_inserted;
    t->base.stats.inserted += now->special_inserted - before->special_inserted;
    t->base.stats.updated += now->special_updated - before->special_updated;
}

void fks_space_take(struct fks_table *t, const struct fks_space *now, const struct fks_space *before)
{
    struct engine_stats *stats = &t->base.stats;
    t->main += now->inserted - before->inserted;
    stats->inserted += now->inserted - before->inserted;
    stats->updated += now->updated - before->updated;
    stats->evicted += now->evicted - before->evicted;
    stats->bucket_builds += now->builds - before->builds;
    stats->reseeded_buckets += now->reseeded - before->reseeded;
    stats->second_keys += now->second - before->second;
}

roost_status fks_build_take(struct fks_table *t)
{
    struct fks_space now[FKS_PARTS];
    const roost_status status = fks_spaces_read(t, t->device.spaces, t->parts, now);
    for (uint32_t q = 0; !status && q < fks_parts(t); q++) {
        fks_space_take(t, &now[q], &t->spaces[q]);
        fks_special_take(t, &now[q], &t->spaces[q]);
    }
    if (!status) memcpy(t->spaces, now, fks_parts(t) * sizeof now[0]);
    return status;
}

roost_status fks_troubles_forget(struct fks_table *t)
{
    bool any = false;
    for (uint32_t q = 0; q < fks_parts(t); q++) any |= t->spaces[q].trouble != 0, t->spaces[q].trouble = 0;
    return any ? fks_copy(t, t->device.spaces, t->spaces, t->device.room * sizeof t->spaces[0]) : ROOST_OK;
}

/* ---- Launches -------------------------------------------------------------------------------- */

void fks_parts_headroom(const struct fks_table *t, struct fks_part to[FKS_PARTS], uint32_t part_bits)
{
    for (uint32_t q = 0; q < FKS_PARTS; q++)
        to[q].headroom = (uint32_t)(t->build_headroom >> part_bits >> (fks_level(to[q].buckets) + 1));
}

/* An empty table's parts are as many as the build makes. */
roost_status fks_build_launch(struct fks_table *t, const struct fks_items *items, const struct fks_part *from,
                              const struct fks_work *work)
{
    struct fks_args args;
    struct backend *b = t->base.backend;
    memset(&args, 0, sizeof args);
    if (items) args.batch = items->args.batch;
    args.batch.counters = t->base.ledger.words;
    args.view = t->view;
    args.view.parts = from;
    if (from == t->device.empty) args.view.part_bits = work->to_bits;
    args.work = *work;
    args.work.to = t->device.to;
    args.batch.n = (uint64_t)work->part_count * work->region_count;
    return items ? backend_launch(b, t->base.kernel[FKS_build], &args, sizeof args, args.batch.n)
                 : b->operations->launch(b, t->base.kernel[FKS_build], &args, sizeof args, args.batch.n);
}

roost_status fks_build_in_place(struct fks_table *t, struct fks_items *items, bool waiting_only)
{
    struct fks_work work = items->args.work;
    work.part_count = fks_parts(t);
    work.to_bits = t->view.part_bits;
    work.region_count = 1u << (work.digit_bits - work.to_bits);
    work.spaces = t->device.spaces;
    work.in_place = 1;
    work.waiting_only = waiting_only;
    t->build_headroom = fks_headroom(t, fks_count(&t->base) + fks_items_waiting(t, items));
    fks_parts_headroom(t, t->parts, work.to_bits);
    roost_status status = fks_troubles_forget(t);
    if (!status) status = fks_copy(t, t->device.to, t->parts, t->device.room * sizeof t->parts[0]);
    if (!status) status = fks_build_launch(t, items, t->device.parts, &work);
    return status ? status : fks_build_take(t);
}
