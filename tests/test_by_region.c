/* Batches by region: partitioned before by where keys lie, and what became of them brought back.  For the engines that have an option `bulk`. */
#include "support/draw.h"
#include "support/faulty_backend.h"
#include "support/model.h"
#include "support/sequences.h"
#include "support/settings.h"

#include <stdlib.h>
#include <string.h>

static void model_of_numbers(struct model *model, const struct variant *variant, uint64_t n)
{
    roost_config config;
    table_config(variant, &config);
    config.capacity = n;
    model_open(model, variant, &config);
    uint64_t *keys = numbered_keys(&model->table.shape, 0, n);
    require_status(ROOST_OK, model_insert(model, ROOST_ASSIGN, keys, keys, n), model->table.handle);
    free(keys);
}

/* What finds by region answer is what finds answer as they come, in the same order, however many there are: chunks of the way back are 2048,
 * which are counted by four. */
static void by_region(const struct variant *variant)
{
    static const size_t counts[] = {1, 31, 1023, 1024, 1025, 20001, 2047, 2048, 2049, 8192, 8193};
    enum { MOST = 20001 };
    const uint64_t n = 30000;
    struct dice dice = {suite_seed()};
    uint64_t *keys = make_patterns(MOST), *values[2] = {make_patterns(MOST), make_patterns(MOST)};
    uint8_t *found[2] = {make_bytes(MOST), make_bytes(MOST)};
    struct model model[2];
    for (int way = 0; way < 2; way++) {
        struct variant with = *variant;
        with.options = way ? "bulk=on" : "bulk=off";
        model_of_numbers(&model[way], &with, n);
    }
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        const size_t m = counts[c];
        for (size_t i = 0; i < m; i++) keys[i] = distinct_key(variant->shape, draw_below(&dice, c % 2 ? n / 100 : 2 * n));
        for (size_t i = 0; i < m; i++) values[0][i] = values[1][i] = i & 0xffff; /* stays for absent keys, where the call says so */
        for (int way = 0; way < 2; way++) {
            const uint32_t flags = c < 4 ? ROOST_ABSENT_KEEP : 0;
            require_status(ROOST_OK, table_find_flagged(&model[way].table, keys, m, values[way], found[way], NULL, flags),
                           model[way].table.handle);
        }
        suite_step("%zu finds", m);
        for (size_t i = 0; i < m; i++)
            require(found[0][i] == found[1][i] && (!variant->shape->value_bytes || values[0][i] == values[1][i]),
                    "answer %zu of %zu", i, m);
        require_status(ROOST_OK, table_find(&model[1].table, keys, m, NULL, NULL, found[1]), model[1].table.handle);
        for (size_t i = 0; i < m; i++)
            require(found[1][i] == (found[0][i] ? ROOST_ITEM_FOUND : ROOST_ITEM_ABSENT), "the status of item %zu of %zu", i, m);
    }
    require(table_stats(&model[1].table).route_seconds > 0 && table_stats(&model[0].table).route_seconds == 0,
            "none went by region");
    for (int way = 0; way < 2; way++) {
        model_close(&model[way]);
        free(values[way]);
        free(found[way]);
    }
    free(keys);
}

/* Random batches in every mode, keys that come many times among them, each item's status and the contents against the reference. */
static void writes_by_region(const struct variant *variant)
{
    struct variant with = *variant;
    struct dice dice = {suite_seed()};
    struct model model;
    with.options = "bulk=on";
    model_open(&model, &with, NULL);
    sequence_run(&model, &dice, settings_size(30, 10), 5000);
    model_close(&model);
}

/* fks's inserts have a partition of their own, and go as they always do. */
static void writes_are_partitioned(const struct variant *variant)
{
    enum { N = 9000 };
    struct variant with = *variant;
    struct table table;
    uint64_t *keys = numbered_keys(variant->shape, 0, N);
    uint8_t *statuses = make_bytes(N);
    with.options = "bulk=on";
    table_open(&table, &with, NULL);
    for (int known = 0; known < 2; known++) { /* where nobody wants to know it nothing is brought back */
        require_status(ROOST_OK, table_insert(&table, ROOST_KEEP, keys, keys, N, known ? statuses : NULL), table.handle);
        const double inserted = table_stats(&table).route_seconds;
        require((inserted > 0) == (known || !settings_on_fks()), "inserts were partitioned for %g s", inserted);
        require_status(ROOST_OK, table_erase(&table, keys, N / 3, known ? statuses : NULL), table.handle);
        require(table_stats(&table).route_seconds > inserted, "erases were not partitioned");
        require(table_stats(&table).count == N - N / 3, "%llu keys are left", (unsigned long long)table_stats(&table).count);
    }
    table_close(&table);
    free(statuses);
    free(keys);
}

/* A full table names the items that it refused, each where the caller put it, and keeps the others. */
static void full_tables_by_region(const struct variant *variant)
{
    enum { N = 6000 };
    struct variant with = *variant;
    struct model model;
    roost_config config;
    with.options = "bulk=on";
    table_config(&with, &config);
    config.growth = 0;
    config.capacity = N / 4;
    model_open(&model, &with, &config);
    uint64_t *keys = numbered_keys(variant->shape, 0, N);
    require_status(ROOST_ERR_FULL, model_insert(&model, ROOST_ASSIGN, keys, keys, N), model.table.handle);
    model_find(&model, keys, N);
    model_erase(&model, keys, N / 2);
    model_compare(&model);
    model_close(&model);
    free(keys);
}

/* Where memory for the columns is refused calls go as they come. */
static void no_memory_for_regions(const struct variant *variant)
{
    enum { N = 20000 };
    struct variant with = *variant;
    struct table table;
    roost_config config;
    with.options = "bulk=on";
    table_config(&with, &config);
    config.capacity = N;
    config.min_fill = 0;
    uint64_t *keys = numbered_keys(variant->shape, 0, 2 * N);
    uint8_t *found = make_bytes(2 * N);
    faulty_begin(FAULTY_PLAIN);
    table_open(&table, &with, &config);
    require_status(ROOST_OK, table_insert(&table, ROOST_ASSIGN, keys, keys, N, NULL), table.handle);
    const double before = table_stats(&table).route_seconds;
    faulty_arm(FAULT_allocate, 1, true);
    require_status(ROOST_OK, table_erase(&table, keys, N / 2, NULL), table.handle);
    require_status(ROOST_OK, table_find(&table, keys, 2 * N, NULL, found, NULL), table.handle);
    require(faulty_injected() > 1, "no memory was asked for");
    faulty_arm(FAULT_allocate, 0, false);
    for (size_t i = 0; i < 2 * N; i++) require(found[i] == (i >= N / 2 && i < N), "key %zu", i);
    require(table_stats(&table).route_seconds == before, "there was memory for regions");
    require_status(ROOST_OK, table_find(&table, keys, 2 * N, NULL, found, NULL), table.handle);
    require(table_stats(&table).route_seconds > before, "the table does not go by region any more");
    table_close(&table);
    faulty_end();
    free(found);
    free(keys);
}

/* No place for regions: double hashing of single tickets sends keys anywhere, and finds go as they come whatever is asked. */
static void single_tickets_go_as_they_come(const struct variant *variant)
{
    struct variant with = *variant;
    struct model model;
    with.options = "bulk=on,probe=double";
    model_of_numbers(&model, &with, 1000);
    model_compare(&model);
    const roost_stats stats = table_stats(&model.table);
    require(stats.route_seconds == 0, "they went by region in %g s", stats.route_seconds);
    model_close(&model);
}

/* An engine whose keys have homes all over the table has no such option. */
static void there_is_no_such_option(const struct variant *variant)
{
    struct variant with = *variant;
    struct table table;
    roost_config config;
    with.options = "bulk=on";
    table_config(&with, &config);
    require_status(ROOST_ERR_NOT_FOUND, table_create(&table, &with, &config), NULL);
}

static bool has_option(const char *option)
{
    const char *const wanted = settings_get()->engine ? settings_get()->engine : "dycuckoo";
    roost_engine_info info;
    for (size_t i = 0; roost_engine_describe(i, &info, sizeof info) == ROOST_OK; i++)
        if (!strcmp(info.name, wanted)) return strstr(info.options, option) != NULL;
    return false;
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    const bool bulk = has_option("bulk=");
    for (size_t s = 0; bulk && s < SHAPE_COUNT; s++) suite_add("by region", by_region, (struct variant){.shape = &shapes[s]});
    for (size_t s = 0; bulk && s < SHAPE_COUNT; s++) {
        suite_add("writes by region", writes_by_region, (struct variant){.shape = &shapes[s]});
        suite_add("writes are partitioned", writes_are_partitioned, (struct variant){.shape = &shapes[s]});
        suite_add("full tables by region", full_tables_by_region, (struct variant){.shape = &shapes[s]});
    }
    if (bulk && !settings_on_gpu()) /* where arrays of the host take memory, too */
        suite_add("no memory for regions", no_memory_for_regions, (struct variant){.shape = &shapes[0]});
    if (!bulk) suite_add("there is no such option", there_is_no_such_option, (struct variant){.shape = &shapes[0]});
    if (bulk && has_option("probe="))
        suite_add("single tickets go as they come", single_tickets_go_as_they_come, (struct variant){.shape = &shapes[0]});
    return suite_run("batches by region");
}
