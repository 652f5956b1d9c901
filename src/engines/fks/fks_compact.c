/* FKS's memory brought together: a part's free blocks, by way of the host's memory, and what nearly
 * empty parts do not need. */
#include <string.h>

#include "engines/fks/fks_table.h"

/* ---- Packing --------------------------------------------------------------------------------- */

/* Copies a part without its free blocks; `directory`: the bytes before it. */
static void part_pack(struct fks_table *t, uint32_t q, const unsigned char *from, unsigned char *to, size_t directory)
{
    struct fks_space *space = &t->spaces[q];
    const struct fks_entry *was = (const struct fks_entry *)(const void *)(from + directory);
    struct fks_entry *is = (struct fks_entry *)(void *)(to + directory);
    const size_t granule = (size_t)1 << t->view.granule_log;
    memset(space->free, 0, sizeof space->free);
    space->used = 0;
    for (uint32_t b = 0; b < t->parts[q].buckets; b++) {
        const uint32_t granules = fks_granules(t->base.shape, &t->view, fks_form_lines(was[b].form));
        memcpy(to + space->used * granule, from + was[b].first * granule, granules * granule);
        is[b] = was[b];
        is[b].first = space->used;
        space->used += granules;
    }
}

/* Packs a part in two copies in host memory, and writes it back as a whole: a failure changes
 * nothing.  If the host has no memory either, the part stays as it is. */
static roost_status part_compact(struct fks_table *t, uint32_t q)
{
    const struct fks_part *p = &t->parts[q];
    const roost_allocator *allocator = &t->base.backend->allocator;
    const size_t bytes = fks_part_bytes(t, p->granules, t->entries[q]);
    const struct fks_space before = t->spaces[q];
    unsigned char *from = (unsigned char *)host_new(allocator, bytes), *to = (unsigned char *)host_new(allocator, bytes);
    roost_status status = ROOST_OK;
    if (from && to) {
        status = fks_part_read(t, q, from);
        if (!status) part_pack(t, q, from, to, (size_t)((unsigned char *)p->directory - p->lines));
        if (!status) status = fks_copy(t, p->lines, to, bytes);
        if (!status) status = backend_wait(t->base.backend); /* before the copy's source is freed */
        if (status) t->spaces[q] = before;
    }
    if (from) host_delete(allocator, from, bytes);
    if (to) host_delete(allocator, to, bytes);
    return status;
}

roost_status fks_pack(struct fks_table *t)
{
    roost_status status = ROOST_OK;
    for (uint32_t q = 0; !status && q < fks_parts(t); q++)
        if (t->spaces[q].trouble & FKS_NO_ROOM) status = part_compact(t, q);
    t->spaces_dirty = true;
    return status ? status : fks_ready(t);
}

/* ---- Tightening ------------------------------------------------------------------------------ */

/* Erases in the order of an export, which is nearly that of the hashes, leave some parts nearly
 * empty. */
roost_status fks_tighten(struct fks_table *t)
{
    roost_status status = ROOST_OK;
    for (uint32_t q = 0; !status && q < fks_parts(t); q++) {
        const uint64_t used = t->spaces[q].lines * shape_bucket_bytes(t->base.shape) >> t->view.granule_log;
        const struct fks_plan plan = fks_plan_part(t, q, fks_count(&t->base), used + used / FKS_ROOMY);
        if (2 * used < t->parts[q].granules) status = fks_rebuild_parts(t, &plan, q, 1, NULL);
    }
    return status_of_items(status) ? ROOST_OK : status;
}
