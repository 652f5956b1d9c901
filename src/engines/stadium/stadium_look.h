/* A look into a group of tickets for a key, and the claim of a ticket that the look found. */
#ifndef ROOST_STADIUM_LOOK_H
#define ROOST_STADIUM_LOOK_H

#include "engines/stadium/stadium_pairs.h"
#include "portable/permits.h"

/* Result of a look by one lane; of a tile's lanes the smallest one counts.  For inserts a value
 * above LOOK_MATCH is the place in the key's order of the first ticket that is FREE (odd) or
 * RESERVED (even).  For other operations it tells whether there is a FREE ticket. */
enum { LOOK_MATCH = 0, LOOK_FREE = 1, LOOK_WAIT = 2 };
#define LOOK_NONE 0xffffffffu

/* The ticket of the key that this lane found. */
struct stadium_hit {
    bool mine;
    uint64_t word; /* of the board */
    int bit;
    unsigned char *at;
    roost_value value;
    uint32_t reads; /* of pairs */
};

/* The place in the key's order of the first ticket of a mask, as looks count it. */
ROOST_FN uint32_t look_order(const struct shape s, const struct ticket_place *p, uint32_t w, uint32_t mask, uint32_t is_free)
{
    const uint32_t turn = (w - p->first) & ((uint32_t)group_words(s) - 1);
    return mask ? LOOK_WAIT + ((turn << 6) | (uint32_t)bit_lowest32(mask) << 1 | is_free) : LOOK_NONE;
}

ROOST_FN uint32_t look_least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* Goal of a look.  KEY: the key's slot.  CANDIDATE: a slot that may be the key's, by its ticket
 * alone.  FREE: the key's slot, or the first FREE ticket.  HOLE: the same under the key's lock, or
 * the first ticket that is FREE or ERASED.  FREE_ALONE: the first FREE ticket, for a key that is
 * not stored. */
enum look_for { LOOK_FOR_KEY, LOOK_FOR_CANDIDATE, LOOK_FOR_FREE, LOOK_FOR_HOLE, LOOK_FOR_FREE_ALONE };

/* The result of a word of tickets, apart from its candidates. */
ROOST_FN uint32_t look_word(const struct shape s, const struct stadium_view *v, const struct ticket_place *p,
                            const enum look_for wish, uint32_t w, uint32_t word)
{
    const uint32_t counted = tickets_counted(p, w);
    uint32_t holes = tickets_free(s, v, word) & counted;
    if (wish <= LOOK_FOR_CANDIDATE) return holes ? (uint32_t)LOOK_FREE : LOOK_NONE;
    if (wish == LOOK_FOR_HOLE) holes = (word & tickets_available(s, v)) << (ticket_bits(s, v) - 1) & counted;
    if (wish == LOOK_FOR_HOLE || !has_access(s, v)) return look_order(s, p, w, holes, 1);
    return look_least(look_order(s, p, w, holes, 1), look_order(s, p, w, tickets_reserved(s, v, word) & counted, 0));
}

/* Beside inserts a candidate's ticket is loaded once more, with acquire: if it is STORED then, this
 * lane sees the whole pair.  (A fence would be enough, but waits for all loads and stores of the
 * lane.)  False: it is no candidate any more. */
ROOST_FN bool ticket_again(const struct shape s, const struct stadium_view *v, const uint32_t *word, int bit, uint32_t info)
{
    const uint32_t again = load_acquire_device32(word);
    return (tickets_stored(s, v, again, info) | (has_access(s, v) ? 0 : tickets_reserved(s, v, again))) >> bit & 1u;
}

/* Looks for the key in this lane's share of a group: first at the tickets, then at the pairs of the
 * candidates among them, one after the other. */
ROOST_FN uint32_t stadium_look(const int phase, const struct shape s, const tile g, const struct stadium_view *v,
                               const struct ticket_place *p, const struct ticket_share *share, const struct stadium_key *k,
                               const enum look_for wish, const bool beside, struct stadium_hit *hit)
{
    const uint32_t info = k->info;
    uint32_t mask[TICKET_WORDS], best = LOOK_NONE, any = 0;
    hit->mine = false;
    hit->value = hit->reads = 0;
    ROOST_UNROLL
    for (int i = 0; i < TICKET_WORDS; i++) {
        mask[i] = 0;
        if (!ticket_has(s, g, share, i)) continue;
        const uint32_t w = ticket_word(s, g, share, i), word = (uint32_t)share->word[i];
        best = look_least(best, look_word(s, v, p, wish, w, word));
        if (wish == LOOK_FOR_FREE_ALONE) continue;
        mask[i] = phase == QUIESCENT && looks_at_pairs(s, v) ? tickets_taken(s, v, word) : tickets_stored(s, v, word, info);
        /* Beside inserts: its info may not be there yet, or be all ones. */
        if (!has_access(s, v) && phase == CONCURRENT) mask[i] |= tickets_reserved(s, v, word);
        mask[i] &= tickets_counted(p, w);
        any |= mask[i];
    }
    while (any) {
        int which = 0;
        any = 0;
        ROOST_UNROLL
        for (int i = TICKET_WORDS - 1; i >= 0; i--)
            if (mask[i]) which = i, any = mask[i];
        if (!any) break;
        hit->bit = bit_lowest32(any);
        ROOST_UNROLL
        for (int i = 0; i < TICKET_WORDS; i++)
            if (i == which) mask[i] &= mask[i] - 1;
        hit->word = p->word + ticket_word(s, g, share, which);
        if (wish == LOOK_FOR_CANDIDATE) return hit->mine = true, LOOK_MATCH;
        if (beside && !ticket_again(s, v, v->board + hit->word, hit->bit, info)) continue;
        hit->at = stadium_pair(s, v, ticket_slot(s, v, hit->word, hit->bit));
        hit->reads++;
        const enum pair_look look = stadium_pair_look(phase, s, v, hit->at, k, &hit->value);
        if (look == PAIR_MATCH) return hit->mine = true, LOOK_MATCH;
        if (look == PAIR_HIDDEN && wish != LOOK_FOR_KEY) best = LOOK_WAIT;
    }
    return best;
}

/* Chooses one of the lanes that met the key.  Two can meet it, in two slots, if the key was erased
 * and inserted again while they loaded the group. */
ROOST_FN void stadium_hit_one(const int phase, const tile g, struct stadium_hit *hit)
{
    if (phase == CONCURRENT && g.size > 1) hit->mine = g.lane == bit_lowest32(tile_ballot(g, hit->mine));
}

/* The ticket of a look's result: its word in the group, its highest bit there, and the lane that
 * loaded it. */
struct look_ticket {
    uint32_t w;
    int bit, owner;
};

ROOST_FN struct look_ticket look_ticket_of(const struct shape s, const tile g, const struct ticket_place *p, uint32_t best)
{
    const uint32_t order = best - LOOK_WAIT, w = ((order >> 6) + p->first) & ((uint32_t)group_words(s) - 1);
    const struct look_ticket at = {w, (int)(order >> 1 & 31u), tile_vector_lane(g, false, ticket_rounds(s, g), (int)w / 4)};
    return at;
}

/* Claims the ticket of a look's result, and stores the pair.  False: another insert has claimed
 * it. */
ROOST_FN bool stadium_claim_one(const struct shape s, const tile g, const struct stadium_view *v, const struct ticket_place *p,
                                const struct ticket_share *share, uint32_t best, const struct stadium_key *k, roost_value value)
{
    const struct look_ticket at = look_ticket_of(s, g, p, best);
    uint32_t *const word = v->board + p->word + at.w;
    bool mine = false;
    if (g.lane == at.owner && ticket_reserve(s, v, word, ticket_seen(s, g, share, at.w), at.bit)) {
        mine = true;
        stadium_pair_store(s, v, stadium_pair(s, v, ticket_slot(s, v, p->word + at.w, at.bit)), k, value);
        if (ticket_log(s, v)) ticket_publish(s, v, word, at.bit, k->info);
    }
    return tile_any(g, mine);
}

/* The same for a key that a table without growth may have no permit for.  PARK: it has none;
 * AGAIN: another insert has claimed the ticket.  Keys that look like marks, whose ways have one
 * group, have slots of their own. */
ROOST_FN enum step stadium_claim(const struct shape s, const tile g, const struct stadium_view *v, const struct stadium_walk *walk,
                                 const struct ticket_place *p, const struct ticket_share *share, uint32_t best,
                                 const struct stadium_key *k, roost_value value)
{
    uint64_t *const permits = walk->bound == 1 ? NULL : v->permits;
    if (!permit_take(g, permits)) return STEP_PARK;
    if (stadium_claim_one(s, g, v, p, share, best, k, value)) return STEP_DONE;
    permit_give(g, permits);
    return STEP_AGAIN;
}

#endif
