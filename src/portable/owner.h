/* Which rank stores a key (src/sharding).  A keyed hash under a secret of the table's own: it
 * shares no bits with the hashes inside of the ranks' tables, and nobody can send all keys to one
 * rank. */
#ifndef ROOST_PORTABLE_OWNER_H
#define ROOST_PORTABLE_OWNER_H

#include "portable/hash_bytes.h"

ROOST_FN uint64_t owner_hash(const uint64_t secret[2], const unsigned char *key, uint32_t key_bytes)
{
    return hash_sip(1, secret[0], secret[1], key, key_bytes);
}

/* 0 .. owners - 1. */
ROOST_FN uint32_t owner_of(uint64_t hash, uint32_t owners) { return range64(hash, owners); }

#endif
