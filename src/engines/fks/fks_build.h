/* FKS's builds: a team makes a region's buckets anew in its scratch memory, from their pairs and from the items of a batch, and writes them
 * out.  Bulk inserts, buckets that outgrow their lines, splits, merges and growth are all this one operation. */
#ifndef ROOST_FKS_BUILD_H
#define ROOST_FKS_BUILD_H

#include "engines/fks/fks_regions.h"

/* Layouts that a bucket is tried in before it is given up: of fewer lines than it may have, which become more meanwhile, and of as many. */
enum { FKS_TRIES = 1000, FKS_TRIES_MOST = 32 };

/* ---- Planning ------------------------------------------------------------------------------------------------------------------------- */

/* How many lines a bucket of so many keys gets: a multiple of the quantum, and that at least. */
ROOST_FN uint32_t fks_lines_for(const struct shape s, const struct fks_view *v, uint32_t count)
{
    const uint64_t wanted = v->line_load ? (((uint64_t)count << 16) + v->line_load - 1) / v->line_load
                                         : ((uint64_t)count * count + (unsigned)s.slots - 1) / (unsigned)s.slots;
    if (wanted >= v->lines_most) return v->lines_most;
    return wanted ? ((uint32_t)wanted + v->quantum - 1) / v->quantum * v->quantum : v->quantum;
}

/* A bucket's keys to come: twice as many where its other half is not a bucket of its own. */
ROOST_FN uint32_t fks_spare(const struct fks_part *p, uint32_t bucket)
{
    const uint32_t half = (p->mask >> 1) + 1;
    return p->spare << (bucket < half && bucket + half >= p->buckets);
}

/* The lines of a bucket of the window, for so many keys; and for those to come, of which in the end all buckets get as many as are reserved: they are
 * rounded up for some, and down for others. */
ROOST_FN uint32_t fks_draft_lines(const struct shape s, const struct fks_view *v, const struct fks_region *r, uint32_t i,
                                  uint32_t count)
{
    const uint32_t least = fks_lines_for(s, v, count), bucket = fks_comb_bucket(r->to_comb, r->window + i);
    if (!r->to.spare) return least;
    const uint32_t exact = (uint32_t)(((uint64_t)(count + fks_spare(&r->to, bucket)) << 16) / v->line_load);
    const uint32_t rounded = (exact + bucket % v->quantum) / v->quantum * v->quantum;
    return rounded < least ? least : rounded < v->lines_most ? rounded : v->lines_most;
}

ROOST_FN void fks_window_begin(const tile g, const struct fks_work *w, struct fks_scratch *m, const struct fks_region *r)
{
    const uint32_t old = fks_comb_buckets(r->from_comb, r->from.buckets);
    for (uint32_t i = (uint32_t)g.lane; i < FKS_WINDOW; i += (uint32_t)g.size) {
        const struct fks_entry nothing = {0, 0, {0, 0}};
        memset(&m->draft[i], 0, sizeof m->draft[i]);
        m->old[i] = nothing;
        if ((w->in_place || r->same) && r->window + i < old)
            m->old[i] = fks_entry_load(CONCURRENT, r->from.directory + fks_comb_bucket(r->from_comb, r->window + i));
        m->draft[i].seed = fks_form_seed(m->old[i].form);
        if (r->same) m->draft[i].count = fks_form_count(m->old[i].form);
    }
    tile_sync(g);
}

/* What a lane has counted for each bucket of the window: 16 numbers of 8 bits, those of even and of odd buckets. */
struct fks_counts {
    uint64_t even, odd;
    int rounds; /* a number is no larger */
};

ROOST_FN void fks_counts_add(struct fks_counts *c, uint32_t draft)
{
    const uint64_t one = (uint64_t)1 << (draft >> 1) * 8;
    c->even += draft & 1 ? 0 : one;
    c->odd += draft & 1 ? one : 0;
}

/* All lanes' numbers are added to the drafts'. */
ROOST_FN void fks_counts_take(const tile g, struct fks_scratch *m, struct fks_counts *c, bool items)
{
    const uint64_t half = 0x00ff00ff00ff00ffULL;
    const uint64_t even0 = tile_sum64(g, c->even & half), even1 = tile_sum64(g, c->even >> 8 & half);
    const uint64_t odd0 = tile_sum64(g, c->odd & half), odd1 = tile_sum64(g, c->odd >> 8 & half);
    for (uint32_t i = (uint32_t)g.lane; i < FKS_WINDOW; i += (uint32_t)g.size) {
        const uint64_t even = i & 2 ? even1 : even0, odd = i & 2 ? odd1 : odd0;
        const uint32_t n = (uint32_t)((i & 1 ? odd : even) >> (i >> 2) * 16) & 0xffffu;
        m->draft[i].count += n;
        if (items) m->draft[i].items += n;
    }
    c->even = c->odd = 0;
    c->rounds = 0;
}

/* The vacant key's items are done with at once: its line is no bucket's. */
ROOST_FN void fks_specials(const struct shape s, const tile g, const struct fks_view *v, const struct batch *b,
                           const struct fks_region *r, bool special, uint64_t index)
{
    for (uint32_t who = tile_ballot(g, special); who; who &= who - 1) {
        const int turn = bit_lowest32(who);
        const uint64_t i = tile_from64(g, index, turn);
        if (b->statuses[i] != ROOST_ITEM_NONE) continue; /* of a part that is built again */
        const uint8_t fate = fks_insert_special(s, g, v, b, s.value_bytes ? load_width(s.value_bytes, b->values_in, i) : 0);
        if (g.lane != turn) continue;
        b->statuses[i] = fate;
        (void)add_relaxed_device64(fate == ROOST_ITEM_INSERTED ? &r->space->special_inserted : &r->space->special_updated, 1);
    }
}

/* Are all of a region's items for its single bucket?  Those of the vacant key are for none. */
ROOST_FN bool fks_is_single(const struct shape s, const struct fks_view *v, const struct fks_work *w, const struct fks_region *r)
{
    const bool special = fks_digit(fks_top(s, fks_hash(s, v, 0)), r->digit_bits) == r->digit;
    return r->same && w->fresh && !special;
}

/* Counts what is for each bucket; old pairs only where their buckets do not say how many they are. */
ROOST_FN void fks_window_count(const struct shape s, const tile g, const struct fks_view *v, const struct fks_work *w,
                               const struct batch *b, struct fks_scratch *m, const struct fks_region *r)
{
    const uint64_t nothing = fks_hash(s, v, 0);
    struct fks_cursor c = fks_cursor_open(r);
    struct fks_counts counts = {0, 0, 0};
    struct fks_reads x;
    bool items = false;
    if (r->same) c.bucket = c.buckets;
    if (r->single && fks_is_single(s, v, w, r)) {
        c.item = r->run.last;
        if (g.lane == 0) m->draft[0].items = (uint32_t)(r->run.last - r->run.first);
        if (g.lane == 0) m->draft[0].count += m->draft[0].items;
    }
    while (fks_read(s, g, v, w, b, m, r, false, &c, &x)) {
        uint32_t specials = 0;
        if (x.items != items || counts.rounds + FKS_AHEAD > 255) fks_counts_take(g, m, &counts, items);
        items = x.items;
        counts.rounds += FKS_AHEAD;
        ROOST_UNROLL
        for (int k = 0; k < FKS_AHEAD; k++) {
            const uint32_t draft = fks_draft_of(s, r, x.hash[k]);
            if (!(x.exists >> k & 1)) continue;
            if (x.hash[k] == nothing) specials |= 1u << k;
            else if (draft < FKS_WINDOW) fks_counts_add(&counts, draft);
        }
        if (!tile_any(g, specials != 0)) continue;
        for (int k = 0; k < FKS_AHEAD; k++)
            fks_specials(s, g, v, b, r, specials >> k & 1, x.first + (unsigned)(k * g.size + g.lane));
    }
    fks_counts_take(g, m, &counts, items);
    tile_sync(g);
}

/* ---- Placing --------------------------------------------------------------------------------------------------------------------------- */

ROOST_FN unsigned char *fks_draft_bucket(struct fks_scratch *m, const struct fks_draft *d)
{
    return (unsigned char *)m->lines + d->at;
}

/* The slot in which a draft has a key, and its line; -1: it has not got it. */
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

/* A lane looks for its key, and for a place for it, in the key's two lines.  *line, *slot: where it is then. */
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
            if (!fks_claim(s, *line, seek.vacancy, x->key, x->value)) continue; /* it may have been the same key's: look again */
            if (second) (void)add_relaxed_device32(&d->second, 1);
            return FKS_PLACED;
        }
        if (second || l.second == l.first) return FKS_STUCK;
        if (!(load_relaxed_device32(&d->marks[fks_mark_word(l.first)]) & fks_mark_bit(l.first))) fks_mark(d->marks, l.first);
        second = true;
        *line = fks_line(s, fks_draft_bucket(m, d), l.second);
    }
}

/* Brings a pair whose lines are full into one of them nevertheless: by a move of one pair, or by a walk, which exchanges pairs until one finds
 * room.  A walk that does not end has left a pair out, and the bucket is built again.  All lanes, for one pair. */
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
        tile_sync(g); /* all lanes know who leaves */
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

/* What is left of a round: lanes that met their key update its value, and those that found no room are served by the whole team, one after the
 * other; an item's key may be there by then, if another lane had the same one. */
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

/* A round's items: what becomes of them if their bucket is done with this layout. */
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
        if (!here || fks_match(s, line, x->key) != slot) /* another lane's pair of this key was placed, or moved, since */
            slot = fks_draft_find(s, v, m, d, x->hash, x->key, &line);
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

/* As many of the pending buckets as the scratch memory has room for, from the lowest one on: places and clears their lines. */
ROOST_FN uint32_t fks_window_open(const struct shape s, const tile g, struct fks_scratch *m, uint32_t pending)
{
    const uint32_t line = (uint32_t)shape_bucket_bytes(s);
    uint32_t now = 0, at = 0;
    for (; pending; pending &= pending - 1) {
        const int i = bit_lowest32(pending);
        struct fks_draft *const d = &m->draft[i];
        const uint32_t bytes = d->lines * line;
        if (at + bytes > FKS_DRAFT_BYTES) break;
        if (g.lane == 0) {
            d->at = at;
            d->marks[0] = d->marks[1] = 0;
            d->failed = d->placed = d->updated = d->second = d->evicted = 0;
        }
        at += bytes;
        now |= 1u << i;
    }
    for (uint32_t i = (uint32_t)g.lane; i < at / 8; i += (uint32_t)g.size) m->lines[i] = 0;
    for (uint32_t i = (uint32_t)g.lane; i < FKS_DRAFT_LINES / 4; i += (uint32_t)g.size) m->fill[i] = 0;
    if (g.lane == 0) m->stuck_n = 0;
    tile_sync(g);
    return now;
}

/* ---- Placing distinct keys ------------------------------------------------------------------------------------------------------------------
 *
 * Most keys come once.  Lanes then need not look for them: each takes the next slot of its line, and when a round's pairs are placed, each looks
 * whether its lines have its key once more.  A bucket with such a key is built again, by lanes that look first. */

/* A slot of a line of one's own; s.slots and above: it is full.  Of two lanes that read and then write the count both would take the same slot:
 * hence an add.  Full lines are not counted on, so that a number comes to no more than their slots and the team's lanes, and does not run over
 * into its neighbour's. */
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

/* Into the first of its lines that has a slot left; true: that was the second one.  *slot: s.slots and above where neither has. */
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

/* Does a line have the key, but for slot `own`? */
ROOST_FN bool fks_line_has(const struct shape s, const unsigned char *line, roost_key key, uint32_t own)
{
    const tile alone = fks_alone();
    if (seeks_wide(s)) { /* of one key's pairs all but the first one see another */
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

/* A lane's pair whose lines are full waits for the others. */
ROOST_FN void fks_wait_stuck(struct fks_scratch *m, struct fks_draft *d, const struct fks_source *x)
{
    const uint32_t place = add_relaxed_device32(&m->stuck_n, 1);
    const struct fks_stuck stuck = {x->key, x->value};
    if (place < FKS_STUCK_PAIRS) m->stuck[place] = stuck;
    else d->copies = 1; /* so many, of so few: some may be the same key's */
}

/* A round: each lane's key, if it has one.  A team of one lane looks for its key's first line before it stores there: a processor waits for what
 * it reads as a whole just behind a store of a part. */
ROOST_FN void fks_place_distinct(const struct shape s, const tile g, const struct fks_view *v, struct fks_scratch *m,
                                 const struct fks_source *x, bool active)
{
    struct fks_draft *const d = &m->draft[active ? x->draft : 0];
    const struct fks_lines l = fks_lines_of(v, x->hash, d->lines, d->seed);
    unsigned char *const bucket = fks_draft_bucket(m, d), *const first = fks_line(s, bucket, l.first);
    const bool alone = g.size == 1;
    uint32_t slot = 0;
    bool second = false, copies = alone && active && fks_line_has(s, first, x->key, ~0u);
    if (active) second = fks_put(s, g, m, d, l, x, &slot);
    tile_sync(g); /* the round's pairs are there, or of two lanes with one key neither would see the other's */
    if (active) {
        if (!alone) copies = fks_line_has(s, first, x->key, second ? ~0u : slot);
        if (second) copies |= fks_line_has(s, fks_line(s, bucket, l.second), x->key, slot);
        if (copies) d->copies = 1;
        else if (slot >= (uint32_t)s.slots) fks_wait_stuck(m, d, x);
    }
    tile_sync(g); /* all lanes have looked before the next round's are put there */
}

/* One lane moves a pair of its key's full lines to that one's other line, where that has a slot left.  The pair is copied before it is
 * overwritten, by a compare-and-swap: of two lanes that move the same pair one finds it gone, and vacates the slot that it has copied it to.
 * Neither of a moved pair's lines has a slot left for another move, nor those of the key that comes, so each pair is moved once. */
ROOST_FN bool fks_shift(const struct shape s, const tile g, const struct fks_view *v, struct fks_scratch *m, struct fks_draft *d,
                        const struct fks_insert *in)
{
    unsigned char *const bucket = fks_draft_bucket(m, d);
    const struct fks_lines to = fks_lines_of(v, in->hash, d->lines, d->seed);
    for (int c = 0; to.first != to.second && c < 2 * s.slots; c++) {
        const uint32_t from = c < s.slots ? to.first : to.second;
        const int slot = c % s.slots;
        const struct pair pair = pair_load(s, fks_line(s, bucket, from), slot, false), now = {in->key, in->value, true};
        if (!pair.taken) continue; /* it was copied there in vain */
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

/* A lane's stuck pair; true: it still is. */
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

/* Pairs whose lines were full: a lane each; and then those that no single move makes room for, one after the other.  These go by the slots that are
 * vacant, those by the lines' counts, which say no more of them from then on. */
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

/* Builds the buckets in `now` for keys that are distinct, whose lines have been cleared. */
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

/* ---- Writing out ------------------------------------------------------------------------------------------------------------------------ */

/* Counts a draft's pairs. */
ROOST_FN uint32_t fks_draft_count(const struct shape s, const tile g, struct fks_scratch *m, const struct fks_draft *d)
{
    const uint32_t slots = d->lines * (uint32_t)s.slots;
    uint64_t count = 0;
    for (uint32_t i = (uint32_t)g.lane; i < slots; i += (uint32_t)g.size) {
        const unsigned char *line = fks_line(s, fks_draft_bucket(m, d), i / (uint32_t)s.slots);
        count += pair_load(s, line, (int)(i % (uint32_t)s.slots), false).taken;
    }
    return (uint32_t)tile_sum64(g, count);
}

/* The block of a bucket that is written out: its old one, if that is large enough and nobody else has pairs there, what is left of which is free;
 * or another.  Called by one lane. */
ROOST_FN uint32_t fks_draft_block(const struct shape s, const struct fks_view *v, const struct fks_work *w, struct fks_scratch *m,
                                  const struct fks_region *r, uint32_t i, uint32_t granules)
{
    struct fks_entry *const old = &m->old[i];
    const uint32_t lines = fks_form_lines(old->form), had = fks_granules(s, v, lines), first = old->first;
    if (!w->in_place || !r->same || had < granules) return fks_take(&r->to, r->space, granules);
    if (had > granules) fks_give(&r->to, r->space, first + granules, had - granules);
    (void)add_relaxed_device64(&r->space->lines, 0 - (uint64_t)lines);
    old->form = 0; /* its pairs are in the draft */
    return first;
}

/* A bucket's lines and its entry.  false: the part has no block for it. */
ROOST_FN bool fks_draft_write(const struct shape s, const tile g, const struct fks_view *v, const struct fks_work *w,
                              struct fks_scratch *m, const struct fks_region *r, uint32_t i)
{
    struct fks_draft *const d = &m->draft[i];
    const uint32_t words = d->lines * (uint32_t)shape_bucket_bytes(s) / 8;
    struct fks_entry *const entry = r->to.directory + fks_comb_bucket(r->to_comb, r->window + i);
    uint32_t first = 0;
    if (g.lane == 0) first = fks_draft_block(s, v, w, m, r, i, fks_granules(s, v, d->lines));
    first = tile_from32(g, first, 0);
    if (first == ~0u) return false;
    uint64_t *const to = (uint64_t *)(void *)fks_bucket(v, &r->to, first);
    const uint64_t *const from = m->lines + d->at / 8;
    for (uint32_t k = (uint32_t)g.lane; k < words; k += (uint32_t)g.size) to[k] = from[k];
    if (g.lane == 0) {
        const struct fks_entry now = {first, fks_form(d->count, d->lines, d->seed), {d->marks[0], d->marks[1]}};
        *entry = now;
    }
    return true;
}

/* What a part's build counts, which the policy takes in if it keeps the part. */
ROOST_FN void fks_draft_tally(const struct fks_region *r, const struct fks_draft *d)
{
    struct fks_space *const space = r->space;
    (void)add_relaxed_device64(&space->builds, 1);
    if (d->placed) (void)add_relaxed_device64(&space->inserted, d->placed);
    if (d->updated) (void)add_relaxed_device64(&space->updated, d->updated);
    if (d->tries) (void)add_relaxed_device64(&space->reseeded, d->tries);
    if (d->evicted) (void)add_relaxed_device64(&space->evicted, d->evicted);
    if (d->lines) (void)add_relaxed_device64(&space->lines, d->lines);
    if (d->second) (void)add_relaxed_device64(&space->second, d->second);
}

/* Bucket i stays what it is. */
ROOST_FN void fks_lose(const tile g, const struct fks_region *r, int i, uint32_t trouble, uint32_t *lost)
{
    *lost |= 1u << i;
    if (g.lane == 0) (void)or_relaxed_device32(&r->space->trouble, trouble);
}

/* After a round of building: which of the buckets in `now` are done; the others are planned anew, but for those in *lost, which is why. */
ROOST_FN uint32_t fks_window_close(const struct shape s, const tile g, const struct fks_view *v, const struct fks_work *w,
                                   struct fks_scratch *m, const struct fks_region *r, uint32_t now, bool distinct, uint32_t *lost)
{
    uint32_t done = 0;
    for (; now; now &= now - 1) {
        const int i = bit_lowest32(now);
        struct fks_draft *const d = &m->draft[i];
        if (distinct && d->copies) continue; /* once more, by lanes that look */
        if (d->failed) {                     /* another seed, and after some of them more lines */
            const uint32_t more = d->lines + v->quantum, tries = d->tries + 1;
            tile_sync(g);
            if (g.lane == 0) {
                d->tries = tries;
                d->seed = (d->seed + 1) % FKS_SEEDS;
                if (tries % 8 == 0 && v->line_load) d->lines = more < v->lines_most ? more : v->lines_most;
            }
            tile_sync(g);
            if (tries >= (d->lines < v->lines_most ? FKS_TRIES : FKS_TRIES_MOST)) fks_lose(g, r, i, FKS_NO_LAYOUT, lost);
            continue;
        }
        const uint32_t count = distinct ? d->count : fks_draft_count(s, g, m, d);
        const uint32_t lines = distinct ? d->lines : fks_draft_lines(s, v, r, (uint32_t)i, count);
        const bool large = lines < d->lines && count < d->count; /* many of its items were for the same keys */
        tile_sync(g);                                            /* all lanes have read the plan */
        if (g.lane == 0) d->count = count;
        if (g.lane == 0 && distinct) d->placed = d->items;
        if (large && g.lane == 0) d->lines = lines;
        tile_sync(g);
        if (large) continue;
        if (fks_draft_write(s, g, v, w, m, r, (uint32_t)i)) done |= 1u << i;
        else fks_lose(g, r, i, FKS_NO_ROOM, lost);
        if (g.lane == 0 && done >> i & 1) fks_draft_tally(r, d);
    }
    tile_sync(g); /* all lanes have copied what they write out, before it is cleared for other buckets */
    return done;
}

/* The items of buckets that are not done wait again, but for those that were done with before. */
ROOST_FN void fks_window_again(const struct shape s, const tile g, const struct fks_work *w, const struct batch *b,
                               const struct fks_scratch *m, const struct fks_region *r, uint32_t left)
{
    bool any = false;
    for (uint32_t who = left; who; who &= who - 1) any |= m->draft[bit_lowest32(who)].items != 0;
    for (uint64_t i = r->run.first + (unsigned)g.lane; any && i < r->run.last; i += (unsigned)g.size) {
        if (!(b->statuses[i] & FKS_TENTATIVE)) continue;
        const uint32_t draft = fks_draft_of(s, r, load_width(s.key_bytes, w->hashes, i));
        if (draft < FKS_WINDOW && left >> draft & 1) b->statuses[i] = ROOST_ITEM_NONE;
    }
    tile_sync(g);
}

/* Old blocks are free once all that was in them is written elsewhere. */
ROOST_FN void fks_window_free(const struct shape s, const tile g, const struct fks_view *v, const struct fks_work *w,
                              const struct fks_scratch *m, const struct fks_region *r, uint32_t built)
{
    if (!w->in_place) return;
    for (uint32_t i = (uint32_t)g.lane; i < FKS_WINDOW; i += (uint32_t)g.size) {
        const uint32_t lines = fks_form_lines(m->old[i].form);
        if (!lines || !(built >> i & 1)) continue;
        fks_give(&r->from, r->space, m->old[i].first, fks_granules(s, v, lines));
        (void)add_relaxed_device64(&r->space->lines, 0 - (uint64_t)lines);
    }
    tile_sync(g);
}

/* ---- The operation ------------------------------------------------------------------------------------------------------------------------ */

ROOST_FN void fks_window_build(const struct shape s, const tile g, const struct fks_view *v, const struct fks_work *w,
                               const struct batch *b, struct fks_scratch *m, struct fks_region *r)
{
    const uint32_t all = (1u << r->count) - 1u;
    uint32_t pending = 0, lost = 0, built = 0;
    fks_window_begin(g, w, m, r);
    fks_window_count(s, g, v, w, b, m, r);
    for (uint32_t i = 0; i < r->count; i++)
        if (!w->waiting_only || m->draft[i].items) pending |= 1u << i;
    for (uint32_t i = (uint32_t)g.lane; i < FKS_WINDOW; i += (uint32_t)g.size)
        m->draft[i].lines = fks_draft_lines(s, v, r, i, m->draft[i].count);
    tile_sync(g);
    const uint32_t wanted = pending;
    while (pending) {
        uint32_t apart = 0; /* buckets whose keys may come twice */
        for (uint32_t i = 0; i < r->count; i++) apart |= (m->draft[i].copies || s.slots == 1 ? 1u : 0u) << i;
        const bool distinct = (pending & ~apart) != 0;
        const uint32_t now = fks_window_open(s, g, m, distinct ? pending & ~apart : pending);
        if (distinct) fks_window_place_distinct(s, g, v, w, b, m, r, now);
        else fks_window_place(s, g, v, w, b, m, r, now);
        const uint32_t done = fks_window_close(s, g, v, w, m, r, now, distinct, &lost);
        pending &= ~(done | lost);
        built |= done;
        if (now & ~done) fks_window_again(s, g, w, b, m, r, now & ~done);
    }
    if (!r->same) built = built == wanted && wanted == all ? ~0u : 0; /* any old bucket had keys for any new one */
    fks_window_free(s, g, v, w, m, r, built);
}

/* What was built in place is not thrown away any more. */
ROOST_FN void fks_region_keep(const tile g, const struct batch *b, const struct fks_run run)
{
    for (uint64_t i = run.first + (unsigned)g.lane; i < run.last; i += (unsigned)g.size) b->statuses[i] &= (uint8_t)~FKS_TENTATIVE;
}

#define fks_build_begin fks_region_begin
#define fks_build_end fks_region_end

/* Item i: a region of part first_part + i / region_count.  Some regions, for which there are no items, are numbered by their lowest bucket. */
ROOST_FN enum step fks_build_step(const struct shape s, const tile g, const void *view, const struct batch *b, struct item *item,
                                  struct tally *tally, void *scratch)
{
    const struct fks_view *v = (const struct fks_view *)view;
    const struct fks_work *w = &((const struct fks_args *)view)->work;
    const uint32_t log = w->digit_bits - w->to_bits, index = (uint32_t)item->index;
    const uint32_t part = w->first_part + index / w->region_count, number = w->first_region + index % w->region_count;
    const bool all_regions = w->region_count == 1u << log; /* in the hashes' order then, in which their lines come to lie */
    const uint32_t first = w->bounds || all_regions ? number : (uint32_t)((uint64_t)bit_reverse32(number) >> (32 - log));
    struct fks_region r;
    (void)tally;
    r.digit = part << log | first;
    r.digit_bits = w->digit_bits;
    r.to_bits = w->to_bits;
    const uint32_t rest = w->digit_bits - v->part_bits;
    r.from = v->parts[r.digit >> rest];
    r.to = w->to[part];
    r.space = w->spaces + part;
    r.from_comb = fks_comb_of(r.digit & ((1u << rest) - 1u), rest, &r.from);
    r.to_comb = fks_comb_of(first, log, &r.to);
    r.same = v->part_bits == w->to_bits && r.from.buckets == r.to.buckets;
    r.run = fks_run_of(w, r.digit);
    if (w->waiting_only && r.run.first == r.run.last) return STEP_DONE;
    const uint32_t all = fks_comb_buckets(r.to_comb, r.to.buckets);
    r.single = all == 1 && g.size == 1; /* a GPU's regions have several */
    for (r.window = 0; r.window < all; r.window += FKS_WINDOW) {
        r.count = all - r.window < FKS_WINDOW ? all - r.window : (uint32_t)FKS_WINDOW;
        fks_window_build(s, g, v, w, b, (struct fks_scratch *)scratch, &r);
    }
    if (w->in_place) fks_region_keep(g, b, r.run);
    return STEP_DONE;
}

#endif
