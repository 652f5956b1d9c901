/* A slot of Stadium hashing: how its pair is read, written and erased. */
#ifndef ROOST_STADIUM_PAIRS_H
#define ROOST_STADIUM_PAIRS_H

#include "engines/stadium/stadium_wide.h"

/* The constant data of a key while a step looks for it. */
struct stadium_key {
    roost_key key; /* as it is stored; for a wide key its address */
    uint32_t info;
    uint32_t bytes, tag;       /* wide: its length, and the hash bits that a string's slot keeps */
    const unsigned char *pair; /* wide, in a rebuild: the pair that is being moved; else NULL */
};

ROOST_FN struct bytes key_bytes_of(const struct stadium_key *k)
{
    const struct bytes key = {(const unsigned char *)(uintptr_t)k->key, k->bytes};
    return key;
}

/* Bytes of a pair of one word, or of two. */
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

/* The value of a pair of two words.  A value of 4 bytes is the lower half of its word. */
ROOST_FN uint64_t stadium_value_load(const int phase, const struct shape s, const unsigned char *at)
{
    if (phase != CONCURRENT) return load_width(s.value_bytes, at + 8, 0);
    return s.value_bytes == 8 ? load_relaxed_device64((const uint64_t *)(const void *)(at + 8))
                              : load_relaxed_device32((const uint32_t *)(const void *)(at + 8));
}

/* Result of a look at a candidate's slot: it holds the key, or another key, or a pair that is being
 * written (access=off). */
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
    /* the value came before its key */
    if (!has_access(s, v) && phase == CONCURRENT && !s.word) fence_acquire_device();
    if (s.word && s.value_bytes) *value = unit[0] >> 32;
    if (!s.word)
        *value = phase == CONCURRENT ? stadium_value_load(phase, s, at) : s.value_bytes == 8 ? unit[1] : unit[1] & 0xffffffffu;
    return PAIR_MATCH;
}

/* Writes a pair into a slot whose ticket this lane has reserved.  The value comes before the key:
 * if tickets do not tell that the pair is complete, the key does. */
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

/* Makes the key of a pair a TOMBSTONE (access=off).  False: another erase has.  No update runs
 * beside erases. */
ROOST_FN bool stadium_pair_bury(const struct shape s, unsigned char *at, roost_key key)
{
    const uint64_t unit = stadium_unit_load(CONCURRENT, s, at);
    if ((s.word ? unit_key(s, unit) : unit) != key) return false;
    if (s.word && unit_pair_bytes(s) == 4)
        return cas_relaxed_device32((uint32_t *)(void *)at, (uint32_t)unit, (uint32_t)stadium_tombstone(s)) == (uint32_t)unit;
    return cas_relaxed_device64((uint64_t *)(void *)at, unit, stadium_tombstone(s)) == unit;
}

#endif
