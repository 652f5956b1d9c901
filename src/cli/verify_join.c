/* Joins rows a second time, by sorting and searching. */
#define _GNU_SOURCE 1
#include "cli/verify_join.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_BYTES 200 /* of a row, in errors */

struct verify_join {
    verify_say *say;
    struct verify_rows left, right;
    size_t *left_keys, *right_keys; /* columns */
    size_t keys_n;
    bool *is_key; /* of RIGHT's columns */
    enum verify_how how;
    bool tsv;
    const char *suffix;
    size_t *order; /* rows of RIGHT by key, those of one key in their order */
    bool *met;     /* rows of RIGHT that had a match */
    /* What comes next: the header; the matches match .. matches - 1 of row `row` of LEFT; rows of
     * RIGHT from `rest` on. */
    bool header_seen, searched;
    size_t row, match, matches, rest;
    char *line;
    size_t line_bytes;
};

/* ---- Order ----------------------------------------------------------------------------------- */

static int compare_cells(const struct verify_rows *a, const struct verify_cell *x, const struct verify_rows *b,
                         const struct verify_cell *y)
{
    if (x->null || y->null) return (int)y->null - (int)x->null;
    const size_t shorter = x->length < y->length ? x->length : y->length;
    const int order = memcmp(a->text + x->at, b->text + y->at, shorter);
    return order != 0 ? order : (x->length > y->length) - (x->length < y->length);
}

static int compare_rows(const void *first, const void *second, void *context)
{
    const struct verify_join *const v = (const struct verify_join *)context;
    const size_t a = *(const size_t *)first, b = *(const size_t *)second;
    int order = 0;
    for (size_t k = 0; k < v->keys_n && order == 0; k++)
        order = compare_cells(&v->right, verify_rows_cell(&v->right, a, v->right_keys[k]), &v->right,
                              verify_rows_cell(&v->right, b, v->right_keys[k]));
    return order != 0 ? order : (a > b) - (a < b);
}

/* Compares a row of RIGHT with one of LEFT. */
static int compare_with_left(const struct verify_join *v, size_t right, size_t left)
{
    int order = 0;
    for (size_t k = 0; k < v->keys_n && order == 0; k++)
        order = compare_cells(&v->right, verify_rows_cell(&v->right, right, v->right_keys[k]), &v->left,
                              verify_rows_cell(&v->left, left, v->left_keys[k]));
    return order;
}

/* The first place in the order whose row is larger than the row of LEFT, or at least as large. */
static size_t search(const struct verify_join *v, size_t left, bool larger)
{
    size_t low = 0, high = v->right.n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = compare_with_left(v, v->order[middle], left);
        if (order > 0 || (order == 0 && !larger)) high = middle;
        else low = middle + 1;
    }
    return low;
}

/* Finds the matches of the row of LEFT that comes next. */
static void find_matches(struct verify_join *v)
{
    bool null = false;
    for (size_t k = 0; k < v->keys_n; k++) null = null || verify_rows_cell(&v->left, v->row, v->left_keys[k])->null;
    v->match = null ? 0 : search(v, v->row, false);
    v->matches = null ? 0 : search(v, v->row, true);
    for (size_t i = v->match; i < v->matches; i++) v->met[v->order[i]] = true;
    v->searched = true;
}

/* ---- Rows that are expected ------------------------------------------------------------------ */

static bool has_right(const struct verify_join *v) { return v->how != VERIFY_SEMI && v->how != VERIFY_ANTI; }

static void put_separator(const struct verify_join *v, FILE *to, bool first)
{
    if (!first) putc(v->tsv ? '\t' : ',', to);
}

static void put_cell(const struct verify_join *v, FILE *to, const struct verify_rows *rows, size_t row, size_t column)
{
    const struct verify_cell *const cell = verify_rows_cell(rows, row, column);
    if (!cell->null) verify_put_text(to, rows->text + cell->at, cell->length, v->tsv);
}

/* Writes RIGHT's part of a row; `row` NULL: without a match. */
static void put_right(const struct verify_join *v, FILE *to, const size_t *row)
{
    for (size_t c = 0; c < v->right.columns && has_right(v); c++) {
        if (v->is_key[c]) continue;
        put_separator(v, to, false);
        if (row != NULL) put_cell(v, to, &v->right, *row, c);
    }
}

static void put_row(const struct verify_join *v, FILE *to, const size_t *right)
{
    for (size_t c = 0; c < v->left.columns; c++) {
        put_separator(v, to, c == 0);
        put_cell(v, to, &v->left, v->row, c);
    }
    put_right(v, to, right);
}

/* A row of RIGHT alone: its keys are in LEFT's columns. */
static void put_rest(const struct verify_join *v, FILE *to)
{
    for (size_t c = 0; c < v->left.columns; c++) {
        put_separator(v, to, c == 0);
        for (size_t k = 0; k < v->keys_n; k++)
            if (v->left_keys[k] == c) put_cell(v, to, &v->right, v->rest, v->right_keys[k]);
    }
    put_right(v, to, &v->rest);
}

static bool is_taken(char *const *names, size_t n, const char *name)
{
    bool taken = false;
    for (size_t i = 0; i < n; i++) taken = taken || strcmp(names[i], name) == 0;
    return taken;
}

/* Renames RIGHT's columns as the output has them. */
static bool add_suffixes(struct verify_join *v)
{
    char **const names = (char **)calloc(v->left.columns + v->right.columns + 1, sizeof *names);
    size_t n = 0;
    if (names == NULL) return false;
    for (size_t c = 0; c < v->left.columns; c++) names[n++] = v->left.names[c];
    for (size_t c = 0; c < v->right.columns; c++) {
        if (v->is_key[c]) continue;
        while (is_taken(names, n, v->right.names[c])) {
            char *longer;
            if (asprintf(&longer, "%s%s", v->right.names[c], v->suffix) < 0) break;
            free(v->right.names[c]);
            v->right.names[c] = longer;
        }
        names[n++] = v->right.names[c];
    }
    free(names);
    return true;
}

static void put_header(const struct verify_join *v, FILE *to)
{
    for (size_t c = 0; c < v->left.columns; c++) {
        put_separator(v, to, c == 0);
        verify_put_text(to, v->left.names[c], strlen(v->left.names[c]), v->tsv);
    }
    for (size_t c = 0; c < v->right.columns && has_right(v); c++) {
        if (v->is_key[c]) continue;
        put_separator(v, to, false);
        verify_put_text(to, v->right.names[c], strlen(v->right.names[c]), v->tsv);
    }
}

/* Goes on to the next row of LEFT. */
static void next_left(struct verify_join *v)
{
    v->row++;
    v->searched = false;
}

/* Writes the next row of LEFT that is in the output.  False: there is none. */
static bool put_left(struct verify_join *v, FILE *to)
{
    for (; v->row < v->left.n; next_left(v)) {
        const bool again = v->searched;
        if (!again) find_matches(v);
        const bool matches = v->match < v->matches;
        if (has_right(v) && matches) {
            put_row(v, to, &v->order[v->match++]);
            return true;
        }
        const bool alone = !again && !matches && (v->how == VERIFY_LEFT || v->how == VERIFY_FULL || v->how == VERIFY_ANTI);
        if (!alone && !(v->how == VERIFY_SEMI && matches)) continue;
        put_row(v, to, NULL);
        next_left(v);
        return true;
    }
    return false;
}

static bool put_next(struct verify_join *v, FILE *to)
{
    if (!v->header_seen) {
        put_header(v, to);
        return v->header_seen = true;
    }
    if (put_left(v, to)) return true;
    if (v->how != VERIFY_FULL) return false;
    while (v->rest < v->right.n && v->met[v->rest]) v->rest++;
    if (v->rest == v->right.n) return false;
    put_rest(v, to);
    v->rest++;
    return true;
}

/* Writes the next row to v->line.  *more: there is one. */
static int expect(struct verify_join *v, bool *more)
{
    free(v->line);
    v->line = NULL;
    FILE *const to = open_memstream(&v->line, &v->line_bytes);
    if (to == NULL) return v->say("--verify: out of memory");
    *more = put_next(v, to);
    putc('\n', to);
    return fclose(to) == 0 ? 0 : v->say("--verify: out of memory");
}

/* ---- Comparing ------------------------------------------------------------------------------- */

static int shown(size_t bytes) { return bytes < SHOWN_BYTES ? (int)bytes : SHOWN_BYTES; }

int verify_join_rows(struct verify_join *v, const char *rows, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += v->line_bytes) {
        bool more;
        const int result = expect(v, &more);
        const int length = shown(strcspn(rows + at, "\n"));
        if (result != 0) return result;
        if (!more) return v->say("--verify: the output has a row '%.*s', and sorting none any more", length, rows + at);
        if (bytes - at >= v->line_bytes && memcmp(rows + at, v->line, v->line_bytes) == 0) continue;
        return v->say("--verify: the first difference is a row that is '%.*s', and by sorting '%.*s'", length, rows + at,
                      shown(v->line_bytes - 1), v->line);
    }
    return 0;
}

int verify_join_end(struct verify_join *v, unsigned long long left_out)
{
    bool more;
    const int result = expect(v, &more);
    if (result != 0) return result;
    if (more) return v->say("--verify: the output lacks the row '%.*s'", shown(v->line_bytes - 1), v->line);
    if (v->left.left_out + v->right.left_out == left_out) return 0;
    return v->say("--verify: %llu records are bad, and %llu were left out", v->left.left_out + v->right.left_out, left_out);
}

/* ---- Beginning ------------------------------------------------------------------------------- */

static bool make_arrays(struct verify_join *v)
{
    v->left_keys = (size_t *)calloc(v->keys_n, sizeof *v->left_keys);
    v->right_keys = (size_t *)calloc(v->keys_n, sizeof *v->right_keys);
    v->is_key = (bool *)calloc(v->right.columns + 1, sizeof *v->is_key);
    v->order = (size_t *)malloc((v->right.n + 1) * sizeof *v->order);
    v->met = (bool *)calloc(v->right.n + 1, sizeof *v->met);
    return v->left_keys != NULL && v->right_keys != NULL && v->is_key != NULL && v->order != NULL && v->met != NULL;
}

int verify_join_begin(struct verify_join **verify, const struct verify_join_plan *plan)
{
    struct verify_join *const v = (struct verify_join *)calloc(1, sizeof *v);
    *verify = v;
    if (v == NULL) return plan->rows.say("--verify: out of memory");
    v->say = plan->rows.say;
    v->keys_n = plan->keys_n;
    v->how = plan->how;
    v->suffix = plan->suffix;
    v->tsv = plan->rows.tsv;
    int result = verify_rows_read(&v->left, &plan->rows, plan->rows.files[0], NULL, NULL, 0);
    if (result == 0) result = verify_rows_read(&v->right, &plan->rows, plan->rows.files[1], NULL, NULL, 0);
    if (result != 0) return result;
    if (!make_arrays(v)) return plan->rows.say("--verify: out of memory");
    for (size_t k = 0; k < v->keys_n; k++) {
        v->left_keys[k] = verify_rows_column(&v->left, plan->left[k]);
        v->right_keys[k] = verify_rows_column(&v->right, plan->right[k]);
        v->is_key[v->right_keys[k]] = true;
    }
    for (size_t i = 0; i < v->right.n; i++) v->order[i] = i;
    qsort_r(v->order, v->right.n, sizeof *v->order, compare_rows, v);
    return add_suffixes(v) ? 0 : plan->rows.say("--verify: out of memory");
}

void verify_join_close(struct verify_join *v)
{
    if (v == NULL) return;
    verify_rows_release(&v->left);
    verify_rows_release(&v->right);
    void *const all[] = {v->left_keys, v->right_keys, v->is_key, v->order, v->met, v->line};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
    free(v);
}
