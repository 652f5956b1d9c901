/* What GPH's inserts write under a cell's lock, in the dialect: the cell's pairs to the buckets of
 * another mapping, or to the overflow store, and the cell's code. */
#ifndef ROOST_GPH_COMMIT_H
#define ROOST_GPH_COMMIT_H

#include "engines/gph/gph_gather.h"

/* ---- The overflow store ---------------------------------------------------------------------- */

/* Writes a pair of the workspace to a vacant slot of an overflow bucket.  The lane holds its
 * lock. */
ROOST_FN enum attempt chained_publish(const struct shape s, const struct gph_view *v, const struct gph_workspace *w, uint32_t m,
                                      uint32_t bucket, int *slot)
{
    const uint32_t vacant = lane_vacant(s, v, bucket);
    if (!vacant) return ATTEMPT_FULL;
    vacancy_acquire(s);
    *slot = bit_lowest32(vacant);
    member_publish(s, w, m, gph_at(s, v, bucket), *slot);
    return ATTEMPT_DONE;
}

/* Locks the bucket for that one pair.  A holder of the lock waits for nobody, so the lane waits for
 * it, older or younger.  Except where buckets share locks: a tile that holds target buckets
 * (`holds`) and meets an older holder dies, or two tiles could wait for each other.  The lock may
 * be that of a target of this cell; then it stays taken.  A full bucket is not locked: where a
 * table is full there are many of them. */
ROOST_FN enum attempt chained_insert(const struct shape s, const struct gph_view *v, const struct gph_cell *c,
                                     const struct gph_workspace *w, uint32_t m, const bool holds, uint32_t bucket, int *slot)
{
    uint32_t *lock = gph_bucket_lock(v, bucket);
    enum attempt attempt = ATTEMPT_DIED;
    ROOST_ROLLED
    for (uint32_t looks = 0; attempt == ATTEMPT_DIED && looks < WAIT_LOOKS; looks++) {
        if (!lane_vacant(s, v, bucket)) return ATTEMPT_FULL;
        const enum stamp_lock look = stamp_lock_try(lock, c->stamp);
        if (look == STAMP_TAKEN || look == STAMP_OWN) {
            fence_acquire_device();
            attempt = chained_publish(s, v, w, m, bucket, slot);
            fence_release_device();
            if (look == STAMP_TAKEN) stamp_lock_give(lock, c->stamp);
        } else {
            if (holds && look == STAMP_OLDER) break;
            back_off(0);
        }
    }
    return attempt;
}

/* Writes a pair of the workspace to the cell's overflow chain.  *to: its bucket; *slot, on the
 * first lane alone: its slot. */
ROOST_FN enum attempt chain_insert(const struct shape s, const tile g, const struct gph_view *v, const struct gph_cell *c,
                                   const struct gph_workspace *w, uint32_t m, const bool holds, uint32_t *to, int *slot)
{
    ROOST_ROLLED
    for (uint32_t k = 0; k < gph_chain_length(v); k++) {
        const uint32_t i = gph_chain(v, c->cell, k);
        uint32_t attempt = ATTEMPT_FULL;
        *to = v->bucket_count + i;
        if (g.lane == 0) attempt = chained_insert(s, v, c, w, m, holds, *to, slot);
        attempt = tile_from32(g, attempt, 0);
        if (attempt != ATTEMPT_FULL) return (enum attempt)attempt;
        if (g.lane == 0) store_relaxed_device32(v->passed + i, 1);
    }
    return ATTEMPT_FULL;
}

/* Copies the spilled pairs of a cell that becomes flagged to the overflow store.  Nothing else has
 * changed before, so that they can be taken out again where the store is full. */
ROOST_FN enum attempt spilled_insert(const struct shape s, const tile g, const struct gph_view *v, struct gph_cell *c,
                                     const struct gph_workspace *w, uint32_t *spilled)
{
    uint32_t to[GPH_MEMBERS + 1], done = 0;
    int slot[GPH_MEMBERS + 1];
    enum attempt attempt = ATTEMPT_DONE;
    ROOST_ROLLED
    for (uint32_t m = 0; m < c->n + c->fresh && attempt == ATTEMPT_DONE; m++) {
        if (!w->spilled[m]) continue;
        attempt = chain_insert(s, g, v, c, w, m, true, &to[done], &slot[done]);
        done += attempt == ATTEMPT_DONE;
    }
    if (attempt != ATTEMPT_DONE && g.lane == 0) {
        ROOST_ROLLED
        /* The fences of chained_insert order the pairs' values before these stores. */
        for (uint32_t i = 0; i < done; i++) slot_store_unit(s, gph_at(s, v, to[i]), slot[i], 0);
    }
    *spilled = done;
    return attempt;
}

/* ---- A cell's pairs -------------------------------------------------------------------------- */

/* Marks the keys of a position for which its bucket has no slot. */
ROOST_FN void position_spill(const struct gph_view *v, const struct gph_cell *c, struct gph_workspace *w, uint32_t position,
                             uint32_t delta, uint32_t slots)
{
    ROOST_ROLLED
    for (uint32_t m = 0; m < c->n + c->fresh; m++) {
        if (((w->virtual_bucket[m] + delta) & gph_virtual_mask(v)) != position) continue;
        w->spilled[m] = slots == 0;
        slots &= slots - 1; /* 0 stays 0 */
    }
}

/* Writes the keys of a position that are not spilled to slots of its bucket.  The cell's other
 * slots there become vacant.  Only a cell that becomes flagged has spilled keys. */
ROOST_FN void position_write(const struct shape s, const struct gph_view *v, const struct gph_cell *c,
                             const struct gph_workspace *w, uint32_t position, const struct gph_mapping to)
{
    unsigned char *bucket = gph_at(s, v, w->target[position]);
    uint32_t slots = w->slots[position];
    ROOST_ROLLED
    for (uint32_t m = 0; m < c->n + c->fresh; m++) {
        if (((w->virtual_bucket[m] + to.delta) & gph_virtual_mask(v)) != position || (to.flagged && w->spilled[m])) continue;
        member_publish(s, w, m, bucket, bit_lowest32(slots));
        slots &= slots - 1;
    }
    ROOST_ROLLED
    for (uint32_t left = slots & w->own[position]; left; left &= left - 1) slot_store_unit(s, bucket, bit_lowest32(left), 0);
}

/* Vacates the slots that the cell's keys left.  Where the buckets stay the same, position_write has
 * done so, except in the overflow store. */
ROOST_FN void originals_clear(const struct shape s, const tile g, const struct gph_view *v, const struct gph_cell *c,
                              const struct gph_workspace *w, bool same_buckets)
{
    ROOST_ROLLED
    for (uint32_t m = (uint32_t)g.lane; m < c->n; m += (uint32_t)g.size) {
        const uint32_t from = w->from[m];
        const bool chained = from >= FROM_CHAIN;
        if (same_buckets && !chained) continue;
        const uint32_t bucket = chained ? v->bucket_count + gph_chain(v, c->cell, from - FROM_CHAIN)
                                        : gph_bucket_in(c->family, v, c->base, c->now.phi, from);
        slot_store_unit(s, gph_at(s, v, bucket), w->slot[m], 0);
    }
}

/* Changes the cell's code by an add: other cells' codes are in the same word, and stay. */
ROOST_FN void code_store(const tile g, const struct gph_view *v, const struct gph_cell *c, uint32_t code)
{
    if (g.lane == 0) (void)add_relaxed_device32(gph_cell_word(v, c->cell), (code - c->code) << (c->cell & 3u) * 8);
}

/* Counts a cell that moved; one lane does.  insert_done counts a new key in the main slots, so all
 * spilled keys are counted as leaving them. */
ROOST_FN void move_count(const struct gph_cell *c, const struct gph_mapping to, uint32_t spilled, struct tally *tally)
{
    tally->flagged += (uint32_t)to.flagged - (uint32_t)c->now.flagged;
    tally->evicted += c->n;
    if (!to.flagged && to.phi != c->now.phi) tally->phi_moves++;
    else if (!to.flagged) tally->delta_moves++;
    tally_stored(tally, GPH_OVERFLOW, spilled - c->in_chain);
    tally_stored(tally, GPH_MAIN, c->in_chain - spilled);
}

/* Finds the slots of the target buckets that the cell's keys may be written to: the vacant ones and
 * the cell's own.  They are read once, under the locks.  More slots may become vacant later, since
 * a tile that moves another cell's keys out of a bucket needs no lock.  True if some keys find no
 * slot; in a cell that becomes flagged these are marked. */
ROOST_FN bool targets_look(const struct shape s, const tile g, const struct gph_view *v, const struct gph_cell *c,
                           struct gph_workspace *w, const struct gph_plan *plan)
{
    const struct gph_mapping to = plan->to;
    const bool same_buckets = to.phi == c->now.phi;
    bool stale = false;
    ROOST_ROLLED
    for (uint32_t p = (uint32_t)g.lane; p < virtual_count(v); p += (uint32_t)g.size) {
        const uint32_t need = need_at(v, plan, p);
        if (!same_buckets) w->own[p] = 0;
        w->slots[p] = w->own[p];
        if (need) w->slots[p] |= lane_vacant(s, v, w->target[p]);
        stale = stale || need > (uint32_t)bit_count32(w->slots[p]);
        if (to.flagged) position_spill(v, c, w, p, to.delta, w->slots[p]);
    }
    vacancy_acquire(s);
    stale = tile_any(g, stale);
    tile_sync(g);
    return stale;
}

/* Moves the cell's pairs.  All copies are written before originals in other buckets are cleared,
 * and the code comes last. */
ROOST_FN void cell_write(const struct shape s, const tile g, const struct gph_view *v, const struct gph_cell *c,
                         const struct gph_workspace *w, const struct gph_mapping to)
{
    ROOST_ROLLED
    for (uint32_t p = (uint32_t)g.lane; p < virtual_count(v); p += (uint32_t)g.size) position_write(s, v, c, w, p, to);
    tile_sync(g);
    originals_clear(s, g, v, c, w, to.phi == c->now.phi);
    code_store(g, v, c, to.flagged ? (uint32_t)GPH_FLAGGED : to.phi << v->virtual_log | to.delta);
}

/* Gives the cell the mapping whose virtual buckets and targets are in the workspace.  Locks the
 * buckets that get keys and reads their vacancies again before it changes anything.  Where the
 * mapping is that of flagged cells, keys without a slot are spilled. */
ROOST_FN enum attempt cell_move(const struct shape s, const tile g, const struct gph_view *v, struct gph_cell *c,
                                struct gph_workspace *w, const struct gph_plan *plan, struct item *item, struct tally *tally)
{
    const struct gph_mapping to = plan->to;
    uint32_t spilled = 0;
    enum attempt attempt = ATTEMPT_DONE;
    if (!targets_lock(g, v, c, w, plan)) return ATTEMPT_DIED;
    if (targets_look(s, g, v, c, w, plan)) {
        if (to.flagged) attempt = spilled_insert(s, g, v, c, w, &spilled);
        else attempt = ATTEMPT_STALE;
    }
    if (attempt == ATTEMPT_DONE) {
        cell_write(s, g, v, c, w, to);
        if (c->fresh) insert_done(item, GPH_MAIN);
        if (g.lane == 0) move_count(c, to, spilled, tally);
    }
    targets_unlock(g, v, c, w, plan);
    return attempt;
}

/* Where buckets coincide, gives all their keys to the first of their positions, which has all of
 * the cell's slots there after gather (hash=summed). */
ROOST_FN void positions_unite(const tile g, const struct gph_view *v, const struct gph_cell *c, struct gph_workspace *w,
                              struct gph_bytes *need)
{
    ROOST_ROLLED
    for (uint32_t p = (uint32_t)g.lane; p < virtual_count(v); p += (uint32_t)g.size) {
        w->next[p] = p;
        ROOST_ROLLED
        for (uint32_t k = p; k-- > 0;)
            if (w->target[k] == w->target[p]) w->next[p] = k;
    }
    tile_sync(g);
    bytes_clear(need);
    ROOST_ROLLED
    for (uint32_t m = (uint32_t)g.lane; m < c->n + c->fresh; m += (uint32_t)g.size) {
        w->virtual_bucket[m] = (uint8_t)w->next[w->virtual_bucket[m]];
        bytes_add(need, w->virtual_bucket[m], 1);
    }
    bytes_sum(g, v, need);
}

/* Prepares the workspace for the mapping of flagged cells. */
ROOST_FN void flag_prepare(const tile g, const struct gph_view *v, const struct gph_cell *c, struct gph_workspace *w,
                           struct gph_plan *plan)
{
    needs_set(g, v, c, 0, w, &plan->need);
    plan->to = gph_mapping(v, GPH_FLAGGED);
    if (targets_set(g, v, c, 0, w)) positions_unite(g, v, c, w, &plan->need);
}

#endif
