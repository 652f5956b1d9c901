/* DyCuckoo's operations around resizing, in the dialect.  Doubling, halving and exporting a
 * subtable (sections 4.2, 4.4) have buckets as items and run alone on the table.  The estimate by
 * which growth is planned has a batch's items.
 *
 * The shape is a run-time argument here: these kernels stream, and their widths cost nothing. */
#ifndef ROOST_DYCUCKOO_RESIZE_H
#define ROOST_DYCUCKOO_RESIZE_H

#include "engines/dycuckoo/dycuckoo_evict_items.h"
#include "portable/pairs.h"

/* A step gets the view alone.  The transfer follows it in the kernel's arguments. */
ROOST_FN const struct dycuckoo_transfer *transfer_of(const void *view) { return &((const struct dycuckoo_args *)view)->transfer; }

#define dycuckoo_grow_begin bucket_begin
#define dycuckoo_grow_end bucket_end
#define dycuckoo_halve_begin bucket_begin
#define dycuckoo_halve_end bucket_end
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

/* Doubling: bucket i's pairs go to 2i or 2i + 1, each in its own slot.  No other bucket's pairs go
 * there: no locks are needed, and reads and writes stream.  The view has the doubled bucket
 * count. */
ROOST_FN enum step dycuckoo_grow_step(const struct shape unused, const tile g, const void *view, const struct batch *b,
                                      struct item *item, struct tally *tally, void *scratch)
{
    const struct dycuckoo_transfer *t = transfer_of(view);
    const struct shape s = t->shape;
    (void)unused, (void)b, (void)scratch;
    const size_t bytes = shape_bucket_bytes(s);
    const unsigned char *from = t->from + item->index * bytes;
    unsigned char *low = t->to + 2 * item->index * bytes;
    for (int slot = g.lane; slot < s.slots; slot += g.size) {
        struct pair pair = pair_load(s, from, slot, false), vacant = {0, 0, false};
        const uint32_t index = home_index(s, (const struct dycuckoo_view *)view, pair.key, t->sub);
        const bool high = index & 1u;
        pair_store(s, low, slot, high ? &vacant : &pair);
        pair_store(s, low + bytes, slot, high ? &pair : &vacant);
        tally->moved += pair.taken;
    }
    return STEP_DONE;
}

/* Halving: as many pairs of buckets 2i and 2i + 1 as fit go to bucket i, which is vacant before.
 * The other ones are residuals. */
ROOST_FN enum step dycuckoo_halve_step(const struct shape unused, const tile g, const void *view, const struct batch *b,
                                       struct item *item, struct tally *tally, void *scratch)
{
    const struct dycuckoo_transfer *t = transfer_of(view);
    const struct shape s = t->shape;
    (void)unused, (void)b, (void)scratch;
    const size_t bytes = shape_bucket_bytes(s);
    int stored = 0;
    for (int i = 0; i < 2 * s.slots; i += g.size) {
        const int slot = i + g.lane;
        struct pair pair = {0, 0, false};
        if (slot < 2 * s.slots) pair = pair_load(s, t->from + (2 * item->index + (slot >= s.slots)) * bytes, slot % s.slots, false);
        const uint32_t who = tile_ballot(g, pair.taken);
        const int place = stored + bit_count32(who & ((1u << g.lane) - 1u));
        stored += bit_count32(who);
        if (pair.taken && place < s.slots) {
            pair_store(s, t->to + item->index * bytes, place, &pair);
            tally->moved++;
            pair.taken = false;
        }
        pairs_append(s, g, t->keys, t->values, t->pairs_n, &pair);
    }
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
