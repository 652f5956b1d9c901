/* DyCuckoo's operations around resizing, in the dialect.  Resizing and exporting a subtable
 * (sections 4.2, 4.4) have buckets as items and run alone on the table.  The estimate by
 * which growth is planned has a batch's items.
 *
 * The shape is a run-time argument here: these kernels stream, and their widths cost nothing. */
#ifndef ROOST_DYCUCKOO_RESIZE_H
#define ROOST_DYCUCKOO_RESIZE_H

#include "engines/dycuckoo/dycuckoo_evict_items.h"
#include "portable/pairs.h"

/* A step gets the view alone.  The transfer follows it in the kernel's arguments. */
ROOST_FN const struct dycuckoo_transfer *transfer_of(const void *view) { return &((const struct dycuckoo_args *)view)->transfer; }

#define dycuckoo_resize_begin bucket_begin
#define dycuckoo_resize_end bucket_end
#define dycuckoo_export_begin bucket_begin
#define dycuckoo_export_end bucket_end

/* The bucket of a key in one of its subtables. */
ROOST_FN uint32_t home_index(const struct shape s, const struct dycuckoo_view *v, roost_key key, uint32_t sub)
{
    struct home home[MAX_HOMES] = {{0, 0}};
    uint32_t index = 0;
    if (s.homes == 2) return pair_home(v, key, sub, false).index;
    homes_of(s, v, key ? key : 1, home);
    for (int h = 0; h < MAX_HOMES; h++)
        if (h < home_count(s, v) && home[h].sub == sub) index = home[h].index;
    return index;
}

/* Appends residuals.  Where there are more than expected the call makes room for all, and reads the
 * buckets once more. */
ROOST_FN void residuals_append(const struct shape s, const tile g, const struct dycuckoo_transfer *t, const struct pair *pair)
{
    const uint32_t who = tile_ballot(g, pair->taken), n = (uint32_t)bit_count32(who);
    const uint64_t place = pairs_reserve(g, t->pairs_n, n);
    if (place + n <= t->room) pairs_put(s, g, t->keys, t->values, place, who, pair);
}

/* Resizing: a new bucket's pairs lie in neighbouring old ones, for a larger hash never means a
 * smaller bucket.  As many as fit go there, the other ones are residuals.  Nobody else writes the
 * new bucket: no locks are needed, and reads and writes stream.  The view has the new bucket
 * count. */
ROOST_FN enum step dycuckoo_resize_step(const struct shape unused, const tile g, const void *view, const struct batch *b,
                                        struct item *item, struct tally *tally, void *scratch)
{
    const struct dycuckoo_transfer *t = transfer_of(view);
    const struct shape s = t->shape;
    (void)unused, (void)b, (void)scratch;
    const size_t bytes = shape_bucket_bytes(s);
    const uint64_t first = item->index * t->from_buckets / t->to_buckets;
    const uint64_t last = ((item->index + 1) * t->from_buckets - 1) / t->to_buckets;
    unsigned char *to = t->to + item->index * bytes;
    int stored = 0;
    for (uint64_t from = first; from <= last; from++)
        for (int i = 0; i < s.slots; i += g.size) {
            struct pair pair = {0, 0, false};
            if (i + g.lane < s.slots) pair = pair_load(s, t->from + from * bytes, i + g.lane, false);
            pair.taken = pair.taken && home_index(s, (const struct dycuckoo_view *)view, pair.key, t->sub) == item->index;
            const uint32_t who = tile_ballot(g, pair.taken);
            const int place = stored + bit_count32(who & ((1u << g.lane) - 1u));
            stored += bit_count32(who);
            if (pair.taken && place < s.slots) {
                pair_store(s, to, place, &pair);
                tally->moved++;
                pair.taken = false;
            }
            if (stored > s.slots) residuals_append(s, g, t, &pair);
        }
    const struct pair vacant = {0, 0, false};
    for (int slot = stored + g.lane; slot < s.slots; slot += g.size) pair_store(s, to, slot, &vacant);
    return STEP_DONE;
}

/* Exporting: appends the pairs of one bucket to the caller's arrays. */
ROOST_FN enum step dycuckoo_export_step(const struct shape unused, const tile g, const void *view, const struct batch *b,
                                        struct item *item, struct tally *tally, void *scratch)
{
    const struct dycuckoo_transfer *t = transfer_of(view);
    (void)unused, (void)b, (void)scratch, (void)tally;
    const unsigned char *from = t->from + item->index * shape_bucket_bytes(t->shape);
    pairs_append_bucket(t->shape, g, from, t->sub == SPECIAL, t->keys, t->values, t->pairs_n);
    return STEP_DONE;
}

/* A batch's distinct keys. */
ROOST_LINEAR_COUNTING(dycuckoo, linear_counting_key)

#endif
