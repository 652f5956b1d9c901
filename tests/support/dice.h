/* Random numbers from a seed: scenes on the scheduled machine use them directly, tables through
 * support/draw.h. */
#ifndef ROOST_TESTS_DICE_H
#define ROOST_TESTS_DICE_H

#include <stdint.h>

struct dice {
    uint64_t state;
};

uint64_t dice_draw(struct dice *dice);

/* A number below `bound`, which is above 0. */
uint32_t dice_below(struct dice *dice, uint32_t bound);

#endif
