/* What GPH's inserts read under a cell's lock, in the dialect: the cell's keys, and a mapping under
 * which they fit. */
#ifndef ROOST_GPH_GATHER_H
#define ROOST_GPH_GATHER_H

#include "engines/gph/gph_cell.h"

/* ---- Looks --------------------------------------------------------------------------------------
 *
 * Functions that are inlined often are short: the tiles of a warp are at different places here, and
 * miss the instruction cache. */

/* The vacant slots of a bucket, a bit each, as one lane sees them. */
ROOST_FN uint32_t lane_vacant(const struct shape s, const struct gph_view *v, uint32_t bucket)
{
    const struct bucket_share share = bucket_load(CONCURRENT, s, lane_by_itself(), gph_at(s, v, bucket));
    uint32_t vacant = 0;
    ROOST_UNROLL
    for (int i = 0; i < MAX_SLOTS; i++) {
        if (i >= s.slots) break;
        vacant |= (uint32_t)(share.unit[i] == 0) << i;
    }
    return vacant;
}

/* True if a unit is that of a key of the cell. */
ROOST_FN bool unit_is_own(const struct shape s, const struct gph_view *v, const struct gph_cell *c, uint64_t unit)
{
    return unit != 0 && gph_hash_in(c->family, s, v, unit_key(s, unit)).cell == c->cell;
}

/* Between a look at a vacant slot and the store of a pair there.  Where values are apart, the last
 * holder of the lock of another cell may have assigned a value to the pair that left the slot.
 * Only that pair's mover has seen this, and it vacated the slot without the bucket's lock.  This
 * fence and the mover's order that value before the new pair's. */
ROOST_FN void vacancy_acquire(const struct shape s)
{
    if (!s.word && s.value_bytes) fence_acquire_device();
}

/* True if the bucket of a position is that of an earlier position, too (hash=summed). */
ROOST_FN bool target_repeats(const struct gph_workspace *w, uint32_t position)
{
    bool repeats = false;
    ROOST_ROLLED
    for (uint32_t k = 0; k < position; k++) repeats = repeats || w->target[k] == w->target[position];
    return repeats;
}

/* True if two of the mapping's buckets, which are in the workspace, coincide (hash=summed). */
ROOST_FN bool targets_coincide(const tile g, const struct gph_view *v, const struct gph_cell *c, const struct gph_workspace *w)
{
    bool coincide = false;
    if (!gph_is_summed(c->family)) return false;
    ROOST_ROLLED
    for (uint32_t p = (uint32_t)g.lane; p < virtual_count(v); p += (uint32_t)g.size) coincide = coincide || target_repeats(w, p);
    coincide = tile_any(g, coincide);
    tile_sync(g); /* before the next mapping's buckets overwrite what the lanes have read */
    return coincide;
}

/* Writes the mapping's buckets to the workspace; true if two coincide. */
ROOST_FN bool targets_set(const tile g, const struct gph_view *v, const struct gph_cell *c, uint32_t phi, struct gph_workspace *w)
{
    ROOST_ROLLED
    for (uint32_t p = (uint32_t)g.lane; p < virtual_count(v); p += (uint32_t)g.size)
        w->target[p] = gph_bucket_in(c->family, v, c->base, phi, p);
    tile_sync(g);
    return targets_coincide(g, v, c, w);
}

ROOST_FN void member_set(const struct shape s, const struct gph_view *v, struct gph_workspace *w, uint32_t at, uint32_t from,
                         uint32_t bucket, int slot, uint64_t unit)
{
    w->unit[at] = unit;
    if (!s.word) w->value[at] = slot_load_value(s, gph_at(s, v, bucket), slot);
    w->from[at] = (uint8_t)from;
    w->slot[at] = (uint8_t)slot;
}

/* Writes a pair of the workspace to a slot that no other tile may write to. */
ROOST_FN void member_publish(const struct shape s, const struct gph_workspace *w, uint32_t m, unsigned char *bucket, int slot)
{
    const uint64_t unit = w->unit[m];
    slot_publish(s, bucket, slot, unit_key(s, unit), s.word ? unit >> 32 : w->value[m]);
}

/* Gathers the keys of a flagged cell in its overflow chain.  All lanes look, the first one writes.
 * False if the workspace has no room for them. */
ROOST_FN bool gather_chain(const struct shape s, const tile g, const struct gph_view *v, struct gph_cell *c,
                           struct gph_workspace *w)
{
    ROOST_ROLLED
    for (uint32_t k = 0; k < gph_chain_length(v); k++) {
        const uint32_t i = gph_chain(v, c->cell, k), bucket = v->bucket_count + i;
        ROOST_ROLLED
        for (int slot = 0; slot < s.slots; slot++) {
            const uint64_t unit = tile_from64(g, slot_load_unit(s, gph_at(s, v, bucket), slot), 0);
            if (!unit_is_own(s, v, c, unit)) continue;
            if (c->n == GPH_MEMBERS) return false;
            if (g.lane == 0) member_set(s, v, w, c->n, FROM_CHAIN + k, bucket, slot, unit);
            c->n++;
            c->in_chain++;
        }
        if (!tile_from32(g, load_relaxed_device32(v->passed + i), 0)) break;
    }
    return true;
}

/* Looks at one lane's bucket: which slots have keys of the cell, and how many slots there are for
 * the cell. */
ROOST_FN void position_survey(const struct shape s, const struct gph_view *v, const struct gph_cell *c, uint32_t position,
                              const struct bucket_share *share, struct gph_workspace *w, struct gph_bytes *held,
                              struct gph_bytes *room)
{
    uint32_t own = 0, vacant = 0;
    ROOST_UNROLL
    for (int i = 0; i < MAX_SLOTS; i++) {
        if (i >= s.slots) break;
        vacant |= (uint32_t)(share->unit[i] == 0) << i;
        own |= (uint32_t)unit_is_own(s, v, c, share->unit[i]) << i;
    }
    w->own[position] = own;
    bytes_add(held, position, (uint32_t)bit_count32(own));
    bytes_add(room, position, (uint32_t)bit_count32(vacant | own));
}

/* Gathers all keys of the cell in the workspace, and counts the slots for it in the buckets of its
 * own mapping.  Lanes divide the buckets among them, so that all reads are in flight at once.
 * False if the workspace has no room for the keys. */
ROOST_FN bool gather(const struct shape s, const tile g, const struct gph_view *v, struct gph_cell *c, struct gph_workspace *w)
{
    const bool coincide = targets_set(g, v, c, c->now.phi, w);
    struct bucket_share share = {{0}, false};
    c->n = c->in_chain = 0;
    bytes_clear(&c->room);
    ROOST_ROLLED
    for (uint32_t first = 0; first < virtual_count(v); first += (uint32_t)g.size) {
        const uint32_t p = first + (uint32_t)g.lane;
        struct gph_bytes held;
        bytes_clear(&held);
        const bool looks = p < virtual_count(v) && !(coincide && target_repeats(w, p));
        if (looks) {
            share = bucket_load(CONCURRENT, s, lane_by_itself(), gph_at(s, v, w->target[p]));
            position_survey(s, v, c, p, &share, w, &held, &c->room);
        } else if (p < virtual_count(v)) {
            w->own[p] = 0; /* counted at an earlier position */
        }
        bytes_sum(g, v, &held);
        uint32_t at = c->n + bytes_below(&held, p);
        c->n += bytes_below(&held, GPH_MOST_VIRTUAL);
        if (c->n > GPH_MEMBERS) {
            tile_sync(g); /* other lanes' stores to the workspace come before its next use */
            return false;
        }
        const uint32_t own = looks ? w->own[p] : 0;
        ROOST_UNROLL
        for (int i = 0; i < MAX_SLOTS; i++) {
            if (i >= s.slots) break;
            if (own >> i & 1u) member_set(s, v, w, at++, p, w->target[p], i, share.unit[i]);
        }
    }
    bytes_sum(g, v, &c->room);
    const bool all = !c->now.flagged || gather_chain(s, g, v, c, w);
    tile_sync(g);
    ROOST_ROLLED
    for (uint32_t m = (uint32_t)g.lane; m < c->n; m += (uint32_t)g.size)
        w->low[m] = gph_hash_in(c->family, s, v, unit_key(s, w->unit[m])).low;
    return all;
}

/* ---- Search ---------------------------------------------------------------------------------- */

/* Counts the keys of each virtual bucket under a Phi. */
ROOST_FN void needs_set(const tile g, const struct gph_view *v, const struct gph_cell *c, uint32_t phi, struct gph_workspace *w,
                        struct gph_bytes *need)
{
    bytes_clear(need);
    ROOST_ROLLED
    for (uint32_t m = (uint32_t)g.lane; m < c->n + c->fresh; m += (uint32_t)g.size) {
        const uint32_t j = gph_virtual_in(c->family, v, w->low[m], phi);
        w->virtual_bucket[m] = (uint8_t)j;
        bytes_add(need, j, 1);
    }
    bytes_sum(g, v, need);
}

/* Reads the buckets of two mappings and counts the vacant slots of each.  Nothing is locked, so the
 * counts are guesses.  Two mappings have twice as many reads in flight as one. */
ROOST_FN void rooms_set(const struct shape s, const tile g, const struct gph_view *v, const struct gph_cell *c, uint32_t phi,
                        uint32_t next_phi, struct gph_workspace *w, struct gph_bytes *room, struct gph_bytes *next)
{
    bytes_clear(room);
    bytes_clear(next);
    ROOST_ROLLED
    for (uint32_t p = (uint32_t)g.lane; p < virtual_count(v); p += (uint32_t)g.size) {
        w->target[p] = gph_bucket_in(c->family, v, c->base, phi, p);
        w->next[p] = gph_bucket_in(c->family, v, c->base, next_phi, p);
        const uint32_t vacant = lane_vacant(s, v, w->target[p]), next_vacant = lane_vacant(s, v, w->next[p]);
        bytes_add(room, p, (uint32_t)bit_count32(vacant));
        bytes_add(next, p, (uint32_t)bit_count32(next_vacant));
    }
    bytes_sum(g, v, room);
    bytes_sum(g, v, next);
    tile_sync(g);
}

/* The second mapping of rooms_set becomes the first. */
ROOST_FN void targets_advance(const tile g, const struct gph_view *v, struct gph_workspace *w)
{
    tile_sync(g);
    ROOST_ROLLED
    for (uint32_t p = (uint32_t)g.lane; p < virtual_count(v); p += (uint32_t)g.size) w->target[p] = w->next[p];
    tile_sync(g);
}

/* Of the offsets with which all keys fit, the one with the least sum of keys times taken slots,
 * over the buckets; NO_OFFSET if there is none.  Each lane looks at its offsets. */
ROOST_FN uint32_t offset_choose(const struct shape s, const tile g, const struct gph_view *v, uint32_t phi,
                                const struct gph_bytes *need, const struct gph_bytes *room)
{
    const struct gph_bytes all = bytes_all((uint32_t)s.slots);
    uint32_t best = NO_OFFSET;
    ROOST_ROLLED
    for (uint32_t delta = (uint32_t)g.lane; delta < virtual_count(v); delta += (uint32_t)g.size) {
        const struct gph_bytes at = bytes_rotate(v, need, delta);
        const uint32_t crowd =
            dot_bytes64(at.word[0], all.word[0] - room->word[0]) + dot_bytes64(at.word[1], all.word[1] - room->word[1]);
        const uint32_t mine = crowd << 8 | delta;
        if (bytes_fit(&at, room) && (phi << v->virtual_log | delta) != GPH_FLAGGED && mine < best) best = mine;
    }
    best = tile_min32(g, best);
    return best == NO_OFFSET ? NO_OFFSET : best & 0xffu;
}

/* True if there is an offset with which all keys fit under a Phi whose buckets are in the
 * workspace. */
ROOST_FN bool mapping_try(const struct shape s, const tile g, const struct gph_view *v, const struct gph_cell *c, uint32_t phi,
                          const struct gph_bytes *room, struct gph_workspace *w, struct gph_plan *plan, struct tally *tally)
{
    const struct gph_bytes most = bytes_all((uint32_t)s.slots);
    needs_set(g, v, c, phi, w, &plan->need);
    if (!bytes_fit(&plan->need, &most)) return false; /* more keys than slots */
    if (targets_coincide(g, v, c, w)) return false;   /* two buckets coincide */
    if (g.lane == 0) tally->tries += virtual_count(v);
    plan->to.phi = phi;
    plan->to.delta = offset_choose(s, g, v, phi, &plan->need, room);
    plan->to.flagged = false;
    return plan->to.delta != NO_OFFSET;
}

/* Finds a mapping under which all keys of the cell and the new one have room: first (`own`) the
 * cell's own Phi with another Delta, then every other Phi.  The workspace is then as that mapping
 * needs it. */
ROOST_FN bool mapping_find(const struct shape s, const tile g, const struct gph_view *v, const struct gph_cell *c, const bool own,
                           struct gph_workspace *w, struct gph_plan *plan, struct tally *tally)
{
    const uint32_t phis = 256u >> v->virtual_log, now = c->now.phi;
    struct gph_bytes room = c->room, next = c->room;
    ROOST_ROLLED
    for (uint32_t i = own ? 0 : 1; i < phis; i++) {
        const uint32_t phi = (now + i) & (phis - 1u);
        if (i & 1u) {
            rooms_set(s, g, v, c, phi, (phi + 1) & (phis - 1u), w, &room, &next);
        } else if (i > 0) {
            targets_advance(g, v, w);
            room = next;
        }
        if (mapping_try(s, g, v, c, phi, &room, w, plan, tally)) return true;
    }
    return false;
}

#endif
