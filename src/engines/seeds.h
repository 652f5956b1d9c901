/* The seed of a table's hash functions: the caller's, or a number that nobody knows. */
#ifndef ROOST_ENGINES_SEEDS_H
#define ROOST_ENGINES_SEEDS_H

#include "engines/table.h"
#include "portable/hash.h"

/* The constants of a table's hash functions, in the engine's own struct. */
struct hash_seeds *seeds_of(struct engine_table *t);

/* Draws them from the seed of config->like, from the caller's, or without either from a secret
 * one.
 * Returns: ROOST_ERR_UNSUPPORTED: the universal family is for 4-byte keys; ROOST_ERR_DEVICE: the
 * system gave no random number. */
roost_status seeds_begin(struct engine_table *t, enum hash_family family, const struct engine_config *config);

/* Draws them from a new secret seed.  Returns: ROOST_ERR_DEVICE: as above; nothing has changed. */
roost_status seeds_renew(struct engine_table *t);

/* May somebody have chosen keys that collide?  By a seed that is not secret, or by multipliers that
 * everybody knows.  Keys with structure may collide under the universal family by chance. */
bool seeds_invite(const struct engine_table *t);

/* A number that nobody knows, or on a system without random numbers one from the seed.  For what
 * leaves no trace in the layout, which follows from the seed alone. */
uint64_t seeds_secret(const struct engine_table *t);

#endif
