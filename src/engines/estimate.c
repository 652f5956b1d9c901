/* Estimates of distinct keys. */
#include "engines/estimate.h"

#include <math.h>

uint32_t linear_counting_bits(uint64_t n) { return (uint32_t)((8 * n + 31) / 32 * 32); }

struct distinct_bounds linear_counting_bounds(uint32_t bits, uint64_t set, uint64_t n)
{
    const double m = (double)bits, unset = (m - (double)set) / m, load = -log(unset);
    const double distinct = m * load, deviation = sqrt(fmax(0, m * (1 / unset - load - 1)));
    const struct distinct_bounds bounds = {fmax(0, fmin(distinct - 4 * deviation, (double)n)),
                                           fmin(distinct + 4 * deviation, (double)n)};
    return bounds;
}
