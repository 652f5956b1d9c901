/* A number that nobody can know, from the system. */
#ifndef ROOST_PORTABLE_RANDOM_SEED_H
#define ROOST_PORTABLE_RANDOM_SEED_H

#include <stdbool.h>
#include <stdint.h>

/* False: the system has none; *seed is unchanged. */
bool random_seed(uint64_t *seed);

#endif
