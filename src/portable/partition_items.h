/* A pass of a partition run backwards, in the dialect: answers in the order after the pass return
 * to the order before it.
 *
 * The places that the pass chose are not stored; they are computed again as the pass did.  An
 * item's place is the first place of its digit plus the number of earlier items of this digit.
 *
 * Each tile works on a chunk of the items, whose answers lie in one run per digit.  It reads them
 * run by run into its scratch memory, neighbours together, and writes them in the order of the
 * items. */
#ifndef ROOST_PORTABLE_PARTITION_ITEMS_H
#define ROOST_PORTABLE_PARTITION_ITEMS_H

#include "portable/item.h"

enum {
    PARTITION_DIGIT = 8, /* bits of a pass, at most */
    PARTITION_DIGITS = 1 << PARTITION_DIGIT,
    /* Items brought back at once: 8 of each digit, which is 64 bytes of values. */
    PARTITION_CHUNK = 2048,
    /* Chunks that one tile counts: their counts of a digit are adjacent. */
    PARTITION_GROUP = 4,
    PARTITION_CODES = 4, /* items whose codes are written as one word */
    /* Reads of a lane in flight together, and digits that are read as one word. */
    PARTITION_AHEAD = 8
};

/* Destination of a kernel whose items are PARTITION_CODES keys each, and which writes the keys'
 * regions: one byte for each key, its top bits. */
struct partition_codes {
    uint8_t *codes; /* aligned to words of 4 bytes */
    uint64_t n;     /* keys */
    uint32_t bits;  /* 1 to 8 */
};

ROOST_FN uint64_t partition_coded_items(const struct partition_codes *c) { return (c->n + PARTITION_CODES - 1) / PARTITION_CODES; }

/* An item's keys; behind the last key the item's first key again. */
ROOST_FN void partition_codes_load(const struct partition_codes *c, int key_bytes, const void *keys, uint64_t item, roost_key *key)
{
    const uint64_t first = item * PARTITION_CODES;
    ROOST_UNROLL
    for (uint32_t k = 0; k < PARTITION_CODES; k++) key[k] = load_width(key_bytes, keys, first + k < c->n ? first + k : first);
}

/* Stores their regions: the first c->bits bits of each key's hash. */
ROOST_FN void partition_codes_store(const struct partition_codes *c, uint64_t item, const uint64_t *hash)
{
    const uint64_t first = item * PARTITION_CODES;
    uint32_t word = 0;
    ROOST_UNROLL
    for (uint32_t k = 0; k < PARTITION_CODES; k++) word |= ((uint32_t)(hash[k] >> 56) & 0xff00u >> c->bits) << 8 * k;
    if (first + PARTITION_CODES <= c->n) ((uint32_t *)(void *)c->codes)[item] = word;
    else
        for (uint32_t k = 0; first + k < c->n; k++) c->codes[first + k] = (uint8_t)(word >> 8 * k);
}

/* A kernel's arguments; values and flags may be NULL. */
struct partition_replay {
    /* In the order before the pass: the items' digits; aligned to words of 8 bytes. */
    const uint8_t *codes;
    uint64_t n; /* up to 2^31 */
    int value_bytes;
    const void *values;   /* in the order after the pass; 0 for absent keys */
    const uint8_t *fates; /* roost_item_status, in the order after the pass */
    void *values_out;     /* in the order before the pass */
    uint8_t *found_out, *statuses_out;
    /* Values of items that were not found become 0; else they stay unchanged. */
    bool absent_zero;
    /* For each digit, and within it for each chunk: the number of items; later the number of all
     * items before them. */
    uint32_t *places;
    uint32_t chunks; /* partition_chunks(n) */
};

/* The working memory of a tile. */
struct partition_scratch {
    /* In the order after the pass: first the place, then the value. */
    uint64_t answer[PARTITION_CHUNK];
    /* In the order before the pass: each item's index in `answer`. */
    uint16_t rank[PARTITION_CHUNK];
    uint8_t fate[PARTITION_CHUNK];     /* in the order after the pass */
    uint32_t next[PARTITION_DIGITS];   /* for each digit: the next item's place, */
    uint32_t behind[PARTITION_DIGITS]; /* and that place minus the item's rank, modulo 2^32 */
};

/* Number of chunks for n items, rounded up to whole groups. */
ROOST_FN uint32_t partition_chunks(uint64_t n)
{
    const uint64_t items = (uint64_t)PARTITION_CHUNK * PARTITION_GROUP;
    return (uint32_t)((n + items - 1) / items) * PARTITION_GROUP;
}

/* The digits of items i .. i + PARTITION_AHEAD - 1, as far as they exist; i is a multiple of
 * PARTITION_AHEAD. */
ROOST_FN uint64_t partition_codes(const struct partition_replay *r, uint64_t i, uint64_t last)
{
    uint64_t codes = 0;
    if (i + PARTITION_AHEAD <= last) return ((const uint64_t *)(const void *)r->codes)[i / PARTITION_AHEAD];
    for (uint64_t k = i; k < last; k++) codes |= (uint64_t)r->codes[k] << 8 * (k - i);
    return codes;
}

/* Counts the items first .. last - 1 of each digit. */
ROOST_FN void partition_tally(const tile g, const struct partition_replay *r, uint64_t first, uint64_t last, uint32_t *count)
{
    for (int d = g.lane; d < PARTITION_DIGITS; d += g.size) count[d] = 0;
    tile_sync(g);
    for (uint64_t i = first + PARTITION_AHEAD * (unsigned)g.lane; i < last; i += PARTITION_AHEAD * (unsigned)g.size) {
        const uint64_t codes = partition_codes(r, i, last);
        /* Lanes meet in a digit: of two plain additions one would be lost. */
        for (unsigned k = 0; k < PARTITION_AHEAD; k++)
            if (i + k < last) (void)add_relaxed_device32(&count[codes >> 8 * k & 0xff], 1);
    }
    tile_sync(g);
}

/* Counts each digit's items in the chunks of a group.  count: memory of the tile, PARTITION_GROUP *
 * PARTITION_DIGITS numbers. */
ROOST_FN void partition_count(const tile g, const struct partition_replay *r, uint32_t group, uint32_t *count)
{
    for (uint32_t k = 0; k < PARTITION_GROUP; k++) {
        const uint64_t at = ((uint64_t)group * PARTITION_GROUP + k) * PARTITION_CHUNK, end = at + PARTITION_CHUNK;
        const uint64_t first = at < r->n ? at : r->n, last = end < r->n ? end : r->n;
        partition_tally(g, r, first, last, count + k * PARTITION_DIGITS);
    }
    for (int d = g.lane; d < PARTITION_DIGITS; d += g.size)
        for (uint32_t k = 0; k < PARTITION_GROUP; k++)
            r->places[(uint64_t)d * r->chunks + group * PARTITION_GROUP + k] = count[k * PARTITION_DIGITS + (uint32_t)d];
}

/* Among the lanes that have a digit, those with the same digit as this lane. */
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

/* The sum of the lower lanes' numbers. */
ROOST_FN uint32_t partition_before(const tile g, uint32_t number)
{
    uint32_t sum = number;
    for (int step = 1; step < g.size; step *= 2) {
        const uint32_t lower = tile_from32(g, sum, g.lane >= step ? g.lane - step : g.lane);
        sum += g.lane >= step ? lower : 0;
    }
    return sum - number;
}

/* Computes the chunk's first place of each digit, and the distance to its rank. */
ROOST_FN void partition_places(const tile g, const struct partition_replay *r, uint32_t chunk, struct partition_scratch *m)
{
    const uint64_t words = (uint64_t)PARTITION_DIGITS * r->chunks;
    uint32_t rank = 0;
    for (int first = 0; first < PARTITION_DIGITS; first += g.size) {
        const int d = first + g.lane;
        const uint64_t at = (uint64_t)d * r->chunks + chunk;
        const uint32_t place = r->places[at], end = at + 1 < words ? r->places[at + 1] : (uint32_t)r->n;
        const uint32_t before = partition_before(g, end - place);
        m->next[d] = place;
        m->behind[d] = place - (rank + before);
        rank += (uint32_t)tile_sum64(g, end - place);
    }
    tile_sync(g);
}

/* Computes each item's place and rank. */
ROOST_FN void partition_rank(const tile g, const struct partition_replay *r, uint64_t first, uint32_t n,
                             struct partition_scratch *m)
{
    for (uint32_t at = 0; at < n; at += (uint32_t)(PARTITION_AHEAD * g.size)) {
        uint32_t digits[PARTITION_AHEAD];
        ROOST_UNROLL
        for (int k = 0; k < PARTITION_AHEAD; k++) {
            const uint32_t i = at + (uint32_t)(k * g.size + g.lane);
            digits[k] = i < n ? r->codes[first + i] : 0;
        }
        ROOST_UNROLL
        for (int k = 0; k < PARTITION_AHEAD; k++) {
            const uint32_t i = at + (uint32_t)(k * g.size + g.lane), digit = digits[k];
            const uint32_t peers = partition_peers(g, digit, i < n);
            const uint32_t before = (uint32_t)bit_count32(peers & ((1u << g.lane) - 1u)), place = m->next[digit] + before;
            const uint32_t rank = place - m->behind[digit];
            /* All lanes have read their digit's place before the digit's first lane raises it. */
            tile_sync(g);
            if (i < n && !before) m->next[digit] += (uint32_t)bit_count32(peers);
            if (i < n) m->rank[i] = (uint16_t)rank, m->answer[rank] = place;
            tile_sync(g);
        }
    }
}

/* Reads the answers in the order of their ranks: those of one digit are neighbours. */
ROOST_FN void partition_read(const tile g, const struct partition_replay *r, uint32_t n, struct partition_scratch *m)
{
    for (uint32_t at = 0; at < n; at += (uint32_t)(PARTITION_AHEAD * g.size)) {
        uint64_t values[PARTITION_AHEAD];
        uint8_t fates[PARTITION_AHEAD];
        ROOST_UNROLL
        for (int k = 0; k < PARTITION_AHEAD; k++) {
            const uint32_t i = at + (uint32_t)(k * g.size + g.lane);
            const uint64_t place = i < n ? m->answer[i] : 0;
            fates[k] = i < n ? r->fates[place] : 0;
            values[k] = i < n && r->values_out ? load_width(r->value_bytes, r->values, place) : 0;
        }
        ROOST_UNROLL
        for (int k = 0; k < PARTITION_AHEAD; k++) {
            const uint32_t i = at + (uint32_t)(k * g.size + g.lane);
            if (i < n) m->answer[i] = values[k], m->fate[i] = fates[k];
        }
    }
    tile_sync(g);
}

/* Writes the answers of n items from `first` on. */
ROOST_FN void partition_write(const tile g, const struct partition_replay *r, uint64_t first, uint32_t n,
                              const struct partition_scratch *m)
{
    for (uint32_t i = (uint32_t)g.lane; i < n; i += (uint32_t)g.size) {
        const uint32_t rank = m->rank[i];
        const bool found = m->fate[rank] == ROOST_ITEM_FOUND;
        if (r->found_out) r->found_out[first + i] = found;
        if (r->statuses_out) r->statuses_out[first + i] = m->fate[rank];
        if (r->values_out && (r->absent_zero || found)) store_width(r->value_bytes, r->values_out, first + i, m->answer[rank]);
    }
}

/* Brings a chunk's answers back. */
ROOST_FN void partition_back(const tile g, const struct partition_replay *r, uint32_t chunk, struct partition_scratch *m)
{
    const uint64_t first = (uint64_t)chunk * PARTITION_CHUNK, left = first < r->n ? r->n - first : 0;
    const uint32_t n = left < PARTITION_CHUNK ? (uint32_t)left : (uint32_t)PARTITION_CHUNK;
    if (!n) return;
    partition_places(g, r, chunk, m);
    partition_rank(g, r, first, n, m);
    partition_read(g, r, n, m);
    partition_write(g, r, first, n, m);
}

#endif
