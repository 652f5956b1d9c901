/* FKS's inserts in place, in the dialect: `write`, where items take vacancies beside each other,
 * and `shift`, where an item that found none owns its bucket and moves a pair.  fks.h says why they
 * are right. */
#ifndef ROOST_FKS_WRITE_H
#define ROOST_FKS_WRITE_H

#include "engines/fks/fks_items.h"
#include "portable/lock.h"

/* ---- Locks ----------------------------------------------------------------------------------- */

enum { FKS_ALL_LINES = 127 /* instead of a line: the lock is the whole bucket's */ };

/* The lock of a key's bucket, or of all keys there that have this first line.  Other buckets may
 * share it. */
ROOST_FN uint32_t fks_lock_of(const struct fks_view *v, const struct item *item, uint32_t line)
{
    return fmix32((item->home[0].index << 7 | line) + item->home[0].sub * 0x9e3779b9u) & v->lock_mask;
}

/* Tries once.  The holder sees what earlier holders wrote: else it would not find their keys, and
 * store them again. */
ROOST_FN bool fks_lock(const tile g, const struct fks_view *v, uint32_t lock)
{
    bool held = false;
    if (g.lane == 0) held = lock_try(v->locks, lock);
    /* A tile that sees the writes after this sees the lock as held, too. */
    if (g.lane == 0 && held) fence_acquire_release_device();
    if (!tile_any(g, held)) return false;
    tile_sync(g); /* the other lanes' reads come after it */
    return true;
}

ROOST_FN void fks_unlock(const tile g, const struct fks_view *v, uint32_t lock)
{
    tile_sync(g); /* the other lanes' writes come before it */
    if (g.lane != 0) return;
    fence_release_device();
    lock_give(v->locks, lock);
}

/* ---- Vacancies, taken beside others ---------------------------------------------------------- */

/* What a tile sees in a line beside writers. */
ROOST_FN struct seek fks_seek_beside(const struct shape s, const tile g, unsigned char *line, roost_key key)
{
    if (g.size > 1 && s.slots > 1) {
        const struct bucket_share share = bucket_load(CONCURRENT, s, g, line);
        return bucket_seek(s, g, &share, key, vacant_unit(s, false));
    }
    struct seek seek = fks_seek(CONCURRENT, s, line, key);
    if (g.size == 1) return seek;
    seek.match = (int)tile_from32(g, (uint32_t)seek.match, 0);
    seek.vacancy = (int)tile_from32(g, (uint32_t)seek.vacancy, 0);
    return seek;
}

/* An item while it is written. */
struct fks_writer {
    struct fks_entry *entry;
    struct fks_entry e; /* as first read */
    unsigned char *bucket;
    struct fks_lines l;
    uint32_t lock; /* of its key, shared with others */
    bool full;     /* its bucket takes no more keys in place */
    bool marked;   /* a key may lie behind its first line */
    /* No other item of its key stores a pair now: it holds the lock, or needs none. */
    bool alone;
};

/* Updates the value of a key that was seen.  Where values lie apart, a writer that still holds the
 * lock may not have stored its value yet, and would overwrite this update.  The lock, read after
 * the key, is free only when both are there (dycuckoo_items.h, insert_update).  The lane that saw
 * the key updates, because votes order no memory. */
ROOST_FN enum fks_placed fks_write_match(const struct shape s, const tile g, const struct fks_view *v, const struct batch *b,
                                         const struct fks_writer *x, unsigned char *line, int slot, const struct item *item)
{
    if (!x->alone && b->mode != ROOST_KEEP) {
        fence_acquire_device();
        tile_sync(g);
        const bool under_way = g.lane == 0 && lock_held(v->locks, x->lock);
        if (tile_any(g, under_way)) return FKS_TOO_EARLY;
        if (g.lane == 0) fence_acquire_device();
    }
    const bool sees = g.lane == (s.word && s.slots > 1 ? share_lane(s, g, slot) : 0);
    if (sees) cell_update(b, b->mode, slot_cell(s, line, slot), item->key, item->value);
    return FKS_MATCHED;
}

/* Takes a vacancy by a compare-and-swap: of two items that see it one gets it. */
ROOST_FN bool fks_write_claim(const struct shape s, const tile g, struct fks_writer *x, unsigned char *line, int slot, bool second,
                              const struct item *item)
{
    bool mine = false;
    if (g.lane == 0) {
        mine = fks_claim(s, line, slot, item->key, item->value);
        if (mine && second && !fks_marked(&x->e, x->l.first)) fks_mark(x->entry->marks, x->l.first);
        /* Other keys' writers add to this count, too: of two plain additions one would be lost. */
        if (mine) (void)add_relaxed_device32(&x->entry->form, 1);
    }
    return tile_any(g, mine);
}

/* Looks for the key in its lines, and takes the first vacancy.  Nothing becomes vacant here, so a
 * line that is full stays full: of two items with one key neither passes a line in which the other
 * takes a vacancy later.  An item that fails to take one looks again.  A key that was there before
 * lies in the first line, or behind a mark. */
ROOST_FN enum fks_placed fks_write_lines(const struct shape s, const tile g, const struct fks_view *v, const struct batch *b,
                                         struct fks_writer *x, const struct item *item)
{
    unsigned char *const first = fks_line(s, x->bucket, x->l.first), *const other = fks_line(s, x->bucket, x->l.second);
    for (bool second = false;;) {
        unsigned char *const line = second ? other : first;
        const struct seek seek = fks_seek_beside(s, g, line, item->key);
        if (seek.match >= 0) return fks_write_match(s, g, v, b, x, line, seek.match, item);
        if (seek.vacancy >= 0 && !second && x->marked && other != first) {
            const struct seek behind = fks_seek_beside(s, g, other, item->key);
            if (behind.match >= 0) return fks_write_match(s, g, v, b, x, other, behind.match, item);
        }
        if (seek.vacancy >= 0) {
            if (x->full) return FKS_STUCK;
            if (!x->alone) return FKS_NOT_ALONE;
            if (fks_write_claim(s, g, x, line, seek.vacancy, second, item)) return FKS_PLACED;
            continue;
        }
        if (second || other == first) return FKS_STUCK;
        second = true;
    }
}

/* The same in the vacant key's line, which has one slot. */
ROOST_FN enum fks_placed fks_write_special(const struct shape s, const tile g, const struct fks_view *v, const struct batch *b,
                                           struct fks_writer *x, const struct item *item)
{
    const uint64_t vacant = vacant_unit(s, true), desired = pair_unit(s, 0, item->value);
    bool taken = false, mine = false;
    if (g.lane == 0) taken = slot_load_unit(s, v->special, 0) != vacant;
    taken = tile_any(g, taken);
    if (!taken && !x->alone) return FKS_NOT_ALONE;
    if (!taken && g.lane == 0) mine = slot_cas_unit(s, v->special, 0, vacant, desired) == vacant;
    if (mine) slot_store_value(s, v->special, 0, item->value);
    if (tile_any(g, mine)) return FKS_PLACED;
    return fks_write_match(s, g, v, b, x, v->special, 0, item);
}

ROOST_FN enum fks_placed fks_write_item(const struct shape s, const tile g, const struct fks_view *v, const struct batch *b,
                                        struct fks_writer *x, const struct item *item)
{
    return item->key ? fks_write_lines(s, g, v, b, x, item) : fks_write_special(s, g, v, b, x, item);
}

/* The item's status, and the step's result. */
ROOST_FN enum step fks_write_ended(const struct batch *b, enum fks_placed placed, struct item *item)
{
    if (placed == FKS_STUCK) return STEP_PARK;
    if (placed != FKS_PLACED && placed != FKS_MATCHED) return STEP_RETRY;
    item->where = item->key ? FKS_MAIN : FKS_SPECIAL;
    item->status = placed == FKS_PLACED ? ROOST_ITEM_INSERTED : b->mode == ROOST_KEEP ? ROOST_ITEM_KEPT : ROOST_ITEM_UPDATED;
    return STEP_DONE;
}

/* Are the items those of columns by region?  They wait as long as they have no outcome. */
ROOST_FN bool fks_by_region(const void *view) { return ((const struct fks_args *)view)->work.hashes != NULL; }

/* Has an item of columns been carried out?  Then it is counted, and reports nothing more. */
ROOST_FN bool fks_is_done(const void *view, struct item *item)
{
    if (!fks_by_region(view) || item->status == ROOST_ITEM_NONE) return false;
    item->status = ROOST_ITEM_NONE;
    return true;
}

ROOST_FN void fks_write_begin(const struct shape s, const void *view, const struct batch *b, uint64_t index, struct item *item)
{
    const struct fks_view *v = (const struct fks_view *)view;
    const struct fks_work *w = &((const struct fks_args *)view)->work;
    if (w->hashes) {
        const uint64_t hash = load_width(s.key_bytes, w->hashes, index);
        fks_item_begin(s, v, index, fks_key(s, v, hash), hash, item);
        item->status = b->statuses[index];
    } else fks_key_begin(s, view, b, index, item);
    if (s.value_bytes) item->value = load_width(s.value_bytes, b->values_in, index);
}

/* Has a bucket as many keys as may be written to it in place? */
ROOST_FN bool fks_is_full(const struct fks_view *v, uint32_t form)
{
    return v->line_limit && (fks_form_count(form) + 1ULL) << 16 > (uint64_t)fks_form_lines(form) * v->line_limit;
}

/* Reads what an item needs of its bucket.  Count and marks change meanwhile, and lanes that saw
 * different ones would diverge: lane 0 decides. */
ROOST_FN void fks_writer_open(const struct shape s, const tile g, const struct fks_view *v, const struct item *item,
                              struct fks_writer *x)
{
    const struct fks_part *p = v->parts + item->home[0].sub;
    x->entry = p->directory + item->home[0].index;
    x->e = fks_entry_load(CONCURRENT, x->entry);
    x->bucket = fks_bucket(v, p, x->e.first);
    x->l = fks_lines_of(v, item->home[1].index, fks_form_lines(x->e.form), fks_form_seed(x->e.form));
    x->lock = fks_lock_of(v, item, x->l.first);
    const uint32_t full = fks_is_full(v, x->e.form), marked = fks_marked(&x->e, x->l.first);
    const uint32_t decided = tile_from32(g, full | marked << 1, 0);
    x->full = decided & 1;
    x->marked = decided >> 1;
    x->alone = s.word != 0;
}

/* Pairs of one word are claimed with their value, by one swap.  Otherwise an item that stores its
 * pair takes a lock that all items of its key ask for, so that none updates a value that is not
 * there yet. */
ROOST_FN enum step fks_write_step(const struct shape s, const tile g, const void *view, const struct batch *b, struct item *item,
                                  struct tally *tally, void *scratch)
{
    const struct fks_view *v = (const struct fks_view *)view;
    struct fks_writer x;
    (void)scratch, (void)tally;
    if (fks_is_done(view, item)) return STEP_DONE;
    fks_writer_open(s, g, v, item, &x);
    enum fks_placed placed = FKS_STUCK;
    if (!item->key || fks_form_lines(x.e.form)) placed = fks_write_item(s, g, v, b, &x, item);
    if (placed == FKS_NOT_ALONE && fks_lock(g, v, x.lock)) {
        x.alone = true;
        placed = fks_write_item(s, g, v, b, &x, item);
        fks_unlock(g, v, x.lock);
    }
    if (placed == FKS_STUCK && fks_by_region(view)) return STEP_DONE;
    return fks_write_ended(b, placed, item);
}

/* An item that waits has no status to report. */
ROOST_FN void fks_write_end(const struct shape s, const struct batch *b, const struct item *item)
{
    if (item->status != ROOST_ITEM_NONE) item_report(s, b, item);
}

/* ---- Pairs moved, by the bucket's owner ------------------------------------------------------ */

/* Inserts into a bucket that the tile owns; a pair in the way may move to its other line.  The
 * item's status, or NONE: there was no room. */
ROOST_FN uint8_t fks_insert_owned(const struct shape s, const tile g, const struct fks_view *v, const struct fks_part *p,
                                  struct fks_entry *entry, const struct batch *b, const struct fks_insert *in)
{
    const struct fks_entry e = fks_entry_load(CONCURRENT, entry);
    const uint32_t lines = fks_form_lines(e.form), seed = fks_form_seed(e.form);
    if (!lines) return ROOST_ITEM_NONE;
    unsigned char *bucket = fks_bucket(v, p, e.first);
    const struct fks_lines l = fks_lines_of(v, in->hash, lines, seed);
    unsigned char *first = fks_line(s, bucket, l.first), *second = fks_line(s, bucket, l.second);
    const struct seek here = fks_seek(CONCURRENT, s, first, in->key);
    struct seek there = {-1, -1};
    if (here.match >= 0) return fks_update(s, g, b, first, here.match, in->key, in->value);
    const bool marked = fks_marked(&e, l.first);
    if (second != first && (marked || here.vacancy < 0)) there = fks_seek(CONCURRENT, s, second, in->key);
    if (there.match >= 0) return fks_update(s, g, b, second, there.match, in->key, in->value);
    /* Its owner knows how many keys it has: without a vacancy no move is worth trying. */
    if (fks_is_full(v, e.form) || fks_form_count(e.form) >= lines * (uint32_t)s.slots) return ROOST_ITEM_NONE;
    tile_sync(g); /* all lanes have looked before one writes */
    if (here.vacancy >= 0 || there.vacancy >= 0) {
        if (g.lane == 0) {
            if (here.vacancy >= 0) slot_publish(s, first, here.vacancy, in->key, in->value);
            else slot_publish(s, second, there.vacancy, in->key, in->value);
            if (here.vacancy < 0) fks_mark(entry->marks, l.first);
        }
    } else if (second == first || (!fks_displace(s, g, v, bucket, lines, seed, entry->marks, l, in) &&
                                   !fks_displace_far(s, g, v, bucket, lines, seed, entry->marks, l, in)))
        return ROOST_ITEM_NONE;
    /* The bucket's own lock is held. */
    if (g.lane == 0) store_relaxed_device32(&entry->form, e.form + 1);
    tile_sync(g);
    return ROOST_ITEM_INSERTED;
}

#define fks_shift_begin fks_write_begin
#define fks_shift_end fks_write_end

ROOST_FN enum step fks_shift_step(const struct shape s, const tile g, const void *view, const struct batch *b, struct item *item,
                                  struct tally *tally, void *scratch)
{
    const struct fks_view *v = (const struct fks_view *)view;
    const struct fks_work *w = &((const struct fks_args *)view)->work;
    const bool by_region = fks_by_region(view);
    const struct fks_part *p = v->parts + item->home[0].sub;
    const struct fks_insert in = {item->home[1].index, item->key, item->value};
    const uint32_t lock = fks_lock_of(v, item, FKS_ALL_LINES);
    (void)scratch, (void)tally;
    if (fks_is_done(view, item)) return STEP_DONE;
    for (uint32_t tries = 1; !fks_lock(g, v, lock); tries++) {
        if (!w->tries) return STEP_RETRY;
        if (tries == w->tries) return by_region ? STEP_DONE : STEP_PARK;
        back_off(0);
    }
    const uint8_t status = in.key ? fks_insert_owned(s, g, v, p, p->directory + item->home[0].index, b, &in)
                                  : fks_insert_special(s, g, v, b, in.value);
    fks_unlock(g, v, lock);
    item->where = in.key ? FKS_MAIN : FKS_SPECIAL;
    item->status = status;
    return status == ROOST_ITEM_NONE && !by_region ? STEP_PARK : STEP_DONE;
}

#endif
