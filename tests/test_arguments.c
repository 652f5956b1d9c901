/* Wrong arguments: each gives a defined status and an error text, and changes nothing in the table. */
#include "support/sequences.h"
#include "support/settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sets of statuses that a wrong argument may be answered with. */
#define ANSWER(status) (1u << (status))
#define ARGUMENT ANSWER(ROOST_ERR_ARGUMENT)
#define UNSUPPORTED ANSWER(ROOST_ERR_UNSUPPORTED)
#define NOT_FOUND ANSWER(ROOST_ERR_NOT_FOUND)
#define MEMORY ANSWER(ROOST_ERR_MEMORY)

static void require_answer(unsigned answers, roost_status status, const char *what)
{
    require(answers & ANSWER(status), "%s: %s", what, roost_status_name(status));
}

/* ---- Configurations ----------------------------------------------------------------------------------------------------- */

static roost_config usual_config(const struct variant *variant)
{
    roost_config config;
    table_config(variant, &config);
    return config;
}

/* The configuration is refused, and no table comes of it. */
static void refuse(unsigned answers, const roost_config *config, const char *what)
{
    roost_table *table = (roost_table *)&table; /* not NULL */
    require_answer(answers, roost_table_create(&table, config), what);
    require(!table, "%s: a refused creation left a table", what);
    require(*roost_last_error(NULL), "%s: no error text", what);
}

static void sizes_of_structs(const struct variant *variant)
{
    static const size_t sizes[] = {0, 1, 7, sizeof(roost_stats) + sizeof(roost_config) + 1, SIZE_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        roost_config config;
        roost_call call;
        roost_stats stats;
        roost_engine_info engine;
        roost_device_info device;
        struct table table;
        suite_step("a size of %zu", sizes[i]);
        require_status(ROOST_ERR_ARGUMENT, roost_config_init(&config, sizes[i]), NULL);
        require_status(ROOST_ERR_ARGUMENT, roost_call_init(&call, sizes[i]), NULL);
        require_status(ROOST_ERR_ARGUMENT, roost_engine_describe(0, &engine, sizes[i]), NULL);
        require_status(ROOST_ERR_ARGUMENT, roost_device_describe(0, &device, sizes[i]), NULL);
        config = usual_config(variant);
        config.size = sizes[i];
        refuse(ARGUMENT, &config, "the size of a configuration");
        table_open(&table, variant, NULL);
        require_status(ROOST_ERR_ARGUMENT, roost_table_stats(table.handle, &stats, sizes[i]), table.handle);
        table_close(&table);
    }
}

static void defaults_of_structs(const struct variant *variant)
{
    (void)variant;
    roost_config config;
    roost_call call;
    memset(&config, UNTOUCHED_BYTE, sizeof config);
    memset(&call, UNTOUCHED_BYTE, sizeof call);
    require_status(ROOST_OK, roost_config_init(&config, sizeof config), NULL);
    require_status(ROOST_OK, roost_call_init(&call, sizeof call), NULL);
    require(config.size == sizeof config && !config.engine && !config.device && !config.options,
            "names in a default configuration");
    require(config.key_type == ROOST_TYPE_U32 && config.value_type == ROOST_TYPE_U32, "default types");
    require(config.capacity == 0 && config.growth == 1 && config.min_fill == 0.30 && config.max_fill == 0.85, "default sizes");
    require(!config.saturate && !config.seed && !config.threads && !config.memory_limit, "default numbers");
    require(!config.allocator.allocate && !config.allocator.release && !config.allocator.context, "a default allocator");
    require(call.size == sizeof call && !call.stream && call.space == ROOST_SPACE_AUTO && !call.statuses && !call.flags,
            "a default call");
}

static void nulls_without_a_table(const struct variant *variant)
{
    const roost_config config = usual_config(variant);
    uint32_t keys[64] = {0}, values[64] = {0};
    roost_stats stats;
    roost_cursor cursor = {0};
    uint64_t failed;
    size_t n;
    refuse(ARGUMENT, NULL, "no configuration");
    require_status(ROOST_ERR_ARGUMENT, roost_table_create(NULL, &config), NULL);
    require_status(ROOST_ERR_ARGUMENT, roost_config_init(NULL, sizeof(roost_config)), NULL);
    require_status(ROOST_ERR_ARGUMENT, roost_call_init(NULL, sizeof(roost_call)), NULL);
    require_status(ROOST_ERR_ARGUMENT, roost_table_clear(NULL), NULL);
    require_status(ROOST_ERR_ARGUMENT, roost_table_reserve(NULL, 5), NULL);
    require_status(ROOST_ERR_ARGUMENT, roost_table_sync(NULL, &failed), NULL);
    require_status(ROOST_ERR_ARGUMENT, roost_table_check(NULL), NULL);
    require_status(ROOST_ERR_ARGUMENT, roost_table_stats(NULL, &stats, sizeof stats), NULL);
    require_status(ROOST_ERR_ARGUMENT, roost_insert(NULL, ROOST_ASSIGN, keys, values, 1, NULL), NULL);
    require_status(ROOST_ERR_ARGUMENT, roost_insert(NULL, ROOST_ASSIGN, NULL, NULL, 0, NULL), NULL);
    require_status(ROOST_ERR_ARGUMENT, roost_find(NULL, keys, 1, values, NULL, NULL), NULL);
    require_status(ROOST_ERR_ARGUMENT, roost_erase(NULL, keys, 1, NULL), NULL);
    require_status(ROOST_ERR_ARGUMENT, roost_export(NULL, &cursor, keys, values, 64, &n, NULL), NULL);
    require_status(ROOST_ERR_ARGUMENT, roost_engine_describe(0, NULL, sizeof(roost_engine_info)), NULL);
    require_status(ROOST_ERR_ARGUMENT, roost_device_describe(0, NULL, sizeof(roost_device_info)), NULL);
    require(*roost_last_error(NULL), "no error text");
    roost_table_destroy(NULL);
}

static void types_and_widths(const struct variant *variant)
{
    static const size_t widths[] = {0, 3, 5, 7, 12, 16, 64, SIZE_MAX};
    roost_config config = usual_config(variant);
    config.key_type = ROOST_TYPE_NONE;
    refuse(ARGUMENT, &config, "keys of no type");
    config.key_type = (roost_type)99;
    refuse(ARGUMENT, &config, "an unknown type of keys");
    config = usual_config(variant);
    config.value_type = (roost_type)-1;
    refuse(ARGUMENT, &config, "an unknown type of values");
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        suite_step("a width of %zu bytes", widths[i]);
        config = usual_config(variant);
        config.key_type = ROOST_TYPE_BYTES;
        config.key_bytes = widths[i];
        refuse(ARGUMENT | UNSUPPORTED, &config, "a width of keys");
        config = usual_config(variant);
        config.value_type = ROOST_TYPE_BYTES;
        config.value_bytes = widths[i];
        refuse(ARGUMENT | UNSUPPORTED, &config, "a width of values");
    }
}

static void capacities(const struct variant *variant)
{
    roost_config config = usual_config(variant);
    config.capacity = UINT64_MAX;
    refuse(ARGUMENT, &config, "a capacity of 2^64 - 1");
    config.capacity = UINT64_C(1) << 63;
    refuse(ARGUMENT, &config, "a capacity of 2^63");
    config.capacity = UINT64_C(1) << 62;
    refuse(ARGUMENT, &config, "a capacity of 2^62");
    config.capacity = UINT64_C(1) << 60;
    refuse(ARGUMENT | MEMORY, &config, "a capacity of 2^60");
    config.capacity = UINT64_C(1) << 52;
    refuse(ARGUMENT | MEMORY, &config, "a capacity of 2^52");
    config.growth = 0;
    refuse(ARGUMENT | MEMORY, &config, "a fixed capacity of 2^52");
}

static void refuse_bounds(const struct variant *variant, double min_fill, double max_fill)
{
    roost_config config = usual_config(variant);
    config.min_fill = min_fill;
    config.max_fill = max_fill;
    suite_step("bounds %g and %g", min_fill, max_fill);
    refuse(ARGUMENT, &config, "fill bounds");
}

static void fill_bounds(const struct variant *variant)
{
    static const double wrong[][2] = {{0.85, 0.30}, {0.5, 0.5}, {-0.1, 0.85}, {0.3, 1.01}, {0.3, 0}, {0.3, -1}, {0, 0}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) refuse_bounds(variant, wrong[i][0], wrong[i][1]);
    refuse_bounds(variant, (double)NAN, 0.85);
    refuse_bounds(variant, 0.3, (double)NAN);
    refuse_bounds(variant, 0.3, (double)INFINITY);
    refuse_bounds(variant, (double)-INFINITY, 0.85);
}

/* A growth step of one of d subtables must not fall under the lower bound: min_fill < max_fill * d / (d + 1). */
static void fill_bounds_of_subtables(const struct variant *variant)
{
    static const struct {
        const char *options;
        double below, above; /* around 0.85 * d / (d + 1) */
    } cases[] = {{NULL, 0.67, 0.69}, {"subtables=2", 0.56, 0.57}, {"subtables=3", 0.63, 0.64}, {"subtables=8", 0.75, 0.76}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        roost_config config = usual_config(variant);
        struct table table;
        config.options = cases[i].options;
        config.min_fill = cases[i].above;
        suite_step("%s, %g", config.options ? config.options : "4 subtables", config.min_fill);
        refuse(ARGUMENT, &config, "a lower bound above the fill after a growth step");
        config.min_fill = cases[i].below;
        table_open(&table, variant, &config);
        table_close(&table);
    }
}

static void names(const struct variant *variant)
{
    static const char *const engines[] = {"", "nosuch", "dycucko", "dycuckoo ", "DyCuckoo2"};
    static const char *const devices[] = {
        "", "nosuch", "cuda:", "cuda:9999", "cuda:-1", "cuda:x", "cuda:0x", "hosts", "cuda:99999999999999999999"};
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        roost_config config = usual_config(variant);
        config.engine = engines[i];
        suite_step("engine \"%s\"", engines[i]);
        refuse(NOT_FOUND, &config, "an unknown engine");
    }
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        roost_config config = usual_config(variant);
        config.device = devices[i];
        suite_step("device \"%s\"", devices[i]);
        refuse(NOT_FOUND, &config, "an unknown device");
    }
}

static void options(const struct variant *variant)
{
    static const struct {
        const char *text;
        unsigned answers;
    } wrong[] = {
        {"nosuch=1", NOT_FOUND},
        {"subtables=4,nosuch=1", NOT_FOUND},
        {"Subtables=4", NOT_FOUND},
        {"subtables", ARGUMENT | NOT_FOUND},
        {"=4", ARGUMENT | NOT_FOUND},
        {"subtables=", ARGUMENT},
        {"subtables=1", ARGUMENT},
        {"subtables=9", ARGUMENT},
        {"subtables=-4", ARGUMENT},
        {"subtables=4x", ARGUMENT},
        {"subtables=four", ARGUMENT},
        {"subtables=4294967300", ARGUMENT},
        {"slots=5", ARGUMENT},
        {"slots=0", ARGUMENT},
        {"slots=64", ARGUMENT},
        {"layers=0", ARGUMENT},
        {"layers=3", ARGUMENT},
        {"resize=some", ARGUMENT | NOT_FOUND},
        {"hash=nosuch", ARGUMENT | NOT_FOUND},
        {"weights=nosuch", ARGUMENT | NOT_FOUND},
        {"publish=nosuch", ARGUMENT | NOT_FOUND},
        {"driver=nosuch", ARGUMENT | NOT_FOUND},
        {"driver=", ARGUMENT | NOT_FOUND},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        roost_config config = usual_config(variant);
        config.engine = "dycuckoo";
        config.options = wrong[i].text;
        suite_step("options \"%s\"", wrong[i].text);
        refuse(wrong[i].answers, &config, "wrong options");
    }
}

static void *no_memory(void *context, size_t bytes)
{
    (void)context, (void)bytes;
    return NULL;
}

static void other_numbers(const struct variant *variant)
{
    roost_config config = usual_config(variant);
    config.threads = -1;
    refuse(ARGUMENT, &config, "a negative number of threads");
    config = usual_config(variant);
    config.allocator.allocate = no_memory;
    refuse(ARGUMENT, &config, "an allocator that cannot release");
}

/* ---- Calls -------------------------------------------------------------------------------------------------------------- */

#define KEYS 300

/* A table with some keys, and arrays for calls on it. */
struct bench {
    struct model model;
    roost_stats before;
    uint64_t keys[KEYS], values[KEYS]; /* as the table's widths lay them out */
    uint8_t found[KEYS], statuses[KEYS];
    roost_call call;
};

static void set_up(struct bench *bench, const struct variant *variant)
{
    uint64_t keys[KEYS], values[KEYS];
    struct dice dice = {suite_seed()};
    for (size_t i = 0; i < KEYS; i++) {
        keys[i] = distinct_key(variant->shape, i);
        values[i] = draw_value(&dice, variant->shape->value_type);
    }
    model_open(&bench->model, variant, NULL);
    require_status(ROOST_OK, model_insert(&bench->model, ROOST_ASSIGN, keys, values, KEYS / 2), bench->model.table.handle);
    bench->before = table_stats(&bench->model.table);
    pack(keys, KEYS, variant->shape->key_bytes, bench->keys);
    pack(values, KEYS, variant->shape->value_bytes, bench->values);
    require_status(ROOST_OK, roost_call_init(&bench->call, sizeof bench->call), NULL);
}

static void tear_down(struct bench *bench)
{
    const roost_stats after = table_stats(&bench->model.table);
    require(after.slots == bench->before.slots && after.inserted == bench->before.inserted &&
                after.erased == bench->before.erased && after.updated == bench->before.updated,
            "refused calls changed the table's numbers");
    table_check(&bench->model.table);
    model_compare(&bench->model);
    model_close(&bench->model);
}

static void refused(struct bench *bench, unsigned answers, roost_status status, const char *what)
{
    require_answer(answers, status, what);
    require(*roost_last_error(bench->model.table.handle), "%s: no error text", what);
}

static void null_arrays(const struct variant *variant)
{
    struct bench b;
    set_up(&b, variant);
    roost_table *t = b.model.table.handle;
    static const size_t counts[] = {1, KEYS, SIZE_MAX};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        suite_step("%zu items", counts[i]);
        refused(&b, ARGUMENT, roost_insert(t, ROOST_ASSIGN, NULL, b.values, counts[i], NULL), "an insert without keys");
        refused(&b, ARGUMENT, roost_find(t, NULL, counts[i], b.values, b.found, NULL), "a find without keys");
        refused(&b, ARGUMENT, roost_erase(t, NULL, counts[i], NULL), "an erase without keys");
        if (!shape_is_set(variant->shape))
            refused(&b, ARGUMENT, roost_insert(t, ROOST_ASSIGN, b.keys, NULL, counts[i], NULL), "an insert without values");
    }
    tear_down(&b);
}

/* No items: nothing is needed and nothing happens. */
static void no_items(const struct variant *variant)
{
    struct bench b;
    set_up(&b, variant);
    roost_table *t = b.model.table.handle;
    for (roost_mode mode = ROOST_ASSIGN; mode < mode_count(variant->shape); mode++) {
        require_status(ROOST_OK, roost_insert(t, mode, NULL, NULL, 0, NULL), t);
        require_status(ROOST_OK, roost_insert(t, mode, b.keys, b.values, 0, &b.call), t);
    }
    require_status(ROOST_OK, roost_find(t, NULL, 0, NULL, NULL, NULL), t);
    require_status(ROOST_OK, roost_find(t, b.keys, 0, b.values, b.found, &b.call), t);
    require_status(ROOST_OK, roost_erase(t, NULL, 0, NULL), t);
    require_status(ROOST_OK, roost_erase(t, b.keys, 0, &b.call), t);
    tear_down(&b);
}

/* Counts whose bytes overflow. */
static void huge_counts(const struct variant *variant)
{
    struct bench b;
    set_up(&b, variant);
    roost_table *t = b.model.table.handle;
    const size_t counts[] = {SIZE_MAX, SIZE_MAX / variant->shape->key_bytes + 1};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        suite_step("%zu items", counts[i]);
        refused(&b, ARGUMENT, roost_insert(t, ROOST_ASSIGN, b.keys, b.values, counts[i], NULL), "an insert");
        refused(&b, ARGUMENT, roost_find(t, b.keys, counts[i], b.values, b.found, NULL), "a find");
        refused(&b, ARGUMENT, roost_erase(t, b.keys, counts[i], NULL), "an erase");
    }
    refused(&b, ARGUMENT | MEMORY, roost_table_reserve(t, UINT64_MAX), "a reservation for 2^64 - 1 keys");
    refused(&b, ARGUMENT | MEMORY, roost_table_reserve(t, UINT64_C(1) << 60), "a reservation for 2^60 keys");
    tear_down(&b);
}

static void unknown_modes(const struct variant *variant)
{
    static const int modes[] = {-1, 5, 99, INT32_MAX};
    struct bench b;
    set_up(&b, variant);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        refused(&b, ARGUMENT, roost_insert(b.model.table.handle, (roost_mode)modes[i], b.keys, b.values, KEYS, NULL),
                "an unknown mode");
    tear_down(&b);
}

/* All three operations refuse the call's options as they stand in the bench. */
static void refuse_call(struct bench *b, unsigned answers, const char *what)
{
    roost_table *t = b->model.table.handle;
    roost_cursor cursor = {0};
    size_t n;
    refused(b, answers, roost_insert(t, ROOST_ASSIGN, b->keys, b->values, KEYS, &b->call), what);
    refused(b, answers, roost_find(t, b->keys, KEYS, b->values, b->found, &b->call), what);
    refused(b, answers, roost_erase(t, b->keys, KEYS, &b->call), what);
    refused(b, answers, roost_export(t, &cursor, b->keys, b->values, KEYS, &n, &b->call), what);
}

static void wrong_calls(const struct variant *variant)
{
    static const size_t sizes[] = {0, 1, sizeof(roost_call) - 1, sizeof(roost_call) + 1, SIZE_MAX};
    static const uint32_t flags[] = {1, 2, 0x80000000u, 0xffffffffu};
    struct bench b;
    set_up(&b, variant);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        b.call.size = sizes[i];
        refuse_call(&b, ARGUMENT, "the size of a call's options");
    }
    b.call.size = sizeof b.call;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        b.call.flags = flags[i];
        refuse_call(&b, ARGUMENT | UNSUPPORTED, "unknown flags");
    }
    b.call.flags = 0;
    b.call.space = (roost_space)3;
    refuse_call(&b, ARGUMENT, "an unknown space");
    b.call.space = (roost_space)-1;
    refuse_call(&b, ARGUMENT, "an unknown space");
    tear_down(&b);
}

static bool machine_has_gpu(void)
{
    roost_device_info first;
    return roost_device_describe(0, &first, sizeof first) == ROOST_OK && strcmp(first.name, "host");
}

/* Where there is no GPU no array lies on one. */
static void wrong_spaces(const struct variant *variant)
{
    struct bench b;
    set_up(&b, variant);
    b.call.space = ROOST_SPACE_DEVICE;
    refuse_call(&b, ARGUMENT | UNSUPPORTED, "arrays on the host that are said to be on a device");
    tear_down(&b);
}

/* Arrays are aligned to their items' width. */
static void misaligned_arrays(const struct variant *variant)
{
    struct bench b;
    set_up(&b, variant);
    roost_table *t = b.model.table.handle;
    const char *keys = (const char *)b.keys + 1;
    char *values = (char *)b.values + 2;
    size_t n;
    roost_cursor cursor = {0};
    refused(&b, ARGUMENT, roost_insert(t, ROOST_ASSIGN, keys, b.values, 5, NULL), "misaligned keys to insert");
    refused(&b, ARGUMENT, roost_find(t, keys, 5, b.values, b.found, NULL), "misaligned keys to find");
    refused(&b, ARGUMENT, roost_erase(t, keys, 5, NULL), "misaligned keys to erase");
    refused(&b, ARGUMENT, roost_export(t, &cursor, (char *)b.keys + 2, b.values, 64, &n, NULL), "misaligned keys to export");
    if (!shape_is_set(variant->shape)) {
        refused(&b, ARGUMENT, roost_insert(t, ROOST_ASSIGN, b.keys, values, 5, NULL), "misaligned values to insert");
        refused(&b, ARGUMENT, roost_find(t, b.keys, 5, values, b.found, NULL), "misaligned values to find");
    }
    tear_down(&b);
}

/* ---- Exports, statistics ------------------------------------------------------------------------------------------------ */

static void wrong_exports(const struct variant *variant)
{
    struct bench b;
    set_up(&b, variant);
    roost_table *t = b.model.table.handle;
    roost_cursor cursor = {0};
    size_t n;
    refused(&b, ARGUMENT, roost_export(t, NULL, b.keys, b.values, KEYS, &n, NULL), "an export without a cursor");
    refused(&b, ARGUMENT, roost_export(t, &cursor, NULL, b.values, KEYS, &n, NULL), "an export without keys");
    refused(&b, ARGUMENT, roost_export(t, &cursor, b.keys, b.values, KEYS, NULL, NULL), "an export without a count");
    refused(&b, ARGUMENT, roost_export(t, &cursor, b.keys, b.values, 0, &n, NULL), "an export without room");
    refused(&b, ARGUMENT, roost_export(t, &cursor, b.keys, b.values, ROOST_EXPORT_MIN - 1, &n, NULL), "an export with little room");
    refused(&b, ARGUMENT, roost_export(t, &cursor, b.keys, b.values, SIZE_MAX, &n, NULL), "an export with room that overflows");
    require(cursor.position == 0 && cursor.end == 0, "a refused export moved the cursor");
    tear_down(&b);
}

/* A cursor behind the end is refused or gives nothing. */
static void wrong_cursors(const struct variant *variant)
{
    static const roost_cursor wrong[] = {{UINT64_MAX, 0}, {UINT64_MAX / 2, 0}, {UINT64_C(1) << 32, 0}, {UINT64_MAX, UINT64_MAX}};
    struct bench b;
    set_up(&b, variant);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        roost_cursor cursor = wrong[i];
        size_t n = SIZE_MAX;
        suite_step("cursor %#llx, %#llx", (unsigned long long)cursor.position, (unsigned long long)cursor.end);
        const roost_status status = roost_export(b.model.table.handle, &cursor, b.keys, b.values, KEYS, &n, NULL);
        if (status == ROOST_OK) require(n == 0 && cursor.end == 1, "%zu keys from a cursor behind the end", n);
        else refused(&b, ARGUMENT, status, "a wrong cursor");
    }
    tear_down(&b);
}

/* Writing makes a cursor invalid; using it all the same is no undefined behaviour. */
static void outdated_cursors(const struct variant *variant)
{
    struct bench b;
    set_up(&b, variant);
    const struct table *table = &b.model.table;
    uint64_t many[6000], keys[64], values[64];
    roost_cursor cursor = {0};
    size_t n = 0;
    require_status(ROOST_OK, roost_export(table->handle, &cursor, keys, values, 64, &n, NULL), table->handle);
    for (size_t i = 0; i < 6000; i++) many[i] = distinct_key(variant->shape, i);
    for (int change = 0; change < 3; change++) {
        if (change == 0) require_status(ROOST_OK, model_insert(&b.model, ROOST_KEEP, many, many, 6000), table->handle);
        if (change == 1) model_erase(&b.model, many, 5990);
        if (change == 2) model_clear(&b.model);
        n = SIZE_MAX;
        roost_cursor outdated = cursor;
        const roost_status status = roost_export(table->handle, &outdated, keys, values, 64, &n, NULL);
        require(status == ROOST_ERR_ARGUMENT || (status == ROOST_OK && n <= 64), "%s, %zu keys", roost_status_name(status), n);
        model_compare(&b.model);
    }
    model_close(&b.model);
}

static void wrong_stats(const struct variant *variant)
{
    struct bench b;
    set_up(&b, variant);
    refused(&b, ARGUMENT, roost_table_stats(b.model.table.handle, NULL, sizeof(roost_stats)), "no room for statistics");
    tear_down(&b);
}

/* ---- Error texts -------------------------------------------------------------------------------------------------------- */

/* A table's text is its own: no other table's error is in it, and none at all at first. */
static void texts_belong_to_tables(const struct variant *variant)
{
    struct table one, other;
    table_open(&one, variant, NULL);
    table_open(&other, variant, NULL);
    require(!*roost_last_error(one.handle), "a new table has the error \"%s\"", roost_last_error(one.handle));
    require_status(ROOST_ERR_ARGUMENT, roost_erase(one.handle, NULL, 3, NULL), one.handle);
    require(*roost_last_error(one.handle), "no error text");
    require(!*roost_last_error(other.handle), "another table has the error \"%s\"", roost_last_error(other.handle));
    table_close(&other);
    table_close(&one);
}

static void texts_name_what_is_wrong(const struct variant *variant)
{
    roost_config config = usual_config(variant);
    config.engine = "nosuch-engine";
    refuse(NOT_FOUND, &config, "an unknown engine");
    require(strstr(roost_last_error(NULL), "nosuch-engine"), "\"%s\" does not name the engine", roost_last_error(NULL));
    config = usual_config(variant);
    config.device = "nosuch-device";
    refuse(NOT_FOUND, &config, "an unknown device");
    require(strstr(roost_last_error(NULL), "nosuch-device"), "\"%s\" does not name the device", roost_last_error(NULL));
    if (!settings_on_dycuckoo()) return;
    config = usual_config(variant);
    config.engine = "dycuckoo";
    config.options = "nosuch-option=3";
    refuse(NOT_FOUND, &config, "an unknown option");
    require(strstr(roost_last_error(NULL), "nosuch-option"), "\"%s\" does not name the option", roost_last_error(NULL));
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    suite_add_once("sizes of structs", sizes_of_structs);
    suite_add_once("defaults of structs", defaults_of_structs);
    suite_add_once("nulls without a table", nulls_without_a_table);
    suite_add_once("types and widths", types_and_widths);
    suite_add_once("fill bounds", fill_bounds);
    suite_add_once("names", names);
    if (settings_on_dycuckoo()) suite_add_once("fill bounds of subtables", fill_bounds_of_subtables);
    if (settings_on_dycuckoo()) suite_add_once("options", options);
    suite_add_once("other numbers", other_numbers);
    suite_add_once("texts belong to tables", texts_belong_to_tables);
    suite_add_once("texts name what is wrong", texts_name_what_is_wrong);
    for (size_t i = 0; i < SHAPE_COUNT; i++) {
        const struct variant variant = {.shape = &shapes[i]};
        suite_add("capacities", capacities, variant);
        suite_add("null arrays", null_arrays, variant);
        suite_add("no items", no_items, variant);
        suite_add("huge counts", huge_counts, variant);
        suite_add("unknown modes", unknown_modes, variant);
        suite_add("wrong calls", wrong_calls, variant);
        if (!machine_has_gpu()) suite_add("wrong spaces", wrong_spaces, variant);
        suite_add("misaligned arrays", misaligned_arrays, variant);
        suite_add("wrong exports", wrong_exports, variant);
        suite_add("wrong cursors", wrong_cursors, variant);
        suite_add("outdated cursors", outdated_cursors, variant);
        suite_add("wrong stats", wrong_stats, variant);
    }
    return suite_run("arguments");
}
