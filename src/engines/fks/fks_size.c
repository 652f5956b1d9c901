/* FKS's sizes: buckets and memory for a number of keys, and when parts are split, merged and built anew. */
#include <inttypes.h>
#include <math.h>

#include "engines/fks/fks_table.h"

enum {
    DEVIATIONS = 6,      /* that a part's, or a bucket's, keys may be above their mean: of one table in 10^7 a part is */
    PART_KEYS = 4096,    /* of a part, at least, or there are fewer parts */
    SPARE_GRANULES = 2,  /* a block more, for a bucket that gets a larger one while it has its old one */
    LEAST_GRANULES = 16, /* of a part that may grow: less is not worth starting with, and grows too often */
    REGION_BITS = 3,     /* of buckets of a region: with 8 of them, and up to 16, a team builds all in a few windows */
    GRADUAL = 8 /* more than this share of a part's buckets are not split or merged one at a time: the part is built anew */
};

/* Of a bucket's slots that inserts in place find, but for one in some millions: what one move or two lead to. */
static const double FILLED = 0.94;

/* ---- Counts ------------------------------------------------------------------------------------------------------------------------------ */

uint64_t fks_count(const struct fks_table *t) { return t->main + t->special; }

/* Slots of so many granules. */
static uint64_t slots_of(const struct fks_table *t, uint64_t granules)
{
    return (granules << t->view.granule_log) / shape_bucket_bytes(t->shape) * (unsigned)t->shape.slots;
}

uint32_t fks_parts(const struct fks_table *t) { return 1u << t->view.part_bits; }

uint64_t fks_slots(const struct fks_table *t)
{
    uint64_t granules = 0;
    for (uint32_t q = 0; q < fks_parts(t); q++) granules += t->parts[q].granules;
    return slots_of(t, granules);
}

uint64_t fks_buckets(const struct fks_table *t)
{
    uint64_t buckets = 0;
    for (uint32_t q = 0; q < fks_parts(t); q++) buckets += t->parts[q].buckets;
    return buckets;
}

uint32_t fks_level(uint32_t buckets)
{
    uint32_t level = 0;
    while (buckets >> level > 1) level++;
    return level;
}

/* 16 bits cut tables of some hundred million keys into regions of a few buckets.  Those of larger tables would be read again for every few of
 * their buckets: they are split into hash ranges before, by so many bits more. */
uint32_t fks_digits(uint32_t part_bits, uint32_t buckets)
{
    const uint32_t bits = part_bits + fks_level(buckets), ranges = bits > REGION_BITS ? bits - REGION_BITS : 0;
    if (bits <= FKS_DIGIT_BITS) return bits;
    if (ranges <= FKS_DIGIT_BITS) return FKS_DIGIT_BITS;
    return ranges < FKS_DIGITS_MOST ? ranges : (uint32_t)FKS_DIGITS_MOST;
}

uint32_t fks_digits_most(const struct fks_table *t) { return fks_digits(t->view.part_bits, fks_buckets_extreme(t, false)); }

/* ---- Sizes ------------------------------------------------------------------------------------------------------------------------------ */

/* Keys of the part that has the most, probably, of a table with so many and 2^part_bits parts. */
static uint64_t part_keys(uint64_t keys, uint32_t part_bits)
{
    const double mean = ldexp((double)keys, -(int)part_bits);
    return part_bits ? (uint64_t)ceil(mean + DEVIATIONS * sqrt(mean)) : keys;
}

static double buckets_wanted(const struct fks_table *t, uint64_t keys, uint32_t part_bits, double times)
{
    return ldexp((double)keys, -(int)part_bits) / (t->options.bucket * times);
}

/* Lines of buckets: what their keys need, and what is lost where a bucket's are rounded up. */
static double lines_for(const struct fks_table *t, double keys, double buckets)
{
    const double mean = keys / buckets, quantum = t->view.quantum;
    const double each = t->view.line_load ? mean * 65536 / t->view.line_load : mean * (mean + 1) / t->shape.slots;
    return buckets * (each < quantum ? quantum + 0.6 * each : each + 0.6 * quantum);
}

/* Granules of a part for so many keys in so many buckets, and a share more than that. */
static uint64_t granules_for(const struct fks_table *t, uint64_t keys, uint64_t buckets, double slack)
{
    const double bytes = lines_for(t, (double)keys, (double)buckets) * (double)shape_bucket_bytes(t->shape);
    const uint64_t granules = (uint64_t)ceil(ldexp(bytes * (1 + slack), -(int)t->view.granule_log)) + SPARE_GRANULES;
    return t->growth && granules < LEAST_GRANULES ? LEAST_GRANULES : granules;
}

/* The keys for which there is room in the end: those of the reservation, or those that the last growth made room for. */
static uint64_t reserved(const struct fks_table *t) { return t->floor_keys > t->grown_keys ? t->floor_keys : t->grown_keys; }

uint64_t fks_spare_keys(const struct fks_table *t, uint64_t keys)
{
    return t->view.line_load && keys < reserved(t) ? reserved(t) - keys : 0;
}

/* By the shares of the smallest buckets: the largest mean of keys to come for which all of them, but for one in some millions, find room, whether a
 * bucket has many or few keys by now. */
uint64_t fks_room(const struct fks_table *t, const struct fks_plan *plan)
{
    const double shares = ldexp(2, (int)plan->part_bits + (int)fks_level(plan->buckets)), half = DEVIATIONS / 2.0;
    const double here = (double)fks_count(t) / shares, few = fmax(0, here - DEVIATIONS * sqrt(here));
    const double to_come = floor((double)t->spare / shares), load = t->view.line_load / 65536.0 / t->shape.slots;
    if (!t->view.line_load || load >= FILLED || t->shape.slots == 1) return 0;          /* lines of one slot do not get that full */
    const double lines = few + to_come - t->view.quantum * t->view.line_load / 65536.0; /* whose lines were rounded down */
    const double root = sqrt(half * half + fmax(0, lines * FILLED / load - few)) - half;
    return (uint64_t)(shares * fmin(to_come, root * root));
}

/* Parts have some thousands of keys at least; their number stays what it is as long as they have half or twice as many. */
static uint32_t part_bits_for(const struct fks_table *t, uint64_t keys)
{
    const uint32_t now = t->view.part_bits;
    uint32_t bits = 0;
    while (bits < FKS_PART_BITS && keys >> bits >= 2 * PART_KEYS) bits++;
    if (!t->parts[0].lines) return bits;
    if (!t->growth) return now;
    return bits + 1 == now && keys >> now >= PART_KEYS / 2 ? now : bits;
}

static struct fks_plan plan_of(const struct fks_table *t, uint64_t keys, uint64_t least, double slack, bool whole)
{
    const uint64_t most = keys > least ? keys : least;
    struct fks_plan plan = {part_bits_for(t, most), 1, most, slack, whole};
    const double wanted = ceil(buckets_wanted(t, most, plan.part_bits, 1));
    plan.buckets = wanted < 1 ? 1 : wanted > 0x3fffffff ? 0x3fffffff : (uint32_t)wanted;
    const uint32_t now = t->view.part_bits; /* a region is of one part, before and after */
    if (t->main && now > plan.part_bits && plan.buckets < 1u << (now - plan.part_bits)) plan.buckets = 1u << (now - plan.part_bits);
    return plan;
}

struct fks_plan fks_plan_for(const struct fks_table *t, uint64_t keys, double slack, bool whole)
{
    return plan_of(t, keys, reserved(t), slack, whole);
}

uint64_t fks_plan_granules(const struct fks_table *t, const struct fks_plan *plan)
{
    return granules_for(t, part_keys(plan->keys, plan->part_bits), plan->buckets, plan->slack);
}

struct fks_plan fks_plan_part(const struct fks_table *t, uint32_t q, uint64_t keys, uint64_t granules)
{
    struct fks_plan plan = fks_plan_for(t, keys, 0, false);
    plan.part_bits = t->view.part_bits;
    plan.buckets = t->parts[q].buckets;
    plan.slack = (double)granules / (double)fks_plan_granules(t, &plan) - 1;
    return plan;
}

void fks_plan_keep(const struct fks_table *t, struct fks_plan *plan)
{
    for (; plan->part_bits < t->view.part_bits; plan->part_bits++) plan->buckets = (plan->buckets + 1) / 2;
    const uint32_t most = fks_buckets_extreme(t, true);
    if (plan->part_bits == t->view.part_bits && plan->buckets < most) plan->buckets = most;
}

roost_status fks_sizes_check(const struct fks_table *t, uint64_t keys)
{
    if ((double)keys * (double)(t->shape.key_bytes + t->shape.value_bytes) > 1e18)
        return error_set(t->base.error, ROOST_ERR_ARGUMENT, "%" PRIu64 " keys: their bytes overflow", keys);
    const struct fks_plan plan = plan_of(t, keys, t->floor_keys, 0, false);
    const uint64_t granules = granules_for(t, part_keys(keys, plan.part_bits), plan.buckets, 0);
    if (plan.buckets < 0x3fffffff && granules < UINT32_MAX / 2) return ROOST_OK;
    return error_set(t->base.error, ROOST_ERR_MEMORY, "room for %" PRIu64 " keys would take more than 2^30 buckets of a part",
                     keys);
}

/* ---- Shrinking, and buckets split and merged ---------------------------------------------------------------------------------------------- */

static uint64_t plan_slots(const struct fks_table *t, const struct fks_plan *plan)
{
    return slots_of(t, fks_plan_granules(t, plan) << plan->part_bits);
}

/* The slots that a table of so many keys, or with the present reservation, has at least. */
static uint64_t least_slots(const struct fks_table *t, uint64_t keys)
{
    const struct fks_plan plan = plan_of(t, keys, t->floor_keys, 0, false);
    return plan_slots(t, &plan);
}

bool fks_would_shrink(const struct fks_table *t, uint64_t keys)
{
    const uint64_t slots = fks_slots(t);
    const bool low = (double)keys < t->min_fill * (double)slots;
    const bool tried = slots <= t->cramped_slots && keys + keys / 8 >= t->cramped_keys;
    return t->growth && low && slots > least_slots(t, keys) && !tried;
}

/* A plan for as many parts as there are: a piece that waits may have been partitioned by no more bits. */
static void plan_in_parts(const struct fks_table *t, struct fks_plan *plan)
{
    for (; plan->part_bits > t->view.part_bits; plan->part_bits--) plan->buckets *= 2;
    fks_plan_keep(t, plan);
}

/* ahead: with room for more than these. */
static struct fks_plan plan_to_grow(struct fks_table *t, uint64_t keys, bool ahead)
{
    const uint64_t count = fks_count(t), more = (uint64_t)((double)count * t->options.grow);
    t->grown_keys = !ahead ? 0 : more > keys ? more : keys;
    struct fks_plan plan = fks_plan_for(t, keys, ahead ? 0 : 1.0 / FKS_ROOMY, false);
    if (keys > count) plan_in_parts(t, &plan);
    return plan;
}

/* Where buckets have few lines, those of more keys may be so many that the table would have to shrink. */
roost_status fks_grow(struct fks_table *t, uint64_t more)
{
    const uint64_t count = fks_count(t);
    struct fks_plan plan = plan_to_grow(t, count + more, t->options.grow > 1 && t->view.line_load);
    if (t->grown_keys && ((double)count < t->min_fill * (double)plan_slots(t, &plan) || !fks_has_memory(t, &plan)))
        plan = plan_to_grow(t, count + more, false);
    const roost_status status = fks_rebuild(t, &plan, NULL);
    if (status) t->grown_keys = 0; /* there is not room for so many everywhere */
    return status;
}

static roost_status rebuild_all(struct fks_table *t, double slack)
{
    t->grown_keys = 0;
    const struct fks_plan plan = fks_plan_for(t, fks_count(t), slack, false);
    return fks_rebuild(t, &plan, NULL);
}

/* Buckets of few keys, or parts with more keys than others, may not get below the bound: then as many keys do not make the table try again. */
static roost_status shrink(struct fks_table *t)
{
    roost_status status = ROOST_OK;
    while (!status && fks_would_shrink(t, fks_count(t))) {
        const uint64_t slots = fks_slots(t);
        status = rebuild_all(t, 0);
        if (!status && fks_slots(t) < slots) {
            t->ledger.stats.shrink_steps++;
            continue;
        }
        t->ledger.stats.shrink_aborts++;
        t->cramped_slots = fks_slots(t);
        t->cramped_keys = fks_count(t);
    }
    return status;
}

/* The buckets of the part that has the fewest, or the most. */
uint32_t fks_buckets_extreme(const struct fks_table *t, bool most)
{
    uint32_t extreme = t->parts[0].buckets;
    for (uint32_t q = 1; q < fks_parts(t); q++)
        if (most ? t->parts[q].buckets > extreme : t->parts[q].buckets < extreme) extreme = t->parts[q].buckets;
    return extreme;
}

/* Have the keys used up the room that there was ahead, or the upper bound? */
static bool must_grow(const struct fks_table *t)
{
    const uint64_t count = fks_count(t);
    return t->view.line_load && ((t->grown_keys && count > reserved(t)) || (double)count > t->max_fill * (double)fks_slots(t));
}

/* Room, buckets or parts for keys that are more than they were made for. */
static roost_status more_buckets(struct fks_table *t)
{
    if (must_grow(t)) return fks_grow(t, 0);
    const uint32_t least = fks_buckets_extreme(t, false);
    const double wanted = ceil(buckets_wanted(t, fks_count(t), t->view.part_bits, t->options.split));
    bool done = false;
    if (part_bits_for(t, fks_count(t) + fks_spare_keys(t, fks_count(t))) > t->view.part_bits) return fks_grow(t, 0);
    if (wanted <= least) return ROOST_OK;
    const roost_status status = wanted - least <= least / GRADUAL + 1 ? fks_split(t, (uint32_t)wanted - least, &done) : ROOST_OK;
    return status || done ? status : fks_grow(t, 0);
}

static roost_status fewer_buckets(struct fks_table *t)
{
    const uint32_t most = fks_buckets_extreme(t, true);
    const struct fks_plan least = plan_of(t, 0, t->floor_keys, 0, false);
    const double some = floor(buckets_wanted(t, fks_count(t), t->view.part_bits, t->options.merge));
    const double wanted = fmax(some, least.part_bits == t->view.part_bits ? least.buckets : 1);
    bool done = false;
    if (wanted >= most) return ROOST_OK;
    const roost_status status = most - wanted <= most / GRADUAL + 1 ? fks_merge(t, most - (uint32_t)wanted, &done) : ROOST_OK;
    if (status || done) return status;
    const uint64_t slots = fks_slots(t);
    const roost_status rebuilt = rebuild_all(t, 1.0 / FKS_ROOMY);
    t->ledger.stats.shrink_steps += fks_slots(t) < slots;
    return rebuilt;
}

roost_status fks_settle(struct fks_table *t, bool shrinks)
{
    const struct error before = *t->base.error;
    if (!t->growth || t->ledger.refused) return ROOST_OK;
    roost_status status = shrink(t);
    if (shrinks) t->base.backend->operations->trim(t->base.backend);
    if (!status) status = more_buckets(t);
    if (!status && shrinks && t->min_fill > 0) status = fewer_buckets(t);
    if (!status) status = shrink(t); /* parts that got too much memory, as where one has more keys than others */
    if (!status_of_items(status)) return status;
    t->ledger.refused = true;
    *t->base.error = before; /* every item is stored; the table is not what it should be */
    return ROOST_OK;
}

roost_status fks_reserve_room(struct fks_table *t, uint64_t keys)
{
    const roost_status status = fks_sizes_check(t, keys);
    if (status) return status;
    const struct fks_plan plan = fks_plan_for(t, keys > fks_count(t) ? keys : fks_count(t), 0, true);
    return fks_rebuild(t, &plan, NULL);
}
