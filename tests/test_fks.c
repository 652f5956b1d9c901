/* FKS's own guarantees: a built batch leaves the same pairs as one written in place, buckets are
 * split and merged one at a time, only buckets without a layout draw new seeds, freed blocks are
 * used again, copies of a key are stored once, and finds stop at lines that no key has passed. */
#include "support/draw.h"
#include "support/model.h"
#include "support/sequences.h"
#include "support/settings.h"
#include "roost/tuning.h"

#include <stdlib.h>
#include <string.h>

/* ---- Tables --------------------------------------------------------------------------------- */

static void open_model(struct model *model, const struct variant *variant, uint64_t capacity, double min_fill)
{
    roost_config config;
    table_config(variant, &config);
    config.engine = "fks";
    config.capacity = capacity;
    config.min_fill = min_fill;
    model_open(model, variant, &config);
    model->rules.fixed = true; /* this file checks the fill */
}

/* A table whose growth is off. */
static roost_config fixed_config(const struct variant *variant, uint64_t capacity)
{
    roost_config config;
    table_config(variant, &config);
    config.engine = "fks";
    config.growth = 0;
    config.capacity = capacity;
    return config;
}

/* Inserts n keys from `first` on, in pieces of `piece` keys. */
static void insert_pieces(struct model *model, uint64_t first, uint64_t n, uint64_t piece)
{
    for (uint64_t done = 0; done < n; done += piece) {
        const size_t here = (size_t)(n - done < piece ? n - done : piece);
        uint64_t *keys = numbered_keys(&model->table.shape, first + done, here);
        suite_step("keys %llu and up", print(first + done));
        require_status(ROOST_OK, model_insert(model, ROOST_ASSIGN, keys, keys, here), model->table.handle);
        free(keys);
    }
}

static void erase_range(struct model *model, uint64_t first, uint64_t n)
{
    uint64_t *keys = numbered_keys(&model->table.shape, first, n);
    model_erase(model, keys, n);
    free(keys);
}

/* ---- Building and writing ------------------------------------------------------------------- */

/* A batch that is large beside the table is built, a small one is written in place.  The table
 * holds the same pairs either way. */
static void built_or_written(const struct variant *variant)
{
    const uint64_t n = settings_size(60000, 12000);
    struct model model;
    open_model(&model, variant, 2 * n, 0.3);
    insert_pieces(&model, 0, n, n);
    const struct table_numbers built = table_stats(&model.table);
    require(built.bucket_builds >= built.buckets, "%llu of %llu buckets were built", print(built.bucket_builds),
            print(built.buckets));
    insert_pieces(&model, n, n / 4, n / 100);
    const struct table_numbers written = table_stats(&model.table);
    require(written.bucket_builds < built.bucket_builds + written.buckets * 4, "small batches built %llu buckets of %llu",
            print(written.bucket_builds - built.bucket_builds), print(written.buckets));
    require(written.outside_keys == 0, "%llu keys outside their lines", print(written.outside_keys));
    model_compare(&model);
    model_close(&model);
}

/* Many copies of few keys, in all modes: the first copy inserts, the others update. */
static void copies_are_one(const struct variant *variant)
{
    enum { N = 20000, DISTINCT = 300 };
    struct model model;
    open_model(&model, variant, 0, 0.3);
    uint64_t *keys = make_patterns(N), *values = make_patterns(N);
    for (size_t i = 0; i < N; i++) keys[i] = distinct_key(variant->shape, i % DISTINCT), values[i] = i;
    require_status(ROOST_OK, model_insert(&model, ROOST_ASSIGN, keys, values, N), model.table.handle);
    require_status(ROOST_OK, model_insert(&model, ROOST_KEEP, keys, values, N), model.table.handle);
    const struct table_numbers stats = table_stats(&model.table);
    require(stats.count == DISTINCT && stats.slots < 20 * DISTINCT + 2000, "%llu keys in %llu slots", print(stats.count),
            print(stats.slots));
    model_compare(&model);
    model_close(&model);
    free(keys);
    free(values);
}

/* ---- Buckets -------------------------------------------------------------------------------- */

/* A table that grows by small batches splits buckets; one that loses keys merges them. */
static void split_and_merged(const struct variant *variant)
{
    const uint64_t n = settings_size(120000, 30000);
    struct model model;
    struct variant with = *variant;
    with.options = "bucket=120,dense=1000,grow=1,split=1.01,merge=0.5";
    open_model(&model, &with, 0, 0.01);
    insert_pieces(&model, 0, n, n / 200);
    const struct table_numbers grown = table_stats(&model.table);
    require(grown.splits > 0 && grown.merges == 0, "%llu splits, %llu merges", print(grown.splits), print(grown.merges));
    for (uint64_t i = 0; i < 100; i++) erase_range(&model, i * (n / 100), n / 100 - n / 1000);
    const struct table_numbers shrunk = table_stats(&model.table);
    require(shrunk.buckets < grown.buckets / 2, "%llu buckets became %llu", print(grown.buckets), print(shrunk.buckets));
    require(shrunk.merges > 0, "no bucket was merged");
    model_compare(&model);
    table_check(&model.table);
    model_close(&model);
}

static struct table_numbers grown_by(const struct variant *variant, const char *options, uint64_t n)
{
    struct model model;
    struct variant with = *variant;
    with.options = options;
    open_model(&model, &with, 0, 0.3);
    insert_pieces(&model, 0, n, n / 100);
    const struct table_numbers stats = table_stats(&model.table);
    model_compare(&model);
    model_close(&model);
    return stats;
}

/* A table that grows makes room for half as many keys again.  So it grows less often and moves
 * fewer keys. */
static void grows_ahead(const struct variant *variant)
{
    const uint64_t n = settings_size(80000, 40000);
    const struct table_numbers ahead = grown_by(variant, "grow=1.5", n), plain = grown_by(variant, "grow=1", n);
    require(ahead.grow_steps < plain.grow_steps && ahead.grow_steps > 0, "it grew %llu times, without room ahead %llu times",
            print(ahead.grow_steps), print(plain.grow_steps));
    require(ahead.rehashed <= 4 * n, "%llu keys were moved for %llu", print(ahead.rehashed), print(n));
}

/* The number of keys that a table with this option stores within a memory limit, before one is
 * refused. */
static uint64_t keys_within(const struct variant *variant, const char *options, uint64_t limit)
{
    enum { PIECE = 500 };
    roost_config config;
    struct table table;
    roost_status status = ROOST_OK;
    table_config(variant, &config);
    config.engine = "fks";
    config.options = options;
    config.memory_limit = limit;
    table_open(&table, variant, &config);
    for (uint64_t first = 0; status == ROOST_OK; first += PIECE) {
        uint64_t *keys = numbered_keys(variant->shape, first, PIECE);
        status = table_insert(&table, ROOST_ASSIGN, keys, keys, PIECE, NULL);
        free(keys);
    }
    require_status(ROOST_ERR_MEMORY, status, table.handle);
    const uint64_t count = table_stats(&table).count;
    table_check(&table);
    table_close(&table);
    return count;
}

/* If headroom is refused, a table gets the memory that its keys need.  Over several limits it
 * does not store fewer keys than a table without headroom. */
static void grows_without_room_ahead(const struct variant *variant)
{
    uint64_t plain = 0, ahead = 0;
    for (uint64_t limit = settings_size(1000000, 500000), i = 0; i < 4; i++, limit += limit / 8) {
        /* an eighth more or less, depending on where its steps fall */
        plain += keys_within(variant, "grow=1", limit);
        ahead += keys_within(variant, "grow=1.75", limit);
    }
    require(ahead >= plain / 100 * 94, "%llu keys, and %llu without room ahead", print(ahead), print(plain));
}

/* Erasing the last key leaves the size from before the first insert: a table of two parts has
 * one part again. */
static void emptied_tables_are_small(const struct variant *variant)
{
    const uint64_t keys = 12000; /* more than one part holds */
    struct model model;
    open_model(&model, variant, 0, 0.30);
    const uint64_t slots = table_stats(&model.table).slots;
    insert_pieces(&model, 0, keys, keys);
    erase_range(&model, 0, keys - 100);
    erase_range(&model, keys - 100, 100);
    require(table_stats(&model.table).slots == slots, "%llu slots without a key, where there were %llu",
            print(table_stats(&model.table).slots), print(slots));
    model_close(&model);
}

/* A table that never shrinks keeps its parts when all keys are erased.  The few keys inserted
 * next fill fewer parts. */
static void emptied_parts_are_filled(const struct variant *variant)
{
    const uint64_t n = 20000;
    struct model model;
    open_model(&model, variant, 0, 0);
    insert_pieces(&model, 0, n, n);
    erase_range(&model, 0, n);
    insert_pieces(&model, n, 32, 32);
    model_compare(&model);
    table_check(&model.table);
    model_close(&model);
}

/* Walks of many moves lose no pair: the pairs that they exchange must not be where a single move
 * puts its pair. */
static void walks_lose_nothing(const struct variant *variant)
{
    /* the fault was in teams of one lane */
    for (uint64_t seed = 0; seed < settings_rounds(settings_size(600, 150), 30); seed++) {
        /* one bucket, nearly full */
        const uint64_t lines = 4 << seed % 3, n = lines * 8 * 92 / 100;
        struct model model;
        struct variant with = *variant;
        with.options = "iterations=1000,load=0.92";
        roost_config config;
        table_config(&with, &config);
        config.engine = "fks";
        config.max_fill = 0.92;
        config.min_fill = 0.3;
        config.seed = seed;
        model_open(&model, &with, &config);
        model.rules.fixed = true;
        insert_pieces(&model, 0, n, n);
        model_compare(&model);
        table_check(&model.table);
        model_close(&model);
    }
}

/* Unevenly spread keys, as after erases of the keys of some hashes.  The part that has most of
 * the keys gets memory, and the table is within its bounds or knows that it cannot be. */
static void uneven_parts(const struct variant *variant)
{
    const uint64_t n = settings_size(40000, 20000);
    struct model model;
    open_model(&model, variant, n / 2, 0.3);
    for (uint64_t round = 0; round < 4; round++) {
        insert_pieces(&model, round * n, n, n / 4);
        /* nearly in the order of their hashes */
        struct pairs pairs = table_export(&model.table, 4096);
        model_erase(&model, pairs.keys, pairs.n / 4 * 3);
        pairs_free(&pairs);
        table_check(&model.table);
    }
    model_compare(&model);
    model_close(&model);
}

/* Single slots at a high load: some layouts need more than one try. */
static void reseeded_alone(const struct variant *variant)
{
    const uint64_t n = settings_size(60000, 15000);
    struct model model;
    struct variant with = *variant;
    with.options = "preset=paper,load=0.4,iterations=2";
    open_model(&model, &with, n, 0.3);
    insert_pieces(&model, 0, n, n);
    const struct table_numbers stats = table_stats(&model.table);
    require(stats.reseeded_buckets > 0, "no bucket of %llu drew a new seed", print(stats.buckets));
    model_compare(&model);
    table_check(&model.table);
    model_close(&model);
}

/* Keys are erased and inserted many times, and the memory stays the same. */
static void blocks_are_used_again(const struct variant *variant)
{
    const uint64_t n = settings_size(40000, 12000);
    struct model model;
    open_model(&model, variant, 2 * n, 0.3);
    insert_pieces(&model, 0, n, n);
    const uint64_t bytes = table_stats(&model.table).table_bytes;
    for (uint64_t round = 0; round < settings_rounds(40, 12); round++) {
        erase_range(&model, round * (n / 4), n / 4);
        insert_pieces(&model, n + round * (n / 4), n / 4, n / 50);
    }
    const uint64_t now = table_stats(&model.table).table_bytes;
    require(now <= bytes + bytes / 4, "%llu bytes became %llu", print(bytes), print(now));
    table_check(&model.table);
    model_close(&model);
}

/* ---- The ladder of items without room -------------------------------------------------------- */

/* Inserts n keys in pieces until three of them were refused; the table's load factor then.
 * Without one step of the ladder (src/engines/fks/fks_insert.c) it is below the tests' bounds. */
static double load_when_refused(const struct variant *variant, const roost_config *config, uint64_t n, size_t piece,
                                roost_status refusal)
{
    struct table table;
    table_open(&table, variant, config);
    int refused = 0;
    for (uint64_t done = 0; done < n && refused < 3; done += piece) {
        uint64_t *keys = numbered_keys(variant->shape, done, piece);
        const roost_status status = table_insert(&table, ROOST_ASSIGN, keys, keys, piece, NULL);
        require(status == ROOST_OK || status == refusal, "%s", roost_status_name(status));
        refused += status == refusal;
        free(keys);
    }
    require(refused > 0, "all %llu keys were stored", print(n));
    const double load = table_stats(&table).load_factor;
    table_check(&table);
    table_close(&table);
    return load;
}

static void fixed_table_is_packed(const struct variant *variant, uint64_t capacity, size_t piece, double least)
{
    const roost_config config = fixed_config(variant, capacity);
    const double load = load_when_refused(variant, &config, 80000, piece, ROOST_ERR_FULL);
    require(load > least, "the load factor is %.3f", load);
}

/* One batch, larger than the table: 0.86 to 0.89, and 0.80 to 0.82 without step 8. */
static void fixed_tables_are_packed(const struct variant *variant) { fixed_table_is_packed(variant, 50000, 80000, 0.84); }

/* The same by small batches: 0.91 to 0.95, and 0.87 to 0.88 without step 5. */
static void fixed_tables_are_packed_by_pieces(const struct variant *variant) { fixed_table_is_packed(variant, 10000, 100, 0.895); }

/* Small batches under a limit, on average over some limits, for a table's last growth leaves more
 * or less of each. */
static void limited_tables_are_packed(const struct variant *variant)
{
    enum { LIMITS = 3 };
    double sum = 0;
    roost_config config;
    table_config(variant, &config);
    config.engine = "fks";
    for (int i = 0; i < LIMITS; i++) {
        config.memory_limit = (uint64_t)(2500000 + i * 500000);
        sum += load_when_refused(variant, &config, 1000000, 3000, ROOST_ERR_MEMORY);
    }
    require(sum / LIMITS > 0.80, "the load factor is %.3f", sum / LIMITS);
}

/* ---- Costs that do not grow with the table --------------------------------------------------- */

/* Updates n keys from `first` on in one batch: its launches. */
static uint64_t update_launches(struct model *model, uint64_t first, uint64_t n)
{
    uint64_t *keys = numbered_keys(&model->table.shape, first, n);
    uint8_t *statuses = malloc(n);
    const uint64_t before = table_stats(&model->table).launches;
    require_status(ROOST_OK, table_insert(&model->table, ROOST_ASSIGN, keys, keys, n, statuses), model->table.handle);
    const uint64_t launches = table_stats(&model->table).launches - before;
    for (uint64_t i = 0; i < n; i++) require(statuses[i] == ROOST_ITEM_UPDATED, "item %llu ended %d", print(i), statuses[i]);
    free(statuses);
    free(keys);
    return launches;
}

/* A batch of stored keys updates them in place: no bucket is built, and no columns are filled.  Its
 * three launches look up a sample, write the items, and move pairs for those without a vacancy, if
 * there are any.  With one new key among twenty no bucket is built either. */
static void updates_build_nothing(const struct variant *variant)
{
    enum { LAUNCHES = 3 };
    const uint64_t n = settings_size(60000, 12000);
    struct model model;
    open_model(&model, variant, 2 * n, 0.3);
    insert_pieces(&model, 0, n, n);
    const uint64_t builds = table_stats(&model.table).bucket_builds, launches = update_launches(&model, 0, n);
    require(launches <= LAUNCHES, "%llu launches", print(launches));
    insert_pieces(&model, n / 20, n, n);
    const uint64_t now = table_stats(&model.table).bucket_builds;
    require(now == builds, "updates built %llu buckets", print(now - builds));
    insert_pieces(&model, n / 2, n, n); /* half of them are new */
    model_compare(&model);
    model_close(&model);
}

/* The last new keys that a fixed table takes, among stored ones and those that it refuses, find
 * room by moves of pairs: few buckets are built for them. */
static void last_keys_build_little(const struct variant *variant)
{
    const uint64_t n = settings_size(60000, 12000);
    const roost_config config = fixed_config(variant, n);
    struct model model;
    model_open(&model, variant, &config);
    model.rules.fixed = true;
    insert_pieces(&model, 0, n, n);
    insert_pieces(&model, n, n / 6, n / 6);
    uint64_t *keys = numbered_keys(variant->shape, n / 2, 2 * n);
    memmove(keys + n / 2, keys + n, n / 2 * sizeof *keys); /* the second half of them is new */
    const struct table_numbers before = table_stats(&model.table);
    require_status(ROOST_ERR_FULL, model_insert(&model, ROOST_ASSIGN, keys, keys, n), model.table.handle);
    const struct table_numbers after = table_stats(&model.table);
    const uint64_t builds = after.bucket_builds - before.bucket_builds;
    require(10 * builds <= 3 * before.bucket_builds, "%llu buckets were built, and %llu before", print(builds),
            print(before.bucket_builds));
    model_compare(&model);
    model_close(&model);
    free(keys);
}

/* A fixed table that has refused keys takes one for each that is erased, refuses whole batches
 * without building a bucket, and still updates all of its keys. */
static void full_tables_take_turns(const struct variant *variant)
{
    enum { PIECE = 500, TURNS = 400 };
    const uint64_t capacity = settings_size(10000, 4000);
    const roost_config config = fixed_config(variant, capacity);
    struct model model;
    model_open(&model, variant, &config);
    uint64_t *keys = numbered_keys(variant->shape, 0, 2 * capacity + TURNS), full = 0, *turn = keys + 2 * capacity;
    for (uint64_t i = 0; i < 2 * capacity; i += PIECE) (void)model_insert(&model, ROOST_KEEP, keys + i, keys + i, PIECE);
    const struct table_numbers stats = table_stats(&model.table);
    require(stats.count > capacity && stats.load_factor < 0.91, "%llu keys in %llu slots", print(stats.count), print(stats.slots));
    require_status(ROOST_ERR_FULL, model_insert(&model, ROOST_KEEP, turn, turn, TURNS), model.table.handle);
    const uint64_t builds = table_stats(&model.table).bucket_builds;
    require(builds == stats.bucket_builds, "a refused batch built %llu buckets", print(builds - stats.bucket_builds));
    require_status(ROOST_OK, model_insert(&model, ROOST_ASSIGN, keys, turn, TURNS), model.table.handle);
    for (uint64_t i = 0; i < TURNS; i++) {
        model_erase(&model, keys + i, 1);
        full += model_insert(&model, ROOST_KEEP, turn + i, turn + i, 1) == ROOST_ERR_FULL;
    }
    require(full <= TURNS / 100, "%llu of %d keys found no room", print(full), TURNS);
    model_compare(&model);
    model_close(&model);
    free(keys);
}

/* One batch of many more keys than a memory limit has room for: the table grows to what the limit
 * allows, for the batch's columns leave it that. */
static void limits_are_used(const struct variant *variant)
{
    /* A GPU's work space is larger. */
    const uint64_t mib = 1 << 20, first = settings_on_gpu() ? 4 * mib : mib;
    for (uint64_t limit = first, n = settings_size(200000, 80000); limit < first + 3 * mib; limit += mib) {
        roost_config config;
        struct table table;
        table_config(variant, &config);
        config.engine = "fks";
        config.memory_limit = limit;
        table_open(&table, variant, &config);
        uint64_t *keys = numbered_keys(variant->shape, 0, n);
        (void)table_insert(&table, ROOST_ASSIGN, keys, keys, n, NULL);
        const uint64_t pair = (uint64_t)(variant->shape->key_bytes + variant->shape->value_bytes), least = limit / (3 * pair);
        const uint64_t count = table_stats(&table).count;
        require(count >= (n < least ? n : least), "%llu keys were stored in %llu bytes", print(count), print(limit));
        table_check(&table);
        table_close(&table);
        free(keys);
    }
}

/* A table of a few keys is small.  Beside it there are short lists and, in builds for tests, memory
 * for staging. */
static void few_keys_need_little(const struct variant *variant)
{
    struct model model;
    open_model(&model, variant, 0, 0.3);
    insert_pieces(&model, 0, 2, 2);
    const struct table_numbers stats = table_stats(&model.table);
    require(settings_on_gpu() || stats.table_bytes <= 4096, "2 keys take %llu bytes", print(stats.table_bytes));
    require(settings_on_gpu() || stats.bytes_now <= stats.table_bytes + 4096, "%llu bytes in all", print(stats.bytes_now));
    model_close(&model);
}

/* ---- Finds ---------------------------------------------------------------------------------- */

/* Keys in their second lines are updated there, even if an erase has made room in their first
 * lines. */
static void second_lines_are_looked_in(const struct variant *variant)
{
    const uint64_t n = settings_size(60000, 12000);
    struct model model;
    open_model(&model, variant, n, 0.01);
    insert_pieces(&model, 0, n, n);
    for (uint64_t i = 0; i < 10; i++) erase_range(&model, i * (n / 10), n / 20);
    for (uint64_t i = 0; i < 10; i++) insert_pieces(&model, i * (n / 10) + n / 20, n / 20, n / 100);
    table_check(&model.table);
    model_compare(&model);
    model_close(&model);
}

/* A build counts the lines that finds read: finds of keys in first lines end there, as do most
 * misses. */
static void finds_stop(const struct variant *variant)
{
    const size_t n = (size_t)settings_size(100000, 20000);
    struct model model;
    open_model(&model, variant, n, 0.3);
    insert_pieces(&model, 0, n, n);
    uint64_t *keys = numbered_keys(variant->shape, n, n);
    const struct table_numbers before = table_stats(&model.table);
    require_status(ROOST_OK, table_find(&model.table, keys, n, NULL, NULL, NULL), model.table.handle);
    const struct table_numbers after = table_stats(&model.table);
    const uint64_t reads = after.bucket_reads - before.bucket_reads;
    if (reads) require(reads < n + n / 2 && reads >= n, "%llu lines were read for %zu misses", print(reads), n);
    require(after.max_bucket_reads <= 2, "a find read %llu lines", print(after.max_bucket_reads));
    free(keys);
    model_close(&model);
}

/* FKS's own layout: one position for each key, so finds read one. */
static void quadratic(const struct variant *variant)
{
    const uint64_t n = settings_size(30000, 6000);
    struct model model;
    struct variant with = *variant;
    with.options = "preset=quadratic";
    open_model(&model, &with, n, 0.3);
    insert_pieces(&model, 0, n, n / 3);
    const struct table_numbers stats = table_stats(&model.table);
    require(stats.reseeded_buckets > 0 && stats.second_keys == 0, "%llu buckets drew new seeds, %llu keys lie in a second line",
            print(stats.reseeded_buckets), print(stats.second_keys));
    model_compare(&model);
    table_check(&model.table);
    model_close(&model);
}

/* The name of the table in the write-up is an alias. */
static void found_by_alias(const struct variant *variant)
{
    struct table table;
    roost_config config;
    table_config(variant, &config);
    config.engine = "hh";
    table_open(&table, variant, &config);
    char kernels[ROOST_DESCRIPTION_BYTES];
    require_status(ROOST_OK, roost_table_describe(table.handle, ROOST_DESCRIBE_KERNELS, kernels, sizeof kernels), table.handle);
    require(strstr(kernels, "write=write_") != NULL, "hh is %s", kernels);
    table_close(&table);
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    for (size_t s = 0; s < SHAPE_COUNT; s++) {
        const struct variant variant = {.shape = &shapes[s]};
        suite_add("built or written", built_or_written, variant);
        suite_add("copies are one", copies_are_one, variant);
        suite_add("split and merged", split_and_merged, variant);
        suite_add("grows ahead", grows_ahead, variant);
        suite_add("emptied tables are small", emptied_tables_are_small, variant);
        suite_add("emptied parts are filled", emptied_parts_are_filled, variant);
        suite_add("uneven parts", uneven_parts, variant);
        suite_add("walks lose nothing", walks_lose_nothing, variant);
        suite_add("blocks are used again", blocks_are_used_again, variant);
        suite_add("updates build nothing", updates_build_nothing, variant);
        suite_add("full tables take turns", full_tables_take_turns, variant);
        suite_add("few keys need little", few_keys_need_little, variant);
        suite_add("finds stop", finds_stop, variant);
        suite_add("second lines are looked in", second_lines_are_looked_in, variant);
    }
    for (size_t s = 0; s < 2; s++) { /* 4+4 and 8+8 */
        suite_add("fixed tables are packed", fixed_tables_are_packed, (struct variant){.shape = &shapes[s]});
        suite_add("fixed tables are packed by pieces", fixed_tables_are_packed_by_pieces, (struct variant){.shape = &shapes[s]});
        suite_add("limited tables are packed", limited_tables_are_packed, (struct variant){.shape = &shapes[s]});
        suite_add("limits are used", limits_are_used, (struct variant){.shape = &shapes[s]});
    }
    suite_add_once("found by alias", found_by_alias);
    suite_add("grows without room ahead", grows_without_room_ahead, (struct variant){.shape = &shapes[0]});
    suite_add("last keys build little", last_keys_build_little, (struct variant){.shape = &shapes[1]});
    suite_add("reseeded alone", reseeded_alone, (struct variant){.shape = &shapes[0]});
    suite_add("quadratic", quadratic, (struct variant){.shape = &shapes[0]});
    return suite_run("fks");
}
