/* One group of a key's way: the work of an operation on the key, or on a ticket to claim. */
#ifndef ROOST_STADIUM_PROBE_H
#define ROOST_STADIUM_PROBE_H

#include "engines/stadium/stadium_look.h"
#include "engines/stadium/stadium_state.h"

ROOST_FN bool stadium_inserts(const int operation) { return operation >= ROOST_OP_INSERT; }

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

/* Bounds a key's way once its first group did not end it: by the longest way of any insert so far.
 * The way visits no group twice, even if an insert has gone further in a larger table.  Beside
 * inserts it also includes the present reach of inserts.  (Refills go further than inserts.)  In a
 * full table the home's reach bounds it: items of one key go equally far. */
ROOST_FN void stadium_walk_limit(const struct shape s, const struct stadium_view *v, bool beside_inserts, struct stadium_walk *walk)
{
    if (v->reach && walk->bound > 1) {
        walk->bound = v->reach[stadium_reach_of(s, v, walk->at)];
        return;
    }
    /* bound 1: a key that looks like a mark */
    const uint64_t longest = walk->bound > 1 ? load_relaxed_device64(v->longest) : 1;
    if (longest > walk->bound || !beside_inserts) walk->bound = (uint32_t)(longest < v->groups ? longest : v->groups);
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
    const enum look_for wish = among == AMONG_NEW ? LOOK_FOR_FREE_ALONE : stadium_inserts(operation) ? LOOK_FOR_FREE : LOOK_FOR_KEY;
    struct ticket_share share;
    struct stadium_hit hit;
    const struct ticket_place p = ticket_place_of(s, v, walk);
    if (g.size == 1) tally_lanes(tally);
    tickets_load(phase, s, g, v->board + p.word, &share);
    const bool beside = phase == CONCURRENT && among == AMONG_INSERTS;
    const uint32_t best = tile_min32(g, stadium_look(phase, s, g, v, &p, &share, k, wish, beside, &hit));
    if (ROOST_PROBES) stadium_tally_reads(g, &hit, tally);
    if (best == LOOK_MATCH) {
        stadium_hit_one(phase, g, &hit);
        return stadium_met(phase, s, g, v, b, operation, item, &hit);
    }
    if (best == LOOK_NONE) {
        if (!walk->passed) stadium_walk_limit(s, v, stadium_inserts(operation) || b->operations, walk);
        if (stadium_walk_next(s, v, walk)) return STEP_AGAIN;
        return stadium_inserts(operation) ? STEP_PARK : STEP_DONE;
    }
    if (!stadium_inserts(operation)) return STEP_DONE;
    if (!(best & 1)) return STEP_RETRY;
    if (is_wide(s) && v->wide.closed && !k->pair) return STEP_PARK;
    if (!stadium_claim(s, g, v, &p, &share, best, k, item->value)) return STEP_AGAIN;
    if (g.lane == 0 && walk->passed + 1 > tally->longest) tally->longest = walk->passed + 1;
    if (g.lane == 0) tally->strayed += walk->passed;
    item->status = ROOST_ITEM_INSERTED;
    return STEP_DONE;
}

#endif
