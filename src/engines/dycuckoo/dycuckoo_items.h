/* DyCuckoo's item operations, in the dialect: find, erase, fill and evict.  dycuckoo.h says why they are right. */
#ifndef ROOST_DYCUCKOO_ITEMS_H
#define ROOST_DYCUCKOO_ITEMS_H

#include "engines/dycuckoo/dycuckoo.h"
#include "portable/drivers.h"
#include "portable/lock.h"

/* Faults that tests plant, to show that they would find them; 0 in every build of the library. */
#ifndef ROOST_PLANT_VACANCY_FIRST
#define ROOST_PLANT_VACANCY_FIRST 0 /* a fill takes a vacancy in the first home before it looks for the key in the others */
#endif
#ifndef ROOST_PLANT_CLEAR_FIRST
#define ROOST_PLANT_CLEAR_FIRST 0 /* an eviction clears the original before it writes the copy */
#endif
#ifndef ROOST_PLANT_SKIP_UNLOCK
#define ROOST_PLANT_SKIP_UNLOCK 0 /* locks already taken are not given back when a further one is held by another */
#endif

/* ---- Homes ---------------------------------------------------------------------------------------------------------------- */

ROOST_FN unsigned char *bucket_at(const struct shape s, const struct dycuckoo_view *v, const struct home home)
{
    return v->sub[home.sub].buckets + (size_t)home.index * shape_bucket_bytes(s);
}

ROOST_FN int home_count(const struct shape s, const struct dycuckoo_view *v) { return s.homes == 2 ? 2 : (int)v->subtables; }

/* Layer 1 (section 5.1): two different subtables, every ordered pair equally likely, and a coin from what is left of the hash. */
ROOST_FN void layer_pair(const struct dycuckoo_view *v, uint32_t hash, uint32_t *first, uint32_t *second, uint32_t *coin)
{
    const uint64_t a = (uint64_t)hash * v->subtables;
    const uint64_t b = (a & 0xffffffffu) * (v->subtables - 1);
    *first = (uint32_t)(a >> 32);
    *second = (uint32_t)(b >> 32);
    *second += *second >= *first;
    *coin = (uint32_t)b;
}

/* The key's two homes in trying order: subtable i first with probability w_i / (w_i + w_j) (section 4.3).  The coin is a function of
 * the key, so a find tries the likelier home first, and all inserts of one key try in one order. */
ROOST_FN void pair_homes(const struct dycuckoo_view *v, roost_key key, struct home home[MAX_HOMES])
{
    const uint64_t first_hash = hash_first(&v->seeds, key);
    uint32_t i, j, coin;
    layer_pair(v, hash_layer(&v->seeds, first_hash), &i, &j, &coin);
    const uint64_t hash_i = hash_home(&v->seeds, key, first_hash, 0), hash_j = hash_home(&v->seeds, key, hash_i, 1);
    const uint32_t wi = v->sub[i].weight, wj = v->sub[j].weight;
    const struct home at_i = {i, range64(hash_i, v->sub[i].bucket_count)}, at_j = {j, range64(hash_j, v->sub[j].bucket_count)};
    const bool i_first = range32(coin, wi + wj) < wi;
    home[0] = i_first ? at_i : at_j;
    home[1] = i_first ? at_j : at_i;
}

/* Plain d-ary cuckoo (layers = 1): a home in every subtable; a coin weighted as above says where trying starts. */
ROOST_FN void every_home(const struct shape s, const struct dycuckoo_view *v, roost_key key, struct home home[MAX_HOMES])
{
    uint64_t hash = hash_first(&v->seeds, key);
    uint32_t total = 0, start = 0;
    for (uint32_t i = 0; i < v->subtables; i++) total += v->sub[i].weight >> 3;
    uint32_t coin = range32(hash_layer(&v->seeds, hash), total);
    while (start + 1 < v->subtables && coin >= v->sub[start].weight >> 3) coin -= v->sub[start++].weight >> 3;
    ROOST_UNROLL
    for (int h = 0; h < MAX_HOMES; h++) home[h].sub = SPECIAL + 1, home[h].index = 0; /* beyond d: nowhere */
    ROOST_UNROLL
    for (uint32_t i = 0; i < MAX_HOMES; i++) {
        if ((int)i >= home_count(s, v)) break;
        hash = hash_home(&v->seeds, key, hash, (int)i);
        const uint32_t turn = i >= start ? i - start : i + v->subtables - start;
        const struct home at = {i, range64(hash, v->sub[i].bucket_count)};
        ROOST_UNROLL
        for (uint32_t t = 0; t < MAX_HOMES; t++)
            if (t == turn) home[t] = at;
    }
}

ROOST_FN void homes_of(const struct shape s, const struct dycuckoo_view *v, roost_key key, struct home home[MAX_HOMES])
{
    if (s.homes == 2) pair_homes(v, key, home);
    else every_home(s, v, key, home);
    if (key != 0) return;
    ROOST_UNROLL
    for (int h = 0; h < MAX_HOMES; h++)
        if (h < s.homes) home[h].sub = SPECIAL, home[h].index = 0;
}

ROOST_FN bool home_excluded(const struct dycuckoo_view *v, const struct home home) { return home.sub == v->excluded; }

/* ---- Begin and end, common to the operations ------------------------------------------------------------------------------- */

ROOST_FN void item_load(const struct shape s, const void *view, const struct batch *b, uint64_t index, struct item *item)
{
    const struct dycuckoo_view *v = (const struct dycuckoo_view *)view;
    item->key = load_width(s.key_bytes, b->keys, index);
    item->value = 0;
    item->index = index;
    item->status = ROOST_ITEM_NONE;
    homes_of(s, v, item->key, item->home);
    ROOST_UNROLL
    for (int h = 0; h < MAX_HOMES; h++)
        if (h < home_count(s, v)) prefetch_read(bucket_at(s, v, item->home[h])); /* a second line costs less than waiting for it */
}

ROOST_FN void item_store_status(const struct batch *b, const struct item *item)
{
    if (b->statuses) b->statuses[item->index] = item->status;
}

/* ---- Find ------------------------------------------------------------------------------------------------------------------- */

ROOST_FN void dycuckoo_find_begin(const struct shape s, const void *view, const struct batch *b, uint64_t index, struct item *item)
{
    item_load(s, view, b, index, item);
}

/* At most one read a home, and none after the match.  In general a vacancy proves nothing: an erase may have left it, or the coin's
 * weights were others when the key came.  In a tidy table it does (invariant I). */
ROOST_FN enum step dycuckoo_find_step(const struct shape s, const tile g, const void *view, const struct batch *b,
                                      struct item *item, struct tally *tally, void *scratch)
{
    const struct dycuckoo_view *v = (const struct dycuckoo_view *)view;
    (void)b, (void)scratch;
    item->status = ROOST_ITEM_ABSENT;
    ROOST_UNROLL
    for (int h = 0; h < MAX_HOMES; h++) {
        if (h >= home_count(s, v)) break;
        if (g.lane == 0) tally_read(tally);
        const enum look look = bucket_find(s, g, bucket_at(s, v, item->home[h]), item->key, v->tidy, &item->value);
        if (look == LOOK_FOUND) item->status = ROOST_ITEM_FOUND;
        if (look != LOOK_FULL) break;
    }
    return STEP_DONE;
}

ROOST_FN void dycuckoo_find_end(const struct shape s, const struct batch *b, const struct item *item)
{
    const bool hit = item->status == ROOST_ITEM_FOUND;
    if (hit && b->values_out) store_width(s.value_bytes, b->values_out, item->index, item->value);
    if (b->found) b->found[item->index] = hit;
    item_store_status(b, item);
}

/* ---- Erase ------------------------------------------------------------------------------------------------------------------ */

ROOST_FN void dycuckoo_erase_begin(const struct shape s, const void *view, const struct batch *b, uint64_t index, struct item *item)
{
    item_load(s, view, b, index, item);
}

/* Clears the slot that holds the key.  The compare-and-swap makes one of several erasers of a key the one that reports it: with a
 * plain store all of them would. */
ROOST_FN bool slot_erase(const struct shape s, const tile g, unsigned char *bucket, int slot, roost_key key, uint64_t vacant)
{
    bool mine = false;
    if (g.lane == 0) {
        const uint64_t unit = slot_load_unit(s, bucket, slot);
        mine = unit_key(s, unit) == key && unit != vacant && slot_cas_unit(s, bucket, slot, unit, vacant) == unit;
    }
    return tile_any(g, mine);
}

/* Erases the key from one of its homes.  True: it was there, and the item's status says whether this item removed it. */
ROOST_FN bool erase_from(const struct shape s, const tile g, const struct dycuckoo_view *v, const struct home home,
                         struct item *item, struct tally *tally)
{
    unsigned char *bucket = bucket_at(s, v, home);
    if (g.lane == 0) tally_read(tally);
    const struct bucket_share share = bucket_load(CONCURRENT, s, g, bucket);
    const int slot = bucket_match(s, g, &share, item->key);
    if (slot < 0) return false;
    if (slot_erase(s, g, bucket, slot, item->key, vacant_unit(s, home.sub == SPECIAL))) {
        item->status = ROOST_ITEM_ERASED;
        item->where = (uint8_t)home.sub;
    }
    return true;
}

ROOST_FN enum step dycuckoo_erase_step(const struct shape s, const tile g, const void *view, const struct batch *b,
                                       struct item *item, struct tally *tally, void *scratch)
{
    const struct dycuckoo_view *v = (const struct dycuckoo_view *)view;
    bool seen = false;
    (void)b, (void)scratch;
    item->status = ROOST_ITEM_ABSENT;
    ROOST_UNROLL
    for (int h = 0; h < MAX_HOMES; h++)
        if (h < home_count(s, v) && !seen && !home_excluded(v, item->home[h]))
            seen = erase_from(s, g, v, item->home[h], item, tally);
    return STEP_DONE;
}

ROOST_FN void dycuckoo_erase_end(const struct shape s, const struct batch *b, const struct item *item)
{
    (void)s;
    item_store_status(b, item);
}

/* ---- Insert: what fill and evict share ---------------------------------------------------------------------------------------- */

ROOST_FN void insert_load(const struct shape s, const void *view, const struct batch *b, uint64_t index, struct item *item)
{
    item_load(s, view, b, index, item);
    if (s.value_bytes) item->value = load_width(s.value_bytes, b->values_in, index);
}

/* The key was found: combine the values.  Acquire: the key was published after its first value, which must not land on top of this
 * update. */
ROOST_FN void insert_update(const struct shape s, const tile g, const struct batch *b, unsigned char *bucket, int slot,
                            struct item *item)
{
    if (!s.word) {
        fence_acquire_device(); /* on every lane: any of them may be the one that read the key */
        tile_sync(g);
    }
    if (g.lane == 0) cell_update(b, slot_cell(s, bucket, slot), item->key, item->value);
    item->status = b->mode == ROOST_KEEP ? ROOST_ITEM_KEPT : ROOST_ITEM_UPDATED;
}

ROOST_FN void insert_done(struct item *item, uint32_t sub)
{
    item->status = ROOST_ITEM_INSERTED;
    item->where = (uint8_t)sub;
}

ROOST_FN uint64_t insert_unit(const struct shape s, const struct item *item)
{
    return s.word && s.value_bytes ? item->key | item->value << 32 : item->key;
}

/* ---- Fill: the first pass, in which nothing moves ------------------------------------------------------------------------------- */

ROOST_FN void dycuckoo_fill_begin(const struct shape s, const void *view, const struct batch *b, uint64_t index, struct item *item)
{
    insert_load(s, view, b, index, item);
}

ROOST_FN void dycuckoo_fill_end(const struct shape s, const struct batch *b, const struct item *item)
{
    (void)s;
    item_store_status(b, item);
}

enum claim { CLAIM_DONE, CLAIM_FULL, CLAIM_TAKEN };

/* Claims the lowest vacant slot of a bucket for a pair of one word, or updates the key there.  When the compare-and-swap fails, the
 * word that won is the other's key or this one's: looking again after each failure keeps two inserts of one key from passing each
 * other to different slots. */
ROOST_FN enum claim claim_word(const struct shape s, const tile g, const struct dycuckoo_view *v, const struct batch *b,
                               struct item *item, const struct home home, struct bucket_share *share)
{
    unsigned char *bucket = bucket_at(s, v, home);
    const uint64_t vacant = vacant_unit(s, home.sub == SPECIAL);
    for (;;) {
        const int slot = bucket_vacancy(s, g, share, vacant);
        if (slot < 0) return CLAIM_FULL;
        bool mine = false;
        if (g.lane == 0) mine = slot_cas_unit(s, bucket, slot, vacant, insert_unit(s, item)) == vacant;
        if (tile_any(g, mine)) {
            insert_done(item, home.sub);
            return CLAIM_DONE;
        }
        *share = bucket_load(CONCURRENT, s, g, bucket);
        const int match = bucket_match(s, g, share, item->key);
        if (match < 0) continue;
        insert_update(s, g, b, bucket, match, item);
        return CLAIM_DONE;
    }
}

/* The same for pairs of two words, under the bucket's lock: the bucket is read again, because another may have filled the slot, or
 * brought this very key, between the first look and the lock. */
ROOST_FN enum claim claim_locked(const struct shape s, const tile g, const struct dycuckoo_view *v, const struct batch *b,
                                 struct item *item, const struct home home)
{
    unsigned char *bucket = bucket_at(s, v, home);
    uint32_t *locks = v->sub[home.sub].locks;
    bool held = false;
    if (g.lane == 0) held = lock_try(locks, home.index);
    if (g.lane == 0 && held) fence_acquire_device();
    if (!tile_any(g, held)) return CLAIM_TAKEN;
    tile_sync(g); /* the other lanes' reads come after the lock, too */
    const struct bucket_share share = bucket_load(CONCURRENT, s, g, bucket);
    const int match = bucket_match(s, g, &share, item->key);
    const int slot = match < 0 ? bucket_vacancy(s, g, &share, vacant_unit(s, home.sub == SPECIAL)) : -1;
    if (slot >= 0) {
        if (g.lane == 0) slot_publish(s, bucket, slot, item->key, item->value);
        insert_done(item, home.sub);
    }
    tile_sync(g);
    if (g.lane == 0) {
        fence_release_device();
        lock_give(locks, home.index);
    }
    if (match >= 0) insert_update(s, g, b, bucket, match, item);
    return match >= 0 || slot >= 0 ? CLAIM_DONE : CLAIM_FULL;
}

/* Looks for the key in one home and updates it there. */
ROOST_FN bool update_in(const struct shape s, const tile g, const struct dycuckoo_view *v, const struct batch *b, struct item *item,
                        const struct home home, const struct bucket_share *share)
{
    const int match = bucket_match(s, g, share, item->key);
    if (match < 0) return false;
    insert_update(s, g, b, bucket_at(s, v, home), match, item);
    return true;
}

ROOST_FN enum claim claim_in(const struct shape s, const tile g, const struct dycuckoo_view *v, const struct batch *b,
                             struct item *item, const struct home home, struct bucket_share *share)
{
    if (s.word) return claim_word(s, g, v, b, item, home, share);
    if (bucket_vacancy(s, g, share, vacant_unit(s, home.sub == SPECIAL)) < 0) return CLAIM_FULL;
    return claim_locked(s, g, v, b, item, home);
}

/* All homes are read and matched before a vacancy is taken, or, in a tidy table, one after the other: there a key beyond a vacancy
 * would contradict invariant I, also among this batch's own keys, because nothing becomes vacant here. */
ROOST_FN enum step dycuckoo_fill_step(const struct shape s, const tile g, const void *view, const struct batch *b,
                                      struct item *item, struct tally *tally, void *scratch)
{
    const struct dycuckoo_view *v = (const struct dycuckoo_view *)view;
    const bool all_first = !v->tidy && !ROOST_PLANT_VACANCY_FIRST;
    struct bucket_share share[MAX_HOMES];
    (void)tally, (void)scratch;
    ROOST_UNROLL
    for (int h = 0; h < MAX_HOMES; h++)
        if (h < home_count(s, v) && (h == 0 || all_first)) share[h] = bucket_load(CONCURRENT, s, g, bucket_at(s, v, item->home[h]));
    ROOST_UNROLL
    for (int h = 0; h < MAX_HOMES; h++)
        if (h < home_count(s, v) && (h == 0 || all_first) && update_in(s, g, v, b, item, item->home[h], &share[h]))
            return STEP_DONE;
    ROOST_UNROLL
    for (int h = 0; h < MAX_HOMES; h++) {
        if (h >= home_count(s, v)) break;
        if (h > 0 && !all_first) {
            share[h] = bucket_load(CONCURRENT, s, g, bucket_at(s, v, item->home[h]));
            if (update_in(s, g, v, b, item, item->home[h], &share[h])) return STEP_DONE;
        }
        const enum claim claim = claim_in(s, g, v, b, item, item->home[h], &share[h]);
        if (claim == CLAIM_DONE) return STEP_DONE;
        if (claim == CLAIM_TAKEN) return STEP_RETRY;
    }
    return STEP_PARK;
}

/* ---- Evict: the second pass, under locks ----------------------------------------------------------------------------------------- */

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
