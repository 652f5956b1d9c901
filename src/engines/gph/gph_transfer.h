/* GPH's operations on buckets, alone on the table, and the estimate by which growth is planned. */
#ifndef ROOST_GPH_TRANSFER_H
#define ROOST_GPH_TRANSFER_H

#include "engines/gph/gph_refine.h"
#include "portable/linear_counting.h"

/* The step gets the batch alone; the transfer is what follows it in the kernel's arguments. */
ROOST_FN const struct gph_transfer *transfer_of(const void *view) { return &((const struct gph_args *)view)->transfer; }

#define gph_export_begin bucket_begin
#define gph_export_end bucket_end

/* Exporting: the pairs of one bucket to the end of the caller's arrays. */
ROOST_FN enum step gph_export_step(const struct shape unused, const tile g, const void *view, const struct batch *b,
                                   struct item *item, struct tally *tally, void *scratch)
{
    const struct gph_view *v = (const struct gph_view *)view;
    const struct gph_transfer *t = transfer_of(view);
    const struct shape s = t->shape;
    const uint64_t bucket = t->first + item->index;
    (void)unused, (void)b, (void)scratch, (void)tally;
    for (int i = 0; i < s.slots; i += g.size) {
        struct pair pair = {0, 0, false};
        if (i + g.lane < s.slots) pair = pair_load(s, gph_at(s, v, (uint32_t)bucket), i + g.lane, bucket == gph_special(v));
        pairs_append(s, g, t->keys, t->values, t->pairs_n, &pair);
    }
    return STEP_DONE;
}

ROOST_FN void gph_estimate_begin(const struct shape unused, const void *view, const struct batch *b, uint64_t index,
                                 struct item *item)
{
    const struct gph_transfer *t = transfer_of(view);
    (void)unused;
    item->key = load_width(t->shape.key_bytes, b->keys, index);
    item->value = linear_counting_bit(&((const struct gph_view *)view)->seeds, item->key, t->map_bits);
    item->index = index;
    item->status = ROOST_ITEM_NONE;
    prefetch_read(t->map + (item->value >> 5));
}

#define gph_estimate_end bucket_end

/* One key of the estimate (portable/linear_counting.h). */
ROOST_FN enum step gph_estimate_step(const struct shape unused, const tile g, const void *view, const struct batch *b,
                                     struct item *item, struct tally *tally, void *scratch)
{
    (void)unused, (void)g, (void)b, (void)scratch;
    tally->distinct += linear_counting_set(transfer_of(view)->map, (uint32_t)item->value);
    return STEP_DONE;
}

#endif
