/* Stadium hashing's operations on one key, in the dialect: find, insert and erase.  stadium.h
 * argues that they are correct. */
#ifndef ROOST_STADIUM_ITEMS_H
#define ROOST_STADIUM_ITEMS_H

#include "engines/stadium/stadium_probe.h"

/* A string that is too long, or whose offsets fall: the item ends without a status and counts as
 * failed. */
ROOST_FN bool item_is_wrong(const struct shape s, const struct item *item, struct tally *tally)
{
    if (!is_wide(s) || item_key_bytes(item) <= ROOST_STRING_MOST) return false;
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
    item_way_begin(item);
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
/* A ticket in the first group of a key's way, given as its highest bit in the board.  It is that of
 * the first candidate, or else of the slot that an insert would take.  NO_TICKET: neither
 * exists. */
#define NO_TICKET (~0ULL)
ROOST_FN uint64_t stadium_first_ticket(const struct shape s, const struct stadium_view *v, const struct ticket_place *p,
                                       uint32_t info)
{
    const uint32_t words = (uint32_t)group_words(s);
    uint64_t match = NO_TICKET, vacancy = NO_TICKET;
    if (group_at_once(s, v)) {
        const uint32_t stored = group_equal(v->board + p->word, (uint8_t)(info << 1)), turn = p->first * 4;
        /* the holes of the group, and the first one from the key's first word on */
        const uint32_t holes = stored ? 0 : group_equal(v->board + p->word, 0xff);
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

/* Called when the tickets are in the cache: prefetches the first candidate's pair, or the slot that
 * an insert would take.  For wide keys the item keeps the candidate's slot. */
ROOST_FN void stadium_approach(const struct shape s, const void *view, struct item *item, const int stage)
{
    const struct stadium_view *v = (const struct stadium_view *)view;
    if (stage) return;
    const uint64_t hash = item_hash(item);
    const struct stadium_walk w = stadium_walk_begin(s, v, hash, item->key, false);
    const struct ticket_place p = ticket_place_of(s, v, &w);
    const uint64_t bit = stadium_first_ticket(s, v, &p, stadium_info(s, v, hash));
    const uint64_t slot = bit == NO_TICKET ? 0 : ticket_slot(s, v, bit / 32, (int)(bit % 32));
    if (is_wide(s))
        item_candidate_set(item, bit == NO_TICKET || (load_relaxed_device32(v->board + bit / 32) &
                                                      ticket_mask(s, v, (int)(bit % 32)) & tickets_available(s, v))
                                     ? NO_TICKET
                                     : slot);
    if (bit != NO_TICKET) prefetch_read(stadium_pair(s, v, slot));
}

/* For finds without writers beside them: prefetches the candidate's string as well.  (Beside
 * inserts the offset of its bytes may be half written.) */
ROOST_FN void stadium_approach_find(const struct shape s, const void *view, struct item *item, const int stage)
{
    const struct stadium_view *v = (const struct stadium_view *)view;
    if (!stage || !is_wide(s) || !v->wide.strings || item_candidate(item) == NO_TICKET) {
        stadium_approach(s, view, item, stage);
        return;
    }
    const struct bytes key = wide_slot_key(v, stadium_pair(s, v, item_candidate(item)));
    prefetch_read(key.at);
    prefetch_read(key.at + item_key_bytes(item) - 1);
}
#endif

/* Runs an operation, group by group. */
ROOST_FN enum step stadium_work(const int phase, const struct shape s, const tile g, const struct stadium_view *v,
                                const struct batch *b, const int operation, const enum among among, struct item *item,
                                struct tally *tally)
{
    struct stadium_key k;
    struct stadium_walk walk = stadium_item_way(s, v, item, &k);
    enum step result;
    if (item_is_wrong(s, item, tally)) return STEP_DONE;
    if (is_wide(s) && item_copied(item)) return stadium_found_long(phase, v, b, item, item_copied(item));
    if (!operation_inserts(operation)) item->status = ROOST_ITEM_ABSENT;
    do result = stadium_probe(phase, s, g, v, b, operation, among, &k, &walk, item, tally);
    while (result == STEP_AGAIN);
    return result;
}

/* Works on one group of an insert's way in each step, for drivers that give lanes other items in
 * between.  The item keeps its way. */
ROOST_FN enum step stadium_insert_one_step(const struct shape s, const tile g, const void *view, const struct batch *b,
                                           struct item *item, struct tally *tally, void *scratch)
{
    const struct stadium_view *v = (const struct stadium_view *)view;
    struct stadium_key k;
    struct stadium_walk walk = stadium_item_way(s, v, item, &k);
    (void)scratch;
    item_way_continue(item, &walk);
    const enum step result =
        stadium_probe(CONCURRENT, s, g, v, b, ROOST_OP_INSERT + b->mode, AMONG_INSERTS, &k, &walk, item, tally);
    item_way_keep(item, &walk);
    return result;
}

#if defined(ROOST_MACHINE_HOST)
/* A find without writers beside it, which compares all tickets of a group at once. */
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
        if (!walk.passed) stadium_walk_limit(s, g, v, false, &walk);
    } while (stadium_walk_next(s, v, &walk));
    return STEP_DONE;
}
#endif

#define stadium_find_begin stadium_item_begin
#define stadium_insert_begin stadium_item_begin
#define stadium_erase_begin stadium_item_begin

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

#endif
