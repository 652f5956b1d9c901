/* Walks a whole GPH table and verifies its lettered invariants (gph.h). */
#include <inttypes.h>
#include <string.h>

#include "engines/gph/gph_table.h"
#include "engines/walk.h"

/* A copy of the table in host memory, and the counts of the walk. */
struct walk {
    const struct gph_table *t;
    struct gph_view view;
    struct copies copies;
    struct gph_counts counts;
};

static roost_status broken(const struct walk *w, char letter, const char *what, uint64_t bucket)
{
    return error_set(w->t->base.error, ROOST_ERR_CORRUPT, "invariant %c: %s (bucket %" PRIu64 ")", letter, what, bucket);
}

/* ---- The copy -------------------------------------------------------------------------------- */

static uint32_t *words_copy(struct walk *w, const uint32_t *from, uint64_t n)
{
    return (uint32_t *)copy_of(&w->copies, from, (size_t)n * sizeof *from);
}

static roost_status copies_make(struct walk *w)
{
    const struct gph_view *v = &w->t->view;
    w->view = *v;
    w->view.buckets = (unsigned char *)copy_of(&w->copies, v->buckets, gph_buckets_bytes(w->t->base.shape, v));
    w->view.cells = (uint32_t *)copy_of(&w->copies, v->cells, v->cell_count);
    w->view.passed = words_copy(w, v->passed, v->overflow_count);
    w->view.cell_locks = words_copy(w, v->cell_locks, (uint64_t)v->cell_lock_mask + 1);
    w->view.bucket_locks = words_copy(w, v->bucket_locks, (uint64_t)v->bucket_lock_mask + 1);
    return w->copies.status;
}

/* ---- The walk -------------------------------------------------------------------------------- */

/* Copies of the key in a bucket. */
static int occurrences(const struct walk *w, uint32_t bucket, roost_key key)
{
    const struct shape s = w->t->base.shape;
    return bucket_occurrences(s, gph_at(s, &w->view, bucket), key);
}

/* The place of a bucket in its cell's overflow chain; GPH_CHAIN if no find comes there. */
static uint32_t chain_place(const struct walk *w, uint32_t cell, uint32_t bucket)
{
    for (uint32_t k = 0; k < gph_chain_length(&w->view); k++) {
        const uint32_t i = gph_chain(&w->view, cell, k);
        if (w->view.bucket_count + i == bucket) return k;
        if (!w->view.passed[i]) return GPH_CHAIN;
    }
    return GPH_CHAIN;
}

/* Invariants A, B, E and H for one stored key. */
static roost_status check_key(const struct walk *w, uint32_t bucket, roost_key key)
{
    const struct gph_view *v = &w->view;
    const struct gph_hash h = gph_hash(w->t->base.shape, v, key);
    const struct gph_mapping m = gph_mapping(v, gph_cell_code(v, h.cell));
    const uint32_t home = gph_key_bucket(v, h, m);
    int copies = occurrences(w, home, key);
    if (bucket < v->bucket_count && bucket != home) return broken(w, 'A', "a key lies outside its bucket", bucket);
    if (bucket >= v->bucket_count && !m.flagged)
        return broken(w, 'H', "the overflow store has a key of a cell without flag", bucket);
    if (bucket >= v->bucket_count && chain_place(w, h.cell, bucket) == GPH_CHAIN)
        return broken(w, 'E', "a key of the overflow store lies where no find comes to", bucket);
    for (uint32_t k = 0; m.flagged && k < gph_chain_length(v); k++)
        copies += occurrences(w, v->bucket_count + gph_chain(v, h.cell, k), key);
    return copies == 1 ? ROOST_OK : broken(w, 'B', "a key is stored twice", bucket);
}

static roost_status check_bucket(struct walk *w, uint32_t bucket)
{
    const struct shape s = w->t->base.shape;
    const bool special = bucket == gph_special(&w->view);
    uint64_t *count = special ? &w->counts.special : bucket < w->view.bucket_count ? &w->counts.main : &w->counts.overflow;
    for (int slot = 0; slot < s.slots; slot++) {
        const uint64_t unit = slot_load_unit(s, gph_at(s, &w->view, bucket), slot);
        if (unit == vacant_unit(s, special)) continue;
        ++*count;
        if (special && unit_key(s, unit) != 0)
            return broken(w, 'G', "a key that does not mean vacant is in the special bucket", bucket);
        const roost_status status = special ? ROOST_OK : check_key(w, bucket, unit_key(s, unit));
        if (status) return status;
    }
    return w->counts.special <= 1 ? ROOST_OK : broken(w, 'B', "the vacant key is stored twice", bucket);
}

static roost_status check_locks(const struct walk *w)
{
    const uint64_t cells = (uint64_t)w->view.cell_lock_mask + 1, buckets = (uint64_t)w->view.bucket_lock_mask + 1;
    for (uint64_t i = 0; i < cells; i++)
        if (w->view.cell_locks[i]) return broken(w, 'D', "a cell's lock is held", i);
    for (uint64_t i = 0; i < buckets; i++)
        if (w->view.bucket_locks[i]) return broken(w, 'D', "a bucket's lock is held", i);
    return ROOST_OK;
}

static roost_status check_counts(struct walk *w)
{
    const struct gph_counts *is = &w->counts, *kept = &w->t->counts;
    for (uint32_t cell = 0; cell < w->view.cell_count; cell++) w->counts.flagged += gph_cell_code(&w->view, cell) == GPH_FLAGGED;
    if (!memcmp(is, kept, sizeof *is)) return ROOST_OK;
    return error_set(w->t->base.error, ROOST_ERR_CORRUPT,
                     "invariant C: %" PRIu64 " keys in main slots, %" PRIu64 " in the overflow store, %" PRIu64
                     " of the vacant one, %" PRIu64 " cells flagged; counted are %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64,
                     is->main, is->overflow, is->special, is->flagged, kept->main, kept->overflow, kept->special, kept->flagged);
}

static roost_status check_fill(const struct walk *w)
{
    const struct gph_table *t = w->t;
    const char *above = gph_over_full(t) ? "the fill or the share of flagged cells" : NULL;
    return check_bounds(&t->base, above, gph_would_shrink(&t->base, gph_count(&t->base)));
}

static roost_status check_walk(struct walk *w)
{
    roost_status status = check_locks(w);
    for (uint32_t bucket = 0; !status && bucket <= gph_special(&w->view); bucket++) status = check_bucket(w, bucket);
    if (!status) status = check_counts(w);
    return status ? status : check_fill(w);
}

roost_status gph_check(struct engine_table *table)
{
    struct walk w;
    memset(&w, 0, sizeof w);
    w.t = (const struct gph_table *)table;
    w.copies.table = table;
    roost_status status = ledger_wait(&table->ledger);
    if (!status) status = copies_make(&w);
    if (!status) status = check_walk(&w);
    copies_free(&w.copies);
    return status;
}
