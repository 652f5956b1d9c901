/* DyCuckoo's item operations that move pairs, in the dialect: evict (one move makes room) and path
 * (several moves do).  Pairs of one word are evicted without locks; all other moves hold locks.
 * The sections say why they are right, and dycuckoo.h how they fit together. */
#ifndef ROOST_DYCUCKOO_EVICT_ITEMS_H
#define ROOST_DYCUCKOO_EVICT_ITEMS_H

#include "engines/dycuckoo/dycuckoo_items.h"
#include "portable/lock.h"

/* ---- Locks ----------------------------------------------------------------------------------- */

/* The buckets that one step locks, in locking order.  Plain d-ary tables lock a home in every
 * subtable, other tables at most three buckets. */
struct lock_set {
    struct home at[MAX_HOMES];
};

ROOST_FN struct home nowhere(void)
{
    const struct home home = {SPECIAL + 1, 0};
    return home;
}

ROOST_FN bool home_before(const struct home a, const struct home b)
{
    return a.sub < b.sub || (a.sub == b.sub && a.index < b.index);
}
ROOST_FN bool home_same(const struct home a, const struct home b) { return a.sub == b.sub && a.index == b.index; }

ROOST_FN void order_two(struct home *a, struct home *b)
{
    const struct home first = *a, second = *b;
    if (home_before(second, first)) *a = second, *b = first;
}

/* Three buckets, each once.  `nowhere` sorts last. */
ROOST_FN struct lock_set locks_three(const struct home a, const struct home b, const struct home c)
{
    struct lock_set set;
    set.at[0] = a, set.at[1] = b, set.at[2] = c;
    order_two(&set.at[0], &set.at[1]);
    order_two(&set.at[1], &set.at[2]);
    order_two(&set.at[0], &set.at[1]);
    if (home_same(set.at[0], set.at[1])) set.at[0] = nowhere();
    if (home_same(set.at[1], set.at[2])) set.at[1] = nowhere();
    return set;
}

/* The home whose lock an insert of the key holds: the first in locking order that is not
 * excluded. */
ROOST_FN struct home canonical_home(const struct dycuckoo_view *v, const struct home home[MAX_HOMES])
{
    const struct home a = home_excluded(v, home[0]) ? nowhere() : home[0], b = home_excluded(v, home[1]) ? nowhere() : home[1];
    return home_before(b, a) ? b : a;
}

/* All homes of a key, except excluded ones. */
ROOST_FN struct lock_set locks_of(const struct shape s, const struct dycuckoo_view *v, const struct home home[MAX_HOMES])
{
    struct lock_set set;
    ROOST_UNROLL_GPU
    for (int h = 0; h < MAX_HOMES; h++) set.at[h] = h < home_count(s, v) && !home_excluded(v, home[h]) ? home[h] : nowhere();
    if (s.homes == 2) return locks_three(set.at[0], set.at[1], nowhere());
    ROOST_UNROLL_GPU
    for (int i = 0; i < MAX_HOMES * (MAX_HOMES - 1); i++) order_two(&set.at[i % (MAX_HOMES - 1)], &set.at[i % (MAX_HOMES - 1) + 1]);
    if (!home_same(set.at[0], set.at[1])) return set;
    /* the special bucket is every home of its key */
    ROOST_UNROLL_GPU
    for (int h = 1; h < MAX_HOMES; h++) set.at[h] = nowhere();
    return set;
}

ROOST_FN void locks_give(const struct shape s, const struct dycuckoo_view *v, const struct lock_set *set, int end)
{
    ROOST_UNROLL_GPU
    for (int i = 0; i < MAX_HOMES; i++)
        if (i < (s.homes == 2 ? 3 : MAX_HOMES) && i < end && set->at[i].sub <= SPECIAL)
            lock_give(v->sub[set->at[i].sub].locks, set->at[i].index);
}

/* Takes all locks or none.  Every lane gets the same answer. */
ROOST_FN bool locks_try(const struct shape s, const tile g, const struct dycuckoo_view *v, const struct lock_set *set)
{
    bool held = true;
    if (g.lane == 0) {
        ROOST_UNROLL_GPU
        for (int i = 0; i < MAX_HOMES; i++) {
            if (i >= (s.homes == 2 ? 3 : MAX_HOMES) || !held || set->at[i].sub > SPECIAL) continue;
            held = lock_try(v->sub[set->at[i].sub].locks, set->at[i].index);
            if (!held) locks_give(s, v, set, i);
        }
    }
    if (g.lane == 0 && held) fence_acquire_device();
    held = !tile_any(g, !held);
    tile_sync(g); /* the other lanes read after the locks are taken */
    return held;
}

ROOST_FN void locks_release(const struct shape s, const tile g, const struct dycuckoo_view *v, const struct lock_set *set)
{
    tile_sync(g); /* the other lanes have read before the release */
    if (g.lane == 0) {
        fence_release_device();
        locks_give(s, v, set, MAX_HOMES);
    }
}

/* A bucket on the way to a vacancy.  The pair that would move here is in `slot` of the parent. */
struct path_node {
    uint32_t index;
    uint16_t parent; /* NO_PARENT: a home of the new key */
    uint8_t sub;
    uint8_t slot;
};

enum { NO_PARENT = 0xffff };

ROOST_FN struct home node_home(const struct path_node *node)
{
    const struct home home = {node->sub, node->index};
    return home;
}

/* One lane reads a bucket: its match for a key, and its vacancy. */
ROOST_FN struct seek seek_alone(const struct shape s, const struct dycuckoo_view *v, const struct home home, roost_key key)
{
    const tile alone = {1, 0, 1u};
    return bucket_seek_at(CONCURRENT, s, alone, bucket_at(s, v, home), key, vacant_unit(s, home.sub == SPECIAL));
}

/* Puts the key's homes at the head of the queue, and looks into them.  Returns the node of a home
 * that has the key itself or a vacancy, or -1. */
ROOST_FN int path_roots(const struct shape s, const tile g, const struct dycuckoo_view *v, const struct item *item,
                        struct path_node *nodes, uint32_t *tail)
{
    struct bucket_share share[MAX_HOMES];
    int found = -1;
    *tail = 0;
    ROOST_UNROLL_GPU
    for (int h = 0; h < MAX_HOMES; h++)
        if (h < home_count(s, v)) share[h] = bucket_load(CONCURRENT, s, g, bucket_at(s, v, item->home[h]));
    ROOST_UNROLL_GPU
    for (int h = 0; h < MAX_HOMES; h++) {
        if (h >= home_count(s, v)) break;
        if (home_excluded(v, item->home[h])) continue;
        const struct path_node root = {item->home[h].index, NO_PARENT, (uint8_t)item->home[h].sub, 0};
        const struct seek seek = bucket_seek(s, g, &share[h], item->key, vacant_unit(s, item->home[h].sub == SPECIAL));
        if (g.lane == 0) nodes[*tail] = root;
        if (found < 0 && (seek.match >= 0 || seek.vacancy >= 0)) found = (int)*tail;
        ++*tail;
    }
    return found;
}

/* Searches breadth first from the key's homes for a bucket with a vacancy.  Returns its node, or -1
 * when the bound is reached.  Each lane takes a slot of the buckets in the queue and looks at the
 * other homes of its pair, so the search waits for memory twice per g.size slots.  Buckets without
 * a vacancy join the queue while it has room.  Nothing is locked: each move checks again what the
 * search saw. */
ROOST_FN int path_search(const struct shape s, const tile g, const struct dycuckoo_view *v, const struct item *item,
                         struct path_node *nodes)
{
    uint32_t tail;
    tile_sync(g); /* a slower lane may still read the last item's path */
    const int root = path_roots(s, g, v, item, nodes, &tail);
    if (root >= 0) return root;
    for (uint32_t first = 0; first < tail * (uint32_t)s.slots; first += (uint32_t)g.size) {
        const uint32_t mine = first + (uint32_t)g.lane, parent = mine / (uint32_t)s.slots;
        const int slot = (int)(mine % (uint32_t)s.slots);
        tile_sync(g); /* one lane writes a node, another one reads it */
        const struct home at = parent < tail ? node_home(&nodes[parent]) : nowhere();
        const uint64_t unit = parent < tail && at.sub < SPECIAL ? slot_load_unit(s, bucket_at(s, v, at), slot) : 0;
        struct home home[MAX_HOMES];
        homes_of(s, v, unit ? unit_key(s, unit) : 1, home);
        ROOST_UNROLL_GPU
        for (int h = 0; h < MAX_HOMES; h++) {
            if (h >= home_count(s, v)) break;
            const bool wanted = unit && home[h].sub != at.sub && !home_excluded(v, home[h]);
            const bool vacant = wanted && seek_alone(s, v, home[h], unit_key(s, unit)).vacancy >= 0;
            const uint32_t joins = tile_ballot(g, wanted), ends = tile_ballot(g, vacant);
            const uint32_t place = tail + (uint32_t)bit_count32(joins & ((1u << g.lane) - 1u));
            const bool leads = ends && g.lane == bit_lowest32(ends);
            const struct path_node node = {home[h].index, (uint16_t)parent, (uint8_t)home[h].sub, (uint8_t)slot};
            if (leads) nodes[DYCUCKOO_PATH_NODES] = node;
            else if (wanted && place < DYCUCKOO_PATH_NODES) nodes[place] = node;
            if (ends) return DYCUCKOO_PATH_NODES;
            tail += (uint32_t)bit_count32(joins);
            if (tail > DYCUCKOO_PATH_NODES) tail = DYCUCKOO_PATH_NODES;
        }
    }
    return -1;
}

ROOST_FN bool is_home(const struct shape s, const struct dycuckoo_view *v, const struct home home[MAX_HOMES], const struct home at)
{
    bool yes = false;
    ROOST_UNROLL_GPU
    for (int h = 0; h < MAX_HOMES; h++)
        if (h < home_count(s, v)) yes |= home_same(home[h], at);
    return yes;
}

/* Copies the pair, then clears the original.  The pair is never in a register alone: a search for
 * it under the lock of one of its homes finds it. */
ROOST_FN void pair_move(const struct shape s, unsigned char *from, int from_slot, unsigned char *to, int to_slot, uint64_t unit)
{
    if (s.word) slot_store_unit(s, to, to_slot, unit);
    else slot_publish(s, to, to_slot, unit, slot_load_value(s, from, from_slot));
    slot_store_unit(s, from, from_slot, 0);
}

/* Under locks: moves the pair of a key from a slot to a vacancy of its other home.  Returns false
 * if the slot or the home is no longer as it was seen. */
ROOST_FN bool pair_move_locked(const struct shape s, const tile g, const struct dycuckoo_view *v, const struct home from, int slot,
                               const struct home to, roost_key key, struct tally *tally)
{
    unsigned char *source = bucket_at(s, v, from), *target = bucket_at(s, v, to);
    const struct bucket_share share = bucket_load(CONCURRENT, s, g, target);
    const int vacancy = bucket_vacancy(s, g, &share, 0);
    const uint64_t unit = tile_from64(g, slot_load_unit(s, source, slot), 0);
    if (vacancy < 0 || unit_key(s, unit) != key) return false;
    if (g.lane == 0) {
        pair_move(s, source, slot, target, vacancy, unit);
        tally->evicted++;
        tally_stored(tally, to.sub, 1);
        tally_stored(tally, from.sub, (uint32_t)-1);
    }
    return true;
}

/* Moves one pair along the path.  Returns false if a lock is taken, or the buckets are no longer as
 * the search saw them. */
ROOST_FN bool path_move(const struct shape s, const tile g, const struct dycuckoo_view *v, const struct home from, int slot,
                        const struct home to, struct tally *tally)
{
    const uint64_t unit = tile_from64(g, slot_load_unit(s, bucket_at(s, v, from), slot), 0);
    if (unit == 0) return false;
    struct home home[MAX_HOMES];
    homes_of(s, v, unit_key(s, unit), home);
    if (!is_home(s, v, home, to)) return false;
    const struct lock_set locks = locks_of(s, v, home);
    if (!locks_try(s, g, v, &locks)) return false;
    const bool moved = pair_move_locked(s, g, v, from, slot, to, unit_key(s, unit), tally);
    locks_release(s, g, v, &locks);
    return moved;
}

/* Precondition: the key's canonical home is locked.  Updates the key where it is, or publishes it
 * in the first vacancy of the locked homes (`only` one, or all).  Returns false if there is no
 * room. */
ROOST_FN bool insert_settle(const struct shape s, const tile g, const struct dycuckoo_view *v, const struct batch *b,
                            struct item *item, const struct home *only)
{
    int vacancy = -1;
    struct home place = nowhere();
    ROOST_UNROLL_GPU
    for (int h = 0; h < MAX_HOMES; h++) {
        if (h >= home_count(s, v)) break;
        if (home_excluded(v, item->home[h])) continue;
        const struct bucket_share share = bucket_load(CONCURRENT, s, g, bucket_at(s, v, item->home[h]));
        const struct seek seek = bucket_seek(s, g, &share, item->key, vacant_unit(s, item->home[h].sub == SPECIAL));
        if (seek.match >= 0) return insert_update(s, g, v, b, item->home[h], seek.match, item, true);
        if (vacancy >= 0 || (only && !home_same(*only, item->home[h]))) continue;
        vacancy = seek.vacancy;
        place = item->home[h];
    }
    if (vacancy < 0) return false;
    if (g.lane == 0) slot_publish(s, bucket_at(s, v, place), vacancy, item->key, item->value);
    insert_done(item, place.sub);
    return true;
}

/* Counts that the path's free end may stay vacant. */
ROOST_FN void path_leave(const tile g, const struct batch *b, uint32_t moves)
{
    if (moves && g.lane == 0) add_relaxed_device64(&b->counters->untidy, 1);
}

ROOST_FN void path_count(const struct batch *b, uint32_t moves)
{
    add_relaxed_device64(&b->counters->path_length[moves < PATH_LENGTHS ? moves : PATH_LENGTHS - 1], 1);
}

/* ---- Evict by one move ----------------------------------------------------------------------- */

/* A pair that can make room: its slot, what that holds, and a vacancy in its other home. */
struct exchange {
    int slot;
    uint64_t unit;
    struct home to;
    int vacancy;
};

/* The units of this lane's share that are pairs which may move and were not tried yet: bit i is
 * unit i.  `preferred`: their other home is in a subtable with room. */
struct candidates {
    uint32_t preferred, others;
};

ROOST_FN struct candidates candidates_of(const struct shape s, const tile g, const struct dycuckoo_view *v, const struct home at,
                                         const struct bucket_share *share)
{
    struct candidates c = {0, 0};
    ROOST_UNROLL_GPU
    for (int i = 0; i < MAX_SLOTS; i++) {
        if (i >= share_units(s, g)) break;
        if (share_slot(s, g, share, i) >= s.slots || share->unit[i] == 0)
            continue; /* vacant by now: the holder of the locks will see it */
        const struct home to = pair_home(v, unit_key(s, share->unit[i]), at.sub, true);
        if (home_excluded(v, to)) continue;
        if (v->preferred >> to.sub & 1u) {
            c.preferred |= 1u << i;
            bucket_prefetch(s, bucket_at(s, v, to));
        } else {
            c.others |= 1u << i;
        }
    }
    return c;
}

/* Does the other home of this lane's i-th pair have a vacancy?  Not if the pair is there already:
 * then another item is moving it. */
ROOST_FN bool exchange_try(const struct shape s, const tile g, const struct dycuckoo_view *v, const struct home at,
                           const struct bucket_share *share, int i, struct exchange *x)
{
    x->unit = 0;
    /* constant indices: the share stays in registers */
    ROOST_UNROLL
    for (int u = 0; u < MAX_SLOTS; u++)
        if (u < share_units(s, g) && u == i) x->unit = share->unit[u];
    x->slot = share_slot(s, g, share, i);
    x->to = pair_home(v, unit_key(s, x->unit), at.sub, true);
    x->vacancy = seek_alone(s, v, x->to, unit_key(s, x->unit)).vacancy;
    return x->vacancy >= 0;
}

/* Each lane looks at the other home of one of its pairs, round by round, preferred pairs first,
 * until a lane finds a vacancy.  Returns that lane, on which *x is valid, or -1 when all pairs were
 * tried. */
ROOST_FN int exchange_next(const struct shape s, const tile g, const struct dycuckoo_view *v, const struct home at,
                           const struct bucket_share *share, struct candidates *left, struct exchange *x)
{
    while (tile_any(g, (left->preferred | left->others) != 0)) {
        const bool preferred = left->preferred != 0;
        const int i = bit_lowest32(preferred ? left->preferred : left->others);
        const bool found = i >= 0 && exchange_try(s, g, v, at, share, i, x);
        const uint32_t best = tile_min32(g, !found ? 64u : preferred ? (uint32_t)g.lane : 32u + (uint32_t)g.lane);
        /* a vacancy that another lane found may serve later */
        if (!found || g.lane == (int)(best & 31u)) {
            if (preferred) left->preferred &= left->preferred - 1;
            else left->others &= left->others - 1;
        }
        if (best < 64) return (int)(best & 31u);
    }
    return -1;
}

/* Which home to make room in first: the one whose own subtable has no room to spare.  Its pairs
 * have more room elsewhere. */
ROOST_FN bool second_home_first(const struct dycuckoo_view *v, const struct home first, const struct home second)
{
    return (v->preferred >> first.sub & 1u) && !(v->preferred >> second.sub & 1u);
}

/* ---- ... of one word, without locks ----------------------------------------------------------
 *
 * Every key of this pass is in the pass once, and not in the table.  Of several items with one key,
 * the first to set a bit of the map `claims` goes on.  The others update what it stored if they
 * find it, or are parked.  No slot becomes vacant, so a home that was seen full stays full.
 *
 * A full bucket A holds a pair v whose other home C has a vacancy.  The new key k replaces v in two
 * steps: a slot of C is claimed for v, as in fill; then k is stored over v in A.
 *   - Two items may choose the same v.  Both claim the lowest vacant slot of C, and one of them
 *     loses.  An item that claims a later slot has seen the lowest one taken, and v not in it.  So
 *     one item has v, and it alone writes to v's slot in A.
 *   - v does not come back to A, which is full.  k does not move: both its homes are full.  So an
 *     item may update k without a lock.  No item of this pass has the key of v: fill would have
 *     found it. */

/* Is this the first item of its key in the pass?  A bit may belong to another key, too: then the
 * item is parked without need. */
ROOST_FN bool claim_key(const tile g, const struct dycuckoo_view *v, roost_key key)
{
    bool first = false;
    if (g.lane == 0) {
        const uint32_t at = range64(hash_first(&v->seeds, key), v->claim_bits), bit = 1u << (at & 31u);
        first = (or_relaxed_device32(v->claims + (at >> 5), bit) & bit) == 0;
    }
    return tile_any(g, first);
}

/* For an item that is not the first: updates the key if it is there by now. */
ROOST_FN enum step update_or_park(const struct shape s, const tile g, const struct dycuckoo_view *v, const struct batch *b,
                                  struct item *item)
{
    for (int h = 0; h < 2; h++) {
        const struct home at = h ? item->home[1] : item->home[0];
        if (home_excluded(v, at)) continue;
        const struct bucket_share share = bucket_load(CONCURRENT, s, g, bucket_at(s, v, at));
        const int match = bucket_match(s, g, &share, item->key);
        if (match < 0) continue;
        insert_update(s, g, v, b, at, match, item, true);
        return STEP_DONE;
    }
    return STEP_PARK;
}

/* Takes a vacancy of the home if it has one (the other home may be excluded), or replaces one of
 * its pairs. */
ROOST_FN bool exchange_word(const struct shape s, const tile g, const struct dycuckoo_view *v, struct item *item,
                            const struct home at, struct tally *tally)
{
    unsigned char *bucket = bucket_at(s, v, at);
    struct bucket_share share = bucket_load(CONCURRENT, s, g, bucket);
    for (int slot; (slot = bucket_vacancy(s, g, &share, vacant_unit(s, at.sub == SPECIAL))) >= 0;) {
        if (claim_word(s, g, v, item, at, slot) == CLAIM_DONE) return true;
        share = bucket_load(CONCURRENT, s, g, bucket);
    }
    if (at.sub == SPECIAL) return false;
    struct candidates left = candidates_of(s, g, v, at, &share);
    struct exchange x;
    for (int lane; (lane = exchange_next(s, g, v, at, &share, &left, &x)) >= 0;) {
        bool moved = false;
        if (g.lane == lane) moved = slot_cas_unit(s, bucket_at(s, v, x.to), x.vacancy, 0, x.unit) == 0;
        if (moved) {
            slot_store_unit(s, bucket, x.slot, pair_unit(s, item->key, item->value));
            tally->evicted++;
            tally->exchanged++;
            tally_stored(tally, x.to.sub, 1);
            tally_stored(tally, at.sub, (uint32_t)-1);
        }
        if (!tile_any(g, moved)) continue;
        insert_done(item, at.sub);
        return true;
    }
    return false;
}

ROOST_FN enum step evict_word(const struct shape s, const tile g, const struct dycuckoo_view *v, const struct batch *b,
                              struct item *item, struct tally *tally)
{
    if (!claim_key(g, v, item->key)) return update_or_park(s, g, v, b, item);
    const bool second_first = second_home_first(v, item->home[0], item->home[1]);
    for (int h = 0; h < 2; h++) {
        const struct home at = (h == 1) != second_first ? item->home[1] : item->home[0];
        if (!home_excluded(v, at) && exchange_word(s, g, v, item, at, tally)) return STEP_DONE;
    }
    return STEP_PARK;
}

/* ---- ... of two words, under locks ----------------------------------------------------------- */

/* Inserts the new key with three buckets locked: the moved pair's homes (`at` and x->to) and the
 * key's canonical one.  If need be it moves the pair, as the last move of a path, after `moves`
 * others. */
ROOST_FN enum step exchange_under_locks(const struct shape s, const tile g, const struct dycuckoo_view *v, const struct batch *b,
                                        struct item *item, const struct home at, const struct exchange *x, uint32_t moves,
                                        struct tally *tally)
{
    const struct lock_set locks = locks_three(canonical_home(v, item->home), at, x->to);
    if (!locks_try(s, g, v, &locks)) {
        path_leave(g, b, moves);
        return STEP_RETRY;
    }
    const bool settled = insert_settle(s, g, v, b, item, &at);
    const bool moved = !settled && pair_move_locked(s, g, v, at, x->slot, x->to, unit_key(s, x->unit), tally);
    if (moved) {
        if (g.lane == 0) slot_publish(s, bucket_at(s, v, at), x->slot, item->key, item->value);
        if (g.lane == 0 && moves == 0) tally->exchanged++;
        if (g.lane == 0 && moves > 0) path_count(b, moves + 1);
        insert_done(item, at.sub);
    }
    locks_release(s, g, v, &locks);
    if (settled && g.lane == 0) path_count(b, 0);
    if (!moved) path_leave(g, b, moves);
    return settled || moved ? STEP_DONE : STEP_RETRY;
}

/* Hands what one lane found to all of them. */
ROOST_FN struct exchange exchange_from(const tile g, const struct exchange *x, int lane)
{
    struct exchange y;
    y.slot = (int)tile_from32(g, (uint32_t)x->slot, lane);
    y.unit = tile_from64(g, x->unit, lane);
    y.to.sub = tile_from32(g, x->to.sub, lane);
    y.to.index = tile_from32(g, x->to.index, lane);
    y.vacancy = -1;
    return y;
}

/* STEP_PARK: no home of the key has a pair that could move. */
ROOST_FN enum step evict_locked(const struct shape s, const tile g, const struct dycuckoo_view *v, const struct batch *b,
                                struct item *item, struct tally *tally)
{
    const bool second_first = second_home_first(v, item->home[0], item->home[1]);
    for (int h = 0; h < 2; h++) {
        const struct home at = (h == 1) != second_first ? item->home[1] : item->home[0];
        if (at.sub == SPECIAL || home_excluded(v, at)) continue;
        const struct bucket_share share = bucket_load(CONCURRENT, s, g, bucket_at(s, v, at));
        struct candidates left = candidates_of(s, g, v, at, &share);
        struct exchange mine;
        const int lane = exchange_next(s, g, v, at, &share, &left, &mine);
        if (lane < 0) continue;
        const struct exchange x = exchange_from(g, &mine, lane);
        return exchange_under_locks(s, g, v, b, item, at, &x, 0, tally);
    }
    return STEP_PARK;
}

/* ---- Evict by a path ------------------------------------------------------------------------- */

/* The new key replaces the path's last pair, which is in a home of the key, under one set of locks:
 * no other item can take the vacancy between. */
ROOST_FN enum step path_exchange(const struct shape s, const tile g, const struct dycuckoo_view *v, const struct batch *b,
                                 struct item *item, struct tally *tally, const struct path_node *nodes, int last, uint32_t moves)
{
    const struct home at = node_home(&nodes[nodes[last].parent]);
    struct exchange x;
    x.slot = nodes[last].slot;
    x.to = node_home(&nodes[last]);
    x.unit = tile_from64(g, slot_load_unit(s, bucket_at(s, v, at), x.slot), 0);
    x.vacancy = -1;
    if (x.unit && home_same(pair_home(v, unit_key(s, x.unit), at.sub, true), x.to))
        return exchange_under_locks(s, g, v, b, item, at, &x, moves, tally);
    path_leave(g, b, moves);
    return STEP_RETRY;
}

/* One attempt: searches a path, moves its pairs from the free end backwards, then inserts.  A
 * conflict with another item costs this item its turn, never a pair: every move is complete in
 * itself.  A vacancy that was made and not used makes a table of two homes untidy; others are never
 * tidy. */
ROOST_FN enum step evict_by_path(const struct shape s, const tile g, const struct dycuckoo_view *v, const struct batch *b,
                                 struct item *item, struct tally *tally, struct path_node *nodes)
{
    const int found = path_search(s, g, v, item, nodes);
    tile_sync(g); /* one lane wrote the free end's node */
    int at = found;
    uint32_t moves = 0;
    for (; at >= 0 && nodes[at].parent != NO_PARENT; at = nodes[at].parent, moves++) {
        if (s.homes == 2 && nodes[nodes[at].parent].parent == NO_PARENT) break;
        if (path_move(s, g, v, node_home(&nodes[nodes[at].parent]), nodes[at].slot, node_home(&nodes[at]), tally)) continue;
        path_leave(g, b, moves);
        return STEP_RETRY;
    }
    if (at >= 0 && nodes[at].parent != NO_PARENT) return path_exchange(s, g, v, b, item, tally, nodes, at, moves);
    const struct lock_set locks = locks_of(s, v, item->home);
    if (!locks_try(s, g, v, &locks)) return STEP_RETRY;
    const bool settled = insert_settle(s, g, v, b, item, NULL);
    locks_release(s, g, v, &locks);
    if (settled && g.lane == 0) path_count(b, moves);
    if (settled) return STEP_DONE;
    return found >= 0 ? STEP_AGAIN : STEP_PARK; /* found: another key took the vacancy */
}

/* ---- The two operations ---------------------------------------------------------------------- */

#define dycuckoo_evict_begin insert_load
#define dycuckoo_evict_end item_report
#define dycuckoo_path_begin insert_load
#define dycuckoo_path_end item_report

/* Plain d-ary tables have no short way: all their items go on to the path search.  So do all items
 * while permits are counted: fill has parked items for want of a permit, whose keys may be in the
 * table by now, or whose homes have vacancies.  One of these, put into its second home in exchange
 * for a pair there, would lie behind the vacancy of its first one, against invariant I. */
ROOST_FN enum step dycuckoo_evict_step(const struct shape s, const tile g, const void *view, const struct batch *b,
                                       struct item *item, struct tally *tally, void *scratch)
{
    const struct dycuckoo_view *v = (const struct dycuckoo_view *)view;
    (void)scratch;
    if (s.homes != 2 || v->permits) return STEP_PARK;
    return s.word ? evict_word(s, g, v, b, item, tally) : evict_locked(s, g, v, b, item, tally);
}

ROOST_FN enum step dycuckoo_path_step(const struct shape s, const tile g, const void *view, const struct batch *b,
                                      struct item *item, struct tally *tally, void *scratch)
{
    const struct dycuckoo_view *v = (const struct dycuckoo_view *)view;
    if (!permit_take(g, permits_of(v, item))) return STEP_PARK;
    return permit_settle(g, v, item, evict_by_path(s, g, v, b, item, tally, (struct path_node *)scratch));
}

#endif
