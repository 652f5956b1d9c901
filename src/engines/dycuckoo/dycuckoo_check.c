/* Walks a whole DyCuckoo table and verifies its lettered invariants (dycuckoo.h). */
#include <inttypes.h>
#include <string.h>

#include "engines/dycuckoo/dycuckoo_table.h"
#include "engines/walk.h"

/* A copy of the table in host memory, and how far the walk is. */
struct walk {
    const struct dycuckoo_table *t;
    struct dycuckoo_view view;
    struct copies copies;
};

static roost_status broken(const struct walk *w, char letter, const char *what, uint32_t sub, uint64_t bucket)
{
    return error_set(w->t->base.error, ROOST_ERR_CORRUPT, "invariant %c: %s (subtable %" PRIu32 ", bucket %" PRIu64 ")", letter,
                     what, sub, bucket);
}

static roost_status copies_make(struct walk *w)
{
    w->view = w->t->view;
    for (int i = 0; i <= MAX_SUBTABLES; i++) {
        struct dycuckoo_subtable *sub = &w->view.sub[i];
        if (!sub->buckets) continue;
        sub->buckets = (unsigned char *)copy_of(&w->copies, sub->buckets, sub->bucket_count * shape_bucket_bytes(w->t->base.shape));
        sub->locks = (uint32_t *)copy_of(&w->copies, sub->locks, ((size_t)sub->bucket_count + 31) / 32 * sizeof(uint32_t));
    }
    return w->copies.status;
}

static bool has_vacancy(const struct walk *w, struct home at)
{
    bool vacant = false;
    for (int slot = 0; slot < w->t->base.shape.slots; slot++)
        vacant |= slot_load_unit(w->t->base.shape, bucket_at(w->t->base.shape, &w->view, at), slot) == 0;
    return vacant;
}

/* A, B, G and I for one stored key. */
static roost_status check_key(const struct walk *w, struct home at, roost_key key)
{
    const struct shape s = w->t->base.shape;
    struct home home[MAX_HOMES];
    int copies = 0;
    if (at.sub == SPECIAL)
        return key == 0 ? ROOST_OK : broken(w, 'G', "a key that does not mean vacant is in the special bucket", at.sub, 0);
    homes_of(s, &w->view, key, home);
    if (!is_home(s, &w->view, home, at)) return broken(w, 'A', "a key lies outside its homes", at.sub, at.index);
    if (w->view.tidy && !home_same(home[0], at) && has_vacancy(w, home[0]))
        return broken(w, 'I', "the table is not tidy", at.sub, at.index);
    for (int h = 0; h < home_count(s, &w->view); h++) copies += bucket_occurrences(s, bucket_at(s, &w->view, home[h]), key);
    return copies == 1 ? ROOST_OK : broken(w, 'B', "a key is stored twice", at.sub, at.index);
}

static roost_status check_bucket(const struct walk *w, struct home at, uint64_t *stored)
{
    const struct shape s = w->t->base.shape;
    unsigned char *bucket = bucket_at(s, &w->view, at);
    int taken = 0;
    for (int slot = 0; slot < s.slots; slot++) {
        const uint64_t unit = slot_load_unit(s, bucket, slot);
        if (unit == vacant_unit(s, at.sub == SPECIAL)) continue;
        taken++;
        const roost_status status = check_key(w, at, unit_key(s, unit));
        if (status) return status;
    }
    if (at.sub == SPECIAL && taken > 1) return broken(w, 'B', "the vacant key is stored twice", at.sub, 0);
    *stored += (unsigned)taken;
    return ROOST_OK;
}

/* C and D, and every bucket of one subtable. */
static roost_status check_subtable(const struct walk *w, uint32_t i)
{
    const struct dycuckoo_subtable *sub = &w->view.sub[i];
    uint64_t stored = 0;
    if (!sub->buckets) return ROOST_OK;
    for (uint32_t bucket = 0; bucket < sub->bucket_count; bucket++) {
        const struct home at = {i, bucket};
        if (sub->locks[bucket >> 5] >> (bucket & 31u) & 1u) return broken(w, 'D', "a lock is held", i, bucket);
        const roost_status status = check_bucket(w, at, &stored);
        if (status) return status;
    }
    if (stored == w->t->count[i]) return ROOST_OK;
    return error_set(w->t->base.error, ROOST_ERR_CORRUPT,
                     "invariant C: subtable %" PRIu32 " stores %" PRIu64 " keys and counts %" PRIu64, i, stored, w->t->count[i]);
}

static roost_status check_sizes(const struct walk *w)
{
    const struct dycuckoo_table *t = w->t;
    uint32_t low = UINT32_MAX, high = 0;
    for (uint32_t i = 0; i < t->options.subtables; i++) {
        const uint32_t buckets = t->view.sub[i].bucket_count, base = t->base_buckets, times = buckets / base;
        if (buckets < base) return broken(w, 'E', "a subtable is smaller than its base", i, 0);
        if (t->options.resize != RESIZE_LEVEL && (buckets % base || times & (times - 1)))
            return broken(w, 'E', "a subtable is not base 2^k buckets", i, 0);
        if (buckets < low) low = buckets;
        if (buckets > high) high = buckets;
    }
    return high <= 2 * (uint64_t)low ? ROOST_OK : broken(w, 'E', "a subtable has more than twice another's buckets", 0, 0);
}

static roost_status check_fill(const struct walk *w)
{
    const struct dycuckoo_table *t = w->t;
    const bool below = dycuckoo_would_shrink(&t->base, dycuckoo_count(&t->base)) && !t->aborted;
    return check_bounds(&t->base, policy_over_full(&t->base) ? "the fill" : NULL, below);
}

static roost_status check_vacant(const struct walk *w)
{
    const struct dycuckoo_table *t = w->t;
    const uint64_t pairs = dycuckoo_count(&t->base) - t->count[SPECIAL];
    if (t->base.ledger.captured || pairs <= dycuckoo_keys_most(t, dycuckoo_slots(&t->base))) return ROOST_OK;
    return broken(w, 'J', "a table that does not grow is too full", 0, 0);
}

static roost_status check_walk(const struct walk *w)
{
    roost_status status = check_sizes(w);
    for (uint32_t i = 0; !status && i <= MAX_SUBTABLES; i++) status = check_subtable(w, i);
    if (!status && !w->t->base.growth) status = check_vacant(w);
    if (!status) status = check_fill(w);
    if (!status && w->t->unplaced) status = broken(w, 'H', "items wait for growth between calls", 0, 0);
    return status;
}

/* A read leaves out the entries that are in a home, too: all live entries must be left. */
static roost_status check_spilled(const struct walk *w)
{
    struct dycuckoo_spilled s;
    struct dycuckoo_table *t = (struct dycuckoo_table *)(uintptr_t)w->t;
    const roost_status status = dycuckoo_spill_read(t, &s);
    if (status || s.n == t->spilled || ledger_refused(&t->base.ledger)) return status;
    return broken(w, 'H', "a key of the spill list is in one of its homes", 0, 0);
}

roost_status dycuckoo_check(struct engine_table *table)
{
    struct walk w;
    memset(&w, 0, sizeof w);
    w.t = dycuckoo_of_const(table);
    w.copies.table = table;
    roost_status status = ledger_wait(&table->ledger);
    if (!status) status = copies_make(&w);
    if (!status) status = check_walk(&w);
    if (!status) status = check_spilled(&w);
    copies_free(&w.copies);
    return status;
}
