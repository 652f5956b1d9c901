/* Reads rows for --verify, by lines and strings. */
#define _GNU_SOURCE 1
#include "cli/verify_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/verify_fields.h"
#include "cli/verify_files.h"
#include "cli/verify_record.h"

#define NUMBER_BYTES 1024 /* of the longest number */

/* A file while it is read. */
struct source {
    const struct verify_rows_plan *plan;
    FILE *file;
    struct verify_ends ends;
    struct verify_record record;
    size_t fields; /* of the header */
    size_t *place; /* of each field among the columns that are kept, from 1; 0: it is not kept */
    size_t *next;  /* another place of the same field; 0: there is none */
    /* Of the columns that are kept; NULL: they are text. */
    const struct verify_type *types;
};

/* ---- Columns --------------------------------------------------------------------------------- */

/* A list of places for each field: of columns, the last first. */
static void place_column(struct source *source, size_t field, size_t column)
{
    source->next[column] = source->place[field];
    source->place[field] = column + 1;
}

/* Is the option's name that of this field? */
static bool is_named(const char *wanted, size_t field, const char *name, size_t length)
{
    if (strspn(wanted, "0123456789") == strlen(wanted)) return strtoull(wanted, NULL, 10) == field + 1;
    if (*wanted == '=') wanted++;
    return strlen(wanted) == length && memcmp(wanted, name, length) == 0;
}

/* Reads the header: which field is which column. */
static bool read_header(struct source *source, struct verify_rows *rows, const char *const *wanted, size_t wanted_n)
{
    struct verify_record *const record = &source->record;
    const size_t most = record->length + 1;
    char *at = record->text;
    size_t length, found = 0;
    const bool keeps_names = rows->names == NULL;
    source->place = (size_t *)calloc(most, sizeof *source->place);
    source->next = (size_t *)calloc(most + wanted_n, sizeof *source->next);
    if (keeps_names) rows->names = (char **)calloc(most + wanted_n, sizeof *rows->names);
    if (source->place == NULL || source->next == NULL || rows->names == NULL) return false;
    for (char *field; (field = verify_record_field(&at, record->text + record->length, source->ends.separator, &length)) != NULL;
         source->fields++) {
        if (wanted == NULL) {
            place_column(source, source->fields, source->fields);
            if (keeps_names) rows->names[source->fields] = strdup(field);
        }
        for (size_t i = 0; i < wanted_n; i++) {
            if (!is_named(wanted[i], source->fields, field, length)) continue;
            place_column(source, source->fields, i);
            if (keeps_names) rows->names[i] = strdup(field);
            found++;
        }
    }
    rows->columns = wanted == NULL ? source->fields : wanted_n;
    return wanted == NULL || found == wanted_n;
}

/* ---- Fields ---------------------------------------------------------------------------------- */

static bool parse_typed(const struct verify_type *type, const char *field, size_t length, uint64_t *key)
{
    const struct verify_plan plan = {.field = type->field, .decimals = type->decimals, .base = 10, .key_bytes = 8};
    if (!verify_field_parse(&plan, field, length, key)) return false;
    if (type->field == VERIFY_DATE) *key = (uint64_t)(int64_t)(int32_t)*key;
    return type->bytes == 8 || ((int64_t)*key >= INT32_MIN && (int64_t)*key <= INT32_MAX);
}

static bool is_number(const char *field, size_t length)
{
    char *end;
    if (length == 0 || length > NUMBER_BYTES || strspn(field, "+-.0123456789eE") != length) return false;
    strtod(field, &end);
    return *end == 0;
}

static bool has_type(const struct verify_type *type, const char *field, size_t length)
{
    uint64_t key;
    if (type->kind == VERIFY_TEXT) return true;
    if (strlen(field) != length) return false;
    return type->kind == VERIFY_NUMBER ? is_number(field, length) : parse_typed(type, field, length, &key);
}

int64_t verify_rows_number(const struct verify_rows *rows, const struct verify_type *type, const struct verify_cell *cell)
{
    uint64_t key = 0;
    parse_typed(type, rows->text + cell->at, cell->length, &key);
    return (int64_t)key;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static bool make_room(struct verify_rows *rows, size_t bytes)
{
    if (rows->used + bytes > rows->text_room) {
        const size_t room = 2 * (rows->used + bytes);
        char *const text = (char *)realloc(rows->text, room);
        if (text == NULL) return false;
        rows->text = text;
        rows->text_room = room;
    }
    if (rows->n == rows->room) {
        const size_t room = 2 * rows->room + 1000;
        struct verify_cell *const cells = (struct verify_cell *)realloc(rows->cells, room * rows->columns * sizeof *cells);
        if (cells == NULL) return false;
        rows->cells = cells;
        rows->room = room;
    }
    return true;
}

static bool is_null(const struct source *source, const char *field, size_t length, bool quoted)
{
    const char *const null = source->plan->null;
    return !quoted && (length == 0 || (null != NULL && strlen(null) == length && memcmp(null, field, length) == 0));
}

/* Keeps a field in the columns that want it.  False: the record is left out. */
static bool keep_field(struct source *source, struct verify_rows *rows, size_t field, const char *text, size_t length, bool quoted)
{
    for (size_t place = source->place[field]; place > 0; place = source->next[place - 1]) {
        struct verify_cell *const cell = &rows->cells[rows->n * rows->columns + place - 1];
        cell->null = is_null(source, text, length, quoted);
        if (!cell->null && source->types != NULL && !has_type(&source->types[place - 1], text, length)) {
            rows->left_out++;
            cell->null = true;
            if (source->plan->bad == VERIFY_BAD_SKIP) return false;
        }
        cell->at = rows->used;
        cell->length = (uint32_t)length;
        memcpy(rows->text + rows->used, text, length + 1);
        rows->used += length + 1;
    }
    return true;
}

static bool keep_record(struct source *source, struct verify_rows *rows)
{
    struct verify_record *const record = &source->record;
    char *at = record->text, *const end = record->text + record->length;
    const size_t used = rows->used;
    size_t fields = 0;
    bool good = true;
    if (!make_room(rows, (rows->columns + 1) * (record->length + 1))) return false;
    while (good && at <= end) {
        size_t length;
        const bool quoted = *at == '"' && source->ends.separator != '\t';
        const char *const field = verify_record_field(&at, end, source->ends.separator, &length);
        good = fields >= source->fields || keep_field(source, rows, fields, field, length, quoted);
        fields++;
    }
    rows->left_out += good && fields != source->fields;
    if (good && fields == source->fields) rows->n++;
    else rows->used = used;
    return true;
}

static bool read_records(struct source *source, struct verify_rows *rows, const char *const *wanted, size_t wanted_n)
{
    const struct verify_rows_plan *const plan = source->plan;
    bool header = true;
    int more;
    while ((more = verify_record_read(&source->record, source->file, source->ends, plan->comment)) > 0) {
        if (plan->skip_blank && source->record.length == 0) continue;
        if (!(header ? read_header(source, rows, wanted, wanted_n) : keep_record(source, rows))) return false;
        header = false;
    }
    return more == 0;
}

int verify_rows_read(struct verify_rows *rows, const struct verify_rows_plan *plan, const char *path, const char *const *wanted,
                     const struct verify_type *types, size_t wanted_n)
{
    struct source source = {.plan = plan, .types = types};
    const struct verify_syntax given = {plan->verbatim, plan->separator, plan->comment};
    source.file = verify_open(path, plan->verbatim);
    bool good = source.file != NULL && verify_find_ends(path, &given, &source.ends);
    if (good) verify_skip_mark(source.file);
    good = good && read_records(&source, rows, wanted, wanted_n) && feof(source.file);
    if (source.file != NULL && fclose(source.file) != 0) good = false;
    verify_record_release(&source.record);
    free(source.place);
    free(source.next);
    return good ? 0 : plan->say("--verify: %s cannot be read a second time", path);
}

size_t verify_rows_column(const struct verify_rows *rows, const char *wanted)
{
    size_t c = 0;
    while (c < rows->columns && !is_named(wanted, c, rows->names[c], strlen(rows->names[c]))) c++;
    return c;
}

void verify_put_text(FILE *to, const char *text, size_t length, bool tsv)
{
    bool quoted = length == 0;
    for (size_t i = 0; i < length; i++) quoted = quoted || strchr(",\"\r\n", text[i]) != NULL;
    if (tsv || !quoted) {
        fwrite(text, 1, length, to);
        return;
    }
    putc('"', to);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"') putc('"', to);
        putc(text[i], to);
    }
    putc('"', to);
}

void verify_rows_release(struct verify_rows *rows)
{
    for (size_t c = 0; rows->names != NULL && c < rows->columns; c++) free(rows->names[c]);
    free(rows->names);
    free(rows->text);
    free(rows->cells);
    memset(rows, 0, sizeof *rows);
}
