/* What FKS's builds work on: a region's old buckets and items, as a team reads them; the drafts in
 * its scratch memory; and the blocks of lines that it takes from its part and gives back. */
#ifndef ROOST_FKS_REGIONS_H
#define ROOST_FKS_REGIONS_H

#include "engines/fks/fks_items.h"

/* ---- A region's items ------------------------------------------------------------------------ */

struct fks_run {
    uint64_t first, last;
};

ROOST_FN struct fks_run fks_run_of(const struct fks_work *w, uint64_t region)
{
    struct fks_run run = {0, 0};
    const uint32_t shift = w->bounds_bits - w->digit_bits;
    if (w->bounds) run.first = w->bounds[region << shift], run.last = w->bounds[(region + 1) << shift];
    return run;
}

ROOST_FN void fks_region_begin(const struct shape s, const void *view, const struct batch *b, uint64_t index, struct item *item)
{
    (void)s, (void)view, (void)b;
    item->index = index;
    item->status = ROOST_ITEM_NONE;
}

ROOST_FN void fks_region_end(const struct shape s, const struct batch *b, const struct item *item) { (void)s, (void)b, (void)item; }

/* A bucket while it is built: its future entry, and its place in the scratch memory. */
struct fks_draft {
    uint32_t at, lines, seed;
    uint32_t count; /* pairs and items that are for it; then, its pairs */
    uint32_t items; /* of those, items */
    uint32_t marks[2];
    uint32_t failed, tries;
    /* Some of its keys come, or may come, more than once: lanes look first. */
    uint32_t copies;
    uint32_t placed, updated; /* items stored as new keys, and those that met their key */
    uint32_t second, evicted; /* pairs in their second line, and those that were moved */
};

struct fks_stuck {
    roost_key key;
    roost_value value;
};

struct fks_scratch {
    uint64_t lines[FKS_DRAFT_BYTES / 8];
    uint32_t fill[FKS_DRAFT_LINES / 4]; /* slots taken of each line; four lines a word */
    struct fks_stuck stuck[FKS_STUCK_PAIRS];
    uint32_t stuck_n, unused[3];
    struct fks_entry old[FKS_WINDOW]; /* the entries whose blocks are freed in the end */
    struct fks_draft draft[FKS_WINDOW];
};

/* Buckets low, low + 2^log, low + 2 * 2^log, ... of a part. */
struct fks_comb {
    uint32_t low, log;
};

/* A region, its items, and the window of it that is built: buckets window .. window + count - 1. */
struct fks_region {
    struct fks_part from, to;
    struct fks_space *space;
    struct fks_run run;
    struct fks_comb from_comb, to_comb; /* its buckets, in either part */
    uint32_t window, count;
    bool single;                         /* it has one bucket */
    bool same;                           /* old and new buckets have the same keys */
    uint32_t digit, digit_bits, to_bits; /* its keys have hashes that begin with this */
};

/* How many of `buckets` buckets a region has, and number j of them. */
ROOST_FN uint32_t fks_comb_buckets(const struct fks_comb c, uint32_t buckets)
{
    return buckets > c.low ? ((buckets - c.low - 1) >> c.log) + 1 : 0;
}

ROOST_FN uint32_t fks_comb_bucket(const struct fks_comb c, uint32_t j) { return c.low + (j << c.log); }

/* The buckets of the keys whose first `bits` local bits are `number`.  In a part with fewer buckets
 * they also hold other keys. */
ROOST_FN struct fks_comb fks_comb_of(uint32_t number, uint32_t bits, const struct fks_part *p)
{
    uint32_t log = 0;
    while (log < bits && p->buckets >> (log + 1)) log++;
    const struct fks_comb c = {(uint32_t)((uint64_t)bit_reverse32(number) >> (32 - bits)) & ((1u << log) - 1u), log};
    return c;
}

/* ---- What a team reads ----------------------------------------------------------------------- */

enum { FKS_AHEAD = 4 /* rounds read at the same time, so that their latencies overlap */ };

/* The old buckets' slots, and then the items. */
struct fks_cursor {
    uint32_t bucket, buckets, slot;
    uint64_t item;
};

/* What a lane has read in FKS_AHEAD rounds. */
struct fks_reads {
    uint64_t hash[FKS_AHEAD], value[FKS_AHEAD];
    uint32_t exists; /* a bit for each */
    bool items;      /* of the batch; round k's has the index first + k * size + lane */
    uint64_t first;
};

/* One key of them. */
struct fks_source {
    uint64_t hash;
    roost_key key;
    roost_value value;
    uint32_t draft; /* its bucket's; FKS_WINDOW: none of the window's */
    bool is_item;
    uint64_t index;
};

/* If buckets keep their keys those of the window are read; else all, because each may have keys for
 * any. */
ROOST_FN struct fks_cursor fks_cursor_open(const struct fks_region *r)
{
    const uint32_t all = fks_comb_buckets(r->from_comb, r->from.buckets), end = r->window + r->count;
    const struct fks_cursor c = {r->same ? r->window : 0, r->same && end < all ? end : all, 0, r->run.first};
    return c;
}

ROOST_FN struct fks_entry fks_old_entry(const struct fks_work *w, const struct fks_scratch *m, const struct fks_region *r,
                                        uint32_t j)
{
    if (w->in_place || r->same) return m->old[j - r->window];
    return fks_entry_load(CONCURRENT, r->from.directory + fks_comb_bucket(r->from_comb, j));
}

/* The window's draft to which a key belongs. */
ROOST_FN uint32_t fks_draft_of(const struct shape s, const struct fks_region *r, uint64_t hash)
{
    const uint32_t top = fks_top(s, hash);
    const bool here = fks_digit(top, r->digit_bits) == r->digit;
    if (!here) return (uint32_t)FKS_WINDOW;
    if (r->single) return 0;
    const uint32_t j = (fks_bucket_of(&r->to, r->to_bits, top) >> r->to_comb.log) - r->window;
    return j < r->count ? j : (uint32_t)FKS_WINDOW;
}

/* Reads rounds of old pairs; false: there are no more. */
ROOST_FN bool fks_read_pairs(const struct shape s, const tile g, const struct fks_view *v, const struct fks_work *w,
                             const struct fks_scratch *m, const struct fks_region *r, struct fks_cursor *c, struct fks_reads *x)
{
    for (; c->bucket < c->buckets; c->bucket++, c->slot = 0) {
        const struct fks_entry e = fks_old_entry(w, m, r, c->bucket);
        const uint32_t slots = fks_form_lines(e.form) * (uint32_t)s.slots;
        if (c->slot >= slots) continue;
        unsigned char *const bucket = fks_bucket(v, &r->from, e.first);
        x->exists = 0;
        ROOST_UNROLL
        for (int k = 0; k < FKS_AHEAD; k++) {
            const uint32_t slot = c->slot + (uint32_t)(k * g.size + g.lane);
            struct pair pair = {0, 0, false};
            if (slot < slots)
                pair = pair_load(s, fks_line(s, bucket, slot / (uint32_t)s.slots), (int)(slot % (uint32_t)s.slots), false);
            x->hash[k] = pair.key, x->value[k] = pair.value;
            x->exists |= (pair.taken ? 1u : 0u) << k;
        }
        ROOST_UNROLL
        /* After all loads. */
        for (int k = 0; k < FKS_AHEAD; k++) x->hash[k] = fks_hash(s, v, x->hash[k]);
        c->slot += (uint32_t)(FKS_AHEAD * g.size);
        return true;
    }
    return false;
}

/* Reads rounds of items, without those that are done. */
ROOST_FN void fks_read_items(const struct shape s, const tile g, const struct fks_work *w, const struct batch *b, uint64_t last,
                             const bool values, struct fks_reads *x)
{
    x->exists = 0;
    ROOST_UNROLL
    for (int k = 0; k < FKS_AHEAD; k++) {
        const uint64_t i = x->first + (unsigned)(k * g.size + g.lane);
        x->hash[k] = x->value[k] = 0;
        if (i >= last) continue;
        x->exists |= 1u << k;
        x->hash[k] = load_width(s.key_bytes, w->hashes, i);
        if (values && s.value_bytes) x->value[k] = load_width(s.value_bytes, b->values_in, i);
    }
    if (w->fresh) return;
    ROOST_UNROLL
    for (int k = 0; k < FKS_AHEAD; k++)
        if (x->exists >> k & 1 && b->statuses[x->first + (unsigned)(k * g.size + g.lane)] != ROOST_ITEM_NONE)
            x->exists &= ~(1u << k);
}

/* Reads the next rounds; false: all have been read. */
ROOST_FN bool fks_read(const struct shape s, const tile g, const struct fks_view *v, const struct fks_work *w,
                       const struct batch *b, const struct fks_scratch *m, const struct fks_region *r, const bool values,
                       struct fks_cursor *c, struct fks_reads *x)
{
    x->first = c->item;
    x->items = !fks_read_pairs(s, g, v, w, m, r, c, x);
    if (!x->items) return true;
    if (c->item >= r->run.last) return false;
    c->item += (unsigned)(FKS_AHEAD * g.size);
    fks_read_items(s, g, w, b, r->run.last, values, x);
    return true;
}

/* Key k of them.  The vacant key's items are for no bucket. */
ROOST_FN struct fks_source fks_read_one(const struct shape s, const tile g, const struct fks_view *v, const struct fks_region *r,
                                        const struct fks_reads *x, int k)
{
    struct fks_source one;
    one.hash = x->hash[k], one.value = x->value[k];
    one.key = fks_key(s, v, one.hash);
    one.draft = x->exists >> k & 1 && one.key ? fks_draft_of(s, r, one.hash) : (uint32_t)FKS_WINDOW;
    one.is_item = x->items;
    one.index = x->first + (unsigned)(k * g.size + g.lane);
    return one;
}

/* ---- Blocks of lines ------------------------------------------------------------------------- */

ROOST_FN uint32_t fks_granules(const struct shape s, const struct fks_view *v, uint32_t lines)
{
    return (lines * (uint32_t)shape_bucket_bytes(s) + (1u << v->granule_log) - 1u) >> v->granule_log;
}

/* A list's next head, with `top` as its top block.  The number of changes in its upper half
 * rises. */
ROOST_FN uint64_t fks_head(uint64_t head, uint32_t top) { return ((head >> 32) + 1) << 32 | top; }

/* Takes the top block of a list: its first granule; ~0: the list is empty.  Called by one lane. */
ROOST_FN uint32_t fks_pop(const struct fks_part *p, uint64_t *list)
{
    uint64_t head = load_acquire_device64(list);
    /* The block may be taken by now, and its link changed: then the head has changed, too. */
    while ((uint32_t)head) {
        const uint32_t block = (uint32_t)head - 1, next = load_relaxed_device32(p->links + block);
        const uint64_t seen = cas_release_device64(list, head, fks_head(head, next));
        if (seen == head) return block;
        head = load_acquire_device64(list);
    }
    return ~0u;
}

/* Adds a free block.  The head is released here and acquired by a pop, which so sees the block's
 * link. */
ROOST_FN void fks_give(const struct fks_part *p, struct fks_space *space, uint32_t block, uint32_t granules)
{
    uint64_t *const list = &space->free[granules - 1];
    uint64_t head = load_acquire_device64(list);
    for (;;) {
        store_relaxed_device32(p->links + block, (uint32_t)head);
        const uint64_t seen = cas_release_device64(list, head, fks_head(head, block + 1));
        if (seen == head) return;
        head = load_acquire_device64(list);
    }
}

/* Takes a block of this many granules: a free one of this size, memory that was never handed out,
 * or the beginning of a larger free one; ~0 if there is none. */
ROOST_FN uint32_t fks_take(const struct fks_part *p, struct fks_space *space, uint32_t granules)
{
    uint32_t block = fks_pop(p, &space->free[granules - 1]);
    if (block != ~0u) return block;
    /* An atomic: two teams that took blocks from the same place would overwrite each other.  A
     * share that would end beyond the memory is kept, so that `used` stays at the end, and what
     * exists of it is
     * freed.  If it were given back, another team might meanwhile have got memory behind it (after
     * some other share was given back), and that memory would be handed out twice. */
    block = add_relaxed_device32(&space->used, granules);
    if (block <= p->granules && granules <= p->granules - block) return block;
    if (block < p->granules) fks_give(p, space, block, p->granules - block);
    else (void)add_relaxed_device32(&space->used, 0u - granules);
    for (uint32_t larger = granules + 1; larger <= FKS_CLASSES; larger++) {
        block = fks_pop(p, &space->free[larger - 1]);
        if (block == ~0u) continue;
        fks_give(p, space, block + granules, larger - granules);
        return block;
    }
    return ~0u;
}

#endif
