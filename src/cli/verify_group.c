/* Groups rows a second time, by sorting. */
#define _GNU_SOURCE 1
#include "cli/verify_group.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Sums of doubles depend on the order of additions: they may differ by this part of the sum of the
 * absolute values. */
#define TOLERANCE 1e-9

#define COLUMNS_MOST 512

struct verify_group {
    verify_say *say;
    struct verify_rows rows;
    /* Which columns are kept: the keys first, then each column of a wish. */
    const char *wanted[COLUMNS_MOST];
    struct verify_type types[COLUMNS_MOST];
    size_t wanted_n, by_n;
    struct {
        enum verify_aggregate kind;
        size_t column;
    } wish[COLUMNS_MOST];
    size_t wishes_n;
    bool tsv;
    bool *real;    /* of each column: it has a number that is no integer of 64 bits */
    size_t *order; /* rows by key */
    size_t next;   /* of `order`: where the next group begins */
    char *line;    /* the row that is expected */
    size_t line_bytes;
    double *spread; /* of each field of it: how far a number may be from it; 0: not at all */
    bool header_seen;
};

/* ---- Order ----------------------------------------------------------------------------------- */

static int compare_cells(const struct verify_group *v, size_t column, size_t a, size_t b)
{
    const struct verify_cell *const x = verify_rows_cell(&v->rows, a, column), *const y = verify_rows_cell(&v->rows, b, column);
    if (x->null || y->null) return (int)y->null - (int)x->null;
    if (v->types[column].kind == VERIFY_TYPED) {
        const int64_t m = verify_rows_number(&v->rows, &v->types[column], x),
                      n = verify_rows_number(&v->rows, &v->types[column], y);
        return (m > n) - (m < n);
    }
    const size_t shorter = x->length < y->length ? x->length : y->length;
    const int order = memcmp(v->rows.text + x->at, v->rows.text + y->at, shorter);
    return order != 0 ? order : (x->length > y->length) - (x->length < y->length);
}

static int compare_keys(const void *first, const void *second, void *context)
{
    const struct verify_group *const v = (const struct verify_group *)context;
    int order = 0;
    for (size_t c = 0; c < v->by_n && order == 0; c++) order = compare_cells(v, c, *(const size_t *)first, *(const size_t *)second);
    return order;
}

/* Rows of a group by one column, while its different texts are counted. */
struct column_order {
    const struct verify_group *v;
    size_t column;
};

static int compare_texts(const void *first, const void *second, void *context)
{
    const struct column_order *const order = (const struct column_order *)context;
    return compare_cells(order->v, order->column, *(const size_t *)first, *(const size_t *)second);
}

/* ---- Numbers --------------------------------------------------------------------------------- */

/* False: it is no integer of 64 bits. */
static bool integer_of(const char *text, long long *number)
{
    errno = 0;
    *number = strtoll(text, NULL, 10);
    return errno == 0 && strpbrk(text, ".eE") == NULL;
}

static void find_reals(struct verify_group *v)
{
    long long number;
    for (size_t c = v->by_n; c < v->wanted_n; c++)
        for (size_t i = 0; i < v->rows.n && v->types[c].kind == VERIFY_NUMBER; i++) {
            const struct verify_cell *const cell = verify_rows_cell(&v->rows, i, c);
            v->real[c] = v->real[c] || (!cell->null && !integer_of(v->rows.text + cell->at, &number));
        }
}

/* The numbers of a group's column. */
struct numbers {
    size_t n;
    __int128 whole; /* the sum of integers */
    double real;    /* the sum of the others */
    double size;    /* of the absolute values */
    long long least, most;
    double least_real, most_real;
    bool is_whole; /* all are integers */
};

static struct numbers numbers_of(const struct verify_group *v, size_t column, size_t first, size_t end)
{
    struct numbers numbers = {.least = INT64_MAX, .most = INT64_MIN, .least_real = INFINITY, .most_real = -INFINITY};
    for (size_t i = first; i < end; i++) {
        const struct verify_cell *const cell = verify_rows_cell(&v->rows, v->order[i], column);
        const char *const text = v->rows.text + cell->at;
        long long whole;
        if (cell->null) continue;
        const bool is_whole = integer_of(text, &whole);
        const double real = is_whole ? (double)whole : strtod(text, NULL);
        numbers.n++;
        if (is_whole) numbers.whole += whole;
        else numbers.real += real;
        numbers.size += fabs(real);
        if (is_whole && whole < numbers.least) numbers.least = whole;
        if (is_whole && whole > numbers.most) numbers.most = whole;
        numbers.least_real = fmin(numbers.least_real, real);
        numbers.most_real = fmax(numbers.most_real, real);
    }
    return numbers;
}

static size_t count_distinct(const struct verify_group *v, size_t column, size_t first, size_t end)
{
    size_t *const rows = (size_t *)malloc((end - first) * sizeof *rows), n = 0, distinct = 0;
    const struct column_order order = {v, column};
    if (rows == NULL) return SIZE_MAX;
    for (size_t i = first; i < end; i++)
        if (!verify_rows_cell(&v->rows, v->order[i], column)->null) rows[n++] = v->order[i];
    qsort_r(rows, n, sizeof *rows, compare_texts, (void *)&order);
    for (size_t i = 0; i < n; i++) distinct += i == 0 || compare_cells(v, column, rows[i - 1], rows[i]) != 0;
    free(rows);
    return distinct;
}

/* ---- Rows that are expected ------------------------------------------------------------------ */

/* A day and a time of it, in seconds since 1970. */
static void put_seconds(FILE *to, int64_t seconds, bool time_of_day)
{
    const time_t when = (time_t)seconds;
    struct tm tm;
    gmtime_r(&when, &tm);
    fprintf(to, "%04d-%02d-%02d", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday);
    if (time_of_day) fprintf(to, "T%02d:%02d:%02d", tm.tm_hour, tm.tm_min, tm.tm_sec);
}

static void put_fixed(FILE *to, int64_t number, unsigned decimals)
{
    char digits[32];
    const uint64_t size = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    const int length = snprintf(digits, sizeof digits, "%0*" PRIu64, (int)decimals + 1, size), whole = length - (int)decimals;
    fprintf(to, "%s%.*s%s%s", number < 0 ? "-" : "", whole, digits, decimals > 0 ? "." : "", digits + whole);
}

static void put_typed(FILE *to, const struct verify_type *type, int64_t number)
{
    const int64_t second = 1000000, fraction = (number % second + second) % second;
    switch (type->field) {
    case VERIFY_FIXED: put_fixed(to, number, type->decimals); break;
    case VERIFY_DATE: put_seconds(to, number * 86400, false); break;
    case VERIFY_TIME:
        put_seconds(to, (number - fraction) / second, true);
        if (fraction != 0) fprintf(to, ".%06d", (int)fraction);
        break;
    default: fprintf(to, "%" PRId64, number);
    }
}

static void put_key(const struct verify_group *v, FILE *to, const struct verify_cell *cell, const struct verify_type *type)
{
    if (cell->null) return;
    if (type->kind == VERIFY_TYPED) put_typed(to, type, verify_rows_number(&v->rows, type, cell));
    else verify_put_text(to, v->rows.text + cell->at, cell->length, v->tsv);
}

static void put_real(FILE *to, double number)
{
    char digits[40];
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, number);
        if (strtod(digits, NULL) == number) break;
    }
    fputs(digits, to);
}

static void put_sum(const struct verify_group *v, FILE *to, size_t column, const struct numbers *numbers, double *spread)
{
    if (!v->real[column]) {
        fprintf(to, "%lld", (long long)numbers->whole);
        return;
    }
    put_real(to, (double)numbers->whole + numbers->real);
    *spread = TOLERANCE * numbers->size;
}

static void put_wish(const struct verify_group *v, FILE *to, size_t w, size_t first, size_t end, double *spread)
{
    const size_t column = v->wish[w].column;
    const enum verify_aggregate kind = v->wish[w].kind;
    if (kind == VERIFY_COUNT) fprintf(to, "%zu", end - first);
    else if (kind == VERIFY_DISTINCT) fprintf(to, "%zu", count_distinct(v, column, first, end));
    if (kind == VERIFY_COUNT || kind == VERIFY_DISTINCT) return;
    const struct numbers numbers = numbers_of(v, column, first, end);
    if (numbers.n == 0) return;
    *spread = v->real[column] ? DBL_MIN : 0; /* -0 is 0 */
    switch (kind) {
    case VERIFY_SUM: put_sum(v, to, column, &numbers, spread); break;
    case VERIFY_MIN:
        if (v->real[column]) put_real(to, numbers.least_real);
        else fprintf(to, "%lld", numbers.least);
        break;
    case VERIFY_MAX:
        if (v->real[column]) put_real(to, numbers.most_real);
        else fprintf(to, "%lld", numbers.most);
        break;
    default:
        put_real(to, ((double)numbers.whole + numbers.real) / (double)numbers.n);
        *spread = TOLERANCE * numbers.size / (double)numbers.n;
    }
}

/* Writes the next group's row to v->line. */
static bool expect_group(struct verify_group *v, size_t end)
{
    FILE *const to = open_memstream(&v->line, &v->line_bytes);
    const size_t first = v->next;
    if (to == NULL) return false;
    for (size_t c = 0; c < v->by_n; c++) {
        if (c > 0) putc(v->tsv ? '\t' : ',', to);
        put_key(v, to, verify_rows_cell(&v->rows, v->order[first], c), &v->types[c]);
    }
    for (size_t w = 0; w < v->wishes_n; w++) {
        putc(v->tsv ? '\t' : ',', to);
        v->spread[w] = 0;
        put_wish(v, to, w, first, end, &v->spread[w]);
    }
    putc('\n', to);
    return fclose(to) == 0;
}

static bool expect_header(struct verify_group *v)
{
    static const char *const names[] = {"count", "sum", "min", "max", "mean", "distinct"};
    FILE *const to = open_memstream(&v->line, &v->line_bytes);
    char name[8192];
    if (to == NULL) return false;
    for (size_t c = 0; c < v->by_n; c++) {
        if (c > 0) putc(v->tsv ? '\t' : ',', to);
        verify_put_text(to, v->rows.names[c], strlen(v->rows.names[c]), v->tsv);
    }
    for (size_t w = 0; w < v->wishes_n; w++) {
        const char *const kind = names[v->wish[w].kind], *const column = v->rows.names[v->wish[w].column];
        const bool counts = v->wish[w].kind == VERIFY_COUNT;
        snprintf(name, sizeof name, "%s%s%s", kind, counts || *column == 0 ? "" : "_", counts ? "" : column);
        putc(v->tsv ? '\t' : ',', to);
        verify_put_text(to, name, strlen(name), v->tsv);
    }
    putc('\n', to);
    return fclose(to) == 0;
}

/* ---- Comparing ------------------------------------------------------------------------------- */

/* Does the row agree with the one that is expected, except for sums of doubles?  Both rows' fields
 * are compared from the last one on. */
static bool is_near(const struct verify_group *v, const char *row, size_t bytes)
{
    const char *a = row + bytes - 1, *b = v->line + v->line_bytes - 1;
    for (size_t w = v->wishes_n; w-- > 0;) {
        const char *const x = a, *const y = b, separator = v->tsv ? '\t' : ',';
        while (a > row && a[-1] != separator) a--;
        while (b > v->line && b[-1] != separator) b--;
        const bool same = x - a == y - b && memcmp(a, b, (size_t)(x - a)) == 0;
        const bool both = x > a && y > b && v->spread[w] > 0;
        if (!same && !(both && fabs(strtod(a, NULL) - strtod(b, NULL)) <= v->spread[w])) return false;
        a--, b--;
        if (a < row || b < v->line) return false;
    }
    return a - row == b - v->line && memcmp(row, v->line, (size_t)(a - row)) == 0;
}

static int compare_row(const struct verify_group *v, const char *row, size_t bytes)
{
    if (bytes == v->line_bytes && memcmp(row, v->line, bytes) == 0) return 0;
    if (v->header_seen && is_near(v, row, bytes)) return 0;
    return v->say("--verify: the first difference is a row that is '%.*s', and by sorting '%.*s'", (int)(bytes - 1), row,
                  (int)(v->line_bytes - 1), v->line);
}

int verify_group_row(struct verify_group *v, const char *row, size_t bytes)
{
    size_t end = v->next + 1;
    free(v->line);
    v->line = NULL;
    if (v->header_seen) {
        if (v->next == v->rows.n) return v->say("--verify: the row '%.*s' is a group that sorting has not", (int)(bytes - 1), row);
        while (end < v->rows.n && compare_keys(&v->order[v->next], &v->order[end], v) == 0) end++;
    }
    if (!(v->header_seen ? expect_group(v, end) : expect_header(v))) return v->say("--verify: out of memory");
    const int result = compare_row(v, row, bytes);
    if (v->header_seen) v->next = end;
    v->header_seen = true;
    return result;
}

int verify_group_end(struct verify_group *v)
{
    return v->next == v->rows.n ? 0 : v->say("--verify: the output lacks groups that sorting has");
}

/* ---- Beginning ------------------------------------------------------------------------------- */

/* The place of a wish's column: one for all wishes of one kind of field. */
static size_t place_of(struct verify_group *v, const char *name, bool number)
{
    for (size_t c = v->by_n; c < v->wanted_n; c++)
        if ((v->types[c].kind == VERIFY_NUMBER) == number && strcmp(v->wanted[c], name) == 0) return c;
    v->wanted[v->wanted_n] = name;
    v->types[v->wanted_n].kind = number ? VERIFY_NUMBER : VERIFY_TEXT;
    return v->wanted_n++;
}

static void plan_columns(struct verify_group *v, const struct verify_group_plan *plan)
{
    v->tsv = plan->rows.tsv;
    v->by_n = v->wanted_n = plan->by_n;
    v->wishes_n = plan->wishes_n;
    for (size_t c = 0; c < plan->by_n; c++) v->wanted[c] = plan->by[c], v->types[c] = plan->types[c];
    for (size_t w = 0; w < plan->wishes_n; w++) {
        const struct verify_wish *const wish = &plan->wishes[w];
        v->wish[w].kind = wish->kind;
        v->wish[w].column = wish->kind == VERIFY_COUNT ? 0 : place_of(v, wish->column, wish->kind != VERIFY_DISTINCT);
    }
}

int verify_group_begin(struct verify_group **verify, const struct verify_group_plan *plan)
{
    struct verify_group *const v = (struct verify_group *)calloc(1, sizeof *v);
    int result = 0;
    *verify = v;
    if (v == NULL) return plan->rows.say("--verify: out of memory");
    v->say = plan->rows.say;
    plan_columns(v, plan);
    for (size_t i = 0; i < plan->rows.files_n && result == 0; i++)
        result = verify_rows_read(&v->rows, &plan->rows, plan->rows.files[i], v->wanted, v->types, v->wanted_n);
    if (result != 0) return result;
    if (v->rows.left_out != plan->left_out)
        return plan->rows.say("--verify: %llu records or fields are bad, and %llu were left out", v->rows.left_out, plan->left_out);
    v->order = (size_t *)malloc((v->rows.n + 1) * sizeof *v->order);
    v->real = (bool *)calloc(v->wanted_n, sizeof *v->real);
    v->spread = (double *)calloc(v->wishes_n + 1, sizeof *v->spread);
    if (v->order == NULL || v->real == NULL || v->spread == NULL) return plan->rows.say("--verify: out of memory");
    for (size_t i = 0; i < v->rows.n; i++) v->order[i] = i;
    qsort_r(v->order, v->rows.n, sizeof *v->order, compare_keys, v);
    find_reals(v);
    return 0;
}

void verify_group_close(struct verify_group *v)
{
    if (v == NULL) return;
    verify_rows_release(&v->rows);
    free(v->order);
    free(v->real);
    free(v->spread);
    free(v->line);
    free(v);
}
