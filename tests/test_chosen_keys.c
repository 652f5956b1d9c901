/* Keys chosen by somebody who knows the table's seed: their hashes share bits, so that they lie in
 * one bucket, cell, list or group, or look alike there.  The table draws another seed, keeps every
 * key, and gets no larger than for random keys; finds read no more.  Keys with structure, chosen
 * without the seed, are as random ones, and so are keys chosen by their places in an export.  And
 * where seeds come from. */
#include "portable/hash_bytes.h"
#include "portable/hash_seeds.h"
#include "support/crafted_keys.h"
#include "support/draw.h"
#include "support/settings.h"
#include "support/string_bags.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SEED = 5 };

/* ---- Crafted keys ---------------------------------------------------------------------------- */

static const char *engine_name(void) { return settings_get()->engine ? settings_get()->engine : "dycuckoo"; }

/* The set for this engine and the variant's keys, as far as there are n such keys. */
static struct crafted_set set_for(const struct variant *variant, struct crafted_set set, size_t n)
{
    set.seed = SEED;
    set.key_bytes = variant->shape->key_bytes;
    set.narrow = crafted_is_narrow(engine_name());
    crafted_fit(&set, n);
    return set;
}

/* Keys of one bucket, cell, list or group. */
static struct crafted_set colliding(const struct variant *variant, size_t n)
{
    const bool narrow = crafted_is_narrow(engine_name());
    const struct crafted_set set = {.top = variant->shape->key_bytes == 8 ? 24 : narrow ? 14 : 12};
    return set_for(variant, set, n);
}

static uint64_t *chosen_keys(const struct variant *variant, size_t n)
{
    const struct crafted_set set = colliding(variant, n);
    return crafted_keys(&set, n);
}

static uint64_t *random_keys(const struct variant *variant, size_t n)
{
    uint64_t *keys = make_patterns(n);
    for (size_t i = 0; i < n; i++) keys[i] = distinct_key(variant->shape, i + 1);
    return keys;
}

static void table_open_seeded(struct table *table, const struct variant *variant, uint64_t seed, uint64_t capacity)
{
    roost_config config;
    table_config(variant, &config);
    config.seed = seed;
    config.capacity = capacity;
    table_open(table, variant, &config);
}

/* ---- Their cost ------------------------------------------------------------------------------ */

/* Inserts keys, all of which have to be stored.  An asynchronous call leaves reseeding to the next
 * call that waits, which comes after it here: the items that it refused are tried once more. */
static void insert_chosen(struct table *table, const uint64_t *keys, size_t n, int growth)
{
    roost_status status = table_insert(table, ROOST_KEEP, keys, keys, n, NULL);
    if (status == ROOST_ERR_FULL && settings_on_gpu() && !growth) status = table_insert(table, ROOST_KEEP, keys, keys, n, NULL);
    require_status(ROOST_OK, status, table->handle);
}

static void require_found(const struct table *table, const uint64_t *keys, size_t n)
{
    uint8_t *found = make_bytes(n);
    require_status(ROOST_OK, table_find(table, keys, n, NULL, found, NULL), table->handle);
    for (size_t i = 0; i < n; i++) require(found[i] == 1, "key %zu is not found", i);
    free(found);
}

/* Inserts keys in batches; the table's numbers. */
static struct table_numbers numbers_after(const struct variant *variant, const uint64_t *keys, size_t n, size_t batch, int growth)
{
    struct table table;
    roost_config config;
    table_config(variant, &config);
    config.seed = SEED;
    config.growth = growth;
    config.capacity = growth ? 0 : n;
    table_open(&table, variant, &config);
    for (size_t i = 0; i < n; i += batch) {
        const size_t some = n - i < batch ? n - i : batch;
        insert_chosen(&table, keys + i, some, growth);
    }
    /* Asynchronous calls leave the reseeding to the next one that waits. */
    require_status(ROOST_OK, roost_table_sync(table.handle, NULL), table.handle);
    const uint64_t before = table_stats(&table).bucket_reads;
    require_found(&table, keys, n);
    table_check(&table);
    struct table_numbers numbers = table_stats(&table);
    numbers.bucket_reads -= before; /* those of the find */
    require(numbers.count == n, "%llu keys of %zu", print(numbers.count), n);
    table_close(&table);
    return numbers;
}

/* Counted work, where the library's own bounds leave room: the pairs that reseeding moves, and
 * items that wait for it. */
static void require_little_work(const struct table_numbers *chosen, const struct table_numbers *random, size_t n)
{
    require(chosen->bucket_reads <= 2 * random->bucket_reads + 512, "a find of all reads %llu buckets, and %llu for random keys",
            print(chosen->bucket_reads), print(random->bucket_reads));
    require(chosen->rehashed <= 2 * random->rehashed + 4 * n, "%llu pairs moved, and %llu for random keys", print(chosen->rehashed),
            print(random->rehashed));
    require(chosen->parked <= 2 * random->parked + 2 * n, "%llu items waited, and %llu for random keys", print(chosen->parked),
            print(random->parked));
    require(chosen->reseeds <= 2, "%llu other seeds", print(chosen->reseeds));
}

/* reseeds: must the keys make the table draw another seed? */
static void require_cheap(const struct variant *variant, const struct crafted_set *set, size_t n, size_t batch, int growth,
                          bool reseeds)
{
    uint64_t *bad = crafted_keys(set, n), *good = random_keys(variant, n);
    suite_step(
        "%zu keys in batches of %zu, growth %d: kind %d sharing %u bits behind %u, %u of the second hash, the last %u, by 2^%u", n,
        batch, growth, (int)set->kind, set->top, set->skip, set->second, set->low, set->shift);
    const struct table_numbers of_random = numbers_after(variant, good, n, batch, growth);
    const struct table_numbers of_chosen = numbers_after(variant, bad, n, batch, growth);
    require(of_random.reseeds == 0, "random keys drew %llu other seeds", print(of_random.reseeds));
    require(of_random.seed == SEED, "the seed is %llu", print(of_random.seed));
    require(!reseeds || (of_chosen.reseeds > 0 && of_chosen.seed != SEED), "no other seed was drawn");
    require(of_chosen.slots <= 2 * of_random.slots, "%llu slots, and %llu for random keys", print(of_chosen.slots),
            print(of_random.slots));
    require(of_chosen.table_bytes <= 2 * of_random.table_bytes, "%llu bytes, and %llu for random keys",
            print(of_chosen.table_bytes), print(of_random.table_bytes));
    require(of_chosen.bytes_peak <= 2 * of_random.bytes_peak + (1 << 17), "%llu bytes at the peak, and %llu for random keys",
            print(of_chosen.bytes_peak), print(of_random.bytes_peak));
    require_little_work(&of_chosen, &of_random, n);
    free(bad);
    free(good);
}

static void require_cheap_always(const struct variant *variant, const struct crafted_set *set, size_t n, bool reseeds)
{
    require_cheap(variant, set, n, n, 1, reseeds);
    require_cheap(variant, set, n, n / 20, 1, reseeds);
    require_cheap(variant, set, n, n, 0, reseeds);
}

/* A call that waits meets the keys, in a growing table and in a fixed one.  A GPU gets many:
 * the order of its threads may make a small growing table of fks draw other seeds for random keys,
 * too. */
static void chosen_keys_cost_little(const struct variant *variant)
{
    const size_t n = settings_on_gpu() ? 200000 : settings_size(200000, 20000);
    const struct crafted_set set = colliding(variant, n);
    require_cheap_always(variant, &set, n, true);
}

/* A part of a large batch's keys collide.  They are scattered among random keys; or all keys
 * collide except those at regular distances, where a sample without secret places would look.  The
 * table recognises this before it stores a key: it moves no pair, and as few items wait as of
 * random keys. */
static void large_batches_are_foreseen(const struct variant *variant)
{
    const size_t n = settings_size(200000, 20000), sample = 512;
    uint64_t *random = numbered_keys(variant->shape, n, n), *bad = chosen_keys(variant, n), *mixed = make_patterns(n);
    for (size_t of = 1; of <= settings_size(8, 2); of *= 2) {
        for (size_t i = 0; i < n; i++) mixed[i] = mix64(i) % of == 0 ? bad[i] : random[i];
        for (size_t i = 0; of == 1 && i < n; i += n / sample) mixed[i] = random[i];
        suite_step("one of %zu keys", of);
        const struct table_numbers of_random = numbers_after(variant, random, n, n, 1);
        const struct table_numbers of_mixed = numbers_after(variant, mixed, n, n, 1);
        require(of_mixed.reseeds == 1, "%llu other seeds", print(of_mixed.reseeds));
        require(of_mixed.rehashed <= of_random.rehashed + n / 4, "%llu pairs moved, and %llu for random keys",
                print(of_mixed.rehashed), print(of_random.rehashed));
        require(of_mixed.parked <= of_random.parked + n / 8, "%llu items waited, and %llu for random keys", print(of_mixed.parked),
                print(of_random.parked));
    }
    free(random);
    free(bad);
    free(mixed);
}

/* Multimaps have long lists, of equal keys.  So nothing but a sample shows that different ones
 * collide: of small batches together. */
static void small_multimaps_are_sampled(const struct variant *variant)
{
    enum { N = 1200, BATCH = 100 };
    struct table table;
    roost_config config;
    uint64_t *keys = chosen_keys(variant, N);
    table_config(variant, &config);
    config.seed = SEED;
    config.flags |= ROOST_MULTI;
    table_open(&table, variant, &config);
    for (size_t i = 0; i < N; i += BATCH)
        require_status(ROOST_OK, table_insert(&table, ROOST_APPEND, keys + i, keys + i, BATCH, NULL), table.handle);
    require(table_stats(&table).reseeds == 1, "%llu other seeds", print(table_stats(&table).reseeds));
    require_count(&table, N);
    table_check(&table);
    table_close(&table);
    free(keys);
}

/* Keys of 4 bytes are too few to share as many bits. */
static bool has_long_words(const struct test_shape *shape) { return shape_has_values(shape) && shape->key_bytes == 8; }

/* What collides in an engine's own way. */
static const struct engine_set {
    const char *engine;
    struct crafted_set set;
    bool reseeds; /* else such keys cost little without another seed */
} engine_sets[] = {
    /* both homes; 16 buckets of each subtable */
    {"dycuckoo", {.top = 8, .second = 6, .pair = true}, true},
    {"dycuckoo", {.top = 6, .skip = 4}, false},
    /* half of the first homes; half of the second ones */
    {"dycuckoo", {.top = 1}, false},
    {"dycuckoo", {.second = 1}, false},
    /* one list; an eighth of the lists, short enough each */
    {"slab", {.top = 20}, true},
    {"slab", {.top = 3, .skip = 8}, false},
    {"slab", {.top = 1}, false},
    /* one cell; one virtual bucket under all mappings; as many cells as a table grows for */
    {"gph", {.top = 18}, true},
    {"gph", {.low = 16}, false},
    {"gph", {.top = 14, .skip = 3}, true},
    {"gph", {.top = 12, .skip = 8, .low = 6}, false},
    /* one group, and one way from there; one info, if it depended on the seed */
    {"stadium", {.top = 16, .second = 8}, true},
    {"stadium", {.low = 16}, false},
    {"stadium", {.top = 1, .skip = 2}, false},
    /* one bucket; one line of each bucket, for keys of 4 bytes as nearly as there are such */
    {"fks", {.top = 18}, true},
    {"fks", {.low = 16}, false},
    {"fks", {.top = 6, .skip = 10, .low = 32}, false},
    /* one first home; a bit of each bucket's hashes; one remainder of all buckets; half of the
     * homes */
    {"compact", {.top = 18}, true},
    {"compact", {.top = 8, .skip = 8}, false},
    {"compact", {.low = 16}, false},
    {"compact", {.top = 1}, false},
};

static void sets_of_the_engine_cost_little(const struct variant *variant)
{
    const size_t n = settings_size(8000, 3000);
    for (size_t i = 0; i < sizeof engine_sets / sizeof *engine_sets; i++) {
        if (strcmp(engine_sets[i].engine, engine_name())) continue;
        const struct crafted_set set = set_for(variant, engine_sets[i].set, n);
        require_cheap_always(variant, &set, n, engine_sets[i].reseeds);
    }
}

/* Chosen without the seed. */
static void structured_keys_cost_little(const struct variant *variant)
{
    const size_t n = settings_size(8000, 3000);
    const unsigned bits = 8 * variant->shape->key_bytes;
    for (unsigned shift = 0; shift < bits; shift += 6) { /* the last ones: high bits alone differ */
        const struct crafted_set set = {.kind = CRAFTED_PROGRESSION, .shift = shift};
        const struct crafted_set fitted = set_for(variant, set, n);
        require_cheap_always(variant, &fitted, n, false);
    }
    for (enum crafted_kind kind = CRAFTED_REVERSED; kind < CRAFTED_KINDS; kind++) {
        const struct crafted_set set = {.kind = kind};
        const struct crafted_set fitted = set_for(variant, set, n);
        require_cheap_always(variant, &fitted, n, false);
    }
}

/* Keys of bytes whose SipHash shares bits, by trying all. */
static void chosen_wide_keys_cost_little(const struct variant *variant)
{
    const size_t n = 3000;
    const struct crafted_set set = {.top = 8}, fitted = set_for(variant, set, n);
    require_cheap_always(variant, &fitted, n, true);
}

static bool is_wide_word(const struct test_shape *shape) { return shape->key_bytes == 16 && shape->value_bytes == 8; }

/* ---- Keys chosen by their places ------------------------------------------------------------- */

/* One round of somebody who sees the layout: inserts fresh keys, and erases those that an export
 * does not give first.  So keys gather in the first buckets, whatever the seed is. */
static void gather_round(struct table *table, size_t first, size_t n, size_t kept)
{
    uint64_t *fresh = numbered_keys(&table->shape, first, n);
    const uint64_t before = table_stats(table).reseeds;
    roost_status status = table_insert(table, ROOST_KEEP, fresh, fresh, n, NULL);
    /* Asynchronous calls refuse items that collide, and tell.  After that calls wait. */
    if (status == ROOST_ERR_MEMORY && settings_on_gpu()) status = table_insert(table, ROOST_KEEP, fresh, fresh, n, NULL);
    require_status(ROOST_OK, status, table->handle);
    require(table_stats(table).reseeds <= before + 2, "a call drew %llu seeds", print(table_stats(table).reseeds - before));
    struct pairs pairs = table_export(table, 1 << 16);
    if (pairs.n > kept) require_status(ROOST_OK, table_erase(table, pairs.keys + kept, pairs.n - kept, NULL), table->handle);
    require_status(ROOST_OK, roost_table_sync(table->handle, NULL), table->handle);
    pairs_free(&pairs);
    free(fresh);
}

static void keys_chosen_by_place_cost_little(const struct variant *variant)
{
    enum { ROUNDS = 12 };
    const size_t n = settings_size(16000, 4000);
    struct table table;
    table_open_seeded(&table, variant, SEED, n);
    const struct table_numbers made = table_stats(&table);
    for (size_t round = 0; round < ROUNDS; round++) {
        suite_step("round %zu", round);
        gather_round(&table, 1 + round * n, n - round * n / ROUNDS, (round + 1) * n / ROUNDS);
        const struct table_numbers now = table_stats(&table);
        require(now.slots <= 4 * made.slots && now.table_bytes <= 4 * made.table_bytes, "%llu slots became %llu", print(made.slots),
                print(now.slots));
        table_check(&table);
    }
    require_count(&table, n);
    require(table_stats(&table).reseeds <= ROUNDS, "%llu other seeds", print(table_stats(&table).reseeds));
    table_close(&table);
}

/* Asynchronous calls, for which a reservation has room, refuse items that collide.  A later call
 * tells. */
static void require_end(roost_status status, const struct table *table)
{
    if (status != ROOST_ERR_MEMORY || !settings_on_gpu()) require_status(ROOST_OK, status, table->handle);
}

/* The numbers of a table that `last` keys came to after `n` others. */
static struct table_numbers numbers_after_last(const struct variant *variant, const uint64_t *keys, size_t n, const uint64_t *last,
                                               size_t few)
{
    struct table table;
    uint8_t *statuses = make_bytes(few);
    table_open_seeded(&table, variant, SEED, 0);
    require_status(ROOST_OK, table_insert(&table, ROOST_KEEP, keys, keys, n, NULL), table.handle);
    require_status(ROOST_OK, table_insert(&table, ROOST_KEEP, last, last, few, statuses), table.handle);
    for (size_t i = 0; i < few; i++) require(statuses[i] == ROOST_ITEM_INSERTED, "item %zu ended %u", i, statuses[i]);
    require_found(&table, keys, n);
    suite_step("the last ones");
    require_found(&table, last, few);
    require_count(&table, n + few);
    table_check(&table);
    const struct table_numbers numbers = table_stats(&table);
    table_close(&table);
    free(statuses);
    return numbers;
}

/* Keys of one bucket, cell or list; for stadium those of one group and one way from there. */
static struct crafted_set colliding_all_along(const struct variant *variant, size_t n)
{
    const struct crafted_set set = {.top = 14, .second = 10};
    return settings_on_stadium() && variant->shape->key_bytes == 8 ? set_for(variant, set, n) : colliding(variant, n);
}

/* A few chosen keys come after many random ones, in a table that would have room for them all.  If
 * some find no room, the table draws another seed and does not grow.  fks may have twice the slots,
 * because it splits its parts again. */
static void few_chosen_keys_come_last(const struct variant *variant)
{
    enum { FEW = 1000 /* too few for a sample of their own */ };
    const size_t n = settings_size(8000, 5000);
    const struct crafted_set set = colliding_all_along(variant, FEW);
    uint64_t *bad = crafted_keys(&set, FEW), *good = random_keys(variant, n + FEW);
    const struct table_numbers of_random = numbers_after_last(variant, good, n, good + n, FEW);
    const struct table_numbers of_chosen = numbers_after_last(variant, good, n, bad, FEW);
    require(of_random.reseeds == 0 && of_random.seed == SEED, "random keys drew %llu other seeds", print(of_random.reseeds));
    require(of_chosen.reseeds <= 1 && (of_chosen.reseeds || !set.second), "%llu other seeds", print(of_chosen.reseeds));
    require(of_chosen.slots <= (settings_on_fks() ? 2 : 1) * of_random.slots, "%llu slots, and %llu for random keys",
            print(of_chosen.slots), print(of_random.slots));
    require((of_chosen.seed != SEED) == (of_chosen.reseeds > 0), "seed %llu after %llu others", print(of_chosen.seed),
            print(of_chosen.reseeds));
    free(bad);
    free(good);
}

/* A reservation at the time of a reseeding is not the table's least size for good. */
static void reseeded_tables_shrink(const struct variant *variant)
{
    const size_t n = settings_size(20000, 10000);
    uint64_t *keys = chosen_keys(variant, n);
    struct table table;
    table_open_seeded(&table, variant, SEED, 0);
    const uint64_t created = table_stats(&table).slots;
    require_status(ROOST_OK, roost_table_reserve(table.handle, n), table.handle);
    for (size_t i = 0; i < n; i += 1000) require_end(table_insert(&table, ROOST_KEEP, keys + i, keys + i, 1000, NULL), &table);
    require_end(roost_table_sync(table.handle, NULL), &table);
    require(table_stats(&table).reseeds > 0, "no other seed was drawn");
    require_status(ROOST_OK, roost_table_reserve(table.handle, 0), table.handle);
    require_status(ROOST_OK, table_erase(&table, keys, n, NULL), table.handle);
    require_status(ROOST_OK, roost_table_sync(table.handle, NULL), table.handle);
    require(table_stats(&table).slots <= created, "%llu slots became %llu", print(created), print(table_stats(&table).slots));
    table_check(&table);
    table_close(&table);
    free(keys);
}

/* ---- Other keys draw no seeds ---------------------------------------------------------------- */

static void require_own_seed(struct table *table)
{
    require_status(ROOST_OK, roost_table_sync(table->handle, NULL), table->handle);
    const struct table_numbers numbers = table_stats(table);
    require(numbers.reseeds == 0, "%llu other seeds for %llu keys in %llu slots", print(numbers.reseeds), print(numbers.count),
            print(numbers.slots));
    table_check(table);
    table_close(table);
}

/* Chance leaves one key without room in a first pass, and a batch may have it many times. */
static void equal_keys_draw_no_seeds(const struct variant *variant)
{
    enum { TIMES = 1000, NEW = 300 };
    const size_t n = 3000;
    struct table table;
    uint64_t *keys = random_keys(variant, n + NEW), *equal = make_patterns(TIMES);
    table_open_seeded(&table, variant, SEED, n + n / 3);
    require_status(ROOST_OK, table_insert(&table, ROOST_KEEP, keys, keys, n, NULL), table.handle);
    for (size_t i = 0; i < NEW; i++) {
        for (size_t k = 0; k < TIMES; k++) equal[k] = keys[n + i];
        require_status(ROOST_OK, table_insert(&table, ROOST_KEEP, equal, equal, TIMES, NULL), table.handle);
    }
    require_count(&table, n + NEW);
    require_own_seed(&table);
    free(keys);
    free(equal);
}

/* A large batch of few keys: most of a sample are copies. */
static void copies_draw_no_seeds(const struct variant *variant)
{
    const size_t n = 20000;
    uint64_t *keys = make_patterns(n);
    for (size_t among = 1; among < n; among *= 10) {
        struct table table;
        suite_step("%zu keys", among);
        for (size_t i = 0; i < n; i++) keys[i] = distinct_key(variant->shape, i % among);
        table_open_seeded(&table, variant, SEED, 0);
        require_status(ROOST_OK, table_insert(&table, ROOST_KEEP, keys, keys, n, NULL), table.handle);
        require_count(&table, among);
        require_own_seed(&table);
    }
    free(keys);
}

/* Small tables vary much, and have parts of different sizes while they grow. */
static void few_random_keys_draw_no_seeds(const struct variant *variant)
{
    enum { MOST = 400 };
    uint64_t *keys = random_keys(variant, MOST);
    for (uint64_t seed = 1; seed <= settings_rounds(settings_size(200, 40), 10); seed++) {
        struct table table;
        table_open_seeded(&table, variant, seed, 0);
        for (size_t i = 0; i < MOST; i += 1 + seed % 5)
            require_status(ROOST_OK, table_insert(&table, ROOST_KEEP, keys + i, keys + i, 1, NULL), table.handle);
        require_own_seed(&table);
    }
    free(keys);
}

/* ---- Strings --------------------------------------------------------------------------------- */

/* n strings whose hashes share their first 10 bits, by trying all. */
static struct bag chosen_strings(size_t n)
{
    struct hash_seeds seeds;
    struct bag bag = {.n = 0};
    char text[32];
    hash_seeds_draw(&seeds, HASH_KEYED, SEED);
    for (uint64_t i = 0; bag.n < n; i++) {
        const int bytes = snprintf(text, sizeof text, "key %llu", print(i));
        const uint64_t hash = hash_sip(1, seeds.a[0], seeds.a[1], (const unsigned char *)text, (uint32_t)bytes);
        if (hash >> 54 == 0x5a) bag_new(&bag, text, (size_t)bytes);
    }
    return bag;
}

/* A table of these strings, `earlier` before `bag`. */
static struct table_numbers numbers_after_strings(const struct variant *variant, const struct bag *earlier, const struct bag *bag)
{
    struct table table;
    table_open_seeded(&table, variant, SEED, 0);
    if (earlier) bag_insert(&table, ROOST_ASSIGN, earlier, 4, earlier->n);
    bag_insert(&table, ROOST_ASSIGN, bag, 8, bag->n);
    const struct table_numbers numbers = table_stats(&table);
    bag_find(&table, bag, 8, true);
    bag_erase(&table, bag, 4, bag->n);
    if (earlier) bag_find(&table, earlier, 4, true);
    require_count(&table, earlier ? earlier->n : 0);
    table_check(&table);
    table_close(&table);
    return numbers;
}

/* Strings that collide are recognised before one is stored.  Others that were there before move to
 * the table of another seed with their bytes and values. */
static void chosen_strings_are_foreseen(const struct variant *variant)
{
    const size_t n = settings_size(20000, 9000); /* a GPU looks at no fewer than 8192 */
    struct bag bag = chosen_strings(n), random = words(1000000, n), earlier = words(0, 3000);
    for (int more = 0; more < 2; more++) {
        const struct bag *before = more ? &earlier : NULL;
        const struct table_numbers of_random = numbers_after_strings(variant, before, &random);
        const struct table_numbers of_chosen = numbers_after_strings(variant, before, &bag);
        const uint64_t moved = of_random.rehashed + (more ? earlier.n : 0);
        require(of_chosen.reseeds == 1 && !of_random.reseeds, "%llu other seeds, and %llu for random strings",
                print(of_chosen.reseeds), print(of_random.reseeds));
        require(of_chosen.rehashed <= moved, "%llu pairs moved, not %llu", print(of_chosen.rehashed), print(moved));
    }
    bag_free(&bag);
    bag_free(&random);
    bag_free(&earlier);
}

/* The same string many times, and random ones. */
static void random_strings_draw_no_seeds(const struct variant *variant)
{
    const size_t n = settings_size(20000, 9000);
    struct table table;
    struct bag bag = words(0, n);
    for (size_t i = 0; i < n; i++) bag_put(&bag, n, "again", 5);
    table_open_seeded(&table, variant, SEED, 0);
    bag_insert(&table, ROOST_ASSIGN, &bag, 8, n + 1);
    require_own_seed(&table);
    bag_free(&bag);
}

static bool is_string_with_words(const struct test_shape *shape) { return shape_has_strings(shape) && shape->value_bytes == 8; }

/* ---- Seeds ----------------------------------------------------------------------------------- */

static uint64_t seed_of(const struct variant *variant, uint64_t seed, int given)
{
    struct table table;
    roost_config config;
    table_config(variant, &config);
    config.seed = seed;
    config.seed_given = given;
    table_open(&table, variant, &config);
    const uint64_t now = table_stats(&table).seed;
    const uint64_t key = 1;
    require_status(ROOST_OK, table_insert(&table, ROOST_KEEP, &key, &key, 1, NULL), table.handle);
    require_status(ROOST_OK, roost_table_clear(table.handle), table.handle);
    require(table_stats(&table).seed == now, "clear has changed the seed");
    table_close(&table);
    return now;
}

static void seeds_are_drawn_or_given(const struct variant *variant)
{
    require(seed_of(variant, 7, 0) == 7 && seed_of(variant, 7, 1) == 7, "another seed than the given one");
    require(seed_of(variant, 0, 1) == 0, "a given 0 is no seed");
    const uint64_t one = seed_of(variant, 0, 0), two = seed_of(variant, 0, 0);
    require(one && two && one != two, "the seeds %llu and %llu were drawn", print(one), print(two));
}

/* ---- A system without random numbers --------------------------------------------------------- */

static bool random_is_refused;

/* In place of the C library's. */
ssize_t getrandom(void *to, size_t bytes, unsigned flags)
{
    if (!random_is_refused) return (ssize_t)syscall(SYS_getrandom, to, bytes, flags);
    errno = ENOSYS;
    return -1;
}

static void no_table_without_a_seed(const struct variant *variant)
{
    struct table table;
    roost_config config;
    table_config(variant, &config);
    config.seed = 0;
    config.seed_given = 0;
    random_is_refused = true;
    require_status(ROOST_ERR_DEVICE, table_create(&table, variant, &config), NULL);
    require(strstr(roost_last_error(NULL), "random"), "the reason is '%s'", roost_last_error(NULL));
    random_is_refused = false;
    require(seed_of(variant, 0, 0) != 0, "no seed was drawn");
}

/* Keys of one home, and no other seed to be had: what was stored stays, and the table takes the
 * keys once the system has random numbers again. */
static void no_seed_to_flee_to(const struct variant *variant)
{
    enum { KEYS = 2000 };
    uint64_t *chosen = chosen_keys(variant, KEYS), *random = random_keys(variant, KEYS);
    struct table table;
    table_open_seeded(&table, variant, SEED, 0);
    insert_chosen(&table, random, KEYS, 1);
    random_is_refused = true;
    require_status(ROOST_ERR_DEVICE, table_insert(&table, ROOST_KEEP, chosen, chosen, KEYS, NULL), table.handle);
    table_check(&table);
    require_found(&table, random, KEYS);
    random_is_refused = false;
    insert_chosen(&table, chosen, KEYS, 1);
    require_found(&table, random, KEYS);
    table_close(&table);
    free(chosen);
    free(random);
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    suite_add_widths("chosen keys cost little", chosen_keys_cost_little);
    suite_add_some("large batches are foreseen", large_batches_are_foreseen, has_long_words);
    if (strcmp(engine_name(), "slab") == 0 && !settings_on_gpu())
        suite_add_some("small multimaps are sampled", small_multimaps_are_sampled, has_long_words);
    suite_add_some("sets of the engine cost little", sets_of_the_engine_cost_little, shape_has_values);
    suite_add_some("structured keys cost little", structured_keys_cost_little, shape_has_values);
    suite_add_wide("chosen wide keys cost little", chosen_wide_keys_cost_little, is_wide_word);
    suite_add_some("keys chosen by place cost little", keys_chosen_by_place_cost_little, shape_has_values);
    suite_add_widths("reseeded tables shrink", reseeded_tables_shrink);
    /* 8+8 first, which every sample has: stadium's ways can be chosen for long keys alone. */
    for (size_t i = 0; i < SHAPE_COUNT && !settings_on_gpu(); i++)
        suite_add("few chosen keys come last", few_chosen_keys_come_last,
                  (struct variant){.shape = &shapes[(i + 1) % SHAPE_COUNT]});
    suite_add_widths("equal keys draw no seeds", equal_keys_draw_no_seeds);
    suite_add_some("copies draw no seeds", copies_draw_no_seeds, shape_has_values);
    suite_add_widths("few random keys draw no seeds", few_random_keys_draw_no_seeds);
    if (settings_on_stadium()) suite_add_wide("chosen strings are foreseen", chosen_strings_are_foreseen, is_string_with_words);
    if (settings_on_stadium()) suite_add_wide("random strings draw no seeds", random_strings_draw_no_seeds, is_string_with_words);
    suite_add_once("seeds are drawn or given", seeds_are_drawn_or_given);
    suite_add_once("no table without a seed", no_table_without_a_seed);
    /* Enqueued calls leave it to the next one that waits to draw a seed. */
    if (!settings_on_gpu()) suite_add_widths("no seed to flee to", no_seed_to_flee_to);
    return suite_run("chosen_keys");
}
