/* Random numbers, keys and values for tests, replayable from a seed. */
#include "support/draw.h"

#include <string.h>

uint64_t mix64(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

uint32_t mix32(uint32_t x)
{
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}

uint64_t draw(struct dice *dice) { return dice_draw(dice); }

uint64_t draw_below(struct dice *dice, uint64_t bound) { return draw(dice) % bound; }

void draw_order(struct dice *dice, uint64_t *numbers, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        const size_t j = (size_t)draw_below(dice, i);
        const uint64_t number = numbers[j];
        numbers[j] = numbers[i - 1];
        numbers[i - 1] = number;
    }
}

/* A bijection of numbers of `bits` bits. */
static uint64_t mix_bits(uint64_t x, unsigned bits)
{
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    for (int round = 0; round < 2; round++) x = ((x ^ x >> bits / 2) * UINT64_C(0xbf58476d1ce4e5b9)) & mask;
    return x ^ x >> bits / 2;
}

/* Strings alternate between short and long ones. */
uint64_t distinct_key(const struct test_shape *shape, uint64_t i)
{
    if (shape_has_strings(shape)) return i % 2 ? i : mix64(i) | UINT64_C(1) << 63;
    if (shape->key_bytes >= 8) return mix64(i);
    return shape->key_bytes == 4 ? mix32((uint32_t)i) : mix_bits(i & width_mask(shape->key_bytes), 8 * shape->key_bytes);
}

uint64_t value_bits(roost_type type, double number)
{
    uint64_t bits = 0;
    const float narrow = (float)number;
    switch (type) {
    case ROOST_TYPE_F32: memcpy(&bits, &narrow, sizeof narrow); break;
    case ROOST_TYPE_F64: memcpy(&bits, &number, sizeof number); break;
    case ROOST_TYPE_NONE: break;
    case ROOST_TYPE_BYTES: bits = (uint64_t)(int64_t)number; break;
    default: bits = (uint64_t)(int64_t)number & width_mask(type_bytes(type)); break;
    }
    return bits;
}

uint64_t draw_value(struct dice *dice, roost_type type)
{
    if (type == ROOST_TYPE_NONE) return 0;
    if (type_is_float(type)) return value_bits(type, (double)draw_below(dice, 17) - 8);
    const uint64_t bits = draw(dice);
    if (type == ROOST_TYPE_BYTES) return bits;
    /* small numbers as often as large ones */
    const unsigned shift = (unsigned)draw_below(dice, 64);
    return (draw_below(dice, 2) ? bits >> shift : ~(bits >> shift)) & width_mask(type_bytes(type));
}

void draw_patterns(uint64_t patterns[PATTERN_COUNT], unsigned bytes)
{
    static const uint64_t all[PATTERN_COUNT] = {
        0,
        ~UINT64_C(0),
        1,
        2,
        ~UINT64_C(1),
        0x7fffffff,
        0x80000000,
        0xffffffff,
        0xfffffffe,
        UINT64_C(0x100000000),
        UINT64_C(0xffffffff00000000),
        UINT64_C(0x7fffffffffffffff),
        UINT64_C(0x8000000000000000),
        UINT64_C(0x8000000080000000),
        UINT64_C(0xaaaaaaaaaaaaaaaa),
        UINT64_C(0x5555555555555555),
        0x7fc00000,
        UINT64_C(0x7ff8000000000000),
        0xdeadbeef,
        UINT64_C(0xfffffffeffffffff),
    };
    for (size_t i = 0; i < PATTERN_COUNT; i++) patterns[i] = all[i] & width_mask(bytes);
}
