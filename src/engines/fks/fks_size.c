/* FKS's arithmetic of sizes: parts, buckets and memory for a number of keys.  Changes nothing. */
#include <inttypes.h>
#include <math.h>

#include "engines/fks/fks_table.h"

enum {
    /* That a part's or a bucket's keys may be above their mean: in one table of 10^7 a part has
     * more. */
    DEVIATIONS = 6,
    PART_KEYS = 4096, /* of a part, at least, or there are fewer parts */
    /* One more block, for a bucket that gets a larger one while it still has its old one. */
    SPARE_GRANULES = 2,
    /* Bytes of a part that may grow, besides a quantum of lines.  A part that is made larger has so
     * many keys that its spare granules, and what rounding costs, do not take the table below its
     * lower bound (0.45 of the load, at most). */
    LEAST_BYTES = 1280,
    /* Of a region's buckets: with 8 to 16 of them a team builds all in a few windows. */
    REGION_BITS = 3,
    MOST_BUCKETS = 0x3fffffff
};

/* Share of a bucket's slots that inserts in place fill by one move or two, except in one bucket of
 * some millions. */
static const double FILLED = 0.94;

/* ---- Bits ------------------------------------------------------------------------------------ */

uint32_t fks_level(uint32_t buckets)
{
    uint32_t level = 0;
    while (buckets >> level > 1) level++;
    return level;
}

/* 16 bits cut tables of some hundred million keys into regions of a few buckets.  A larger table's
 * regions would be read again for every few of their buckets: more bits split it into hash ranges
 * first. */
uint32_t fks_digits(uint32_t part_bits, uint32_t buckets)
{
    const uint32_t bits = part_bits + fks_level(buckets), ranges = bits > REGION_BITS ? bits - REGION_BITS : 0;
    if (bits <= FKS_DIGIT_BITS) return bits;
    if (ranges <= FKS_DIGIT_BITS) return FKS_DIGIT_BITS;
    return ranges < FKS_DIGITS_MOST ? ranges : (uint32_t)FKS_DIGITS_MOST;
}

uint32_t fks_digits_most(const struct fks_table *t) { return fks_digits(t->view.part_bits, fks_buckets_extreme(t, false)); }

/* ---- Memory for keys ------------------------------------------------------------------------- */

/* An upper bound of the keys of a part, in all likelihood. */
static uint64_t part_keys(uint64_t keys, uint32_t part_bits)
{
    const double mean = ldexp((double)keys, -(int)part_bits);
    return part_bits ? (uint64_t)ceil(mean + DEVIATIONS * sqrt(mean)) : keys;
}

double fks_buckets_wanted(const struct fks_table *t, uint64_t keys, uint32_t part_bits, double times)
{
    return ldexp((double)keys, -(int)part_bits) / (t->options.bucket * times);
}

/* Lines of buckets: those that their keys need, and those that rounding up each bucket's costs. */
static double lines_for(const struct fks_table *t, double keys, double buckets)
{
    const double mean = keys / buckets, quantum = t->view.quantum;
    const double each = t->view.line_load ? mean * 65536 / t->view.line_load : mean * (mean + 1) / t->base.shape.slots;
    return buckets * (each < quantum ? quantum + 0.6 * each : each + 0.6 * quantum);
}

/* Granules of a part for its keys and buckets, and a share more than that. */
static uint64_t granules_for(const struct fks_table *t, uint64_t keys, uint64_t buckets, double slack)
{
    const double bytes = lines_for(t, (double)keys, (double)buckets) * (double)shape_bucket_bytes(t->base.shape);
    const uint64_t granules = (uint64_t)ceil(ldexp(bytes * (1 + slack), -(int)t->view.granule_log)) + SPARE_GRANULES;
    const uint64_t least = (LEAST_BYTES + t->view.quantum * shape_bucket_bytes(t->base.shape)) >> t->view.granule_log;
    return t->base.growth && granules < least ? least : granules;
}

uint64_t fks_reserved(const struct fks_table *t) { return t->base.floor_keys > t->grown_keys ? t->base.floor_keys : t->grown_keys; }

uint64_t fks_headroom(const struct fks_table *t, uint64_t keys)
{
    return t->view.line_load && keys < fks_reserved(t) ? fks_reserved(t) - keys : 0;
}

/* Goes by the shares of the smallest buckets: the largest mean of keys to come for which all
 * buckets find room, except in one table of some millions, however many keys a bucket has by
 * now. */
uint64_t fks_guaranteed(const struct fks_table *t, const struct fks_plan *plan)
{
    const double shares = ldexp(2, (int)plan->part_bits + (int)fks_level(plan->buckets)), half = DEVIATIONS / 2.0;
    const double mean = (double)fks_count(&t->base) / shares, least = fmax(0, mean - DEVIATIONS * sqrt(mean));
    const double headroom = floor((double)t->headroom / shares), load = t->view.line_load / 65536.0 / t->base.shape.slots;
    /* Lines of one slot do not get that full. */
    if (!t->view.line_load || load >= FILLED || t->base.shape.slots == 1) return 0;
    /* Of a bucket rounded down. */
    const double lines = least + headroom - t->view.quantum * t->view.line_load / 65536.0;
    const double root = sqrt(half * half + fmax(0, lines * FILLED / load - least)) - half;
    return (uint64_t)(shares * fmin(headroom, root * root));
}

/* ---- Plans ----------------------------------------------------------------------------------- */

/* Parts have some thousands of keys at least; their number stays what it is as long as they have
 * half or twice as many. */
uint32_t fks_part_bits_for(const struct fks_table *t, uint64_t keys)
{
    const uint32_t now = t->view.part_bits;
    uint32_t bits = 0;
    while (bits < FKS_PART_BITS && keys >> bits >= 2 * PART_KEYS) bits++;
    if (!t->parts[0].lines) return bits;
    if (!t->base.growth) return now;
    return bits + 1 == now && keys >> now >= PART_KEYS / 2 ? now : bits;
}

static struct fks_plan plan_of(const struct fks_table *t, uint64_t keys, uint64_t least, double slack, bool whole)
{
    const uint64_t most = keys > least ? keys : least;
    struct fks_plan plan = {fks_part_bits_for(t, most), 1, most, slack, whole, 0};
    const double wanted = ceil(fks_buckets_wanted(t, most, plan.part_bits, 1));
    plan.buckets = wanted < 1 ? 1 : wanted > MOST_BUCKETS ? (uint32_t)MOST_BUCKETS : (uint32_t)wanted;
    const uint32_t now = t->view.part_bits; /* a region is of one part, before and after */
    if (t->main && now > plan.part_bits && plan.buckets < 1u << (now - plan.part_bits)) plan.buckets = 1u << (now - plan.part_bits);
    return plan;
}

struct fks_plan fks_plan_for(const struct fks_table *t, uint64_t keys, double slack, bool whole)
{
    return plan_of(t, keys, fks_reserved(t), slack, whole);
}

/* A table of no more keys than these, with its reservation alone. */
static struct fks_plan plan_reserved(const struct fks_table *t, uint64_t keys)
{
    return plan_of(t, keys, t->base.floor_keys, 0, false);
}

struct fks_plan fks_plan_least(const struct fks_table *t) { return plan_reserved(t, 0); }

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

uint64_t fks_plan_granules(const struct fks_table *t, const struct fks_plan *plan)
{
    return granules_for(t, part_keys(plan->keys, plan->part_bits), plan->buckets, plan->slack);
}

uint64_t fks_plan_slots(const struct fks_table *t, const struct fks_plan *plan)
{
    return fks_granule_slots(t, fks_plan_granules(t, plan) << plan->part_bits);
}

roost_status fks_sizes_check(const struct fks_table *t, uint64_t keys)
{
    const struct fks_plan plan = plan_reserved(t, keys);
    const uint64_t granules = granules_for(t, part_keys(keys, plan.part_bits), plan.buckets, 0);
    if (plan.buckets < MOST_BUCKETS && granules < UINT32_MAX / 2) return ROOST_OK;
    return error_set(t->base.error, ROOST_ERR_MEMORY, "room for %" PRIu64 " keys would take more than 2^30 buckets of a part",
                     keys);
}

/* ---- Shrinking ------------------------------------------------------------------------------- */

/* A lower bound of the slots of a table of these keys with the present reservation. */
static uint64_t least_slots(const struct fks_table *t, uint64_t keys)
{
    const struct fks_plan plan = plan_reserved(t, keys);
    return fks_plan_slots(t, &plan);
}

bool fks_would_shrink(const struct engine_table *table, uint64_t keys)
{
    const struct fks_table *t = fks_of_const(table);
    const uint64_t slots = fks_slots(table);
    const bool tried = slots <= t->failed_shrink_slots && keys + keys / 8 >= t->failed_shrink_keys;
    return table->growth && policy_is_low(table, keys, slots) && slots > least_slots(t, keys) && !tried;
}
