/* Byte sequences of any length at any address: read as little-endian words of 64 bits, compared and
 * copied.  For keys and values that are not machine words. */
#ifndef ROOST_PORTABLE_BYTES_H
#define ROOST_PORTABLE_BYTES_H

#include "portable/machine.h"

/* A view of bytes that the caller owns. */
struct bytes {
    const unsigned char *at;
    uint32_t n;
};

/* Up to 7 bytes, with zeros behind them. */
ROOST_FN uint64_t bytes_rest(const unsigned char *p, uint32_t n)
{
#if defined(ROOST_MACHINE_CUDA)
    uint64_t x = 0;
    for (uint32_t i = 0; i < n; i++) x |= (uint64_t)p[i] << 8 * i;
    return x;
#else
    if (n >= 4) { /* two words that overlap */
        uint32_t low, high;
        memcpy(&low, p, 4);
        memcpy(&high, p + n - 4, 4);
        return low | (uint64_t)high << 8 * (n - 4);
    }
    return n ? p[0] | (uint64_t)p[n / 2] << 8 * (n / 2) | (uint64_t)p[n - 1] << 8 * (n - 1) : 0;
#endif
}

#if defined(ROOST_MACHINE_CUDA)
/* Eight bytes.  At an address that is no multiple of 4 it reads three words, so only where the
 * caller has at least 12 bytes. */
ROOST_FN uint64_t bytes_eight(const unsigned char *p, uint32_t n)
{
    const uint32_t skew = (uint32_t)(uintptr_t)p & 3u;
    if (((uintptr_t)p & 7u) == 0) return *(const uint64_t *)p;
    if (skew && n < 12) return bytes_rest(p, 4) | bytes_rest(p + 4, 4) << 32;
    const uint32_t *const words = (const uint32_t *)(p - skew);
    const uint32_t a = words[0], b = words[1], c = skew ? words[2] : 0;
    return __funnelshift_r(a, b, 8 * skew) | (uint64_t)__funnelshift_r(b, c, 8 * skew) << 32;
}
#endif

/* The first 8 of n bytes, or all n with zeros behind them. */
ROOST_FN uint64_t bytes_word(const unsigned char *p, uint32_t n)
{
    if (n < 8) return bytes_rest(p, n);
#if defined(ROOST_MACHINE_CUDA)
    return bytes_eight(p, n);
#else
    uint64_t x;
    memcpy(&x, p, 8);
    return x;
#endif
}

/* Writes the first min(n, 8) bytes of a word. */
ROOST_FN void bytes_put(unsigned char *p, uint32_t n, uint64_t x)
{
    if (n < 8) {
        for (uint32_t i = 0; i < n; i++) p[i] = (unsigned char)(x >> 8 * i);
        return;
    }
#if defined(ROOST_MACHINE_CUDA)
    if (((uintptr_t)p & 7u) == 0) *(uint64_t *)p = x;
    else if (((uintptr_t)p & 3u) == 0) ((uint32_t *)p)[0] = (uint32_t)x, ((uint32_t *)p)[1] = (uint32_t)(x >> 32);
    else
        for (int i = 0; i < 8; i++) p[i] = (unsigned char)(x >> 8 * i);
#else
    memcpy(p, &x, 8);
#endif
}

ROOST_FN bool bytes_equal(const unsigned char *a, const unsigned char *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i += 8)
        if (bytes_word(a + i, n - i) != bytes_word(b + i, n - i)) return false;
    return true;
}

ROOST_FN void bytes_copy(unsigned char *to, const unsigned char *from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i += 8) bytes_put(to + i, n - i, bytes_word(from + i, n - i));
}

ROOST_FN void bytes_zero(unsigned char *to, uint32_t n)
{
    for (uint32_t i = 0; i < n; i += 8) bytes_put(to + i, n - i, 0);
}

/* Size of an entry of n bytes where entries begin at multiples of 8. */
ROOST_FN uint64_t bytes_padded(uint64_t n) { return (n + 7) & ~(uint64_t)7; }

#endif
