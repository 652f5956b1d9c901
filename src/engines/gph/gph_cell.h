/* A cell of GPH's index while an insert works on it, in the dialect: a tile's workspace, counts of
 * keys in bytes, and the locks of the cell and of its buckets.  gph.h says which locks are held
 * when. */
#ifndef ROOST_GPH_CELL_H
#define ROOST_GPH_CELL_H

#include "engines/gph/gph_items.h"

enum { NO_OFFSET = 0xffffffff, FROM_CHAIN = GPH_MOST_VIRTUAL };

/* A tile's workspace, in its scratch memory: a cell's keys, by member, and the mapping that is
 * tried, by position of H_b. */
struct gph_workspace {
    uint64_t unit[GPH_MEMBERS + 1]; /* pairs of one word, or keys */
    uint32_t low[GPH_MEMBERS + 1];
    uint32_t target[GPH_MOST_VIRTUAL]; /* buckets of the mapping */
    uint32_t next[GPH_MOST_VIRTUAL];   /* buckets of the mapping that is tried next */
    uint32_t slots[GPH_MOST_VIRTUAL];  /* a bit a slot: slots of a locked bucket to write to */
    uint32_t own[GPH_MOST_VIRTUAL];    /* a bit a slot: slots with keys of this cell */
    /* The bucket that a key lies in: its position, or FROM_CHAIN + its place in the chain. */
    uint8_t from[GPH_MEMBERS + 1];
    uint8_t slot[GPH_MEMBERS + 1]; /* in `from` */
    uint8_t virtual_bucket[GPH_MEMBERS + 1];
    uint8_t spilled[GPH_MEMBERS + 1]; /* 1: the key goes to the overflow store */
    /* Values of pairs of two words.  Last: for pairs of one word there is no memory for it. */
    uint64_t value[GPH_MEMBERS + 1];
};

/* A number below 128 for each virtual bucket or position, in a byte. */
struct gph_bytes {
    uint64_t word[GPH_MOST_VIRTUAL / 8];
};

/* A mapping that the cell may get; the same on every lane. */
struct gph_plan {
    struct gph_mapping to;
    struct gph_bytes need; /* keys of each virtual bucket under its Phi */
};

/* A cell while it is locked; the same on every lane. */
struct gph_cell {
    uint32_t cell, stamp, code;
    uint32_t family; /* of the hashes: a constant in each copy of the code behind the lock */
    uint32_t base;   /* gph_base_in */
    struct gph_mapping now;
    uint32_t n, in_chain; /* keys gathered; those of them in the overflow store */
    uint32_t fresh;       /* 1: a new key stands behind them in the workspace */

    struct gph_bytes room; /* slots of its own mapping's buckets that other cells' keys leave */
    bool released;         /* the next holder of the cell's lock sees all that was written */
};

/* The result of an attempt. */
enum attempt {
    ATTEMPT_DONE,
    ATTEMPT_DIED,  /* met an older holder: come again */
    ATTEMPT_STALE, /* other items have used the room that was seen: come again */
    ATTEMPT_FULL   /* there is no room */
};

ROOST_FN uint32_t virtual_count(const struct gph_view *v) { return 1u << v->virtual_log; }

/* A tile of one lane, for reads of buckets that the lanes of a tile divide among them. */
ROOST_FN tile lane_by_itself(void)
{
    const tile g = {1, 0, 1u};
    return g;
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

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

/* Sums over the lanes, on every lane.  The second word is used only where R is above 8. */
ROOST_FN void bytes_sum(const tile g, const struct gph_view *v, struct gph_bytes *b)
{
    b->word[0] = tile_sum64(g, b->word[0]);
    if (v->virtual_log > 3) b->word[1] = tile_sum64(g, b->word[1]);
}

/* Byte p of the result is byte (p - delta) mod R. */
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

/* True if no byte of a is above that of b. */
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

/* How many keys the bucket of a position gets. */
ROOST_FN uint32_t need_at(const struct gph_view *v, const struct gph_plan *plan, uint32_t position)
{
    return bytes_at(&plan->need, (position - plan->to.delta) & gph_virtual_mask(v));
}

/* ---- Locks ----------------------------------------------------------------------------------- */

ROOST_FN uint32_t *gph_cell_lock(const struct gph_view *v, uint32_t cell) { return v->cell_locks + (cell & v->cell_lock_mask); }

/* Takes one lock for the tile, by its first lane. */
ROOST_FN bool tile_lock(const tile g, uint32_t *lock, uint32_t stamp)
{
    bool taken = false;
    if (g.lane == 0) taken = stamp_lock_take(lock, stamp);
    if (g.lane == 0 && taken) fence_acquire_device(); /* what the previous holder wrote is seen, */
    taken = tile_any(g, taken);
    tile_sync(g); /* and by the other lanes */
    return taken;
}

ROOST_FN void tile_unlock(const tile g, struct gph_cell *c, uint32_t *lock)
{
    tile_sync(g);
    if (g.lane == 0 && !c->released) fence_release_device();
    if (g.lane == 0) stamp_lock_give(lock, c->stamp);
    c->released = true;
}

/* Tries once to lock those target buckets of a lane that get keys. */
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

/* Gives a lane's locks back.  A lock that another item holds stays taken. */
ROOST_FN void targets_give(const tile g, const struct gph_view *v, const struct gph_cell *c, const struct gph_workspace *w,
                           const struct gph_plan *plan)
{
    ROOST_ROLLED
    for (uint32_t p = (uint32_t)g.lane; p < virtual_count(v); p += (uint32_t)g.size)
        if (need_at(v, plan, p)) stamp_lock_give(gph_bucket_lock(v, w->target[p]), c->stamp);
}

/* Takes all of them, or (false) none.  A tile that dies gives its locks back inside the loop
 * (portable/wait_die.h). */
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

/* Takes them and sees what their last holders wrote.  The fence releases, too: what was done to the
 * pairs of this cell comes before the stores that vacate their slots (vacancy_acquire). */
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
    /* The first lane's fence is for the other lanes' stores, too: they come before the cell's lock
     * is given back. */
    tile_sync(g);
    fence_release_device();
    targets_give(g, v, c, w, plan);
    c->released = true;
}

#endif
