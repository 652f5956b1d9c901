/* Stadium hashing's item operations, in the dialect: find, insert, erase and mixes of them.  stadium.h says why they are right. */
#ifndef ROOST_STADIUM_ITEMS_H
#define ROOST_STADIUM_ITEMS_H

#include "engines/stadium/stadium_wide.h"
#include "portable/lock.h"

/* What stays the same on a key's way. */
struct stadium_key {
    roost_key key; /* as it is stored; of a wide one the address */
    uint32_t info;
    uint32_t bytes, tag;       /* wide: its length, and what a string's slot has of its hash */
    const unsigned char *pair; /* wide, rebuild: the pair that is on its way; else NULL */
};

ROOST_FN struct bytes key_bytes_of(const struct stadium_key *k)
{
    const struct bytes key = {(const unsigned char *)(uintptr_t)k->key, k->bytes};
    return key;
}

/* ---- Pairs ------------------------------------------------------------------------------------------------------------------------ */

/* Of a word, or of two. */
ROOST_FN int unit_pair_bytes(const struct shape s) { return s.word ? s.key_bytes + s.value_bytes : 16; }

ROOST_FN uint32_t stadium_pair_bytes(const struct shape s, const struct stadium_view *v)
{
    return is_wide(s) ? v->wide.pair_bytes : (uint32_t)unit_pair_bytes(s);
}

ROOST_FN unsigned char *stadium_pair(const struct shape s, const struct stadium_view *v, uint64_t slot)
{
    return v->pairs + slot * stadium_pair_bytes(s, v);
}

/* Keys that look like marks are stored inverted where pairs have marks. */
ROOST_FN bool stadium_inverts(const struct shape s, const struct stadium_view *v, roost_key key)
{
    return !is_wide(s) && !has_access(s, v) && key >= stadium_tombstone(s);
}

ROOST_FN roost_key stadium_stored_key(const struct shape s, const struct stadium_view *v, roost_key key)
{
    return stadium_inverts(s, v, key) ? stadium_empty(s) - key : key;
}

/* The word of a slot: a pair, or its key. */
ROOST_FN uint64_t stadium_unit_load(const int phase, const struct shape s, const unsigned char *at)
{
    const bool wide = !s.word || unit_pair_bytes(s) == 8;
    if (phase != CONCURRENT) return load_width(wide ? 8 : 4, at, 0);
    return wide ? load_relaxed_device64((const uint64_t *)(const void *)at)
                : load_relaxed_device32((const uint32_t *)(const void *)at);
}

/* The value of a pair of two words, of which the lower half is one of 4 bytes. */
ROOST_FN uint64_t stadium_value_load(const int phase, const struct shape s, const unsigned char *at)
{
    if (phase != CONCURRENT) return load_width(s.value_bytes, at + 8, 0);
    return s.value_bytes == 8 ? load_relaxed_device64((const uint64_t *)(const void *)(at + 8))
                              : load_relaxed_device32((const uint32_t *)(const void *)(at + 8));
}

/* What a candidate's slot says of a key: its own, another one's, or a pair that is on its way (access=off). */
enum pair_look { PAIR_OTHER, PAIR_MATCH, PAIR_HIDDEN };

ROOST_FN enum pair_look stadium_pair_look(const int phase, const struct shape s, const struct stadium_view *v,
                                          const unsigned char *at, const struct stadium_key *k, roost_value *value)
{
    const roost_key key = k->key;
    uint64_t unit[2] = {0, 0};
    if (is_wide(s)) {
        if (!wide_is(v, at, key_bytes_of(k), k->tag)) return PAIR_OTHER;
        *value = wide_value_load(phase, v, at);
        return PAIR_MATCH;
    }
    if (s.word || phase == CONCURRENT) unit[0] = stadium_unit_load(phase, s, at);
    else load_vector64(phase, (const uint64_t *)(const void *)at, unit);
    const uint64_t have = s.word ? unit_key(s, unit[0]) : unit[0];
    if (have != key) return !has_access(s, v) && have == stadium_empty(s) ? PAIR_HIDDEN : PAIR_OTHER;
    if (!has_access(s, v) && phase == CONCURRENT && !s.word) fence_acquire_device(); /* the value came before its key */
    if (s.word && s.value_bytes) *value = unit[0] >> 32;
    if (!s.word)
        *value = phase == CONCURRENT ? stadium_value_load(phase, s, at) : s.value_bytes == 8 ? unit[1] : unit[1] & 0xffffffffu;
    return PAIR_MATCH;
}

/* Writes a pair into a slot whose ticket this lane has reserved.  The value comes before the key, which says that it is there where tickets do
 * not. */
ROOST_FN void stadium_pair_store(const struct shape s, const struct stadium_view *v, unsigned char *at, const struct stadium_key *k,
                                 roost_value value)
{
    uint64_t *const words = (uint64_t *)(void *)at;
    const roost_key key = k->key;
    if (is_wide(s)) {
        if (k->pair) bytes_copy(at, k->pair, v->wide.pair_bytes);
        else wide_pair_store(v, at, key_bytes_of(k), k->tag, value);
        return;
    }
    if (s.word && unit_pair_bytes(s) == 4) {
        store_relaxed_device32((uint32_t *)(void *)at, (uint32_t)key);
        return;
    }
    if (!s.word) store_relaxed_device64(words + 1, value);
    if (!s.word && !has_access(s, v)) fence_release_device();
    store_relaxed_device64(words, pair_unit(s, key, value));
}

ROOST_FN struct cell stadium_cell(const struct shape s, const struct stadium_view *v, unsigned char *at)
{
    const int wide = (int)v->wide.value_bytes;
    const struct cell apart = {at + v->wide.value_at, wide, 0, wide * 8};
    const struct cell c = {s.word ? at : at + 8, s.word ? unit_pair_bytes(s) : s.value_bytes, s.word && s.value_bytes ? 32 : 0,
                           s.value_bytes * 8};
    return is_wide(s) ? apart : c;
}

/* Makes the key of a pair a TOMBSTONE (access=off); false: another eraser has.  An update beside it is none: erases are alone. */
ROOST_FN bool stadium_pair_bury(const struct shape s, unsigned char *at, roost_key key)
{
    const uint64_t unit = stadium_unit_load(CONCURRENT, s, at);
    if ((s.word ? unit_key(s, unit) : unit) != key) return false;
    if (s.word && unit_pair_bytes(s) == 4)
        return cas_relaxed_device32((uint32_t *)(void *)at, (uint32_t)unit, (uint32_t)stadium_tombstone(s)) == (uint32_t)unit;
    return cas_relaxed_device64((uint64_t *)(void *)at, unit, stadium_tombstone(s)) == unit;
}

/* ---- A look into a group ------------------------------------------------------------------------------------------------------------ */

/* The smallest of the lanes' looks counts.  Above LOOK_MATCH, for inserts: where in the key's order the first ticket lies that is FREE (odd) or
 * RESERVED (even); for others whether there is a FREE one. */
enum { LOOK_MATCH = 0, LOOK_FREE = 1, LOOK_WAIT = 2 };
#define LOOK_NONE 0xffffffffu

/* This lane's ticket that has the key. */
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

/* What a look is for: the key's slot; or a slot that may be it, by its ticket alone; or if it is nowhere the first FREE ticket; or, under the key's
 * lock, the first hole, FREE or ERASED; or that ticket alone, of a key that is in no slot. */
enum look_for { LOOK_FOR_KEY, LOOK_FOR_CANDIDATE, LOOK_FOR_FREE, LOOK_FOR_HOLE, LOOK_FOR_FREE_ALONE };

/* What a word of tickets says beside its candidates. */
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

/* Where inserts run beside this, a candidate's ticket is loaded once more, with acquire: then the pair that it says is STORED is there, and whole.
 * (A fence would do as well, but waits for whatever the lane has under way.)  False: it is no candidate any more. */
ROOST_FN bool ticket_again(const struct shape s, const struct stadium_view *v, const uint32_t *word, int bit, uint32_t info)
{
    const uint32_t again = load_acquire_device32(word);
    return (tickets_stored(s, v, again, info) | (has_access(s, v) ? 0 : tickets_reserved(s, v, again))) >> bit & 1u;
}

/* Looks for the key in this lane's share of a group: first at the tickets, then at the pairs of the candidates among them, one after the other. */
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

/* ---- One key's operations ------------------------------------------------------------------------------------------------------------ */

/* Home 0 keeps the hash; of wide keys home 3 the length, home 4 the pair that is on its way, and home 5 the one whose value a find has begun to
 * copy. */
ROOST_FN uint64_t home_get(const struct item *item, int i) { return (uint64_t)item->home[i].index << 32 | item->home[i].sub; }
ROOST_FN void home_set(struct item *item, int i, uint64_t x)
{
    item->home[i].sub = (uint32_t)x;
    item->home[i].index = (uint32_t)(x >> 32);
}

ROOST_FN uint64_t stadium_item_hash(const struct item *item) { return home_get(item, 0); }
ROOST_FN void item_hash_set(struct item *item, uint64_t hash) { home_set(item, 0, hash); }

ROOST_FN void item_key_set(struct item *item, struct bytes key, const unsigned char *pair)
{
    item->key = (roost_key)(uintptr_t)key.at;
    item->home[3].sub = key.n;
    home_set(item, 4, (uint64_t)(uintptr_t)pair);
    home_set(item, 5, 0);
}

/* A string that cannot be: the item ends as it is, and counts as failed. */
ROOST_FN bool item_is_wrong(const struct shape s, const struct item *item, struct tally *tally)
{
    if (!is_wide(s) || item->home[3].sub <= ROOST_STRING_MOST) return false;
    tally->failed++;
    return true;
}

ROOST_FN void stadium_item_begin(const struct shape s, const void *view, const struct batch *b, uint64_t index, struct item *item)
{
    const struct stadium_view *v = (const struct stadium_view *)view;
    item->index = index;
    item->status = ROOST_ITEM_NONE;
    item->where = 0;
    item->operation = b->operations ? b->operations[index] : 0;
    item->home[2].index = 0; /* no group passed yet */
    uint64_t hash = 0;
    if (is_wide(s)) {
        const struct bytes key = wide_item_key(v, b, index);
        item->value = wide_item_value(v, b, index);
        if (key.n <= ROOST_STRING_MOST) hash = wide_hash(v, key);
        item_key_set(item, key, NULL);
    } else {
        item->key = load_width(s.key_bytes, b->keys, index);
        item->value = b->values_in && s.value_bytes ? load_width(s.value_bytes, b->values_in, index) : 0;
        hash = stadium_hash(s, v, item->key);
    }
    item_hash_set(item, hash);
#if defined(ROOST_MACHINE_HOST)
    const struct stadium_walk w = stadium_walk_begin(s, v, hash, item->key, false);
    prefetch_read(v->board + ticket_place_of(s, v, &w).word);
#endif
}

#if defined(ROOST_MACHINE_HOST)
/* The ticket of a key's first candidate in the group where its way begins, or of the slot that an insert would take, as that ticket's highest bit of
 * the board; NO_TICKET: neither. */
#define NO_TICKET (~0ULL)
ROOST_FN uint64_t stadium_first_ticket(const struct shape s, const struct stadium_view *v, const struct ticket_place *p,
                                       uint32_t info)
{
    const uint32_t words = (uint32_t)group_words(s);
    uint64_t match = NO_TICKET, vacancy = NO_TICKET;
    if (group_at_once(s, v)) {
        const uint32_t stored = group_equal(v->board + p->word, (uint8_t)(info << 1)), turn = p->first * 4;
        const uint32_t holes = stored ? 0 : group_equal(v->board + p->word, 0xff); /* from the key's first word on */
        const uint32_t hole = ((uint32_t)bit_lowest32((uint32_t)(holes >> turn | (uint64_t)holes << (32 - turn))) + turn) & 31u;
        return stored | holes ? p->word * 32 + (stored ? (unsigned)bit_lowest32(stored) : hole) * 8 + 7 : NO_TICKET;
    }
    for (uint32_t i = 0; i < words; i++) {
        const uint32_t at = (p->first + words - 1 - i) & (words - 1), word = load_relaxed_device32(v->board + p->word + at);
        const uint32_t stored = tickets_stored(s, v, word, info) & tickets_counted(p, at),
                       holes = tickets_free(s, v, word) & tickets_counted(p, at);
        if (stored) match = (p->word + at) * 32 + (unsigned)bit_lowest32(stored);
        if (holes) vacancy = (p->word + at) * 32 + (unsigned)bit_lowest32(holes);
    }
    return match != NO_TICKET ? match : vacancy;
}

/* The tickets have arrived: asks for the first candidate's pair, or for the slot that an insert would take; home 6 keeps the
 * candidate's slot. */
ROOST_FN void stadium_approach(const struct shape s, const void *view, struct item *item, const int stage)
{
    const struct stadium_view *v = (const struct stadium_view *)view;
    if (stage) return;
    const uint64_t hash = stadium_item_hash(item);
    const struct stadium_walk w = stadium_walk_begin(s, v, hash, item->key, false);
    const struct ticket_place p = ticket_place_of(s, v, &w);
    const uint64_t bit = stadium_first_ticket(s, v, &p, stadium_info(s, v, hash));
    const uint64_t slot = bit == NO_TICKET ? 0 : ticket_slot(s, v, bit / 32, (int)(bit % 32));
    if (is_wide(s))
        home_set(item, 6,
                 bit == NO_TICKET ||
                         (load_relaxed_device32(v->board + bit / 32) & ticket_mask(s, v, (int)(bit % 32)) & tickets_available(s, v))
                     ? NO_TICKET
                     : slot);
    if (bit != NO_TICKET) prefetch_read(stadium_pair(s, v, slot));
}

/* And of finds alone: its string's bytes.  (Beside inserts its place may be half written.) */
ROOST_FN void stadium_approach_find(const struct shape s, const void *view, struct item *item, const int stage)
{
    const struct stadium_view *v = (const struct stadium_view *)view;
    if (!stage || !is_wide(s) || !v->wide.strings || home_get(item, 6) == NO_TICKET) {
        stadium_approach(s, view, item, stage);
        return;
    }
    const struct bytes key = wide_slot_key(v, stadium_pair(s, v, home_get(item, 6)));
    prefetch_read(key.at);
    prefetch_read(key.at + item->home[3].sub - 1);
}
#endif

ROOST_FN bool stadium_inserts(const int operation) { return operation >= ROOST_OP_INSERT; }

/* One of the lanes that met the key has it: a key that was erased and came back while they loaded the group was met in both its slots. */
ROOST_FN void stadium_hit_one(const int phase, const tile g, struct stadium_hit *hit)
{
    if (phase == CONCURRENT && g.size > 1) hit->mine = g.lane == bit_lowest32(tile_ballot(g, hit->mine));
}

/* A find of a long value that it has met.  What it has begun to copy it copies to the end, even if the pair is erased meanwhile, for part of it is
 * in the caller's array already: then it took place before that erase. */
ROOST_FN enum step stadium_found_long(const int phase, const struct stadium_view *v, const struct batch *b, struct item *item,
                                      unsigned char *at)
{
    unsigned char *const to = (unsigned char *)b->values_out + item->index * v->wide.value_bytes;
    if (b->values_out && !wide_value_read(phase, v, at, to)) {
        home_set(item, 5, (uint64_t)(uintptr_t)at);
        return STEP_RETRY;
    }
    item->status = ROOST_ITEM_FOUND;
    return STEP_DONE;
}

/* The same of a wide key.  RETRY: its long value is being written. */
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

/* The key was found: on the lane that did the slot is updated or erased, and the value goes to all lanes. */
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

/* The ticket that a look names: its word in the group, its highest bit there, and the lane that loaded it. */
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

/* Claims the ticket that a look names, and stores the pair; false: another has claimed it. */
ROOST_FN bool stadium_claim(const struct shape s, const tile g, const struct stadium_view *v, const struct ticket_place *p,
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

/* Probes: the lanes' reads of pairs are the item's. */
ROOST_FN void stadium_tally_reads(const tile g, const struct stadium_hit *hit, struct tally *tally)
{
    const uint64_t reads = tile_sum64(g, hit->reads);
    for (uint64_t i = 0; g.lane == 0 && i < reads; i++) tally_read(tally);
}

/* How far a key's way goes, once its first group did not end it: as far as inserts ever went, but to no group twice, for that may have been in a
 * larger table; and where some may run beside this, as they may go now.  (Refills go further than inserts.) */
ROOST_FN void stadium_walk_limit(const struct stadium_view *v, bool beside_inserts, struct stadium_walk *walk)
{
    const uint64_t longest = walk->bound > 1 ? load_relaxed_device64(v->longest) : 1; /* 1: a key that looks like a mark */
    if (longest > walk->bound || !beside_inserts) walk->bound = (uint32_t)(longest < v->groups ? longest : v->groups);
}

/* What runs beside an operation: nothing that inserts; inserts, so that pairs may be on their way; or other keys' pairs alone, all of them new. */
enum among { AMONG_OTHERS, AMONG_INSERTS, AMONG_NEW };

/* One group of a key's way.  AGAIN: on to the next one, or the same once more, for another insert took the ticket. */
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
        if (!walk->passed) stadium_walk_limit(v, stadium_inserts(operation) || b->operations, walk);
        if (stadium_walk_next(s, v, walk)) return STEP_AGAIN;
        return stadium_inserts(operation) ? STEP_PARK : STEP_DONE;
    }
    if (!stadium_inserts(operation)) return STEP_DONE;
    if (!(best & 1)) return STEP_RETRY;
    if (is_wide(s) && v->wide.closed && !k->pair) return STEP_PARK;
    if (!stadium_claim(s, g, v, &p, &share, best, k, item->value)) return STEP_AGAIN;
    if (g.lane == 0 && walk->passed + 1 > tally->longest) tally->longest = walk->passed + 1;
    item->status = ROOST_ITEM_INSERTED;
    return STEP_DONE;
}

/* Where an item's way begins. */
ROOST_FN struct stadium_walk stadium_item_way(const struct shape s, const struct stadium_view *v, const struct item *item,
                                              struct stadium_key *k)
{
    const uint64_t hash = stadium_item_hash(item);
    k->key = stadium_stored_key(s, v, item->key);
    k->info = stadium_info(s, v, hash);
    if (is_wide(s)) {
        k->bytes = item->home[3].sub;
        k->tag = wide_tag(hash);
        k->pair = (const unsigned char *)(uintptr_t)home_get(item, 4);
    }
    return stadium_walk_begin(s, v, hash, k->key, stadium_inverts(s, v, item->key));
}

/* Carries an operation out. */
ROOST_FN enum step stadium_work(const int phase, const struct shape s, const tile g, const struct stadium_view *v,
                                const struct batch *b, const int operation, const enum among among, struct item *item,
                                struct tally *tally)
{
    struct stadium_key k;
    struct stadium_walk walk = stadium_item_way(s, v, item, &k);
    enum step result;
    if (item_is_wrong(s, item, tally)) return STEP_DONE;
    if (is_wide(s) && home_get(item, 5))
        return stadium_found_long(phase, v, b, item, (unsigned char *)(uintptr_t)home_get(item, 5));
    if (!stadium_inserts(operation)) item->status = ROOST_ITEM_ABSENT;
    do result = stadium_probe(phase, s, g, v, b, operation, among, &k, &walk, item, tally);
    while (result == STEP_AGAIN);
    return result;
}

/* One group of an insert's way a step, for drivers that give lanes other items meanwhile: home 1 keeps where it is, home 2 how far that is and how
 * far it may go. */
ROOST_FN enum step stadium_insert_one_step(const struct shape s, const tile g, const void *view, const struct batch *b,
                                           struct item *item, struct tally *tally, void *scratch)
{
    const struct stadium_view *v = (const struct stadium_view *)view;
    struct stadium_key k;
    struct stadium_walk walk = stadium_item_way(s, v, item, &k);
    (void)scratch;
    if (item->home[2].index) {
        walk.at = home_get(item, 1);
        walk.passed = item->home[2].index;
        walk.bound = item->home[2].sub;
    }
    const enum step result =
        stadium_probe(CONCURRENT, s, g, v, b, ROOST_OP_INSERT + b->mode, AMONG_INSERTS, &k, &walk, item, tally);
    home_set(item, 1, walk.at);
    item->home[2].sub = walk.bound;
    item->home[2].index = walk.passed;
    return result;
}

#if defined(ROOST_MACHINE_HOST)
/* A find alone of a whole group at once. */
ROOST_FN enum step stadium_find_at_once(const struct shape s, const tile g, const struct stadium_view *v, const struct batch *b,
                                        struct item *item, struct tally *tally)
{
    struct stadium_hit hit;
    struct stadium_key k;
    struct stadium_walk walk = stadium_item_way(s, v, item, &k);
    if (item_is_wrong(s, item, tally)) return STEP_DONE;
    item->status = ROOST_ITEM_ABSENT;
    do {
        const uint64_t first = walk.at * 32;
        const uint32_t *const words = v->board + walk.at * (uint64_t)group_words(s);
        for (uint32_t match = group_equal(words, (uint8_t)(k.info << 1)); match; match &= match - 1) {
            hit.at = stadium_pair(s, v, first + (unsigned)bit_lowest32(match));
            hit.mine = true;
            tally_read(tally);
            if (stadium_pair_look(QUIESCENT, s, v, hit.at, &k, &hit.value) == PAIR_MATCH)
                return stadium_met(QUIESCENT, s, g, v, b, ROOST_OP_FIND, item, &hit);
        }
        if (group_equal(words, 0xff)) return STEP_DONE;
        if (!walk.passed) stadium_walk_limit(v, false, &walk);
    } while (stadium_walk_next(s, v, &walk));
    return STEP_DONE;
}
#endif

#define stadium_find_begin stadium_item_begin
#define stadium_insert_begin stadium_item_begin
#define stadium_erase_begin stadium_item_begin
#define stadium_apply_begin stadium_item_begin

ROOST_FN enum step stadium_find_step(const struct shape s, const tile g, const void *view, const struct batch *b, struct item *item,
                                     struct tally *tally, void *scratch)
{
    (void)scratch;
#if defined(ROOST_MACHINE_HOST)
    if (group_at_once(s, (const struct stadium_view *)view))
        return stadium_find_at_once(s, g, (const struct stadium_view *)view, b, item, tally);
#endif
    return stadium_work(QUIESCENT, s, g, (const struct stadium_view *)view, b, ROOST_OP_FIND, AMONG_OTHERS, item, tally);
}

ROOST_FN enum step stadium_insert_step(const struct shape s, const tile g, const void *view, const struct batch *b,
                                       struct item *item, struct tally *tally, void *scratch)
{
    (void)scratch;
    return stadium_work(CONCURRENT, s, g, (const struct stadium_view *)view, b, ROOST_OP_INSERT + b->mode, AMONG_INSERTS, item,
                        tally);
}

ROOST_FN enum step stadium_erase_step(const struct shape s, const tile g, const void *view, const struct batch *b,
                                      struct item *item, struct tally *tally, void *scratch)
{
    (void)scratch;
    return stadium_work(CONCURRENT, s, g, (const struct stadium_view *)view, b, ROOST_OP_ERASE, AMONG_OTHERS, item, tally);
}

/* ---- Refill: inserts that take what erases left, under locks ---------------------------------------------------------------------------- */

/* The lock of a key, which no other key need share; taken for one step, and nobody waits while he has it. */
ROOST_FN bool stadium_lock(const tile g, const struct stadium_view *v, uint64_t hash)
{
    uint32_t mine = 0;
    if (g.lane == 0) {
        mine = lock_try(v->locks, (uint32_t)hash & v->lock_mask);
        if (mine) fence_acquire_device(); /* what the previous holder stored is seen, or its key would get a twin */
    }
    mine = tile_from32(g, mine, 0);
    tile_sync(g); /* and by all lanes */
    return mine != 0;
}

ROOST_FN void stadium_unlock(const tile g, const struct stadium_view *v, uint64_t hash)
{
    tile_sync(g); /* all lanes' stores come before */
    if (g.lane != 0) return;
    fence_release_device();
    lock_give(v->locks, (uint32_t)hash & v->lock_mask);
}

/* The first hole on a key's way. */
struct stadium_hole {
    struct ticket_place place;
    struct ticket_share share; /* of its group, as it was seen */
    uint32_t best, passed;     /* LOOK_NONE: none yet */
};

/* Under the key's lock nobody else brings it, so a hole may be taken once the whole way has been looked at: to a group with a FREE ticket, which
 * nobody passed. */
ROOST_FN enum step stadium_refill_locked(const struct shape s, const tile g, const struct stadium_view *v, const struct batch *b,
                                         const int operation, struct item *item, struct tally *tally)
{
    struct stadium_key k;
    struct stadium_walk walk = stadium_item_way(s, v, item, &k);
    struct stadium_hole hole;
    hole.best = LOOK_NONE;
    walk.bound = v->refill_bound;
    do {
        struct ticket_share share;
        struct stadium_hit hit;
        const struct ticket_place p = ticket_place_of(s, v, &walk);
        bool ends = false;
        tickets_load(CONCURRENT, s, g, v->board + p.word, &share);
        const uint32_t best = tile_min32(g, stadium_look(CONCURRENT, s, g, v, &p, &share, &k, LOOK_FOR_HOLE, true, &hit));
        if (best == LOOK_MATCH) return stadium_met(CONCURRENT, s, g, v, b, operation, item, &hit);
        if (hole.best == LOOK_NONE) hole.place = p, hole.share = share, hole.best = best, hole.passed = walk.passed;
        ROOST_UNROLL
        for (int i = 0; i < TICKET_WORDS; i++)
            if (ticket_has(s, g, &share, i))
                ends |= (tickets_free(s, v, (uint32_t)share.word[i]) & tickets_counted(&p, ticket_word(s, g, &share, i))) != 0;
        if (tile_any(g, ends)) break;
    } while (stadium_walk_next(s, v, &walk));
    if (hole.best == LOOK_NONE || (is_wide(s) && v->wide.closed)) return STEP_PARK;
    const struct look_ticket at = look_ticket_of(s, g, &hole.place, hole.best);
    const bool erased = !(tickets_free(s, v, ticket_seen(s, g, &hole.share, at.w)) >> at.bit & 1u);
    if (!stadium_claim(s, g, v, &hole.place, &hole.share, hole.best, &k, item->value)) return STEP_RETRY;
    if (g.lane == at.owner) tally->reused += erased;
    if (g.lane == 0 && hole.passed + 1 > tally->longest) tally->longest = hole.passed + 1;
    item->status = ROOST_ITEM_INSERTED;
    return STEP_DONE;
}

ROOST_FN enum step stadium_refill(const struct shape s, const tile g, const struct stadium_view *v, const struct batch *b,
                                  const int operation, struct item *item, struct tally *tally)
{
    const uint64_t hash = stadium_item_hash(item);
    if (item_is_wrong(s, item, tally)) return STEP_DONE;
    if (!stadium_lock(g, v, hash)) return STEP_RETRY;
    const enum step result = stadium_refill_locked(s, g, v, b, operation, item, tally);
    stadium_unlock(g, v, hash);
    return result;
}

/* Of a mixed batch; or, with locks, inserts that may take what erases left. */
ROOST_FN enum step stadium_apply_step(const struct shape s, const tile g, const void *view, const struct batch *b,
                                      struct item *item, struct tally *tally, void *scratch)
{
    const struct stadium_view *v = (const struct stadium_view *)view;
    (void)scratch;
    if (v->locks) return stadium_refill(s, g, v, b, b->operations ? item->operation : ROOST_OP_INSERT + b->mode, item, tally);
    if (!batch_takes(b, item->operation)) return STEP_DONE;
    return stadium_work(CONCURRENT, s, g, v, b, item->operation, AMONG_INSERTS, item, tally);
}

ROOST_FN void stadium_find_end(const struct shape s, const struct batch *b, const struct item *item)
{
    if (!is_wide(s)) {
        item_report_find(s, b, item);
        return;
    }
    wide_report_value(b, item);
    if (b->found) b->found[item->index] = item->status == ROOST_ITEM_FOUND;
    item_report(s, b, item);
}

#define stadium_insert_end item_report
#define stadium_erase_end item_report
#define stadium_apply_end stadium_find_end

#endif
