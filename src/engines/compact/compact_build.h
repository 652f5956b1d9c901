/* compact's builds, in the dialect: whole regions, each in the scratch memory of a tile.
 *
 * A region is the buckets whose first hash begins with the region's digit.  A tile has the region's
 * buckets as the table has them, or vacant ones, adds pairs of a table of another size, or items of
 * a batch that is sorted by the digit, and writes the buckets back: so a build reads and writes
 * streams.  Nothing else runs beside it.
 *
 * Only first homes are filled here.  Items without room there, or whose key may be stored in its
 * second home, are parked for the insert's other passes.  So are those whose bucket begins before
 * their digit does, one in 400. */
#ifndef ROOST_COMPACT_BUILD_H
#define ROOST_COMPACT_BUILD_H

#include "engines/compact/compact_displace_items.h"

/* ---- Whole buckets --------------------------------------------------------------------------- */

ROOST_FN roost_key compact_key_from(const struct shape s, const struct compact_view *v, uint64_t hash)
{
    return compact_unhash(compact_bits(s), &v->seeds, hash);
}

/* The pair of a slot in a bucket with no writer beside it. */
struct compact_pair {
    uint64_t hash; /* of the home where it is */
    roost_value value;
    bool taken, second;
};
/* From both parts of its tag, whose states a number of a tag does not depend on. */
ROOST_FN struct compact_pair compact_pair_from(const struct shape s, uint64_t bucket_first, uint32_t low, uint32_t high,
                                               roost_value value)
{
    const struct compact_tag tag = {low, high};
    const uint64_t number = compact_tag_number(s, tag);
    const struct compact_pair pair = {bucket_first + (number >> 1), value, low >= COMPACT_TAKEN, (number & 1) != 0};
    return pair;
}
ROOST_FN struct compact_pair compact_pair_load(const struct shape s, const struct compact_view *v, uint32_t bucket, int slot)
{
    const struct compact_slot at = compact_slot_at(s, v, bucket, slot);
    const struct compact_field low = compact_low_field(s, at.i), state = compact_state_field(s, at.i);
    return compact_pair_from(s, compact_first_hash(compact_bits(s), &v->range, bucket), compact_get(low, at.half[low.word]),
                             compact_get(state, at.half[state.word]),
                             s.value_bytes ? load_width(s.value_bytes, at.half, (uint64_t)at.i) : 0);
}
ROOST_FN uint64_t compact_pair_hash(const struct shape s, const struct compact_pair *pair)
{
    return pair->second ? compact_first(compact_bits(s), pair->hash) : pair->hash;
}

/* ---- Regions --------------------------------------------------------------------------------- */

#if defined(ROOST_MACHINE_HOST)
enum { COMPACT_REGION = COMPACT_REGION_HOST };
#else
enum { COMPACT_REGION = COMPACT_REGION_GPU };
#endif
/* Turns of which slots or items are under way at once. */
enum { COMPACT_TURNS = 3 };
/* Two numbers of each lane; words, by which lanes meet: a power of two. */
enum { COMPACT_COLLECTED = 64, COMPACT_MEETINGS = 128 };
struct compact_scratch {
    uint32_t bucket[COMPACT_REGION * COMPACT_BYTES / 4];
    uint32_t taken[COMPACT_REGION];  /* a bucket's first slots, and more at times */
    uint32_t lane[COMPACT_MEETINGS]; /* for some buckets one of the lanes with an item for them */
    uint32_t collected[COMPACT_COLLECTED];
};

struct compact_region {
    uint32_t first, n;      /* buckets */
    uint64_t low, high;     /* their hashes */
    struct compact_view at; /* the region's buckets in scratch memory, from number 0 on */
};

/* The first bucket whose hashes all begin with this digit or a higher one. */
ROOST_FN uint32_t compact_digit_bucket(const int bits, const struct compact_view *v, int digit_bits, uint64_t digit)
{
    if (digit == 0) return 0; /* digits may have no bits */
    if (digit >> digit_bits) return v->range.buckets;
    const struct compact_place p = compact_place_of(bits, &v->range, digit << (bits - digit_bits));
    return p.bucket + (p.remainder != 0);
}

ROOST_FN struct compact_region compact_region_of(const int bits, const struct compact_view *v, int digit_bits, uint64_t digit,
                                                 struct compact_scratch *m)
{
    struct compact_region r;
    const uint32_t end = compact_digit_bucket(bits, v, digit_bits, digit + 1);
    r.first = compact_digit_bucket(bits, v, digit_bits, digit);
    r.n = end - r.first;
    r.low = compact_first_hash(bits, &v->range, r.first);
    r.high = (end < v->range.buckets ? compact_first_hash(bits, &v->range, end) : 0) - 1;
    if (bits < 64) r.high &= (1ULL << (bits & 63)) - 1;
    r.at = *v;
    r.at.buckets = (unsigned char *)m->bucket;
    return r;
}

/* Copies words of 8 bytes.  A lane loads several before it stores any: the loads wait together. */
ROOST_FN void compact_words_copy(const tile g, uint64_t *to, const uint64_t *from, uint32_t n)
{
    enum { AHEAD = 8 };
    uint64_t word[AHEAD];
    for (uint32_t i = (uint32_t)g.lane; i < n; i += AHEAD * (uint32_t)g.size) {
        ROOST_UNROLL
        for (uint32_t k = 0; k < AHEAD; k++)
            if (i + k * (uint32_t)g.size < n) word[k] = from[i + k * (uint32_t)g.size];
        ROOST_UNROLL
        for (uint32_t k = 0; k < AHEAD; k++)
            if (i + k * (uint32_t)g.size < n) to[i + k * (uint32_t)g.size] = word[k];
    }
}

/* Does a slot without a key have bits of an earlier one: the mark of an erase, or the high part of
 * a tag? */
ROOST_FN bool compact_has_remains(const struct shape s, const struct compact_share *share)
{
    uint32_t bits = 0;
    ROOST_UNROLL
    for (int half = 0; half < COMPACT_HALVES; half++) {
        const uint64_t *const words = share->word[half];
        ROOST_UNROLL
        for (int i = 0; i < 16; i++) {
            const struct compact_field low = compact_low_field(s, i), state = compact_state_field(s, i);
            if (!compact_has_place(s, half, i)) break;
            const uint32_t x = compact_get(low, (uint32_t)words[low.word]);
            if (x < COMPACT_TAKEN) bits |= x | compact_get(state, (uint32_t)words[state.word]);
        }
    }
    return bits != 0;
}

/* Moves a bucket's pairs to its first slots; returns how many there are.  In the others nothing is
 * left.  Most buckets are so already. */
ROOST_FN uint32_t compact_bucket_pack(const struct shape s, const struct compact_region *r, uint32_t bucket)
{
    const tile alone = {1, 0, 1u};
    struct compact_share share;
    compact_load(QUIESCENT, s, alone, &r->at, bucket, false, &share);
    const uint32_t taken = compact_slots_taken(s, &share);
    if (!(taken & (taken + 1)) && !compact_has_remains(s, &share)) return (uint32_t)bit_count32(taken);
    int end = s.slots, slot = 0;
    while (slot < end) {
        const struct compact_slot to = compact_slot_at(s, &r->at, bucket, slot), from = compact_slot_at(s, &r->at, bucket, end - 1);
        const struct compact_tag tag = compact_tag_load(s, from);
        if (compact_tag_load(s, to).low >= COMPACT_TAKEN) {
            slot++;
            continue;
        }
        end--;
        if (tag.low >= COMPACT_TAKEN) {
            compact_value_store(s, to, compact_value_load(s, from));
            compact_tag_store(s, to, tag, COMPACT_SETTLED);
        }
        compact_tag_store(s, from, compact_tag_none(), COMPACT_INCOMPLETE);
    }
    return (uint32_t)end;
}

/* Copies the region's buckets to scratch memory, or clears them. */
ROOST_FN void compact_region_open(const struct shape s, const tile g, const struct compact_view *v, const struct compact_region *r,
                                  const bool empty, struct compact_scratch *m)
{
    const uint32_t words = r->n * (COMPACT_BYTES / 8);
    uint64_t *const to = (uint64_t *)(void *)m->bucket;
    for (uint32_t i = (uint32_t)g.lane; empty && i < words; i += (uint32_t)g.size) to[i] = 0;
    if (!empty) compact_words_copy(g, to, (const uint64_t *)(const void *)compact_half(v, r->first, 0), words);
    tile_sync(g);
    for (uint32_t bucket = (uint32_t)g.lane; bucket < r->n; bucket += (uint32_t)g.size)
        m->taken[bucket] = empty ? 0 : compact_bucket_pack(s, r, bucket);
    tile_sync(g);
}

ROOST_FN void compact_region_close(const tile g, const struct compact_view *v, const struct compact_region *r,
                                   const struct compact_scratch *m, const bool writes)
{
    tile_sync(g);
    compact_words_copy(g, (uint64_t *)(void *)compact_half(v, r->first, 0), (const uint64_t *)(const void *)m->bucket,
                       writes ? r->n * (COMPACT_BYTES / 8) : 0);
    tile_sync(g); /* before the next region is copied there */
}

/* Adds and ors in the tile's scratch memory.  A tile of one lane has it for itself. */
ROOST_FN uint32_t compact_tile_add(const tile g, uint32_t *p, uint32_t x)
{
    if (g.size > 1) return add_relaxed_device32(p, x);
    const uint32_t was = load_relaxed_device32(p);
    store_relaxed_device32(p, was + x);
    return was;
}
ROOST_FN void compact_tile_or(const tile g, uint32_t *p, uint32_t bits)
{
    if (g.size > 1) (void)or_relaxed_device32(p, bits);
    else store_relaxed_device32(p, load_relaxed_device32(p) | bits);
}

/* Stores a pair in a bucket of the region; returns the slot, or -1.  The add: of two lanes each
 * gets another slot.  The or: another lane may write another slot of the word. */
ROOST_FN int compact_region_store(const struct shape s, const tile g, const struct compact_region *r, uint32_t bucket,
                                  const struct compact_tag tag, uint64_t value, struct compact_scratch *m)
{
    const int slot = (int)compact_tile_add(g, &m->taken[bucket], 1);
    if (slot >= s.slots) return -1;
    const struct compact_slot at = compact_slot_at(s, &r->at, bucket, slot);
    const struct compact_field low = compact_low_field(s, at.i), high = compact_state_field(s, at.i);
    compact_tile_or(g, at.half + low.word, (compact_high_bits(s) ? tag.low : tag.low + COMPACT_SETTLED) << low.shift);
    if (compact_high_bits(s)) compact_tile_or(g, at.half + high.word, (tag.high + COMPACT_SETTLED) << high.shift);
    if (s.value_bytes) store_width(s.value_bytes, at.half, (uint64_t)at.i, value);
    return slot;
}

/* Collects numbers of the tile's lanes.  Returns how many there are once that is one for each lane,
 * or at the end, and takes as many places from a counter, from *place on; else 0.  With an add for
 * each number, lanes would queue at the counter.  *n: how many wait. */
ROOST_FN uint32_t compact_collect(const tile g, bool has, uint32_t number, const bool ends, uint64_t *counter, uint32_t *n,
                                  uint64_t *place, struct compact_scratch *m)
{
    const uint32_t who = tile_ballot(g, has);
    if (has) m->collected[*n + (uint32_t)bit_count32(who & ((1u << g.lane) - 1u))] = number;
    const uint32_t all = *n + (uint32_t)bit_count32(who), ready = all >= (uint32_t)g.size || ends ? all : 0;
    *n = all - ready;
    tile_sync(g);
    if (ready) *place = tile_from64(g, g.lane == 0 ? add_relaxed_device64(counter, ready) : 0, 0);
    return ready;
}

/* ---- Pairs of another table ------------------------------------------------------------------ */

/* Where a region's pairs come from: n buckets from `first` on of the table before. */
struct compact_origin {
    struct shape shape;
    uint32_t first, n;
};
ROOST_FN struct compact_origin compact_origin_of(const struct shape s, const struct shape from_shape,
                                                 const struct compact_transfer *t, const struct compact_region *r)
{
    const int bits = compact_bits(s);
    struct compact_origin o = {from_shape, compact_place_of(bits, &t->from.range, r->low).bucket, 0};
    o.n = compact_place_of(bits, &t->from.range, r->high).bucket - o.first + 1;
    return o;
}
/* Loads bucket i of them, or of those beyond the end the last one. */
ROOST_FN void compact_origin_load(const struct compact_transfer *t, const struct compact_origin *o, uint32_t i,
                                  struct compact_share *share)
{
    const tile alone = {1, 0, 1u};
    compact_load(QUIESCENT, o->shape, alone, &t->from, o->first + (i < o->n ? i : o->n - 1), true, share);
}
/* The pair of a slot, numbered through all of them. */
ROOST_FN struct compact_pair compact_origin_pair(const struct compact_transfer *t, const struct compact_origin *o, uint32_t number)
{
    const uint32_t per = (uint32_t)o->shape.slots;
    return compact_pair_load(o->shape, &t->from, o->first + number / per, (int)(number % per));
}

/* Writes a pair to a place of the arrays for those without room, as far as these reach. */
ROOST_FN void compact_strand(const struct shape s, const struct compact_transfer *t, const struct compact_view *v, uint64_t place,
                             uint64_t hash, roost_value value)
{
    if (place >= t->room) return;
    store_width(s.key_bytes, t->keys, place, compact_key_from(s, v, hash));
    if (s.value_bytes) store_width(s.value_bytes, t->values, place, value);
}

/* Strands pairs of the tile's lanes, by their numbers: they are loaded again when there are enough.
 * See compact_collect. */
ROOST_FN void compact_region_strand(const struct shape s, const tile g, const struct compact_transfer *t,
                                    const struct compact_view *v, const struct compact_origin *o, bool strands, uint32_t number,
                                    const bool ends, uint32_t *n, struct compact_scratch *m)
{
    uint64_t place = 0;
    const uint32_t ready = compact_collect(g, strands, number, ends, t->pairs_n, n, &place, m);
    if (!ready) return;
    for (uint32_t i = (uint32_t)g.lane; i < ready; i += (uint32_t)g.size) {
        const struct compact_pair pair = compact_origin_pair(t, o, m->collected[i]);
        compact_strand(s, t, v, place + i, compact_pair_hash(s, &pair), pair.value);
    }
    tile_sync(g); /* before others are collected */
}

/* Takes the pairs of old bucket i that are the region's, and returns the slots of those that it
 * does not store.  A lane has the whole bucket in registers: what is the same for its slots is
 * worked out once, and neighbouring lanes store to different new buckets. */
ROOST_FN uint32_t compact_region_take(const struct shape s, const tile g, const struct compact_transfer *t,
                                      const struct compact_view *v, const struct compact_region *r, const struct compact_origin *o,
                                      uint32_t i, const struct compact_share *share, struct compact_scratch *m, struct tally *tally)
{
    const struct shape from = o->shape;
    const uint64_t bucket_first = compact_first_hash(compact_bits(s), &t->from.range, o->first + i);
    uint32_t strands = 0;
    ROOST_UNROLL
    for (int half = 0; half < COMPACT_HALVES; half++) {
        const uint64_t *const words = share->word[half];
        ROOST_UNROLL
        for (int k = 0; k < 16; k++) {
            const struct compact_field low = compact_low_field(from, k), state = compact_state_field(from, k);
            if (!compact_has_place(from, half, k)) break;
            const struct compact_pair pair =
                compact_pair_from(from, bucket_first, compact_get(low, (uint32_t)words[low.word]),
                                  compact_get(state, (uint32_t)words[state.word]), compact_value_in(from, words, k));
            const struct compact_home home = compact_home_of(s, v, pair.hash, pair.second);
            const bool here = i < o->n && pair.taken && home.bucket - r->first < r->n;
            const bool stays = here && !(t->move == COMPACT_FILLS && pair.second);
            const bool stored = stays && compact_region_store(s, g, r, home.bucket - r->first, home.tag, pair.value, m) >= 0;
            tally->moved += here;
            strands |= (uint32_t)(here && !stored) << (half * compact_half_slots(from) + k);
        }
    }
    return strands;
}

/* Strands the pairs of these slots of each lane's bucket i. */
ROOST_FN void compact_region_strand_all(const struct shape s, const tile g, const struct compact_transfer *t,
                                        const struct compact_view *v, const struct compact_origin *o, uint32_t i, uint32_t strands,
                                        uint32_t *n, struct compact_scratch *m)
{
    while (tile_any(g, strands != 0)) {
        const uint32_t slot = (uint32_t)bit_lowest32(strands);
        compact_region_strand(s, g, t, v, o, strands != 0, i * (uint32_t)o->shape.slots + slot, false, n, m);
        strands &= strands - 1;
    }
}

/* Takes the region's pairs out of a table of another size: buckets are in the order of the hashes
 * at every size.  Those in their second homes are stranded, and come to their first ones if these
 * have room now; in a move within the table they stay (compact_move.c).  Buckets are being loaded
 * while those before them are looked at. */
ROOST_FN void compact_region_pull(const struct shape s, const struct shape from_shape, const tile g,
                                  const struct compact_transfer *t, const struct compact_view *v, const struct compact_region *r,
                                  struct compact_scratch *m, struct tally *tally)
{
    const struct compact_origin o = compact_origin_of(s, from_shape, t, r);
    const uint32_t size = (uint32_t)g.size, lane = (uint32_t)g.lane;
    struct compact_share ahead;
    uint32_t n = 0;
    compact_origin_load(t, &o, lane, &ahead);
    for (uint32_t first = 0; first < o.n; first += size) {
        const struct compact_share share = ahead;
        compact_origin_load(t, &o, first + size + lane, &ahead);
        const uint32_t strands = compact_region_take(s, g, t, v, r, &o, first + lane, &share, m, tally);
        compact_region_strand_all(s, g, t, v, &o, first + lane, strands, &n, m);
    }
    compact_region_strand(s, g, t, v, &o, false, 0, true, &n, m);
}

/* Strands the old stash's pairs: each region takes the entries of its number, modulo n regions. */
ROOST_FN void compact_region_beside(const struct shape s, const tile g, const struct compact_transfer *t,
                                    const struct compact_view *v, uint64_t number, struct tally *tally)
{
    const uint64_t n = 1ULL << t->columns.digit_bits;
    for (uint64_t i = number + (unsigned)g.lane * n; i < t->from.stash_entries; i += (unsigned)g.size * n) {
        struct compact_entry *const e = t->from.stash + i;
        if (e->state != COMPACT_STASHED) continue;
        tally->moved++;
        compact_strand(s, t, v, take_place_relaxed_device64(t->pairs_n), e->hash, compact_cell_load(compact_entry_cell(s, e)));
    }
}

/* ---- Items of a batch ------------------------------------------------------------------------ */

/* How many items ahead a host loads values; the sorted items that one lane tests together. */
enum { COMPACT_AHEAD = 24, COMPACT_RUN = 64 };

/* An item as the sorted columns have it. */
struct compact_arrival {
    uint64_t hash;
    roost_value value;
    uint32_t index, place; /* in the batch, if that is known; in the columns */
    bool exists;
};

/* Bytes of an item's payload: its index, and above that a value of 4 bytes; or its value. */
ROOST_FN int compact_payload_bytes(const struct shape s, const bool by_value)
{
    return by_value ? s.value_bytes : s.value_bytes == 4 ? 8 : 4;
}

/* By value it is no index, but loaded all the same: a condition would be waited for. */
ROOST_FN uint32_t compact_index_in(const struct shape s, const struct compact_columns *c, uint64_t i)
{
    return (uint32_t)load_width(4, c->payload, i * (unsigned)compact_payload_bytes(s, c->by_value) / 4);
}

/* Writes the pair at a place of the columns to the arrays for those without room. */
ROOST_FN void compact_spill(const struct shape s, const struct compact_transfer *t, const struct compact_view *v, uint64_t to,
                            uint64_t place)
{
    const uint64_t hash = load_width(s.key_bytes, t->columns.hashes, place);
    compact_strand(s, t, v, to, hash, load_width(s.value_bytes, t->columns.payload, place));
}

/* Item i, or of those beyond the end the last one, which does not exist then: a load without a
 * condition is waited for no sooner than its result is used. */
ROOST_FN struct compact_arrival compact_arrival_load(const struct shape s, const struct compact_columns *c, uint64_t i,
                                                     uint64_t end)
{
    const uint64_t at = i < end ? i : end - 1;
    struct compact_arrival e;
    e.exists = i < end;
    e.value = 0;
    e.hash = load_width(s.key_bytes, c->hashes, at);
    e.index = compact_index_in(s, c, at);
    e.place = (uint32_t)at;
    if (s.value_bytes == 4) e.value = load_width(4, c->payload, c->by_value ? at : 2 * at + 1);
    return e;
}

/* Loads a value of 8 bytes, from the payload or by the index, which was loaded before. */
ROOST_FN void compact_arrival_value(const struct shape s, const struct batch *b, const struct compact_columns *c,
                                    struct compact_arrival *e)
{
    if (s.value_bytes == 8) e->value = load_width(8, c->by_value ? c->payload : b->values_in, c->by_value ? e->place : e->index);
}

/* A host loads the value of item i, which may be anywhere among the batch's, some items ahead. */
ROOST_FN void compact_arrival_prefetch(const struct shape s, const struct compact_columns *c, const struct batch *b, uint64_t i,
                                       uint64_t end)
{
    if (s.value_bytes != 8 || i >= end || c->by_value) return;
    prefetch_read((const char *)b->values_in + (uint64_t)compact_index_in(s, c, i) * (unsigned)s.value_bytes);
}

ROOST_FN void compact_arrival_end(const struct batch *b, const struct compact_arrival *e, uint8_t status, struct tally *tally)
{
    tally->inserted += status == ROOST_ITEM_INSERTED;
    tally->updated += status != ROOST_ITEM_INSERTED;
    if (status == ROOST_ITEM_INSERTED) tally_stored(tally, 0, 1);
    if (b->statuses) b->statuses[e->index] = status;
}

/* The lane that looks for a slot for this lane's key: where several have the key, they agree on
 * one.  All write their numbers to a word of their bucket, and one number stays.  Lanes with that
 * one's key follow it; others try again.  The exchange: a word is never of two lanes. */
ROOST_FN int compact_leader_of(const struct shape s, const tile g, bool here, uint32_t bucket, uint64_t hash,
                               struct compact_scratch *m)
{
    uint32_t *const word = &m->lane[bucket % COMPACT_MEETINGS];
    int leader = g.lane;
    for (bool waits = here; g.size > 1 && tile_any(g, waits);) {
        if (waits) (void)exchange_relaxed_device32(word, (uint32_t)g.lane);
        tile_sync(g);
        const int lane = waits ? (int)load_relaxed_device32(word) : g.lane;
        const bool low = tile_from32(g, (uint32_t)hash, lane) == (uint32_t)hash;
        const bool high = s.key_bytes == 4 || tile_from32(g, (uint32_t)(hash >> 32), lane) == (uint32_t)(hash >> 32);
        if (waits && low && high) leader = lane, waits = false;
        tile_sync(g); /* all have read the number before another is written */
    }
    return leader;
}

/* Parks items of the tile's lanes, when there are enough.  number: an item's index, or by value its
 * place.  See compact_collect. */
ROOST_FN void compact_region_park(const struct shape s, const tile g, const struct compact_transfer *t,
                                  const struct compact_view *v, const struct batch *b, bool parks, uint32_t number, const bool ends,
                                  uint32_t *n, struct compact_scratch *m)
{
    uint64_t place = 0;
    const uint32_t ready = compact_collect(g, parks, number, ends, b->leftover_n, n, &place, m);
    if (!ready) return;
    for (uint32_t i = (uint32_t)g.lane; i < ready; i += (uint32_t)g.size) {
        if (t->columns.by_value) compact_spill(s, t, v, place + i, m->collected[i]);
        else b->leftover[place + i] = m->collected[i];
    }
    tile_sync(g); /* before others are collected */
}

/* Serves an item for each lane.  Of items with one key one looks for a slot; the others update its
 * value after that.  An item without room here sets its bit of the filter now: nearly all such go
 * to their second homes. */
ROOST_FN void compact_region_serve(const struct shape s, const tile g, const struct batch *b, const struct compact_transfer *t,
                                   const struct compact_view *v, const struct compact_region *r, const struct compact_arrival *e,
                                   struct compact_scratch *m, uint32_t *parked, struct tally *tally)
{
    const tile alone = {1, 0, 1u};
    const struct compact_aim aim = {QUIESCENT, false, false};
    const struct compact_home home = compact_home_of(s, v, e->hash, 0);
    const struct compact_wish wish = {home.tag, compact_filter_bit(e->hash), COMPACT_NO_EPOCH, 0, false};
    const bool here = e->exists && home.bucket >= r->first;
    const uint32_t bucket = here ? home.bucket - r->first : 0, taken = load_relaxed_device32(&m->taken[bucket]);
    const int leader = compact_leader_of(s, g, here, bucket, e->hash, m);
    struct compact_look look = {-1, -1, true, false, 0, 0};
    bool stored = false;
    if (here && leader == g.lane) look = compact_look_into(s, alone, aim, &r->at, bucket, &wish, true);
    tile_sync(g); /* all lanes have looked before one stores */
    int slot = look.match;
    const bool stores = slot < 0 && !look.filtered && taken < (uint32_t)s.slots;
    if (stores) slot = compact_region_store(s, g, r, bucket, home.tag, e->value, m), stored = slot >= 0;
    tile_sync(g);
    slot = (int)tile_from32(g, (uint32_t)slot, leader);
    if (here && slot < 0 && !look.filtered) compact_tile_or(g, compact_filter(s, &r->at, bucket), wish.bit);
    compact_region_park(s, g, t, v, b, e->exists && slot < 0, t->columns.by_value ? e->place : e->index, false, parked, m);
    if (here && slot >= 0 && !stored)
        cell_update(b, b->mode, compact_cell(s, compact_slot_at(s, &r->at, bucket, slot)), 0, e->value);
    if (here && slot >= 0)
        compact_arrival_end(b, e, stored ? ROOST_ITEM_INSERTED : operation_status(ROOST_OP_INSERT + b->mode, true), tally);
    tile_sync(g);
}

/* Serves items first .. end - 1 of the columns, of which there is at least one.  Those of some
 * turns are under way: one is served, for the next one a value is loaded, for others hash and
 * payload. */
ROOST_FN void compact_region_fill(const struct shape s, const tile g, const struct batch *b, const struct compact_transfer *t,
                                  const struct compact_view *v, const struct compact_region *r, uint64_t first, uint64_t end,
                                  struct compact_scratch *m, struct tally *tally)
{
    const struct compact_columns *const c = &t->columns;
    const unsigned size = (unsigned)g.size;
    struct compact_arrival e[COMPACT_TURNS];
    uint32_t parked = 0;
    ROOST_UNROLL
    for (unsigned k = 0; k < COMPACT_TURNS; k++) e[k] = compact_arrival_load(s, c, first + k * size + (unsigned)g.lane, end);
    compact_arrival_value(s, b, c, &e[0]);
    for (uint64_t i = first; i < end; i += COMPACT_TURNS * size) {
        ROOST_UNROLL
        for (unsigned k = 0; k < COMPACT_TURNS; k++) {
            if (i + k * size >= end) break;
            compact_arrival_value(s, b, c, &e[(k + 1) % COMPACT_TURNS]);
            compact_arrival_prefetch(s, c, b, i + k * size + COMPACT_AHEAD, end);
            compact_region_serve(s, g, b, t, v, r, &e[k], m, &parked, tally);
            e[k] = compact_arrival_load(s, c, i + (k + COMPACT_TURNS) * size + (unsigned)g.lane, end);
        }
    }
    compact_region_park(s, g, t, v, b, false, 0, true, &parked, m);
}

#if defined(ROOST_MACHINE_HOST)
/* ---- Items of a batch, on a host ------------------------------------------------------------- */

/* Items that wait for their buckets. */
enum { COMPACT_PLACE_AHEAD = 32 };

/* Parks the collected items. */
ROOST_FN void compact_place_park(const struct shape s, const struct compact_transfer *t, const struct compact_view *v,
                                 const struct batch *b, uint32_t *parked, const struct compact_scratch *m)
{
    if (!*parked) return;
    const uint64_t place = add_relaxed_device64(b->leftover_n, *parked);
    for (uint32_t i = 0; i < *parked; i++) {
        if (t->columns.by_value) compact_spill(s, t, v, place + i, m->collected[i]);
        else b->leftover[place + i] = m->collected[i];
    }
    *parked = 0;
}

/* Stores the item's pair in its first home, or updates it there.  False: it is not there, or no
 * slot is vacant: then the filter says so.  Nothing else writes the bucket meanwhile. */
ROOST_FN bool compact_place(const struct shape s, const struct batch *b, const struct compact_view *v,
                            const struct compact_home *home, const struct compact_arrival *e, struct tally *tally)
{
    const tile alone = {1, 0, 1u};
    const struct compact_aim aim = {QUIESCENT, true, false};
    const struct compact_wish wish = {home->tag, compact_filter_bit(e->hash), COMPACT_NO_EPOCH, 0, false};
    const struct compact_look look = compact_look_into(s, alone, aim, v, home->bucket, &wish, true);
    const bool stores = look.match < 0 && !look.filtered && look.vacancy >= 0;
    const struct compact_slot at = compact_slot_at(s, v, home->bucket, stores ? look.vacancy : look.match < 0 ? 0 : look.match);
    if (stores) {
        compact_value_store(s, at, e->value);
        compact_tag_store(s, at, home->tag, COMPACT_SETTLED);
    } else if (look.match >= 0) {
        cell_update(b, b->mode, compact_cell(s, at), 0, e->value);
    } else {
        if (!look.filtered) (void)compact_filter_set(s, v, home->bucket, wish.bit);
        return false;
    }
    compact_arrival_end(b, e, stores ? ROOST_ITEM_INSERTED : operation_status(ROOST_OP_INSERT + b->mode, true), tally);
    return true;
}

/* Serves items first .. end - 1 of the columns in the table itself: the buckets of a region stay in
 * the cache, and no other bucket is touched.  Items whose bucket is the one before the region's
 * are parked, because that one may be written at the same time. */
ROOST_FN void compact_region_place(const struct shape s, const struct batch *b, const struct compact_transfer *t,
                                   const struct compact_view *v, uint32_t region_first, uint64_t first, uint64_t end,
                                   struct compact_scratch *m, struct tally *tally)
{
    const struct compact_columns *const c = &t->columns;
    struct compact_home home[COMPACT_PLACE_AHEAD];
    uint32_t parked = 0;
    for (uint64_t i = first, begun = first; i < end; i++) {
        for (; begun < end && begun < i + COMPACT_PLACE_AHEAD; begun++) {
            struct compact_home *const next = &home[begun % COMPACT_PLACE_AHEAD];
            *next = compact_home_of(s, v, load_width(s.key_bytes, c->hashes, begun), 0);
            prefetch_read(compact_half(v, next->bucket, 0));
            compact_arrival_prefetch(s, c, b, begun, end);
        }
        const struct compact_home *const here = &home[i % COMPACT_PLACE_AHEAD];
        struct compact_arrival e = compact_arrival_load(s, c, i, end);
        compact_arrival_value(s, b, c, &e);
        if (here->bucket >= region_first && compact_place(s, b, v, here, &e, tally)) continue;
        m->collected[parked++] = c->by_value ? e.place : e.index;
        if (parked == COMPACT_COLLECTED) compact_place_park(s, t, v, b, &parked, m);
    }
    compact_place_park(s, t, v, b, &parked, m);
}
#endif

/* ---- Builds ---------------------------------------------------------------------------------- */

#define compact_build_begin bucket_begin
#define compact_build_end bucket_end

/* Item i: the region of digit t->first + i. */
ROOST_FN enum step compact_build_step(const struct shape own, const tile g, const void *view, const struct batch *b,
                                      struct item *item, struct tally *tally, void *scratch)
{
    const struct compact_view *v = (const struct compact_view *)view;
    const struct compact_transfer *t = transfer_of(view);
    const struct shape s = compact_shape_or(own, t->shape), from_shape = compact_shape_or(own, t->from_shape);
    const struct compact_columns *const c = &t->columns;
    struct compact_scratch *const m = (struct compact_scratch *)scratch;
    const struct compact_region r = compact_region_of(compact_bits(s), v, c->digit_bits, t->first + item->index, m);
    const uint64_t first = c->bounds ? c->bounds[item->index] : 0, behind = c->bounds ? c->bounds[item->index + 1] : 0;
    const uint64_t end = behind - first < c->most ? behind : first + c->most;
#if defined(ROOST_MACHINE_HOST)
    if (!t->from.range.buckets) return compact_region_place(s, b, t, v, r.first, first, end, m, tally), STEP_DONE;
#endif
    compact_region_open(s, g, v, &r, t->vacant, m);
    if (t->from.range.buckets) compact_region_pull(s, from_shape, g, t, v, &r, m, tally);
    if (t->from.range.buckets && t->move == COMPACT_FILLS) compact_region_beside(s, g, t, v, item->index, tally);
    if (first < end) compact_region_fill(s, g, b, t, v, &r, first, end, m, tally);
    compact_region_close(g, v, &r, m, t->move != COMPACT_COUNTS);
    return STEP_DONE;
}

/* ---- Columns --------------------------------------------------------------------------------- */

enum { COMPACT_FILL = 4, COMPACT_WARP = 32 }; /* items that a lane fills in; its neighbours */
static inline uint64_t compact_columns_lanes(uint64_t n)
{
    return (n + COMPACT_FILL * COMPACT_WARP - 1) / (COMPACT_FILL * COMPACT_WARP) * COMPACT_WARP;
}

#define compact_columns_begin bucket_begin
#define compact_columns_end bucket_end

ROOST_FN uint64_t compact_digit_of(const struct shape s, const struct compact_columns *c, uint64_t i)
{
    return c->digit_bits ? load_width(s.key_bytes, c->hashes, i) >> (compact_bits(s) - c->digit_bits) : 0;
}

/* The first item of digit i or a higher one, in sorted columns. */
ROOST_FN uint64_t compact_bound(const struct shape s, const struct compact_columns *c, uint64_t i)
{
    uint64_t low = i >> c->digit_bits ? c->n : 0, high = i ? c->n : 0;
    while (low < high) {
        const uint64_t mid = low + (high - low) / 2;
        if (compact_digit_of(s, c, mid) < i) low = mid + 1;
        else high = mid;
    }
    return low;
}

/* Parks those of a run of sorted items that their region does not take: many items of one digit,
 * such as copies of a key, would keep one tile busy while all others wait.  A region takes more
 * than a run has, so only items of the run's first digit can be beyond that. */
ROOST_FN void compact_columns_park(const struct shape s, const struct compact_transfer *t, const struct compact_view *v,
                                   const struct batch *b, uint64_t run)
{
    const struct compact_columns *const c = &t->columns;
    const uint64_t first = run * COMPACT_RUN, behind = first + COMPACT_RUN, end = behind < c->n ? behind : c->n;
    const uint64_t digit = compact_digit_of(s, c, first), taken = c->bounds[digit] + c->most;
    for (uint64_t i = first < taken ? taken : first; i < end && compact_digit_of(s, c, i) == digit; i++) {
        if (c->by_value) compact_spill(s, t, v, take_place_relaxed_device64(b->leftover_n), i);
        else batch_park(b, compact_index_in(s, c, i));
    }
}

/* Fills columns for some items of the batch: their hashes and payloads; or, as numbers of 64 bits,
 * their hashes alone (b->counts).  All keys are loaded before one is used.  A warp's lanes have
 * neighbours, so that they load lines together.  Of values it takes those of 4 bytes.  By value
 * the payload is the batch's array. */
ROOST_FN void compact_columns_fill(const int key_bytes, const int value_bytes, const struct compact_view *v,
                                   const struct compact_columns *c, const struct batch *b, uint64_t lane)
{
    const uint64_t first = lane / COMPACT_WARP * COMPACT_WARP * COMPACT_FILL + lane % COMPACT_WARP;
    uint64_t key[COMPACT_FILL], value[COMPACT_FILL];
    ROOST_UNROLL
    for (unsigned k = 0; k < COMPACT_FILL; k++) {
        const uint64_t i = first + k * COMPACT_WARP, at = i < c->n ? i : c->n - 1;
        key[k] = load_width(key_bytes, b->keys, at);
        value[k] = value_bytes == 4 ? load_width(4, b->values_in, at) : 0;
    }
    ROOST_UNROLL
    for (unsigned k = 0; k < COMPACT_FILL; k++) {
        const uint64_t i = first + k * COMPACT_WARP, hash = compact_hash(8 * key_bytes, &v->seeds, key[k]);
        if (i >= c->n) break;
        if (b->counts) b->counts[i] = hash;
        if (!c->hashes) continue;
        store_width(key_bytes, (void *)(uintptr_t)c->hashes, i, hash);
        if (!c->by_value) store_width(value_bytes == 4 ? 8 : 4, (void *)(uintptr_t)c->payload, i, i | value[k] << 32);
    }
}

/* The widths are constants in each call, because loads with a condition wait for each other. */
ROOST_FN void compact_columns_fill_any(const struct shape s, const struct compact_view *v, const struct compact_columns *c,
                                       const struct batch *b, uint64_t lane)
{
    const bool values = c->hashes && s.value_bytes == 4 && !c->by_value;
    if (s.key_bytes == 4 && values) compact_columns_fill(4, 4, v, c, b, lane);
    else if (s.key_bytes == 4) compact_columns_fill(4, 0, v, c, b, lane);
    else if (values) compact_columns_fill(8, 4, v, c, b, lane);
    else compact_columns_fill(8, 0, v, c, b, lane);
}

/* Fills a batch's columns, by lanes as many as compact_columns_lanes says.  Or, where the columns
 * are sorted: finds where digit i begins; and parks items of run i. */
ROOST_FN enum step compact_columns_step(const struct shape unused, const tile g, const void *view, const struct batch *b,
                                        struct item *item, struct tally *tally, void *scratch)
{
    const struct compact_view *v = (const struct compact_view *)view;
    const struct compact_transfer *t = transfer_of(view);
    const struct compact_columns *const c = &t->columns;
    (void)unused, (void)g, (void)tally, (void)scratch;
    if (!c->bounds) compact_columns_fill_any(t->shape, v, c, b, item->index);
    else if (c->parks) compact_columns_park(t->shape, t, v, b, item->index);
    else c->bounds[item->index] = compact_bound(t->shape, c, item->index);
    return STEP_DONE;
}

#endif
