/* The slab allocator alone: units taken by one kernel, one a thread. */
#ifndef ROOST_BENCH_ALLOC_H
#define ROOST_BENCH_ALLOC_H

#include "bench_limits.h"

#ifdef __cplusplus
extern "C" {
#endif

struct alloc_case {
    int light;   /* one array of units instead of super blocks */
    int tile;    /* lanes that share resident words, and take units for one lane after the other: 4 or 32 */
    int percent; /* of the units that are taken before, at random places; half of the timed takes come below it, half above */
};

struct alloc_result {
    double seconds[LIMIT_REPETITIONS];
    uint64_t taken; /* of one repetition */
    uint64_t bytes; /* of the bitmaps, all that a take touches */
    uint64_t verified,
        wrong; /* units that were taken already, or twice, or are none; and words of the bitmaps that say other than that */
};

struct alloc_result alloc_cuda(struct alloc_case c, uint64_t seed);

/* Random atomic ors over as many bytes, each result stored: what a take cannot do without. */
struct limit alloc_limit(uint64_t seed);

#ifdef __cplusplus
}
#endif

#endif
