/* Batches of all sizes, from none to ten million items, each item checked.  Key number i has
 * value f(i), so no reference is needed. */
#include "support/sequences.h"
#include "support/settings.h"

#include <stdlib.h>
#include <string.h>

struct whole_batch {
    size_t n;
    uint64_t *keys;
    uint64_t *values;
    uint64_t *got;
    uint8_t *found;
    uint8_t *statuses;
};

static uint64_t value_of(const struct test_shape *shape, uint64_t i) { return (i * 3 + 1) & width_mask(shape->value_bytes); }

static struct whole_batch make_batch(const struct test_shape *shape, size_t n)
{
    struct whole_batch batch = {n, make_patterns(n), make_patterns(n), make_patterns(n), make_bytes(n), make_bytes(n)};
    for (size_t i = 0; i < n; i++) {
        batch.keys[i] = distinct_key(shape, i);
        batch.values[i] = value_of(shape, i);
    }
    return batch;
}

static void free_batch(struct whole_batch *batch)
{
    free(batch->keys);
    free(batch->values);
    free(batch->got);
    free(batch->found);
    free(batch->statuses);
}

static void require_statuses(struct whole_batch *batch, size_t from, size_t end, uint8_t expected)
{
    for (size_t i = from; i < end; i++)
        require(batch->statuses[i] == expected, "item %zu of %zu ended %u, not %u", i, batch->n, batch->statuses[i], expected);
    memset(batch->statuses, UNTOUCHED_BYTE, batch->n);
}

/* Keys before `absent` are absent; those from there on have their values. */
static void require_found(struct table *table, struct whole_batch *batch, size_t absent)
{
    memset(batch->got, 0, batch->n * sizeof *batch->got);
    require_status(ROOST_OK, table_find(table, batch->keys, batch->n, batch->got, batch->found, batch->statuses), table->handle);
    for (size_t i = 0; i < batch->n; i++) {
        require(batch->found[i] == (i >= absent), "item %zu of %zu: found is %u", i, batch->n, batch->found[i]);
        require(shape_is_set(&table->shape) || i < absent || batch->got[i] == batch->values[i], "item %zu of %zu: value %#llx", i,
                batch->n, (unsigned long long)batch->got[i]);
    }
    for (size_t i = 0; i < batch->n; i++)
        require(batch->statuses[i] == (i < absent ? ROOST_ITEM_ABSENT : ROOST_ITEM_FOUND), "item %zu ended %u", i,
                batch->statuses[i]);
    memset(batch->statuses, UNTOUCHED_BYTE, batch->n);
}

static void require_count(const struct table *table, size_t n)
{
    const struct table_numbers stats = table_stats(table);
    require(stats.count == n, "%llu keys, not %zu", (unsigned long long)stats.count, n);
    table_check(table);
}

static void batches(const struct variant *variant)
{
    const size_t n = (size_t)variant->number, half = n / 2;
    struct whole_batch batch = make_batch(variant->shape, n);
    struct table table;
    table_open(&table, variant, NULL);
    suite_step("inserting");
    require_status(ROOST_OK, table_insert(&table, ROOST_KEEP, batch.keys, batch.values, n, batch.statuses), table.handle);
    require_statuses(&batch, 0, n, ROOST_ITEM_INSERTED);
    require_count(&table, n);
    require_found(&table, &batch, 0);
    suite_step("inserting again");
    require_status(ROOST_OK, table_insert(&table, ROOST_ASSIGN, batch.keys, batch.values, n, batch.statuses), table.handle);
    require_statuses(&batch, 0, n, ROOST_ITEM_UPDATED);
    require_count(&table, n);
    suite_step("erasing half");
    require_status(ROOST_OK, table_erase(&table, batch.keys, half, batch.statuses), table.handle);
    require_statuses(&batch, 0, half, ROOST_ITEM_ERASED);
    require_count(&table, n - half);
    require_found(&table, &batch, half);
    suite_step("erasing all");
    require_status(ROOST_OK, table_erase(&table, batch.keys, n, batch.statuses), table.handle);
    require_statuses(&batch, half, n, ROOST_ITEM_ERASED);
    require_count(&table, 0);
    table_close(&table);
    free_batch(&batch);
}

/* Many batches of one size into one table. */
static void repeated(const struct variant *variant)
{
    const size_t size = (size_t)variant->number, many = settings_size(60000, 10000) / size;
    const size_t count = settings_rounds(many, many < 250 ? many : 250);
    struct whole_batch batch = make_batch(variant->shape, size * count);
    struct table table;
    table_open(&table, variant, NULL);
    for (size_t i = 0; i < count; i++) {
        uint64_t *keys = batch.keys + i * size, *values = batch.values + i * size;
        require_status(ROOST_OK, table_insert(&table, ROOST_ASSIGN, keys, values, size, batch.statuses), table.handle);
        require_statuses(&batch, 0, size, ROOST_ITEM_INSERTED);
    }
    require_count(&table, size * count);
    require_found(&table, &batch, 0);
    for (size_t i = 0; i < count; i++) {
        require_status(ROOST_OK, table_erase(&table, batch.keys + i * size, size, batch.statuses), table.handle);
        require_statuses(&batch, 0, size, ROOST_ITEM_ERASED);
    }
    require_count(&table, 0);
    table_close(&table);
    free_batch(&batch);
}

static void add_sizes(const struct test_shape *shape, enum placement placement)
{
    static const uint64_t sizes[] = {0, 1, 2, 31, 32, 33, 255, 1000, 4096, 65537};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        suite_add("a batch of", batches, (struct variant){.shape = shape, .placement = placement, .number = sizes[i]});
    suite_add("batches of", repeated, (struct variant){.shape = shape, .placement = placement, .number = 33});
    suite_add("batches of", repeated, (struct variant){.shape = shape, .placement = placement, .number = 1000});
}

/* A million items for some widths, and for one width ten million, or three million if they lie
 * on a GPU (test_sizes has billions there).  In a short run a million items for one width. */
static void add_large(enum placement placement)
{
    const size_t widths = settings_size(4, 1);
    for (size_t i = 0; i < widths; i++)
        suite_add("a batch of", batches, (struct variant){.shape = &shapes[i], .placement = placement, .number = 1000000});
    if (!settings_get()->is_short)
        suite_add(
            "a batch of", batches,
            (struct variant){.shape = &shapes[0], .placement = placement, .number = placement == PLACE_HOST ? 10000000 : 3000000});
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    for (int p = PLACE_HOST; p < suite_placements(); p++) {
        for (size_t i = 0; i < SHAPE_COUNT; i++) add_sizes(&shapes[i], (enum placement)p);
        add_large((enum placement)p);
    }
    return suite_run("batches");
}
