/* A table's statistics: what they count, that they agree with each other, and that no find or
 * erase reads more than two buckets. */
#include "support/sequences.h"
#include "support/settings.h"

#include <stdio.h>
#include <stdlib.h>

#define KEYS 20000

static uint64_t keys[2 * KEYS], values[2 * KEYS];

/* Draws keys 0 to 2 * KEYS and inserts the first half of them. */
static void open_with_keys(struct table *table, const struct variant *variant)
{
    for (size_t i = 0; i < 2 * KEYS; i++) {
        keys[i] = distinct_key(variant->shape, i);
        values[i] = value_bits(variant->shape->value_type, (double)i);
    }
    table_open(table, variant, NULL);
    require_status(ROOST_OK, table_insert(table, ROOST_ASSIGN, keys, values, KEYS, NULL), table->handle);
}

static void require_counters(const struct table *table, uint64_t inserted, uint64_t updated, uint64_t erased)
{
    const struct table_numbers stats = table_stats(table);
    require(stats.inserted == inserted && stats.updated == updated && stats.erased == erased,
            "inserted %llu, updated %llu, erased %llu; not %llu, %llu, %llu", print(stats.inserted), print(stats.updated),
            print(stats.erased), print(inserted), print(updated), print(erased));
    require(stats.count == inserted - erased, "%llu keys", print(stats.count));
}

static void items_are_counted(const struct variant *variant)
{
    struct table table;
    open_with_keys(&table, variant);
    require_counters(&table, KEYS, 0, 0);
    require_status(ROOST_OK, table_insert(&table, ROOST_KEEP, keys + KEYS / 2, values, KEYS, NULL), table.handle);
    require_counters(&table, KEYS + KEYS / 2, KEYS / 2, 0);
    require_status(ROOST_OK, table_erase(&table, keys + KEYS, KEYS, NULL), table.handle);
    require_counters(&table, KEYS + KEYS / 2, KEYS / 2, KEYS / 2);
    require_status(ROOST_OK, table_erase(&table, keys + KEYS, KEYS, NULL), table.handle);
    require_status(ROOST_OK, table_find(&table, keys, KEYS, NULL, NULL, NULL), table.handle);
    require_counters(&table, KEYS + KEYS / 2, KEYS / 2, KEYS / 2);
    table_close(&table);
}

/* A small fixed table that is as full as it gets; the keys whose bits mean vacant slots may lie
 * beside the others. */
static void a_full_table_has_a_slot_for_each_key(const struct variant *variant)
{
    enum { MANY = 4000 };
    struct table table;
    roost_config config;
    table_config(variant, &config);
    config.growth = 0;
    table_open(&table, variant, &config);
    for (size_t i = 0; i < MANY; i++) keys[i] = i < 3 ? UINT64_MAX + i : distinct_key(variant->shape, i);
    require_status(ROOST_ERR_FULL, table_insert(&table, ROOST_ASSIGN, keys, keys, MANY, NULL), table.handle);
    const struct table_numbers stats = table_stats(&table);
    require(stats.count <= stats.slots, "%llu keys in %llu slots", print(stats.count), print(stats.slots));
    require(stats.load_factor == (double)stats.count / (double)stats.slots, "load factor %.9f of %llu keys in %llu slots",
            stats.load_factor, print(stats.count), print(stats.slots));
    table_close(&table);
}

/* A find is one launch.  Resizing and reading statistics are not counted as launches. */
static void launches_are_counted(const struct variant *variant)
{
    struct table table;
    open_with_keys(&table, variant);
    require_status(ROOST_OK, roost_table_sync(table.handle, NULL), table.handle);
    const uint64_t inserted = table_stats(&table).launches;
    require(inserted > 0, "an insert without a launch");
    require_status(ROOST_OK, roost_table_reserve(table.handle, 8 * KEYS), table.handle);
    require(table_stats(&table).launches == inserted, "a reservation launched over items");
    require_status(ROOST_OK, table_find(&table, keys, KEYS, values, NULL, NULL), table.handle);
    const uint64_t found = table_stats(&table).launches;
    require(found == inserted + 1, "a find made %llu launches", print(found - inserted));
    table_close(&table);
}

static void counters_survive_a_clear(const struct variant *variant)
{
    struct table table;
    open_with_keys(&table, variant);
    const struct table_numbers before = table_stats(&table);
    require_status(ROOST_OK, roost_table_clear(table.handle), table.handle);
    const struct table_numbers after = table_stats(&table);
    require(after.count == 0 && after.load_factor == 0, "%llu keys after a clear", print(after.count));
    require(after.inserted == before.inserted && after.grow_steps == before.grow_steps && after.rehashed == before.rehashed &&
                after.bytes_peak >= before.bytes_peak,
            "a clear reset the counters");
    table_close(&table);
}

static void memory_is_counted(const struct variant *variant)
{
    struct table table;
    open_with_keys(&table, variant);
    const struct table_numbers stats = table_stats(&table);
    const uint64_t pair = variant->shape->key_bytes + variant->shape->value_bytes;
    require(stats.table_bytes >= stats.slots * pair, "%llu slots of %llu bytes in %llu bytes", print(stats.slots), print(pair),
            print(stats.table_bytes));
    require(stats.bytes_now >= stats.table_bytes && stats.bytes_peak >= stats.bytes_now, "table %llu, now %llu, peak %llu bytes",
            print(stats.table_bytes), print(stats.bytes_now), print(stats.bytes_peak));
    require_status(ROOST_OK, table_erase(&table, keys, KEYS, NULL), table.handle);
    const struct table_numbers after = table_stats(&table);
    require(after.table_bytes < stats.table_bytes && after.bytes_now < stats.bytes_peak,
            "a table that shrank holds %llu of %llu bytes", print(after.table_bytes), print(stats.table_bytes));
    require(after.bytes_peak >= stats.bytes_peak, "the peak went down");
    table_close(&table);
}

static void resizing_is_counted(const struct variant *variant)
{
    struct table table;
    open_with_keys(&table, variant);
    struct table_numbers stats = table_stats(&table);
    require(stats.grow_steps >= 1 && stats.shrink_steps == 0, "%llu growth and %llu shrinking steps", print(stats.grow_steps),
            print(stats.shrink_steps));
    require(stats.forced_grow_steps <= stats.grow_steps, "%llu of %llu growth steps were forced", print(stats.forced_grow_steps),
            print(stats.grow_steps));
    require(stats.rehashed >= stats.largest_rehash, "%llu pairs moved, %llu in one step", print(stats.rehashed),
            print(stats.largest_rehash));
    require_status(ROOST_OK, table_erase(&table, keys, KEYS, NULL), table.handle);
    stats = table_stats(&table);
    require(stats.shrink_steps >= 1, "an emptied table took %llu shrinking steps", print(stats.shrink_steps));
    table_close(&table);
}

static void dycuckoo_has_its_defaults(const struct variant *variant)
{
    struct table table;
    open_with_keys(&table, variant);
    const struct table_numbers stats = table_stats(&table);
    require(stats.subtables == 4, "%u subtables", (unsigned)stats.subtables);
    require(stats.slots_per_bucket >= 4 && stats.slots_per_bucket <= 32, "%u slots a bucket", (unsigned)stats.slots_per_bucket);
    for (uint32_t i = stats.subtables; i < NUMBERS_SUBTABLES; i++)
        require(!stats.subtable_slots[i] && !stats.subtable_count[i], "subtable %u of 4 has numbers", i);
    table_close(&table);
}

/* ---- Bucket reads --------------------------------------------------------------------------- */

/* Hits, misses and erases, in a table as full as it gets before it grows. */
static void at_most_two_bucket_reads(const struct variant *variant)
{
    struct table table;
    open_with_keys(&table, variant);
    const struct table_numbers start = table_stats(&table);
    require_status(ROOST_OK, table_find(&table, keys, 2 * KEYS, values, NULL, NULL), table.handle);
    const struct table_numbers found = table_stats(&table);
    if (settings_on_gpu() && !found.bucket_reads) return suite_skip("the kernels of this build count no bucket reads");
    require(found.bucket_reads >= start.bucket_reads + 2 * KEYS && found.bucket_reads <= start.bucket_reads + 4 * KEYS,
            "%d finds read %llu buckets", 2 * KEYS, print(found.bucket_reads - start.bucket_reads));
    require_status(ROOST_OK, table_erase(&table, keys, KEYS / 2, NULL), table.handle);
    require_status(ROOST_OK, table_erase(&table, keys, KEYS / 2, NULL), table.handle);
    const struct table_numbers erased = table_stats(&table);
    require(erased.bucket_reads >= found.bucket_reads + KEYS, "%d erases read %llu buckets", KEYS,
            print(erased.bucket_reads - found.bucket_reads));
    require(erased.max_bucket_reads >= 1 && erased.max_bucket_reads <= 2, "a find or erase read %llu buckets",
            print(erased.max_bucket_reads));
    table_close(&table);
}

/* ---- Put-backs ------------------------------------------------------------------------------ */

/* Many threads update one key: some find its lock taken and put their item back.  Guaranteed
 * only where lanes run at the same time. */
static void the_vote_driver_puts_back(const struct variant *variant)
{
    const size_t n = settings_size(400000, 50000);
    uint64_t *hot = make_patterns(n);
    struct table table;
    table_open(&table, variant, NULL);
    require_status(ROOST_OK, table_insert(&table, ROOST_ASSIGN, hot, hot, n, NULL), table.handle);
    const uint64_t put_back = table_stats(&table).put_back;
    printf("%llu of %zu items were put back\n", print(put_back), n);
    require(put_back > 0 || !settings_on_gpu(), "no item was put back");
    require(table_stats(&table).count == 1, "one key made %llu", print(table_stats(&table).count));
    table_close(&table);
    free(hot);
}

static void add_dycuckoo(void)
{
    suite_add_widths("dycuckoo has its defaults", dycuckoo_has_its_defaults);
    suite_add_widths("at most two bucket reads", at_most_two_bucket_reads);
    suite_add("the vote driver puts back", the_vote_driver_puts_back,
              (struct variant){.shape = &shapes[0], .options = "driver=vote,publish=locked", .threads = 8});
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    suite_add_widths("items are counted", items_are_counted);
    suite_add_wide("items are counted", items_are_counted, shape_is_any);
    suite_add_widths("a full table has a slot for each key", a_full_table_has_a_slot_for_each_key);
    suite_add_widths("launches are counted", launches_are_counted);
    suite_add_widths("counters survive a clear", counters_survive_a_clear);
    suite_add_wide("counters survive a clear", counters_survive_a_clear, shape_is_any);
    suite_add_widths("memory is counted", memory_is_counted);
    suite_add_wide("memory is counted", memory_is_counted, shape_is_any);
    suite_add_widths("resizing is counted", resizing_is_counted);
    suite_add_wide("resizing is counted", resizing_is_counted, shape_is_any);
    if (settings_on_dycuckoo()) add_dycuckoo();
    return suite_run("stats");
}
