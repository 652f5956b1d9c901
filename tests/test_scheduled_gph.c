/* GPH's item operations on the scheduled machine: widths, tiles, both families of hash functions, several tiles at once, many seeds; then
 * what has been run, by operation and by site.  A failure names the seed that replays it first: ROOST_TEST_SEED=<seed> ... --only '<case>'. */
#include "support/scheduled_gph_scene.h"
#include "support/scheduled_sites.h"
#include "support/settings.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct gph_explored explored;
static uint64_t scenarios;

/* Few slots, so that few keys fill a bucket; and one shape that has many. */
static const struct {
    const char *name;
    struct shape shape;
} shapes[] = {
    {"4+4 of 2", {4, 4, 2, 1, 2}}, {"4+4 of 4", {4, 4, 4, 1, 2}},   {"8+8 of 2", {8, 8, 2, 0, 2}},
    {"8+8 of 4", {8, 8, 4, 0, 2}}, {"8+4 of 4", {8, 4, 4, 0, 2}},   {"4+8 of 4", {4, 8, 4, 0, 2}},
    {"4+0 of 4", {4, 0, 4, 1, 2}}, {"4+0 of 16", {4, 0, 16, 1, 2}}, {"8+0 of 2", {8, 0, 2, 1, 2}},
};
enum { SHAPES_HERE = sizeof shapes / sizeof shapes[0] };

static void assert_sound(const char *name, const struct gph_scenario *scenario)
{
    const char *wrong = gph_explore(scenario, &explored);
    scenarios++;
    if (wrong)
        print_error("%s, tile of %d, %s memory: %s\n  replay: ROOST_TEST_SEED=%" PRIu64 "\n", name, scenario->size,
                    scenario->weak ? "weak" : "strong", wrong, scenario->seed);
    assert_null(wrong);
}

static void explore_scenario(int shape, int size, uint64_t seed)
{
    for (int weak = 0; weak < 2; weak++) {
        const struct gph_scenario scenario = {&gph_sound, shapes[shape].shape, size, weak != 0, false, seed, false};
        assert_sound(shapes[shape].name, &scenario);
    }
}

/* A watch of so many keys would take most of the time. */
static void explore_crowd(void **state)
{
    const struct shape word = {4, 0, 16, 1, 2}, apart = {8, 8, 16, 0, 2};
    const size_t seeds = settings_effort(100, 10, 2);
    (void)state;
    for (uint64_t i = 0; i < seeds; i++)
        for (int size = 1; size <= 8; size *= 8)
            for (int weak = 0; weak < 2; weak++) {
                const uint64_t seed = settings_get()->seed + i;
                const struct gph_scenario scenario = {
                    &gph_sound, (i + (uint64_t)weak) % 2 ? word : apart, size, weak != 0, true, seed, true};
                assert_sound("crowd", &scenario);
            }
}

static void explore_shape(void **state)
{
    const int shape = *(const int *)*state;
    const size_t seeds = settings_effort(400, 20, 3);
    for (uint64_t i = 0; i < seeds; i++)
        for (int size = 1; size <= 8; size *= 2) explore_scenario(shape, size, settings_get()->seed + i);
}

static void rare_things_happened(void **state)
{
    const struct gph_explored *e = &explored;
    (void)state;
    printf("%" PRIu64 " scenarios: %" PRIu64 " items filled, %" PRIu64 " parked, %" PRIu64 " refined, %" PRIu64
           " erased; by another Delta %" PRIu64 " cells, Phi %" PRIu64 ", %" PRIu64 " pairs moved; batches that flagged %" PRIu64
           ", overflowed %" PRIu64 "; %" PRIu64 " deaths, %" PRIu64 " parked for that, %" PRIu64 " put back, %" PRIu64
           " without room, %" PRIu64 " of them only beside others; %" PRIu64 " cells mended; %" PRIu64 " points, %" PRIu64
           " switches\n",
           scenarios, e->items[GPH_fill], e->parked_by_fill, e->items[GPH_refine], e->items[GPH_erase], e->delta_moves,
           e->phi_moves, e->evicted, e->flagged, e->in_overflow, e->died, e->parked_by_deaths, e->put_back, e->full + e->late,
           e->late, e->mended, e->points, e->switches);
    assert_true(e->parked_by_fill > 0 && e->delta_moves > 0 && e->phi_moves > 0 && e->flagged > 0 && e->in_overflow > 0);
    assert_true(e->died > 0 && e->parked_by_deaths > 0 && e->put_back > 0 && e->full > 0 && e->mended > 0);
    for (int i = 0; i < GPH_OPERATIONS_HERE; i++) assert_true(e->items[i] > 0);
}

/* The engine's and its locks'; tiles have 8 lanes at most. */
static bool site_runs(const struct scheduled_site *site, int size)
{
    return size <= 8 && (strstr(site->file, "/gph/") || strstr(site->file, "/wait_die.h"));
}

/* Some sites take luck: further seeds, until there was a switch at all of them, or no more. */
static void explore_until_switched(int size)
{
    enum { MORE = 200 };
    for (uint64_t i = 0; i < MORE && scheduled_sites_missing(size, site_runs); i++)
        explore_scenario((int)(i % SHAPES_HERE), size, settings_get()->seed + 1000 + i);
}

static void every_atomic_site_switched(void **state)
{
    (void)state;
    explore_until_switched(1);
    explore_until_switched(4);
    printf("switches by atomic's site    tile of 1          4         32\n");
    assert_int_equal(scheduled_sites_print(false, site_runs), 0);
}

int main(int argc, char **argv)
{
    static int numbers[SHAPES_HERE];
    static struct CMUnitTest tests[SHAPES_HERE + 3] = {[SHAPES_HERE] = {.name = "a crowd of one cell", .test_func = explore_crowd},
                                                       cmocka_unit_test(rare_things_happened),
                                                       cmocka_unit_test(every_atomic_site_switched)};
    settings_read(argc, argv);
    printf("machine scheduled, seed %" PRIu64 "%s\n", settings_get()->seed, settings_get()->is_short ? ", short" : "");
    for (int i = 0; i < SHAPES_HERE; i++) {
        numbers[i] = i;
        tests[i] = (struct CMUnitTest){.name = shapes[i].name, .test_func = explore_shape, .initial_state = &numbers[i]};
    }
    if (settings_get()->only) cmocka_set_test_filter(settings_get()->only);
    return cmocka_run_group_tests_name("scheduled gph", tests, NULL, NULL) ? EXIT_FAILURE : EXIT_SUCCESS;
}
