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

/* A number below `bound`, which is above 0. */
uint64_t draw_below(struct dice *dice, uint64_t bound);

/* Shuffles n numbers. */
void draw_order(struct dice *dice, uint64_t *numbers, size_t n);

/* The i-th of a sequence of distinct, scattered keys of the shape's width. Widths of 1 and 2
 * bytes have few keys. */
uint64_t distinct_key(const struct test_shape *shape, uint64_t i);

/* A random value. One of type BYTES is to be cut to its width. Float types get small whole
 * numbers only: sums are exact in every order, and no NaN or -0 occurs. */
uint64_t draw_value(struct dice *dice, roost_type type);

/* The bits of a number in a value type. */
uint64_t value_bits(roost_type type, double number);

#define PATTERN_COUNT 20
/* Edge-case bit patterns cut to `bytes`: 0, ~0, 1, sign bits, both halves, NaN, -0 and others.
 * Some coincide at 4 bytes. */
void draw_patterns(uint64_t patterns[PATTERN_COUNT], unsigned bytes);

#endif
