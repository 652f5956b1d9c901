/* Sorts groups by their keys.  The first eight bytes or the number of the first column decide most
 * comparisons. */
#define _GNU_SOURCE 1
#include "cli/group_order.h"

#include <stdlib.h>
#include <string.h>

#include "cli/row_text.h"
#include "io/io_field.h"

#define SIGN ((uint64_t)1 << 63)

struct sorted {
    uint64_t head; /* rises with the first column, except for equal heads */
    const uint8_t *begin, *end;
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

/* Two rows while they are compared, and the columns' types. */
struct comparison {
    const struct io_spec *as;
    struct row_fields a, b;
};

static int compare(const void *first, const void *second, void *context)
{
    struct comparison *const c = (struct comparison *)context;
    const struct sorted *const a = (const struct sorted *)first, *const b = (const struct sorted *)second;
    int order = (a->head > b->head) - (a->head < b->head);
    if (order != 0) return order;
    c->a.at = a->begin, c->a.end = a->end;
    c->b.at = b->begin, c->b.end = b->end;
    for (size_t i = 0; order == 0 && row_fields_next(&c->a) && row_fields_next(&c->b); i++)
        order = compare_fields(&c->as[i], &c->a, &c->b);
    return order;
}

bool group_order(const struct group_options *options, const struct group_keys *keys, uint64_t *order)
{
    struct sorted *const sorted = (struct sorted *)malloc((keys->n + 1) * sizeof *sorted);
    struct comparison comparison = {.as = options->as, .a = {.at = NULL}, .b = {.at = NULL}};
    if (sorted == NULL) return false;
    for (size_t i = 0; i < keys->n; i++) {
        sorted[i].begin = keys->bytes + (i > 0 ? keys->ends[i - 1] : 0);
        sorted[i].end = keys->bytes + keys->ends[i];
        sorted[i].group = i;
        comparison.a.at = sorted[i].begin, comparison.a.end = sorted[i].end;
        row_fields_next(&comparison.a);
        sorted[i].head = head_of(&options->as[0], &comparison.a);
    }
    qsort_r(sorted, keys->n, sizeof *sorted, compare, &comparison);
    for (size_t i = 0; i < keys->n; i++) order[i] = sorted[i].group;
    const bool good = !comparison.a.unquoted.failed && !comparison.b.unquoted.failed;
    row_text_release(&comparison.a.unquoted);
    row_text_release(&comparison.b.unquoted);
    free(sorted);
    return good;
}
