/* GPH's operations that run alone on the table: exports, the routing of lookups, and the estimate
 * of a batch's distinct keys. */
#ifndef ROOST_GPH_TRANSFER_H
#define ROOST_GPH_TRANSFER_H

#include "engines/gph/gph_evict.h"
#include "portable/pairs.h"

/* A step gets the view, with which the kernel's arguments begin. */
ROOST_FN const struct gph_transfer *transfer_of(const void *view) { return &((const struct gph_args *)view)->transfer; }

#define gph_export_begin bucket_begin
#define gph_export_end bucket_end

/* Export: appends the pairs of one bucket to the caller's arrays. */
ROOST_FN enum step gph_export_step(const struct shape unused, const tile g, const void *view, const struct batch *b,
                                   struct item *item, struct tally *tally, void *scratch)
{
    const struct gph_view *v = (const struct gph_view *)view;
    const struct gph_transfer *t = transfer_of(view);
    const uint32_t bucket = (uint32_t)(t->first + item->index);
    (void)unused, (void)b, (void)scratch, (void)tally;
    pairs_append_bucket(t->shape, g, gph_at(t->shape, v, bucket), bucket == gph_special(v), t->keys, t->values, t->pairs_n);
    return STEP_DONE;
}

#define gph_route_begin bucket_begin
#define gph_route_end bucket_end

/* Routing: writes the part of the index that an item's cell lies in. */
ROOST_FN enum step gph_route_step(const struct shape unused, const tile g, const void *view, const struct batch *b,
                                  struct item *item, struct tally *tally, void *scratch)
{
    const struct gph_args *a = (const struct gph_args *)view;
    const struct shape s = a->transfer.shape;
    const roost_key key = load_width(s.key_bytes, b->keys, item->index);
    (void)unused, (void)g, (void)tally, (void)scratch;
    a->parts.part[item->index] = gph_hash(s, &a->view, key).cell / a->parts.cells;
    a->parts.items[item->index] = (uint32_t)item->index;
    return STEP_DONE;
}

/* The estimate of a batch's distinct keys. */
ROOST_LINEAR_COUNTING(gph, linear_counting_key)

#endif
