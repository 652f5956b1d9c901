/* Wrong configurations: each is refused with a defined status and a text that names the fault,
 * and no table is made. */
#include "support/answers.h"
#include "support/settings.h"
#include "support/tables.h"
#include "roost/tuning.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static roost_config usual_config(const struct variant *variant)
{
    roost_config config;
    table_config(variant, &config);
    return config;
}

/* The configuration is refused, and no table is made. */
static void refuse(unsigned answers, const roost_config *config, const char *what)
{
    roost_table *table = (roost_table *)&table; /* not NULL */
    require_answer(answers, roost_table_create(&table, config), NULL, what);
    require(!table, "%s: a refused creation left a table", what);
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
    static const size_t widths[] = {0, 3, 5, 7, 12, 16, 64, 129, 4097, SIZE_MAX}, none[] = {0, 4097, SIZE_MAX};
    const bool wide = settings_on_stadium();
    const size_t n = wide ? sizeof none / sizeof *none : sizeof widths / sizeof *widths;
    roost_config config = usual_config(variant);
    config.key_type = ROOST_TYPE_NONE;
    refuse(ARGUMENT, &config, "keys of no type");
    config.key_type = (roost_type)99;
    refuse(ARGUMENT, &config, "an unknown type of keys");
    config = usual_config(variant);
    config.value_type = (roost_type)-1;
    refuse(ARGUMENT, &config, "an unknown type of values");
    for (size_t i = 0; i < n; i++) {
        const size_t width = wide ? none[i] : widths[i];
        suite_step("a width of %zu bytes", width);
        config = usual_config(variant);
        /* otherwise the library chooses an engine that has these widths */
        if (!config.engine) config.engine = "dycuckoo";
        config.key_type = ROOST_TYPE_BYTES;
        config.key_bytes = width;
        refuse(ARGUMENT | UNSUPPORTED, &config, "a width of keys");
        config.key_type = ROOST_TYPE_U32;
        config.value_type = ROOST_TYPE_BYTES;
        config.value_bytes = width;
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

/* The refusal of bounds that are too near to each other says how far apart they have to be, and
 * nothing of steps that the engine does not take. */
static void fill_bounds_too_near(const struct variant *variant)
{
    roost_table *table;
    roost_config config = usual_config(variant);
    config.min_fill = 0.45;
    config.max_fill = 0.8;
    refuse(ARGUMENT, &config, "fill bounds");
    require(roost_table_create(&table, &config) == ROOST_ERR_ARGUMENT, "bounds that are too near were taken");
    require(strstr(roost_last_error(NULL), "below 0.400, half of the upper one") != NULL, "\"%s\"", roost_last_error(NULL));
}

/* A growth step must not end below the lower bound.  With d subtables that grow singly min_fill
 * < max_fill * d / (d + 1); if all grow together min_fill < max_fill / 2. */
static void fill_bounds_of_subtables(const struct variant *variant)
{
    static const struct {
        const char *options;
        double below, above; /* around 0.85 * d / (d + 1), or 0.85 / 2 */
    } cases[] = {{NULL, 0.67, 0.69},          {"subtables=2", 0.56, 0.57}, {"subtables=3", 0.63, 0.64},
                 {"subtables=8", 0.75, 0.76}, {"resize=all", 0.42, 0.43},  {"resize=all,subtables=8", 0.42, 0.43}};
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
        {",", ARGUMENT},
        {"subtables=4,", ARGUMENT},
        {",subtables=4", ARGUMENT},
        {"subtables=4,,slots=8", ARGUMENT},
        {"slots=8,slots=16", ARGUMENT},
        {"slots=8,subtables=4,slots=8", ARGUMENT},
        {"driver=auto,driver=auto", ARGUMENT},
        {"find=once2,find=once2", ARGUMENT},
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
    config.threads = ROOST_THREADS_MOST + 1;
    refuse(ARGUMENT, &config, "too many threads");
    config = usual_config(variant);
    config.allocator.allocate = no_memory;
    refuse(ARGUMENT, &config, "an allocator that cannot release");
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

/* Refuses arrays.  malloc need not set errno, and neither need an allocator. */
static void *little_memory(void *context, size_t bytes)
{
    (void)context;
    errno = 0;
    return bytes < 1 << 17 ? malloc(bytes) : NULL;
}

static void give_back(void *context, void *memory, size_t bytes)
{
    (void)context, (void)bytes;
    free(memory);
}

static void refusals_name_no_other_cause(const struct variant *variant)
{
    roost_config config = usual_config(variant);
    roost_table *table;
    config.capacity = 1000000;
    config.allocator.allocate = little_memory;
    config.allocator.release = give_back;
    require_status(ROOST_ERR_MEMORY, roost_table_create(&table, &config), NULL);
    const char *text = roost_last_error(NULL);
    require(strstr(text, "refused") && !strstr(text, "Success"), "\"%s\"", text);
}

/* A table like another one has its engine and its seed, though that is secret. */
static void tables_alike(const struct variant *variant)
{
    struct table first, second;
    roost_config config = usual_config(variant);
    config.seed = 0;
    config.seed_given = 0;
    table_open(&first, variant, &config);
    config.engine = NULL;
    config.like = first.handle;
    table_open(&second, variant, &config);
    require(!strcmp(roost_table_engine(first.handle), roost_table_engine(second.handle)), "the engine is %s",
            roost_table_engine(second.handle));
    require(table_stats(&first).seed == table_stats(&second).seed, "the seed is another one");
    roost_choice choice = {.size = sizeof choice};
    require_status(ROOST_OK, roost_choose(&config, &choice, sizeof choice), NULL);
    require(!strcmp(choice.engine, roost_table_engine(first.handle)), "%s is chosen", choice.engine);
    config.seed_given = 1;
    refuse(ARGUMENT, &config, "a seed beside like");
    config.seed_given = 0;
    config.key_type = ROOST_TYPE_U64;
    refuse(ARGUMENT, &config, "another width than that of like");
    config.key_type = ROOST_TYPE_U32;
    config.engine = strcmp(roost_table_engine(first.handle), "dycuckoo") ? "dycuckoo" : "compact";
    if (engine_is_built(config.engine)) refuse(ARGUMENT, &config, "another engine than that of like");
    table_close(&first);
    table_close(&second);
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
    if (!settings_on_dycuckoo()) suite_add_once("fill bounds too near", fill_bounds_too_near);
    if (settings_on_dycuckoo()) suite_add_once("fill bounds of subtables", fill_bounds_of_subtables);
    if (settings_on_dycuckoo()) suite_add_once("options", options);
    suite_add_once("other numbers", other_numbers);
    suite_add_once("tables alike", tables_alike);
    suite_add_once("texts name what is wrong", texts_name_what_is_wrong);
    if (!settings_on_gpu()) suite_add_once("refusals name no other cause", refusals_name_no_other_cause);
    for (size_t i = 0; i < SHAPE_COUNT; i++) suite_add("capacities", capacities, (struct variant){.shape = &shapes[i]});
    return suite_run("configurations");
}
