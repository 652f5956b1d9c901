/* Stadium's finds by region of the pairs: they answer as unordered finds do, whatever part of a
 * batch the board alone answers. */
#include "support/dice.h"
#include "support/draw.h"
#include "support/late_queues.h"
#include "support/model.h"
#include "support/settings.h"
#include "support/stadium_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The pairs that finds have read so far. */
static uint64_t reads_of(const struct model *model) { return table_stats(&model->table).bucket_reads; }

/* Makes a table of half of n keys, a tenth of them erased again.  Returns all n keys. */
static uint64_t *half_filled(struct model *model, const struct variant *variant, size_t n)
{
    uint64_t *keys = numbered_keys(variant->shape, 0, n);
    open_model(model, variant, n / 2, 1);
    require_status(ROOST_OK, model_insert(model, ROOST_ASSIGN, keys, keys, n / 2), model->table.handle);
    model_erase(model, keys, n / 20);
    return keys;
}

/* Checks that the last finds went by region. */
static void require_sifted(const struct model *model, const struct variant *variant)
{
    const struct table_numbers stats = table_stats(&model->table);
    require(stats.regions == variant->number, "%llu regions, not %llu", (unsigned long long)stats.regions,
            (unsigned long long)variant->number);
    require((stats.route_seconds > 0) == (variant->number > 1), "routed for %g s", stats.route_seconds);
}

/* Batches of many sizes: hits, misses, both, and one key many times. */
static void answers_are_the_same(const struct variant *variant)
{
    static const size_t sizes[] = {1, 2, 31, 64, 1000};
    const size_t n = settings_size(20000, 4000);
    struct dice dice = {suite_seed()};
    struct model model;
    uint64_t *keys = half_filled(&model, variant, n), *mixed = make_patterns(n);
    suite_step("all, hits and misses");
    model_find(&model, keys, n);
    model_find(&model, keys + n / 20, n / 2 - n / 20);
    model_find(&model, keys + n / 2, n / 2);
    suite_step("in any order, some twice");
    for (size_t i = 0; i < n; i++) mixed[i] = keys[dice_below(&dice, n)];
    model_find(&model, mixed, n);
    for (size_t i = 0; i < n; i++) mixed[i] = keys[n / 4];
    model_find(&model, mixed, n);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        suite_step("%zu keys", sizes[i]);
        model_find(&model, keys + n / 2 - sizes[i] / 2, sizes[i]);
    }
    require_sifted(&model, variant);
    model_compare(&model);
    model_close(&model);
    free(keys);
    free(mixed);
}

/* An item without a candidate is answered without a read of any pair, and no pair is read twice.
 * So there are as many reads as without regions, except for chance in where the two tables
 * stored their keys. */
static void no_pair_is_read_twice(const struct variant *variant)
{
    const size_t n = settings_size(20000, 4000);
    struct variant plain = *variant;
    struct model sifted, other;
    plain.options = "regions=1";
    uint64_t *keys = half_filled(&sifted, variant, n), *same = half_filled(&other, &plain, n);
    for (size_t first = 0; first < n; first += n / 2) {
        const uint64_t before = reads_of(&sifted), others = reads_of(&other);
        model_find(&sifted, keys + first, n / 2);
        model_find(&other, same + first, n / 2);
        const double reads = (double)(reads_of(&sifted) - before), expected = (double)(reads_of(&other) - others);
        /* five deviations of the difference of two counts */
        require(fabs(reads - expected) < 5 * sqrt(2 * expected) + 50, "%g pairs were read, not %g", reads, expected);
    }
    model_close(&sifted);
    model_close(&other);
    free(keys);
    free(same);
}

/* If there is no memory to reorder keys, finds are unordered. */
static void no_memory_is_no_failure(const struct variant *variant)
{
    const size_t n = settings_size(20000, 4000);
    struct model model;
    roost_config config;
    uint64_t *keys = half_filled(&model, variant, n);
    stadium_config(variant, &config);
    config.capacity = n / 2;
    config.growth = 0;
    model_close(&model);
    model_open(&model, variant, &config);
    /* and memory for a few keys */
    config.memory_limit = table_stats(&model.table).bytes_now + 16 * 1024;
    model_close(&model);
    model_open(&model, variant, &config);
    model.rules.fixed = true;
    for (size_t i = 0; i < n / 2; i += 50) (void)model_insert(&model, ROOST_ASSIGN, keys + i, keys + i, 50);
    for (size_t i = 0; i < n; i += 100) model_find(&model, keys + i, 100);
    model_close(&model);
    free(keys);
}

/* Finds between batches that write, while the table grows and shrinks. */
static void tables_change_meanwhile(const struct variant *variant)
{
    const size_t n = settings_size(20000, 4000), rounds = 10, part = n / rounds;
    struct model model;
    uint64_t *keys = numbered_keys(variant->shape, 0, n);
    open_model(&model, variant, 0, 1);
    for (size_t i = 0; i < rounds; i++) {
        (void)model_insert(&model, ROOST_ASSIGN, keys + i * part, keys, part);
        if (i % 2) model_erase(&model, keys + (i - 1) * part, part);
        model_find(&model, keys, n);
    }
    model_erase(&model, keys, n);
    model_find(&model, keys, n);
    require_sifted(&model, variant);
    model_close(&model);
    free(keys);
}

/* A machine apart from the host orders finds by region unasked, if their pairs are in the host's
 * memory and of more than one region.  Those of a small table are of one. */
static void small_tables_are_one_region(const struct variant *variant)
{
    enum { N = 70000 /* more than unordered reads are as fast for */ };
    const struct late_rules rules = {.pinned = LATE_ALL, .reachable = LATE_ALL, .late = true};
    struct model model;
    uint64_t *keys = half_filled(&model, variant, N);
    late_queues_begin(model.table.handle, &rules);
    model_find(&model, keys, N);
    model_find(&model, keys, N / 2);
    require_sifted(&model, variant);
    model_erase(&model, keys, N / 2);
    model_find(&model, keys, N);
    require_sifted(&model, variant);
    model_close(&model);
    free(keys);
}

static void strings_are_refused(const struct variant *variant)
{
    struct table table;
    roost_config config;
    stadium_config(variant, &config);
    require_status(ROOST_ERR_UNSUPPORTED, table_create(&table, variant, &config), NULL);
    require(strstr(roost_last_error(NULL), "regions=4") != NULL, "\"%s\"", roost_last_error(NULL));
}

static void add_kinds(const char *behaviour, void (*body)(const struct variant *), const struct test_shape *shape)
{
    static const struct {
        const char *options;
        unsigned regions;
        bool wide, groups_of_64;
    } kinds[] = {
        {"regions=1", 1, true, false},
        {"regions=2", 2, true, false},
        {"regions=7,ticket=16", 7, true, false},
        {"regions=1000,ticket=4", 1000, true, false},
        {"regions=5,ticket=2,probe=double", 5, true, false},
        {"regions=5,memory=host", 5, true, false},
        {"regions=3,lookup=pairs", 3, true, false},
        {"regions=3,ticket=1,probe=group", 3, false, false},
        {"regions=6,access=off", 6, false, false},
        {"regions=6,ticket=16,group=64", 6, false, true},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const unsigned index = shape_index(shape);
        if ((index == SHAPE_COUNT && !kinds[i].wide) || (kinds[i].groups_of_64 && index > 1)) continue;
        suite_add(behaviour, body, (struct variant){.shape = shape, .options = kinds[i].options, .number = kinds[i].regions});
    }
}

int main(int argc, char **argv)
{
    static const char *const wide[] = {"3+1", "16+16"};
    suite_begin(argc, argv);
    for (size_t i = 0; i < SHAPE_COUNT; i++) add_kinds("answers are the same", answers_are_the_same, &shapes[i]);
    for (size_t i = 0; i < sizeof wide / sizeof wide[0]; i++)
        add_kinds("answers are the same", answers_are_the_same, shape_named(wide[i]));
    for (size_t i = 0; i < 2; i++) add_kinds("tables change meanwhile", tables_change_meanwhile, &shapes[i]);
    for (size_t i = 0; i < SHAPE_COUNT; i++) {
        const struct variant several = {.shape = &shapes[i], .options = "regions=4", .number = 4};
        suite_add("no pair is read twice", no_pair_is_read_twice, several);
        suite_add("refused memory is not a failure", no_memory_is_no_failure, several);
    }
    for (size_t i = 0; i < SHAPE_COUNT && !settings_on_gpu(); i += 3)
        suite_add("small tables are one region", small_tables_are_one_region,
                  (struct variant){.shape = &shapes[i], .options = "memory=host", .number = 1});
    suite_add("strings are refused", strings_are_refused,
              (struct variant){.shape = &string_shapes[0], .options = "regions=4", .number = 4});
    return suite_run("stadium");
}
