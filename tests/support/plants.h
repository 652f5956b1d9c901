/* Seeds against kernels on the scheduled machine, of any engine: how many of them report a planted fault, and that none reports the sound
 * kernels. */
#ifndef ROOST_TESTS_PLANTS_H
#define ROOST_TESTS_PLANTS_H

#include <stdbool.h>
#include <stdint.h>

enum { PLANT_SEEDS = 40 };

/* What explores an engine's kernels: the first report over its combinations of one seed, and which of them that was, or NULL. */
typedef const char *plants_explore(const void *kernels, uint64_t seed, bool weak, int *combination);

/* By how many of PLANT_SEEDS the kernels are reported; prints that, and the first report. */
int plants_found_by(plants_explore *explore, const char *name, const void *kernels, bool weak);

/* Nobody reports them, with strong memory and with weak, over so many seeds. */
void plants_assert_none(plants_explore *explore, const void *kernels, uint64_t seeds);

#endif
