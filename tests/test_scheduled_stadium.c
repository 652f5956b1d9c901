/* Stadium hashing's item operations on the scheduled machine: every shape, three drivers, tiles of 1, 2 and 4 lanes, several tiles at once,
 * many seeds; then what has been run, by operation and by site.  A failure names the seed that replays it first: ROOST_TEST_SEED=<seed> ...
 * --only '<case>'. */
#include "support/scheduled_sites.h"
#include "support/scheduled_stadium_scene.h"
#include "support/settings.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct stadium_explored explored;
static uint64_t scenarios;

static const char *const shape_names[] = {
#define SHAPE_TEXT(name, ...) #name,
    STADIUM_SHAPES(SHAPE_TEXT)
#undef SHAPE_TEXT
};

/* A value of 4 bytes that has a word of 8 comes with that word, and is updated alone later, which its ticket orders; weak memory knows words of
 * one width. */
static int memories(enum stadium_shape shape) { return shape == SHAPE_k8v4 ? 1 : 2; }

static void explore_scenario(enum stadium_shape shape, enum driver driver, int size, uint64_t seed)
{
    for (int weak = 0; weak < memories(shape); weak++) {
        const struct stadium_scenario scenario = {&stadium_sound, shape, NULL, {driver, size, 0, weak != 0}, seed};
        const char *wrong = stadium_explore(&scenario, &explored);
        scenarios++;
        if (wrong)
            print_error("%s, driver %d, tile of %d, %s memory: %s\n  replay: ROOST_TEST_SEED=%" PRIu64 "\n", shape_names[shape],
                        driver, size, weak ? "weak" : "strong", wrong, seed);
        assert_null(wrong);
    }
}

static void explore_shape(void **state)
{
    const enum stadium_shape shape = *(const enum stadium_shape *)*state;
    for (uint64_t i = 0; i < settings_size(40, 6); i++) {
        const uint64_t seed = settings_get()->seed + i;
        explore_scenario(shape, DRIVER_tile, 1, seed);
        explore_scenario(shape, DRIVER_tile, 2, seed);
        explore_scenario(shape, DRIVER_tile, 4, seed);
        explore_scenario(shape, DRIVER_cooperative, i % 2 ? 2 : 4, seed);
        explore_scenario(shape, DRIVER_collaborate, i % 2 ? 2 : 8, seed);
    }
}

static void rare_things_happened(void **state)
{
    (void)state;
    printf("%" PRIu64 " scenarios: %" PRIu64 " items parked, %" PRIu64 " refilled, %" PRIu64 " ERASED slots reused, %" PRIu64
           " items put back, %" PRIu64 " batches with ways of several groups, %" PRIu64 " pairs moved, %" PRIu64
           " slots compacted; %" PRIu64 " points, %" PRIu64 " switches\n",
           scenarios, explored.parked, explored.refilled, explored.reused, explored.put_back, explored.far, explored.moved,
           explored.compacted, explored.points, explored.switches);
    assert_true(explored.parked > 0 && explored.refilled > 0 && explored.reused > 0 && explored.put_back > 0);
    assert_true(explored.far > 0 && explored.moved > 0 && explored.compacted > 0);
    for (int i = 0; i < STADIUM_OPERATIONS; i++) assert_true(explored.items[i] > 0);
}

/* The engine's, for the tiles that are explored; those of wide pairs are test_scheduled_stadium_wide's. */
static bool site_runs(const struct scheduled_site *site, int size)
{
    return size <= 4 && strstr(site->file, "/stadium/") && !stadium_site_is_wide(site);
}

static void every_atomic_site_switched(void **state)
{
    enum { MORE = 200 };
    (void)state;
    for (int size = 1; size <= 4; size *= 4)
        for (uint64_t i = 0; i < MORE && scheduled_sites_missing(size, site_runs); i++)
            explore_scenario((enum stadium_shape)(i % SHAPE_wide), DRIVER_tile, size, settings_get()->seed + 1000 + i);
    printf("switches by atomic's site    tile of 1          4         32\n");
    assert_int_equal(scheduled_sites_print(false, site_runs), 0);
}

int main(int argc, char **argv)
{
    static enum stadium_shape shapes[SHAPE_wide];
    static char names[SHAPE_wide][32];
    static struct CMUnitTest tests[SHAPE_wide + 2] = {[SHAPE_wide] = cmocka_unit_test(rare_things_happened),
                                                      cmocka_unit_test(every_atomic_site_switched)};
    settings_read(argc, argv);
    printf("machine scheduled, seed %" PRIu64 "%s\n", settings_get()->seed, settings_get()->is_short ? ", short" : "");
    for (int i = 0; i < SHAPE_wide; i++) {
        shapes[i] = (enum stadium_shape)i;
        snprintf(names[i], sizeof names[i], "explore %s", shape_names[i]);
        tests[i] = (struct CMUnitTest){.name = names[i], .test_func = explore_shape, .initial_state = &shapes[i]};
    }
    if (settings_get()->only) cmocka_set_test_filter(settings_get()->only);
    return cmocka_run_group_tests_name("scheduled stadium", tests, NULL, NULL) ? EXIT_FAILURE : EXIT_SUCCESS;
}
