/* compact's evictions, in the dialect: the pass over items that found both homes full.
 *
 * A tile looks for a way to a vacancy, breadth first: pairs of the item's homes have other homes,
 * whose pairs have other homes, and so on.  Nothing moves before a whole way is found.  Then the
 * moves are made from the vacancy backwards, each under the locks of its two buckets, which also
 * make sure that the pair and the vacancy are still there; the last one and the item's own
 * placement under the locks of all buckets that they concern.  The searched buckets are bounded,
 * and so is the work for keys that collide.
 *
 * A tile is a quarter of a warp.  With a lane for each item, a lane that holds locks waits while
 * the others of its warp search: items whose ways met there gave up. */
#ifndef ROOST_COMPACT_EVICT_ITEMS_H
#define ROOST_COMPACT_EVICT_ITEMS_H

#include "engines/compact/compact_items.h"
#include "portable/lock.h"

/* A step gets the view, with which the kernel's arguments begin. */
ROOST_FN const struct compact_transfer *transfer_of(const void *view) { return &((const struct compact_args *)view)->transfer; }

/* The shape of a kernel: its own, or of shape `any` the one that it is told. */
ROOST_FN struct shape compact_shape_or(const struct shape own, const struct shape told) { return own.slots ? own : told; }

/* ---- Locks ----------------------------------------------------------------------------------- */

/* Up to three buckets that a lane locks together, in ascending order, each once. */
struct compact_locks {
    uint32_t bucket[3];
    int n;
};

ROOST_FN void compact_locks_add(struct compact_locks *l, uint32_t bucket)
{
    int at = l->n;
    for (int i = 0; i < l->n; i++)
        if (l->bucket[i] == bucket) return;
    for (; at && l->bucket[at - 1] > bucket; at--) l->bucket[at] = l->bucket[at - 1];
    l->bucket[at] = bucket;
    l->n++;
}

ROOST_FN void compact_locks_back(const struct shape s, const struct compact_view *v, const struct compact_locks *l, int n)
{
    for (int i = 0; i < n; i++) lock_give(compact_lock(s, v, l->bucket[i]), COMPACT_SPARE_SHIFT);
}

/* Locks all buckets, or none.  In ascending order: of tiles that want the same ones, one gets all.
 * No tile waits with a lock.  The fence: as in portable/lock.h; the sync hands what lane 0 acquired
 * on to the other lanes. */
ROOST_FN bool compact_locks_try(const struct shape s, const tile g, const struct compact_view *v, const struct compact_locks *l)
{
    int taken = 0;
    if (g.lane == 0) {
        while (taken < l->n && lock_try(compact_lock(s, v, l->bucket[taken]), COMPACT_SPARE_SHIFT)) taken++;
        if (taken < l->n) compact_locks_back(s, v, l, taken);
        else fence_acquire_device();
    }
    tile_sync(g);
    return tile_any(g, taken == l->n);
}

ROOST_FN void compact_locks_give(const struct shape s, const tile g, const struct compact_view *v, const struct compact_locks *l)
{
    tile_sync(g);
    if (g.lane != 0) return;
    fence_release_device();
    compact_locks_back(s, v, l, l->n);
}

/* ---- Single slots ---------------------------------------------------------------------------- */

/* A slot's tag without its state, from the words of its low part and its state; its low part is
 * below TAKEN if there is no key. */
ROOST_FN struct compact_tag compact_tag_from(const struct shape s, int i, uint32_t low_word, uint32_t state_word)
{
    struct compact_tag tag = {compact_get(compact_low_field(s, i), low_word), 0};
    if (compact_high_bits(s)) tag.high = compact_get(compact_state_field(s, i), state_word) & ~3u;
    else if (tag.low >= COMPACT_TAKEN) tag.low -= (tag.low - COMPACT_TAKEN) % COMPACT_STATES;
    return tag;
}
ROOST_FN struct compact_tag compact_tag_load(const struct shape s, const struct compact_slot at)
{
    const uint32_t low = compact_word(at, compact_low_field(s, at.i));
    return compact_tag_from(s, at.i, low, compact_high_bits(s) ? compact_word(at, compact_state_field(s, at.i)) : low);
}

/* What a tile sees in a bucket that nobody else writes; -1: none. */
struct compact_scan {
    int match, vacancy; /* the slot with a tag; the lowest one without a key */
};
ROOST_FN struct compact_scan compact_scan_for(const struct shape s, const tile g, const struct compact_view *v,
                                              const struct compact_home *home)
{
    struct compact_scan scan = {-1, -1};
    for (int first = 0; first < s.slots; first += g.size) {
        struct compact_tag has = {COMPACT_TAKEN, 0}; /* neither */
        if (first + g.lane < s.slots) has = compact_tag_load(s, compact_slot_at(s, v, home->bucket, first + g.lane));
        const bool beyond = first + g.lane >= s.slots;
        const uint32_t match = tile_ballot(g, !beyond && compact_tags_equal(has, home->tag));
        const uint32_t vacant = tile_ballot(g, !beyond && has.low < COMPACT_TAKEN);
        if (match && scan.match < 0) scan.match = first + bit_lowest32(match);
        if (vacant && scan.vacancy < 0) scan.vacancy = first + bit_lowest32(vacant);
    }
    return scan;
}

/* Does a bucket have a slot without a key?  By one lane. */
ROOST_FN bool compact_has_vacancy(const struct shape s, const struct compact_view *v, uint32_t bucket)
{
    const int per = 32 / compact_low_bits(s), half_slots = compact_half_slots(s);
    bool has = false;
    for (int half = 0; half < COMPACT_HALVES; half++) {
        for (int i = 0; i < half_slots; i += per) {
            const uint32_t word = load_relaxed_device32(compact_half(v, bucket, half) + compact_low_field(s, i).word);
            for (int j = i; j < i + per && j < half_slots; j++)
                has |= half * half_slots + j < s.slots && compact_get(compact_low_field(s, j), word) < COMPACT_TAKEN;
        }
    }
    return has;
}

/* Stores a pair in a slot without a key; false: another lane has taken it.  beside_frees: another
 * lane may have freed the slot in this kernel, without a lock; the fence is for compact_free's. */
ROOST_FN bool compact_put(const struct shape s, const struct compact_slot at, const struct compact_tag tag, uint64_t value,
                          const bool beside_frees)
{
    const struct compact_field low = compact_low_field(s, at.i);
    const bool whole = !compact_high_bits(s);
    if (!compact_claim(s, at, compact_word(at, low), tag.low + (whole ? COMPACT_SETTLED : COMPACT_INCOMPLETE), COMPACT_NO_EPOCH))
        return false;
    if (beside_frees) fence_acquire_device();
    compact_value_store(s, at, value);
    if (!whole) compact_complete(s, at, tag, COMPACT_SETTLED);
    return true;
}

/* The other home of a stored key.  *hash: its first hash; tag: without state. */
ROOST_FN struct compact_home compact_other_home(const struct shape s, const struct compact_view *v, uint32_t bucket,
                                                const struct compact_tag tag, uint64_t *hash)
{
    *hash = compact_hash_of(s, v, bucket, tag);
    return compact_home_at(s, v, *hash, !(compact_tag_number(s, tag) & 1));
}

ROOST_FN bool compact_is_second(const struct shape s, const struct compact_tag tag) { return compact_tag_number(s, tag) & 1; }

/* ---- The search ------------------------------------------------------------------------------ */

/* The tile's scratch memory: buckets that were reached, each from the pair in a slot of an earlier
 * one, number `from`; below 0 for the item's homes. */
enum { COMPACT_NODES = 256 };
struct compact_node {
    uint32_t bucket;
    int16_t from, slot;
};

/* Moves the pair in a slot to its other home.  False: it is gone, or no vacancy is left. */
ROOST_FN bool compact_move_locked(const struct shape s, const tile g, const struct compact_view *v, uint32_t bucket, int slot,
                                  uint32_t to, struct tally *tally)
{
    const struct compact_slot at = compact_slot_at(s, v, bucket, slot);
    const struct compact_tag tag = compact_tag_load(s, at);
    uint64_t hash;
    if (tag.low < COMPACT_TAKEN) return false;
    const struct compact_home other = compact_other_home(s, v, bucket, tag, &hash);
    if (other.bucket != to) return false;
    const int vacancy = compact_scan_for(s, g, v, &other).vacancy;
    if (vacancy < 0) return false;
    if (g.lane == 0) {
        if (!compact_is_second(s, tag)) compact_filter_set(s, v, bucket, compact_filter_bit(hash));
        (void)compact_put(s, compact_slot_at(s, v, to, vacancy), other.tag, compact_value_load(s, at), false);
        (void)compact_free(s, at, tag, compact_word(at, compact_state_field(s, at.i)), COMPACT_VACANT, false);
        tally->evicted++;
    }
    tile_sync(g);
    return true;
}

ROOST_FN bool compact_move(const struct shape s, const tile g, const struct compact_view *v, uint32_t bucket, int slot, uint32_t to,
                           struct tally *tally)
{
    struct compact_locks l = {{bucket}, 1};
    compact_locks_add(&l, to);
    if (!compact_locks_try(s, g, v, &l)) return false;
    const bool moved = compact_move_locked(s, g, v, bucket, slot, to, tally);
    compact_locks_give(s, g, v, &l);
    return moved;
}

/* Adds the other homes of a node's pairs to the nodes.  Returns the number of one with a vacancy;
 * -1: none has any. */
ROOST_FN int compact_expand(const struct shape s, const tile g, const struct compact_view *v, struct compact_node *node, int from,
                            int *n)
{
    const uint32_t bucket = node[from].bucket;
    for (int first = 0; first < s.slots && *n < COMPACT_NODES; first += g.size) {
        const int slot = first + g.lane;
        struct compact_node other = {bucket, (int16_t)from, (int16_t)slot};
        if (slot < s.slots) {
            const struct compact_tag tag = compact_tag_load(s, compact_slot_at(s, v, bucket, slot));
            uint64_t hash;
            if (tag.low >= COMPACT_TAKEN) other.bucket = compact_other_home(s, v, bucket, tag, &hash).bucket;
        }
        const uint32_t who = tile_ballot(g, other.bucket != bucket);
        const int at = *n + bit_count32(who & ((1u << g.lane) - 1u));
        const bool added = other.bucket != bucket && at < COMPACT_NODES;
        if (added) node[at] = other;
        const uint32_t vacant = tile_ballot(g, added && compact_has_vacancy(s, v, other.bucket));
        *n += bit_count32(tile_ballot(g, added));
        tile_sync(g);
        if (vacant) return (int)tile_from32(g, (uint32_t)at, bit_lowest32(vacant));
    }
    return -1;
}

/* A way out of a home of the item: a pair there goes to its other home, which has a vacancy. */
struct compact_way_out {
    uint32_t bucket, to;
    int slot;    /* -1: there is none */
    bool vacant; /* a home has a vacancy */
    bool lost;   /* others changed the way meanwhile */
};
/* Without others in its way an item would find no room, either. */
ROOST_FN bool compact_is_stuck(const struct compact_way_out *way) { return way->slot < 0 && !way->vacant && !way->lost; }

/* Looks for the shortest way out of two buckets, if these are full, and makes its moves but the
 * first one. */
ROOST_FN struct compact_way_out compact_make_room(const struct shape s, const tile g, const struct compact_view *v,
                                                  const struct compact_home *home, struct compact_node *node, struct tally *tally)
{
    struct compact_way_out way = {home[0].bucket, home[0].bucket, -1, false, false};
    int n = 2, at = -1;
    tile_sync(g); /* all lanes have read the nodes of an earlier search */
    for (int i = g.lane; i < 2; i += g.size) {
        const struct compact_node root = {home[i].bucket, -1, 0};
        node[i] = root;
    }
    tile_sync(g);
    way.vacant = compact_scan_for(s, g, v, &home[0]).vacancy >= 0 || compact_scan_for(s, g, v, &home[1]).vacancy >= 0;
    if (way.vacant) return way;
    for (int from = 0; at < 0 && from < n && n < COMPACT_NODES; from++) at = compact_expand(s, g, v, node, from, &n);
    if (at < 0) return way;
    for (; node[node[at].from].from >= 0; at = node[at].from) {
        way.lost = !compact_move(s, g, v, node[node[at].from].bucket, node[at].slot, node[at].bucket, tally);
        if (way.lost) return way;
    }
    way.bucket = node[node[at].from].bucket;
    way.slot = node[at].slot;
    way.to = node[at].bucket;
    return way;
}

/* ---- Items ----------------------------------------------------------------------------------- */

/* An item of a drain: an entry of a stash that nobody else reads, perhaps without a key.  It goes
 * to the buckets, or to the view's stash, if that has entries. */
ROOST_FN void compact_drain_begin(const struct shape s, const struct compact_view *v, struct compact_entry *e, uint64_t index,
                                  struct item *item)
{
    item->key = 0; /* its hash is enough */
    item->value = compact_cell_load(compact_entry_cell(s, e));
    item->index = index;
    item->status = ROOST_ITEM_NONE;
    item->where = item->operation = 0;
    compact_item_place(s, v, e->hash, item);
}

ROOST_FN void compact_evict_begin(const struct shape own, const void *view, const struct batch *b, uint64_t index,
                                  struct item *item)
{
    const struct compact_transfer *t = transfer_of(view);
    const struct compact_view *v = (const struct compact_view *)view;
    const struct shape s = compact_shape_or(own, t->shape);
    if (t->drains) compact_drain_begin(s, v, t->from.stash + index, index, item);
    else compact_item_begin(s, view, b, index, item);
    item->home[3].sub = 0; /* how often it met others */
}
#define compact_evict_end item_report

/* Stores the item's pair in a slot of one of its homes, number i, under its lock. */
ROOST_FN void compact_place_in(const struct shape s, const tile g, const struct compact_view *v, const struct compact_home *home,
                               int i, int slot, struct item *item)
{
    if (g.lane == 0) {
        if (i) compact_filter_set(s, v, home[0].bucket, compact_filter_bit(compact_item_hash(item)));
        (void)compact_put(s, compact_slot_at(s, v, home[i].bucket, slot), home[i].tag, item->value, false);
    }
    item->status = ROOST_ITEM_INSERTED;
}

enum compact_outcome { COMPACT_PLACED, COMPACT_CROWDED, COMPACT_BUSY };

/* Looks for the item's key in the stash, under the locks of its homes, without which nobody adds
 * it; and adds it if there is no room elsewhere.  CROWDED: it is not there. */
ROOST_FN enum compact_outcome compact_place_beside(const struct shape s, const tile g, const struct compact_view *v,
                                                   const struct batch *b, int operation, bool adds, struct item *item)
{
    const struct compact_way w = {CONCURRENT, operation, false};
    if (!adds && !compact_stash_marked(g, v)) return COMPACT_CROWDED;
    const enum step step = compact_stash_work(w, s, g, v, b, COMPACT_NO_EPOCH, adds, item);
    return step == STEP_DONE ? COMPACT_PLACED : step == STEP_PARK ? COMPACT_CROWDED : COMPACT_BUSY;
}

/* Places the item under the locks of its homes: updates its key, or takes a vacancy, or the slot of
 * a pair that moves to its other home, or an entry of the stash.  CROWDED: there is none. */
ROOST_FN enum compact_outcome compact_place_item(const struct shape s, const tile g, const struct compact_view *v,
                                                 const struct batch *b, const struct compact_home *home,
                                                 const struct compact_way_out *way, struct item *item, struct tally *tally)
{
    const int operation = b->operations ? item->operation : ROOST_OP_INSERT + b->mode;
    const struct compact_scan first = compact_scan_for(s, g, v, &home[0]), second = compact_scan_for(s, g, v, &home[1]);
    const int met = first.match >= 0 ? 0 : 1, match = met ? second.match : first.match;
    const int i = first.vacancy >= 0 ? 0 : 1, vacancy = i ? second.vacancy : first.vacancy;
    if (match >= 0) {
        const struct cell c = compact_cell(s, compact_slot_at(s, v, home[met].bucket, match));
        if (g.lane == 0) cell_update(b, operation - ROOST_OP_INSERT, c, item->key, item->value);
        item->status = operation_status(operation, true);
        return COMPACT_PLACED;
    }
    const bool adds = v->stashes && vacancy < 0 && compact_is_stuck(way);
    const enum compact_outcome beside = compact_place_beside(s, g, v, b, operation, adds, item);
    if (beside != COMPACT_CROWDED) return beside;
    if ((vacancy < 0 && way->slot < 0) || !permit_take(g, v->permits)) return COMPACT_CROWDED;
    if (vacancy >= 0) {
        compact_place_in(s, g, v, home, i, vacancy, item);
        return COMPACT_PLACED;
    }
    if (compact_move_locked(s, g, v, way->bucket, way->slot, way->to, tally)) {
        compact_place_in(s, g, v, home, way->bucket != home[0].bucket, way->slot, item);
        return COMPACT_PLACED;
    }
    permit_give(g, v->permits);
    return COMPACT_CROWDED;
}

/* Ends a step of an item that met others at a lock, or whose way they changed.  The pause lets the
 * other tiles of the warp go on, which may hold the lock.  An item is parked only after it met
 * others for a second: they have moved or placed something each time. */
enum { COMPACT_PATIENCE = 1 << 14 };
ROOST_FN enum step compact_evict_later(struct item *item)
{
    const uint32_t times = item->home[3].sub++;
    back_off(times < 4 ? times : 4);
    return times < COMPACT_PATIENCE ? STEP_RETRY : STEP_PARK;
}

/* Makes the last move to an item's home and places the item there, under the locks of all buckets
 * that this concerns: else another tile would take the vacancy. */
ROOST_FN enum compact_outcome compact_move_and_place(const struct shape s, const tile g, const struct compact_view *v,
                                                     const struct batch *b, const struct compact_home *home,
                                                     const struct compact_way_out *way, struct item *item, struct tally *tally)
{
    struct compact_locks l = {{home[0].bucket}, 1};
    compact_locks_add(&l, home[1].bucket);
    compact_locks_add(&l, way->to);
    if (!compact_locks_try(s, g, v, &l)) return COMPACT_BUSY;
    const enum compact_outcome outcome = compact_place_item(s, g, v, b, home, way, item, tally);
    compact_locks_give(s, g, v, &l);
    return outcome;
}

/* Frees the entry of an item that a drain has placed.  It is dead: a search does not end there. */
ROOST_FN enum step compact_drained(const tile g, struct compact_entry *e, struct item *item)
{
    if (g.lane == 0) store_relaxed_device32(&e->state, COMPACT_DEAD_0);
    item->status = ROOST_ITEM_NONE; /* it was counted before */
    return STEP_DONE;
}

ROOST_FN enum step compact_evict_step(const struct shape own, const tile g, const void *view, const struct batch *b,
                                      struct item *item, struct tally *tally, void *scratch)
{
    const struct compact_view *v = (const struct compact_view *)view;
    const struct shape s = compact_shape_or(own, transfer_of(view)->shape);
    const struct compact_home home[2] = {compact_item_home(item), compact_home_at(s, v, compact_item_hash(item), 1)};
    struct compact_way_out way = {home[0].bucket, home[0].bucket, -1, false, false};
    struct compact_entry *const drained = transfer_of(view)->drains ? transfer_of(view)->from.stash + item->index : NULL;
    if (drained && drained->state != COMPACT_STASHED) return STEP_DONE;
    /* A key may be stored that finds no permit. */
    if (!v->permits || (int64_t)tile_from64(g, load_relaxed_device64(v->permits), 0) > 0)
        way = compact_make_room(s, g, v, home, (struct compact_node *)scratch, tally);
    const enum compact_outcome outcome = compact_move_and_place(s, g, v, b, home, &way, item, tally);
    if (outcome == COMPACT_PLACED) return drained ? compact_drained(g, drained, item) : STEP_DONE;
    if (outcome == COMPACT_CROWDED && compact_is_stuck(&way)) return STEP_PARK;
    return compact_evict_later(item);
}

#endif
