/* What decides a life of the fuzzer of the API: the bytes of an input, or numbers from a seed. */
#ifndef ROOST_TESTS_API_CHOICES_H
#define ROOST_TESTS_API_CHOICES_H

#include "support/draw.h"

#include <stdbool.h>
#include <stddef.h>

/* Begin with {.dice = {seed}}, or with {.by_bytes = true, .bytes = ..., .left = ...}. */
struct api_choices {
    bool by_bytes;
    const uint8_t *bytes;
    size_t left;
    struct dice dice;
};

/* A number below `bound`, which is above 0.  Once the bytes are used up it is 0. */
uint64_t choose(struct api_choices *choices, uint64_t bound);

/* True once in `of` times. */
bool choose_once_in(struct api_choices *choices, uint64_t of);

/* A number from least to most, each size of number as often as the others. */
uint64_t choose_size(struct api_choices *choices, uint64_t least, uint64_t most);

/* A number from least to most in steps of a 64th of the difference. */
double choose_share(struct api_choices *choices, double least, double most);

/* A source for the contents of arrays, which would use up the bytes of an input. */
struct dice choose_dice(struct api_choices *choices);

#endif
