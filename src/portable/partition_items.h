/* A pass of a partition run backwards, in the dialect: what was answered in the order that the pass brought items into goes back to the order that they
 * came in.  Nobody has kept where the pass put them, so their places are found again, as the pass found them: a place is that of the first item of
 * its digit, and how many items of this digit came before.  Each tile has a chunk of the items, whose answers lie in as many runs as there are
 * digits: it reads them run by run into its scratch memory, neighbours together, and writes them in the order of the items. */
#ifndef ROOST_PORTABLE_PARTITION_ITEMS_H
#define ROOST_PORTABLE_PARTITION_ITEMS_H

#include "portable/item.h"

enum {
    PARTITION_DIGIT = 8, /* bits of a pass, at most */
    PARTITION_DIGITS = 1 << PARTITION_DIGIT,
    PARTITION_CHUNK = 2048, /* items brought back at once: of one digit 8, which is 64 bytes of values */
    PARTITION_GROUP = 4,    /* chunks that are counted by one tile: their numbers of a digit lie beside each other */
    PARTITION_CODES = 4,    /* items whose codes are written as a word */
    PARTITION_AHEAD = 8     /* reads of a lane that are under way together, and digits that are read as a word */
};

/* Where a kernel whose items are PARTITION_CODES keys each writes their regions: a byte of each, by its top bits. */
struct partition_codes {
    uint8_t *codes; /* aligned to words of 4 bytes */
    uint64_t n;     /* keys */
    uint32_t bits;  /* 1 to 8 */
};

ROOST_FN uint64_t partition_coded_items(const struct partition_codes *c) { return (c->n + PARTITION_CODES - 1) / PARTITION_CODES; }

/* An item's keys; behind the last one the item's first again. */
ROOST_FN void partition_codes_load(const struct partition_codes *c, int key_bytes, const void *keys, uint64_t item, roost_key *key)
{
    const uint64_t first = item * PARTITION_CODES;
    ROOST_UNROLL
    for (uint32_t k = 0; k < PARTITION_CODES; k++) key[k] = load_width(key_bytes, keys, first + k < c->n ? first + k : first);
}

/* Their regions: the first bits of what their homes are multiples of. */
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

/* A kernel's arguments; where values and flags may be missing, NULL. */
struct partition_replay {
    const uint8_t *codes; /* the items' digits, as they came; aligned to words of 8 bytes */
    uint64_t n;           /* up to 2^31 */
    int value_bytes;
    const void *values;   /* by the place that the pass gave; of what is absent, 0 */
    const uint8_t *fates; /* roost_item_status, by place, too */
    void *values_out;     /* as they came */
    uint8_t *found_out, *statuses_out;
    bool absent_zero; /* values of items that were not found become 0; else they stay what they are */
    uint32_t *places; /* by digit, and of each by chunk: how many items there are; and then, of all before them */
    uint32_t chunks;  /* partition_chunks(n) */
};

/* What a tile works in. */
struct partition_scratch {
    uint64_t answer[PARTITION_CHUNK];  /* in the order of places: at first the place, then the value */
    uint16_t rank[PARTITION_CHUNK];    /* in the order of items: which of them is the item's */
    uint8_t fate[PARTITION_CHUNK];     /* in the order of places */
    uint32_t next[PARTITION_DIGITS];   /* by digit: the next item's place, */
    uint32_t behind[PARTITION_DIGITS]; /* and how far it is behind the item's rank, modulo 2^32 */
};

/* A multiple of a group. */
ROOST_FN uint32_t partition_chunks(uint64_t n)
{
    const uint64_t items = (uint64_t)PARTITION_CHUNK * PARTITION_GROUP;
    return (uint32_t)((n + items - 1) / items) * PARTITION_GROUP;
}

/* The digits of items i .. i + PARTITION_AHEAD - 1, as far as there are any; i is a multiple of that. */
ROOST_FN uint64_t partition_codes(const struct partition_replay *r, uint64_t i, uint64_t last)
{
    uint64_t codes = 0;
    if (i + PARTITION_AHEAD <= last) return ((const uint64_t *)(const void *)r->codes)[i / PARTITION_AHEAD];
    for (uint64_t k = i; k < last; k++) codes |= (uint64_t)r->codes[k] << 8 * (k - i);
    return codes;
}

/* How many of items first .. last - 1 each digit has. */
ROOST_FN void partition_tally(const tile g, const struct partition_replay *r, uint64_t first, uint64_t last, uint32_t *count)
{
    for (int d = g.lane; d < PARTITION_DIGITS; d += g.size) count[d] = 0;
    tile_sync(g);
    for (uint64_t i = first + PARTITION_AHEAD * (unsigned)g.lane; i < last; i += PARTITION_AHEAD * (unsigned)g.size) {
        const uint64_t codes = partition_codes(r, i, last);
        for (unsigned k = 0; k < PARTITION_AHEAD; k++) /* lanes meet in a digit: of two plain additions one would be lost */
            if (i + k < last) (void)add_relaxed_device32(&count[codes >> 8 * k & 0xff], 1);
    }
    tile_sync(g);
}

/* How many items of each digit the chunks of a group have.  count: of the tile, PARTITION_GROUP * PARTITION_DIGITS numbers. */
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

/* The chunk's first place of each digit, and the rank of that. */
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

/* Each item's place and rank. */
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
            tile_sync(g); /* all lanes have read their digit's number before its first one raises it */
            if (i < n && !before) m->next[digit] += (uint32_t)bit_count32(peers);
            if (i < n) m->rank[i] = (uint16_t)rank, m->answer[rank] = place;
            tile_sync(g);
        }
    }
}

/* The answers at the places, in their order: those of one digit are neighbours. */
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

/* The answers, to n items from `first` on. */
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
