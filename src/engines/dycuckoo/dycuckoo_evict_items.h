/* DyCuckoo's item operations that move pairs, in the dialect: evict (one move makes room) and path (several do).  All writes are under
 * locks; dycuckoo.h says why they are right. */
#ifndef ROOST_DYCUCKOO_EVICT_ITEMS_H
#define ROOST_DYCUCKOO_EVICT_ITEMS_H

#include "engines/dycuckoo/dycuckoo_items.h"
#include "portable/lock.h"

/* ---- Locks ------------------------------------------------------------------------------------------------------------------- */

/* The buckets that one step locks, in locking order; plain d-ary tables lock a home in every subtable, others at most three. */
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

/* Three buckets, each once; `nowhere` sorts last. */
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

/* All homes of a key; excluded ones are left out. */
ROOST_FN struct lock_set locks_of(const struct shape s, const struct dycuckoo_view *v, const struct home home[MAX_HOMES])
{
    struct lock_set set;
    ROOST_UNROLL
    for (int h = 0; h < MAX_HOMES; h++) set.at[h] = h < home_count(s, v) && !home_excluded(v, home[h]) ? home[h] : nowhere();
    if (s.homes == 2) return locks_three(set.at[0], set.at[1], nowhere());
    ROOST_UNROLL
    for (int i = 0; i < MAX_HOMES * (MAX_HOMES - 1); i++) order_two(&set.at[i % (MAX_HOMES - 1)], &set.at[i % (MAX_HOMES - 1) + 1]);
    if (!home_same(set.at[0], set.at[1])) return set;
    ROOST_UNROLL
    for (int h = 1; h < MAX_HOMES; h++) set.at[h] = nowhere(); /* the special bucket is every home of its key */
    return set;
}

ROOST_FN void locks_give(const struct shape s, const struct dycuckoo_view *v, const struct lock_set *set, int end)
{
    ROOST_UNROLL
    for (int i = 0; i < MAX_HOMES; i++)
        if (i < (s.homes == 2 ? 3 : MAX_HOMES) && i < end && set->at[i].sub <= SPECIAL)
            lock_give(v->sub[set->at[i].sub].locks, set->at[i].index);
}

/* All or none; the same answer on every lane. */
ROOST_FN bool locks_try(const struct shape s, const tile g, const struct dycuckoo_view *v, const struct lock_set *set)
{
    bool held = true;
    if (g.lane == 0) {
        ROOST_UNROLL
        for (int i = 0; i < MAX_HOMES; i++) {
            if (i >= (s.homes == 2 ? 3 : MAX_HOMES) || !held || set->at[i].sub > SPECIAL) continue;
            held = lock_try(v->sub[set->at[i].sub].locks, set->at[i].index);
            if (!held && !ROOST_PLANT_SKIP_UNLOCK) locks_give(s, v, set, i);
        }
    }
    if (g.lane == 0 && held) fence_acquire_device();
    held = !tile_any(g, !held);
    tile_sync(g); /* the other lanes' reads come after the locks, too */
    return held;
}

ROOST_FN void locks_release(const struct shape s, const tile g, const struct dycuckoo_view *v, const struct lock_set *set)
{
    tile_sync(g); /* and their reads before the release */
    if (g.lane == 0) {
        fence_release_device();
        locks_give(s, v, set, MAX_HOMES);
    }
}

/* A bucket on the way to a vacancy, and from where its parent's pair in `slot` would come. */
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

/* Appends, for every slot of the bucket, the other homes of its key.  Buckets of preferred subtables come first, so that evictions
 * move pairs to where the room is. */
ROOST_FN uint32_t path_extend(const struct shape s, const tile g, const struct dycuckoo_view *v, const struct home at,
                              uint32_t head, uint32_t tail, struct path_node *nodes)
{
    for (int turn = 0; turn < 2; turn++) {
        for (int first = 0; first < s.slots; first += g.size) {
            const int slot = first + g.lane;
            const uint64_t unit = slot < s.slots ? slot_load_unit(s, bucket_at(s, v, at), slot) : 0;
            struct home home[MAX_HOMES];
            homes_of(s, v, unit ? unit_key(s, unit) : 1, home);
            ROOST_UNROLL
            for (int h = 0; h < MAX_HOMES; h++) {
                if (h >= home_count(s, v)) break;
                const bool wanted = unit && home[h].sub != at.sub && !home_excluded(v, home[h]) &&
                                    ((v->preferred >> home[h].sub & 1u) == 0) == turn;
                const uint32_t who = tile_ballot(g, wanted);
                const uint32_t place = tail + (uint32_t)bit_count32(who & ((1u << g.lane) - 1u));
                if (wanted && place < DYCUCKOO_PATH_NODES) {
                    const struct path_node node = {home[h].index, (uint16_t)head, (uint8_t)home[h].sub, (uint8_t)slot};
                    nodes[place] = node;
                }
                tail += (uint32_t)bit_count32(who);
            }
        }
    }
    return tail < DYCUCKOO_PATH_NODES ? tail : (uint32_t)DYCUCKOO_PATH_NODES;
}

/* Breadth first from the key's homes to a bucket with a vacancy; its node, or -1 when the bound is reached.  Nothing is locked: what
 * it finds is checked again when the pairs move. */
ROOST_FN int path_search(const struct shape s, const tile g, const struct dycuckoo_view *v, const struct item *item,
                         struct path_node *nodes)
{
    uint32_t head = 0, tail = 0;
    tile_sync(g); /* the last item's path may still be read by a slower lane */
    ROOST_UNROLL
    for (int h = 0; h < MAX_HOMES; h++) {
        if (h >= home_count(s, v)) break;
        if (home_excluded(v, item->home[h])) continue;
        const struct path_node root = {item->home[h].index, NO_PARENT, (uint8_t)item->home[h].sub, 0};
        if (g.lane == 0) nodes[tail] = root;
        tail++;
    }
    for (; head < tail; head++) {
        tile_sync(g); /* nodes are written by one lane and read by all */
        const struct home at = node_home(&nodes[head]);
        const struct bucket_share share = bucket_load(CONCURRENT, s, g, bucket_at(s, v, at));
        if (bucket_vacancy(s, g, &share, vacant_unit(s, at.sub == SPECIAL)) >= 0) return (int)head;
        if (tail < DYCUCKOO_PATH_NODES) tail = path_extend(s, g, v, at, head, tail, nodes);
    }
    return -1;
}

ROOST_FN bool is_home(const struct shape s, const struct dycuckoo_view *v, const struct home home[MAX_HOMES], const struct home at)
{
    bool yes = false;
    ROOST_UNROLL
    for (int h = 0; h < MAX_HOMES; h++)
        if (h < home_count(s, v)) yes |= home[h].sub == at.sub && home[h].index == at.index;
    return yes;
}

/* Copies the pair, then clears the original: at no time is it in a register alone, and whoever looks for it under the lock of one of
 * its homes finds it. */
ROOST_FN void pair_move(const struct shape s, unsigned char *from, int from_slot, unsigned char *to, int to_slot, uint64_t unit)
{
    if (ROOST_PLANT_CLEAR_FIRST) slot_store_unit(s, from, from_slot, 0);
    if (s.word) slot_store_unit(s, to, to_slot, unit);
    else slot_publish(s, to, to_slot, unit, slot_load_value(s, from, from_slot));
    slot_store_unit(s, from, from_slot, 0);
}

/* Under locks: moves the pair of a key from a slot to a vacancy of its other home; false if either is no longer as it was seen. */
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

/* Moves one pair along the path; false if a lock is taken or the buckets are no longer as the search saw them. */
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

/* With the key's canonical home locked: update it where it is, or publish it in the first vacancy of the homes that are locked (`only`
 * one, or all).  False: no room.  *where: the home that got the key, `nowhere` if none did. */
ROOST_FN bool insert_settle(const struct shape s, const tile g, const struct dycuckoo_view *v, const struct batch *b,
                            struct item *item, const struct home *only, struct home *where)
{
    int vacancy = -1;
    struct home place = nowhere();
    *where = nowhere();
    ROOST_UNROLL
    for (int h = 0; h < MAX_HOMES; h++) {
        if (h >= home_count(s, v)) break;
        if (home_excluded(v, item->home[h])) continue;
        const struct bucket_share share = bucket_load(CONCURRENT, s, g, bucket_at(s, v, item->home[h]));
        if (update_in(s, g, v, b, item, item->home[h], &share)) return true;
        if (vacancy >= 0 || (only && !home_same(*only, item->home[h]))) continue;
        vacancy = bucket_vacancy(s, g, &share, vacant_unit(s, item->home[h].sub == SPECIAL));
        place = item->home[h];
    }
    if (vacancy < 0) return false;
    if (g.lane == 0) slot_publish(s, bucket_at(s, v, place), vacancy, item->key, item->value);
    insert_done(item, place.sub);
    *where = place;
    return true;
}

ROOST_FN void path_count(const struct batch *b, uint32_t moves)
{
    add_relaxed_device64(&b->counters->path_length[moves < ROOST_PATH_LENGTHS ? moves : ROOST_PATH_LENGTHS - 1], 1);
}

/* ---- Evict by one move ------------------------------------------------------------------------------------------------------------- */

/* A pair that can make room: its slot, its key and the home that has a vacancy for it. */
struct exchange {
    int slot; /* -1: none */
    roost_key key;
    struct home to;
};

/* The other home of the pair in a slot, if it has a vacancy and its subtable is of the asked kind. */
ROOST_FN bool exchange_try(const struct shape s, const struct dycuckoo_view *v, const struct home at, int slot, bool preferred,
                           struct exchange *x)
{
    const tile alone = {1, 0, 1u};
    const uint64_t unit = slot_load_unit(s, bucket_at(s, v, at), slot);
    struct home home[MAX_HOMES];
    if (unit == 0) return false; /* vacant by now: settling will see it */
    homes_of(s, v, unit_key(s, unit), home);
    x->to = home_same(home[0], at) ? home[1] : home[0];
    if (home_excluded(v, x->to) || (v->preferred >> x->to.sub & 1u) != preferred) return false;
    const struct bucket_share share = bucket_load(CONCURRENT, s, alone, bucket_at(s, v, x->to));
    x->slot = slot;
    x->key = unit_key(s, unit);
    return bucket_vacancy(s, alone, &share, 0) >= 0;
}

/* The lanes look at the other homes of a slot each, round by round, until one has a vacancy; those in preferred subtables first. */
ROOST_FN struct exchange exchange_search(const struct shape s, const tile g, const struct dycuckoo_view *v, const struct home at)
{
    struct exchange x = {-1, 0, {0, 0}};
    for (int turn = v->preferred ? 0 : 1; turn < 2; turn++) {
        for (int first = 0; first < s.slots; first += g.size) {
            const bool mine = first + g.lane < s.slots && exchange_try(s, v, at, first + g.lane, turn == 0, &x);
            const uint32_t who = tile_ballot(g, mine);
            if (!who) continue;
            const int lane = bit_lowest32(who);
            x.slot = (int)tile_from32(g, (uint32_t)x.slot, lane);
            x.key = tile_from64(g, x.key, lane);
            x.to.sub = tile_from32(g, x.to.sub, lane);
            x.to.index = tile_from32(g, x.to.index, lane);
            return x;
        }
    }
    x.slot = -1;
    return x;
}

/* With the moved pair's homes (`at` and x.to) and the new key's canonical one locked: settles the new key, if need be by moving. */
ROOST_FN bool exchange_locked(const struct shape s, const tile g, const struct dycuckoo_view *v, const struct batch *b,
                              struct item *item, const struct home at, const struct exchange x, struct tally *tally)
{
    struct home where;
    if (insert_settle(s, g, v, b, item, &at, &where)) {
        if (g.lane == 0) path_count(b, 0);
        return true;
    }
    if (!pair_move_locked(s, g, v, at, x.slot, x.to, x.key, tally)) return false;
    if (g.lane == 0) {
        slot_publish(s, bucket_at(s, v, at), x.slot, item->key, item->value);
        tally->exchanged++;
    }
    insert_done(item, at.sub);
    return true;
}

/* PARK: no home of the key has a pair that could move.  The canonical home, the first in locking order, is tried first: with it two
 * locks are enough. */
ROOST_FN enum step evict_by_one(const struct shape s, const tile g, const struct dycuckoo_view *v, const struct batch *b,
                                struct item *item, struct tally *tally)
{
    struct home canonical = home_excluded(v, item->home[0]) ? nowhere() : item->home[0];
    struct home other = home_excluded(v, item->home[1]) ? nowhere() : item->home[1];
    order_two(&canonical, &other);
    for (int h = 0; h < 2; h++) {
        const struct home at = h ? other : canonical;
        if (at.sub >= SPECIAL) continue;
        const struct exchange x = exchange_search(s, g, v, at);
        if (x.slot < 0) continue;
        const struct lock_set locks = locks_three(canonical, at, x.to);
        if (!locks_try(s, g, v, &locks)) return STEP_RETRY;
        const bool done = exchange_locked(s, g, v, b, item, at, x, tally);
        locks_release(s, g, v, &locks);
        return done ? STEP_DONE : STEP_RETRY;
    }
    return STEP_PARK;
}

/* ---- Evict by a path --------------------------------------------------------------------------------------------------------------- */

/* The path's free end may stay vacant. */
ROOST_FN void path_leave(const tile g, const struct batch *b, uint32_t moves)
{
    if (moves && g.lane == 0) add_relaxed_device64(&b->counters->untidy, 1);
}

/* One attempt: search a path, move its pairs from the free end backwards, then insert.  Whatever another does in between costs this
 * item its turn, never a pair: every move is complete in itself.  A vacancy that was made and not used makes the table untidy. */
ROOST_FN enum step evict_by_path(const struct shape s, const tile g, const struct dycuckoo_view *v, const struct batch *b,
                                 struct item *item, struct tally *tally, struct path_node *nodes)
{
    const int found = path_search(s, g, v, item, nodes);
    int at = found;
    uint32_t moves = 0;
    for (; at >= 0 && nodes[at].parent != NO_PARENT; at = nodes[at].parent, moves++)
        if (!path_move(s, g, v, node_home(&nodes[nodes[at].parent]), nodes[at].slot, node_home(&nodes[at]), tally)) {
            path_leave(g, b, moves);
            return STEP_RETRY;
        }
    const struct lock_set locks = locks_of(s, v, item->home);
    if (!locks_try(s, g, v, &locks)) {
        path_leave(g, b, moves);
        return STEP_RETRY;
    }
    struct home where;
    const bool settled = insert_settle(s, g, v, b, item, NULL, &where);
    locks_release(s, g, v, &locks);
    if (moves && !home_same(where, node_home(&nodes[at]))) path_leave(g, b, moves);
    if (settled && g.lane == 0) path_count(b, moves);
    if (settled) return STEP_DONE;
    return found >= 0 ? STEP_AGAIN : STEP_PARK; /* found: the vacancy went to another key */
}

/* ---- The two operations of the second pass -------------------------------------------------------------------------------------- */

ROOST_FN void dycuckoo_evict_begin(const struct shape s, const void *view, const struct batch *b, uint64_t index, struct item *item)
{
    insert_load(s, view, b, index, item);
}

ROOST_FN void dycuckoo_evict_end(const struct shape s, const struct batch *b, const struct item *item)
{
    (void)s;
    item_store_status(b, item);
}

/* Plain d-ary tables have no short way: all their items go on to the path search. */
ROOST_FN enum step dycuckoo_evict_step(const struct shape s, const tile g, const void *view, const struct batch *b,
                                       struct item *item, struct tally *tally, void *scratch)
{
    (void)scratch;
    return s.homes == 2 ? evict_by_one(s, g, (const struct dycuckoo_view *)view, b, item, tally) : STEP_PARK;
}

ROOST_FN void dycuckoo_path_begin(const struct shape s, const void *view, const struct batch *b, uint64_t index, struct item *item)
{
    insert_load(s, view, b, index, item);
}

ROOST_FN void dycuckoo_path_end(const struct shape s, const struct batch *b, const struct item *item)
{
    (void)s;
    item_store_status(b, item);
}

ROOST_FN enum step dycuckoo_path_step(const struct shape s, const tile g, const void *view, const struct batch *b,
                                      struct item *item, struct tally *tally, void *scratch)
{
    return evict_by_path(s, g, (const struct dycuckoo_view *)view, b, item, tally, (struct path_node *)scratch);
}

#endif
