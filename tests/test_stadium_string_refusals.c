/* What Stadium's tables of strings refuse: wrong strings, items, calls, exports and tables; and
 * calls that need next to nothing. */
#include "support/answers.h"
#include "support/sequences.h"
#include "support/stadium_tables.h"
#include "support/string_bags.h"
#include "roost/multi.h"
#include "roost/mixed.h"
#include "roost/tuning.h"

#include <string.h>

/* A table with some words, and statistics that must not change. */
struct bench {
    struct table table;
    struct bag all;
    struct table_numbers before;
    uint64_t values[64 * 256 / 8]; /* 64 of these tables' longest values */
    roost_strings strings;
};

static void set_up(struct bench *b, const struct variant *variant)
{
    *b = (struct bench){.all = words(0, 64)};
    open_table(&b->table, variant);
    bag_insert(&b->table, ROOST_ASSIGN, &b->all, 8, b->all.n);
    b->before = table_stats(&b->table);
    require_status(ROOST_OK, roost_strings_init(&b->strings, sizeof b->strings), NULL);
    require(b->strings.offset_bytes == 8 && b->strings.size == sizeof b->strings, "the defaults are wrong");
    b->strings.offsets = b->all.offsets;
    b->strings.bytes = b->all.bytes;
}

static void tear_down(struct bench *b)
{
    const struct table_numbers after = table_stats(&b->table);
    require(after.count == b->before.count && after.arena_used == b->before.arena_used && after.inserted == b->before.inserted &&
                after.updated == b->before.updated,
            "a refused call changed the table");
    bag_find(&b->table, &b->all, 8, true);
    table_check(&b->table);
    table_close(&b->table);
    bag_free(&b->all);
}

/* All calls refuse the bench's strings. */
static void refuse_strings(struct bench *b, size_t n, const char *what)
{
    roost_table *const t = b->table.handle;
    require_answer(ARGUMENT, roost_insert_strings(t, ROOST_ASSIGN, &b->strings, b->values, n, NULL), t, what);
    require_answer(ARGUMENT, roost_find_strings(t, &b->strings, n, b->values, NULL, NULL), t, what);
    require_answer(ARGUMENT, roost_erase_strings(t, &b->strings, n, NULL), t, what);
}

static void wrong_strings_are_refused(const struct variant *variant)
{
    uint64_t falling[] = {0, 5, 4, 8},
             too_long[] = {0, 3, 3 + (uint64_t)ROOST_STRING_MOST + 1, 4 + (uint64_t)ROOST_STRING_MOST + 1};
    uint64_t last_falls[] = {0, 4, 8, 7}, huge[] = {0, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    uint32_t narrow_falling[] = {0, 5, 4, 8};
    struct bench b;
    set_up(&b, variant);
    const roost_strings right = b.strings;
    b.strings.offsets = falling;
    refuse_strings(&b, 3, "offsets that fall");
    b.strings.offsets = last_falls;
    refuse_strings(&b, 3, "a last offset that falls");
    b.strings.offsets = too_long;
    refuse_strings(&b, 3, "a string that is too long");
    b.strings.offsets = huge;
    refuse_strings(&b, 3, "a string of 2^64 - 1 bytes");
    b.strings.offsets = narrow_falling;
    b.strings.offset_bytes = 4;
    refuse_strings(&b, 3, "narrow offsets that fall");
    for (int width = -1; width < 17; width++) {
        b.strings = right;
        b.strings.offset_bytes = width;
        if (width != 4 && width != 8) refuse_strings(&b, 3, "offsets of another width");
    }
    b.strings = right;
    b.strings.offsets = NULL;
    refuse_strings(&b, 3, "no offsets");
    b.strings = right;
    b.strings.bytes = NULL;
    refuse_strings(&b, 3, "no bytes");
    b.strings = right;
    b.strings.offsets = (const char *)right.offsets + 4;
    refuse_strings(&b, 3, "offsets that are not aligned");
    b.strings = right;
    refuse_strings(&b, SIZE_MAX, "2^64 - 1 strings");
    refuse_strings(&b, SIZE_MAX / 8, "2^61 strings");
    for (size_t size = 0; size < sizeof b.strings; size += 8) {
        b.strings.size = size;
        refuse_strings(&b, 3, "the size of the description");
    }
    b.strings = right;
    tear_down(&b);
}

static void wrong_calls_are_refused(const struct variant *variant)
{
    struct bench b;
    set_up(&b, variant);
    roost_table *const t = b.table.handle;
    require_answer(ARGUMENT, roost_insert_strings(t, ROOST_ASSIGN, NULL, b.values, 1, NULL), t, "no strings to insert");
    require_answer(ARGUMENT, roost_find_strings(t, NULL, 1, b.values, NULL, NULL), t, "no strings to find");
    require_answer(ARGUMENT, roost_erase_strings(t, NULL, 1, NULL), t, "no strings to erase");
    require_answer(ARGUMENT, roost_insert_strings(t, (roost_mode)99, &b.strings, b.values, 1, NULL), t, "an unknown mode");
    require_answer(UNSUPPORTED, roost_insert_strings(t, ROOST_APPEND, &b.strings, b.values, 1, NULL), t, "APPEND");
    require_answer(ARGUMENT, roost_insert_strings(NULL, ROOST_ASSIGN, &b.strings, b.values, 1, NULL), NULL, "no table");
    require_answer(ARGUMENT, roost_find_strings(NULL, &b.strings, 1, b.values, NULL, NULL), NULL, "no table");
    require_answer(ARGUMENT, roost_erase_strings(NULL, &b.strings, 1, NULL), NULL, "no table");
    if (shape_has_values(variant->shape))
        require_answer(ARGUMENT, roost_insert_strings(t, ROOST_ASSIGN, &b.strings, NULL, 1, NULL), t, "no values");
    for (roost_mode mode = (roost_mode)mode_count(variant->shape); mode <= ROOST_MAX && shape_has_values(variant->shape); mode++)
        require_answer(ARGUMENT | UNSUPPORTED, roost_insert_strings(t, mode, &b.strings, b.values, 1, NULL), t, mode_name(mode));
    require(roost_strings_init(NULL, sizeof(roost_strings)) == ROOST_ERR_ARGUMENT, "a description of no strings");
    require(roost_strings_init(&b.strings, 3) == ROOST_ERR_ARGUMENT, "a description of 3 bytes");
    tear_down(&b);
}

/* Calls without strings need no arrays, and empty strings no bytes. */
static void nothing_is_enough(const struct variant *variant)
{
    const uint64_t offsets[] = {7, 7, 7};
    uint64_t values[2 * 256 / 8] = {0};
    uint8_t found[2] = {0};
    struct table table;
    roost_strings strings;
    open_table(&table, variant);
    roost_table *const t = table.handle;
    void *const some = shape_has_values(variant->shape) ? values : NULL;
    require_status(ROOST_OK, roost_strings_init(&strings, sizeof strings), NULL);
    require_status(ROOST_OK, roost_insert_strings(t, ROOST_ASSIGN, &strings, NULL, 0, NULL), t);
    require_status(ROOST_OK, roost_find_strings(t, &strings, 0, NULL, NULL, NULL), t);
    require_status(ROOST_OK, roost_erase_strings(t, &strings, 0, NULL), t);
    strings.offsets = offsets;
    require_status(ROOST_OK, roost_find_strings(t, &strings, 2, some, found, NULL), t);
    require(!found[0] && !found[1], "the empty string is in an empty table");
    require_status(ROOST_OK, roost_insert_strings(t, ROOST_KEEP, &strings, some, 2, NULL), t);
    require_status(ROOST_OK, roost_find_strings(t, &strings, 2, some, found, NULL), t);
    require(found[0] && found[1], "the empty string is lost");
    require_count(&table, 1);
    table_check(&table);
    require_status(ROOST_OK, roost_erase_strings(t, &strings, 1, NULL), t);
    require_count(&table, 0);
    table_close(&table);
}

/* Calls of keys on tables of strings, and of strings on tables of keys, are refused. */
static void the_other_calls_are_refused(const struct variant *variant)
{
    struct bench b;
    uint8_t operations[64] = {0}, found[64];
    uint64_t keys[64] = {0}, counts[64], offsets[65];
    char bytes[640];
    roost_cursor cursor = {0};
    roost_batch batch;
    size_t n;
    set_up(&b, variant);
    roost_table *const t = b.table.handle;
    require_status(ROOST_OK, roost_batch_init(&batch, sizeof batch), NULL);
    batch.operations = operations;
    batch.keys = keys;
    batch.n = 2;
    require_answer(UNSUPPORTED, roost_insert(t, ROOST_ASSIGN, keys, b.values, 2, NULL), t, "an insert");
    require_answer(UNSUPPORTED, roost_find(t, keys, 2, b.values, found, NULL), t, "a find");
    require_answer(UNSUPPORTED, roost_erase(t, keys, 2, NULL), t, "an erase");
    require_answer(UNSUPPORTED, roost_apply(t, &batch, NULL), t, "a mixed batch");
    require_answer(UNSUPPORTED, roost_export(t, &cursor, keys, b.values, 64, &n, NULL), t, "an export");
    require_answer(UNSUPPORTED, roost_count(t, keys, 2, counts, NULL), t, "a count");
    require_answer(UNSUPPORTED, roost_find_all(t, keys, 2, counts, b.values, NULL), t, "a gathering");
    require_answer(UNSUPPORTED, roost_erase_all(t, keys, 2, counts, NULL), t, "an erase of all");
    for (size_t i = 0; i < SHAPE_COUNT + 1; i++) {
        struct variant with = *variant;
        struct table other;
        with.shape = i < SHAPE_COUNT ? &shapes[i] : shape_named("12+12");
        with.options = NULL;
        suite_step("a table of %s", with.shape->name);
        table_open(&other, &with, NULL);
        require_answer(UNSUPPORTED, roost_insert_strings(other.handle, ROOST_ASSIGN, &b.strings, b.values, 2, NULL), other.handle,
                       "an insert");
        require_answer(UNSUPPORTED, roost_find_strings(other.handle, &b.strings, 2, NULL, found, NULL), other.handle, "a find");
        require_answer(UNSUPPORTED, roost_erase_strings(other.handle, &b.strings, 2, NULL), other.handle, "an erase");
        require_answer(UNSUPPORTED,
                       roost_export_strings(other.handle, &cursor, offsets, 8, bytes, sizeof bytes, NULL, 64, &n, NULL),
                       other.handle, "an export");
        table_close(&other);
    }
    tear_down(&b);
}

static void wrong_exports_are_refused(const struct variant *variant)
{
    uint64_t offsets[65];
    char bytes[4096];
    size_t n = 0;
    roost_cursor cursor = {0};
    struct bench b;
    set_up(&b, variant);
    const roost_table *const t = b.table.handle;
    require_answer(ARGUMENT, roost_export_strings(t, NULL, offsets, 8, bytes, sizeof bytes, NULL, 64, &n, NULL), t, "no cursor");
    require_answer(ARGUMENT, roost_export_strings(t, &cursor, NULL, 8, bytes, sizeof bytes, NULL, 64, &n, NULL), t, "no offsets");
    require_answer(ARGUMENT, roost_export_strings(t, &cursor, offsets, 8, NULL, sizeof bytes, NULL, 64, &n, NULL), t, "no bytes");
    require_answer(ARGUMENT, roost_export_strings(t, &cursor, offsets, 8, bytes, sizeof bytes, NULL, 64, NULL, NULL), t,
                   "no count");
    require_answer(ARGUMENT, roost_export_strings(t, &cursor, offsets, 8, bytes, sizeof bytes, NULL, 63, &n, NULL), t,
                   "little room");
    require_answer(ARGUMENT, roost_export_strings(t, &cursor, offsets, 5, bytes, sizeof bytes, NULL, 64, &n, NULL), t,
                   "another width");
    require_answer(ARGUMENT, roost_export_strings(t, &cursor, offsets, 4, bytes, UINT64_C(1) << 32, NULL, 64, &n, NULL), t,
                   "offsets that are too narrow");
    require_answer(ARGUMENT, roost_export_strings(t, &cursor, offsets, 8, bytes, sizeof bytes, NULL, SIZE_MAX / 2, &n, NULL), t,
                   "room that overflows");
    require_answer(ARGUMENT, roost_export_strings(t, &cursor, (char *)offsets + 1, 8, bytes, sizeof bytes, NULL, 64, &n, NULL), t,
                   "offsets that are not aligned");
    require(cursor.position == 0 && cursor.end == 0, "a refused export moved the cursor");
    tear_down(&b);
}

/* If the host does not read the offsets, items with wrong ones end NONE, and the others are
 * carried out. */
static void wrong_items_end_none(const struct variant *variant)
{
    enum { N = 4 };
    const uint64_t offsets[N + 1] = {0, 3, 6, 4, 8}; /* the third is too small */
    struct bag items = {0};
    struct table table;
    uint64_t failed = 0;
    open_table(&table, variant);
    for (size_t i = 0; i < N; i++) bag_new(&items, &"abcdefgh"[2 * i], 2);
    struct sent sent = bag_send(&items, &table, 8, 0);
    memcpy(sent.offsets.host, offsets, sizeof offsets);
    array_update(&sent.offsets);
    const roost_status status = roost_insert_strings(table.handle, ROOST_ASSIGN, &sent.strings,
                                                     table.shape.value_bytes ? sent.values.given : NULL, N, &sent.call);
    (void)roost_table_sync(table.handle, &failed);
    sent_fetch(&sent);
    for (size_t i = 0; i < N; i++) {
        const uint8_t ended = ((const uint8_t *)sent.statuses.host)[i];
        require(status == ROOST_ERR_ARGUMENT || ended == (i == 2 ? ROOST_ITEM_NONE : ROOST_ITEM_INSERTED), "item %zu ended %u", i,
                ended);
    }
    require(status == ROOST_ERR_ARGUMENT || failed == 1, "%llu items failed", print(failed));
    require_count(&table, status == ROOST_ERR_ARGUMENT ? 0 : N - 1);
    table_check(&table);
    sent_free(&sent);
    bag_free(&items);
    table_close(&table);
}

static void wrong_tables_are_refused(const struct variant *variant)
{
    static const struct {
        const char *engine, *options;
        unsigned answers;
    } wrong[] = {
        {"dycuckoo", NULL, UNSUPPORTED},
        {"slab", NULL, UNSUPPORTED},
        {"gph", NULL, UNSUPPORTED},
        {"stadium", "ticket=1", UNSUPPORTED},
        {"stadium", "access=off", UNSUPPORTED},
        {"stadium", "hash=nosuch", ARGUMENT},
        {"stadium", "hash_bits=0", ARGUMENT},
        {"stadium", "hash_bits=65", ARGUMENT},
    };
    roost_config config;
    struct table table;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (!engine_is_built(wrong[i].engine)) continue;
        suite_step("%s, %s", wrong[i].engine, wrong[i].options ? wrong[i].options : "");
        table_config(variant, &config);
        config.engine = wrong[i].engine;
        config.options = wrong[i].options;
        require_answer(wrong[i].answers, table_create(&table, variant, &config), NULL, "a table");
    }
    table_config(variant, &config);
    config.value_type = ROOST_TYPE_STRING;
    config.engine = NULL;
    require_answer(ARGUMENT | UNSUPPORTED, table_create(&table, variant, &config), NULL, "values that are strings");
    config.value_type = variant->shape->value_type;
    config.flags = ROOST_MULTI;
    require_answer(UNSUPPORTED, table_create(&table, variant, &config), NULL, "a multimap of strings");
    config.flags = 0;
    table_open(&table, variant, &config);
    require(!strcmp(roost_table_engine(table.handle), "stadium"), "engine %s", roost_table_engine(table.handle));
    table_close(&table);
}

/* ---- Cases ---------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    static const char *const typed[] = {"s+0", "s+4 u32", "s+5", "s+256"};
    suite_begin(argc, argv);
    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++) {
        for (int p = PLACE_HOST; p < suite_placements(); p++)
            suite_add("wrong items end NONE", wrong_items_end_none,
                      (struct variant){.shape = shape_named(typed[i]), .placement = (enum placement)p});
        const struct variant variant = {.shape = shape_named(typed[i])};
        suite_add("wrong strings are refused", wrong_strings_are_refused, variant);
        suite_add("wrong calls are refused", wrong_calls_are_refused, variant);
        suite_add("nothing is enough", nothing_is_enough, variant);
        suite_add("the other calls are refused", the_other_calls_are_refused, variant);
        suite_add("wrong exports are refused", wrong_exports_are_refused, variant);
        suite_add("wrong tables are refused", wrong_tables_are_refused, variant);
    }
    return suite_run("stadium_string_refusals");
}
