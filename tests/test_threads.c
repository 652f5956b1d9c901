/* Threads of the caller: concurrent finds on one table, tables of different threads, and error
 * texts of each thread; and processes that fork. */
#include "backends/backend.h"
#include "support/draw.h"
#include "support/settings.h"
#include "support/tables.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* ---- Processes that fork -------------------------------------------------------------------- */

/* Items that a thread takes at a time here, so that several take part in a batch. */
enum { FEW = 64 };

/* The address sanitizer's allocator keeps the locks that other threads held at a fork: a child
 * hangs in its own malloc. */
#if defined(__SANITIZE_ADDRESS__)
#define CHILDREN_MAY_ALLOCATE false
#else
#define CHILDREN_MAY_ALLOCATE true
#endif

/* Seconds after which a child that hangs is ended by a signal. */
enum { CHILD_HANGS = 120 };

/* Works in a child, and returns whether it saw only right answers.  A child ends without the tests'
 * own end, so it must not fail a test itself. */
static bool child_works(work_function work, struct worker *worker)
{
    int status = 0;
    const pid_t child = fork();
    require(child >= 0, "no child");
    if (child == 0) {
        alarm(CHILD_HANGS);
        work(worker);
        /* In a sanitizer's build _exit looks for the parent's threads. */
        syscall(SYS_exit_group, worker->wrong != 0);
    }
    require(waitpid(child, &status, 0) == child, "the child is lost");
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Finds in a table of the parent, changes it, and makes another one. */
static void *inherit(void *context)
{
    struct worker *worker = context;
    struct arrays *arrays = malloc(sizeof *arrays);
    if (!arrays) abort();
    worker->wrong += count_wrong_finds(arrays, worker->variant->shape, worker->table, 0, worker->present);
    live(worker, worker->table, arrays);
    live_alone(worker);
    free(arrays);
    return NULL;
}

/* The parent's threads have worked before: the child has none of them. */
static void children_work(const struct variant *variant)
{
    struct arrays *arrays = malloc(sizeof *arrays);
    struct table table;
    if (!arrays) abort();
    const uint64_t grain = host_grain;
    host_grain = FEW;
    table_open(&table, variant, NULL);
    fill_arrays(arrays, variant->shape, 0);
    require_status(
        ROOST_OK,
        roost_insert(table.handle, ROOST_ASSIGN, arrays->keys, shape_is_set(variant->shape) ? NULL : arrays->values, BATCH, NULL),
        table.handle);
    struct worker worker = {.variant = variant, .table = table.handle, .first = 100000, .present = BATCH};
    table_config(variant, &worker.config);
    require(child_works(inherit, &worker), "the child of a process whose threads have worked");
    require(!count_wrong_finds(arrays, variant->shape, table.handle, 0, BATCH), "the parent after its child");
    table_check(&table);
    table_close(&table);
    host_grain = grain;
    free(arrays);
}

/* The process forks while its other threads work on tables of their own. */
static void children_work_beside_calls(const struct variant *variant)
{
    struct worker workers[THREADS];
    pthread_t threads[THREADS];
    bool works = true;
    const uint64_t grain = host_grain;
    host_grain = FEW;
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.variant = variant, .first = (uint64_t)i * 100000};
        table_config(variant, &workers[i].config);
    }
    for (int i = 1; i < THREADS; i++) require(!pthread_create(&threads[i], NULL, live_alone, &workers[i]), "no thread %d", i);
    for (int i = 0; i < 4; i++) works &= child_works(live_alone, &workers[0]);
    for (int i = 1; i < THREADS; i++) require(!pthread_join(threads[i], NULL), "thread %d", i);
    host_grain = grain;
    for (int i = 1; i < THREADS; i++) require(!workers[i].wrong, "thread %d saw wrong answers", i);
    require(works, "a child that was made while threads worked");
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
    /* A GPU's driver does not work in a child. */
    for (int threads = 1; threads <= 4 && !settings_on_gpu(); threads += 3) {
        suite_add("children work", children_work, (struct variant){.shape = &shapes[0], .threads = threads});
        if (CHILDREN_MAY_ALLOCATE)
            suite_add("children work beside calls", children_work_beside_calls,
                      (struct variant){.shape = &shapes[0], .threads = threads});
    }
    suite_add_once("texts belong to threads", texts_belong_to_threads);
    return suite_run("threads");
}
