/* Reads files and adds their rows to groups.
 *
 * A group's key is the text of its fields side by side, as a word (key_words.h).  A column of
 * numbers is two columns of the library, one for integers and one for other numbers: an item is in
 * one of them, and NULL in the other.  So integers are exact whatever else the column has.
 *
 * That takes twice the time, so a column whose first batch has integers alone, and no NULL, is
 * narrow: one column of the library, never NULL.  If another item comes later, all is begun again
 * with two columns.  Files that can be read once have no narrow columns. */
#define _GNU_SOURCE 1
#include "cli/group_rows.h"

#include <stdlib.h>
#include <string.h>

#include "cli/clock.h"
#include "cli/command.h"
#include "cli/devices.h"
#include "cli/group_spell.h"
#include "cli/progress.h"
#include "io/io_bytes.h"

#define VALUES_MOST (2 * IO_TAKES_MOST)

/* ---- Groups ---------------------------------------------------------------------------------- */

static void add_aggregate(struct group_rows *rows, roost_aggregate_kind kind, int column)
{
    if (column < 0) return;
    rows->aggregates[rows->aggregates_n].kind = kind;
    rows->aggregates[rows->aggregates_n++].column = column;
}

/* Plans what a column of the output needs: of integers, and of other numbers. */
static void plan_wish(struct group_rows *rows, const struct wish *wish)
{
    static const roost_aggregate_kind kinds[] = {
        [WISH_SUM] = ROOST_SUM, [WISH_MIN] = ROOST_SMALLEST, [WISH_MAX] = ROOST_LARGEST, [WISH_MEAN] = ROOST_MEAN};
    const int whole = rows->whole_column[wish->column], real = rows->real_column[wish->column];
    switch (wish->kind) {
    case WISH_COUNT: add_aggregate(rows, ROOST_COUNT_ROWS, 0); break;
    case WISH_SUM:
    case WISH_MIN:
    case WISH_MAX: add_aggregate(rows, kinds[wish->kind], whole), add_aggregate(rows, kinds[wish->kind], real); break;
    case WISH_MEAN:
        add_aggregate(rows, ROOST_MEAN, whole), add_aggregate(rows, ROOST_COUNT_VALUES, whole);
        add_aggregate(rows, ROOST_MEAN, real), add_aggregate(rows, ROOST_COUNT_VALUES, real);
        break;
    case WISH_DISTINCT: add_aggregate(rows, ROOST_COUNT_DISTINCT, rows->text_column[wish->column]); break;
    }
}

static int set_column(roost_column *column, int n, roost_type type, bool nullable)
{
    const roost_column init = ROOST_COLUMN_INIT;
    column[n] = init;
    column[n].type = type;
    column[n].nullable = nullable;
    return n;
}

/* The library's value columns, without arrays. */
static int value_columns(struct group_rows *rows, roost_column *values)
{
    int n = 0;
    for (size_t v = 0; v < rows->options->numbers.n; v++) {
        rows->whole_column[v] = set_column(values, n++, ROOST_TYPE_I64, !rows->narrow[v]);
        rows->real_column[v] = rows->narrow[v] ? -1 : set_column(values, n++, ROOST_TYPE_F64, true);
    }
    for (size_t t = 0; t < rows->options->texts.n; t++) rows->text_column[t] = set_column(values, n++, ROOST_TYPE_U64, true);
    return n;
}

static int make_groups(struct group_rows *rows)
{
    const struct group_options *const options = rows->options;
    const struct relation_options *const relation = &options->relation;
    roost_group_config config = ROOST_GROUP_CONFIG_INIT;
    roost_column key, values[VALUES_MOST];
    set_column(&key, 0, ROOST_TYPE_U64, false);
    config.engine = relation->engine;
    config.device = rows->keys.device;
    config.threads = relation->threads;
    config.capacity = relation->capacity;
    config.key_columns = 1;
    config.keys = &key;
    config.value_columns = value_columns(rows, values);
    config.values = values;
    rows->aggregates_n = 0;
    for (size_t w = 0; w < options->wishes_n; w++) {
        rows->first[w] = rows->aggregates_n;
        plan_wish(rows, &options->wishes[w]);
    }
    config.aggregates = rows->aggregates_n;
    config.aggregate = rows->aggregates;
    return roost_group_create(&rows->group, &config) == ROOST_OK ? 0 : relation_fail("groups");
}

static int begin(struct group_rows *rows)
{
    const struct group_options *const options = rows->options;
    const size_t numbers = options->numbers.n, texts = options->texts.n;
    if (1 + numbers + texts > IO_TAKES_MOST || 2 * numbers + texts > ROOST_GROUP_VALUES_MOST)
        return command_misused("too many different columns");
    rows->texts = (struct key_words *)calloc(texts + 1, sizeof *rows->texts);
    rows->text_words = (uint64_t **)calloc(texts + 1, sizeof *rows->text_words);
    if (rows->texts == NULL || rows->text_words == NULL) return command_fail("out of memory");
    rows->keys.device = devices_resolve(options->relation.device);
    rows->keys.threads = relation_options_threads(&options->relation);
    for (size_t t = 0; t < texts; t++) rows->texts[t].device = rows->keys.device, rows->texts[t].threads = rows->keys.threads;
    return 0;
}

/* Is each item of the batch an integer? */
static bool is_narrow(const struct io_batch *batch, size_t v) { return batch->taken[1 + v].wholes == batch->rows; }

/* Before the first batch: which columns are narrow. */
static void choose_narrow(struct group_rows *rows, const struct io_batch *batch)
{
    const struct relation_options *const relation = &rows->options->relation;
    bool narrow = true;
    for (size_t i = 0; i < relation->files_n; i++) narrow = narrow && relation_options_is_regular(relation->files[i]);
    for (size_t v = 0; v < rows->options->numbers.n; v++) rows->narrow[v] = narrow && is_narrow(batch, v);
    rows->chosen = true;
}

/* ---- Batches --------------------------------------------------------------------------------- */

static int words_room(struct group_rows *rows, size_t n)
{
    if (n <= rows->words_room) return 0;
    const size_t bytes = n * sizeof(uint64_t);
    bool made = io_enlarge(&rows->words, bytes);
    if (rows->options->typed) made = made && io_enlarge(&rows->spelled_offsets, bytes + sizeof(uint64_t));
    for (size_t t = 0; t < rows->options->texts.n; t++) made = made && io_enlarge(&rows->text_words[t], bytes);
    if (!made) return command_fail("out of memory for a batch of %zu rows", n);
    rows->words_room = n;
    return 0;
}

static int make_keys(struct group_rows *rows, const struct io_batch *batch)
{
    struct texts keys = {batch->taken[0].offsets, batch->taken[0].bytes, batch->rows};
    if (rows->options->typed) {
        if (!group_spell(rows->options, &keys, &rows->spelled, rows->spelled_offsets))
            return command_fail("out of memory for keys");
        keys.offsets = rows->spelled_offsets;
        keys.bytes = rows->spelled.bytes;
    }
    return key_words_make(&rows->keys, &keys, rows->words);
}

/* Gives the value columns the batch's arrays. */
static int make_values(struct group_rows *rows, const struct io_batch *batch, roost_column *values)
{
    const size_t numbers = rows->options->numbers.n;
    for (size_t v = 0; v < numbers; v++) {
        const struct io_taken *const taken = &batch->taken[1 + v];
        roost_column *const whole = &values[rows->whole_column[v]];
        whole->values = taken->whole;
        if (rows->narrow[v]) continue;
        whole->validity = taken->whole_validity;
        values[rows->real_column[v]].values = taken->real;
        values[rows->real_column[v]].validity = taken->real_validity;
        rows->real[v] = rows->real[v] || taken->reals > 0;
    }
    for (size_t t = 0; t < rows->options->texts.n; t++) {
        const struct io_taken *const taken = &batch->taken[1 + numbers + t];
        const struct texts texts = {taken->offsets, taken->bytes, batch->rows};
        const int result = key_words_make(&rows->texts[t], &texts, rows->text_words[t]);
        if (result != 0) return result;
        values[rows->text_column[t]].values = rows->text_words[t];
        values[rows->text_column[t]].validity = taken->validity;
    }
    return 0;
}

/* Adds the batch's rows, or finds that a column is not narrow. */
static int add_batch(struct group_rows *rows, const struct io_batch *batch)
{
    roost_column key, values[VALUES_MOST];
    const double start = clock_seconds();
    if (!rows->chosen) choose_narrow(rows, batch);
    for (size_t v = 0; v < rows->options->numbers.n; v++) {
        if (!rows->narrow[v] || is_narrow(batch, v)) continue;
        rows->narrow[v] = false;
        rows->again = true;
    }
    if (rows->again) return 0;
    int result = rows->group == NULL ? make_groups(rows) : 0;
    if (result == 0) result = words_room(rows, batch->rows);
    if (result == 0) result = make_keys(rows, batch);
    set_column(&key, 0, ROOST_TYPE_U64, false);
    value_columns(rows, values);
    if (result == 0) result = make_values(rows, batch, values);
    if (result != 0) return result;
    key.values = rows->words;
    if (roost_group_add(rows->group, &key, values, batch->rows, NULL) != ROOST_OK) return relation_fail("groups");
    rows->rows += batch->rows;
    rows->table_seconds += clock_seconds() - start;
    return 0;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Keeps the name of a column. */
static int keep_title(struct column_names *titles, const struct io_table *table, size_t column)
{
    size_t length;
    const char *const name = io_table_name(table, column, &length);
    titles->name[titles->n] = strndup(name, length);
    return titles->name[titles->n++] != NULL ? 0 : command_fail("out of memory");
}

/* Says what to make of the file's records: the key, the numbers, the texts. */
static int take_columns(struct group_rows *rows, struct io_table *table, const char *path, size_t *columns)
{
    const struct group_options *const options = rows->options;
    const struct column_names *const lists[] = {&options->by, &options->numbers, &options->texts};
    struct column_names *const titles[] = {&rows->by_titles, &rows->number_titles, &rows->text_titles};
    struct io_take takes[IO_TAKES_MOST];
    struct io_error error;
    size_t n = 1, c = 0;
    for (size_t l = 0; l < 3; l++) {
        for (size_t i = 0; i < lists[l]->n; i++, c++) {
            int result = column_names_find(lists[l]->name[i], table, path, &columns[c]);
            if (result == 0 && titles[l]->n == i) result = keep_title(titles[l], table, columns[c]);
            if (result != 0) return result;
            if (l > 0) takes[n++] = (struct io_take){l == 1 ? IO_TAKE_NUMBER : IO_TAKE_TEXT, &columns[c], 1, ',', true, NULL};
        }
    }
    for (size_t i = 1; i < options->by.n; i++)
        for (size_t k = 0; k < i; k++)
            if (columns[i] == columns[k]) return command_fail("%s: --by has the column '%s' twice", path, options->by.name[i]);
    takes[0] = (struct io_take){IO_TAKE_TEXT, columns, options->by.n, ',', true, options->typed ? options->as : NULL};
    return io_table_take(table, takes, n, &error) == IO_OK ? 0 : command_fail("%s", error.text);
}

static int read_table(struct group_rows *rows, struct io_table *table, const char *path)
{
    size_t columns[3 * COLUMN_NAMES_MOST];
    struct io_batch batch;
    struct io_error error;
    int result = take_columns(rows, table, path, columns);
    while (result == 0 && !rows->again) {
        if (io_table_next(table, &batch, &error) != IO_OK) return command_fail("%s", error.text);
        if (batch.rows == 0) break;
        result = add_batch(rows, &batch);
        progress_show(rows->bytes_done + io_table_position(table), rows->rows);
    }
    rows->bytes_done += io_table_position(table);
    if (result == 0 && !rows->again) rows->left_out += relation_options_warn(&rows->options->relation, path, table);
    return result;
}

static int read_files(struct group_rows *rows)
{
    const struct relation_options *const relation = &rows->options->relation;
    int result = 0;
    for (size_t i = 0; i < relation->files_n && result == 0 && !rows->again; i++) {
        struct io_table *table;
        result = relation_options_open(relation, relation->files[i], &table);
        if (result == 0) result = read_table(rows, table, relation->files[i]);
        io_table_close(table);
    }
    return result;
}

int group_rows_read(struct group_rows *rows)
{
    int result = begin(rows);
    if (result == 0) result = read_files(rows);
    while (result == 0 && rows->again) {
        roost_group_destroy(rows->group);
        rows->group = NULL;
        rows->rows = rows->left_out = rows->bytes_done = 0;
        rows->again = false;
        result = read_files(rows);
    }
    progress_end();
    return result == 0 && rows->group == NULL ? make_groups(rows) : result;
}

void group_rows_release(struct group_rows *rows)
{
    roost_group_destroy(rows->group);
    key_words_release(&rows->keys);
    for (size_t t = 0; t < rows->options->texts.n; t++) {
        if (rows->texts != NULL) key_words_release(&rows->texts[t]);
        if (rows->text_words != NULL) free(rows->text_words[t]);
    }
    column_names_release(&rows->by_titles);
    column_names_release(&rows->number_titles);
    column_names_release(&rows->text_titles);
    free(rows->texts);
    free(rows->text_words);
    free(rows->words);
    free(rows->spelled_offsets);
    row_text_release(&rows->spelled);
}
