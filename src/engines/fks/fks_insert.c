/* FKS's inserts: which batches are written in place and which are built into their buckets, and
 * what becomes of items that find no room. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "engines/crowd.h"
#include "engines/estimate.h"
#include "engines/fks/fks_table.h"
#include "engines/partition.h"
#include "portable/timestamps.h"

enum {
    BUILD_ITEMS = 1 << 30, /* built at one time, at most */
    /* For fewer items that have room in place a build, which waits, is not worth its while. */
    AT_ONCE = 1 << 16,
    FAILURES = 8, /* of parts of a batch, in a table whose growth is off */
    COUNTED = 64, /* more items than these have their distinct keys counted */
    SAMPLE = 256, /* items of a batch that are looked up */
    /* If fewer of them than this share are stored, the batch is built at once; if fewer are new, it
     * is written in place. */
    FEW = 8,
    CACHED = 8 << 20, /* bytes of a table that caches hold */
    /* Items written in place at one time: at least these (where memory is limited, the fewer), and
     * at most this share of the keys, so that the lists are small beside the table. */
    PIECE = 1 << 18,
    PIECE_LIMITED = 1024,
    AT_LEAST = 2048, /* built at one time, where memory is refused for more */
    PIECE_SHARE = 8,
    TIMED = 1 << 20, /* builds of as many items are timed */
    /* If more than this share of the parts has no room the table grows as a whole. */
    TROUBLED = 8,
    PACK_SHARE = 128 /* of the keys, that come or go before all buckets are packed again */
};

/* Load factor of buckets that are built where memory was refused: most have a layout. */
static const double DENSE_LOAD = 0.92;

/* Load factor from which on tables whose growth is off refuse new keys, if a bucket could have any
 * number of lines; and how much less it is where a bucket has one quantum of them. */
static const double FIXED_LOAD = 0.935, FIXED_ROUNDING = 0.45;

/* ---- Decisions ------------------------------------------------------------------------------- */

static bool room_in_place(const struct fks_table *t, uint64_t n)
{
    return t->base.stats.inserted + t->base.ledger.coming + n <= t->insert_budget;
}

/* Do n more keys leave the table within its bounds?  One that does not grow takes them in any
 * case. */
static bool is_room_for(const struct fks_table *t, uint64_t n)
{
    return !t->base.growth || policy_is_within(&t->base, fks_count(&t->base) + n, fks_slots(&t->base));
}

/* Has the ladder left most of its items without room, and has no key been erased since? */
static bool is_full(const struct fks_table *t) { return t->full && t->full_erased == t->base.stats.erased; }

/* A table that may grow is full no longer if there is memory for n more keys now, or for a share of
 * those that it has. */
static void full_check(struct fks_table *t, uint64_t n)
{
    if (!is_full(t) || !t->base.growth) return;
    const uint64_t count = fks_count(&t->base), share = count / FKS_ROOMY + 1;
    const struct fks_plan plan = fks_plan_for(t, count + (n < share ? n : share), 0, false);
    t->full = !fks_has_memory(t, &plan);
}

/* The status of items without room. */
static uint8_t refused_status(const struct fks_table *t) { return t->base.growth ? ROOST_ITEM_NO_MEMORY : ROOST_ITEM_FULL; }

/* New keys that a table whose growth is off still takes.  It refuses more where most buckets have
 * vacancies, so that one key that goes makes room for any other (docs/fks.md).  Lines of one slot
 * are never that full. */
static uint64_t room_fixed(const struct fks_table *t)
{
    const double lines = t->options.bucket / (fmax(1, t->view.line_load) / 65536), quanta = fmax(1, lines / t->view.quantum);
    const double load = FIXED_LOAD - FIXED_ROUNDING / quanta;
    const uint64_t count = fks_count(&t->base), share = (uint64_t)(load * (double)fks_slots(&t->base));
    const uint64_t most = share > t->base.floor_keys ? share : t->base.floor_keys;
    return t->base.growth ? UINT64_MAX : most > count ? most - count : 0;
}

/* Are n items built into their buckets?  That reads and writes all buckets, with their room
 * for keys to come. */
static bool builds(const struct fks_table *t, uint64_t n)
{
    const uint64_t count = fks_count(&t->base), all = count + fks_headroom(t, count);
    return (double)n >= t->options.dense * (double)all && (n >= AT_ONCE || !room_in_place(t, n));
}

/* How many of n items are written in place at one time. */
static uint64_t piece_size(struct fks_table *t, uint64_t n)
{
    const uint64_t count = fks_count(&t->base), share = (count + fks_headroom(t, count)) / PIECE_SHARE;
    const uint64_t least = t->base.backend->memory_limit ? PIECE_LIMITED : PIECE, most = share > least ? share : least;
    return lists_piece(&t->base.lists, n < most ? n : most);
}

static uint64_t build_size(uint64_t n) { return n < BUILD_ITEMS ? n : (uint64_t)BUILD_ITEMS; }

/* Bounds of a batch's distinct keys that the table does not have. */
static roost_status distinct_keys(struct engine_table *table, const struct batch *batch, struct distinct_bounds *bounds)
{
    struct fks_table *t = fks_of(table);
    struct fks_args args = fks_batch_args(t, batch);
    const struct estimate e = {t->base.kernel[FKS_estimate], &args, sizeof args, &args.batch, &args.transfer.estimate};
    return estimate_distinct(&t->base, &e, t->view.seeds.a[1], bounds);
}

/* Which of a batch's keys are new, by a sample. */
enum freshness { FRESH, MIXED, KNOWN };

/* Are an eighth of n items stored, or copies, if these are the new keys? */
static bool are_few(double fresh, double n) { return fresh * FEW <= n * (FEW - 1); }

/* How many of a large batch's keys are stored, or copies of others?  Their buckets would be built
 * twice, so a batch with some is first written in place. */
static roost_status batch_freshness(struct fks_table *t, const struct batch *batch, enum freshness *is)
{
    uint32_t order[SAMPLE];
    struct batch sample = *batch;
    struct distinct_bounds fresh = {0, (double)batch->n};
    *is = FRESH;
    if (batch->n <= SAMPLE || fks_count(&t->base) == 0) return ROOST_OK;
    sample.n = lists_piece(&t->base.lists, SAMPLE);
    for (uint64_t i = 0; i < sample.n; i++) order[i] = (uint32_t)(i * batch->n / sample.n);
    sample.order = t->base.lists.list[0]; /* which no pass uses yet */
    roost_status status = fks_copy(t, t->base.lists.list[0], order, sample.n * sizeof order[0]);
    if (!status) status = distinct_keys(&t->base, &sample, &fresh);
    const double n = (double)sample.n;
    if (are_few(fresh.most, n)) *is = fresh.most * FEW <= n ? KNOWN : MIXED;
    return status;
}

/* The seconds since *from, of work on many items alone: what waiting for it costs is nothing beside
 * that. */
static roost_status lap(struct fks_table *t, uint64_t n, double *from, double *took)
{
    if (n < TIMED) return ROOST_OK;
    *took = 0; /* the last build's */
    return backend_lap(t->base.backend, from, took);
}

/* Bounds of the new keys of a batch of n items; n 0: not counted yet. */
struct fks_news {
    uint64_t n;
    struct distinct_bounds keys;
};

/* Counts a batch's new keys.  Within the reservation each item may be one. */
static roost_status news_count(struct fks_table *t, const struct batch *batch, struct fks_news *news)
{
    const bool counts = t->base.growth && fks_count(&t->base) + batch->n > t->base.floor_keys && batch->n > COUNTED;
    const struct distinct_bounds unknown = {counts ? 0 : (double)batch->n, (double)batch->n};
    if (news->n == batch->n) return ROOST_OK;
    double since = backend_seconds();
    news->n = batch->n;
    news->keys = unknown;
    const roost_status status = counts ? distinct_keys(&t->base, batch, &news->keys) : ROOST_OK;
    return status ? status : lap(t, batch->n, &since, &t->base.stats.count_seconds);
}

/* Rebuilds a table that is made for fewer keys, by an eighth, than it has with a batch's new ones.
 * For a batch that is written in place: columns are partitioned by the table's buckets, and one
 * region of many items takes long. */
static roost_status grow_ahead(struct fks_table *t, const struct fks_news *news)
{
    const struct error_mark before = error_keep(t->base.error);
    const uint64_t count = fks_count(&t->base), keys = count + (uint64_t)news->keys.least, grown = t->grown_keys;
    const uint64_t room = count > fks_reserved(t) ? count : fks_reserved(t);
    if (!t->base.growth || ledger_refused(&t->base.ledger) || keys <= room + room / FKS_ROOMY) return ROOST_OK;
    t->grown_keys = keys;
    const struct fks_plan plan = fks_plan_for(t, keys, 0, false);
    const roost_status status = fks_has_memory(t, &plan) ? fks_rebuild(t, &plan, NULL) : ROOST_ERR_MEMORY;
    if (status) t->grown_keys = grown;
    if (!status_of_items(status)) return status;
    error_restore(&before); /* the items may find room nevertheless */
    return ROOST_OK;
}

/* Plans parts with room for the items.  Beyond the reservation only new keys count, and buckets are
 * made for a lower bound of them.  If that bound lies within the reservation, nothing shows that
 * more keys come, and the table keeps its size. */
static roost_status build_plan(struct fks_table *t, const struct batch *batch, struct fks_news *news, struct fks_plan *plan)
{
    const uint64_t count = fks_count(&t->base);
    const roost_status status = news_count(t, batch, news);
    const uint64_t least = (uint64_t)news->keys.least, most = count + (uint64_t)news->keys.most;
    if (most > t->grown_keys) t->grown_keys = 0; /* there will be room for them all, and no more */
    *plan = fks_plan_for(t, count + least, 0, false);
    const bool reserved = least && plan->keys > count + least;
    if (most > plan->keys && t->base.growth && !reserved) plan->keys = most;
    if (t->main) fks_plan_keep(t, plan);
    if (!t->base.growth) plan->buckets = t->parts[0].buckets;
    return status;
}

/* ---- The ladder of items without room -----------------------------------------------------------
 *
 * Each step takes the items that the steps before have left.
 *   1  write      takes the first vacancy of the key's two lines (batches written in place)
 *   2  shift      moves one pair, or two, to their other lines (the same)
 *   3  buckets    builds the buckets that items wait for, in free memory of their parts
 *   4  table      grows the table as a whole, if many parts had no room
 *   5  parts      rebuilds each part that had no room: with more memory, or, if it is fixed, denser
 *   6  pack       builds all buckets down to the lines that they need, and joins free blocks
 *   7  even out   gives memory of nearly empty parts to those that had no room
 *   8  dense      packs buckets as full as DENSE_LOAD
 *   9  last       shifts without a bound of a line's keys
 * Steps from 6 on find items only where memory was refused or the table is fixed.  What step 9
 * leaves is refused.  Without any one of them a test fails (docs/fks.md). */

static bool waits(const struct fks_table *t, const struct fks_items *items) { return fks_items_waiting(t, items) > 0; }

static roost_status step_buckets(struct fks_table *t, struct fks_items *items) { return fks_build_in_place(t, items, true); }

/* If only few parts had no room, rebuilding each takes less time. */
static roost_status step_table(struct fks_table *t, struct fks_items *items)
{
    const uint64_t waiting = fks_items_waiting(t, items);
    uint32_t troubled = 0;
    for (uint32_t q = 0; q < fks_parts(t); q++) troubled += t->spaces[q].trouble != 0;
    if (!t->base.growth || troubled <= fks_parts(t) / TROUBLED) return ROOST_OK;
    if (fks_headroom(t, fks_count(&t->base)) >= waiting) return ROOST_OK;
    const roost_status status = fks_grow(t, waiting, items);
    t->base.stats.forced_grow_steps += !status;
    return status;
}

/* Beyond the reservation a part gets more memory than it has: it may have more keys than others. */
static roost_status part_enlarge(struct fks_table *t, uint32_t q, uint64_t keys, struct fks_items *items)
{
    struct fks_plan plan = fks_plan_part(t, q, t->base.growth ? keys : 0, t->parts[q].granules);
    plan.slack = t->base.growth && keys > t->base.floor_keys ? 1.0 / FKS_ROOMY + fmax(0, plan.slack) : 0;
    if (t->spaces[q].trouble & FKS_NO_LAYOUT && t->base.growth && !policy_at_bound(&t->base, 0)) plan.buckets *= 2;
    const roost_status status = fks_rebuild_parts(t, &plan, q, 1, items);
    t->base.stats.forced_grow_steps += !status;
    return status;
}

static roost_status step_parts(struct fks_table *t, struct fks_items *items)
{
    const uint64_t keys = fks_count(&t->base) + fks_items_waiting(t, items);
    roost_status failure = ROOST_OK;
    t->build_headroom = fks_headroom(t, keys);
    t->insert_budget = 0;
    for (uint32_t q = 0; q < fks_parts(t); q++) {
        const roost_status status = t->spaces[q].trouble ? part_enlarge(t, q, keys, items) : ROOST_OK;
        if (status && !status_of_items(status)) return status;
        if (!failure) failure = status;
    }
    return failure;
}

/* The keys that have come or gone. */
static uint64_t keys_moved(const struct fks_table *t) { return t->base.stats.inserted + t->base.stats.erased; }

/* Packing reads and writes the whole table.  A small piece of a large batch must not cost that much
 * where memory is refused and some of its items find room. */
static bool may_pack(const struct fks_table *t)
{
    return !t->base.growth || keys_moved(t) - t->packed >= fks_count(&t->base) / PACK_SHARE;
}

/* Builds all buckets down to the size that they need in the first round; in the second round the
 * freed memory serves the waiting items. */
static roost_status step_pack(struct fks_table *t, struct fks_items *items)
{
    roost_status status = ROOST_OK;
    for (int round = 0; !status && round < 2 && waits(t, items); round++) {
        status = fks_pack(t);
        if (!status) status = fks_build_in_place(t, items, round == 1);
    }
    t->packed = keys_moved(t);
    return status;
}

static roost_status step_even_out(struct fks_table *t, struct fks_items *items)
{
    const roost_status status = t->base.growth ? fks_tighten(t) : ROOST_OK;
    return status || !t->base.growth ? status : step_parts(t, items);
}

static roost_status step_dense(struct fks_table *t, struct fks_items *items)
{
    const uint32_t load = t->view.line_load, dense = (uint32_t)(DENSE_LOAD * t->base.shape.slots * 65536);
    if (!load || load >= dense || t->base.shape.slots == 1) return ROOST_OK;
    t->view.line_load = dense;
    const roost_status status = step_pack(t, items);
    t->view.line_load = load;
    return status;
}

/* Launches a pass in place over the items that wait.  tries: see struct fks_work. */
static roost_status step_in_place(struct fks_table *t, struct fks_items *items, int operation, uint32_t tries)
{
    struct fks_args args = items->args;
    args.view = t->view;
    args.view.line_limit = 0;
    args.work.tries = tries;
    roost_status status = fks_locks_clear(t, &args);
    if (!status) status = backend_launch(t->base.backend, t->base.kernel[operation], &args, sizeof args, args.batch.n);
    return status ? status : fks_inserts_take(t);
}

/* Shifts those items that find their buckets' locks free.  If many are left, they may be copies of
 * keys that are stored by now. */
static roost_status step_shift(struct fks_table *t, struct fks_items *items)
{
    roost_status status = step_in_place(t, items, FKS_shift, FKS_LOCK_TRIES);
    if (status || fks_items_waiting(t, items) <= FKS_CROWD) return status;
    status = step_in_place(t, items, FKS_write, 0);
    return status ? status : step_in_place(t, items, FKS_shift, FKS_LOCK_TRIES);
}

/* No item is refused because others held its bucket's lock.  A few items wait for locks at once. */
static roost_status step_last(struct fks_table *t, struct fks_items *items)
{
    const roost_status status = fks_items_waiting(t, items) > FKS_CROWD ? step_shift(t, items) : ROOST_OK;
    return status || !waits(t, items) ? status : step_in_place(t, items, FKS_shift, 0);
}

typedef roost_status ladder_step(struct fks_table *t, struct fks_items *items);
enum { STEP_BUCKETS, STEP_TABLE, STEP_PARTS, STEP_PACK, STEP_EVEN_OUT, STEP_DENSE, STEP_LAST, STEPS };
static ladder_step *const ladder[STEPS] = {step_buckets, step_table, step_parts, step_pack, step_even_out, step_dense, step_last};

/* Where packing was needed: room that keys to come had was given to others. */
static void ladder_packed(struct fks_table *t)
{
    t->insert_budget = 0;
    ledger_refuse(&t->base.ledger);
}

/* Of the sure fill: up to it parts that have no room show, before all buckets are packed, that keys
 * collide. */
#define EARLY 0.5

/* Do items of a fixed table wait although it is as empty as that?  (fks_rebuild.c has the rule for
 * tables that grow.) */
static bool collides(const struct fks_table *t) { return !t->base.growth && policy_doubts_below(&t->base, EARLY); }

/* Does a bucket have no layout?  Random keys have one in a growing table, and in a fixed table that
 * is not full. */
static bool lacks_layout(const struct fks_table *t)
{
    bool lacks = false;
    for (uint32_t q = 0; q < fks_parts(t); q++) lacks |= (t->spaces[q].trouble & FKS_NO_LAYOUT) != 0;
    return lacks && fks_may_collide(t) && (t->base.growth || policy_doubts(&t->base));
}

/* After a climb with `tried` items: where most of them found no room, the next ones find none
 * either.  They take what vacancies there are, and wait for no climb. */
static void ladder_ended(struct fks_table *t, const struct fks_items *items, uint64_t tried)
{
    t->full = 4 * fks_items_waiting(t, items) > 3 * tried;
    t->full_erased = t->base.stats.erased;
}

/* Steps 3 to 9.  A step that is refused memory leaves items to the next one. */
static roost_status ladder_climb(struct fks_table *t, struct fks_items *items)
{
    const struct error_mark before = error_keep(t->base.error);
    const uint32_t most = fks_digits_most(t);
    const uint64_t tried = fks_items_waiting(t, items);
    const bool full = is_full(t);
    /* They were for parts that were refused memory. */
    if (items->args.work.digit_bits > most) items->args.work.digit_bits = most;
    for (int i = full ? STEP_LAST : 0; i < STEPS && !t->colliding && waits(t, items); i++) {
        if (i == STEP_PACK && !may_pack(t)) i = STEP_LAST;
        const roost_status status = ladder[i](t, items);
        if (status && !status_of_items(status)) return status;
        if (status) error_restore(&before);
        if (i >= STEP_PACK) ladder_packed(t);
        if (i == STEP_BUCKETS && waits(t, items)) t->colliding = t->colliding || lacks_layout(t);
        if (i == STEP_PARTS && waits(t, items)) t->colliding = t->colliding || collides(t);
    }
    if (waits(t, items)) t->colliding = t->colliding || (!t->base.growth && policy_doubts(&t->base));
    if (!full && !t->colliding) ladder_ended(t, items, tried);
    return ROOST_OK;
}

/* Why items were refused. */
static roost_status items_refused(struct fks_table *t, uint64_t n)
{
    if (!t->base.growth) return error_set(t->base.error, ROOST_ERR_FULL, "%" PRIu64 " items found no room, and growth is off", n);
    ledger_refuse(&t->base.ledger);
    return error_set(t->base.error, ROOST_ERR_MEMORY, "%" PRIu64 " items found no room, and memory for more was refused", n);
}

/* ---- Building -------------------------------------------------------------------------------- */

/* Did the build of a fixed table, which is made for all these keys, leave more than half of the
 * items?  It leaves hardly any of random ones. */
static bool is_stuck(const struct fks_table *t, const struct fks_items *items)
{
    const uint64_t waiting = fks_items_waiting(t, items);
    return 2 * waiting > items->n && fks_count(&t->base) + waiting <= t->base.floor_keys && collides(t);
}

/* Rebuilds all buckets with the items; parts that are refused memory leave theirs to the ladder. */
static roost_status build_all(struct fks_table *t, const struct fks_plan *plan, struct fks_items *items, double since)
{
    const struct error_mark before = error_keep(t->base.error);
    roost_status status = lap(t, items->n, &since, &t->base.stats.partition_seconds);
    if (status) return status;
    items->args.work.fresh = 1;
    status = fks_rebuild(t, plan, items);
    items->args.work.fresh = 0;
    if (status && !status_of_items(status)) return status;
    if (status) error_restore(&before);
    t->colliding = t->colliding || is_stuck(t, items);
    return lap(t, items->n, &since, &t->base.stats.build_seconds);
}

/* Climbs the rest of the ladder though keys collide. */
static roost_status ladder_retry(struct fks_table *t, struct fks_items *items)
{
    t->colliding = false;
    return ladder_climb(t, items);
}

/* Keeps the items that wait for other seeds.  Without memory for that they climb the rest of the
 * ladder: some may have keys that are stored. */
static roost_status items_keep(struct fks_table *t, const struct batch *batch, struct fks_items *items)
{
    const struct error_mark before = error_keep(t->base.error);
    const uint64_t waiting = fks_items_waiting(t, items);
    const roost_status status = waiting ? fks_remain_keep(t, batch, items, waiting) : ROOST_OK;
    if (status != ROOST_ERR_MEMORY) return status;
    error_restore(&before);
    t->base.reseeds_left = 0;
    return ladder_retry(t, items);
}

/* Writes the items in place.  Pairs are moved for those that find no vacancy, if the table has room
 * for them all: then no bucket need be built.  A table whose growth is off gets no more items than
 * it has room for, whatever its upper bound. */
static roost_status write_first(struct fks_table *t, struct fks_items *items)
{
    const roost_status status = step_in_place(t, items, FKS_write, 0);
    const uint64_t waiting = fks_items_waiting(t, items);
    return status || !waiting || !is_room_for(t, waiting) ? status : step_shift(t, items);
}

/* Inserts the items of a batch by way of columns.  plan: all buckets are rebuilt; NULL: those of
 * the items alone. */
static roost_status columns_insert(struct fks_table *t, const struct fks_column_memory *c, const struct batch *batch,
                                   const struct fks_plan *plan)
{
    const double since = backend_seconds();
    struct fks_items items;
    roost_status status = fks_columns_fill(t, c, batch, &items);
    if (!status && c->known) status = write_first(t, &items);
    if (!status && plan) status = build_all(t, plan, &items, since);
    if (!status) status = ladder_climb(t, &items);
    const bool others_wait = t->base.waiting != NULL;
    if (!status && t->colliding) status = others_wait ? ladder_retry(t, &items) : items_keep(t, batch, &items);
    if (status) return status;
    const bool kept = t->base.waiting && !others_wait;
    const uint64_t waiting = kept ? 0 : fks_items_waiting(t, &items);
    const roost_status failure = waiting ? items_refused(t, waiting) : ROOST_OK;
    status = fks_columns_answer(t, c, batch, &items, refused_status(t));
    return status ? status : failure;
}

/* Says of each item that it was in flight all the time. */
static void stamp_all(const struct fks_column_memory *c, const struct batch *batch, bool responded)
{
    for (uint64_t i = 0; i < batch->n; i++) {
        struct item_stamp *const stamp = &batch->stamps[c->order ? c->order[i] : i];
        if (responded) stamp->responded = stamp_now(batch);
        else if (!stamp->invoked) stamp->invoked = stamp_now(batch);
    }
}

/* Tests may want the items' time stamps.  The kernel of hashes writes them, in the items' order, in
 * which copies of a key are carried out then; where there is no such kernel they are written here,
 * and kernels over columns and regions get none: they would stamp other items. */
static roost_status columns_insert_stamped(struct fks_table *t, const struct fks_column_memory *c, const struct batch *batch,
                                           const struct fks_plan *plan)
{
    struct batch unstamped = *batch;
    if (!stamps_wanted(batch) || !partition_makes_keys(t->base.backend)) return columns_insert(t, c, batch, plan);
    unstamped.stamps = NULL;
    stamp_all(c, batch, false);
    const roost_status status = columns_insert(t, c, &unstamped, plan);
    stamp_all(c, batch, true);
    return status;
}

/* Is there memory for columns of n items, beside that for a table that is built without any of
 * them? */
static bool may_build(struct fks_table *t, struct fks_column_memory *c, uint64_t n)
{
    const struct fks_plan plan = fks_plan_for(t, fks_count(&t->base), 0, false);
    c->digit_bits = fks_digits_for(t, &plan, n);
    return fks_columns_fit(t, c, n, fks_more_bytes(t, &plan));
}

/* Makes columns for as many of the batch's first items as there is memory for, beside that for the
 * table with them.  *all: *plan is to rebuild it; else its buckets are built in place, and it grows
 * if they have no room.  It becomes false where memory for a rebuild is refused and with the spare
 * columns, which one may free. */
static roost_status built_begin(struct fks_table *t, struct batch *batch, struct fks_news *news, bool *all,
                                struct fks_column_memory *c, struct fks_plan *plan)
{
    const struct error_mark before = error_keep(t->base.error);
    roost_status status;
    /* Once memory was refused to the call, keys are counted only where it may be granted.  Else
     * each of a batch's many small pieces would count all keys that follow. */
    while (*all && t->columns_refused && batch->n > AT_LEAST && !may_build(t, c, batch->n)) batch->n /= 2;
    for (;; batch->n /= 2) {
        *plan = fks_plan_for(t, fks_count(&t->base) + batch->n, 0, false);
        status = *all ? build_plan(t, batch, news, plan) : ROOST_OK;
        if (status) return status;
        c->digit_bits = fks_digits_for(t, *all ? plan : NULL, batch->n);
        status = fks_columns_make_beside(t, c, batch->n, is_full(t) ? 0 : fks_more_bytes(t, plan));
        *all &= !c->spare;
        if (status != ROOST_ERR_MEMORY) return status;
        t->columns_refused = true;
        error_restore(&before);
        if (batch->n <= AT_LEAST) break;
    }
    *all = false;
    c->digit_bits = fks_digits_for(t, NULL, batch->n);
    return fks_columns_make(t, c, batch->n);
}

/* Builds as many of the batch's first items as memory allows; if some have stored keys (known), or
 * in a full table, only those that find no room in place.  *n: how many. */
static roost_status insert_built(struct fks_table *t, const struct batch *batch, struct fks_news *news, bool known, uint64_t *n)
{
    bool all = !known && !is_full(t);
    struct batch part = batch_slice(&t->base, batch, 0, build_size(batch->n));
    struct fks_column_memory c;
    struct fks_plan plan;
    memset(&c, 0, sizeof c);
    c.by_item = batch->statuses != NULL;
    c.known = known;
    *n = batch->n;
    roost_status status = built_begin(t, &part, news, &all, &c, &plan);
    if (status) return status;
    c.known |= !all; /* vacancies come before builds of some buckets */
    *n = part.n = c.room;
    status = columns_insert_stamped(t, &c, &part, all ? &plan : NULL);
    const roost_status released = fks_columns_release(t, &c);
    return status ? status : released;
}

/* Builds the batch's items in `left`, which found no room in place; or, if no pass has tried that
 * (known), those of them for which it is so. */
static roost_status insert_left(struct fks_table *t, const struct batch *batch, const struct source *left, bool known)
{
    roost_status failure = ROOST_OK, status = ROOST_OK;
    for (uint64_t first = 0; !status && first < left->n;) {
        struct fks_column_memory c;
        struct batch some = *batch;
        memset(&c, 0, sizeof c);
        c.by_item = true;
        c.known = known;
        c.order = left->order + first;
        c.digit_bits = fks_digits_for(t, NULL, left->n - first);
        status = fks_columns_make(t, &c, left->n - first);
        if (status) return status;
        some.n = c.room;
        first += c.room;
        status = columns_insert_stamped(t, &c, &some, NULL);
        const roost_status released = fks_columns_release(t, &c);
        if (status_of_items(status)) failure = status, status = ROOST_OK;
        if (!status) status = released;
    }
    return status ? status : failure;
}

/* Steps 1 and 2 of the ladder, and the others for what these leave. */
static roost_status insert_in_place(struct fks_table *t, const struct batch *batch)
{
    struct source items = {NULL, NULL, batch->n};
    struct fks_args args;
    roost_status status = fks_in_place_begin(t, &args, batch);
    /* NONE: not known yet. */
    args.batch.park_status = is_full(t) ? refused_status(t) : ROOST_ITEM_NONE;
    if (!status) status = fks_in_place_round(t, &args, PASS_WRITE, &items);
    if (!status) status = fks_inserts_take(t);
    if (status) return status;
    t->base.stats.parked += t->base.lists.waiting[PASS_WRITE];
    items.n = t->base.lists.waiting[PASS_SHIFT];
    if (items.n > FKS_CROWD) {
        status = fks_in_place_round(t, &args, PASS_WRITE_AGAIN, &items);
        if (!status) status = fks_inserts_take(t);
        items.n = t->base.lists.waiting[PASS_SHIFT_AGAIN];
    }
    if (status || !items.n) return status;
    return is_full(t) ? items_refused(t, items.n) : insert_left(t, batch, &items, false);
}

/* Is a batch of stored keys written in its own order?  Partitioned it would be written region after
 * region, from a cache.  Where the caller wants statuses, values have to follow the items and
 * outcomes to go back: that pays only for as large tables as erases by region, which as well write
 * where they have read. */
static bool in_own_order(const struct fks_table *t, const struct batch *batch)
{
    const uint64_t bytes = fks_bytes(&t->base);
    return bytes <= CACHED || (batch->statuses && !policy_erases_pay(bytes, batch->n, fks_count(&t->base)));
}

/* Are there keys of which the batch has many copies?  One team would build them all: on a GPU that
 * took up to a thousand times as long as a batch without copies.  So it is written in place, after
 * the table has got room for its keys.  The first piece of a call decides that for all. */
static roost_status repeats_look(struct fks_table *t, const struct batch *batch, struct fks_news *news)
{
    bool repeats;
    if (t->looked || !t->base.backend->operations->enqueues) return ROOST_OK;
    t->looked = true;
    roost_status status = crowd_repeats(&t->base, batch, &repeats);
    /* A sample finds no two of a sorted batch's copies.  An empty table's keys are counted in any
     * case. */
    if (!status && (repeats || !fks_count(&t->base))) status = news_count(t, batch, news);
    repeats |= !fks_count(&t->base) && news->keys.most * FEW <= (double)batch->n;
    if (!status && repeats) status = grow_ahead(t, news);
    t->repeats = !status && repeats && is_room_for(t, (uint64_t)news->keys.least);
    return status;
}

/* How is a large batch inserted?  Copies that a sample misses show once new keys are counted. */
static roost_status batch_look(struct fks_table *t, const struct batch *batch, struct fks_news *news, enum freshness *is)
{
    const struct batch part = batch_slice(&t->base, batch, 0, build_size(batch->n));
    const uint64_t count = fks_count(&t->base);
    roost_status status = repeats_look(t, &part, news);
    if (status || t->repeats) return status;
    status = batch_freshness(t, batch, is);
    /* A table without keys is built with any batch.  Many small pieces would each count all keys
     * that follow. */
    if (status || !count || t->columns_refused || (*is != FRESH && part.n / FEW <= count)) return status;
    status = news_count(t, &part, news);
    if (!status && *is == FRESH && are_few(news->keys.most, (double)part.n)) *is = MIXED;
    return status || *is == FRESH ? status : grow_ahead(t, news);
}

/* Writes items in place, piece by piece.  Nothing settles in between: a table that has got room for
 * all keys would shrink.  *n: how many were written. */
static roost_status insert_pieces(struct fks_table *t, const struct batch *batch, uint64_t *n)
{
    roost_status status = ROOST_OK;
    for (*n = 0; !status && *n < batch->n && !t->base.waiting;) {
        const struct batch some = batch_slice(&t->base, batch, *n, piece_size(t, batch->n - *n));
        status = insert_in_place(t, &some);
        *n += some.n;
    }
    return status;
}

static roost_status insert_some(struct fks_table *t, const struct batch *batch, uint64_t *n)
{
    const bool large = builds(t, build_size(batch->n));
    struct fks_news news = {0, {0, 0}};
    enum freshness is = FRESH;
    const roost_status status = large ? batch_look(t, batch, &news, &is) : ROOST_OK;
    if (status) return status;
    const bool repeated = large && t->repeats;
    if (large && !repeated && (is != KNOWN || !in_own_order(t, batch))) return insert_built(t, batch, &news, is != FRESH, n);
    const struct batch some = batch_slice(&t->base, batch, 0, repeated ? build_size(batch->n) : piece_size(t, batch->n));
    return insert_pieces(t, &some, n);
}

/* ---- Tables whose growth is off -------------------------------------------------------------- */

/* Updates the items of keys that are stored.  *items: the others, which end FULL if nothing places
 * them. */
static roost_status update_known(struct fks_table *t, const struct batch *batch, struct source *items)
{
    struct fks_args args;
    roost_status status = fks_in_place_begin(t, &args, batch);
    args.view.line_limit = 1; /* no bucket takes a key */
    args.batch.park_status = ROOST_ITEM_FULL;
    if (!status) status = fks_in_place_pass(t, FKS_write, &args, PASS_WRITE, items);
    if (!status) status = fks_inserts_take(t);
    items->n = t->base.lists.waiting[PASS_WRITE];
    items->order_n = NULL; /* the host knows it now */
    return status;
}

/* Inserts a batch that may have more new keys than there is room for: the first of its items, until
 * their keys have taken it.  Copies of these keys are then updates, and leave room for others.
 * Where keys find no room although there is some, few further ones are tried. */
static roost_status insert_bounded(struct fks_table *t, const struct batch *batch)
{
    struct source rest = {NULL, NULL, batch->n};
    roost_status failure = ROOST_OK, status = update_known(t, batch, &rest);
    for (int failures = 0; !status && failures < FAILURES && rest.n && room_fixed(t);) {
        struct source items = rest;
        uint64_t keys;
        status = estimate_split(&t->base, distinct_keys, batch, room_fixed(t), &items, &rest, &keys);
        if (!status) status = insert_left(t, batch, &items, true);
        failures += status_of_items(status) || t->base.waiting;
        if (status_of_items(status)) failure = status, status = ROOST_OK;
        if (!status && rest.n) status = update_known(t, batch, &rest);
    }
    if (status) return status;
    return rest.n ? items_refused(t, rest.n) : failure;
}

static roost_status insert_fixed(struct fks_table *t, const struct batch *batch, uint64_t *n)
{
    if (batch->n <= room_fixed(t)) return insert_some(t, batch, n);
    *n = piece_size(t, batch->n);
    const struct batch some = batch_slice(&t->base, batch, 0, *n);
    return insert_bounded(t, &some);
}

/* After a failure no items wait: the call, whose arrays they are answered in, ends. */
static void waiting_drop(struct engine_table *table)
{
    const struct insertion in = insertion_recall(table);
    backend_release(table->backend, in.memory, in.memory_bytes);
}

/* ---- Hooks ----------------------------------------------------------------------------------- */

roost_status fks_write_piece(struct engine_table *table, const struct write *w, struct progress *p)
{
    struct fks_table *t = fks_of(table);
    const struct batch rest = batch_slice(table, w->batch, p->done, w->batch->n - p->done);
    const uint64_t slots = fks_slots(table), inserted = table->stats.inserted;
    uint64_t n;
    t->colliding = false;
    if (!p->done) t->columns_refused = t->looked = t->repeats = false;
    full_check(t, rest.n);
    const roost_status status = table->growth ? insert_some(t, &rest, &n) : insert_fixed(t, &rest, &n);
    p->done += n;
    p->fresh += table->stats.inserted - inserted;
    table->stats.grow_steps += fks_slots(table) > slots;
    if (!table->waiting || !status) return status;
    if (!status_of_items(status)) {
        waiting_drop(table);
        return status;
    }
    table->waiting->failure = status;
    return ROOST_OK;
}

/* Inserts the items that waited for other seeds.  If these collide as well, the table grows. */
roost_status fks_resume(struct engine_table *table, struct progress *p)
{
    struct fks_table *t = fks_of(table);
    struct insertion in = insertion_recall(table);
    struct progress own = {0, 0};
    const struct write w = {WRITE_INSERT, &in.batch};
    roost_status failure = in.failure, status = ROOST_OK;
    table->reseeds_left = 0;
    while (!status && own.done < in.batch.n) {
        status = fks_write_piece(table, &w, &own);
        if (status_of_items(status)) failure = status, status = ROOST_OK;
    }
    const roost_status answered = fks_remain_answer(t, &in);
    p->fresh += own.fresh;
    return status ? status : answered ? answered : failure;
}

bool fks_has_room(const struct engine_table *table, const struct write *w)
{
    const struct fks_table *t = fks_of_const(table);
    return room_in_place(t, w->batch->n) && !builds(t, w->batch->n);
}

/* What finds no room in the last pass has failed: no list follows it. */
roost_status fks_enqueue(struct engine_table *table, const struct write *w, const struct batch *piece)
{
    struct fks_table *t = fks_of(table);
    struct source items = {NULL, NULL, piece->n};
    struct fks_args args;
    (void)w;
    roost_status status = fks_ready(t);
    if (!status) status = fks_in_place_begin(t, &args, piece);
    if (status) return status;
    args.view.line_limit = 0;
    if (piece->n > FKS_CROWD) status = fks_in_place_round(t, &args, PASS_WRITE, &items);
    if (!status) status = fks_in_place_pass(t, FKS_write, &args, PASS_WRITE_AGAIN, &items);
    args.batch = source_batch(&items, &args.batch);
    args.batch.leftover = NULL;
    args.work.tries = 0;
    return status ? status : backend_launch(table->backend, table->kernel[FKS_shift], &args, sizeof args, piece->n);
}
