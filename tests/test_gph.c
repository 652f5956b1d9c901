/* GPH's own guarantees: the buckets that a lookup reads, the cells that are flagged, other mappings
 * instead of growth, crowds of inserts on few locks, and keys of the overflow store. */
#include "support/draw.h"
#include "support/faulty_backend.h"
#include "support/model.h"
#include "support/restless.h"
#include "support/sequences.h"
#include "support/settings.h"
#include "roost/tuning.h"

#include <stdlib.h>
#include <string.h>

/* ---- Tables ---------------------------------------------------------------------------------- */

static void gph_config(const struct variant *variant, roost_config *config)
{
    table_config(variant, config);
    config->engine = "gph";
}

static void open_gph(struct table *table, const struct variant *variant, uint64_t capacity)
{
    roost_config config;
    gph_config(variant, &config);
    config.capacity = capacity;
    table_open(table, variant, &config);
}

/* Opens a table beside the reference.  The tests here check its fill themselves: the rules of
 * models are those of the engine that the run tests. */
static void open_model(struct model *model, const struct variant *variant, uint64_t capacity, int growth, uint64_t seed)
{
    roost_config config;
    gph_config(variant, &config);
    config.capacity = capacity;
    config.growth = growth;
    config.seed = seed;
    model_open(model, variant, &config);
    model->rules.fixed = true;
}

/* Inserts the items in `pieces` calls. */
static void insert(struct table *table, const uint64_t *keys, size_t n, size_t pieces)
{
    for (size_t piece = 0; piece < pieces; piece++) {
        const size_t first = n * piece / pieces, end = n * (piece + 1) / pieces;
        require_status(ROOST_OK, table_insert(table, ROOST_ASSIGN, keys + first, keys + first, end - first, NULL), table->handle);
    }
}

/* ---- Bucket reads ---------------------------------------------------------------------------- */

struct reads {
    uint64_t all, second, most;
    bool counted; /* a GPU's kernels count only with ROOST_PROBES */
};

/* Counts what finds of n keys read; all of them are there or none. */
static struct reads reads_of(const struct table *table, const uint64_t *keys, size_t n, bool expected)
{
    uint8_t *found = make_bytes(n);
    const struct table_numbers before = table_stats(table);
    require_status(ROOST_OK, table_find(table, keys, n, NULL, found, NULL), table->handle);
    const struct table_numbers after = table_stats(table);
    for (size_t i = 0; i < n; i++) require(found[i] == expected, "key %zu of %zu: found %u", i, n, found[i]);
    free(found);
    const struct reads reads = {after.bucket_reads - before.bucket_reads, after.second_reads - before.second_reads,
                                after.max_bucket_reads, after.bucket_reads > 0};
    require(reads.counted || settings_on_gpu(), "no reads were counted");
    return reads;
}

/* Where no cell is flagged a find reads one bucket, hit or miss. */
static void one_read(const struct variant *variant)
{
    const size_t n = settings_size(50000, 5000);
    uint64_t *keys = numbered_keys(variant->shape, 0, 2 * n);
    struct table table;
    open_gph(&table, variant, 2 * n);
    insert(&table, keys, n, 1);
    require(table_stats(&table).flagged_cells == 0, "%llu cells are flagged", print(table_stats(&table).flagged_cells));
    for (int hits = 0; hits < 2; hits++) {
        const struct reads reads = reads_of(&table, hits ? keys : keys + n, n, hits);
        if (!reads.counted) break;
        require(reads.all == n && reads.most == 1 && reads.second == 0, "%llu reads of %zu keys, at most %llu, %llu second ones",
                print(reads.all), n, print(reads.most), print(reads.second));
    }
    table_close(&table);
    free(keys);
}

/* A share of cells or keys. */
static double share(uint64_t some, uint64_t all) { return (double)some / (double)all; }

/* Finds of keys in the overflow store read a second time, and so do those of absent keys in flagged
 * cells; no others do. */
static void require_reads(const struct table *table, const uint64_t *keys, size_t n)
{
    const struct table_numbers stats = table_stats(table);
    const struct reads hits = reads_of(table, keys, n, true), misses = reads_of(table, keys + n, n, false);
    if (!hits.counted) return;
    require(hits.second == stats.overflow_keys, "%llu of %zu finds read a second time, for %llu keys in the overflow store",
            print(hits.second), n, print(stats.overflow_keys));
    const double flagged = share(stats.flagged_cells, stats.cells) * (double)n;
    require((double)misses.second <= 1.5 * flagged + 20 && (double)misses.second >= 0.5 * flagged - 20,
            "%llu of %zu misses read a second time, and %llu of %llu cells are flagged", print(misses.second), n,
            print(stats.flagged_cells), print(stats.cells));
    require(hits.all >= n + hits.second && misses.all >= n + misses.second, "%llu and %llu reads with %llu and %llu second ones",
            print(hits.all), print(misses.all), print(hits.second), print(misses.second));
    /* With few keys chance fills chains more. */
    const double most = (double)settings_size(103, 105) / 100;
    require(share(hits.all, n) <= 1.03 && share(misses.all, n) <= most, "%.4f reads a hit, %.4f a miss", share(hits.all, n),
            share(misses.all, n));
}

/* A table of the load that the engine is made for, filled in one call or in many: cells get other
 * mappings, and the table does not grow.  4.6 keys of 1000 lie in the overflow store and 14 cells
 * of 1000 are flagged (with 6 keys a cell 1.4 and 3). */
static void the_load_is_reached(const struct variant *variant)
{
    const size_t n = settings_size(200000, 30000);
    const bool six_keys = variant->options != NULL;
    const double most_flagged = six_keys ? 0.01 : (double)settings_size(20, 25) / 1000;
    const double most_spilled = (double)settings_size(6, 12) / 1000;
    uint64_t *keys = numbered_keys(variant->shape, 0, 2 * n);
    struct table table;
    open_gph(&table, variant, n);
    insert(&table, keys, n, variant->number);
    const struct table_numbers stats = table_stats(&table);
    table_check(&table);
    require(stats.count == n && stats.grow_steps == 0, "%llu keys after %llu growth steps", print(stats.count),
            print(stats.grow_steps));
    require(stats.load_factor > (six_keys ? 0.78 : 0.68), "load factor %.3f", stats.load_factor);
    require(stats.delta_moves > 0 && stats.phi_moves > 0 && stats.mapping_tries >= stats.delta_moves + stats.phi_moves,
            "%llu moves by Delta, %llu by Phi, %llu tries", print(stats.delta_moves), print(stats.phi_moves),
            print(stats.mapping_tries));
    require(share(stats.flagged_cells, stats.cells) <= most_flagged, "%llu of %llu cells are flagged", print(stats.flagged_cells),
            print(stats.cells));
    require(share(stats.overflow_keys, n) <= most_spilled, "%llu of %zu keys in the overflow store", print(stats.overflow_keys), n);
    require_reads(&table, keys, n);
    table_close(&table);
    free(keys);
}

/* Flagged cells of a table that cannot grow: as many as the load allows.  Without Extended Move
 * every cell with a full bucket would be flagged, which is far more. */
static void flags_are_few(const struct variant *variant)
{
    const size_t n = 50000;
    uint64_t *keys = numbered_keys(variant->shape, 0, n);
    struct table table;
    roost_config config;
    gph_config(variant, &config);
    config.capacity = n;
    config.growth = 0;
    table_open(&table, variant, &config);
    const roost_status status = table_insert(&table, ROOST_ASSIGN, keys, keys, n, NULL);
    const struct table_numbers stats = table_stats(&table);
    require(share(stats.flagged_cells, stats.cells) <= 0.02, "%llu of %llu cells are flagged", print(stats.flagged_cells),
            print(stats.cells));
    require_status(ROOST_OK, status, table.handle);
    table_close(&table);
    free(keys);
}

/* ---- Lookups by parts of the index ----------------------------------------------------------- */

/* Looks up the first n keys, which are there, and n others, by turns. */
static void require_mixed_finds(const struct table *table, const uint64_t *keys, size_t n)
{
    const bool set = shape_is_set(&table->shape);
    uint64_t *asked = make_patterns(2 * n), *values = make_patterns(2 * n);
    uint8_t *found = make_bytes(2 * n), *statuses = make_bytes(2 * n);
    for (size_t i = 0; i < 2 * n; i++) asked[i] = keys[i / 2 + i % 2 * n];
    memset(values, 0xee, 2 * n * sizeof *values);
    require_status(ROOST_OK, table_find(table, asked, 2 * n, values, found, statuses), table->handle);
    for (size_t i = 0; i < 2 * n; i++) {
        const bool hit = i % 2 == 0;
        require(found[i] == hit && statuses[i] == (hit ? ROOST_ITEM_FOUND : ROOST_ITEM_ABSENT), "item %zu: found %u, status %u", i,
                found[i], statuses[i]);
        const uint64_t mask = width_mask(table->shape.value_bytes), expected = hit ? asked[i] : 0;
        require(set || values[i] == (expected & mask), "item %zu: value %#llx", i, print(values[i]));
    }
    free(asked), free(values), free(found), free(statuses);
}

/* By the table's description, finds run the copying kernel, or (not `staged`) another one. */
static void require_find_kernel(const struct table *table, bool staged)
{
    char kernels[ROOST_DESCRIPTION_BYTES];
    require_status(ROOST_OK, roost_table_describe(table->handle, ROOST_DESCRIBE_KERNELS, kernels, sizeof kernels), table->handle);
    kernels[strcspn(kernels, ",")] = 0;
    require(!strncmp(kernels, "find=find_", 10) && (strstr(kernels, "_staged") != NULL) == staged, "%s", kernels);
}

/* number: 0: an index that fits a block's memory, with a dozen keys a cell; 1: an index of several
 * parts, with a key a cell. */
static void parts_answer_alike(const struct variant *variant)
{
    const size_t n = variant->number ? 400000 : 3000;
    uint64_t *keys = numbered_keys(variant->shape, 0, 2 * n);
    struct table table;
    const bool routed = !strncmp(variant->options, "index=routed", 12), shared = !strncmp(variant->options, "index=shared", 12);
    const bool routes = variant->number && routed;
    open_gph(&table, variant, n);
    require_find_kernel(&table, routed || (shared && !variant->number));
    insert(&table, keys, n, 1);
    require_mixed_finds(&table, keys, n);
    const struct table_numbers stats = table_stats(&table);
    require((stats.route_seconds > 0) == routes && (stats.routed_find_seconds > 0) == routes, "routed for %g s, looked up for %g s",
            stats.route_seconds, stats.routed_find_seconds);
    require_status(ROOST_OK, table_erase(&table, keys, n / 2, NULL), table.handle);
    require_status(ROOST_OK, table_insert(&table, ROOST_ASSIGN, keys, keys, n / 2, NULL), table.handle);
    require_mixed_finds(&table, keys, n);
    table_close(&table);
    free(keys);
}

/* Where memory for routing is refused, lookups run unordered. */
static void routing_without_memory(const struct variant *variant)
{
    const size_t n = 400000;
    uint64_t *keys = numbered_keys(variant->shape, 0, 2 * n);
    struct table table;
    faulty_begin(FAULTY_PLAIN);
    open_gph(&table, variant, n);
    insert(&table, keys, n, 1);
    faulty_arm(FAULT_allocate, 1, true);
    require_mixed_finds(&table, keys, n);
    require(faulty_injected() > 0, "no memory was asked for");
    faulty_arm(FAULT_allocate, 0, false);
    require(table_stats(&table).route_seconds == 0, "there was memory to route in");
    require_mixed_finds(&table, keys, n);
    require(table_stats(&table).route_seconds > 0, "the table does not route any more");
    table_close(&table);
    faulty_end();
    free(keys);
}

static void add_parts(void)
{
    static const char *const options[] = {"index=global", "index=shared", "index=routed"};
    for (int i = 0; i < 3; i++)
        for (size_t s = 0; s < SHAPE_COUNT; s++)
            suite_add("parts answer alike", parts_answer_alike, (struct variant){.shape = &shapes[s], .options = options[i]});
    suite_add("parts answer alike", parts_answer_alike,
              (struct variant){.shape = &shapes[0], .options = "index=shared,keys=1", .number = 1});
    for (size_t s = 0; s < 2; s++)
        suite_add("parts answer alike", parts_answer_alike,
                  (struct variant){.shape = &shapes[s], .options = "index=routed,keys=1", .number = 1});
    if (settings_on_gpu()) return; /* host arrays take memory there, too, and lookups would fail */
    suite_add("routing without memory", routing_without_memory,
              (struct variant){.shape = &shapes[0], .options = "index=routed,keys=1"});
}

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
    insert(&table, keys, n, 1);
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

/* A cleared table behaves as a new one. */
static void cleared_tables_are_new(const struct variant *variant)
{
    const size_t n = settings_size(100000, 20000);
    uint64_t *keys = numbered_keys(variant->shape, 0, 2 * n);
    uint64_t flagged[2];
    roost_config config;
    struct table table;
    gph_config(variant, &config);
    config.capacity = n;
    config.growth = 0;
    config.threads = 1;
    table_open(&table, variant, &config);
    for (int i = 0; i < 2; i++) {
        insert(&table, keys, n, 50);
        flagged[i] = table_stats(&table).flagged_cells;
        /* More keys than there is room for. */
        (void)table_insert(&table, ROOST_ASSIGN, keys + n, keys + n, n, NULL);
        require(table_stats(&table).flagged_cells > 2 * flagged[i], "%llu cells flagged", print(table_stats(&table).flagged_cells));
        require_status(ROOST_OK, roost_table_clear(table.handle), table.handle);
    }
    require(flagged[1] < flagged[0] + flagged[0] / 4 + 8, "%llu cells flagged, and %llu after it was cleared", print(flagged[0]),
            print(flagged[1]));
    table_close(&table);
    free(keys);
}

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
        insert(&table, keys, n, 1);
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

/* ---- Crowds of inserts ----------------------------------------------------------------------- */

/* Each key `copies` times, in any order. */
static uint64_t *copied_keys(const struct test_shape *shape, struct dice *dice, size_t n, size_t copies)
{
    uint64_t *keys = make_patterns(n * copies);
    for (size_t i = 0; i < n * copies; i++) keys[i] = distinct_key(shape, i % n);
    draw_order(dice, keys, n * copies);
    return keys;
}

static roost_mode any_mode(const struct test_shape *shape, struct dice *dice)
{
    return (roost_mode)draw_below(dice, mode_count(shape));
}

/* Inserts all items into a small table at the same time.  model_insert checks each of them, and
 * then the table.  Returns the number of deaths. */
static uint64_t crowd_one_table(const struct variant *variant, struct dice *dice, size_t n, size_t copies)
{
    struct model model;
    uint64_t *keys = copied_keys(variant->shape, dice, n, copies), *values = make_patterns(n * copies);
    const roost_mode mode = any_mode(variant->shape, dice);
    for (size_t i = 0; i < n * copies; i++) values[i] = draw_value(dice, variant->shape->value_type);
    open_model(&model, variant, n, 0, draw(dice));
    restless_begin(draw(dice), draw_below(dice, 2) ? 1u << 10 : 1u << 16, 64);
    const roost_status status = model_insert(&model, mode, keys, values, n * copies);
    restless_end();
    const struct table_numbers stats = table_stats(&model.table);
    require(status == ROOST_OK || stats.count >= n - n / 50, "%llu of %zu keys are stored", print(stats.count), n);
    require(stats.inserted == stats.count, "%llu inserted, %llu keys", print(stats.inserted), print(stats.count));
    model_close(&model);
    free(keys);
    free(values);
    return stats.wait_die_aborts;
}

/* Many items at the same time, in tables of few buckets, which cells share: items meet each other's
 * locks.  On the host threads yield at random, so items die in every few tables.  On a GPU the test
 * makes tables until some died. */
static void crowds_do_no_harm(const struct variant *variant)
{
    const size_t copies = variant->number, n = copies > 10 ? 500 : 2000, most = settings_rounds(100, 250);
    const size_t tables = settings_size(copies > 10 ? most * 2 / 5 : most, 12), least = settings_rounds(tables, 4);
    struct dice dice = {suite_seed()};
    uint64_t deaths = 0;
    for (size_t i = 0; i < tables && (i < least || !deaths); i++) {
        suite_step("table %zu", i);
        deaths += crowd_one_table(variant, &dice, n, copies);
    }
    require(deaths > 0 || settings_get()->is_short, "no insert met an older one's lock in %zu tables", tables);
}

/* ---- The overflow store ---------------------------------------------------------------------- */

/* A table that is fuller than its mappings reach, and `n` of its keys, in any order. */
struct crowded {
    struct model model;
    struct dice dice;
    uint64_t *keys, *values;
    size_t n;
};

static void new_values(struct crowded *c)
{
    for (size_t i = 0; i < c->n; i++) c->values[i] = draw_value(&c->dice, c->model.table.shape.value_type);
}

/* Collects the keys that found room. */
static void keep_stored(struct crowded *c)
{
    size_t stored = 0;
    for (size_t i = 0; i < c->n; i++)
        if (reference_get(c->model.reference, c->keys[i], NULL)) c->keys[stored++] = c->keys[i];
    c->n = stored;
}

static void crowded_open(struct crowded *c, const struct variant *variant, size_t room)
{
    c->dice.state = suite_seed();
    c->n = 2 * room;
    c->keys = numbered_keys(variant->shape, 0, c->n);
    c->values = make_patterns(c->n);
    open_model(&c->model, variant, room, 0, suite_seed());
    new_values(c);
    size_t piece = settings_rounds(room / 8, room / 2);
    for (size_t first = 0; first < 2 * room && table_stats(&c->model.table).overflow_keys < room / 100;
         first += piece, piece = room / 8)
        model_insert(&c->model, ROOST_ASSIGN, c->keys + first, c->values + first, piece);
    keep_stored(c);
    draw_order(&c->dice, c->keys, c->n);
    const struct table_numbers stats = table_stats(&c->model.table);
    require(stats.flagged_cells > 0 && stats.overflow_keys >= room / 100, "%llu cells are flagged, %llu keys in the overflow store",
            print(stats.flagged_cells), print(stats.overflow_keys));
}

static void crowded_close(struct crowded *c)
{
    model_close(&c->model);
    free(c->keys);
    free(c->values);
}

static size_t crowded_room(void) { return settings_size(10000, 2000); }

/* Updates change the one copy of a key, and move nothing. */
static void spilled_keys_are_updated(const struct variant *variant)
{
    struct crowded c;
    crowded_open(&c, variant, crowded_room());
    const struct table_numbers before = table_stats(&c.model.table);
    for (unsigned mode = 0; mode < mode_count(variant->shape); mode++) {
        new_values(&c);
        require_status(ROOST_OK, model_insert(&c.model, (roost_mode)mode, c.keys, c.values, c.n), c.model.table.handle);
    }
    const struct table_numbers after = table_stats(&c.model.table);
    require(after.count == before.count && after.overflow_keys == before.overflow_keys && after.evicted == before.evicted,
            "%llu keys became %llu, %llu in the overflow store %llu", print(before.count), print(after.count),
            print(before.overflow_keys), print(after.overflow_keys));
    model_compare(&c.model);
    crowded_close(&c);
}

/* A key in the overflow store does not get a second copy in a slot that erases left vacant in its
 * main bucket. */
static void vacancies_wait_for_new_keys(const struct variant *variant)
{
    struct crowded c;
    crowded_open(&c, variant, crowded_room());
    unsigned round = 0;
    for (; round < 10 && table_stats(&c.model.table).overflow_keys; round++) {
        const size_t gone = c.n / settings_size(200, 1000); /* few, so flags stay for some rounds */
        const roost_mode mode = any_mode(variant->shape, &c.dice);
        suite_step("round %u", round);
        model_erase(&c.model, c.keys + c.n - gone, gone);
        c.n -= gone;
        require_status(ROOST_OK, model_insert(&c.model, mode, c.keys, c.values, c.n), c.model.table.handle);
    }
    require(round >= 3, "no key is left in the overflow store after %u rounds", round);
    crowded_close(&c);
}

/* Keys of the overflow store are erased like others.  When the crowd is gone, so are the flags. */
static void flags_go_with_the_crowd(const struct variant *variant)
{
    struct crowded c;
    crowded_open(&c, variant, crowded_room());
    const size_t all = c.n;
    uint64_t before = table_stats(&c.model.table).flagged_cells;
    for (unsigned tenth = 1; tenth <= 10; tenth++) {
        const size_t first = all * (tenth - 1) / 10, end = all * tenth / 10;
        suite_step("erasing tenth %u", tenth);
        model_erase(&c.model, c.keys + first, end - first);
        model_find(&c.model, c.keys, all);
        const struct table_numbers stats = table_stats(&c.model.table);
        require(stats.flagged_cells <= before, "%llu flagged cells became %llu", print(before), print(stats.flagged_cells));
        require(tenth < 7 || (stats.flagged_cells == 0 && stats.overflow_keys == 0),
                "with %u tenths erased %llu cells are flagged, with %llu keys", tenth, print(stats.flagged_cells),
                print(stats.overflow_keys));
        before = stats.flagged_cells;
    }
    require(table_stats(&c.model.table).count == 0, "%llu keys are left", print(table_stats(&c.model.table).count));
    crowded_close(&c);
}

/* Many threads update keys of the overflow store, each key twice in a call, then erase half of them
 * and insert these again. */
static void spilled_keys_in_a_crowd(const struct variant *variant)
{
    const size_t rounds = settings_rounds(settings_size(20, 4), 2);
    for (size_t round = 0; round < rounds; round++) {
        struct crowded c;
        suite_step("round %zu", round);
        crowded_open(&c, variant, 1000);
        uint64_t *twice = make_patterns(2 * c.n), *values = make_patterns(2 * c.n);
        for (size_t i = 0; i < 2 * c.n; i++)
            twice[i] = c.keys[i % c.n], values[i] = draw_value(&c.dice, variant->shape->value_type);
        restless_begin(draw(&c.dice), 1u << 10, 16);
        model_insert(&c.model, any_mode(variant->shape, &c.dice), twice, values, 2 * c.n);
        model_erase(&c.model, twice + c.n / 2, c.n);
        model_insert(&c.model, any_mode(variant->shape, &c.dice), twice, values, 2 * c.n);
        restless_end();
        free(twice);
        free(values);
        crowded_close(&c);
    }
}

/* ---- Growing and shrinking ------------------------------------------------------------------- */

/* The table grows, with its fill within the bound, when more cells are flagged than the option
 * allows, and not before. */
static void flagged_cells_make_it_grow(const struct variant *variant)
{
    const size_t n = 60000;
    const bool strict = variant->number;
    uint64_t *keys = numbered_keys(variant->shape, 0, n);
    struct table table;
    open_gph(&table, variant, n);
    for (size_t piece = 0; piece < 20; piece++) {
        const size_t first = n * piece / 20, end = n * (piece + 1) / 20;
        insert(&table, keys + first, end - first, 1);
        const struct table_numbers stats = table_stats(&table);
        table_check(&table);
        require(!strict || (double)stats.flagged_cells <= 0.001 * (double)stats.cells + 8, "%llu of %llu cells are flagged",
                print(stats.flagged_cells), print(stats.cells));
    }
    const struct table_numbers stats = table_stats(&table);
    require(strict ? stats.grow_steps > 0 : stats.grow_steps == 0, "%llu growth steps", print(stats.grow_steps));
    require(stats.forced_grow_steps == stats.grow_steps, "%llu of them forced", print(stats.forced_grow_steps));
    require(strict || stats.flagged_cells > stats.cells / 1000 + 8, "%llu flagged cells", print(stats.flagged_cells));
    reads_of(&table, keys, n, true);
    table_close(&table);
    free(keys);
}

/* A table doubles and halves with its keys, and keeps them all. */
static void it_grows_and_shrinks(const struct variant *variant)
{
    const size_t n = settings_size(20000, 6000);
    const size_t pieces = 12, erases = settings_rounds(12, 6);
    struct model model;
    uint64_t *keys = numbered_keys(variant->shape, 0, n);
    open_model(&model, variant, 0, 1, suite_seed());
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
        open_model(&model, variant, 0, growth, draw(&dice));
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

/* ---- Special keys ---------------------------------------------------------------------------- */

/* Keys with a meaning: 0, which marks vacant slots; ~0, which marks them in the special bucket; and
 * others.  Each has the value ~0. */
static void telling_keys(const struct variant *variant)
{
    uint64_t keys[PATTERN_COUNT], values[PATTERN_COUNT];
    struct crowded c;
    crowded_open(&c, variant, 2000);
    draw_patterns(keys, variant->shape->key_bytes);
    for (unsigned round = 0; round < 3 * mode_count(variant->shape); round++) {
        for (size_t i = 0; i < PATTERN_COUNT; i++)
            values[i] = round % 3 ? draw_value(&c.dice, variant->shape->value_type) : ~UINT64_C(0);
        model_insert(&c.model, (roost_mode)(round / 3), keys, values, PATTERN_COUNT);
        require(reference_get(c.model.reference, 0, NULL), "the key 0 finds no room");
        model_find(&c.model, c.keys, c.n);
        if (round % 2) model_erase(&c.model, keys, round % 4 == 1 ? 1 : PATTERN_COUNT);
    }
    model_compare(&c.model);
    crowded_close(&c);
}

/* A call in which every item has key 0. */
static void a_crowd_of_zeros(const struct variant *variant)
{
    const size_t n = settings_size(20000, 2000);
    uint64_t *keys = make_patterns(n), *values = make_patterns(n);
    struct dice dice = {suite_seed()};
    for (unsigned mode = 0; mode < mode_count(variant->shape); mode++) {
        struct model model;
        open_model(&model, variant, 0, 0, draw(&dice));
        for (size_t i = 0; i < n; i++) values[i] = i % 3 ? draw_value(&dice, variant->shape->value_type) : ~UINT64_C(0);
        restless_begin(draw(&dice), 1u << 10, 64);
        require_status(ROOST_OK, model_insert(&model, (roost_mode)mode, keys, values, n), model.table.handle);
        model_erase(&model, keys, n);
        restless_end();
        model_close(&model);
    }
    free(keys);
    free(values);
}

/* ---- Options --------------------------------------------------------------------------------- */

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
    {"virtual=8,virtual=7", "virtual=7"},
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
        open_model(&model, &with, 0, 1, suite_seed());
        require_status(ROOST_OK, model_insert(&model, ROOST_KEEP, keys, keys, 3000), model.table.handle);
        model_close(&model);
        free(keys);
    }
}

/* ---- Cases ----------------------------------------------------------------------------------- */

/* Every width, and options that change buckets, cells or mappings.  shapes[] has pairs of 4 bytes
 * first, then of 8. */
struct kind {
    unsigned shape;
    const char *options;
};

static const struct kind kinds[] = {
    {0, NULL},
    {1, NULL},
    {2, NULL},
    {3, NULL},
    {4, NULL},
    {5, NULL},
    {0, "slots=4,keys=8"},
    {0, "slots=16"},
    {0, "virtual=2"},
    {0, "virtual=16"},
    {0, "keys=6"},
    {1, "virtual=4"},
    /* These need ROOST_TUNE. */
    {0, "hash=summed"},
    {0, "preset=paper"},
    {1, "hash=summed"},
    {5, "preset=paper"},
};

enum { KINDS = sizeof kinds / sizeof kinds[0], TUNED_KINDS = 4 };

static void add_kinds(const char *behaviour, test_body body, int threads, uint64_t number)
{
    for (size_t i = 0; i < KINDS - (settings_tuned() ? 0 : TUNED_KINDS); i++)
        for (int p = PLACE_HOST; p < suite_placements(); p++)
            suite_add(behaviour, body,
                      (struct variant){.shape = &shapes[kinds[i].shape],
                                       .options = kinds[i].options,
                                       .threads = threads,
                                       .placement = (enum placement)p,
                                       .number = number});
}

/* In one call and in a hundred, with 12 keys a cell and with 6. */
static void add_loads(void)
{
    for (unsigned i = 0; i < SHAPE_COUNT; i++)
        for (unsigned long long pieces = 1; pieces <= 100; pieces += 99) {
            suite_add("the load is reached", the_load_is_reached, (struct variant){.shape = &shapes[i], .number = pieces});
            suite_add("the load is reached", the_load_is_reached,
                      (struct variant){.shape = &shapes[i], .options = "keys=6", .number = pieces});
        }
}

static void add_smallest(void)
{
    static const char *const options[] = {"virtual=2", "virtual=4", "virtual=16", "hash=summed,virtual=2",
                                          "hash=summed,virtual=16"};
    /* The last two need ROOST_TUNE. */
    const size_t n = sizeof options / sizeof options[0] - (settings_tuned() ? 0 : 2);
    for (uint64_t growth = 0; growth < 2; growth++) {
        add_kinds(growth ? "the smallest tables grow" : "the smallest tables", the_smallest_tables, 0, growth);
        for (unsigned shape = 0; shape < SHAPE_COUNT; shape++)
            for (size_t i = 0; i < n; i++)
                suite_add("the smallest tables, narrow and wide", the_smallest_tables,
                          (struct variant){.shape = &shapes[shape], .options = options[i], .number = growth});
    }
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    add_kinds("one read", one_read, 0, 0);
    add_loads();
    suite_add("flags are few", flags_are_few,
              (struct variant){
                  .shape = &shapes[0],
              });
    suite_add("flags are few", flags_are_few, (struct variant){.shape = &shapes[1]});
    add_parts();
    suite_add("capacities are kept", capacities_are_kept, (struct variant){.shape = &shapes[0], .options = "keys=6"});
    suite_add("capacities are kept", capacities_are_kept, (struct variant){.shape = &shapes[0], .options = "keys=8"});
    suite_add("capacities are kept", capacities_are_kept, (struct variant){.shape = &shapes[0]});
    for (size_t keys = 250; keys <= 4000; keys *= 2)
        suite_add("small capacities are kept", small_capacities_are_kept, (struct variant){.shape = &shapes[0], .number = keys});
    suite_add("small capacities are kept", small_capacities_are_kept,
              (struct variant){.shape = &shapes[0], .options = "keys=6", .number = 1000});
    for (size_t i = 0; i < sizeof crowded_cells / sizeof crowded_cells[0]; i++)
        suite_add("capacities are kept", capacities_are_kept, (struct variant){.shape = &shapes[0], .options = crowded_cells[i]});
    for (uint64_t copies = 1; copies <= 50; copies = copies == 1 ? 2 : copies * 25)
        add_kinds("crowds do no harm", crowds_do_no_harm, 8, copies);
    add_kinds("spilled keys are updated", spilled_keys_are_updated, 0, 0);
    add_kinds("vacancies wait for new keys", vacancies_wait_for_new_keys, 0, 0);
    add_kinds("flags go with the crowd", flags_go_with_the_crowd, 0, 0);
    add_kinds("spilled keys in a crowd", spilled_keys_in_a_crowd, 8, 0);
    suite_add("flagged cells make it grow", flagged_cells_make_it_grow,
              (struct variant){.shape = &shapes[0], .options = "flagged=0.001", .number = 1});
    suite_add("flagged cells make it grow", flagged_cells_make_it_grow,
              (struct variant){.shape = &shapes[1], .options = "flagged=0.001", .number = 1});
    suite_add("flagged cells let it be", flagged_cells_make_it_grow, (struct variant){.shape = &shapes[0], .options = "flagged=1"});
    suite_add("sparse tables are sound", sparse_tables_are_sound,
              (struct variant){.shape = &shapes[0], .options = "keys=31,flagged=0.001"});
    suite_add("sparse tables are sound", sparse_tables_are_sound,
              (struct variant){.shape = &shapes[1], .options = "keys=31,flagged=0.001"});
    add_kinds("it grows and shrinks", it_grows_and_shrinks, 0, 0);
    add_smallest();
    add_kinds("telling keys", telling_keys, 0, 0);
    add_kinds("a crowd of zeros", a_crowd_of_zeros, 8, 0);
    suite_add_once("wrong options are refused", wrong_options_are_refused);
    suite_add_once("far options are taken", far_options_are_taken);
    suite_add("low bounds are bounds", low_bounds_are_bounds, (struct variant){.shape = &shapes[0]});
    suite_add("low bounds are bounds", low_bounds_are_bounds,
              (struct variant){.shape = &shapes[0], .options = "slots=4,virtual=2"});
    suite_add_once("cleared tables are new", cleared_tables_are_new);
    if (settings_tuned()) suite_add_once("the paper is a preset", the_paper_is_a_preset);
    return suite_run("gph");
}
