/* A program built with a kept header.  It calls what the header declares, and checks the bytes
 * behind each struct that the library writes.  With ABI_FROZEN it includes the headers of
 * tests/abi/frozen, else that of 4c39953, and then it asks for no statistics. */
#include <roost/roost.h>
#if ABI_FROZEN
#include <roost/mixed.h>
#include <roost/strings.h>
#include <roost/tuning.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 1000, MARK = 0xA5, BEHIND = 64 };

static void check(int good, const char *what, const roost_table *table)
{
    if (good) return;
    fprintf(stderr, "%s: %s\n", what, roost_last_error(table));
    exit(1);
}

#define CHECK(condition, table) check(condition, #condition, table)

/* Room for a struct, and bytes behind it that the library must not write. */
#define ROOM(type)                                                                                                                 \
    struct {                                                                                                                       \
        type it;                                                                                                                   \
        unsigned char behind[BEHIND];                                                                                              \
    }
#define BEGIN(room) memset(&room, MARK, sizeof room)
#define END(room) check(untouched(room.behind), #room " ends where this program's struct does", NULL)

static int untouched(const unsigned char *behind)
{
    for (int i = 0; i < BEHIND; i++)
        if (behind[i] != MARK) return 0;
    return 1;
}

static roost_table *make(roost_type keys)
{
    ROOM(roost_config) config;
    roost_table *table;
    BEGIN(config);
    CHECK(roost_config_init(&config.it, sizeof config.it) == ROOST_OK, NULL);
    END(config);
    CHECK(config.it.size == sizeof config.it && config.it.growth == 1 && config.it.max_fill == 0.85, NULL);
    config.it.device = "host";
    config.it.key_type = keys;
    config.it.value_type = ROOST_TYPE_U64;
    config.it.work = ROOST_WORK_MIXED;
    config.it.batch = 1; /* the last member that the header has */
    CHECK(roost_table_create(&table, &config.it) == ROOST_OK, NULL);
    return table;
}

static void pairs(roost_table *table)
{
    static uint64_t keys[KEYS], values[KEYS], found[KEYS];
    static uint8_t statuses[KEYS], flags[KEYS];
    ROOM(roost_call) call;
    BEGIN(call);
    CHECK(roost_call_init(&call.it, sizeof call.it) == ROOST_OK, NULL);
    END(call);
    call.it.statuses = statuses;
    for (uint64_t i = 0; i < KEYS; i++) keys[i] = i * i, values[i] = i;
    CHECK(roost_insert(table, ROOST_ASSIGN, keys, values, KEYS, &call.it) == ROOST_OK, table);
    CHECK(statuses[0] == ROOST_ITEM_INSERTED && statuses[KEYS - 1] == ROOST_ITEM_INSERTED, table);
    CHECK(roost_find(table, keys, KEYS, found, flags, NULL) == ROOST_OK, table);
    CHECK(memcmp(found, values, sizeof found) == 0 && flags[KEYS - 1] == 1, table);
    CHECK(roost_erase(table, keys, 1, &call.it) == ROOST_OK && statuses[0] == ROOST_ITEM_ERASED, table);
}

static void mixed(roost_table *table)
{
    static const uint8_t operations[] = {ROOST_OP_ADD, ROOST_OP_FIND};
    const uint64_t keys[] = {1, 4}, values[] = {10, 0};
    uint64_t out[] = {0, 0};
    ROOM(roost_batch) batch;
    BEGIN(batch);
    CHECK(roost_batch_init(&batch.it, sizeof batch.it) == ROOST_OK, NULL);
    END(batch);
    batch.it.operations = operations;
    batch.it.keys = keys;
    batch.it.values_in = values;
    batch.it.values_out = out;
    batch.it.n = 2;
    CHECK(roost_apply(table, &batch.it, NULL) == ROOST_OK && out[1] == 2, table);
}

static void export(const roost_table *table)
{
    static uint64_t keys[KEYS];
    roost_cursor cursor = {0, 0};
    size_t n, all = 0;
    while (!cursor.end) {
        CHECK(roost_export(table, &cursor, keys, NULL, KEYS, &n, NULL) == ROOST_OK, table);
        all += n;
    }
    CHECK(all == KEYS - 1, table);
}

static void strings(void)
{
    static const uint64_t offsets[] = {0, 2, 2, 5};
    const uint64_t values[] = {7, 8, 9};
    uint64_t out[3];
    ROOM(roost_strings) keys;
    roost_table *table = make(ROOST_TYPE_STRING);
    BEGIN(keys);
    CHECK(roost_strings_init(&keys.it, sizeof keys.it) == ROOST_OK, NULL);
    END(keys);
    keys.it.offsets = offsets;
    keys.it.bytes = "ababc";
    CHECK(roost_insert_strings(table, ROOST_ASSIGN, &keys.it, values, 3, NULL) == ROOST_OK, table);
    CHECK(roost_find_strings(table, &keys.it, 3, out, NULL, NULL) == ROOST_OK, table);
    CHECK(memcmp(out, values, sizeof out) == 0, table);
    roost_table_destroy(table);
}

static void measure(const roost_config *config)
{
    ROOM(roost_measure_plan) plan;
    static ROOM(roost_measured) measured;
    BEGIN(plan);
    BEGIN(measured);
    CHECK(roost_measure_plan_init(&plan.it, sizeof plan.it) == ROOST_OK && plan.it.repetitions == 3, NULL);
    plan.it.keys = KEYS;
    CHECK(roost_measure(config, &plan.it, &measured.it, sizeof measured.it) == ROOST_OK, NULL);
    CHECK(measured.it.size == sizeof measured.it && measured.it.slots >= KEYS && measured.it.options[0] != (char)MARK, NULL);
    END(plan);
    END(measured);
}

static void descriptions(void)
{
    ROOM(roost_engine_info) engine;
    static ROOM(roost_device_info) device;
    ROOM(roost_choice) choice;
    roost_config config;
    BEGIN(engine);
    BEGIN(device);
    BEGIN(choice);
    CHECK(roost_engine_describe(0, &engine.it, sizeof engine.it) == ROOST_OK && *engine.it.name, NULL);
    CHECK(roost_device_describe(0, &device.it, sizeof device.it) == ROOST_OK && *device.it.name, NULL);
    CHECK(roost_config_init(&config, sizeof config) == ROOST_OK, NULL);
    config.device = "host";
    CHECK(roost_choose(&config, &choice.it, sizeof choice.it) == ROOST_OK && *choice.it.reason, NULL);
    CHECK(engine.it.size == sizeof engine.it && device.it.size == sizeof device.it && choice.it.size == sizeof choice.it, NULL);
    END(engine);
    END(device);
    END(choice);
    measure(&config);
}

#if ABI_FROZEN
static void numbers(const roost_table *table)
{
    ROOM(roost_stats) stats;
    ROOM(roost_stat) stat;
    BEGIN(stats);
    BEGIN(stat);
    CHECK(roost_table_stats(table, &stats.it, sizeof stats.it) == ROOST_OK, table);
    CHECK(stats.it.size == sizeof stats.it && stats.it.count == KEYS - 1 && stats.it.erased == 1, table);
    stat.it.size = sizeof stat.it;
    CHECK(roost_table_stat_at(table, 0, &stat.it) == ROOST_OK && stat.it.size == sizeof stat.it, table);
    END(stats);
    END(stat);
}
#else
/* What statistics lost is told to a program that asks for them. */
static void numbers(const roost_table *table)
{
    roost_stats stats;
    CHECK(roost_table_stats(table, &stats, sizeof stats) == ROOST_ERR_ARGUMENT, table);
    CHECK(strstr(roost_last_error(table), "statistics changed in this version") != NULL, table);
}
#endif

/* Does this build of the library have an engine for strings? */
static int has_strings(void)
{
    roost_engine_info info;
    for (size_t i = 0; roost_engine_describe(i, &info, sizeof info) == ROOST_OK; i++)
        if (info.wide) return 1;
    return 0;
}

int main(void)
{
    roost_table *table = make(ROOST_TYPE_U64);
    pairs(table);
    mixed(table);
    export(table);
    numbers(table);
    CHECK(roost_table_check(table) == ROOST_OK, table);
    roost_table_destroy(table);
    if (has_strings()) strings();
    descriptions();
    return 0;
}
