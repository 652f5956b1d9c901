/* A pass of a partition run backwards, in the dialect: what was answered in the order that the pass brought items into goes back to the order that they
 * came in.  Nobody has kept where the pass put them, so their places are found again, as the pass found them: a place is that of the first item of
 * its digit, and how many items of this digit came before.  Each tile has a chunk of the items; what is read lies in as many runs as there are digits,
 * and what is written in one. */
#ifndef ROOST_PORTABLE_PARTITION_ITEMS_H
#define ROOST_PORTABLE_PARTITION_ITEMS_H

#include "portable/item.h"

enum {
    PARTITION_DIGIT = 8, /* bits of a pass, at most */
    PARTITION_DIGITS = 1 << PARTITION_DIGIT,
    PARTITION_CHUNK = 1024 /* items: what the tiles of a multiprocessor read meanwhile stays in its cache */
};

/* A kernel's arguments; where values and flags may be missing, NULL. */
struct partition_replay {
    const uint8_t *codes; /* the items' digits, as they came */
    uint64_t n;           /* up to 2^31 */
    int value_bytes;
    const void *values; /* by the place that the pass gave; of what is absent, 0 */
    const uint8_t *found;
    void *values_out; /* as they came */
    uint8_t *found_out, *statuses_out;
    bool absent_zero; /* values of items that were not found become 0; else they stay what they are */
    uint32_t *places; /* by digit, and of each by chunk: how many items there are; and then, of all before them */
    uint32_t chunks;
};

ROOST_FN uint32_t partition_chunks(uint64_t n) { return (uint32_t)((n + PARTITION_CHUNK - 1) / PARTITION_CHUNK); }

/* How many items of each digit a chunk has.  count: of the tile, a number for each digit. */
ROOST_FN void partition_count(const tile g, const struct partition_replay *r, uint32_t chunk, uint32_t *count)
{
    const uint64_t first = (uint64_t)chunk * PARTITION_CHUNK, end = first + PARTITION_CHUNK, last = end < r->n ? end : r->n;
    for (int d = g.lane; d < PARTITION_DIGITS; d += g.size) count[d] = 0;
    tile_sync(g);
    for (uint64_t i = first + (unsigned)g.lane; i < last; i += (unsigned)g.size)
        (void)add_relaxed_device32(&count[r->codes[i]], 1); /* lanes meet in a digit: of two plain additions one would be lost */
    tile_sync(g);
    for (int d = g.lane; d < PARTITION_DIGITS; d += g.size) r->places[(uint64_t)d * r->chunks + chunk] = count[d];
}

/* The lanes whose digit is the same, of those that have one. */
ROOST_FN uint32_t partition_peers(const tile g, uint32_t digit, bool has)
{
    uint32_t peers = tile_ballot(g, has);
    if (g.size == 1) return peers;
    ROOST_UNROLL
    for (int bit = 0; bit < PARTITION_DIGIT; bit++) {
        const bool set = digit >> bit & 1;
        const uint32_t those = tile_ballot(g, set);
        peers &= set ? those : ~those;
    }
    return peers;
}

ROOST_FN void partition_answer(const struct partition_replay *r, uint64_t item, uint32_t place)
{
    const bool found = r->found[place] != 0;
    const uint64_t value = r->values_out ? load_width(r->value_bytes, r->values, place) : 0; /* of what is absent, 0 */
    if (r->found_out) r->found_out[item] = found;
    if (r->statuses_out) r->statuses_out[item] = found ? ROOST_ITEM_FOUND : ROOST_ITEM_ABSENT;
    if (r->values_out && (r->absent_zero || found)) store_width(r->value_bytes, r->values_out, item, value);
}

/* Brings a chunk's answers back. */
ROOST_FN void partition_back(const tile g, const struct partition_replay *r, uint32_t chunk, uint32_t *next)
{
    const uint64_t first = (uint64_t)chunk * PARTITION_CHUNK, end = first + PARTITION_CHUNK, last = end < r->n ? end : r->n;
    for (int d = g.lane; d < PARTITION_DIGITS; d += g.size) next[d] = r->places[(uint64_t)d * r->chunks + chunk];
    tile_sync(g);
    for (uint64_t at = first; at < last; at += (unsigned)g.size) {
        const uint64_t i = at + (unsigned)g.lane;
        const bool has = i < last;
        const uint32_t digit = has ? r->codes[i] : 0, peers = partition_peers(g, digit, has);
        const uint32_t before = (uint32_t)bit_count32(peers & ((1u << g.lane) - 1u)), place = next[digit] + before;
        tile_sync(g); /* all lanes have read their digit's number before its first one raises it */
        if (has && !before) next[digit] += (uint32_t)bit_count32(peers);
        tile_sync(g);
        if (has) partition_answer(r, i, place);
    }
}

#endif
