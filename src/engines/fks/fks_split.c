/* FKS's buckets split and merged, one at a time, in the memory that their parts have. */
#include <inttypes.h>
#include <string.h>

#include "engines/fks/fks_table.h"

/* ---- Is there room? -------------------------------------------------------------------------- */

/* What a change of a part's number of buckets needs. */
struct change {
    uint64_t granules; /* of new blocks, at most */
    uint32_t largest;  /* lines of one */
    bool fits;         /* no bucket gets more keys than one may have */
};

enum { READ_ENTRIES = 256 /* of a directory, at a time */ };

/* Adds what n buckets and the halves that they are split from, or merged into, need. */
static void change_add(const struct fks_table *t, const struct fks_entry *high, const struct fks_entry *low, uint32_t n,
                       uint32_t headroom, struct change *change)
{
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t keys = fks_form_count(high[i].form) + fks_form_count(low[i].form);
        const uint32_t lines = fks_lines_for(t->base.shape, &t->view, keys + headroom);
        if (lines >= t->view.lines_most) change->fits = false;
        change->granules += fks_granules(t->base.shape, &t->view, lines + 2 * t->view.quantum);
        if (lines > change->largest) change->largest = lines;
    }
}

/* Buckets `less` .. `more` - 1 of a part, by what is stored there.  New ones have nothing yet. */
static roost_status change_measure(struct fks_table *t, uint32_t q, uint32_t less, uint32_t more, struct change *change)
{
    struct fks_entry high[READ_ENTRIES], low[READ_ENTRIES];
    const struct fks_part *p = &t->parts[q];
    roost_status status = ROOST_OK;
    memset(high, 0, sizeof high);
    for (uint32_t b = less, n; !status && b < more; b += n) {
        const uint32_t level = fks_level(b), half = b - (1u << level), end = 2u << level;
        n = more - b < READ_ENTRIES ? more - b : READ_ENTRIES;
        if (b + n > end) n = end - b;
        if (b < p->buckets) status = backend_read(t->base.backend, high, p->directory + b, n * sizeof high[0]);
        if (!status) status = backend_read(t->base.backend, low, p->directory + half, n * sizeof low[0]);
        if (!status) change_add(t, high, low, n, (uint32_t)(t->build_headroom >> t->view.part_bits >> level), change);
    }
    return status;
}

/* Is there guaranteed room for the new blocks of all parts, and twice for the largest one, which
 * may need more lines? */
static roost_status change_fits(struct fks_table *t, uint32_t less, uint32_t more, bool *fits)
{
    roost_status status = ROOST_OK;
    *fits = less > 0;
    for (uint32_t q = 0; !status && *fits && q < fks_parts(t); q++) {
        struct change change = {0, 0, true};
        status = change_measure(t, q, less, more, &change);
        change.granules += fks_granules(t->base.shape, &t->view, change.largest);
        *fits = change.fits && t->entries[q] >= more && t->parts[q].granules - (uint64_t)t->spaces[q].used >= change.granules;
    }
    return status;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* The regions of a change between two numbers of buckets: those above the smaller number are halves
 * of others, which are built with them. */
static struct fks_work change_work(const struct fks_table *t, uint32_t first, uint32_t n, uint32_t less, uint32_t more)
{
    const uint32_t log = fks_level(less);
    struct fks_work work;
    memset(&work, 0, sizeof work);
    work.digit_bits = t->view.part_bits + log;
    work.to_bits = t->view.part_bits;
    work.spaces = t->device.spaces;
    work.first_part = first;
    work.part_count = n;
    work.first_region = less - (1u << log);
    work.region_count = more - less;
    work.in_place = 1;
    return work;
}

/* Gives parts first .. first + n - 1, which have as many buckets as each other, another number of
 * them. */
static roost_status buckets_change(struct fks_table *t, uint32_t first, uint32_t n, uint32_t buckets)
{
    struct fks_part to[FKS_PARTS];
    const uint32_t from = t->parts[first].buckets, less = buckets < from ? buckets : from, more = buckets < from ? from : buckets;
    const struct fks_work work = change_work(t, first, n, less, more);
    memcpy(to, t->parts, sizeof to);
    for (uint32_t q = first; q < first + n; q++) fks_part_use_buckets(&to[q], buckets);
    fks_parts_headroom(t, to, t->view.part_bits);
    roost_status status = fks_copy(t, t->device.to, to, t->device.room * sizeof to[0]);
    if (!status) status = fks_build_launch(t, NULL, t->device.parts, &work);
    if (status) return status;
    t->insert_budget = 0;
    /* From here on, whether the device is told of it now or later. */
    memcpy(t->parts, to, sizeof to);
    t->parts_dirty = true;
    status = fks_build_take(t);
    if (!status) status = fks_ready(t);
    for (uint32_t q = first; !status && q < first + n; q++)
        if (t->spaces[q].trouble)
            return error_set(t->base.error, ROOST_ERR_CORRUPT, "a bucket of part %" PRIu32 " found no layout", q);
    return status;
}

/* In steps of one level: numbers of buckets between two powers of two. */
static roost_status buckets_step_to(struct fks_table *t, uint32_t first, uint32_t n, uint32_t buckets)
{
    roost_status status = ROOST_OK;
    while (!status && t->parts[first].buckets < buckets) {
        const uint32_t end = 2u << fks_level(t->parts[first].buckets);
        status = buckets_change(t, first, n, buckets < end ? buckets : end);
    }
    while (!status && t->parts[first].buckets > buckets) {
        const uint32_t end = 1u << fks_level(t->parts[first].buckets - 1);
        status = buckets_change(t, first, n, buckets > end ? buckets : end);
    }
    return status;
}

/* All parts; neighbours with as many buckets together. */
static roost_status buckets_all_to(struct fks_table *t, uint32_t buckets, bool more)
{
    roost_status status = fks_troubles_forget(t);
    for (uint32_t q = 0, n; !status && q < fks_parts(t); q += n) {
        const uint32_t now = t->parts[q].buckets;
        n = 1;
        while (q + n < fks_parts(t) && t->parts[q + n].buckets == now) n++;
        if (more ? now < buckets : now > buckets) status = buckets_step_to(t, q, n, buckets);
    }
    return status;
}

roost_status fks_split(struct fks_table *t, uint32_t more, bool *done)
{
    const uint32_t least = fks_buckets_extreme(t, false);
    t->build_headroom = fks_headroom(t, fks_count(&t->base));
    const roost_status status = change_fits(t, least, least + more, done);
    if (status || !*done) return status;
    t->base.stats.splits += (uint64_t)more * fks_parts(t);
    return buckets_all_to(t, least + more, true);
}

roost_status fks_merge(struct fks_table *t, uint32_t fewer, bool *done)
{
    const uint32_t most = fks_buckets_extreme(t, true);
    t->build_headroom = fks_headroom(t, fks_count(&t->base));
    const roost_status status = change_fits(t, most - fewer, most, done);
    if (status || !*done) return status;
    t->base.stats.merges += (uint64_t)fewer * fks_parts(t);
    return buckets_all_to(t, most - fewer, false);
}
