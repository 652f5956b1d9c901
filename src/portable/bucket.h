/* Buckets: `slots` pairs at one address, read by a tile in 16-byte vectors and kept in its
 * registers.
 *
 *   word layout    a pair is one word, key in the low half:      | k v | k v | k v | ...
 *                  (4+4: 8 bytes; sets: the key alone), published by one compare-and-swap
 *   apart layout   keys, then values:                            | k k k ... | v v v ... |
 *                  (8+8, 8+4, 4+8, and 4+4 on request), published under the bucket's lock
 *
 * A unit is the part of a slot that a tile reads to decide about it: the word, or the key.  All
 * loads are issued before the first comparison (GPH's Bucket Requester). */
#ifndef ROOST_PORTABLE_BUCKET_H
#define ROOST_PORTABLE_BUCKET_H

#include "portable/bits.h"
#include "portable/value.h"

#if defined(ROOST_MACHINE_HOST) && (defined(__AVX512F__) || defined(__AVX2__))
#include <immintrin.h>
#endif

/* Widths and slots of a table's buckets; constants in every stamped kernel. */
struct shape {
    int key_bytes;   /* 4, 8 */
    int value_bytes; /* 0, 4, 8 */
    int slots;       /* 4, 8, 16, 32 */
    int word;        /* 1: word layout */
    /* Buckets in which a key may live: 2; or MAX_HOMES, and the view holds the number. */
    int homes;
};

enum { MAX_SLOTS = 32 };

ROOST_FN int shape_unit_bytes(const struct shape s) { return s.word ? s.key_bytes + s.value_bytes : s.key_bytes; }
ROOST_FN size_t shape_bucket_bytes(const struct shape s) { return (size_t)s.slots * (size_t)(s.key_bytes + s.value_bytes); }

/* A lane's part of a bucket, in units; tile_vector says which vectors they come from. */
struct bucket_share {
    uint64_t unit[MAX_SLOTS];
    bool adjacent;
};

/* Units in a vector. */
ROOST_FN int share_words(const struct shape s) { return 16 / shape_unit_bytes(s); }
/* Vectors in a bucket. */
ROOST_FN int share_vectors(const struct shape s) { return s.slots * shape_unit_bytes(s) / 16; }
/* Loads that a lane issues. */
ROOST_FN int share_rounds(const struct shape s, const tile g) { return (share_vectors(s) + g.size - 1) / g.size; }
ROOST_FN int share_units(const struct shape s, const tile g) { return share_rounds(s, g) * share_words(s); }

/* The slot of this lane's i-th unit; at least s.slots where the lane has no such vector. */
ROOST_FN int share_slot(const struct shape s, const tile g, const struct bucket_share *share, int i)
{
    const int words = share_words(s);
    return tile_vector(g, share->adjacent, share_rounds(s, g), i / words) * words + i % words;
}

/* The lane that loads a slot's unit in a CONCURRENT phase. */
ROOST_FN int share_lane(const struct shape s, const tile g, int slot) { return slot / share_words(s) % g.size; }

ROOST_FN uint64_t unit_key(const struct shape s, uint64_t unit) { return s.key_bytes == 4 ? unit & 0xffffffffu : unit; }

/* The unit of a pair. */
ROOST_FN uint64_t pair_unit(const struct shape s, roost_key key, roost_value value)
{
    return s.word && s.value_bytes ? key | value << 32 : key;
}

/* Vacant slots hold the key 0 (and, in the word layout, the value 0).  The key 0 itself lives in a
 * bucket of its own, where the vacant pattern is all ones.  So no key is reserved, and all
 * operations are the same there except for this pattern. */
ROOST_FN uint64_t vacant_unit(const struct shape s, bool special)
{
    if (!special) return 0;
    return shape_unit_bytes(s) == 8 ? ~0ULL : 0xffffffffULL;
}

ROOST_FN struct bucket_share bucket_load(const int phase, const struct shape s, const tile g, const unsigned char *bucket)
{
    struct bucket_share share;
    const int words = share_words(s);
    share.adjacent = loads_adjacent(phase);
    ROOST_UNROLL
    for (int r = 0; r < 32; r++) {
        if (r >= share_rounds(s, g)) break;
        const int vector = tile_vector(g, share.adjacent, share_rounds(s, g), r);
        if (vector >= share_vectors(s)) continue;
        if (words == 2) load_vector64(phase, (const uint64_t *)bucket + vector * 2, &share.unit[r * 2]);
        else load_vector32(phase, (const uint32_t *)bucket + vector * 4, &share.unit[r * 4]);
    }
    return share;
}

/* This lane's slot that holds the key, or -1.  *seen: the unit of that slot. */
ROOST_FN int share_match(const struct shape s, const tile g, const struct bucket_share *share, roost_key key, uint64_t *seen)
{
    int slot = -1;
    *seen = 0;
    ROOST_UNROLL
    for (int i = 0; i < MAX_SLOTS; i++) {
        if (i >= share_units(s, g)) break;
        if (share_slot(s, g, share, i) < s.slots && unit_key(s, share->unit[i]) == key)
            slot = share_slot(s, g, share, i), *seen = share->unit[i];
    }
    return slot;
}

/* The slot that holds the key, or -1; the same on every lane. */
ROOST_FN int bucket_match(const struct shape s, const tile g, const struct bucket_share *share, roost_key key)
{
    uint64_t seen;
    const int slot = share_match(s, g, share, key, &seen);
    const uint32_t who = tile_ballot(g, slot >= 0);
    return who ? (int)tile_from32(g, (uint32_t)slot, bit_lowest32(who)) : -1;
}

/* The lowest vacant slot of a bucket loaded in a CONCURRENT phase, or -1; the same on every
 * lane. */
ROOST_FN int bucket_vacancy(const struct shape s, const tile g, const struct bucket_share *share, uint64_t vacant)
{
    const int words = share_words(s);
    ROOST_UNROLL
    for (int r = 0; r < 32; r++) {
        if (r >= share_rounds(s, g)) break;
        int slot = -1;
        ROOST_UNROLL
        for (int w = 3; w >= 0; w--) {
            if (w >= words) continue;
            const int i = r * words + w;
            if (share_slot(s, g, share, i) < s.slots && share->unit[i] == vacant) slot = share_slot(s, g, share, i);
        }
        /* Adjacent lanes hold adjacent vectors: the lowest lane has the lowest slot. */
        const uint32_t who = tile_ballot(g, slot >= 0);
        if (who) return (int)tile_from32(g, (uint32_t)slot, bit_lowest32(who));
    }
    return -1;
}

/* Result of one look into a bucket: the key's slot or, if the key is absent, the lowest vacant
 * slot; -1 for none.  The same on every lane. */
struct seek {
    int match, vacancy;
};

ROOST_FN struct seek bucket_seek(const struct shape s, const tile g, const struct bucket_share *share, roost_key key,
                                 uint64_t vacant)
{
    /* A match counts from 0, a vacancy from MAX_SLOTS: the smallest number is the result. */
    uint32_t best = 3 * MAX_SLOTS;
    ROOST_UNROLL
    for (int i = MAX_SLOTS - 1; i >= 0; i--) {
        if (i >= share_units(s, g) || share_slot(s, g, share, i) >= s.slots) continue;
        if (share->unit[i] == vacant && best >= MAX_SLOTS) best = MAX_SLOTS + (uint32_t)share_slot(s, g, share, i);
        if (unit_key(s, share->unit[i]) == key) best = (uint32_t)share_slot(s, g, share, i);
    }
    best = tile_min32(g, best);
    const struct seek seek = {best < MAX_SLOTS ? (int)best : -1,
                              best >= MAX_SLOTS && best < 2 * MAX_SLOTS ? (int)best - MAX_SLOTS : -1};
    return seek;
}

/* The same for a bucket in memory, beside writers, by wide compares.  For builds that have them,
 * and pairs of one 8-byte word with 4-byte keys.  Each 16-byte part is loaded at once (both makers
 * of processors with AVX promise that), so no word is torn. */
#if defined(ROOST_MACHINE_HOST) && defined(__AVX2__) && !ROOST_THREAD_SANITIZER
ROOST_FN bool seeks_wide(const struct shape s) { return s.word && s.key_bytes == 4 && s.value_bytes == 4 && s.slots % 8 == 0; }

ROOST_FN struct seek bucket_seek_wide(const struct shape s, const unsigned char *bucket, roost_key key, uint64_t vacant)
{
    const volatile __m128i *part = (const volatile __m128i *)(const volatile void *)bucket;
    const __m256i want = _mm256_set1_epi32((int)key), free = _mm256_set1_epi64x((long long)vacant);
    uint32_t matches = 0, vacancies = 0;
    ROOST_UNROLL
    for (int i = 0; i < s.slots; i += 4) {
        const __m128i low = part[i / 2], high = part[i / 2 + 1];
        const __m256i have = _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
        const int keys = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(have, want)));
        const int words = _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(have, free)));
        matches |= _pext_u32((uint32_t)keys, 0x55u) << i;
        vacancies |= (uint32_t)words << i;
    }
    const struct seek seek = {bit_lowest32(matches), matches ? -1 : bit_lowest32(vacancies)};
    return seek;
}
#else
ROOST_FN bool seeks_wide(const struct shape s)
{
    (void)s;
    return false;
}

ROOST_FN struct seek bucket_seek_wide(const struct shape s, const unsigned char *bucket, roost_key key, uint64_t vacant)
{
    const struct seek none = {-1, -1};
    (void)s, (void)bucket, (void)key, (void)vacant;
    return none;
}
#endif

/* A tile looks into a bucket in memory: by wide compares where they serve, else by a load. */
ROOST_FN struct seek bucket_seek_at(const int phase, const struct shape s, const tile g, const unsigned char *bucket, roost_key key,
                                    uint64_t vacant)
{
    if (seeks_wide(s)) return bucket_seek_wide(s, bucket, key, vacant);
    const struct bucket_share share = bucket_load(phase, s, g, bucket);
    return bucket_seek(s, g, &share, key, vacant);
}

/* Is any slot vacant?  For ordinary buckets; cheaper than finding the slot. */
ROOST_FN bool bucket_has_vacancy(const struct shape s, const tile g, const struct bucket_share *share)
{
    bool vacant = false;
    ROOST_UNROLL
    for (int i = 0; i < MAX_SLOTS; i++) {
        if (i >= share_units(s, g)) break;
        vacant |= share_slot(s, g, share, i) < s.slots && share->unit[i] == 0;
    }
    return tile_any(g, vacant);
}

/* ---- Single slots --------------------------------------------------------------------------- */

ROOST_FN void *slot_unit(const struct shape s, unsigned char *bucket, int slot)
{
    return bucket + (size_t)slot * (size_t)shape_unit_bytes(s);
}

ROOST_FN void *slot_value(const struct shape s, unsigned char *bucket, int slot)
{
    return bucket + (size_t)s.slots * (size_t)s.key_bytes + (size_t)slot * (size_t)s.value_bytes;
}

ROOST_FN struct cell slot_cell(const struct shape s, unsigned char *bucket, int slot)
{
    struct cell c;
    c.bits = s.value_bytes * 8;
    c.word = s.word ? slot_unit(s, bucket, slot) : slot_value(s, bucket, slot);
    c.word_bytes = s.word ? shape_unit_bytes(s) : s.value_bytes;
    c.shift = s.word && s.value_bytes ? 32 : 0;
    return c;
}

ROOST_FN uint64_t slot_load_unit(const struct shape s, unsigned char *bucket, int slot)
{
    void *p = slot_unit(s, bucket, slot);
    return shape_unit_bytes(s) == 8 ? load_relaxed_device64((uint64_t *)p) : load_relaxed_device32((uint32_t *)p);
}

ROOST_FN void slot_store_unit(const struct shape s, unsigned char *bucket, int slot, uint64_t unit)
{
    void *p = slot_unit(s, bucket, slot);
    if (shape_unit_bytes(s) == 8) store_relaxed_device64((uint64_t *)p, unit);
    else store_relaxed_device32((uint32_t *)p, (uint32_t)unit);
}

ROOST_FN uint64_t slot_cas_unit(const struct shape s, unsigned char *bucket, int slot, uint64_t expected, uint64_t desired)
{
    void *p = slot_unit(s, bucket, slot);
    if (shape_unit_bytes(s) == 8) return cas_relaxed_device64((uint64_t *)p, expected, desired);
    return cas_relaxed_device32((uint32_t *)p, (uint32_t)expected, (uint32_t)desired);
}

ROOST_FN uint64_t slot_load_value(const struct shape s, unsigned char *bucket, int slot)
{
    void *p = slot_value(s, bucket, slot);
    return s.value_bytes == 8 ? load_relaxed_device64((uint64_t *)p) : load_relaxed_device32((uint32_t *)p);
}

/* For values that lie apart; does nothing in the word layout. */
ROOST_FN void slot_store_value(const struct shape s, unsigned char *bucket, int slot, roost_value value)
{
    void *v = slot_value(s, bucket, slot);
    if (!s.word && s.value_bytes == 8) store_relaxed_device64((uint64_t *)v, value);
    if (!s.word && s.value_bytes == 4) store_relaxed_device32((uint32_t *)v, (uint32_t)value);
}

/* Clears the slot that holds the key.  The compare-and-swap lets exactly one of several erasers of
 * a key report it: with a plain store all of them would. */
ROOST_FN bool slot_erase(const struct shape s, const tile g, unsigned char *bucket, int slot, roost_key key, uint64_t vacant)
{
    bool mine = false;
    if (g.lane == 0) {
        const uint64_t unit = slot_load_unit(s, bucket, slot);
        mine = unit_key(s, unit) == key && unit != vacant && slot_cas_unit(s, bucket, slot, unit, vacant) == unit;
    }
    return tile_any(g, mine);
}

/* Stores a pair into a vacant slot that no other lane may fill: the caller holds its lock, or the
 * table is not shared.  In the apart layout, a lane that matches the key without the lock may not
 * touch the value before the lock is free again (dycuckoo_items.h, insert_update). */
ROOST_FN void slot_publish(const struct shape s, unsigned char *bucket, int slot, roost_key key, roost_value value)
{
    slot_store_value(s, bucket, slot, value);
    slot_store_unit(s, bucket, slot, pair_unit(s, key, value));
}

/* ---- Finds ---------------------------------------------------------------------------------- */

#if defined(ROOST_MACHINE_HOST)
/* One bit for every slot whose key matches, for loops without a writer beside them.  Uses wide
 * compares where this build has them (the backend chooses among builds at run time). */
ROOST_FN uint32_t bucket_mask(const struct shape s, const unsigned char *bucket, roost_key key)
{
    const int unit = shape_unit_bytes(s);
    uint32_t mask = 0;
#if defined(__AVX512F__)
    if (s.slots * unit % 64 == 0 && unit == 8) {
        const __m512i want = s.key_bytes == 4 ? _mm512_set1_epi32((int)key) : _mm512_set1_epi64((long long)key);
        for (int i = 0; i < s.slots; i += 8) {
            const __m512i have = _mm512_loadu_si512((const void *)(bucket + i * 8));
            if (s.key_bytes == 4) mask |= _pext_u32(_mm512_cmpeq_epi32_mask(have, want), 0x5555u) << i;
            else mask |= (uint32_t)_mm512_cmpeq_epi64_mask(have, want) << i;
        }
        return mask;
    }
#endif
#if defined(__AVX2__)
    if (s.slots * unit % 32 == 0) {
        const __m256i want = s.key_bytes == 4 ? _mm256_set1_epi32((int)key) : _mm256_set1_epi64x((long long)key);
        const int per = 32 / unit;
        for (int i = 0; i < s.slots; i += per) {
            const __m256i have = _mm256_loadu_si256((const __m256i *)(const void *)(bucket + i * unit));
            uint32_t bits;
            if (s.key_bytes == 8) bits = (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(have, want)));
            else bits = (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(have, want)));
            if (unit == 8 && s.key_bytes == 4) bits = _pext_u32(bits, 0x55u);
            mask |= bits << i;
        }
        return mask;
    }
#endif
    for (int i = 0; i < s.slots; i++) {
        const uint64_t x = unit == 8 ? ((const uint64_t *)(const void *)bucket)[i] : ((const uint32_t *)(const void *)bucket)[i];
        mask |= (uint32_t)(unit_key(s, x) == key) << i;
    }
    return mask;
}
#endif

/* Result of a look into one bucket, with no writer beside it. */
enum look { LOOK_FOUND, LOOK_FULL, LOOK_VACANCY };

ROOST_FN uint64_t slot_value_seen(const struct shape s, unsigned char *bucket, int slot, uint64_t unit)
{
    return s.word ? unit >> 32 : load_width(s.value_bytes, slot_value(s, bucket, slot), 0);
}

/* Looks for the key in a bucket that was loaded in a phase without writers: at most one lane has
 * it.  If the key is absent, looks for a vacancy only if `stops`; without it the answer is FULL. */
ROOST_FN enum look bucket_look(const struct shape s, const tile g, unsigned char *bucket, const struct bucket_share *share,
                               roost_key key, bool stops, roost_value *value)
{
    uint64_t unit = 0;
    const int slot = share_match(s, g, share, key, &unit);
    const uint64_t mine = s.value_bytes && slot >= 0 ? slot_value_seen(s, bucket, slot, unit) : 0;
    const uint32_t who = g.size == 2 ? (uint32_t)tile_any(g, slot >= 0) : tile_ballot(g, slot >= 0);
    /* The other lane's value is 0, or this lane's is: no need to ask whose it is, and no branch. */
    if (g.size == 2) {
        if (s.value_bytes == 8) *value = mine | tile_from64(g, mine, g.lane ^ 1);
        if (s.value_bytes == 4) *value = mine | tile_from32(g, (uint32_t)mine, g.lane ^ 1);
    }
    if (!who) return stops && bucket_has_vacancy(s, g, share) ? LOOK_VACANCY : LOOK_FULL;
    if (g.size != 2 && s.value_bytes == 8) *value = tile_from64(g, mine, bit_lowest32(who));
    if (g.size != 2 && s.value_bytes == 4) *value = tile_from32(g, (uint32_t)mine, bit_lowest32(who));
    return LOOK_FOUND;
}

/* The same for a bucket in memory, in a phase without writers. */
ROOST_FN enum look bucket_find(const int phase, const struct shape s, const tile g, unsigned char *bucket, roost_key key,
                               bool stops, roost_value *value)
{
#if defined(ROOST_MACHINE_HOST)
    (void)phase, (void)g;
    const int slot = bit_lowest32(bucket_mask(s, bucket, key));
    if (slot < 0) return stops && bucket_mask(s, bucket, 0) ? LOOK_VACANCY : LOOK_FULL;
    if (s.value_bytes) *value = slot_value_seen(s, bucket, slot, s.word ? *(const uint64_t *)slot_unit(s, bucket, slot) : 0);
    return LOOK_FOUND;
#else
    const struct bucket_share share = bucket_load(phase, s, g, bucket);
    return bucket_look(s, g, bucket, &share, key, stops, value);
#endif
}

/* The same without the Bucket Requester, to measure its effect.  Each lane reads one slot and looks
 * at it before it loads the next one.  The requester loads vectors of 16 bytes that are all in
 * flight together (GPH, section 5.2, Figure 7(a)).  Never PASSING: L1 keeps the sector for the slot
 * that is read next. */
ROOST_FN enum look bucket_find_slots(const struct shape s, const tile g, unsigned char *bucket, roost_key key, bool stops,
                                     roost_value *value)
{
    bool vacancy = false;
    for (int first = 0; first < s.slots; first += g.size) {
        const int slot = first + g.lane;
        const bool mine = slot < s.slots;
        const uint64_t unit = mine ? load_width(shape_unit_bytes(s), slot_unit(s, bucket, slot), 0) : 0;
        const uint32_t who = tile_ballot(g, mine && unit_key(s, unit) == key);
        if (who) {
            const uint64_t seen = s.value_bytes && mine ? slot_value_seen(s, bucket, slot, unit) : 0;
            if (s.value_bytes == 8) *value = tile_from64(g, seen, bit_lowest32(who));
            if (s.value_bytes == 4) *value = tile_from32(g, (uint32_t)seen, bit_lowest32(who));
            return LOOK_FOUND;
        }
        vacancy = vacancy || (stops && tile_any(g, mine && unit == vacant_unit(s, false)));
    }
    return vacancy ? LOOK_VACANCY : LOOK_FULL;
}

#endif
