/* Writes groups as rows of csv or tsv. */
#include "cli/group_result.h"

#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/group_order.h"
#include "io/io_threads.h"

#define SHARE ((size_t)1 << 14) /* of rows that a thread makes at a time */

/* ---- Results --------------------------------------------------------------------------------- */

static bool make_arrays(struct group_result *result)
{
    const size_t n = result->n + 1;
    result->words = (uint64_t *)malloc(n * sizeof(uint64_t));
    result->key_ends = (uint64_t *)malloc(n * sizeof(uint64_t));
    bool made = result->words != NULL && result->key_ends != NULL;
    for (int a = 0; a < result->rows->aggregates_n; a++) {
        result->values[a] = (uint64_t *)malloc(n * sizeof(uint64_t));
        result->validity[a] = (uint8_t *)malloc((n + 7) / 8);
        made = made && result->values[a] != NULL && result->validity[a] != NULL;
    }
    return made;
}

static int take_results(struct group_result *result)
{
    roost_result key = ROOST_RESULT_INIT, results[AGGREGATES_MOST];
    size_t n;
    key.values = result->words;
    for (int a = 0; a < result->rows->aggregates_n; a++) {
        results[a] = (roost_result)ROOST_RESULT_INIT;
        results[a].values = result->values[a];
        results[a].validity = result->validity[a];
    }
    if (roost_group_export(result->rows->group, 0, result->n, &key, results, &n) != ROOST_OK) return relation_fail("groups");
    return 0;
}

/* Makes texts of the keys' words, and orders them. */
static bool make_keys(struct group_result *result)
{
    uint8_t small[KEY_WORD_TEXT];
    for (size_t i = 0; i < result->n; i++) {
        size_t length;
        const uint8_t *const text = key_words_text(&result->rows->keys, result->words[i], small, &length);
        row_text_add(&result->keys, text, length);
        result->key_ends[i] = result->keys.used;
    }
    if (result->keys.failed || result->rows->options->unsorted) return !result->keys.failed;
    const struct group_keys keys = {result->keys.bytes, result->key_ends, result->n};
    result->order = (uint64_t *)malloc((result->n + 1) * sizeof *result->order);
    return result->order != NULL && group_order(result->rows->options, &keys, result->order);
}

int group_result_take(struct group_result *result, const struct group_rows *rows)
{
    uint64_t groups;
    memset(result, 0, sizeof *result);
    result->rows = rows;
    if (roost_group_count(rows->group, &groups) != ROOST_OK) return relation_fail("groups");
    result->n = (size_t)groups;
    if (!make_arrays(result)) return command_fail("out of memory for %zu groups", result->n);
    const int failed = result->n > 0 ? take_results(result) : 0;
    if (failed != 0) return failed;
    return make_keys(result) ? 0 : command_fail("out of memory for %zu groups", result->n);
}

void group_result_release(struct group_result *result)
{
    for (int a = 0; a < AGGREGATES_MOST; a++) {
        free(result->values[a]);
        free(result->validity[a]);
    }
    free(result->words);
    free(result->key_ends);
    free(result->order);
    row_text_release(&result->keys);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static bool is_valid(const struct group_result *result, int a, size_t group)
{
    return result->validity[a][group / 8] >> group % 8 & 1;
}

static double as_double(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* What a group has of integers and of other numbers. */
struct halves {
    bool has_whole, has_real;
    int64_t whole;
    double real;
};

/* The halves of a column's aggregate a; a narrow one has no others than integers. */
static struct halves halves_of(const struct group_result *result, size_t column, int a, size_t group)
{
    struct halves halves = {is_valid(result, a, group), false, (int64_t)result->values[a][group], 0};
    if (result->rows->narrow[column]) return halves;
    halves.has_real = is_valid(result, a + 1, group);
    halves.real = as_double(result->values[a + 1][group]);
    return halves;
}

static double joined(enum wish_kind kind, const struct halves *h)
{
    const double whole = (double)h->whole;
    if (!h->has_real) return whole;
    if (!h->has_whole) return h->real;
    if (kind == WISH_SUM) return whole + h->real;
    return (kind == WISH_MIN) == (whole < h->real) ? whole : h->real;
}

static void add_number(const struct group_result *result, const struct wish *wish, int a, size_t group, struct row_text *row)
{
    const struct halves halves = halves_of(result, wish->column, a, group);
    if (!halves.has_whole && !halves.has_real) return;
    if (result->rows->real[wish->column]) row_text_real(row, joined(wish->kind, &halves));
    else row_text_number(row, halves.whole);
}

/* The mean of all items from those of both halves. */
static void add_mean(const struct group_result *result, size_t column, int a, size_t group, struct row_text *row)
{
    const bool has_whole = is_valid(result, a, group);
    if (result->rows->narrow[column]) {
        row_text_real(row, as_double(result->values[a][group]));
        return;
    }
    const bool has_real = is_valid(result, a + 2, group);
    const double whole = as_double(result->values[a][group]), real = as_double(result->values[a + 2][group]);
    const double wholes = (double)result->values[a + 1][group], reals = (double)result->values[a + 3][group];
    if (has_whole && has_real) row_text_real(row, (whole * wholes + real * reals) / (wholes + reals));
    else if (has_whole || has_real) row_text_real(row, has_whole ? whole : real);
}

static void add_wish(const struct group_result *result, size_t w, size_t group, struct row_text *row)
{
    const struct wish *const wish = &result->rows->options->wishes[w];
    const int a = result->rows->first[w];
    switch (wish->kind) {
    case WISH_COUNT:
    case WISH_DISTINCT: row_text_number(row, (int64_t)result->values[a][group]); break;
    case WISH_SUM:
    case WISH_MIN:
    case WISH_MAX: add_number(result, wish, a, group, row); break;
    case WISH_MEAN: add_mean(result, wish->column, a, group, row); break;
    }
}

/* Adds the key's fields.  The keys are kept as csv; for tsv the fields are taken out of it. */
static void add_key(const struct group_result *result, size_t group, struct row_fields *fields, struct row_text *row)
{
    const uint64_t begin = group > 0 ? result->key_ends[group - 1] : 0, end = result->key_ends[group];
    if (!result->rows->options->relation.tsv) {
        row_text_add(row, result->keys.bytes + begin, (size_t)(end - begin));
        return;
    }
    fields->at = result->keys.bytes + begin;
    fields->end = result->keys.bytes + end;
    for (size_t c = 0; row_fields_next(fields); c++) {
        if (c > 0) row_text_byte(row, '\t');
        if (!fields->null) row_text_field(row, fields->field, fields->length, true);
    }
}

static void add_row(const struct group_result *result, size_t i, struct row_fields *fields, struct row_text *row)
{
    const struct group_options *const options = result->rows->options;
    const size_t group = result->order != NULL ? (size_t)result->order[i] : i;
    add_key(result, group, fields, row);
    for (size_t w = 0; w < options->wishes_n; w++) {
        row_text_byte(row, options->relation.tsv ? '\t' : ',');
        add_wish(result, w, group, row);
    }
    row_text_byte(row, '\n');
}

/* ---- The header and the file ----------------------------------------------------------------- */

/* Adds the name of a column of the files, behind that of an aggregate. */
static void add_name(struct row_text *row, const char *aggregate, const char *column, bool tsv)
{
    struct row_text name = {.bytes = NULL};
    row_text_add(&name, aggregate, strlen(aggregate));
    if (*aggregate != 0 && *column != 0) row_text_byte(&name, '_');
    row_text_add(&name, column, strlen(column));
    row_text_field(row, name.bytes, name.used, tsv);
    row->failed = row->failed || name.failed;
    row_text_release(&name);
}

static void add_header(const struct group_rows *rows, struct row_text *row)
{
    const struct group_options *const options = rows->options;
    const bool tsv = options->relation.tsv;
    for (size_t c = 0; c < options->by.n; c++) {
        if (c > 0) row_text_byte(row, tsv ? '\t' : ',');
        add_name(row, "", rows->by_titles.name[c], tsv);
    }
    for (size_t w = 0; w < options->wishes_n; w++) {
        const struct wish *const wish = &options->wishes[w];
        const struct column_names *const names = wish->kind == WISH_DISTINCT ? &rows->text_titles : &rows->number_titles;
        row_text_byte(row, tsv ? '\t' : ',');
        add_name(row, wish_name(wish->kind), wish->kind == WISH_COUNT ? "" : names->name[wish->column], tsv);
    }
    row_text_byte(row, '\n');
}

#define ROWS_AHEAD 12

/* Groups in order lie anywhere, so what rows ahead will need is read early. */
static void prefetch_row(const struct group_result *result, size_t i)
{
    if (result->order == NULL || i >= result->n) return;
    const size_t group = (size_t)result->order[i];
    __builtin_prefetch(&result->key_ends[group]);
    for (int a = 0; a < result->rows->aggregates_n; a++) {
        __builtin_prefetch(&result->values[a][group]);
        __builtin_prefetch(&result->validity[a][group / 8]);
    }
}

/* What the threads that make rows share: each makes `share` rows from first + i * share on. */
struct writing {
    const struct group_result *result;
    size_t first, share;
    struct row_text text[IO_THREADS_MOST];
    struct row_fields fields[IO_THREADS_MOST];
};

static void make_rows(void *context, int i)
{
    struct writing *const writing = (struct writing *)context;
    const size_t first = writing->first + (size_t)i * writing->share, n = writing->result->n;
    /* Its own while it grows: the threads' texts lie in one line. */
    struct row_text text = writing->text[i];
    text.used = 0;
    for (size_t k = first; k < first + writing->share && k < n; k++) {
        prefetch_row(writing->result, k + ROWS_AHEAD);
        add_row(writing->result, k, &writing->fields[i], &text);
    }
    writing->text[i] = text;
}

static int write_text(const struct writing *writing, int i, struct outfile *output, struct verify_group *verify)
{
    const struct row_text *const text = &writing->text[i];
    if (text->failed || writing->fields[i].unquoted.failed)
        return command_fail("%s: a key has a tab or a line end, which tsv cannot hold, or memory was refused", output->name);
    if (text->used == 0) return 0;
    fwrite(text->bytes, 1, text->used, output->stream);
    if (!outfile_good(output)) return outfile_finish(output);
    return verify != NULL ? verify_group_row(verify, (const char *)text->bytes, text->used) : 0;
}

int group_result_write(const struct group_result *result, struct outfile *output, struct verify_group *verify)
{
    const int most = relation_options_threads(&result->rows->options->relation);
    /* Rows are compared one by one. */
    const int threads = verify != NULL ? 1 : most < IO_THREADS_MOST ? most : IO_THREADS_MOST;
    struct writing *const writing = (struct writing *)calloc(1, sizeof *writing);
    if (writing == NULL) return command_fail("out of memory");
    writing->result = result;
    writing->share = verify != NULL ? 1 : SHARE;
    add_header(result->rows, &writing->text[0]);
    int failed = write_text(writing, 0, output, verify);
    for (; failed == 0 && writing->first < result->n; writing->first += (size_t)threads * writing->share) {
        io_threads_run(threads, make_rows, writing);
        for (int i = 0; i < threads && failed == 0; i++) failed = write_text(writing, i, output, verify);
    }
    for (int i = 0; i < threads; i++) {
        row_text_release(&writing->text[i]);
        row_text_release(&writing->fields[i].unquoted);
    }
    free(writing);
    return failed == 0 ? outfile_finish(output) : failed;
}
