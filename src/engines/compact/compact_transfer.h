/* compact's operations that run alone on the table, in the dialect: exports, moves into a table of
 * another size, tidying, and the estimate of a batch's distinct keys. */
#ifndef ROOST_COMPACT_TRANSFER_H
#define ROOST_COMPACT_TRANSFER_H

#include "engines/compact/compact_evict_items.h"

ROOST_LINEAR_COUNTING(compact, linear_counting_key)

/* ---- Whole buckets --------------------------------------------------------------------------- */

/* A bucket that one lane has loaded, with no writer beside it. */
struct compact_copy {
    struct compact_share share;
    uint64_t first; /* the first one of the bucket's hashes */
};

ROOST_FN void compact_copy_load(const struct shape s, const tile g, const struct compact_view *v, uint32_t bucket,
                                struct compact_copy *copy)
{
    compact_load(QUIESCENT, s, g, v, bucket, true, &copy->share);
    copy->first = compact_first_hash(compact_bits(s), &v->range, bucket);
}

ROOST_FN struct compact_tag compact_copy_tag(const struct shape s, const struct compact_copy *copy, int slot)
{
    const int half = compact_slot_half(s, slot), i = slot - half * compact_half_slots(s);
    const uint64_t *const words = copy->share.word[half];
    return compact_tag_from(s, i, (uint32_t)words[compact_low_field(s, i).word], (uint32_t)words[compact_state_field(s, i).word]);
}
ROOST_FN uint64_t compact_copy_value(const struct shape s, const struct compact_copy *copy, int slot)
{
    const int half = compact_slot_half(s, slot);
    return compact_value_in(s, copy->share.word[half], slot - half * compact_half_slots(s));
}
ROOST_FN roost_key compact_copy_key(const struct shape s, const struct compact_view *v, const struct compact_copy *copy,
                                    const struct compact_tag tag)
{
    return compact_unhash(compact_bits(s), &v->seeds, compact_hash_from(s, copy->first, tag));
}

/* ---- Exports --------------------------------------------------------------------------------- */

#define compact_export_begin bucket_begin
#define compact_export_end bucket_end

/* Appends the pairs of a bucket to arrays; NULL: only counts them.  One add reserves their places,
 * so that no two buckets write the same ones. */
ROOST_FN enum step compact_export_step(const struct shape unused, const tile g, const void *view, const struct batch *b,
                                       struct item *item, struct tally *tally, void *scratch)
{
    const struct compact_view *v = (const struct compact_view *)view;
    const struct compact_transfer *t = transfer_of(view);
    const struct shape s = t->shape;
    struct compact_copy copy;
    uint64_t n = 0;
    (void)unused, (void)b, (void)tally, (void)scratch;
    compact_copy_load(s, g, v, (uint32_t)(t->first + item->index), &copy);
    for (int slot = 0; slot < s.slots; slot++) n += compact_copy_tag(s, &copy, slot).low >= COMPACT_TAKEN;
    if (!n) return STEP_DONE;
    uint64_t place = add_relaxed_device64(t->pairs_n, n);
    for (int slot = 0; slot < s.slots && t->keys; slot++) {
        const struct compact_tag tag = compact_copy_tag(s, &copy, slot);
        if (tag.low < COMPACT_TAKEN) continue;
        store_width(s.key_bytes, t->keys, place, compact_copy_key(s, v, &copy, tag));
        if (s.value_bytes && t->values) store_width(s.value_bytes, t->values, place, compact_copy_value(s, &copy, slot));
        place++;
    }
    return STEP_DONE;
}

/* ---- Moves to a table of another size -------------------------------------------------------- */

/* Stores a pair in a home, if that has a vacancy.  Other lanes store there: the claim makes sure
 * that no two take one slot. */
ROOST_FN bool compact_settle_in(const struct shape s, const struct compact_view *v, const struct compact_home *home, uint64_t value,
                                const bool beside_frees)
{
    for (int slot = 0; slot < s.slots; slot++) {
        const struct compact_slot at = compact_slot_at(s, v, home->bucket, slot);
        const struct compact_field low = compact_low_field(s, at.i);
        if (compact_get(low, compact_word(at, low)) < COMPACT_TAKEN && compact_put(s, at, home->tag, value, beside_frees))
            return true;
    }
    return false;
}

#define compact_resize_begin bucket_begin
#define compact_resize_end bucket_end

/* A bucket of the new table, which one lane fills: the hashes from `low` to `high` are its own. */
struct compact_fill {
    uint32_t word[COMPACT_HALVES * COMPACT_WORDS];
    uint64_t low, high;
    int n; /* pairs that want its slots: those that have their first home here, or (COMPACT_STAYS)
            * the home that they are in */
};

/* Writes the last one of these, in its slot. */
ROOST_FN void compact_fill_add(const struct shape s, struct compact_fill *f, uint64_t hash, bool second, uint64_t value)
{
    const struct compact_tag tag = compact_tag_of(s, hash - f->low, second);
    const int half = compact_slot_half(s, f->n - 1), i = f->n - 1 - half * compact_half_slots(s);
    const struct compact_field low = compact_low_field(s, i), state = compact_state_field(s, i);
    uint32_t *const words = f->word + half * COMPACT_WORDS;
    words[low.word] |= (compact_high_bits(s) ? tag.low : tag.low + COMPACT_SETTLED) << low.shift;
    if (compact_high_bits(s)) words[state.word] |= (tag.high + COMPACT_SETTLED) << state.shift;
    if (s.value_bytes == 4) words[i] = (uint32_t)value;
    if (s.value_bytes == 8) words[2 * i] = (uint32_t)value, words[2 * i + 1] = (uint32_t)(value >> 32);
}

/* Appends a pair that found no room to the arrays, as far as these reach. */
ROOST_FN void compact_strand(const struct shape s, const struct compact_transfer *t, roost_key key, roost_value value)
{
    const uint64_t place = take_place_relaxed_device64(t->pairs_n);
    if (place >= t->room) return;
    store_width(s.key_bytes, t->keys, place, key);
    if (s.value_bytes) store_width(s.value_bytes, t->values, place, value);
}

/* Stores a pair in either of its homes, or strands it. */
ROOST_FN void compact_resettle(const struct shape s, const struct compact_transfer *t, const struct compact_view *v, uint64_t hash,
                               roost_value value)
{
    const struct compact_home first = compact_home_at(s, v, hash, 0), second = compact_home_at(s, v, hash, 1);
    if (compact_settle_in(s, v, &first, value, false)) return;
    compact_filter_set(s, v, first.bucket, compact_filter_bit(hash));
    if (!compact_settle_in(s, v, &second, value, false))
        compact_strand(s, t, compact_unhash(compact_bits(s), &v->seeds, hash), value);
}

/* Takes the pairs of a bucket of the old table that are the new one's: those whose first hash is
 * its own.  Pairs that are in their second home go with the new bucket that has the first of the
 * old one's hashes.  In a move within the table they stay in their second home: where a first home
 * lies, there may be old buckets yet. */
ROOST_FN void compact_fill_from(const struct shape s, const struct shape to, const tile g, const struct compact_transfer *t,
                                const struct compact_view *v, uint32_t bucket, struct compact_fill *f, struct tally *tally)
{
    struct compact_copy copy;
    compact_copy_load(s, g, &t->from, bucket, &copy);
    const bool leads = f->low <= copy.first && copy.first <= f->high, stays = t->move >= COMPACT_STAYS;
    ROOST_UNROLL_GPU
    for (int slot = 0; slot < MAX_SLOTS; slot++) {
        if (slot >= s.slots) break;
        const struct compact_tag tag = compact_copy_tag(s, &copy, slot);
        const uint64_t number = compact_tag_number(s, tag), hash = copy.first + (number >> 1);
        const bool second = number & 1, own = stays || !second;
        if (tag.low < COMPACT_TAKEN || (own ? hash < f->low || f->high < hash : !leads)) continue;
        const bool fills = own && f->n < to.slots;
        f->n += own;
        if (fills ? t->move == COMPACT_RESETTLES : t->move == COMPACT_FILLS) continue;
        tally->moved += !stays;
        const uint64_t value = compact_copy_value(s, &copy, slot), first = second ? compact_first(compact_bits(s), hash) : hash;
        if (fills) compact_fill_add(to, f, hash, second, value);
        else if (stays) compact_strand(to, t, compact_unhash(compact_bits(to), &v->seeds, first), value);
        else compact_resettle(to, t, v, first, value);
    }
}

/* Makes a bucket of the new table from those of the old one that have its hashes: they follow one
 * another, because buckets are in the order of the hashes at every size.  The first pass writes
 * each bucket once, with as many pairs of its own as it has slots.  The second one finds room for
 * the others, and for pairs that were in their second home.  A move within the table takes one pass
 * for each of its waves (compact_move.c). */
ROOST_FN enum step compact_resize_step(const struct shape own, const tile g, const void *view, const struct batch *b,
                                       struct item *item, struct tally *tally, void *scratch)
{
    const struct compact_view *v = (const struct compact_view *)view;
    const struct compact_transfer *t = transfer_of(view);
    const struct shape s = compact_shape_or(own, t->shape), from_shape = compact_shape_or(own, t->from_shape);
    const int bits = compact_bits(s);
    const uint32_t bucket = (uint32_t)(t->first + item->index);
    struct compact_fill f = {{0}, compact_first_hash(bits, &v->range, bucket), bits == 64 ? ~0ULL : 0xffffffffULL, 0};
    uint64_t *const to = (uint64_t *)(void *)compact_half(v, bucket, 0);
    (void)b, (void)scratch;
    if (bucket + 1 < v->range.buckets) f.high = compact_first_hash(bits, &v->range, bucket + 1) - 1;
    const uint32_t last = compact_place_of(bits, &t->from.range, f.high).bucket;
    for (uint32_t from = compact_place_of(bits, &t->from.range, f.low).bucket; from <= last; from++)
        compact_fill_from(from_shape, s, g, t, v, from, &f, tally);
    const bool writes = t->move == COMPACT_FILLS || t->move == COMPACT_STAYS;
    for (int i = 0; i < COMPACT_BYTES / 8 && writes; i++) to[i] = f.word[2 * i] | (uint64_t)f.word[2 * i + 1] << 32;
    return STEP_DONE;
}

/* ---- Tidying --------------------------------------------------------------------------------- */

#define compact_tidy_begin bucket_begin
#define compact_tidy_end bucket_end

/* The new filters: two to a word.  The bits are where a bucket's word has them.  By an or, because
 * other lanes set bits of the same word. */
ROOST_FN uint32_t compact_new_bits(const uint32_t *filters, uint32_t bucket)
{
    return filters[bucket / 2] >> (bucket % 2 * COMPACT_FILTER_BITS) << COMPACT_SPARE_SHIFT;
}
ROOST_FN void compact_new_bit(uint32_t *filters, uint32_t bucket, uint32_t bit)
{
    (void)or_relaxed_device32(filters + bucket / 2, bit >> COMPACT_SPARE_SHIFT << (bucket % 2 * COMPACT_FILTER_BITS));
}

/* Two passes over all buckets bring keys back to their first homes, and rebuild the filters, which
 * have bits of keys that are gone.  The first one moves each key of a bucket that lies in its
 * second home back if there is room, or sets its bit among the new filters.  The second one puts
 * these in the place of the old ones: at all times a find's filters have the bits that it needs.  A
 * lane frees slots of its own bucket alone; lanes that move keys into it may take these again, by
 * compact_put. */
ROOST_FN enum step compact_tidy_step(const struct shape unused, const tile g, const void *view, const struct batch *b,
                                     struct item *item, struct tally *tally, void *scratch)
{
    const struct compact_view *v = (const struct compact_view *)view;
    const struct compact_transfer *t = transfer_of(view);
    const struct shape s = t->shape;
    const uint32_t bucket = (uint32_t)item->index;
    (void)unused, (void)g, (void)b, (void)scratch;
    if (t->replaces) {
        uint32_t *const word = compact_filter(s, v, bucket), bits = compact_new_bits(t->filters, bucket);
        store_relaxed_device32(word, (load_relaxed_device32(word) & ((1u << COMPACT_SPARE_SHIFT) - 1u)) | bits);
        return STEP_DONE;
    }
    for (int slot = 0; slot < s.slots; slot++) {
        const struct compact_slot at = compact_slot_at(s, v, bucket, slot);
        const struct compact_tag tag = compact_tag_load(s, at);
        uint64_t hash;
        if (tag.low < COMPACT_TAKEN || !compact_is_second(s, tag)) continue;
        const struct compact_home first = compact_other_home(s, v, bucket, tag, &hash);
        if (first.bucket != bucket && compact_settle_in(s, v, &first, compact_value_load(s, at), true)) {
            (void)compact_free(s, at, tag, compact_word(at, compact_state_field(s, at.i)), COMPACT_VACANT, true);
            tally->evicted++;
        } else {
            compact_new_bit(t->filters, first.bucket, compact_filter_bit(hash));
        }
    }
    return STEP_DONE;
}

/* ---- Batches by region ----------------------------------------------------------------------- */

#define compact_codes_begin bucket_begin
#define compact_codes_end bucket_end

/* Writes the regions of an item's keys: those of their first homes. */
ROOST_FN enum step compact_codes_step(const struct shape unused, const tile g, const void *view, const struct batch *b,
                                      struct item *item, struct tally *tally, void *scratch)
{
    const struct compact_view *v = (const struct compact_view *)view;
    const struct compact_transfer *t = transfer_of(view);
    const int bits = compact_bits(t->shape);
    roost_key key[PARTITION_CODES];
    uint64_t hash[PARTITION_CODES];
    (void)unused, (void)g, (void)tally, (void)scratch;
    partition_codes_load(&t->codes, t->shape.key_bytes, b->keys, item->index, key);
    ROOST_UNROLL
    for (int k = 0; k < PARTITION_CODES; k++) hash[k] = compact_hash(bits, &v->seeds, key[k]) << (64 - bits);
    partition_codes_store(&t->codes, item->index, hash);
    return STEP_DONE;
}

/* ---- Epochs ---------------------------------------------------------------------------------- */

#define compact_turn_begin bucket_begin
#define compact_turn_end bucket_end

/* Turns the epoch, in the order of the table's stream. */
ROOST_FN enum step compact_turn_step(const struct shape unused, const tile g, const void *view, const struct batch *b,
                                     struct item *item, struct tally *tally, void *scratch)
{
    (void)unused, (void)g, (void)b, (void)item, (void)tally, (void)scratch;
    *transfer_of(view)->epoch ^= 1u;
    return STEP_DONE;
}

#endif
