/* Finds by region: partitioned before by where keys lie, and brought back.  For the engines that have an option `bulk`. */
#include "support/draw.h"
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
    if (!bulk) suite_add("there is no such option", there_is_no_such_option, (struct variant){.shape = &shapes[0]});
    if (bulk && has_option("probe="))
        suite_add("single tickets go as they come", single_tickets_go_as_they_come, (struct variant){.shape = &shapes[0]});
    return suite_run("by region");
}
