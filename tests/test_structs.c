/* Structs grow.  Every size that a header had is accepted, and no other.  Members that the
 * caller's struct lacks have their defaults, and nothing behind it is written.  Static
 * initialisers agree with the init calls. */
#include "api/structs.h"
#include "support/tables.h"
#include "roost/mixed.h"
#include "roost/strings.h"
#include "roost/tuning.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The public structs --------------------------------------------------------------------- */

/* A call that gets a struct at `it` of `size` bytes; calls that need a table use `table`. */
typedef roost_status (*sized_call)(roost_table *table, void *it, size_t size);

#define INIT_CALL(name)                                                                                                            \
    static roost_status name##_call(roost_table *table, void *it, size_t size)                                                     \
    {                                                                                                                              \
        (void)table;                                                                                                               \
        return roost_##name##_init((roost_##name *)it, size);                                                                      \
    }
INIT_CALL(config)
INIT_CALL(call)
INIT_CALL(batch)
INIT_CALL(strings)
INIT_CALL(measure_plan)

static void set_size(void *it, size_t size) { memcpy(it, &size, sizeof size); }

static roost_status create_call(roost_table *table, void *it, size_t size)
{
    roost_table *none = NULL;
    (void)table;
    memcpy(it, &(roost_config)ROOST_CONFIG_INIT, sizeof(roost_config));
    set_size(it, size);
    ((roost_config *)it)->device = "host";
    const roost_status status = roost_table_create(&none, (roost_config *)it);
    roost_table_destroy(none);
    return status;
}

static roost_status insert_call(roost_table *table, void *it, size_t size)
{
    const uint64_t key = 1;
    memcpy(it, &(roost_call)ROOST_CALL_INIT, sizeof(roost_call));
    set_size(it, size);
    return roost_insert(table, ROOST_ASSIGN, &key, &key, 1, (roost_call *)it);
}

static roost_status apply_call(roost_table *table, void *it, size_t size)
{
    memcpy(it, &(roost_batch)ROOST_BATCH_INIT, sizeof(roost_batch));
    set_size(it, size);
    return roost_apply(table, (roost_batch *)it, NULL);
}

static roost_status stats_call(roost_table *table, void *it, size_t size)
{
    return roost_table_stats(table, (roost_stats *)it, size);
}

static roost_status stat_call(roost_table *table, void *it, size_t size)
{
    set_size(it, size);
    return roost_table_stat_at(table, 0, (roost_stat *)it);
}

static roost_status choose_call(roost_table *table, void *it, size_t size)
{
    const roost_config config = ROOST_CONFIG_INIT;
    (void)table;
    return roost_choose(&config, (roost_choice *)it, size);
}

static roost_status engine_call(roost_table *table, void *it, size_t size)
{
    (void)table;
    return roost_engine_describe(0, (roost_engine_info *)it, size);
}

static roost_status device_call(roost_table *table, void *it, size_t size)
{
    (void)table;
    return roost_device_describe(0, (roost_device_info *)it, size);
}

static roost_status measure_call(roost_table *table, void *it, size_t size)
{
    roost_config config = ROOST_CONFIG_INIT;
    roost_measure_plan plan = ROOST_MEASURE_PLAN_INIT;
    (void)table;
    config.device = "host";
    plan.keys = 100;
    return roost_measure(&config, &plan, (roost_measured *)it, size);
}

static const struct sized {
    const char *name;
    sized_call call;
    size_t size;
} sized[] = {{"roost_config", config_call, sizeof(roost_config)},
             {"roost_config", create_call, sizeof(roost_config)},
             {"roost_call", call_call, sizeof(roost_call)},
             {"roost_call", insert_call, sizeof(roost_call)},
             {"roost_batch", batch_call, sizeof(roost_batch)},
             {"roost_batch", apply_call, sizeof(roost_batch)},
             {"roost_strings", strings_call, sizeof(roost_strings)},
             {"roost_measure_plan", measure_plan_call, sizeof(roost_measure_plan)},
             {"roost_measured", measure_call, sizeof(roost_measured)},
             {"roost_stats", stats_call, sizeof(roost_stats)},
             {"roost_stat", stat_call, sizeof(roost_stat)},
             {"roost_choice", choose_call, sizeof(roost_choice)},
             {"roost_engine_info", engine_call, sizeof(roost_engine_info)},
             {"roost_device_info", device_call, sizeof(roost_device_info)}};

/* The error names the struct, and contains this text. */
static void require_refused(roost_table *table, const struct sized *s, size_t size, const char *says)
{
    static unsigned char memory[sizeof(roost_measured) + 64];
    memset(memory, UNTOUCHED_BYTE, sizeof memory);
    require_status(ROOST_ERR_ARGUMENT, s->call(table, memory, size), NULL);
    require(strstr(roost_last_error(NULL), s->name) != NULL && strstr(roost_last_error(NULL), says) != NULL, "%s",
            roost_last_error(NULL));
}

static void sizes_that_are_known(const struct variant *variant)
{
    static unsigned char memory[sizeof(roost_measured) + 64];
    char known[32];
    struct table table;
    roost_config config;
    table_config(variant, &config);
    config.key_type = config.value_type = ROOST_TYPE_U64;
    table_open(&table, variant, &config);
    for (size_t i = 0; i < sizeof sized / sizeof *sized; i++) {
        const struct sized *s = &sized[i];
        suite_step("%s, call %zu", s->name, i);
        memset(memory, UNTOUCHED_BYTE, sizeof memory);
        require_status(ROOST_OK, s->call(table.handle, memory, s->size), table.handle);
        for (size_t j = s->size; j < sizeof memory; j++) require(memory[j] == UNTOUCHED_BYTE, "byte %zu was written", j);
        require_refused(table.handle, s, s->size + 8, "header newer than library");
        snprintf(known, sizeof known, "%zu", s->size);
        /* 8 less is the size of an older header. */
        require_refused(table.handle, s, s->size - 4, known);
    }
    table_close(&table);
}

/* A call's options of another size may be shorter than the struct: nothing behind the size is read.
 * The address sanitizer sees such a read. */
static void refused_options_are_not_read(const struct variant *variant)
{
    const uint64_t key = 1;
    uint8_t found[1];
    struct table table;
    roost_batch batch = ROOST_BATCH_INIT;
    size_t *const size = malloc(sizeof *size);
    const roost_call *const call = (const roost_call *)(const void *)size;
    require(size != NULL, "no memory");
    *size = sizeof *size;
    table_open(&table, variant, NULL);
    require_status(ROOST_ERR_ARGUMENT, roost_insert(table.handle, ROOST_ASSIGN, &key, &key, 1, call), table.handle);
    require_status(ROOST_ERR_ARGUMENT, roost_find(table.handle, &key, 1, NULL, found, call), table.handle);
    require_status(ROOST_ERR_ARGUMENT, roost_erase(table.handle, &key, 1, call), table.handle);
    require_status(ROOST_ERR_ARGUMENT, roost_apply(table.handle, &batch, call), table.handle);
    table_close(&table);
    free(size);
}

static void statistics_of_before(const struct variant *variant)
{
    union {
        roost_stats stats;
        char bytes[744];
    } before;
    struct table table;
    table_open(&table, variant, NULL);
    require_status(ROOST_ERR_ARGUMENT, roost_table_stats(table.handle, &before.stats, sizeof before), table.handle);
    require(strstr(roost_last_error(table.handle), "statistics changed in this version") != NULL, "%s",
            roost_last_error(table.handle));
    table_close(&table);
}

static void reserved_members(const struct variant *variant)
{
    roost_call call = ROOST_CALL_INIT;
    const uint64_t key = 1;
    struct table table;
    table_open(&table, variant, NULL);
    call.reserved = 1;
    require_status(ROOST_ERR_ARGUMENT, roost_erase(table.handle, &key, 1, &call), table.handle);
    require(strstr(roost_last_error(table.handle), "roost_call: reserved is 1") != NULL, "%s", roost_last_error(table.handle));
    table_close(&table);
}

/* ---- Initialisers --------------------------------------------------------------------------- */

#define SAME(member) require(!memcmp(&made.member, &initial.member, sizeof made.member), "the member " #member " differs")

static void config_initialisers(const struct variant *variant)
{
    static const roost_config initial = ROOST_CONFIG_INIT;
    roost_config made;
    (void)variant;
    memset(&made, UNTOUCHED_BYTE, sizeof made);
    require_status(ROOST_OK, roost_config_init(&made, sizeof made), NULL);
    SAME(size);
    SAME(engine);
    SAME(device);
    SAME(key_type);
    SAME(value_type);
    SAME(key_bytes);
    SAME(value_bytes);
    SAME(capacity);
    SAME(growth);
    SAME(min_fill);
    SAME(max_fill);
    SAME(saturate);
    SAME(seed);
    SAME(threads);
    SAME(memory_limit);
    SAME(allocator);
    SAME(device_allocator);
    SAME(flags);
    SAME(options);
    SAME(work);
    SAME(batch);
}

static void other_initialisers(const struct variant *variant)
{
    (void)variant;
#define EACH(type, function, initialiser, ...)                                                                                     \
    do {                                                                                                                           \
        static const type initial = initialiser;                                                                                   \
        type made;                                                                                                                 \
        memset(&made, UNTOUCHED_BYTE, sizeof made);                                                                                \
        require_status(ROOST_OK, function(&made, sizeof made), NULL);                                                              \
        __VA_ARGS__;                                                                                                               \
    } while (0)
    EACH(roost_call, roost_call_init, ROOST_CALL_INIT, SAME(size); SAME(stream); SAME(space); SAME(statuses); SAME(flags);
         SAME(reserved));
    EACH(roost_batch, roost_batch_init, ROOST_BATCH_INIT, SAME(size); SAME(operations); SAME(keys); SAME(values_in);
         SAME(values_out); SAME(n));
    EACH(roost_strings, roost_strings_init, ROOST_STRINGS_INIT, SAME(size); SAME(offsets); SAME(bytes); SAME(offset_bytes);
         SAME(reserved));
    EACH(roost_measure_plan, roost_measure_plan_init, ROOST_MEASURE_PLAN_INIT, SAME(size); SAME(keys); SAME(load); SAME(hits);
         SAME(repetitions); SAME(seed));
}

/* ---- A struct that has grown twice ---------------------------------------------------------- */

struct first {
    size_t size;
    uint64_t a;
};
struct second {
    struct first first;
    uint32_t b, reserved;
};
struct third {
    struct second second;
    uint64_t c;
};
static const struct third third_defaults = {{{sizeof(struct third), 1}, 2, 0}, 3};
static const struct structure grown = {"grown",
                                       {sizeof(struct first), sizeof(struct second), sizeof(struct third)},
                                       &third_defaults,
                                       offsetof(struct second, reserved)};

static void older_callers(const struct variant *variant)
{
    static struct error error;
    struct third own;
    (void)variant;
    const struct first one = {sizeof one, 10};
    require_status(ROOST_OK, struct_read(&grown, &own, &one, &error), NULL);
    require(own.second.first.size == sizeof own && own.second.first.a == 10 && own.second.b == 2 && own.c == 3, "the first header");
    struct second two = {{sizeof two, 10}, 20, 0};
    require_status(ROOST_OK, struct_read(&grown, &own, &two, &error), NULL);
    require(own.second.first.a == 10 && own.second.b == 20 && own.c == 3, "the second header");
    two.reserved = 1;
    require_status(ROOST_ERR_ARGUMENT, struct_read(&grown, &own, &two, &error), NULL);
    two.first.size = sizeof two - 1;
    require_status(ROOST_ERR_ARGUMENT, struct_read(&grown, &own, &two, &error), NULL);
    require(strstr(error.text, "16, 24, 32") != NULL, "%s", error.text);
}

static void results_for_older_callers(const struct variant *variant)
{
    struct third there;
    (void)variant;
    const struct third results = {{{sizeof results, 10}, 20, 0}, 30};
    memset(&there, UNTOUCHED_BYTE, sizeof there);
    require_status(ROOST_OK, struct_init(&grown, &there, sizeof(struct second), "grown_init"), NULL);
    require(there.second.first.size == sizeof(struct second) && there.second.b == 2, "the defaults");
    require(there.c == UINT64_C(0x0101010101010101) * UNTOUCHED_BYTE, "a byte behind the struct was written");
    struct_write(&there, sizeof(struct first), &results);
    require(there.second.first.size == sizeof(struct first) && there.second.first.a == 10 && there.second.b == 2, "the results");
}

int main(int argc, char **argv)
{
    suite_begin_on_host(argc, argv);
    suite_add_once("sizes that are known", sizes_that_are_known);
    suite_add_once("refused options are not read", refused_options_are_not_read);
    suite_add_once("statistics of before", statistics_of_before);
    suite_add_once("reserved members", reserved_members);
    suite_add_once("the initialiser of a configuration", config_initialisers);
    suite_add_once("the other initialisers", other_initialisers);
    suite_add_once("callers of older headers", older_callers);
    suite_add_once("results for callers of older headers", results_for_older_callers);
    return suite_run("test_structs");
}
