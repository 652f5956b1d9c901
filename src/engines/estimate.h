/* How many distinct keys a batch has, by linear counting (portable/linear_counting.h): what of it the policies compute. */
#ifndef ROOST_ENGINES_ESTIMATE_H
#define ROOST_ENGINES_ESTIMATE_H

#include <stdint.h>

/* Bits of the map for n items: 8 an item, in whole words. */
uint32_t linear_counting_bits(uint64_t n);

/* Bounds of the distinct keys among n items that set so many bits: four standard errors away, and at most n. */
struct distinct_bounds {
    double least, most;
};
struct distinct_bounds linear_counting_bounds(uint32_t bits, uint64_t set, uint64_t n);

#endif
