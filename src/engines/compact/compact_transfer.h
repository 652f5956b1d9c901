/* compact's operations that run alone on the table, in the dialect: exports, tidying, and the
 * estimate of a batch's distinct keys. */
#ifndef ROOST_COMPACT_TRANSFER_H
#define ROOST_COMPACT_TRANSFER_H

#include "engines/compact/compact_verify.h"

ROOST_LINEAR_COUNTING(compact, linear_counting_key)

/* ---- Exports --------------------------------------------------------------------------------- */

#define compact_export_begin bucket_begin
#define compact_export_end bucket_end

/* Is a slot's pair one of those that an export takes? */
ROOST_FN bool compact_is_wanted(const struct shape s, const struct compact_transfer *t, const struct compact_pair *pair)
{
    if (!pair->taken || t->wanted == COMPACT_ALL) return pair->taken;
    const uint64_t hash = compact_pair_hash(s, pair);
    return pair->second == (t->wanted == COMPACT_IN_SECOND) && t->low <= hash && hash <= t->high;
}

/* A stashed pair is a stray. */
ROOST_FN bool compact_entry_is_wanted(const struct compact_transfer *t, const struct compact_entry *e)
{
    return e->state == COMPACT_STASHED && (t->wanted == COMPACT_ALL || (t->low <= e->hash && e->hash <= t->high));
}

/* How many pairs of a unit, a bucket or an entry of the stash behind them, an export takes. */
ROOST_FN uint64_t compact_wanted_in(const struct shape s, const struct compact_view *v, const struct compact_transfer *t,
                                    uint64_t unit)
{
    uint64_t n = 0;
    if (unit >= v->range.buckets) return compact_entry_is_wanted(t, v->stash + (unit - v->range.buckets));
    for (int slot = 0; slot < s.slots; slot++) {
        const struct compact_pair pair = compact_pair_load(s, v, (uint32_t)unit, slot);
        n += compact_is_wanted(s, t, &pair);
    }
    return n;
}

ROOST_FN void compact_export_pair(const struct shape s, const struct compact_view *v, const struct compact_transfer *t,
                                  uint64_t place, uint64_t hash, uint64_t value)
{
    store_width(s.key_bytes, t->keys, place, compact_key_from(s, v, hash));
    if (s.value_bytes && t->values) store_width(s.value_bytes, t->values, place, value);
}

/* Writes the wanted pairs of a unit from a place on; returns the place behind them. */
ROOST_FN uint64_t compact_export_unit(const struct shape s, const struct compact_view *v, const struct compact_transfer *t,
                                      uint64_t unit, uint64_t place)
{
    if (unit >= v->range.buckets) {
        struct compact_entry *const e = v->stash + (unit - v->range.buckets);
        if (!compact_entry_is_wanted(t, e)) return place;
        compact_export_pair(s, v, t, place, e->hash, s.value_bytes ? compact_cell_load(compact_entry_cell(s, e)) : 0);
        return place + 1;
    }
    for (int slot = 0; slot < s.slots; slot++) {
        const struct compact_pair pair = compact_pair_load(s, v, (uint32_t)unit, slot);
        if (compact_is_wanted(s, t, &pair)) compact_export_pair(s, v, t, place++, compact_pair_hash(s, &pair), pair.value);
    }
    return place;
}

/* Appends the wanted pairs of a run of units to arrays; NULL: only counts them.  One add reserves
 * their places, so that no two items write the same ones.  Or verifies them. */
ROOST_FN enum step compact_export_step(const struct shape own, const tile g, const void *view, const struct batch *b,
                                       struct item *item, struct tally *tally, void *scratch)
{
    const struct compact_view *v = (const struct compact_view *)view;
    const struct compact_transfer *t = transfer_of(view);
    const struct shape s = compact_shape_or(own, t->shape);
    const uint64_t first = t->first + item->index * t->run, end = first + t->run < t->end ? first + t->run : t->end;
    uint64_t n = 0;
    (void)g, (void)b, (void)tally, (void)scratch;
    for (uint64_t unit = first; unit < end; unit++)
        n += t->verifies ? compact_verify(s, v, unit) : compact_wanted_in(s, v, t, unit);
    uint64_t place = n ? take_places_relaxed_device64(t->pairs_n, n) : 0;
    for (uint64_t unit = first; unit < end && n && t->keys; unit++) place = compact_export_unit(s, v, t, unit, place);
    return STEP_DONE;
}

/* ---- Tidying --------------------------------------------------------------------------------- */

#define compact_tidy_begin bucket_begin
#define compact_tidy_end bucket_end

/* Stores a pair in a home, if that has a vacancy.  Other lanes store there: the claim makes sure
 * that no two take one slot. */
ROOST_FN bool compact_settle_in(const struct shape s, const struct compact_view *v, const struct compact_home *home, uint64_t value)
{
    for (;;) {
        const struct compact_scan scan = compact_scan_for(s, v, home);
        if (scan.vacancy < 0) return false;
        if (compact_put(s, compact_slot_at(s, v, home->bucket, scan.vacancy), home->tag, value, scan.seen, true)) return true;
    }
}

/* The new filters: two to a word.  The bits are where a bucket's word has them.  By an or, because
 * other lanes set bits of the same word. */
ROOST_FN uint32_t compact_new_bits(const uint32_t *filters, uint32_t bucket)
{
    return filters[bucket / 2] >> (bucket % 2 * COMPACT_FILTER_BITS) << COMPACT_SPARE_SHIFT;
}
ROOST_FN void compact_new_bit(uint32_t *filters, uint32_t bucket, uint32_t bit)
{
    (void)or_relaxed_device32(filters + bucket / 2, bit >> COMPACT_SPARE_SHIFT << (bucket % 2 * COMPACT_FILTER_BITS));
}

/* Two passes over all buckets bring keys back to their first homes, and rebuild the filters, which
 * have bits of keys that are gone.  The first one moves each key of a bucket that lies in its
 * second home back if there is room, or sets its bit among the new filters; it sets those of the
 * stash's keys.  The second one puts
 * these in the place of the old ones: at all times a find's filters have the bits that it needs.  A
 * lane frees slots of its own bucket alone; lanes that move keys into it may take these again, by
 * compact_put.
 * Or one item turns the epoch, in the order of the table's stream. */
ROOST_FN enum step compact_tidy_step(const struct shape unused, const tile g, const void *view, const struct batch *b,
                                     struct item *item, struct tally *tally, void *scratch)
{
    const struct compact_view *v = (const struct compact_view *)view;
    const struct compact_transfer *t = transfer_of(view);
    const struct shape s = t->shape;
    const uint32_t bucket = (uint32_t)item->index;
    (void)unused, (void)g, (void)b, (void)scratch;
    if (t->turns) {
        v->marks->epoch ^= 1u;
        return STEP_DONE;
    }
    if (t->replaces) {
        uint32_t *const word = compact_filter(s, v, bucket), bits = compact_new_bits(t->filters, bucket);
        store_relaxed_device32(word, (load_relaxed_device32(word) & ((1u << COMPACT_SPARE_SHIFT) - 1u)) | bits);
        return STEP_DONE;
    }
    for (uint64_t i = bucket; i < v->stash_entries; i += v->range.buckets) {
        const uint64_t hash = v->stash[i].hash;
        if (v->stash[i].state == COMPACT_STASHED)
            compact_new_bit(t->filters, compact_home_at(s, v, hash, 0).bucket, compact_filter_bit(hash));
    }
    for (int slot = 0; slot < s.slots; slot++) {
        const struct compact_slot at = compact_slot_at(s, v, bucket, slot);
        const struct compact_tag tag = compact_tag_load(s, at);
        uint64_t hash;
        if (tag.low < COMPACT_TAKEN || !compact_is_second(s, tag)) continue;
        const struct compact_home first = compact_other_home(s, v, bucket, tag, &hash);
        if (first.bucket != bucket && compact_settle_in(s, v, &first, compact_value_load(s, at))) {
            (void)compact_free(s, at, tag, compact_word(at, compact_state_field(s, at.i)), COMPACT_VACANT, true);
            tally->evicted++;
        } else {
            compact_new_bit(t->filters, first.bucket, compact_filter_bit(hash));
        }
    }
    return STEP_DONE;
}

/* ---- Batches by region ----------------------------------------------------------------------- */

#define compact_codes_begin bucket_begin
#define compact_codes_end bucket_end

/* Writes the regions of an item's keys: those of their first homes. */
ROOST_FN enum step compact_codes_step(const struct shape unused, const tile g, const void *view, const struct batch *b,
                                      struct item *item, struct tally *tally, void *scratch)
{
    const struct compact_view *v = (const struct compact_view *)view;
    const struct compact_transfer *t = transfer_of(view);
    const int bits = compact_bits(t->shape);
    roost_key key[PARTITION_CODES];
    uint64_t hash[PARTITION_CODES];
    (void)unused, (void)g, (void)tally, (void)scratch;
    partition_codes_load(&t->codes, t->shape.key_bytes, b->keys, item->index, key);
    ROOST_UNROLL
    for (int k = 0; k < PARTITION_CODES; k++) hash[k] = compact_hash(bits, &v->seeds, key[k]) << (64 - bits);
    partition_codes_store(&t->codes, item->index, hash);
    return STEP_DONE;
}

#endif
