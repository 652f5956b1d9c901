/* Shows that scenes of GPH tables on the scheduled machine find faults: kernels with one planted fault each are reported within a stated
 * number of seeds, or in a search through all schedules of a small scene, and the sound kernels are not. */
#include "support/plants.h"
#include "support/scheduled_gph_scene.h"
#include "support/scheduled_gph_small.h"
#include "support/settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { TABLES = 8 /* of a search */ };

/* Each seed runs these. */
static const struct {
    struct shape shape;
    int size;
} combinations[] = {
    {{4, 4, 2, 1, 2}, 1}, {{4, 4, 4, 1, 2}, 8}, {{8, 8, 2, 0, 2}, 2}, {{8, 8, 4, 0, 2}, 4},
    {{4, 0, 4, 1, 2}, 2}, {{4, 4, 4, 1, 2}, 4}, {{8, 0, 2, 1, 2}, 2},
};
enum { COMBINATIONS = sizeof combinations / sizeof combinations[0] };

/* What each plant is found by: seeds, with strong or weak memory; of orders that are missing nothing shows with strong memory. */
static const struct plant {
    const struct gph_stamped *stamped;
    bool weak, order;
} plants[] = {
    {&gph_vacancy_first, false, false}, {&gph_no_cell_lock, false, false}, {&gph_unchecked_move, false, false},
    {&gph_no_acquire, true, true},      {&gph_no_release, true, true},     {&gph_keeps_locks, false, false},
    {&gph_never_dies, false, false},
};
enum { PLANTS = sizeof plants / sizeof plants[0] };

/* The first report over the combinations of one seed, or NULL. */
static const char *first_report(const void *kernels, uint64_t seed, bool weak, int *combination)
{
    const struct gph_stamped *stamped = (const struct gph_stamped *)kernels;
    static struct gph_explored explored;
    for (*combination = 0; *combination < COMBINATIONS; ++*combination) {
        /* Without the cell's lock nobody could tell which pairs are on their way. */
        const struct gph_scenario scenario = {stamped, combinations[*combination].shape, combinations[*combination].size,
                                              weak,    stamped == &gph_no_cell_lock,     seed,
                                              false};
        const char *wrong = gph_explore(&scenario, &explored);
        if (wrong) return wrong;
    }
    return NULL;
}

static int found_by(const struct gph_stamped *stamped, bool weak)
{
    return plants_found_by(first_report, stamped->name, stamped, weak);
}

static void plant_is_found(void **state)
{
    const struct plant *plant = (const struct plant *)*state;
    assert_true(found_by(plant->stamped, plant->weak) > 0);
    if (plant->order) assert_int_equal(found_by(plant->stamped, false), 0);
}

/* The others are left to a search. */
static const char *searched_report(const struct gph_stamped *stamped, const struct gph_small *small, int size, int preemptions,
                                   bool weak, uint64_t seed)
{
    const struct shape shape = {8, 8, 2, 0, 2};
    const struct gph_small_run run = {stamped, shape, size, weak, 16, UINT32_MAX, seed, {preemptions, weak, 100000}};
    struct scheduled_searched searched;
    const char *wrong = gph_small_explore(small, &run, &searched);
    printf("%s, %s memory: %s\n", stamped->name, weak ? "weak" : "strong", wrong ? wrong : "not found");
    return wrong;
}

/* Three items in turn, and an old message. */
static void vacated_relaxed(void **state)
{
    static const struct gph_small small = {
        "an update, a move, and who takes its slot", GPH_refine, ROOST_OP_ASSIGN, "uab", "-m-", GPH_IN_TURN};
    (void)state;
    assert_non_null(searched_report(&gph_vacated_relaxed, &small, 1, 0, true, settings_get()->seed));
    assert_null(searched_report(&gph_vacated_relaxed, &small, 1, 0, false, settings_get()->seed));
}

/* In some of the tables; the sound kernels in none. */
static void assert_found(const struct gph_stamped *stamped, const struct gph_small *small, int size)
{
    const uint64_t first = settings_get()->seed;
    int found = 0;
    for (uint64_t i = 0; i < TABLES; i++) {
        found += searched_report(stamped, small, size, 1, false, first + i) != NULL;
        assert_null(searched_report(&gph_sound, small, size, 1, false, first + i));
    }
    printf("%s: found in %d of %d tables\n", stamped->name, found, TABLES);
    assert_true(found > 0);
}

/* An overflow bucket is marked as passed between two lanes' looks. */
static void lanes_pass(void **state)
{
    static const struct gph_small small = {
        "a refine that passes an overflow bucket", GPH_refine, ROOST_OP_ASSIGN, "db", "--", GPH_PASSES};
    (void)state;
    assert_found(&gph_lanes_pass, &small, 2);
}

static void nothing_planted(void **state)
{
    (void)state;
    plants_assert_none(first_report, &gph_sound, settings_size(PLANT_SEEDS, PLANT_SEEDS / 4));
}

int main(int argc, char **argv)
{
    static struct CMUnitTest tests[PLANTS + 4] = {
        [PLANTS] = cmocka_unit_test(vacated_relaxed), cmocka_unit_test(lanes_pass), cmocka_unit_test(nothing_planted)};
    settings_read(argc, argv);
    for (int i = 0; i < PLANTS; i++)
        tests[i] = (struct CMUnitTest){
            .name = plants[i].stamped->name, .test_func = plant_is_found, .initial_state = (void *)(uintptr_t)&plants[i]};
    if (settings_get()->only) cmocka_set_test_filter(settings_get()->only);
    return cmocka_run_group_tests_name("scheduled gph plants", tests, NULL, NULL) ? EXIT_FAILURE : EXIT_SUCCESS;
}
