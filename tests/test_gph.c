/* GPH's own guarantees: the buckets that a lookup reads, the cells that are flagged, other mappings
 * instead of growth, crowds of inserts on few locks, keys of the overflow store, and keys with a
 * meaning. */
#include "support/draw.h"
#include "support/faulty_backend.h"
#include "support/gph_tables.h"
#include "support/restless.h"
#include "support/sequences.h"
#include "support/settings.h"
#include "roost/tuning.h"

#include <stdlib.h>
#include <string.h>

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
    gph_insert(&table, keys, n, 1);
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
    gph_insert(&table, keys, n, variant->number);
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
        gph_insert(&table, keys + first, end - first, 1);
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
    gph_insert(&table, keys, n, 1);
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
    gph_insert(&table, keys, n, 1);
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

/* ---- Crowds of inserts ----------------------------------------------------------------------- */

/* Each key `copies` times, in any order. */
static uint64_t *copied_keys(const struct test_shape *shape, struct dice *dice, size_t n, size_t copies)
{
    uint64_t *keys = make_patterns(n * copies);
    for (size_t i = 0; i < n * copies; i++) keys[i] = distinct_key(shape, i % n);
    draw_order(dice, keys, n * copies);
    return keys;
}

/* Inserts all items into a small table at the same time.  model_insert checks each of them, and
 * then the table.  Returns the number of deaths. */
static uint64_t crowd_one_table(const struct variant *variant, struct dice *dice, size_t n, size_t copies)
{
    struct model model;
    uint64_t *keys = copied_keys(variant->shape, dice, n, copies), *values = make_patterns(n * copies);
    const roost_mode mode = any_mode(variant->shape, dice);
    for (size_t i = 0; i < n * copies; i++) values[i] = draw_value(dice, variant->shape->value_type);
    open_gph_model(&model, variant, n, 0, draw(dice));
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
 * locks.  On the host threads yield at random, so items die in every few tables; on a busy machine
 * or a GPU in fewer, and the test makes more tables until some died. */
static void crowds_do_no_harm(const struct variant *variant)
{
    enum { PATIENCE = 10 };
    const size_t copies = variant->number, n = copies > 10 ? 500 : 2000, most = settings_rounds(100, 250);
    const size_t tables = settings_size(copies > 10 ? most * 2 / 5 : most, 12), least = settings_rounds(tables, 4);
    /* Fixed tables refuse most of many copies by their count, without a move that meets others. */
    const size_t wanted = copies > 10 || settings_get()->is_short ? tables : PATIENCE * tables;
    struct dice dice = {suite_seed()};
    uint64_t deaths = 0;
    for (size_t i = 0; i < wanted && (i < least || !deaths); i++) {
        suite_step("table %zu", i);
        deaths += crowd_one_table(variant, &dice, n, copies);
    }
    require(deaths > 0 || wanted == tables, "no insert met an older one's lock in %zu tables", wanted);
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
    open_gph_model(&c->model, variant, room, 0, suite_seed());
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

/* Erases of single keys try no mapping of the flagged cells before they have paid for it. */
static void erases_pay_for_mends(const struct variant *variant)
{
    struct crowded c;
    crowded_open(&c, variant, crowded_room());
    const struct table_numbers before = table_stats(&c.model.table);
    const size_t n = c.n < 4 * before.flagged_cells ? c.n : (size_t)(4 * before.flagged_cells);
    for (size_t i = 0; i < n; i++) require_status(ROOST_OK, table_erase(&c.model.table, c.keys + i, 1, NULL), c.model.table.handle);
    const uint64_t tries = table_stats(&c.model.table).mapping_tries - before.mapping_tries;
    require(tries <= 32 * n, "%llu mappings were tried while %zu keys were erased, with %llu flagged cells", print(tries), n,
            print(before.flagged_cells));
    table_check(&c.model.table);
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

/* ---- Full tables ----------------------------------------------------------------------------- */

/* A table that does not grow and was filled, by one call or key by key, until it refused a key. */
struct full {
    struct table table;
    struct dice dice;
    uint64_t *keys; /* numbered; the first `used` ones were inserted or refused */
    size_t used, n; /* n: keys stored, at the front of `stored` */
    uint64_t *stored;
};

/* Inserts the next key; true if it is stored. */
static bool full_insert(struct full *f)
{
    const uint64_t key = f->keys[f->used++];
    const roost_status status = table_insert(&f->table, ROOST_KEEP, &key, &key, 1, NULL);
    require(status == ROOST_OK || status == ROOST_ERR_FULL, "%s in a fixed table", roost_status_name(status));
    if (status == ROOST_OK) f->stored[f->n++] = key;
    return status == ROOST_OK;
}

/* Erases one of the stored keys, drawn at random. */
static void full_erase(struct full *f)
{
    const size_t which = (size_t)draw_below(&f->dice, f->n);
    require_status(ROOST_OK, table_erase(&f->table, f->stored + which, 1, NULL), f->table.handle);
    f->stored[which] = f->stored[--f->n];
}

/* Inserts far too many keys in one call. */
static void full_by_one_call(struct full *f, size_t many)
{
    uint8_t *statuses = make_bytes(many);
    require_status(ROOST_ERR_FULL, table_insert(&f->table, ROOST_KEEP, f->keys, f->keys, many, statuses), f->table.handle);
    for (size_t i = 0; i < many; i++)
        if (statuses[i] == ROOST_ITEM_INSERTED) f->stored[f->n++] = f->keys[i];
    f->used = many;
    free(statuses);
}

static void full_open(struct full *f, const struct variant *variant, size_t room, size_t more, bool by_one_call)
{
    roost_config config;
    gph_config(variant, &config);
    config.capacity = room;
    config.growth = 0;
    memset(f, 0, sizeof *f);
    f->dice.state = suite_seed();
    f->keys = numbered_keys(variant->shape, 1, 4 * room + more);
    f->stored = make_patterns(4 * room + more);
    table_open(&f->table, variant, &config);
    if (by_one_call) full_by_one_call(f, 3 * room);
    else
        while (full_insert(f)) continue;
    require(f->n >= room, "a table for %zu keys is full with %zu", room, f->n);
}

static void full_close(struct full *f)
{
    table_check(&f->table);
    require(table_stats(&f->table).count == f->n, "%zu keys were stored", f->n);
    table_close(&f->table);
    free(f->keys);
    free(f->stored);
}

/* The share of keys, in per mille, that a full table may refuse although others were erased
 * (roost.h).  With few virtual buckets, or few slots in them, cells have few mappings. */
static size_t most_refused(const struct variant *variant)
{
    const char *options = variant->options;
    return options && (!strncmp(options, "slots=4", 7) || !strcmp(options, "virtual=2")) ? 30 : 10;
}

/* A key is erased and another one inserted, again and again. number: 1: it was filled in one
 * call. */
static void a_key_for_a_key(const struct variant *variant)
{
    /* Each single key costs a GPU tens of launches and waits. */
    const size_t steps = settings_on_gpu() ? 1000 : settings_size(10000, 2000);
    struct full f;
    size_t refused = 0;
    full_open(&f, variant, settings_on_gpu() ? 500 : settings_size(4000, 500), steps, variant->number);
    for (size_t i = 0; i < steps; i++) {
        full_erase(&f);
        refused += !full_insert(&f);
    }
    require(1000 * refused <= most_refused(variant) * steps, "%zu of %zu keys were refused for which others were erased", refused,
            steps);
    full_close(&f);
}

/* A full table tries no mapping for keys that it refuses.  It updates those that it has. */
static void refusals_are_cheap(const struct variant *variant)
{
    struct full f;
    const size_t room = settings_on_gpu() ? 500 : settings_size(4000, 500);
    full_open(&f, variant, room, 0, variant->number);
    const size_t n = room / 2;
    uint64_t *asked = make_patterns(2 * n);
    uint8_t *statuses = make_bytes(2 * n);
    for (size_t i = 0; i < n; i++) asked[2 * i] = f.keys[f.used + i], asked[2 * i + 1] = f.stored[i];
    const uint64_t tries = table_stats(&f.table).mapping_tries;
    require_status(ROOST_ERR_FULL, table_insert(&f.table, ROOST_ASSIGN, asked, asked, 2 * n, statuses), f.table.handle);
    for (size_t i = 0; i < 2 * n; i++)
        require(statuses[i] == (i % 2 ? ROOST_ITEM_UPDATED : ROOST_ITEM_FULL), "item %zu ended with status %u", i, statuses[i]);
    require(table_stats(&f.table).mapping_tries == tries, "%llu mappings were tried",
            print(table_stats(&f.table).mapping_tries - tries));
    free(asked), free(statuses);
    full_close(&f);
}

/* A table whose growth is refused knows it too: it refuses later keys without a search, updates
 * those that it has, and takes a key for each one that is erased. */
static void a_limit_makes_full(const struct variant *variant)
{
    enum { BATCH = 4096, BATCHES = 64, ERASED = 200 };
    uint64_t *keys = numbered_keys(variant->shape, 1, BATCH * BATCHES);
    uint8_t *statuses = make_bytes(BATCH);
    struct table table;
    roost_config config;
    size_t used = 0, stored = 0;
    gph_config(variant, &config);
    config.memory_limit = 1 << 20;
    table_open(&table, variant, &config);
    for (roost_status status = ROOST_OK; status == ROOST_OK; used += BATCH) {
        require(used + 3 * (size_t)BATCH <= BATCH * BATCHES, "no limit was met");
        status = table_insert(&table, ROOST_ASSIGN, keys + used, keys + used, BATCH, statuses);
        require(status == ROOST_OK || status == ROOST_ERR_MEMORY, "%s under a limit", roost_status_name(status));
    }
    for (size_t i = 0; i < BATCH; i += 2) keys[used + i] = keys[i];
    const struct table_numbers before = table_stats(&table);
    require_status(ROOST_ERR_MEMORY, table_insert(&table, ROOST_ASSIGN, keys + used, keys + used, BATCH, statuses), table.handle);
    for (size_t i = 0; i < BATCH; i++)
        require(statuses[i] == (i % 2 ? ROOST_ITEM_NO_MEMORY : ROOST_ITEM_UPDATED), "item %zu ended with status %u", i,
                statuses[i]);
    require(table_stats(&table).mapping_tries == before.mapping_tries, "mappings were tried for keys that are refused");
    require_status(ROOST_OK, table_erase(&table, keys, ERASED, NULL), table.handle);
    (void)table_insert(&table, ROOST_ASSIGN, keys + used + BATCH, keys + used + BATCH, BATCH, statuses);
    for (size_t i = 0; i < BATCH; i++) stored += statuses[i] == ROOST_ITEM_INSERTED;
    require(stored <= ERASED && 100 * (ERASED - stored) <= 3 * ERASED, "%zu keys came where %d were erased", stored, ERASED);
    table_check(&table);
    require(table_stats(&table).count == before.count - ERASED + stored, "the count");
    table_close(&table);
    free(keys), free(statuses);
}

/* Some keys are erased, and a batch has more new ones, each several times: as many are stored as
 * were erased, and no item is refused whose key is stored. */
static void no_copy_is_refused(const struct variant *variant)
{
    enum { COPIES = 7 };
    struct full f;
    const size_t room = settings_size(4000, 500), n = room / 2;
    full_open(&f, variant, room, 0, variant->number);
    uint64_t *asked = make_patterns(COPIES * n), *values = make_patterns(COPIES * n);
    uint8_t *statuses = make_bytes(COPIES * n), *found = make_bytes(COPIES * n);
    for (size_t erased = 1; erased <= n / 2; erased *= 2) {
        suite_step("%zu keys are erased", erased);
        for (size_t i = 0; i < erased; i++) full_erase(&f);
        for (size_t i = 0; i < COPIES * n; i++) asked[i] = f.keys[f.used + i % n];
        draw_order(&f.dice, asked, COPIES * n);
        require_status(ROOST_ERR_FULL, table_insert(&f.table, ROOST_KEEP, asked, asked, COPIES * n, statuses), f.table.handle);
        require_status(ROOST_OK, table_find(&f.table, asked, COPIES * n, NULL, found, NULL), f.table.handle);
        size_t stored = 0;
        for (size_t i = 0; i < COPIES * n; i++) {
            require(found[i] == (statuses[i] != ROOST_ITEM_FULL), "item %zu ended with status %u, and its key is %s", i,
                    statuses[i], found[i] ? "stored" : "absent");
            if (statuses[i] == ROOST_ITEM_INSERTED) f.stored[f.n + stored++] = asked[i];
        }
        require(stored <= erased && stored + erased / 10 + 1 >= erased, "%zu keys were stored for %zu", stored, erased);
        f.n += stored;
        f.used += n; /* the next keys */
        if (f.used + n > 4 * room) f.used = 3 * room;
    }
    free(asked), free(values), free(statuses), free(found);
    full_close(&f);
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
        open_gph_model(&model, variant, 0, 0, draw(&dice));
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

/* ---- Cases ----------------------------------------------------------------------------------- */

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

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    add_gph_kinds("one read", one_read, 0, 0);
    add_loads();
    suite_add("flags are few", flags_are_few,
              (struct variant){
                  .shape = &shapes[0],
              });
    suite_add("flags are few", flags_are_few, (struct variant){.shape = &shapes[1]});
    add_parts();
    for (uint64_t copies = 1; copies <= 50; copies = copies == 1 ? 2 : copies * 25)
        add_gph_kinds("crowds do no harm", crowds_do_no_harm, 8, copies);
    add_gph_kinds("spilled keys are updated", spilled_keys_are_updated, 0, 0);
    add_gph_kinds("vacancies wait for new keys", vacancies_wait_for_new_keys, 0, 0);
    add_gph_kinds("flags go with the crowd", flags_go_with_the_crowd, 0, 0);
    add_gph_kinds("spilled keys in a crowd", spilled_keys_in_a_crowd, 8, 0);
    add_gph_kinds("erases pay for mends", erases_pay_for_mends, 0, 0);
    for (uint64_t by_one_call = 0; by_one_call < 2; by_one_call++) {
        add_gph_kinds("a key for a key", a_key_for_a_key, 0, by_one_call);
        add_gph_kinds("refusals are cheap", refusals_are_cheap, 0, by_one_call);
    }
    suite_add_widths("a limit makes full", a_limit_makes_full);
    add_gph_kinds("no copy is refused", no_copy_is_refused, 8, 1);
    suite_add("flagged cells make it grow", flagged_cells_make_it_grow,
              (struct variant){.shape = &shapes[0], .options = "flagged=0.001", .number = 1});
    suite_add("flagged cells make it grow", flagged_cells_make_it_grow,
              (struct variant){.shape = &shapes[1], .options = "flagged=0.001", .number = 1});
    suite_add("flagged cells let it be", flagged_cells_make_it_grow, (struct variant){.shape = &shapes[0], .options = "flagged=1"});
    add_gph_kinds("telling keys", telling_keys, 0, 0);
    add_gph_kinds("a crowd of zeros", a_crowd_of_zeros, 8, 0);
    return suite_run("gph");
}
