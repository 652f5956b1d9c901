/* Writes rows of keys and their values. */
#include "cli/count_list.h"

#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/json.h"
#include "cli/outpack.h"

/* Bytes of rows that are written together. */
enum { WRITE_BYTES = 1 << 16 };

static const char *const format_names[] = {
    [LIST_TSV] = "tsv", [LIST_CSV] = "csv", [LIST_JSON_LINES] = "jsonl", [LIST_FASTA] = "fasta"};

bool count_list_format_named(const char *name, enum list_format *format)
{
    for (size_t i = 0; i < sizeof format_names / sizeof format_names[0]; i++) {
        if (strcmp(name, format_names[i]) != 0) continue;
        *format = (enum list_format)i;
        return true;
    }
    return false;
}

enum list_format count_list_format(const char *name)
{
    if (outpack_name_ends(name, ".csv")) return LIST_CSV;
    if (outpack_name_ends(name, ".fa") || outpack_name_ends(name, ".fasta")) return LIST_FASTA;
    return outpack_name_ends(name, ".jsonl") || outpack_name_ends(name, ".ndjson") ? LIST_JSON_LINES : LIST_TSV;
}

static void flush(struct list_writer *w)
{
    if (w->rows.used > 0) fwrite(w->rows.bytes, 1, w->rows.used, w->list->file->stream);
    w->failed = !outfile_good(w->list->file);
    w->rows.used = 0;
}

static void add_text(struct row_text *rows, const char *text) { row_text_add(rows, text, strlen(text)); }

/* A key is a string, as no number of JSON has 64 bits in all programs. */
static void add_json(struct list_writer *w, const char *key, const void *value)
{
    struct row_text *const rows = &w->rows;
    json_t *spelled = key != NULL ? json_text(key) : json_null();
    char *text = spelled != NULL ? json_dumps(spelled, JSON_ENCODE_ANY) : NULL;
    rows->failed = rows->failed || text == NULL;
    add_text(rows, "{\"key\": ");
    if (text != NULL) add_text(rows, text);
    free(text);
    json_decref(spelled);
    if (w->list->value.type != ROOST_TYPE_NONE) {
        add_text(rows, ", \"");
        add_text(rows, w->list->value.name);
        add_text(rows, "\": ");
        if (value != NULL) value_spell(rows, w->list->value, value, true);
        else add_text(rows, "null");
    }
    row_text_byte(rows, '}');
}

static void add_value(struct list_writer *w, const void *value)
{
    if (value != NULL) value_spell(&w->rows, w->list->value, value, false);
    else row_text_byte(&w->rows, '-');
}

/* An empty key needs no quotes in csv, because records without a key are KEY_NULL. */
static void add_fields(struct list_writer *w, const char *key, const void *value)
{
    const bool csv = w->list->format == LIST_CSV;
    if (!csv) add_text(&w->rows, key);
    else if (*key != 0) row_text_field(&w->rows, (const uint8_t *)key, strlen(key), false);
    if (w->list->value.type == ROOST_TYPE_NONE) return;
    row_text_byte(&w->rows, csv ? ',' : '\t');
    add_value(w, value);
}

static void add_fasta(struct list_writer *w, const char *key, const void *value)
{
    row_text_byte(&w->rows, '>');
    if (w->list->value.type != ROOST_TYPE_NONE) add_value(w, value);
    row_text_byte(&w->rows, '\n');
    add_text(&w->rows, key);
}

static bool is_listed(const struct count_list *list, const void *value)
{
    if (value == NULL || !value_is_unsigned(list->value)) return true;
    const uint64_t count = key_load(value, 0, list->value.bytes);
    return count >= list->least_count && count <= list->most_count;
}

/* key: NULL: of records without a key. */
static int add_row(struct list_writer *w, const char *key, const void *value)
{
    struct row_text *rows = &w->rows;
    if (!is_listed(w->list, value)) return 0;
    switch (w->list->format) {
    case LIST_TSV:
    case LIST_CSV: add_fields(w, key != NULL ? key : KEY_NULL, value); break;
    case LIST_JSON_LINES: add_json(w, key, value); break;
    case LIST_FASTA: add_fasta(w, key != NULL ? key : KEY_NULL, value); break;
    }
    row_text_byte(rows, '\n');
    if (rows->failed) return command_fail("%s: out of memory for a key", w->list->file->name);
    if (rows->used >= WRITE_BYTES) flush(w);
    return 0;
}

int list_add(struct list_writer *w, const char *key, const void *value)
{
    w->rows.failed = w->rows.failed || key == NULL;
    return add_row(w, key, value);
}

/* A count as a value of the list. */
static const void *value_of(const struct count_list *list, const uint64_t *count, uint32_t *narrow)
{
    *narrow = (uint32_t)*count;
    return list->value.bytes == 4 ? (const void *)narrow : (const void *)count;
}

int list_begin(struct list_writer *w, const struct count_list *list)
{
    uint32_t narrow;
    memset(w, 0, sizeof *w);
    w->list = list;
    if (list->format == LIST_CSV) {
        add_text(&w->rows, list->value.type == ROOST_TYPE_NONE ? "key" : "key,");
        if (list->value.type != ROOST_TYPE_NONE) add_text(&w->rows, list->value.name);
        row_text_byte(&w->rows, '\n');
    }
    return list->nulls > 0 ? add_row(w, NULL, value_of(list, &list->nulls, &narrow)) : 0;
}

int list_end(struct list_writer *w, int result)
{
    flush(w);
    key_text_release(&w->spelling);
    row_text_release(&w->rows);
    return result;
}

int count_list_harvest(const struct count_list *list, const struct harvest *harvest)
{
    struct list_writer w;
    uint32_t narrow;
    int result = list_begin(&w, list);
    for (size_t i = 0; result == 0 && i < harvest->all_n && !w.failed; i++)
        result = list_add(&w, key_spell(&w.spelling, list->form, &harvest->store, harvest->all[i].key),
                          value_of(list, &harvest->all[i].count, &narrow));
    return list_end(&w, result);
}

/* Spells key i of a step of a walk. */
static const char *spell_walked(struct list_writer *w, const struct table_walk *walk, size_t i)
{
    if (key_kind_is_bytes(walk->kind)) return key_spell_bytes(&w->spelling, w->list->form, table_walk_key(walk, i));
    return key_spell(&w->spelling, w->list->form, NULL, key_load(walk->keys, i, walk->kind.bytes));
}

int count_list_table(const struct count_list *list, const roost_table *table, struct key_kind kind)
{
    struct list_writer w;
    struct table_walk walk;
    const size_t bytes = list->value.bytes;
    int result = table_walk_begin(&walk, table, kind, bytes);
    const int begun = list_begin(&w, list);
    result = result == 0 ? begun : result;
    while (result == 0 && !walk.cursor.end && !w.failed) {
        result = table_walk_next(&walk);
        for (size_t i = 0; result == 0 && i < walk.n; i++)
            result = list_add(&w, spell_walked(&w, &walk, i), (const uint8_t *)walk.values + i * bytes);
    }
    table_walk_release(&walk);
    return list_end(&w, result);
}
