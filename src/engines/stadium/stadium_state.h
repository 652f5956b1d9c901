/* The state of a Stadium item between its steps, in the members that other engines use for a key's
 * homes.  On CUDA an item is in registers, so each index is a constant. */
#ifndef ROOST_STADIUM_STATE_H
#define ROOST_STADIUM_STATE_H

#include "engines/stadium/stadium_board.h"
#include "portable/bytes.h"

/* The members of an item's state: each is a word of 64 bits, or two of 32 bits. */
enum stadium_state {
    STATE_HASH,      /* of the key */
    STATE_AT,        /* walk.at, if the item works on one group in each step */
    STATE_WAY,       /* index: groups passed; sub: their bound */
    STATE_KEY_BYTES, /* sub: length of a wide key */
    STATE_PAIR,      /* rebuild of a table with wide pairs: address of the pair in the old table */
    STATE_COPIED,    /* address of the pair whose long value a find has begun to copy */
    STATE_CANDIDATE  /* host: slot that the first candidate's ticket names */
};

ROOST_FN uint64_t state_get(const struct item *item, const enum stadium_state member)
{
    return (uint64_t)item->home[member].index << 32 | item->home[member].sub;
}

ROOST_FN void state_set(struct item *item, const enum stadium_state member, uint64_t x)
{
    item->home[member].sub = (uint32_t)x;
    item->home[member].index = (uint32_t)(x >> 32);
}

ROOST_FN uint64_t item_hash(const struct item *item) { return state_get(item, STATE_HASH); }
ROOST_FN void item_hash_set(struct item *item, uint64_t hash) { state_set(item, STATE_HASH, hash); }

/* Sets a wide key's bytes, and in a rebuild the pair that holds it; NULL: no pair holds it yet. */
ROOST_FN void item_key_set(struct item *item, struct bytes key, const unsigned char *pair)
{
    item->key = (roost_key)(uintptr_t)key.at;
    item->home[STATE_KEY_BYTES].sub = key.n;
    state_set(item, STATE_PAIR, (uint64_t)(uintptr_t)pair);
    state_set(item, STATE_COPIED, 0);
}

ROOST_FN uint32_t item_key_bytes(const struct item *item) { return item->home[STATE_KEY_BYTES].sub; }

ROOST_FN const unsigned char *item_pair(const struct item *item)
{
    return (const unsigned char *)(uintptr_t)state_get(item, STATE_PAIR);
}

/* The pair whose value the find has begun to copy; NULL: none. */
ROOST_FN unsigned char *item_copied(const struct item *item) { return (unsigned char *)(uintptr_t)state_get(item, STATE_COPIED); }
ROOST_FN void item_copied_set(struct item *item, const unsigned char *pair)
{
    state_set(item, STATE_COPIED, (uint64_t)(uintptr_t)pair);
}

ROOST_FN uint64_t item_candidate(const struct item *item) { return state_get(item, STATE_CANDIDATE); }
ROOST_FN void item_candidate_set(struct item *item, uint64_t slot) { state_set(item, STATE_CANDIDATE, slot); }

/* Begins a way; the item has passed no group of it. */
ROOST_FN void item_way_begin(struct item *item) { item->home[STATE_WAY].index = 0; }

ROOST_FN void item_way_keep(struct item *item, const struct stadium_walk *walk)
{
    state_set(item, STATE_AT, walk->at);
    item->home[STATE_WAY].sub = walk->bound;
    item->home[STATE_WAY].index = walk->passed;
}

/* Continues the way that item_way_keep kept.  Changes nothing at the way's first group. */
ROOST_FN void item_way_continue(const struct item *item, struct stadium_walk *walk)
{
    if (!item->home[STATE_WAY].index) return;
    walk->at = state_get(item, STATE_AT);
    walk->passed = item->home[STATE_WAY].index;
    walk->bound = item->home[STATE_WAY].sub;
}

#endif
