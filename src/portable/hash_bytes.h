/* Hashes of keys that are byte strings of any length, seeded.
 *
 *   FOLD  folds the two halves of a 128-bit product for each eight bytes: one multiplication for
 *         eight bytes, but anyone who knows the seed can make keys collide.
 *   SIP   SipHash (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012), with 1 round
 *         for each word and 3 at the end, or 2 and 4: without the seed, nobody can make keys
 *         collide. */
#ifndef ROOST_PORTABLE_HASH_BYTES_H
#define ROOST_PORTABLE_HASH_BYTES_H

#include "portable/bytes.h"
#include "portable/hash.h"

ROOST_FN uint64_t fold64(uint64_t a, uint64_t b) { return a * b ^ multiply_high64(a, b); }

ROOST_FN uint64_t hash_fold(uint64_t seed, const unsigned char *p, uint32_t n)
{
    uint64_t h = seed ^ n * 0x9e3779b97f4a7c15ULL; /* so that zeros at the end count */
    for (uint32_t i = 0; i < n; i += 8) h = fold64(h ^ bytes_word(p + i, n - i), 0x9fb21c651e98df25ULL);
    return mix64(h);
}

struct sip {
    uint64_t v[4];
};

ROOST_FN uint64_t rotate_left64(uint64_t x, int bits) { return x << bits | x >> (64 - bits); }

ROOST_FN void sip_round(struct sip *s)
{
    s->v[0] += s->v[1];
    s->v[2] += s->v[3];
    s->v[1] = rotate_left64(s->v[1], 13) ^ s->v[0];
    s->v[3] = rotate_left64(s->v[3], 16) ^ s->v[2];
    s->v[0] = rotate_left64(s->v[0], 32);
    s->v[2] += s->v[1];
    s->v[0] += s->v[3];
    s->v[1] = rotate_left64(s->v[1], 17) ^ s->v[2];
    s->v[3] = rotate_left64(s->v[3], 21) ^ s->v[0];
    s->v[2] = rotate_left64(s->v[2], 32);
}

ROOST_FN void sip_rounds(struct sip *s, uint32_t n)
{
    ROOST_ROLLED
    for (uint32_t i = 0; i < n; i++) sip_round(s);
}

ROOST_FN void sip_word(struct sip *s, uint32_t rounds, uint64_t word)
{
    s->v[3] ^= word;
    sip_rounds(s, rounds);
    s->v[0] ^= word;
}

/* SipHash-rounds-(rounds + 2) under the key k0, k1. */
ROOST_FN uint64_t hash_sip(uint32_t rounds, uint64_t k0, uint64_t k1, const unsigned char *p, uint32_t n)
{
    struct sip s = {
        {k0 ^ 0x736f6d6570736575ULL, k1 ^ 0x646f72616e646f6dULL, k0 ^ 0x6c7967656e657261ULL, k1 ^ 0x7465646279746573ULL}};
    uint32_t i = 0;
    for (; i + 8 <= n; i += 8) sip_word(&s, rounds, bytes_word(p + i, n - i));
    sip_word(&s, rounds, bytes_rest(p + i, n - i) | (uint64_t)n << 56);
    s.v[2] ^= 0xff;
    sip_rounds(&s, rounds + 2);
    return s.v[0] ^ s.v[1] ^ s.v[2] ^ s.v[3];
}

/* One of these, with its seed. */
struct bytes_hash {
    uint64_t k0, k1;
    uint64_t mask; /* bits of the hash that are used, and spread over 64 again; ~0: all */
    uint32_t sip;  /* rounds for each word; 0: FOLD */
};

ROOST_FN uint64_t hash_bytes(const struct bytes_hash h, const struct bytes key)
{
    const uint64_t hash = h.sip ? hash_sip(h.sip, h.k0, h.k1, key.at, key.n) : hash_fold(h.k0, key.at, key.n);
    return h.mask == ~0ULL ? hash : mix64((hash & h.mask) + 1);
}

#endif
