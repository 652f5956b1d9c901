/* A whole life of a table in the fuzzer of the API. */
#include "fuzz/api/api_life.h"

/* A step, how often it is drawn, and for which tables. */
struct step {
    void (*run)(struct api_life *life);
    unsigned weight;
    bool (*fits)(const struct api_life *life);
};

static bool has_words(const struct api_life *life)
{
    const struct test_shape *shape = &life->coding.shape;
    const bool key = !shape_has_strings(shape) && (shape->key_bytes == 4 || shape->key_bytes == 8);
    return key && (shape->value_bytes == 0 || shape->value_bytes == 4 || shape->value_bytes == 8);
}

static bool fits_all(const struct api_life *life) { return (void)life, true; }
static bool fits_fixed_keys(const struct api_life *life) { return !shape_has_strings(&life->coding.shape); }
static bool fits_order(const struct api_life *life) { return has_words(life) && !life->multi; }
static bool fits_all_pairs(const struct api_life *life) { return life->counts; }
static bool fits_views(const struct api_life *life) { return life->counts && !life->multi && has_words(life); }
/* At most half of the item operations only read. */
static bool fits_reads(const struct api_life *life) { return 2 * totals_reads(life->totals) < totals_items(life->totals); }

static const struct step steps[] = {
    {step_insert, 36, fits_all}, {step_ordered, 14, fits_order}, {step_mixed, 14, fits_fixed_keys}, {step_erase, 14, fits_all},
    {step_find, 12, fits_reads}, {step_export, 4, fits_all},     {step_whole, 8, fits_all},         {step_describe, 2, fits_all},
    {step_wrong, 2, fits_all},   {step_all, 16, fits_all_pairs}, {step_view, 10, fits_views},
};

enum { STEPS = sizeof steps / sizeof *steps };

static const struct step *step_draw(struct api_life *life)
{
    uint64_t all = 0;
    for (size_t i = 0; i < STEPS; i++) all += steps[i].weight;
    uint64_t number = choose(life->choices, all);
    size_t i = 0;
    for (; number >= steps[i].weight; i++) number -= steps[i].weight;
    return steps[i].fits(life) ? &steps[i] : &steps[0];
}

/* Keeps the table within the limit of a life. */
static void trim(struct api_life *life)
{
    if (life->exact.pairs <= life->limits.keys) return;
    report_step("clear, because %llu pairs are enough", (unsigned long long)life->exact.pairs);
    life->allocator.paused = true;
    const roost_status status = roost_table_clear(life->table);
    life->allocator.paused = false;
    life_call_ended(life, status, 0, "a clear");
    if (!status) exact_clear(&life->exact);
}

static void steps_run(struct api_life *life, const bool *wanted)
{
    const struct dice base = life->choices->dice;
    for (unsigned i = 0; i < life->limits.steps && (!life->choices->by_bytes || life->choices->left); i++) {
        life->choices->dice.state = mix64(base.state + i);
        if (wanted && !wanted[i]) continue;
        report_step("step %u", i);
        step_draw(life)->run(life);
        trim(life);
    }
}

void life_run(struct api_choices *choices, const struct api_limits *limits, struct api_totals *totals, const bool *wanted)
{
    struct api_life life = {.choices = choices, .totals = totals, .limits = *limits};
    if (!life_begin(&life)) return;
    steps_run(&life, wanted);
    report_step("the last comparison");
    life.allocator.paused = true;
    step_export(&life);
    life.unchecked = life.before.slots;
    life_wrote(&life, 0);
    life_end(&life);
}
