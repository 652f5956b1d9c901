/* Which rank stores a key (src/sharding).  A keyed hash under a secret of the table's own: it
 * shares no bits with the hashes inside of the ranks' tables, and nobody can send all keys to one
 * rank.
 *
 * Keys of 4 and 8 bytes have HalfSipHash-1-3 (Aumasson, Bernstein, SipHash's reference code), whose
 * words have 32 bits: on a GPU the hash is what a batch's way costs most of.  It lacks the word
 * that tells a key's length, for a table's keys have one.  Keys of other widths have
 * SipHash-1-3. */
#ifndef ROOST_PORTABLE_OWNER_H
#define ROOST_PORTABLE_OWNER_H

#include "portable/hash_bytes.h"

struct half_sip {
    uint32_t v[4];
};

ROOST_FN uint32_t rotate_left32(uint32_t x, int bits) { return x << bits | x >> (32 - bits); }

ROOST_FN void half_sip_round(struct half_sip *s)
{
    s->v[0] += s->v[1];
    s->v[2] += s->v[3];
    s->v[1] = rotate_left32(s->v[1], 5) ^ s->v[0];
    s->v[3] = rotate_left32(s->v[3], 8) ^ s->v[2];
    s->v[0] = rotate_left32(s->v[0], 16);
    s->v[2] += s->v[1];
    s->v[0] += s->v[3];
    s->v[1] = rotate_left32(s->v[1], 13) ^ s->v[2];
    s->v[3] = rotate_left32(s->v[3], 7) ^ s->v[0];
    s->v[2] = rotate_left32(s->v[2], 16);
}

ROOST_FN void half_sip_word(struct half_sip *s, uint32_t word)
{
    s->v[3] ^= word;
    half_sip_round(s);
    s->v[0] ^= word;
}

/* HalfSipHash-1-3 of a key of 4 or 8 bytes, without its length. */
ROOST_FN uint32_t hash_half_sip(uint64_t secret, uint64_t key, const uint32_t key_bytes)
{
    const uint32_t k0 = (uint32_t)secret, k1 = (uint32_t)(secret >> 32);
    struct half_sip s = {{k0, k1, k0 ^ 0x6c796765u, k1 ^ 0x74656462u}};
    half_sip_word(&s, (uint32_t)key);
    if (key_bytes == 8) half_sip_word(&s, (uint32_t)(key >> 32));
    s.v[2] ^= 0xff;
    ROOST_UNROLL
    for (int i = 0; i < 3; i++) half_sip_round(&s);
    return s.v[1] ^ s.v[3];
}

ROOST_FN uint32_t owner_hash_word(const uint64_t secret[2], uint64_t key, uint32_t key_bytes)
{
    return hash_half_sip(secret[0], key, key_bytes);
}

ROOST_FN uint32_t owner_hash_bytes(const uint64_t secret[2], const unsigned char *key, uint32_t key_bytes)
{
    return (uint32_t)(hash_sip(1, secret[0], secret[1], key, key_bytes) >> 32);
}

/* 0 .. owners - 1. */
ROOST_FN uint32_t owner_of(uint32_t hash, uint32_t owners) { return range32(hash, owners); }

#endif
