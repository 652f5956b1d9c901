/* What decides a life of the fuzzer of the API: the bytes of an input, or numbers from a seed. */
#include "fuzz/api/api_choices.h"

static uint64_t take_bytes(struct api_choices *choices, size_t n)
{
    uint64_t number = 0;
    for (; n > 0 && choices->left > 0; n--, choices->left--) number = number << 8 | *choices->bytes++;
    return number;
}

uint64_t choose(struct api_choices *choices, uint64_t bound)
{
    if (!choices->by_bytes) return draw_below(&choices->dice, bound);
    return take_bytes(choices, bound <= 0x100 ? 1 : bound <= 0x10000 ? 2 : 8) % bound;
}

bool choose_once_in(struct api_choices *choices, uint64_t of) { return choose(choices, of) == of - 1; }

uint64_t choose_size(struct api_choices *choices, uint64_t least, uint64_t most)
{
    unsigned doublings = 0;
    while (least << doublings < most) doublings++;
    const uint64_t top = least << choose(choices, doublings + 1);
    const uint64_t bound = top < most ? top : most, half = bound / 2;
    const uint64_t size = half + choose(choices, bound - half + 1);
    return size < least ? least : size;
}

double choose_share(struct api_choices *choices, double least, double most)
{
    return least + (most - least) * (double)choose(choices, 65) / 64;
}

struct dice choose_dice(struct api_choices *choices)
{
    return (struct dice){choices->by_bytes ? take_bytes(choices, 2) : draw(&choices->dice)};
}
