/* Kernel bodies of items on their way to the owners of their keys, and of the answers' way back
 * (src/sharding).
 *
 * Items are split by owner.  The split is stable: an item's place among those of its owner is the
 * number of earlier ones.  Each tile takes a chunk of successive items.  First it counts those of
 * each owner; once the counts of all chunks have become places, it moves the items.  An owner's
 * items and their answers lie wherever the owner said, which may be the memory of another rank. */
#ifndef ROOST_BATCHES_TRAVEL_ITEMS_H
#define ROOST_BATCHES_TRAVEL_ITEMS_H

#include "batches/batches_items.h"
#include "portable/owner.h"

enum {
    TRAVEL_CHUNK = 1024, /* items of a chunk; more of them if there are many owners */
    TRAVEL_AHEAD = 4,    /* items of a lane that are in progress together */
    TRAVEL_POSTED = 8,   /* the same, of those whose owners have room for them */
    /* In a word with the owner. */
    TRAVEL_PLACE_BITS = 24,
    TRAVEL_PLACES_MOST = 1 << TRAVEL_PLACE_BITS,
    TRAVEL_OWNERS_MOST = 1 << (32 - TRAVEL_PLACE_BITS),
    /* Keys that are known to come often, at most, and places to look them up. */
    HOT_MOST = 1024,
    HOT_PLACES = 4096,
    HOT_NONE = 0xffff,
    TRAVEL_SCRATCH = HOT_MOST / 32, /* words of a tile's scratch memory */
    /* Sums of a hot key, which its items share: with one they would queue for it. */
    HOT_SUMS = 64,
    HOT_LINE = 16 /* words */
};

/* Keys that come so often that one of their items travels for all. */
struct hot_index {
    uint64_t key[HOT_PLACES];
    uint16_t number[HOT_PLACES]; /* of the key at a place; HOT_NONE: vacant */
};
struct hot_keys {
    struct hot_index index;
    /* Of each key: the complement of the item that travels; 0: none in the round.  Each is in a
     * line of its own: atomics on one line queue. */
    uint32_t first[HOT_MOST][HOT_LINE];
    uint64_t sum[HOT_SUMS][HOT_MOST];
};

ROOST_FN uint32_t travel_hash(const struct batches_args *a, uint64_t i)
{
    const struct batch *b = &a->batch;
    const uint32_t bytes = b->key_bytes;
    if (width_is_word((int)bytes)) return owner_hash_word(a->travel.secret, load_width((int)bytes, b->keys, i), bytes);
    return owner_hash_bytes(a->travel.secret, (const unsigned char *)b->keys + i * bytes, bytes);
}

/* ---- Hot keys -------------------------------------------------------------------------------- */

/* Copies some items' keys, and their hashes. */
ROOST_FN void batches_sample(const struct batches_args *a, uint64_t i)
{
    const uint64_t item = i * a->travel.stride;
    a->travel.sample[i].hash = travel_hash(a, item);
    a->travel.sample[i].key = load_width(a->batch.key_bytes, a->batch.keys, item);
}

/* The place of a hot key, or the vacant one where it would be. */
ROOST_FN uint32_t hot_place(const struct hot_index *index, uint32_t hash, roost_key key)
{
    uint32_t at = hash % HOT_PLACES;
    while (index->number[at] != HOT_NONE && index->key[at] != key) at = (at + 1) % HOT_PLACES;
    return at;
}

/* The item that travels for this one. */
ROOST_FN uint64_t travel_leader(const struct batches_args *a, uint64_t i)
{
    const uint32_t number = a->travel.hot ? a->travel.hot[i] : (uint32_t)HOT_NONE;
    return number == HOT_NONE ? i : ~a->travel.hot_keys->first[number][0];
}

/* What sums begin with: for ADD nothing, for MIN and MAX one of the values. */
ROOST_FN void batches_hot_begin(const struct batches_args *a, uint64_t i)
{
    const struct batch *b = &a->batch;
    struct hot_keys *const hot = a->travel.hot_keys;
    const uint32_t number = (uint32_t)(i % HOT_MOST), first = ~hot->first[number][0];
    const bool some = hot->first[number][0] && b->mode != ROOST_ADD;
    hot->sum[i / HOT_MOST][number] = some ? load_width(b->value_bytes, b->values_in, first) : 0;
}

ROOST_FN struct cell hot_cell(const struct batches_args *a, uint32_t sum, uint32_t number)
{
    const int bytes = a->batch.value_bytes;
    const struct cell cell = {&a->travel.hot_keys->sum[sum][number], bytes, 0, 8 * bytes};
    return cell;
}

/* Combines the values of a hot key's items.  Lanes meet at the sums: of two plain additions one
 * would be lost. */
ROOST_FN void batches_hot_add(const struct batches_args *a, uint64_t i)
{
    const struct batch *b = &a->batch;
    const uint32_t number = a->travel.hot[i];
    if (number == HOT_NONE) return;
    cell_update(b, b->mode, hot_cell(a, (uint32_t)(i / 32 % HOT_SUMS), number), 0, load_width(b->value_bytes, b->values_in, i));
}

ROOST_FN void batches_hot_end(const struct batches_args *a, uint64_t number)
{
    struct hot_keys *const hot = a->travel.hot_keys;
    for (uint32_t sum = 1; sum < HOT_SUMS; sum++)
        cell_update(&a->batch, a->batch.mode, hot_cell(a, 0, (uint32_t)number), 0, hot->sum[sum][number]);
}

/* The status of an item whose leader, which came first, has this one. */
ROOST_FN uint8_t status_behind(uint8_t leaders, const int mode)
{
    if (leaders == ROOST_ITEM_INSERTED) return mode == ROOST_KEEP ? ROOST_ITEM_KEPT : ROOST_ITEM_UPDATED;
    return leaders == ROOST_ITEM_ERASED ? (uint8_t)ROOST_ITEM_ABSENT : leaders;
}

/* ---- The split ------------------------------------------------------------------------------- */

/* The next place of each bin in a tile's chunk.  If a tile has as many lanes as there are bins, a
 * lane keeps that of one bin; else they are in memory, where only this tile is at them. */
struct travel_next {
    uint32_t *in_memory; /* that of bin 0; the others follow in steps of `chunks` */
    uint32_t mine;
    bool in_lanes;
};

ROOST_FN struct travel_next travel_begin(const tile g, const struct batches_args *a, uint64_t chunk)
{
    const struct travel *const t = &a->travel;
    struct travel_next next = {&t->places[chunk], 0, g.size > 1 && a->bins <= (unsigned)g.size};
    if (next.in_lanes && (unsigned)g.lane < a->bins) next.mine = next.in_memory[(uint64_t)(unsigned)g.lane * t->chunks];
    return next;
}

ROOST_FN void travel_finish(const tile g, const struct batches_args *a, const struct travel_next *next)
{
    if (next->in_lanes && (unsigned)g.lane < a->bins) next->in_memory[(uint64_t)(unsigned)g.lane * a->travel.chunks] = next->mine;
}

/* Takes the next place of the lane's bin, which goes up by the lanes that have taken one.  The
 * order is that of the lanes. */
ROOST_FN uint32_t travel_take(const tile g, const struct batches_args *a, struct travel_next *next, uint32_t bin, bool has)
{
    /* The lanes with this lane's bin; and those with the bin whose place this lane keeps. */
    uint32_t peers = tile_ballot(g, has), takers = peers;
    for (uint32_t bit = 1; g.size > 1 && bit < a->bins; bit *= 2) {
        const uint32_t those = tile_ballot(g, (bin & bit) != 0);
        peers &= bin & bit ? those : ~those;
        takers &= (uint32_t)g.lane & bit ? those : ~those;
    }
    const uint32_t before = (uint32_t)bit_count32(peers & ((1u << g.lane) - 1u));
    if (next->in_lanes) {
        const uint32_t place = tile_from32(g, next->mine, (int)bin) + before;
        next->mine += (uint32_t)bit_count32(takers);
        return place;
    }
    uint32_t *const at = next->in_memory + (uint64_t)bin * a->travel.chunks;
    const uint32_t place = has ? *at + before : 0;
    tile_sync(g); /* all have read it before one raises it */
    if (has && !before) *at = place + (uint32_t)bit_count32(peers);
    tile_sync(g);
    return place;
}

/* A chunk's items. */
struct travel_part {
    uint64_t first;
    uint32_t n;
};

ROOST_FN struct travel_part travel_part_of(const struct batches_args *a, uint64_t chunk)
{
    const uint64_t first = chunk * a->travel.chunk, left = a->batch.n - first;
    const struct travel_part part = {first, left < a->travel.chunk ? (uint32_t)left : a->travel.chunk};
    return part;
}

/* Each item of a chunk learns which hot key it has, and each hot key one of its items, which
 * travels.  seen: memory of the tile, a bit for each hot key: of a chunk one item offers itself.
 * Lanes meet at the bits, and at the item that travels: of two plain stores one would be lost.
 * Most offers see an earlier item there. */
ROOST_FN void batches_hot(const tile g, const struct batches_args *a, uint64_t chunk, uint32_t *seen)
{
    struct hot_keys *const hot = a->travel.hot_keys;
    const struct travel_part part = travel_part_of(a, chunk);
    const int key_bytes = (int)a->batch.key_bytes;
    for (int word = g.lane; word < TRAVEL_SCRATCH; word += g.size) seen[word] = 0;
    tile_sync(g);
    for (uint32_t at = (uint32_t)g.lane; at < part.n; at += (uint32_t)g.size) {
        const uint32_t i = (uint32_t)(part.first + at);
        const roost_key key = load_width(key_bytes, a->batch.keys, i);
        const uint32_t hash = owner_hash_word(a->travel.secret, key, (uint32_t)key_bytes);
        const uint32_t number = hot->index.number[hot_place(&hot->index, hash, key)], bit = 1u << number % 32;
        a->travel.hot[i] = (uint16_t)number;
        if (number == HOT_NONE || or_relaxed_device32(&seen[number / 32], bit) & bit) continue;
        uint32_t *const first = hot->first[number];
        if (load_relaxed_device32(first) < ~i) (void)max_relaxed_device32(first, ~i);
    }
}

/* The k-th of the items that a lane has in progress, in its chunk.  Items in progress are loaded
 * before one of them is stored, so that they wait for memory together. */
ROOST_FN uint32_t travel_item(const tile g, uint32_t at, int k) { return at + (uint32_t)(k * g.size + g.lane); }

/* words[bin] becomes the number of items in the bins before. */
ROOST_FN void batches_bins(const struct batches_args *a, uint64_t bin)
{
    const struct travel *const t = &a->travel;
    a->words[bin] = bin < a->bins ? t->places[bin * t->chunks] : a->batch.n;
}

/* ---- To the owners --------------------------------------------------------------------------- */

/* key_bytes: a constant; 0: of other widths. */
ROOST_FN uint32_t travel_bin(const struct batches_args *a, uint64_t i, const uint32_t key_bytes, roost_key key)
{
    const struct travel *const t = &a->travel;
    if (t->hot && travel_leader(a, i) != i) return t->owners;
    return owner_of(key_bytes ? owner_hash_word(t->secret, key, key_bytes) : travel_hash(a, i), t->owners);
}

ROOST_FN void travel_count(const tile g, const struct batches_args *a, uint64_t chunk, const uint32_t key_bytes)
{
    const struct travel_part part = travel_part_of(a, chunk);
    const char *const keys = (const char *)a->batch.keys + part.first * key_bytes;
    uint16_t *const bins = a->travel.bins + part.first;
    struct travel_next next = travel_begin(g, a, chunk);
    for (uint32_t at = 0; at < part.n; at += TRAVEL_AHEAD * (uint32_t)g.size) {
        roost_key key[TRAVEL_AHEAD];
        ROOST_UNROLL
        for (int k = 0; k < TRAVEL_AHEAD; k++) {
            const uint32_t i = travel_item(g, at, k);
            key[k] = key_bytes ? load_width((int)key_bytes, keys, i < part.n ? i : 0) : 0;
        }
        ROOST_UNROLL
        for (int k = 0; k < TRAVEL_AHEAD; k++) {
            const uint32_t i = travel_item(g, at, k), bin = travel_bin(a, part.first + (i < part.n ? i : 0), key_bytes, key[k]);
            (void)travel_take(g, a, &next, bin, i < part.n);
            if (i < part.n) bins[i] = (uint16_t)bin;
        }
    }
    travel_finish(g, a, &next);
}

/* Finds the owners of a chunk's items, and counts them. */
ROOST_FN void batches_owner(const tile g, const struct batches_args *a, uint64_t chunk, uint32_t *scratch)
{
    (void)scratch;
    if (a->batch.key_bytes == 4) travel_count(g, a, chunk, 4);
    else if (a->batch.key_bytes == 8) travel_count(g, a, chunk, 8);
    else travel_count(g, a, chunk, 0);
}

/* Stores what an item brings along.  value: it was loaded, if values are words. */
ROOST_FN void travel_bring(const struct columns *to, const struct batches_args *a, uint64_t i, uint32_t place,
                           const int value_bytes, uint64_t value)
{
    const struct batch *b = &a->batch;
    const uint32_t number = a->travel.hot_sums ? a->travel.hot[i] : (uint32_t)HOT_NONE;
    if (to->operations) to->operations[place] = b->operations[i];
    if (!to->values_in || !b->values_in) return;
    if (number != HOT_NONE) store_width(value_bytes, to->values_in, place, a->travel.hot_keys->sum[0][number]);
    else if (width_is_word(value_bytes)) store_width(value_bytes, to->values_in, place, value);
    else copy_width(value_bytes, to->values_in, place, b->values_in, i);
}

ROOST_FN void travel_move(const tile g, const struct batches_args *a, uint64_t chunk, const int key_bytes, const int value_bytes)
{
    const struct travel *const t = &a->travel;
    const struct batch *b = &a->batch;
    const struct travel_part part = travel_part_of(a, chunk);
    const char *const keys = (const char *)b->keys + part.first * (unsigned)key_bytes;
    const uint16_t *const bins = t->bins + part.first;
    uint32_t *const places_of = t->places_of + part.first;
    struct travel_next next = travel_begin(g, a, chunk);
    for (uint32_t at = 0; at < part.n; at += TRAVEL_AHEAD * (uint32_t)g.size) {
        uint32_t bin[TRAVEL_AHEAD], place[TRAVEL_AHEAD];
        uint64_t key[TRAVEL_AHEAD], value[TRAVEL_AHEAD];
        ROOST_UNROLL
        for (int k = 0; k < TRAVEL_AHEAD; k++) {
            const uint32_t i = travel_item(g, at, k) < part.n ? travel_item(g, at, k) : 0;
            bin[k] = bins[i];
            key[k] = width_is_word(key_bytes) ? load_width(key_bytes, keys, i) : 0;
            value[k] = width_is_word(value_bytes) && b->values_in ? load_width(value_bytes, b->values_in, part.first + i) : 0;
        }
        ROOST_UNROLL
        for (int k = 0; k < TRAVEL_AHEAD; k++) place[k] = travel_take(g, a, &next, bin[k], travel_item(g, at, k) < part.n);
        ROOST_UNROLL
        for (int k = 0; k < TRAVEL_AHEAD; k++) {
            const uint32_t i = travel_item(g, at, k);
            if (i >= part.n || bin[k] == t->owners) continue;
            const struct travel_end *const to = &t->ends[bin[k]];
            const uint32_t there = place[k] - to->before;
            places_of[i] = there;
            if (width_is_word(key_bytes)) store_width(key_bytes, to->columns.keys, there, key[k]);
            else copy_width(key_bytes, to->columns.keys, there, b->keys, part.first + i);
            travel_bring(&to->columns, a, part.first + i, there, value_bytes, value[k]);
        }
    }
}

/* Moves a chunk's items to their owners. */
ROOST_FN void batches_send(const tile g, const struct batches_args *a, uint64_t chunk, uint32_t *scratch)
{
    (void)scratch;
    const int key = (int)a->batch.key_bytes, value = a->batch.value_bytes;
    if (key == 4 && value == 4) travel_move(g, a, chunk, 4, 4);
    else if (key == 8 && value == 8) travel_move(g, a, chunk, 8, 8);
    else travel_move(g, a, chunk, key, value);
}

/* ---- To owners that have room ---------------------------------------------------------------- */

/* Finds need no order, and no count before they go, if all owners have room for about as many as
 * chance sends them.  A tile takes places for several items of each lane at once. */

/* Takes places among the items of the owners.  Tiles, or lanes, meet at the owners' counts: of two
 * plain additions one would be lost. */
ROOST_FN void travel_reserve(const tile g, const struct batches_args *a, const uint32_t bin[TRAVEL_POSTED],
                             const bool goes[TRAVEL_POSTED], uint32_t place[TRAVEL_POSTED])
{
    struct travel_next next = {NULL, 0, g.size > 1 && a->bins <= (unsigned)g.size};
    if (!next.in_lanes) {
        for (int k = 0; k < TRAVEL_POSTED; k++) place[k] = goes[k] ? (uint32_t)add_relaxed_device64(&a->words[bin[k]], 1) : 0;
        return;
    }
    ROOST_UNROLL
    for (int k = 0; k < TRAVEL_POSTED; k++) place[k] = travel_take(g, a, &next, bin[k], goes[k]);
    const bool keeps = (unsigned)g.lane < a->bins && next.mine;
    const uint32_t first = keeps ? (uint32_t)add_relaxed_device64(&a->words[g.lane], next.mine) : 0;
    ROOST_UNROLL
    for (int k = 0; k < TRAVEL_POSTED; k++) place[k] += tile_from32(g, first, (int)bin[k]);
}

ROOST_FN void travel_put(const tile g, const struct batches_args *a, uint64_t chunk, const int key_bytes)
{
    const struct travel *const t = &a->travel;
    const struct batch *b = &a->batch;
    const bool word = width_is_word(key_bytes);
    const struct travel_part part = travel_part_of(a, chunk);
    const char *const keys = (const char *)b->keys + part.first * (unsigned)key_bytes;
    uint32_t *const places_of = t->places_of + part.first;
    for (uint32_t at = 0; at < part.n; at += TRAVEL_POSTED * (uint32_t)g.size) {
        uint32_t bin[TRAVEL_POSTED], place[TRAVEL_POSTED];
        bool goes[TRAVEL_POSTED];
        roost_key key[TRAVEL_POSTED];
        ROOST_UNROLL
        for (int k = 0; k < TRAVEL_POSTED; k++) {
            const uint32_t i = travel_item(g, at, k);
            key[k] = word ? load_width(key_bytes, keys, i < part.n ? i : 0) : 0;
        }
        ROOST_UNROLL
        for (int k = 0; k < TRAVEL_POSTED; k++) {
            const uint32_t i = travel_item(g, at, k);
            bin[k] = travel_bin(a, part.first + (i < part.n ? i : 0), word ? (uint32_t)key_bytes : 0, key[k]);
            goes[k] = i < part.n && bin[k] != t->owners;
        }
        travel_reserve(g, a, bin, goes, place);
        ROOST_UNROLL
        for (int k = 0; k < TRAVEL_POSTED; k++) {
            const uint32_t i = travel_item(g, at, k);
            if (!goes[k] || place[k] >= t->room) continue;
            places_of[i] = bin[k] << TRAVEL_PLACE_BITS | place[k];
            if (word) store_width(key_bytes, t->ends[bin[k]].columns.keys, place[k], key[k]);
            else copy_width(key_bytes, t->ends[bin[k]].columns.keys, place[k], b->keys, part.first + i);
        }
    }
}

/* Moves a chunk's keys to owners that have room.  words: how many each owner should have got. */
ROOST_FN void batches_post(const tile g, const struct batches_args *a, uint64_t chunk, uint32_t *scratch)
{
    (void)scratch;
    const int key = (int)a->batch.key_bytes;
    if (key == 4) travel_put(g, a, chunk, 4);
    else if (key == 8) travel_put(g, a, chunk, 8);
    else travel_put(g, a, chunk, key);
}

/* Tells an owner how many have come. */
ROOST_FN void batches_tell(const struct batches_args *a, uint64_t owner) { *a->travel.ends[owner].count = a->words[owner]; }

/* ---- The way back ---------------------------------------------------------------------------- */

/* An answer on its way. */
struct travel_answer {
    const struct columns *from; /* the owner's */
    uint32_t place;             /* among its items */
    uint64_t value;
    uint8_t status; /* of the item that has travelled */
    bool leads;     /* the item itself has */
};

/* posted: the owner had room for it. */
ROOST_FN struct travel_answer travel_ask(const struct batches_args *a, uint64_t i, const bool posted)
{
    const struct travel *const t = &a->travel;
    const uint64_t leader = t->hot ? travel_leader(a, i) : i;
    const uint32_t place = t->places_of[leader], owner = posted ? place >> TRAVEL_PLACE_BITS : t->bins[leader];
    const struct travel_answer answer = {&t->ends[owner].columns, posted ? place % TRAVEL_PLACES_MOST : place, 0, 0, leader == i};
    return answer;
}

/* value_bytes: 0: no values are wanted. */
ROOST_FN void travel_arrive(const struct batches_args *a, uint64_t i, const struct travel_answer *answer, const int value_bytes)
{
    const struct batch *b = &a->batch;
    const uint8_t status = answer->leads ? answer->status : status_behind(answer->status, b->mode);
    const bool found = status == ROOST_ITEM_FOUND;
    if (status == ROOST_ITEM_FULL) (void)add_relaxed_device64(&a->words[0], 1);
    if (status == ROOST_ITEM_NO_MEMORY) (void)add_relaxed_device64(&a->words[1], 1);
    if (b->statuses) b->statuses[i] = status;
    if (b->found) b->found[i] = found;
    if (!value_bytes) return;
    if (found && width_is_word(value_bytes)) store_width(value_bytes, b->values_out, i, answer->value);
    else if (found) copy_width(value_bytes, b->values_out, i, answer->from->values_out, answer->place);
    else if (b->absent_zero) clear_width(value_bytes, b->values_out, i);
}

ROOST_FN void travel_return(const tile g, const struct batches_args *a, uint64_t chunk, const int value_bytes, const bool posted)
{
    const struct travel_part part = travel_part_of(a, chunk);
    for (uint32_t at = 0; at < part.n; at += TRAVEL_AHEAD * (uint32_t)g.size) {
        struct travel_answer answer[TRAVEL_AHEAD];
        ROOST_UNROLL
        for (int k = 0; k < TRAVEL_AHEAD; k++) {
            const uint32_t i = travel_item(g, at, k);
            answer[k] = travel_ask(a, part.first + (i < part.n ? i : 0), posted);
        }
        ROOST_UNROLL
        for (int k = 0; k < TRAVEL_AHEAD; k++) answer[k].status = answer[k].from->statuses[answer[k].place];
        ROOST_UNROLL
        for (int k = 0; k < TRAVEL_AHEAD; k++)
            if (width_is_word(value_bytes) && answer[k].status == ROOST_ITEM_FOUND)
                answer[k].value = load_width(value_bytes, answer[k].from->values_out, answer[k].place);
        ROOST_UNROLL
        for (int k = 0; k < TRAVEL_AHEAD; k++) {
            const uint32_t i = travel_item(g, at, k);
            if (i < part.n) travel_arrive(a, part.first + i, &answer[k], value_bytes);
        }
    }
}

ROOST_FN void travel_return_any(const tile g, const struct batches_args *a, uint64_t chunk, const bool posted)
{
    const int value = a->batch.values_out ? a->batch.value_bytes : 0;
    if (value == 4) travel_return(g, a, chunk, 4, posted);
    else if (value == 8) travel_return(g, a, chunk, 8, posted);
    else if (value == 0) travel_return(g, a, chunk, 0, posted);
    else travel_return(g, a, chunk, value, posted);
}

/* Brings a chunk's items their answers.  words[0] and words[1] count items that found no room, and
 * no memory. */
ROOST_FN void batches_back(const tile g, const struct batches_args *a, uint64_t chunk, uint32_t *scratch)
{
    (void)scratch;
    travel_return_any(g, a, chunk, false);
}

/* The same of items that were posted. */
ROOST_FN void batches_fetch(const tile g, const struct batches_args *a, uint64_t chunk, uint32_t *scratch)
{
    (void)scratch;
    travel_return_any(g, a, chunk, true);
}

/* Inserts that were not tried found no memory. */
ROOST_FN void batches_untried(const struct batches_args *a, uint64_t i)
{
    const struct batch *b = &a->batch;
    const bool meant = !b->operations || batch_takes(b, b->operations[i]);
    if (meant && a->columns.statuses[i] == ROOST_ITEM_NONE) a->columns.statuses[i] = ROOST_ITEM_NO_MEMORY;
}

#endif
