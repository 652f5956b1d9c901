/* Threads of the caller: concurrent finds on one table, tables of different threads, and error
 * texts of each thread. */
#include "support/draw.h"
#include "support/settings.h"
#include "support/tables.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 8
#define BATCH 3000

/* A thread's work.  It counts errors, since only the main thread may fail a test. */
struct worker {
    const struct variant *variant;
    roost_table *table;
    roost_config config;
    uint64_t first; /* number of its first own key */
    size_t present; /* number of keys, from 0 on, in the shared table */
    uint64_t wrong;
    char text[64];
};

typedef void *(*work_function)(void *worker);

static void run_threads(struct worker *workers, work_function work)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) require(!pthread_create(&threads[i], NULL, work, &workers[i]), "no thread %d", i);
    for (int i = 0; i < THREADS; i++) require(!pthread_join(threads[i], NULL), "thread %d", i);
    for (int i = 0; i < THREADS; i++)
        require(!workers[i].wrong, "thread %d saw %llu wrong answers", i, (unsigned long long)workers[i].wrong);
}

static uint64_t value_of(const struct test_shape *shape, uint64_t i) { return (i * 5 + 2) & width_mask(shape->value_bytes); }

/* A batch of keys in the API's layout. */
struct arrays {
    uint64_t keys[2 * BATCH], values[2 * BATCH], patterns[BATCH]; /* of up to 16 bytes */
    uint8_t found[BATCH];
};

static void fill_arrays(struct arrays *arrays, const struct test_shape *shape, uint64_t first)
{
    for (size_t i = 0; i < BATCH; i++) arrays->patterns[i] = distinct_key(shape, first + i);
    pack_keys(arrays->patterns, BATCH, shape->key_bytes, arrays->keys);
    for (size_t i = 0; i < BATCH; i++) arrays->patterns[i] = value_of(shape, first + i);
    pack(arrays->patterns, BATCH, shape->value_bytes, arrays->values);
}

/* Finds keys from `first` on.  Those below `present` must be found with their values, the others
 * must not. */
static uint64_t count_wrong_finds(struct arrays *arrays, const struct test_shape *shape, roost_table *table, uint64_t first,
                                  uint64_t present)
{
    uint64_t wrong = 0;
    fill_arrays(arrays, shape, first);
    memset(arrays->values, 0, sizeof arrays->values);
    if (roost_find(table, arrays->keys, BATCH, arrays->values, arrays->found, NULL) != ROOST_OK) return 1;
    unpack(arrays->values, BATCH, shape->value_bytes, arrays->patterns);
    for (size_t i = 0; i < BATCH; i++) {
        const bool there = first + i < present;
        wrong += arrays->found[i] != there;
        wrong += there && !shape_is_set(shape) && arrays->patterns[i] != value_of(shape, first + i);
    }
    return wrong;
}

/* ---- Finds beside finds --------------------------------------------------------------------- */

static void *find_all(void *context)
{
    struct worker *worker = context;
    struct arrays *arrays = malloc(sizeof *arrays);
    if (!arrays) abort();
    for (uint64_t first = 0; first < 2 * worker->present; first += BATCH)
        worker->wrong += count_wrong_finds(arrays, worker->variant->shape, worker->table, first, worker->present);
    free(arrays);
    return NULL;
}

static void finds_beside_finds(const struct variant *variant)
{
    const size_t batches = settings_size(20, 4);
    struct arrays *arrays = malloc(sizeof *arrays);
    struct worker workers[THREADS];
    struct table table;
    if (!arrays) abort();
    table_open(&table, variant, NULL);
    for (size_t i = 0; i < batches; i++) {
        fill_arrays(arrays, variant->shape, i * BATCH);
        require_status(ROOST_OK,
                       roost_insert(table.handle, ROOST_ASSIGN, arrays->keys, shape_is_set(variant->shape) ? NULL : arrays->values,
                                    BATCH, NULL),
                       table.handle);
    }
    for (int i = 0; i < THREADS; i++)
        workers[i] = (struct worker){.variant = variant, .table = table.handle, .present = batches * BATCH};
    run_threads(workers, find_all);
    table_check(&table);
    table_close(&table);
    free(arrays);
}

/* ---- Tables of different threads ------------------------------------------------------------ */

/* Makes a table, lets it grow and shrink, and checks it. */
static void live(struct worker *worker, roost_table *table, struct arrays *arrays)
{
    const struct test_shape *shape = worker->variant->shape;
    for (uint64_t part = 0; part < 4; part++) {
        fill_arrays(arrays, shape, worker->first + part * BATCH);
        worker->wrong +=
            roost_insert(table, ROOST_KEEP, arrays->keys, shape_is_set(shape) ? NULL : arrays->values, BATCH, NULL) != ROOST_OK;
    }
    worker->wrong += count_wrong_finds(arrays, shape, table, worker->first + BATCH, worker->first + 4 * BATCH);
    worker->wrong += roost_table_check(table) != ROOST_OK;
    for (uint64_t part = 0; part < 4; part++) {
        fill_arrays(arrays, shape, worker->first + part * BATCH);
        worker->wrong += roost_erase(table, arrays->keys, BATCH, NULL) != ROOST_OK;
    }
    worker->wrong += count_wrong_finds(arrays, shape, table, worker->first, 0);
}

static void *live_alone(void *context)
{
    struct worker *worker = context;
    struct arrays *arrays = malloc(sizeof *arrays);
    if (!arrays) abort();
    roost_table *table;
    worker->wrong += roost_table_create(&table, &worker->config) != ROOST_OK;
    if (table) live(worker, table, arrays);
    roost_table_destroy(table);
    free(arrays);
    return NULL;
}

static void tables_beside_tables(const struct variant *variant)
{
    struct worker workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.variant = variant, .first = (uint64_t)i * 100000};
        table_config(variant, &workers[i].config);
    }
    run_threads(workers, live_alone);
}

/* ---- Error texts ---------------------------------------------------------------------------- */

/* Fails with its own engine name and finds that name in its own error text, whatever other
 * threads do. */
static void *fail_alone(void *context)
{
    struct worker *worker = context;
    roost_config config = worker->config;
    roost_table *table;
    worker->wrong += *roost_last_error(NULL) != 0;
    config.engine = worker->text;
    for (int i = 0; i < 200; i++) {
        worker->wrong += roost_table_create(&table, &config) != ROOST_ERR_NOT_FOUND;
        worker->wrong += !strstr(roost_last_error(NULL), worker->text);
    }
    return NULL;
}

static void texts_belong_to_threads(const struct variant *variant)
{
    struct worker workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.variant = variant};
        table_config(variant, &workers[i].config);
        memcpy(workers[i].text, "nosuch-A", sizeof "nosuch-A");
        workers[i].text[7] = (char)('A' + i);
    }
    run_threads(workers, fail_alone);
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    for (size_t i = 0; i < SHAPE_COUNT; i++) {
        const struct variant variant = {.shape = &shapes[i]};
        suite_add("finds beside finds", finds_beside_finds, variant);
        suite_add("tables beside tables", tables_beside_tables, variant);
    }
    for (size_t i = 0; i < 2 && settings_on_stadium(); i++) {
        const struct variant variant = {.shape = shape_named(i ? "16+16" : "12+12")};
        suite_add("finds beside finds", finds_beside_finds, variant);
        suite_add("tables beside tables", tables_beside_tables, variant);
    }
    if (settings_on_gph()) /* each call has its own work space */
        suite_add("finds beside finds", finds_beside_finds,
                  (struct variant){.shape = &shapes[0], .options = "index=routed,keys=1"});
    suite_add_once("texts belong to threads", texts_belong_to_threads);
    return suite_run("threads");
}
