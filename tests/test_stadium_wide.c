/* Stadium's tables of keys of 1 to 128 bytes and of values of up to 4096 bytes: sequences of all
 * calls and mixed batches against the exact reference, with tickets of all sizes and with hashes
 * that collide.  Every byte of a key counts, and values of many words are found whole. */
#include "support/answers.h"
#include "support/mixes.h"
#include "support/restless.h"
#include "support/sequences.h"
#include "support/settings.h"
#include "support/stadium_tables.h"
#include "roost/mixed.h"
#include "roost/tuning.h"

#include <stdlib.h>
#include <string.h>

/* ---- Tables --------------------------------------------------------------------------------- */

/* True if half of all keys, or all, have the same way through the table, where even a few keys
 * take long. */
static bool collides(const struct variant *variant)
{
    return has_option(variant, "hash_bits=1") && !has_option(variant, "hash_bits=16");
}

static void insert(struct model *model, roost_mode mode, const uint64_t *keys, const uint64_t *values, size_t n)
{
    require_status(ROOST_OK, model_insert(model, mode, keys, values, n), model->table.handle);
}

/* ---- Sequences ------------------------------------------------------------------------------ */

static void sequences(const struct variant *variant)
{
    const bool long_values = variant->shape->value_bytes > 1000, small = collides(variant);
    const size_t steps = settings_rounds(settings_size(small || long_values ? 50 : 120, 30), 30);
    const size_t most = small ? 60 : settings_size(long_values ? 300 : 1000, 300);
    struct dice dice = {suite_seed()};
    struct model model;
    open_model(&model, variant, variant->number, 1);
    sequence_run(&model, &dice, steps, most);
    model_close(&model);
}

/* ---- All keys of one byte, and of two ------------------------------------------------------- */

/* Shuffled keys, each twice in a batch, in tables that grow and in one that has just enough
 * room. */
static void all_keys(const struct variant *variant)
{
    const size_t n = (size_t)1 << 8 * variant->shape->key_bytes;
    uint64_t *keys = make_patterns(2 * n), *values = make_patterns(2 * n);
    struct dice dice = {suite_seed()};
    struct model model;
    for (size_t i = 0; i < 2 * n; i++) {
        keys[i] = i % n;
        values[i] = draw_value(&dice, variant->shape->value_type);
    }
    draw_order(&dice, keys, 2 * n);
    open_model(&model, variant, variant->number ? 0 : n, variant->number ? 1 : 0);
    model_find(&model, keys, n);
    for (roost_mode mode = ROOST_ASSIGN; mode < mode_count(variant->shape); mode++) {
        suite_step("all keys, %s", mode_name(mode));
        for (size_t done = 0; done < 2 * n; done += n / 2) insert(&model, mode, keys + done, values + done, n / 2);
        require(table_stats(&model.table).count == n, "%llu keys of %zu", (unsigned long long)table_stats(&model.table).count, n);
        if (mode % 2) model_erase(&model, keys, n / 2);
    }
    model_compare(&model);
    model_erase(&model, keys, 2 * n);
    require(table_stats(&model.table).count == 0, "keys are left");
    model_close(&model);
    free(keys);
    free(values);
}

/* ---- Every byte of a key counts ------------------------------------------------------------- */

/* Keys with all their bytes, not patterns. */
struct raw {
    struct array keys, values, results, found;
    size_t n;
};

/* A key, and all keys that differ from it in one bit; each has its number as its value. */
static struct raw neighbours(const struct test_shape *shape, bool on_device)
{
    const size_t bytes = shape->key_bytes;
    struct raw raw = {.n = 8 * bytes + 1};
    struct dice dice = {suite_seed()};
    raw.keys = array_make(raw.n * bytes);
    raw.values = array_make(raw.n * shape->value_bytes);
    raw.results = array_make(raw.n * shape->value_bytes);
    raw.found = array_make(raw.n);
    unsigned char *keys = raw.keys.host;
    for (size_t i = 0; i < bytes; i++) keys[i] = (unsigned char)draw(&dice);
    for (uint64_t i = 0; i < raw.n; i++) {
        memmove(keys + i * bytes, keys, bytes);
        if (i) keys[i * bytes + (i - 1) / 8] ^= (unsigned char)(1u << (i - 1) % 8);
        const uint64_t value = i & width_mask(shape->value_bytes);
        pack(&value, 1, shape->value_bytes, (char *)raw.values.host + i * shape->value_bytes);
    }
    array_send(&raw.keys, on_device);
    array_send(&raw.values, on_device);
    array_send(&raw.results, on_device);
    array_send(&raw.found, on_device);
    return raw;
}

static void raw_free(struct raw *raw)
{
    array_free(&raw->keys);
    array_free(&raw->values);
    array_free(&raw->results);
    array_free(&raw->found);
}

/* The first `there` keys are found with their values, the others are not. */
static void require_neighbours(const struct table *table, struct raw *raw, uint64_t there)
{
    const unsigned bytes = table->shape.value_bytes;
    void *const results = bytes ? raw->results.given : NULL;
    require_status(ROOST_OK, roost_find(table->handle, raw->keys.given, raw->n, results, raw->found.given, NULL), table->handle);
    require_status(ROOST_OK, roost_table_sync(table->handle, NULL), table->handle);
    array_fetch(&raw->results);
    array_fetch(&raw->found);
    for (uint64_t i = 0; i < raw->n; i++) {
        const uint8_t found = ((const uint8_t *)raw->found.host)[i];
        uint64_t value = 0;
        unpack((const char *)raw->results.host + i * bytes, 1, bytes, &value);
        require(found == (i < there), "key %llu of %llu that are there: found %u", (unsigned long long)i, (unsigned long long)there,
                found);
        require(value == (i < there ? i & width_mask(bytes) : 0), "key %llu has value %llu", (unsigned long long)i,
                (unsigned long long)value);
    }
    require(table_stats(table).count == there, "%llu keys", (unsigned long long)table_stats(table).count);
    table_check(table);
}

static void every_byte_counts(const struct variant *variant)
{
    struct raw raw = neighbours(variant->shape, variant->placement != PLACE_HOST);
    const void *values = variant->shape->value_bytes ? raw.values.given : NULL;
    struct table table;
    roost_config config;
    stadium_config(variant, &config);
    table_open(&table, variant, &config);
    for (size_t there = 1; there < 4 * raw.n; there *= 4) {
        const size_t n = there < raw.n ? there : raw.n;
        suite_step("%zu keys of %zu", n, raw.n);
        require_status(ROOST_OK, roost_insert(table.handle, ROOST_ASSIGN, raw.keys.given, values, n, NULL), table.handle);
        require_neighbours(&table, &raw, n);
    }
    suite_step("erases");
    require_status(ROOST_OK, roost_erase(table.handle, raw.keys.given, 1, NULL), table.handle);
    require(table_stats(&table).count == raw.n - 1, "%llu keys", (unsigned long long)table_stats(&table).count);
    require_status(ROOST_OK, roost_erase(table.handle, raw.keys.given, raw.n, NULL), table.handle);
    require_neighbours(&table, &raw, 0);
    table_close(&table);
    raw_free(&raw);
}

/* ---- Mixed batches -------------------------------------------------------------------------- */

static void mixed_batches(const struct variant *variant)
{
    const bool long_values = variant->shape->value_bytes > 1000, small = collides(variant);
    const size_t most = small ? 200 : settings_size(long_values ? 500 : 4000, 500), rounds = settings_launches(12, 4);
    const uint64_t among = small ? 1 << 8 : 1 << settings_size(13, 10);
    struct model model;
    open_model(&model, variant, 0, 1);
    mixed_rounds(&model, rounds, most, among);
    model_close(&model);
}

/* ---- Values are found whole ----------------------------------------------------------------- */

enum { HOT = 4 /* keys */, STAMPS_A_CALL = 1 << 20 };

/* The unique value that an item of a call assigns. */
static uint64_t stamp(unsigned call, size_t i) { return mix64((uint64_t)call * STAMPS_A_CALL + i + 1); }

static uint64_t untouched(const struct test_shape *shape)
{
    return UINT64_C(0x0101010101010101) * UNTOUCHED_BYTE & width_mask(shape->value_bytes);
}

/* Draws finds and assigns of a few keys, and an erase every `erases` items if this is not 0;
 * each item assigns another value. */
static void draw_hot(struct mixed *mixed, struct dice *dice, const struct test_shape *shape, unsigned call, unsigned erases)
{
    for (size_t i = 0; i < mixed->n; i++) {
        const bool reads = draw_below(dice, 2);
        mixed->operations[i] = erases && i % erases == 0 ? ROOST_OP_ERASE : reads ? ROOST_OP_FIND : ROOST_OP_ASSIGN;
        mixed->keys[i] = distinct_key(shape, draw_below(dice, HOT));
        mixed->values_in[i] = stamp(call, i);
        mixed->values_out[i] = untouched(shape);
    }
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The values that a find of the key may return: its earlier value, and all that were assigned to
 * it.  Returns their number. */
static size_t assigned(const struct mixed *mixed, uint64_t key, uint64_t before, uint64_t *values)
{
    size_t n = 0;
    values[n++] = before;
    for (size_t i = 0; i < mixed->n; i++)
        if (mixed->operations[i] == ROOST_OP_ASSIGN && mixed->keys[i] == key) values[n++] = mixed->values_in[i];
    qsort(values, n, sizeof *values, by_number);
    return n;
}

/* Unpacking checks that all words of a value belong together. */
static size_t require_assigned(const struct mixed *mixed, const struct test_shape *shape, const uint64_t before[HOT])
{
    uint64_t *values = make_patterns(mixed->n + 1);
    size_t found = 0;
    for (uint64_t k = 0; k < HOT; k++) {
        const uint64_t key = distinct_key(shape, k);
        const size_t n = assigned(mixed, key, before[k], values);
        for (size_t i = 0; i < mixed->n; i++) {
            const bool is_found = mixed->statuses[i] == ROOST_ITEM_FOUND;
            if (mixed->keys[i] != key) continue;
            require(is_found || mixed->values_out[i] == untouched(shape), "item %zu ended %u and wrote a value", i,
                    mixed->statuses[i]);
            if (!is_found) continue;
            found++;
            require(bsearch(&mixed->values_out[i], values, n, sizeof *values, by_number),
                    "item %zu found %#llx, which no item assigned", i, (unsigned long long)mixed->values_out[i]);
        }
    }
    free(values);
    return found;
}

static void values_are_whole(const struct variant *variant)
{
    const size_t n = settings_size(2000, 1000), calls = settings_launches(settings_size(8, 5), 5);
    struct dice dice = {suite_seed()};
    struct mixed mixed = mixed_make(n);
    struct table table;
    roost_config config;
    uint64_t keys[HOT], before[HOT] = {0};
    size_t found = 0;
    stadium_config(variant, &config);
    config.threads = 8;
    table_open(&table, variant, &config);
    for (uint64_t k = 0; k < HOT; k++) keys[k] = distinct_key(variant->shape, k);
    require_status(ROOST_OK, table_insert(&table, ROOST_ASSIGN, keys, before, HOT, NULL), table.handle);
    for (unsigned call = 0; call < calls; call++) {
        suite_step("call %u", call);
        draw_hot(&mixed, &dice, variant->shape, call, (unsigned)variant->number);
        restless_begin(draw(&dice), 8u << draw_below(&dice, 4), 1 + draw_below(&dice, 4));
        const roost_status status = table_apply(&table, &mixed, 0);
        restless_end();
        require_status(ROOST_OK, status, table.handle);
        found += require_assigned(&mixed, variant->shape, before);
        require_status(ROOST_OK, table_find(&table, keys, HOT, before, NULL, NULL), table.handle);
        table_check(&table);
    }
    require(found > calls * n / 8, "only %zu finds found a key", found);
    mixed_free(&mixed);
    table_close(&table);
}

/* ---- Refusals ------------------------------------------------------------------------------- */

struct wrong_table {
    const char *engine, *options, *named; /* named: in the error; "": anything */
    const char *shape;
    size_t key_bytes, value_bytes; /* 0: as the shape has */
    unsigned answers;
};

enum { NO_BYTES = 1000000 /* stands for 0 */ };

static const struct wrong_table wrong_tables[] = {
    {"stadium", NULL, "", "12+12", NO_BYTES, 0, ARGUMENT | UNSUPPORTED},
    {"stadium", NULL, "", "12+12", 129, 0, ARGUMENT | UNSUPPORTED},
    {"stadium", NULL, "", "12+12", SIZE_MAX, 0, ARGUMENT | UNSUPPORTED},
    {"stadium", NULL, "", "12+12", ((size_t)1 << 32) + 12, 0, ARGUMENT | UNSUPPORTED},
    {"stadium", NULL, "", "12+12", 256 + 12, 0, ARGUMENT | UNSUPPORTED},
    {"stadium", NULL, "", "12+12", 0, NO_BYTES, ARGUMENT | UNSUPPORTED},
    {"stadium", NULL, "", "12+12", 0, 4097, ARGUMENT | UNSUPPORTED},
    {"stadium", NULL, "", "12+12", 0, SIZE_MAX, ARGUMENT | UNSUPPORTED},
    {"stadium", NULL, "", "12+12", 0, ((size_t)1 << 32) + 4, ARGUMENT | UNSUPPORTED},
    {"stadium", NULL, "", "12+12", 0, 65536 + 4, ARGUMENT | UNSUPPORTED},
    {NULL, NULL, "", "12+12", 129, 0, ARGUMENT | UNSUPPORTED},
    {"dycuckoo", NULL, "stadium", "12+12", 0, 0, UNSUPPORTED},
    {"slab", NULL, "stadium", "12+12", 0, 0, UNSUPPORTED},
    {"gph", NULL, "stadium", "12+12", 0, 0, UNSUPPORTED},
    {"dycuckoo", NULL, "stadium", "4+16", 0, 0, UNSUPPORTED},
    {"slab", NULL, "stadium", "4+3", 0, 0, UNSUPPORTED},
    {"gph", NULL, "stadium", "3+1", 0, 0, UNSUPPORTED},
    {"stadium", "ticket=1", "", "12+12", 0, 0, UNSUPPORTED},
    {"stadium", "access=off", "", "12+12", 0, 0, UNSUPPORTED},
    {"stadium", "ticket=4,access=off", "", "4+16", 0, 0, UNSUPPORTED},
    {"stadium", "ticket=1", "", "64+0", 0, 0, UNSUPPORTED},
    {"stadium", "hash=nosuch", "hash=nosuch", "12+12", 0, 0, ARGUMENT},
    {"stadium", "hash_bits=0", "hash_bits=0", "12+12", 0, 0, ARGUMENT},
    {"stadium", "hash_bits=65", "hash_bits=65", "12+12", 0, 0, ARGUMENT},
    {"stadium", "hash_bits=-1", "hash_bits=-1", "12+12", 0, 0, ARGUMENT},
    {"stadium", "hash_bits=x", "hash_bits=x", "12+12", 0, 0, ARGUMENT},
    {"stadium", "ticket=3", "ticket=3", "12+12", 0, 0, ARGUMENT},
};

static size_t bytes_of(size_t asked, size_t usual) { return !asked ? usual : asked == NO_BYTES ? 0 : asked; }

static void wrong_tables_are_refused(const struct variant *variant)
{
    for (size_t i = 0; i < sizeof wrong_tables / sizeof *wrong_tables; i++) {
        const struct wrong_table *const wrong = &wrong_tables[i];
        struct variant with = *variant;
        roost_config config;
        struct table table;
        if (wrong->engine && !engine_is_built(wrong->engine)) continue;
        with.shape = shape_named(wrong->shape);
        table_config(&with, &config);
        config.engine = wrong->engine;
        config.options = wrong->options;
        config.key_bytes = bytes_of(wrong->key_bytes, with.shape->key_bytes);
        config.value_bytes = bytes_of(wrong->value_bytes, with.shape->value_bytes);
        suite_step("%s, %s, %zu+%zu bytes", wrong->engine ? wrong->engine : "any engine", wrong->options ? wrong->options : "",
                   config.key_bytes, config.value_bytes);
        require_answer(wrong->answers, table_create(&table, &with, &config), NULL, "a table");
        require(strstr(roost_last_error(NULL), wrong->named), "\"%s\" does not name %s", roost_last_error(NULL), wrong->named);
    }
}

static void multimaps_are_refused(const struct variant *variant)
{
    struct variant with = *variant;
    roost_config config;
    struct table table;
    with.shape = shape_named("12+12");
    table_config(&with, &config);
    config.flags = ROOST_MULTI;
    config.engine = "stadium";
    require_answer(UNSUPPORTED, table_create(&table, &with, &config), NULL, "a multimap of wide keys");
}

/* Calls with wrong arguments change nothing. */
static void wrong_calls_are_refused(const struct variant *variant)
{
    enum { N = 100 };
    const struct test_shape *const shape = variant->shape;
    struct model model;
    uint64_t keys[N], values[N];
    char *const raw = calloc(N, 4096);
    size_t n = 0;
    roost_cursor cursor = {0};
    if (!raw) abort();
    for (size_t i = 0; i < N; i++) keys[i] = values[i] = distinct_key(shape, i);
    open_model(&model, variant, 0, 1);
    insert(&model, ROOST_ASSIGN, keys, values, N);
    roost_table *const t = model.table.handle;
    const size_t overflows = SIZE_MAX / shape->key_bytes + 1;
    require_answer(ARGUMENT, roost_insert(t, ROOST_ASSIGN, NULL, raw, 1, NULL), t, "an insert without keys");
    require_answer(ARGUMENT, roost_insert(t, ROOST_ASSIGN, raw, NULL, 1, NULL), t, "an insert without values");
    require_answer(ARGUMENT, roost_find(t, NULL, 1, NULL, NULL, NULL), t, "a find without keys");
    require_answer(ARGUMENT, roost_erase(t, NULL, 1, NULL), t, "an erase without keys");
    require_answer(ARGUMENT, roost_insert(t, ROOST_ASSIGN, raw, raw, overflows, NULL), t, "an insert whose bytes overflow");
    require_answer(ARGUMENT, roost_insert(t, ROOST_ASSIGN, raw, raw, SIZE_MAX / shape->value_bytes + 1, NULL), t,
                   "values that overflow");
    require_answer(ARGUMENT, roost_find(t, raw, overflows, NULL, NULL, NULL), t, "a find whose bytes overflow");
    require_answer(ARGUMENT, roost_erase(t, raw, overflows, NULL), t, "an erase whose bytes overflow");
    require_answer(ARGUMENT, roost_export(t, &cursor, raw, raw, ROOST_EXPORT_MIN - 1, &n, NULL), t, "an export with little room");
    require_answer(ARGUMENT, roost_export(t, &cursor, raw, raw, SIZE_MAX / 2, &n, NULL), t, "an export with room that overflows");
    for (roost_mode mode = (roost_mode)mode_count(shape); mode <= ROOST_MAX; mode++)
        require_answer(ARGUMENT | UNSUPPORTED, roost_insert(t, mode, raw, raw, 1, NULL), t, mode_name(mode));
    require_answer(UNSUPPORTED, roost_insert(t, ROOST_APPEND, raw, raw, 1, NULL), t, "APPEND");
    require_answer(ARGUMENT | MEMORY, roost_table_reserve(t, UINT64_MAX), t, "a reservation of 2^64 - 1 keys");
    require_answer(ARGUMENT | MEMORY, roost_table_reserve(t, UINT64_C(1) << 60), t, "a reservation of 2^60 keys");
    table_check(&model.table);
    model_compare(&model);
    model_close(&model);
    free(raw);
}

/* Ordered batches need keys and values of 4 or 8 bytes. */
static void order_is_refused(const struct variant *variant)
{
    enum { N = 4 };
    uint64_t keys[N] = {1, 2, 1, 2}, values[N] = {3, 4, 5, 6}, results[N] = {0};
    uint8_t operations[N] = {ROOST_OP_ASSIGN, ROOST_OP_FIND, ROOST_OP_ERASE, ROOST_OP_KEEP}, statuses[N] = {0};
    struct mixed mixed = {N, operations, keys, values, results, statuses};
    struct model model;
    open_model(&model, variant, 0, 1);
    insert(&model, ROOST_ASSIGN, keys, values, N);
    const roost_status inserted = table_insert_flagged(&model.table, ROOST_ASSIGN, keys, values, N, NULL, ROOST_ORDERED);
    require_answer(ARGUMENT | UNSUPPORTED, inserted, model.table.handle, "an insert in order");
    if (shape_has_fixed_keys(variant->shape))
        require_answer(UNSUPPORTED, table_apply(&model.table, &mixed, ROOST_ORDERED), model.table.handle, "a mixed batch in order");
    model_compare(&model);
    model_close(&model);
}

/* The library chooses an engine that supports the widths, and engines report whether they do. */
static void the_engine_is_chosen(const struct variant *variant)
{
    roost_engine_info info;
    for (size_t i = 0; roost_engine_describe(i, &info, sizeof info) == ROOST_OK; i++)
        require(info.wide == !strcmp(info.name, "stadium"), "%s: wide is %d", info.name, info.wide);
    for (size_t i = 0; i < WIDE_COUNT; i++) {
        struct variant with = *variant;
        roost_config config;
        struct table table;
        with.shape = &wide_shapes[i];
        if (shape_index(with.shape) < SHAPE_COUNT) continue;
        table_config(&with, &config);
        config.engine = NULL;
        table_open(&table, &with, &config);
        require(!strcmp(roost_table_engine(table.handle), "stadium"), "%s: %s", with.shape->name, roost_table_engine(table.handle));
        table_close(&table);
    }
}

/* ---- Cases ---------------------------------------------------------------------------------- */

/* Options beside the defaults, in turn, so that each meets several widths. */
static const char *const options[] = {"ticket=2,probe=group",  "ticket=4",    "ticket=16", "ticket=8,probe=double",
                                      "ticket=2,probe=double", "memory=host", "hash=sip",  "hash=sip,hash_bits=16",
                                      "hash_bits=16",          "hash_bits=1"};
enum { OPTIONS = sizeof options / sizeof *options };

static struct variant variant_of(const struct test_shape *shape, const char *with, enum placement placement)
{
    return (struct variant){.shape = shape, .options = with, .placement = placement};
}

/* With the defaults in every placement, and with three of the options. */
static void add_all(const char *behaviour, test_body body, bool (*takes)(const struct test_shape *shape))
{
    for (size_t i = 0; i < WIDE_COUNT; i++) {
        if (!takes(&wide_shapes[i])) continue;
        for (int p = PLACE_HOST; p < suite_placements(); p++)
            suite_add(behaviour, body, variant_of(&wide_shapes[i], NULL, (enum placement)p));
        for (size_t o = 0; o < 3; o++)
            suite_add(
                behaviour, body,
                variant_of(&wide_shapes[i], options[(3 * i + o) % OPTIONS], (enum placement)(i % (size_t)suite_placements())));
    }
}

static bool has_few_keys(const struct test_shape *shape) { return shape->key_bytes <= 2; }
static bool has_many_keys(const struct test_shape *shape) { return !has_few_keys(shape); }

static void add_whole(void)
{
    static const char *const names[] = {"16+16", "4+16", "8+100", "8+256", "128+4096"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int p = PLACE_HOST; p < suite_placements(); p++) {
            struct variant variant = variant_of(shape_named(names[i]), i % 2 ? "ticket=16" : NULL, (enum placement)p);
            suite_add("values are whole", values_are_whole, variant);
            variant.number = 16;
            suite_add("values are whole, erases", values_are_whole, variant);
        }
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    add_all("sequences", sequences, shape_is_any);
    add_all("every byte counts", every_byte_counts, shape_is_any);
    add_all("mixed batches", mixed_batches, has_many_keys);
    for (size_t i = 0; i < WIDE_COUNT; i++) {
        const struct test_shape *const shape = &wide_shapes[i];
        if (has_few_keys(shape))
            for (uint64_t grows = 0; grows < 2; grows++)
                suite_add(grows ? "all keys" : "all keys, fixed", all_keys, (struct variant){.shape = shape, .number = grows});
        else suite_add("sequences, started large", sequences, (struct variant){.shape = shape, .number = 5000, .threads = 8});
    }
    add_whole();
    suite_add_once("wrong tables are refused", wrong_tables_are_refused);
    suite_add_once("multimaps are refused", multimaps_are_refused);
    suite_add("wrong calls are refused", wrong_calls_are_refused, (struct variant){.shape = shape_named("12+12")});
    suite_add("wrong calls are refused", wrong_calls_are_refused, (struct variant){.shape = shape_named("16+8 u64")});
    suite_add("order is refused", order_is_refused, (struct variant){.shape = shape_named("12+12")});
    suite_add("order is refused", order_is_refused, (struct variant){.shape = shape_named("4+16")});
    suite_add("order is refused", order_is_refused, (struct variant){.shape = shape_named("s+4 u32")});
    suite_add_once("the engine is chosen", the_engine_is_chosen);
    return suite_run("stadium_wide");
}
