/* Arrow arrays that tables, groups and joins take and give: all widths, offsets, NULLs, structs,
 * dictionaries, views, memory in place, streams, wrong arrays, refused memory, and how often each
 * callback is called. */
#include "support/answers.h"
#include "support/arrow_arrays.h"
#include "support/dice.h"
#include "support/settings.h"
#include "support/tables.h"
#include "arrow/arrow_column.h"
#include "roost/numbers.h"
#include "roost/sharding.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#if ROOST_WITH_CUDA
#include <cuda_runtime_api.h>
#endif

/* ---- What is given --------------------------------------------------------------------------- */

/* An array that a call gave. */
struct answer {
    struct ArrowSchema schema;
    struct ArrowArray array;
};

static bool bit_at(const void *bits, size_t i) { return ((const uint8_t *)bits)[i / 8] >> i % 8 & 1; }

static bool is_valid(const struct ArrowArray *array, size_t i) { return !array->buffers[0] || bit_at(array->buffers[0], i); }

static uint64_t item_of(const struct ArrowArray *array, unsigned bytes, size_t i)
{
    uint64_t pattern = 0;
    memcpy(&pattern, (const char *)array->buffers[1] + i * bytes, bytes);
    return pattern;
}

static void answer_end(struct answer *answer)
{
    answer->schema.release(&answer->schema);
    answer->array.release(&answer->array);
    require(!answer->schema.release && !answer->array.release, "what was released is not marked so");
}

/* No call keeps memory, and none releases what it was lent. */
static void nothing_kept(struct arrow_made *const *lent, int n)
{
    for (int i = 0; i < n; i++)
        require(!lent[i]->released && !lent[i]->schema_released, "array %d was released by a call that borrowed it", i);
    require(arrow_blocks == 0, "%llu blocks were not released", (unsigned long long)arrow_blocks);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* Rows of keys, of which one in 5 is NULL, and values. */
enum { ROWS = 1000, NULL_OF = 5, NULL_REST = 2 };
static bool has_key(size_t i) { return i % NULL_OF != NULL_REST; }

struct scene {
    struct table table;
    const struct variant *variant;
    uint64_t *keys, *values;
    struct arrow_made key, value;
    uint8_t *statuses;
};

static const char *unsigned_format(unsigned bytes) { return bytes == 8 ? "L" : "I"; }

static void scene_begin(struct scene *s, const struct variant *variant)
{
    struct dice dice = {suite_seed()};
    const bool device = variant->placement != PLACE_HOST;
    const unsigned kb = variant->shape->key_bytes, vb = variant->shape->value_bytes;
    s->variant = variant;
    table_open(&s->table, variant, NULL);
    s->keys = numbered_keys(variant->shape, 0, ROWS);
    s->values = make_patterns(ROWS);
    s->statuses = make_bytes(ROWS);
    for (size_t i = 0; i < ROWS; i++) s->values[i] = dice_draw(&dice) & width_mask(vb);
    arrow_integers_null(&s->key, unsigned_format(kb), kb, s->keys, ROWS, dice_below(&dice, 30), NULL_OF, NULL_REST, device);
    arrow_integers(&s->value, unsigned_format(vb), vb ? vb : 4, s->values, ROWS, dice_below(&dice, 30),
                   variant->placement == PLACE_DEVICE);
}

static void scene_end(struct scene *s)
{
    table_check(&s->table);
    table_close(&s->table);
    nothing_kept((struct arrow_made *[]){&s->key, &s->value}, 2);
    arrow_end(&s->key);
    arrow_end(&s->value);
    free(s->keys), free(s->values), free(s->statuses);
}

static void scene_insert(struct scene *s)
{
    const roost_arrow keys = arrow_of(&s->key, -1), values = arrow_of(&s->value, -1);
    roost_call call = ROOST_CALL_INIT;
    call.statuses = s->statuses;
    memset(s->statuses, UNTOUCHED_BYTE, ROWS);
    require_status(ROOST_OK, roost_insert_arrow(s->table.handle, ROOST_ASSIGN, &keys, &values, &call), s->table.handle);
    for (size_t i = 0; i < ROWS; i++)
        require(s->statuses[i] == (has_key(i) ? ROOST_ITEM_INSERTED : ROOST_ITEM_NONE), "row %zu ended %d", i, s->statuses[i]);
}

/* Rows below `gone` have been erased. */
static void scene_find(struct scene *s, size_t gone)
{
    const roost_arrow keys = arrow_of(&s->key, -1);
    const unsigned vb = s->variant->shape->value_bytes;
    struct answer a;
    roost_call call = ROOST_CALL_INIT;
    call.statuses = s->statuses;
    require_status(ROOST_OK, roost_find_arrow(s->table.handle, &keys, &a.schema, &a.array, &call), s->table.handle);
    require(!strcmp(a.schema.format, vb ? unsigned_format(vb) : "b"), "the format is %s", a.schema.format);
    require(a.array.length == ROWS && !a.array.offset && a.array.n_buffers == 2, "the array has %d rows", (int)a.array.length);
    int64_t nulls = 0;
    for (size_t i = 0; i < ROWS; i++) {
        const bool there = has_key(i) && i >= gone, valid = is_valid(&a.array, i);
        nulls += !valid;
        require(valid == (vb ? there : has_key(i)), "row %zu is %d", i, valid);
        if (valid && vb) require(item_of(&a.array, vb, i) == s->values[i], "row %zu has another value", i);
        if (!vb) require(bit_at(a.array.buffers[1], i) == there, "row %zu: the set says %d", i, !there);
        require(s->statuses[i] == (there        ? ROOST_ITEM_FOUND
                                   : has_key(i) ? ROOST_ITEM_ABSENT
                                                : ROOST_ITEM_NONE),
                "row %zu ended %d", i, s->statuses[i]);
    }
    require(nulls == a.array.null_count, "%lld rows are NULL, and null_count is %lld", (long long)nulls,
            (long long)a.array.null_count);
    answer_end(&a);
}

static void scene_erase(struct scene *s, size_t n)
{
    roost_arrow keys = arrow_of(&s->key, -1);
    struct ArrowArray some = s->key.array;
    roost_call call = ROOST_CALL_INIT;
    call.statuses = s->statuses;
    some.length = (int64_t)n;
    keys.array = &some;
    require_status(ROOST_OK, roost_erase_arrow(s->table.handle, &keys, &call), s->table.handle);
    for (size_t i = 0; i < n; i++)
        require(s->statuses[i] == (has_key(i) ? ROOST_ITEM_ERASED : ROOST_ITEM_NONE), "row %zu ended %d", i, s->statuses[i]);
}

/* Reads a batch, whose columns are moved out and released by themselves, in either order. */
static size_t batch_take(struct scene *s, struct ArrowArray *batch, uint8_t *seen)
{
    const unsigned kb = s->variant->shape->key_bytes, vb = s->variant->shape->value_bytes;
    struct ArrowArray columns[2];
    require(batch->n_children == (vb ? 2 : 1), "a batch of %d columns", (int)batch->n_children);
    for (int c = 0; c < batch->n_children; c++) {
        columns[c] = *batch->children[c];
        batch->children[c]->release = NULL;
    }
    const size_t n = (size_t)batch->length;
    const int64_t children = batch->n_children;
    batch->release(batch);
    for (size_t i = 0; i < n; i++) {
        const uint64_t key = item_of(&columns[0], kb, i);
        size_t row = 0;
        while (row < ROWS && s->keys[row] != key) row++;
        require(row < ROWS && has_key(row) && !seen[row], "pair %zu is of no row that was stored, or comes twice", i);
        seen[row] = 1;
        if (vb) require(item_of(&columns[1], vb, i) == s->values[row], "row %zu has another value", row);
    }
    for (int64_t c = children; c-- > 0;) columns[c].release(&columns[c]);
    return n;
}

static void scene_export(struct scene *s, size_t stored)
{
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray batch;
    uint8_t *const seen = make_bytes(ROWS);
    size_t pairs = 0;
    memset(seen, 0, ROWS);
    require_status(ROOST_OK, roost_export_arrow(s->table.handle, &stream, 100, 0, NULL), s->table.handle);
    require(!stream.get_schema(&stream, &schema), "the schema failed: %s", stream.get_last_error(&stream));
    require(!strcmp(schema.format, "+s") && !strcmp(schema.children[0]->name, "key"), "the schema is of %s", schema.format);
    schema.release(&schema);
    for (;;) {
        require(!stream.get_next(&stream, &batch), "a batch failed: %s", stream.get_last_error(&stream));
        if (!batch.release) break;
        require(batch.length > 0 && batch.length <= 100, "a batch of %d rows", (int)batch.length);
        pairs += batch_take(s, &batch, seen);
    }
    require(pairs == stored, "%zu pairs of %zu", pairs, stored);
    stream.release(&stream);
    free(seen);
}

static size_t keys_from(size_t first)
{
    size_t keys = 0;
    for (size_t i = first; i < ROWS; i++) keys += has_key(i);
    return keys;
}

static void rows_of_a_table(const struct variant *variant)
{
    struct scene s;
    scene_begin(&s, variant);
    scene_find(&s, ROWS);
    scene_insert(&s);
    scene_find(&s, 0);
    scene_export(&s, keys_from(0));
    scene_erase(&s, 333);
    scene_find(&s, 333);
    scene_export(&s, keys_from(333));
    scene_end(&s);
}

/* Without NULLs, and aligned: no byte is copied, on the device either. */
static void in_place(const struct variant *variant)
{
    struct scene s;
    struct arrow_memory m = {NULL};
    scene_begin(&s, variant);
    s.key.array.null_count = 0;
    const roost_arrow keys = arrow_of(&s.key, -1), values = arrow_of(&s.value, -1);
    const unsigned kb = variant->shape->key_bytes;
    arrow_bytes_copied = 0;
    require_status(ROOST_OK, roost_insert_arrow(s.table.handle, ROOST_ASSIGN, &keys, &values, NULL), s.table.handle);
    require_status(ROOST_OK, roost_erase_arrow(s.table.handle, &keys, NULL), s.table.handle);
    require_status(ROOST_OK, roost_table_sync(s.table.handle, NULL), s.table.handle);
    require(!arrow_bytes_copied, "%llu bytes were copied", (unsigned long long)arrow_bytes_copied);
    roost_column type = ROOST_COLUMN_INIT, column;
    struct arrow_source source;
    type.type = variant->shape->key_type;
    require_status(ROOST_OK, source_open(&keys, &source), NULL);
    require_status(ROOST_OK, column_make(&source, &type, false, &m, &column), NULL);
    require(column.values == (const char *)s.key.buffers[1] + (size_t)s.key.array.offset * kb, "the column is elsewhere");
    arrow_free(&m);
    scene_end(&s);
}

/* ---- Formats --------------------------------------------------------------------------------- */

static roost_table *table_of(const struct variant *variant, roost_type key, size_t bytes, roost_type value, uint32_t flags)
{
    roost_config config;
    roost_table *table;
    table_config(variant, &config);
    config.engine = NULL;
    config.key_type = key, config.key_bytes = bytes;
    config.value_type = value;
    config.flags = flags;
    require_status(ROOST_OK, roost_table_create(&table, &config), NULL);
    return table;
}

/* Is there a key of the table with these bytes, and nothing else? */
static void require_alone(roost_table *table, const void *key)
{
    uint8_t found = 0;
    roost_stats stats;
    require_status(ROOST_OK, roost_find(table, key, 1, NULL, &found, NULL), table);
    require_status(ROOST_OK, roost_table_stats(table, &stats, sizeof stats), table);
    require(found && stats.count == 1, "the key is not there, or others are: %d", (int)stats.count);
}

struct format_case {
    const char *format;
    unsigned bytes;
    uint64_t pattern; /* of the item */
    roost_type type;
    uint64_t stored;
};

static const struct format_case format_cases[] = {
    {"c", 1, 0x80, ROOST_TYPE_I32, 0xffffff80u},
    {"c", 1, 0x80, ROOST_TYPE_I64, 0xffffffffffffff80u},
    {"C", 1, 0x80, ROOST_TYPE_U32, 0x80},
    {"C", 1, 0xff, ROOST_TYPE_I32, 0xff},
    {"s", 2, 0x8001, ROOST_TYPE_I64, 0xffffffffffff8001u},
    {"S", 2, 0xffff, ROOST_TYPE_U64, 0xffff},
    {"S", 2, 0xffff, ROOST_TYPE_I32, 0xffff},
    {"i", 4, 0x80000000u, ROOST_TYPE_I32, 0x80000000u},
    {"i", 4, 0x80000000u, ROOST_TYPE_I64, 0xffffffff80000000u},
    {"I", 4, 0xffffffffu, ROOST_TYPE_I64, 0xffffffffu},
    {"I", 4, 0xffffffffu, ROOST_TYPE_U64, 0xffffffffu},
    {"l", 8, UINT64_MAX, ROOST_TYPE_I64, UINT64_MAX},
    {"L", 8, UINT64_MAX, ROOST_TYPE_U64, UINT64_MAX},
    {"f", 4, 0xbf800000u, ROOST_TYPE_F32, 0xbf800000u},
    {"f", 4, 0xbf800000u, ROOST_TYPE_F64, 0xbff0000000000000u},
    {"g", 8, 0x3ff0000000000001u, ROOST_TYPE_F64, 0x3ff0000000000001u},
    {"tdD", 4, 7, ROOST_TYPE_I32, 7},
    {"tdm", 8, 7, ROOST_TYPE_I64, 7},
    {"tts", 4, 7, ROOST_TYPE_I32, 7},
    {"ttn", 8, 7, ROOST_TYPE_I64, 7},
    {"tsu:", 8, 7, ROOST_TYPE_I64, 7},
    {"tsn:Europe/Zurich", 8, 7, ROOST_TYPE_I64, 7},
    {"tDm", 8, 7, ROOST_TYPE_I64, 7},
    {"tiM", 4, 7, ROOST_TYPE_I32, 7},
    {"b", 1, 0xff, ROOST_TYPE_U32, 1},
    {"b", 1, 0xff, ROOST_TYPE_I64, 1},
    {"w:8", 8, 0x0102030405060708u, ROOST_TYPE_BYTES, 0x0102030405060708u},
    {"w:3", 3, 0x030201, ROOST_TYPE_BYTES, 0x030201},
    {"d:18,2,64", 8, 9, ROOST_TYPE_BYTES, 9},
    {"tiD", 8, 9, ROOST_TYPE_BYTES, 9},
};

static void formats(const struct variant *variant)
{
    for (size_t i = 0; i < sizeof format_cases / sizeof *format_cases; i++) {
        const struct format_case *const f = &format_cases[i];
        if (f->type == ROOST_TYPE_BYTES && !engine_is_built("stadium")) continue;
        struct arrow_made made;
        roost_column own;
        suite_step("format %s as type %d", f->format, (int)f->type);
        roost_table *const table = table_of(variant, f->type, f->bytes, ROOST_TYPE_NONE, 0);
        /* Bits: 8 of them at offset 0, of which the first counts. */
        arrow_integers(&made, f->format, f->bytes, &f->pattern, 1, strcmp(f->format, "b") ? 3 : 0,
                       variant->placement == PLACE_DEVICE);
        const roost_arrow keys = arrow_of(&made, -1);
        require_status(ROOST_OK, roost_insert_arrow(table, ROOST_ASSIGN, &keys, NULL, NULL), table);
        require_alone(table, &f->stored);
        require_status(ROOST_OK, roost_arrow_column(&made.schema, &own), NULL);
        require((own.type == ROOST_TYPE_BYTES) == (f->type == ROOST_TYPE_BYTES) && own.nullable, "its own type is %d",
                (int)own.type);
        roost_table_destroy(table);
        nothing_kept((struct arrow_made *[]){&made}, 1);
        arrow_end(&made);
    }
}

/* {format, the types that refuse it}. */
static const struct {
    const char *format;
    unsigned bytes;
    roost_type type;
    unsigned answers;
    const char *text;
} refused_formats[] = {
    {"i", 4, ROOST_TYPE_U32, ARGUMENT, "U32"},
    {"i", 4, ROOST_TYPE_U64, ARGUMENT, "U64"},
    {"I", 4, ROOST_TYPE_I32, ARGUMENT, "I32"},
    {"l", 8, ROOST_TYPE_I32, ARGUMENT, "I32"},
    {"L", 8, ROOST_TYPE_U32, ARGUMENT, "U32"},
    {"g", 8, ROOST_TYPE_F32, ARGUMENT, "F32"},
    {"i", 4, ROOST_TYPE_F64, ARGUMENT, "F64"},
    {"f", 4, ROOST_TYPE_U32, ARGUMENT, "U32"},
    {"c", 1, ROOST_TYPE_U64, ARGUMENT, "U64"},
    {"w:7", 7, ROOST_TYPE_BYTES, ARGUMENT, "w:7"},
    {"L", 8, ROOST_TYPE_BYTES, ARGUMENT, "BYTES"},
    {"n", 1, ROOST_TYPE_U32, UNSUPPORTED, "\"n\""},
    {"e", 2, ROOST_TYPE_F32, UNSUPPORTED, "\"e\""},
    {"+l", 4, ROOST_TYPE_U32, UNSUPPORTED, "\"+l\""},
    {"+r", 4, ROOST_TYPE_U32, UNSUPPORTED, "\"+r\""},
    {"+ud:0", 4, ROOST_TYPE_U32, UNSUPPORTED, "+ud:0"},
    {"+s", 4, ROOST_TYPE_U32, UNSUPPORTED, "+s"},
    {"", 4, ROOST_TYPE_U32, ARGUMENT, "no format"},
    {"ii", 4, ROOST_TYPE_U32, ARGUMENT, "\"ii\""},
    {"w:", 4, ROOST_TYPE_BYTES, ARGUMENT, "\"w:\""},
    {"w:8x", 8, ROOST_TYPE_BYTES, ARGUMENT, "w:8x"},
    {"w:-8", 8, ROOST_TYPE_BYTES, ARGUMENT, "w:-8"},
    {"d:5", 8, ROOST_TYPE_BYTES, ARGUMENT, "d:5"},
    {"d:5,2,63", 8, ROOST_TYPE_BYTES, ARGUMENT, "d:5,2,63"},
    {"tsx:", 8, ROOST_TYPE_I64, ARGUMENT, "tsx:"},
    {"tsu", 8, ROOST_TYPE_I64, ARGUMENT, "tsu"},
    {"w:99999999999999999999", 8, ROOST_TYPE_BYTES, ARGUMENT, "w:9999"},
};

static void formats_refused(const struct variant *variant)
{
    for (size_t i = 0; i < sizeof refused_formats / sizeof *refused_formats; i++) {
        struct arrow_made made;
        const uint64_t pattern = 1;
        const char *const format = refused_formats[i].format;
        suite_step("format %s as type %d", format, (int)refused_formats[i].type);
        if (refused_formats[i].type == ROOST_TYPE_BYTES && !engine_is_built("stadium")) continue;
        roost_table *const table = table_of(variant, refused_formats[i].type, 8, ROOST_TYPE_NONE, 0);
        arrow_integers(&made, format, refused_formats[i].bytes, &pattern, 1, 0, false);
        const roost_arrow keys = arrow_of(&made, -1);
        require_answer(refused_formats[i].answers, roost_insert_arrow(table, ROOST_ASSIGN, &keys, NULL, NULL), table, format);
        require(strstr(roost_last_error(table), refused_formats[i].text), "the error is: %s", roost_last_error(table));
        roost_table_destroy(table);
        nothing_kept((struct arrow_made *[]){&made}, 1);
        arrow_end(&made);
    }
}

/* ---- Strings --------------------------------------------------------------------------------- */

enum { WORDS = 40 };

/* Word i: i % 23 letters, or with a NUL among them; each has its own. */
static size_t word_write(size_t i, char *to)
{
    const size_t length = i % 23 + (i >= 23);
    for (size_t at = 0; at < length; at++) to[at] = (char)(i * 7 + at * 31);
    return length;
}

enum layout { LAYOUT_32, LAYOUT_64, LAYOUT_VIEW, LAYOUT_DICTIONARY, LAYOUTS };

/* Strings with offsets: item `offset` + i is word rows[i]. */
static void strings_make(struct arrow_made *made, bool wide, const uint64_t *rows, size_t n, size_t offset, size_t of, size_t rest,
                         bool on_device)
{
    uint64_t *const wides = make_patterns(n + offset + 1), used = 5; /* bytes come before */
    uint32_t *const narrows = (uint32_t *)make_patterns(n + offset + 1);
    char *const bytes = (char *)make_bytes(30 * (n + 1) + 5);
    for (size_t i = 0; i <= n + offset; i++) {
        wides[i] = used, narrows[i] = (uint32_t)used;
        if (i >= offset && i < n + offset) used += word_write((size_t)rows[i - offset], bytes + used);
    }
    arrow_begin(made, wide ? "Z" : "u", n, offset, on_device);
    arrow_validity(made, of, rest);
    arrow_buffer(made, wide ? (void *)wides : (void *)narrows, (n + offset + 1) * (wide ? 8 : 4));
    arrow_buffer(made, bytes, used);
    free(wides), free(narrows), free(bytes);
}

struct view {
    int32_t length;
    char prefix[4];
    int32_t buffer, offset;
};

static void views_make(struct arrow_made *made, const uint64_t *rows, size_t n, size_t offset, size_t of, size_t rest,
                       bool on_device)
{
    char *const far[2] = {(char *)make_bytes(30 * n + 1), (char *)make_bytes(30 * n + 1)};
    int64_t sizes[2] = {0, 0};
    struct view *const views = (struct view *)make_bytes((n + offset) * sizeof *views + 1);
    memset(views, 0xff, (n + offset) * sizeof *views); /* of no bytes where nobody looks */
    for (size_t i = 0; i < n; i++) {
        struct view *const v = &views[offset + i];
        char word[32];
        if (of && i % of == rest) continue;
        memset(v, 0, sizeof *v);
        v->length = (int32_t)word_write((size_t)rows[i], word);
        if (v->length <= 12) memcpy(v->prefix, word, (size_t)v->length);
        else {
            v->buffer = (int32_t)(i % 2), v->offset = (int32_t)sizes[i % 2];
            memcpy(v->prefix, word, 4);
            memcpy(far[i % 2] + v->offset, word, (size_t)v->length);
            sizes[i % 2] += v->length;
        }
    }
    arrow_begin(made, "vz", n, offset, on_device);
    arrow_validity(made, of, rest);
    arrow_buffer(made, views, (n + offset) * sizeof *views);
    for (int b = 0; b < 2; b++) arrow_buffer(made, far[b], (size_t)sizes[b]);
    arrow_buffer(made, sizes, sizeof sizes);
    free(views), free(far[0]), free(far[1]);
}

/* Strings in any layout.  A dictionary has a word that is NULL, which rows without a key have. */
struct strings_made {
    struct arrow_made made, dictionary;
    bool has_dictionary;
};

static void layout_make(struct strings_made *s, enum layout layout, const uint64_t *rows, size_t n, size_t offset, bool on_device)
{
    uint64_t words[WORDS], *const indices = make_patterns(n + 1);
    s->has_dictionary = layout == LAYOUT_DICTIONARY;
    if (layout == LAYOUT_32 || layout == LAYOUT_64)
        strings_make(&s->made, layout == LAYOUT_64, rows, n, offset, NULL_OF, NULL_REST, on_device);
    else if (layout == LAYOUT_VIEW) views_make(&s->made, rows, n, offset, NULL_OF, NULL_REST, on_device);
    for (size_t i = 0; i < WORDS; i++) words[i] = i;
    for (size_t i = 0; i < n; i++) indices[i] = has_key(i) ? rows[i] : WORDS - 1;
    if (s->has_dictionary) {
        views_make(&s->dictionary, words, WORDS, 3, WORDS, WORDS - 1, on_device);
        arrow_integers(&s->made, "s", 2, indices, n, offset, on_device);
        arrow_dictionary(&s->made, &s->dictionary);
    }
    free(indices);
}

static void layout_end(struct strings_made *s)
{
    nothing_kept((struct arrow_made *[]){&s->made}, 1);
    arrow_end(&s->made);
    if (s->has_dictionary) arrow_end(&s->dictionary);
}

/* Words of the rows: 39 is none of them. */
static uint64_t *words_draw(struct dice *dice, size_t n)
{
    uint64_t *const rows = make_patterns(n);
    for (size_t i = 0; i < n; i++) rows[i] = dice_below(dice, WORDS - 1);
    return rows;
}

/* Finds each word by itself, and compares how often it was there. */
static void counts_compare(roost_table *table, const uint64_t *rows, size_t n)
{
    for (size_t w = 0; w < WORDS; w++) {
        char bytes[32];
        uint64_t offsets[2] = {0, 0}, count = 0, expected = 0;
        roost_strings key = ROOST_STRINGS_INIT;
        offsets[1] = word_write(w, bytes);
        key.offsets = offsets, key.bytes = bytes;
        for (size_t i = 0; i < n; i++) expected += has_key(i) && rows[i] == w;
        require_status(ROOST_OK, roost_find_strings(table, &key, 1, &count, NULL, NULL), table);
        require(count == expected, "word %zu was counted %llu times, not %llu", w, (unsigned long long)count,
                (unsigned long long)expected);
    }
}

static void strings_of_a_layout(const struct variant *variant)
{
    struct dice dice = {suite_seed()};
    const enum layout layout = (enum layout)variant->number;
    for (size_t n = 0; n < 400; n = 3 * n + 1) {
        const size_t offset = dice_below(&dice, 20);
        uint64_t *const rows = words_draw(&dice, n + 1);
        struct strings_made s;
        struct answer a;
        suite_step("layout %d, %zu rows from %zu", (int)layout, n, offset);
        layout_make(&s, layout, rows, n, offset, variant->placement == PLACE_DEVICE);
        roost_table *const table = table_of(variant, ROOST_TYPE_STRING, 0, ROOST_TYPE_U64, 0);
        const roost_arrow keys = arrow_of(&s.made, -1);
        require_status(ROOST_OK, roost_insert_arrow(table, ROOST_ADD, &keys, NULL, NULL), table);
        counts_compare(table, rows, n);
        require_status(ROOST_OK, roost_find_arrow(table, &keys, &a.schema, &a.array, NULL), table);
        for (size_t i = 0; i < n; i++) require(is_valid(&a.array, i) == has_key(i), "row %zu", i);
        answer_end(&a);
        require_status(ROOST_OK, roost_erase_arrow(table, &keys, NULL), table);
        counts_compare(table, rows, 0);
        roost_table_destroy(table);
        layout_end(&s);
        free(rows);
    }
}

/* A stream of strings makes room for long ones. */
static void long_strings(const struct variant *variant)
{
    enum { LONG = 20000, KEYS = 70 };
    roost_table *const table = table_of(variant, ROOST_TYPE_STRING, 0, ROOST_TYPE_U32, 0);
    char *const bytes = (char *)make_bytes(LONG + KEYS);
    uint64_t offsets[KEYS + 1];
    uint32_t values[KEYS];
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    size_t rows = 0;
    for (size_t i = 0; i < LONG + KEYS; i++) bytes[i] = (char)(i % 251);
    for (uint32_t i = 0; i < KEYS; i++) { /* of one key at a time, which overlap */
        roost_strings key = ROOST_STRINGS_INIT;
        offsets[0] = i, offsets[1] = LONG + i, values[0] = i;
        key.offsets = offsets, key.bytes = bytes;
        require_status(ROOST_OK, roost_insert_strings(table, ROOST_ASSIGN, &key, values, 1, NULL), table);
    }
    require_status(ROOST_OK, roost_export_arrow(table, &stream, 64, ROOST_ARROW_UTF8, NULL), table);
    for (;; rows += (size_t)batch.length, batch.release(&batch)) {
        require(!stream.get_next(&stream, &batch), "%s", stream.get_last_error(&stream));
        if (!batch.release) break;
        const struct ArrowArray *const keys = batch.children[0];
        const uint64_t *const ends = (const uint64_t *)keys->buffers[1];
        for (size_t i = 0; i < (size_t)batch.length; i++)
            require(ends[i + 1] - ends[i] == LONG &&
                        !memcmp((const char *)keys->buffers[2] + ends[i], bytes + item_of(batch.children[1], 4, i), LONG),
                    "key %zu", i);
    }
    require(rows == KEYS, "%zu rows", rows);
    stream.release(&stream);
    roost_table_destroy(table);
    nothing_kept(NULL, 0);
    free(bytes);
}

/* ---- Structs, numbers ------------------------------------------------------------------------ */

/* Two columns at offsets of their own, in a struct at another one, whose rows may be NULL, too. */
static void structs(const struct variant *variant)
{
    const bool device = variant->placement == PLACE_DEVICE;
    roost_table *const table = table_of(variant, ROOST_TYPE_U64, 0, ROOST_TYPE_U32, 0);
    struct arrow_made key, value, both;
    uint64_t keys[200], values[200];
    uint32_t value_of[200];
    uint8_t found[200];
    for (size_t i = 0; i < 200; i++) keys[i] = 1000 + i, values[i] = i;
    arrow_integers_null(&key, "L", 8, keys, 200, 5, 7, 3, device);
    arrow_integers_null(&value, "I", 4, values, 200, 2, 7, 3, device);
    arrow_begin(&both, "+s", 150, 13, device);
    arrow_validity(&both, 4, 1);
    arrow_child(&both, &key), arrow_child(&both, &value);
    const roost_arrow k = arrow_of(&both, 0), v = arrow_of(&both, 1);
    require_status(ROOST_OK, roost_insert_arrow(table, ROOST_ASSIGN, &k, &v, NULL), table);
    require_status(ROOST_OK, roost_find(table, keys, 200, value_of, found, NULL), table);
    for (size_t i = 0; i < 200; i++) {
        const bool there = i >= 13 && i < 163 && i % 7 != 3 && (i - 13) % 4 != 1;
        require(found[i] == there && (!there || value_of[i] == i), "row %zu is %d", i, found[i]);
    }
    require_answer(ARGUMENT,
                   roost_insert_arrow(
                       table, ROOST_ASSIGN, &k,
                       &(roost_arrow){sizeof(roost_arrow), &value.schema, &value.array, -1, v.device_id, NULL, v.device_type, 0},
                       NULL),
                   table, "a column of another length");
    const roost_arrow third = arrow_of(&both, 2), whole = arrow_of(&both, -1);
    require_answer(ARGUMENT, roost_erase_arrow(table, &third, NULL), table, "child 2 of 2");
    require_answer(UNSUPPORTED, roost_erase_arrow(table, &whole, NULL), table, "a struct as a column");
    key.array.length = 162;
    require_answer(ARGUMENT, roost_erase_arrow(table, &k, NULL), table, "a child that is too short");
    roost_table_destroy(table);
    nothing_kept((struct arrow_made *[]){&key, &value, &both}, 3);
    arrow_end(&key), arrow_end(&value), arrow_end(&both);
}

static void numbers(const struct variant *variant)
{
    struct dice dice = {suite_seed()};
    uint64_t *const rows = words_draw(&dice, 300), of[WORDS];
    roost_table *const table = table_of(variant, ROOST_TYPE_STRING, 0, ROOST_TYPE_U32, ROOST_NUMBERED);
    struct strings_made s;
    struct answer a;
    layout_make(&s, LAYOUT_DICTIONARY, rows, 300, 9, variant->placement == PLACE_DEVICE);
    const roost_arrow keys = arrow_of(&s.made, -1);
    memset(of, 0xff, sizeof of);
    require_status(ROOST_OK, roost_number_arrow(table, &keys, &a.schema, &a.array, NULL), table);
    for (size_t i = 0; i < 300; i++) {
        require(is_valid(&a.array, i) == has_key(i), "row %zu", i);
        if (!has_key(i)) continue;
        const uint64_t number = item_of(&a.array, 4, i);
        if (of[rows[i]] == UINT64_MAX) of[rows[i]] = number;
        require(of[rows[i]] == number && number < WORDS, "row %zu has number %d", i, (int)number);
    }
    answer_end(&a);
    roost_table_destroy(table);
    layout_end(&s);
    free(rows);
}

/* ---- Streams in ------------------------------------------------------------------------------ */

struct batches {
    struct arrow_made key[3], value[3], batch[3];
    struct arrow_made *all[3];
    struct arrow_stream stream;
};

/* Three batches of 50 rows: keys 0 to 149, whose values are the keys. */
static void batches_begin(struct batches *b)
{
    for (size_t i = 0; i < 3; i++) {
        uint64_t patterns[60];
        for (size_t r = 0; r < 60; r++) patterns[r] = 50 * i + r;
        arrow_integers(&b->key[i], "I", 4, patterns, 60, i, false);
        arrow_integers(&b->value[i], "I", 4, patterns, 60, 2 * i, false);
        arrow_begin(&b->batch[i], "+s", 50, 0, false);
        arrow_buffer(&b->batch[i], NULL, 0);
        arrow_child(&b->batch[i], &b->key[i]), arrow_child(&b->batch[i], &b->value[i]);
        b->all[i] = &b->batch[i];
    }
    arrow_stream_begin(&b->stream, b->all, 3);
}

/* Each batch that came, and the schema, was released once; the stream itself was not. */
static void batches_end(struct batches *b)
{
    require(b->stream.batches_released == b->stream.given, "%d batches were given, and %d released", b->stream.given,
            b->stream.batches_released);
    require(b->stream.schemas_released == 1 && !b->stream.released, "the schema was released %d times, the stream %d times",
            b->stream.schemas_released, b->stream.released);
    for (int i = 0; i < 3; i++) {
        nothing_kept((struct arrow_made *[]){&b->key[i], &b->value[i], &b->batch[i]}, 3);
        arrow_end(&b->key[i]), arrow_end(&b->value[i]), arrow_end(&b->batch[i]);
    }
}

static void streams_in(const struct variant *variant)
{
    struct batches b;
    uint64_t rows = 7;
    uint32_t values[150], keys[150];
    roost_table *const table = table_of(variant, ROOST_TYPE_U32, 0, ROOST_TYPE_U32, 0);
    batches_begin(&b);
    require_status(ROOST_OK, roost_insert_arrow_stream(table, ROOST_ADD, &b.stream.stream, &rows, NULL), table);
    require(rows == 150 && b.stream.given == 3, "%d rows of %d batches", (int)rows, b.stream.given);
    for (uint32_t i = 0; i < 150; i++) keys[i] = i;
    require_status(ROOST_OK, roost_find(table, keys, 150, values, NULL, NULL), table);
    for (uint32_t i = 0; i < 150; i++) require(values[i] == i, "key %d has %d", (int)i, (int)values[i]);
    batches_end(&b);
    roost_table_destroy(table);
}

/* A stream that fails at some batch; a batch that is refused; too many columns; a full table. */
static void streams_that_fail(const struct variant *variant)
{
    for (int at = 0; at <= 3; at++) {
        struct batches b;
        uint64_t rows = 7;
        roost_table *const table = table_of(variant, ROOST_TYPE_U32, 0, ROOST_TYPE_U32, 0);
        batches_begin(&b);
        b.stream.fails_at = at;
        require_answer(ANSWER(ROOST_ERR_DEVICE), roost_insert_arrow_stream(table, ROOST_ADD, &b.stream.stream, &rows, NULL), table,
                       "a stream that fails");
        require(strstr(roost_last_error(table), "it fails here"), "the error is: %s", roost_last_error(table));
        require(rows == 50 * (unsigned)at, "%d rows before it failed", (int)rows);
        batches_end(&b);
        batches_begin(&b);
        b.key[at % 3].array.null_count = -2;
        require_answer(ARGUMENT, roost_insert_arrow_stream(table, ROOST_ADD, &b.stream.stream, &rows, NULL), table, "a batch");
        require(b.stream.given == at % 3 + 1, "%d batches were read", b.stream.given);
        batches_end(&b);
        batches_begin(&b);
        roost_call call = ROOST_CALL_INIT;
        call.statuses = (uint8_t *)&rows;
        require_answer(ARGUMENT, roost_insert_arrow_stream(table, ROOST_ADD, &b.stream.stream, NULL, &call), table, "statuses");
        b.stream.schemas_released++; /* it was not asked for */
        batches_end(&b);
        roost_table_destroy(table);
    }
}

/* ---- Streams out ----------------------------------------------------------------------------- */

static void disturbed_streams(const struct variant *variant)
{
    roost_table *const table = table_of(variant, ROOST_TYPE_U32, 0, ROOST_TYPE_NONE, 0);
    struct ArrowArrayStream streams[3];
    struct ArrowArray batch;
    uint32_t keys[500];
    for (uint32_t i = 0; i < 500; i++) keys[i] = i;
    require_status(ROOST_OK, roost_insert(table, ROOST_ASSIGN, keys, NULL, 500, NULL), table);
    for (int s = 0; s < 3; s++) require_status(ROOST_OK, roost_export_arrow(table, &streams[s], 64, 0, NULL), table);
    require(!streams[0].get_next(&streams[0], &batch) && batch.release, "no batch");
    batch.release(&batch);
    require_status(ROOST_OK, roost_table_check(table), table);
    require(!streams[0].get_next(&streams[0], &batch) && batch.release, "no batch after a call that reads");
    batch.release(&batch);
    streams[1].release(&streams[1]);
    require_status(ROOST_OK, roost_erase(table, keys, 1, NULL), table);
    for (int again = 0; again < 2; again++) {
        require(streams[0].get_next(&streams[0], &batch) == EINVAL && !batch.release, "a batch after a write");
        require(strstr(streams[0].get_last_error(&streams[0]), "wrote"), "%s", streams[0].get_last_error(&streams[0]));
    }
    roost_table_destroy(table);
    require(streams[2].get_next(&streams[2], &batch) == EINVAL && !batch.release, "a batch of no table");
    require(strstr(streams[2].get_last_error(&streams[2]), "destroyed"), "%s", streams[2].get_last_error(&streams[2]));
    streams[0].release(&streams[0]), streams[2].release(&streams[2]);
    require(!streams[0].release, "a stream is not marked as released");
    nothing_kept(NULL, 0);
}

/* ---- Groups and joins ------------------------------------------------------------------------ */

static size_t stream_rows(struct ArrowArrayStream *stream, void (*take)(const struct ArrowArray *batch, void *context),
                          void *context)
{
    struct ArrowArray batch;
    size_t rows = 0;
    for (;;) {
        require(!stream->get_next(stream, &batch), "%s", stream->get_last_error(stream));
        if (!batch.release) break;
        rows += (size_t)batch.length;
        take(&batch, context);
        batch.release(&batch);
    }
    stream->release(stream);
    return rows;
}

/* Sums by word; [WORDS]: of the group of NULL. */
static void sums_take(const struct ArrowArray *batch, void *context)
{
    uint64_t *const sums = (uint64_t *)context;
    const struct ArrowArray *const key = batch->children[0];
    for (size_t i = 0; i < (size_t)batch->length; i++) {
        const uint64_t *const ends = (const uint64_t *)key->buffers[1];
        char word[32];
        size_t w = 0;
        while (w < WORDS && (word_write(w, word) != ends[i + 1] - ends[i] ||
                             memcmp(word, (const char *)key->buffers[2] + ends[i], ends[i + 1] - ends[i])))
            w++;
        if (!is_valid(key, i)) w = WORDS;
        sums[w] = item_of(batch->children[1], 8, i);
    }
}

static void groups(const struct variant *variant)
{
    struct dice dice = {suite_seed()};
    uint64_t *const rows = words_draw(&dice, 500), sums[WORDS + 1] = {0}, expected[WORDS + 1] = {0};
    roost_group_config config = ROOST_GROUP_CONFIG_INIT;
    const roost_aggregate aggregate = {ROOST_SUM, 0};
    roost_column key, value;
    roost_group *group;
    struct strings_made s;
    struct arrow_made number;
    struct ArrowArrayStream stream;
    layout_make(&s, (enum layout)variant->number, rows, 500, 11, variant->placement != PLACE_HOST);
    arrow_integers(&number, "C", 1, rows, 500, 3, variant->placement == PLACE_DEVICE);
    require_status(ROOST_OK, roost_arrow_column(s.has_dictionary ? &s.made.schema : &s.made.schema, &key), NULL);
    require_status(ROOST_OK, roost_arrow_column(&number.schema, &value), NULL);
    value.nullable = 0;
    config.device = settings_get()->device;
    config.key_columns = config.value_columns = config.aggregates = 1;
    config.keys = &key, config.values = &value, config.aggregate = &aggregate;
    require_status(ROOST_OK, roost_group_create(&group, &config), NULL);
    const roost_arrow k = arrow_of(&s.made, -1), v = arrow_of(&number, -1);
    for (int i = 0; i < 3; i++) require_status(ROOST_OK, roost_group_add_arrow(group, &k, &v, NULL), NULL);
    require_status(ROOST_OK, roost_group_export_arrow(group, &stream, 7, NULL, 0), NULL);
    (void)stream_rows(&stream, sums_take, sums);
    for (size_t i = 0; i < 500; i++) expected[has_key(i) ? rows[i] : WORDS] += 3 * rows[i];
    for (size_t w = 0; w <= WORDS; w++) require(sums[w] == expected[w], "word %zu has %d", w, (int)sums[w]);
    number.array.length--;
    require_answer(ARGUMENT, roost_group_add_arrow(group, &k, &v, NULL), NULL, "columns of two lengths");
    require_status(ROOST_OK, roost_group_export_arrow(group, &stream, 7, NULL, 0), NULL);
    roost_group_destroy(group);
    struct ArrowArray batch;
    require(stream.get_next(&stream, &batch) == EINVAL, "groups that were destroyed");
    stream.release(&stream);
    layout_end(&s);
    arrow_end(&number);
    free(rows);
}

struct pairs_taken {
    const uint64_t *probe, *build;
    uint64_t wrong;
};

static void pairs_take(const struct ArrowArray *batch, void *context)
{
    struct pairs_taken *const t = (struct pairs_taken *)context;
    for (size_t i = 0; i < (size_t)batch->length; i++) {
        const uint64_t probe = item_of(batch->children[0], 4, i), build = item_of(batch->children[1], 4, i);
        if (is_valid(batch->children[1], i)) t->wrong += t->probe[probe] != t->build[build] || !has_key(probe) || !has_key(build);
        else t->wrong += has_key(probe) && t->probe[probe] < 20;
    }
}

static void joins(const struct variant *variant)
{
    struct dice dice = {suite_seed()};
    uint64_t *const build = words_draw(&dice, 400), *const probe = words_draw(&dice, 300);
    roost_join_config config = ROOST_JOIN_CONFIG_INIT;
    size_t pairs = 0;
    roost_join *join;
    struct strings_made b, p;
    struct ArrowArrayStream stream;
    roost_column key;
    for (size_t i = 0; i < 400; i++) build[i] = i < 20 ? i : build[i] % 20;
    build[NULL_REST] = 2, build[3] = 2;
    for (size_t i = 4; i < 24; i++) build[NULL_OF * i] = i - 4;
    layout_make(&b, (enum layout)variant->number, build, 400, 1, variant->placement != PLACE_HOST);
    layout_make(&p, LAYOUT_32, probe, 300, 8, variant->placement == PLACE_DEVICE);
    require_status(ROOST_OK, roost_arrow_column(&p.made.schema, &key), NULL);
    config.device = settings_get()->device;
    config.key_columns = 1, config.keys = &key;
    config.how = ROOST_JOIN_LEFT, config.row_bytes = 4;
    require_status(ROOST_OK, roost_join_create(&join, &config), NULL);
    const roost_arrow bk = arrow_of(&b.made, -1), pk = arrow_of(&p.made, -1);
    require_status(ROOST_OK, roost_join_build_arrow(join, &bk, NULL), NULL);
    require_status(ROOST_OK, roost_join_probe_arrow(join, &pk, &stream, 64, NULL), NULL);
    struct pairs_taken taken = {probe, build, 0};
    const size_t rows = stream_rows(&stream, pairs_take, &taken);
    for (size_t i = 0; i < 300; i++) {
        size_t mine = 0;
        for (size_t j = 0; j < 400; j++) mine += has_key(i) && has_key(j) && probe[i] == build[j];
        pairs += mine ? mine : 1;
    }
    require(rows == pairs && !taken.wrong, "%zu pairs, not %zu; %d are wrong", rows, pairs, (int)taken.wrong);
    require_answer(ARGUMENT, roost_join_rest_arrow(join, &stream, 64, NULL), NULL, "the rest of a left join");
    roost_join_destroy(join);
    layout_end(&b), layout_end(&p);
    free(build), free(probe);
}

/* ---- Wrong arrays ---------------------------------------------------------------------------- */

/* Strings, as the keys of a table, with one thing wrong. */
static struct strings_made spoiled;
static roost_arrow spoiled_key;

static void spoil_length(void) { spoiled.made.array.length = -1; }
static void spoil_length_far(void) { spoiled.made.array.length = INT64_MAX; }
static void spoil_offset(void) { spoiled.made.array.offset = -1; }
static void spoil_offset_far(void) { spoiled.made.array.offset = INT64_MAX - 3; }
static void spoil_null_count(void) { spoiled.made.array.null_count = -2; }
static void spoil_null_count_far(void) { spoiled.made.array.null_count = 31; }
static void spoil_validity(void) { spoiled.made.array.null_count = 1, spoiled.made.buffers[0] = NULL; }
static void spoil_buffers(void) { spoiled.made.array.n_buffers = 2; }
static void spoil_buffers_more(void) { spoiled.made.array.n_buffers = 4; }
static void spoil_buffers_none(void) { spoiled.made.array.n_buffers = -1; }
static void spoil_buffers_null(void) { spoiled.made.array.buffers = NULL; }
static void spoil_buffer(void) { spoiled.made.buffers[1] = NULL; }
static void spoil_bytes(void) { spoiled.made.buffers[2] = NULL; }
static void spoil_release(void) { spoiled.made.array.release = NULL; }
static void spoil_schema_release(void) { spoiled.made.schema.release = NULL; }
static void spoil_format(void) { spoiled.made.schema.format = NULL; }
static void spoil_children(void) { spoiled.made.array.n_children = 1; }
static void spoil_dictionary(void) { spoiled.made.schema.dictionary = &spoiled.made.schema; }
static void spoil_falling(void) { ((uint32_t *)spoiled.made.host[1])[20] = 0; }
static void spoil_negative(void) { ((uint32_t *)spoiled.made.host[1])[30 + 7] = 0x80000000u; }
static void spoil_child(void) { spoiled_key.child = 0; }
static void spoil_size(void) { spoiled_key.size--; }
static void spoil_reserved(void) { spoiled_key.reserved = 1; }
static void spoil_schema(void) { spoiled_key.schema = NULL; }
static void spoil_array(void) { spoiled_key.array = NULL; }
static void spoil_event(void) { spoiled_key.sync_event = &spoiled_key; }
static void spoil_device(void) { spoiled_key.device_type = ARROW_DEVICE_CUDA, spoiled_key.device_id = 1000; }

struct spoiling {
    const char *what;
    void (*spoil)(void);
};
static const struct spoiling spoilings[] = {
    {"a length below 0", spoil_length},
    {"a length that overflows", spoil_length_far},
    {"an offset below 0", spoil_offset},
    {"an offset that overflows", spoil_offset_far},
    {"null_count -2", spoil_null_count},
    {"null_count above the length", spoil_null_count_far},
    {"NULLs without validity", spoil_validity},
    {"a buffer less", spoil_buffers},
    {"a buffer more", spoil_buffers_more},
    {"less than no buffer", spoil_buffers_none},
    {"no array of buffers", spoil_buffers_null},
    {"no offsets", spoil_buffer},
    {"no bytes", spoil_bytes},
    {"a released array", spoil_release},
    {"a released schema", spoil_schema_release},
    {"no format", spoil_format},
    {"children that the schema lacks", spoil_children},
    {"a dictionary that the array lacks", spoil_dictionary},
    {"an offset that falls", spoil_falling},
    {"an offset below 0 in the buffer", spoil_negative},
    {"a child of no struct", spoil_child},
    {"another size", spoil_size},
    {"reserved", spoil_reserved},
    {"no schema", spoil_schema},
    {"no array", spoil_array},
    {"an event of the host", spoil_event},
    {"a device that is not there", spoil_device},
};

static void wrong_columns(const struct variant *variant)
{
    struct dice dice = {suite_seed()};
    for (size_t i = 0; i < sizeof spoilings / sizeof *spoilings; i++) {
        uint64_t *const rows = words_draw(&dice, 30);
        roost_table *const table = table_of(variant, ROOST_TYPE_STRING, 0, ROOST_TYPE_NONE, 0);
        struct answer a;
        roost_stats stats;
        suite_step("%s", spoilings[i].what);
        for (size_t r = 0; r < 30; r++) rows[r] = 5;
        layout_make(&spoiled, LAYOUT_32, rows, 30, 7, false);
        spoiled_key = arrow_of(&spoiled.made, -1);
        spoilings[i].spoil();
        require_answer(ARGUMENT, roost_insert_arrow(table, ROOST_KEEP, &spoiled_key, NULL, NULL), table, spoilings[i].what);
        require_answer(ARGUMENT, roost_erase_arrow(table, &spoiled_key, NULL), table, spoilings[i].what);
        require_answer(ARGUMENT, roost_find_arrow(table, &spoiled_key, &a.schema, &a.array, NULL), table, spoilings[i].what);
        require(!a.schema.release && !a.array.release, "%s: a find that failed gave something", spoilings[i].what);
        require_status(ROOST_OK, roost_table_stats(table, &stats, sizeof stats), table);
        require(!stats.count, "%s: something was stored", spoilings[i].what);
        roost_table_destroy(table);
        layout_end(&spoiled);
        free(rows);
    }
    roost_arrow opencl = spoiled_key;
    roost_table *const table = table_of(variant, ROOST_TYPE_U32, 0, ROOST_TYPE_NONE, 0);
    opencl.device_type = ARROW_DEVICE_OPENCL, opencl.size = sizeof opencl;
    require_answer(UNSUPPORTED, roost_erase_arrow(table, &opencl, NULL), table, "a device of another kind");
    roost_table_destroy(table);
}

/* A view or an index with one thing wrong is refused, unless its row is NULL. */
static void wrong_views(const struct variant *variant)
{
    static const struct view wrongs[] = {{-1, "", 0, 0},  {13, "", 2, 0},    {13, "", -1, 0},
                                         {13, "", 0, -1}, {13, "", 0, 1000}, {INT32_MAX, "", 0, INT32_MAX}};
    const uint64_t rows[4] = {22, 5, 22, 1};
    roost_table *const table = table_of(variant, ROOST_TYPE_STRING, 0, ROOST_TYPE_NONE, 0);
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        struct arrow_made made;
        views_make(&made, rows, 4, 0, 4, NULL_REST, false);
        ((struct view *)made.host[1])[NULL_REST] = wrongs[i];
        const roost_arrow keys = arrow_of(&made, -1);
        require_status(ROOST_OK, roost_insert_arrow(table, ROOST_ASSIGN, &keys, NULL, NULL), table);
        ((struct view *)made.host[1])[3] = wrongs[i];
        require_answer(ARGUMENT, roost_insert_arrow(table, ROOST_ASSIGN, &keys, NULL, NULL), table, "a view");
        arrow_end(&made);
    }
    roost_table_destroy(table);
    nothing_kept(NULL, 0);
}

static void wrong_indices(const struct variant *variant)
{
    const uint64_t items[2] = {7, 8}, wrongs[] = {2, 127, 128, 255};
    roost_table *const table = table_of(variant, ROOST_TYPE_U32, 0, ROOST_TYPE_NONE, 0);
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        const uint64_t indices[3] = {1, wrongs[i], 0};
        struct arrow_made made, dictionary;
        arrow_integers(&dictionary, "S", 2, items, 2, 1, false);
        arrow_integers_null(&made, i % 2 ? "c" : "C", 1, indices, 3, 2, 3, 1, false);
        arrow_dictionary(&made, &dictionary);
        const roost_arrow keys = arrow_of(&made, -1);
        require_status(ROOST_OK, roost_insert_arrow(table, ROOST_ASSIGN, &keys, NULL, NULL), table);
        made.array.null_count = 0;
        require_answer(ARGUMENT, roost_insert_arrow(table, ROOST_ASSIGN, &keys, NULL, NULL), table, "an index");
        arrow_dictionary(&dictionary, &dictionary);
        require_answer(ARGUMENT, roost_insert_arrow(table, ROOST_ASSIGN, &keys, NULL, NULL), table, "a dictionary of itself");
        arrow_end(&made), arrow_end(&dictionary);
    }
    roost_table_destroy(table);
    nothing_kept(NULL, 0);
}

/* Some bytes of views, or of the indices of a dictionary of them, become others: the column is
 * refused or taken, and nothing beyond its buffers is read. */
static void random_bytes(const struct variant *variant)
{
    struct dice dice = {suite_seed()};
    const size_t rounds = settings_size(3000, 600);
    size_t refused = 0;
    roost_table *const table = table_of(variant, ROOST_TYPE_STRING, 0, ROOST_TYPE_NONE, 0);
    for (size_t round = 0; round < rounds; round++) {
        const enum layout layout = round % 2 ? LAYOUT_VIEW : LAYOUT_DICTIONARY;
        const size_t n = 1 + dice_below(&dice, 40), bytes = n * (layout == LAYOUT_VIEW ? sizeof(struct view) : 2);
        uint64_t *const rows = words_draw(&dice, n);
        struct strings_made s;
        layout_make(&s, layout, rows, n, 0, false);
        for (uint32_t i = dice_below(&dice, 8); i-- > 0;)
            ((uint8_t *)s.made.host[1])[dice_below(&dice, (uint32_t)bytes)] =
                (uint8_t)(dice_below(&dice, 2) ? dice_below(&dice, 256) : dice_below(&dice, 4));
        const roost_arrow keys = arrow_of(&s.made, -1);
        const roost_status status = roost_insert_arrow(table, ROOST_ASSIGN, &keys, NULL, NULL);
        require(!status || status == ROOST_ERR_ARGUMENT, "round %zu returned %d", round, (int)status);
        refused += status != ROOST_OK;
        layout_end(&s);
        free(rows);
    }
    require(refused > rounds / 20 && refused < rounds / 20 * 19, "%zu of %zu were refused", refused, rounds);
    roost_table_destroy(table);
}

static void values_that_are_null(const struct variant *variant)
{
    const uint64_t patterns[4] = {1, 2, 3, 4};
    roost_table *const table = table_of(variant, ROOST_TYPE_U32, 0, ROOST_TYPE_U32, 0);
    struct arrow_made key, value;
    roost_stats stats;
    arrow_integers_null(&key, "I", 4, patterns, 4, 1, 4, 1, variant->placement == PLACE_DEVICE);
    arrow_integers_null(&value, "I", 4, patterns, 4, 9, 4, 1, variant->placement == PLACE_DEVICE);
    const roost_arrow k = arrow_of(&key, -1), v = arrow_of(&value, -1);
    require_status(ROOST_OK, roost_insert_arrow(table, ROOST_ASSIGN, &k, &v, NULL), table);
    require_answer(ARGUMENT, roost_insert_arrow(table, ROOST_ASSIGN, &v, NULL, NULL), table, "no values");
    key.array.null_count = 0;
    require_answer(ARGUMENT, roost_insert_arrow(table, ROOST_ASSIGN, &k, &v, NULL), table, "a value that is NULL");
    require(strstr(roost_last_error(table), "row 1"), "the error is: %s", roost_last_error(table));
    require_status(ROOST_OK, roost_table_stats(table, &stats, sizeof stats), table);
    require(stats.count == 3, "%d keys", (int)stats.count);
    roost_table_destroy(table);
    nothing_kept((struct arrow_made *[]){&key, &value}, 2);
    arrow_end(&key), arrow_end(&value);
}

/* ---- Ranks ----------------------------------------------------------------------------------- */

/* Two ranks that share a table; the array of the second one may be wrong. */
struct rank {
    roost_comm *comm;
    const struct variant *variant;
    int number;
    roost_status made, wrong, right, found;
    int64_t nulls;
};

static void *rank_run(void *context)
{
    struct rank *const r = (struct rank *)context;
    uint64_t keys[100];
    struct arrow_made key;
    struct answer a;
    roost_config config;
    roost_table *table = NULL;
    table_config(r->variant, &config);
    config.device = "host", config.engine = NULL;
    config.key_type = ROOST_TYPE_U64, config.value_type = ROOST_TYPE_NONE;
    config.comm = r->comm;
    for (size_t i = 0; i < 100; i++) keys[i] = 1000 * (unsigned)r->number + i;
    arrow_integers_null(&key, "L", 8, keys, 100, 5, NULL_OF, NULL_REST, false);
    const roost_arrow column = arrow_of(&key, -1);
    r->made = roost_table_create(&table, &config);
    if (r->number) key.array.null_count = -2;
    if (!r->made) r->wrong = roost_insert_arrow(table, ROOST_ASSIGN, &column, NULL, NULL);
    key.array.null_count = -1;
    if (!r->made) r->right = roost_insert_arrow(table, ROOST_ASSIGN, &column, NULL, NULL);
    if (!r->made) r->found = roost_find_arrow(table, &column, &a.schema, &a.array, NULL);
    if (!r->made && !r->found) r->nulls = a.array.null_count, answer_end(&a);
    roost_table_destroy(table);
    arrow_end(&key);
    return NULL;
}

/* A rank whose array is wrong takes part, so that the other one does not wait for it. */
static void ranks(const struct variant *variant)
{
    roost_comm *comms[2];
    struct rank rank[2];
    pthread_t thread[2];
    memset(rank, 0, sizeof rank);
    require_status(ROOST_OK, roost_comm_local(comms, 2, "host,host", NULL), NULL);
    for (int r = 0; r < 2; r++) {
        rank[r].comm = comms[r], rank[r].variant = variant, rank[r].number = r;
        require(!pthread_create(&thread[r], NULL, rank_run, &rank[r]), "no thread");
    }
    for (int r = 0; r < 2; r++) (void)pthread_join(thread[r], NULL);
    for (int r = 0; r < 2; r++) {
        require(!rank[r].made && !rank[r].right && !rank[r].found, "rank %d: %d, %d, %d", r, (int)rank[r].made, (int)rank[r].right,
                (int)rank[r].found);
        require(rank[r].nulls == 20, "rank %d: %d rows are NULL", r, (int)rank[r].nulls);
        roost_comm_free(comms[r]);
    }
    require(rank[1].wrong == ROOST_ERR_ARGUMENT, "a wrong array ended %d", (int)rank[1].wrong);
    nothing_kept(NULL, 0);
}

/* ---- Refused memory -------------------------------------------------------------------------- */

/* Each block of a call is refused once: the call fails, and nothing stays. */
static void refused_blocks(const struct variant *variant)
{
    struct dice dice = {suite_seed()};
    uint64_t *const rows = words_draw(&dice, 100);
    struct strings_made s;
    layout_make(&s, (enum layout)variant->number, rows, 100, 3, variant->placement == PLACE_DEVICE);
    roost_table *const table = table_of(variant, ROOST_TYPE_STRING, 0, ROOST_TYPE_U32, 0);
    const roost_arrow keys = arrow_of(&s.made, -1);
    int failures = 0;
    for (uint64_t at = 1, all = 0; all < 4; at++) {
        struct answer a;
        struct ArrowArrayStream stream;
        struct ArrowArray batch = {0};
        arrow_refused = at;
        const roost_status inserted = roost_insert_arrow(table, ROOST_ADD, &keys, NULL, NULL);
        all = arrow_refused > 0;
        arrow_refused = at;
        const roost_status found = roost_find_arrow(table, &keys, &a.schema, &a.array, NULL);
        all += arrow_refused > 0;
        arrow_refused = at;
        const roost_status exported = roost_export_arrow(table, &stream, 64, 0, NULL);
        all += arrow_refused > 0;
        arrow_refused = exported ? 0 : at;
        const int next = exported ? 0 : stream.get_next(&stream, &batch);
        all += arrow_refused > 0;
        arrow_refused = 0;
        require(!inserted || inserted == ROOST_ERR_MEMORY, "the insert returned %d", (int)inserted);
        require(!found || found == ROOST_ERR_MEMORY, "the find returned %d", (int)found);
        require(!exported || exported == ROOST_ERR_MEMORY, "the export returned %d", (int)exported);
        require(!next || next == ENOMEM, "the batch failed with %d", next);
        failures += !!inserted + !!found + !!exported + !!next;
        if (!found) answer_end(&a);
        if (batch.release) batch.release(&batch);
        if (!exported) stream.release(&stream);
        require(at < 100, "there is no end");
        nothing_kept((struct arrow_made *[]){&s.made}, 1);
    }
    require(failures > 15, "only %d blocks were refused", failures);
    roost_table_destroy(table);
    layout_end(&s);
    free(rows);
}

/* ---- The device's events --------------------------------------------------------------------- */

#if ROOST_WITH_CUDA
/* Keys arrive on another stream, behind much work; the insert follows their event. */
static void events(const struct variant *variant)
{
    enum { KEYS = 1 << 16, WORK = 1 << 28 };
    uint64_t *const patterns = make_patterns(KEYS);
    struct arrow_made key, old;
    cudaStream_t stream;
    cudaEvent_t event;
    void *work;
    roost_stats stats;
    for (size_t i = 0; i < KEYS; i++) patterns[i] = 0;
    arrow_integers(&key, "L", 8, patterns, KEYS, 0, true);
    for (size_t i = 0; i < KEYS; i++) patterns[i] = i + 1;
    arrow_integers(&old, "L", 8, patterns, KEYS, 0, true);
    require(!cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) && !cudaEventCreate(&event) && !cudaMalloc(&work, WORK),
            "the test's own CUDA call failed");
    roost_table *const table = table_of(variant, ROOST_TYPE_U64, 0, ROOST_TYPE_NONE, 0);
    for (int i = 0; i < 50; i++) (void)cudaMemsetAsync(work, i, WORK, stream);
    require(!cudaMemcpyAsync((void *)(uintptr_t)key.buffers[1], old.buffers[1], KEYS * 8, cudaMemcpyDeviceToDevice, stream) &&
                !cudaEventRecord(event, stream),
            "the test's own CUDA call failed");
    roost_arrow keys = arrow_of(&key, -1);
    keys.sync_event = &event;
    if (variant->number) key.schema.dictionary = NULL, keys.device_type = ARROW_DEVICE_CUDA_MANAGED;
    require_status(ROOST_OK, roost_insert_arrow(table, ROOST_ASSIGN, &keys, NULL, NULL), table);
    require_status(ROOST_OK, roost_table_sync(table, NULL), table);
    require_status(ROOST_OK, roost_table_stats(table, &stats, sizeof stats), table);
    require(stats.count == KEYS, "%d keys: the insert did not follow the event", (int)stats.count);
    roost_table_destroy(table);
    (void)cudaStreamDestroy(stream), (void)cudaEventDestroy(event), (void)cudaFree(work);
    arrow_end(&key), arrow_end(&old);
    free(patterns);
}
#endif

/* Only one engine has keys that are strings. */
static void strings_add(void)
{
    if (!engine_is_built("stadium")) return;
    for (uint64_t layout = 0; layout < LAYOUTS; layout++) {
        suite_add_placed("strings of a layout", strings_of_a_layout, (struct variant){.number = layout});
        suite_add_placed("groups", groups, (struct variant){.number = layout});
        suite_add_placed("joins", joins, (struct variant){.number = layout});
        suite_add_placed("refused blocks", refused_blocks, (struct variant){.number = layout});
    }
    suite_add_once("long strings", long_strings);
    suite_add_placed("numbers", numbers, (struct variant){0});
    suite_add_once("wrong columns", wrong_columns);
    suite_add_once("wrong views", wrong_views);
    suite_add_once("random bytes", random_bytes);
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    suite_add_widths("rows of a table", rows_of_a_table);
    suite_add_widths("in place", in_place);
    suite_add_placed("formats", formats, (struct variant){0});
    suite_add_once("formats refused", formats_refused);
    strings_add();
    suite_add_placed("structs", structs, (struct variant){0});
    suite_add_once("streams in", streams_in);
    suite_add_once("streams that fail", streams_that_fail);
    suite_add_once("disturbed streams", disturbed_streams);
    if (!settings_on_gpu()) suite_add_once("ranks", ranks);
    suite_add_once("wrong indices", wrong_indices);
    suite_add_placed("values that are NULL", values_that_are_null, (struct variant){0});
#if ROOST_WITH_CUDA
    if (settings_on_gpu()) {
        suite_add("events", events, (struct variant){.shape = &shapes[0]});
        suite_add("events", events, (struct variant){.shape = &shapes[0], .number = 1});
    }
#endif
    return suite_run("arrow");
}
