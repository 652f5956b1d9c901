/* SlabHash's sizes: buckets for a utilisation, doubling, halving and flushing, and memory for
 * lists. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "engines/chance.h"
#include "engines/slab/slab_table.h"

enum {
    LEAST_BUCKETS = 8,
    /* Bucket counts are a number below this, times a power of two: a table of any size can be
     * halved often. */
    FINE = 64,
    MOST_BUCKETS = 1u << 31
};

/* ---- Poisson's law of list lengths ---------------------------------------------------------- */

static double slabs_for(int slots, int64_t keys) { return keys <= slots ? 1 : (double)((keys + slots - 1) / slots); }

/* Sums the law's terms from the most likely length to both sides, as shares of that one.  (The C
 * library's lgamma writes to a variable of the process, and threads make tables at a time.) */
double slab_average_length(int slots, double keys)
{
    const double spread = 10 * sqrt(keys) + 20;
    const int64_t mode = (int64_t)keys, first = keys > spread ? (int64_t)(keys - spread) : 0, last = (int64_t)(keys + spread);
    double slabs = 0, all = 0, p = 1;
    if (keys <= 0) return 1;
    for (int64_t k = mode; k <= last; k++) {
        slabs += p * slabs_for(slots, k);
        all += p;
        p *= keys / (double)(k + 1);
    }
    p = 1;
    for (int64_t k = mode; k > first; k--) {
        p *= (double)k / keys;
        slabs += p * slabs_for(slots, k - 1);
        all += p;
    }
    return slabs / all;
}

/* Returns the smallest such number of keys: utilisation falls where second slabs begin, so several
 * numbers may reach it. */
double slab_keys_for(const struct shape s, double utilisation)
{
    const double slot_bytes = slab_slot_bytes(s), step = s.slots / 64.0;
    for (double keys = step; keys < 40.0 * s.slots; keys += step)
        if (keys * slot_bytes / (SLAB_BYTES * slab_average_length(s.slots, keys)) >= utilisation) return keys;
    return 0;
}

/* Average number of units in lists of this many keys. */
static double units_of(const struct slab_table *t, uint64_t keys)
{
    const double buckets = t->view.buckets;
    return buckets * (slab_average_length(t->base.shape.slots, (double)keys / buckets) - 1);
}

/* Units that different keys need until the table holds this many, whatever its lists are now: six
 * standard deviations more than will be linked on average. */
static double units_of_different(const struct slab_table *t, uint64_t keys)
{
    const double then = units_of(t, keys + t->tombstones), now = units_of(t, t->count + t->tombstones);
    const double more = (then > now ? then - now : 0) + 6 * sqrt(then + 1) + 2, least = (double)t->chained + more;
    return least > then ? least : then;
}

/* The same for any keys, whether they differ or not.  An item links at most one slab; and a slab is
 * linked behind full ones, so that there are at most as many chained slabs as the pairs and
 * tombstones fill. */
static double units_of_any(const struct slab_table *t, uint64_t keys)
{
    const uint64_t all = keys > t->count ? keys : t->count, each = t->chained + (all - t->count);
    const uint64_t filled = (all + t->tombstones) / (unsigned)t->base.shape.slots;
    return (double)(each < filled ? each : filled);
}

uint64_t slab_units_for(const struct slab_table *t, uint64_t keys, enum slab_spread spread)
{
    const double units = spread == SLAB_DIFFERENT ? units_of_different(t, keys) : units_of_any(t, keys);
    /* A fifth more, because workers search long for the last free units of a pool; and one for each
     * thread, which may hold a unit that it returns. */
    return (uint64_t)(units * 1.2) + (spread == SLAB_ANY ? (unsigned)t->base.backend->threads : 0);
}

enum slab_spread slab_spread_of(const struct slab_table *t, bool erases)
{
    return t->view.multi || erases ? SLAB_ANY : SLAB_DIFFERENT;
}

/* ---- Fill ----------------------------------------------------------------------------------- */

static bool above(const struct slab_table *t, uint64_t keys)
{
    return !t->options.chain && !policy_is_within(&t->base, keys, slab_slots(t));
}

static bool over_full(const struct engine_table *table) { return above(slab_of_const(table), slab_stored(table)); }

static uint32_t buckets_for(const struct slab_table *t, uint64_t keys)
{
    uint64_t buckets = (uint64_t)((double)keys / t->bucket_keys) + 1, unit = 1;
    if (buckets < LEAST_BUCKETS) buckets = LEAST_BUCKETS;
    while (buckets / unit >= FINE) unit *= 2;
    buckets = (buckets + unit - 1) / unit * unit;
    return buckets > MOST_BUCKETS ? MOST_BUCKETS : (uint32_t)buckets;
}

static bool may_halve(const struct slab_table *t)
{
    return t->base.growth && !t->options.chain && t->view.buckets % 2 == 0 &&
           t->view.buckets / 2 >= buckets_for(t, t->base.floor_keys);
}

bool slab_would_shrink(const struct engine_table *table, uint64_t keys)
{
    const struct slab_table *t = slab_of_const(table);
    return may_halve(t) && policy_is_low(table, keys, slab_slots(t));
}

static roost_status keys_check(const struct slab_table *t, uint64_t keys)
{
    if ((double)keys <= (double)MOST_BUCKETS * t->bucket_keys) return ROOST_OK;
    return error_set(t->base.error, ROOST_ERR_MEMORY, "room for %" PRIu64 " keys would take more than 2^31 buckets", keys);
}

bool slab_fits(const struct slab_table *t, uint64_t keys, enum slab_spread spread)
{
    return t->pool.units >= slab_units_for(t, keys, spread);
}

uint64_t slab_room_left(const struct slab_table *t)
{
    if (t->base.growth || t->view.multi) return UINT64_MAX;
    return t->room_keys > t->count ? t->room_keys - t->count : 0;
}

bool slab_would_grow(const struct slab_table *t, uint64_t keys, enum slab_spread spread)
{
    return t->base.growth && (above(t, keys) || !slab_fits(t, keys, spread));
}

bool slab_flush_due(const struct slab_table *t, uint64_t more)
{
    if (t->view.multi && !slab_has_far_slabs(t)) return false; /* appends take the tombstones */
    return 4 * (t->tombstones + more) > ((uint64_t)t->view.buckets + t->chained) * (unsigned)t->base.shape.slots;
}

/* ---- Memory --------------------------------------------------------------------------------- */

static size_t base_bytes(uint32_t buckets) { return ((size_t)buckets + 1) * SLAB_BYTES; }

static roost_status base_empty(const struct slab_table *t, unsigned char *base, uint32_t buckets)
{
    return t->base.backend->operations->fill(t->base.backend, base, 0xff, base_bytes(buckets));
}

/* Marks the last list, by bit 31 of its aux. */
static roost_status base_mark(const struct slab_table *t, unsigned char *base, uint32_t buckets)
{
    return t->base.backend->operations->fill(t->base.backend, base + base_bytes(buckets) - 5, 0x7f, 1);
}

static roost_status base_make(struct slab_table *t, uint32_t buckets, unsigned char **base)
{
    void *memory;
    roost_status status = backend_allocate(t->base.backend, base_bytes(buckets), &memory);
    if (status) return status;
    status = base_empty(t, (unsigned char *)memory, buckets);
    if (!status) status = base_mark(t, (unsigned char *)memory, buckets);
    if (status) backend_release(t->base.backend, memory, base_bytes(buckets));
    else *base = (unsigned char *)memory;
    return status;
}

static void base_release(struct slab_table *t)
{
    backend_release(t->base.backend, t->view.base, t->view.base ? base_bytes(t->view.buckets) : 0);
    t->view.base = NULL;
}

roost_status slab_make(struct engine_table *table)
{
    struct slab_table *t = slab_of(table);
    const uint32_t buckets = buckets_for(t, t->base.floor_keys);
    roost_status status = keys_check(t, t->base.floor_keys);
    if (status) return status;
    slab_pool_make(&t->pool, t->options.memory == SLAB_MEMORY_LIGHT, &slab_words(t)->exhausted);
    status = base_make(t, buckets, &t->view.base);
    if (status) return status;
    t->view.buckets = buckets;
    if (t->options.memory == SLAB_MEMORY_PAPER) status = slab_pool_paper(&t->pool, t->base.backend);
    return status ? status : slab_room_reserve(t, t->base.floor_keys, slab_spread_of(t, false));
}

void slab_unmake(struct engine_table *table)
{
    struct slab_table *t = slab_of(table);
    slab_pool_unmake(&t->pool, t->base.backend);
    base_release(t);
}

roost_status slab_room_reserve(struct slab_table *t, uint64_t keys, enum slab_spread spread)
{
    const roost_status status = slab_pool_reserve(&t->pool, t->base.backend, slab_units_for(t, keys, spread));
    if (!status && keys > t->room_keys) t->room_keys = keys;
    return status;
}

/* ---- Rebuilding ----------------------------------------------------------------------------- */

/* Rebuilds all lists, into `to`, with nothing beside it.  The table adopts the new base slabs at
 * once, because later work on the device runs after the launch. */
static roost_status rebuild(struct slab_table *t, unsigned char *to, uint32_t buckets)
{
    struct backend *b = t->base.backend;
    struct slab_args args;
    memset(&args, 0, sizeof args);
    args.view = slab_view_now(t);
    args.batch.counters = t->base.ledger.words;
    args.batch.n = (uint64_t)(buckets < t->view.buckets ? buckets : t->view.buckets) + 1;
    args.transfer.shape = t->base.shape;
    args.transfer.from = t->view.base;
    args.transfer.to = to;
    args.transfer.from_buckets = t->view.buckets;
    args.transfer.to_buckets = buckets;
    roost_status status = b->operations->fill(b, &t->base.ledger.words->longest, 0, sizeof(uint64_t));
    if (!status) status = b->operations->fill(b, &slab_words(t)->wants_flush, 0, sizeof(uint32_t));
    if (!status) status = slab_launch(t, t->base.kernel[SLAB_rebuild], &args);
    if (status) return status;
    ledger_expect_moves(&t->base.ledger, t->count);
    t->tombstones = 0;
    t->wants_flush = false;
    if (to == t->view.base) return ROOST_OK;
    base_release(t);
    t->view.base = to;
    t->view.buckets = buckets;
    t->base.stats.rehashed += t->count;
    return ROOST_OK;
}

/* The same with new base slabs. */
static roost_status rebuild_into(struct slab_table *t, uint32_t buckets)
{
    unsigned char *base;
    roost_status status = base_make(t, buckets, &base);
    if (status) return status;
    status = rebuild(t, base, buckets);
    if (status) backend_release(t->base.backend, base, base_bytes(buckets));
    return status;
}

roost_status slab_flush(struct slab_table *t)
{
    struct counters since;
    roost_status status = rebuild(t, t->view.base, t->view.buckets);
    if (!status) status = ledger_read(&t->base.ledger, &since);
    if (!status) t->base.stats.flushes++;
    return status;
}

static roost_status enlarge(struct engine_table *table)
{
    struct slab_table *t = slab_of(table);
    struct counters since;
    if (t->view.buckets > MOST_BUCKETS / 2)
        return error_set(t->base.error, ROOST_ERR_MEMORY, "a table of %" PRIu32 " buckets cannot double", t->view.buckets);
    const uint64_t moved = t->count;
    roost_status status = rebuild_into(t, t->view.buckets * 2);
    if (status) return status;
    t->base.stats.grow_steps++;
    if (moved > t->base.stats.largest_rehash) t->base.stats.largest_rehash = moved;
    return ledger_read(&t->base.ledger, &since);
}

static roost_status halve(struct engine_table *table)
{
    struct slab_table *t = slab_of(table);
    struct counters since;
    uint64_t needs;
    roost_status status = slab_survey(t, &needs);
    if (!status) status = ledger_skip(&t->base.ledger);
    if (!status) status = slab_pool_reserve(&t->pool, t->base.backend, t->chained + needs);
    if (!status) status = rebuild_into(t, t->view.buckets / 2);
    if (status) return status;
    t->base.stats.shrink_steps++;
    return ledger_read(&t->base.ledger, &since);
}

/* Returns the memory of larger base slabs to the device, which waits: once, after all steps. */
static roost_status shrink(struct engine_table *table)
{
    const uint64_t steps = table->stats.shrink_steps;
    const roost_status status = policy_shrink(table, halve);
    if (table->stats.shrink_steps != steps) table->backend->operations->trim(table->backend);
    return status;
}

/* Tombstones make lists more alike than the Poisson distribution does: where they are a quarter, up
 * to twice as many lists have a second slab.  Or they lie in few lists, in slabs of their own. */
bool slab_lists_crowd(const struct slab_table *t, double deviations)
{
    const double mean = units_of(t, t->count + t->tombstones), all = (double)(t->count + t->tombstones + 1);
    const double alike = fmin(1, 4 * (double)t->tombstones / all);
    const double theirs = 2 * (double)t->tombstones / t->base.shape.slots;
    return (double)t->chained > mean * (1 + alike) + theirs + deviations * (sqrt(mean + 1) + 1);
}

/* Do keys collide that share lists each of which is short enough?  Eight standard deviations, and
 * eight, are exceeded with a probability below 2^-40.  Computed only after a sixteenth of the slabs
 * has come or gone. */
static bool collide(struct slab_table *t)
{
    enum { PART = 16 };
    const uint64_t changed = t->chained > t->judged ? t->chained - t->judged : t->judged - t->chained;
    if (t->view.multi || changed * PART < t->judged + PART * PART) return false;
    t->judged = t->chained;
    return slab_lists_crowd(t, 8);
}

/* The longest list that random keys make, each of which is in a list by a trial of its own; and all
 * tombstones may be of one key. */
uint32_t slab_longest_sure(const struct slab_table *t, uint64_t more)
{
    const double lists = t->view.buckets, most = chance_never((double)(t->count + more) / lists, lists) + (double)t->tombstones;
    return (uint32_t)fmin(most / t->base.shape.slots + 1, UINT32_MAX);
}

/* A list that is no surprise in a small table is one after the table's growth. */
static bool stays_long(const struct slab_table *t)
{
    return !t->view.multi && t->base.stats.longest_list > slab_longest_sure(t, 0);
}

roost_status slab_settle(struct engine_table *table, bool shrinks)
{
    const uint64_t steps = table->stats.grow_steps;
    const roost_status status = policy_grow(table, over_full, enlarge);
    const bool grown = table->stats.grow_steps != steps;
    if (!status && (collide(slab_of(table)) || (grown && stays_long(slab_of(table))))) table->doubtful = true;
    return status || !shrinks ? status : shrink(table);
}

/* Replaces an empty table by one of another size, without a rebuild. */
static roost_status base_replace(struct slab_table *t, uint32_t buckets)
{
    unsigned char *base;
    const roost_status status = base_make(t, buckets, &base);
    if (status) return status;
    base_release(t);
    t->view.base = base;
    t->view.buckets = buckets;
    return ROOST_OK;
}

/* After ROOST_ERR_MEMORY the table is unchanged, unless memory for shrinking it back is refused as
 * well. */
static roost_status enlarge_for(struct slab_table *t, uint64_t keys, enum slab_spread spread)
{
    const uint32_t before = t->view.buckets, wanted = buckets_for(t, keys);
    roost_status status = keys_check(t, keys);
    if (status) return status;
    while (!status && t->view.buckets < wanted) status = enlarge(&t->base);
    if (!status) status = slab_room_reserve(t, keys, spread);
    if (status != ROOST_ERR_MEMORY) return status;
    const struct error_mark why = error_keep(t->base.error);
    roost_status back = ROOST_OK;
    while (!back && t->view.buckets > before) back = halve(&t->base);
    t->base.stats.shrink_aborts += back == ROOST_ERR_MEMORY;
    back = ledger_forgive(&t->base.ledger, &why, back);
    return back ? back : status;
}

roost_status slab_reserve(struct engine_table *table, uint64_t keys)
{
    struct slab_table *t = slab_of(table);
    return enlarge_for(t, keys, slab_spread_of(t, false));
}

/* A view's inserts may all have one key: in a multimap, or with erases in between. */
roost_status slab_view_room(struct engine_table *table, uint64_t inserts)
{
    struct slab_table *t = slab_of(table);
    const uint64_t keys = t->count + inserts;
    if (!table->growth) return ROOST_OK;
    return t->options.chain ? slab_room_reserve(t, keys, SLAB_ANY) : enlarge_for(t, keys, SLAB_ANY);
}

/* ---- Emptying ------------------------------------------------------------------------------- */

/* Makes all slots EMPTY; after a failure half way, slab_mend completes it. */
static roost_status lists_empty(struct slab_table *t)
{
    struct backend *b = t->base.backend;
    roost_status status = base_empty(t, t->view.base, t->view.buckets);
    if (status) return status;
    t->half_empty = true;
    status = base_mark(t, t->view.base, t->view.buckets);
    if (!status) status = slab_pool_clear(&t->pool, b);
    if (!status) status = b->operations->fill(b, &t->base.ledger.words->longest, 0, sizeof(uint64_t));
    if (status) return status;
    t->half_empty = false;
    t->count = t->chained = t->tombstones = 0;
    t->base.stats.longest_list = 1;
    return ROOST_OK;
}

/* Buckets of the empty table: those that doublings reached for the reservation, or the fewest. */
static uint32_t floor_buckets(const struct slab_table *t)
{
    uint32_t buckets = t->view.buckets;
    const uint32_t least = buckets_for(t, t->base.floor_keys);
    while (buckets % 2 == 0 && buckets / 2 >= least) buckets /= 2;
    return t->base.floor_keys ? buckets : least;
}

roost_status slab_clear(struct engine_table *table)
{
    struct slab_table *t = slab_of(table);
    const uint32_t least = floor_buckets(t);
    const struct error_mark before = error_keep(table->error);
    roost_status status = lists_empty(t);
    if (status) return status;
    if (!table->growth || least >= t->view.buckets) return ROOST_OK;
    if (base_replace(t, least)) error_restore(&before); /* refused: the empty table stays large */
    else if (t->options.memory != SLAB_MEMORY_PAPER) slab_pool_unmake(&t->pool, table->backend);
    status = slab_room_reserve(t, table->floor_keys, slab_spread_of(t, false));
    return error_forgive_memory(&before, status); /* later items will ask for it again */
}

roost_status slab_mend(struct engine_table *table)
{
    struct slab_table *t = slab_of(table);
    uint64_t needs;
    const roost_status status = t->half_empty ? lists_empty(t) : ROOST_OK;
    return status ? status : slab_survey(t, &needs);
}

roost_status slab_compact(struct engine_table *table)
{
    struct slab_table *t = slab_of(table);
    roost_status status = slab_flush(t);
    if (status || !table->growth || t->options.memory != SLAB_MEMORY_AUTO) return status;
    status = slab_pool_trim(&t->pool, table->backend);
    table->backend->operations->trim(table->backend);
    return status;
}
