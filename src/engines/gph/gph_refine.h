/* GPH's second pass of inserts (Refinement) and the mapping of cells anew (Extended Move, section 6), in the dialect.  gph.h says which locks
 * are held when, and why that is enough.
 *
 * A step locks a cell, and does for its item what comes first: updates the key, takes a vacancy of its bucket, maps the cell anew, or flags
 * it and uses the overflow store.  Before it returns it gives all locks back. */
#ifndef ROOST_GPH_REFINE_H
#define ROOST_GPH_REFINE_H

#include "engines/gph/gph_items.h"
#include "portable/pairs.h"

enum { NO_OFFSET = 0xffffffff, FROM_CHAIN = GPH_MOST_VIRTUAL };

/* A tile's workspace, in its scratch memory: a cell's keys, and the mapping that is tried.  Positions are those of H_b. */
struct gph_workspace {
    uint64_t unit[GPH_MEMBERS + 1]; /* pairs of one word, or keys */
    uint32_t low[GPH_MEMBERS + 1];
    uint32_t target[GPH_MOST_VIRTUAL]; /* buckets */
    uint32_t next[GPH_MOST_VIRTUAL];   /* of the mapping that is tried after it */
    uint32_t slots[GPH_MOST_VIRTUAL];  /* bits: of a locked bucket, those to write to */
    uint32_t own[GPH_MOST_VIRTUAL];    /* of them, those with keys of this cell */
    uint8_t from[GPH_MEMBERS + 1];     /* the bucket that a key lies in: its position, or FROM_CHAIN + its place in the chain */
    uint8_t slot[GPH_MEMBERS + 1];     /* in `from` */
    uint8_t virtual_bucket[GPH_MEMBERS + 1];
    uint8_t spilled[GPH_MEMBERS + 1]; /* it goes to the overflow store */
    uint64_t value[GPH_MEMBERS + 1];  /* of pairs of two words; last, for the others have no memory for it */
};

/* A number below 128 for each virtual bucket or position, a byte each. */
struct gph_bytes {
    uint64_t word[GPH_MOST_VIRTUAL / 8];
};

/* A mapping that may come, and how many keys each virtual bucket has under its Phi; the same on every lane. */
struct gph_plan {
    struct gph_mapping to;
    struct gph_bytes need;
};

/* A cell while it is locked; the same on every lane. */
struct gph_cell {
    uint32_t cell, stamp, code;
    uint32_t family; /* of the hashes: a constant in each of the two copies of what follows a lock */
    uint32_t base;   /* of its mappings' buckets */
    struct gph_mapping now;
    uint32_t n, in_chain; /* keys gathered; of them, in the overflow store */
    uint32_t fresh;       /* 1: a new key stands behind them in the workspace */

    struct gph_bytes room; /* of its own mapping's buckets, without its keys */
    bool released;         /* all that was written is visible to who gets the cell's lock next */
};

/* What came of an attempt. */
enum attempt {
    ATTEMPT_DONE,
    ATTEMPT_DIED,  /* met an older holder: come again */
    ATTEMPT_STALE, /* others have used the room that was seen: come again */
    ATTEMPT_FULL   /* there is no room */
};

ROOST_FN uint32_t virtual_count(const struct gph_view *v) { return 1u << v->virtual_log; }

/* A lane by itself, for looks into buckets that lanes divide among them. */
ROOST_FN tile lane_by_itself(void)
{
    const tile g = {1, 0, 1u};
    return g;
}

/* ---- Bytes ----------------------------------------------------------------------------------------------------------------------- */

#define EACH_BYTE 0x0101010101010101ULL

ROOST_FN void bytes_clear(struct gph_bytes *b) { b->word[0] = b->word[1] = 0; }

ROOST_FN void bytes_add(struct gph_bytes *b, uint32_t at, uint32_t x)
{
    const uint64_t shifted = (uint64_t)x << (at & 7u) * 8;
    b->word[0] += at < 8 ? shifted : 0;
    b->word[1] += at < 8 ? 0 : shifted;
}

ROOST_FN uint32_t bytes_at(const struct gph_bytes *b, uint32_t at)
{
    return (uint32_t)((at < 8 ? b->word[0] : b->word[1]) >> (at & 7u) * 8) & 0xffu;
}

/* The lanes' sums, on every lane; the second word only where R is more than 8. */
ROOST_FN void bytes_sum(const tile g, const struct gph_view *v, struct gph_bytes *b)
{
    b->word[0] = tile_sum64(g, b->word[0]);
    if (v->virtual_log > 3) b->word[1] = tile_sum64(g, b->word[1]);
}

/* Byte p becomes what byte (p - delta) mod R was. */
ROOST_FN struct gph_bytes bytes_rotate(const struct gph_view *v, const struct gph_bytes *b, uint32_t delta)
{
    const uint32_t bits = virtual_count(v) * 8, shift = delta * 8;
    struct gph_bytes r = *b;
    if (delta == 0) return r;
    if (bits < 64) {
        r.word[0] = (b->word[0] << shift | b->word[0] >> (bits - shift)) & ((1ULL << bits) - 1);
    } else if (bits == 64) {
        r.word[0] = b->word[0] << shift | b->word[0] >> (64 - shift);
    } else {
        const uint64_t low = delta & 8u ? b->word[1] : b->word[0], high = delta & 8u ? b->word[0] : b->word[1];
        const uint32_t rest = shift & 63u;
        r.word[0] = rest ? low << rest | high >> (64 - rest) : low;
        r.word[1] = rest ? high << rest | low >> (64 - rest) : high;
    }
    return r;
}

/* The sum of the bytes below one. */
ROOST_FN uint32_t bytes_below(const struct gph_bytes *b, uint32_t at)
{
    const uint64_t low = at < 8 ? b->word[0] & ((1ULL << at * 8) - 1) : b->word[0];
    const uint64_t high = at < 8 ? 0 : at < 16 ? b->word[1] & ((1ULL << (at - 8) * 8) - 1) : b->word[1];
    return dot_bytes64(low, EACH_BYTE) + dot_bytes64(high, EACH_BYTE);
}

/* Is every byte of a at most that of b? */
ROOST_FN bool bytes_fit(const struct gph_bytes *a, const struct gph_bytes *b)
{
    const uint64_t top = 0x80 * EACH_BYTE;
    return (((b->word[0] | top) - a->word[0]) & ((b->word[1] | top) - a->word[1]) & top) == top;
}

ROOST_FN struct gph_bytes bytes_all(uint32_t x)
{
    struct gph_bytes b;
    b.word[0] = b.word[1] = x * EACH_BYTE;
    return b;
}

/* The keys that a position's bucket gets. */
ROOST_FN uint32_t need_at(const struct gph_view *v, const struct gph_plan *plan, uint32_t position)
{
    return bytes_at(&plan->need, (position - plan->to.delta) & gph_virtual_mask(v));
}

/* ---- Locks ----------------------------------------------------------------------------------------------------------------------- */

ROOST_FN uint32_t *gph_cell_lock(const struct gph_view *v, uint32_t cell) { return v->cell_locks + (cell & v->cell_lock_mask); }

/* One lock for the tile, by its first lane. */
ROOST_FN bool tile_lock(const tile g, uint32_t *lock, uint32_t stamp)
{
    bool taken = false;
    if (g.lane == 0) taken = stamp_lock_take(lock, stamp);
    if (g.lane == 0 && taken) fence_acquire_device(); /* what the previous holder wrote is seen, */
    taken = tile_any(g, taken);
    tile_sync(g); /* by the other lanes, too */
    return taken;
}

ROOST_FN void tile_unlock(const tile g, struct gph_cell *c, uint32_t *lock)
{
    tile_sync(g);
    if (g.lane == 0 && !c->released) fence_release_device();
    if (g.lane == 0) stamp_lock_give(lock, c->stamp);
    c->released = true;
}

/* One look at the locks of a lane's target buckets that get keys. */
ROOST_FN enum stamp_lock targets_try(const tile g, const struct gph_view *v, const struct gph_cell *c,
                                     const struct gph_workspace *w, const struct gph_plan *plan)
{
    enum stamp_lock worst = STAMP_TAKEN;
    ROOST_ROLLED
    for (uint32_t p = (uint32_t)g.lane; p < virtual_count(v); p += (uint32_t)g.size) {
        if (!need_at(v, plan, p)) continue;
        const enum stamp_lock look = stamp_lock_try(gph_bucket_lock(v, w->target[p]), c->stamp);
        if (look > worst) worst = look;
    }
    return worst;
}

/* Gives back a lane's; what was not taken stays whose it is. */
ROOST_FN void targets_give(const tile g, const struct gph_view *v, const struct gph_cell *c, const struct gph_workspace *w,
                           const struct gph_plan *plan)
{
    ROOST_ROLLED
    for (uint32_t p = (uint32_t)g.lane; p < virtual_count(v); p += (uint32_t)g.size)
        if (need_at(v, plan, p)) stamp_lock_give(gph_bucket_lock(v, w->target[p]), c->stamp);
}

/* All of them, or (false) none.  Who dies gives back within the loop (portable/wait_die.h). */
ROOST_FN bool targets_take(const tile g, const struct gph_view *v, const struct gph_cell *c, const struct gph_workspace *w,
                           const struct gph_plan *plan)
{
    bool dies = false, waits = true;
    ROOST_ROLLED
    for (uint32_t looks = 0; waits && !dies; looks++) {
        const enum stamp_lock look = targets_try(g, v, c, w, plan);
        dies = tile_any(g, look == STAMP_OLDER) || !stamp_lock_patient(looks);
        waits = tile_any(g, look == STAMP_YOUNGER);
        if (dies) targets_give(g, v, c, w, plan);
        if (waits && !dies) back_off(0);
    }
    return !dies;
}

/* The same with all that their last holders wrote.  The fence is one of release, too: what was done to the pairs of this cell comes before the
 * stores that vacate their slots (vacancy_acquire). */
ROOST_FN bool targets_lock(const tile g, const struct gph_view *v, const struct gph_cell *c, const struct gph_workspace *w,
                           const struct gph_plan *plan)
{
    if (!targets_take(g, v, c, w, plan)) return false;
    fence_acquire_release_device();
    tile_sync(g);
    return true;
}

ROOST_FN void targets_unlock(const tile g, const struct gph_view *v, struct gph_cell *c, const struct gph_workspace *w,
                             const struct gph_plan *plan)
{
    tile_sync(g); /* the first lane's fence is for what the others have written, too: the cell's lock is given behind it */
    fence_release_device();
    targets_give(g, v, c, w, plan);
    c->released = true;
}

/* ---- Looks -----------------------------------------------------------------------------------------------------------------------
 *
 * What is inlined often is kept short: tiles of a warp are at different places here, and miss the instruction cache. */

/* A bucket's vacant slots, as one lane sees them. */
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

/* Does a slot hold a key of the cell? */
ROOST_FN bool unit_is_own(const struct shape s, const struct gph_view *v, const struct gph_cell *c, uint64_t unit)
{
    return unit != 0 && gph_hash_in(c->family, s, v, unit_key(s, unit)).cell == c->cell;
}

/* After a look at a slot that is vacant, before a pair is published there.  Where values are apart, who held the cell's lock before may have
 * assigned the value of the pair that left; the mover alone has seen that, and its slot is vacated without the bucket's lock.  Memory could
 * order that value behind the new pair's, but for this fence and the mover's. */
ROOST_FN void vacancy_acquire(const struct shape s)
{
    if (!s.word && s.value_bytes) fence_acquire_device();
}

/* Is a position's bucket under the cell's own mapping one of an earlier position?  (hash=summed) */
ROOST_FN bool target_repeats(const struct gph_workspace *w, uint32_t position)
{
    bool repeats = false;
    ROOST_ROLLED
    for (uint32_t k = 0; k < position; k++) repeats = repeats || w->target[k] == w->target[position];
    return repeats;
}

/* Do two of the mapping's buckets, which are in the workspace, coincide?  (hash=summed) */
ROOST_FN bool targets_coincide(const tile g, const struct gph_view *v, const struct gph_cell *c, const struct gph_workspace *w)
{
    bool coincide = false;
    if (c->family != HASH_SUMMED) return false;
    ROOST_ROLLED
    for (uint32_t p = (uint32_t)g.lane; p < virtual_count(v); p += (uint32_t)g.size) coincide = coincide || target_repeats(w, p);
    coincide = tile_any(g, coincide);
    tile_sync(g); /* all lanes have read what the next mapping's buckets are written over */
    return coincide;
}

/* The mapping's buckets, to the workspace; true: two coincide. */
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

/* A pair of the workspace into a slot that this tile alone may write to. */
ROOST_FN void member_publish(const struct shape s, const struct gph_workspace *w, uint32_t m, unsigned char *bucket, int slot)
{
    const uint64_t unit = w->unit[m];
    slot_publish(s, bucket, slot, unit_key(s, unit), s.word ? unit >> 32 : w->value[m]);
}

/* The keys of a flagged cell in its overflow chain; all lanes look, the first writes.  False: more than the workspace has room for. */
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

/* One lane's bucket: which slots are the cell's, and how much room there would be without its keys. */
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

/* All keys of the cell to the workspace, and how much room its own mapping's buckets would have without them.  Lanes divide the buckets
 * among them, so that all are on their way at once.  False: more than the workspace has room for. */
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
            w->own[p] = 0; /* an earlier position has this bucket */
        }
        bytes_sum(g, v, &held);
        uint32_t at = c->n + bytes_below(&held, p);
        c->n += bytes_below(&held, GPH_MOST_VIRTUAL);
        if (c->n > GPH_MEMBERS) {
            tile_sync(g); /* what other lanes wrote to the workspace comes before what its next user does */
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

/* ---- Search ---------------------------------------------------------------------------------------------------------------------- */

/* How many keys each virtual bucket has under a Phi. */
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

/* The buckets of two mappings, and how many vacant slots each has: a guess, for nothing is locked.  Of two, so that twice as many are on
 * their way at once. */
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

/* The second one of them becomes the first. */
ROOST_FN void targets_advance(const tile g, const struct gph_view *v, struct gph_workspace *w)
{
    tile_sync(g);
    ROOST_ROLLED
    for (uint32_t p = (uint32_t)g.lane; p < virtual_count(v); p += (uint32_t)g.size) w->target[p] = w->next[p];
    tile_sync(g);
}

/* Of the offsets with which all keys fit, the one whose buckets are emptiest where most keys go; NO_OFFSET: there is none.  A lane each. */
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

/* Is there an offset with which all keys fit under a Phi whose buckets are in the workspace? */
ROOST_FN bool mapping_try(const struct shape s, const tile g, const struct gph_view *v, const struct gph_cell *c, uint32_t phi,
                          const struct gph_bytes *room, struct gph_workspace *w, struct gph_plan *plan, struct tally *tally)
{
    const struct gph_bytes most = bytes_all((uint32_t)s.slots);
    needs_set(g, v, c, phi, w, &plan->need);
    if (!bytes_fit(&plan->need, &most)) return false; /* a virtual bucket has more keys than slots */
    if (targets_coincide(g, v, c, w)) return false;   /* virtual buckets coincide */
    if (g.lane == 0) tally->tries += virtual_count(v);
    plan->to.phi = phi;
    plan->to.delta = offset_choose(s, g, v, phi, &plan->need, room);
    plan->to.flagged = false;
    return plan->to.delta != NO_OFFSET;
}

/* A mapping under which all keys of the cell, and the new one, have room: first the cell's own Phi with another Delta, then every other
 * Phi.  Leaves the workspace as that mapping needs it. */
ROOST_FN bool mapping_find(const struct shape s, const tile g, const struct gph_view *v, const struct gph_cell *c,
                           struct gph_workspace *w, struct gph_plan *plan, struct tally *tally)
{
    const uint32_t phis = 256u >> v->virtual_log, now = c->now.phi;
    struct gph_bytes room = c->room, next = c->room;
    ROOST_ROLLED
    for (uint32_t i = 0; i < phis; i++) {
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

/* ---- Commit ---------------------------------------------------------------------------------------------------------------------- */

/* One pair of the workspace to a vacant slot of an overflow bucket, whose lock one lane holds. */
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

/* The same with the lock, which is held for this alone: who has it waits for nobody, so it is worth waiting for, whoever that is.  Unless
 * buckets share locks: a holder of targets (`holds`) that meets an older one dies, or two could wait for each other.  The lock may be a target's
 * that is this cell's already, and is kept then.  A full bucket is not locked: there are many of them where a table is full. */
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

/* One pair of the workspace to the cell's overflow chain.  *to, and on the first lane *slot: where it is now. */
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

/* The spilled pairs of a cell that becomes flagged: copied to the overflow store before anything else changes, so that they can be taken
 * out again where it is full. */
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
        for (uint32_t i = 0; i < done; i++) /* their values come before, by chained_insert's fences */
            slot_store_unit(s, gph_at(s, v, to[i]), slot[i], 0);
    }
    *spilled = done;
    return attempt;
}

/* Which keys of a position find no slot in its bucket. */
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

/* The others (all, but in a cell that becomes flagged) into its slots, and the cell's slots that are left become vacant. */
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

/* Vacates the slots in which the cell's keys were: those under its own mapping that were not written again position_write has vacated. */
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

/* The cell's code, of which other cells' stand in the same word: an add changes it alone. */
ROOST_FN void code_store(const tile g, const struct gph_view *v, const struct gph_cell *c, uint32_t code)
{
    if (g.lane == 0) (void)add_relaxed_device32(gph_cell_word(v, c->cell), (code - c->code) << (c->cell & 3u) * 8);
}

/* Counts a cell that is mapped anew; one lane.  A new key counts as one of the main slots (insert_done), so all that are spilled have left
 * those. */
ROOST_FN void move_count(const struct gph_cell *c, const struct gph_mapping to, uint32_t spilled, struct tally *tally)
{
    tally->flagged += (uint32_t)to.flagged - (uint32_t)c->now.flagged;
    tally->evicted += c->n;
    if (!to.flagged && to.phi != c->now.phi) tally->phi_moves++;
    else if (!to.flagged) tally->delta_moves++;
    tally_stored(tally, GPH_OVERFLOW, spilled - c->in_chain);
    tally_stored(tally, GPH_MAIN, c->in_chain - spilled);
}

/* The slots of the target buckets that the cell's keys may be written to: vacant ones and, if the cell's keys all leave them, its own.  Seen
 * once, under the locks; there may be more vacant ones later, for who moves another cell's keys out of a bucket needs no lock.  Also says
 * which keys find none.  True: there are such. */
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

/* All copies are written before originals in other buckets are cleared, and the code comes last. */
ROOST_FN void cell_write(const struct shape s, const tile g, const struct gph_view *v, const struct gph_cell *c,
                         const struct gph_workspace *w, const struct gph_mapping to)
{
    ROOST_ROLLED
    for (uint32_t p = (uint32_t)g.lane; p < virtual_count(v); p += (uint32_t)g.size) position_write(s, v, c, w, p, to);
    tile_sync(g);
    originals_clear(s, g, v, c, w, to.phi == c->now.phi);
    code_store(g, v, c, to.flagged ? (uint32_t)GPH_FLAGGED : to.phi << v->virtual_log | to.delta);
}

/* Maps the cell anew, with the needs, virtual buckets and targets that are in the workspace.  Locks the buckets that get keys, looks at
 * their room again, and only then changes anything.  Where the mapping is that of flagged cells, keys without room are spilled. */
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

/* Where buckets coincide, the first of their positions has all their keys: as it has all of the cell's slots after gather. */
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

/* Leaves the workspace as the mapping of flagged cells needs it. */
ROOST_FN void flag_prepare(const tile g, const struct gph_view *v, const struct gph_cell *c, struct gph_workspace *w,
                           struct gph_plan *plan)
{
    needs_set(g, v, c, 0, w, &plan->need);
    plan->to = gph_mapping(v, GPH_FLAGGED);
    if (targets_set(g, v, c, 0, w)) positions_unite(g, v, c, w, &plan->need);
}

/* ---- An insert ------------------------------------------------------------------------------------------------------------------- */

/* The new key alone to the overflow store, because its cell is flagged already. */
ROOST_FN enum attempt overflow_insert(const struct shape s, const tile g, const struct gph_view *v, struct gph_cell *c,
                                      struct gph_workspace *w, struct item *item)
{
    uint32_t to;
    int slot;
    const enum attempt attempt = chain_insert(s, g, v, c, w, c->n, false, &to, &slot);
    if (attempt == ATTEMPT_DONE) insert_done(item, GPH_OVERFLOW);
    return attempt;
}

/* Extended Move with the new key, or what comes after it. */
ROOST_FN enum attempt insert_moving(const struct shape s, const tile g, const struct gph_view *v, struct gph_cell *c,
                                    struct gph_workspace *w, struct item *item, uint32_t low, struct tally *tally)
{
    struct gph_plan plan;
    const bool gathered = gather(s, g, v, c, w);
    if (!gathered) c->n = 0; /* too many to move: the new key has the workspace to itself */
    if (g.lane == 0) {
        w->unit[c->n] = pair_unit(s, item->key, item->value);
        if (!s.word) w->value[c->n] = item->value;
        w->low[c->n] = low;
    }
    c->fresh = 1;
    tile_sync(g);
    const bool fits = gathered && mapping_find(s, g, v, c, w, &plan, tally);
    if (!fits && c->now.flagged) return overflow_insert(s, g, v, c, w, item);
    if (!fits && !gathered) return ATTEMPT_FULL;
    if (!fits) flag_prepare(g, v, c, w, &plan);
    return cell_move(s, g, v, c, w, &plan, item, tally);
}

/* The lowest vacant slot of the key's bucket, under its lock; STALE: there is none any more. */
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

/* With the cell's lock held. */
ROOST_FN enum attempt insert_locked(const struct shape s, const tile g, const struct gph_view *v, const struct batch *b,
                                    struct gph_cell *c, struct gph_workspace *w, struct item *item, struct tally *tally)
{
    const struct gph_hash h = {c->cell, item->home[1].index};
    const uint32_t bucket = gph_key_bucket_in(c->family, v, h, c->base, c->now);
    const struct bucket_share share = bucket_load(CONCURRENT, s, g, gph_at(s, v, bucket));
    const struct seek seek = bucket_seek(s, g, &share, item->key, 0);
    if (seek.match >= 0) {
        gph_update(s, v, b, g.lane == (s.word ? share_lane(s, g, seek.match) : 0), bucket, seek.match, item);
        return ATTEMPT_DONE;
    }
    if (c->now.flagged && update_in_chain(s, g, v, b, item)) return ATTEMPT_DONE;
    if (seek.vacancy >= 0) {
        const enum attempt attempt = insert_direct(s, g, v, c, bucket, item);
        if (attempt != ATTEMPT_STALE) return attempt;
    }
    return insert_moving(s, g, v, c, w, item, h.low, tally);
}

/* ---- The operations -------------------------------------------------------------------------------------------------------------- */

/* Locks a cell and reads its code; false: come again. */
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

/* An item met an older holder.  Many that want one cell would keep its lock's word from the one that has it: they come again later and
 * later, and are parked when their patience is at an end. */
ROOST_FN enum step item_died(const tile g, const struct gph_view *v, struct item *item, struct tally *tally)
{
    const uint32_t deaths = item->home[0].index++;
    if (g.lane == 0) {
        tally->died++;
        back_off(deaths);
    }
    return deaths < v->patience ? STEP_RETRY : STEP_PARK;
}

/* Gives the cell back; what the step says. */
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
    item->home[0].index = 0; /* how often it died */
    item->home[1].sub = 0;
    item->home[1].index = h.low;
    prefetch_read(gph_cell_word(v, h.cell));
}

#define gph_refine_end item_report

/* The stamp is the item's number: it stays the same however often the item comes again, and items that are served first are the older
 * ones.  The vacant key never comes here: its bucket has room for it. */
ROOST_FN enum step gph_refine_step(const struct shape s, const tile g, const void *view, const struct batch *b, struct item *item,
                                   struct tally *tally, void *scratch)
{
    const struct gph_view *v = (const struct gph_view *)view;
    struct gph_cell c;
    if (!cell_open(g, v, item_cell(item), (uint32_t)item->index + 1, &c)) return item_died(g, v, item, tally);
    enum attempt attempt;
    if (v->seeds.family == HASH_SUMMED) {
        cell_hashes(v, HASH_SUMMED, &c);
        attempt = insert_locked(s, g, v, b, &c, (struct gph_workspace *)scratch, item, tally);
    } else {
        cell_hashes(v, HASH_MIX, &c);
        attempt = insert_locked(s, g, v, b, &c, (struct gph_workspace *)scratch, item, tally);
    }
    return cell_close(g, v, &c, attempt, item, tally);
}

/* ---- Flagged cells whose keys may fit again; items are words of the index ------------------------------------------------------------ */

#define gph_mend_begin bucket_begin
#define gph_mend_end bucket_end

/* Of a cell that is flagged, and stays so until this item is through with it.  False: an older holder has what it takes. */
ROOST_FN bool cell_mend(const struct shape s, const tile g, const struct gph_view *v, uint32_t cell, struct gph_workspace *w,
                        struct item *item, struct tally *tally)
{
    struct gph_cell c;
    struct gph_plan plan;
    enum attempt attempt = ATTEMPT_DONE;
    if (!cell_open(g, v, cell, cell + 1, &c)) return false;
    cell_hashes(v, v->seeds.family, &c);
    if (gather(s, g, v, &c, w) && mapping_find(s, g, v, &c, w, &plan, tally))
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
        if (gph_code_of(word, cell) == GPH_FLAGGED && !cell_mend(s, g, v, cell, (struct gph_workspace *)scratch, item, tally))
            return STEP_RETRY;
    return STEP_DONE;
}

#endif
