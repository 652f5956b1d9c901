/* Pairs copied between buckets and arrays, and operations whose items are buckets, alone on the
 * table.
 *
 * The shape is a run-time argument of such kernels: they stream, so variable widths cost
 * nothing. */
#ifndef ROOST_PORTABLE_PAIRS_H
#define ROOST_PORTABLE_PAIRS_H

#include "portable/bucket.h"

/* An item that is only its index. */
ROOST_FN void bucket_begin(const struct shape s, const void *view, const struct batch *b, uint64_t index, struct item *item)
{
    (void)s, (void)view, (void)b;
    item->index = index;
    item->status = ROOST_ITEM_NONE;
}

ROOST_FN void bucket_end(const struct shape s, const struct batch *b, const struct item *item) { (void)s, (void)b, (void)item; }

/* A pair outside its bucket; taken is false for a vacant slot. */
struct pair {
    roost_key key;
    roost_value value;
    bool taken;
};

ROOST_FN struct pair pair_load(const struct shape s, const unsigned char *bucket, int slot, bool special)
{
    const unsigned char *values = bucket + (size_t)s.slots * (size_t)s.key_bytes;
    const uint64_t unit = load_width(shape_unit_bytes(s), bucket, (uint64_t)slot);
    struct pair pair;
    pair.taken = unit != vacant_unit(s, special);
    pair.key = unit_key(s, unit);
    if (s.word || s.value_bytes == 0) pair.value = s.value_bytes ? unit >> 32 : 0;
    else pair.value = load_width(s.value_bytes, values, (uint64_t)slot);
    return pair;
}

/* The same for a slot of an ordinary bucket, beside other writers of the launch. */
ROOST_FN struct pair pair_load_beside(const struct shape s, unsigned char *bucket, int slot)
{
    const uint64_t unit = slot_load_unit(s, bucket, slot);
    struct pair pair = {unit_key(s, unit), 0, unit != vacant_unit(s, false)};
    if (s.word) pair.value = s.value_bytes ? unit >> 32 : 0;
    else if (s.value_bytes) pair.value = slot_load_value(s, bucket, slot);
    return pair;
}

/* Writes all bytes of the slot, vacant or not: no part of a bucket stays uninitialised, and lines
 * leave the cache whole. */
ROOST_FN void pair_store(const struct shape s, unsigned char *bucket, int slot, const struct pair *pair)
{
    const uint64_t unit = pair->taken ? pair_unit(s, pair->key, pair->value) : 0;
    store_width(shape_unit_bytes(s), slot_unit(s, bucket, slot), 0, unit);
    if (!s.word) store_width(s.value_bytes, slot_value(s, bucket, slot), 0, pair->value);
}

/* Reserves n places of arrays whose length is *pairs_n, and returns the first one.  One atomic does
 * it for the tiles of a warp, so that no two write the same ones. */
ROOST_FN uint64_t pairs_reserve(const tile g, uint64_t *pairs_n, uint32_t n)
{
    uint64_t place = 0;
    if (n && g.lane == 0) place = take_places_relaxed_device64(pairs_n, n);
    return tile_from64(g, place, 0);
}

/* Writes the lanes' taken pairs side by side, from a place on. */
ROOST_FN void pairs_put(const struct shape s, const tile g, void *keys, void *values, uint64_t place, uint32_t who,
                        const struct pair *pair)
{
    place += (uint64_t)bit_count32(who & ((1u << g.lane) - 1u));
    if (!pair->taken || !keys) return;
    store_width(s.key_bytes, keys, place, pair->key);
    if (s.value_bytes && values) store_width(s.value_bytes, values, place, pair->value);
}

/* Appends the lanes' taken pairs to arrays whose length is *pairs_n.  Without arrays (NULL) the
 * pairs are only counted. */
ROOST_FN void pairs_append(const struct shape s, const tile g, void *keys, void *values, uint64_t *pairs_n, const struct pair *pair)
{
    const uint32_t who = tile_ballot(g, pair->taken);
    pairs_put(s, g, keys, values, pairs_reserve(g, pairs_n, (uint32_t)bit_count32(who)), who, pair);
}

/* The same for all pairs of a bucket: they are counted first, and reserve their places together. */
ROOST_FN void pairs_append_bucket(const struct shape s, const tile g, const unsigned char *bucket, bool special, void *keys,
                                  void *values, uint64_t *pairs_n)
{
    uint32_t n = 0;
    for (int i = 0; i < s.slots; i += g.size) {
        const int slot = i + g.lane;
        const bool taken =
            slot < s.slots && load_width(shape_unit_bytes(s), bucket, (uint64_t)(unsigned)slot) != vacant_unit(s, special);
        n += (uint32_t)bit_count32(tile_ballot(g, taken));
    }
    uint64_t place = pairs_reserve(g, pairs_n, n);
    for (int i = 0; i < s.slots && keys; i += g.size) {
        struct pair pair = {0, 0, false};
        if (i + g.lane < s.slots) pair = pair_load(s, bucket, i + g.lane, special);
        const uint32_t who = tile_ballot(g, pair.taken);
        pairs_put(s, g, keys, values, place, who, &pair);
        place += (uint64_t)bit_count32(who);
    }
}

#endif
