/* Stadium hashing's operations on slots and groups, alone on the table: rebuild, compaction, counts
 * and exports. */
#ifndef ROOST_STADIUM_TRANSFER_H
#define ROOST_STADIUM_TRANSFER_H

#include "engines/stadium/stadium_items.h"

/* The view begins the kernel's arguments, which also hold the transfer. */
ROOST_FN const struct stadium_transfer *transfer_of(const void *view) { return &((const struct stadium_args *)view)->transfer; }

ROOST_FN uint64_t stadium_group_tickets(const struct shape s, const struct stadium_view *v)
{
    return tickets_single(s, v) ? 1 : (uint64_t)group_bytes(s) * 8 >> ticket_log(s, v);
}

/* The slots, except those of keys that look like marks, which lie behind the others. */
ROOST_FN uint64_t stadium_main_slots(const struct shape s, const struct stadium_view *v)
{
    return v->groups * stadium_group_tickets(s, v);
}

/* All slots.  Keys that look like marks have one group of them, or two single tickets. */
ROOST_FN uint64_t stadium_all_slots(const struct shape s, const struct stadium_view *v)
{
    return stadium_main_slots(s, v) + (has_access(s, v) ? 0 : tickets_single(s, v) ? 2 : stadium_group_tickets(s, v));
}

/* A slot's ticket, in a word's lowest bits. */
ROOST_FN uint32_t stadium_ticket(const struct shape s, const struct stadium_view *v, uint64_t slot)
{
    const uint64_t bit = slot << ticket_log(s, v);
    return v->board[bit / 32] >> (bit & 31u) & (uint32_t)((1ULL << ticket_bits(s, v)) - 1);
}

enum slot_state { SLOT_FREE, SLOT_RESERVED, SLOT_STORED, SLOT_ERASED };

/* The state of a slot while no writer runs, and its pair with the key as users know it.  For a wide
 * pair the key is the slot's address. */
ROOST_FN enum slot_state stadium_slot(const struct shape s, const struct stadium_view *v, uint64_t slot, struct pair *pair)
{
    const uint32_t ticket = stadium_ticket(s, v, slot), ones = (uint32_t)((1ULL << ticket_bits(s, v)) - 1);
    unsigned char *at = stadium_pair(s, v, slot);
    pair->key = pair->value = 0;
    pair->taken = false;
    if (ticket & 1) return ticket == ones ? SLOT_FREE : SLOT_ERASED;
    if (has_access(s, v) && ticket == (ones & ~1u)) return SLOT_RESERVED;
    if (is_wide(s)) {
        pair->key = (roost_key)(uintptr_t)at;
        pair->taken = true;
        return SLOT_STORED;
    }
    const uint64_t unit = stadium_unit_load(QUIESCENT, s, at);
    pair->key = s.word ? unit_key(s, unit) : unit;
    if (s.value_bytes) pair->value = s.word ? unit >> 32 : stadium_value_load(QUIESCENT, s, at);
    if (!has_access(s, v) && pair->key == stadium_empty(s)) return SLOT_RESERVED;
    if (!has_access(s, v) && pair->key == stadium_tombstone(s)) return SLOT_ERASED;
    if (slot >= stadium_main_slots(s, v)) pair->key = stadium_empty(s) - pair->key;
    pair->taken = true;
    return SLOT_STORED;
}

/* ---- Rebuild: each slot of the table before is an item, and inserted if it has a pair ------- */

ROOST_FN void stadium_rebuild_begin(const struct shape s, const void *view, const struct batch *b, uint64_t index,
                                    struct item *item)
{
    const struct stadium_view *v = (const struct stadium_view *)view;
    struct pair pair;
    (void)b;
    const struct stadium_view *const from = &transfer_of(view)->from;
    item->operation = stadium_slot(s, from, index, &pair) == SLOT_STORED;
    item->key = pair.key;
    item->value = pair.value;
    item->index = index;
    item->status = ROOST_ITEM_NONE;
    if (is_wide(s)) {
        const unsigned char *const at = (const unsigned char *)(uintptr_t)pair.key;
        if (!item->operation) return;
        const struct bytes key = wide_slot_key(from, at);
        item_key_set(item, key, at);
        item_hash_set(item, wide_hash(v, key));
    } else {
        item_hash_set(item, stadium_hash(s, v, pair.key));
    }
}

/* A pair that finds no room counts as failed, because a rebuild has no list.  The old table still
 * holds it. */
ROOST_FN enum step stadium_rebuild_step(const struct shape s, const tile g, const void *view, const struct batch *b,
                                        struct item *item, struct tally *tally, void *scratch)
{
    (void)scratch;
    if (!item->operation) return STEP_DONE;
    const enum step result =
        stadium_work(CONCURRENT, s, g, (const struct stadium_view *)view, b, ROOST_OP_KEEP, AMONG_NEW, item, tally);
    if (g.lane == 0) tally->moved += result == STEP_DONE;
    item->status = ROOST_ITEM_NONE;
    return result;
}

#define stadium_rebuild_end bucket_end

/* ---- Compaction ----------------------------------------------------------------------------- */

/* A group's ERASED tickets become FREE if it has a FREE one, so no insert ever passed it; or the
 * arena's strings move to a new arena. */

#define stadium_compact_begin bucket_begin
#define stadium_compact_end bucket_end

/* Copies the string of a slot to the new arena. */
ROOST_FN void stadium_string_move(const struct shape s, const struct stadium_view *v, const struct stadium_transfer *t,
                                  uint64_t slot)
{
    struct pair pair;
    if (stadium_slot(s, v, slot, &pair) != SLOT_STORED) return;
    unsigned char *const at = (unsigned char *)(uintptr_t)pair.key;
    struct stadium_string *const string = (struct stadium_string *)(void *)(at + v->wide.key_at);
    const struct bytes key = wide_slot_key(v, at);
    const uint64_t offset = key.n ? add_relaxed_device64(t->arena_used, bytes_padded(key.n)) : 0;
    bytes_copy(t->arena + offset, key.at, key.n);
    string->offset = offset;
}

ROOST_FN enum step stadium_compact_step(const struct shape unused, const tile g, const void *view, const struct batch *b,
                                        struct item *item, struct tally *tally, void *scratch)
{
    const struct stadium_view *v = (const struct stadium_view *)view;
    const struct shape s = transfer_of(view)->shape;
    const int words = group_words(s);
    const uint64_t tickets = stadium_group_tickets(s, v);
    uint32_t free_ones = 0;
    (void)unused, (void)g, (void)b, (void)scratch;
    if (transfer_of(view)->arena_used) {
        for (uint64_t i = 0; i < tickets; i++) stadium_string_move(s, v, transfer_of(view), item->index * tickets + i);
        return STEP_DONE;
    }
    uint32_t *const word = v->board + item->index * (unsigned)words;
    for (int i = 0; i < words; i++) free_ones |= tickets_free(s, v, word[i]);
    for (int i = 0; free_ones && i < words; i++) {
        const uint32_t erased = word[i] & tickets_available(s, v) & ~(tickets_free(s, v, word[i]) >> (ticket_bits(s, v) - 1));
        if (!erased) continue;
        word[i] |= (uint32_t)(erased * ((1ULL << ticket_bits(s, v)) - 1));
        tally->reused += (uint32_t)bit_count32(erased);
    }
    return STEP_DONE;
}

/* ---- Sifting: finds by the board alone ------------------------------------------------------ */

ROOST_FN void stadium_sift_begin(const struct shape unused, const void *view, const struct batch *b, uint64_t index,
                                 struct item *item)
{
    (void)unused;
    stadium_item_begin(transfer_of(view)->shape, view, b, index, item);
}

#define stadium_sift_end bucket_end

/* The slot of the first candidate on a key's way; false: no ticket is one. */
ROOST_FN bool stadium_first_candidate(const struct shape s, const tile g, const struct stadium_view *v, const struct item *item,
                                      uint64_t *slot)
{
    struct stadium_key k;
    struct stadium_walk walk = stadium_item_way(s, v, item, &k);
    do {
        struct ticket_share share;
        struct stadium_hit hit;
        const struct ticket_place p = ticket_place_of(s, v, &walk);
        tickets_load(QUIESCENT, s, g, v->board + p.word, &share);
        const uint32_t best = stadium_look(QUIESCENT, s, g, v, &p, &share, &k, LOOK_FOR_CANDIDATE, false, &hit);
        if (best == LOOK_MATCH) return *slot = ticket_slot(s, v, hit.word, hit.bit), true;
        if (best != LOOK_NONE) return false;
        if (!walk.passed) stadium_walk_limit(s, g, v, false, &walk);
    } while (stadium_walk_next(s, v, &walk));
    return false;
}

/* A key without a candidate is ABSENT.  The others are parked for a find, each with the region of
 * its first candidate. */
ROOST_FN enum step stadium_sift_step(const struct shape unused, const tile g, const void *view, const struct batch *b,
                                     struct item *item, struct tally *tally, void *scratch)
{
    const struct stadium_view *v = (const struct stadium_view *)view;
    const struct stadium_transfer *t = transfer_of(view);
    uint64_t slot;
    (void)unused, (void)tally, (void)scratch;
    if (stadium_first_candidate(t->shape, g, v, item, &slot)) {
        t->region[item->index] = (uint32_t)(slot * t->regions / stadium_all_slots(t->shape, v));
        return STEP_PARK;
    }
    item->status = ROOST_ITEM_ABSENT;
    stadium_find_end(t->shape, b, item);
    return STEP_DONE;
}

#define stadium_codes_begin bucket_begin
#define stadium_codes_end bucket_end

/* Writes the regions of an item's PARTITION_CODES keys: those of their first groups. */
ROOST_FN enum step stadium_codes_step(const struct shape unused, const tile g, const void *view, const struct batch *b,
                                      struct item *item, struct tally *tally, void *scratch)
{
    const struct stadium_view *v = (const struct stadium_view *)view;
    const struct stadium_transfer *t = transfer_of(view);
    roost_key key[PARTITION_CODES];
    uint64_t hash[PARTITION_CODES];
    (void)unused, (void)g, (void)tally, (void)scratch;
    partition_codes_load(&t->codes, t->shape.key_bytes, b->keys, item->index, key);
    ROOST_UNROLL
    for (uint32_t k = 0; k < PARTITION_CODES; k++) hash[k] = stadium_hash(t->shape, v, key[k]);
    partition_codes_store(&t->codes, item->index, hash);
    return STEP_DONE;
}

/* ---- Exports and counts: an item is STADIUM_RUN slots in a row ------------------------------ */

#define stadium_export_begin bucket_begin
#define stadium_export_end bucket_end

/* The number of strings and of their bytes, in one word: one atomic reserves a string's place and
 * that of its bytes. */
enum { STRINGS_SHIFT = 40 };
#define STRINGS_MOST ((uint64_t)1 << (64 - STRINGS_SHIFT))
#define STRINGS_BYTES_MOST (((uint64_t)1 << STRINGS_SHIFT) - 1)

/* Copies a wide value to item `place` of an array. */
ROOST_FN void stadium_value_out(const struct stadium_view *v, unsigned char *at, void *values, uint64_t place)
{
    const uint32_t n = v->wide.value_bytes;
    if (!values || !n) return;
    unsigned char *const to = (unsigned char *)values + place * n;
    if (value_is_long(n)) (void)wide_value_read(QUIESCENT, v, at, to);
    else bytes_put(to, n, wide_value_load(QUIESCENT, v, at));
}

/* Appends a string; without arrays it is only counted. */
ROOST_FN void stadium_string_out(const struct stadium_view *v, const struct stadium_transfer *t, unsigned char *at)
{
    const struct bytes key = wide_slot_key(v, at);
    const uint64_t before = take_places_relaxed_device64(t->pairs_n, ((uint64_t)1 << STRINGS_SHIFT) + key.n),
                   place = before >> STRINGS_SHIFT, first = before & STRINGS_BYTES_MOST;
    if (!t->offsets) return;
    store_width(t->offset_bytes, t->offsets, place, first);
    bytes_copy((unsigned char *)t->keys + first, key.at, key.n);
    stadium_value_out(v, at, t->values, place);
}

/* Appends a wide pair. */
ROOST_FN void stadium_wide_out(const struct stadium_view *v, const struct stadium_transfer *t, unsigned char *at)
{
    if (v->wide.strings) {
        stadium_string_out(v, t, at);
        return;
    }
    const struct bytes key = wide_slot_key(v, at);
    const uint64_t place = take_place_relaxed_device64(t->pairs_n);
    bytes_copy((unsigned char *)t->keys + place * key.n, key.at, key.n);
    stadium_value_out(v, at, t->values, place);
}

/* Appends an item's pairs to the caller's arrays. */
ROOST_FN enum step stadium_export_step(const struct shape unused, const tile g, const void *view, const struct batch *b,
                                       struct item *item, struct tally *tally, void *scratch)
{
    const struct stadium_view *v = (const struct stadium_view *)view;
    const struct stadium_transfer *t = transfer_of(view);
    const uint64_t first = t->first + item->index * STADIUM_RUN, all = stadium_all_slots(t->shape, v);
    (void)unused, (void)b, (void)tally, (void)scratch;
    for (int i = 0; i < STADIUM_RUN; i += g.size) {
        const uint64_t slot = first + (unsigned)(i + g.lane);
        struct pair pair = {0, 0, false};
        if (slot < all) (void)stadium_slot(t->shape, v, slot, &pair);
        if (is_wide(t->shape)) {
            if (pair.taken) stadium_wide_out(v, t, (unsigned char *)(uintptr_t)pair.key);
            continue;
        }
        pairs_append(t->shape, g, t->keys, t->values, t->pairs_n, &pair);
    }
    return STEP_DONE;
}

#define stadium_survey_begin bucket_begin
#define stadium_survey_end bucket_end

/* Raises the reach of a stored key's home to the key's way.  The max keeps the longer one of two
 * ways that begin there, which other lanes may raise it to at the same time. */
ROOST_FN void stadium_reach_raise(const struct shape s, const struct stadium_view *v, uint32_t *reaches, uint64_t slot,
                                  const struct pair *pair)
{
    const uint64_t group = slot / stadium_group_tickets(s, v);
    const uint64_t hash =
        is_wide(s) ? wide_hash(v, wide_slot_key(v, (const unsigned char *)(uintptr_t)pair->key)) : stadium_hash(s, v, pair->key);
    struct stadium_walk way = stadium_walk_begin(s, v, hash, pair->key, false);
    uint32_t *const reach = reaches + stadium_reach_of(s, v, way.at);
    if (group >= v->groups) return; /* keys that look like marks have no way */
    way.bound = UINT32_MAX;
    while (way.at != group && stadium_walk_next(s, v, &way)) continue;
    if (load_relaxed_device32(reach) <= way.passed) (void)max_relaxed_device32(reach, way.passed + 1);
}

/* Counts STORED slots (distinct), ERASED ones (reused), and RESERVED ones (failed).  Or, with
 * `reach`, raises that of each stored key's home. */
ROOST_FN enum step stadium_survey_step(const struct shape unused, const tile g, const void *view, const struct batch *b,
                                       struct item *item, struct tally *tally, void *scratch)
{
    const struct stadium_view *v = (const struct stadium_view *)view;
    const struct stadium_transfer *t = transfer_of(view);
    const uint64_t first = item->index * STADIUM_RUN, all = stadium_all_slots(t->shape, v);
    (void)unused, (void)b, (void)scratch;
    for (int i = g.lane; i < STADIUM_RUN; i += g.size) {
        struct pair pair;
        if (first + (unsigned)i >= all) break;
        const enum slot_state state = stadium_slot(t->shape, v, first + (unsigned)i, &pair);
        if (t->reach) {
            if (state != SLOT_STORED) continue;
            tally_read(tally);
            stadium_reach_raise(t->shape, v, t->reach, first + (unsigned)i, &pair);
            continue;
        }
        tally->distinct += state == SLOT_STORED;
        tally->reused += state == SLOT_ERASED;
        tally->failed += state == SLOT_RESERVED;
    }
    return STEP_DONE;
}

/* The key for counting distinct keys: for wide keys, their hash. */
ROOST_FN uint64_t stadium_counting_key(const struct linear_counting *c, const void *view, const struct batch *b, uint64_t index)
{
    const struct stadium_view *const v = (const struct stadium_view *)view;
    if (c->key_bytes) return linear_counting_key(c, view, b, index);
    const struct bytes key = wide_item_key(v, b, index);
    return key.n > ROOST_STRING_MOST ? 0 : wide_hash(v, key);
}
ROOST_LINEAR_COUNTING(stadium, stadium_counting_key)

#endif
