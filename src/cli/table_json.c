/* Descriptions of a table as JSON. */
#include "cli/table_json.h"
#include "cli/table_stat.h"
#include "roost/tuning.h"

#include <string.h>

json_t *table_json_pairs(const char *text)
{
    json_t *object = json_object();
    while (object != NULL && *text != 0) {
        const size_t length = strcspn(text, ","), name = strcspn(text, "=");
        char key[64], value[128];
        if (name >= length || name >= sizeof key || length - name > sizeof value) break;
        memcpy(key, text, name);
        key[name] = 0;
        memcpy(value, text + name + 1, length - name - 1);
        value[length - name - 1] = 0;
        if (json_object_set_new(object, key, json_text(value)) != 0) {
            json_decref(object);
            return NULL;
        }
        text += length + (text[length] == ',');
    }
    return object;
}

static json_t *description_json(const roost_table *table, roost_description what)
{
    char text[ROOST_DESCRIPTION_BYTES] = "";
    if (roost_table_describe(table, what, text, sizeof text) != ROOST_OK) return NULL;
    return what == ROOST_DESCRIBE_KERNELS ? table_json_pairs(text) : json_text(text);
}

json_t *table_json(const roost_table *table, json_t *numbers)
{
    json_t *object = json_pack(
        "{so so so so so so so}", "engine", json_text(roost_table_engine(table)), "device", json_text(roost_table_device(table)),
        "seed", json_unsigned(table_stat_of("table", table, "seed")), "reseeds",
        json_unsigned(table_stat_of("table", table, "reseeds")), "profile", description_json(table, ROOST_DESCRIBE_PROFILE),
        "options", description_json(table, ROOST_DESCRIBE_OPTIONS), "kernels", description_json(table, ROOST_DESCRIBE_KERNELS));
    if (object != NULL && json_object_update(object, numbers) == 0) {
        json_decref(numbers);
        return object;
    }
    json_decref(object);
    json_decref(numbers);
    return NULL;
}

json_t *table_json_strings(json_t *numbers, const roost_table *table)
{
    json_t *strings =
        json_pack("{so so so}", "arena_bytes", json_unsigned(table_stat(table, "arena_bytes")), "arena_used",
                  json_unsigned(table_stat(table, "arena_used")), "arena_dead", json_unsigned(table_stat(table, "arena_dead")));
    if (numbers != NULL && json_object_update(numbers, strings) != 0) {
        json_decref(numbers);
        numbers = NULL;
    }
    json_decref(strings);
    return numbers;
}
