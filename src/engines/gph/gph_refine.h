/* GPH's second pass of inserts (Refinement, Extended Move: section 6) and mends of flagged cells,
 * in the dialect.  gph.h says which locks are held when, and why that is enough.
 *
 * A step locks a cell and does for its item the first of these that it can: it updates the key,
 * takes a vacancy of the key's bucket, gives the cell another mapping, or flags the cell and uses
 * the overflow store.  Before it returns it gives all locks back. */
#ifndef ROOST_GPH_REFINE_H
#define ROOST_GPH_REFINE_H

#include "engines/gph/gph_commit.h"

/* ---- An insert ------------------------------------------------------------------------------- */

/* Writes the new pair to the overflow store: its cell is flagged already. */
ROOST_FN enum attempt overflow_insert(const struct shape s, const tile g, const struct gph_view *v, struct gph_cell *c,
                                      struct gph_workspace *w, struct item *item)
{
    uint32_t to;
    int slot;
    const enum attempt attempt = chain_insert(s, g, v, c, w, c->n, false, &to, &slot);
    if (attempt == ATTEMPT_DONE) insert_done(item, GPH_OVERFLOW);
    return attempt;
}

/* Extended Move with the new key; where no mapping fits, the overflow store. */
ROOST_FN enum attempt insert_moving(const struct shape s, const tile g, const struct gph_view *v, struct gph_cell *c,
                                    struct gph_workspace *w, struct item *item, uint32_t low, struct tally *tally)
{
    struct gph_plan plan;
    const bool gathered = gather(s, g, v, c, w);
    if (!gathered) c->n = 0; /* too many keys to move: only the new one is in the workspace */
    if (g.lane == 0) {
        w->unit[c->n] = pair_unit(s, item->key, item->value);
        if (!s.word) w->value[c->n] = item->value;
        w->low[c->n] = low;
    }
    c->fresh = 1;
    tile_sync(g);
    const bool fits = gathered && mapping_find(s, g, v, c, true, w, &plan, tally);
    if (!fits && c->now.flagged) return overflow_insert(s, g, v, c, w, item);
    if (!fits && !gathered) return ATTEMPT_FULL;
    if (!fits) flag_prepare(g, v, c, w, &plan);
    return cell_move(s, g, v, c, w, &plan, item, tally);
}

/* Takes the lowest vacant slot of the key's bucket, under its lock; STALE if none is left. */
ROOST_FN enum attempt insert_direct(const struct shape s, const tile g, const struct gph_view *v, struct gph_cell *c,
                                    uint32_t bucket, struct item *item)
{
    uint32_t *lock = gph_bucket_lock(v, bucket);
    if (!tile_lock(g, lock, c->stamp)) return ATTEMPT_DIED;
    const uint32_t vacant = tile_from32(g, lane_vacant(s, v, bucket), 0);
    if (vacant && g.lane == 0) vacancy_acquire(s);
    if (vacant && g.lane == 0) slot_publish(s, gph_at(s, v, bucket), bit_lowest32(vacant), item->key, item->value);
    tile_unlock(g, c, lock);
    if (!vacant) return ATTEMPT_STALE;
    insert_done(item, GPH_MAIN);
    return ATTEMPT_DONE;
}

/* Updates the key, or takes a vacancy of its bucket, with the cell's lock held: FULL or STALE if
 * there is neither.  Nothing moves. */
ROOST_FN enum attempt insert_resting(const struct shape s, const tile g, const struct gph_view *v, const struct batch *b,
                                     struct gph_cell *c, uint32_t bucket, struct item *item)
{
    const struct bucket_share share = bucket_load(CONCURRENT, s, g, gph_at(s, v, bucket));
    const struct seek seek = bucket_seek(s, g, &share, item->key, 0);
    if (seek.match >= 0) {
        gph_update(s, v, b, g.lane == (s.word ? share_lane(s, g, seek.match) : 0), bucket, seek.match, item);
        return ATTEMPT_DONE;
    }
    if (c->now.flagged && update_in_chain(s, g, v, b, item)) return ATTEMPT_DONE;
    return seek.vacancy >= 0 ? insert_direct(s, g, v, c, bucket, item) : ATTEMPT_FULL;
}

/* The bucket of the item's key under its cell's mapping. */
ROOST_FN uint32_t refine_bucket(const struct gph_view *v, const struct gph_cell *c, const struct item *item)
{
    const struct gph_hash h = {c->cell, item->home[1].index};
    return gph_key_bucket_in(c->family, v, h, c->base, c->now);
}

/* The insert, with the cell's lock held. */
ROOST_FN enum attempt insert_locked(const struct shape s, const tile g, const struct gph_view *v, const struct batch *b,
                                    struct gph_cell *c, struct gph_workspace *w, struct item *item, struct tally *tally)
{
    const enum attempt attempt = insert_resting(s, g, v, b, c, refine_bucket(v, c, item), item);
    if (attempt == ATTEMPT_DONE || attempt == ATTEMPT_DIED) return attempt;
    return insert_moving(s, g, v, c, w, item, item->home[1].index, tally);
}

/* ---- Refine ---------------------------------------------------------------------------------- */

/* Locks a cell and reads its code; false: an older holder has the lock, come again. */
ROOST_FN bool cell_open(const tile g, const struct gph_view *v, uint32_t cell, uint32_t stamp, struct gph_cell *c)
{
    c->cell = cell;
    c->stamp = stamp;
    c->n = c->in_chain = c->fresh = 0;
    c->released = false;
    if (!tile_lock(g, gph_cell_lock(v, cell), stamp)) return false;
    c->code = tile_from32(g, gph_code_of(load_relaxed_device32(gph_cell_word(v, cell)), cell), 0);
    c->now = gph_mapping(v, c->code);
    return true;
}

ROOST_FN void cell_hashes(const struct gph_view *v, const uint32_t family, struct gph_cell *c)
{
    c->family = family;
    c->base = gph_base_in(family, v, c->cell);
}

/* The step of an item that met an older holder.  Many items that want one cell would keep the word
 * of its lock from the holder.  So each waits longer after each death, and is parked after
 * `patience` deaths. */
ROOST_FN enum step item_died(const tile g, const struct gph_view *v, struct item *item, struct tally *tally)
{
    const uint32_t deaths = item->home[0].index++;
    if (g.lane == 0) {
        tally->died++;
        back_off(deaths);
    }
    return deaths < v->patience ? STEP_RETRY : STEP_PARK;
}

/* Gives the cell's lock back, and returns what the step returns. */
ROOST_FN enum step cell_close(const tile g, const struct gph_view *v, struct gph_cell *c, enum attempt attempt, struct item *item,
                              struct tally *tally)
{
    tile_unlock(g, c, gph_cell_lock(v, c->cell));
    if (attempt == ATTEMPT_DIED) return item_died(g, v, item, tally);
    if (attempt == ATTEMPT_FULL) return STEP_PARK;
    return attempt == ATTEMPT_DONE ? STEP_DONE : STEP_RETRY;
}

ROOST_FN void gph_refine_begin(const struct shape s, const void *view, const struct batch *b, uint64_t index, struct item *item)
{
    const struct gph_view *v = (const struct gph_view *)view;
    item->key = load_width(s.key_bytes, b->keys, index);
    item->value = s.value_bytes ? load_width(s.value_bytes, b->values_in, index) : 0;
    item->index = index;
    item->status = ROOST_ITEM_NONE;
    const struct gph_hash h = gph_hash(s, v, item->key);
    item->home[0].sub = h.cell;
    item->home[0].index = 0; /* its deaths */
    item->home[1].sub = 0;
    item->home[1].index = h.low;
    prefetch_read(gph_cell_word(v, h.cell));
}

#define gph_refine_end item_report

/* The stamp is the item's number.  So it stays the same when the item comes again, and items that
 * begin first are the older ones.  The vacant key never comes here: its bucket has room for it. */
ROOST_FN enum step gph_refine_step(const struct shape s, const tile g, const void *view, const struct batch *b, struct item *item,
                                   struct tally *tally, void *scratch)
{
    const struct gph_view *v = (const struct gph_view *)view;
    struct gph_cell c;
    if (!cell_open(g, v, item_cell(item), (uint32_t)item->index + 1, &c)) return item_died(g, v, item, tally);
    enum attempt attempt;
    if (gph_is_summed(v->seeds.family)) {
        cell_hashes(v, HASH_SUMMED, &c);
        attempt = insert_locked(s, g, v, b, &c, (struct gph_workspace *)scratch, item, tally);
    } else {
        cell_hashes(v, HASH_KEYED, &c);
        attempt = insert_locked(s, g, v, b, &c, (struct gph_workspace *)scratch, item, tally);
    }
    return cell_close(g, v, &c, attempt, item, tally);
}

/* ---- Mends of flagged cells; items are words of the index ------------------------------------ */

#define gph_mend_begin bucket_begin
#define gph_mend_end bucket_end

/* Gives a cell another mapping if there is one: one of any Phi, or (not `own`) of another Phi.  No
 * other item changes the cell's code meanwhile.  False: an older holder has a lock that it needs,
 * or others have used the room that was seen. */
ROOST_FN bool cell_remap(const struct shape s, const tile g, const struct gph_view *v, uint32_t cell, uint32_t stamp,
                         const bool own, struct gph_workspace *w, struct item *item, struct tally *tally)
{
    struct gph_cell c;
    struct gph_plan plan;
    enum attempt attempt = ATTEMPT_DONE;
    if (!cell_open(g, v, cell, stamp, &c)) return false;
    cell_hashes(v, v->seeds.family, &c);
    if (gather(s, g, v, &c, w) && mapping_find(s, g, v, &c, own, w, &plan, tally))
        attempt = cell_move(s, g, v, &c, w, &plan, item, tally);
    tile_unlock(g, &c, gph_cell_lock(v, cell));
    return attempt == ATTEMPT_DONE;
}

ROOST_FN enum step gph_mend_step(const struct shape s, const tile g, const void *view, const struct batch *b, struct item *item,
                                 struct tally *tally, void *scratch)
{
    const struct gph_view *v = (const struct gph_view *)view;
    const uint32_t first = (uint32_t)item->index * 4, word = tile_from32(g, load_relaxed_device32(gph_cell_word(v, first)), 0);
    (void)b;
    ROOST_ROLLED
    for (uint32_t cell = first; cell < first + 4; cell++)
        if (gph_code_of(word, cell) == GPH_FLAGGED &&
            !cell_remap(s, g, v, cell, cell + 1, true, (struct gph_workspace *)scratch, item, tally))
            return STEP_RETRY;
    return STEP_DONE;
}

#endif
