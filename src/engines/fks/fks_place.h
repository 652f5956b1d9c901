/* How an FKS build places keys in the lines of its buckets.  Two placers: buckets whose keys may
 * come more than once are filled by lanes that look for their key first (fks_place).  All others
 * are filled by counts, several times as fast (fks_place_distinct, docs/fks.md), which then find
 * copies.  Pairs that find both lines full are moved in by one lane each (fks_shift), and those
 * that no single move helps by the whole team (fks_force). */
#ifndef ROOST_FKS_PLACE_H
#define ROOST_FKS_PLACE_H

#include "engines/fks/fks_window.h"

/* ---- Placing keys that may come more than once ----------------------------------------------- */

/* The slot in which a draft has a key, and its line; -1: none. */
ROOST_FN int fks_draft_find(const struct shape s, const struct fks_view *v, struct fks_scratch *m, const struct fks_draft *d,
                            uint64_t hash, roost_key key, unsigned char **line)
{
    const struct fks_lines l = fks_lines_of(v, hash, d->lines, d->seed);
    *line = fks_line(s, fks_draft_bucket(m, d), l.first);
    const int slot = fks_match(s, *line, key);
    if (slot >= 0) return slot;
    *line = fks_line(s, fks_draft_bucket(m, d), l.second);
    return fks_match(s, *line, key);
}

/* A lane looks for its key in its two lines, and stores it in the first vacancy.  *line, *slot:
 * where it is. */
ROOST_FN enum fks_placed fks_place(const struct shape s, const struct fks_view *v, struct fks_scratch *m,
                                   const struct fks_source *x, unsigned char **line, int *slot)
{
    struct fks_draft *const d = &m->draft[x->draft];
    const struct fks_lines l = fks_lines_of(v, x->hash, d->lines, d->seed);
    *line = fks_line(s, fks_draft_bucket(m, d), l.first);
    for (bool second = false;;) {
        const struct seek seek = fks_seek(CONCURRENT, s, *line, x->key);
        *slot = seek.match >= 0 ? seek.match : seek.vacancy;
        if (seek.match >= 0) return FKS_MATCHED;
        if (seek.vacancy >= 0) {
            /* The claimer may have the same key: look again. */
            if (!fks_claim(s, *line, seek.vacancy, x->key, x->value)) continue;
            if (second) (void)add_relaxed_device32(&d->second, 1);
            return FKS_PLACED;
        }
        if (second || l.second == l.first) return FKS_STUCK;
        if (!(load_relaxed_device32(&d->marks[fks_mark_word(l.first)]) & fks_mark_bit(l.first))) fks_mark(d->marks, l.first);
        second = true;
        *line = fks_line(s, fks_draft_bucket(m, d), l.second);
    }
}

/* All lanes store one pair whose lines are full: by moving one pair, or by a walk, which exchanges
 * pairs until one finds room.  A walk that does not end has left a pair out: the bucket is built
 * again. */
ROOST_FN bool fks_force(const struct shape s, const tile g, const struct fks_view *v, struct fks_scratch *m, struct fks_draft *d,
                        struct fks_insert in)
{
    unsigned char *const bucket = fks_draft_bucket(m, d);
    for (uint32_t step = 0; step < v->iterations && v->homes > 1; step++) {
        const struct fks_lines l = fks_lines_of(v, in.hash, d->lines, d->seed);
        if (l.first == l.second) return false;
        if (fks_displace(s, g, v, bucket, d->lines, d->seed, d->marks, l, &in)) {
            if (g.lane == 0) d->evicted += step + 1;
            return true;
        }
        unsigned char *line = fks_line(s, bucket, step & 1 ? l.second : l.first);
        const int slot = (int)((step >> 1) % (uint32_t)s.slots);
        const struct pair out = pair_load(s, line, slot, false), now = {in.key, in.value, true};
        tile_sync(g); /* all lanes have read the pair that leaves */
        if (g.lane == 0) {
            pair_store(s, line, slot, &now);
            if (step & 1) fks_mark(d->marks, l.first);
        }
        tile_sync(g);
        in.key = out.key, in.value = out.value;
        in.hash = fks_hash(s, v, out.key);
    }
    return false;
}

/* The whole team serves lanes that found no room, one after the other.  A lane's key may be there
 * by then, if another lane had the same one. */
ROOST_FN enum fks_placed fks_serve_stuck(const struct shape s, const tile g, const struct fks_view *v, struct fks_scratch *m,
                                         const struct fks_source *x, enum fks_placed placed)
{
    for (uint32_t who = tile_ballot(g, placed == FKS_STUCK); who; who &= who - 1) {
        const int turn = bit_lowest32(who);
        const struct fks_insert in = {tile_from64(g, x->hash, turn), tile_from64(g, x->key, turn), tile_from64(g, x->value, turn)};
        struct fks_draft *const d = &m->draft[tile_from32(g, x->draft, turn)];
        unsigned char *line;
        const bool there = fks_draft_find(s, v, m, d, in.hash, in.key, &line) >= 0;
        tile_sync(g); /* all lanes have looked */
        const bool forced = !there && !d->failed && fks_force(s, g, v, m, d, in);
        if (!there && !forced && g.lane == 0) d->failed = 1;
        tile_sync(g);
        if (g.lane == turn && there) placed = FKS_MATCHED;
        if (g.lane == turn && forced) placed = FKS_PLACED;
    }
    return placed;
}

/* Ends a round: writes the items' outcomes, which hold if their bucket is done with this layout,
 * and updates the values of keys that were met. */
ROOST_FN void fks_round_end(const struct shape s, const tile g, const struct fks_view *v, const struct batch *b,
                            struct fks_scratch *m, const struct fks_source *x, enum fks_placed placed, unsigned char *line,
                            int slot)
{
    tile_sync(g); /* values that lie apart are there before they are updated */
    const bool here = placed == FKS_MATCHED;
    const enum fks_placed now = fks_serve_stuck(s, g, v, m, x, placed);
    if (now == FKS_IDLE || !x->is_item) return;
    struct fks_draft *const d = &m->draft[x->draft];
    if (now == FKS_MATCHED) {
        /* Another lane placed or moved this key's pair since. */
        if (!here || fks_match(s, line, x->key) != slot) slot = fks_draft_find(s, v, m, d, x->hash, x->key, &line);
        if (slot >= 0) cell_update(b, b->mode, slot_cell(s, line, slot), x->key, x->value);
        (void)add_relaxed_device32(&d->updated, 1);
        b->statuses[x->index] = (uint8_t)((b->mode == ROOST_KEEP ? ROOST_ITEM_KEPT : ROOST_ITEM_UPDATED) | FKS_TENTATIVE);
    } else if (now == FKS_PLACED) {
        (void)add_relaxed_device32(&d->placed, 1);
        b->statuses[x->index] = (uint8_t)(ROOST_ITEM_INSERTED | FKS_TENTATIVE);
    }
}

/* Builds the buckets in `now`, whose lines have been cleared. */
ROOST_FN void fks_window_place(const struct shape s, const tile g, const struct fks_view *v, const struct fks_work *w,
                               const struct batch *b, struct fks_scratch *m, const struct fks_region *r, uint32_t now)
{
    struct fks_cursor c = fks_cursor_open(r);
    struct fks_reads reads;
    while (fks_read(s, g, v, w, b, m, r, true, &c, &reads)) {
        for (int k = 0; k < FKS_AHEAD; k++) {
            const struct fks_source x = fks_read_one(s, g, v, r, &reads, k);
            unsigned char *line = NULL;
            int slot = -1;
            enum fks_placed placed = FKS_IDLE;
            if (x.draft < FKS_WINDOW && now >> x.draft & 1) placed = fks_place(s, v, m, &x, &line, &slot);
            fks_round_end(s, g, v, b, m, &x, placed, line, slot);
            tile_sync(g);
        }
    }
}

/* ---- Placing distinct keys ----------------------------------------------------------------------
 *
 * Most keys come once.  Lanes then need not look for them: each takes the next slot of its line.
 * After a round each looks whether its lines have its key once more.  If so its bucket is built
 * again, by lanes that look first. */

/* Takes a slot of a line; s.slots and above: the line is full.  By an add: two lanes that read and
 * then wrote the count would take the same slot.  Full lines are not counted further, so that a
 * number stays within its slots and the team's lanes, and does not overflow into its
 * neighbour's. */
ROOST_FN uint32_t fks_take_slot(const struct shape s, const tile g, struct fks_scratch *m, uint32_t line)
{
    uint32_t *const word = &m->fill[line / 4];
    const uint32_t shift = line % 4 * 8;
    if ((load_relaxed_device32(word) >> shift & 0xff) >= (uint32_t)s.slots) return (uint32_t)s.slots;
    if (g.size > 1) return add_relaxed_device32(word, 1u << shift) >> shift & 0xff;
    *word += 1u << shift; /* a team of one lane */
    return (*word >> shift & 0xff) - 1;
}

/* The first of a draft's lines, among all of them. */
ROOST_FN uint32_t fks_draft_line(const struct shape s, const struct fks_draft *d)
{
    return d->at / (uint32_t)shape_bucket_bytes(s);
}

/* Stores a pair in the first of its lines that has a slot left; true: the second one.  *slot:
 * s.slots and above if neither has. */
ROOST_FN bool fks_put(const struct shape s, const tile g, struct fks_scratch *m, struct fks_draft *d, const struct fks_lines l,
                      const struct fks_source *x, uint32_t *slot)
{
    const uint32_t base = fks_draft_line(s, d), slots = (uint32_t)s.slots;
    const struct pair pair = {x->key, x->value, true};
    *slot = fks_take_slot(s, g, m, base + l.first);
    const bool second = *slot >= slots;
    if (second) {
        fks_mark(d->marks, l.first);
        if (l.second != l.first) *slot = fks_take_slot(s, g, m, base + l.second);
        if (*slot >= slots) return true;
        (void)add_relaxed_device32(&d->second, 1);
    }
    pair_store(s, fks_line(s, fks_draft_bucket(m, d), second ? l.second : l.first), (int)*slot, &pair);
    return second;
}

/* Does a line have the key in another slot than `own`? */
ROOST_FN bool fks_line_has(const struct shape s, const unsigned char *line, roost_key key, uint32_t own)
{
    const tile alone = fks_alone();
    if (seeks_wide(s)) { /* each pair of a key except the first sees another */
        const int first = bucket_seek_wide(s, line, key, vacant_unit(s, false)).match;
        return first >= 0 && (uint32_t)first != own;
    }
    const struct bucket_share share = bucket_load(QUIESCENT, s, alone, line);
    bool has = false;
    ROOST_UNROLL
    for (int i = 0; i < MAX_SLOTS; i++) {
        if (i >= share_units(s, alone)) break;
        const bool same = s.key_bytes == 4 ? (uint32_t)share.unit[i] == (uint32_t)key : share.unit[i] == key;
        has |= same && (uint32_t)share_slot(s, alone, &share, i) != own;
    }
    return has;
}

/* Keeps a pair whose lines are full until the others are placed. */
ROOST_FN void fks_wait_stuck(struct fks_scratch *m, struct fks_draft *d, const struct fks_source *x)
{
    const uint32_t place = add_relaxed_device32(&m->stuck_n, 1);
    const struct fks_stuck stuck = {x->key, x->value};
    if (place < FKS_STUCK_PAIRS) m->stuck[place] = stuck;
    else d->copies = 1; /* of many stuck pairs some may have the same key */
}

/* A round: each lane places its key, if it has one.  A team of one lane looks at its key's first
 * line before it stores there: a wide load just after a store to a part of it stalls a
 * processor. */
ROOST_FN void fks_place_distinct(const struct shape s, const tile g, const struct fks_view *v, struct fks_scratch *m,
                                 const struct fks_source *x, bool active)
{
    const bool alone = g.size == 1;
    if (alone && !active) return;
    struct fks_draft *const d = &m->draft[active ? x->draft : 0];
    const struct fks_lines l = fks_lines_of(v, x->hash, d->lines, d->seed);
    unsigned char *const bucket = fks_draft_bucket(m, d), *const first = fks_line(s, bucket, l.first);
    uint32_t slot = 0;
    bool second = false;
    if (alone && fks_line_has(s, first, x->key, ~0u)) {
        d->copies = 1;
        return;
    }
    if (active) second = fks_put(s, g, m, d, l, x, &slot);
    if (alone && !second) return;
    /* The round's pairs are there, or of two lanes with one key neither would see the other's. */
    tile_sync(g);
    if (active) {
        bool copies = !alone && fks_line_has(s, first, x->key, second ? ~0u : slot);
        if (second) copies |= fks_line_has(s, fks_line(s, bucket, l.second), x->key, slot);
        if (copies) d->copies = 1;
        else if (slot >= (uint32_t)s.slots) fks_wait_stuck(m, d, x);
    }
    tile_sync(g); /* all lanes have looked before the next round's are put there */
}

/* One lane moves a pair of its key's full lines to that pair's other line, if that has a slot left.
 * The pair is copied, and then overwritten by a compare-and-swap: of two lanes that move the same
 * pair one finds it gone, and vacates its copy.  Each pair is moved once: neither its lines nor
 * those of the key that comes have a slot left for another move. */
ROOST_FN bool fks_shift(const struct shape s, const tile g, const struct fks_view *v, struct fks_scratch *m, struct fks_draft *d,
                        const struct fks_insert *in)
{
    unsigned char *const bucket = fks_draft_bucket(m, d);
    const struct fks_lines to = fks_lines_of(v, in->hash, d->lines, d->seed);
    for (int c = 0; to.first != to.second && c < 2 * s.slots; c++) {
        const uint32_t from = c < s.slots ? to.first : to.second;
        const int slot = c % s.slots;
        const struct pair pair = pair_load(s, fks_line(s, bucket, from), slot, false), now = {in->key, in->value, true};
        if (!pair.taken) continue; /* a copy that was vacated */
        const struct fks_lines l = fks_lines_of(v, fks_hash(s, v, pair.key), d->lines, d->seed);
        const uint32_t other = from == l.first ? l.second : l.first, line = fks_draft_line(s, d) + other;
        const uint32_t place = fks_take_slot(s, g, m, line);
        if (place >= (uint32_t)s.slots) continue;
        const struct pair none = {0, 0, false};
        const uint64_t unit = pair_unit(s, pair.key, pair.value);
        pair_store(s, fks_line(s, bucket, other), (int)place, &pair);
        const bool moved = slot_cas_unit(s, fks_line(s, bucket, from), slot, unit, pair_unit(s, in->key, in->value)) == unit;
        if (!moved) {
            pair_store(s, fks_line(s, bucket, other), (int)place, &none);
            continue;
        }
        pair_store(s, fks_line(s, bucket, from), slot, &now);
        if (other == l.second) fks_mark(d->marks, l.first);
        if (c >= s.slots) fks_mark(d->marks, to.first);
        (void)add_relaxed_device32(&d->evicted, 1);
        return true;
    }
    return false;
}

/* Moves in a lane's stuck pair; true: it is still stuck. */
ROOST_FN bool fks_stuck_shift(const struct shape s, const tile g, const struct fks_view *v, struct fks_scratch *m,
                              const struct fks_region *r, uint32_t i, uint32_t n)
{
    const struct fks_insert in = {fks_hash(s, v, m->stuck[i].key), m->stuck[i].key, m->stuck[i].value};
    struct fks_draft *const d = &m->draft[fks_draft_of(s, r, in.hash)];
    bool copies = false;
    for (uint32_t j = 0; j < n; j++) copies |= j != i && m->stuck[j].key == in.key;
    if (copies) d->copies = 1;
    return !copies && !fks_shift(s, g, v, m, d, &in);
}

/* Moves in the pairs whose lines were full: first a lane each, by the lines' counts; then those
 * that no single move helps, one after the other, by vacant slots, after which the counts are
 * wrong. */
ROOST_FN void fks_place_stuck(const struct shape s, const tile g, const struct fks_view *v, struct fks_scratch *m,
                              const struct fks_region *r)
{
    const uint32_t n = m->stuck_n < FKS_STUCK_PAIRS ? m->stuck_n : (uint32_t)FKS_STUCK_PAIRS;
    uint32_t left = 0;
    for (uint32_t first = 0; first < n; first += (uint32_t)g.size) {
        const uint32_t i = first + (uint32_t)g.lane;
        left |= tile_ballot(g, i < n && fks_stuck_shift(s, g, v, m, r, i, n)) << first;
        tile_sync(g);
    }
    for (; left; left &= left - 1) {
        const struct fks_stuck *const stuck = &m->stuck[bit_lowest32(left)];
        const struct fks_insert in = {fks_hash(s, v, stuck->key), stuck->key, stuck->value};
        struct fks_draft *const d = &m->draft[fks_draft_of(s, r, in.hash)];
        const bool skip = d->failed || d->copies;
        tile_sync(g); /* all lanes have looked */
        const bool forced = !skip && fks_force(s, g, v, m, d, in);
        if (g.lane == 0 && !skip && !forced) d->failed = 1;
        tile_sync(g);
    }
}

/* Builds the buckets in `now`, whose lines have been cleared, for keys that are distinct. */
ROOST_FN void fks_window_place_distinct(const struct shape s, const tile g, const struct fks_view *v, const struct fks_work *w,
                                        const struct batch *b, struct fks_scratch *m, const struct fks_region *r, uint32_t now)
{
    struct fks_cursor c = fks_cursor_open(r);
    struct fks_reads reads;
    while (fks_read(s, g, v, w, b, m, r, true, &c, &reads)) {
        ROOST_UNROLL
        for (int k = 0; k < FKS_AHEAD; k++) {
            const struct fks_source x = fks_read_one(s, g, v, r, &reads, k);
            const bool active = x.draft < FKS_WINDOW && now >> x.draft & 1;
            fks_place_distinct(s, g, v, m, &x, active);
            if (active && x.is_item) b->statuses[x.index] = ROOST_ITEM_INSERTED | FKS_TENTATIVE;
        }
    }
    fks_place_stuck(s, g, v, m, r);
}

#endif
