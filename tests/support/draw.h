/* Random numbers, keys and values for tests, replayable from a seed. */
#ifndef ROOST_TESTS_DRAW_H
#define ROOST_TESTS_DRAW_H

#include "support/dice.h"
#include "support/shapes.h"

/* A bijection of 64-bit numbers (splitmix64's finalizer). */
uint64_t mix64(uint64_t x);

/* A bijection of 32-bit numbers (MurmurHash3's finalizer). */
uint32_t mix32(uint32_t x);

uint64_t draw(struct dice *dice);

/* A number below `bound` (above 0). */
uint64_t draw_below(struct dice *dice, uint64_t bound);

/* Brings n numbers into any order. */
void draw_order(struct dice *dice, uint64_t *numbers, size_t n);

/* The i-th of a sequence of distinct, scattered keys of a width, of which keys of 1 and 2 bytes have few. */
uint64_t distinct_key(const struct test_shape *shape, uint64_t i);

/* Any value, of type BYTES to be cut to its width; of types float small whole numbers alone, so that sums are exact in every order and no NaN or -0 occurs. */
uint64_t draw_value(struct dice *dice, roost_type type);

/* The bits of a number in a type of value. */
uint64_t value_bits(roost_type type, double number);

#define PATTERN_COUNT 20
/* Telling bit patterns: 0, ~0, 1, sign bits, both halves, NaN, -0 ... cut to `bytes`; some coincide at 4 bytes. */
void draw_patterns(uint64_t patterns[PATTERN_COUNT], unsigned bytes);

#endif
