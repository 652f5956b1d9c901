/* Random numbers from a seed; for scenes on the scheduled machine as they are, for tables by way of support/draw.h. */
#ifndef ROOST_TESTS_DICE_H
#define ROOST_TESTS_DICE_H

#include <stdint.h>

struct dice {
    uint64_t state;
};

uint64_t dice_draw(struct dice *dice);

/* A number below `bound` (above 0). */
uint32_t dice_below(struct dice *dice, uint32_t bound);

#endif
