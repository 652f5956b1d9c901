/* Shows that scenes of slab tables on the scheduled machine find faults: kernels with one planted fault each are reported within a stated
 * number of seeds, and the sound kernels are not, over the same seeds. */
#include "support/plants.h"
#include "support/scheduled_slab_scene.h"
#include "support/settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* Each seed runs these: every kind of slot, tiles of 1, 4 and 32 lanes. */
static const struct {
    enum slab_shape shape;
    enum driver driver;
    int size;
} combinations[] = {
    {SHAPE_k4v4, DRIVER_lane, 1},  {SHAPE_k8v8, DRIVER_tile, 4},        {SHAPE_k8v8steps, DRIVER_tile, 1},
    {SHAPE_k4v0, DRIVER_tile, 32}, {SHAPE_k4v4, DRIVER_cooperative, 4},
};
enum { COMBINATIONS = sizeof combinations / sizeof combinations[0] };

/* The first report over the combinations of one seed, or NULL. */
static const char *first_report(const void *kernels, uint64_t seed, bool weak, int *combination)
{
    const struct slab_stamped *stamped = (const struct slab_stamped *)kernels;
    static struct slab_explored explored;
    for (*combination = 0; *combination < COMBINATIONS; ++*combination) {
        const struct slab_scenario scenario = {stamped,
                                               combinations[*combination].shape,
                                               {combinations[*combination].driver, combinations[*combination].size, 0, weak},
                                               seed};
        const char *wrong = slab_explore(&scenario, &explored);
        if (wrong) return wrong;
    }
    return NULL;
}

static int found_by(const struct slab_stamped *stamped, bool weak)
{
    return plants_found_by(first_report, stamped->name, stamped, weak);
}

static void delete_stores(void **state)
{
    (void)state;
    assert_true(found_by(&slab_delete_stores, false) > 0);
}

static void reuse_tombstone(void **state)
{
    (void)state;
    assert_true(found_by(&slab_reuse_tombstone, false) > 0);
}

/* An order that is missing: with strong memory it cannot show. */
static void relaxed_publication(void **state)
{
    (void)state;
    assert_true(found_by(&slab_relaxed_publication, true) > 0);
    assert_int_equal(found_by(&slab_relaxed_publication, false), 0);
}

static void nothing_planted(void **state)
{
    (void)state;
    plants_assert_none(first_report, &slab_sound, settings_size(PLANT_SEEDS, PLANT_SEEDS / 2));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delete_stores),
        cmocka_unit_test(reuse_tombstone),
        cmocka_unit_test(relaxed_publication),
        cmocka_unit_test(nothing_planted),
    };
    settings_read(argc, argv);
    if (settings_get()->only) cmocka_set_test_filter(settings_get()->only);
    return cmocka_run_group_tests_name("scheduled slab plants", tests, NULL, NULL) ? EXIT_FAILURE : EXIT_SUCCESS;
}
