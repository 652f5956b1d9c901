/* Shows that scenes of fks tables on the scheduled machine find faults: kernels with one planted fault each are reported within a stated
 * number of seeds, and the sound kernels are not, over the same seeds. */
#include "support/plants.h"
#include "support/scheduled_fks_scene.h"
#include "support/settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* Each seed runs these. */
static const struct {
    enum fks_shape shape;
    int size;
} combinations[] = {{SHAPE_k4v4, 1}, {SHAPE_k8v8, 1}, {SHAPE_k8v4, 2}, {SHAPE_k4v8, 4},
                    {SHAPE_k8v8, 2}, {SHAPE_k4v0, 2}, {SHAPE_k8v0, 4}, {SHAPE_k4v4s1, 1}};
enum { COMBINATIONS = sizeof combinations / sizeof combinations[0] };

static const struct plant {
    const struct fks_stamped *stamped;
    const char *name;
    bool writes_alone; /* no shifts are run, which would show it first */
    bool in_order;     /* it is to be found with strong memory, too */
} plants[] = {
    {&fks_no_mark, "fks_no_mark", false, true},
    {&fks_first_line_only, "fks_first_line_only", false, true},
    {&fks_store_claims, "fks_store_claims", false, true},
    {&fks_no_locks, "fks_no_locks", false, true},
    {&fks_no_locks, "fks_no_locks, writes alone", true, false},
    {&fks_updates_early, "fks_updates_early", false, false},
};
enum { PLANTS = sizeof plants / sizeof plants[0] };

/* The first report over the combinations of one seed, or NULL. */
static const char *first_report(const void *kernels, uint64_t seed, bool weak, int *combination)
{
    const struct plant *plant = (const struct plant *)kernels;
    static struct fks_explored explored;
    for (*combination = 0; *combination < COMBINATIONS; ++*combination) {
        const struct fks_scenario scenario = {
            plant->stamped, combinations[*combination].shape, combinations[*combination].size, weak, seed, plant->writes_alone};
        const char *wrong = fks_explore(&scenario, &explored);
        if (wrong) return wrong;
    }
    return NULL;
}

static void plant_is_found(void **state)
{
    const struct plant *plant = (const struct plant *)*state;
    for (int weak = 0; weak < 2; weak++) {
        const int found = plants_found_by(first_report, plant->name, plant, weak != 0);
        if (weak || plant->in_order) assert_true(found > 0);
    }
}

static void nothing_planted(void **state)
{
    static const struct plant nothing = {&fks_sound, "fks_sound", false, false};
    (void)state;
    plants_assert_none(first_report, &nothing, settings_size(PLANT_SEEDS, PLANT_SEEDS / 4));
}

int main(int argc, char **argv)
{
    static struct CMUnitTest tests[PLANTS + 1] = {[PLANTS] = cmocka_unit_test(nothing_planted)};
    settings_read(argc, argv);
    for (int i = 0; i < PLANTS; i++)
        tests[i] = (struct CMUnitTest){
            .name = plants[i].name, .test_func = plant_is_found, .initial_state = (void *)(uintptr_t)&plants[i]};
    if (settings_get()->only) cmocka_set_test_filter(settings_get()->only);
    return cmocka_run_group_tests_name("scheduled fks plants", tests, NULL, NULL) ? EXIT_FAILURE : EXIT_SUCCESS;
}
