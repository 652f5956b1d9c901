/* A window of an FKS build: the buckets of a region that a team plans and builds together, counted
 * and placed in its scratch memory. */
#ifndef ROOST_FKS_WINDOW_H
#define ROOST_FKS_WINDOW_H

#include "engines/fks/fks_regions.h"

/* ---- Planning -------------------------------------------------------------------------------- */

/* Lines of a bucket of `count` keys: a multiple of the quantum, which is the least. */
ROOST_FN uint32_t fks_lines_for(const struct shape s, const struct fks_view *v, uint32_t count)
{
    const uint64_t wanted = v->line_load ? (((uint64_t)count << 16) + v->line_load - 1) / v->line_load
                                         : ((uint64_t)count * count + (unsigned)s.slots - 1) / (unsigned)s.slots;
    if (wanted >= v->lines_most) return v->lines_most;
    return wanted ? ((uint32_t)wanted + v->quantum - 1) / v->quantum * v->quantum : v->quantum;
}

/* A bucket's keys to come: twice as many if its other half is not a bucket of its own. */
ROOST_FN uint32_t fks_bucket_headroom(const struct fks_part *p, uint32_t bucket)
{
    const uint32_t half = (p->mask >> 1) + 1;
    return p->headroom << (bucket < half && bucket + half >= p->buckets);
}

/* Lines of a bucket of the window, for `count` keys and those to come.  They are rounded up for
 * some buckets and down for others, so that all buckets together get what is reserved. */
ROOST_FN uint32_t fks_draft_lines(const struct shape s, const struct fks_view *v, const struct fks_region *r, uint32_t i,
                                  uint32_t count)
{
    const uint32_t least = fks_lines_for(s, v, count), bucket = fks_comb_bucket(r->to_comb, r->window + i);
    if (!r->to.headroom) return least;
    const uint32_t exact = (uint32_t)(((uint64_t)(count + fks_bucket_headroom(&r->to, bucket)) << 16) / v->line_load);
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

/* A lane's counts for the buckets of the window: 16 numbers of 8 bits, of even and of odd
 * buckets. */
struct fks_counts {
    uint64_t even, odd;
    int rounds; /* an upper bound of each number */
};

ROOST_FN void fks_counts_add(struct fks_counts *c, uint32_t draft)
{
    const uint64_t one = (uint64_t)1 << (draft >> 1) * 8;
    c->even += draft & 1 ? 0 : one;
    c->odd += draft & 1 ? one : 0;
}

/* Adds all lanes' counts to the drafts'. */
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

/* Inserts the vacant key's items at once: its line is no bucket's. */
ROOST_FN void fks_specials(const struct shape s, const tile g, const struct fks_view *v, const struct batch *b,
                           const struct fks_region *r, bool special, uint64_t index)
{
    for (uint32_t who = tile_ballot(g, special); who; who &= who - 1) {
        const int turn = bit_lowest32(who);
        const uint64_t i = tile_from64(g, index, turn);
        if (b->statuses[i] != ROOST_ITEM_NONE) continue; /* done before its part was discarded */
        const uint8_t status = fks_insert_special(s, g, v, b, s.value_bytes ? load_width(s.value_bytes, b->values_in, i) : 0);
        if (g.lane != turn) continue;
        b->statuses[i] = status;
        (void)add_relaxed_device64(status == ROOST_ITEM_INSERTED ? &r->space->special_inserted : &r->space->special_updated, 1);
    }
}

/* Are all of a region's items for its single bucket?  The vacant key's are for none. */
ROOST_FN bool fks_is_single(const struct shape s, const struct fks_view *v, const struct fks_work *w, const struct fks_region *r)
{
    const bool special = fks_digit(fks_top(s, fks_hash(s, v, 0)), r->digit_bits) == r->digit;
    return r->same && w->fresh && !special;
}

/* Counts the pairs and items of each bucket.  Buckets that keep their keys know their number of
 * pairs. */
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

/* ---- Opening --------------------------------------------------------------------------------- */

ROOST_FN unsigned char *fks_draft_bucket(struct fks_scratch *m, const struct fks_draft *d)
{
    return (unsigned char *)m->lines + d->at;
}

/* Opens as many of the pending buckets as the scratch memory has room for, from the lowest one on:
 * gives them places there, and clears their lines. */
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

#endif
