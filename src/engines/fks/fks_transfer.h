/* FKS's operations on lines and on columns: exports, the estimate by which growth is planned, and a
 * partition's passes besides the sort. */
#ifndef ROOST_FKS_TRANSFER_H
#define ROOST_FKS_TRANSFER_H

#include "engines/fks/fks_build.h"
#include "engines/fks/fks_write.h"

/* The transfer of the kernel's arguments, which begin with the view. */
ROOST_FN const struct fks_transfer *transfer_of(const void *view) { return &((const struct fks_args *)view)->transfer; }

#define fks_export_begin bucket_begin
#define fks_export_end bucket_end

/* Exporting: the pairs of one line to the end of the caller's arrays. */
ROOST_FN enum step fks_export_step(const struct shape unused, const tile g, const void *view, const struct batch *b,
                                   struct item *item, struct tally *tally, void *scratch)
{
    const struct fks_view *v = (const struct fks_view *)view;
    const struct fks_transfer *t = transfer_of(view);
    const uint64_t number = t->first + item->index;
    (void)unused, (void)b, (void)scratch, (void)tally;
    if (t->part == FKS_PARTS) {
        struct pair pair = {0, 0, false};
        if (g.lane == 0) pair = pair_load(t->shape, v->special, 0, true);
        pairs_append(t->shape, g, t->keys, t->values, t->pairs_n, &pair);
        return STEP_DONE;
    }
    const struct fks_part *p = v->parts + t->part;
    const struct fks_entry e = fks_entry_load(QUIESCENT, p->directory + number / v->lines_most);
    const uint32_t line = (uint32_t)(number % v->lines_most);
    if (line >= fks_form_lines(e.form)) return STEP_DONE;
    pairs_append_bucket(t->shape, g, fks_line(t->shape, fks_bucket(v, p, e.first), line), false, t->keys, t->values, t->pairs_n);
    return STEP_DONE;
}

/* Does the table have the key?  Looks slot by slot, because the shape is a variable here. */
ROOST_FN bool fks_has(const struct shape s, const tile g, const struct fks_view *v, roost_key key)
{
    roost_value value;
    const uint64_t hash = fks_hash(s, v, key);
    const uint32_t top = fks_top(s, hash);
    const struct fks_part *p = v->parts + fks_digit(top, v->part_bits);
    if (key == 0) return fks_find_special(s, v, &value) == LOOK_FOUND;
    const struct fks_entry e = fks_entry_load(QUIESCENT, p->directory + fks_bucket_of(p, v->part_bits, top));
    const struct fks_lines l = fks_lines_of(v, hash, fks_form_lines(e.form), fks_form_seed(e.form));
    for (int i = 0; fks_form_count(e.form) && i < (fks_marked(&e, l.first) ? 2 : 1); i++) {
        unsigned char *const line = fks_line(s, fks_bucket(v, p, e.first), i ? l.second : l.first);
        if (bucket_find_slots(s, g, line, key, false, &value) == LOOK_FOUND) return true;
    }
    return false;
}

/* Counts a batch's distinct keys that the table does not have. */
ROOST_FN void fks_estimate_begin(const struct shape unused, const void *view, const struct batch *b, uint64_t index,
                                 struct item *item)
{
    const struct linear_counting *c = &transfer_of(view)->estimate;
    (void)unused;
    linear_counting_begin(c, linear_counting_key(c, view, b, index), index, item);
}

ROOST_FN enum step fks_estimate_step(const struct shape unused, const tile g, const void *view, const struct batch *b,
                                     struct item *item, struct tally *tally, void *scratch)
{
    const struct fks_transfer *t = transfer_of(view);
    (void)unused, (void)scratch;
    if (fks_has(t->shape, g, (const struct fks_view *)view, load_width(t->shape.key_bytes, b->keys, item->index))) return STEP_DONE;
    tally->distinct += linear_counting_set(t->estimate.map, (uint32_t)item->value);
    return STEP_DONE;
}

#define fks_estimate_end bucket_end

/* ---- Columns: a batch's items by region ------------------------------------------------------ */

ROOST_FN const struct fks_columns *fks_columns_of(const void *view) { return &((const struct fks_args *)view)->columns; }

/* The region that the hash at a place belongs to, of 2^digit_bits. */
ROOST_FN uint64_t fks_region_at(const struct shape s, const struct fks_columns *c, uint64_t i)
{
    return fks_digit(fks_top(s, load_width(s.key_bytes, c->hashes, i)), c->digit_bits);
}

#define fks_hashes_begin bucket_begin
#define fks_hashes_end bucket_end

/* An item's hash, and its number. */
ROOST_FN enum step fks_hashes_step(const struct shape unused, const tile g, const void *view, const struct batch *b,
                                   struct item *item, struct tally *tally, void *scratch)
{
    const struct fks_columns *c = fks_columns_of(view);
    const struct shape s = transfer_of(view)->shape;
    (void)unused, (void)g, (void)tally, (void)scratch;
    const uint64_t number = c->order ? c->order[item->index] : item->index;
    const roost_key key = load_width(s.key_bytes, b->keys, number);
    store_width(s.key_bytes, c->hashes, item->index, fks_hash(s, (const struct fks_view *)view, key));
    if (c->items) c->items[item->index] = (uint32_t)number;
    return STEP_DONE;
}

#define fks_bounds_begin bucket_begin
#define fks_bounds_end bucket_end

/* bounds[d] becomes the first place of region d or of a later one, and bounds[2^digit_bits] the
 * number of
 * items.  By bisection, because there are many more items than regions. */
ROOST_FN enum step fks_bounds_step(const struct shape unused, const tile g, const void *view, const struct batch *b,
                                   struct item *item, struct tally *tally, void *scratch)
{
    const struct fks_columns *c = fks_columns_of(view);
    const struct shape s = transfer_of(view)->shape;
    uint64_t first = 0, last = c->n;
    (void)unused, (void)g, (void)b, (void)tally, (void)scratch;
    while (first < last && !(item->index >> c->digit_bits)) {
        const uint64_t middle = first + (last - first) / 2;
        if (fks_region_at(s, c, middle) < item->index) first = middle + 1;
        else last = middle;
    }
    c->bounds[item->index] = last;
    return STEP_DONE;
}

#define fks_gather_begin bucket_begin
#define fks_gather_end bucket_end

/* The value of the item that belongs to a place. */
ROOST_FN enum step fks_gather_step(const struct shape unused, const tile g, const void *view, const struct batch *b,
                                   struct item *item, struct tally *tally, void *scratch)
{
    const struct fks_columns *c = fks_columns_of(view);
    const int bytes = transfer_of(view)->shape.value_bytes;
    (void)unused, (void)g, (void)tally, (void)scratch;
    store_width(bytes, c->values, item->index, load_width(bytes, b->values_in, c->items[item->index]));
    return STEP_DONE;
}

#define fks_outcomes_begin bucket_begin
#define fks_outcomes_end bucket_end

/* Writes the outcome of the item at a place to the caller's statuses; items that still wait have
 * failed. */
ROOST_FN enum step fks_outcomes_step(const struct shape unused, const tile g, const void *view, const struct batch *b,
                                     struct item *item, struct tally *tally, void *scratch)
{
    const struct fks_columns *c = fks_columns_of(view);
    const uint8_t outcome = ((const uint8_t *)c->values)[item->index] & (uint8_t)~FKS_TENTATIVE;
    (void)unused, (void)g, (void)tally, (void)scratch;
    b->statuses[c->items[item->index]] = outcome ? outcome : b->park_status;
    return STEP_DONE;
}

#define fks_remain_begin bucket_begin
#define fks_remain_end bucket_end

/* Appends the item at a place, if it still waits, to arrays of keys, values and numbers. */
ROOST_FN enum step fks_remain_step(const struct shape unused, const tile g, const void *view, const struct batch *b,
                                   struct item *item, struct tally *tally, void *scratch)
{
    const struct fks_columns *c = fks_columns_of(view);
    const struct fks_transfer *t = transfer_of(view);
    const struct shape s = t->shape;
    (void)unused, (void)g, (void)tally, (void)scratch;
    if (b->statuses[item->index] != ROOST_ITEM_NONE) return STEP_DONE;
    const uint64_t place = take_place_relaxed_device64(t->pairs_n), hash = load_width(s.key_bytes, c->hashes, item->index);
    store_width(s.key_bytes, t->keys, place, fks_key(s, (const struct fks_view *)view, hash));
    if (s.value_bytes) store_width(s.value_bytes, t->values, place, load_width(s.value_bytes, b->values_in, item->index));
    if (c->items) t->numbers[place] = c->items[item->index];
    return STEP_DONE;
}

#define fks_codes_begin bucket_begin
#define fks_codes_end bucket_end

/* The regions of keys that are looked up, PARTITION_CODES keys an item: the first bits of their
 * hashes, from which their buckets follow. */
ROOST_FN enum step fks_codes_step(const struct shape unused, const tile g, const void *view, const struct batch *b,
                                  struct item *item, struct tally *tally, void *scratch)
{
    const struct partition_codes *c = &transfer_of(view)->codes;
    const struct shape s = transfer_of(view)->shape;
    roost_key key[PARTITION_CODES];
    uint64_t hash[PARTITION_CODES];
    (void)unused, (void)g, (void)tally, (void)scratch;
    partition_codes_load(c, s.key_bytes, b->keys, item->index, key);
    ROOST_UNROLL
    for (uint32_t k = 0; k < PARTITION_CODES; k++)
        hash[k] = (uint64_t)fks_top(s, fks_hash(s, (const struct fks_view *)view, key[k])) << 32;
    partition_codes_store(c, item->index, hash);
    return STEP_DONE;
}

#define fks_requeue_begin bucket_begin
#define fks_requeue_end bucket_end

/* An item whose part was discarded waits again. */
ROOST_FN enum step fks_requeue_step(const struct shape unused, const tile g, const void *view, const struct batch *b,
                                    struct item *item, struct tally *tally, void *scratch)
{
    (void)unused, (void)view, (void)g, (void)tally, (void)scratch;
    if (b->statuses[item->index] & FKS_TENTATIVE) b->statuses[item->index] = ROOST_ITEM_NONE;
    return STEP_DONE;
}

#endif
