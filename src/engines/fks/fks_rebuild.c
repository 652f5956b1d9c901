/* FKS's parts rebuilt: all of them, some, or one, with the waiting items of a batch. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "engines/fks/fks_table.h"

enum {
    /* Of parts, rebuilt one after the other: only an eighth of the table exists twice meanwhile. */
    GROUPS = 8,
    GROUP_BYTES = 64 << 20 /* of a table, at least, for which that is worth its while */
};

static const struct fks_space no_space = {{0}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

/* The parts that replace others. */
struct rebuild {
    const struct fks_plan *plan;
    uint32_t first, n; /* parts */
    struct fks_part to[FKS_PARTS];
    uint32_t entries[FKS_PARTS];
    struct fks_space spaces[FKS_PARTS];
    bool reused[FKS_PARTS]; /* an empty part's memory, which is large enough, is built in */
};

/* ---- One part -------------------------------------------------------------------------------- */

/* Room in a directory for some more buckets than there are. */
static uint32_t entries_for(uint32_t buckets) { return buckets + buckets / 4 + 4; }

static bool is_same(const struct fks_table *t, const struct fks_plan *plan, uint32_t q)
{
    return plan->part_bits == t->view.part_bits && t->parts[q].lines;
}

/* Granules of a part as planned. */
static uint64_t granules_for(const struct fks_table *t, const struct fks_plan *plan, uint32_t q)
{
    return is_same(t, plan, q) && !t->base.growth ? t->parts[q].granules : fks_plan_granules(t, plan);
}

/* Is a part empty, and has it enough memory? */
static bool part_fits(const struct fks_table *t, const struct fks_plan *plan, uint32_t q)
{
    return is_same(t, plan, q) && t->main == 0 && t->parts[q].granules >= granules_for(t, plan, q) &&
           t->entries[q] >= plan->buckets;
}

/* An empty part that cannot be replaced by a smaller one stays as large as it is. */
static bool part_stays(const struct fks_table *t, const struct fks_plan *plan, uint32_t q)
{
    return part_fits(t, plan, q) && t->parts[q].granules == granules_for(t, plan, q);
}

static roost_status rebuild_prepare(struct fks_table *t, struct rebuild *r, uint32_t q)
{
    const struct fks_plan *plan = r->plan;
    const struct error_mark before = error_keep(t->base.error);
    roost_status status = ROOST_OK;
    r->reused[q] = part_stays(t, plan, q);
    r->entries[q] = entries_for(plan->buckets);
    if (!r->reused[q]) status = fks_part_make(t, granules_for(t, plan, q), r->entries[q], &r->to[q]);
    if (status == ROOST_ERR_MEMORY && part_fits(t, plan, q)) {
        status = error_forgive_memory(&before, status);
        r->reused[q] = true;
        ledger_refuse(&t->base.ledger);
    }
    if (r->reused[q]) {
        r->to[q] = t->parts[q];
        r->entries[q] = t->entries[q];
    }
    fks_part_use_buckets(&r->to[q], plan->buckets);
    return status;
}

/* Discards a part.  What an empty one had is vacant again: no bucket has lines. */
static roost_status rebuild_undo(struct fks_table *t, struct rebuild *r, uint32_t q)
{
    struct backend *b = t->base.backend;
    if (!r->reused[q]) {
        fks_part_release(t, &r->to[q], r->entries[q]);
        return ROOST_OK;
    }
    memset(&t->spaces[q], 0, sizeof t->spaces[q]);
    return b->operations->fill(b, t->parts[q].directory, 0, (size_t)t->entries[q] * sizeof(struct fks_entry));
}

/* The items of a discarded part wait again. */
static roost_status items_requeue(struct fks_table *t, const struct rebuild *r, const struct fks_items *items, uint32_t q)
{
    uint64_t bounds[2];
    struct fks_args args;
    if (!items) return ROOST_OK;
    const uint32_t log = items->args.work.bounds_bits - r->plan->part_bits;
    const uint64_t *const at = items->args.work.bounds + ((uint64_t)q << log);
    roost_status status = backend_read(t->base.backend, &bounds[0], at, sizeof bounds[0]);
    if (!status) status = backend_read(t->base.backend, &bounds[1], at + ((uint64_t)1 << log), sizeof bounds[1]);
    if (status || bounds[0] == bounds[1]) return status;
    memset(&args, 0, sizeof args);
    args.batch.statuses = items->args.batch.statuses + bounds[0];
    args.batch.n = bounds[1] - bounds[0];
    return backend_launch(t->base.backend, t->base.kernel[FKS_requeue], &args, sizeof args, args.batch.n);
}

static roost_status rebuild_discard(struct fks_table *t, struct rebuild *r, const struct fks_items *items, uint32_t q)
{
    const roost_status status = items_requeue(t, r, items, q), undone = rebuild_undo(t, r, q);
    return status ? status : undone;
}

static void rebuild_keep(struct fks_table *t, struct rebuild *r, uint32_t q)
{
    fks_space_take(t, &r->spaces[q], &no_space);
    t->full = false;
    t->parts[q] = r->to[q];
    t->entries[q] = r->entries[q];
    t->spaces[q] = r->spaces[q];
}

/* ---- Some parts ------------------------------------------------------------------------------ */

/* Items may be by more bits than the new buckets have: of two regions with one bucket the later one
 * would be all that is left of it. */
static roost_status rebuild_run(struct fks_table *t, struct rebuild *r, struct fks_items *items)
{
    struct fks_work work;
    memset(&work, 0, sizeof work);
    const uint32_t most = fks_digits(r->plan->part_bits, r->plan->buckets);
    if (items) work = items->args.work;
    if (!items || work.digit_bits > most) work.digit_bits = most;
    work.to_bits = r->plan->part_bits;
    work.spaces = t->device.to_spaces;
    work.first_part = r->first;
    work.part_count = r->n;
    work.region_count = 1u << (work.digit_bits - work.to_bits);
    fks_parts_headroom(t, r->to, work.to_bits);
    roost_status status = fks_copy(t, t->device.to, r->to, t->device.room * sizeof r->to[0]);
    if (!status) status = fks_copy(t, t->device.to_spaces, r->spaces, t->device.room * sizeof r->spaces[0]);
    if (!status) status = fks_build_launch(t, items, t->main ? t->device.parts : t->device.empty, &work);
    if (!status) status = fks_spaces_read(t, t->device.to_spaces, r->to, r->spaces);
    for (uint32_t q = r->first; !status && q < r->first + r->n; q++) fks_special_take(t, &r->spaces[q], &no_space);
    return status;
}

/* Makes r->n parts from r->first on and builds them.  *made: how many; fewer where memory was
 * refused; after a failure none. */
static roost_status rebuild_group(struct fks_table *t, struct rebuild *r, struct fks_items *items, uint32_t *made)
{
    const uint32_t first = r->first, n = r->n;
    roost_status refusal = ROOST_OK, status;
    for (*made = 0; *made < n && !refusal; *made += !refusal) refusal = rebuild_prepare(t, r, first + *made);
    if (refusal && (refusal != ROOST_ERR_MEMORY || r->plan->whole || *made == 0)) status = refusal;
    else {
        r->n = *made;
        status = *made ? rebuild_run(t, r, items) : ROOST_OK;
    }
    if (!status) return ROOST_OK;
    const struct error_mark why = error_keep(t->base.error);
    for (uint32_t q = first; q < first + *made; q++) (void)rebuild_undo(t, r, q);
    (void)fks_tell(t);
    error_restore(&why);
    *made = 0;
    return status;
}

bool fks_may_collide(const struct fks_table *t) { return t->base.sure_fill > 0 && policy_may_reseed(&t->base); }

/* Changes a plan that led to trouble; false: nothing more can be done, or other seeds may help.
 * Where growth is off, buckets get fewer lines for their keys. */
static bool plan_relax(struct fks_table *t, struct fks_plan *plan, uint32_t trouble)
{
    enum { DOUBLED_MOST = 2 };
    const double load = t->view.line_load / 65536.0 / t->base.shape.slots;
    if (t->base.growth) {
        if (fks_may_collide(t)) {
            t->colliding = true;
            return false;
        }
        /* One part of all may have nearly all keys.  A tightened part's slack begins below 0. */
        if (trouble & FKS_NO_ROOM) plan->slack += 0.25 + fmax(0, plan->slack) / 2;
        if (trouble & FKS_NO_LAYOUT) plan->buckets *= 2, plan->doubled++;
        return plan->doubled <= DOUBLED_MOST && plan->buckets < 0x40000000u && plan->slack < 2 * FKS_PARTS;
    }
    if (!(trouble & FKS_NO_ROOM) || load <= 0 || load > 0.93) return false;
    t->view.line_load = (uint32_t)((load < 0.86 ? 0.88 : 0.95) * t->base.shape.slots * 65536);
    return true;
}

/* ---- All parts at the same time -------------------------------------------------------------- */

static void whole_replace(struct fks_table *t, struct rebuild *r, uint32_t made)
{
    for (uint32_t q = 0; q < fks_parts(t); q++)
        if (!r->reused[q]) fks_part_release(t, &t->parts[q], t->entries[q]);
    t->view.part_bits = r->plan->part_bits;
    for (uint32_t q = 0; q < made; q++) rebuild_keep(t, r, q);
}

/* *trouble: what some part lacked; then all parts are as they were. */
static roost_status whole_try(struct fks_table *t, const struct fks_plan *plan, struct fks_items *items, uint32_t *trouble)
{
    struct rebuild r;
    uint32_t made;
    memset(&r, 0, sizeof r);
    r.plan = plan;
    r.n = 1u << plan->part_bits;
    *trouble = 0;
    roost_status status = rebuild_group(t, &r, items, &made);
    if (status) return status;
    for (uint32_t q = 0; q < made; q++) *trouble |= r.spaces[q].trouble;
    if (!*trouble) whole_replace(t, &r, made);
    for (uint32_t q = 0; *trouble && q < made; q++) {
        const roost_status discarded = rebuild_discard(t, &r, items, q);
        if (!status) status = discarded;
    }
    return status ? status : fks_tell(t);
}

/* What the table keeps for each of its parts, for this many.  The spare columns come first: those
 * for more parts serve fewer, too. */
static roost_status parts_fit(struct fks_table *t, uint32_t parts)
{
    roost_status status = fks_spare_columns_make(t, parts);
    if (!status && t->device.room != parts) status = fks_device_make(t, parts);
    return status ? status : fks_ready(t);
}

/* Gives back what the parts that are gone needed.  Refused memory leaves it as it is. */
static roost_status parts_fit_less(struct fks_table *t)
{
    const struct error_mark before = error_keep(t->base.error);
    const roost_status status = t->device.room > fks_parts(t) ? parts_fit(t, fks_parts(t)) : ROOST_OK;
    return status == ROOST_ERR_MEMORY ? error_forgive_memory(&before, status) : status;
}

static roost_status rebuild_whole(struct fks_table *t, struct fks_plan plan, struct fks_items *items)
{
    uint32_t trouble;
    plan.whole = true;
    roost_status status = t->device.room >> plan.part_bits ? ROOST_OK : parts_fit(t, 1u << plan.part_bits);
    if (!status) status = whole_try(t, &plan, items, &trouble);
    while (!status && trouble) {
        if (!plan_relax(t, &plan, trouble)) return error_set(t->base.error, ROOST_ERR_FULL, "the table is full");
        t->headroom = 0;
        status = whole_try(t, &plan, items, &trouble);
    }
    return status ? status : parts_fit_less(t);
}

/* ---- Group after group ----------------------------------------------------------------------- */

/* One group of parts, whose number stays: those without trouble are kept, and *trouble says which
 * had some. */
static roost_status rebuild_some(struct fks_table *t, const struct fks_plan *plan, uint32_t first, uint32_t n,
                                 struct fks_items *items, uint32_t trouble[FKS_PARTS], uint32_t *made)
{
    struct rebuild r;
    memset(&r, 0, sizeof r);
    r.plan = plan;
    r.first = first;
    r.n = n;
    roost_status status = rebuild_group(t, &r, items, made);
    if (*made) t->parts_dirty = t->spaces_dirty = true; /* whatever fails from here on */
    for (uint32_t q = first; q < first + *made; q++) {
        trouble[q] = r.spaces[q].trouble;
        if (!trouble[q]) {
            if (!r.reused[q]) fks_part_release(t, &t->parts[q], t->entries[q]);
            rebuild_keep(t, &r, q);
            continue;
        }
        const roost_status discarded = rebuild_discard(t, &r, items, q);
        if (!status) status = discarded;
    }
    return status ? status : *made ? fks_tell(t) : ROOST_OK;
}

/* A part that had trouble, with more of what it lacked, until it has none. */
static roost_status rebuild_one(struct fks_table *t, struct fks_plan plan, uint32_t q, struct fks_items *items, uint32_t lacked)
{
    const uint32_t load = t->view.line_load;
    roost_status status = ROOST_OK;
    t->insert_budget = t->headroom = 0; /* it may get fewer lines */
    while (!status && lacked) {
        uint32_t trouble[FKS_PARTS] = {0}, made;
        if (!plan_relax(t, &plan, lacked)) status = error_set(t->base.error, ROOST_ERR_FULL, "a part of the table is full");
        else status = rebuild_some(t, &plan, q, 1, items, trouble, &made);
        lacked = trouble[q];
    }
    t->view.line_load = load;
    return status;
}

/* Are all parts built at the same time, or none? */
static bool is_whole(const struct fks_table *t, const struct fks_plan *plan)
{
    return plan->whole || plan->part_bits != t->view.part_bits || !t->parts[0].lines;
}

/* How many parts are built at the same time. */
static uint32_t group_size(const struct fks_table *t)
{
    return t->main == 0 || fks_bytes(&t->base) < GROUP_BYTES ? FKS_PARTS : FKS_PARTS / GROUPS;
}

roost_status fks_rebuild_parts(struct fks_table *t, const struct fks_plan *plan, uint32_t first, uint32_t n,
                               struct fks_items *items)
{
    const uint32_t size = group_size(t), end = first + n;
    roost_status failure = ROOST_OK, status = ROOST_OK;
    for (uint32_t q = first, made; !status && q < end; q += made) {
        uint32_t trouble[FKS_PARTS] = {0};
        status = rebuild_some(t, plan, q, end - q < size ? end - q : size, items, trouble, &made);
        for (uint32_t p = q; !status && p < q + made; p++) {
            if (trouble[p]) status = rebuild_one(t, *plan, p, items, trouble[p]);
            if (status_of_items(status)) failure = status, status = ROOST_OK;
        }
        /* This one stays as it was. */
        if (status_of_items(status)) failure = status, status = ROOST_OK, made = 1;
    }
    return status ? status : failure;
}

/* ---- All parts ------------------------------------------------------------------------------- */

/* Are the parts of an empty table built in their own memory? */
static bool all_stay(const struct fks_table *t, const struct fks_plan *plan)
{
    uint32_t q = 0;
    while (q < fks_parts(t) && part_stays(t, plan, q)) q++;
    return q == fks_parts(t);
}

/* Group after group, the last of the new parts exist beside the last of the old ones. */
uint64_t fks_more_bytes(struct fks_table *t, const struct fks_plan *plan)
{
    if (all_stay(t, plan)) return 0;
    const size_t part = fks_part_bytes(t, fks_plan_granules(t, plan), entries_for(plan->buckets));
    const uint64_t now = fks_bytes(&t->base), then = (uint64_t)part << plan->part_bits;
    const uint64_t groups = is_whole(t, plan) || group_size(t) == FKS_PARTS ? 1 : GROUPS, more = then > now ? then - now : 0;
    return more + now / groups + fks_device_bytes(1u << plan->part_bits) + fks_spare_columns_bytes(t, 1u << plan->part_bits);
}

bool fks_has_memory(struct fks_table *t, const struct fks_plan *plan)
{
    const struct error_mark before = error_keep(t->base.error);
    void *none;
    const roost_status status = backend_allocate_beside(t->base.backend, 0, (size_t)fks_more_bytes(t, plan), &none);
    if (status) error_restore(&before);
    return !status;
}

/* All parts get the same headroom, if there is no trouble on the way. */
roost_status fks_rebuild(struct fks_table *t, const struct fks_plan *plan, struct fks_items *items)
{
    t->base.stats.rehashed += fks_count(&t->base);
    t->headroom = t->build_headroom = fks_headroom(t, fks_count(&t->base) + (items ? fks_items_waiting(t, items) : 0));
    const roost_status status =
        is_whole(t, plan) ? rebuild_whole(t, *plan, items) : fks_rebuild_parts(t, plan, 0, fks_parts(t), items);
    t->insert_budget = status ? 0 : t->base.stats.inserted + fks_guaranteed(t, plan);
    return status;
}
