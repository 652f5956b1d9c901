/* Sorts groups by their keys.
 *
 * Each key has a head: its first column's number, or eight bytes of its text behind those that all
 * keys have in common.  Groups are sorted by their heads, and those of equal heads by their keys:
 * threads sort a run each, and runs are merged two by two. */
#define _GNU_SOURCE 1
#include "cli/group_order.h"

#include <stdlib.h>
#include <string.h>

#include "cli/pair_sort.h"
#include "cli/row_text.h"
#include "io/io_field.h"
#include "io/io_threads.h"

#define SIGN ((uint64_t)1 << 63)
#define WORTH ((size_t)1 << 12) /* groups that are worth threads */

/* A signed number that rises with the field.  Times and decimals are of 64 bits, dates of 32. */
static int64_t number_of(const struct io_spec *as, const struct row_fields *field)
{
    uint64_t key = 0;
    io_field_parse(as, (const char *)field->field, field->length, &key);
    return (int64_t)key;
}

/* A number that does not fall when the first column rises.  skip: bytes that all texts have in
 * common. */
static uint64_t head_of(const struct io_spec *as, const struct row_fields *field, size_t skip)
{
    uint64_t head = 0;
    if (field->null) return 0;
    if (as->field != IO_FIELD_STRING) return (uint64_t)number_of(as, field) ^ SIGN;
    for (size_t i = skip; i < skip + sizeof head; i++) head = head << 8 | (i < field->length ? field->field[i] : 0);
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

/* What the threads share: n groups as pairs of a head and the group's number, of which run i of a
 * level has pairs i * run .. (i + 1) * run - 1. */
struct sort {
    const struct group_options *options;
    const struct group_keys *keys;
    struct key_count *from, *to;
    size_t n, run;
    int threads;
    size_t common[IO_THREADS_MOST]; /* bytes that all texts of a run begin with; [0]: all texts */
    struct comparison *comparisons; /* of each thread */
};

static void begin_key(struct row_fields *fields, const struct group_keys *keys, uint64_t group)
{
    fields->at = keys->bytes + (group > 0 ? keys->ends[group - 1] : 0);
    fields->end = keys->bytes + keys->ends[group];
}

static int compare(const void *first, const void *second, void *context)
{
    struct comparison *const c = (struct comparison *)context;
    int order = 0;
    begin_key(&c->a, c->keys, ((const struct key_count *)first)->count);
    begin_key(&c->b, c->keys, ((const struct key_count *)second)->count);
    for (size_t i = 0; order == 0 && row_fields_next(&c->a) && row_fields_next(&c->b); i++)
        order = compare_fields(&c->as[i], &c->a, &c->b);
    return order;
}

static size_t run_begin(const struct sort *sort, size_t i) { return i * sort->run < sort->n ? i * sort->run : sort->n; }

/* ---- Heads ----------------------------------------------------------------------------------- */

/* The first field of a group's key. */
static const struct row_fields *first_field(struct row_fields *fields, const struct sort *sort, uint64_t group)
{
    begin_key(fields, sort->keys, group);
    row_fields_next(fields);
    return fields;
}

/* How many bytes the texts of a run have in common with the first text of all. */
static void run_common(void *context, int i)
{
    struct sort *const sort = (struct sort *)context;
    struct comparison *const c = &sort->comparisons[i];
    const struct row_fields *const a = first_field(&c->a, sort, 0);
    size_t common = a->null ? 0 : a->length;
    for (size_t k = run_begin(sort, (size_t)i); k < run_begin(sort, (size_t)i + 1) && common > 0; k++) {
        const struct row_fields *const b = first_field(&c->b, sort, k);
        size_t same = 0;
        while (same < common && !b->null && same < b->length && a->field[same] == b->field[same]) same++;
        common = same;
    }
    sort->common[i] = common;
}

static void run_heads(void *context, int i)
{
    struct sort *const sort = (struct sort *)context;
    struct comparison *const c = &sort->comparisons[i];
    for (size_t k = run_begin(sort, (size_t)i); k < run_begin(sort, (size_t)i + 1); k++)
        sort->from[k] = (struct key_count){head_of(&c->as[0], first_field(&c->a, sort, k), sort->common[0]), k};
}

static void heads_make(struct sort *sort)
{
    sort->run = sort->n / (size_t)sort->threads + 1;
    if (sort->options->as[0].field == IO_FIELD_STRING) io_threads_run(sort->threads, run_common, sort);
    for (int i = 1; i < sort->threads; i++)
        if (sort->common[i] < sort->common[0]) sort->common[0] = sort->common[i];
    io_threads_run(sort->threads, run_heads, sort);
}

/* ---- Equal heads ----------------------------------------------------------------------------- */

static void sort_run(void *context, int i)
{
    struct sort *const sort = (struct sort *)context;
    const size_t first = run_begin(sort, (size_t)i), end = run_begin(sort, (size_t)i + 1);
    qsort_r(sort->from + first, end - first, sizeof *sort->from, compare, &sort->comparisons[i]);
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

/* Sorts n pairs with equal heads. */
static void sort_equal(const struct sort *all, struct key_count *pairs, size_t n)
{
    struct sort sort = *all;
    int runs = n < WORTH ? 1 : all->threads;
    sort.from = pairs;
    sort.n = n;
    sort.run = n / (size_t)runs + 1;
    io_threads_run(runs, sort_run, &sort);
    for (; runs > 1; runs /= 2) {
        struct key_count *const merged = sort.to;
        io_threads_run(runs / 2, merge_runs, &sort);
        sort.to = sort.from;
        sort.from = merged;
        sort.run *= 2;
    }
    if (sort.from != pairs) memcpy(pairs, sort.from, n * sizeof *pairs);
}

static void sort_all(struct sort *sort)
{
    heads_make(sort);
    pair_sort(sort->from, sort->n, 0);
    for (size_t first = 0, end; first < sort->n; first = end) {
        for (end = first + 1; end < sort->n && sort->from[end].key == sort->from[first].key;) end++;
        if (end - first > 1) sort_equal(sort, sort->from + first, end - first);
    }
}

/* A power of two, so that runs can be merged two by two. */
static int threads_of(const struct group_options *options)
{
    int threads = 1;
    while (2 * threads <= relation_options_threads(&options->relation) && 2 * threads <= IO_THREADS_MOST) threads *= 2;
    return threads;
}

/* False: memory was refused. */
static bool comparisons_release(struct comparison *comparisons, int n)
{
    bool good = true;
    for (int i = 0; i < n; i++) {
        good = good && !comparisons[i].a.unquoted.failed && !comparisons[i].b.unquoted.failed;
        row_text_release(&comparisons[i].a.unquoted);
        row_text_release(&comparisons[i].b.unquoted);
    }
    free(comparisons);
    return good;
}

bool group_order(const struct group_options *options, const struct group_keys *keys, uint64_t *order)
{
    struct sort sort = {.options = options, .keys = keys, .n = keys->n, .threads = threads_of(options)};
    struct key_count *const pairs = (struct key_count *)malloc(2 * (keys->n + 1) * sizeof *pairs);
    sort.comparisons = (struct comparison *)calloc((size_t)sort.threads, sizeof *sort.comparisons);
    bool good = pairs != NULL && sort.comparisons != NULL;
    sort.from = pairs;
    for (int i = 0; good && i < sort.threads; i++) sort.comparisons[i].as = options->as, sort.comparisons[i].keys = keys;
    if (good && keys->n > 0) {
        sort.to = pairs + keys->n + 1;
        sort_all(&sort);
        for (size_t i = 0; i < keys->n; i++) order[i] = pairs[i].count;
    }
    if (sort.comparisons != NULL) good = comparisons_release(sort.comparisons, sort.threads) && good;
    free(pairs);
    return good;
}
