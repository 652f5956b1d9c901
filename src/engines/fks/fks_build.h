/* FKS's builds: a team builds a region's buckets in its scratch memory, from their pairs and the
 * items of a batch, and writes them back.  Bulk inserts, buckets that outgrow their lines, splits,
 * merges and growth are all this one operation. */
#ifndef ROOST_FKS_BUILD_H
#define ROOST_FKS_BUILD_H

#include "engines/fks/fks_place.h"

/* Layouts tried for a bucket before it is given up: with fewer lines than it may have, whose number
 * rises meanwhile; and with the most. */
enum { FKS_TRIES = 1000, FKS_TRIES_MOST = 32 };

/* ---- Writing back ---------------------------------------------------------------------------- */

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

/* The block that a bucket is written to: its old one, if that is large enough and the bucket keeps
 * its keys (the rest of the block is freed); or another.  Called by one lane. */
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

/* Writes a bucket's lines and its entry.  false: the part has no block for it. */
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

/* Adds a bucket to what the build counts; the policy takes that in if it keeps the part. */
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

/* Gives bucket i up: it stays as it was. */
ROOST_FN void fks_lose(const tile g, const struct fks_region *r, int i, uint32_t trouble, uint32_t *lost)
{
    *lost |= 1u << i;
    if (g.lane == 0) (void)or_relaxed_device32(&r->space->trouble, trouble);
}

/* Are 31 of 32 slots of a bucket taken?  Then no other seed makes room for many more keys: the
 * bucket has got far more keys than others. */
ROOST_FN bool fks_draft_is_full(const struct shape s, const tile g, struct fks_scratch *m, const struct fks_draft *d)
{
    return s.slots > 1 && fks_draft_count(s, g, m, d) * 32 >= d->lines * (uint32_t)s.slots * 31;
}

/* After a round of building: which of the buckets in `now` are done.  The others are planned again,
 * except those that are given up, in *lost. */
ROOST_FN uint32_t fks_window_close(const struct shape s, const tile g, const struct fks_view *v, const struct fks_work *w,
                                   struct fks_scratch *m, const struct fks_region *r, uint32_t now, bool distinct, uint32_t *lost)
{
    uint32_t done = 0;
    for (; now; now &= now - 1) {
        const int i = bit_lowest32(now);
        struct fks_draft *const d = &m->draft[i];
        if (distinct && d->copies) continue; /* it is built again, by lanes that look first */
        if (d->failed) {                     /* another seed; after some seeds, more lines */
            const uint32_t more = d->lines + v->quantum, tries = d->tries + 1;
            const bool hopeless = d->lines == v->lines_most && fks_draft_is_full(s, g, m, d);
            tile_sync(g);
            if (g.lane == 0) {
                d->tries = tries;
                d->seed = (d->seed + 1) % FKS_SEEDS;
                if (tries % 8 == 0 && v->line_load) d->lines = more < v->lines_most ? more : v->lines_most;
            }
            tile_sync(g);
            if (hopeless || tries >= (d->lines < v->lines_most ? FKS_TRIES : FKS_TRIES_MOST))
                fks_lose(g, r, i, FKS_NO_LAYOUT, lost);
            continue;
        }
        const uint32_t count = distinct ? d->count : fks_draft_count(s, g, m, d);
        const uint32_t lines = distinct ? d->lines : fks_draft_lines(s, v, r, (uint32_t)i, count);
        /* Many of its items had the same keys. */
        const bool large = lines < d->lines && count < d->count;
        tile_sync(g); /* all lanes have read the plan */
        if (g.lane == 0) d->count = count;
        if (g.lane == 0 && distinct) d->placed = d->items;
        if (large && g.lane == 0) d->lines = lines;
        tile_sync(g);
        if (large) continue;
        if (fks_draft_write(s, g, v, w, m, r, (uint32_t)i)) done |= 1u << i;
        else fks_lose(g, r, i, FKS_NO_ROOM, lost);
        if (g.lane == 0 && done >> i & 1) fks_draft_tally(r, d);
    }
    /* All lanes have copied their lines, before these are cleared for other buckets. */
    tile_sync(g);
    return done;
}

/* The items of buckets that are not done wait again, except those done before. */
ROOST_FN void fks_window_requeue(const struct shape s, const tile g, const struct fks_work *w, const struct batch *b,
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

/* Frees old blocks after all their pairs are written elsewhere. */
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

/* ---- The operation --------------------------------------------------------------------------- */

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
        uint32_t apart = 0; /* buckets whose keys may come more than once */
        for (uint32_t i = 0; i < r->count; i++) apart |= (m->draft[i].copies || s.slots == 1 ? 1u : 0u) << i;
        const bool distinct = (pending & ~apart) != 0;
        const uint32_t now = fks_window_open(s, g, m, distinct ? pending & ~apart : pending);
        if (distinct) fks_window_place_distinct(s, g, v, w, b, m, r, now);
        else fks_window_place(s, g, v, w, b, m, r, now);
        const uint32_t done = fks_window_close(s, g, v, w, m, r, now, distinct, &lost);
        pending &= ~(done | lost);
        built |= done;
        if (now & ~done) fks_window_requeue(s, g, w, b, m, r, now & ~done);
    }
    /* Any old bucket had keys for any new one. */
    if (!r->same) built = built == wanted && wanted == all ? ~0u : 0;
    fks_window_free(s, g, v, w, m, r, built);
}

/* Outcomes of a build in place hold: it is not discarded. */
ROOST_FN void fks_region_keep(const tile g, const struct batch *b, const struct fks_run run)
{
    for (uint64_t i = run.first + (unsigned)g.lane; i < run.last; i += (unsigned)g.size) b->statuses[i] &= (uint8_t)~FKS_TENTATIVE;
}

#define fks_build_begin fks_region_begin
#define fks_build_end fks_region_end

/* Item i: a region of part first_part + i / region_count.  Some of the regions, without items, are
 * numbered by their lowest bucket. */
ROOST_FN enum step fks_build_step(const struct shape s, const tile g, const void *view, const struct batch *b, struct item *item,
                                  struct tally *tally, void *scratch)
{
    const struct fks_view *v = (const struct fks_view *)view;
    const struct fks_work *w = &((const struct fks_args *)view)->work;
    const uint32_t log = w->digit_bits - w->to_bits, index = (uint32_t)item->index;
    const uint32_t part = w->first_part + index / w->region_count, number = w->first_region + index % w->region_count;
    /* Then their lines come to lie in the hashes' order. */
    const bool all_regions = w->region_count == 1u << log;
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
