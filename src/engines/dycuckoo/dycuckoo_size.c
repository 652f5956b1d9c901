/* DyCuckoo's sizes: how large subtables are, when and how they double and halve (sections 4.2 to
 * 4.4), and the weights by which new pairs are spread over them (section 4.3). */
#include <inttypes.h>
#include <string.h>

#include "engines/dycuckoo/dycuckoo_table.h"

enum {
    /* A base has less than 2^11 buckets: sizes are exact to 0.1 %, and a table can shrink to its
     * base. */
    BASE_BITS = 11,
    /* Buckets of a base for no keys in a table that grows: one of a single bucket would double each
     * subtable twice before it holds a hundred keys. */
    BASE_LEAST = 4
};

/* ---- Memory of a subtable -------------------------------------------------------------------- */

static void sub_release(struct dycuckoo_table *t, struct dycuckoo_subtable *sub)
{
    backend_release(t->base.backend, sub->buckets, dycuckoo_sub_bytes(t, sub->bucket_count));
    sub->buckets = NULL;
}

/* Locks start unlocked.  Buckets hold `byte`; if it is below 0, they are left uninitialised and the
 * caller writes all of them. */
static roost_status sub_allocate(struct dycuckoo_table *t, uint32_t buckets, int byte, struct dycuckoo_subtable *sub)
{
    struct backend *b = t->base.backend;
    void *memory;
    memset(sub, 0, sizeof *sub);
    roost_status status = backend_allocate(b, dycuckoo_sub_bytes(t, buckets), &memory);
    if (status) return status;
    sub->buckets = (unsigned char *)memory;
    sub->bucket_count = buckets;
    sub->locks = (uint32_t *)(void *)(sub->buckets + dycuckoo_locks_at(t, buckets));
    if (byte >= 0) status = b->operations->fill(b, memory, byte, dycuckoo_locks_at(t, buckets));
    if (!status) status = b->operations->fill(b, sub->locks, 0, ((size_t)buckets + 31) / 32 * 4);
    if (status) sub_release(t, sub);
    return status;
}

/* ---- Weights --------------------------------------------------------------------------------- */

static double sub_weight(const struct dycuckoo_table *t, uint32_t i)
{
    const double n = (double)dycuckoo_sub_slots(t, i), m = (double)t->count[i];
    /* the paper: n_i / C(m_i, 2) */
    if (t->options.weights_paper) return n / (m > 2 ? m * (m - 1) / 2 : 1);
    return n > m ? n - m : 0;
}

/* Scales the weights so that two of them fit 32 bits.  Evictions prefer the subtables that have
 * more than their share of the vacant slots: these have grown. */
void dycuckoo_set_weights(struct dycuckoo_table *t)
{
    const uint32_t d = t->options.subtables;
    double weight[MAX_SUBTABLES], largest = 0;
    for (uint32_t i = 0; i < d; i++) {
        weight[i] = sub_weight(t, i);
        if (weight[i] > largest) largest = weight[i];
    }
    const double fill = (double)dycuckoo_count(&t->base) / (double)dycuckoo_slots(&t->base);
    t->view.preferred = 0;
    for (uint32_t i = 0; i < d; i++) {
        t->view.sub[i].weight = 8 + (uint32_t)(largest > 0 ? weight[i] / largest * (double)(1u << 30) : 0);
        if ((double)t->count[i] < fill * (double)dycuckoo_sub_slots(t, i)) t->view.preferred |= 1u << i;
    }
}

/* After a resize or a clear: only an empty table is tidy under its new weights (invariant I). */
static void set_tidy(struct dycuckoo_table *t)
{
    t->view.tidy = t->base.shape.homes == 2 && dycuckoo_count(&t->base) == 0 && !t->base.ledger.captured;
    dycuckoo_set_weights(t);
}

/* ---- Making ---------------------------------------------------------------------------------- */

/* Sets base_buckets and a common level from the reservation: base < 2^BASE_BITS unless the level is
 * 0. */
static roost_status choose_base(struct dycuckoo_table *t, uint32_t *level)
{
    const double slots = (double)t->base.floor_keys / dycuckoo_fill_most(t);
    const uint64_t each = (uint64_t)t->base.shape.slots * t->options.subtables;
    uint64_t per = ((uint64_t)slots + each) / each; /* rounded up, and at least 1 */
    while (per > 1 && dycuckoo_fits(t, t->base.floor_keys, (per - 1) * each)) per--;
    while (!dycuckoo_fits(t, t->base.floor_keys, per * each)) per++;
    if (t->base.growth && !t->base.floor_keys && per < BASE_LEAST) per = BASE_LEAST;
    while (per >> *level >> BASE_BITS) ++*level;
    const uint64_t base = (per + (1ULL << *level) - 1) >> *level;
    if (base << *level >> 31)
        return error_set(t->base.error, ROOST_ERR_MEMORY, "capacity %" PRIu64 ": more than 2^31 buckets in a subtable",
                         t->base.floor_keys);
    t->base_buckets = (uint32_t)base;
    return ROOST_OK;
}

roost_status dycuckoo_make(struct engine_table *table)
{
    struct dycuckoo_table *t = dycuckoo_of(table);
    uint32_t level = 0;
    roost_status status = choose_base(t, &level);
    for (uint32_t i = 0; !status && i < t->options.subtables; i++) {
        t->level[i] = level;
        status = sub_allocate(t, t->base_buckets << level, 0, &t->view.sub[i]);
    }
    if (!status) status = sub_allocate(t, 1, 0xff, &t->view.sub[SPECIAL]);
    if (!status) status = dycuckoo_spill_make(t);
    if (!status) set_tidy(t);
    return status;
}

void dycuckoo_unmake(struct engine_table *table)
{
    struct dycuckoo_table *t = dycuckoo_of(table);
    for (int i = 0; i <= MAX_SUBTABLES; i++) sub_release(t, &t->view.sub[i]);
    dycuckoo_spill_release(t);
}

/* ---- Growing --------------------------------------------------------------------------------- */

static uint32_t smallest(const struct dycuckoo_table *t)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < t->options.subtables; i++)
        if (t->level[i] < t->level[best]) best = i;
    return best;
}

/* Grows the plan, a copy of a table, until it has room for this many keys.  Returns false where the
 * memory limit, or that of a subtable's buckets, does not allow it. */
static bool plan_growth(struct dycuckoo_table *plan, uint64_t keys)
{
    const uint64_t limit = plan->base.backend->memory_limit ? plan->base.backend->memory_limit : UINT64_MAX;
    uint64_t bytes = plan->base.backend->bytes_now;
    while (!dycuckoo_fits(plan, keys, dycuckoo_slots(&plan->base))) {
        const uint32_t i = smallest(plan), buckets = plan->view.sub[i].bucket_count;
        if (buckets >> 30 || bytes + dycuckoo_sub_bytes(plan, buckets * 2) > limit) return false;
        bytes += dycuckoo_sub_bytes(plan, buckets * 2) - dycuckoo_sub_bytes(plan, buckets);
        plan->view.sub[i].bucket_count *= 2;
        plan->level[i]++;
    }
    return true;
}

static bool growth_fits(const struct dycuckoo_table *t, uint64_t keys)
{
    struct dycuckoo_table plan = *t;
    return plan_growth(&plan, keys);
}

/* Arguments of a kernel over the buckets of subtable i: it reads `from` and writes `to`. */
static void transfer_args(const struct dycuckoo_table *t, uint32_t i, const struct dycuckoo_subtable *from,
                          const struct dycuckoo_subtable *to, struct dycuckoo_args *args)
{
    memset(args, 0, sizeof *args);
    args->view = t->view;
    args->view.sub[i] = *to;
    args->view.sub[i].weight = t->view.sub[i].weight;
    args->batch.counters = t->base.ledger.words;
    args->transfer.shape = t->base.shape;
    args->transfer.sub = i;
    args->transfer.from = from->buckets;
    args->transfer.to = to->buckets;
}

static roost_status grow_one(struct dycuckoo_table *t, uint32_t i)
{
    struct dycuckoo_subtable doubled, *old = &t->view.sub[i];
    struct dycuckoo_args args;
    if (old->bucket_count >> 30) return error_set(t->base.error, ROOST_ERR_MEMORY, "a subtable cannot have more than 2^31 buckets");
    roost_status status = sub_allocate(t, old->bucket_count * 2, -1, &doubled);
    if (status) return status;
    transfer_args(t, i, old, &doubled, &args);
    status = dycuckoo_launch_over(t, t->base.kernel[DYCUCKOO_grow], &args, old->bucket_count);
    if (status) {
        sub_release(t, &doubled);
        return status;
    }
    sub_release(t, old);
    *old = doubled;
    t->level[i]++;
    ledger_expect_moves(&t->base.ledger, t->count[i]);
    t->base.stats.rehashed += t->count[i];
    if (t->count[i] > t->base.stats.largest_rehash) t->base.stats.largest_rehash = t->count[i];
    return ROOST_OK;
}

roost_status dycuckoo_enlarge(struct dycuckoo_table *t, bool forced)
{
    roost_status status = ROOST_OK;
    for (uint32_t steps = t->options.resize_all ? t->options.subtables : 1; !status && steps > 0; steps--)
        status = grow_one(t, smallest(t));
    set_tidy(t);
    return policy_grown(&t->base, status, 0, forced); /* grow_one has counted the pairs */
}

/* ---- Tables without pairs ---- */

static bool has_no_pairs(const struct dycuckoo_table *t) { return dycuckoo_count(&t->base) == t->count[SPECIAL]; }

/* While the table is replaced there are both.  Steps would need less. */
static bool remake_fits(const struct dycuckoo_table *t, const struct dycuckoo_table *plan)
{
    const struct backend *b = t->base.backend;
    return !b->memory_limit || b->bytes_now + dycuckoo_bytes(&plan->base) <= b->memory_limit;
}

/* Replaces the subtables, which have no pairs, by those of the plan. */
static roost_status remake(struct dycuckoo_table *t, const struct dycuckoo_table *plan)
{
    struct dycuckoo_subtable made[MAX_SUBTABLES];
    roost_status status = ROOST_OK;
    memset(made, 0, sizeof made);
    for (uint32_t i = 0; !status && i < t->options.subtables; i++)
        status = sub_allocate(t, t->base_buckets << plan->level[i], 0, &made[i]);
    for (uint32_t i = 0; i < t->options.subtables; i++) {
        struct dycuckoo_subtable gone = status ? made[i] : t->view.sub[i];
        if (!status) t->view.sub[i] = made[i], t->level[i] = plan->level[i];
        sub_release(t, &gone);
    }
    set_tidy(t);
    return status;
}

/* A table without pairs is made at its size, in one step.  Where all subtables double at a time the
 * plan, which doubles one, does not hold. */
roost_status dycuckoo_enlarge_for(struct dycuckoo_table *t, uint64_t keys)
{
    struct dycuckoo_table plan = *t;
    roost_status status = ROOST_OK;
    const bool grows = !dycuckoo_fits(t, keys, dycuckoo_slots(&t->base));
    if (grows && has_no_pairs(t) && !t->options.resize_all && plan_growth(&plan, keys) && remake_fits(t, &plan))
        status = policy_grown(&t->base, remake(t, &plan), 0, false);
    while (!status && !dycuckoo_fits(t, keys, dycuckoo_slots(&t->base))) status = dycuckoo_enlarge(t, false);
    return status;
}

/* ---- Halving --------------------------------------------------------------------------------- */

/* What a halving needs besides the new subtable: room for the pairs that do not fit. */
struct residuals {
    void *memory;
    size_t bytes;
    uint64_t room, n;
};

static roost_status residuals_allocate(struct dycuckoo_table *t, uint64_t room, struct residuals *r,
                                       struct dycuckoo_transfer *transfer)
{
    struct backend *b = t->base.backend;
    r->room = room;
    r->bytes = 64 + (size_t)room * (size_t)(t->base.shape.key_bytes + t->base.shape.value_bytes) + 8;
    const roost_status status = backend_allocate(b, r->bytes, &r->memory);
    if (status) return status;
    const size_t keys_bytes = ((size_t)room * (size_t)t->base.shape.key_bytes + 7) / 8 * 8;
    transfer->pairs_n = (uint64_t *)r->memory;
    transfer->keys = (char *)r->memory + 64;
    transfer->values = (char *)r->memory + 64 + keys_bytes;
    return b->operations->fill(b, r->memory, 0, 64);
}

/* Inserts the residuals in their other homes, the halved subtable excluded.  If some find no room,
 * the others are erased there again. */
static roost_status residuals_place(struct dycuckoo_table *t, struct dycuckoo_args *args, uint64_t n, uint64_t *unplaced)
{
    struct counters since;
    args->view.excluded = args->transfer.sub;
    args->batch.keys = args->transfer.keys;
    args->batch.values_in = args->transfer.values;
    args->batch.mode = ROOST_KEEP;
    args->batch.value_type = (uint8_t)t->base.value_type;
    args->batch.n = n;
    t->halving = args->transfer.sub; /* until it is done or undone */
    roost_status status = dycuckoo_evict_all(t, args, unplaced);
    if (!status && *unplaced) status = dycuckoo_launch_over(t, t->base.kernel[DYCUCKOO_erase], args, n);
    if (!status && *unplaced) status = ledger_read(&t->base.ledger, &since);
    if (!status) t->halving = MAX_SUBTABLES;
    return status;
}

/* Halves subtable i.  *done is false if residuals found no room: then the table is as it was. */
static roost_status halve_into(struct dycuckoo_table *t, uint32_t i, const struct dycuckoo_subtable *half, struct residuals *r,
                               bool *done)
{
    struct dycuckoo_args args;
    struct counters since;
    uint64_t unplaced = 0;
    transfer_args(t, i, &t->view.sub[i], half, &args);
    roost_status status = residuals_allocate(t, t->count[i], r, &args.transfer);
    if (!status) status = dycuckoo_launch_over(t, t->base.kernel[DYCUCKOO_halve], &args, half->bucket_count);
    if (!status) status = backend_read(t->base.backend, &r->n, args.transfer.pairs_n, sizeof r->n);
    if (!status) ledger_expect_moves(&t->base.ledger, t->count[i] - r->n);
    if (!status) status = ledger_read(&t->base.ledger, &since);
    if (!status && r->n) status = residuals_place(t, &args, r->n, &unplaced);
    *done = !status && !unplaced;
    return status;
}

static roost_status halve_one(struct dycuckoo_table *t, uint32_t i, bool *done)
{
    struct dycuckoo_subtable half;
    struct residuals r = {NULL, 0, 0, 0};
    *done = false;
    roost_status status = sub_allocate(t, t->view.sub[i].bucket_count / 2, 0, &half);
    if (status) return status;
    const uint64_t before = t->count[i];
    status = halve_into(t, i, &half, &r, done);
    backend_release(t->base.backend, r.memory, r.bytes);
    if (!*done) {
        t->base.stats.shrink_aborts += !status;
        sub_release(t, &half);
        return status;
    }
    sub_release(t, &t->view.sub[i]);
    t->view.sub[i] = half;
    t->level[i]--;
    t->count[i] = before - r.n;
    t->base.stats.rehashed += before;
    t->base.stats.residuals += r.n;
    t->base.stats.shrink_steps++;
    return ROOST_OK;
}

/* ---- Rebuilding ------------------------------------------------------------------------------ */

/* All pairs of the subtables, in arrays on the device. */
struct pairs_copy {
    void *memory, *values;
    size_t bytes;
    uint64_t n;
};

static roost_status pairs_copy_make(struct dycuckoo_table *t, struct pairs_copy *copy)
{
    struct backend *b = t->base.backend;
    copy->n = dycuckoo_count(&t->base) - t->count[SPECIAL];
    const size_t keys_bytes = ((size_t)copy->n * (size_t)t->base.shape.key_bytes + 7) / 8 * 8;
    copy->bytes = 8 + keys_bytes + (size_t)copy->n * (size_t)t->base.shape.value_bytes;
    roost_status status = backend_allocate(b, copy->bytes, &copy->memory);
    if (status) return status;
    copy->values = (char *)copy->memory + keys_bytes;
    status = pairs_clear(&t->base);
    for (uint32_t i = 0; !status && i < t->options.subtables; i++)
        status = dycuckoo_export_buckets(t, i, 0, t->view.sub[i].bucket_count, copy->memory, copy->values);
    return status;
}

/* Rebuilds the table with subtable i halved, and inserts all pairs again.  This is for halvings
 * that are stuck in place: the residuals' other homes are full of keys whose own other homes are in
 * the halved subtable.  If the rebuild is refused, too, the table is as it was. */
static roost_status rebuild_halved(struct dycuckoo_table *t, uint32_t i, bool *done)
{
    const struct dycuckoo_table before = *t;
    struct pairs_copy copy = {NULL, NULL, 0, 0};
    uint64_t left = 0;
    roost_status status = pairs_copy_make(t, &copy);
    for (uint32_t s = 0; s < t->options.subtables; s++) memset(&t->view.sub[s], 0, sizeof t->view.sub[s]);
    for (uint32_t s = 0; !status && s < t->options.subtables; s++) {
        t->count[s] = 0;
        status = sub_allocate(t, before.view.sub[s].bucket_count >> (s == i), 0, &t->view.sub[s]);
    }
    t->level[i]--;
    if (!status) dycuckoo_set_weights(t);
    if (!status) status = dycuckoo_insert_all(t, copy.memory, copy.values, copy.n, &left);
    backend_release(t->base.backend, copy.memory, copy.bytes);
    *done = !status && !left;
    for (uint32_t s = 0; s < t->options.subtables; s++) {
        struct dycuckoo_subtable old = before.view.sub[s];
        sub_release(t, *done ? &old : &t->view.sub[s]);
        if (*done) continue;
        t->view.sub[s] = old;
        t->count[s] = before.count[s];
    }
    if (!*done) {
        t->level[i]++;
        return status;
    }
    t->base.stats.rehashed += copy.n;
    t->base.stats.shrink_steps++;
    return status;
}

/* ---- Shrinking ------------------------------------------------------------------------------- */

/* Of the subtables of the largest size that are not in the set `tried`, the one with the fewest
 * pairs: it has the fewest residuals.  MAX_SUBTABLES if there is none. */
static uint32_t largest(const struct dycuckoo_table *t, uint32_t tried)
{
    uint32_t level = 0, best = MAX_SUBTABLES;
    for (uint32_t i = 0; i < t->options.subtables; i++)
        if (t->level[i] > level) level = t->level[i];
    for (uint32_t i = 0; i < t->options.subtables; i++)
        if (t->level[i] == level && !(tried >> i & 1u) && (best == MAX_SUBTABLES || t->count[i] <= t->count[best])) best = i;
    return best;
}

/* May subtable i be halved with this many keys in the table?  Not below its base, nor below the
 * reservation, nor so far that the fill would pass the upper bound. */
static bool may_halve(const struct dycuckoo_table *t, uint32_t i, uint64_t count)
{
    const uint64_t after = dycuckoo_slots(&t->base) - dycuckoo_sub_slots(t, i) / 2;
    const double room = (double)after * t->base.max_fill;
    return t->level[i] > 0 && room >= (double)t->base.floor_keys && room >= (double)count;
}

bool dycuckoo_would_shrink(const struct engine_table *table, uint64_t keys)
{
    const struct dycuckoo_table *t = dycuckoo_of_const(table);
    return table->growth && policy_is_low(table, keys, dycuckoo_slots(table)) && may_halve(t, largest(t, 0), keys);
}

/* Halves one subtable of the largest size.  Where its residuals find no room, the next one; where
 * none can be halved in place, the table is rebuilt. */
static roost_status halve_any(struct dycuckoo_table *t, bool *done)
{
    roost_status status = ROOST_OK;
    uint32_t tried = 0;
    *done = false;
    while (!status && !*done && largest(t, tried) < MAX_SUBTABLES) {
        const uint32_t i = largest(t, tried);
        status = halve_one(t, i, done);
        tried |= 1u << i;
    }
    if (!status && !*done) status = rebuild_halved(t, largest(t, 0), done);
    set_tidy(t);
    return status;
}

static bool shrinks(const struct dycuckoo_table *t, bool to_floor)
{
    const uint64_t count = dycuckoo_count(&t->base);
    return (to_floor || policy_is_low(&t->base, count, dycuckoo_slots(&t->base))) && may_halve(t, largest(t, 0), count);
}

/* Makes a table without pairs as small as it may be, in one step. */
static roost_status shrink_empty(struct dycuckoo_table *t, bool to_floor)
{
    struct dycuckoo_table plan = *t;
    while (shrinks(&plan, to_floor)) {
        const uint32_t i = largest(&plan, 0);
        plan.view.sub[i].bucket_count /= 2;
        plan.level[i]--;
    }
    const roost_status status = remake(t, &plan);
    t->base.stats.shrink_steps += !status;
    return status;
}

roost_status dycuckoo_shrink(struct dycuckoo_table *t, bool to_floor)
{
    const struct error_mark before = error_keep(t->base.error);
    const uint64_t steps = t->base.stats.shrink_steps;
    bool done = true;
    roost_status status = ROOST_OK;
    while (!status && done && shrinks(t, to_floor)) status = has_no_pairs(t) ? shrink_empty(t, to_floor) : halve_any(t, &done);
    t->aborted = !done;
    if (t->base.stats.shrink_steps != steps) t->base.backend->operations->trim(t->base.backend);
    return ledger_forgive(&t->base.ledger, &before, status);
}

/* Undoes growth that was refused half way.  The subtables are as large as before, but other ones of
 * them may be the larger ones. */
static roost_status shrink_back(struct dycuckoo_table *t, uint64_t slots)
{
    bool done = true;
    roost_status status = ROOST_OK;
    while (!status && done && dycuckoo_slots(&t->base) > slots) status = halve_any(t, &done);
    return status;
}

/* ---- Hooks ----------------------------------------------------------------------------------- */

static roost_status slots_empty(struct dycuckoo_table *t)
{
    struct backend *b = t->base.backend;
    roost_status status = dycuckoo_spill_clear(t);
    for (uint32_t i = 0; !status && i <= MAX_SUBTABLES; i++) {
        const struct dycuckoo_subtable *sub = &t->view.sub[i];
        if (!sub->buckets) continue;
        const size_t bytes = (size_t)sub->bucket_count * shape_bucket_bytes(t->base.shape);
        status = b->operations->fill(b, sub->buckets, i == SPECIAL ? 0xff : 0, bytes);
        if (!status) t->count[i] = 0;
    }
    return status;
}

roost_status dycuckoo_empty(struct engine_table *table)
{
    struct dycuckoo_table *t = dycuckoo_of(table);
    const roost_status status = slots_empty(t);
    if (status) return status;
    set_tidy(t);
    return table->growth ? dycuckoo_shrink(t, true) : ROOST_OK;
}

/* After a failure half way the table shrinks back; if this is refused, too, it stays larger.
 * Either way its counts are uncertain: a launch may have failed, not only an allocation. */
roost_status dycuckoo_reserve(struct engine_table *table, uint64_t keys)
{
    struct dycuckoo_table *t = dycuckoo_of(table);
    const uint64_t slots = dycuckoo_slots(table);
    if (!growth_fits(t, keys))
        return error_set(table->error, ROOST_ERR_MEMORY,
                         "room for %" PRIu64 " keys would pass the memory limit, or 2^31 buckets in a subtable", keys);
    const roost_status status = dycuckoo_enlarge_for(t, keys);
    if (!status) return ROOST_OK;
    const struct error_mark why = error_keep(table->error);
    (void)shrink_back(t, slots);
    error_restore(&why);
    return ledger_ended(&table->ledger, status);
}

static roost_status grow(struct engine_table *table) { return dycuckoo_enlarge(dycuckoo_of(table), false); }

/* The fill is known, not estimated, so a batch of few distinct keys never makes the table grow. */
roost_status dycuckoo_settle(struct engine_table *table, bool shrinks)
{
    if (!table->growth) return ROOST_OK;
    const roost_status status = policy_grow(table, policy_over_full, grow);
    return status || !shrinks ? status : dycuckoo_shrink(dycuckoo_of(table), false);
}
