/* Rows of cliffs: costs that grow with a table where they should not, each as a ratio to a flat
 * case of the same run, so that they show a shape and not a machine.  On the host tables have one
 * thread.  Arrays are the host's, and every call is followed by a sync.  All statuses are
 * verified. */
#include "bench.h"

#include <roost/mixed.h>
#include <roost/tuning.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CLIFF_LOG_MOST = 21,
    CLIFF_KEYS = 3 << CLIFF_LOG_MOST >> 1,
    CLIFF_RUNS = 3,
    CLIFF_TURNS = 1000,
    CLIFF_BATCH = 20000,
    CLIFF_LIMIT = 4 << 20,
    CLIFF_PAGE = 4096
};

/* A measurement in progress: the present row, and its table if it is open. */
struct cliff {
    const struct options *o;
    const char *device, *place; /* "cuda:0" and "gpu" */
    const char *engine;
    uint32_t *keys, *same; /* different keys, which are their values, too; equal ones */
    uint8_t *statuses, *operations;
    roost_table *table;
    struct row row;
};

/* A cost, and that of the flat case; flat 0: the first size is the flat case. */
struct cost {
    double cost, flat;
};

/* Measures a cost of n keys; the row has failed if it could not. */
typedef struct cost (*cliff_measure)(struct cliff *c, uint64_t n);

static void cliff_fail(struct cliff *c, const char *call, roost_status status)
{
    if (c->row.state != ROW_UNUSED) return;
    row_fail(&c->row, ROW_FAILED, "%s: %s: %s", call, roost_status_name(status), roost_last_error(c->table));
}

static roost_config cliff_config(const struct cliff *c, uint64_t capacity)
{
    roost_config config = ROOST_CONFIG_INIT;
    config.engine = c->engine;
    config.device = c->device;
    config.seed = c->o->seed;
    config.seed_given = 1;
    config.threads = 1;
    config.capacity = capacity;
    return config;
}

static bool cliff_open(struct cliff *c, const roost_config *config)
{
    const roost_status status = roost_table_create(&c->table, config);
    if (status) cliff_fail(c, "create", status);
    return !status;
}

static void cliff_close(struct cliff *c)
{
    roost_table_destroy(c->table);
    c->table = NULL;
}

/* Opens a table that is made for n keys or, without growth, has room for them. */
static bool cliff_open_for(struct cliff *c, uint64_t n, int growth, double max_fill)
{
    roost_config config = cliff_config(c, n);
    config.growth = growth;
    config.max_fill = max_fill;
    return cliff_open(c, &config);
}

static uint64_t cliff_ended(const struct cliff *c, uint64_t n, roost_item_status status)
{
    uint64_t ended = 0;
    for (uint64_t i = 0; i < n; i++) ended += c->statuses[i] == status;
    return ended;
}

/* Syncs after a call on n keys that began at `begin`.  Returns the seconds of both.  Statuses other
 * than `wanted` are wrong answers, except NONE: then the caller looks at them. */
static double cliff_took(struct cliff *c, double begin, roost_status status, uint64_t n, roost_item_status wanted)
{
    if (!status) status = roost_table_sync(c->table, NULL);
    const double seconds = machine_now() - begin;
    if (status && (wanted || (status != ROOST_ERR_FULL && status != ROOST_ERR_MEMORY))) cliff_fail(c, "call", status);
    c->row.verified += n;
    if (wanted) c->row.wrong += n - cliff_ended(c, n, wanted);
    return seconds;
}

/* Times an insert of n keys, or their erase (mode below 0), and the sync after it. */
static double cliff_time(struct cliff *c, int mode, const uint32_t *keys, uint64_t n, roost_item_status wanted)
{
    roost_call call = ROOST_CALL_INIT;
    call.statuses = c->statuses;
    const double begin = machine_now();
    const roost_status status =
        mode < 0 ? roost_erase(c->table, keys, n, &call) : roost_insert(c->table, (roost_mode)mode, keys, keys, n, &call);
    return cliff_took(c, begin, status, n, wanted);
}

static double cliff_store(struct cliff *c, const uint32_t *keys, uint64_t n)
{
    return cliff_time(c, ROOST_ASSIGN, keys, n, ROOST_ITEM_INSERTED);
}

static double cliff_erase(struct cliff *c, const uint32_t *keys, uint64_t n)
{
    return cliff_time(c, -1, keys, n, ROOST_ITEM_ERASED);
}

static roost_stats cliff_stats(struct cliff *c)
{
    roost_stats stats = {0};
    const roost_status status = roost_table_stats(c->table, &stats, sizeof stats);
    if (status) cliff_fail(c, "stats", status);
    return stats;
}

/* Erases of one key a call, from tables of n keys.  Flat: those of the smallest table. */
static struct cost erase_one(struct cliff *c, uint64_t n)
{
    enum { ERASES = 20 };
    double seconds = 0;
    if (!cliff_open_for(c, n, 1, 0.85)) return (struct cost){0, 0};
    cliff_store(c, c->keys, n);
    for (uint64_t i = 0; i < ERASES; i++) seconds += cliff_erase(c, c->keys + i * (n / ERASES), 1);
    cliff_close(c);
    return (struct cost){seconds / ERASES, 0};
}

/* Inserts into a fixed table at 0.95, of whose keys a tenth was replaced five times.  Flat: its
 * first fill, by item. */
static struct cost refill(struct cliff *c, uint64_t n)
{
    enum { CYCLES = 6 };
    const uint64_t part = n / 10;
    double seconds = 0;
    if (!cliff_open_for(c, n, 0, 0.95)) return (struct cost){0, 0};
    const double first = cliff_store(c, c->keys, n);
    for (uint64_t i = 0; i < CYCLES; i++) {
        cliff_erase(c, c->keys + i * part, part);
        seconds = cliff_store(c, c->keys + n + i * part, part);
    }
    cliff_close(c);
    return (struct cost){seconds / (double)part, first / (double)n};
}

/* A batch that updates all n keys of the open table, in another order.  Flat: the batch that
 * stored them. */
static struct cost update(struct cliff *c, uint64_t n)
{
    uint32_t *shuffled = c->same;
    for (uint64_t i = 0; i < n; i++) shuffled[i] = c->keys[i * 0x9E3779B1u % n];
    const double build = cliff_store(c, c->keys, n), update = cliff_time(c, ROOST_ASSIGN, shuffled, n, ROOST_ITEM_UPDATED);
    cliff_close(c);
    return (struct cost){update, build};
}

static struct cost update_all(struct cliff *c, uint64_t n)
{
    return cliff_open_for(c, n, 1, 0.85) ? update(c, n) : (struct cost){0, 0};
}

/* The same for a table of a fixed size that has room for one key more. */
static struct cost update_nearly_full(struct cliff *c, uint64_t n)
{
    return cliff_open_for(c, n + 1, 0, 0.85) ? update(c, n) : (struct cost){0, 0};
}

enum { COPIES = 64 /* of a run */ };

/* The seconds of a batch of n items, which are runs of copies of new keys, for a table of this size
 * that has the first `stored` keys. */
static double run_through(struct cliff *c, uint64_t n, uint64_t capacity, uint64_t stored)
{
    for (uint64_t i = 0; i < n; i++) c->same[i] = c->keys[stored + i / COPIES];
    if (!cliff_open_for(c, capacity, 0, 0.85)) return 0;
    if (stored) cliff_store(c, c->keys, stored);
    const double seconds = cliff_time(c, ROOST_ADD, c->same, n, ROOST_ITEM_NONE);
    const uint64_t inserted = cliff_ended(c, n, ROOST_ITEM_INSERTED), updated = cliff_ended(c, n, ROOST_ITEM_UPDATED);
    c->row.wrong += stored + inserted < capacity && inserted + updated < n;
    cliff_close(c);
    return seconds;
}

/* Runs of copies of as many keys as the table is made for.  Flat: for a table of four times the
 * size. */
static struct cost runs_fill(struct cliff *c, uint64_t n)
{
    const uint64_t size = n / COPIES;
    return (struct cost){run_through(c, n, size, 0), run_through(c, n, 4 * size, 0)};
}

/* The same for a table that is full. */
static struct cost runs_refused(struct cliff *c, uint64_t n)
{
    const uint64_t size = n / COPIES;
    return (struct cost){run_through(c, n, size, size), run_through(c, n, 4 * size, size)};
}

/* The seconds of storing n items in a table that grows from the smallest.  The items repeat the
 * first `keys` keys in one order. */
static double store_copies(struct cliff *c, uint64_t n, uint64_t keys)
{
    if (!cliff_open_for(c, 0, 1, 0.85)) return 0;
    for (uint64_t i = 0; i < n; i++) c->same[i] = c->keys[i % keys];
    const double seconds = cliff_time(c, ROOST_ADD, c->same, n, ROOST_ITEM_NONE);
    c->row.wrong += cliff_ended(c, n, ROOST_ITEM_INSERTED) != keys;
    cliff_close(c);
    return seconds;
}

/* Two copies of each key.  Flat: different keys. */
static struct cost copies_two(struct cliff *c, uint64_t n)
{
    return (struct cost){store_copies(c, n, n / 2), store_copies(c, n, n)};
}

/* The same, of a few keys. */
static struct cost copies_many(struct cliff *c, uint64_t n)
{
    enum { FEW = 32 };
    return (struct cost){store_copies(c, n, FEW), store_copies(c, n, n)};
}

/* The seconds of storing n items beside as many keys; hot: one of two has the same key. */
static double store_hot(struct cliff *c, uint64_t n, bool hot)
{
    if (!cliff_open_for(c, 0, 1, 0.85)) return 0;
    cliff_store(c, c->keys, n);
    for (uint64_t i = 0; i < n; i++) c->same[i] = c->keys[n + (hot && i % 2 ? 0 : i)];
    const double seconds = cliff_time(c, ROOST_ADD, c->same, n, ROOST_ITEM_NONE);
    c->row.wrong += cliff_ended(c, n, ROOST_ITEM_INSERTED) != (hot ? n / 2 : n);
    cliff_close(c);
    return seconds;
}

/* One key of half of the items.  Flat: different keys. */
static struct cost hot_key(struct cliff *c, uint64_t n) { return (struct cost){store_hot(c, n, true), store_hot(c, n, false)}; }

/* The seconds of storing n keys in many batches; reserves: with a reservation before each. */
static double store_batches(struct cliff *c, uint64_t n, bool reserves)
{
    enum { BATCHES = 256 };
    const uint64_t batch = n / BATCHES;
    double seconds = 0;
    if (!cliff_open_for(c, 0, 1, 0.85)) return 0;
    for (uint64_t i = 0; i < n; i += batch) {
        const double begin = machine_now();
        const roost_status status = reserves ? roost_table_reserve(c->table, i + batch) : ROOST_OK;
        if (status) cliff_fail(c, "reserve", status);
        seconds += machine_now() - begin + cliff_store(c, c->keys + i, batch);
    }
    cliff_close(c);
    return seconds;
}

/* Batches, each after a reservation for its keys.  Flat: without. */
static struct cost reserve_each(struct cliff *c, uint64_t n)
{
    return (struct cost){store_batches(c, n, true), store_batches(c, n, false)};
}

/* Stores batches of new keys until most of one is refused; returns the number of keys given. */
static uint64_t fill_up(struct cliff *c, uint64_t batch)
{
    uint64_t given = 0, stored = batch;
    while (stored > batch / 2 && given + 2 * batch <= CLIFF_KEYS) {
        cliff_time(c, ROOST_ASSIGN, c->keys + given, batch, ROOST_ITEM_NONE);
        stored = cliff_ended(c, batch, ROOST_ITEM_INSERTED);
        given += batch;
    }
    return given;
}

static uint64_t cliff_batch(uint64_t n) { return n / 4 < CLIFF_BATCH ? n / 4 : CLIFF_BATCH; }

/* A batch of new keys into a full table of a fixed size, of whose keys some are erased before.
 * Flat: the same into an empty one. */
static struct cost refused_after(struct cliff *c, uint64_t n, uint64_t erases)
{
    const uint64_t batch = cliff_batch(n);
    if (!cliff_open_for(c, n, 0, 0.85)) return (struct cost){0, 0};
    const double stored = cliff_store(c, c->keys + CLIFF_KEYS - batch, batch);
    const uint64_t given = fill_up(c, batch);
    if (erases) cliff_erase(c, c->keys, erases);
    const double seconds = cliff_time(c, ROOST_ASSIGN, c->keys + given, batch, ROOST_ITEM_NONE);
    c->row.wrong += cliff_ended(c, batch, ROOST_ITEM_FULL) < batch / 2;
    cliff_close(c);
    return (struct cost){seconds, stored};
}

static struct cost refused(struct cliff *c, uint64_t n) { return refused_after(c, n, 0); }

static struct cost retaken(struct cliff *c, uint64_t n) { return refused_after(c, n, 1); }

/* New keys into a full table of a fixed size, one a call.  Flat: the same into an empty one. */
static struct cost refused_one(struct cliff *c, uint64_t n)
{
    enum { CALLS = 100 };
    double stored = 0, seconds = 0;
    if (!cliff_open_for(c, n, 0, 0.85)) return (struct cost){0, 0};
    for (uint64_t i = 1; i <= CALLS; i++) stored += cliff_store(c, c->keys + CLIFF_KEYS - i, 1);
    const uint64_t given = fill_up(c, cliff_batch(n));
    for (uint64_t i = 0; i < CALLS; i++) seconds += cliff_time(c, ROOST_ASSIGN, c->keys + given + i, 1, ROOST_ITEM_NONE);
    cliff_close(c);
    return (struct cost){seconds, stored};
}

/* A batch of as many items as the table is made for, half of them with stored keys, into a table of
 * a fixed size that holds a fifth more keys.  Flat: the batch that stored the first ones. */
static struct cost mixed(struct cliff *c, uint64_t n)
{
    if (!cliff_open_for(c, n, 0, 0.85)) return (struct cost){0, 0};
    const double build = cliff_store(c, c->keys, n);
    cliff_time(c, ROOST_ASSIGN, c->keys + n, n / 5, ROOST_ITEM_NONE);
    for (uint64_t i = 0; i < n; i++) c->same[i] = i % 2 ? c->keys[i] : c->keys[2 * n + i];
    const double seconds = cliff_time(c, ROOST_ASSIGN, c->same, n, ROOST_ITEM_NONE);
    c->row.wrong += cliff_ended(c, n, ROOST_ITEM_UPDATED) != n / 2;
    cliff_close(c);
    return (struct cost){seconds, build};
}

/* The seconds of a mixed batch that erases and inserts the first `keys` keys by turns. */
static double churn(struct cliff *c, uint64_t n, uint64_t keys)
{
    roost_call call = ROOST_CALL_INIT;
    roost_batch batch = ROOST_BATCH_INIT;
    if (!cliff_open_for(c, n, 1, 0.85)) return 0;
    for (uint64_t i = 0; i < n; i++)
        c->same[i] = c->keys[i / 2 % keys], c->operations[i] = i % 2 ? ROOST_OP_ASSIGN : ROOST_OP_ERASE;
    batch.operations = c->operations;
    batch.keys = batch.values_in = c->same;
    batch.n = n;
    call.statuses = c->statuses;
    const double begin = machine_now();
    const roost_status status = roost_apply(c->table, &batch, &call);
    const double seconds = cliff_took(c, begin, status, n, ROOST_ITEM_NONE);
    if (status) cliff_fail(c, "apply", status);
    c->row.wrong += cliff_ended(c, n, ROOST_ITEM_INSERTED) < keys;
    cliff_close(c);
    return seconds;
}

/* Erases and inserts of a few keys by turns in one batch.  Flat: of different keys. */
static struct cost churn_few(struct cliff *c, uint64_t n)
{
    enum { FEW = 4 };
    return (struct cost){churn(c, n, FEW), churn(c, n, n / 2)};
}

/* The seconds of appending n pairs of these keys to an empty multimap, or of erasing them one by
 * one. */
static double append(struct cliff *c, const uint32_t *keys, uint64_t n, bool erases)
{
    roost_config config = cliff_config(c, 0);
    config.flags = ROOST_MULTI;
    if (!cliff_open(c, &config)) return 0;
    double seconds = cliff_time(c, ROOST_APPEND, keys, n, ROOST_ITEM_INSERTED);
    if (erases) seconds = cliff_erase(c, keys, n);
    cliff_close(c);
    return seconds;
}

/* Pairs of one key.  Flat: pairs of different keys. */
static struct cost one_key(struct cliff *c, uint64_t n, bool erases)
{
    for (uint64_t i = 0; i < n; i++) c->same[i] = c->keys[0];
    const double seconds = append(c, c->same, n, erases);
    return (struct cost){seconds, append(c, c->keys, n, erases)};
}

static struct cost append_one(struct cliff *c, uint64_t n) { return one_key(c, n, false); }

static struct cost erase_pairs(struct cliff *c, uint64_t n) { return one_key(c, n, true); }

/* The seconds of a batch are of no interest in the measurements below; their costs are counts. */

/* True if a table that is made for n keys stores them within the limit. */
static bool holds_at_once(struct cliff *c, uint64_t n)
{
    roost_config config = cliff_config(c, n);
    config.memory_limit = CLIFF_LIMIT;
    if (roost_table_create(&c->table, &config)) return false;
    cliff_time(c, ROOST_ASSIGN, c->keys, n, ROOST_ITEM_NONE);
    const bool holds = cliff_ended(c, n, ROOST_ITEM_INSERTED) == n;
    cliff_close(c);
    return holds;
}

/* The keys that a table stores which grows under a memory limit.  Flat: as many as one stores that
 * is made at once. */
static struct cost limited(struct cliff *c, uint64_t n)
{
    uint64_t least = 0, most = n;
    roost_config config = cliff_config(c, 0);
    config.memory_limit = CLIFF_LIMIT;
    while (most - least > n / 64) {
        const uint64_t middle = least + (most - least) / 2;
        if (holds_at_once(c, middle)) least = middle;
        else most = middle;
    }
    if (!cliff_open(c, &config)) return (struct cost){0, 0};
    fill_up(c, CLIFF_BATCH);
    const double count = (double)cliff_stats(c).count;
    cliff_close(c);
    return (struct cost){count, (double)least};
}

/* One batch of n new keys into a table that grows under a memory limit, which has room for about a
 * quarter of them.  Flat: into one without a limit. */
static struct cost overrun(struct cliff *c, uint64_t n)
{
    enum { PAIR_BYTES = 8, SPACIOUS = 2 };
    roost_config config = cliff_config(c, 0);
    if (!cliff_open(c, &config)) return (struct cost){0, 0};
    const double stored = cliff_store(c, c->keys, n);
    cliff_close(c);
    config.memory_limit = n / 4 * PAIR_BYTES * SPACIOUS;
    if (!cliff_open(c, &config)) return (struct cost){0, 0};
    const double seconds = cliff_time(c, ROOST_ASSIGN, c->keys, n, ROOST_ITEM_NONE);
    c->row.wrong += cliff_ended(c, n, ROOST_ITEM_INSERTED) + cliff_ended(c, n, ROOST_ITEM_NO_MEMORY) != n;
    cliff_close(c);
    return (struct cost){seconds, stored};
}

/* Stores new keys until the first is refused; c->same has the stored ones.  Returns the number of
 * keys given. */
static uint64_t fill_to_first(struct cliff *c, uint64_t batch, uint64_t *stored)
{
    uint64_t given = 0;
    for (*stored = 0; *stored == given && given + batch <= CLIFF_KEYS; given += batch) {
        cliff_time(c, ROOST_ASSIGN, c->keys + given, batch, ROOST_ITEM_NONE);
        for (uint64_t i = 0; i < batch; i++)
            if (c->statuses[i] == ROOST_ITEM_INSERTED) c->same[(*stored)++] = c->keys[given + i];
    }
    return given;
}

/* Fills a table of a fixed size, and then erases one key and inserts another by turns: the inserts
 * that find no room, of how many, and the seconds of all turns. */
struct exchanges {
    uint64_t full, turns;
    double seconds;
};

static struct exchanges exchanges_of(struct cliff *c, uint64_t n)
{
    struct exchanges x = {0, 0, 0};
    uint64_t stored;
    if (!cliff_open_for(c, n, 0, 0.85)) return x;
    const uint64_t given = fill_to_first(c, n / 64, &stored);
    x.turns = stored < CLIFF_TURNS ? stored : CLIFF_TURNS;
    for (uint64_t i = 0; i < x.turns; i++) {
        x.seconds += cliff_erase(c, c->same + i, 1);
        x.seconds += cliff_time(c, ROOST_ASSIGN, c->keys + given + i, 1, ROOST_ITEM_NONE);
        x.full += c->statuses[0] != ROOST_ITEM_INSERTED;
    }
    cliff_close(c);
    return x;
}

static struct cost exchange(struct cliff *c, uint64_t n)
{
    const struct exchanges x = exchanges_of(c, n);
    return (struct cost){(double)x.full, (double)x.turns};
}

/* Flat: the smallest table's. */
static struct cost exchange_one(struct cliff *c, uint64_t n)
{
    const struct exchanges x = exchanges_of(c, n);
    return (struct cost){x.turns ? x.seconds / (double)x.turns : 0, 0};
}

static uint64_t cliff_steps(struct cliff *c)
{
    const roost_stats stats = cliff_stats(c);
    return stats.grow_steps + stats.shrink_steps;
}

/* The steps by which a table that is made at its smallest grows and shrinks while n keys are
 * inserted and erased by turns, for each turn after the first two. */
static struct cost turns_of(struct cliff *c, uint64_t n, uint64_t batch, int turns)
{
    enum { FIRST = 2 };
    const roost_config config = cliff_config(c, 0);
    uint64_t before = 0;
    if (!cliff_open(c, &config)) return (struct cost){0, 0};
    for (int i = 0; i < FIRST + turns; i++) {
        if (i == FIRST) before = cliff_steps(c);
        for (uint64_t k = 0; k < n; k += batch) cliff_store(c, c->keys + k, batch);
        for (uint64_t k = 0; k < n; k += batch) cliff_erase(c, c->keys + k, batch);
    }
    const uint64_t after = cliff_steps(c);
    cliff_close(c);
    return (struct cost){(double)(after - before), turns};
}

static struct cost turns(struct cliff *c, uint64_t n) { return turns_of(c, n, n, 25); }

static struct cost turns_one(struct cliff *c, uint64_t n) { return turns_of(c, n, 1, 5); }

/* All bytes that a table of n keys holds.  Flat: a page. */
static struct cost few_bytes(struct cliff *c, uint64_t n)
{
    const roost_config config = cliff_config(c, 0);
    if (!cliff_open(c, &config)) return (struct cost){0, 0};
    cliff_store(c, c->keys, n);
    const double bytes = (double)cliff_stats(c).bytes_now;
    cliff_close(c);
    return (struct cost){bytes, CLIFF_PAGE};
}

/* ---- The rows -------------------------------------------------------------------------------- */

enum { CLIFF_SIZES = 3 };

static const struct cliff_kind {
    const char *what;
    cliff_measure measure;
    int sizes[CLIFF_SIZES]; /* binary logarithms of n; 0: none */
    const char *engine;     /* NULL: all engines */
    bool timed;             /* seconds, so the least of several runs counts */
    bool multi;             /* multimaps */
    const char *note;
} cliff_kinds[] = {
    {"erase-1", erase_one, {15, 18, 21}, NULL, true, false, "erase of one key, over that in the smallest table"},
    {"refill", refill, {14, 15, 17}, "stadium", true, false, "inserts after erases at 0.95, over the first fill"},
    {"update", update_all, {17, 19, 21}, NULL, true, false, "a batch that updates all keys, over the one that stored them"},
    {"update-full",
     update_nearly_full,
     {14, 16, 18},
     NULL,
     true,
     false,
     "updates of all keys with room for one more, over the fill"},
    {"runs", runs_fill, {14, 16, 18}, NULL, true, false, "runs of copies that fill a table, over a table of four times the size"},
    {"runs-full",
     runs_refused,
     {14, 16, 18},
     NULL,
     true,
     false,
     "runs of copies for a full table, over one of four times the size"},
    {"copies-2", copies_two, {14, 17, 20}, NULL, true, false, "two copies of keys that make a table grow, over different keys"},
    {"copies", copies_many, {14, 17, 20}, NULL, true, false, "copies of 32 keys that make a table grow, over different keys"},
    {"hot", hot_key, {14, 17, 20}, NULL, true, false, "items of which half have one key, over different keys"},
    {"reserve", reserve_each, {13, 16, 19}, NULL, true, false, "256 batches, each after a reservation, over without"},
    {"refused", refused, {14, 16, 18}, NULL, true, false, "a batch refused by a full table, over a stored one"},
    {"refused-1", refused_one, {14, 16, 18}, NULL, true, false, "keys refused by a full table one a call, over stored ones"},
    {"retaken",
     retaken,
     {14, 16, 18},
     NULL,
     true,
     false,
     "a batch for which one key was erased in a full table, over a stored one"},
    {"mixed", mixed, {14, 16, 18}, NULL, true, false, "a batch of stored and new keys for a full table, over its first fill"},
    {"churn",
     churn_few,
     {14, 18, 20},
     NULL,
     true,
     false,
     "erases and inserts of 4 keys by turns in one batch, over different keys"},
    {"append-1", append_one, {12, 14, 16}, NULL, true, true, "appends to one key, over appends of different keys"},
    {"pop-1", erase_pairs, {12, 14, 16}, NULL, true, true, "erases of one key's pairs, over those of different keys"},
    {"limited", limited, {20, 0, 0}, NULL, false, false, "keys of a table that grew within 4 MiB, over one made at once"},
    {"overrun", overrun, {16, 18, 20}, NULL, true, false, "a batch of four times the keys of a memory limit, over one without"},
    {"exchange", exchange, {10, 14, 18}, NULL, false, false, "share of inserts without room after one erase in a full table"},
    {"exchange-1", exchange_one, {12, 15, 18}, NULL, true, false, "an erase and an insert in a full table, over the smallest's"},
    {"turns", turns, {11, 14, 17}, NULL, false, false, "resizes a turn of inserts and erases of all keys"},
    {"turns-1", turns_one, {11, 0, 0}, NULL, false, false, "resizes a turn of inserts and erases of all keys, one a call"},
    {"bytes", few_bytes, {1, 4, 8}, NULL, false, false, "bytes of a small table, over 4096"},
};

/* The least cost of several runs over the flat case's least. */
static struct cost cliff_least(struct cliff *c, const struct cliff_kind *kind, uint64_t n)
{
    struct cost least = kind->measure(c, n);
    for (int i = 1; kind->timed && i < CLIFF_RUNS && c->row.state == ROW_UNUSED; i++) {
        const struct cost again = kind->measure(c, n);
        if (again.cost < least.cost) least.cost = again.cost;
        if (again.flat < least.flat) least.flat = again.flat;
    }
    return least;
}

/* The row of one size.  *flat: the cost in the first one. */
static void cliff_row(struct cliff *c, const struct cliff_kind *kind, int log, double *flat)
{
    char name[96];
    snprintf(name, sizeof name, "cliffs/%s/%s/%s/2^%d", c->place, c->engine, kind->what, log);
    if (!options_want_some(c->o, name)) return;
    c->row = row_make(name, UNIT_TIMES);
    const struct cost cost = cliff_least(c, kind, (uint64_t)1 << log);
    if (*flat == 0) *flat = cost.cost;
    if (c->row.state == ROW_UNUSED) {
        c->row.state = c->row.wrong ? ROW_WRONG : ROW_OK;
        c->row.rate = cost.cost / (cost.flat > 0 ? cost.flat : *flat);
        snprintf(c->row.note, sizeof c->row.note, kind->timed ? "%s: %.3g s" : "%s: %.0f", kind->note, cost.cost);
    }
    report_row(c->o, c->row);
}

static void cliff_engine(struct cliff *c, bool multi)
{
    for (size_t i = 0; i < sizeof cliff_kinds / sizeof *cliff_kinds; i++) {
        const struct cliff_kind *kind = &cliff_kinds[i];
        double flat = 0;
        if ((kind->engine && strcmp(kind->engine, c->engine) != 0) || (kind->multi && !multi)) continue;
        for (int k = 0; k < CLIFF_SIZES; k++)
            if (kind->sizes[k]) cliff_row(c, kind, kind->sizes[k] - (kind->timed && c->o->quick ? 4 : 0), &flat);
    }
}

static void cliff_place(const struct options *o, const char *device, const char *place)
{
    struct cliff c = {.o = o, .device = device, .place = place};
    const struct workload w = {.seed = o->seed, .keys = CLIFF_KEYS, .key_bytes = 4, .value_bytes = 4};
    roost_engine_info info;
    c.keys = malloc(CLIFF_KEYS * sizeof *c.keys);
    c.same = malloc(CLIFF_KEYS * sizeof *c.same);
    c.statuses = malloc(CLIFF_KEYS);
    c.operations = malloc(CLIFF_KEYS);
    if (!c.keys || !c.same || !c.statuses || !c.operations) exit(1);
    for (uint64_t i = 0; i < CLIFF_KEYS; i++) c.keys[i] = (uint32_t)workload_stored_key(w, i);
    for (size_t i = 0; roost_engine_describe(i, &info, sizeof info) == ROOST_OK; i++) {
        c.engine = info.name;
        if (!o->engine || strcmp(o->engine, c.engine) == 0) cliff_engine(&c, info.multi);
    }
    free(c.keys), free(c.same), free(c.statuses), free(c.operations);
}

static bool have_device(const char *name)
{
    roost_device_info info;
    for (size_t i = 0; roost_device_describe(i, &info, sizeof info) == ROOST_OK; i++)
        if (strncmp(info.name, name, strlen(name)) == 0) return true;
    return false;
}

void cliff_rows(const struct options *o)
{
    const bool host_only = o->device && strcmp(o->device, "host") == 0;
    const char *gpu = o->device ? o->device : "cuda";
    if (!host_only && options_want_some(o, "cliffs/gpu") && have_device(gpu)) cliff_place(o, gpu, "gpu");
    if ((host_only || !o->device) && options_want_some(o, "cliffs/host")) cliff_place(o, "host", "host");
}
