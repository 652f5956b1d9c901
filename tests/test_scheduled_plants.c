/* Shows that the scheduled machine's exploration finds faults: kernels with one planted fault each are reported within a stated number
 * of seeds, and the sound kernels are not, over the same seeds. */
#include "support/scheduled_explore.h"
#include "support/settings.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SEEDS = 40 };

struct plant {
    const struct scheduled_kernels *kernels;
    const char *reports[3]; /* texts of which a report has one */
    bool weak;              /* memory: else it is not found */
};

/* Each seed runs these: both ways of publishing, each driver, tiles of 1, 4 and 32 lanes. */
static const struct {
    enum dycuckoo_shape shape;
    enum driver driver;
    int size;
} combinations[] = {
    {SHAPE_k4v4, DRIVER_lane, 1},    {SHAPE_k8v8, DRIVER_tile, 4},        {SHAPE_k4v4dary, DRIVER_vote, 4},
    {SHAPE_k4v4s4, DRIVER_vote, 32}, {SHAPE_k4v0, DRIVER_cooperative, 4},
};
enum { COMBINATIONS = sizeof combinations / sizeof combinations[0] };

/* The first report over the combinations of one seed, or NULL. */
static const char *first_report(const struct scheduled_kernels *kernels, uint64_t seed, bool weak, int *combination)
{
    static struct explored explored;
    for (*combination = 0; *combination < COMBINATIONS; ++*combination) {
        const struct scenario scenario = {
            kernels, combinations[*combination].shape, combinations[*combination].driver, combinations[*combination].size, seed,
            weak};
        const char *wrong = explore(&scenario, &explored);
        if (wrong) return wrong;
    }
    return NULL;
}

static bool report_is_of(const struct plant *plant, const char *report)
{
    for (int i = 0; i < 3; i++)
        if (plant->reports[i] && strstr(report, plant->reports[i])) return true;
    return false;
}

static void plant_is_found(const struct plant *plant)
{
    const int seeds = plant->weak ? (int)settings_size(SEEDS, SEEDS / 2) : SEEDS;
    int found = 0, first = -1, combination;
    for (int i = 0; i < seeds; i++) {
        const char *report = first_report(plant->kernels, settings_get()->seed + (uint64_t)i, plant->weak, &combination);
        if (!report) continue;
        if (found++ == 0) {
            first = i;
            printf("%s, seed %" PRIu64 ", combination %d: %s\n", plant->kernels->name, settings_get()->seed + (uint64_t)i,
                   combination, report);
        }
        if (!report_is_of(plant, report)) print_error("%s: an unexpected report: %s\n", plant->kernels->name, report);
        assert_true(report_is_of(plant, report));
    }
    printf("%s: found by %d of %d seeds, first by number %d\n", plant->kernels->name, found, seeds, first);
    assert_true(found > 0);
}

static void vacancy_before_match(void **state)
{
    const struct plant plant = {&dycuckoo_vacancy_first, {"inserted, ", "is stored twice", "which was stored"}, false};
    (void)state;
    plant_is_found(&plant);
}

static void clear_before_copy(void **state)
{
    const struct plant plant = {&dycuckoo_clear_first, {"stored before, is in none of its homes", NULL, NULL}, false};
    (void)state;
    plant_is_found(&plant);
}

static void skipped_unlock(void **state)
{
    const struct plant plant = {&dycuckoo_skip_unlock, {"and still holds", NULL, NULL}, false};
    (void)state;
    plant_is_found(&plant);
}

static void spill_sought_unlocked(void **state)
{
    const struct plant plant = {&dycuckoo_spill_unlocked, {"is in the spill list twice", "inserted, ", NULL}, false};
    (void)state;
    plant_is_found(&plant);
}

static void spill_erased_by_storing(void **state)
{
    const struct plant plant = {&dycuckoo_spill_erase_stores, {"which was stored: ", NULL, NULL}, false};
    (void)state;
    plant_is_found(&plant);
}

/* Orders that are missing: what comes of it is a key that is stored twice or gone, a wrong value, or a wrong count. */
static void order_is_missing(const struct scheduled_kernels *kernels)
{
    const struct plant plant = {kernels, {"key", "invariant C", "counter"}, true};
    plant_is_found(&plant);
}

static void no_acquire(void **state)
{
    (void)state;
    order_is_missing(&dycuckoo_no_acquire);
}

static void no_release(void **state)
{
    (void)state;
    order_is_missing(&dycuckoo_no_release);
}

static void votes_for_syncs(void **state)
{
    (void)state;
    order_is_missing(&dycuckoo_sync_votes);
}

static void update_by_another_lane(void **state)
{
    (void)state;
    order_is_missing(&dycuckoo_first_lane_updates);
}

static void assert_sound(uint64_t seed, bool weak)
{
    int combination;
    const char *report = first_report(&dycuckoo_sound, seed, weak, &combination);
    if (report) print_error("seed %" PRIu64 ", %s memory: %s\n", seed, weak ? "weak" : "strong", report);
    assert_null(report);
}

static void nothing_planted(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < SEEDS; i++) assert_sound(settings_get()->seed + i, false);
    for (uint64_t i = 0; i < settings_size(SEEDS, SEEDS / 2); i++) assert_sound(settings_get()->seed + i, true);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vacancy_before_match),
        cmocka_unit_test(clear_before_copy),
        cmocka_unit_test(skipped_unlock),
        cmocka_unit_test(spill_sought_unlocked),
        cmocka_unit_test(spill_erased_by_storing),
        cmocka_unit_test(no_acquire),
        cmocka_unit_test(no_release),
        cmocka_unit_test(votes_for_syncs),
        cmocka_unit_test(update_by_another_lane),
        cmocka_unit_test(nothing_planted),
    };
    settings_read(argc, argv);
    if (settings_get()->only) cmocka_set_test_filter(settings_get()->only);
    return cmocka_run_group_tests_name("scheduled plants", tests, NULL, NULL) ? EXIT_FAILURE : EXIT_SUCCESS;
}
