/* Refills, which are inserts that take slots of erased keys under a lock of their key; and items of
 * mixed batches. */
#ifndef ROOST_STADIUM_REFILL_H
#define ROOST_STADIUM_REFILL_H

#include "engines/stadium/stadium_items.h"
#include "portable/lock.h"

/* Takes the lock of a key, which other keys may share, for one step; its holder waits for
 * nothing. */
ROOST_FN bool stadium_lock(const tile g, const struct stadium_view *v, uint64_t hash)
{
    uint32_t mine = 0;
    if (g.lane == 0) {
        mine = lock_try(v->locks, (uint32_t)hash & v->lock_mask);
        /* This lane must see the previous holder's stores, or it would store the same key twice. */
        if (mine) fence_acquire_device();
    }
    mine = tile_from32(g, mine, 0);
    tile_sync(g); /* so that all lanes see them */
    return mine != 0;
}

ROOST_FN void stadium_unlock(const tile g, const struct stadium_view *v, uint64_t hash)
{
    tile_sync(g); /* all lanes' stores come before the release */
    if (g.lane != 0) return;
    fence_release_device();
    lock_give(v->locks, (uint32_t)hash & v->lock_mask);
}

/* The first hole on a key's way. */
struct stadium_hole {
    struct ticket_place place;
    struct ticket_share share; /* of its group, as read */
    uint32_t best, passed;     /* LOOK_NONE: none yet */
};

/* What a refill found in a group: nothing that ends its way, the key, or a FREE ticket. */
enum refill_look { REFILL_PASSES, REFILL_MEETS, REFILL_ENDS };

ROOST_FN enum refill_look stadium_refill_look(const struct shape s, const tile g, const struct stadium_view *v,
                                              const struct stadium_key *k, const struct stadium_walk *walk,
                                              struct stadium_hole *hole, struct stadium_hit *hit, struct tally *tally)
{
    struct ticket_share share;
    const struct ticket_place p = ticket_place_of(s, v, walk);
    bool ends = false;
    if (stadium_passes(s, v, k, walk, true, tally)) return REFILL_PASSES;
    tickets_load(CONCURRENT, s, g, v->board + p.word, &share);
    const uint32_t best = tile_min32(g, stadium_look(CONCURRENT, s, g, v, &p, &share, k, LOOK_FOR_HOLE, true, hit));
    if (best == LOOK_MATCH) return REFILL_MEETS;
    if (hole->best == LOOK_NONE) hole->place = p, hole->share = share, hole->best = best, hole->passed = walk->passed;
    ROOST_UNROLL
    for (int i = 0; i < TICKET_WORDS; i++)
        if (ticket_has(s, g, &share, i))
            ends |= (tickets_free(s, v, (uint32_t)share.word[i]) & tickets_counted(&p, ticket_word(s, g, &share, i))) != 0;
    return tile_any(g, ends) ? REFILL_ENDS : REFILL_PASSES;
}

/* Under the key's lock no other item inserts the key.  So a hole may be taken once the key's whole
 * way has been looked at: up to a group with a FREE ticket, which no insert has passed, or to the
 * reach of its home.  An item that stored the key before has raised this reach under the same
 * lock.  Others raise it at any time; lane 0 loads it, because all lanes go equally far. */
ROOST_FN enum step stadium_refill_locked(const struct shape s, const tile g, const struct stadium_view *v, const struct batch *b,
                                         const int operation, struct item *item, struct tally *tally)
{
    struct stadium_key k;
    struct stadium_walk walk = stadium_item_way(s, v, item, &k);
    struct stadium_hole hole;
    struct stadium_hit hit;
    uint32_t far = v->refill_bound;
    if (v->reach) far = tile_from32(g, g.lane ? 0 : load_relaxed_device32(v->reach + stadium_reach_of(s, v, walk.at)), 0);
    hole.best = LOOK_NONE;
    walk.bound = v->refill_bound;
    do {
        const enum refill_look look = stadium_refill_look(s, g, v, &k, &walk, &hole, &hit, tally);
        if (look == REFILL_MEETS) return stadium_met(CONCURRENT, s, g, v, b, operation, item, &hit);
        if (look == REFILL_ENDS || (hole.best != LOOK_NONE && walk.passed + 1 >= far)) break;
    } while (stadium_walk_next(s, v, &walk));
    if (hole.best == LOOK_NONE || (is_wide(s) && v->wide.closed)) return STEP_PARK;
    const struct look_ticket at = look_ticket_of(s, g, &hole.place, hole.best);
    const bool erased = !(tickets_free(s, v, ticket_seen(s, g, &hole.share, at.w)) >> at.bit & 1u);
    const enum step claim = stadium_claim(s, g, v, &walk, &hole.place, &hole.share, hole.best, &k, item->value);
    if (claim != STEP_DONE) return claim == STEP_AGAIN ? STEP_RETRY : claim;
    if (g.lane == at.owner) tally->reused += erased;
    stadium_tally_way(s, g, v, walk.hash, hole.passed, tally);
    item->status = ROOST_ITEM_INSERTED;
    return STEP_DONE;
}

ROOST_FN enum step stadium_refill(const struct shape s, const tile g, const struct stadium_view *v, const struct batch *b,
                                  const int operation, struct item *item, struct tally *tally)
{
    const uint64_t hash = item_hash(item);
    if (item_is_wrong(s, item, tally)) return STEP_DONE;
    if (!stadium_lock(g, v, hash)) return STEP_RETRY;
    const enum step result = stadium_refill_locked(s, g, v, b, operation, item, tally);
    stadium_unlock(g, v, hash);
    return result;
}

/* An item of a mixed batch; or, with locks, of a refill. */
ROOST_FN enum step stadium_apply_step(const struct shape s, const tile g, const void *view, const struct batch *b,
                                      struct item *item, struct tally *tally, void *scratch)
{
    const struct stadium_view *v = (const struct stadium_view *)view;
    (void)scratch;
    if (v->locks) return stadium_refill(s, g, v, b, b->operations ? item->operation : ROOST_OP_INSERT + b->mode, item, tally);
    if (!batch_takes(b, item->operation)) return STEP_DONE;
    return stadium_work(CONCURRENT, s, g, v, b, item->operation, AMONG_INSERTS, item, tally);
}

#define stadium_apply_begin stadium_item_begin
#define stadium_apply_end stadium_find_end

#endif
