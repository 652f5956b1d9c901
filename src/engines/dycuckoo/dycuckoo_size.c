/* DyCuckoo's sizes: how large subtables are, when and how they double and halve (sections 4.2 to 4.4), and the weights by which new
 * pairs are spread over them (section 4.3). */
#include "engines/dycuckoo/dycuckoo_table.h"

#include <inttypes.h>
#include <string.h>

enum { BASE_BITS = 11 /* a base below 2^11 buckets: sizes are exact to 0.1 %, and a table can shrink to that */ };

static size_t bucket_bytes(const struct dycuckoo_table *t) { return shape_bucket_bytes(t->shape); }

static uint64_t sub_slots(const struct dycuckoo_table *t, uint32_t i)
{
    return (uint64_t)t->view.sub[i].bucket_count * (unsigned)t->shape.slots;
}

uint64_t dycuckoo_slots(const struct dycuckoo_table *t)
{
    uint64_t slots = 0;
    for (uint32_t i = 0; i < t->options.subtables; i++) slots += sub_slots(t, i);
    return slots;
}

/* The vacant key counts, but its own bucket is no room for others. */
uint64_t dycuckoo_count(const struct dycuckoo_table *t)
{
    uint64_t count = 0;
    for (int i = 0; i <= MAX_SUBTABLES; i++) count += t->count[i];
    return count;
}

/* ---- Memory of a subtable: its buckets, then its locks ---------------------------------------------------------------------------- */

static size_t locks_at(const struct dycuckoo_table *t, uint32_t buckets)
{
    return ((size_t)buckets * bucket_bytes(t) + 63) / 64 * 64;
}
static size_t sub_bytes(const struct dycuckoo_table *t, uint32_t buckets)
{
    return locks_at(t, buckets) + ((size_t)buckets + 31) / 32 * 4;
}

uint64_t dycuckoo_table_bytes(const struct dycuckoo_table *t)
{
    uint64_t bytes = sub_bytes(t, 1);
    for (uint32_t i = 0; i < t->options.subtables; i++) bytes += sub_bytes(t, t->view.sub[i].bucket_count);
    return bytes;
}

static void sub_release(struct dycuckoo_table *t, struct dycuckoo_subtable *sub)
{
    backend_release(t->base.backend, sub->buckets, sub_bytes(t, sub->bucket_count));
    sub->buckets = NULL;
}

/* Locks are free; the buckets hold `byte`, unless it is negative: then who asked writes them all. */
static roost_status sub_allocate(struct dycuckoo_table *t, uint32_t buckets, int byte, struct dycuckoo_subtable *sub)
{
    struct backend *b = t->base.backend;
    void *memory;
    memset(sub, 0, sizeof *sub);
    roost_status status = backend_allocate(b, sub_bytes(t, buckets), &memory);
    if (status) return status;
    sub->buckets = (unsigned char *)memory;
    sub->bucket_count = buckets;
    sub->locks = (uint32_t *)(void *)(sub->buckets + locks_at(t, buckets));
    if (byte >= 0) status = b->operations->fill(b, memory, byte, locks_at(t, buckets));
    if (!status) status = b->operations->fill(b, sub->locks, 0, ((size_t)buckets + 31) / 32 * 4);
    if (status) sub_release(t, sub);
    return status;
}

/* ---- Weights ------------------------------------------------------------------------------------------------------------------------ */

static double sub_weight(const struct dycuckoo_table *t, uint32_t i)
{
    const double n = (double)sub_slots(t, i), m = (double)t->count[i];
    if (t->options.weights_paper) return n / (m > 2 ? m * (m - 1) / 2 : 1); /* the paper's n_i / C(m_i, 2) */
    return n > m ? n - m : 0;
}

/* Scales the weights so that two of them fit 32 bits, and marks the subtables that evictions should go to: those with more than their
 * share of the vacant slots, that is, those that have grown. */
void dycuckoo_set_weights(struct dycuckoo_table *t)
{
    const uint32_t d = t->options.subtables;
    double weight[MAX_SUBTABLES], largest = 0;
    for (uint32_t i = 0; i < d; i++) {
        weight[i] = sub_weight(t, i);
        if (weight[i] > largest) largest = weight[i];
    }
    const double fill = (double)dycuckoo_count(t) / (double)dycuckoo_slots(t);
    t->view.preferred = 0;
    for (uint32_t i = 0; i < d; i++) {
        t->view.sub[i].weight = 8 + (uint32_t)(largest > 0 ? weight[i] / largest * (double)(1u << 30) : 0);
        if ((double)t->count[i] < fill * (double)sub_slots(t, i)) t->view.preferred |= 1u << i;
    }
}

void dycuckoo_set_tidy(struct dycuckoo_table *t)
{
    t->view.tidy = t->shape.homes == 2 && dycuckoo_count(t) == 0 && !t->ledger.captured;
    dycuckoo_set_weights(t);
}

/* ---- Making ------------------------------------------------------------------------------------------------------------------------- */

/* base_buckets and a common level from the reservation: base < 2^BASE_BITS unless the level is 0 anyway. */
static roost_status choose_base(struct dycuckoo_table *t, uint32_t *level)
{
    const double slots = (double)t->floor_keys / t->max_fill;
    if (slots * (double)(t->shape.key_bytes + t->shape.value_bytes) > 1e18)
        return error_set(t->base.error, ROOST_ERR_ARGUMENT, "capacity %" PRIu64 ": its bytes overflow", t->floor_keys);
    const uint64_t each = (uint64_t)t->shape.slots * t->options.subtables;
    uint64_t per = ((uint64_t)slots + each) / each; /* rounded up, and at least 1 */
    while (per * each > each && (double)((per - 1) * each) * t->max_fill >= (double)t->floor_keys) per--;
    while (per >> *level >> BASE_BITS) ++*level;
    const uint64_t base = (per + (1ULL << *level) - 1) >> *level;
    if (base << *level >> 31)
        return error_set(t->base.error, ROOST_ERR_MEMORY, "capacity %" PRIu64 ": more than 2^31 buckets in a subtable",
                         t->floor_keys);
    t->base_buckets = (uint32_t)base;
    return ROOST_OK;
}

void dycuckoo_unmake(struct dycuckoo_table *t)
{
    for (int i = 0; i <= MAX_SUBTABLES; i++) sub_release(t, &t->view.sub[i]);
}

roost_status dycuckoo_make(struct dycuckoo_table *t)
{
    uint32_t level = 0;
    roost_status status = choose_base(t, &level);
    for (uint32_t i = 0; !status && i < t->options.subtables; i++) {
        t->level[i] = level;
        status = sub_allocate(t, t->base_buckets << level, 0, &t->view.sub[i]);
    }
    if (!status) status = sub_allocate(t, 1, 0xff, &t->view.sub[SPECIAL]);
    if (status) dycuckoo_unmake(t);
    else dycuckoo_set_tidy(t);
    return status;
}

/* ---- Growing ------------------------------------------------------------------------------------------------------------------------ */

static uint32_t smallest(const struct dycuckoo_table *t)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < t->options.subtables; i++)
        if (t->level[i] < t->level[best]) best = i;
    return best;
}

bool dycuckoo_growth_fits(const struct dycuckoo_table *t, uint64_t keys)
{
    const uint64_t limit = t->base.backend->memory_limit ? t->base.backend->memory_limit : UINT64_MAX;
    struct dycuckoo_table plan = *t;
    uint64_t bytes = t->base.backend->bytes_now;
    while ((double)dycuckoo_slots(&plan) * t->max_fill < (double)keys) {
        const uint32_t i = smallest(&plan), buckets = plan.view.sub[i].bucket_count;
        if (buckets >> 30 || bytes + sub_bytes(t, buckets * 2) > limit) return false;
        bytes += sub_bytes(t, buckets * 2) - sub_bytes(t, buckets);
        plan.view.sub[i].bucket_count *= 2;
        plan.level[i]++;
    }
    return true;
}

/* Of the subtables of the largest size that are not in the set `tried`, the one with the fewest pairs: it has the fewest residuals.
 * MAX_SUBTABLES if there is none. */
static uint32_t largest(const struct dycuckoo_table *t, uint32_t tried)
{
    uint32_t level = 0, best = MAX_SUBTABLES;
    for (uint32_t i = 0; i < t->options.subtables; i++)
        if (t->level[i] > level) level = t->level[i];
    for (uint32_t i = 0; i < t->options.subtables; i++)
        if (t->level[i] == level && !(tried >> i & 1u) && (best == MAX_SUBTABLES || t->count[i] <= t->count[best])) best = i;
    return best;
}

/* Arguments of a kernel over the buckets of subtable i, which it reads from `from` and writes to `to`. */
static void transfer_args(const struct dycuckoo_table *t, uint32_t i, const struct dycuckoo_subtable *from,
                          const struct dycuckoo_subtable *to, struct dycuckoo_args *args)
{
    memset(args, 0, sizeof *args);
    args->view = t->view;
    args->view.sub[i] = *to;
    args->view.sub[i].weight = t->view.sub[i].weight;
    args->batch.counters = &t->words->counters;
    args->transfer.shape = t->shape;
    args->transfer.sub = i;
    args->transfer.from = from->buckets;
    args->transfer.to = to->buckets;
}

static roost_status launch_over(struct dycuckoo_table *t, const struct kernel *k, struct dycuckoo_args *args, uint64_t n)
{
    args->batch.n = n;
    return t->base.backend->operations->launch(t->base.backend, k, args, sizeof *args, n);
}

static roost_status grow_one(struct dycuckoo_table *t, uint32_t i)
{
    struct dycuckoo_subtable doubled, *old = &t->view.sub[i];
    struct dycuckoo_args args;
    if (old->bucket_count >> 30) return error_set(t->base.error, ROOST_ERR_MEMORY, "a subtable cannot have more than 2^31 buckets");
    roost_status status = sub_allocate(t, old->bucket_count * 2, -1, &doubled);
    if (status) return status;
    transfer_args(t, i, old, &doubled, &args);
    status = launch_over(t, t->grow, &args, old->bucket_count);
    if (status) {
        sub_release(t, &doubled);
        return status;
    }
    sub_release(t, old);
    *old = doubled;
    t->level[i]++;
    t->ledger.expected_moves += t->count[i];
    t->ledger.stats.rehashed += t->count[i];
    if (t->count[i] > t->ledger.stats.largest_rehash) t->ledger.stats.largest_rehash = t->count[i];
    return ROOST_OK;
}

roost_status dycuckoo_enlarge(struct dycuckoo_table *t, bool forced)
{
    roost_status status = ROOST_OK;
    for (uint32_t steps = t->options.resize_all ? t->options.subtables : 1; !status && steps > 0; steps--)
        status = grow_one(t, smallest(t));
    dycuckoo_set_tidy(t);
    if (status == ROOST_ERR_MEMORY) t->ledger.refused = true;
    if (status) return status;
    t->ledger.stats.grow_steps++;
    t->ledger.stats.forced_grow_steps += forced;
    return ROOST_OK;
}

/* ---- Shrinking ---------------------------------------------------------------------------------------------------------------------- */

/* What a halving needs beside the new subtable: room for the pairs that do not fit. */
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
    r->bytes = 64 + (size_t)room * (size_t)(t->shape.key_bytes + t->shape.value_bytes) + 8;
    const roost_status status = backend_allocate(b, r->bytes, &r->memory);
    if (status) return status;
    const size_t keys_bytes = ((size_t)room * (size_t)t->shape.key_bytes + 7) / 8 * 8;
    transfer->pairs_n = (uint64_t *)r->memory;
    transfer->keys = (char *)r->memory + 64;
    transfer->values = (char *)r->memory + 64 + keys_bytes;
    return b->operations->fill(b, r->memory, 0, 64);
}

/* The residuals go to their other homes, subtable i excluded; if some find none, those that did are erased there again. */
static roost_status residuals_place(struct dycuckoo_table *t, struct dycuckoo_args *args, uint64_t n, uint64_t *unplaced)
{
    struct counters since;
    args->view.excluded = args->transfer.sub;
    args->batch.keys = args->transfer.keys;
    args->batch.values_in = args->transfer.values;
    args->batch.mode = ROOST_KEEP;
    args->batch.value_type = (uint8_t)t->value_type;
    args->batch.n = n;
    t->halving = args->transfer.sub; /* until it is done or undone */
    roost_status status = dycuckoo_evict_all(t, args, unplaced);
    if (!status && *unplaced) status = launch_over(t, t->erase, args, n);
    if (!status && *unplaced) status = ledger_read(&t->ledger, &since);
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
    if (!status) status = launch_over(t, t->halve, &args, half->bucket_count);
    if (!status) status = backend_read(t->base.backend, &r->n, args.transfer.pairs_n, sizeof r->n);
    if (!status) t->ledger.expected_moves += t->count[i] - r->n;
    if (!status) status = ledger_read(&t->ledger, &since);
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
        t->ledger.stats.shrink_aborts += !status;
        sub_release(t, &half);
        return status;
    }
    sub_release(t, &t->view.sub[i]);
    t->view.sub[i] = half;
    t->level[i]--;
    t->count[i] = before - r.n;
    t->ledger.stats.rehashed += before;
    t->ledger.stats.residuals += r.n;
    t->ledger.stats.shrink_steps++;
    return ROOST_OK;
}

/* May subtable i be halved with so many keys in the table?  Not below base, nor below the reservation, nor so far that the fill would pass the upper bound. */
static bool may_halve(const struct dycuckoo_table *t, uint32_t i, uint64_t count)
{
    const uint64_t after = dycuckoo_slots(t) - sub_slots(t, i) / 2;
    const double room = (double)after * t->max_fill;
    return t->level[i] > 0 && room >= (double)t->floor_keys && room >= (double)count;
}

bool dycuckoo_is_low(const struct dycuckoo_table *t) { return (double)dycuckoo_count(t) < t->min_fill * (double)dycuckoo_slots(t); }

bool dycuckoo_may_shrink(const struct dycuckoo_table *t) { return may_halve(t, largest(t, 0), dycuckoo_count(t)); }

bool dycuckoo_would_shrink(const struct dycuckoo_table *t, uint64_t keys)
{
    return (double)keys < t->min_fill * (double)dycuckoo_slots(t) && may_halve(t, largest(t, 0), keys);
}

/* All pairs of the subtables, in arrays on the device. */
struct pairs_copy {
    void *memory, *values;
    size_t bytes;
    uint64_t n;
};

static roost_status pairs_copy_make(struct dycuckoo_table *t, struct pairs_copy *copy)
{
    struct backend *b = t->base.backend;
    copy->n = dycuckoo_count(t) - t->count[SPECIAL];
    const size_t keys_bytes = ((size_t)copy->n * (size_t)t->shape.key_bytes + 7) / 8 * 8;
    copy->bytes = 8 + keys_bytes + (size_t)copy->n * (size_t)t->shape.value_bytes;
    roost_status status = backend_allocate(b, copy->bytes, &copy->memory);
    if (status) return status;
    copy->values = (char *)copy->memory + keys_bytes;
    status = dycuckoo_list_clear(t, 0, 1);
    for (uint32_t i = 0; !status && i < t->options.subtables; i++)
        status = dycuckoo_export_buckets(t, i, 0, t->view.sub[i].bucket_count, copy->memory, copy->values);
    return status;
}

/* The table anew, subtable i halved, all pairs inserted again: where halving in place is stuck, because the residuals' other homes are
 * full of keys that have their other homes in the halved subtable.  If that is refused, too, the table is as it was. */
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
        if (!*done) t->view.sub[s] = old, t->count[s] = before.count[s];
    }
    if (!*done) t->level[i]++;
    else t->ledger.stats.rehashed += copy.n, t->ledger.stats.shrink_steps++;
    return status;
}

/* Halves one subtable of the largest size; where residuals find no room, the next; where none can be halved in place, the whole table
 * is made anew. */
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
    dycuckoo_set_tidy(t);
    return status;
}

roost_status dycuckoo_shrink(struct dycuckoo_table *t, bool to_floor)
{
    bool done = true;
    roost_status status = ROOST_OK;
    const uint64_t before = t->ledger.stats.shrink_steps;
    while (!status && done) {
        if (!(dycuckoo_is_low(t) || to_floor) || !dycuckoo_may_shrink(t)) break;
        status = halve_any(t, &done);
    }
    t->aborted = !done;
    if (t->ledger.stats.shrink_steps != before) t->base.backend->operations->trim(t->base.backend);
    if (status == ROOST_ERR_MEMORY) t->ledger.refused = true; /* a shrink that gets no memory is put off, not an error */
    return status == ROOST_ERR_MEMORY ? ROOST_OK : status;
}

/* The subtables are as large as before, if perhaps others of them are the larger ones. */
roost_status dycuckoo_shrink_back(struct dycuckoo_table *t, uint64_t slots)
{
    bool done = true;
    roost_status status = ROOST_OK;
    while (!status && done && dycuckoo_slots(t) > slots) status = halve_any(t, &done);
    return status;
}
