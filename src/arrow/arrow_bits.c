/* Bitmaps that begin at any bit, brought to begin at the first one. */
#include "arrow/arrow_bits.h"

#include "portable/bits.h"

/* Eight bits from bit `first` on, of which `n` are there. */
static uint8_t bits_load(const uint8_t *from, uint64_t first, size_t n)
{
    const unsigned shift = (unsigned)(first % 8);
    unsigned bits = (unsigned)from[first / 8] >> shift;
    if (shift && n > 8 - shift) bits |= (unsigned)from[first / 8 + 1] << (8 - shift);
    return (uint8_t)(n < 8 ? bits & ((1u << n) - 1) : bits);
}

void bits_copy(uint8_t *to, const uint8_t *from, uint64_t first, size_t n)
{
    for (size_t i = 0; i < n; i += 8) to[i / 8] = bits_load(from, first + i, n - i);
}

void bits_and(uint8_t *to, const uint8_t *from, uint64_t first, size_t n)
{
    for (size_t i = 0; i < n; i += 8) to[i / 8] = (uint8_t)(to[i / 8] & bits_load(from, first + i, n - i));
}

size_t bits_zeros(const uint8_t *bits, size_t n)
{
    size_t ones = 0;
    for (size_t i = 0; i < n; i += 8) ones += (unsigned)bit_count32(bits_load(bits, i, n - i));
    return n - ones;
}
