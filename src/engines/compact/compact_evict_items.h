/* compact's evictions, in the dialect: the pass over items that found both homes full.
 *
 * A lane looks for a way to a vacancy, shorter ways first: pairs of the item's homes have other
 * homes, whose pairs have other homes, and so on.  Nothing moves before a whole way is found.  Then
 * the moves are made from the vacancy backwards, each under the locks of its two buckets, which
 * also make sure that the pair and the vacancy are still there; the last one and the item's own
 * placement under the locks of all buckets that they concern.  A search looks at a bounded number
 * of buckets, and so the work for keys that collide is bounded.
 *
 * A tile has one lane.  An item mostly waits for memory, so a warp works on 32 items at once.  A
 * lane's items are neighbours in the list (driver runs): those that a build parks come in the order
 * of their homes, and neighbours want the same locks. */
#ifndef ROOST_COMPACT_EVICT_ITEMS_H
#define ROOST_COMPACT_EVICT_ITEMS_H

#include "engines/compact/compact_items.h"
#include "portable/lock.h"

/* A step gets the view, with which the kernel's arguments begin. */
ROOST_FN const struct compact_transfer *transfer_of(const void *view) { return &((const struct compact_args *)view)->transfer; }

/* The shape of a kernel: its own, or of shape `any` the one that it is told. */
ROOST_FN struct shape compact_shape_or(const struct shape own, const struct shape told) { return own.slots ? own : told; }

/* ---- Locks ----------------------------------------------------------------------------------- */

/* Up to three buckets that an item locks together, in ascending order, each once. */
enum { COMPACT_LOCKS = 3 };
struct compact_locks {
    uint32_t bucket[COMPACT_LOCKS];
    int n;
};

ROOST_FN void compact_exchange_if(bool wanted, uint32_t *a, uint32_t *b)
{
    const uint32_t first = *a;
    if (wanted) *a = *b, *b = first;
}

/* Sorted by exchanges, because registers have no index.  Double ones become the largest number, and
 * do not count. */
ROOST_FN struct compact_locks compact_locks_of(uint32_t a, uint32_t b, uint32_t c)
{
    struct compact_locks l = {{a, b == a ? ~0u : b, c == a || c == b ? ~0u : c}, COMPACT_LOCKS};
    l.n -= (b == a) + (c == a || c == b);
    compact_exchange_if(l.bucket[0] > l.bucket[1], &l.bucket[0], &l.bucket[1]);
    compact_exchange_if(l.bucket[1] > l.bucket[2], &l.bucket[1], &l.bucket[2]);
    compact_exchange_if(l.bucket[0] > l.bucket[1], &l.bucket[0], &l.bucket[1]);
    return l;
}

/* Tries lock i; returns its bit if it was free. */
ROOST_FN uint32_t compact_lock_one(const struct shape s, const struct compact_view *v, const struct compact_locks *l, int i)
{
    return (uint32_t)lock_try(compact_lock(s, v, l->bucket[i]), COMPACT_SPARE_SHIFT) << i;
}

/* Locks all buckets, or none.  in_turn: one after another in ascending order: of items that want
 * the same ones, one gets all.  Else all are tried at once, which takes a third of the time; two
 * items may get one each, and then come again in turn.  No item waits with a lock.  The fence: the
 * new holder sees what the previous ones wrote; all that it does from here on depends on its having
 * the locks. */
ROOST_FN bool compact_locks_try(const struct shape s, const struct compact_view *v, const struct compact_locks *l,
                                const bool in_turn)
{
    const uint32_t wanted = (1u << l->n) - 1u;
    uint32_t taken = 0;
    ROOST_UNROLL
    for (int i = 0; i < COMPACT_LOCKS; i++)
        if (!in_turn && i < l->n) taken |= compact_lock_one(s, v, l, i);
    ROOST_UNROLL
    for (int i = 0; i < COMPACT_LOCKS; i++)
        if (in_turn && i < l->n && taken == (1u << i) - 1u) taken |= compact_lock_one(s, v, l, i);
    ROOST_UNROLL
    for (int i = 0; i < COMPACT_LOCKS; i++)
        if (taken != wanted && taken >> i & 1) lock_give(compact_lock(s, v, l->bucket[i]), COMPACT_SPARE_SHIFT);
    if (taken == wanted) fence_acquire_branch_device();
    return taken == wanted;
}

ROOST_FN void compact_locks_give(const struct shape s, const struct compact_view *v, const struct compact_locks *l)
{
    fence_release_device();
    ROOST_UNROLL
    for (int i = 0; i < COMPACT_LOCKS; i++)
        if (i < l->n) lock_give(compact_lock(s, v, l->bucket[i]), COMPACT_SPARE_SHIFT);
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

/* The slots with a key of a bucket whose tags one lane has loaded, as bits. */
ROOST_FN uint32_t compact_slots_taken(const struct shape s, const struct compact_share *share)
{
    uint32_t taken = 0;
    ROOST_UNROLL
    for (int half = 0; half < COMPACT_HALVES; half++) {
        ROOST_UNROLL
        for (int i = 0; i < 16; i++) {
            const int slot = half * compact_half_slots(s) + i;
            const struct compact_field low = compact_low_field(s, i);
            if (!compact_has_place(s, half, i)) break;
            taken |= (uint32_t)(compact_get(low, (uint32_t)share->word[half][low.word]) >= COMPACT_TAKEN) << slot;
        }
    }
    return taken;
}

/* What a lane sees in a bucket; -1: none. */
struct compact_scan {
    int match, vacancy; /* the slot with a complete tag; the lowest one without a key */
    uint32_t seen;      /* the word of the vacancy's low part */
};

/* Of a bucket whose tags this lane has loaded. */
ROOST_FN struct compact_scan compact_scan_of(const struct shape s, const struct compact_share *share, const struct compact_tag tag)
{
    struct compact_scan scan = {-1, -1, 0};
    ROOST_UNROLL
    for (int half = COMPACT_HALVES - 1; half >= 0; half--) {
        const uint64_t *const words = share->word[half];
        ROOST_UNROLL
        for (int i = 15; i >= 0; i--) {
            const int slot = half * compact_half_slots(s) + i;
            const struct compact_field low = compact_low_field(s, i);
            if (!compact_has_place(s, half, i)) continue;
            if (compact_is_complete(s, words, i, tag)) scan.match = slot;
            if (compact_get(low, (uint32_t)words[low.word]) >= COMPACT_TAKEN) continue;
            scan.vacancy = slot;
            scan.seen = (uint32_t)words[low.word];
        }
    }
    return scan;
}

ROOST_FN void compact_scan_load(const struct shape s, const struct compact_view *v, uint32_t bucket, struct compact_share *share)
{
    const tile alone = {1, 0, 1u};
    compact_load(CONCURRENT, s, alone, v, bucket, false, share);
}

ROOST_FN struct compact_scan compact_scan_for(const struct shape s, const struct compact_view *v, const struct compact_home *home)
{
    struct compact_share share;
    compact_scan_load(s, v, home->bucket, &share);
    return compact_scan_of(s, &share, home->tag);
}

/* Stores a pair in a slot without a key, whose low part's word was last seen as `seen`; false:
 * another lane has taken it.  freed: another lane may have freed it in this kernel (compact_free);
 * hence the fence. */
ROOST_FN bool compact_put(const struct shape s, const struct compact_slot at, const struct compact_tag tag, uint64_t value,
                          uint32_t seen, const bool freed)
{
    const bool whole = !compact_high_bits(s);
    if (!compact_claim(s, at, seen, tag.low + (whole ? COMPACT_SETTLED : COMPACT_INCOMPLETE), COMPACT_NO_EPOCH)) return false;
    if (freed) fence_acquire_device();
    if (whole) compact_value_store(s, at, value);
    else (void)compact_complete(s, at, tag, COMPACT_SETTLED, value, 0);
    return true;
}

ROOST_FN void compact_field_store(const struct compact_slot at, const struct compact_field f, uint32_t word, uint32_t x)
{
    store_relaxed_device32(at.half + f.word, compact_with(f, word, x));
}

/* Gives a slot another tag, or none.  By a load and a store, because this lane holds the bucket's
 * lock, and in a kernel of evictions nobody writes a bucket without its lock.  word: that of the
 * low part, which was loaded under the lock. */
ROOST_FN void compact_tag_put(const struct shape s, const struct compact_slot at, const struct compact_tag tag, uint32_t state,
                              uint32_t word)
{
    const struct compact_field high = compact_high_field(s, at.i);
    compact_field_store(at, compact_low_field(s, at.i), word, compact_high_bits(s) ? tag.low : tag.low + state);
    if (compact_high_bits(s)) compact_field_store(at, high, compact_word(at, high), tag.high + state);
}
ROOST_FN void compact_tag_store(const struct shape s, const struct compact_slot at, const struct compact_tag tag, uint32_t state)
{
    compact_tag_put(s, at, tag, state, compact_word(at, compact_low_field(s, at.i)));
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

/* Pairs on a way: the other home of each is the bucket of the next, and that of the last one has a
 * vacancy. */
enum { COMPACT_LENGTH = 5, COMPACT_LOOKS = 256 };
struct compact_path {
    uint32_t bucket[COMPACT_LENGTH + 1];
    int slot[COMPACT_LENGTH];
};

/* The other home of the pair in a slot; that bucket itself if no pair is there. */
ROOST_FN uint32_t compact_lead(const struct shape s, const struct compact_view *v, uint32_t bucket, int slot)
{
    const struct compact_tag tag = compact_tag_load(s, compact_slot_at(s, v, bucket, slot));
    uint64_t hash;
    return tag.low >= COMPACT_TAKEN ? compact_other_home(s, v, bucket, tag, &hash).bucket : bucket;
}

ROOST_FN bool compact_has_vacancy(const struct shape s, const struct compact_view *v, uint32_t bucket)
{
    struct compact_share share;
    compact_scan_load(s, v, bucket, &share);
    return compact_slots_taken(s, &share) + 1 != 1u << s.slots;
}

/* A pair that is to move from a slot to a vacancy of its other home. */
struct compact_mover {
    uint32_t bucket, to;
    int slot;  /* -1: none */
    bool lost; /* others changed the way meanwhile, or a home has a vacancy */
};
/* Without others in its way an item would find no room, either. */
ROOST_FN bool compact_is_stuck(const struct compact_mover *x) { return x->slot < 0 && !x->lost; }

/* What a lane sees of it under the lock of its bucket: all loads are made before one is waited
 * for. */
struct compact_moving {
    struct compact_tag tag;    /* below TAKEN: no pair is there */
    struct compact_home other; /* its bucket is x->to, else it is another pair */
    uint64_t hash, value;
    uint32_t word, filter; /* of its low part; of its bucket */
};
ROOST_FN struct compact_moving compact_moving_load(const struct shape s, const struct compact_view *v,
                                                   const struct compact_mover *x)
{
    struct compact_moving m = {compact_tag_none(), {x->to, compact_tag_none()}, 0, 0, 0, 0};
    if (x->slot < 0) return m;
    const struct compact_slot at = compact_slot_at(s, v, x->bucket, x->slot);
    m.word = compact_word(at, compact_low_field(s, at.i));
    const uint32_t high = compact_high_bits(s) ? compact_word(at, compact_state_field(s, at.i)) : m.word;
    m.value = compact_value_load(s, at);
    m.filter = load_relaxed_device32(compact_filter(s, v, x->bucket));
    m.tag = compact_tag_from(s, at.i, m.word, high);
    if (m.tag.low >= COMPACT_TAKEN) m.other = compact_other_home(s, v, x->bucket, m.tag, &m.hash);
    return m;
}

/* Sets a bit in the filter of a bucket whose lock this lane holds.  Returns the word of a slot of
 * the same or another bucket, which may be the filter's word, too. */
ROOST_FN uint32_t compact_filter_set_locked(const struct shape s, const struct compact_view *v, uint32_t bucket, uint32_t bit,
                                            const struct compact_slot at, uint32_t word)
{
    uint32_t *const filter = compact_filter(s, v, bucket);
    (void)or_relaxed_device32(filter, bit);
    return filter == at.half + compact_low_field(s, at.i).word ? word | bit : word;
}

/* Copies it to that home, under the locks of both buckets, by one lane.  False: another pair is
 * there, or no vacancy is left.  to: the scan of the other bucket. */
ROOST_FN bool compact_copy_locked(const struct shape s, const struct compact_view *v, const struct compact_mover *x,
                                  struct compact_moving *m, const struct compact_scan *to)
{
    const uint32_t bit = compact_filter_bit(m->hash);
    if (to->vacancy < 0 || m->tag.low < COMPACT_TAKEN || m->other.bucket != x->to) return false;
    const struct compact_slot at = compact_slot_at(s, v, x->to, to->vacancy);
    if (!compact_is_second(s, m->tag) && !(m->filter & bit))
        m->word = compact_filter_set_locked(s, v, x->bucket, bit, compact_slot_at(s, v, x->bucket, x->slot), m->word);
    compact_value_store(s, at, m->value);
    compact_tag_put(s, at, m->other.tag, COMPACT_SETTLED, to->seen);
    return true;
}

ROOST_FN bool compact_move(const struct shape s, const struct compact_view *v, const struct compact_mover *x, struct tally *tally)
{
    const struct compact_locks l = compact_locks_of(x->bucket, x->to, x->to);
    if (!compact_locks_try(s, v, &l, true)) return false;
    struct compact_moving m = compact_moving_load(s, v, x);
    const struct compact_home to = {x->to, m.other.tag};
    const struct compact_scan scan = compact_scan_for(s, v, &to);
    const bool copied = compact_copy_locked(s, v, x, &m, &scan);
    if (copied) compact_tag_put(s, compact_slot_at(s, v, x->bucket, x->slot), compact_tag_none(), COMPACT_INCOMPLETE, m.word);
    tally->evicted += copied;
    compact_locks_give(s, v, &l);
    return copied;
}

/* Looks for a way of this length out of path->bucket[0], depth first.  *looks: slots whose pairs
 * the search may still look at. */
ROOST_FN bool compact_path_find(const struct shape s, const struct compact_view *v, struct compact_path *path, int length,
                                int *looks)
{
    int at = 0;
    path->slot[0] = 0;
    while (*looks > 0) {
        if (path->slot[at] >= s.slots) {
            if (at == 0) return false;
            path->slot[--at]++;
            continue;
        }
        const uint32_t next = compact_lead(s, v, path->bucket[at], path->slot[at]);
        path->bucket[at + 1] = next;
        --*looks;
        if (next == path->bucket[at]) path->slot[at]++;
        else if (at + 1 < length) path->slot[++at] = 0;
        else if (compact_has_vacancy(s, v, next)) return true;
        else path->slot[at]++;
    }
    return false;
}

/* Looks for the shortest way out of the item's homes, which were full, and makes its moves but
 * the first one, which is returned. */
ROOST_FN struct compact_mover compact_make_room(const struct shape s, const struct compact_view *v, const struct compact_home *home,
                                                struct tally *tally)
{
    struct compact_mover x = {home[0].bucket, home[0].bucket, -1, false};
    struct compact_path path;
    int length = 0, looks = COMPACT_LOOKS;
    for (bool found = false; !found && looks > 0 && length < COMPACT_LENGTH;) {
        length++;
        for (int root = 0; root < 2 && !found; root++) {
            path.bucket[0] = root ? home[1].bucket : home[0].bucket;
            found = compact_path_find(s, v, &path, length, &looks);
        }
        if (found) x.slot = path.slot[0];
    }
    if (x.slot < 0) {
        x.lost = compact_has_vacancy(s, v, home[0].bucket) || compact_has_vacancy(s, v, home[1].bucket);
        return x;
    }
    for (int at = length - 1; at >= 0 && !x.lost; at--) {
        const struct compact_mover next = {path.bucket[at], path.bucket[at + 1], path.slot[at], false};
        if (at == 0) return next;
        x.lost = !compact_move(s, v, &next, tally);
    }
    x.slot = -1;
    return x;
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
    else if (b->operations) compact_item_begin(s, view, b, index, true, true, item);
    else compact_item_begin(s, view, b, index, true, false, item);
    item->home[3].sub = 0; /* how often it met others */
}
#define compact_evict_end item_report

#if defined(ROOST_MACHINE_HOST)
/* Loads ahead what a search looks at first: of two buckets one has a vacancy nearly always. */
ROOST_FN void compact_evict_approach(const struct shape own, const void *view, struct item *item, const int stage)
{
    const struct compact_view *v = (const struct compact_view *)view;
    const struct shape s = compact_shape_or(own, transfer_of(view)->shape);
    const uint32_t bucket = item->home[0].index;
    for (int slot = 0; slot < 2 && !stage; slot++) {
        const struct compact_tag tag = compact_tag_load(s, compact_slot_at(s, v, bucket, slot));
        uint64_t hash;
        if (tag.low >= COMPACT_TAKEN) prefetch_read(compact_half(v, compact_other_home(s, v, bucket, tag, &hash).bucket, 0));
    }
}
#endif

/* Stores the item's pair in a slot of one of its homes, number i, under its lock, by one lane.
 * word: as in compact_tag_put. */
ROOST_FN void compact_place_in(const struct shape s, const struct compact_view *v, const struct compact_home *home, int i, int slot,
                               uint32_t word, const struct item *item)
{
    const struct compact_home to = i ? home[1] : home[0];
    const struct compact_slot at = compact_slot_at(s, v, to.bucket, slot);
    if (i) word = compact_filter_set_locked(s, v, home[0].bucket, compact_filter_bit(compact_item_hash(item)), at, word);
    compact_value_store(s, at, item->value);
    compact_tag_put(s, at, to.tag, COMPACT_SETTLED, word);
}

enum compact_outcome { COMPACT_PLACED, COMPACT_CROWDED, COMPACT_BUSY };

/* Looks for the item's key in the stash, under the locks of its homes, without which nobody adds
 * it; and adds it if there is no room elsewhere.  CROWDED: it is not there. */
ROOST_FN enum compact_outcome compact_place_beside(const struct shape s, const tile g, const struct compact_view *v,
                                                   const struct batch *b, int operation, bool adds, struct item *item)
{
    const struct compact_way w = {CONCURRENT, operation, false, false};
    if (!adds && !compact_stash_marked(g, v)) return COMPACT_CROWDED;
    const enum step step = compact_stash_work(w, s, g, v, b, COMPACT_NO_EPOCH, adds, item);
    return step == STEP_DONE ? COMPACT_PLACED : step == STEP_PARK ? COMPACT_CROWDED : COMPACT_BUSY;
}

/* Places the item under the locks of its homes: updates its key, or takes a vacancy, or the slot of
 * a pair that moves to its other home, or an entry of the stash.  CROWDED: there is none. */
ROOST_FN enum compact_outcome compact_place_item(const struct shape s, const tile g, const struct compact_view *v,
                                                 const struct batch *b, const struct compact_home *home,
                                                 const struct compact_mover *x, struct item *item, struct tally *tally)
{
    const int operation = b->operations ? item->operation : ROOST_OP_INSERT + b->mode;
    struct compact_share share[3];
    compact_scan_load(s, v, home[0].bucket, &share[0]);
    compact_scan_load(s, v, home[1].bucket, &share[1]);
    compact_scan_load(s, v, x->to, &share[2]);
    struct compact_moving m = compact_moving_load(s, v, x);
    const struct compact_scan first = compact_scan_of(s, &share[0], home[0].tag);
    const struct compact_scan second = compact_scan_of(s, &share[1], home[1].tag);
    const struct compact_scan other = compact_scan_of(s, &share[2], m.other.tag);
    const int met = first.match >= 0 ? 0 : 1, match = met ? second.match : first.match;
    const int i = first.vacancy >= 0 ? 0 : 1;
    const struct compact_scan at = i ? second : first;
    if (match >= 0) {
        const struct cell c = compact_cell(s, compact_slot_at(s, v, met ? home[1].bucket : home[0].bucket, match));
        cell_update(b, operation - ROOST_OP_INSERT, c, item->key, item->value);
        item->status = operation_status(operation, true);
        return COMPACT_PLACED;
    }
    const bool adds = v->stashes && at.vacancy < 0 && compact_is_stuck(x);
    const enum compact_outcome beside = compact_place_beside(s, g, v, b, operation, adds, item);
    if (beside != COMPACT_CROWDED) return beside;
    if ((at.vacancy < 0 && x->slot < 0) || !permit_take(g, v->permits)) return COMPACT_CROWDED;
    bool placed = at.vacancy >= 0;
    if (placed) compact_place_in(s, v, home, i, at.vacancy, at.seen, item);
    if (!placed && compact_copy_locked(s, v, x, &m, &other)) {
        compact_place_in(s, v, home, x->bucket != home[0].bucket, x->slot, m.word, item);
        tally->evicted++;
        placed = true;
    }
    if (placed) item->status = ROOST_ITEM_INSERTED;
    else permit_give(g, v->permits);
    return placed ? COMPACT_PLACED : COMPACT_CROWDED;
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
 * that this concerns: else another item would take the vacancy.  It tries them a few times, because
 * a search costs more than that. */
ROOST_FN enum compact_outcome compact_move_and_place(const struct shape s, const tile g, const struct compact_view *v,
                                                     const struct batch *b, const struct compact_home *home,
                                                     const struct compact_mover *x, struct item *item, struct tally *tally)
{
    enum { TRIES = 4 };
    const struct compact_locks l = compact_locks_of(home[0].bucket, home[1].bucket, x->to);
    bool locked = compact_locks_try(s, v, &l, item->home[3].sub != 0);
    for (int i = 1; i < TRIES && !locked; i++) locked = compact_locks_try(s, v, &l, true);
    if (!locked) return COMPACT_BUSY;
    const enum compact_outcome outcome = compact_place_item(s, g, v, b, home, x, item, tally);
    compact_locks_give(s, v, &l);
    return outcome;
}

/* Frees the entry of an item that a drain has placed.  It is dead: a search does not end there. */
ROOST_FN enum step compact_drained(struct compact_entry *e, struct item *item)
{
    store_relaxed_device32(&e->state, COMPACT_DEAD_0);
    item->status = ROOST_ITEM_NONE; /* it was counted before */
    return STEP_DONE;
}

ROOST_FN enum step compact_evict_step(const struct shape own, const tile g, const void *view, const struct batch *b,
                                      struct item *item, struct tally *tally, void *scratch)
{
    const struct compact_view *v = (const struct compact_view *)view;
    const struct shape s = compact_shape_or(own, transfer_of(view)->shape);
    const struct compact_home home[2] = {compact_item_home(item), compact_home_at(s, v, compact_item_hash(item), 1)};
    struct compact_mover x = {home[0].bucket, home[0].bucket, -1, false};
    (void)scratch;
    struct compact_entry *const drained = transfer_of(view)->drains ? transfer_of(view)->from.stash + item->index : NULL;
    if (drained && drained->state != COMPACT_STASHED) return STEP_DONE;
    /* A key may be stored that finds no permit. */
    if (!v->permits || (int64_t)load_relaxed_device64(v->permits) > 0) x = compact_make_room(s, v, home, tally);
    const enum compact_outcome outcome = compact_move_and_place(s, g, v, b, home, &x, item, tally);
    if (outcome == COMPACT_PLACED) return drained ? compact_drained(drained, item) : STEP_DONE;
    if (outcome == COMPACT_CROWDED && compact_is_stuck(&x)) return STEP_PARK;
    return compact_evict_later(item);
}

#endif
