/* FKS's decisions on the whole table: it is made, emptied, grown, shrunk and reserved, and its
 * buckets are split and merged. */
#include <math.h>

#include "engines/fks/fks_table.h"

enum {
    /* More than this share of a part's buckets are not split or merged one at a time: the part is
     * rebuilt. */
    GRADUAL = 8
};

/* ---- Making ---------------------------------------------------------------------------------- */

/* Makes parts without keys, whose buckets have their least lines.  A table that does not grow has
 * as many buckets as before. */
static roost_status parts_begin(struct fks_table *t)
{
    struct fks_plan plan = fks_plan_for(t, 0, 0, false);
    if (t->parts[0].lines && !t->base.growth) plan.buckets = t->parts[0].buckets;
    return fks_rebuild(t, &plan, NULL);
}

roost_status fks_make(struct engine_table *table)
{
    struct fks_table *t = fks_of(table);
    void *special;
    t->reserved_keys = table->floor_keys;
    roost_status status = fks_sizes_check(t, table->floor_keys);
    if (!status) status = backend_allocate(table->backend, FKS_SPECIAL_BYTES, &special);
    if (status) return status;
    t->view.special = t->device.special = (unsigned char *)special;
    status = fks_special_clear(t);
    return status ? status : parts_begin(t);
}

void fks_unmake(struct engine_table *table)
{
    struct fks_table *t = fks_of(table);
    for (uint32_t q = 0; q < fks_parts(t); q++) fks_part_release(t, &t->parts[q], t->entries[q]);
    fks_device_release(t);
    backend_release(table->backend, t->device.special, FKS_SPECIAL_BYTES);
    fks_spare_columns_release(t);
}

roost_status fks_empty(struct engine_table *table)
{
    struct fks_table *t = fks_of(table);
    const uint64_t main = t->main, special = t->special, grown_keys = t->grown_keys;
    t->main = t->special = t->grown_keys = 0;
    const roost_status status = parts_begin(t);
    if (status) { /* refused: nothing is cleared */
        t->main = main;
        t->special = special;
        t->grown_keys = grown_keys;
        return status;
    }
    t->failed_shrink_slots = 0;
    return fks_special_clear(t);
}

/* ---- Growing --------------------------------------------------------------------------------- */

/* Makes a plan one for as many parts as there are: items may be partitioned by no more bits. */
static void plan_in_parts(const struct fks_table *t, struct fks_plan *plan)
{
    for (; plan->part_bits > t->view.part_bits; plan->part_bits--) plan->buckets *= 2;
    fks_plan_keep(t, plan);
}

/* ahead: with room for more than these keys. */
static struct fks_plan plan_to_grow(struct fks_table *t, uint64_t keys, bool ahead)
{
    const uint64_t count = fks_count(&t->base), more = (uint64_t)((double)count * t->options.grow);
    t->grown_keys = !ahead ? 0 : more > keys ? more : keys;
    struct fks_plan plan = fks_plan_for(t, keys, ahead ? 0 : 1.0 / FKS_ROOMY, false);
    if (keys > count) plan_in_parts(t, &plan);
    return plan;
}

/* Where buckets have few lines, the buckets for more keys may be too many: the table would then
 * have to shrink. */
roost_status fks_grow(struct fks_table *t, uint64_t more, struct fks_items *items)
{
    const uint64_t count = fks_count(&t->base);
    struct fks_plan plan = plan_to_grow(t, count + more, t->options.grow > 1 && t->view.line_load);
    const bool low = policy_is_low(&t->base, count, fks_plan_slots(t, &plan));
    if (t->grown_keys && (low || !fks_has_memory(t, &plan))) plan = plan_to_grow(t, count + more, false);
    const roost_status status = fks_rebuild(t, &plan, items);
    /* Some part has no room for this many keys. */
    if (status) t->grown_keys = 0;
    return status;
}

/* Have the keys used up the room that there was ahead, or the upper bound? */
static bool must_grow(const struct fks_table *t)
{
    const bool used_up = t->grown_keys && fks_count(&t->base) > fks_reserved(t);
    return t->view.line_load && (used_up || policy_over_full(&t->base));
}

/* Room, buckets or parts for keys that are more than they were made for. */
static roost_status more_buckets(struct fks_table *t)
{
    const uint64_t count = fks_count(&t->base);
    if (must_grow(t) || fks_part_bits_for(t, count + fks_headroom(t, count)) > t->view.part_bits) return fks_grow(t, 0, NULL);
    const uint32_t least = fks_buckets_extreme(t, false);
    const double wanted = ceil(fks_buckets_wanted(t, count, t->view.part_bits, t->options.split));
    bool done = false;
    if (wanted <= least) return ROOST_OK;
    const roost_status status = wanted - least <= least / GRADUAL + 1 ? fks_split(t, (uint32_t)wanted - least, &done) : ROOST_OK;
    return status || done ? status : fks_grow(t, 0, NULL);
}

/* ---- Shrinking ------------------------------------------------------------------------------- */

static roost_status rebuild_all(struct fks_table *t, double slack)
{
    t->grown_keys = 0;
    const struct fks_plan plan = fks_plan_for(t, fks_count(&t->base), slack, false);
    return fks_rebuild(t, &plan, NULL);
}

/* Buckets of few keys, or parts with more keys than others, may keep a table below the bound. */
static roost_status shrink(struct fks_table *t)
{
    roost_status status = ROOST_OK;
    while (!status && fks_would_shrink(&t->base, fks_count(&t->base))) {
        const uint64_t slots = fks_slots(&t->base);
        status = rebuild_all(t, 0);
        if (!status && fks_slots(&t->base) < slots) {
            t->base.stats.shrink_steps++;
            continue;
        }
        t->base.stats.shrink_aborts++;
        t->failed_shrink_slots = fks_slots(&t->base);
        t->failed_shrink_keys = fks_count(&t->base);
    }
    return status;
}

static roost_status fewer_buckets(struct fks_table *t)
{
    const uint32_t most = fks_buckets_extreme(t, true);
    const struct fks_plan least = fks_plan_least(t);
    const double by_keys = floor(fks_buckets_wanted(t, fks_count(&t->base), t->view.part_bits, t->options.merge));
    const double wanted = fmax(by_keys, least.part_bits == t->view.part_bits ? least.buckets : 1);
    bool done = false;
    if (wanted >= most) return ROOST_OK;
    const roost_status status = most - wanted <= most / GRADUAL + 1 ? fks_merge(t, most - (uint32_t)wanted, &done) : ROOST_OK;
    if (status || done) return status;
    const uint64_t slots = fks_slots(&t->base);
    const roost_status rebuilt = rebuild_all(t, 1.0 / FKS_ROOMY);
    t->base.stats.shrink_steps += fks_slots(&t->base) < slots;
    return rebuilt;
}

/* ---- Settling, and reservations -------------------------------------------------------------- */

/* At last it shrinks again: rebuilt parts may have got too much memory, as where one has more keys
 * than others. */
roost_status fks_settle(struct engine_table *table, bool shrinks)
{
    struct fks_table *t = fks_of(table);
    const struct error_mark before = error_keep(table->error);
    const uint64_t slots = fks_slots(table);
    if (!table->growth || ledger_refused(&table->ledger)) return ROOST_OK;
    roost_status status = shrink(t);
    if (shrinks) table->backend->operations->trim(table->backend);
    if (!status) status = more_buckets(t);
    table->stats.grow_steps += fks_slots(table) > slots;
    if (!status && shrinks && table->min_fill > 0) status = fewer_buckets(t);
    if (!status) status = shrink(t);
    return status_of_items(status) ? ledger_put_off(&table->ledger, &before) : status;
}

/* A table whose growth is off grows here alone; it does not shrink here either.  If its keys need
 * more than others, they get it: other seeds are drawn for inserts. */
static roost_status reserve_more(struct fks_table *t, uint64_t keys)
{
    const uint64_t count = fks_count(&t->base);
    const bool growth = t->base.growth;
    t->base.reseeds_left = 0;
    roost_status status = fks_sizes_check(t, keys);
    if (status) return status;
    t->base.growth = true;
    const struct fks_plan plan = fks_plan_for(t, keys > count ? keys : count, 0, true);
    if (growth || fks_plan_slots(t, &plan) > fks_slots(&t->base)) status = fks_rebuild(t, &plan, NULL);
    t->base.growth = growth;
    return status;
}

/* Any rebuild keeps the room of the reservation: no more than that needs none, nor do fewer than
 * are stored. */
roost_status fks_reserve(struct engine_table *table, uint64_t keys)
{
    struct fks_table *t = fks_of(table);
    const bool more = keys > t->reserved_keys && keys > fks_count(table);
    const roost_status status = more ? reserve_more(t, keys) : ROOST_OK;
    if (!status) t->reserved_keys = keys;
    return status;
}
