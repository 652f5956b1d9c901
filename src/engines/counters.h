/* Counters that only rise: their difference between two readings. */
#ifndef ROOST_ENGINES_COUNTERS_H
#define ROOST_ENGINES_COUNTERS_H

#include "portable/item.h"

/* Counts between two readings.  Maxima keep their present value. */
static inline void counters_since(const struct counters *now, const struct counters *before, struct counters *since)
{
    const uint64_t *a = (const uint64_t *)now, *b = (const uint64_t *)before;
    uint64_t *c = (uint64_t *)since;
    for (size_t i = 0; i < sizeof *now / sizeof *a; i++) c[i] = a[i] - b[i];
    since->max_bucket_reads = now->max_bucket_reads;
    since->longest = now->longest;
}

#endif
