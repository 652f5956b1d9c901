/* Bitmaps in host memory: bit i % 8 of byte i / 8. */
#ifndef ROOST_ARROW_ARROW_BITS_H
#define ROOST_ARROW_ARROW_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool bit_is_set(const uint8_t *bits, uint64_t i) { return bits[i / 8] >> (i % 8) & 1; }
static inline void bit_set(uint8_t *bits, uint64_t i) { bits[i / 8] = (uint8_t)(bits[i / 8] | 1u << (i % 8)); }
static inline void bit_clear(uint8_t *bits, uint64_t i) { bits[i / 8] = (uint8_t)(bits[i / 8] & ~(1u << (i % 8))); }

/* Copies n bits from bit `first` on; the last byte is filled with zeros.  Or keeps those of n bits
 * that are set there, too. */
void bits_copy(uint8_t *to, const uint8_t *from, uint64_t first, size_t n);
void bits_and(uint8_t *to, const uint8_t *from, uint64_t first, size_t n);

/* Bits of n that are 0; those behind the n-th do not count. */
size_t bits_zeros(const uint8_t *bits, size_t n);

#endif
