/* The slab allocator alone: one kernel takes units, one per thread. */
#ifndef ROOST_BENCH_ALLOC_H
#define ROOST_BENCH_ALLOC_H

#include "bench_limits.h"

#ifdef __cplusplus
extern "C" {
#endif

struct alloc_case {
    int light; /* one array of units instead of super blocks */
    /* lanes that share resident words and take units for one lane after another: 4 or 32 */
    int tile;
    /* per cent of the units taken at the middle of the timed takes: half of these come below it,
     * half above; the units taken before are at random places */
    int percent;
};

struct alloc_result {
    double seconds[LIMIT_REPETITIONS];
    uint64_t taken; /* units taken in one repetition */
    uint64_t bytes; /* bytes of the bitmaps, which are all that a take touches */
    /* wrong: units that were taken already, twice, or do not exist; and words of the bitmaps that
     * contradict this */
    uint64_t verified, wrong;
};

struct alloc_result alloc_cuda(struct alloc_case c, uint64_t seed);

/* Random atomic ORs over as many bytes, each with its result stored: the least that a take does. */
struct limit alloc_limit(uint64_t seed);

#ifdef __cplusplus
}
#endif

#endif
