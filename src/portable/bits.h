/* Bits and wide multiplications: the few instructions whose spelling differs between compilers. */
#ifndef ROOST_PORTABLE_BITS_H
#define ROOST_PORTABLE_BITS_H

#include "portable/machine.h"

#if defined(ROOST_MACHINE_CUDA)
ROOST_FN int bit_lowest32(uint32_t x) { return __ffs((int)x) - 1; } /* -1 for 0 */
/* The smaller of a + b and c, for each of two numbers of 16 bits. */
ROOST_FN uint32_t add_min_u16x2(uint32_t a, uint32_t b, uint32_t c) { return __viaddmin_u16x2(a, b, c); }
ROOST_FN int bit_lowest64(uint64_t x) { return __ffsll((long long)x) - 1; }
ROOST_FN int bit_count32(uint32_t x) { return __popc(x); }
ROOST_FN uint32_t bit_reverse32(uint32_t x) { return __brev(x); }
ROOST_FN uint64_t multiply_high64(uint64_t a, uint64_t b) { return __umul64hi(a, b); }
/* The sum of the products of two words' bytes. */
ROOST_FN uint32_t dot_bytes64(uint64_t a, uint64_t b)
{
    const uint32_t low = __dp4a((uint32_t)a, (uint32_t)b, 0u);
    return __dp4a((uint32_t)(a >> 32), (uint32_t)(b >> 32), low);
}
#else
ROOST_FN int bit_lowest32(uint32_t x) { return __builtin_ffs((int)x) - 1; }
ROOST_FN uint32_t add_min_u16x2(uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t low = (a + b) & 0xffffu, high = ((a >> 16) + (b >> 16)) & 0xffffu;
    return (low < (c & 0xffffu) ? low : c & 0xffffu) | (high < c >> 16 ? high : c >> 16) << 16;
}
ROOST_FN int bit_lowest64(uint64_t x) { return __builtin_ffsll((long long)x) - 1; }
ROOST_FN int bit_count32(uint32_t x) { return __builtin_popcount(x); }
ROOST_FN uint32_t bit_reverse32(uint32_t x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}
ROOST_FN uint64_t multiply_high64(uint64_t a, uint64_t b) { return (uint64_t)(((unsigned __int128)a * b) >> 64); }
ROOST_FN uint32_t dot_bytes64(uint64_t a, uint64_t b)
{
    uint32_t sum = 0;
    for (int i = 0; i < 64; i += 8) sum += (uint32_t)(a >> i & 0xff) * (uint32_t)(b >> i & 0xff);
    return sum;
}
#endif

/* An unpredictable condition.  The host's compiler must not branch on it: half of the guesses would
 * be wrong. */
ROOST_FN bool opaque_bool(bool condition)
{
#if defined(ROOST_MACHINE_HOST)
    uint32_t x = condition;
    __asm__("" : "+r"(x)); /* from here on only a number */
    return x;
#else
    return condition;
#endif
}

/* Maps a 32-bit hash to [0, n) by its top bits (multiplication instead of modulo). */
ROOST_FN uint32_t range32(uint32_t hash, uint32_t n) { return (uint32_t)(((uint64_t)hash * n) >> 32); }

/* Maps a 64-bit hash to [0, n).  When n doubles, i becomes 2i or 2i + 1, so growth has no
 * conflicts. */
ROOST_FN uint32_t range64(uint64_t hash, uint32_t n)
{
    const uint64_t high = (hash >> 32) * n, low = (hash & 0xffffffffu) * n;
    return (uint32_t)((high + (low >> 32)) >> 32);
}

/* The inverse of an odd number modulo 2^64, and so modulo each lower power of two.  By Newton's
 * iteration: each step doubles the bits that are right, of which an odd number has three. */
ROOST_FN uint64_t inverse64(uint64_t odd)
{
    uint64_t x = odd;
    for (int bits = 3; bits < 64; bits *= 2) x *= 2 - odd * x;
    return x;
}

#endif
