/* compact's buckets: where a half has its values, tags and spare bits, how a tile loads them and
 * looks for a key, and how a slot is claimed, completed and freed.  compact.h draws them. */
#ifndef ROOST_COMPACT_BUCKET_H
#define ROOST_COMPACT_BUCKET_H

#include "engines/compact/compact_shapes.h"

/* ---- Places ---------------------------------------------------------------------------------- */

/* Some bits of a word of a half. */
struct compact_field {
    int word, shift;
    uint32_t mask;
};

/* Slots of half 0; half 1 may have one less. */
ROOST_FN int compact_half_slots(const struct shape s) { return (s.slots + 1) / 2; }
/* Is there a place i in a half? */
ROOST_FN bool compact_has_place(const struct shape s, int half, int i)
{
    return i < compact_half_slots(s) && !((s.slots & 1) && half * compact_half_slots(s) + i >= s.slots);
}
/* The word behind the values. */
ROOST_FN int compact_lows_at(const struct shape s) { return compact_half_slots(s) * s.value_bytes / 4; }

/* Number i of fields of `bits` (8, 16 or 32), from a word on.  By shifts: where the shape is known
 * at run time only, a division would cost as much as a read of the bucket. */
ROOST_FN struct compact_field compact_field_of(int at, const int bits, int i)
{
    const int log = bits == 32 ? 0 : bits == 16 ? 1 : 2;
    const struct compact_field f = {at + (i >> log), (i & ((1 << log) - 1)) * bits, bits == 32 ? ~0u : (1u << (bits & 31)) - 1u};
    return f;
}
ROOST_FN struct compact_field compact_low_field(const struct shape s, int i)
{
    return compact_field_of(compact_lows_at(s), compact_low_bits(s), i);
}
ROOST_FN struct compact_field compact_high_field(const struct shape s, int i)
{
    return compact_field_of(compact_lows_at(s) + compact_half_slots(s), compact_high_bits(s), i);
}
/* The field that has a slot's state. */
ROOST_FN struct compact_field compact_state_field(const struct shape s, int i)
{
    return compact_high_bits(s) ? compact_high_field(s, i) : compact_low_field(s, i);
}

ROOST_FN uint32_t compact_get(const struct compact_field f, uint32_t word) { return word >> f.shift & f.mask; }
ROOST_FN uint32_t compact_with(const struct compact_field f, uint32_t word, uint32_t x)
{
    return (word & ~(f.mask << f.shift)) | x << f.shift;
}

ROOST_FN uint32_t *compact_half(const struct compact_view *v, uint32_t bucket, int half)
{
    return (uint32_t *)(void *)(v->buckets + (uint64_t)bucket * COMPACT_BYTES) + half * COMPACT_WORDS;
}

/* With an odd number of slots, half 1 has the words of one more, whose value nobody uses: there are
 * the spare bits of both, and else they are in the last word of each half. */
ROOST_FN int compact_filter_half(const struct shape s) { return s.slots & 1; }
ROOST_FN uint32_t *compact_filter(const struct shape s, const struct compact_view *v, uint32_t bucket)
{
    return compact_half(v, bucket, compact_filter_half(s)) + COMPACT_WORDS - 1;
}
/* Bit COMPACT_SPARE_SHIFT of this word is the lock. */
ROOST_FN uint32_t *compact_lock(const struct shape s, const struct compact_view *v, uint32_t bucket)
{
    return compact_half(v, bucket, 1) + (s.slots & 1 ? compact_low_field(s, 1).word : COMPACT_WORDS - 1);
}

/* The bit of a key in the filter of its first home, by bits of its hash that say little of the
 * bucket. */
ROOST_FN uint32_t compact_filter_bit(uint64_t hash) { return 1u << (COMPACT_SPARE_SHIFT + ((uint32_t)hash * 0x85ebca6bu >> 28)); }
/* Returns what the word was. */
ROOST_FN uint32_t compact_filter_set(const struct shape s, const struct compact_view *v, uint32_t bucket, uint32_t bit)
{
    uint32_t *const word = compact_filter(s, v, bucket);
    uint32_t seen = load_relaxed_device32(word);
    /* An or: with a load and a store, a key whose bit another lane sets meanwhile would be lost.
     * The load before spares most of them. */
    if (!(seen & bit)) seen = or_relaxed_device32(word, bit);
    return seen;
}

/* ---- Tags and homes -------------------------------------------------------------------------- */

/* A tag whose state is INCOMPLETE. */
struct compact_tag {
    uint32_t low, high;
};

ROOST_FN struct compact_tag compact_tag_none(void)
{
    const struct compact_tag none = {COMPACT_VACANT, 0};
    return none;
}

ROOST_FN bool compact_tags_equal(const struct compact_tag a, const struct compact_tag b)
{
    return a.low == b.low && a.high == b.high;
}

ROOST_FN struct compact_tag compact_tag_of(const struct shape s, uint64_t remainder, int home)
{
    const uint64_t t = remainder << 1 | (unsigned)home;
    struct compact_tag tag = {COMPACT_TAKEN + COMPACT_STATES * (uint32_t)t, 0};
    if (!compact_high_bits(s)) return tag;
    tag.low = COMPACT_TAKEN + ((uint32_t)t & 0x7fffffffu);
    tag.high = (uint32_t)(t >> 31) << 2;
    return tag;
}

/* T, whatever the state. */
ROOST_FN uint64_t compact_tag_number(const struct shape s, const struct compact_tag tag)
{
    if (!compact_high_bits(s)) return (tag.low - COMPACT_TAKEN) / COMPACT_STATES;
    return (uint64_t)(tag.high >> 2) << 31 | (tag.low - COMPACT_TAKEN);
}

struct compact_home {
    uint32_t bucket;
    struct compact_tag tag;
};

ROOST_FN int compact_bits(const struct shape s) { return 8 * s.key_bytes; }

/* A home, from its own hash. */
ROOST_FN struct compact_home compact_home_of(const struct shape s, const struct compact_view *v, uint64_t hash, int home)
{
    const struct compact_place p = compact_place_of(compact_bits(s), &v->range, hash);
    const struct compact_home h = {p.bucket, compact_tag_of(s, p.remainder, home)};
    return h;
}
/* From the first hash. */
ROOST_FN struct compact_home compact_home_at(const struct shape s, const struct compact_view *v, uint64_t hash, int home)
{
    return compact_home_of(s, v, home ? compact_second(compact_bits(s), hash) : hash, home);
}

/* The first hash of a stored key, from the first one of its bucket's hashes. */
ROOST_FN uint64_t compact_hash_from(const struct shape s, uint64_t bucket_first, const struct compact_tag tag)
{
    const uint64_t t = compact_tag_number(s, tag), hash = bucket_first + (t >> 1);
    return t & 1 ? compact_first(compact_bits(s), hash) : hash;
}
ROOST_FN uint64_t compact_hash_of(const struct shape s, const struct compact_view *v, uint32_t bucket, const struct compact_tag tag)
{
    return compact_hash_from(s, compact_first_hash(compact_bits(s), &v->range, bucket), tag);
}

/* ---- Loads ----------------------------------------------------------------------------------- */

/* A lane's part of a bucket: one half, or both of a tile of one lane.  Bits of 32 in each word. */
struct compact_share {
    uint64_t word[COMPACT_HALVES][COMPACT_WORDS];
};

ROOST_FN struct compact_share compact_share_none(void)
{
    struct compact_share none = {{{0}}};
    return none;
}

/* The half of a round, on this lane; the lane that has a half. */
ROOST_FN int compact_rounds(const tile g) { return COMPACT_HALVES / g.size; }
ROOST_FN int compact_half_of(const tile g, int round) { return g.size == 1 ? round : g.lane; }
ROOST_FN int compact_lane_of(const tile g, int half) { return g.size == 1 ? 0 : half; }

/* Loads a vector of a half: each word at the width at which it is written. */
ROOST_FN void compact_vector_load(const int phase, const struct shape s, const uint32_t *half, const int at, uint64_t *words)
{
    /* words from here on that are of 8-byte values */
    const int wide = s.value_bytes == 8 ? compact_lows_at(s) - at : 0;
    if (phase != CONCURRENT || wide <= 0) {
        load_vector32(phase, half + at, words + at);
        return;
    }
    uint64_t pair[2] = {0, 0};
    if (wide >= 4) load_vector64(phase, (const uint64_t *)(const void *)(half + at), pair);
    else pair[0] = load_relaxed_device64((const uint64_t *)(const void *)(half + at));
    words[at] = (uint32_t)pair[0], words[at + 1] = pair[0] >> 32;
    if (wide < 4) pair[1] = load_relaxed_device32(half + at + 2) | (uint64_t)load_relaxed_device32(half + at + 3) << 32;
    words[at + 2] = (uint32_t)pair[1], words[at + 3] = pair[1] >> 32;
}

/* Loads a bucket: all of it, or the vectors with tags alone. */
ROOST_FN void compact_load(const int phase, const struct shape s, const tile g, const struct compact_view *v, uint32_t bucket,
                           const bool values, struct compact_share *share)
{
    const int first = values ? 0 : compact_lows_at(s) / 4 * 4;
    ROOST_UNROLL
    for (int round = 0; round < COMPACT_HALVES; round++) {
        if (round >= compact_rounds(g)) break;
        const uint32_t *const half = compact_half(v, bucket, compact_half_of(g, round));
        ROOST_UNROLL
        for (int at = 0; at < COMPACT_WORDS; at += 4)
            if (at >= first) compact_vector_load(phase, s, half, at, share->word[round]);
    }
}

/* ---- Looks ----------------------------------------------------------------------------------- */

/* What a tile sees in a bucket; -1: none.  Where registers hold a bucket, they have no index: so a
 * look also keeps what its user needs of the slot, on the lane that has loaded it (the actor). */
struct compact_look {
    int match, vacancy;
    bool filtered;  /* the filter has the key's bit */
    bool waits;     /* the match is not complete */
    uint32_t seen;  /* the word of the match's state, or of the vacancy's low part */
    uint64_t value; /* of the match */
};

/* What a look is for: constants in each kernel. */
struct compact_aim {
    int phase;
    bool vacancy, value;
};

/* What a look looks for.  The key's own order of slots begins with slot `start`: keys that come to
 * a bucket at the same time want different slots. */
struct compact_wish {
    struct compact_tag tag;
    uint32_t bit, epoch;
    int start;
    bool inserts; /* else a slot that is not complete is no match */
};

ROOST_FN int compact_start(const struct shape s, uint64_t hash)
{
    return (int)range32((uint32_t)hash * 0x9e3779b1u, (uint32_t)s.slots);
}

ROOST_FN bool compact_is_open(uint32_t low, uint32_t epoch) { return low < COMPACT_TAKEN && low != COMPACT_DEAD_0 + epoch; }

/* Slots as bits, from bit 0 on: complete with the wish's tag; with that tag, but not complete;
 * open.  The last two are known where inserts may look.  To others a slot that is not complete is
 * as one without a key: of a wide tag it may be another key's, while this one is in its second
 * home. */
struct compact_sight {
    uint32_t complete, later, open;
};

/* Is a place complete with this tag? */
ROOST_FN bool compact_is_complete(const struct shape s, const uint64_t *words, int i, const struct compact_tag tag)
{
    const struct compact_field low = compact_low_field(s, i), state = compact_state_field(s, i);
    const uint32_t x = compact_get(state, (uint32_t)words[state.word]) - (compact_high_bits(s) ? tag.high : tag.low);
    if (compact_high_bits(s) && compact_get(low, (uint32_t)words[low.word]) != tag.low) return false;
    return x - COMPACT_FRESH < COMPACT_STATES - COMPACT_FRESH;
}

/* Is a place taken for this tag, but not complete? */
ROOST_FN bool compact_is_later(const struct shape s, const uint64_t *words, int i, const struct compact_tag tag)
{
    const struct compact_field low = compact_low_field(s, i), state = compact_state_field(s, i);
    if (compact_get(low, (uint32_t)words[low.word]) != tag.low) return false;
    return !compact_high_bits(s) || (compact_get(state, (uint32_t)words[state.word]) & 3u) == COMPACT_INCOMPLETE;
}

ROOST_FN struct compact_sight compact_sight_each(const struct shape s, const bool vacancy, const uint64_t *words, int half,
                                                 const struct compact_wish *wish)
{
    struct compact_sight m = {0, 0, 0};
    ROOST_UNROLL
    for (int i = 0; i < 16; i++) {
        const struct compact_field low = compact_low_field(s, i);
        if (!compact_has_place(s, half, i)) break;
        m.complete |= (uint32_t)compact_is_complete(s, words, i, wish->tag) << i;
        if (!vacancy) continue;
        m.later |= (uint32_t)compact_is_later(s, words, i, wish->tag) << i;
        m.open |= (uint32_t)compact_is_open(compact_get(low, (uint32_t)words[low.word]), wish->epoch) << i;
    }
    return m;
}

/* Numbers of two bits, those of slots 2k at bit 2k and of slots 2k + 1 at bit 2k + 16: the slots
 * whose number has both bits; and whose bits are not equal. */
ROOST_FN uint32_t compact_pairs_to_slots(const struct shape s, uint32_t x)
{
    x &= 0x55555555u;
    return (x | x >> 15) & ((1u << compact_half_slots(s)) - 1u);
}
ROOST_FN uint32_t compact_threes(const struct shape s, uint32_t pairs) { return compact_pairs_to_slots(s, pairs & pairs >> 1); }
ROOST_FN uint32_t compact_ones_and_twos(const struct shape s, uint32_t pairs)
{
    return compact_pairs_to_slots(s, pairs ^ pairs >> 1);
}

/* Tags of 16 bits, two at a time: a tag's distance from the wish's is its state, and a low part
 * below 3 is of a slot without a key. */
ROOST_FN struct compact_sight compact_sight_packed(const struct shape s, const bool vacancy, const uint64_t *words,
                                                   const struct compact_wish *wish)
{
    const uint32_t most = COMPACT_STATES * 0x10001u, less = (0x10000u - wish->tag.low) * 0x10001u;
    uint32_t states = 0, lows = 0;
    ROOST_UNROLL
    for (int k = 0; k < 8; k++) {
        if (2 * k >= compact_half_slots(s)) break;
        const uint32_t word = (uint32_t)words[compact_lows_at(s) + k];
        states |= add_min_u16x2(word, less, most) << 2 * k;
        if (vacancy) lows |= add_min_u16x2(word, 0, most) << 2 * k;
    }
    struct compact_sight m = {compact_ones_and_twos(s, states), 0, 0};
    if (!vacancy) return m;
    m.later = compact_threes(s, ~states);
    m.open = compact_threes(s, lows);
    if (wish->epoch != COMPACT_NO_EPOCH) m.open |= compact_threes(s, lows ^ ~((COMPACT_DEAD_0 + wish->epoch) * 0x55555555u));
    m.open ^= (1u << compact_half_slots(s)) - 1u;
    return m;
}

ROOST_FN struct compact_sight compact_sight_of(const struct shape s, const bool vacancy, const uint64_t *words, int half,
                                               const struct compact_wish *wish)
{
    if (compact_low_bits(s) == 16 && !(s.slots & 1)) return compact_sight_packed(s, vacancy, words, wish);
    return compact_sight_each(s, vacancy, words, half, wish);
}

/* What all lanes see, each of which has other slots; filter: one lane sees the bit there. */
ROOST_FN struct compact_sight compact_sight_join(const struct shape s, const tile g, const bool vacancy, struct compact_sight m,
                                                 bool *filter)
{
    const uint32_t all = (1u << s.slots) - 1u;
    if (g.size == 1) return m;
    if (vacancy && 3 * s.slots + 1 <= 32) {
        const uint32_t x = tile_or32(g, m.complete | m.later << s.slots | m.open << 2 * s.slots | (uint32_t)*filter << 31);
        const struct compact_sight joined = {x & all, x >> s.slots & all, x >> 2 * s.slots & all};
        *filter = x >> 31;
        return joined;
    }
    const uint32_t x = tile_or32(g, m.complete | (uint32_t)*filter << 31);
    m.complete = x & all;
    *filter = x >> 31;
    if (vacancy) m.later = tile_or32(g, m.later), m.open = tile_or32(g, m.open);
    return m;
}

/* A place's value in a half. */
ROOST_FN uint64_t compact_value_in(const struct shape s, const uint64_t *words, int i)
{
    if (s.value_bytes == 4 && i < COMPACT_WORDS) return words[i];
    return s.value_bytes == 8 && 2 * i + 1 < COMPACT_WORDS ? words[2 * i] | words[2 * i + 1] << 32 : 0;
}

/* Chooses a slot: a complete match, or one that is not, or the first open one in the key's
 * order. */
ROOST_FN struct compact_look compact_look_choose(const struct compact_sight m, bool filtered, const struct compact_wish *wish)
{
    const uint32_t later = wish->inserts ? m.later : 0, matches = m.complete ? m.complete : later;
    const uint32_t behind = m.open >> wish->start << wish->start;
    struct compact_look look = {-1, -1, filtered, false, 0, 0};
    look.match = bit_lowest32(matches);
    look.waits = !m.complete && later;
    if (!matches) look.vacancy = bit_lowest32(behind ? behind : m.open);
    return look;
}

ROOST_FN struct compact_look compact_look_for(const struct shape s, const tile g, const struct compact_aim aim,
                                              const struct compact_share *share, const struct compact_wish *wish)
{
    struct compact_sight all = {0, 0, 0};
    bool filtered = false;
    ROOST_UNROLL
    for (int round = 0; round < COMPACT_HALVES; round++) {
        if (round >= compact_rounds(g)) break;
        const int half = compact_half_of(g, round), first = half * compact_half_slots(s);
        const struct compact_sight m = compact_sight_of(s, aim.vacancy, share->word[round], half, wish);
        all.complete |= m.complete << first, all.later |= m.later << first, all.open |= m.open << first;
        if (half == compact_filter_half(s)) filtered |= ((uint32_t)share->word[round][COMPACT_WORDS - 1] & wish->bit) != 0;
    }
    all = compact_sight_join(s, g, aim.vacancy, all, &filtered);
    struct compact_look look = compact_look_choose(all, filtered, wish);
    /* As bits: the compiler would put words that are chosen by a number into memory. */
    const uint32_t match = look.match < 0 ? 0 : 1u << look.match, vacancy = look.vacancy < 0 ? 0 : 1u << look.vacancy;
    ROOST_UNROLL
    for (int round = 0; round < COMPACT_HALVES; round++) {
        if (round >= compact_rounds(g)) break;
        const int half = compact_half_of(g, round), first = half * compact_half_slots(s);
        const uint64_t *const words = share->word[round];
        ROOST_UNROLL
        for (int i = 0; i < 16; i++) {
            if (!compact_has_place(s, half, i)) break;
            if (aim.vacancy && vacancy >> first >> i & 1) look.seen = (uint32_t)words[compact_low_field(s, i).word];
            if (!(match >> first >> i & 1)) continue;
            if (aim.phase != QUIESCENT) look.seen = (uint32_t)words[compact_state_field(s, i).word];
            if (aim.value) look.value = compact_value_in(s, words, i);
        }
    }
    return look;
}

/* ---- Slots ----------------------------------------------------------------------------------- */

struct compact_slot {
    uint32_t *half;
    int i; /* its place there */
};

ROOST_FN int compact_slot_half(const struct shape s, int slot) { return slot >= compact_half_slots(s); }

ROOST_FN struct compact_slot compact_slot_at(const struct shape s, const struct compact_view *v, uint32_t bucket, int slot)
{
    const int half = compact_slot_half(s, slot);
    const struct compact_slot at = {compact_half(v, bucket, half), slot - half * compact_half_slots(s)};
    return at;
}

ROOST_FN uint32_t compact_word(const struct compact_slot at, const struct compact_field f)
{
    return load_relaxed_device32(at.half + f.word);
}

ROOST_FN struct cell compact_cell(const struct shape s, const struct compact_slot at)
{
    const struct cell c = {at.half + at.i * s.value_bytes / 4, s.value_bytes, 0, 8 * s.value_bytes};
    return c;
}

/* A cell of the table's value width, or of none. */
ROOST_FN uint64_t compact_cell_load(const struct cell c)
{
    if (c.bits == 0) return 0;
    return c.bits == 64 ? load_relaxed_device64((const uint64_t *)c.word) : load_relaxed_device32((const uint32_t *)c.word);
}
ROOST_FN void compact_cell_store(const struct cell c, uint64_t value)
{
    if (c.bits == 64) store_relaxed_device64((uint64_t *)c.word, value);
    if (c.bits == 32) store_relaxed_device32((uint32_t *)c.word, (uint32_t)value);
}
ROOST_FN uint64_t compact_value_load(const struct shape s, const struct compact_slot at)
{
    return compact_cell_load(compact_cell(s, at));
}
ROOST_FN void compact_value_store(const struct shape s, const struct compact_slot at, uint64_t value)
{
    compact_cell_store(compact_cell(s, at), value);
}

/* Claims an open slot by the low part of a tag, whose word was last seen as `seen`.  The
 * compare-and-swap: of two lanes that see the slot open, one gets it.  False: the slot is not open
 * any more, or another one of the word changed.  It is not tried again here: lanes of a warp that
 * leave a loop at different times would stay apart. */
ROOST_FN bool compact_claim(const struct shape s, const struct compact_slot at, uint32_t seen, uint32_t low, uint32_t epoch)
{
    const struct compact_field f = compact_low_field(s, at.i);
    if (!compact_is_open(compact_get(f, seen), epoch)) return false;
    return cas_relaxed_device32(at.half + f.word, seen, compact_with(f, seen, low)) == seen;
}

/* Writes the value of a slot that this lane has claimed, and completes it.  The release: whoever
 * acquires this sees the value, and the bit of a filter that compact_filter_set returned as
 * `filter` (0: none was set).  So the value is exchanged, not stored: only an atomic tells when it
 * is done.  The high part of a slot that is not complete is left of an earlier key, with the state
 * INCOMPLETE: the add makes it this key's, and leaves the other slots of the word alone.
 * Returns whether the slot was not complete before, which is so.  Who waits for that knows that the
 * add is done, too: an insert beside finds does not end before it. */
ROOST_FN bool compact_complete(const struct shape s, const struct compact_slot at, const struct compact_tag tag, uint32_t state,
                               uint64_t value, uint32_t filter)
{
    const struct compact_field f = compact_state_field(s, at.i);
    const struct cell c = compact_cell(s, at);
    const uint32_t more = compact_high_bits(s) ? tag.high - compact_get(f, compact_word(at, f)) : 0;
    uint32_t seen = filter;
    if (s.value_bytes == 4) seen |= exchange_relaxed_device32((uint32_t *)c.word, (uint32_t)value);
    if (s.value_bytes == 8) seen |= (uint32_t)exchange_relaxed_device64((uint64_t *)c.word, value);
    const uint32_t was = compact_get(f, add_after_release_device32(at.half + f.word, (more + state) << f.shift, seen));
    return compact_high_bits(s) ? (was & 3u) == COMPACT_INCOMPLETE : was == tag.low;
}

/* Frees a slot with this tag, whose state's word was last seen as `seen`: `mark` is vacant or dead.
 * The compare-and-swap: of two lanes that erase a key, one does; false: the key is gone.  A wide
 * tag's high part becomes INCOMPLETE first, from when on nobody takes the slot for the key's, and
 * nobody else writes the low part.
 * reopens: other lanes may claim the slot in this kernel.  The fences: whoever claims it sees the
 * high part INCOMPLETE, to which it adds its own, and this lane has loaded the value before. */
ROOST_FN bool compact_free(const struct shape s, const struct compact_slot at, const struct compact_tag tag, uint32_t seen,
                           uint32_t mark, const bool reopens)
{
    const struct compact_field f = compact_state_field(s, at.i);
    const uint32_t first = compact_high_bits(s) ? tag.high : tag.low;
    if (reopens && !compact_high_bits(s)) fence_release_device();
    for (;;) {
        const uint32_t state = compact_get(f, seen) - first;
        if (state == COMPACT_INCOMPLETE || state >= COMPACT_STATES) return false;
        const uint32_t now =
            cas_relaxed_device32(at.half + f.word, seen, compact_with(f, seen, compact_high_bits(s) ? first : mark));
        if (now == seen) break;
        seen = now;
    }
    if (!compact_high_bits(s)) return true;
    if (reopens) fence_release_device();
    store_relaxed_device32(at.half + compact_low_field(s, at.i).word, mark);
    return true;
}

#endif
