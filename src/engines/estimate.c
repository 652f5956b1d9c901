/* Estimates of distinct keys. */
#include "engines/estimate.h"

#include <math.h>

enum {
    FEW = 64, /* items; the distinct keys of fewer are not counted */
    MORE = 2  /* times as many items are counted where some have few keys */
};

uint32_t linear_counting_bits(uint64_t n)
{
    const uint64_t least = (uint64_t)1 << 16, most = (uint64_t)1 << 31;
    if (n < least / 8) return (uint32_t)least;
    return n < most / 8 ? (uint32_t)((8 * n + 31) / 32 * 32) : (uint32_t)most;
}

struct distinct_bounds linear_counting_bounds(uint32_t bits, uint64_t set, uint64_t n)
{
    const double m = (double)bits, unset = (m - (double)set) / m, load = -log(unset);
    const double distinct = m * load, deviation = sqrt(fmax(0, m * (1 / unset - load - 1)));
    const struct distinct_bounds bounds = {fmax(0, fmin(distinct - 4 * deviation, (double)n)),
                                           fmin(distinct + 4 * deviation, (double)n)};
    return bounds;
}

/* Launches the kernel over a batch, and counts the bits that it sets. */
static roost_status bits_count(struct engine_table *t, const struct estimate *e, uint64_t *set)
{
    struct backend *b = t->backend;
    struct linear_counting *c = e->counting;
    struct counters since;
    e->batch->stamps = NULL; /* no operation on the table */
    roost_status status = b->operations->fill(b, c->map, 0, c->bits / 8);
    if (!status) status = backend_launch(b, e->kernel, e->args, e->args_bytes, e->batch->n);
    if (!status) status = ledger_read(&t->ledger, &since);
    if (!status) *set = since.distinct;
    return status;
}

roost_status estimate_distinct(struct engine_table *t, const struct estimate *e, uint64_t seed, struct distinct_bounds *bounds)
{
    const struct error_mark before = error_keep(t->error);
    /* The shape's width: of wide keys it is 0. */
    const struct linear_counting c = {NULL, linear_counting_bits(e->batch->n), t->shape.key_bytes, seed};
    uint64_t set;
    void *map;
    if (backend_allocate(t->backend, c.bits / 8, &map)) {
        error_restore(&before);
        return ROOST_OK;
    }
    *e->counting = c;
    e->counting->map = (uint32_t *)map;
    const roost_status status = bits_count(t, e, &set);
    backend_release(t->backend, map, c.bits / 8);
    if (!status) *bounds = linear_counting_bounds(c.bits, set, e->batch->n);
    return status;
}

roost_status estimate_least(struct engine_table *t, estimate_batch distinct, const struct batch *batch, uint64_t *least)
{
    struct distinct_bounds bounds = {0, (double)batch->n};
    const roost_status status = batch->n < FEW ? ROOST_OK : distinct(t, batch, &bounds);
    *least = (uint64_t)bounds.least;
    return status;
}

roost_status estimate_split(struct engine_table *t, estimate_batch distinct, const struct batch *whole, uint64_t room,
                            struct source *items, struct source *rest, uint64_t *keys)
{
    struct source first = *items;
    roost_status status = ROOST_OK;
    *keys = first.n = first.n < room ? first.n : room;
    while (!status && first.n < items->n) {
        const struct source more = {first.order, NULL, first.n < items->n / MORE ? first.n * MORE : items->n};
        const struct batch part = source_batch(&more, whole);
        struct distinct_bounds bounds = {0, (double)part.n};
        status = distinct(t, &part, &bounds);
        /* The bound is of normal errors; those of few keys are of Poisson's. */
        if (status || (uint64_t)bounds.most + room / 32 > room) break;
        *keys = (uint64_t)bounds.most;
        first = more;
    }
    *rest = *items;
    rest->order += first.n;
    rest->n -= first.n;
    *items = first;
    return status;
}
