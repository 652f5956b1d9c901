/* Batches by region: the library partitions them by where keys lie, and returns the answers in
 * the caller's order.  For engines with the option `bulk`. */
#include "support/draw.h"
#include "support/faulty_backend.h"
#include "support/model.h"
#include "support/sequences.h"
#include "support/settings.h"
#include "roost/tuning.h"

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

/* Finds by region give the answers of unordered finds, in the same order, for any number of
 * items.  The way back has chunks of 2048 items, counted by four. */
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
        /* kept for absent keys if the call asks for it */
        for (size_t i = 0; i < m; i++) values[0][i] = values[1][i] = i & 0xffff;
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

/* Random batches in every mode, with many duplicates; each item's status and the contents are
 * compared with the reference.  One table grows and shrinks.  The other does neither, and takes
 * all batches by region. */
static void writes_by_region(const struct variant *variant)
{
    struct variant with = *variant;
    struct dice dice = {suite_seed()};
    roost_config config;
    with.options = "bulk=on";
    for (int fixed = 0; fixed < 2; fixed++) {
        struct model model;
        table_config(&with, &config);
        if (fixed) config.growth = 0, config.capacity = 40000;
        model_open(&model, &with, &config);
        sequence_run(&model, &dice, settings_size(20, 8), 5000);
        model_close(&model);
    }
}

/* Two kinds of inserts do not go by region: those of fks, which has its own partition, and those
 * that may make a table grow, which needs the memory. */
static void writes_are_partitioned(const struct variant *variant)
{
    enum { N = 9000 };
    struct variant with = *variant;
    struct table table;
    roost_config config;
    uint64_t *keys = numbered_keys(variant->shape, 0, N);
    uint8_t *statuses = make_bytes(N);
    with.options = "bulk=on";
    table_config(&with, &config);
    config.min_fill = 0;
    table_open(&table, &with, &config);
    /* nothing is brought back if the caller wants no statuses */
    for (int known = 0; known < 3; known++) {
        const double before = table_stats(&table).route_seconds;
        require_status(ROOST_OK, table_insert(&table, ROOST_KEEP, keys, keys, N, known > 1 ? statuses : NULL), table.handle);
        const double inserted = table_stats(&table).route_seconds;
        require((inserted > before) == (known && !settings_on_fks()), "inserts were partitioned for %g s", inserted - before);
        require_status(ROOST_OK, table_erase(&table, keys, N / 3, known > 1 ? statuses : NULL), table.handle);
        require(table_stats(&table).route_seconds > inserted, "erases were not partitioned");
        require(table_stats(&table).count == N - N / 3, "%llu keys are left", (unsigned long long)table_stats(&table).count);
        require_status(ROOST_OK, roost_table_reserve(table.handle, 4 * N), table.handle);
    }
    table_close(&table);
    free(statuses);
    free(keys);
}

/* A full table reports the items that it refused at the caller's positions, and keeps the
 * others. */
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

/* Checks a table of n keys, half of them erased, by finds of 2 n keys. */
static void require_half(const struct table *table, const uint64_t *keys, size_t n, const uint8_t *erased)
{
    uint8_t *found = make_bytes(2 * n);
    require_status(ROOST_OK, table_find(table, keys, 2 * n, NULL, found, NULL), table->handle);
    for (size_t i = 0; i < 2 * n; i++) require(found[i] == (i >= n / 2 && i < n), "key %zu", i);
    for (size_t i = 0; i < n / 2; i++) require(erased[i] == ROOST_ITEM_ERASED, "the status of item %zu: %u", i, erased[i]);
    free(found);
}

/* Calls are unordered if memory for the columns is refused.  If memory for all items is refused,
 * they go in pieces. */
static void memory_is_refused(const struct variant *variant)
{
    /* keys; half of the N / 2 erases is still more than the smallest piece */
    enum { N = 400000 };
    struct variant with = *variant;
    roost_config config;
    uint64_t *keys = numbered_keys(variant->shape, 0, 2 * N);
    uint8_t *statuses = make_bytes(N);
    with.options = "bulk=on";
    table_config(&with, &config);
    config.capacity = N;
    config.min_fill = 0;
    for (int all = 0; all < 2; all++) {
        struct table table;
        faulty_begin(FAULTY_PLAIN);
        table_open(&table, &with, &config);
        require_status(ROOST_OK, table_insert(&table, ROOST_ASSIGN, keys, keys, N, NULL), table.handle);
        const double before = table_stats(&table).route_seconds;
        faulty_arm(FAULT_allocate, 1, all != 0);
        require_status(ROOST_OK, table_erase(&table, keys, N / 2, statuses), table.handle);
        if (!all) faulty_arm(FAULT_allocate, 1, false);
        require_half(&table, keys, N, statuses);
        require(faulty_injected() > 0, "no memory was asked for");
        require((table_stats(&table).route_seconds > before) == !all, "by region, or not");
        faulty_arm(FAULT_allocate, 0, false);
        require_half(&table, keys, N, statuses);
        require(table_stats(&table).route_seconds > before, "the table does not go by region any more");
        table_close(&table);
        faulty_end();
    }
    free(statuses);
    free(keys);
}

/* Double hashing of single tickets sends keys anywhere in the table, so there are no regions.
 * Finds are unordered whatever the options say. */
static void single_tickets_are_unordered(const struct variant *variant)
{
    struct variant with = *variant;
    struct model model;
    with.options = "bulk=on,probe=double";
    model_of_numbers(&model, &with, 1000);
    model_compare(&model);
    const struct table_numbers stats = table_stats(&model.table);
    require(stats.route_seconds == 0, "they went by region in %g s", stats.route_seconds);
    model_close(&model);
}

/* An engine whose keys have homes all over the table lacks the option. */
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
    for (size_t s = 0; bulk && s < SHAPE_COUNT; s++) {
        suite_add("by region", by_region, (struct variant){.shape = &shapes[s]});
        suite_add("writes by region", writes_by_region, (struct variant){.shape = &shapes[s]});
        suite_add("writes are partitioned", writes_are_partitioned, (struct variant){.shape = &shapes[s]});
        suite_add("full tables by region", full_tables_by_region, (struct variant){.shape = &shapes[s]});
    }
    if (bulk && !settings_on_gpu()) /* where the host's arrays take counted memory, too */
        suite_add("memory is refused", memory_is_refused, (struct variant){.shape = &shapes[0]});
    if (!bulk) suite_add("there is no such option", there_is_no_such_option, (struct variant){.shape = &shapes[0]});
    if (bulk && has_option("probe="))
        suite_add("single tickets are unordered", single_tickets_are_unordered, (struct variant){.shape = &shapes[0]});
    return suite_run("batches by region");
}
