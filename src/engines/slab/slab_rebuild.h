/* SlabHash's operations on whole lists and slabs, alone on the table: flush, doubling and halving
 * (each reads lists and rewrites them), a survey of the lists, and export.  Their items are lists
 * or slabs, one for each lane; the shape is a run-time argument. */
#ifndef ROOST_SLAB_REBUILD_H
#define ROOST_SLAB_REBUILD_H

#include "engines/slab/slab_queues.h"

/* A slab in a lane's local memory. */
struct slab_copy {
    uint64_t word[SLAB_BYTES / 8];
};

ROOST_FN void slab_copy_load(struct slab_copy *copy, const unsigned char *slab)
{
    ROOST_UNROLL
    for (int i = 0; i < SLAB_BYTES / 8; i += 2) load_vector64(QUIESCENT, (const uint64_t *)(const void *)slab + i, copy->word + i);
}

ROOST_FN void slab_fill_empty(unsigned char *slab)
{
    ROOST_UNROLL
    for (int i = 0; i < SLAB_BYTES / 8; i++) ((uint64_t *)(void *)slab)[i] = ~0ULL;
}

ROOST_FN struct slab_pair slab_copy_pair(const struct shape s, const struct slab_copy *copy, int slot)
{
    if (s.word != SLAB_WORD) return slab_pair_of(copy->word[2 * slot], copy->word[2 * slot + 1]);
    if (slab_slot_bytes(s) == 8) return slab_word_pair(s, copy->word[slot]);
    return slab_pair_of((uint32_t)(copy->word[slot / 2] >> (slot & 1) * 32), 0);
}

ROOST_FN uint32_t slab_copy_next(const struct slab_copy *copy) { return (uint32_t)(copy->word[SLAB_BYTES / 8 - 1] >> 32); }

ROOST_FN bool slab_is_live(const struct shape s, const struct slab_pair pair) { return !slab_is_mark(s, pair.key); }

/* ---- Rebuilding ----------------------------------------------------------------------------- */

/* A list that is being written, slab by slab: all slabs except the last are full. */
struct slab_writer {
    unsigned char *slab, *base;
    int filled[2]; /* filled slots of each half */
    uint32_t length;
};

/* The new lists of one item.  free: units that the lists read so far have freed, linked through
 * next and otherwise filled with ones.  They suffice for the new lists: before the (i + 1)th
 * chained slab is needed, i + 1 have been read.  Two lists that become one may need one slab more,
 * which the pool has. */
struct slab_rebuild {
    struct slab_writer to[2];
    uint32_t free;
    bool is_special;
};

/* Writes a slab's jump, alone on the table. */
ROOST_FN void slab_jump_put(const struct shape s, unsigned char *slab, uint32_t jump)
{
    *slab_jump(s, slab) = (*slab_jump(s, slab) & 1u << SLAB_SPECIAL_BIT) | jump;
}

ROOST_FN uint32_t slab_rebuild_take(const struct slab_view *v, struct slab_rebuild *r, struct slab_resident *resident,
                                    struct tally *tally)
{
    const uint32_t handle = r->free;
    if (handle == SLAB_NONE) {
        tally->linked++;
        return slab_take(&v->pool, tile_make(1), resident);
    }
    uint32_t *const next = slab_next(slab_unit(&v->pool, handle));
    r->free = *next;
    *next = SLAB_NONE;
    return handle;
}

/* Adds a slab behind the writer's.  If the pool has none, in spite of the reservation, the pair is
 * not written, and the count of moved pairs reveals it. */
ROOST_FN bool slab_writer_extend(const struct shape s, const struct slab_view *v, struct slab_rebuild *r, struct slab_writer *w,
                                 struct slab_resident *resident, struct tally *tally)
{
    const uint32_t handle = slab_rebuild_take(v, r, resident, tally);
    if (handle == SLAB_NONE) return false;
    if (v->multi && w->length >= v->near) slab_jump_put(s, w->base, slab_jump_to(handle, true));
    *slab_next(w->slab) = handle;
    w->slab = slab_unit(&v->pool, handle);
    if (r->is_special) *slab_aux(w->slab) = ~(1u << SLAB_SPECIAL_BIT);
    w->filled[0] = w->filled[1] = 0;
    w->length++;
    if (w->length > tally->longest) tally->longest = w->length;
    return true;
}

ROOST_FN int slab_half_room(const struct shape s, int half) { return half ? s.slots - slab_half_slots(s) : slab_half_slots(s); }

/* Writes a pair to the first EMPTY slot in its order. */
ROOST_FN bool slab_write(const struct shape s, const struct slab_view *v, struct slab_rebuild *r, struct slab_writer *w,
                         const struct slab_pair pair, int first_half, struct slab_resident *resident, struct tally *tally)
{
    int half = first_half;
    if (w->filled[half] == slab_half_room(s, half)) half ^= 1;
    if (w->filled[half] == slab_half_room(s, half)) {
        half = first_half;
        if (!slab_writer_extend(s, v, r, w, resident, tally)) return false;
    }
    const int slot = half * slab_half_slots(s) + w->filled[half]++;
    if (s.word != SLAB_WORD) {
        uint64_t *const at = (uint64_t *)slab_slot(s, w->slab, slot);
        at[0] = pair.key, at[1] = pair.value;
        if (s.word == SLAB_TWO_STEP) *slab_aux(w->slab) &= ~(1u << slot);
    } else store_width(slab_slot_bytes(s), slab_slot(s, w->slab, slot), 0, slab_word(s, pair));
    tally->moved++;
    return true;
}

/* Writes the live pairs of one slab, in its order of slots, to their new lists. */
ROOST_FN void slab_rebuild_slab(const struct shape s, const struct slab_view *v, const struct slab_transfer *t,
                                struct slab_rebuild *r, const struct slab_copy *copy, struct slab_resident *resident,
                                struct tally *tally)
{
    for (int slot = 0; slot < s.slots; slot++) {
        const struct slab_pair pair = slab_copy_pair(s, copy, slot);
        if (!slab_is_live(s, pair)) continue;
        const uint64_t hash = hash_first(&v->seeds, r->is_special ? slab_empty(s) - pair.key : pair.key);
        const uint32_t second = !r->is_special && t->to_buckets > t->from_buckets ? range64(hash, t->to_buckets) & 1u : 0;
        (void)slab_write(s, v, r, &r->to[second], pair, (int)(hash >> 13) & 1, resident, tally);
    }
}

/* Reads a list and frees its slabs. */
ROOST_FN void slab_rebuild_list(const struct shape s, const struct slab_view *v, const struct slab_transfer *t,
                                struct slab_rebuild *r, unsigned char *slab, struct slab_resident *resident, struct tally *tally)
{
    struct slab_copy copy;
    slab_copy_load(&copy, slab);
    if (t->from == t->to) {
        slab_fill_empty(slab);
        if (r->is_special) *slab_aux(slab) = ~(1u << SLAB_SPECIAL_BIT);
    }
    for (;;) {
        slab_rebuild_slab(s, v, t, r, &copy, resident, tally);
        const uint32_t next = slab_copy_next(&copy);
        if (next == SLAB_NONE) return;
        slab = slab_unit(&v->pool, next);
        slab_copy_load(&copy, slab);
        slab_fill_empty(slab);
        *slab_next(slab) = r->free;
        r->free = next;
    }
}

/* Gives the remaining free units back to the allocator. */
ROOST_FN void slab_rebuild_give(const struct slab_view *v, struct slab_rebuild *r, struct tally *tally)
{
    while (r->free != SLAB_NONE) {
        const uint32_t handle = r->free;
        uint32_t *const next = slab_next(slab_unit(&v->pool, handle));
        r->free = *next;
        *next = SLAB_NONE;
        slab_give(&v->pool, handle);
        tally->linked--;
    }
}

#define slab_rebuild_begin slab_list_begin
#define slab_rebuild_end slab_list_end

/* Item i: the list of bucket i of the smaller table, and the two lists of the larger one that it
 * becomes or comes from.  These are 2i and 2i + 1, because a doubled bucket count maps i to them.
 * A flush has one list of each.  The last item is the last list. */
ROOST_FN enum step slab_rebuild_step(const struct shape unused, const tile g, const void *view, const struct batch *b,
                                     struct item *item, struct tally *tally, void *scratch)
{
    const struct slab_view *v = (const struct slab_view *)view;
    const struct slab_transfer *t = slab_transfer_of(view);
    struct slab_resident *resident = (struct slab_resident *)scratch;
    const struct shape s = t->shape;
    const bool is_special = item->index + 1 == b->n;
    const uint64_t i = item->index, doubling = t->to_buckets > t->from_buckets, halving = t->to_buckets < t->from_buckets;
    const uint64_t from = is_special ? t->from_buckets : i << halving, to = is_special ? t->to_buckets : i << doubling;
    unsigned char *const first = t->to + to * SLAB_BYTES, *const second = first + SLAB_BYTES;
    struct slab_rebuild r = {{{first, first, {0, 0}, 1}, {second, second, {0, 0}, 1}}, SLAB_NONE, is_special};
    (void)unused, (void)g;
    if (is_special && t->from != t->to) *slab_aux(r.to[0].slab) = ~(1u << SLAB_SPECIAL_BIT);
    slab_rebuild_list(s, v, t, &r, t->from + from * SLAB_BYTES, resident, tally);
    if (halving && !is_special) slab_rebuild_list(s, v, t, &r, t->from + (from + 1) * SLAB_BYTES, resident, tally);
    slab_rebuild_give(v, &r, tally);
    return STEP_DONE;
}

/* ---- Survey --------------------------------------------------------------------------------- */

#define slab_survey_begin slab_list_begin
#define slab_survey_end slab_list_end

/* Counts the live pairs (distinct), tombstones (moved) and slabs (evicted) of a list, and its
 * length.  put_back: lists with more live pairs than half a slab's slots; each of them may need one
 * slab more when two lists become one. */
ROOST_FN enum step slab_survey_step(const struct shape unused, const tile g, const void *view, const struct batch *b,
                                    struct item *item, struct tally *tally, void *scratch)
{
    const struct slab_view *v = (const struct slab_view *)view;
    const struct slab_transfer *t = slab_transfer_of(view);
    const struct shape s = t->shape;
    unsigned char *slab = t->from + item->index * SLAB_BYTES;
    uint32_t live = 0, dead = 0, length = 0;
    (void)unused, (void)g, (void)b, (void)scratch;
    for (uint32_t next = 0; next != SLAB_NONE;) {
        struct slab_copy copy;
        slab_copy_load(&copy, slab);
        for (int slot = 0; slot < s.slots; slot++) {
            const uint64_t key = slab_copy_pair(s, &copy, slot).key;
            live += !slab_is_mark(s, key);
            dead += key == slab_tombstone(s);
        }
        length++;
        next = slab_copy_next(&copy);
        if (next != SLAB_NONE) slab = slab_unit(&v->pool, next);
    }
    tally->distinct += live;
    tally->moved += dead;
    tally->evicted += length;
    tally->put_back += 2 * live > (uint32_t)s.slots;
    if (length > tally->longest) tally->longest = length;
    return STEP_DONE;
}

/* ---- Export --------------------------------------------------------------------------------- */

#define slab_export_begin slab_list_begin
#define slab_export_end slab_list_end

/* Address of slab number `index`: base slabs first, then the allocator's units, taken or not. */
ROOST_FN unsigned char *slab_numbered(const struct slab_view *v, uint64_t index)
{
    const uint64_t base = (uint64_t)v->buckets + 1;
    if (index < base) return v->base + index * SLAB_BYTES;
    const uint32_t block = (uint32_t)((index - base) / SLAB_BLOCK_UNITS), super = slab_super(&v->pool, block);
    return v->pool.units[super] +
           ((uint64_t)(block - v->pool.first_block[super]) * SLAB_BLOCK_UNITS + (index - base) % SLAB_BLOCK_UNITS) * SLAB_BYTES;
}

/* Appends the pairs of one slab to the caller's arrays.  Free units are all EMPTY.  Units that a
 * last block lacks have no memory; the policy leaves them out.  One atomic reserves the places, so
 * that no two slabs write the same ones. */
ROOST_FN enum step slab_export_step(const struct shape unused, const tile g, const void *view, const struct batch *b,
                                    struct item *item, struct tally *tally, void *scratch)
{
    const struct slab_view *v = (const struct slab_view *)view;
    const struct slab_transfer *t = slab_transfer_of(view);
    const struct shape s = t->shape;
    struct slab_copy copy;
    uint64_t live = 0;
    (void)unused, (void)g, (void)b, (void)tally, (void)scratch;
    slab_copy_load(&copy, slab_numbered(v, t->first + item->index));
    const bool is_special = !((uint32_t)copy.word[SLAB_BYTES / 8 - 1] >> SLAB_SPECIAL_BIT & 1u);
    for (int slot = 0; slot < s.slots; slot++) live += slab_is_live(s, slab_copy_pair(s, &copy, slot));
    if (!live) return STEP_DONE;
    uint64_t place = take_places_relaxed_device64(t->pairs_n, live);
    for (int slot = 0; slot < s.slots && t->keys; slot++) {
        const struct slab_pair pair = slab_copy_pair(s, &copy, slot);
        if (!slab_is_live(s, pair)) continue;
        store_width(s.key_bytes, t->keys, place, is_special ? slab_empty(s) - pair.key : pair.key);
        if (s.value_bytes && t->values) store_width(s.value_bytes, t->values, place, pair.value);
        place++;
    }
    return STEP_DONE;
}

/* ---- Finds by region ------------------------------------------------------------------------ */

#define slab_codes_begin slab_list_begin
#define slab_codes_end slab_list_end

/* Writes the regions of an item's keys: those of their base slabs. */
ROOST_FN enum step slab_codes_step(const struct shape unused, const tile g, const void *view, const struct batch *b,
                                   struct item *item, struct tally *tally, void *scratch)
{
    const struct slab_view *v = (const struct slab_view *)view;
    const struct slab_transfer *t = slab_transfer_of(view);
    roost_key key[PARTITION_CODES];
    uint64_t hash[PARTITION_CODES];
    (void)unused, (void)g, (void)tally, (void)scratch;
    partition_codes_load(&t->codes, t->shape.key_bytes, b->keys, item->index, key);
    ROOST_UNROLL
    for (uint32_t k = 0; k < PARTITION_CODES; k++) hash[k] = hash_first(&v->seeds, key[k]);
    partition_codes_store(&t->codes, item->index, hash);
    return STEP_DONE;
}

#endif
