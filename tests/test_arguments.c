/* Wrong arguments of calls on a table: each gives a defined status and an error text, and leaves
 * the table unchanged.  test_configurations.c has wrong configurations. */
#include "support/answers.h"
#include "support/sequences.h"
#include "roost/tuning.h"

#include <string.h>

/* ---- Calls ---------------------------------------------------------------------------------- */

#define KEYS 300

/* A table with some keys, and arrays for calls on it. */
struct bench {
    struct model model;
    struct table_numbers before;
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
    const struct table_numbers after = table_stats(&bench->model.table);
    require(after.slots == bench->before.slots && after.inserted == bench->before.inserted &&
                after.erased == bench->before.erased && after.updated == bench->before.updated,
            "refused calls changed the table's numbers");
    table_check(&bench->model.table);
    model_compare(&bench->model);
    model_close(&bench->model);
}

static void refused(struct bench *bench, unsigned answers, roost_status status, const char *what)
{
    require_answer(answers, status, bench->model.table.handle, what);
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

/* Calls without items need no arrays and do nothing. */
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

/* Counts whose size in bytes overflows. */
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
    static const int modes[] = {-1, ROOST_APPEND + 1, 99, INT32_MAX};
    struct bench b;
    set_up(&b, variant);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        refused(&b, ARGUMENT, roost_insert(b.model.table.handle, (roost_mode)modes[i], b.keys, b.values, KEYS, NULL),
                "an unknown mode");
    refused(&b, UNSUPPORTED, roost_insert(b.model.table.handle, ROOST_APPEND, b.keys, b.values, KEYS, NULL),
            "APPEND to a table of unique keys");
    tear_down(&b);
}

/* All operations (inserts and finds only if asked) refuse the call's options as the bench has
 * them. */
static void refuse_call(struct bench *b, unsigned answers, bool inserts, bool finds, const char *what)
{
    roost_table *t = b->model.table.handle;
    roost_cursor cursor = {0};
    size_t n;
    if (inserts) refused(b, answers, roost_insert(t, ROOST_ASSIGN, b->keys, b->values, KEYS, &b->call), what);
    if (finds) refused(b, answers, roost_find(t, b->keys, KEYS, b->values, b->found, &b->call), what);
    refused(b, answers, roost_erase(t, b->keys, KEYS, &b->call), what);
    refused(b, answers, roost_export(t, &cursor, b->keys, b->values, KEYS, &n, &b->call), what);
}

static void wrong_calls(const struct variant *variant)
{
    static const size_t sizes[] = {0, 1, sizeof(roost_call) - 1, sizeof(roost_call) + 1, SIZE_MAX};
    static const uint32_t flags[] = {ROOST_ORDERED, ROOST_ABSENT_KEEP, ROOST_ORDERED | ROOST_ABSENT_KEEP, 8,
                                     0x80000000u,   0xffffffffu};
    struct bench b;
    set_up(&b, variant);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        b.call.size = sizes[i];
        refuse_call(&b, ARGUMENT, true, true, "the size of a call's options");
    }
    b.call.size = sizeof b.call;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        b.call.flags = flags[i];
        refuse_call(&b, ARGUMENT | UNSUPPORTED, flags[i] != ROOST_ORDERED, flags[i] != ROOST_ABSENT_KEEP, "unknown flags");
    }
    b.call.flags = 0;
    b.call.space = (roost_space)3;
    refuse_call(&b, ARGUMENT, true, true, "an unknown space");
    b.call.space = (roost_space)-1;
    refuse_call(&b, ARGUMENT, true, true, "an unknown space");
    tear_down(&b);
}

static bool machine_has_gpu(void)
{
    roost_device_info first;
    return roost_device_describe(0, &first, sizeof first) == ROOST_OK && strcmp(first.name, "host");
}

/* Without a GPU, no array lies on one. */
static void wrong_spaces(const struct variant *variant)
{
    struct bench b;
    set_up(&b, variant);
    b.call.space = ROOST_SPACE_DEVICE;
    refuse_call(&b, ARGUMENT | UNSUPPORTED, true, true, "arrays on the host that are said to be on a device");
    tear_down(&b);
}

/* Arrays have to be aligned to the width of their items. */
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

/* ---- Exports, statistics -------------------------------------------------------------------- */

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

/* A cursor behind the end is refused or yields no key. */
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

/* A write makes cursors invalid; using one afterwards is still no undefined behaviour. */
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

/* ---- Error texts ---------------------------------------------------------------------------- */

/* The error text belongs to one table: it is empty at first and never another table's. */
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

/* The reason is the table's, as that of every call on a table. */
static void descriptions(const struct variant *variant)
{
    char text[ROOST_DESCRIPTION_BYTES];
    struct bench b;
    set_up(&b, variant);
    roost_table *t = b.model.table.handle;
    refused(&b, ARGUMENT, roost_table_describe(t, ROOST_DESCRIBE_KERNELS, NULL, sizeof text), "a description without a text");
    require(strstr(roost_last_error(t), "text is NULL") != NULL, "\"%s\"", roost_last_error(t));
    refused(&b, ARGUMENT, roost_table_describe(t, (roost_description)5, text, sizeof text), "an unknown description");
    require(strstr(roost_last_error(t), "5 is not") != NULL, "\"%s\"", roost_last_error(t));
    refused(&b, ARGUMENT, roost_table_describe(t, ROOST_DESCRIBE_PARAMETERS, text, 8), "too little room");
    require(strstr(roost_last_error(t), "8 bytes") != NULL, "\"%s\"", roost_last_error(t));
    tear_down(&b);
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    suite_add_once("texts belong to tables", texts_belong_to_tables);
    for (size_t i = 0; i < SHAPE_COUNT; i++) {
        const struct variant variant = {.shape = &shapes[i]};
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
        suite_add("descriptions", descriptions, variant);
    }
    return suite_run("arguments");
}
