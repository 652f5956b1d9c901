/* The rows of the slab allocator alone, on a GPU. */
#include "alloc.h"
#include "bench.h"

#include <stdio.h>
#include <string.h>

static struct row alloc_row(const struct place *p, const char *name, struct alloc_case c, double limit)
{
    struct row row = row_make(name, p->unit);
    const struct alloc_result result = alloc_cuda(c, p->o->seed);
    for (int i = 0; i < LIMIT_REPETITIONS; i++) row_add_time(&row, result.seconds[i], result.seconds[i]);
    row.items = result.taken;
    row.verified = result.verified;
    row.wrong = result.wrong;
    row_set_limit(&row, "or", limit);
    return row;
}

/* Takes from an empty pool and from one that is 90 % full, and the ratio of the two. */
static void alloc_group(const struct place *p, const char *group, int light, int tile, double limit)
{
    static const int percent[] = {0, 90};
    struct row rows[2];
    char name[96];
    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "%s/take-%d", group, percent[i]);
        rows[i] = alloc_row(p, name, (struct alloc_case){light, tile, percent[i]}, limit);
    }
    struct row ratio = row_make(strcat(name, "/take-0"), UNIT_TIMES);
    ratio.rate = row_seconds(&rows[0]) / row_seconds(&rows[1]);
    for (int i = 0; i < 2; i++) report_row(p->o, rows[i]);
    report_row(p->o, ratio);
}

void slab_alloc_rows(const struct place *p)
{
    if (!options_want_some(p->o, "gpu/slab-alloc") || (p->o->engine && strcmp(p->o->engine, "slab") != 0)) return;
    const struct limit limit = alloc_limit(p->o->seed);
    struct row row = row_make("gpu/limit/or", p->unit);
    row.rate = limit.rate;
    row.items = limit.operations;
    snprintf(row.shape, sizeof row.shape, "%s", limit.shape);
    for (int i = 0; i < LIMIT_REPETITIONS; i++) row_add_time(&row, limit.seconds[i], limit.seconds[i]);
    report_row(p->o, row);
    alloc_group(p, "gpu/slab-alloc", 0, 32, limit.rate);
    alloc_group(p, "gpu/slab-alloc[light]", 1, 32, limit.rate);
    alloc_group(p, "gpu/slab-alloc[tile=4]", 0, 4, limit.rate);
}
