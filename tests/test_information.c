/* The library's information about itself: versions, texts of statuses, engines and devices. */
#include "support/settings.h"
#include "support/tables.h"
#include "roost/tuning.h"

#include <stdio.h>
#include <string.h>

static void versions(const struct variant *variant)
{
    (void)variant;
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", ROOST_VERSION_MAJOR, ROOST_VERSION_MINOR, ROOST_VERSION_PATCH);
    require(roost_version() == ROOST_VERSION, "version %u, not %d", roost_version(), ROOST_VERSION);
    require(!strcmp(roost_version_string(), text), "version \"%s\", not \"%s\"", roost_version_string(), text);
}

#define CHECK_STATUS(status, number, text)                                                                                         \
    require((status) == (number), #status " is not %d", number);                                                                   \
    require(!strcmp(roost_status_name(status), #status), "\"%s\"", roost_status_name(status));                                     \
    require(!strcmp(roost_status_string(status), text), "\"%s\"", roost_status_string(status));
#define CHECK_ITEM(status, number, text)                                                                                           \
    require((status) == (number), #status " is not %d", number);                                                                   \
    require(!strcmp(roost_item_status_string(status), text), "\"%s\"", roost_item_status_string(status));

static void texts_of_statuses(const struct variant *variant)
{
    (void)variant;
    ROOST_STATUS_LIST(CHECK_STATUS)
    ROOST_ITEM_LIST(CHECK_ITEM)
}

static void texts_of_no_status(const struct variant *variant)
{
    static const int numbers[] = {-1, 8, 9, 99, 1 << 30, -(1 << 30)};
    (void)variant;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        suite_step("status %d", numbers[i]);
        const char *string = roost_status_string((roost_status)numbers[i]), *name = roost_status_name((roost_status)numbers[i]);
        require(string && *string && name && *name, "no text for a number that is not a status");
        const char *item = roost_item_status_string((roost_item_status)(numbers[i] + 1));
        require(item && *item, "no text for a number that is not an item's status");
    }
}

/* Each listed engine can make a table on the host with the first width that it names. */
static void engines(const struct variant *variant)
{
    roost_engine_info info;
    size_t count = 0;
    const char *const wanted = settings_get()->engine ? settings_get()->engine : "dycuckoo";
    bool has_wanted = false;
    for (;; count++) {
        memset(&info, UNTOUCHED_BYTE, sizeof info);
        const roost_status status = roost_engine_describe(count, &info, sizeof info);
        if (status == ROOST_ERR_NOT_FOUND) break;
        require_status(ROOST_OK, status, NULL);
        require(info.size == sizeof info, "size %zu", info.size);
        require(*info.name && *info.summary && *info.operations && *info.widths && info.options, "engine %zu lacks a text", count);
        require(strstr(info.operations, "insert") && strstr(info.operations, "find"), "engine %s does \"%s\"", info.name,
                info.operations);
        require((info.mixes | info.multi) >> 1 == 0, "engine %s: mixes is %d, multi %d", info.name, info.mixes, info.multi);
        has_wanted |= !strcmp(info.name, wanted);
        roost_config config;
        struct table table;
        table_config(variant, &config);
        config.engine = info.name;
        table_open(&table, variant, &config);
        require(!strcmp(roost_table_engine(table.handle), info.name), "a table of %s says %s", info.name,
                roost_table_engine(table.handle));
        table_close(&table);
    }
    require(has_wanted, "%s is not among the %zu engines", wanted, count);
    require(roost_engine_describe(SIZE_MAX, &info, sizeof info) == ROOST_ERR_NOT_FOUND, "engine SIZE_MAX exists");
}

/* dycuckoo lists every option that it takes, and all widths. */
static void options_are_listed(const struct variant *variant)
{
    static const char *const names[] = {
        "subtables=4:", "slots=", "layers=2:", "resize=level:", "hash=keyed:", "weights=vacant:", "publish=auto:", "driver=auto:"};
    (void)variant;
    roost_engine_info info;
    for (size_t i = 0; roost_engine_describe(i, &info, sizeof info) == ROOST_OK; i++) {
        if (strcmp(info.name, "dycuckoo")) continue;
        for (size_t o = 0; o < sizeof names / sizeof *names; o++)
            require(strstr(info.options, names[o]), "\"%s\" is not among the options:\n%s", names[o], info.options);
        for (size_t s = 0; s < SHAPE_COUNT; s++)
            require(strstr(info.widths, shapes[s].name), "%s is not among the widths \"%s\"", shapes[s].name, info.widths);
    }
}

/* The host is the last device.  A table can be made on each device by its listed name. */
static void devices(const struct variant *variant)
{
    roost_device_info info = {0};
    size_t count = 0;
    for (;; count++) {
        roost_device_info next;
        memset(&next, UNTOUCHED_BYTE, sizeof next);
        const roost_status status = roost_device_describe(count, &next, sizeof next);
        if (status == ROOST_ERR_NOT_FOUND) break;
        require_status(ROOST_OK, status, NULL);
        info = next;
        require(info.size == sizeof info && *info.name && *info.description && info.memory_bytes > 0, "device %zu is not described",
                count);
        require(memchr(info.name, 0, sizeof info.name) && memchr(info.description, 0, sizeof info.description),
                "an unfinished text");
        roost_config config;
        struct table table;
        table_config(variant, &config);
        config.device = info.name;
        table_open(&table, variant, &config);
        require(!strcmp(roost_table_device(table.handle), info.name), "a table on %s says %s", info.name,
                roost_table_device(table.handle));
        table_close(&table);
    }
    require(count >= 1 && !strcmp(info.name, "host"), "the last of %zu devices is \"%s\"", count, info.name);
    require(settings_on_gpu() <= (count >= 2), "a GPU is tested, but %zu devices are listed", count);
}

/* Without names, the library uses the first listed device and chooses an engine. */
static void defaults_are_chosen(const struct variant *variant)
{
    roost_device_info info;
    roost_config config;
    struct table table;
    require_status(ROOST_OK, roost_device_describe(0, &info, sizeof info), NULL);
    require_status(ROOST_OK, roost_config_init(&config, sizeof config), NULL);
    table_open(&table, variant, &config);
    require(!strcmp(roost_table_device(table.handle), info.name), "the default device is %s, the first %s",
            roost_table_device(table.handle), info.name);
    require(*roost_table_engine(table.handle), "a table without an engine");
    table_close(&table);
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    suite_add_once("versions", versions);
    suite_add_once("texts of statuses", texts_of_statuses);
    suite_add_once("texts of no status", texts_of_no_status);
    suite_add_once("engines", engines);
    suite_add_once("options are listed", options_are_listed);
    suite_add_once("devices", devices);
    suite_add_once("defaults are chosen", defaults_are_chosen);
    return suite_run("information");
}
