/* Writes rows of keys and counts.  Rows are put together in memory, because a call of printf for
 * each takes longer than counting. */
#include "cli/count_list.h"

#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/json.h"
#include "cli/outpack.h"
#include "cli/row_text.h"
#include "cli/table_walk.h"

/* Bytes of rows that are written together. */
enum { WRITE_BYTES = 1 << 16 };

struct writing {
    const struct count_list *list;
    struct key_text spelling;
    struct row_text rows;
    bool failed; /* a write */
};

enum list_format count_list_format(const char *name)
{
    if (outpack_name_ends(name, ".csv")) return LIST_CSV;
    return outpack_name_ends(name, ".jsonl") || outpack_name_ends(name, ".ndjson") ? LIST_JSON_LINES : LIST_TSV;
}

static void flush(struct writing *w)
{
    if (w->rows.used > 0) fwrite(w->rows.bytes, 1, w->rows.used, w->list->file->stream);
    w->failed = !outfile_good(w->list->file);
    w->rows.used = 0;
}

static void add_text(struct row_text *rows, const char *text) { row_text_add(rows, text, strlen(text)); }

/* A key is a string, as no number of JSON has 64 bits in all programs. */
static void add_json(struct row_text *rows, const char *key)
{
    json_t *value = key != NULL ? json_text(key) : json_null();
    char *text = value != NULL ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    rows->failed = rows->failed || text == NULL;
    add_text(rows, "{\"key\": ");
    if (text != NULL) add_text(rows, text);
    add_text(rows, ", \"count\": ");
    free(text);
    json_decref(value);
}

/* An empty key needs no quotes, because records without a key are KEY_NULL. */
static void add_csv(struct row_text *rows, const char *key)
{
    if (*key != 0) row_text_field(rows, (const uint8_t *)key, strlen(key), false);
    row_text_byte(rows, ',');
}

/* key: NULL: of records without a key. */
static int add_row(struct writing *w, const char *key, uint64_t count)
{
    struct row_text *rows = &w->rows;
    if (count < w->list->least_count || count > w->list->most_count) return 0;
    switch (w->list->format) {
    case LIST_TSV:
        add_text(rows, key != NULL ? key : KEY_NULL);
        row_text_byte(rows, '\t');
        break;
    case LIST_CSV: add_csv(rows, key != NULL ? key : KEY_NULL); break;
    case LIST_JSON_LINES: add_json(rows, key); break;
    }
    row_text_unsigned(rows, count);
    if (w->list->format == LIST_JSON_LINES) row_text_byte(rows, '}');
    row_text_byte(rows, '\n');
    if (rows->failed) return command_fail("%s: out of memory for a key", w->list->file->name);
    if (rows->used >= WRITE_BYTES) flush(w);
    return 0;
}

/* key: NULL, if memory was refused for it. */
static int add_key(struct writing *w, const char *key, uint64_t count)
{
    w->rows.failed = w->rows.failed || key == NULL;
    return add_row(w, key, count);
}

/* Writes what stands before the keys. */
static int begin(struct writing *w)
{
    if (w->list->format == LIST_CSV) add_text(&w->rows, "key,count\n");
    return w->list->nulls > 0 ? add_row(w, NULL, w->list->nulls) : 0;
}

static int finish(struct writing *w, int result)
{
    flush(w);
    key_text_release(&w->spelling);
    row_text_release(&w->rows);
    return result;
}

int count_list_harvest(const struct count_list *list, const struct harvest *harvest)
{
    struct writing w = {.list = list};
    int result = begin(&w);
    for (size_t i = 0; result == 0 && i < harvest->all_n && !w.failed; i++)
        result = add_key(&w, key_spell(&w.spelling, list->form, &harvest->store, harvest->all[i].key), harvest->all[i].count);
    return finish(&w, result);
}

/* Spells key i of a step of a walk. */
static const char *spell_walked(struct writing *w, const struct table_walk *walk, size_t i)
{
    if (key_kind_is_bytes(walk->kind)) return key_spell_bytes(&w->spelling, w->list->form, table_walk_key(walk, i));
    return key_spell(&w->spelling, w->list->form, NULL, key_load(walk->keys, i, walk->kind.bytes));
}

int count_list_table(const struct count_list *list, const roost_table *table, const struct harvest_wish *wish)
{
    struct writing w = {.list = list};
    struct table_walk walk;
    int result = table_walk_begin(&walk, table, wish->kind, wish->count_bytes);
    if (result == 0) result = begin(&w);
    while (result == 0 && !walk.cursor.end && !w.failed) {
        result = table_walk_next(&walk);
        for (size_t i = 0; result == 0 && i < walk.n; i++)
            result = add_key(&w, spell_walked(&w, &walk, i), key_load(walk.values, i, wish->count_bytes));
    }
    table_walk_release(&walk);
    return finish(&w, result);
}
