/* SlabHash's item operations on the scheduled machine: every shape, driver and tile, several tiles at once, many seeds; then what has been
 * run, by operation and by site.  A failure names the seed that replays it first: ROOST_TEST_SEED=<seed> ... --only '<case>'. */
#include "support/scheduled_sites.h"
#include "support/scheduled_slab_scene.h"
#include "support/settings.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct slab_explored explored;
static uint64_t scenarios;

static const char *const shape_names[] = {
#define SHAPE_TEXT(name, ...) #name,
    SLAB_SHAPES(SHAPE_TEXT)
#undef SHAPE_TEXT
};

static void explore_scenario(enum slab_shape shape, enum driver driver, int size, uint64_t seed)
{
    for (int weak = 0; weak < 2; weak++) {
        const struct slab_scenario scenario = {&slab_sound, shape, {driver, size, 0, weak != 0}, seed};
        const char *wrong = slab_explore(&scenario, &explored);
        scenarios++;
        if (wrong)
            print_error("%s, driver %d, tile of %d, %s memory: %s\n  replay: ROOST_TEST_SEED=%" PRIu64 "\n", shape_names[shape],
                        driver, size, weak ? "weak" : "strong", wrong, seed);
        assert_null(wrong);
    }
}

/* Tiles of 1, 4 and 32 lanes; a lane alone is a tile of 1. */
static void explore_shape(void **state)
{
    const enum slab_shape shape = *(const enum slab_shape *)*state;
    for (uint64_t i = 0; i < settings_size(40, 6); i++) {
        explore_scenario(shape, DRIVER_tile, 1, settings_get()->seed + i);
        explore_scenario(shape, DRIVER_tile, 4, settings_get()->seed + i);
        explore_scenario(shape, DRIVER_cooperative, 4, settings_get()->seed + i);
        if (i % 4 == 0) explore_scenario(shape, i % 8 ? DRIVER_tile : DRIVER_cooperative, 32, settings_get()->seed + i);
    }
}

static void rare_things_happened(void **state)
{
    (void)state;
    printf("%" PRIu64 " scenarios: %" PRIu64 " slabs linked, %" PRIu64 " items parked, %" PRIu64 " flushes wanted, %" PRIu64
           " tombstones reused, %" PRIu64 " items put back, %" PRIu64 " pairs moved, %" PRIu64 " exported; %" PRIu64
           " points, %" PRIu64 " switches\n",
           scenarios, explored.linked, explored.parked, explored.flush_wanted, explored.reused, explored.put_back, explored.moved,
           explored.exported, explored.points, explored.switches);
    assert_true(explored.linked > 0 && explored.parked > 0 && explored.flush_wanted > 0 && explored.reused > 0);
    assert_true(explored.put_back > 0 && explored.moved > 0 && explored.exported > 0);
    for (int i = 0; i < SLAB_OPERATIONS; i++) assert_true(explored.items[i] > 0);
}

/* The engine's; whole lists are for lanes alone. */
static bool site_runs(const struct scheduled_site *site, int size)
{
    return strstr(site->file, "/slab/") && (size == 1 || !strstr(site->file, "slab_rebuild.h"));
}

/* Some sites take luck: further seeds, until there was a switch at all of them, or no more. */
static void explore_until_switched(int size)
{
    enum { MORE = 200 };
    for (uint64_t i = 0; i < MORE && scheduled_sites_missing(size, site_runs); i++)
        explore_scenario((enum slab_shape)(i % SHAPE_any), DRIVER_tile, size, settings_get()->seed + 1000 + i);
}

static void every_atomic_site_switched(void **state)
{
    (void)state;
    for (int size = 1; size <= 32; size *= size == 1 ? 4 : 8) explore_until_switched(size);
    printf("switches by atomic's site    tile of 1          4         32\n");
    assert_int_equal(scheduled_sites_print(false, site_runs), 0);
}

int main(int argc, char **argv)
{
    static enum slab_shape shapes[SHAPE_any];
    static char names[SHAPE_any][32];
    static struct CMUnitTest tests[SHAPE_any + 2] = {[SHAPE_any] = cmocka_unit_test(rare_things_happened),
                                                     cmocka_unit_test(every_atomic_site_switched)};
    settings_read(argc, argv);
    printf("machine scheduled, seed %" PRIu64 "%s\n", settings_get()->seed, settings_get()->is_short ? ", short" : "");
    for (int i = 0; i < SHAPE_any; i++) {
        shapes[i] = (enum slab_shape)i;
        snprintf(names[i], sizeof names[i], "explore %s", shape_names[i]);
        tests[i] = (struct CMUnitTest){.name = names[i], .test_func = explore_shape, .initial_state = &shapes[i]};
    }
    if (settings_get()->only) cmocka_set_test_filter(settings_get()->only);
    return cmocka_run_group_tests_name("scheduled slab", tests, NULL, NULL) ? EXIT_FAILURE : EXIT_SUCCESS;
}
