/* Draws the constants of the hash functions from a table's seed. */
#ifndef ROOST_PORTABLE_HASH_SEEDS_H
#define ROOST_PORTABLE_HASH_SEEDS_H

#include "portable/hash.h"

void hash_seeds_draw(struct hash_seeds *seeds, enum hash_family family, uint64_t seed);

#endif
