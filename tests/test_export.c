/* Exports: every pair exactly once, in pieces of any size, interleaved with finds and other
 * exports. */
#include "support/sequences.h"
#include "support/settings.h"

#include <stdlib.h>
#include <string.h>

#define KEYS 5000

static void open_with_keys(struct model *model, const struct variant *variant, size_t n)
{
    static uint64_t keys[KEYS], values[KEYS];
    struct dice dice = {suite_seed()};
    model_open(model, variant, NULL);
    for (size_t i = 0; i < n; i++) {
        keys[i] = distinct_key(variant->shape, i);
        values[i] = draw_value(&dice, variant->shape->value_type);
    }
    require_status(ROOST_OK, model_insert(model, ROOST_ASSIGN, keys, values, n), model->table.handle);
}

static int compare_keys(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* The keys are those of the reference, each once. */
static void require_keys(const struct model *model, uint64_t *keys, size_t n)
{
    require(n == reference_count(model->reference), "%zu keys were exported, not %llu", n,
            (unsigned long long)reference_count(model->reference));
    qsort(keys, n, sizeof *keys, compare_keys);
    for (size_t i = 0; i < n; i++) {
        require(!i || keys[i] != keys[i - 1], "key %#llx was exported twice", (unsigned long long)keys[i]);
        require(reference_get(model->reference, keys[i], NULL), "key %#llx was never inserted", (unsigned long long)keys[i]);
    }
}

static void any_room(const struct variant *variant)
{
    static const size_t rooms[] = {ROOST_EXPORT_MIN, ROOST_EXPORT_MIN + 1, 100, 1000, KEYS - 1, KEYS, KEYS + 1, 100000};
    struct model model;
    open_with_keys(&model, variant, KEYS);
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        suite_step("room for %zu", rooms[i]);
        struct pairs pairs = table_export(&model.table, rooms[i]);
        for (size_t p = 0; p < pairs.n; p++) {
            uint64_t value = 0;
            require(reference_get(model.reference, pairs.keys[p], &value) && value == pairs.values[p],
                    "key %#llx was exported with value %#llx instead of %#llx", (unsigned long long)pairs.keys[p],
                    (unsigned long long)pairs.values[p], (unsigned long long)value);
        }
        require_keys(&model, pairs.keys, pairs.n);
        pairs_free(&pairs);
    }
    model_close(&model);
}

static void few_keys(const struct variant *variant)
{
    for (size_t n = 0; n < 70; n += n < 3 ? 1 : 33) {
        struct model model;
        suite_step("%zu keys", n);
        open_with_keys(&model, variant, n);
        model_compare(&model);
        model_close(&model);
    }
}

/* Exports keys alone to the host through the API, in at most one call.  Returns how many keys
 * `cursor` gave. */
static size_t export_keys(const struct table *table, roost_cursor *cursor, uint64_t *keys, size_t room)
{
    uint64_t *array = make_patterns(room);
    size_t n = SIZE_MAX;
    require_status(ROOST_OK, roost_export(table->handle, cursor, array, NULL, room, &n, NULL), table->handle);
    require(n <= room, "%zu keys in room for %zu", n, room);
    unpack(array, n, table->shape.key_bytes, keys);
    free(array);
    return n;
}

static void keys_alone(const struct variant *variant)
{
    static uint64_t keys[2 * KEYS];
    struct model model;
    open_with_keys(&model, variant, KEYS);
    roost_cursor cursor = {0};
    size_t n = 0;
    for (int calls = 0; !cursor.end && n <= KEYS; calls++) {
        require(calls < 100000, "the export does not end");
        n += export_keys(&model.table, &cursor, keys + n, 500);
    }
    require_keys(&model, keys, n);
    model_close(&model);
}

/* A cursor at the end stays there: another call is refused or yields no key. */
static void nothing_after_the_end(const struct variant *variant)
{
    uint64_t keys[KEYS];
    struct model model;
    open_with_keys(&model, variant, 300);
    roost_cursor cursor = {0};
    for (int calls = 0; !cursor.end; calls++) {
        require(calls < 1000, "the export does not end");
        export_keys(&model.table, &cursor, keys, KEYS);
    }
    for (int i = 0; i < 3; i++) {
        size_t n = 0;
        const roost_status status = roost_export(model.table.handle, &cursor, keys, NULL, KEYS, &n, NULL);
        require((status == ROOST_OK && n == 0 && cursor.end == 1) || status == ROOST_ERR_ARGUMENT, "%s, %zu keys, end %llu",
                roost_status_name(status), n, (unsigned long long)cursor.end);
    }
    model_close(&model);
}

/* Two exports and finds take turns, and do not disturb each other. */
static void exports_side_by_side(const struct variant *variant)
{
    static uint64_t keys[2][2 * KEYS];
    struct model model;
    open_with_keys(&model, variant, KEYS);
    roost_cursor cursors[2] = {{0}, {0}};
    size_t n[2] = {0, 0};
    for (int calls = 0; !(cursors[0].end && cursors[1].end); calls++) {
        require(calls < 100000 && n[0] <= KEYS && n[1] <= KEYS, "the exports do not end");
        for (int i = 0; i < 2; i++)
            if (!cursors[i].end) n[i] += export_keys(&model.table, &cursors[i], keys[i] + n[i], i ? 64 : 300);
        model_find(&model, keys[0], 10);
    }
    require_keys(&model, keys[0], n[0]);
    require_keys(&model, keys[1], n[1]);
    model_close(&model);
}

/* An export leaves the arrays behind the last pair unchanged. */
static void nothing_behind_the_end(const struct variant *variant)
{
    enum { ROOM = 256, WORDS = ROOM + 64 };
    uint64_t keys[WORDS], values[WORDS], clean[WORDS];
    struct table table;
    table_open(&table, variant, NULL);
    for (uint64_t i = 0; i < 100; i++) {
        const uint64_t key = distinct_key(variant->shape, i);
        require_status(ROOST_OK, table_insert(&table, ROOST_ASSIGN, &key, &key, 1, NULL), table.handle);
    }
    memset(clean, UNTOUCHED_BYTE, sizeof clean);
    roost_cursor cursor = {0};
    for (int calls = 0; !cursor.end; calls++) {
        size_t n = 0;
        memset(keys, UNTOUCHED_BYTE, sizeof keys);
        memset(values, UNTOUCHED_BYTE, sizeof values);
        require(calls < 10000, "the export does not end");
        require_status(ROOST_OK, roost_export(table.handle, &cursor, keys, values, ROOM, &n, NULL), table.handle);
        const size_t key_end = ROOM * variant->shape->key_bytes, value_end = ROOM * variant->shape->value_bytes;
        require(!memcmp((char *)keys + key_end, clean, sizeof keys - key_end), "an export wrote keys behind its room");
        require(!memcmp((char *)values + value_end, clean, sizeof values - value_end), "an export wrote values behind its room");
    }
    table_close(&table);
}

static void after_erasing(const struct variant *variant)
{
    struct model model;
    open_with_keys(&model, variant, KEYS);
    struct pairs pairs = table_export(&model.table, 1000);
    for (size_t done = 0; done < pairs.n; done += 700) {
        model_erase(&model, pairs.keys + done, pairs.n - done < 700 ? pairs.n - done : 700);
        model_compare(&model);
    }
    pairs_free(&pairs);
    model_close(&model);
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    suite_add_widths("any room", any_room);
    suite_add_widths("few keys", few_keys);
    suite_add_widths("keys alone", keys_alone);
    suite_add_widths("nothing after the end", nothing_after_the_end);
    suite_add_widths("exports side by side", exports_side_by_side);
    suite_add_widths("nothing behind the end", nothing_behind_the_end);
    suite_add_widths("after erasing", after_erasing);
    return suite_run("export");
}
