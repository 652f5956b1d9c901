/* Sorts groups by their keys.  The first eight bytes or the number of the first column decide most
 * comparisons.  Threads sort a run each, and runs are merged two by two. */
#define _GNU_SOURCE 1
#include "cli/group_order.h"

#include <stdlib.h>
#include <string.h>

#include "cli/row_text.h"
#include "io/io_field.h"
#include "io/io_threads.h"

#define SIGN ((uint64_t)1 << 63)

struct sorted {
    uint64_t head; /* rises with the first column, except for equal heads */
    uint64_t group;
};

/* A signed number that rises with the field.  Times and decimals are of 64 bits, dates of 32. */
static int64_t number_of(const struct io_spec *as, const struct row_fields *field)
{
    uint64_t key = 0;
    io_field_parse(as, (const char *)field->field, field->length, &key);
    return (int64_t)key;
}

static uint64_t head_of(const struct io_spec *as, const struct row_fields *field)
{
    uint64_t head = 0;
    if (field->null) return 0;
    if (as->field != IO_FIELD_STRING) return (uint64_t)number_of(as, field) ^ SIGN;
    for (size_t i = 0; i < sizeof head; i++) head = head << 8 | (i < field->length ? field->field[i] : 0);
    return head;
}

static int compare_fields(const struct io_spec *as, const struct row_fields *a, const struct row_fields *b)
{
    if (a->null || b->null) return (int)b->null - (int)a->null;
    if (as->field != IO_FIELD_STRING) {
        const int64_t x = number_of(as, a), y = number_of(as, b);
        return (x > y) - (x < y);
    }
    const size_t shorter = a->length < b->length ? a->length : b->length;
    const int order = shorter > 0 ? memcmp(a->field, b->field, shorter) : 0;
    return order != 0 ? order : (a->length > b->length) - (a->length < b->length);
}

/* Two keys while they are compared, and the columns' types. */
struct comparison {
    const struct io_spec *as;
    const struct group_keys *keys;
    struct row_fields a, b;
};

/* What the threads share.  Run i of a level has the groups i * run .. (i + 1) * run - 1. */
struct sort {
    const struct group_options *options;
    const struct group_keys *keys;
    struct sorted *from, *to;
    size_t run;
    struct comparison comparisons[IO_THREADS_MOST];
};

static void begin_key(struct row_fields *fields, const struct group_keys *keys, uint64_t group)
{
    fields->at = keys->bytes + (group > 0 ? keys->ends[group - 1] : 0);
    fields->end = keys->bytes + keys->ends[group];
}

static int compare(const void *first, const void *second, void *context)
{
    struct comparison *const c = (struct comparison *)context;
    const struct sorted *const a = (const struct sorted *)first, *const b = (const struct sorted *)second;
    int order = (a->head > b->head) - (a->head < b->head);
    if (order != 0) return order;
    begin_key(&c->a, c->keys, a->group);
    begin_key(&c->b, c->keys, b->group);
    for (size_t i = 0; order == 0 && row_fields_next(&c->a) && row_fields_next(&c->b); i++)
        order = compare_fields(&c->as[i], &c->a, &c->b);
    return order;
}

static size_t run_begin(const struct sort *sort, size_t i) { return i * sort->run < sort->keys->n ? i * sort->run : sort->keys->n; }

/* Makes and sorts a run. */
static void sort_run(void *context, int i)
{
    struct sort *const sort = (struct sort *)context;
    struct comparison *const comparison = &sort->comparisons[i];
    const size_t first = run_begin(sort, (size_t)i), end = run_begin(sort, (size_t)i + 1);
    comparison->as = sort->options->as;
    comparison->keys = sort->keys;
    for (size_t k = first; k < end; k++) {
        begin_key(&comparison->a, sort->keys, k);
        row_fields_next(&comparison->a);
        sort->from[k] = (struct sorted){head_of(&comparison->as[0], &comparison->a), k};
    }
    qsort_r(sort->from + first, end - first, sizeof *sort->from, compare, comparison);
}

/* Merges two runs. */
static void merge_runs(void *context, int i)
{
    struct sort *const sort = (struct sort *)context;
    size_t a = run_begin(sort, 2 * (size_t)i), b = run_begin(sort, 2 * (size_t)i + 1);
    const size_t a_end = b, end = run_begin(sort, 2 * (size_t)i + 2);
    for (size_t to = a; to < end; to++) {
        const bool from_a = b == end || (a < a_end && compare(&sort->from[a], &sort->from[b], &sort->comparisons[i]) <= 0);
        sort->to[to] = sort->from[from_a ? a++ : b++];
    }
}

static void sort_all(struct sort *sort, int runs)
{
    sort->run = sort->keys->n / (size_t)runs + 1;
    io_threads_run(runs, sort_run, sort);
    for (; runs > 1; runs /= 2) {
        struct sorted *const merged = sort->to;
        io_threads_run(runs / 2, merge_runs, sort);
        sort->to = sort->from;
        sort->from = merged;
        sort->run *= 2;
    }
}

bool group_order(const struct group_options *options, const struct group_keys *keys, uint64_t *order)
{
    struct sort *const sort = (struct sort *)calloc(1, sizeof *sort);
    struct sorted *const sorted = (struct sorted *)malloc(2 * (keys->n + 1) * sizeof *sorted);
    bool good = sort != NULL && sorted != NULL;
    int runs = 1;
    if (good) {
        sort->options = options;
        sort->keys = keys;
        sort->from = sorted;
        sort->to = sorted + keys->n + 1;
        while (2 * runs <= relation_options_threads(&options->relation) && 2 * runs <= IO_THREADS_MOST) runs *= 2;
        sort_all(sort, runs);
        for (size_t i = 0; i < keys->n; i++) order[i] = sort->from[i].group;
    }
    for (int i = 0; sort != NULL && i < runs; i++) {
        struct comparison *const comparison = &sort->comparisons[i];
        good = good && !comparison->a.unquoted.failed && !comparison->b.unquoted.failed;
        row_text_release(&comparison->a.unquoted);
        row_text_release(&comparison->b.unquoted);
    }
    free(sorted);
    free(sort);
    return good;
}
