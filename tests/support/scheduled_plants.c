/* Runs kernels of any engine with many seeds on the scheduled machine. */
#include "support/scheduled_plants.h"

#include "support/settings.h"

#include <inttypes.h>
#include <stdio.h>

static const struct plants *plants; /* set once for the program */

static const char *memory_name(bool weak) { return weak ? "weak" : "strong"; }

/* The first report among the combinations of one seed, or NULL. */
static const char *first_report(const struct plant *plant, uint64_t seed, bool weak, int *combination)
{
    for (*combination = 0; *combination < plants->combinations_n; ++*combination) {
        struct frame_scenario scenario = plants->combinations[*combination];
        scenario.kernels = plant->kernels;
        scenario.unwatched = plant->unwatched;
        scenario.writes_alone = plant->writes_alone;
        scenario.weak = weak;
        scenario.seed = seed;
        const char *wrong = plants->explore(&scenario);
        if (wrong) return wrong;
    }
    return NULL;
}

static void assert_report_is_of(const struct plant *plant, const char *report)
{
    bool is = !plant->reports[0];
    for (int i = 0; i < 3 && plant->reports[i]; i++) is = is || strstr(report, plant->reports[i]);
    if (!is) print_error("%s: an unexpected report: %s\n", plant->name, report);
    assert_true(is);
}

/* The number of seeds that report the kernels; prints it, and the first report. */
static int found_by(const struct plant *plant, bool weak)
{
    const int seeds = weak ? (int)settings_size(PLANT_SEEDS, plants->brief_weak) : PLANT_SEEDS;
    int found = 0, first = -1, combination;
    for (int i = 0; i < seeds; i++) {
        const uint64_t seed = settings_get()->seed + (uint64_t)i;
        const char *report = first_report(plant, seed, weak, &combination);
        if (!report) continue;
        assert_report_is_of(plant, report);
        if (found++) continue;
        first = i;
        printf("%s, seed %" PRIu64 ", combination %d: %.600s\n", plant->name, seed, combination, report);
    }
    printf("%s, %s memory: found by %d of %d seeds, first by number %d\n", plant->name, memory_name(weak), found, seeds, first);
    return found;
}

static void plant_is_found(void **state)
{
    const struct plant *plant = (const struct plant *)*state;
    if (plant->shows & PLANT_IN_STRONG) assert_true(found_by(plant, false) > 0);
    if (plant->shows & PLANT_IN_WEAK) assert_true(found_by(plant, true) > 0);
    if (plant->shows & PLANT_NOT_IN_STRONG) assert_int_equal(found_by(plant, false), 0);
}

static void nothing_planted(void **state)
{
    const struct plant sound = {.kernels = plants->sound};
    int combination;
    (void)state;
    for (int weak = 0; weak < 2; weak++)
        for (uint64_t i = 0; i < settings_size(PLANT_SEEDS, plants->brief_sound[weak]); i++) {
            const uint64_t seed = settings_get()->seed + i;
            const char *report = first_report(&sound, seed, weak != 0, &combination);
            if (report)
                print_error("seed %" PRIu64 ", %s memory, combination %d: %s\n", seed, memory_name(weak != 0), combination, report);
            assert_null(report);
        }
}

void plants_cases(struct program_cases *cases, const struct plants *of)
{
    plants = of;
    for (int i = 0; i < of->plants_n; i++) program_case(cases, of->plants[i].name, plant_is_found, &of->plants[i]);
    if (of->brief_sound[0]) PROGRAM_CASE(cases, nothing_planted);
}

int plants_main(int argc, char **argv, const char *group, const struct plants *of)
{
    static struct program_cases cases;
    plants_cases(&cases, of);
    return program_run(argc, argv, group, &cases);
}
