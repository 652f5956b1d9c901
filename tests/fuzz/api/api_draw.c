/* The items of calls in the fuzzer of the API: how many, and which keys and values. */
#include "fuzz/api/api_life.h"

/* Where a batch's keys come from. */
enum source {
    SOURCE_SCATTERED,  /* scattered keys of a universe */
    SOURCE_SEQUENTIAL, /* small numbers */
    SOURCE_HIGH_BITS,  /* numbers in the highest bits */
    SOURCE_STRIDED,
    SOURCE_EXTREMES,  /* 0, ~0 and other patterns */
    SOURCE_RUNS,      /* runs of equal keys */
    SOURCE_CLUSTERED, /* close to a few places */
    SOURCE_STORED,    /* keys that are stored */
    SOURCE_FRESH,     /* keys that never were */
    SOURCES
};

static const char *const source_names[] = {"scattered", "sequential", "high bits", "strided", "extremes",
                                           "runs",      "clustered",  "stored",    "fresh"};

struct keys {
    enum source source;
    uint64_t universe, run;
    unsigned shift;
};

/* FRESH keys are numbered from here on. */
#define FRESH_FROM (UINT64_C(1) << 31)

static struct keys keys_draw(struct api_life *life)
{
    static const uint64_t universes[] = {1, 2, 5, 70, 3000, 40000};
    struct api_choices *choices = life->choices;
    const uint64_t number = choose(choices, 8);
    return (struct keys){.source = (enum source)choose(choices, SOURCES),
                         .universe = number < 6 ? universes[number] : 2 * life->limits.keys,
                         .run = choose_size(choices, 1, 1000),
                         .shift = (unsigned)choose(choices, 40)};
}

static uint64_t extreme(struct dice *dice, unsigned bytes)
{
    uint64_t patterns[PATTERN_COUNT];
    draw_patterns(patterns, bytes);
    return patterns[draw_below(dice, PATTERN_COUNT)];
}

static uint64_t key_draw(struct api_life *life, const struct keys *keys, struct dice *dice, size_t i)
{
    const struct test_shape *shape = &life->coding.shape;
    const unsigned bits = shape_key_bits(shape);
    const uint64_t number = draw_below(dice, keys->universe);
    switch (keys->source) {
    case SOURCE_SEQUENTIAL: return number;
    case SOURCE_HIGH_BITS: return number << (bits > 16 ? bits - 16 : 0);
    case SOURCE_STRIDED: return number << keys->shift;
    case SOURCE_EXTREMES: return extreme(dice, shape->key_bytes);
    case SOURCE_RUNS: return distinct_key(shape, (keys->shift + i / keys->run) % keys->universe);
    case SOURCE_CLUSTERED: return distinct_key(shape, number % 7) + number / 7;
    case SOURCE_STORED: return life->exact.keys ? exact_key_near(&life->exact, draw(dice)) : number;
    case SOURCE_FRESH: return distinct_key(shape, FRESH_FROM + life->fresh++);
    default: return distinct_key(shape, number);
    }
}

/* The bytes of a call's arrays for one item, about. */
static uint64_t item_bytes(const struct api_life *life)
{
    const struct coding *coding = &life->coding;
    const bool strings = shape_has_strings(&coding->shape);
    return (strings ? 16 + coding->prefix + coding->spread : coding->shape.key_bytes) + 2 * coding->shape.value_bytes + 32;
}

size_t life_size(struct api_life *life)
{
    static const size_t special[] = {0, 1, 31, 32, 33, 4096, 4097};
    const uint64_t fit = life->limits.bytes / item_bytes(life);
    uint64_t most = fit < life->limits.batch ? fit : life->limits.batch;
    if (life->slow && most > 1000) most = 1000;
    const uint64_t number = choose(life->choices, 40);
    if (number < sizeof special / sizeof *special) return special[number] < most ? special[number] : most;
    return choose_size(life->choices, 1, most);
}

void life_draw(struct api_life *life, struct api_batch *batch, size_t n)
{
    const struct keys keys = keys_draw(life);
    struct dice dice = choose_dice(life->choices);
    const uint64_t key_mask = coding_key_mask(&life->coding), value_mask = coding_value_mask(&life->coding);
    batch_make(batch, &life->coding, n);
    for (size_t i = 0; i < n; i++) {
        batch->ids[i] = key_draw(life, &keys, &dice, i) & key_mask;
        batch->values[i] = draw_value(&dice, life->coding.shape.value_type) & value_mask;
    }
    batch_encode(batch, choose(life->choices, 2) ? 4 : 8);
    report_step("  %zu items, keys %s, universe %llu, run %llu, shift %u", n, source_names[keys.source],
                (unsigned long long)keys.universe, (unsigned long long)keys.run, keys.shift);
}
