/* Random numbers from a seed. */
#include "support/dice.h"

#include "portable/bits.h"
#include "portable/hash.h"

uint64_t dice_draw(struct dice *dice) { return mix64(dice->state += 0x9e3779b97f4a7c15ULL); }

uint32_t dice_below(struct dice *dice, uint32_t bound) { return range32((uint32_t)dice_draw(dice), bound); }
