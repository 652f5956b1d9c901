/* Shows that scenes of slab tables on the scheduled machine find faults: kernels with one planted fault each are reported within a stated
 * number of seeds, and the sound kernels are not, over the same seeds. */
#include "support/scheduled_slab_scene.h"
#include "support/settings.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SEEDS = 40 };

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
static const char *first_report(const struct slab_stamped *stamped, uint64_t seed, bool weak, int *combination)
{
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
    int found = 0, first = -1, combination;
    for (int i = 0; i < SEEDS; i++) {
        const char *report = first_report(stamped, settings_get()->seed + (uint64_t)i, weak, &combination);
        if (!report) continue;
        if (found++ == 0) {
            first = i;
            printf("%s, seed %" PRIu64 ", combination %d: %.600s\n", stamped->name, settings_get()->seed + (uint64_t)i, combination,
                   report);
        }
    }
    printf("%s, %s memory: found by %d of %d seeds, first by number %d\n", stamped->name, weak ? "weak" : "strong", found, SEEDS,
           first);
    return found;
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

static void assert_sound(uint64_t seed, bool weak)
{
    int combination;
    const char *report = first_report(&slab_sound, seed, weak, &combination);
    if (report)
        print_error("seed %" PRIu64 ", %s memory, combination %d: %s\n", seed, weak ? "weak" : "strong", combination, report);
    assert_null(report);
}

static void nothing_planted(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < settings_size(SEEDS, SEEDS / 2); i++) {
        assert_sound(settings_get()->seed + i, false);
        assert_sound(settings_get()->seed + i, true);
    }
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
