/* Shows that scenes of Stadium tables on the scheduled machine find faults: kernels with one planted fault each are reported within a stated
 * number of seeds, and the sound kernels are not, over the same seeds. */
#include "support/plants.h"
#include "support/scheduled_stadium_scene.h"
#include "support/settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* Each seed runs these: pairs of a word and of two, a set, both drivers, tiles of 1, 2 and 4 lanes. */
static const struct {
    enum stadium_shape shape;
    enum driver driver;
    int size;
} combinations[] = {
    {SHAPE_k4v4, DRIVER_tile, 1}, {SHAPE_k8v8, DRIVER_tile, 2},        {SHAPE_k8v8g64, DRIVER_tile, 4},
    {SHAPE_k4v0, DRIVER_tile, 1}, {SHAPE_k4v4, DRIVER_cooperative, 2},
};
enum { COMBINATIONS = sizeof combinations / sizeof combinations[0] };

/* The first report over the combinations of one seed, or NULL. */
static const char *first_report(const void *kernels, uint64_t seed, bool weak, int *combination)
{
    const struct stadium_stamped *stamped = (const struct stadium_stamped *)kernels;
    static struct stadium_explored explored;
    for (*combination = 0; *combination < COMBINATIONS; ++*combination) {
        const struct stadium_scenario scenario = {stamped,
                                                  combinations[*combination].shape,
                                                  NULL,
                                                  {combinations[*combination].driver, combinations[*combination].size, 0, weak},
                                                  seed};
        const char *wrong = stadium_explore(&scenario, &explored);
        if (wrong) return wrong;
    }
    return NULL;
}

static int found_by(const struct stadium_stamped *stamped, bool weak)
{
    return plants_found_by(first_report, stamped->name, stamped, weak);
}

static void takes_erased(void **state)
{
    (void)state;
    assert_true(found_by(&stadium_takes_erased, false) > 0);
}

static void skips_reserved(void **state)
{
    (void)state;
    assert_true(found_by(&stadium_skips_reserved, false) > 0);
}

/* An order that is missing: with strong memory it cannot show. */
static void no_release(void **state)
{
    (void)state;
    assert_true(found_by(&stadium_no_release, true) > 0);
    assert_int_equal(found_by(&stadium_no_release, false), 0);
}

static void reserves_by_and(void **state)
{
    (void)state;
    assert_true(found_by(&stadium_reserves_by_and, false) > 0);
}

static void info_at_once(void **state)
{
    (void)state;
    assert_true(found_by(&stadium_info_at_once, false) > 0);
}

static void nothing_planted(void **state)
{
    (void)state;
    plants_assert_none(first_report, &stadium_sound, settings_size(PLANT_SEEDS, PLANT_SEEDS / 2));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_erased),    cmocka_unit_test(skips_reserved), cmocka_unit_test(no_release),
        cmocka_unit_test(reserves_by_and), cmocka_unit_test(info_at_once),   cmocka_unit_test(nothing_planted),
    };
    settings_read(argc, argv);
    if (settings_get()->only) cmocka_set_test_filter(settings_get()->only);
    return cmocka_run_group_tests_name("scheduled stadium plants", tests, NULL, NULL) ? EXIT_FAILURE : EXIT_SUCCESS;
}
