/* SlabHash's own guarantees: how its lists grow, shrink and are cleaned, the share of memory
 * that pairs take, that tombstones do not pile up, which of a multimap's pairs is the first, the
 * work for many pairs of one key, memory for them, appends that lose races, and the launches of a
 * mixed batch. */
#include "support/inside.h"
#include "support/draw.h"
#include "support/late_queues.h"
#include "support/mixes.h"
#include "support/restless.h"
#include "support/settings.h"
#include "support/tables.h"
#include "roost/multi.h"
#include "roost/mixed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LENGTH = 9 /* slabs of a list of tombstones; one more than a search for them reads */ };

/* ---- Tables --------------------------------------------------------------------------------- */

static void slab_config(const struct variant *variant, roost_config *config)
{
    table_config(variant, config);
    config->engine = "slab";
}

static void open_slab(struct table *table, const struct variant *variant, uint64_t capacity, uint32_t flags)
{
    roost_config config;
    slab_config(variant, &config);
    config.capacity = capacity;
    config.flags = flags;
    table_open(table, variant, &config);
}

static void insert(struct table *table, const uint64_t *keys, size_t n)
{
    require_status(ROOST_OK, table_insert(table, ROOST_ASSIGN, keys, keys, n, NULL), table->handle);
}

static void erase(struct table *table, const uint64_t *keys, size_t n)
{
    require_status(ROOST_OK, table_erase(table, keys, n, NULL), table->handle);
}

static void require_found(const struct table *table, const uint64_t *keys, size_t n, bool expected)
{
    uint8_t *found = make_bytes(n);
    require_status(ROOST_OK, table_find(table, keys, n, NULL, found, NULL), table->handle);
    for (size_t i = 0; i < n; i++) require(found[i] == expected, "key %llu of %zu: found %u", print(i), n, found[i]);
    free(found);
}

/* The statistics agree with each other; the utilisation is computed from slots of `slot_bytes`. */
static struct table_numbers checked_stats(const struct table *table)
{
    const struct table_numbers stats = table_stats(table);
    const double slots = (double)stats.buckets * stats.slots_per_bucket, slabs = (double)(stats.buckets + stats.chained_slabs);
    const double slot_bytes =
        table->shape.key_bytes + table->shape.value_bytes <= 8 ? table->shape.key_bytes + table->shape.value_bytes : 16;
    table_check(table);
    require(fabs(stats.average_slabs - (double)stats.count / slots) < 1e-9, "%g slabs on average", stats.average_slabs);
    require(fabs(stats.memory_utilisation - (double)stats.count * slot_bytes / (slabs * 128)) < 1e-9, "a utilisation of %g",
            stats.memory_utilisation);
    require(stats.longest_list >= 1 && stats.longest_list <= stats.chained_slabs + 1, "a list of %llu slabs, of %llu",
            print(stats.longest_list), print(stats.chained_slabs));
    require((double)stats.longest_list * (double)(stats.buckets + 1) >= slabs, "no list is as long as the average");
    return stats;
}

/* ---- Growth --------------------------------------------------------------------------------- */

/* Lists stay longer until the table is compacted, which returns the memory. */
static void lists_get_longer(const struct variant *variant)
{
    const size_t n = settings_size(6000, 3000);
    uint64_t *keys = numbered_keys(variant->shape, 0, n);
    struct table table;
    open_slab(&table, variant, 0, 0);
    const struct table_numbers made = checked_stats(&table);
    require(made.chained_slabs == 0 && made.longest_list == 1, "an empty table has %llu slabs", print(made.chained_slabs));
    insert(&table, keys, n);
    const struct table_numbers full = checked_stats(&table);
    require(full.buckets == made.buckets && full.grow_steps == 0, "%llu buckets became %llu", print(made.buckets),
            print(full.buckets));
    require(full.chained_slabs * full.slots_per_bucket + made.buckets * full.slots_per_bucket >= n, "%llu slabs for %zu keys",
            print(full.chained_slabs), n);
    erase(&table, keys, n);
    const struct table_numbers erased = checked_stats(&table);
    require(erased.count == 0 && erased.tombstones == n && erased.chained_slabs == full.chained_slabs, "%llu tombstones",
            print(erased.tombstones));
    require_status(ROOST_OK, roost_compact(table.handle), table.handle);
    const struct table_numbers compact = checked_stats(&table);
    require(compact.tombstones == 0 && compact.chained_slabs == 0 && compact.longest_list == 1 && compact.flushes > erased.flushes,
            "%llu tombstones in %llu slabs after %llu flushes", print(compact.tombstones), print(compact.chained_slabs),
            print(compact.flushes));
    require(compact.table_bytes < erased.table_bytes, "%llu bytes stay", print(compact.table_bytes));
    require_found(&table, keys, n, false);
    insert(&table, keys, n);
    require_found(&table, keys, n, true);
    table_close(&table);
    free(keys);
}

/* A compacted table has all its keys and no tombstones. */
static void compacting_keeps_keys(const struct variant *variant)
{
    const size_t n = settings_size(20000, 4000);
    uint64_t *keys = numbered_keys(variant->shape, 0, n);
    struct table table;
    open_slab(&table, variant, n, 0);
    insert(&table, keys, n);
    erase(&table, keys, n / 2);
    require(table_stats(&table).tombstones > 0, "no tombstones");
    require_status(ROOST_OK, roost_compact(table.handle), table.handle);
    const struct table_numbers stats = checked_stats(&table);
    require(stats.tombstones == 0 && stats.count == n - n / 2, "%llu tombstones, %llu keys", print(stats.tombstones),
            print(stats.count));
    require_found(&table, keys, n / 2, false);
    require_found(&table, keys + n / 2, n - n / 2, true);
    table_close(&table);
    free(keys);
}

/* Each step doubles or halves the number of buckets, down to the initial one. */
static void buckets_double_and_halve(const struct variant *variant)
{
    const size_t n = settings_size(40000, 8000);
    uint64_t *keys = numbered_keys(variant->shape, 0, n);
    struct table table;
    open_slab(&table, variant, 0, 0);
    const struct table_numbers made = checked_stats(&table);
    for (size_t done = 0; done < n; done += n / 8) {
        insert(&table, keys + done, n / 8);
        const struct table_numbers stats = checked_stats(&table);
        require(stats.buckets == made.buckets << stats.grow_steps, "%llu buckets after %llu steps", print(stats.buckets),
                print(stats.grow_steps));
        require(stats.load_factor <= 0.85, "load factor %g", stats.load_factor);
    }
    const struct table_numbers full = checked_stats(&table);
    require(full.grow_steps >= 4 && full.longest_list <= 6, "%llu steps, a list of %llu slabs", print(full.grow_steps),
            print(full.longest_list));
    for (size_t done = 0; done < n; done += n / 8) {
        erase(&table, keys + done, n / 8);
        const struct table_numbers stats = checked_stats(&table);
        require(stats.buckets == full.buckets >> stats.shrink_steps, "%llu buckets after %llu steps", print(stats.buckets),
                print(stats.shrink_steps));
    }
    require(checked_stats(&table).buckets == made.buckets, "%llu buckets", print(table_stats(&table).buckets));
    table_close(&table);
    free(keys);
}

/* The keys take the share of memory that the reservation asked for, and the table does not grow
 * for them. */
static void utilisation_is_met(const struct variant *variant)
{
    const size_t n = settings_size(200000, 60000);
    const double asked = (double)variant->number / 100;
    uint64_t *keys = numbered_keys(variant->shape, 0, n);
    struct table table;
    open_slab(&table, variant, n, 0);
    const uint64_t buckets = table_stats(&table).buckets;
    insert(&table, keys, n);
    const struct table_numbers stats = checked_stats(&table);
    require(stats.buckets == buckets && stats.grow_steps == 0, "%llu buckets became %llu", print(buckets), print(stats.buckets));
    require(fabs(stats.memory_utilisation - asked) < 0.03, "a utilisation of %.3f", stats.memory_utilisation);
    require(stats.longest_list <= 6, "a list of %llu slabs", print(stats.longest_list));
    table_close(&table);
    free(keys);
}

/* A low upper bound is kept, with slots that exist: those of the base slabs. */
static void low_bounds_are_kept(const struct variant *variant)
{
    static const double bounds[] = {0.05, 0.30, 0.50, 0.62};
    const size_t n = settings_size(20000, 5000);
    uint64_t *keys = numbered_keys(variant->shape, 0, n);
    for (int i = 0; i < 12; i++) {
        const double bound = bounds[i % 4];
        struct table table;
        roost_config config;
        slab_config(variant, &config);
        config.min_fill = 0;
        config.max_fill = bound;
        config.capacity = i < 4 ? 0 : n;
        config.growth = i < 8;
        suite_step("%g, capacity %llu, growth %d", bound, print(config.capacity), config.growth);
        table_open(&table, variant, &config);
        insert(&table, keys, n);
        const struct table_numbers stats = checked_stats(&table);
        require((double)n <= bound * (double)(stats.buckets * stats.slots_per_bucket), "%zu keys in %llu buckets", n,
                print(stats.buckets));
        require(stats.load_factor <= bound, "a load factor of %g", stats.load_factor);
        require(stats.slots >= stats.buckets * stats.slots_per_bucket &&
                    stats.slots * variant->shape->key_bytes <= stats.table_bytes,
                "%llu slots in %llu bytes", print(stats.slots), print(stats.table_bytes));
        table_close(&table);
    }
    free(keys);
}

/* ---- Tombstones ----------------------------------------------------------------------------- */

/* Inserts and erases in turn, of one key or of a distinct key for each pair of them. */
static struct mixed alternating(const struct test_shape *shape, size_t n, bool one_key)
{
    struct mixed mixed = {n, make_bytes(n), make_patterns(n), make_patterns(n), make_patterns(n), make_bytes(n)};
    for (size_t i = 0; i < n; i++) {
        mixed.operations[i] = i % 2 ? ROOST_OP_ERASE : ROOST_OP_ASSIGN;
        mixed.keys[i] = distinct_key(shape, one_key ? 7 : i / 2);
        mixed.values_in[i] = i;
    }
    return mixed;
}

static void mixed_release(struct mixed *mixed)
{
    free(mixed->operations);
    free(mixed->keys);
    free(mixed->values_in);
    free(mixed->values_out);
    free(mixed->statuses);
}

/* Applies the items in calls of `batch` each; returns the statistics. */
static struct table_numbers alternate(const struct variant *variant, size_t n, size_t batch, bool one_key)
{
    struct mixed mixed = alternating(variant->shape, batch, one_key);
    struct table table;
    open_slab(&table, variant, 0, 0);
    for (size_t done = 0; done < n; done += batch) {
        require_status(ROOST_OK, table_apply(&table, &mixed, 0), table.handle);
        const uint64_t longest = table_stats(&table).longest_list;
        require(longest <= MOST_LENGTH || !one_key, "a list of %llu slabs after %zu items", print(longest), done + batch);
    }
    const struct table_numbers stats = checked_stats(&table);
    table_close(&table);
    mixed_release(&mixed);
    return stats;
}

/* Items that insert and erase one key need only a few launches and flushes a call, except in the
 * first call, which begins with small pieces.  They read at most 20 times as many buckets as
 * items of distinct keys.  Large batches run in phases, erases first: of one call all are too
 * early. */
static void one_key_comes_and_goes(const struct variant *variant)
{
    const size_t n = settings_size(settings_on_gpu() ? 10000000 : 2000000, 100000),
                 batch = variant->number ? n / variant->number : n;
    const struct table_numbers one = alternate(variant, n, batch, true), many = alternate(variant, n, batch, false);
    require((one.erased > 0 || batch == n) && one.inserted == one.erased + one.count, "%llu inserted, %llu erased",
            print(one.inserted), print(one.erased));
    require(one.launches <= 8 * (n / batch) + 32, "%llu launches for %zu calls", print(one.launches), n / batch);
    require(one.flushes <= 4 * (n / batch) + 32, "%llu flushes for %zu calls", print(one.flushes), n / batch);
    require(one.bucket_reads <= 20 * many.bucket_reads, "%llu looks at buckets, and %llu for different keys",
            print(one.bucket_reads), print(many.bucket_reads));
    require(one.bucket_reads > 0 || settings_on_gpu(), "no looks were counted");
}

/* With a call for each insert and each erase, the list is cleaned only once in many calls. */
static void one_key_call_by_call(const struct variant *variant)
{
    /* a list is cleaned by 250 of them */
    const size_t n = settings_rounds(settings_size(20000, 3000), 600);
    const uint64_t key = distinct_key(variant->shape, 1);
    struct table table;
    open_slab(&table, variant, 0, 0);
    for (size_t i = 0; i < n; i++) {
        insert(&table, &key, 1);
        erase(&table, &key, 1);
    }
    const struct table_numbers stats = checked_stats(&table);
    require(stats.erased == n && stats.count == 0, "%llu erased", print(stats.erased));
    require(stats.longest_list <= MOST_LENGTH, "a list of %llu slabs", print(stats.longest_list));
    require(stats.flushes > 0 && stats.flushes <= n / stats.slots_per_bucket, "%llu flushes in %zu calls", print(stats.flushes), n);
    require(stats.launches <= 3 * n, "%llu launches for %zu calls", print(stats.launches), 2 * n);
    table_close(&table);
}

/* ---- Launches ------------------------------------------------------------------------------- */

/* A mixed batch is one kernel. */
static void a_mixed_batch_is_one_launch(const struct variant *variant)
{
    const size_t n = 30000;
    struct mixed mixed = alternating(variant->shape, n, false);
    struct table table;
    open_slab(&table, variant, n, 0);
    for (size_t i = 0; i < n; i += 3) mixed.operations[i] = ROOST_OP_FIND;
    for (int round = 0; round < 3; round++) {
        const uint64_t before = table_stats(&table).launches;
        if (round == 2) /* neither find nor erase */
            for (size_t i = 0; i < n; i++) mixed.operations[i] = ROOST_OP_KEEP;
        require_status(ROOST_OK, table_apply(&table, &mixed, 0), table.handle);
        require(table_stats(&table).launches == before + 1, "round %d took %llu launches", round,
                print(table_stats(&table).launches - before));
    }
    table_check(&table);
    table_close(&table);
    mixed_release(&mixed);
}

/* ---- Marks ---------------------------------------------------------------------------------- */

/* Keys and values with the bits of EMPTY and TOMBSTONE, among their neighbours. */
enum { MARKS = 6 };
static void draw_marks(const struct test_shape *shape, uint64_t keys[MARKS])
{
    for (uint64_t i = 0; i < MARKS; i++) keys[i] = (i < 4 ? ~i : i - 4) & width_mask(shape->key_bytes);
}

static void keys_that_look_like_marks(const struct variant *variant)
{
    uint64_t keys[MARKS], values[MARKS], got[MARKS] = {0};
    uint8_t found[MARKS], statuses[MARKS];
    struct table table;
    draw_marks(variant->shape, keys);
    open_slab(&table, variant, 0, 0);
    for (int v = 0; v < MARKS; v++) {
        for (int i = 0; i < MARKS; i++) values[i] = keys[(i + v) % MARKS] & width_mask(variant->shape->value_bytes);
        require_status(ROOST_OK, table_insert(&table, ROOST_ASSIGN, keys, values, MARKS, statuses), table.handle);
        require_status(ROOST_OK, table_find(&table, keys, MARKS, got, found, NULL), table.handle);
        for (int i = 0; i < MARKS; i++) {
            require(statuses[i] == (v ? ROOST_ITEM_UPDATED : ROOST_ITEM_INSERTED) && found[i], "key %d: %u", i, statuses[i]);
            require(shape_is_set(variant->shape) || got[i] == values[i], "key %d has the value %llx", i, print(got[i]));
        }
        require(checked_stats(&table).count == MARKS, "%llu keys", print(table_stats(&table).count));
    }
    struct pairs pairs = table_export(&table, 1000);
    for (int i = 0; i < MARKS; i++) {
        size_t times = 0;
        for (size_t p = 0; p < pairs.n; p++) times += pairs.keys[p] == keys[i];
        require(times == 1, "key %d is exported %zu times", i, times);
    }
    pairs_free(&pairs);
    erase(&table, keys, MARKS);
    require_found(&table, keys, MARKS, false);
    table_close(&table);
}

/* Looks at buckets for finds of n keys that are not there. */
static uint64_t reads_of_misses(const struct model *model, size_t n)
{
    uint64_t *absent = numbered_keys(&model->table.shape, 1 << 20, n);
    const uint64_t before = table_stats(&model->table).bucket_reads;
    require_found(&model->table, absent, n, false);
    free(absent);
    return table_stats(&model->table).bucket_reads - before;
}

/* Calls that read slabs whole answer as those that read halves, and look only once at a slab that
 * is full. */
static void slabs_are_read_whole(const struct variant *variant)
{
    static const char *const options[] = {"reads=half,utilisation=0.75", "reads=slab,utilisation=0.75"};
    const size_t n = settings_size(20000, 4000);
    uint64_t *keys = numbered_keys(variant->shape, 0, n), reads[2];
    for (int whole = 0; whole < 2; whole++) {
        struct variant with = *variant;
        struct model model;
        roost_config config;
        with.options = options[whole];
        suite_step("%s", with.options);
        slab_config(&with, &config);
        model_open(&model, &with, &config);
        require_status(ROOST_OK, model_insert(&model, ROOST_ASSIGN, keys, keys, n), model.table.handle);
        model_find(&model, keys, n);
        model_erase(&model, keys, n / 20);
        mixed_rounds(&model, 6, n / 4, 1 << 14);
        model_compare(&model);
        reads[whole] = reads_of_misses(&model, n);
        model_close(&model);
    }
    require(reads[1] >= n && 4 * reads[1] < 3 * reads[0], "%llu looks at whole slabs, and %llu at halves", print(reads[1]),
            print(reads[0]));
    free(keys);
}

/* ---- Multimaps ------------------------------------------------------------------------------ */

enum { COPIES_READ = 3 };

/* Multimaps that were asked to read slabs whole append all the same: an insert for unique keys
 * would write over the key's first pair. */
static void multimaps_read_slabs_whole(const struct variant *variant)
{
    const size_t n = settings_size(5000, 1000);
    uint64_t *keys = numbered_keys(variant->shape, 0, n);
    struct variant with = *variant;
    struct table table;
    with.options = "reads=slab,utilisation=0.75";
    open_slab(&table, &with, 0, ROOST_MULTI);
    for (int i = 0; i < COPIES_READ; i++)
        require_status(ROOST_OK, table_insert(&table, ROOST_APPEND, keys, keys, n, NULL), table.handle);
    require(checked_stats(&table).count == COPIES_READ * n, "%llu pairs", print(table_stats(&table).count));
    require_found(&table, keys, n, true);
    table_close(&table);
    free(keys);
}

static void append(struct table *table, uint64_t key, uint64_t value)
{
    require_status(ROOST_OK, table_insert(table, ROOST_APPEND, &key, &value, 1, NULL), table->handle);
}

static uint64_t first_of(const struct table *table, uint64_t key)
{
    uint64_t value = 0;
    uint8_t found;
    require_status(ROOST_OK, table_find(table, &key, 1, &value, &found, NULL), table->handle);
    require(found, "the key is gone");
    return value;
}

/* Many pairs of each key, more than fit into the first slab of the list of keys that look like
 * marks. */
static void marks_in_multimaps(const struct variant *variant)
{
    enum { TIMES = 50 };
    uint64_t keys[MARKS], wide[MARKS], counts[MARKS];
    struct table table;
    draw_marks(variant->shape, keys);
    pack(keys, MARKS, variant->shape->key_bytes, wide);
    open_slab(&table, variant, 0, ROOST_MULTI);
    for (uint64_t time = 0; time < TIMES; time++)
        require_status(ROOST_OK, table_insert(&table, ROOST_APPEND, keys, keys, MARKS, NULL), table.handle);
    require_status(ROOST_OK, roost_count(table.handle, wide, MARKS, counts, NULL), table.handle);
    for (int i = 0; i < MARKS; i++) require(counts[i] == TIMES, "key %d is stored %llu times", i, print(counts[i]));
    require(checked_stats(&table).count == TIMES * MARKS, "%llu pairs", print(table_stats(&table).count));
    require_status(ROOST_OK, roost_erase_all(table.handle, wide, MARKS / 2, counts, NULL), table.handle);
    for (int i = 0; i < MARKS / 2; i++) require(counts[i] == TIMES, "key %d: %llu pairs erased", i, print(counts[i]));
    require_found(&table, keys, MARKS / 2, false);
    require_found(&table, keys + MARKS / 2, MARKS / 2, true);
    require(checked_stats(&table).count == TIMES * (MARKS - MARKS / 2), "%llu pairs", print(table_stats(&table).count));
    table_close(&table);
}

/* Finds and erases take the first pair of the list.  Where pairs are swapped as a whole, an
 * insert fills what an erase left before the list gets longer. */
static void the_first_pair_counts(const struct variant *variant)
{
    const uint64_t key = distinct_key(variant->shape, 5);
    struct table table;
    open_slab(&table, variant, 0, ROOST_MULTI);
    for (uint64_t value = 1; value <= 40; value++) append(&table, key, value);
    for (uint64_t value = 1; value <= 40; value++) {
        require(first_of(&table, key) == value, "the first pair is %llu, not %llu", print(first_of(&table, key)), print(value));
        if (value < 40) erase(&table, &key, 1);
    }
    if (variant->shape->key_bytes + variant->shape->value_bytes <= 8) {
        append(&table, key, 41);
        require(first_of(&table, key) == 41, "a tombstone was not taken");
        require(checked_stats(&table).tombstones == 38, "%llu tombstones", print(table_stats(&table).tombstones));
    }
    table_close(&table);
}

/* ---- Many pairs of one key ------------------------------------------------------------------ */

enum hot_part { HOT_APPENDS, HOT_FINDS, HOT_ERASES, HOT_APPENDS_AGAIN, HOT_ERASES_OF_ALL, HOT_PARTS };

/* Looks at buckets of each part: n pairs of one key beside others of its list. */
static void hot_reads(const struct variant *variant, size_t n, uint64_t reads[HOT_PARTS])
{
    struct table table;
    uint64_t *keys = make_patterns(n), *wide = make_patterns(n), last = 0;
    for (size_t i = 0; i < n; i++) keys[i] = distinct_key(variant->shape, 5);
    pack(keys, n, variant->shape->key_bytes, wide);
    open_slab(&table, variant, 0, ROOST_MULTI);
    for (int part = 0; part < HOT_PARTS; part++) {
        if (part == HOT_FINDS) require_found(&table, keys, n, true);
        else if (part == HOT_ERASES) erase(&table, keys, n);
        else if (part == HOT_ERASES_OF_ALL)
            require_status(ROOST_OK, roost_erase_all(table.handle, wide, n, NULL, NULL), table.handle);
        else require_status(ROOST_OK, table_insert(&table, ROOST_APPEND, keys, keys, n, NULL), table.handle);
        const struct table_numbers stats = checked_stats(&table);
        require(stats.count == (part == HOT_ERASES || part == HOT_ERASES_OF_ALL ? 0 : n), "part %d: %llu pairs", part,
                print(stats.count));
        reads[part] = stats.bucket_reads - last;
        last = stats.bucket_reads;
    }
    table_close(&table);
    free(keys), free(wide);
}

/* Four times as many pairs of one key take about four times the work, and a few times that of
 * different keys.  On a GPU all erases of a batch walk at the same time, and each looks at what the
 * others erase meanwhile: there looks do not show the time, and those of appends alone count. */
static void one_key_many_times(const struct variant *variant)
{
    const size_t n = settings_size(10000, 2500);
    const uint64_t times = settings_on_gpu() ? 8 : 5; /* more of the first ones find a slot there */
    uint64_t few[HOT_PARTS], many[HOT_PARTS];
    hot_reads(variant, n, few);
    hot_reads(variant, 4 * n, many);
    for (int part = 0; part < HOT_PARTS; part++) {
        if (settings_on_gpu() && part != HOT_APPENDS && part != HOT_APPENDS_AGAIN) continue;
        require(many[part] <= times * few[part], "part %d: %llu looks at buckets for %zu pairs, %llu for %zu", part,
                print(few[part]), n, print(many[part]), 4 * n);
        require(many[part] <= 40 * 4 * n, "part %d: %llu looks at buckets for %zu pairs", part, print(many[part]), 4 * n);
    }
}

/* Each of the n pairs is stored once: of each `call` pairs the first half has keys[0], and pair i
 * the value i. */
static void require_pairs(const struct table *table, const uint64_t keys[2], size_t n, size_t call)
{
    struct pairs pairs = table_export(table, 1000);
    uint8_t *seen = make_bytes(n);
    size_t of_second = 0;
    memset(seen, 0, n);
    require(pairs.n == n && checked_stats(table).count == n, "%zu pairs are exported, not %zu", pairs.n, n);
    for (size_t i = 0; i < n; i++) {
        const bool second = pairs.keys[i] == keys[1];
        const uint64_t value = pairs.values[i];
        require(second || pairs.keys[i] == keys[0], "key %#llx was never stored", print(pairs.keys[i]));
        of_second += second;
        if (shape_is_set(&table->shape)) continue;
        require(value < n && (value % call >= call / 2) == second && !seen[value]++, "value %llu of key %d is wrong or there twice",
                print(value), second);
    }
    require(of_second == n / 2, "%zu of %zu pairs have the second key", of_second, n);
    free(seen);
    pairs_free(&pairs);
}

/* Threads that append to one list take slots from each other.  Those that lose too often park,
 * and a further launch, which waits once more, serves them one after the other. */
static void appends_that_lose_races(const struct variant *variant)
{
    enum { N = 500, PATIENCE = 20 };
    const uint64_t keys[2] = {distinct_key(variant->shape, 5), distinct_key(variant->shape, 6)};
    static uint64_t items[N], values[N];
    struct dice dice = {suite_seed()};
    struct table table;
    size_t calls = 0, served = 0;
    open_slab(&table, variant, PATIENCE * N, ROOST_MULTI);
    while (calls < PATIENCE && !served) {
        for (size_t i = 0; i < N; i++) items[i] = keys[i >= N / 2], values[i] = calls * N + i;
        const uint64_t waits = inside_waits(table.handle);
        restless_begin(draw(&dice), 2, 1);
        const roost_status status = table_insert(&table, ROOST_APPEND, items, values, N, NULL);
        restless_end();
        require_status(ROOST_OK, status, table.handle);
        served += inside_waits(table.handle) > waits + 1;
        calls++;
    }
    require(served > 0, "no append lost its races in %zu calls", calls);
    require_pairs(&table, keys, calls * N, N);
    table_close(&table);
}

/* Pairs of one key come at a list's end and go at its beginning: the dead slabs in between are
 * freed now and then, without a call for it. */
static void a_queue_of_one_key(const struct variant *variant)
{
    enum { LENGTH = 400 };
    const size_t rounds = settings_rounds(settings_size(400, 100), 40);
    uint64_t keys[LENGTH];
    struct table table;
    roost_config config;
    slab_config(variant, &config);
    config.flags = ROOST_MULTI;
    config.min_fill = 0; /* a table that shrinks has no tombstones */
    table_open(&table, variant, &config);
    for (size_t i = 0; i < LENGTH; i++) keys[i] = distinct_key(variant->shape, 5);
    for (size_t round = 0; round < rounds; round++) {
        require_status(ROOST_OK, table_insert(&table, ROOST_APPEND, keys, keys, LENGTH, NULL), table.handle);
        if (round % 2) erase(&table, keys, LENGTH), erase(&table, keys, LENGTH);
    }
    const struct table_numbers stats = checked_stats(&table);
    require(stats.count == 0 && stats.flushes > 0, "%llu pairs, %llu flushes", print(stats.count), print(stats.flushes));
    require(stats.chained_slabs * stats.slots_per_bucket <= 8 * LENGTH, "%llu slabs stay", print(stats.chained_slabs));
    table_close(&table);
}

/* ---- Memory for equal keys ------------------------------------------------------------------ */

/* Appends of one key do not wait if the table has room for all of them, and all find it. */
static void equal_keys_find_the_memory(const struct variant *variant)
{
    const struct late_rules rules = {.pinned = LATE_ALL, .reachable = LATE_ALL, .late = true, .unwaited = true};
    const size_t room = settings_size(100000, 20000), n = room * 3 / 5;
    uint64_t *keys = make_patterns(n), *wide = make_patterns(n), failed = 77;
    uint8_t *statuses = make_bytes(n);
    struct table table;
    roost_call call;
    for (size_t i = 0; i < n; i++) keys[i] = distinct_key(variant->shape, 7);
    pack(keys, n, variant->shape->key_bytes, wide);
    late_queues_wrap();
    open_slab(&table, variant, room, ROOST_MULTI);
    late_queues_unwrap();
    late_queues_begin(table.handle, &rules);
    require_status(ROOST_OK, roost_call_init(&call, sizeof call), NULL);
    call.statuses = statuses;
    const uint64_t waits = inside_waits(table.handle);
    const void *values = shape_is_set(variant->shape) ? NULL : keys;
    require_status(ROOST_OK, roost_insert(table.handle, ROOST_APPEND, wide, values, n, &call), table.handle);
    require(inside_waits(table.handle) == waits, "the call waited");
    require_status(ROOST_OK, roost_table_sync(table.handle, &failed), table.handle);
    require(failed == 0, "%llu items failed", print(failed));
    for (size_t i = 0; i < n; i++) require(statuses[i] == ROOST_ITEM_INSERTED, "item %zu ended %u", i, statuses[i]);
    require(checked_stats(&table).count == n, "%llu pairs", print(table_stats(&table).count));
    table_close(&table);
    free(keys), free(wide), free(statuses);
}

/* A multimap has no single pair that an upsert could mean. */
static void multimaps_only_append(const struct variant *variant)
{
    uint64_t key = distinct_key(variant->shape, 5), value = 6, result = 0;
    uint8_t operation = ROOST_OP_ASSIGN, status = 99;
    struct table table;
    struct mixed mixed = {1, &operation, &key, &value, &result, &status};
    open_slab(&table, variant, 0, ROOST_MULTI);
    for (roost_mode mode = ROOST_ASSIGN; mode < ROOST_APPEND; mode++)
        require_status(ROOST_ERR_UNSUPPORTED, table_insert(&table, mode, &key, &value, 1, NULL), table.handle);
    for (; operation < ROOST_OP_APPEND; operation++) {
        require_status(ROOST_OK, table_apply(&table, &mixed, 0), table.handle);
        require(status == ROOST_ITEM_NONE, "operation %u ended %u", operation, status);
    }
    require(checked_stats(&table).count == 0, "%llu pairs", print(table_stats(&table).count));
    table_close(&table);
}

/* ---- Memory --------------------------------------------------------------------------------- */

/* Without further slabs, the call and its items report it, and stored pairs stay. */
static void exhaustion_is_a_status(const struct variant *variant)
{
    const size_t n = settings_size(200000, 40000);
    uint64_t *keys = numbered_keys(variant->shape, 0, n);
    uint8_t *statuses = make_bytes(n);
    struct table table;
    roost_config config;
    slab_config(variant, &config);
    config.growth = 0;
    config.capacity = n / 100;
    if (variant->number) {
        open_slab(&table, variant, n / 100, 0);
        insert(&table, keys, n / 10);
        config.growth = 1;
        config.memory_limit = table_stats(&table).bytes_peak;
        table_close(&table);
    }
    table_open(&table, variant, &config);
    require_status(variant->number ? ROOST_ERR_MEMORY : ROOST_ERR_FULL, table_insert(&table, ROOST_KEEP, keys, keys, n, statuses),
                   table.handle);
    uint64_t stored = 0;
    for (size_t i = 0; i < n; i++) {
        const uint8_t refused = variant->number ? ROOST_ITEM_NO_MEMORY : ROOST_ITEM_FULL;
        require(statuses[i] == ROOST_ITEM_INSERTED || statuses[i] == refused, "item %zu ended %u", i, statuses[i]);
        if (statuses[i] == ROOST_ITEM_INSERTED) keys[stored++] = keys[i];
    }
    require(stored >= n / 100 && stored < n, "%llu of %zu items were stored", print(stored), n);
    require_found(&table, keys, stored, true);
    require(checked_stats(&table).count == stored, "%llu keys", print(table_stats(&table).count));
    table_close(&table);
    free(keys);
    free(statuses);
}

/* The paper's pool: from the start 32 super blocks of 256 blocks of 1024 slabs. */
static void the_papers_pool(const struct variant *variant)
{
    const size_t n = 100000;
    uint64_t *keys = numbered_keys(variant->shape, 0, n);
    struct table table;
    open_slab(&table, variant, n, 0);
    const uint64_t bytes = table_stats(&table).table_bytes;
    require(bytes >= UINT64_C(32) * 256 * 1024 * 128, "%llu bytes", print(bytes));
    insert(&table, keys, n);
    require_found(&table, keys, n, true);
    require(table_stats(&table).table_bytes == bytes, "the pool grew");
    table_close(&table);
    free(keys);
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    for (size_t i = 0; i < SHAPE_COUNT; i++) {
        const struct variant chained = {.shape = &shapes[i], .options = "growth=chain"};
        suite_add("lists get longer", lists_get_longer, chained);
        suite_add("utilisation is met", utilisation_is_met, (struct variant){.shape = &shapes[i], .number = 60});
        suite_add("utilisation is met", utilisation_is_met,
                  (struct variant){.shape = &shapes[i], .options = "utilisation=0.75", .number = 75});
        suite_add("low bounds are kept", low_bounds_are_kept, (struct variant){.shape = &shapes[i]});
        suite_add("exhaustion is a status, limited", exhaustion_is_a_status,
                  (struct variant){.shape = &shapes[i], .options = "growth=chain", .number = 1});
    }
    suite_add_widths("compacting keeps keys", compacting_keeps_keys);
    suite_add_widths("buckets double and halve", buckets_double_and_halve);
    for (size_t i = 0; i < SHAPE_COUNT; i += 5) { /* one word, and a set */
        suite_add("one key comes and goes, in one call", one_key_comes_and_goes, (struct variant){.shape = &shapes[i]});
        suite_add("one key comes and goes, calls", one_key_comes_and_goes, (struct variant){.shape = &shapes[i], .number = 100});
        /* small enough for a kernel that mixes them */
        suite_add("one key comes and goes, calls", one_key_comes_and_goes, (struct variant){.shape = &shapes[i], .number = 1000});
    }
    suite_add("one key comes and goes, calls", one_key_comes_and_goes, (struct variant){.shape = &shapes[1], .number = 10});
    suite_add_widths("one key, call by call", one_key_call_by_call);
    suite_add_widths("a mixed batch is one launch", a_mixed_batch_is_one_launch);
    /* Pairs of 4+4 alone. */
    if (!settings_on_gpu()) suite_add_once("slabs are read whole", slabs_are_read_whole);
    suite_add_once("multimaps read slabs whole", multimaps_read_slabs_whole);
    suite_add_widths("keys that look like marks", keys_that_look_like_marks);
    for (size_t i = 0; i < SHAPE_COUNT; i++)
        suite_add("marks in multimaps", marks_in_multimaps, (struct variant){.shape = &shapes[i]});
    suite_add_widths("one key many times", one_key_many_times);
    suite_add("one key many times", one_key_many_times, (struct variant){.shape = &shapes[1], .options = "publish=two-step"});
    for (size_t i = 0; i < SHAPE_COUNT && !settings_on_gpu(); i++)
        suite_add("appends that lose races", appends_that_lose_races, (struct variant){.shape = &shapes[i], .threads = 8});
    suite_add_widths("a queue of one key", a_queue_of_one_key);
    for (size_t i = 0; i < SHAPE_COUNT && !settings_on_gpu(); i++)
        suite_add("equal keys find the memory", equal_keys_find_the_memory, (struct variant){.shape = &shapes[i]});
    suite_add_some("the first pair counts", the_first_pair_counts, shape_has_values);
    suite_add_widths("multimaps only append", multimaps_only_append);
    suite_add_widths("exhaustion is a status", exhaustion_is_a_status);
    if (!settings_get()->is_short)
        suite_add("the paper's pool", the_papers_pool, (struct variant){.shape = &shapes[0], .options = "memory=paper"});
    return suite_run("slab");
}
