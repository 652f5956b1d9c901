/* Equal keys of a batch on a table of two ranks: they travel once, and each item ends as if it had
 * gone alone. */
#include "roost/tuning.h"
#include "support/draw.h"
#include "support/settings.h"
#include "support/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 200, LARGEST = 1000 };

struct items {
    size_t n;
    size_t *number; /* of each item's key */
    uint64_t *keys, *values, *seen;
    uint8_t *statuses, *found;
};

/* Half of the items have one key. */
static struct items items_make(const struct variant *variant)
{
    struct dice dice = {suite_seed()};
    struct items a = {.n = settings_size(200000, 40000)};
    a.number = (size_t *)make_patterns(a.n);
    a.keys = make_patterns(a.n), a.values = make_patterns(a.n), a.seen = make_patterns(a.n);
    a.statuses = make_bytes(a.n), a.found = make_bytes(a.n);
    for (size_t i = 0; i < a.n; i++) {
        a.number[i] = draw_below(&dice, 2) ? 0 : (size_t)draw_below(&dice, FEW);
        a.keys[i] = distinct_key(variant->shape, a.number[i]);
        a.values[i] = 1 + draw_below(&dice, LARGEST);
    }
    return a;
}

static void items_free(struct items *a)
{
    free(a->number), free(a->keys), free(a->values), free(a->seen), free(a->statuses), free(a->found);
}

/* How many items of each key ended so; the others must have ended otherwise. */
static void require_once(const struct items *a, uint8_t once, uint8_t others)
{
    uint64_t times[FEW] = {0};
    for (size_t i = 0; i < a->n; i++) {
        require(a->statuses[i] == once || a->statuses[i] == others, "item %zu ended %u", i, a->statuses[i]);
        times[a->number[i]] += a->statuses[i] == once;
    }
    for (size_t key = 0; key < FEW; key++) require(times[key] == 1, "%llu items of key %zu ended %u", print(times[key]), key, once);
}

/* ADD, MIN and MAX of all values of each key. */
static void combine_all(const struct items *a, roost_mode mode, uint64_t combined[FEW])
{
    memset(combined, 0, FEW * sizeof *combined);
    for (size_t i = 0; i < a->n; i++) {
        uint64_t *const to = &combined[a->number[i]];
        if (mode == ROOST_ADD) *to += a->values[i];
        else if (!*to || (mode == ROOST_MIN ? a->values[i] < *to : a->values[i] > *to)) *to = a->values[i];
    }
}

static void require_values(const struct items *a, const struct variant *variant, roost_mode mode)
{
    uint64_t combined[FEW];
    combine_all(a, mode, combined);
    for (size_t i = 0; i < a->n; i++) {
        const uint64_t value = a->seen[i], expected = combined[a->number[i]];
        require(a->found[i] == 1, "item %zu is not found", i);
        if (!variant->shape->value_bytes) continue;
        if (mode >= ROOST_ADD) require(value == expected, "item %zu has %llu, not %llu", i, print(value), print(expected));
        else require(value >= 1 && value <= LARGEST, "item %zu has %llu, which nobody inserted", i, print(value));
        require(value == a->seen[0] || a->number[i] != a->number[0], "items of one key found different values");
    }
}

static uint64_t received(const struct table *table)
{
    roost_stat stat = ROOST_STAT_INIT;
    require_status(ROOST_OK, roost_table_stat(table->handle, "table.items_received", &stat), table->handle);
    return stat.value.u64;
}

/* number: the mode. */
static void equal_keys_travel_once(const struct variant *variant)
{
    const roost_mode mode = (roost_mode)variant->number;
    struct items a = items_make(variant);
    struct table table;
    roost_config config;
    char devices[64];
    table_config(variant, &config);
    snprintf(devices, sizeof devices, "%s,%s", config.device, config.device);
    config.device = devices;
    table_open(&table, variant, &config);
    require_status(ROOST_OK, table_insert(&table, mode, a.keys, a.values, a.n, a.statuses), table.handle);
    require_once(&a, ROOST_ITEM_INSERTED, mode == ROOST_KEEP ? ROOST_ITEM_KEPT : ROOST_ITEM_UPDATED);
    require_status(ROOST_OK, table_find(&table, a.keys, a.n, a.seen, a.found, NULL), table.handle);
    require_values(&a, variant, mode);
    require_status(ROOST_OK, table_erase(&table, a.keys, a.n, a.statuses), table.handle);
    require_once(&a, ROOST_ITEM_ERASED, ROOST_ITEM_ABSENT);
    require_status(ROOST_OK, table_find(&table, a.keys, a.n, a.seen, a.found, NULL), table.handle);
    for (size_t i = 0; i < a.n; i++) require(!a.found[i] && !a.seen[i], "item %zu is there after an erase", i);
    /* The first rank gets the keys of both, in each of four calls, and some keys that the sample
     * did not show. */
    require(received(&table) <= 4 * (2 * FEW + a.n / 40), "%llu items have travelled", print(received(&table)));
    table_check(&table);
    table_close(&table);
    items_free(&a);
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    for (uint64_t mode = ROOST_ASSIGN; mode <= ROOST_MAX; mode++)
        for (size_t i = 0; i < SHAPE_COUNT; i++)
            for (int p = PLACE_HOST; p < suite_placements(); p++)
                if (shapes[i].value_bytes || mode <= ROOST_KEEP)
                    suite_add("equal keys travel once", equal_keys_travel_once,
                              (struct variant){.shape = &shapes[i], .number = mode, .placement = (enum placement)p});
    return suite_run("equal keys");
}
