/* GPH's item operations, in the dialect: where a key lies, find, erase and the first pass of
 * inserts.  gph.h says why they are right. */
#ifndef ROOST_GPH_ITEMS_H
#define ROOST_GPH_ITEMS_H

#include "engines/gph/gph.h"
#include "portable/drivers.h"
#include "portable/wait_die.h"

/* ---- Hashes ---------------------------------------------------------------------------------- */

/* What the places of a key depend on.  The family is a parameter of the functions below, so that a
 * loop reads it once. */
struct gph_hash {
    uint32_t cell;
    uint32_t low; /* picks the virtual bucket, with Phi */
};

/* True if the family is the paper's (hash=summed), which is compiled with ROOST_TUNE alone. */
ROOST_FN bool gph_is_summed(const uint32_t family)
{
#if ROOST_TUNE
    return family == HASH_SUMMED;
#else
    (void)family;
    return false;
#endif
}

/* Number i of the inner functions of the paper's sums, of a key or of a word of 4 bytes. */
ROOST_FN uint32_t summed_inner(const struct gph_view *v, int i, const int bytes, uint64_t x)
{
    return bytes == 8 ? (uint32_t)(mix64(x ^ v->seeds.a[i]) >> 32) : fmix32((uint32_t)x ^ (uint32_t)v->seeds.a[i]);
}

ROOST_FN uint32_t summed_outer(const struct gph_view *v, int i, uint32_t sum) { return fmix32(sum ^ (uint32_t)v->seeds.b[i]); }

/* H_c.  The top of the hash picks the cell; its low word picks the virtual bucket.  Keys of 4 bytes
 * have a hash of 4 bytes, which takes fewer instructions. */
ROOST_FN struct gph_hash gph_hash_in(const uint32_t family, const struct shape s, const struct gph_view *v, roost_key key)
{
    struct gph_hash h;
    if (gph_is_summed(family)) {
        h.cell = range32(summed_outer(v, 0, summed_inner(v, 0, s.key_bytes, key)), v->cell_count);
        h.low = summed_inner(v, 1, s.key_bytes, key);
    } else if (s.key_bytes == 4) {
        h.low = hash_word32(&v->seeds, (uint32_t)key);
        h.cell = range32(h.low, v->cell_count);
    } else {
        const uint64_t hash = hash_word64(&v->seeds, key);
        h.cell = range64(hash, v->cell_count);
        h.low = (uint32_t)hash;
    }
    return h;
}

/* H_v: the virtual bucket, below R. */
ROOST_FN uint32_t gph_virtual_in(const uint32_t family, const struct gph_view *v, uint32_t low, uint32_t phi)
{
    uint32_t x = low + phi * 0x9e3779b9u;
    if (gph_is_summed(family)) x = summed_outer(v, 1, low + summed_inner(v, 2, 4, phi));
    else x = fmix32_top(x);
    return x >> (32 - v->virtual_log);
}

/* What the buckets of a cell's mappings depend on.  A lookup has it before the code arrives. */
ROOST_FN uint32_t gph_base_in(const uint32_t family, const struct gph_view *v, uint32_t cell)
{
    return gph_is_summed(family) ? summed_inner(v, 3, 4, cell) : fmix32(cell ^ (uint32_t)v->seeds.b[0]);
}

/* H_b: the bucket at position p = (virtual bucket + Delta) mod R of a cell's mapping.  Start and
 * stride come from one number.  A cell's numbers come from double hashing by Phi.  R - 1 strides
 * are less than all buckets, so the R positions have different buckets. */
ROOST_FN uint32_t gph_bucket_in(const uint32_t family, const struct gph_view *v, uint32_t base, uint32_t phi, uint32_t position)
{
    if (gph_is_summed(family)) {
        const uint32_t sum = base + summed_inner(v, 4, 4, position) + summed_inner(v, 5, 4, phi);
        return range32(summed_outer(v, 2, sum), v->bucket_count);
    }
    const uint64_t scaled = (uint64_t)(base + phi * (base >> 13 | base << 19 | 1u)) * v->bucket_count;
    const uint32_t start = (uint32_t)(scaled >> 32), stride = 1 + range32((uint32_t)scaled, v->stride_count);
    const uint32_t bucket = start + position * stride;
    return bucket >= v->bucket_count ? bucket - v->bucket_count : bucket;
}

ROOST_FN uint32_t gph_virtual_mask(const struct gph_view *v) { return (1u << v->virtual_log) - 1u; }

/* A code, decoded; a flagged cell has mapping 0. */
struct gph_mapping {
    uint32_t phi, delta;
    bool flagged;
};

ROOST_FN struct gph_mapping gph_mapping(const struct gph_view *v, uint32_t code)
{
    struct gph_mapping m;
    m.flagged = code == GPH_FLAGGED;
    if (m.flagged) code = 0;
    m.phi = code >> v->virtual_log;
    m.delta = code & gph_virtual_mask(v);
    return m;
}

ROOST_FN uint32_t gph_key_bucket_in(const uint32_t family, const struct gph_view *v, const struct gph_hash h, uint32_t base,
                                    const struct gph_mapping m)
{
    return gph_bucket_in(family, v, base, m.phi, (gph_virtual_in(family, v, h.low, m.phi) + m.delta) & gph_virtual_mask(v));
}

/* The same functions by the table's own family. */
ROOST_FN struct gph_hash gph_hash(const struct shape s, const struct gph_view *v, roost_key key)
{
    return gph_hash_in(v->seeds.family, s, v, key);
}
ROOST_FN uint32_t gph_bucket(const struct gph_view *v, uint32_t cell, uint32_t phi, uint32_t position)
{
    return gph_bucket_in(v->seeds.family, v, gph_base_in(v->seeds.family, v, cell), phi, position);
}
ROOST_FN uint32_t gph_key_bucket(const struct gph_view *v, const struct gph_hash h, const struct gph_mapping m)
{
    return gph_key_bucket_in(v->seeds.family, v, h, gph_base_in(v->seeds.family, v, h.cell), m);
}

ROOST_FN uint32_t *gph_cell_word(const struct gph_view *v, uint32_t cell) { return v->cells + (cell >> 2); }
ROOST_FN uint32_t gph_code_of(uint32_t word, uint32_t cell) { return word >> (cell & 3u) * 8 & 0xffu; }

/* A cell's code while no item writes codes: its byte of that word. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "a cell's code is its byte of a word on little-endian processors alone"
#endif
ROOST_FN uint32_t gph_cell_code(const struct gph_view *v, uint32_t cell) { return ((const uint8_t *)v->cells)[cell]; }

/* ---- Buckets --------------------------------------------------------------------------------- */

ROOST_FN uint32_t gph_special(const struct gph_view *v) { return v->bucket_count + v->overflow_count; }

ROOST_FN unsigned char *gph_at(const struct shape s, const struct gph_view *v, uint32_t bucket)
{
    return v->buckets + (size_t)bucket * shape_bucket_bytes(s);
}

ROOST_FN uint32_t *gph_bucket_lock(const struct gph_view *v, uint32_t bucket)
{
    return v->bucket_locks + (bucket & v->bucket_lock_mask);
}

/* The buckets of a chain. */
ROOST_FN uint32_t gph_chain_length(const struct gph_view *v)
{
    return v->overflow_count < GPH_CHAIN ? v->overflow_count : (uint32_t)GPH_CHAIN;
}

/* The k-th bucket of a cell's overflow chain, as a number in the overflow store.  As in gph_bucket,
 * the buckets differ.  Neighbouring buckets would fail: some flagged cells have dozens of keys
 * there, so full buckets would stand in rows. */
ROOST_FN uint32_t gph_chain(const struct gph_view *v, uint32_t cell, uint32_t k)
{
    const uint64_t hash = mix64(cell ^ v->seeds.b[1]);
    const uint32_t start = range64(hash, v->overflow_count), stride = 1 + range32((uint32_t)hash, v->chain_stride_count);
    const uint32_t i = start + k * stride;
    return i >= v->overflow_count ? i - v->overflow_count : i;
}

/* ---- Begin and end, common to the operations ------------------------------------------------- */

/* An item's home[0] is its cell and its bucket; home[1].sub is 1 if the cell is flagged. */
ROOST_FN uint32_t item_cell(const struct item *item) { return item->home[0].sub; }
ROOST_FN uint32_t item_bucket(const struct item *item) { return item->home[0].index; }
ROOST_FN bool item_flagged(const struct item *item) { return item->home[1].sub != 0; }

/* The key whose bits mean "vacant" has the special bucket.  Its ordinary bucket is computed, too:
 * a branch would make the lanes of a warp diverge. */
ROOST_FN void item_place(const uint32_t family, const struct shape s, const struct gph_view *v, struct item *item)
{
    const struct gph_hash h = gph_hash_in(family, s, v, item->key);
    const uint32_t code = gph_cell_code(v, h.cell);
    const uint32_t base = gph_base_in(family, v, h.cell);
    const struct gph_mapping m = gph_mapping(v, code);
    const uint32_t bucket = gph_key_bucket_in(family, v, h, base, m);
    const bool special = item->key == 0;
    item->home[0].sub = h.cell;
    item->home[0].index = special ? gph_special(v) : bucket;
    item->home[1].sub = m.flagged && !special;
    item->home[1].index = 0;
}

/* The key's place while codes stay: not in refine. */
ROOST_FN void item_load(const struct shape s, const void *view, const struct batch *b, uint64_t index, struct item *item)
{
    const struct gph_view *v = (const struct gph_view *)view;
    item->key = load_width(s.key_bytes, b->keys, index);
    item->value = 0;
    item->index = index;
    item->status = ROOST_ITEM_NONE;
    if (gph_is_summed(v->seeds.family)) item_place(HASH_SUMMED, s, v, item);
    else item_place(HASH_KEYED, s, v, item);
    prefetch_read(gph_at(s, v, item->home[0].index));
}

/* ---- Find ------------------------------------------------------------------------------------ */

#define gph_find_begin item_load
#define gph_findslot_begin item_load
#define gph_find_end item_report_find
#define gph_findslot_end item_report_find

/* Looks in the overflow chain of a flagged cell, up to a bucket that no key has passed. */
ROOST_FN void find_in_chain(const struct shape s, const tile g, const struct gph_view *v, struct item *item, struct tally *tally)
{
    if (g.lane == 0) tally->second_reads++;
    ROOST_ROLLED
    for (uint32_t k = 0; k < gph_chain_length(v); k++) {
        const uint32_t i = gph_chain(v, item_cell(item), k);
        if (g.lane == 0) tally_read(tally);
        if (bucket_find(PASSING, s, g, gph_at(s, v, v->bucket_count + i), item->key, false, &item->value) == LOOK_FOUND) {
            item->status = ROOST_ITEM_FOUND;
            return;
        }
        if (!v->passed[i]) return;
    }
}

ROOST_FN void found_in_bucket(struct item *item, enum look look)
{
    item->status = look == LOOK_FOUND ? ROOST_ITEM_FOUND : ROOST_ITEM_ABSENT;
}

/* One read; more only if the key was not there and its cell is flagged.  by_slots: without the
 * Bucket Requester. */
ROOST_FN enum step find_in_cell(const bool by_slots, const struct shape s, const tile g, const struct gph_view *v,
                                struct item *item, struct tally *tally)
{
    unsigned char *const bucket = gph_at(s, v, item_bucket(item));
    if (g.lane == 0) tally_read(tally);
#if defined(ROOST_MACHINE_HOST)
    if (!by_slots) {
        /* A branch on the mask would be mispredicted half of the time. */
        const uint32_t mask = bucket_mask(s, bucket, item->key);
        const int slot = bit_lowest32(mask) & (s.slots - 1); /* any, if the key is not there */
        if (s.value_bytes)
            item->value = slot_value_seen(s, bucket, slot, s.word ? *(const uint64_t *)slot_unit(s, bucket, slot) : 0);
        item->status = (uint8_t)(ROOST_ITEM_ABSENT + (ROOST_ITEM_FOUND - ROOST_ITEM_ABSENT) * opaque_bool(mask != 0));
    } else
#endif
        found_in_bucket(item, by_slots ? bucket_find_slots(s, g, bucket, item->key, false, &item->value)
                                       : bucket_find(PASSING, s, g, bucket, item->key, false, &item->value));
    if (item_flagged(item) && item->status == ROOST_ITEM_ABSENT) find_in_chain(s, g, v, item, tally);
    return STEP_DONE;
}

/* gph_find_step in halves: the read, */
ROOST_FN void gph_find_request(const struct shape s, const tile g, const void *view, const struct item *item,
                               struct bucket_share *share)
{
    *share = bucket_load(PASSING, s, g, gph_at(s, (const struct gph_view *)view, item_bucket(item)));
}

/* and the look at what was read. */
ROOST_FN void gph_find_look(const struct shape s, const tile g, const void *view, struct item *item,
                            const struct bucket_share *share, struct tally *tally)
{
    const struct gph_view *v = (const struct gph_view *)view;
    if (g.lane == 0) tally_read(tally);
    found_in_bucket(item, bucket_look(s, g, gph_at(s, v, item_bucket(item)), share, item->key, false, &item->value));
    if (item_flagged(item) && item->status == ROOST_ITEM_ABSENT) find_in_chain(s, g, v, item, tally);
}

ROOST_FN enum step gph_find_step(const struct shape s, const tile g, const void *view, const struct batch *b, struct item *item,
                                 struct tally *tally, void *scratch)
{
    (void)b, (void)scratch;
    return find_in_cell(false, s, g, (const struct gph_view *)view, item, tally);
}

ROOST_FN enum step gph_findslot_step(const struct shape s, const tile g, const void *view, const struct batch *b, struct item *item,
                                     struct tally *tally, void *scratch)
{
    (void)b, (void)scratch;
    return find_in_cell(true, s, g, (const struct gph_view *)view, item, tally);
}

/* ---- Erase ----------------------------------------------------------------------------------- */

#define gph_erase_begin item_load
#define gph_erase_end item_report

/* True if the key was there.  Then the item's status says whether this item removed it. */
ROOST_FN bool erase_from(const struct shape s, const tile g, const struct gph_view *v, uint32_t index, uint8_t where,
                         struct item *item, struct tally *tally)
{
    unsigned char *bucket = gph_at(s, v, index);
    if (g.lane == 0) tally_read(tally);
    const struct bucket_share share = bucket_load(CONCURRENT, s, g, bucket);
    const int slot = bucket_match(s, g, &share, item->key);
    if (slot < 0) return false;
    if (!slot_erase(s, g, bucket, slot, item->key, vacant_unit(s, where == GPH_SPECIAL))) return true;
    item->status = ROOST_ITEM_ERASED;
    item->where = where;
    return true;
}

ROOST_FN enum step gph_erase_step(const struct shape s, const tile g, const void *view, const struct batch *b, struct item *item,
                                  struct tally *tally, void *scratch)
{
    const struct gph_view *v = (const struct gph_view *)view;
    (void)b, (void)scratch;
    item->status = ROOST_ITEM_ABSENT;
    if (erase_from(s, g, v, item_bucket(item), item->key ? GPH_MAIN : GPH_SPECIAL, item, tally) || !item_flagged(item))
        return STEP_DONE;
    ROOST_ROLLED
    for (uint32_t k = 0; k < gph_chain_length(v); k++) {
        const uint32_t i = gph_chain(v, item_cell(item), k);
        if (erase_from(s, g, v, v->bucket_count + i, GPH_OVERFLOW, item, tally) || !v->passed[i]) break;
    }
    return STEP_DONE;
}

/* ---- Inserts: what both passes share --------------------------------------------------------- */

/* Combines the item's value with that of its key, which was found.  One lane acts for the tile. */
ROOST_FN void gph_update(const struct shape s, const struct gph_view *v, const struct batch *b, bool acts, uint32_t bucket,
                         int slot, struct item *item)
{
    if (acts) cell_update(b, b->mode, slot_cell(s, gph_at(s, v, bucket), slot), item->key, item->value);
    item->status = b->mode == ROOST_KEEP ? ROOST_ITEM_KEPT : ROOST_ITEM_UPDATED;
}

/* Updates the key in its cell's overflow chain; false if it is not there.  In refine another item
 * may mark a bucket as passed at any time.  If each lane looked for itself, some would go on and
 * some would not.  So the first lane's look, which is after the cell's lock, counts for all. */
ROOST_FN bool update_in_chain(const struct shape s, const tile g, const struct gph_view *v, const struct batch *b,
                              struct item *item)
{
    ROOST_ROLLED
    for (uint32_t k = 0; k < gph_chain_length(v); k++) {
        const uint32_t i = gph_chain(v, item_cell(item), k), bucket = v->bucket_count + i;
        const struct bucket_share share = bucket_load(CONCURRENT, s, g, gph_at(s, v, bucket));
        const int slot = bucket_match(s, g, &share, item->key);
        if (slot >= 0) {
            gph_update(s, v, b, g.lane == share_lane(s, g, slot), bucket, slot, item);
            return true;
        }
        const uint32_t passed = load_relaxed_device32(v->passed + i);
        if (!tile_from32(g, passed, 0)) break;
    }
    return false;
}

ROOST_FN void insert_done(struct item *item, uint8_t where)
{
    item->status = ROOST_ITEM_INSERTED;
    item->where = where;
}

/* ---- Fill: the first pass, in which nothing moves -------------------------------------------- */

ROOST_FN void gph_fill_begin(const struct shape s, const void *view, const struct batch *b, uint64_t index, struct item *item)
{
    item_load(s, view, b, index, item);
    if (s.value_bytes) item->value = load_width(s.value_bytes, b->values_in, index);
}

#define gph_fill_end item_report

/* Updates the key, which was found in its bucket without a lock; false: come again.  In the apart
 * layout the key may be so new that its first value is not written yet, and would overwrite this
 * update.  The lock, read after the key, is free only after both were written.  In the word layout
 * the lane that read the key updates it: another one could still see an older word of the slot. */
ROOST_FN bool fill_update(const struct shape s, const tile g, const struct gph_view *v, const struct batch *b, int slot,
                          struct item *item)
{
    if (!s.word && b->mode != ROOST_KEEP) {
        fence_acquire_device(); /* on every lane: any of them may have read the key */
        tile_sync(g);
        const bool under_way = g.lane == 0 && stamp_lock_held(gph_bucket_lock(v, item_bucket(item)));
        if (tile_any(g, under_way)) return false;
        if (g.lane == 0) fence_acquire_device();
    }
    gph_update(s, v, b, g.lane == (s.word ? share_lane(s, g, slot) : 0), item_bucket(item), slot, item);
    return true;
}

/* Claims a vacant slot for a pair of one word.  Where the compare-and-swap fails, the slot has
 * another key by now, or this one.  The item looks again after each failure, so two inserts of one
 * key cannot take different slots. */
ROOST_FN enum step fill_word(const struct shape s, const tile g, const struct gph_view *v, struct item *item, int slot)
{
    const uint8_t where = item->key ? GPH_MAIN : GPH_SPECIAL;
    const uint64_t vacant = vacant_unit(s, where == GPH_SPECIAL), unit = pair_unit(s, item->key, item->value);
    bool mine = false;
    if (g.lane == 0) mine = slot_cas_unit(s, gph_at(s, v, item_bucket(item)), slot, vacant, unit) == vacant;
    if (!tile_any(g, mine)) return STEP_AGAIN;
    insert_done(item, where);
    return STEP_DONE;
}

/* Claims one for a pair of two words, under the bucket's lock.  The bucket is read again: between
 * the first look and the lock another item may have filled the slot or inserted this key.  A key
 * that is there now has its value, so the item looks again and updates it. */
ROOST_FN enum step fill_locked(const struct shape s, const tile g, const struct gph_view *v, struct item *item)
{
    const uint8_t where = item->key ? GPH_MAIN : GPH_SPECIAL;
    unsigned char *bucket = gph_at(s, v, item_bucket(item));
    uint32_t *lock = gph_bucket_lock(v, item_bucket(item));
    bool held = false;
    if (g.lane == 0) held = cas_relaxed_device32(lock, 0, 1) == 0;
    /* An item that sees what is written now sees the lock as taken, too. */
    if (g.lane == 0 && held) fence_acquire_release_device();
    if (!tile_any(g, held)) return STEP_RETRY;
    tile_sync(g); /* the other lanes read after the lock, too */
    const struct bucket_share share = bucket_load(CONCURRENT, s, g, bucket);
    const struct seek seek = bucket_seek(s, g, &share, item->key, vacant_unit(s, where == GPH_SPECIAL));
    if (seek.vacancy >= 0) {
        if (g.lane == 0) slot_publish(s, bucket, seek.vacancy, item->key, item->value);
        insert_done(item, where);
    }
    tile_sync(g);
    if (g.lane == 0) {
        fence_release_device();
        stamp_lock_give(lock, 1);
    }
    return seek.vacancy >= 0 ? STEP_DONE : STEP_AGAIN;
}

/* A flagged cell's key may lie in the overflow store while its bucket has a vacancy, so the store
 * is looked at first.  The vacant key's own bucket has room in a closed table, too. */
ROOST_FN enum step gph_fill_step(const struct shape s, const tile g, const void *view, const struct batch *b, struct item *item,
                                 struct tally *tally, void *scratch)
{
    const struct gph_view *v = (const struct gph_view *)view;
    const unsigned char *bucket = gph_at(s, v, item_bucket(item));
    const uint64_t vacant = vacant_unit(s, item->key == 0);
    const struct seek seek = bucket_seek_at(CONCURRENT, s, g, bucket, item->key, vacant);
    (void)tally, (void)scratch;
    if (seek.match >= 0) return fill_update(s, g, v, b, seek.match, item) ? STEP_DONE : STEP_RETRY;
    if (item_flagged(item) && update_in_chain(s, g, v, b, item)) return STEP_DONE;
    if (seek.vacancy < 0 || (v->closed && item->key != 0)) return STEP_PARK;
    return s.word ? fill_word(s, g, v, item, seek.vacancy) : fill_locked(s, g, v, item);
}

#endif
