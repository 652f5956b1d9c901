/* compact's check of its lettered invariants (compact.h), in the dialect: of a bucket or of an
 * entry of the stash.  Nothing else runs beside it. */
#ifndef ROOST_COMPACT_VERIFY_H
#define ROOST_COMPACT_VERIFY_H

#include "engines/compact/compact_build.h"

/* Slots of a home with its tag in any state. */
ROOST_FN int compact_occurrences(const struct shape s, const struct compact_view *v, const struct compact_home *home)
{
    int n = 0;
    for (int slot = 0; slot < s.slots; slot++)
        n += compact_tags_equal(compact_tag_load(s, compact_slot_at(s, v, home->bucket, slot)), home->tag);
    return n;
}

/* The entry of the stash that a search finds for this hash; else COMPACT_NOWHERE or _UNSURE. */
ROOST_FN uint32_t compact_stash_match(const struct compact_view *v, uint64_t hash)
{
    return compact_stash_search(v, hash, COMPACT_NO_EPOCH).match;
}

ROOST_FN bool compact_has_bit(const struct shape s, const struct compact_view *v, const struct compact_home *first, uint64_t hash)
{
    return (load_relaxed_device32(compact_filter(s, v, first->bucket)) & compact_filter_bit(hash)) != 0;
}

/* Invariants A, B and G for the key of a slot. */
ROOST_FN enum compact_fault compact_verify_tag(const struct shape s, const struct compact_view *v, uint32_t bucket,
                                               const struct compact_tag tag)
{
    const bool second = compact_is_second(s, tag);
    const uint64_t hash = compact_hash_of(s, v, bucket, tag);
    const struct compact_home first = compact_home_at(s, v, hash, 0), other = compact_home_at(s, v, hash, 1);
    const struct compact_home own = second ? other : first;
    if (own.bucket != bucket || !compact_tags_equal(own.tag, tag)) return COMPACT_OUTSIDE;
    if (compact_occurrences(s, v, &first) + compact_occurrences(s, v, &other) != 1) return COMPACT_TWICE;
    if (compact_stash_match(v, hash) < COMPACT_UNSURE) return COMPACT_TWICE;
    return second && !compact_has_bit(s, v, &first, hash) ? COMPACT_UNFILTERED : COMPACT_SOUND;
}

/* Invariant E, and the others for the key; *keys counts it. */
ROOST_FN enum compact_fault compact_verify_slot(const struct shape s, const struct compact_view *v, uint32_t bucket, int slot,
                                                uint64_t *keys)
{
    const struct compact_slot at = compact_slot_at(s, v, bucket, slot);
    const struct compact_field field = compact_state_field(s, at.i);
    const struct compact_tag tag = compact_tag_load(s, at);
    const uint32_t code = compact_get(field, compact_word(at, field)), state = compact_high_bits(s) ? code & 3u : code - tag.low;
    if (tag.low < COMPACT_TAKEN) return compact_high_bits(s) && state != COMPACT_INCOMPLETE ? COMPACT_LEFT : COMPACT_SOUND;
    if (state != COMPACT_FRESH && state != COMPACT_SETTLED) return COMPACT_UNENDED;
    ++*keys;
    return compact_verify_tag(s, v, bucket, tag);
}

/* Invariants D, E, A, B and G of a bucket. */
ROOST_FN enum compact_fault compact_verify_bucket(const struct shape s, const struct compact_view *v, uint32_t bucket,
                                                  uint64_t *keys)
{
    enum compact_fault fault = COMPACT_SOUND;
    if (load_relaxed_device32(compact_lock(s, v, bucket)) >> COMPACT_SPARE_SHIFT & 1u) return COMPACT_LOCKED;
    for (int slot = 0; slot < s.slots && fault == COMPACT_SOUND; slot++) fault = compact_verify_slot(s, v, bucket, slot, keys);
    return fault;
}

/* Invariants E, H, B and G of entry i of the stash. */
ROOST_FN enum compact_fault compact_verify_entry(const struct shape s, const struct compact_view *v, uint32_t i, uint64_t *keys)
{
    const struct compact_entry *const e = v->stash + i;
    if (e->state > COMPACT_STASHED || e->state == COMPACT_TAKEN) return COMPACT_ENTRY_UNENDED;
    if (e->state != COMPACT_STASHED) return COMPACT_SOUND;
    const struct compact_home first = compact_home_at(s, v, e->hash, 0), second = compact_home_at(s, v, e->hash, 1);
    const uint32_t match = compact_stash_match(v, e->hash);
    if (compact_occurrences(s, v, &first) + compact_occurrences(s, v, &second)) return COMPACT_ENTRY_TWICE;
    if (match < COMPACT_UNSURE && match != i) return COMPACT_ENTRY_TWICE;
    if (!compact_has_bit(s, v, &first, e->hash)) return COMPACT_ENTRY_UNFILTERED;
    if (!v->marks->stashed) return COMPACT_UNMARKED;
    if (match != i) return COMPACT_UNREACHED;
    ++*keys;
    return COMPACT_SOUND;
}

/* Verifies unit `number`, a bucket or an entry behind them, and returns how many keys it has.  Of
 * several faults one is reported: stores that meet leave any of them. */
ROOST_FN uint64_t compact_verify(const struct shape s, const struct compact_view *v, uint64_t number)
{
    const bool in_bucket = number < v->range.buckets;
    const uint32_t at = (uint32_t)(in_bucket ? number : number - v->range.buckets);
    uint64_t keys = 0;
    const enum compact_fault fault = in_bucket ? compact_verify_bucket(s, v, at, &keys) : compact_verify_entry(s, v, at, &keys);
    if (fault != COMPACT_SOUND && !load_relaxed_device64(&v->marks->fault))
        store_relaxed_device64(&v->marks->fault, (uint64_t)at << 8 | (unsigned)fault);
    return keys;
}

#endif
