/* DyCuckoo's sizes: how large subtables are, when and how they grow and shrink (sections 4.2 to
 * 4.4), and the weights by which new pairs are spread over them (section 4.3). */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "engines/dycuckoo/dycuckoo_table.h"

enum {
    /* A base, the least size of a subtable, has less than 2^11 buckets.  Sizes are exact to 0.1 %,
     * and a table can shrink to its base. */
    BASE_BITS = 11,
    /* Buckets of a base for no keys in a table that grows: one of a single bucket would double each
     * subtable twice before it holds a hundred keys. */
    BASE_LEAST = 4
};

/* A level step's share of a subtable's buckets, at most. */
#define LEVEL_STEP 0.5

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

/* The buckets of each of equal subtables in which this many keys have room. */
static uint64_t buckets_for(const struct dycuckoo_table *t, uint64_t keys)
{
    const double slots = (double)keys / dycuckoo_fill_most(t);
    const uint64_t each = (uint64_t)t->base.shape.slots * t->options.subtables;
    uint64_t per = ((uint64_t)slots + each) / each; /* rounded up, and at least 1 */
    while (per > 1 && dycuckoo_fits(t, keys, (per - 1) * each)) per--;
    while (!dycuckoo_fits(t, keys, per * each)) per++;
    return per;
}

/* Sets base_buckets, and *buckets from the reservation: base_buckets 2^k where subtables double. */
static roost_status choose_base(struct dycuckoo_table *t, uint32_t *buckets)
{
    uint64_t per = buckets_for(t, t->base.floor_keys);
    uint32_t level = 0;
    if (t->base.growth && !t->base.floor_keys && per < BASE_LEAST) per = BASE_LEAST;
    while (per >> level >> BASE_BITS) level++;
    const uint64_t base = (per + (1ULL << level) - 1) >> level;
    if (base << level >> 31)
        return error_set(t->base.error, ROOST_ERR_MEMORY, "capacity %" PRIu64 ": more than 2^31 buckets in a subtable",
                         t->base.floor_keys);
    t->base_buckets = (uint32_t)base;
    *buckets = t->options.resize == RESIZE_LEVEL ? (uint32_t)per : t->base_buckets << level;
    return ROOST_OK;
}

roost_status dycuckoo_make(struct engine_table *table)
{
    struct dycuckoo_table *t = dycuckoo_of(table);
    uint32_t buckets = 0;
    roost_status status = choose_base(t, &buckets);
    for (uint32_t i = 0; !status && i < t->options.subtables; i++) status = sub_allocate(t, buckets, 0, &t->view.sub[i]);
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

/* ---- The next sizes -------------------------------------------------------------------------- */

static uint32_t buckets_of(const struct dycuckoo_table *t, uint32_t i) { return t->view.sub[i].bucket_count; }

static uint32_t smallest(const struct dycuckoo_table *t)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < t->options.subtables; i++)
        if (buckets_of(t, i) < buckets_of(t, best)) best = i;
    return best;
}

/* A level step's share of a subtable's buckets.  It leads from the upper bound of the fill four
 * fifths of the way to the lower one, at most. */
static double step_share(const struct dycuckoo_table *t)
{
    const double high = t->base.max_fill, low = t->base.min_fill, most = low > 0 ? 0.8 * (high / low - 1) : LEVEL_STEP;
    return most < LEVEL_STEP ? most : LEVEL_STEP;
}

/* By how many of its buckets a subtable grows in a step; 0: it is too small for such a step. */
static uint32_t step_of(const struct dycuckoo_table *t, uint32_t buckets)
{
    return t->options.resize == RESIZE_LEVEL ? (uint32_t)(step_share(t) * (double)buckets) : buckets;
}

/* The size to which the next subtable grows so that all of them together take this many keys: a
 * step's, or more of a level table, and twice what it has at most (invariant E). */
static uint32_t size_grown(const struct dycuckoo_table *t, uint32_t buckets, uint64_t keys)
{
    const uint32_t step = step_of(t, buckets), next = buckets + (step ? step : 1);
    if (t->options.resize != RESIZE_LEVEL) return next;
    const double each = t->base.max_fill * (double)t->options.subtables * (double)t->base.shape.slots;
    const double wanted = (double)keys / each + 1;
    return wanted <= (double)next ? next : wanted < 2.0 * buckets ? (uint32_t)wanted : 2 * buckets;
}

/* The size to which a subtable shrinks.  It is not above the one from which a step has led here, so
 * that no reservation which asked for that step has a smaller size. */
static uint32_t size_shrunk(const struct dycuckoo_table *t, uint32_t buckets)
{
    if (t->options.resize != RESIZE_LEVEL) return buckets / 2;
    const uint32_t step = (uint32_t)ceil((double)step_of(t, buckets) / (1 + step_share(t)));
    const uint32_t next = buckets - (step ? step : 1);
    return next > t->base_buckets ? next : t->base_buckets;
}

/* The least size of a subtable: the base, and of a level table what the reservation asks for. */
static uint32_t size_least(const struct dycuckoo_table *t)
{
    const uint64_t floor = t->options.resize == RESIZE_LEVEL ? buckets_for(t, t->base.floor_keys) : 0;
    return floor > t->base_buckets ? (uint32_t)(floor >> 31 ? 1u << 31 : floor) : t->base_buckets;
}

/* ---- Resizing a subtable --------------------------------------------------------------------- */

/* What a resize needs besides the new subtable: room for the pairs that do not fit. */
struct residuals {
    void *memory;
    size_t bytes;
    uint64_t room, n;
};

static void residuals_release(struct dycuckoo_table *t, struct residuals *r)
{
    backend_release(t->base.backend, r->memory, r->bytes);
    r->memory = NULL;
}

static roost_status residuals_allocate(struct dycuckoo_table *t, uint64_t room, struct residuals *r,
                                       struct dycuckoo_transfer *transfer)
{
    struct backend *b = t->base.backend;
    residuals_release(t, r);
    r->room = room;
    r->bytes = 64 + (size_t)room * (size_t)(t->base.shape.key_bytes + t->base.shape.value_bytes) + 8;
    const roost_status status = backend_allocate(b, r->bytes, &r->memory);
    if (status) return status;
    const size_t keys_bytes = ((size_t)room * (size_t)t->base.shape.key_bytes + 7) / 8 * 8;
    transfer->room = room;
    transfer->pairs_n = (uint64_t *)r->memory;
    transfer->keys = (char *)r->memory + 64;
    transfer->values = (char *)r->memory + 64 + keys_bytes;
    return b->operations->fill(b, r->memory, 0, 64);
}

/* Inserts the residuals in their other homes, the subtable itself excluded.  If some find no room,
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
    roost_status status = dycuckoo_evict_all(t, args, unplaced);
    if (!status && *unplaced) status = dycuckoo_launch_over(t, t->base.kernel[DYCUCKOO_erase], args, n);
    if (!status && *unplaced) status = ledger_read(&t->base.ledger, &since);
    if (!status) t->resizing = MAX_SUBTABLES;
    return status;
}

/* Arguments of a kernel over the buckets of a subtable: it reads subtable i and writes `to`. */
static void transfer_args(const struct dycuckoo_table *t, uint32_t i, const struct dycuckoo_subtable *to,
                          struct dycuckoo_args *args)
{
    memset(args, 0, sizeof *args);
    args->view = t->view;
    args->view.sub[i] = *to;
    args->view.sub[i].weight = t->view.sub[i].weight;
    args->batch.counters = t->base.ledger.words;
    args->transfer.shape = t->base.shape;
    args->transfer.sub = i;
    args->transfer.from = t->view.sub[i].buckets;
    args->transfer.to = to->buckets;
    args->transfer.from_buckets = buckets_of(t, i);
    args->transfer.to_buckets = to->bucket_count;
}

/* Writes the new buckets, and the residuals to r, for which it makes room.  A subtable that doubles
 * has none, for of a bucket's pairs each goes to one of two: it needs no room, and no wait. */
static roost_status pairs_transfer(struct dycuckoo_table *t, struct dycuckoo_args *args, struct residuals *r)
{
    enum { SHARE = 16, FEW = 64 }; /* more residuals are not expected */
    const struct kernel *const kernel = t->base.kernel[DYCUCKOO_resize];
    const uint64_t count = t->count[args->transfer.sub];
    const bool doubles = args->transfer.to_buckets == 2 * args->transfer.from_buckets;
    roost_status status = ROOST_OK;
    do {
        if (!doubles) status = residuals_allocate(t, r->n ? r->n : count / SHARE + FEW, r, &args->transfer);
        if (!status) status = dycuckoo_launch_over(t, kernel, args, args->transfer.to_buckets);
        if (!status && !doubles) status = backend_read(t->base.backend, &r->n, args->transfer.pairs_n, sizeof r->n);
        if (!status) ledger_expect_moves(&t->base.ledger, count - r->n);
    } while (!status && r->n > r->room);
    return status;
}

/* *done is false if residuals found no room: then the table is as it was. */
static roost_status resize_into(struct dycuckoo_table *t, uint32_t i, const struct dycuckoo_subtable *to, struct residuals *r,
                                bool *done)
{
    struct dycuckoo_args args;
    uint64_t unplaced = 0;
    transfer_args(t, i, to, &args);
    roost_status status = pairs_transfer(t, &args, r);
    if (!status && r->n) status = residuals_place(t, &args, r->n, &unplaced);
    *done = !status && !unplaced;
    return status;
}

/* Gives subtable i this many buckets. */
static roost_status resize_one(struct dycuckoo_table *t, uint32_t i, uint32_t buckets, bool *done)
{
    struct dycuckoo_subtable to;
    struct residuals r = {NULL, 0, 0, 0};
    const uint64_t before = t->count[i];
    *done = false;
    roost_status status = sub_allocate(t, buckets, -1, &to);
    if (status) return status;
    status = resize_into(t, i, &to, &r, done);
    residuals_release(t, &r);
    if (!*done) return sub_release(t, &to), status;
    sub_release(t, &t->view.sub[i]);
    t->view.sub[i] = to;
    t->count[i] -= r.n;
    t->base.stats.rehashed += before;
    t->base.stats.residuals += r.n;
    if (before > t->base.stats.largest_rehash) t->base.stats.largest_rehash = before;
    return ROOST_OK;
}

/* ---- Growing --------------------------------------------------------------------------------- */

/* Grows the plan, a copy of a table, until it has room for this many keys.  Returns false where the
 * memory limit, or that of a subtable's buckets, does not allow it. */
static bool plan_growth(struct dycuckoo_table *plan, uint64_t keys)
{
    const uint64_t limit = plan->base.backend->memory_limit ? plan->base.backend->memory_limit : UINT64_MAX;
    uint64_t bytes = plan->base.backend->bytes_now;
    while (!dycuckoo_fits(plan, keys, dycuckoo_slots(&plan->base))) {
        const uint32_t i = smallest(plan), buckets = buckets_of(plan, i);
        if (buckets >> 30) return false;
        const uint32_t grown = size_grown(plan, buckets, keys);
        if (bytes + dycuckoo_sub_bytes(plan, grown) > limit) return false;
        bytes += dycuckoo_sub_bytes(plan, grown) - dycuckoo_sub_bytes(plan, buckets);
        plan->view.sub[i].bucket_count = grown;
    }
    return true;
}

static bool growth_fits(const struct dycuckoo_table *t, uint64_t keys)
{
    struct dycuckoo_table plan = *t;
    return plan_growth(&plan, keys);
}

/* Where residuals find no room the subtable doubles (*doubled): then it has none. */
static roost_status grow_one(struct dycuckoo_table *t, uint32_t i, uint32_t buckets, bool *doubled)
{
    const uint32_t twice = 2 * buckets_of(t, i);
    bool done = false;
    if (buckets_of(t, i) >> 30) return error_set(t->base.error, ROOST_ERR_MEMORY, "a subtable cannot have more than 2^31 buckets");
    roost_status status = resize_one(t, i, buckets, &done);
    if (status || done) return status;
    *doubled = true;
    return resize_one(t, i, twice, &done);
}

/* Grows the smallest subtable for this many keys, and then the others to its size, except where the
 * table grows one at a time, or where a step of all would be too large. */
static roost_status grow_step(struct dycuckoo_table *t, uint64_t keys, bool *doubled)
{
    const uint32_t first = smallest(t), size = size_grown(t, buckets_of(t, first), keys);
    const bool all = t->options.resize != RESIZE_ONE && step_of(t, buckets_of(t, first)) > 0;
    roost_status status = grow_one(t, first, size, doubled);
    while (!status && all && buckets_of(t, smallest(t)) < size) status = grow_one(t, smallest(t), size, doubled);
    return status;
}

roost_status dycuckoo_enlarge(struct dycuckoo_table *t, uint64_t keys, bool forced)
{
    bool doubled = false;
    const roost_status status = grow_step(t, keys, &doubled);
    set_tidy(t);
    /* resize_one has counted the pairs */
    return policy_grown(&t->base, status, 0, forced || doubled);
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
    for (uint32_t i = 0; !status && i < t->options.subtables; i++) status = sub_allocate(t, buckets_of(plan, i), 0, &made[i]);
    for (uint32_t i = 0; i < t->options.subtables; i++) {
        struct dycuckoo_subtable gone = status ? made[i] : t->view.sub[i];
        if (!status) t->view.sub[i] = made[i];
        sub_release(t, &gone);
    }
    set_tidy(t);
    return status;
}

/* A table without pairs is made at its size, in one step.  Where all subtables double at a time the
 * plan, which grows one, does not hold. */
roost_status dycuckoo_enlarge_for(struct dycuckoo_table *t, uint64_t keys)
{
    struct dycuckoo_table plan = *t;
    roost_status status = ROOST_OK;
    const bool grows = !dycuckoo_fits(t, keys, dycuckoo_slots(&t->base));
    if (grows && has_no_pairs(t) && t->options.resize != RESIZE_ALL && plan_growth(&plan, keys) && remake_fits(t, &plan))
        status = policy_grown(&t->base, remake(t, &plan), 0, false);
    while (!status && !dycuckoo_fits(t, keys, dycuckoo_slots(&t->base))) status = dycuckoo_enlarge(t, keys, false);
    return status;
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

/* Rebuilds the table with a smaller subtable i, and inserts all pairs again.  This is for shrinks
 * that are stuck in place: the residuals' other homes are full of keys whose own other homes are in
 * the smaller subtable.  If the rebuild is refused, too, the table is as it was. */
static roost_status rebuild_shrunk(struct dycuckoo_table *t, uint32_t i, bool *done)
{
    const struct dycuckoo_table before = *t;
    struct pairs_copy copy = {NULL, NULL, 0, 0};
    uint64_t left = 0;
    roost_status status = pairs_copy_make(t, &copy);
    for (uint32_t s = 0; s < t->options.subtables; s++) memset(&t->view.sub[s], 0, sizeof t->view.sub[s]);
    for (uint32_t s = 0; !status && s < t->options.subtables; s++) {
        t->count[s] = 0;
        const uint32_t buckets = buckets_of(&before, s);
        status = sub_allocate(t, s == i ? size_shrunk(t, buckets) : buckets, 0, &t->view.sub[s]);
    }
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
    if (*done) t->base.stats.rehashed += copy.n;
    return status;
}

/* ---- Shrinking ------------------------------------------------------------------------------- */

/* Of the subtables of the largest size that are not in the set `tried`, the one with the fewest
 * pairs: it has the fewest residuals.  MAX_SUBTABLES if there is none. */
static uint32_t largest(const struct dycuckoo_table *t, uint32_t tried)
{
    uint32_t most = 0, best = MAX_SUBTABLES;
    for (uint32_t i = 0; i < t->options.subtables; i++)
        if (buckets_of(t, i) > most) most = buckets_of(t, i);
    for (uint32_t i = 0; i < t->options.subtables; i++)
        if (buckets_of(t, i) == most && !(tried >> i & 1u) && (best == MAX_SUBTABLES || t->count[i] <= t->count[best])) best = i;
    return best;
}

/* May subtable i shrink with this many keys in the table?  Not below its base, nor below the
 * reservation, nor so far that the fill would pass the upper bound. */
static bool may_shrink(const struct dycuckoo_table *t, uint32_t i, uint64_t count)
{
    const uint32_t buckets = buckets_of(t, i);
    if (buckets <= t->base_buckets || size_shrunk(t, buckets) < size_least(t)) return false;
    const uint64_t gone = (uint64_t)(buckets - size_shrunk(t, buckets)) * (unsigned)t->base.shape.slots;
    const double room = (double)(dycuckoo_slots(&t->base) - gone) * t->base.max_fill;
    return room >= (double)t->base.floor_keys && room >= (double)count;
}

bool dycuckoo_would_shrink(const struct engine_table *table, uint64_t keys)
{
    const struct dycuckoo_table *t = dycuckoo_of_const(table);
    return table->growth && policy_is_low(table, keys, dycuckoo_slots(table)) && may_shrink(t, largest(t, 0), keys);
}

/* Shrinks one subtable of the largest size.  Where its residuals find no room, the next one; where
 * none can shrink in place, the table is rebuilt. */
static roost_status shrink_any(struct dycuckoo_table *t, bool *done)
{
    roost_status status = ROOST_OK;
    uint32_t tried = 0;
    *done = false;
    while (!status && !*done && largest(t, tried) < MAX_SUBTABLES) {
        const uint32_t i = largest(t, tried);
        status = resize_one(t, i, size_shrunk(t, buckets_of(t, i)), done);
        t->base.stats.shrink_aborts += !status && !*done;
        tried |= 1u << i;
    }
    if (!status && !*done) status = rebuild_shrunk(t, largest(t, 0), done);
    set_tidy(t);
    return status;
}

/* A level table's other subtables follow the first one. */
static roost_status shrink_step(struct dycuckoo_table *t, bool *done)
{
    const uint32_t size = buckets_of(t, largest(t, 0));
    roost_status status = shrink_any(t, done);
    t->base.stats.shrink_steps += *done;
    if (t->options.resize != RESIZE_LEVEL) return status;
    while (!status && *done && buckets_of(t, largest(t, 0)) == size && may_shrink(t, largest(t, 0), dycuckoo_count(&t->base)))
        status = shrink_any(t, done);
    return status;
}

static bool shrinks(const struct dycuckoo_table *t, bool to_floor)
{
    const uint64_t count = dycuckoo_count(&t->base), slots = dycuckoo_slots(&t->base);
    if (!to_floor && !policy_is_low(&t->base, count, slots)) return false;
    if (t->options.resize != RESIZE_LEVEL || !has_no_pairs(t)) return may_shrink(t, largest(t, 0), count);
    return slots > (uint64_t)size_least(t) * t->options.subtables * (unsigned)t->base.shape.slots;
}

/* Makes a table without pairs as small as it may be, in one step: a level table has subtables of
 * one size then. */
static roost_status shrink_empty(struct dycuckoo_table *t, bool to_floor)
{
    struct dycuckoo_table plan = *t;
    for (uint32_t i = 0; t->options.resize == RESIZE_LEVEL && i < t->options.subtables; i++)
        plan.view.sub[i].bucket_count = size_least(t);
    while (shrinks(&plan, to_floor)) {
        const uint32_t i = largest(&plan, 0);
        plan.view.sub[i].bucket_count = size_shrunk(&plan, buckets_of(&plan, i));
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
    while (!status && done && shrinks(t, to_floor)) status = has_no_pairs(t) ? shrink_empty(t, to_floor) : shrink_step(t, &done);
    t->aborted = !done;
    if (t->base.stats.shrink_steps != steps) t->base.backend->operations->trim(t->base.backend);
    return ledger_forgive(&t->base.ledger, &before, status);
}

/* Of the subtables that are larger than before, the largest one; MAX_SUBTABLES: there is none. */
static uint32_t largest_grown(const struct dycuckoo_table *t, const struct dycuckoo_table *before)
{
    uint32_t best = MAX_SUBTABLES;
    for (uint32_t i = 0; i < t->options.subtables; i++)
        if (buckets_of(t, i) > buckets_of(before, i) && (best == MAX_SUBTABLES || buckets_of(t, i) > buckets_of(t, best))) best = i;
    return best;
}

/* Undoes growth that was refused half way, by halves at most (invariant E).  If residuals find no
 * room the table stays larger. */
static roost_status shrink_back(struct dycuckoo_table *t, const struct dycuckoo_table *before)
{
    roost_status status = ROOST_OK;
    bool done = true;
    for (uint32_t i = largest_grown(t, before); !status && done && i < MAX_SUBTABLES; i = largest_grown(t, before)) {
        const uint32_t half = (buckets_of(t, i) + 1) / 2, least = buckets_of(before, i);
        status = resize_one(t, i, half > least ? half : least, &done);
        t->base.stats.shrink_steps += done;
    }
    set_tidy(t);
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
    const struct dycuckoo_table before = *t;
    if (!growth_fits(t, keys))
        return error_set(table->error, ROOST_ERR_MEMORY,
                         "room for %" PRIu64 " keys would pass the memory limit, or 2^31 buckets in a subtable", keys);
    const roost_status status = dycuckoo_enlarge_for(t, keys);
    if (!status) return ROOST_OK;
    const struct error_mark why = error_keep(table->error);
    /* Residuals of a resize that failed have copies, which are erased first (dycuckoo_mend). */
    if (t->resizing == MAX_SUBTABLES) (void)shrink_back(t, &before);
    error_restore(&why);
    return ledger_ended(&table->ledger, status);
}

static roost_status grow(struct engine_table *table) { return dycuckoo_enlarge(dycuckoo_of(table), 0, false); }

/* The fill is known, not estimated, so a batch of few distinct keys never makes the table grow.  A
 * subtable that had to double may leave it below the lower bound. */
roost_status dycuckoo_settle(struct engine_table *table, bool shrinks)
{
    const uint64_t forced = table->stats.forced_grow_steps;
    if (!table->growth) return ROOST_OK;
    const roost_status status = policy_grow(table, policy_over_full, grow);
    if (status || (!shrinks && table->stats.forced_grow_steps == forced)) return status;
    return dycuckoo_shrink(dycuckoo_of(table), false);
}
