/* Stadium hashing's item operations on wide pairs on the scheduled machine: keys of other widths and strings, values of other widths, which
 * are whole or not there; a lane an item, several lanes at once, many seeds; then what has been run, by operation and by site.  A failure names
 * the seed that replays it first: ROOST_TEST_SEED=<seed> ... --only '<case>'. */
#include "support/plants.h"
#include "support/scheduled_sites.h"
#include "support/scheduled_stadium_scene.h"
#include "support/settings.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* Values that a sequence guards, words, and none. */
static const struct stadium_widths widths[] = {
    {"12+20", 12, 20}, {"12+8", 12, 8},       {"5+3", 5, 3},       {"12+0", 12, 0},
    {"16+4", 16, 4},   {"strings+20", 0, 20}, {"strings+8", 0, 8}, {"strings+0", 0, 0},
};
enum { WIDTHS = sizeof widths / sizeof widths[0] };

static struct stadium_explored explored;
static uint64_t scenarios;

static const char *explore(const struct stadium_stamped *stamped, const struct stadium_widths *wide, int size, bool weak,
                           uint64_t seed)
{
    const struct stadium_scenario scenario = {stamped, SHAPE_wide, wide, {DRIVER_tile, size, 0, weak}, seed};
    scenarios++;
    return stadium_explore(&scenario, &explored);
}

static void explore_scenario(const struct stadium_widths *wide, uint64_t seed)
{
    for (int weak = 0; weak < 2; weak++) {
        const char *wrong = explore(&stadium_sound, wide, 1, weak != 0, seed);
        if (wrong)
            print_error("%s, %s memory: %s\n  replay: ROOST_TEST_SEED=%" PRIu64 "\n", wide->name, weak ? "weak" : "strong", wrong,
                        seed);
        assert_null(wrong);
    }
}

static void explore_widths(void **state)
{
    for (uint64_t i = 0; i < settings_size(400, 60); i++)
        explore_scenario((const struct stadium_widths *)*state, settings_get()->seed + i);
}

static void rare_things_happened(void **state)
{
    (void)state;
    printf("%" PRIu64 " scenarios: %" PRIu64 " items parked, %" PRIu64 " refilled, %" PRIu64 " ERASED slots reused, %" PRIu64
           " items put back, %" PRIu64 " batches with ways of several groups, %" PRIu64 " pairs moved, %" PRIu64
           " slots compacted, %" PRIu64 " arenas, %" PRIu64 " batches without room for strings; %" PRIu64 " points, %" PRIu64
           " switches\n",
           scenarios, explored.parked, explored.refilled, explored.reused, explored.put_back, explored.far, explored.moved,
           explored.compacted, explored.arenas, explored.closed, explored.points, explored.switches);
    assert_true(explored.parked > 0 && explored.refilled > 0 && explored.reused > 0 && explored.put_back > 0);
    assert_true(explored.far > 0 && explored.moved > 0 && explored.compacted > 0);
    assert_true(explored.arenas > 0 && explored.closed > 0);
    for (int i = 0; i < STADIUM_OPERATIONS; i++) assert_true(explored.items[i] > 0);
}

/* Those of wide pairs: the others are test_scheduled_stadium's. */
static bool site_runs(const struct scheduled_site *site, int size)
{
    return size == 1 && strstr(site->file, "/stadium/") && stadium_site_is_wide(site);
}

static void every_atomic_site_switched(void **state)
{
    enum { MORE = 200 };
    (void)state;
    for (uint64_t i = 0; i < MORE && scheduled_sites_missing(1, site_runs); i++)
        explore_scenario(&widths[i % WIDTHS], settings_get()->seed + 1000 + i);
    printf("switches by atomic's site    tile of 1          4         32\n");
    assert_int_equal(scheduled_sites_print(false, site_runs), 0);
}

/* The first report over the long values of one seed, or NULL. */
static const char *first_report(const void *kernels, uint64_t seed, bool weak, int *combination)
{
    const struct stadium_stamped *stamped = (const struct stadium_stamped *)kernels;
    for (*combination = 0; *combination < WIDTHS; ++*combination) {
        if (!value_is_long((uint32_t)widths[*combination].value_bytes)) continue;
        const char *wrong = explore(stamped, &widths[*combination], 1, weak, seed);
        if (wrong) return wrong;
    }
    return NULL;
}

static void no_sequence_is_found(void **state)
{
    (void)state;
    assert_true(plants_found_by(first_report, stadium_no_sequence.name, &stadium_no_sequence, false) > 0);
    assert_true(plants_found_by(first_report, stadium_no_sequence.name, &stadium_no_sequence, true) > 0);
}

int main(int argc, char **argv)
{
    static char names[WIDTHS][32];
    static struct CMUnitTest tests[WIDTHS + 3] = {[WIDTHS] = cmocka_unit_test(rare_things_happened),
                                                  cmocka_unit_test(every_atomic_site_switched),
                                                  cmocka_unit_test(no_sequence_is_found)};
    settings_read(argc, argv);
    printf("machine scheduled, seed %" PRIu64 "%s\n", settings_get()->seed, settings_get()->is_short ? ", short" : "");
    for (int i = 0; i < WIDTHS; i++) {
        snprintf(names[i], sizeof names[i], "explore %s", widths[i].name);
        tests[i] =
            (struct CMUnitTest){.name = names[i], .test_func = explore_widths, .initial_state = (void *)(uintptr_t)&widths[i]};
    }
    if (settings_get()->only) cmocka_set_test_filter(settings_get()->only);
    return cmocka_run_group_tests_name("scheduled stadium, wide pairs", tests, NULL, NULL) ? EXIT_FAILURE : EXIT_SUCCESS;
}
