/* compact's item operations, in the dialect: find, insert, erase, and mixes of them.  compact.h
 * argues that they are correct. */
#ifndef ROOST_COMPACT_ITEMS_H
#define ROOST_COMPACT_ITEMS_H

#include "engines/compact/compact_stash.h"

/* ---- Items ----------------------------------------------------------------------------------- */

/* An item keeps its first home in home[0] and home[1].sub, and its hash in home[2]. */
ROOST_FN void compact_item_place(const struct shape s, const struct compact_view *v, uint64_t hash, struct item *item)
{
    const struct compact_home home = compact_home_of(s, v, hash, 0);
    item->home[0].index = home.bucket;
    item->home[0].sub = home.tag.low;
    item->home[1].sub = home.tag.high;
    item->home[2].sub = (uint32_t)hash;
    item->home[2].index = (uint32_t)(hash >> 32);
    prefetch_read(compact_half(v, home.bucket, 0));
}

/* values, mixed: constants, because a test of each pointer is work for each item. */
ROOST_FN void compact_item_begin(const struct shape s, const void *view, const struct batch *b, uint64_t index, const bool values,
                                 const bool mixed, struct item *item)
{
    const struct compact_view *v = (const struct compact_view *)view;
    item->key = load_width(s.key_bytes, b->keys, index);
    item->value = values && b->values_in && s.value_bytes ? load_width(s.value_bytes, b->values_in, index) : 0;
    item->index = index;
    item->status = ROOST_ITEM_NONE;
    item->where = 0;
    item->operation = mixed ? b->operations[index] : 0;
    compact_item_place(s, v, compact_hash(compact_bits(s), &v->seeds, item->key), item);
    /* Items of a list go to their second homes. */
    if (b->order) prefetch_read(compact_half(v, compact_home_at(s, v, compact_item_hash(item), 1).bucket, 0));
}

#if defined(ROOST_MACHINE_HOST)
/* Loads ahead the second home of an item whose first one says that its key may be there. */
ROOST_FN void compact_item_approach(const struct shape s, const void *view, struct item *item, const int stage)
{
    const struct compact_view *v = (const struct compact_view *)view;
    const uint64_t hash = compact_item_hash(item);
    if (stage || !(load_relaxed_device32(compact_filter(s, v, item->home[0].index)) & compact_filter_bit(hash))) return;
    prefetch_read(compact_half(v, compact_home_at(s, v, hash, 1).bucket, 0));
}
#endif

ROOST_FN struct compact_home compact_item_home(const struct item *item)
{
    const struct compact_home home = {item->home[0].index, {item->home[0].sub, item->home[1].sub}};
    return home;
}

/* ---- Visits ---------------------------------------------------------------------------------- */

/* A bucket that a tile has looked into. */
struct compact_visit {
    struct compact_home home;
    struct compact_look look;
};

/* Do the tiles of a warp load the same parts of buckets, whatever their items do? */
#if defined(ROOST_MACHINE_HOST)
enum { COMPACT_ALIKE = 0 };
#else
enum { COMPACT_ALIKE = 1 };
#endif

/* goes: else the tile only comes along, and what it sees is nothing. */
ROOST_FN void compact_visit(const struct compact_way w, const struct shape s, const tile g, const struct compact_view *v,
                            const bool goes, struct compact_wish *wish, struct compact_visit *visit, struct tally *tally)
{
    const bool value = s.value_bytes && ((w.mixed && COMPACT_ALIKE) || w.operation == ROOST_OP_FIND);
    const struct compact_aim aim = {w.phase, w.mixed || wish->inserts, value};
    wish->tag = visit->home.tag;
    if (g.lane == 0 && goes && w.operation == ROOST_OP_FIND) tally_read(tally);
    visit->look = compact_look_into(s, g, aim, v, visit->home.bucket, wish, goes);
}

/* May this kernel have completed the match?  On the lane that acts on it. */
ROOST_FN bool compact_is_fresh(const struct shape s, const struct compact_slot at, const struct compact_visit *visit)
{
    const uint32_t settled = (compact_high_bits(s) ? visit->home.tag.high : visit->home.tag.low) + COMPACT_SETTLED;
    return compact_get(compact_state_field(s, at.i), visit->look.seen) != settled;
}

/* The match's value, on the lane that acts on it.  It was loaded with the bucket, and is one that
 * the key had then: a settled pair was there since before this kernel.  The value of one that is
 * not settled is loaded after the tag, because the tag may be newer than what was loaded.  An
 * erased slot keeps its value while this kernel runs.  The fence pairs with the release of
 * compact_complete. */
ROOST_FN uint64_t compact_visit_value(const struct compact_way w, const struct shape s, const struct compact_slot at,
                                      const struct compact_visit *visit)
{
    if (w.phase == QUIESCENT || !compact_is_fresh(s, at, visit)) return visit->look.value;
    fence_acquire_branch_device();
    return compact_value_load(s, at);
}

/* ---- Writes, each by one lane ---------------------------------------------------------------- */

/* May one compare-and-swap claim and complete a slot, whose value follows?  Only if nobody reads
 * the value in this kernel, and its other writers leave any of the key's values: whichever store
 * comes last is that of one of the items, and which one came last is not known without statuses. */
ROOST_FN bool compact_is_whole(const struct compact_way w, const struct shape s, const struct batch *b)
{
    const bool any = b->mode == ROOST_KEEP || (b->mode == ROOST_ASSIGN && !b->statuses);
    return !compact_high_bits(s) && (s.value_bytes == 0 || (!w.mixed && any));
}

/* Stores the item's pair in an open slot.  bit: to be set first in the item's first home; 0: none.
 * False: the slot is not open any more.  The fence: where a claim completes the slot, nothing else
 * releases the bit.  Another item could meet the key, and a later find not see the bit. */
ROOST_FN bool compact_store(const struct compact_way w, const struct shape s, const struct compact_view *v, const struct batch *b,
                            const struct compact_slot at, const struct compact_tag tag, uint32_t seen, uint32_t bit, uint32_t epoch,
                            const struct item *item)
{
    const bool whole = compact_is_whole(w, s, b);
    const uint32_t filter = bit ? compact_filter_set(s, v, item->home[0].index, bit) : 0;
    if (bit && whole && w.mixed) fence_release_device();
    if (!compact_claim(s, at, seen, tag.low + (whole ? COMPACT_SETTLED : COMPACT_INCOMPLETE), epoch)) return false;
    if (whole) compact_value_store(s, at, item->value);
    else if (w.mixed) return compact_complete(s, at, tag, COMPACT_FRESH, item->value, filter);
    else (void)compact_complete(s, at, tag, COMPACT_SETTLED, item->value, filter);
    return true;
}

/* Updates the match's value.  If the slot was completed by this kernel, the fence orders the update
 * behind the first store of the value. */
ROOST_FN void compact_update(const struct compact_way w, const struct shape s, const struct batch *b, const struct compact_slot at,
                             const struct compact_visit *visit, const struct item *item)
{
    const int mode = w.operation - ROOST_OP_INSERT;
    if (mode == ROOST_KEEP || s.value_bytes == 0) return;
    if (!compact_is_whole(w, s, b) && (!w.mixed || compact_is_fresh(s, at, visit))) fence_acquire_branch_device();
    cell_update(b, mode, compact_cell(s, at), item->key, item->value);
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* Acts on the slot that a visit has found: the key's, or for inserts a vacancy; one lane does.
 * `bit` is to be set first in the filter of the item's first home; 0: none.  Tiles that are abreast
 * come here together, whatever they do, or if they do nothing (idle). */
ROOST_FN enum step compact_act(const struct compact_way w, const struct shape s, const tile g, const struct compact_view *v,
                               const struct batch *b, const struct compact_visit *visit, uint32_t bit, uint32_t epoch,
                               const bool idle, struct item *item)
{
    const bool finds = w.operation == ROOST_OP_FIND, inserts = operation_inserts(w.operation);
    const bool meets = !idle && visit->look.match >= 0, lacks = !idle && visit->look.match < 0;
    const bool waits = meets && visit->look.waits, may_find = w.mixed || w.phase == QUIESCENT;
    const int slot = visit->look.match >= 0 ? visit->look.match : visit->look.vacancy,
              actor = compact_lane_of(g, compact_slot_half(s, slot));
    const struct compact_slot at = compact_slot_at(s, v, visit->home.bucket, slot < 0 ? 0 : slot);
    const bool adds = inserts && lacks && slot >= 0 && permit_take(tile_apart(g), v->permits);
    uint64_t value = 0;
    bool failed = false;
    if (g.lane == actor && adds) failed = !compact_store(w, s, v, b, at, visit->home.tag, visit->look.seen, bit, epoch, item);
    if (g.lane == actor && meets && inserts && !waits) compact_update(w, s, b, at, visit, item);
    if (g.lane == actor && meets && finds && s.value_bytes) value = compact_visit_value(w, s, at, visit);
    if (g.lane == actor && meets && w.operation == ROOST_OP_ERASE) {
        const uint32_t mark = w.mixed ? COMPACT_DEAD_0 + epoch : (uint32_t)COMPACT_VACANT;
        failed = !compact_free(s, at, visit->home.tag, visit->look.seen, mark, false);
    }
    if (w.phase != QUIESCENT && !w.early) failed = tile_any(g, failed);
    if (may_find && s.value_bytes)
        value = s.value_bytes == 4 ? tile_from32(g, (uint32_t)value, actor) : tile_from64(g, value, actor);
    if (waits) return STEP_RETRY;
    if (inserts && lacks && !adds) return STEP_PARK;
    if (failed && adds) permit_give(g, v->permits);
    if (failed) return STEP_AGAIN;
    if (finds && !idle) item->value = value;
    if (meets) item->status = operation_status(w.operation, true);
    if (adds) item->status = ROOST_ITEM_INSERTED;
    return STEP_DONE;
}

/* One try of any operation.  idle: there is none, but the tile looks where its item leads. */
ROOST_FN enum step compact_work(const struct compact_way w, const struct shape s, const tile g, const struct compact_view *v,
                                const struct batch *b, const bool idle, struct item *item, struct tally *tally)
{
    const bool inserts = operation_inserts(w.operation);
    const uint64_t hash = compact_item_hash(item);
    const uint32_t epoch = w.mixed ? v->marks->epoch : (uint32_t)COMPACT_NO_EPOCH, bit = compact_filter_bit(hash);
    struct compact_wish wish = {{0, 0}, bit, epoch, inserts ? compact_start(s, hash) : 0, inserts};
    struct compact_visit visit;
    enum step met = STEP_PARK; /* what the stash says */
    uint32_t sets = 0;
    /* An item that waited because its key may be in its second home has seen the first one: a find,
     * or an erase, which in a mixed kernel waits before it looks. */
    const bool seen = item_waited(item) && w.operation == (w.mixed ? ROOST_OP_FIND : ROOST_OP_ERASE);
    visit.home = compact_item_home(item);
    if (!inserts && !idle) item->status = ROOST_ITEM_ABSENT;
    compact_visit(w, s, g, v, !seen, &wish, &visit, tally);
    const struct compact_look first = visit.look;
    const bool filtered = seen || first.filtered;
    const bool far = !idle && first.match < 0 && (filtered || (inserts && first.vacancy < 0));
    const bool later = far && item_hurries(item), goes = far && !later;
    if (tile_any_abreast(g, goes)) {
        if (g.lane == 0 && goes && w.operation == ROOST_OP_FIND) tally->second_reads += ROOST_PROBES;
        struct compact_visit second = {compact_home_at(s, v, hash, 1), first};
        compact_visit(w, s, g, v, goes, &wish, &second, tally);
        if (goes) visit = second, sets = bit;
        const bool adds = w.mixed && v->stashes && inserts && first.vacancy < 0 && visit.look.vacancy < 0;
        if (goes && visit.look.match < 0 && (adds || (filtered && compact_stash_marked(tile_apart(g), v))))
            met = compact_stash_work(w, s, tile_apart(g), v, b, epoch, adds, item);
    }
    if (inserts && visit.look.match < 0 && first.vacancy >= 0) { /* as it was seen there */
        visit.home = compact_item_home(item);
        visit.look = first;
        sets = 0;
    }
    const enum step acted = compact_act(w, s, g, v, b, &visit, sets, epoch, idle || later || met != STEP_PARK, item);
    if (later) return STEP_LATER;
    return met != STEP_PARK ? met : acted;
}

ROOST_FN void compact_find_begin(const struct shape s, const void *view, const struct batch *b, uint64_t index, struct item *item)
{
    compact_item_begin(s, view, b, index, false, false, item);
}
#define compact_find_end item_report_find

ROOST_FN enum step compact_find_step(const struct shape s, const tile g, const void *view, const struct batch *b, struct item *item,
                                     struct tally *tally, void *scratch)
{
    const struct compact_way w = {QUIESCENT, ROOST_OP_FIND, false, false};
    (void)scratch;
    (void)compact_work(w, s, g, (const struct compact_view *)view, b, item_is_idle(item), item, tally);
    return STEP_DONE;
}

ROOST_FN void compact_insert_begin(const struct shape s, const void *view, const struct batch *b, uint64_t index, struct item *item)
{
    compact_item_begin(s, view, b, index, true, false, item);
}
#define compact_insert_early NULL
#define compact_insert_end item_report

ROOST_FN enum step compact_insert_step(const struct shape s, const tile g, const void *view, const struct batch *b,
                                       struct item *item, struct tally *tally, void *scratch)
{
    const struct compact_way w = {CONCURRENT, ROOST_OP_INSERT + b->mode, false, false};
    (void)scratch;
    return compact_work(w, s, g, (const struct compact_view *)view, b, item_is_idle(item), item, tally);
}

#define compact_erase_begin compact_find_begin
#define compact_erase_early NULL
#define compact_erase_end item_report

ROOST_FN enum step compact_erase_step(const struct shape s, const tile g, const void *view, const struct batch *b,
                                      struct item *item, struct tally *tally, void *scratch)
{
    const struct compact_way w = {CONCURRENT, ROOST_OP_ERASE, false, false};
    (void)scratch;
    return compact_work(w, s, g, (const struct compact_view *)view, b, item_is_idle(item), item, tally);
}

ROOST_FN void compact_apply_begin(const struct shape s, const void *view, const struct batch *b, uint64_t index, struct item *item)
{
    compact_item_begin(s, view, b, index, !item_hurries(item), true, item);
}
#define compact_apply_end item_report_find

#if defined(ROOST_MACHINE_CUDA)
/* The early steps of two items of a mixed kernel: finds look into their first homes, and most end
 * there.  Those that write come along and wait for each other.  So finds take hardly more
 * instructions than in a kernel of their own. */
ROOST_FN void compact_apply_early(const struct shape s, const tile g, const void *view, const struct batch *b, struct item *items,
                                  enum step *results, struct tally *tally)
{
    enum { ITEMS = 2 };
    const struct compact_view *v = (const struct compact_view *)view;
    const struct compact_way w = {CONCURRENT, ROOST_OP_FIND, true, true};
    const struct compact_aim aim = {w.phase, false, s.value_bytes != 0};
    struct compact_share share[ITEMS];
    bool finds[ITEMS];
    ROOST_UNROLL
    for (int k = 0; k < ITEMS; k++) {
        const bool takes = batch_takes(b, items[k].operation);
        results[k] = takes ? STEP_LATER : STEP_DONE;
        finds[k] = takes && items[k].operation == ROOST_OP_FIND && !item_is_idle(&items[k]);
        share[k] = compact_share_none();
        if (finds[k]) compact_load(w.phase, s, g, v, items[k].home[0].index, aim.value, &share[k]);
    }
    ROOST_UNROLL
    for (int k = 0; k < ITEMS; k++) {
        struct compact_visit visit;
        visit.home = compact_item_home(&items[k]);
        const struct compact_wish wish = {visit.home.tag, compact_filter_bit(compact_item_hash(&items[k])), COMPACT_NO_EPOCH, 0,
                                          false};
        if (g.lane == 0 && finds[k]) tally_read(tally), tally_item_end(tally);
        visit.look = compact_look_for(s, g, aim, &share[k], &wish);
        const bool ends = finds[k] && (visit.look.match >= 0 || !visit.look.filtered);
        if (finds[k]) items[k].status = ROOST_ITEM_ABSENT;
        const enum step acted = compact_act(w, s, g, v, b, &visit, 0, COMPACT_NO_EPOCH, !ends, &items[k]);
        if (ends) results[k] = acted;
    }
}
#endif

ROOST_FN enum step compact_apply_step(const struct shape s, const tile g, const void *view, const struct batch *b,
                                      struct item *item, struct tally *tally, void *scratch)
{
    const struct compact_view *v = (const struct compact_view *)view;
    const struct compact_way w = {CONCURRENT, item->operation, true, false};
    const bool takes = batch_takes(b, item->operation);
    (void)scratch;
    const enum step result = compact_work(w, s, g, v, b, item_is_idle(item) || !takes, item, tally);
    return takes ? result : STEP_DONE;
}

#endif
