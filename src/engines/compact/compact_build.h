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

#include "engines/compact/compact_evict_items.h"

/* ---- Whole buckets --------------------------------------------------------------------------- */

ROOST_FN roost_key compact_key_from(const struct shape s, const struct compact_view *v, uint64_t hash)
{
    return compact_unhash(compact_bits(s), &v->seeds, hash);
}

/* A slot's pair, in a bucket with no writer beside it. */
struct compact_pair {
    uint64_t hash; /* of the home where it is */
    roost_value value;
    bool taken, second;
};
ROOST_FN struct compact_pair compact_pair_load(const struct shape s, const struct compact_view *v, uint32_t bucket, int slot)
{
    const struct compact_slot at = compact_slot_at(s, v, bucket, slot);
    const uint32_t low = at.half[compact_low_field(s, at.i).word], high = at.half[compact_state_field(s, at.i).word];
    const struct compact_tag tag = compact_tag_from(s, at.i, low, high);
    const uint64_t number = compact_tag_number(s, tag);
    struct compact_pair pair = {0, 0, tag.low >= COMPACT_TAKEN, (number & 1) != 0};
    if (!pair.taken) return pair;
    pair.hash = compact_first_hash(compact_bits(s), &v->range, bucket) + (number >> 1);
    if (s.value_bytes) pair.value = load_width(s.value_bytes, at.half, (uint64_t)at.i);
    return pair;
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
struct compact_scratch {
    uint32_t bucket[COMPACT_REGION * COMPACT_BYTES / 4];
    uint32_t taken[COMPACT_REGION]; /* a bucket's first slots, and more at times */
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

/* Moves a bucket's pairs to its first slots; returns how many there are.  In the others nothing is
 * left. */
ROOST_FN uint32_t compact_bucket_pack(const struct shape s, const struct compact_region *r, uint32_t bucket)
{
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
    if (load_relaxed_device32(&m->taken[bucket]) >= (uint32_t)s.slots) return -1;
    const int slot = (int)compact_tile_add(g, &m->taken[bucket], 1);
    if (slot >= s.slots) return -1;
    const struct compact_slot at = compact_slot_at(s, &r->at, bucket, slot);
    const struct compact_field low = compact_low_field(s, at.i), high = compact_state_field(s, at.i);
    compact_tile_or(g, at.half + low.word, (compact_high_bits(s) ? tag.low : tag.low + COMPACT_SETTLED) << low.shift);
    if (compact_high_bits(s)) compact_tile_or(g, at.half + high.word, (tag.high + COMPACT_SETTLED) << high.shift);
    compact_value_store(s, at, value);
    return slot;
}

/* ---- Pairs of another table ------------------------------------------------------------------ */

/* Appends a pair that found no room to the arrays, as far as these reach. */
ROOST_FN void compact_strand(const struct shape s, const struct compact_transfer *t, roost_key key, roost_value value)
{
    const uint64_t place = take_place_relaxed_device64(t->pairs_n);
    if (place >= t->room) return;
    store_width(s.key_bytes, t->keys, place, key);
    if (s.value_bytes) store_width(s.value_bytes, t->values, place, value);
}

/* Stores a pair in the home that it was in, or strands it. */
ROOST_FN void compact_region_receive(const struct shape s, const tile g, const struct compact_transfer *t,
                                     const struct compact_view *v, const struct compact_region *r, const struct compact_pair *pair,
                                     struct compact_scratch *m)
{
    const struct compact_home home = compact_home_of(s, v, pair->hash, pair->second);
    if (compact_region_store(s, g, r, home.bucket - r->first, home.tag, pair->value, m) < 0)
        compact_strand(s, t, compact_key_from(s, v, compact_pair_hash(s, pair)), pair->value);
}

/* Stores a pair in a home, if that has a vacancy.  Other lanes store there: the claim makes sure
 * that no two take one slot. */
ROOST_FN bool compact_settle_in(const struct shape s, const struct compact_view *v, const struct compact_home *home, uint64_t value)
{
    for (;;) {
        const struct compact_scan scan = compact_scan_for(s, v, home);
        if (scan.vacancy < 0) return false;
        if (compact_put(s, compact_slot_at(s, v, home->bucket, scan.vacancy), home->tag, value, scan.seen)) return true;
    }
}

/* Stores a pair that was in its second home, or in the stash, in either home, or strands it. */
ROOST_FN void compact_resettle(const struct shape s, const struct compact_transfer *t, const struct compact_view *v, uint64_t hash,
                               uint64_t value)
{
    const struct compact_home first = compact_home_at(s, v, hash, 0), second = compact_home_at(s, v, hash, 1);
    if (compact_settle_in(s, v, &first, value)) return;
    (void)compact_filter_set(s, v, first.bucket, compact_filter_bit(hash));
    if (!compact_settle_in(s, v, &second, value)) compact_strand(s, t, compact_key_from(s, v, hash), value);
}

/* Pair number i of the buckets from `first` on, in a table of another size, if it is the region's:
 * its hash lies there, and it is in the home that the pass takes. */
ROOST_FN struct compact_pair compact_region_pair(const struct shape from_shape, const struct compact_transfer *t,
                                                 const struct compact_region *r, uint32_t first, uint32_t i, uint32_t slots)
{
    struct compact_pair pair = {0, 0, false, false};
    if (i >= slots) return pair;
    const uint32_t per = (uint32_t)from_shape.slots;
    pair = compact_pair_load(from_shape, &t->from, first + i / per, (int)(i % per));
    const bool wanted = t->move >= COMPACT_STAYS || pair.second == (t->move == COMPACT_RESETTLES);
    pair.taken &= wanted && r->low <= pair.hash && pair.hash <= r->high;
    return pair;
}

/* Takes the region's pairs out of a table of another size: buckets are in the order of the hashes
 * at every size.  Those in their second homes come in a second pass, when all regions are built: a
 * region takes those that lie among its hashes there, and stores them elsewhere.  These are few, so
 * the tile first collects one for each lane.  In a move within the table they stay in their second
 * homes (compact_move.c). */
ROOST_FN void compact_region_pull(const struct shape s, const struct shape from_shape, const tile g,
                                  const struct compact_transfer *t, const struct compact_view *v, const struct compact_region *r,
                                  struct compact_scratch *m, struct tally *tally)
{
    const int bits = compact_bits(s);
    const uint32_t first = compact_place_of(bits, &t->from.range, r->low).bucket, size = (uint32_t)g.size;
    const uint32_t slots = (compact_place_of(bits, &t->from.range, r->high).bucket - first + 1) * (uint32_t)from_shape.slots;
    uint64_t *const waiting = (uint64_t *)(void *)m->bucket; /* up to 2 size hashes and values */
    uint32_t n = 0;
    for (uint32_t i = 0; i < slots; i += size) {
        const struct compact_pair pair = compact_region_pair(from_shape, t, r, first, i + (uint32_t)g.lane, slots);
        tally->moved += pair.taken;
        if (t->move != COMPACT_RESETTLES) {
            if (pair.taken) compact_region_receive(s, g, t, v, r, &pair, m);
            continue;
        }
        const uint32_t who = tile_ballot(g, pair.taken), at = n + (uint32_t)bit_count32(who & ((1u << g.lane) - 1u));
        if (pair.taken) waiting[2 * at] = compact_pair_hash(s, &pair), waiting[2 * at + 1] = pair.value;
        n += (uint32_t)bit_count32(who);
        tile_sync(g);
        if (n < size && i + size < slots) continue;
        const uint32_t now = n < size ? n : size;
        n -= now;
        if ((uint32_t)g.lane < now)
            compact_resettle(s, t, v, waiting[2 * (n + (uint32_t)g.lane)], waiting[2 * (n + (uint32_t)g.lane) + 1]);
        tile_sync(g);
    }
    if ((uint32_t)g.lane < n) compact_resettle(s, t, v, waiting[2 * g.lane], waiting[2 * g.lane + 1]);
    tile_sync(g);
}

/* The same for the old stash: each region takes the entries of its number, modulo n regions. */
ROOST_FN void compact_region_beside(const struct shape s, const tile g, const struct compact_transfer *t,
                                    const struct compact_view *v, uint64_t number, struct tally *tally)
{
    const uint64_t n = 1ULL << t->columns.digit_bits;
    for (uint64_t i = number + (unsigned)g.lane * n; i < t->from.stash_entries; i += (unsigned)g.size * n) {
        struct compact_entry *const e = t->from.stash + i;
        if (e->state != COMPACT_STASHED) continue;
        tally->moved++;
        compact_resettle(s, t, v, e->hash, compact_cell_load(compact_entry_cell(s, e)));
    }
}

/* ---- Items of a batch ------------------------------------------------------------------------ */

/* How many items ahead a host loads values; the sorted items that one lane tests together. */
enum { COMPACT_AHEAD = 24, COMPACT_RUN = 64 };

/* An item as the sorted columns have it. */
struct compact_arrival {
    uint64_t hash;
    roost_value value;
    uint32_t index;
    bool exists;
};

/* A payload of 8 bytes has the value above the index. */
ROOST_FN uint32_t compact_index_in(const struct compact_columns *c, uint64_t i)
{
    return (uint32_t)load_width(c->payload_bytes, c->payload, i);
}

ROOST_FN struct compact_arrival compact_arrival_load(const struct shape s, const struct compact_columns *c, const struct batch *b,
                                                     uint64_t i, uint64_t end)
{
    struct compact_arrival e = {0, 0, 0, i < end};
    if (!e.exists) return e;
    e.hash = load_width(s.key_bytes, c->hashes, i);
    e.index = compact_index_in(c, i);
    if (c->payload_bytes == 8) e.value = load_width(8, c->payload, i) >> 32;
    else if (s.value_bytes) e.value = load_width(s.value_bytes, b->values_in, e.index);
    return e;
}

/* A host loads the value of item i, which may be anywhere among the batch's, some items ahead. */
ROOST_FN void compact_arrival_prefetch(const struct shape s, const struct compact_columns *c, const struct batch *b, uint64_t i,
                                       uint64_t end)
{
    if (c->payload_bytes == 8 || !s.value_bytes || i >= end) return;
    prefetch_read((const char *)b->values_in + (uint64_t)compact_index_in(c, i) * (unsigned)s.value_bytes);
}

ROOST_FN void compact_arrival_end(const struct batch *b, const struct compact_arrival *e, uint8_t status, struct tally *tally)
{
    tally->inserted += status == ROOST_ITEM_INSERTED;
    tally->updated += status != ROOST_ITEM_INSERTED;
    if (status == ROOST_ITEM_INSERTED) tally_stored(tally, 0, 1);
    if (b->statuses) b->statuses[e->index] = status;
}

/* Serves an item for each lane.  Of items with one key the lowest lane's looks for a slot; the
 * others update its value after that. */
ROOST_FN void compact_region_serve(const struct shape s, const tile g, const struct batch *b, const struct compact_view *v,
                                   const struct compact_region *r, const struct compact_arrival *e, struct compact_scratch *m,
                                   struct tally *tally)
{
    const tile alone = {1, 0, 1u};
    const struct compact_aim aim = {QUIESCENT, false, false};
    const struct compact_home home = compact_home_of(s, v, e->hash, 0);
    const struct compact_wish wish = {home.tag, compact_filter_bit(e->hash), COMPACT_NO_EPOCH, 0};
    const bool here = e->exists && home.bucket >= r->first;
    const uint32_t twins = tile_equal64(g, e->hash) & tile_ballot(g, here), bucket = here ? home.bucket - r->first : 0;
    const int leader = here ? bit_lowest32(twins) : g.lane;
    struct compact_look look = {-1, -1, 0, true, 0, 0};
    bool stored = false;
    if (here && leader == g.lane) look = compact_look_into(s, alone, aim, &r->at, bucket, &wish);
    tile_sync(g); /* all lanes have looked before one stores */
    int slot = look.match;
    if (slot < 0 && !look.filtered) slot = compact_region_store(s, g, r, bucket, home.tag, e->value, m), stored = slot >= 0;
    tile_sync(g);
    slot = (int)tile_from32(g, (uint32_t)slot, leader);
    if (e->exists && slot < 0) batch_park(b, e->index);
    if (here && slot >= 0 && !stored)
        cell_update(b, b->mode, compact_cell(s, compact_slot_at(s, &r->at, bucket, slot)), 0, e->value);
    if (here && slot >= 0)
        compact_arrival_end(b, e, stored ? ROOST_ITEM_INSERTED : operation_status(ROOST_OP_INSERT + b->mode, true), tally);
    tile_sync(g);
}

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
    if (t->move != COMPACT_RESETTLES) compact_region_open(s, g, v, &r, t->vacant, m);
    if (t->from.range.buckets) compact_region_pull(s, from_shape, g, t, v, &r, m, tally);
    if (t->move == COMPACT_RESETTLES) {
        compact_region_beside(s, g, t, v, item->index, tally);
        return STEP_DONE;
    }
    struct compact_arrival ahead = compact_arrival_load(s, c, b, first + (unsigned)g.lane, end);
    for (uint64_t i = first; i < end; i += (unsigned)g.size) {
        const struct compact_arrival e = ahead;
        ahead = compact_arrival_load(s, c, b, i + (unsigned)(g.size + g.lane), end);
        compact_arrival_prefetch(s, c, b, i + COMPACT_AHEAD, end);
        compact_region_serve(s, g, b, v, &r, &e, m, tally);
    }
    compact_region_close(g, v, &r, m, t->move != COMPACT_COUNTS);
    return STEP_DONE;
}

/* ---- Columns --------------------------------------------------------------------------------- */

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
ROOST_FN void compact_columns_park(const struct shape s, const struct compact_columns *c, const struct batch *b, uint64_t run)
{
    const uint64_t first = run * COMPACT_RUN, behind = first + COMPACT_RUN, end = behind < c->n ? behind : c->n;
    const uint64_t digit = compact_digit_of(s, c, first), taken = c->bounds[digit] + c->most;
    for (uint64_t i = first < taken ? taken : first; i < end && compact_digit_of(s, c, i) == digit; i++)
        batch_park(b, compact_index_in(c, i));
}

/* Fills a batch's columns: item i's hash and payload; or its hash alone, as a number of 64 bits
 * (b->counts).  Or, where the columns are sorted: finds where digit i begins; and parks items of
 * run i. */
ROOST_FN enum step compact_columns_step(const struct shape unused, const tile g, const void *view, const struct batch *b,
                                        struct item *item, struct tally *tally, void *scratch)
{
    const struct compact_view *v = (const struct compact_view *)view;
    const struct compact_transfer *t = transfer_of(view);
    const struct compact_columns *const c = &t->columns;
    const struct shape s = t->shape;
    const int bits = compact_bits(s);
    const uint64_t i = item->index;
    (void)unused, (void)g, (void)tally, (void)scratch;
    if (!c->bounds) {
        const uint64_t hash = compact_hash(bits, &v->seeds, load_width(s.key_bytes, b->keys, i));
        const uint64_t value = c->payload_bytes == 8 ? load_width(4, b->values_in, i) : 0;
        if (b->counts) b->counts[i] = hash;
        if (!c->hashes) return STEP_DONE;
        store_width(s.key_bytes, (void *)(uintptr_t)c->hashes, i, hash);
        store_width(c->payload_bytes, (void *)(uintptr_t)c->payload, i, i | value << 32);
        return STEP_DONE;
    }
    if (c->parks) compact_columns_park(s, c, b, i);
    else c->bounds[i] = compact_bound(s, c, i);
    return STEP_DONE;
}

#endif
