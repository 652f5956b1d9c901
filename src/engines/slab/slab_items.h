/* SlabHash's item operations, in the dialect: find, insert, erase, mixes of them, and all pairs of
 * a key.  slab.h argues that they are correct. */
#ifndef ROOST_SLAB_ITEMS_H
#define ROOST_SLAB_ITEMS_H

#include "engines/slab/slab_slots.h"

/* ---- Items ---------------------------------------------------------------------------------- */

/* Sets a key's list and preferred half, from its hash; a key that looks like a mark goes inverted
 * into the last list. */
ROOST_FN void slab_place(const struct shape s, const struct slab_view *v, struct item *item)
{
    const uint64_t hash = hash_first(&v->seeds, item->key);
    const bool is_mark = slab_is_mark(s, item->key);
    item->home[0].index = is_mark ? v->buckets : range64(hash, v->buckets);
    item->home[0].sub = (uint32_t)(hash >> 13) & 1u;
    if (is_mark) item->key = slab_empty(s) - item->key;
}

ROOST_FN void slab_item_begin(const struct shape s, const void *view, const struct batch *b, uint64_t index, struct item *item)
{
    const struct slab_view *v = (const struct slab_view *)view;
    item->key = load_width(s.key_bytes, b->keys, index);
    item->value = b->values_in && s.value_bytes ? load_width(s.value_bytes, b->values_in, index) : 0;
    item->index = index;
    item->status = ROOST_ITEM_NONE;
    item->where = 0;
    item->operation = b->operations ? b->operations[index] : 0;
    slab_place(s, v, item);
    prefetch_read(slab_list(v, item->home[0].index) + item->home[0].sub * HALF_BYTES);
}

/* Position of an operation in its item's list. */
struct slab_walk {
    unsigned char *slab;
    uint64_t link;   /* of this slab, as last read */
    uint32_t length; /* slabs so far, including this one */
    int first_half;
    uint32_t tail;         /* of appends: where the walk began */
    uint32_t lost : 31;    /* of appends: races for a slot that the item lost */
    uint32_t admitted : 1; /* the pass has room for its key */
};

ROOST_FN struct slab_walk slab_walk_begin(const struct slab_view *v, const struct item *item)
{
    const struct slab_walk walk = {slab_list(v, item->home[0].index), 0, 1, (int)item->home[0].sub, SLAB_NONE, 0, 0};
    return walk;
}

/* Does the pass have room for one more new key?  By an add: two items that read and then wrote the
 * number would both take the last place.  An item whose key another one stores meanwhile keeps its
 * place in vain: the host repeats the pass. */
ROOST_FN bool slab_admits(const tile g, const struct slab_view *v, struct slab_walk *walk)
{
    bool is = false;
    if (!v->admitted || walk->admitted) return true;
    if (g.lane == 0) is = load_relaxed_device32(v->admitted) < v->room && add_relaxed_device32(v->admitted, 1) < v->room;
    walk->admitted = tile_any(g, is);
    return walk->admitted;
}

/* Reads the link to the next slab, or beyond dead slabs; false at the list's end.  The load
 * acquires: its lane then sees what the linker saw of the next slab, that it was filled with ones.
 * The sync makes that visible to all lanes, which a shuffle does not.  Only one lane loads: if each
 * lane did, they could read different links, and diverge. */
ROOST_FN bool slab_walk_look(const int phase, const struct shape s, const tile g, const struct slab_view *v, struct slab_walk *walk)
{
    walk->link = 0;
    if (phase == QUIESCENT || g.lane == 0) {
        walk->link = slab_link_load(phase, s, walk->slab);
        /* Near slabs have no jumps; beside writers a load for nothing costs much. */
        if (!slab_link_is_wide(s) && walk->link != SLAB_NONE && (phase == QUIESCENT || walk->length >= v->near))
            walk->link = slab_jump_or(slab_jump_load(phase, s, walk->slab), (uint32_t)walk->link);
    }
    if (phase == CONCURRENT) {
        walk->link = slab_link_send(s, g, walk->link);
        tile_sync(g);
    }
    return slab_link_next(s, walk->link) != SLAB_NONE;
}

ROOST_FN void slab_walk_go(const struct shape s, const struct slab_view *v, struct slab_walk *walk)
{
    walk->slab = slab_unit(&v->pool, slab_link_next(s, walk->link));
    walk->length++;
}

ROOST_FN bool slab_walk_next(const int phase, const struct shape s, const tile g, const struct slab_view *v, struct slab_walk *walk)
{
    if (!slab_walk_look(phase, s, g, v, walk)) return false;
    slab_walk_go(s, v, walk);
    return true;
}

/* ---- Tombstones and jumps ------------------------------------------------------------------- */

/* Counts a slab's tombstones. */
ROOST_FN uint32_t slab_dead_slots(const struct shape s, const tile g, const unsigned char *slab)
{
    uint32_t dead = 0;
    for (int half = 0; half < 2; half++) {
        struct slab_share share;
        slab_half_load(CONCURRENT, s, g, slab, half, &share);
        ROOST_UNROLL
        for (int i = 0; i < 16; i++) {
            if (i >= slab_share_units(s, g)) break;
            const uint64_t key = s.word == SLAB_WORD ? slab_word_pair(s, share.unit[i]).key : share.unit[i];
            const bool is_dead = slab_share_slot(s, g, &share, half, i) != NO_SLOT && key == slab_tombstone(s);
            dead += (uint32_t)bit_count32(tile_ballot(g, is_dead));
        }
    }
    return dead;
}

/* The slab behind this one, dead or not; NULL at the list's end.  Loads and syncs as
 * slab_walk_look. */
ROOST_FN unsigned char *slab_after(const struct shape s, const tile g, const struct slab_view *v, unsigned char *slab)
{
    const uint64_t link = g.lane == 0 ? slab_link_load(CONCURRENT, s, slab) : 0;
    const uint32_t next = tile_from32(g, slab_link_is_wide(s) ? (uint32_t)(link >> 32) : (uint32_t)link, 0);
    tile_sync(g);
    return next == SLAB_NONE ? NULL : slab_unit(&v->pool, next);
}

/* Is the list long, and are more than half of its slots tombstones?  The walk that got here may
 * have jumped.  This happens once for many items. */
ROOST_FN_COLD bool slab_list_is_dead(const struct shape s, const tile g, const struct slab_view *v, uint32_t list)
{
    unsigned char *const base = slab_list(v, list);
    uint32_t dead = 0, length = 0;
    for (unsigned char *slab = base; slab; slab = slab_after(s, g, v, slab)) length++;
    if (length < v->flush_length) return false;
    for (unsigned char *slab = base; slab; slab = slab_after(s, g, v, slab)) dead += slab_dead_slots(s, g, slab);
    return 2 * dead > length * (uint32_t)s.slots;
}

/* Walks over a list's first `most` slabs.  Behind the near ones it lets each slab that is not dead
 * jump over the dead ones behind it. */
ROOST_FN_COLD void slab_list_tidy(const struct shape s, const tile g, const struct slab_view *v, uint32_t list, uint32_t most)
{
    struct slab_walk walk = {slab_list(v, list), 0, 1, 0, SLAB_NONE, 0, 0};
    unsigned char *alive = walk.slab; /* from the last near slab on */
    for (; slab_walk_look(CONCURRENT, s, g, v, &walk); slab_walk_go(s, v, &walk)) {
        if (walk.length <= v->near || slab_dead_slots(s, g, walk.slab) < (uint32_t)s.slots) alive = walk.slab;
        else if (g.lane == 0) slab_jump_write(s, alive, slab_jump_to(slab_link_next(s, walk.link), false));
        if (walk.length >= most) return;
    }
}

/* An erase tidies the list up to here once it has passed 2, 4, 8, ... times as many slabs as are
 * near, if it finds a dead slab there.  So dead slabs are passed by few walks, and tidying costs at
 * most as much as the walk. */
ROOST_FN void slab_walk_tidy(const struct shape s, const tile g, const struct slab_view *v, const struct item *item,
                             const struct slab_walk *walk)
{
    if (walk->length <= v->near || (walk->length & (walk->length - 1))) return;
    if (slab_dead_slots(s, g, walk->slab) == (uint32_t)s.slots) slab_list_tidy(s, g, v, item->home[0].index, walk->length);
}

/* Goes on from the last near slab at the list's tail, if that is known; and from a tail that others
 * have filled meanwhile, at a later one.  A tail may be written before an earlier one, and then
 * stays behind; so a walk does not begin at the same one twice. */
ROOST_FN void slab_walk_to_tail(const struct shape s, const tile g, const struct slab_view *v, const struct item *item,
                                struct slab_walk *walk)
{
    const uint32_t before = walk->tail, loaded = g.lane == 0 ? slab_tail_load(s, slab_list(v, item->home[0].index)) : 0;
    walk->tail = tile_from32(g, loaded, 0);
    /* The other lanes see the tail as lane 0, which acquired it. */
    tile_sync(g);
    if (walk->tail != SLAB_NONE && walk->tail != before) walk->link = slab_link_with(s, ~(uint64_t)0, walk->tail);
}

/* ---- Links ---------------------------------------------------------------------------------- */

enum { SLAB_TAKE_ATTEMPTS = 12 /* to take a slab, by an item that cannot wait for one */ };

/* Takes a free slab for the list's end.  SLAB_NONE: another tile has linked one, and *seen is the
 * link; or none is free.  Tiles that lose the race for a link hold a slab for a while.  So an item
 * that would fail tries again while there may be some: no memory is missing then. */
ROOST_FN uint32_t slab_take_for(const struct shape s, const tile g, const struct slab_view *v, const struct batch *b,
                                const struct slab_walk *walk, uint64_t *seen, struct slab_resident *resident)
{
    for (uint32_t attempt = 0;; attempt++) {
        const uint32_t handle = slab_take(&v->pool, g, resident);
        if (handle != SLAB_NONE) return handle;
        /* The worker that took the last unit may have linked it here. */
        if (g.lane == 0) *seen = slab_link_load(CONCURRENT, s, walk->slab);
        const bool linked = tile_any(g, g.lane == 0 && *seen != walk->link);
        if (linked || b->leftover || attempt + 1 == SLAB_TAKE_ATTEMPTS) return SLAB_NONE;
        back_off(attempt);
    }
}

/* Links a new slab behind the walk's last one, or finds that another tile has linked one.  False:
 * no slab is free. */
ROOST_FN bool slab_extend(const struct shape s, const tile g, const struct slab_view *v, const struct batch *b,
                          const struct item *item, struct slab_walk *walk, struct tally *tally, struct slab_resident *resident)
{
    const uint32_t list = item->home[0].index;
    const bool is_special = list == v->buckets;
    uint64_t seen = walk->link;
    bool mine = false;
    const uint32_t handle = slab_take_for(s, g, v, b, walk, &seen, resident);
    if (g.lane == 0 && handle != SLAB_NONE) {
        if (is_special) slab_mark_special(s, slab_unit(&v->pool, handle), true);
        seen = slab_link_cas(s, walk->slab, walk->link, handle);
        mine = seen == walk->link;
        if (mine) seen = slab_link_with(s, walk->link, handle);
        if (!mine && is_special) slab_mark_special(s, slab_unit(&v->pool, handle), false);
        if (!mine) slab_give(&v->pool, handle);
        /* The swap read the winner's link; acquire, to see the winner's slab as the winner does. */
        if (!mine) fence_acquire_device();
        tally->linked += mine;
        if (mine && walk->length + 1 > tally->longest) tally->longest = walk->length + 1;
        if (mine && v->multi && walk->length >= v->near) slab_jump_write(s, slab_list(v, list), slab_jump_to(handle, true));
    }
    walk->link = slab_link_send(s, g, seen);
    tile_sync(g);
    return slab_link_next(s, walk->link) != SLAB_NONE;
}

/* Called at the list's end: links a new slab, or returns false.  A list of tombstones does not get
 * longer if its items can wait for a flush, nor one of keys that collide if they can wait for other
 * seeds.  In multimaps the policy looks at all tombstones between batches: appends know no list as
 * a whole. */
ROOST_FN bool slab_lengthen(const struct shape s, const tile g, const struct slab_view *v, const struct batch *b,
                            const struct item *item, struct slab_walk *walk, struct tally *tally, struct slab_resident *resident)
{
    const bool may_be_long = walk->length >= v->flush_length || walk->length > v->near;
    if (!slab_admits(g, v, walk)) return false;
    if (v->wants_flush && b->leftover && !v->multi && may_be_long && slab_list_is_dead(s, g, v, item->home[0].index)) {
        /* All lanes that store it store 1. */
        if (g.lane == 0) store_relaxed_device32(v->wants_flush, 1);
        return false;
    }
    if (v->sure_length && walk->length >= v->sure_length) {
        if (g.lane == 0) store_relaxed_device32(v->is_long, 1); /* as above */
        return false;
    }
    return slab_extend(s, g, v, b, item, walk, tally, resident);
}

/* ---- One key's operations ------------------------------------------------------------------- */

/* Two steps, beside writers: is a matched pair in the table yet?  If so, reads its value again,
 * which may have come after the first look. */
ROOST_FN bool slab_match_shown(const struct shape s, const tile g, unsigned char *slab, struct slab_look *look)
{
    if (s.word != SLAB_TWO_STEP) return true;
    if (!tile_from32(g, slab_is_shown(slab, look->match), 0)) return false;
    const uint64_t value = load_relaxed_device64((uint64_t *)slab_slot(s, slab, look->match) + 1);
    /* In the 8 bytes, sums of 4-byte values carry. */
    look->value = s.value_bytes == 4 ? tile_from32(g, (uint32_t)value, 0) : tile_from64(g, value, 0);
    return true;
}

/* Kernels that read slabs whole are for unique keys: registers do not hold what appends have to
 * remember besides, which cost mixed batches a quarter of their rate. */
ROOST_FN bool slab_appends(const bool wide, const int operation) { return !wide && operation == ROOST_OP_APPEND; }

/* The look of an append, or of another operation.  Its wishes are constants: a wish that is known
 * only at run time costs a mixed batch a quarter more instructions, and more registers than it has.
 * hole: a mark that appends take besides EMPTY. */
ROOST_FN struct slab_look slab_look_for(const struct shape s, const tile g, const bool appends, uint64_t hole,
                                        const struct slab_share *share, int half, roost_key key)
{
    if (!appends) return slab_share_look(s, g, share, half, key, 0, SLAB_WANT_KEY);
    if (s.word == SLAB_TWO_STEP) return slab_share_look(s, g, share, half, key, 0, SLAB_WANT_EMPTY);
    return slab_share_look(s, g, share, half, hole, 0, SLAB_WANT_HOLE);
}

/* The lane that writes after a look: the one that loaded the slot, or in two steps the one that saw
 * that its value is there.  A value that another lane read or wrote there could be older than the
 * key. */
ROOST_FN int slab_actor(const struct shape s, const tile g, int half, int slot)
{
    return s.word == SLAB_TWO_STEP ? 0 : slab_slot_lane(s, g, false, half, slot);
}

/* Does the write; false: another lane was faster, and the half has to be looked at again. */
ROOST_FN bool slab_act(const struct shape s, const struct batch *b, const int operation, const struct item *item,
                       unsigned char *slab, const struct slab_look *look, struct tally *tally)
{
    const struct slab_pair pair = slab_pair_of(item->key, item->value), seen = slab_pair_of(item->key, look->value);
    if (operation == ROOST_OP_ERASE) return slab_bury(s, slab, look->match, seen);
    if (look->match >= 0) {
        cell_update(b, operation - ROOST_OP_INSERT, slab_cell(s, slab, look->match), 0, item->value);
        return true;
    }
    if (!slab_claim(s, slab, look->vacancy, look->vacant, pair)) return false;
    tally->reused += look->vacant != slab_empty(s);
    return true;
}

/* Looks through a walk's slab for an operation: through the half that the key prefers, and then
 * through the other one.  *half: where the look ended.  `wide` reads both halves at once, for
 * tables whose base slabs are mostly full. */
ROOST_FN struct slab_look slab_walk_read(const int phase, const struct shape s, const tile g, const struct slab_view *v,
                                         const int operation, const bool wide, roost_key key, const struct slab_walk *walk,
                                         int *half, struct tally *tally)
{
    /* Behind the near slabs tombstones stay (slab.h, jumps). */
    const uint64_t hole = walk->length > v->near ? slab_empty(s) : slab_tombstone(s);
    const bool appends = slab_appends(wide, operation);
    struct slab_share first, second;
    *half = walk->first_half;
    slab_half_load(phase, s, g, walk->slab, *half, &first);
    if (wide) slab_half_load(phase, s, g, walk->slab, !*half, &second);
    if (g.lane == 0) tally_read(tally);
    const struct slab_look look = slab_look_for(s, g, appends, hole, &first, *half, key);
    if (look.match >= 0 || look.vacancy >= 0) return look;
    *half = !*half;
    if (!wide) slab_half_load(phase, s, g, walk->slab, *half, &second);
    if (!wide && g.lane == 0) tally_read(tally);
    return slab_look_for(s, g, appends, hole, &second, *half, key);
}

/* Result of an item's work on a slab: the operation goes on (PASSED); it ends here (ENDED); it
 * retries later, because a pair with its key is not complete (HIDDEN); it parks (LEFT), because an
 * append has lost too many races for a slot, or a bounded pass stores no more keys. */
enum slab_try { SLAB_PASSED, SLAB_ENDED, SLAB_HIDDEN, SLAB_LEFT };

/* Runs any operation on a walk's slab: so tiles of a warp with different operations read together.
 * If another lane took a slot first, the slab is read again, because it may now hold the key.  This
 * ends, because others' claims and erases do.  An append may leave it to its queue. */
ROOST_FN enum slab_try slab_walk_work(const int phase, const struct shape s, const tile g, const struct slab_view *v,
                                      const struct batch *b, const int operation, const bool wide, struct item *item,
                                      struct slab_walk *walk, struct tally *tally)
{
    for (;;) {
        int half;
        struct slab_look look = slab_walk_read(phase, s, g, v, operation, wide, item->key, walk, &half, tally);
        const bool met = look.match >= 0, writes = operation_inserts(operation) || (operation == ROOST_OP_ERASE && met);
        uint32_t done = 0;
        if (!met && look.vacancy < 0) return SLAB_PASSED;
        if (met && phase == CONCURRENT && !slab_match_shown(s, g, walk->slab, &look))
            return operation_inserts(operation) ? SLAB_HIDDEN : SLAB_ENDED;
        if (operation == ROOST_OP_FIND && met) item->value = look.value, item->status = ROOST_ITEM_FOUND;
        if (!writes) return SLAB_ENDED;
        if (!met && !slab_admits(g, v, walk)) return SLAB_LEFT;
        const int actor = slab_actor(s, g, half, met ? look.match : look.vacancy);
        if (g.lane == actor) done = slab_act(s, b, operation, item, walk->slab, &look, tally);
        if (!tile_from32(g, done, actor)) {
            if (slab_appends(wide, operation) && b->leftover && ++walk->lost == v->races) return SLAB_LEFT;
            continue;
        }
        item->status = operation_status(operation, met);
        return SLAB_ENDED;
    }
}

/* Runs an operation from a walk's slab on.  An EMPTY slot ends it: no key is stored behind one
 * (invariant C). */
ROOST_FN enum step slab_work(const int phase, const struct shape s, const tile g, const struct slab_view *v, const struct batch *b,
                             const int operation, const bool wide, struct item *item, struct slab_walk *walk, struct tally *tally,
                             struct slab_resident *resident)
{
    if (!operation_inserts(operation)) item->status = ROOST_ITEM_ABSENT;
    for (;;) {
        const enum slab_try tried = slab_walk_work(phase, s, g, v, b, operation, wide, item, walk, tally);
        if (tried == SLAB_LEFT) return STEP_PARK;
        if (tried != SLAB_PASSED) return tried == SLAB_HIDDEN ? STEP_RETRY : STEP_DONE;
        if (!slab_walk_look(phase, s, g, v, walk)) {
            if (!operation_inserts(operation)) return STEP_DONE;
            if (!slab_lengthen(s, g, v, b, item, walk, tally, resident)) return STEP_PARK;
        } else if (operation == ROOST_OP_ERASE) slab_walk_tidy(s, g, v, item, walk);
        if (slab_appends(wide, operation) && walk->length >= v->near) slab_walk_to_tail(s, g, v, item, walk);
        slab_walk_go(s, v, walk);
    }
}

/* Looks through half a slab without the Bucket Requester (see bucket_find_slots): true if the find
 * ends here. */
ROOST_FN bool slab_half_find(const struct shape s, const tile g, const unsigned char *slab, int half, struct item *item)
{
    const int bytes = slab_slot_bytes(s), slots = slab_half_slots(s);
    for (int first = 0; first < slots; first += g.size) {
        const int slot = half * slots + first + g.lane;
        struct slab_pair pair = slab_pair_of(0, 0);
        const bool mine = first + g.lane < slots && slot < s.slots;
        if (mine && bytes < 16) pair = slab_word_pair(s, load_width(bytes, slab, (uint64_t)slot));
        else if (mine) slab_pair_load(QUIESCENT, s, slab + slot * 16, &pair.key, &pair.value);
        const uint32_t who = tile_ballot(g, mine && pair.key == item->key);
        if (who) {
            item->value = tile_from64(g, pair.value, bit_lowest32(who));
            item->status = ROOST_ITEM_FOUND;
            return true;
        }
        if (tile_any(g, mine && pair.key == slab_empty(s))) return true;
    }
    return false;
}

ROOST_FN enum step slab_findslot_step(const struct shape s, const tile g, const void *view, const struct batch *b,
                                      struct item *item, struct tally *tally, void *scratch)
{
    const struct slab_view *v = (const struct slab_view *)view;
    struct slab_walk walk = slab_walk_begin(v, item);
    (void)b, (void)scratch;
    item->status = ROOST_ITEM_ABSENT;
    do {
        for (int i = 0; i < 2; i++) {
            if (g.lane == 0) tally_read(tally);
            if (slab_half_find(s, g, walk.slab, i ? !walk.first_half : walk.first_half, item)) return STEP_DONE;
        }
    } while (slab_walk_next(QUIESCENT, s, g, v, &walk));
    return STEP_DONE;
}

/* ---- Kernels' operations -------------------------------------------------------------------- */

#define slab_find_begin slab_item_begin
#define slab_findslot_begin slab_item_begin
#define slab_findslot_end item_report_find
#define slab_findslab_begin slab_item_begin
#define slab_insert_begin slab_item_begin
#define slab_insertslab_begin slab_item_begin
#define slab_erase_begin slab_item_begin
#define slab_apply_begin slab_item_begin
#define slab_applyslab_begin slab_item_begin
#define slab_insert_end item_report
#define slab_insertslab_end item_report
#define slab_erase_end item_report

#define SLAB_STEP(name)                                                                                                            \
    ROOST_FN enum step slab_##name##_step(const struct shape s, const tile g, const void *view, const struct batch *b,             \
                                          struct item *item, struct tally *tally, void *scratch)
#define SLAB_WORK(phase, operation, wide)                                                                                          \
    slab_operate(phase, s, g, (const struct slab_view *)view, b, operation, wide, item, tally, (struct slab_resident *)scratch)

/* Runs an operation on its whole list. */
ROOST_FN enum step slab_operate(const int phase, const struct shape s, const tile g, const struct slab_view *v,
                                const struct batch *b, const int operation, const bool wide, struct item *item, struct tally *tally,
                                struct slab_resident *resident)
{
    struct slab_walk walk = slab_walk_begin(v, item);
    return slab_work(phase, s, g, v, b, operation, wide, item, &walk, tally, resident);
}

SLAB_STEP(find) { return SLAB_WORK(QUIESCENT, ROOST_OP_FIND, false); }
SLAB_STEP(findslab) { return SLAB_WORK(QUIESCENT, ROOST_OP_FIND, true); }
SLAB_STEP(insert) { return SLAB_WORK(CONCURRENT, ROOST_OP_INSERT + b->mode, false); }
SLAB_STEP(insertslab) { return SLAB_WORK(CONCURRENT, ROOST_OP_INSERT + b->mode, true); }
SLAB_STEP(erase) { return SLAB_WORK(CONCURRENT, ROOST_OP_ERASE, false); }

/* An operation that the table does not accept leaves the item at NONE. */
SLAB_STEP(apply)
{
    if (!batch_takes(b, item->operation)) return STEP_DONE;
    return SLAB_WORK(CONCURRENT, item->operation, false);
}
SLAB_STEP(applyslab)
{
    if (!batch_takes(b, item->operation)) return STEP_DONE;
    return SLAB_WORK(CONCURRENT, item->operation, true);
}

#define slab_find_end item_report_find
#define slab_findslab_end slab_find_end
#define slab_apply_end slab_find_end
#define slab_applyslab_end slab_find_end

/* ---- All pairs of a key --------------------------------------------------------------------- */

/* Counts the pairs of a key.  With offsets it also gathers their values; or (batch.mode) it erases
 * them.  One walk to the list's end. */
enum slab_every { SLAB_EVERY_COUNT, SLAB_EVERY_ERASE };

#define slab_every_begin slab_item_begin

/* Works on one pair of the key; true if the pair counts. */
ROOST_FN bool slab_every_pair(const struct shape s, const tile g, const struct batch *b, const struct item *item,
                              const struct slab_walk *walk, int half, const struct slab_look *look, uint64_t count)
{
    const int actor = slab_actor(s, g, half, look->match);
    uint32_t done = 1;
    if (b->mode != SLAB_EVERY_ERASE) {
        const uint64_t at = b->offsets ? b->offsets[item->index] + count : 0;
        if (g.lane == 0 && b->offsets && b->values_out && at < b->offsets[item->index + 1])
            store_width(s.value_bytes, b->values_out, at, look->value);
        return true;
    }
    if (g.lane == actor) done = slab_bury(s, walk->slab, look->match, slab_pair_of(item->key, look->value));
    return tile_from32(g, done, actor);
}

ROOST_FN uint64_t slab_half_every(const struct shape s, const tile g, const struct batch *b, const struct item *item,
                                  struct slab_walk *walk, int half, uint64_t count, struct tally *tally)
{
    struct slab_share share;
    int from = 0;
    if (g.lane == 0) tally_read(tally);
    slab_half_load(CONCURRENT, s, g, walk->slab, half, &share);
    for (;;) {
        struct slab_look look = slab_share_look(s, g, &share, half, item->key, from, SLAB_WANT_KEY);
        if (look.match < 0) return count;
        from = look.match + 1;
        if (slab_match_shown(s, g, walk->slab, &look) && slab_every_pair(s, g, b, item, walk, half, &look, count)) count++;
    }
}

ROOST_FN enum step slab_every_step(const struct shape s, const tile g, const void *view, const struct batch *b, struct item *item,
                                   struct tally *tally, void *scratch)
{
    const struct slab_view *v = (const struct slab_view *)view;
    struct slab_walk walk = slab_walk_begin(v, item);
    uint64_t count = 0;
    (void)scratch;
    for (;; slab_walk_go(s, v, &walk)) {
        for (int turn = 0; turn < 2; turn++) count = slab_half_every(s, g, b, item, &walk, walk.first_half ^ turn, count, tally);
        if (!slab_walk_look(CONCURRENT, s, g, v, &walk)) break;
    }
    /* Not after counts: they run beside finds, which read jumps by plain loads. */
    if (b->mode == SLAB_EVERY_ERASE && walk.length > v->near) slab_list_tidy(s, g, v, item->home[0].index, walk.length);
    item->value = count;
    item->status = count == 0 ? ROOST_ITEM_ABSENT : b->mode == SLAB_EVERY_ERASE ? ROOST_ITEM_ERASED : ROOST_ITEM_FOUND;
    if (g.lane == 0 && b->mode == SLAB_EVERY_ERASE && count > 1) { /* the driver counts one */
        tally->erased += (uint32_t)(count - 1);
        tally_stored(tally, 0, (uint32_t)(1 - count));
    }
    return STEP_DONE;
}

ROOST_FN void slab_every_end(const struct shape s, const struct batch *b, const struct item *item)
{
    if (b->counts) b->counts[item->index] = item->value;
    item_report(s, b, item);
}

#endif
