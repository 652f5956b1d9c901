/* Tables that are spread over ranks, which are threads here: they answer as one table does, refuse
 * calls that differ, and end within their limits when a rank or the transport fails. */
#include "roost/merge.h"
#include "roost/mixed.h"
#include "roost/sharding.h"
#include "roost/tuning.h"
#include "roost/views.h"
#include "support/draw.h"
#include "support/members.h"
#include "support/settings.h"
#include "support/tables.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RANKS = 4, KEYS = 4000, ITEMS = 6000, LARGE = 300000 /* more than a round */ };

/* ---- Answers --------------------------------------------------------------------------------- */

/* The keys of a rank's batch `turn`; one of the ranks brings none. */
static struct arrays batch_make(const struct test_shape *shape, int rank, int turn, size_t most)
{
    struct dice dice = {suite_seed() + (uint64_t)(16 * turn + rank)};
    struct arrays a = arrays_make((rank + turn) % RANKS == 1 ? 0 : most - (size_t)draw_below(&dice, most / 2));
    for (size_t i = 0; i < a.n; i++) a.numbers[i] = draw_below(&dice, KEYS);
    arrays_fill(&a, shape);
    return a;
}

enum { TURNS = 5 };
static roost_mode mode_of(const struct variant *variant) { return variant->shape->value_bytes ? ROOST_ADD : ROOST_ASSIGN; }

static void batches_insert(struct member *m)
{
    const struct test_shape *const shape = m->variant->shape;
    const size_t most = m->number ? (size_t)m->number : ITEMS;
    table_open_all(m);
    for (int turn = 0; turn < TURNS && !*m->wrong; turn++) {
        struct arrays a = batch_make(shape, m->rank, turn, most);
        roost_call call = ROOST_CALL_INIT;
        call.statuses = a.statuses;
        expect_ok(m, roost_insert(m->table, mode_of(m->variant), a.keys, shape->value_bytes ? a.values : NULL, a.n, &call),
                  "insert");
        for (size_t i = 0; i < a.n; i++)
            EXPECT(m, a.statuses[i] == ROOST_ITEM_INSERTED || a.statuses[i] == ROOST_ITEM_UPDATED, "item %zu ended %u", i,
                   a.statuses[i]);
        arrays_free(&a);
    }
    expect_ok(m, roost_table_check(m->table), "check");
}

/* Looks up all keys, and compares with a table of one rank. */
static roost_table *one_table;
static void answers_compare(struct member *m)
{
    const struct test_shape *const shape = m->variant->shape;
    struct arrays a = arrays_make(2 * KEYS + (size_t)m->rank), b = arrays_make(a.n);
    roost_stats stats = {.size = sizeof stats}, one = stats;
    for (size_t i = 0; i < a.n; i++) a.numbers[i] = b.numbers[i] = i;
    arrays_fill(&a, shape), arrays_fill(&b, shape);
    expect_ok(m, roost_find(m->table, a.keys, a.n, shape->value_bytes ? a.values : NULL, a.found, NULL), "find");
    expect_ok(m, roost_find(one_table, b.keys, b.n, shape->value_bytes ? b.values : NULL, b.found, NULL), "find in one table");
    for (size_t i = 0; i < a.n; i++)
        EXPECT(m, a.found[i] == b.found[i], "key %zu: found %u, and %u in one table", i, a.found[i], b.found[i]);
    EXPECT(m, !memcmp(a.values, b.values, a.n * (size_t)shape->value_bytes), "values differ from those in one table");
    expect_ok(m, roost_table_stats(m->table, &stats, sizeof stats), "stats");
    expect_ok(m, roost_table_stats(one_table, &one, sizeof one), "stats of one table");
    EXPECT(m, stats.count == one.count, "%llu keys, and %llu in one table", print(stats.count), print(one.count));
    arrays_free(&a), arrays_free(&b);
}

static void some_erase(struct member *m)
{
    struct arrays a = batch_make(m->variant->shape, m->rank, TURNS, ITEMS);
    expect_ok(m, roost_erase(m->table, a.keys, a.n, NULL), "erase");
    arrays_free(&a);
}

static void one_open(const struct variant *variant)
{
    roost_config config;
    table_config(variant, &config);
    config.device = "host";
    require_status(ROOST_OK, roost_table_create(&one_table, &config), NULL);
}

/* The ranks' batches of a turn, in one table. */
static void one_insert(const struct variant *variant, int ranks, int turn, size_t most, bool erases)
{
    const struct test_shape *const shape = variant->shape;
    for (int r = 0; r < ranks; r++) {
        struct arrays a = batch_make(shape, r, turn, most);
        const void *const values = shape->value_bytes ? a.values : NULL;
        require_status(ROOST_OK,
                       erases ? roost_erase(one_table, a.keys, a.n, NULL)
                              : roost_insert(one_table, mode_of(variant), a.keys, values, a.n, NULL),
                       one_table);
        arrays_free(&a);
    }
}

/* number: items of a rank, at most. */
static void ranks_answer_as_one_table(const struct variant *variant)
{
    struct member m[RANKS];
    for (int ranks = 1; ranks <= RANKS; ranks++) {
        const size_t most = variant->number ? (size_t)variant->number : ITEMS;
        suite_step("%d ranks", ranks);
        members_open(m, ranks, variant, NULL);
        one_open(variant);
        members_run(m, ranks, batches_insert);
        for (int turn = 0; turn < TURNS; turn++) one_insert(variant, ranks, turn, most, false);
        members_run(m, ranks, answers_compare);
        members_run(m, ranks, some_erase);
        one_insert(variant, ranks, TURNS, ITEMS, true);
        members_run(m, ranks, answers_compare);
        members_close(m, ranks);
        roost_table_destroy(one_table);
    }
}

/* ---- Order ----------------------------------------------------------------------------------- */

/* Each rank inserts, erases and finds keys of its own, in its order. */
static void order_of_a_rank(struct member *m)
{
    const struct test_shape *const shape = m->variant->shape;
    struct dice dice = {suite_seed() + (uint64_t)m->rank};
    struct arrays a = arrays_make(ITEMS);
    uint8_t *const operations = make_bytes(a.n), stored[64] = {0};
    roost_batch batch = ROOST_BATCH_INIT;
    roost_call call = ROOST_CALL_INIT;
    table_open_all(m);
    for (size_t i = 0; i < a.n; i++) {
        static const uint8_t some[] = {ROOST_OP_ASSIGN, ROOST_OP_ERASE, ROOST_OP_FIND};
        operations[i] = some[draw_below(&dice, 3)];
        a.numbers[i] = draw_below(&dice, sizeof stored) * RANKS + (unsigned)m->rank;
    }
    arrays_fill(&a, shape);
    batch.operations = operations;
    batch.keys = a.keys;
    batch.values_in = shape->value_bytes ? a.values : NULL;
    batch.n = a.n;
    call.flags = ROOST_ORDERED;
    call.statuses = a.statuses;
    expect_ok(m, roost_apply(m->table, &batch, &call), "apply");
    for (size_t i = 0; i < a.n && !*m->wrong; i++) {
        uint8_t *const is = &stored[a.numbers[i] / RANKS];
        const uint8_t expected = operations[i] == ROOST_OP_ASSIGN ? (*is ? ROOST_ITEM_UPDATED : ROOST_ITEM_INSERTED)
                                 : !*is                           ? ROOST_ITEM_ABSENT
                                 : operations[i] == ROOST_OP_FIND ? ROOST_ITEM_FOUND
                                                                  : ROOST_ITEM_ERASED;
        EXPECT(m, a.statuses[i] == expected, "item %zu ended %u, not %u", i, a.statuses[i], expected);
        if (operations[i] != ROOST_OP_FIND) *is = operations[i] == ROOST_OP_ASSIGN;
    }
    arrays_free(&a), free(operations);
}

static void a_ranks_order_is_kept(const struct variant *variant) { members_try(variant, 3, order_of_a_rank); }

/* ---- Calls that differ ----------------------------------------------------------------------- */

static void calls_differ(struct member *m)
{
    struct arrays a = batch_make(m->variant->shape, 0, 0, ITEMS);
    const void *const values = m->variant->shape->value_bytes ? a.values : NULL;
    roost_stats stats = {.size = sizeof stats};
    table_open_all(m);
    expect_ok(m, roost_insert(m->table, ROOST_ASSIGN, a.keys, values, a.n, NULL), "insert");
    roost_status status = m->rank == 1 ? roost_table_clear(m->table) : roost_table_check(m->table);
    EXPECT(m, status == ROOST_ERR_ARGUMENT, "another function: %s", roost_status_name(status));
    status = roost_insert(m->table, m->rank ? ROOST_ASSIGN : ROOST_KEEP, a.keys, values, a.n, NULL);
    EXPECT(m, status == ROOST_ERR_ARGUMENT, "another mode: %s", roost_status_name(status));
    status = roost_table_reserve(m->table, m->rank == 2 ? 1000000 : 2000000);
    EXPECT(m, status == ROOST_ERR_ARGUMENT, "another number: %s", roost_status_name(status));
    /* Wrong arguments of one rank do not keep the others. */
    status = roost_insert(m->table, ROOST_ASSIGN, m->rank ? a.keys : NULL, values, a.n, NULL);
    EXPECT(m, status == (m->rank ? ROOST_OK : ROOST_ERR_ARGUMENT), "no keys: %s", roost_status_name(status));
    status = roost_find(m->table, m->rank == 1 ? NULL : a.keys, a.n, NULL, a.found, NULL);
    EXPECT(m, status == (m->rank == 1 ? ROOST_ERR_ARGUMENT : ROOST_OK), "a find without keys: %s", roost_status_name(status));
    for (size_t i = 0; i < a.n && m->rank != 1; i++) EXPECT(m, a.found[i] == 1, "key %zu is not found", i);
    expect_ok(m, roost_table_clear(m->table), "clear");
    expect_ok(m, roost_table_stats(m->table, &stats, sizeof stats), "stats");
    EXPECT(m, stats.count == 0, "%llu keys after a clear", print(stats.count));
    arrays_free(&a);
}

/* A rank that refuses does not hide that others differ, and takes part in each call. */
static void one_refuses(struct member *m)
{
    const struct test_shape *const shape = m->variant->shape;
    struct arrays a = batch_make(shape, 0, 0, ITEMS);
    uint8_t *const operations = make_bytes(a.n);
    uint64_t *const out = make_patterns(RANKS * ITEMS), *const rows = make_patterns(RANKS * ITEMS);
    roost_call local = ROOST_CALL_INIT;
    roost_batch batch = ROOST_BATCH_INIT;
    size_t count = 0;
    const roost_config right = m->config;
    m->config.comm = m->comm;
    if (m->rank == 1) m->config.threads = -1;
    roost_status status = roost_table_create(&m->table, &m->config);
    EXPECT(m, status == (m->rank == 1 ? ROOST_ERR_ARGUMENT : ROOST_ERR_COMM), "create: %s", roost_status_name(status));
    m->config = right;
    table_open_all(m);
    status = roost_insert(m->table, m->rank == 1 ? ROOST_ASSIGN : ROOST_KEEP, m->rank ? a.keys : NULL, a.values, a.n, NULL);
    EXPECT(m, status == ROOST_ERR_ARGUMENT, "two modes, and no keys: %s", roost_status_name(status));
    local.flags = m->rank ? 0 : ROOST_LOCAL;
    status = roost_erase(m->table, a.keys, a.n, &local);
    EXPECT(m, status == (m->rank ? ROOST_OK : ROOST_ERR_ARGUMENT), "a local erase: %s", roost_status_name(status));
    status = roost_scatter(m->table, a.keys, a.numbers, m->rank ? 8 : 5, a.n, out, rows, RANKS * ITEMS, &count, NULL);
    EXPECT(m, status == (m->rank ? ROOST_OK : ROOST_ERR_ARGUMENT), "a wrong payload: %s", roost_status_name(status));
    memset(operations, ROOST_OP_ASSIGN, a.n);
    batch.operations = operations, batch.keys = a.keys, batch.n = a.n;
    batch.values_in = shape->value_bytes ? a.values : NULL;
    if (m->rank == 1) batch = (roost_batch)ROOST_BATCH_INIT;
    expect_ok(m, roost_apply(m->table, &batch, NULL), "apply, on one rank without items");
    expect_ok(m, roost_find(m->table, a.keys, a.n, NULL, a.found, NULL), "find");
    for (size_t i = 0; i < a.n; i++) EXPECT(m, a.found[i] == 1, "key %zu is not found", i);
    arrays_free(&a), free(operations), free(out), free(rows);
}

static void a_rank_that_refuses_takes_part(const struct variant *variant) { members_try(variant, 3, one_refuses); }

static void different_calls_are_refused(const struct variant *variant) { members_try(variant, 3, calls_differ); }

/* ---- Failures -------------------------------------------------------------------------------- */

static void sleep_ms(long ms)
{
    const struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

/* Memory of a rank whose thread refuses more of it. */
static _Thread_local int refuses_memory;
static void *memory_allocate(void *context, size_t bytes)
{
    void *memory = NULL;
    (void)context;
    return refuses_memory || posix_memalign(&memory, 64, bytes) ? NULL : memory;
}
static void memory_release(void *context, void *memory, size_t bytes)
{
    (void)context, (void)bytes;
    free(memory);
}

/* Finds go on where no memory is left, whatever their keys: `number` different ones. */
static void finds_without_memory(struct member *m)
{
    const struct test_shape *const shape = m->variant->shape;
    struct arrays a = arrays_make(4 * ITEMS);
    for (size_t i = 0; i < a.n; i++) a.numbers[i] = i % m->number;
    arrays_fill(&a, shape);
    m->config.allocator = (roost_allocator){memory_allocate, memory_release, NULL};
    m->config.threads = 1;
    table_open_all(m);
    expect_ok(m, roost_insert(m->table, ROOST_ASSIGN, a.keys, shape->value_bytes ? a.values : NULL, a.n, NULL), "insert");
    refuses_memory = 1;
    expect_ok(m, roost_find(m->table, a.keys, a.n, NULL, a.found, NULL), "find");
    refuses_memory = 0;
    for (size_t i = 0; i < a.n; i++) EXPECT(m, a.found[i] == 1, "item %zu is not found", i);
    arrays_free(&a);
}

static void finds_need_no_memory(const struct variant *variant) { members_try(variant, 2, finds_without_memory); }

/* All finds are of one key, and too few for a sample: its owner has no room for them at once. */
static void finds_crowd_one_rank(struct member *m)
{
    const struct test_shape *const shape = m->variant->shape;
    struct arrays a = arrays_make(ITEMS);
    for (size_t i = 0; i < a.n; i++) a.numbers[i] = 7;
    arrays_fill(&a, shape);
    table_open_all(m);
    expect_ok(m, roost_insert(m->table, ROOST_ASSIGN, a.keys, shape->value_bytes ? a.values : NULL, m->rank == 0, NULL), "insert");
    for (int turn = 0; turn < 2; turn++) {
        memset(a.found, 2, a.n);
        expect_ok(m, roost_find(m->table, a.keys, m->rank == 1 ? 1 : a.n, NULL, a.found, NULL), "find");
        for (size_t i = 0; i < a.n; i++) EXPECT(m, a.found[i] == (m->rank == 1 && i ? 2 : 1), "item %zu: %u", i, a.found[i]);
    }
    arrays_free(&a);
}

static void finds_may_crowd_one_rank(const struct variant *variant) { members_try(variant, RANKS, finds_crowd_one_rank); }

/* The last rank comes late to a call, by `number` milliseconds. */
static void comes_late(struct member *m)
{
    struct arrays a = batch_make(m->variant->shape, 0, 0, ITEMS);
    table_open_all(m);
    if (m->rank == m->ranks - 1) sleep_ms((long)m->number);
    m->last = roost_insert(m->table, ROOST_ASSIGN, a.keys, m->variant->shape->value_bytes ? a.values : NULL, a.n, NULL);
    arrays_free(&a);
}

static void a_late_rank_is_waited_for(const struct variant *variant)
{
    struct member m[RANKS];
    const roost_comm_limits limits = {.size = sizeof limits, .progress = 30, .arrival = 5};
    members_open(m, 3, variant, &limits);
    members_run(m, 3, comes_late);
    for (int r = 0; r < 3; r++) require(m[r].last == ROOST_OK, "rank %d: %s", r, roost_status_name(m[r].last));
    members_close(m, 3);
}

/* Each shard is valid, and can be exported. */
static void shard_exports(const struct member *m)
{
    static uint64_t keys[2 * 2 * LARGE], values[2 * 2 * LARGE];
    roost_cursor cursor = {0, 0};
    size_t n = 0;
    if (!m->table) return;
    while (!cursor.end)
        require_status(ROOST_OK,
                       roost_export(m->table, &cursor, keys, m->variant->shape->value_bytes ? values : NULL, LARGE, &n, NULL),
                       m->table);
}

static void limits_end_a_call(const struct variant *variant)
{
    struct member m[RANKS];
    const roost_comm_limits limits = {.size = sizeof limits, .progress = 30, .arrival = 0.02};
    members_open(m, 3, variant, &limits);
    members_run(m, 3, comes_late);
    for (int r = 0; r < 3; r++) {
        require(m[r].last == ROOST_ERR_COMM, "rank %d: %s", r, roost_status_name(m[r].last));
        shard_exports(&m[r]);
        require_status(ROOST_ERR_COMM, roost_table_clear(m[r].table), m[r].table);
    }
    members_close(m, 3);
}

static void fails_somewhere(struct member *m)
{
    struct arrays a = batch_make(m->variant->shape, 0, 0, ITEMS);
    const void *const values = m->variant->shape->value_bytes ? a.values : NULL;
    m->config.comm = m->comm;
    m->last = roost_table_create(&m->table, &m->config);
    if (!m->last) m->last = roost_insert(m->table, ROOST_ASSIGN, a.keys, values, a.n, NULL);
    if (!m->last) m->last = roost_find(m->table, a.keys, a.n, NULL, a.found, NULL);
    EXPECT(m, !m->last || m->last == ROOST_ERR_COMM, "%s: %s", roost_status_name(m->last), roost_last_error(NULL));
    arrays_free(&a);
}

static void every_exchange_may_fail(const struct variant *variant)
{
    bool failed = true;
    for (uint64_t at = 0; failed; at++) {
        struct member m[RANKS];
        struct frail frail[RANKS];
        suite_step("exchange %llu fails", print(at));
        members_open(m, 3, variant, NULL);
        frail_begin(frail, m, 3, 1, at);
        members_run(m, 3, fails_somewhere);
        failed = m[1].last != ROOST_OK;
        for (int r = 0; r < 3; r++) require(failed || !m[r].last, "rank %d: %s", r, roost_status_name(m[r].last));
        for (int r = 0; r < 3; r++) shard_exports(&m[r]);
        members_close(m, 3);
        frail_end(frail, 3);
        require(at < 100, "exchanges without end");
    }
}

/* ---- Scattered items ------------------------------------------------------------------------- */

/* Items of all ranks are at their owners, each once, where a find needs no other rank.  number: of
 * a rank's items for which there is no room. */
static uint64_t arrived[RANKS];
static void scatters(struct member *m)
{
    const size_t lacking = (size_t)m->number;
    struct arrays a = arrays_make(m->rank == 1 ? 0 : LARGE);
    roost_stats stats = {.size = sizeof stats};
    roost_stat imbalance = ROOST_STAT_INIT;
    uint32_t *const rows = (uint32_t *)make_patterns(a.n + 1), *const rows_out = (uint32_t *)make_patterns(RANKS * LARGE);
    void *const keys_out = make_patterns(RANKS * LARGE);
    size_t count = 0, room = RANKS * (size_t)LARGE;
    roost_call local = ROOST_CALL_INIT;
    local.flags = ROOST_LOCAL;
    table_open_all(m);
    for (size_t i = 0; i < a.n; i++) a.numbers[i] = i, rows[i] = (uint32_t)(i * RANKS + (unsigned)m->rank);
    arrays_fill(&a, m->variant->shape);
    expect_ok(m, roost_insert(m->table, ROOST_ASSIGN, a.keys, m->variant->shape->value_bytes ? a.values : NULL, a.n, NULL),
              "insert");
    expect_ok(m, roost_scatter(m->table, a.keys, rows, sizeof *rows, a.n, keys_out, rows_out, room, &count, NULL), "scatter");
    uint8_t *const found = make_bytes(count + 1);
    expect_ok(m, roost_find(m->table, keys_out, count, NULL, found, &local), "a local find");
    for (size_t i = 0; i < count; i++) {
        uint64_t key = 0;
        const uint64_t expected = distinct_key(m->variant->shape, rows_out[i] / RANKS);
        memcpy(&key, (char *)keys_out + i * (size_t)m->variant->shape->key_bytes, (size_t)m->variant->shape->key_bytes);
        EXPECT(m, found[i] == 1, "item %zu of %zu is not in this shard", i, count);
        EXPECT(m, key == expected, "item %zu: row %u came with another key", i, rows_out[i]);
    }
    arrived[m->rank] = count;
    room = count > lacking ? count - lacking : 0;
    const roost_status status = roost_scatter(m->table, a.keys, NULL, 0, a.n, keys_out, NULL, room, &count, NULL);
    EXPECT(m, status == (lacking ? ROOST_ERR_FULL : ROOST_OK), "too little room: %s", roost_status_name(status));
    EXPECT(m, count == arrived[m->rank], "%zu items arrived, and %llu before", count, print(arrived[m->rank]));
    expect_ok(m, roost_table_stats(m->table, &stats, sizeof stats), "stats");
    expect_ok(m, roost_table_stat(m->table, "table.imbalance", &imbalance), "imbalance");
    EXPECT(m, imbalance.value.f64 >= 1 && imbalance.value.f64 < 1.1, "an imbalance of %g", imbalance.value.f64);
    EXPECT(m, roost_insert(m->table, ROOST_ASSIGN, a.keys, a.values, 0, &local) == ROOST_ERR_ARGUMENT, "a local insert");
    arrays_free(&a), free(rows), free(rows_out), free(keys_out), free(found);
}

static void scattered_items_are_at_their_owners(const struct variant *variant)
{
    struct member m[RANKS];
    uint64_t all = 0;
    members_open(m, 3, variant, NULL);
    members_run(m, 3, scatters);
    for (int r = 0; r < 3; r++) all += arrived[r];
    require(all == 2 * LARGE, "%llu items arrived", print(all));
    members_close(m, 3);
}

/* ---- Several devices ------------------------------------------------------------------------- */

static void wrong_devices_are_refused(const struct variant *variant)
{
    static const struct {
        const char *devices;
        roost_status status;
    } wrong[] = {{"host,", ROOST_ERR_ARGUMENT},
                 {",host", ROOST_ERR_ARGUMENT},
                 {"host,,host", ROOST_ERR_ARGUMENT},
                 {"host,nowhere", ROOST_ERR_NOT_FOUND},
                 {"nowhere,host,host", ROOST_ERR_NOT_FOUND},
                 {"host,a device whose name is longer than all that there are", ROOST_ERR_ARGUMENT}};
    roost_config config;
    roost_table *table;
    table_config(variant, &config);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        suite_step("devices \"%s\"", wrong[i].devices);
        config.device = wrong[i].devices;
        require_status(wrong[i].status, roost_table_create(&table, &config), NULL);
        require(!table, "a table was made");
    }
}

/* What only tables of one device have is refused, and the table works on. */
static void lone_calls_are_refused(const struct variant *variant)
{
    static const uint32_t keys[] = {1, 2, 3};
    uint32_t values[3];
    roost_config config;
    roost_table *table;
    roost_stats stats = {.size = sizeof stats};
    uint64_t view[64];
    table_config(variant, &config);
    config.device = "host,host";
    require_status(ROOST_OK, roost_table_create(&table, &config), NULL);
    require_status(ROOST_OK, roost_insert(table, ROOST_ASSIGN, keys, keys, 3, NULL), table);
    require_status(ROOST_ERR_UNSUPPORTED, roost_table_merge(table, table, ROOST_ASSIGN, NULL), table);
    require_status(ROOST_ERR_UNSUPPORTED, roost_view_acquire(table, view, sizeof view, 0, NULL), table);
    require_status(ROOST_OK, roost_find(table, keys, 3, values, NULL, NULL), table);
    require(!memcmp(keys, values, sizeof keys), "wrong values");
    require_status(ROOST_OK, roost_table_stats(table, &stats, sizeof stats), table);
    require(stats.count == 3, "%llu keys", print(stats.count));
    require_status(ROOST_OK, roost_table_check(table), table);
    roost_table_destroy(table);
}

/* Calls of several threads on a table of several devices take turns. */
static void *finds_again(void *table)
{
    static const uint32_t key = 7;
    uint64_t wrong = 0;
    for (int i = 0; i < 50; i++) {
        uint32_t value = 0;
        wrong += roost_find((roost_table *)table, &key, 1, &value, NULL, NULL) || value != key;
    }
    return (void *)(uintptr_t)wrong;
}

static void callers_take_turns(const struct variant *variant)
{
    static const uint32_t key = 7;
    pthread_t threads[RANKS];
    roost_config config;
    roost_table *table;
    table_config(variant, &config);
    config.device = "host,host,host";
    require_status(ROOST_OK, roost_table_create(&table, &config), NULL);
    require_status(ROOST_OK, roost_insert(table, ROOST_ASSIGN, &key, &key, 1, NULL), table);
    for (int i = 0; i < RANKS; i++) require(!pthread_create(&threads[i], NULL, finds_again, table), "no thread");
    for (int i = 0; i < RANKS; i++) {
        void *wrong;
        require(!pthread_join(threads[i], &wrong) && !wrong, "%llu wrong finds", print((uintptr_t)wrong));
    }
    roost_table_destroy(table);
}

/* ---- Comms ----------------------------------------------------------------------------------- */

static void wrong_comms_are_refused(const struct variant *variant)
{
    roost_comm *comms[2], *comm;
    roost_comm_operations operations = ROOST_COMM_OPERATIONS_INIT;
    const roost_comm_limits negative = {.size = sizeof negative, .progress = -1};
    (void)variant;
    require_status(ROOST_ERR_ARGUMENT, roost_comm_local(comms, 0, "", NULL), NULL);
    require_status(ROOST_ERR_ARGUMENT, roost_comm_local(comms, 2, "host", NULL), NULL);
    require_status(ROOST_ERR_ARGUMENT, roost_comm_local(comms, 1, "host,host", NULL), NULL);
    require_status(ROOST_ERR_ARGUMENT, roost_comm_local(comms, 2, "host,", NULL), NULL);
    require_status(ROOST_ERR_ARGUMENT, roost_comm_local(comms, 2, "host,host", &negative), NULL);
    require_status(ROOST_ERR_ARGUMENT, roost_comm_custom(&comm, &operations, NULL), NULL);
    require(!comm, "a comm was made");
    roost_comm_free(NULL);
}

/* The same by messages: rounds overlap, if a rank has more items than one. */
#define BY_MESSAGES(test)                                                                                                          \
    static void test##_by_messages(const struct variant *variant)                                                                  \
    {                                                                                                                              \
        members_send_messages = 1;                                                                                                 \
        test(variant);                                                                                                             \
        members_send_messages = 0;                                                                                                 \
    }
BY_MESSAGES(ranks_answer_as_one_table)
BY_MESSAGES(a_ranks_order_is_kept)
BY_MESSAGES(limits_end_a_call)
BY_MESSAGES(finds_need_no_memory)
BY_MESSAGES(every_exchange_may_fail)
BY_MESSAGES(scattered_items_are_at_their_owners)

static void add_more(void)
{
    suite_add_widths("ranks answer as one table, by messages", ranks_answer_as_one_table_by_messages);
    suite_add("ranks answer as one table, by messages", ranks_answer_as_one_table_by_messages,
              (struct variant){.shape = &shapes[0], .number = LARGE});
    suite_add_widths("a rank's order is kept, by messages", a_ranks_order_is_kept_by_messages);
    suite_add("limits end a call, by messages", limits_end_a_call_by_messages,
              (struct variant){.shape = &shapes[0], .number = 300});
    suite_add_once("every exchange may fail, by messages", every_exchange_may_fail_by_messages);
    for (uint64_t keys = 8; keys <= 8000; keys *= 1000) {
        suite_add("finds need no memory", finds_need_no_memory, (struct variant){.shape = &shapes[0], .number = keys});
        suite_add("finds need no memory, by messages", finds_need_no_memory_by_messages,
                  (struct variant){.shape = &shapes[0], .number = keys});
    }
    suite_add_widths("finds may crowd one rank", finds_may_crowd_one_rank);
    suite_add_widths("scattered items are at their owners, by messages", scattered_items_are_at_their_owners_by_messages);
}

int main(int argc, char **argv)
{
    suite_begin_on_host(argc, argv);
    add_more();
    suite_add_widths("ranks answer as one table", ranks_answer_as_one_table);
    suite_add("ranks answer as one table", ranks_answer_as_one_table, (struct variant){.shape = &shapes[0], .number = LARGE});
    suite_add_widths("a rank's order is kept", a_ranks_order_is_kept);
    suite_add_once("different calls are refused", different_calls_are_refused);
    suite_add_once("a rank that refuses takes part", a_rank_that_refuses_takes_part);
    suite_add("a late rank is waited for", a_late_rank_is_waited_for, (struct variant){.shape = &shapes[0], .number = 50});
    suite_add("limits end a call", limits_end_a_call, (struct variant){.shape = &shapes[0], .number = 300});
    suite_add_once("every exchange may fail", every_exchange_may_fail);
    suite_add_widths("scattered items are at their owners", scattered_items_are_at_their_owners);
    suite_add("scattered items are at their owners", scattered_items_are_at_their_owners,
              (struct variant){.shape = &shapes[0], .number = 1000});
    suite_add_once("wrong devices are refused", wrong_devices_are_refused);
    suite_add_once("lone calls are refused", lone_calls_are_refused);
    suite_add_once("callers take turns", callers_take_turns);
    suite_add_once("wrong comms are refused", wrong_comms_are_refused);
    return suite_run("sharding");
}
