/* Writes keys and counts as text.  Lines are put together in a buffer, because a call of printf for
 * each takes longer than counting. */
#include "cli/count_output.h"

#include <string.h>

#include "cli/command.h"
#include "cli/table_walk.h"

enum { BUFFER = 1 << 16, COUNT_DIGITS = 20 };

struct lines {
    struct outfile *file;
    struct key_form form;
    struct key_text text;
    bool failed; /* a write */
    size_t used;
    char buffer[BUFFER];
};

static void flush(struct lines *lines)
{
    fwrite(lines->buffer, 1, lines->used, lines->file->stream);
    lines->failed = !outfile_good(lines->file);
    lines->used = 0;
}

static void put(struct lines *lines, const char *text, size_t length)
{
    if (length > BUFFER - lines->used) flush(lines);
    if (length > BUFFER) {
        fwrite(text, 1, length, lines->file->stream);
        lines->failed = !outfile_good(lines->file);
    } else {
        memcpy(lines->buffer + lines->used, text, length);
        lines->used += length;
    }
}

/* Ends a line with a count. */
static void put_count(struct lines *lines, uint64_t count)
{
    char text[COUNT_DIGITS + 2], *const end = text + sizeof text;
    char *first = end;
    *--first = '\n';
    do *--first = (char)('0' + count % 10);
    while ((count /= 10) > 0);
    *--first = '\t';
    put(lines, first, (size_t)(end - first));
}

/* key: NULL, if memory was refused for it. */
static int put_line(struct lines *lines, const char *key, uint64_t count)
{
    if (key == NULL) return command_fail("%s: out of memory for a key", lines->file->name);
    put(lines, key, lines->form.spelling == SPELL_KMER ? lines->form.kmer : strlen(key));
    put_count(lines, count);
    return 0;
}

static int finish(struct lines *lines, int result)
{
    flush(lines);
    key_text_release(&lines->text);
    return result;
}

int count_output_list(struct outfile *file, struct key_form form, const struct harvest *harvest)
{
    struct lines lines = {.file = file, .form = form};
    int result = 0;
    for (size_t i = 0; result == 0 && i < harvest->all_n && !lines.failed; i++) {
        const char *key = key_spell(&lines.text, form, &harvest->store, harvest->all[i].key);
        result = put_line(&lines, key, harvest->all[i].count);
    }
    return finish(&lines, result);
}

static int put_walked(struct lines *lines, const struct table_walk *walk, size_t i, size_t count_bytes)
{
    const char *key = key_kind_is_bytes(walk->kind)
                          ? key_spell_bytes(&lines->text, lines->form, table_walk_key(walk, i))
                          : key_spell(&lines->text, lines->form, NULL, key_load(walk->keys, i, walk->kind.bytes));
    return put_line(lines, key, key_load(walk->values, i, count_bytes));
}

int count_output_table(struct outfile *file, struct key_form form, const roost_table *table, const struct harvest_wish *wish)
{
    struct lines lines = {.file = file, .form = form};
    struct table_walk walk;
    int result = table_walk_begin(&walk, table, wish->kind, wish->count_bytes);
    while (result == 0 && !walk.cursor.end && !lines.failed) {
        result = table_walk_next(&walk);
        for (size_t i = 0; result == 0 && i < walk.n; i++) result = put_walked(&lines, &walk, i, wish->count_bytes);
    }
    table_walk_release(&walk);
    return finish(&lines, result);
}
