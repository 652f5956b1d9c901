/* One group of a key's way: the work of an operation on the key, or on a ticket to claim. */
#ifndef ROOST_STADIUM_PROBE_H
#define ROOST_STADIUM_PROBE_H

#include "engines/stadium/stadium_look.h"
#include "engines/stadium/stadium_state.h"

/* Begins an item's way. */
ROOST_FN struct stadium_walk stadium_item_way(const struct shape s, const struct stadium_view *v, const struct item *item,
                                              struct stadium_key *k)
{
    const uint64_t hash = item_hash(item);
    k->key = stadium_stored_key(s, v, item->key);
    k->info = stadium_info(s, v, hash);
    if (is_wide(s)) {
        k->bytes = item_key_bytes(item);
        k->tag = wide_tag(hash);
        k->pair = item_pair(item);
    }
    return stadium_walk_begin(s, v, hash, k->key, stadium_inverts(s, v, item->key));
}

/* Finds a long value whose pair the item has met.  A find that has begun to copy the value copies
 * all of it, even if the pair is erased meanwhile: part of it is in the caller's array already.
 * Then the find took place before that erase. */
ROOST_FN enum step stadium_found_long(const int phase, const struct stadium_view *v, const struct batch *b, struct item *item,
                                      unsigned char *at)
{
    unsigned char *const values = (unsigned char *)b->values_out;
    if (values && !wide_value_read(phase, v, at, values + item->index * v->wide.value_bytes)) {
        item_copied_set(item, at);
        return STEP_RETRY;
    }
    item->status = ROOST_ITEM_FOUND;
    return STEP_DONE;
}

/* The wide key's part of stadium_met.  RETRY: another item is writing the key's long value. */
ROOST_FN enum step stadium_met_wide(const int phase, const struct shape s, const struct stadium_view *v, const struct batch *b,
                                    const int operation, struct item *item, const struct stadium_hit *hit)
{
    const bool is_long = value_is_long(v->wide.value_bytes);
    if (operation == ROOST_OP_FIND) {
        if (is_long) return stadium_found_long(phase, v, b, item, hit->at);
        item->value = hit->value;
        item->status = ROOST_ITEM_FOUND;
    } else if (operation == ROOST_OP_ERASE) {
        if (!ticket_erase(s, v, v->board + hit->word, hit->bit)) return STEP_DONE;
        wide_pair_erased(v, hit->at);
        item->status = ROOST_ITEM_ERASED;
    } else {
        if (is_long && operation != ROOST_OP_KEEP && !wide_value_assign(v, hit->at, (const unsigned char *)(uintptr_t)item->value))
            return STEP_RETRY;
        if (!is_long) cell_update(b, operation - ROOST_OP_INSERT, stadium_cell(s, v, hit->at), 0, item->value);
        item->status = operation == ROOST_OP_KEEP ? ROOST_ITEM_KEPT : ROOST_ITEM_UPDATED;
    }
    return STEP_DONE;
}

/* Works on a key that was found.  The lane that found it updates or erases the slot; all lanes get
 * the value. */
ROOST_FN enum step stadium_met(const int phase, const struct shape s, const tile g, const struct stadium_view *v,
                               const struct batch *b, const int operation, struct item *item, const struct stadium_hit *hit)
{
    if (is_wide(s)) return stadium_met_wide(phase, s, v, b, operation, item, hit);
    if (operation == ROOST_OP_FIND) {
        item->status = ROOST_ITEM_FOUND;
        if (s.value_bytes == 8) item->value = tile_sum64(g, hit->mine ? hit->value : 0);
        if (s.value_bytes == 4) item->value = tile_min32(g, hit->mine ? (uint32_t)hit->value : 0xffffffffu);
    } else if (operation == ROOST_OP_ERASE) {
        bool mine = hit->mine;
        if (mine)
            mine = has_access(s, v) ? ticket_erase(s, v, v->board + hit->word, hit->bit)
                                    : stadium_pair_bury(s, hit->at, stadium_stored_key(s, v, item->key));
        item->status = tile_any(g, mine) ? ROOST_ITEM_ERASED : ROOST_ITEM_ABSENT;
    } else {
        if (hit->mine)
            cell_update(b, operation - ROOST_OP_INSERT, stadium_cell(s, v, hit->at), stadium_stored_key(s, v, item->key),
                        item->value);
        item->status = operation == ROOST_OP_KEEP ? ROOST_ITEM_KEPT : ROOST_ITEM_UPDATED;
    }
    return STEP_DONE;
}

/* Probes: counts the lanes' reads of pairs as the item's. */
ROOST_FN void stadium_tally_reads(const tile g, const struct stadium_hit *hit, struct tally *tally)
{
    const uint64_t reads = tile_sum64(g, hit->reads);
    for (uint64_t i = 0; g.lane == 0 && i < reads; i++) tally_read(tally);
}

/* Bounds a key's way once its first group did not end it: by its home's reach, where this is known.
 * Beside inserts it also includes their present bound, unless reach bounds them, too.  Both are the
 * same for items of one key: no insert raises a reach above that.  Lane 0 loads the reach, because
 * others raise it, and all lanes go equally far.  Else the bound is the longest way of any insert
 * so far.  The way visits no group twice, even if an insert has gone further in a larger table. */
ROOST_FN void stadium_walk_limit(const struct shape s, const tile g, const struct stadium_view *v, bool beside_inserts,
                                 struct stadium_walk *walk)
{
    const bool known = v->reach && walk->bound > 1; /* bound 1: a key that looks like a mark */
    uint64_t longest = 1;
    if (known) longest = tile_from32(g, g.lane ? 0 : load_relaxed_device32(v->reach + stadium_reach_of(s, v, walk->at)), 0);
    else if (walk->bound > 1) longest = load_relaxed_device64(v->longest);
    if (longest > walk->bound || !beside_inserts || (known && v->bounded))
        walk->bound = (uint32_t)(longest < v->groups ? longest : v->groups);
}

/* Can an insert pass a group after a look at all of its tickets at once?  It has none to take, and
 * its candidates hold other keys.  A false answer decides nothing.  First groups are looked at in
 * the other way, unless the table is full: most inserts end there. */
ROOST_FN bool stadium_passes(const struct shape s, const struct stadium_view *v, const struct stadium_key *k,
                             const struct stadium_walk *walk, const bool holes, struct tally *tally)
{
#if defined(ROOST_MACHINE_HOST)
    const uint32_t *const words = v->board + walk->at * (uint64_t)group_words(s);
    if (!(walk->passed || v->bounded) || !group_at_once(s, v) || group_invites(words, holes)) return false;
    for (uint32_t match = group_equal(words, (uint8_t)(k->info << 1)); match; match &= match - 1) {
        const int ticket = bit_lowest32(match);
        roost_value value;
        if (!ticket_again(s, v, words + ticket / 4, ticket % 4 * 8 + 7, k->info)) return false;
        tally_read(tally);
        if (stadium_pair_look(CONCURRENT, s, v, stadium_pair(s, v, walk->at * 32 + (unsigned)ticket), k, &value) != PAIR_OTHER)
            return false;
    }
    return true;
#else
    (void)s, (void)v, (void)k, (void)walk, (void)holes, (void)tally;
    return false;
#endif
}

/* After a claim: counts its way, and raises the reach of its home to it.  The max keeps the longer
 * one of two ways that begin there. */
ROOST_FN void stadium_tally_way(const struct shape s, const tile g, const struct stadium_view *v, uint64_t hash, uint32_t passed,
                                struct tally *tally)
{
    if (g.lane) return;
    if (v->reach) (void)max_relaxed_device32(v->reach + stadium_reach_of(s, v, stadium_range(s, hash, v->groups)), passed + 1);
    if (passed + 1 > tally->longest) tally->longest = passed + 1;
    tally->strayed += passed;
}

/* Operations that run beside an operation.  OTHERS: none that inserts.  INSERTS: inserts, so pairs
 * may be incomplete.  NEW: only inserts of other keys, none of which is stored. */
enum among { AMONG_OTHERS, AMONG_INSERTS, AMONG_NEW };

/* Works on one group of a key's way.  AGAIN: the next group; or the same one, because another
 * insert took the ticket. */
ROOST_FN enum step stadium_probe(const int phase, const struct shape s, const tile g, const struct stadium_view *v,
                                 const struct batch *b, const int operation, const enum among among, const struct stadium_key *k,
                                 struct stadium_walk *walk, struct item *item, struct tally *tally)
{
    const enum look_for wish = among == AMONG_NEW             ? LOOK_FOR_FREE_ALONE
                               : operation_inserts(operation) ? LOOK_FOR_FREE
                                                              : LOOK_FOR_KEY;
    struct ticket_share share;
    struct stadium_hit hit;
    const struct ticket_place p = ticket_place_of(s, v, walk);
    uint32_t best = LOOK_NONE;
    if (g.size == 1) tally_lanes(tally);
    if (phase == QUIESCENT || !operation_inserts(operation) || !stadium_passes(s, v, k, walk, false, tally)) {
        const bool beside = phase == CONCURRENT && among == AMONG_INSERTS;
        tickets_load(phase, s, g, v->board + p.word, &share);
        best = tile_min32(g, stadium_look(phase, s, g, v, &p, &share, k, wish, beside, &hit));
        if (ROOST_PROBES) stadium_tally_reads(g, &hit, tally);
    }
    if (best == LOOK_MATCH) {
        stadium_hit_one(phase, g, &hit);
        return stadium_met(phase, s, g, v, b, operation, item, &hit);
    }
    if (best == LOOK_NONE) {
        if (!walk->passed) stadium_walk_limit(s, g, v, operation_inserts(operation) || b->operations, walk);
        if (stadium_walk_next(s, v, walk)) return STEP_AGAIN;
        return operation_inserts(operation) ? STEP_PARK : STEP_DONE;
    }
    if (!operation_inserts(operation)) return STEP_DONE;
    if (!(best & 1)) return STEP_RETRY;
    if (is_wide(s) && v->wide.closed && !k->pair) return STEP_PARK;
    const enum step claim = stadium_claim(s, g, v, walk, &p, &share, best, k, item->value);
    if (claim != STEP_DONE) return claim;
    stadium_tally_way(s, g, v, walk->hash, walk->passed, tally);
    item->status = ROOST_ITEM_INSERTED;
    return STEP_DONE;
}

#endif
