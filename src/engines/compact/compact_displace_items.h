/* compact's displacements, in the dialect: the second pass of an insert, for items whose homes are
 * full.  An item takes the slot of a pair in its first home, and the pair goes to its own second
 * home, if that has a vacancy.  Nearly all items find such a pair; longer ways are left to the
 * evictions (compact_evict_items.h).  Nothing but displacements runs in such a kernel.
 *
 * A key is placed, moved and updated by the holder of its first home's lock alone: so items of one
 * key come one after another, and nobody moves a key that an item looks for.  Only pairs that lie
 * in their first homes are moved, by whoever holds that bucket's lock.  A vacancy is anybody's: it
 * is claimed.  So an item needs one lock, where an eviction needs three. */
#ifndef ROOST_COMPACT_DISPLACE_ITEMS_H
#define ROOST_COMPACT_DISPLACE_ITEMS_H

#include "engines/compact/compact_evict_items.h"

/* A pair of a full bucket that can go to its second home. */
struct compact_leaver {
    int slot; /* -1: there is none */
    struct compact_tag tag;
    struct compact_scan there; /* what was seen in its second home */
};

/* Looks for such a pair, and does nothing else: lanes of a warp come together again before they
 * act.  share: the bucket's tags. */
ROOST_FN struct compact_leaver compact_leaver_find(const struct shape s, const struct compact_view *v, uint32_t bucket,
                                                   const struct compact_share *share)
{
    struct compact_leaver out = {-1, {0, 0}, {-1, -1, 0}};
    ROOST_UNROLL
    for (int slot = 0; slot < 32; slot++) {
        const int half = compact_slot_half(s, slot), i = slot - half * compact_half_slots(s);
        const uint64_t *const words = share->word[half];
        uint64_t hash;
        if (slot >= s.slots) break;
        const struct compact_tag tag =
            compact_tag_from(s, i, (uint32_t)words[compact_low_field(s, i).word], (uint32_t)words[compact_state_field(s, i).word]);
        if (out.slot >= 0 || compact_is_second(s, tag)) continue;
        const struct compact_home other = compact_other_home(s, v, bucket, tag, &hash);
        out.there = compact_scan_for(s, v, &other);
        out.tag = tag;
        if (out.there.vacancy >= 0) out.slot = slot;
    }
    return out;
}

/* Moves the pair to its second home, and places the item in its slot.  By a store: in a full bucket
 * nobody claims a slot, and nothing is freed in such a kernel.  False: another lane took the
 * vacancy. */
ROOST_FN bool compact_displace(const struct shape s, const struct compact_view *v, const struct compact_home *home,
                               const struct compact_leaver *out, const struct item *item)
{
    const struct compact_slot at = compact_slot_at(s, v, home->bucket, out->slot);
    uint64_t hash;
    const struct compact_home other = compact_other_home(s, v, home->bucket, out->tag, &hash);
    const struct compact_slot to = compact_slot_at(s, v, other.bucket, out->there.vacancy);
    (void)compact_filter_set(s, v, home->bucket, compact_filter_bit(hash));
    if (!compact_put(s, to, other.tag, compact_value_load(s, at), out->there.seen, false)) return false;
    compact_tag_store(s, at, home->tag, COMPACT_SETTLED);
    compact_value_store(s, at, item->value);
    return true;
}

/* Updates the item's key or places the item, under the lock of its first home.  BUSY: another item
 * took the vacancy that it saw. */
ROOST_FN enum compact_outcome compact_displace_item(const struct shape s, const struct compact_view *v, const struct batch *b,
                                                    const struct compact_home *home, struct item *item, struct tally *tally)
{
    const int operation = b->operations ? item->operation : ROOST_OP_INSERT + b->mode;
    struct compact_share share[2];
    compact_scan_load(s, v, home[0].bucket, &share[0]);
    compact_scan_load(s, v, home[1].bucket, &share[1]);
    const struct compact_scan first = compact_scan_of(s, &share[0], home[0].tag);
    const struct compact_scan second = compact_scan_of(s, &share[1], home[1].tag);
    if (first.match >= 0 || second.match >= 0) {
        const struct compact_slot at = first.match >= 0 ? compact_slot_at(s, v, home[0].bucket, first.match)
                                                        : compact_slot_at(s, v, home[1].bucket, second.match);
        cell_update(b, operation - ROOST_OP_INSERT, compact_cell(s, at), item->key, item->value);
        item->status = operation_status(operation, true);
        return COMPACT_PLACED;
    }
    const bool beside = first.vacancy < 0, vacancy = !beside || second.vacancy >= 0;
    /* By value: an index would put both into memory. */
    const struct compact_home to = beside ? home[1] : home[0];
    const struct compact_scan scan = beside ? second : first;
    struct compact_leaver out = {-1, {0, 0}, {-1, -1, 0}};
    if (!vacancy) out = compact_leaver_find(s, v, home[0].bucket, &share[0]);
    if (!vacancy && out.slot < 0) return COMPACT_CROWDED;
    if (vacancy && beside) (void)compact_filter_set(s, v, home[0].bucket, compact_filter_bit(compact_item_hash(item)));
    const bool placed = vacancy
                            ? compact_put(s, compact_slot_at(s, v, to.bucket, scan.vacancy), to.tag, item->value, scan.seen, false)
                            : compact_displace(s, v, home, &out, item);
    tally->evicted += placed && !vacancy;
    if (!placed) return COMPACT_BUSY;
    item->status = ROOST_ITEM_INSERTED;
    return COMPACT_PLACED;
}

#define compact_displace_begin compact_evict_begin
#define compact_displace_end item_report

/* Ends PARK where that needs an eviction, or the stash may have the key, or others are in its way
 * whenever it looks. */
ROOST_FN enum step compact_displace_step(const struct shape own, const tile g, const void *view, const struct batch *b,
                                         struct item *item, struct tally *tally, void *scratch)
{
    enum { TRIES = 64 };
    const struct compact_view *v = (const struct compact_view *)view;
    const struct shape s = compact_shape_or(own, transfer_of(view)->shape);
    const struct compact_home home[2] = {compact_item_home(item), compact_home_at(s, v, compact_item_hash(item), 1)};
    const struct compact_locks l = compact_locks_of(home[0].bucket, home[0].bucket, home[0].bucket);
    (void)g, (void)scratch;
    if (v->marks->stashed) return STEP_PARK;
    const bool locked = compact_locks_try(s, v, &l, false);
    const enum compact_outcome outcome = locked ? compact_displace_item(s, v, b, home, item, tally) : COMPACT_BUSY;
    if (locked) compact_locks_give(s, v, &l);
    if (outcome != COMPACT_BUSY) return outcome == COMPACT_PLACED ? STEP_DONE : STEP_PARK;
    back_off(0);
    return item->home[3].sub++ < TRIES ? STEP_RETRY : STEP_PARK;
}

#endif
