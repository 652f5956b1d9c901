/* The sizes of GPH's tables: capacities and bounds that are kept, growth and shrinking, the
 * smallest tables; and the values that its options take. */
#include "support/draw.h"
#include "support/gph_tables.h"
#include "support/sequences.h"
#include "support/settings.h"
#include "roost/tuning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Capacities and bounds ------------------------------------------------------------------- */

/* Cells with as many keys as their buckets take: few mappings fit. */
static const char *const crowded_cells[] = {"slots=4,virtual=2,keys=3", "slots=4,virtual=8,keys=12", "slots=4,virtual=16,keys=24",
                                            "slots=8,virtual=8,keys=32", "slots=8,virtual=4,keys=16"};

/* A table with this seed holds the number of keys that it was made for. */
static void require_capacity(const struct variant *variant, const uint64_t *keys, size_t n, uint64_t seed)
{
    roost_config config;
    struct table table;
    suite_step("%zu keys, seed %llu", n, print(seed));
    gph_config(variant, &config);
    config.capacity = n;
    config.seed = seed;
    table_open(&table, variant, &config);
    gph_insert(&table, keys, n, 1);
    require(table_stats(&table).grow_steps == 0, "%llu growth steps", print(table_stats(&table).grow_steps));
    table_close(&table);
}

/* A table has room for the number of keys that it was made for, however the division by its upper
 * bound is rounded. */
static void capacities_are_kept(const struct variant *variant)
{
    const size_t most = settings_size(64000, 16000);
    uint64_t *keys = numbered_keys(variant->shape, 0, most);
    for (size_t n = 1000; n <= most; n *= 2) require_capacity(variant, keys, n, suite_seed());
    free(keys);
}

/* So have small tables with any seed, where one crowded cell takes much of the overflow store. */
static void small_capacities_are_kept(const struct variant *variant)
{
    const size_t n = variant->number;
    const uint64_t seeds = settings_size(400, 100);
    uint64_t *keys = numbered_keys(variant->shape, 0, n);
    for (uint64_t seed = 1; seed <= seeds; seed++) require_capacity(variant, keys, n, seed);
    free(keys);
}

/* An upper bound so low that the least table is above it with one key: tables grow, and fixed ones
 * refuse. */
static void low_bounds_are_bounds(const struct variant *variant)
{
    static const double bounds[] = {0.05, 0.005, 0.001};
    uint64_t *keys = numbered_keys(variant->shape, 0, 300);
    for (size_t i = 0; i < 2 * sizeof bounds / sizeof *bounds; i++) {
        roost_config config;
        struct table table;
        gph_config(variant, &config);
        config.min_fill = 0;
        config.max_fill = bounds[i / 2];
        config.growth = i % 2 == 0;
        suite_step("%g, growth %d", config.max_fill, config.growth);
        table_open(&table, variant, &config);
        const roost_status status = table_insert(&table, ROOST_ASSIGN, keys, keys, 300, NULL);
        require(status == (config.growth ? ROOST_OK : ROOST_ERR_FULL), "%s", roost_status_name(status));
        const struct table_numbers stats = table_stats(&table);
        require(stats.cells > 0 && (!config.growth || stats.count == 300), "%llu keys, %llu cells", print(stats.count),
                print(stats.cells));
        table_check(&table);
        table_close(&table);
    }
    free(keys);
}

/* Cells that are flagged with as many keys as the table is made for, new and after it was cleared;
 * and with too many keys. */
struct flagged {
    uint64_t filled[2], crowded;
};

static void flagged_add(struct flagged *sum, const struct variant *variant, const uint64_t *keys, size_t n)
{
    roost_config config;
    struct table table;
    gph_config(variant, &config);
    config.capacity = n;
    config.growth = 0;
    config.threads = 1;
    table_open(&table, variant, &config);
    for (int i = 0; i < 2; i++) {
        gph_insert(&table, keys, n, 50);
        const uint64_t filled = table_stats(&table).flagged_cells;
        /* More keys than there is room for. */
        (void)table_insert(&table, ROOST_ASSIGN, keys + n, keys + n, n, NULL);
        const uint64_t crowded = table_stats(&table).flagged_cells;
        require(crowded > 2 * filled, "%llu cells flagged, and %llu before", print(crowded), print(filled));
        require_status(ROOST_OK, roost_table_clear(table.handle), table.handle);
        sum->filled[i] += filled;
        if (i == 0) sum->crowded += crowded;
    }
    table_close(&table);
}

/* A cleared table behaves as a new one.  One thread of a host flags the same cells again.  On a GPU
 * the order of the items is another one each time: there the numbers of several tables may differ
 * by six standard deviations, which is less than flags that were kept would make. */
static void cleared_tables_are_new(const struct variant *variant)
{
    const size_t n = settings_effort(100000, 40000, 20000);
    const int tables = settings_on_gpu() ? 6 : 1;
    uint64_t *keys = numbered_keys(variant->shape, 0, 2 * n);
    struct flagged sum = {{0, 0}, 0};
    for (int i = 0; i < tables; i++) flagged_add(&sum, variant, keys, n);
    const double spread = settings_on_gpu() ? 6 * sqrt((double)(sum.filled[0] + sum.filled[1])) : 0;
    const double most = (double)sum.filled[0] + spread;
    require((double)sum.crowded > most && (double)sum.filled[1] <= most,
            "%llu cells flagged in new tables, %llu in full and %llu in cleared ones", print(sum.filled[0]), print(sum.crowded),
            print(sum.filled[1]));
    free(keys);
}

/* ---- Growing and shrinking ------------------------------------------------------------------- */

/* A table doubles and halves with its keys, and keeps them all. */
static void it_grows_and_shrinks(const struct variant *variant)
{
    const size_t n = settings_size(20000, 6000);
    const size_t pieces = 12, erases = settings_rounds(12, 6);
    struct model model;
    uint64_t *keys = numbered_keys(variant->shape, 0, n);
    open_gph_model(&model, variant, 0, 1, suite_seed());
    const uint64_t created = table_stats(&model.table).slots;
    for (size_t piece = 0; piece < pieces; piece++)
        model_insert(&model, ROOST_ASSIGN, keys + n * piece / pieces, keys, n * (piece + 1) / pieces - n * piece / pieces);
    const struct table_numbers full = table_stats(&model.table);
    require(full.count == n && full.grow_steps >= 4 && full.rehashed > 0, "%llu keys after %llu growth steps", print(full.count),
            print(full.grow_steps));
    model_compare(&model);
    for (size_t piece = 0; piece < erases; piece++) {
        model_erase(&model, keys + n * piece / erases, n * (piece + 1) / erases - n * piece / erases);
        model_find(&model, keys, n);
    }
    const struct table_numbers empty = table_stats(&model.table);
    require(empty.shrink_steps > 0 && empty.slots == created, "%llu slots became %llu, and %llu after %llu shrinks", print(created),
            print(full.slots), print(empty.slots), print(empty.shrink_steps));
    model_close(&model);
    free(keys);
}

/* A table that grew for flagged cells, far below its upper bound, keeps its size while it has
 * nearly as many keys, and shrinks later.  The check finds neither the fill nor the flagged share
 * out of bounds at any time.  With 31 keys, cells are as full as the usual upper bound allows.  So
 * two or three growth steps are forced, in any order of threads. */
static void sparse_tables_are_sound(const struct variant *variant)
{
    const size_t n = settings_size(100000, 50000), piece = n / 50;
    uint64_t *keys = numbered_keys(variant->shape, 0, n), *values = keys;
    struct table table;
    open_gph(&table, variant, 0);
    for (size_t done = 0; done < n; done += piece) {
        suite_step("inserting after %zu", done);
        require_status(ROOST_OK, table_insert(&table, ROOST_KEEP, keys + done, values, piece, NULL), table.handle);
        table_check(&table);
    }
    const struct table_numbers full = table_stats(&table);
    require(full.forced_grow_steps > 0, "no growth step was forced");
    for (size_t done = 0; done < n; done += piece) {
        suite_step("erasing after %zu", done);
        require_status(ROOST_OK, table_erase(&table, keys + done, piece, NULL), table.handle);
        table_check(&table);
    }
    const struct table_numbers empty = table_stats(&table);
    require(empty.shrink_steps > 2 && empty.grow_steps <= full.grow_steps + 8, "%llu shrinks, %llu growth steps beside them",
            print(empty.shrink_steps), print(empty.grow_steps - full.grow_steps));
    table_close(&table);
    free(keys);
}

/* ---- The smallest tables --------------------------------------------------------------------- */

/* Inserts one more key, or a few. */
static roost_status insert_few(struct model *model, struct dice *dice, uint64_t *next)
{
    uint64_t keys[32], values[32];
    const size_t n = 1 + (size_t)draw_below(dice, settings_rounds(7, 31));
    for (size_t i = 0; i < n; i++) {
        keys[i] = distinct_key(&model->table.shape, *next + i);
        values[i] = draw_value(dice, model->table.shape.value_type);
    }
    *next += n;
    return model_insert(model, any_mode(&model->table.shape, dice), keys, values, n);
}

/* Where a key leaves a slot a flagged cell may get another mapping, so the key may find no room. */
static void replace_one(struct model *model, struct dice *dice, uint64_t bound)
{
    uint64_t key = distinct_key(&model->table.shape, draw_below(dice, bound)),
             value = draw_value(dice, model->table.shape.value_type);
    if (!reference_get(model->reference, key, NULL)) return;
    model_erase(model, &key, 1);
    model_insert(model, ROOST_KEEP, &key, &value, 1);
}

/* Tables of a dozen buckets, in which the mappings of cells overlap: they are filled until no key
 * fits, or grow. */
static void the_smallest_tables(const struct variant *variant)
{
    const bool growth = variant->number;
    const unsigned most_refused = settings_rounds(10, 3), replaced = settings_rounds(20, 5);
    struct dice dice = {suite_seed()};
    for (size_t seed = 0; seed < settings_rounds(settings_size(20, 4), 1); seed++) {
        struct model model;
        uint64_t next = 0, refused = 0;
        suite_step("table %zu", seed);
        open_gph_model(&model, variant, 0, growth, draw(&dice));
        const uint64_t slots = table_stats(&model.table).slots;
        while (growth ? next < 2 * slots : refused < most_refused) {
            const roost_status status = insert_few(&model, &dice, &next);
            require(!growth || status == ROOST_OK, "%s in a table that may grow", roost_status_name(status));
            refused += status == ROOST_ERR_FULL;
        }
        require(4 * table_stats(&model.table).count >= slots, "%llu keys in %llu slots", print(table_stats(&model.table).count),
                print(slots));
        for (unsigned i = 0; i < replaced; i++) replace_one(&model, &dice, next);
        model_compare(&model);
        model_close(&model);
    }
}

/* ---- Options --------------------------------------------------------------------------------- */

/* The paper's parameters replace those before them, and those of a profile. */
static void the_paper_is_a_preset(const struct variant *variant)
{
    static const char *const options[] = {"keys=6,preset=paper", "preset=paper"};
    const size_t n = 3000;
    uint64_t *keys = numbered_keys(variant->shape, 0, n);
    for (size_t i = 0; i < 2; i++) {
        char text[ROOST_DESCRIPTION_BYTES];
        roost_config config;
        struct table table;
        gph_config(variant, &config);
        config.options = options[i];
        config.capacity = n;
        table_open(&table, variant, &config);
        gph_insert(&table, keys, n, 1);
        const struct table_numbers stats = table_stats(&table);
        require(stats.slots_per_bucket == 16 && stats.cells >= n / 12 && stats.cells < n / 11, "%llu cells", print(stats.cells));
        require_status(ROOST_OK, roost_table_describe(table.handle, ROOST_DESCRIBE_KERNELS, text, sizeof text), table.handle);
        require(strstr(text, "find=find_k4v4s16_once4") && strstr(text, "fill=fill_k4v4s16_tile8") &&
                    strstr(text, "refine_k4v4s16_tile8"),
                "%s", text);
        table_close(&table);
    }
    free(keys);
}

/* Options, and a text that the refusal contains. */
static const char *const wrong_options[][2] = {
    {"slots=5", "slots=5"},
    {"slots=2", "slots=2"},
    {"slots=32", "slots=32"},
    {"slots=", "slots="},
    {"virtual=3", "virtual=3"},
    {"virtual=1", "virtual=1"},
    {"virtual=32", "virtual=32"},
    {"virtual=auto", "virtual=auto"},
    {"keys=0", "keys=0"},
    {"keys=33", "keys=33"},
    {"keys=-1", "keys=-1"},
    {"keys=12x", "keys=12x"},
    {"keys=9,virtual=2", "keys=9"}, /* two buckets of 8 slots */
    {"keys=32,virtual=2", "keys=32"},
    {"slots=4,virtual=4,keys=7", "keys=7"},
    {"slots=4,virtual=2,keys=4", "for 3 keys at most"},
    {"flagged=0", "flagged=0"},
    {"flagged=-1", "flagged=-1"},
    {"flagged=2", "flagged=2"},
    {"flagged=0.0009", "flagged=0.0009"},
    {"flagged=nan", "flagged=nan"},
    {"flagged=0.01x", "flagged=0.01x"},
    {"preset=x", "preset=x"},
    {"hash=universal", "hash=universal"},
    {"driver=vote", "driver=vote"},
    {"tile=33", "tile=33"},
    {"virtual=8,virtual=7", "given twice"},
};

static void wrong_options_are_refused(const struct variant *variant)
{
    for (size_t i = 0; i < sizeof wrong_options / sizeof wrong_options[0]; i++) {
        roost_config config;
        struct table table;
        gph_config(variant, &config);
        config.options = wrong_options[i][0];
        suite_step("%s", config.options);
        require_status(ROOST_ERR_ARGUMENT, table_create(&table, variant, &config), NULL);
        require(strstr(roost_last_error(NULL), wrong_options[i][1]) != NULL, "%s: \"%s\"", config.options, roost_last_error(NULL));
    }
}

/* The largest and smallest values that are allowed. */
static void far_options_are_taken(const struct variant *variant)
{
    static const char *const far[] = {"keys=8,virtual=2", "keys=32,virtual=16", "keys=32,slots=16",
                                      "flagged=0.001",    "flagged=1",          "preset=paper,keys=32"};
    /* The last one needs ROOST_TUNE. */
    const size_t n = sizeof far / sizeof far[0] - !settings_tuned();
    for (size_t i = 0; i < n; i++) {
        struct variant with = *variant;
        struct model model;
        uint64_t *keys = numbered_keys(variant->shape, 0, 3000);
        with.options = far[i];
        suite_step("%s", far[i]);
        open_gph_model(&model, &with, 0, 1, suite_seed());
        require_status(ROOST_OK, model_insert(&model, ROOST_KEEP, keys, keys, 3000), model.table.handle);
        model_close(&model);
        free(keys);
    }
}

/* ---- Cases ----------------------------------------------------------------------------------- */

static void add_smallest(void)
{
    static const char *const options[] = {"virtual=2", "virtual=4", "virtual=16", "hash=summed,virtual=2",
                                          "hash=summed,virtual=16"};
    /* The last two need ROOST_TUNE. */
    const size_t n = sizeof options / sizeof options[0] - (settings_tuned() ? 0 : 2);
    for (uint64_t growth = 0; growth < 2; growth++) {
        add_gph_kinds(growth ? "the smallest tables grow" : "the smallest tables", the_smallest_tables, 0, growth);
        for (unsigned shape = 0; shape < SHAPE_COUNT; shape++)
            for (size_t i = 0; i < n; i++)
                suite_add("the smallest tables, narrow and wide", the_smallest_tables,
                          (struct variant){.shape = &shapes[shape], .options = options[i], .number = growth});
    }
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    suite_add("capacities are kept", capacities_are_kept, (struct variant){.shape = &shapes[0], .options = "keys=6"});
    suite_add("capacities are kept", capacities_are_kept, (struct variant){.shape = &shapes[0], .options = "keys=8"});
    suite_add("capacities are kept", capacities_are_kept, (struct variant){.shape = &shapes[0]});
    for (size_t keys = 250; keys <= 4000; keys *= 2)
        suite_add("small capacities are kept", small_capacities_are_kept, (struct variant){.shape = &shapes[0], .number = keys});
    suite_add("small capacities are kept", small_capacities_are_kept,
              (struct variant){.shape = &shapes[0], .options = "keys=6", .number = 1000});
    for (size_t i = 0; i < sizeof crowded_cells / sizeof crowded_cells[0]; i++)
        suite_add("capacities are kept", capacities_are_kept, (struct variant){.shape = &shapes[0], .options = crowded_cells[i]});
    suite_add("sparse tables are sound", sparse_tables_are_sound,
              (struct variant){.shape = &shapes[0], .options = "keys=31,flagged=0.001"});
    suite_add("sparse tables are sound", sparse_tables_are_sound,
              (struct variant){.shape = &shapes[1], .options = "keys=31,flagged=0.001"});
    add_gph_kinds("it grows and shrinks", it_grows_and_shrinks, 0, 0);
    add_smallest();
    suite_add_once("wrong options are refused", wrong_options_are_refused);
    suite_add_once("far options are taken", far_options_are_taken);
    suite_add("low bounds are bounds", low_bounds_are_bounds, (struct variant){.shape = &shapes[0]});
    suite_add("low bounds are bounds", low_bounds_are_bounds,
              (struct variant){.shape = &shapes[0], .options = "slots=4,virtual=2"});
    suite_add_once("cleared tables are new", cleared_tables_are_new);
    if (settings_tuned()) suite_add_once("the paper is a preset", the_paper_is_a_preset);
    return suite_run("gph_growth");
}
