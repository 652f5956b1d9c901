/* Walks a whole GPH table and verifies its lettered invariants (gph.h). */
#include <inttypes.h>
#include <string.h>

#include "engines/gph/gph_table.h"

/* A copy of the table in host memory, and the counts of the walk. */
struct walk {
    const struct gph_table *t;
    struct gph_view view;
    struct error *error;
    struct gph_counts counts;
};

static roost_status broken(const struct walk *w, char letter, const char *what, uint64_t bucket)
{
    return error_set(w->error, ROOST_ERR_CORRUPT, "invariant %c: %s (bucket %" PRIu64 ")", letter, what, bucket);
}

/* ---- The copy -------------------------------------------------------------------------------- */

struct part {
    const void *from;
    void **copy;
    size_t bytes;
};

enum { PARTS = 5 };

static void parts_of(struct walk *w, struct part part[PARTS])
{
    const struct gph_view *v = &w->t->view;
    const struct part all[PARTS] = {
        {v->buckets, (void **)&w->view.buckets, (size_t)gph_buckets(w->t) * shape_bucket_bytes(w->t->base.shape)},
        {v->cells, (void **)&w->view.cells, (size_t)v->cell_count},
        {v->passed, (void **)&w->view.passed, (size_t)v->overflow_count * sizeof(uint32_t)},
        {v->cell_locks, (void **)&w->view.cell_locks, ((size_t)v->cell_lock_mask + 1) * sizeof(uint32_t)},
        {v->bucket_locks, (void **)&w->view.bucket_locks, ((size_t)v->bucket_lock_mask + 1) * sizeof(uint32_t)},
    };
    memcpy(part, all, sizeof all);
}

static void copies_free(struct walk *w)
{
    struct part part[PARTS];
    parts_of(w, part);
    for (int i = 0; i < PARTS; i++) host_delete(&w->t->base.backend->allocator, *part[i].copy, part[i].bytes);
}

static roost_status copies_make(struct walk *w)
{
    struct part part[PARTS];
    roost_status status = ROOST_OK;
    w->view = w->t->view;
    parts_of(w, part);
    for (int i = 0; i < PARTS; i++) *part[i].copy = NULL;
    for (int i = 0; !status && i < PARTS; i++) {
        *part[i].copy = host_new(&w->t->base.backend->allocator, part[i].bytes);
        if (!*part[i].copy) return error_set(w->error, ROOST_ERR_MEMORY, "no memory for a copy of the table");
        status = backend_read(w->t->base.backend, *part[i].copy, part[i].from, part[i].bytes);
    }
    return status;
}

/* ---- The walk -------------------------------------------------------------------------------- */

/* Copies of the key in a bucket. */
static int occurrences(const struct walk *w, uint32_t bucket, roost_key key)
{
    const struct shape s = w->t->base.shape;
    int n = 0;
    for (int slot = 0; slot < s.slots; slot++) {
        const uint64_t unit = slot_load_unit(s, gph_at(s, &w->view, bucket), slot);
        n += unit != 0 && unit_key(s, unit) == key;
    }
    return n;
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
    return error_set(w->error, ROOST_ERR_CORRUPT,
                     "invariant C: %" PRIu64 " keys in main slots, %" PRIu64 " in the overflow store, %" PRIu64
                     " of the vacant one, %" PRIu64 " cells flagged; counted are %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64,
                     is->main, is->overflow, is->special, is->flagged, kept->main, kept->overflow, kept->special, kept->flagged);
}

static roost_status check_fill(const struct walk *w)
{
    const struct gph_table *t = w->t;
    if (!t->base.growth || ledger_refused(&t->base.ledger)) return ROOST_OK;
    if (gph_over_full(t)) return broken(w, 'F', "the fill or the share of flagged cells is above its bound", 0);
    if (gph_would_shrink(&t->base, gph_count(&t->base)) && ledger_settled(&t->base.ledger))
        return broken(w, 'F', "the fill is below its lower bound", 0);
    return ROOST_OK;
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
    w.error = table->error;
    roost_status status = ledger_wait(&table->ledger);
    if (!status) status = copies_make(&w);
    if (!status) status = check_walk(&w);
    copies_free(&w);
    return status;
}
