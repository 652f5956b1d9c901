/* Estimates of distinct keys. */
#include "engines/estimate.h"

#include <math.h>

enum { FEW = 64 /* items; the distinct keys of fewer are not counted */ };

/* Bits of the map for n items: 8 for each item, rounded up to whole words. */
static uint32_t map_bits(uint64_t n) { return (uint32_t)((8 * n + 31) / 32 * 32); }

struct distinct_bounds linear_counting_bounds(uint32_t bits, uint64_t set, uint64_t n)
{
    const double m = (double)bits, unset = (m - (double)set) / m, load = -log(unset);
    const double distinct = m * load, deviation = sqrt(fmax(0, m * (1 / unset - load - 1)));
    const struct distinct_bounds bounds = {fmax(0, fmin(distinct - 4 * deviation, (double)n)),
                                           fmin(distinct + 4 * deviation, (double)n)};
    return bounds;
}

roost_status estimate_distinct(struct ledger *l, const struct batch *batch, struct linear_counting c, estimate_launch *launch,
                               struct distinct_bounds *bounds)
{
    struct backend *b = l->table->backend;
    const struct error_mark before = error_keep(l->table->error);
    struct batch keys = *batch;
    struct counters since;
    void *map;
    c.bits = map_bits(batch->n);
    if (backend_allocate(b, c.bits / 8, &map)) {
        error_restore(&before);
        return ROOST_OK;
    }
    c.map = (uint32_t *)map;
    keys.stamps = NULL; /* no operation on the table */
    roost_status status = b->operations->fill(b, map, 0, c.bits / 8);
    if (!status) status = launch(l->table, &keys, &c);
    if (!status) status = ledger_read(l, &since);
    backend_release(b, map, c.bits / 8);
    if (!status) *bounds = linear_counting_bounds(c.bits, since.distinct, batch->n);
    return status;
}

roost_status estimate_least(struct ledger *l, const struct batch *batch, const struct linear_counting c, estimate_launch *launch,
                            uint64_t *least)
{
    struct distinct_bounds bounds = {0, (double)batch->n};
    const roost_status status = batch->n < FEW ? ROOST_OK : estimate_distinct(l, batch, c, launch, &bounds);
    *least = (uint64_t)bounds.least;
    return status;
}
