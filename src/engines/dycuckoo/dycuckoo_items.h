/* DyCuckoo's item operations that move nothing, in the dialect: find, erase and fill.  dycuckoo.h
 * says why they are right. */
#ifndef ROOST_DYCUCKOO_ITEMS_H
#define ROOST_DYCUCKOO_ITEMS_H

#include "engines/dycuckoo/dycuckoo.h"
#include "portable/drivers.h"
#include "portable/lock.h"
#include "portable/permits.h"

/* ---- Homes ----------------------------------------------------------------------------------- */

ROOST_FN unsigned char *bucket_at(const struct shape s, const struct dycuckoo_view *v, const struct home home)
{
    return v->sub[home.sub].buckets + (size_t)home.index * shape_bucket_bytes(s);
}

/* A bucket of 8 keys of 8 bytes and 8 values of 4 has two lines, wherever it begins. */
ROOST_FN void bucket_prefetch(const struct shape s, const unsigned char *bucket)
{
    prefetch_read(bucket);
    if (shape_bucket_bytes(s) > 64) prefetch_read(bucket + shape_bucket_bytes(s) - 1);
}

ROOST_FN int home_count(const struct shape s, const struct dycuckoo_view *v) { return s.homes == 2 ? 2 : (int)v->subtables; }

/* Layer 1 (section 5.1): two different subtables, every ordered pair equally likely, and a coin
 * from the rest of the hash. */
ROOST_FN void layer_pair(const struct dycuckoo_view *v, uint32_t hash, uint32_t *first, uint32_t *second, uint32_t *coin)
{
    const uint64_t a = (uint64_t)hash * v->subtables;
    const uint64_t b = (a & 0xffffffffu) * (v->subtables - 1);
    *first = (uint32_t)(a >> 32);
    *second = (uint32_t)(b >> 32);
    *second += *second >= *first;
    *coin = (uint32_t)b;
}

/* The key's two homes, unordered, and its coin. */
ROOST_FN uint32_t pair_draw(const struct dycuckoo_view *v, roost_key key, struct home home[MAX_HOMES])
{
    const uint64_t first_hash = hash_first(&v->seeds, key);
    uint32_t i, j, coin;
    layer_pair(v, hash_layer(&v->seeds, first_hash), &i, &j, &coin);
    const uint64_t hash_i = hash_home(&v->seeds, key, first_hash, 0), hash_j = hash_home(&v->seeds, key, hash_i, 1);
    const struct home at_i = {i, range64(hash_i, v->sub[i].bucket_count)}, at_j = {j, range64(hash_j, v->sub[j].bucket_count)};
    home[0] = at_i;
    home[1] = at_j;
    return coin;
}

/* The key's homes in trying order: subtable i first with probability w_i / (w_i + w_j) (section
 * 4.3).  The coin is a function of the key.  So a find tries the likelier home first, and all
 * inserts of one key use one order. */
ROOST_FN void pair_homes(const struct dycuckoo_view *v, roost_key key, struct home home[MAX_HOMES])
{
    const uint32_t coin = pair_draw(v, key, home);
    const uint32_t wi = v->sub[home[0].sub].weight, wj = v->sub[home[1].sub].weight;
    const struct home at_i = home[0], at_j = home[1];
    const bool i_first = range32(coin, wi + wj) < wi;
    home[0] = i_first ? at_i : at_j;
    home[1] = i_first ? at_j : at_i;
}

/* The key's bucket in subtable `sub`, one of its pair, or (`other`) its home in the other one,
 * whatever the trying order is. */
ROOST_FN struct home pair_home(const struct dycuckoo_view *v, roost_key key, uint32_t sub, bool other)
{
    const uint64_t first_hash = hash_first(&v->seeds, key);
    uint32_t i, j, coin;
    layer_pair(v, hash_layer(&v->seeds, first_hash), &i, &j, &coin);
    const uint64_t hash_i = hash_home(&v->seeds, key, first_hash, 0);
    const bool at_i = (i == sub) != other;
    const struct home home = {at_i ? i : j,
                              range64(at_i ? hash_i : hash_home(&v->seeds, key, hash_i, 1), v->sub[at_i ? i : j].bucket_count)};
    return home;
}

/* Plain d-ary cuckoo (layers=1): a home in every subtable.  A coin, weighted as above, picks the
 * first one to try. */
ROOST_FN void every_home(const struct shape s, const struct dycuckoo_view *v, roost_key key, struct home home[MAX_HOMES])
{
    uint64_t hash = hash_first(&v->seeds, key);
    uint32_t total = 0, start = 0;
    for (uint32_t i = 0; i < v->subtables; i++) total += v->sub[i].weight >> 3;
    uint32_t coin = range32(hash_layer(&v->seeds, hash), total);
    while (start + 1 < v->subtables && coin >= v->sub[start].weight >> 3) coin -= v->sub[start++].weight >> 3;
    /* beyond d: nowhere */
    ROOST_UNROLL
    for (int h = 0; h < MAX_HOMES; h++) home[h].sub = SPECIAL + 1, home[h].index = 0;
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

/* The vacant key has only its own bucket as a home. */
ROOST_FN void homes_special(const struct shape s, roost_key key, struct home home[MAX_HOMES])
{
    if (key != 0) return;
    ROOST_UNROLL
    for (int h = 0; h < MAX_HOMES; h++)
        if (h < s.homes) home[h].sub = SPECIAL, home[h].index = 0;
}

ROOST_FN void homes_of(const struct shape s, const struct dycuckoo_view *v, roost_key key, struct home home[MAX_HOMES])
{
    if (s.homes == 2) pair_homes(v, key, home);
    else every_home(s, v, key, home);
    homes_special(s, key, home);
}

ROOST_FN bool home_excluded(const struct dycuckoo_view *v, const struct home home) { return home.sub == v->excluded; }

/* ---- Begin and end, common to the operations ------------------------------------------------- */

ROOST_FN void item_load(const struct shape s, const void *view, const struct batch *b, uint64_t index, struct item *item)
{
    const struct dycuckoo_view *v = (const struct dycuckoo_view *)view;
    item->key = load_width(s.key_bytes, b->keys, index);
    item->value = 0;
    item->index = index;
    item->status = ROOST_ITEM_NONE;
    homes_of(s, v, item->key, item->home);
    /* a prefetch of a second line costs less than a wait for it */
    ROOST_UNROLL
    for (int h = 0; h < MAX_HOMES; h++)
        if (h < home_count(s, v)) bucket_prefetch(s, bucket_at(s, v, item->home[h]));
}

/* ---- Find ------------------------------------------------------------------------------------ */

#define dycuckoo_find_end item_report_find
#define dycuckoo_findslot_begin item_load
#define dycuckoo_findslot_end item_report_find

ROOST_FN void dycuckoo_find_begin(const struct shape s, const void *view, const struct batch *b, uint64_t index, struct item *item)
{
#if defined(ROOST_MACHINE_HOST)
    if (s.homes == 2) {
        const struct dycuckoo_view *v = (const struct dycuckoo_view *)view;
        item->key = load_width(s.key_bytes, b->keys, index);
        item->value = 0;
        item->index = index;
        (void)pair_draw(v, item->key, item->home); /* no order: both are compared at once */
        homes_special(s, item->key, item->home);
        bucket_prefetch(s, bucket_at(s, v, item->home[0]));
        bucket_prefetch(s, bucket_at(s, v, item->home[1]));
        return;
    }
#endif
    item_load(s, view, b, index, item);
}

#if defined(ROOST_MACHINE_HOST)
/* Compares both homes at once.  Both were prefetched when the item began, and a branch on the key's
 * place would mostly be predicted wrong. */
ROOST_FN enum step find_in_pair(const struct shape s, const struct dycuckoo_view *v, struct item *item, struct tally *tally)
{
    unsigned char *const first = bucket_at(s, v, item->home[0]), *const second = bucket_at(s, v, item->home[1]);
    const uint64_t in_first = bucket_mask(s, first, item->key), in_second = bucket_mask(s, second, item->key);
    const uint64_t slots = in_first | in_second << s.slots;
    unsigned char *const bucket = first + (second - first) * opaque_bool(in_first == 0);
    const int slot = bit_lowest64(slots) & (s.slots - 1); /* any slot, if the key is absent */
    if (s.value_bytes) item->value = slot_value_seen(s, bucket, slot, s.word ? *(const uint64_t *)slot_unit(s, bucket, slot) : 0);
    item->status = (uint8_t)(ROOST_ITEM_ABSENT + (ROOST_ITEM_FOUND - ROOST_ITEM_ABSENT) * opaque_bool(slots != 0));
    tally_read(tally);
    tally_read(tally);
    return STEP_DONE;
}
#endif

/* Reads each home at most once, and with lanes none after the match.  In general a vacancy proves
 * nothing: an erase may have left it, or the coin's weights were others when the key came.  In a
 * tidy table it proves absence (invariant I).  by_slots: without the Bucket Requester. */
ROOST_FN enum step find_in_homes(const bool by_slots, const struct shape s, const tile g, const struct dycuckoo_view *v,
                                 struct item *item, struct tally *tally)
{
    item->status = ROOST_ITEM_ABSENT;
    ROOST_UNROLL
    for (int h = 0; h < MAX_HOMES; h++) {
        if (h >= home_count(s, v)) break;
        if (g.lane == 0) tally_read(tally);
        unsigned char *const bucket = bucket_at(s, v, item->home[h]);
        const enum look look = by_slots ? bucket_find_slots(s, g, bucket, item->key, v->tidy, &item->value)
                                        : bucket_find(QUIESCENT, s, g, bucket, item->key, v->tidy, &item->value);
        if (look == LOOK_FOUND) item->status = ROOST_ITEM_FOUND;
        if (look != LOOK_FULL) break;
    }
    return STEP_DONE;
}

ROOST_FN enum step dycuckoo_find_step(const struct shape s, const tile g, const void *view, const struct batch *b,
                                      struct item *item, struct tally *tally, void *scratch)
{
    const struct dycuckoo_view *v = (const struct dycuckoo_view *)view;
    (void)b, (void)scratch;
#if defined(ROOST_MACHINE_HOST)
    if (s.homes == 2) return find_in_pair(s, v, item, tally);
#endif
    return find_in_homes(false, s, g, v, item, tally);
}

ROOST_FN enum step dycuckoo_findslot_step(const struct shape s, const tile g, const void *view, const struct batch *b,
                                          struct item *item, struct tally *tally, void *scratch)
{
    (void)b, (void)scratch;
    return find_in_homes(true, s, g, (const struct dycuckoo_view *)view, item, tally);
}

/* ---- Erase ----------------------------------------------------------------------------------- */

#define dycuckoo_erase_begin item_load
#define dycuckoo_erase_end item_report

/* Erases the key from one of its homes.  Returns true if the key was there; the item's status says
 * whether this item removed it. */
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

/* ---- Insert: what fill and evict share ------------------------------------------------------- */

ROOST_FN void insert_load(const struct shape s, const void *view, const struct batch *b, uint64_t index, struct item *item)
{
    item_load(s, view, b, index, item);
    if (s.value_bytes) item->value = load_width(s.value_bytes, b->values_in, index);
}

/* The key was found: combines the values.  Returns false if the item has to try again.
 *   - Apart layout: a key that was read without its bucket's lock (`locked` false) may be so new
 *     that its first value is still being written, and would overwrite this update.  The lock, read
 *     after the key, is free only after both were written.
 *   - Word layout: the lane that read the key updates it.  Another lane could still see an older
 *     word of the slot, for votes order no memory.  It would leave a minimum alone, because the
 *     word is that of a vacant slot. */
ROOST_FN bool insert_update(const struct shape s, const tile g, const struct dycuckoo_view *v, const struct batch *b,
                            const struct home home, int slot, struct item *item, bool locked)
{
    if (!s.word && !locked && b->mode != ROOST_KEEP) {
        fence_acquire_device(); /* on every lane: any one may have read the key */
        tile_sync(g);
        const bool under_way = g.lane == 0 && lock_held(v->sub[home.sub].locks, home.index);
        if (tile_any(g, under_way)) return false;
        if (g.lane == 0) fence_acquire_device();
    }
    if (g.lane == (s.word ? share_lane(s, g, slot) : 0))
        cell_update(b, b->mode, slot_cell(s, bucket_at(s, v, home), slot), item->key, item->value);
    item->status = b->mode == ROOST_KEEP ? ROOST_ITEM_KEPT : ROOST_ITEM_UPDATED;
    return true;
}

/* A table that does not grow takes no more keys than leave some slots vacant (invariant J).  The
 * vacant key has a slot of its own. */
ROOST_FN uint64_t *permits_of(const struct dycuckoo_view *v, const struct item *item)
{
    return item->home[0].sub == SPECIAL ? NULL : v->permits;
}

/* Gives the permit back if the item did not add its key. */
ROOST_FN enum step permit_settle(const tile g, const struct dycuckoo_view *v, const struct item *item, enum step result)
{
    if (item->status != ROOST_ITEM_INSERTED) permit_give(g, permits_of(v, item));
    return result;
}

ROOST_FN void insert_done(struct item *item, uint32_t sub)
{
    item->status = ROOST_ITEM_INSERTED;
    item->where = (uint8_t)sub;
}

/* ---- Fill: the first pass, in which nothing moves -------------------------------------------- */

#define dycuckoo_fill_begin insert_load
#define dycuckoo_fill_end item_report

/* How an attempt to take a slot ended: the item is done; another item was faster; the lock is
 * taken. */
enum claim { CLAIM_DONE, CLAIM_LOST, CLAIM_TAKEN };

/* Claims a vacant slot for a pair of one word.  When the compare-and-swap fails, the winning word
 * is another key's or this one's.  So the item looks again after each failure: two inserts of one
 * key cannot pass each other to different slots. */
ROOST_FN enum claim claim_word(const struct shape s, const tile g, const struct dycuckoo_view *v, struct item *item,
                               const struct home home, int slot)
{
    const uint64_t vacant = vacant_unit(s, home.sub == SPECIAL);
    bool mine = false;
    if (g.lane == 0) mine = slot_cas_unit(s, bucket_at(s, v, home), slot, vacant, pair_unit(s, item->key, item->value)) == vacant;
    if (!tile_any(g, mine)) return CLAIM_LOST;
    insert_done(item, home.sub);
    return CLAIM_DONE;
}

/* The same for pairs of two words, under the bucket's lock.  The bucket is read again: between the
 * first look and the lock another item may have filled the slot, or stored this very key. */
ROOST_FN enum claim claim_locked(const struct shape s, const tile g, const struct dycuckoo_view *v, const struct batch *b,
                                 struct item *item, const struct home home)
{
    unsigned char *bucket = bucket_at(s, v, home);
    uint32_t *locks = v->sub[home.sub].locks;
    bool held = false;
    if (g.lane == 0) held = lock_try(locks, home.index);
    if (g.lane == 0 && held) fence_acquire_release_device();
    if (!tile_any(g, held)) return CLAIM_TAKEN;
    tile_sync(g); /* the other lanes read after the lock is taken */
    const struct bucket_share share = bucket_load(CONCURRENT, s, g, bucket);
    const struct seek seek = bucket_seek(s, g, &share, item->key, vacant_unit(s, home.sub == SPECIAL));
    if (seek.vacancy >= 0) {
        if (g.lane == 0) slot_publish(s, bucket, seek.vacancy, item->key, item->value);
        insert_done(item, home.sub);
    }
    tile_sync(g);
    if (g.lane == 0) {
        fence_release_device();
        lock_give(locks, home.index);
    }
    if (seek.match >= 0) insert_update(s, g, v, b, home, seek.match, item, true);
    return seek.match >= 0 || seek.vacancy >= 0 ? CLAIM_DONE : CLAIM_LOST;
}

/* All homes are read and matched before a vacancy is taken.  In a tidy table they are tried one
 * after the other: a key beyond a vacancy would contradict invariant I, also among this batch's own
 * keys, because nothing becomes vacant here. */
ROOST_FN enum step dycuckoo_fill_step(const struct shape s, const tile g, const void *view, const struct batch *b,
                                      struct item *item, struct tally *tally, void *scratch)
{
    const struct dycuckoo_view *v = (const struct dycuckoo_view *)view;
    const bool one_by_one = v->tidy;
    struct bucket_share share[MAX_HOMES];
    struct seek best = {-1, -1};
    struct home at = item->home[0];
    (void)tally, (void)scratch;
    ROOST_UNROLL
    for (int h = 0; h < MAX_HOMES; h++)
        if (h < home_count(s, v) && (h == 0 || !one_by_one) && !seeks_wide(s))
            share[h] = bucket_load(CONCURRENT, s, g, bucket_at(s, v, item->home[h]));
    ROOST_UNROLL
    for (int h = 0; h < MAX_HOMES; h++) {
        if (h >= home_count(s, v) || best.match >= 0 || (one_by_one && best.vacancy >= 0)) break;
        const uint64_t vacant = vacant_unit(s, item->home[h].sub == SPECIAL);
        const unsigned char *bucket = bucket_at(s, v, item->home[h]);
        if (h > 0 && one_by_one && !seeks_wide(s)) share[h] = bucket_load(CONCURRENT, s, g, bucket);
        const struct seek here =
            seeks_wide(s) ? bucket_seek_wide(s, bucket, item->key, vacant) : bucket_seek(s, g, &share[h], item->key, vacant);
        if (here.match >= 0 || (here.vacancy >= 0 && best.vacancy < 0)) best = here, at = item->home[h];
    }
    if (best.match >= 0) return insert_update(s, g, v, b, at, best.match, item, false) ? STEP_DONE : STEP_RETRY;
    if (best.vacancy < 0 || !permit_take(g, permits_of(v, item))) return STEP_PARK;
    const enum claim claim = s.word ? claim_word(s, g, v, item, at, best.vacancy) : claim_locked(s, g, v, b, item, at);
    return permit_settle(g, v, item, claim == CLAIM_DONE ? STEP_DONE : claim == CLAIM_TAKEN ? STEP_RETRY : STEP_AGAIN);
}

#endif
