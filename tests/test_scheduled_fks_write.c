/* FKS's inserts in place, erases and finds on the scheduled machine: every shape, tiles of 1, 2 and 4 lanes, several tiles at once,
 * many seeds; then what has been run, by site.  A failure names the seed that replays it first: ROOST_TEST_SEED=<seed> ... --only '<case>'. */
#include "support/scheduled_fks_scene.h"
#include "support/scheduled_sites.h"
#include "support/settings.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct fks_explored explored;
static uint64_t scenarios;

/* ---- The kernels as they are ------------------------------------------------------------------------------------------------- */

static void explore_scenario(enum fks_shape shape, int size, uint64_t seed)
{
    for (int weak = 0; weak < 2; weak++) {
        const struct fks_scenario scenario = {&fks_sound, shape, size, weak != 0, seed, false};
        const char *wrong = fks_explore(&scenario, &explored);
        scenarios++;
        if (wrong)
            print_error("%s, tile of %d, %s memory: %s\n  replay: ROOST_TEST_SEED=%" PRIu64 "\n", fks_shape_names[shape], size,
                        weak ? "weak" : "strong", wrong, seed);
        assert_null(wrong);
    }
}

static void explore_shape(void **state)
{
    const enum fks_shape shape = *(const enum fks_shape *)*state;
    for (uint64_t i = 0; i < settings_effort(2500, 800, 60); i++)
        for (int size = 1; size <= 4; size *= 2) explore_scenario(shape, size, settings_get()->seed + i);
}

static void rare_things_happened(void **state)
{
    const struct fks_explored *e = &explored;
    (void)state;
    printf("%" PRIu64 " scenarios: %" PRIu64 " items written, %" PRIu64 " into second lines, %" PRIu64 " parked, %" PRIu64
           " of them at a limit; %" PRIu64 " shifted, %" PRIu64 " by columns, %" PRIu64 " pairs moved, %" PRIu64
           " items without a move; %" PRIu64 " put back; %" PRIu64 " points, %" PRIu64 " switches\n",
           scenarios, e->items[FKS_write], e->second, e->parked, e->limited, e->shifted, e->by_columns, e->moved, e->stuck,
           e->put_back, e->points, e->switches);
    assert_true(e->second > 0 && e->limited > 0 && e->parked > e->limited && e->shifted > 0 && e->by_columns > 0);
    assert_true(e->moved > 0 && e->stuck > 0 && e->put_back > 0);
    for (int i = 0; i < FKS_OPERATIONS_HERE; i++) assert_true(e->items[i] > 0);
}

static bool site_runs(const struct scheduled_site *site, int size)
{
    return size <= 4 && (strstr(site->file, "/fks_items.h") || strstr(site->file, "/fks_write.h"));
}

static void every_atomic_site_switched(void **state)
{
    enum { MORE = 200 };
    (void)state;
    for (int size = 1; size <= 4; size *= 4)
        for (uint64_t i = 0; i < MORE && scheduled_sites_missing(size, site_runs); i++)
            explore_scenario((enum fks_shape)(i % SHAPE_any), size, settings_get()->seed + 1000 + i);
    printf("switches by atomic's site    tile of 1          4         32\n");
    assert_int_equal(scheduled_sites_print(false, site_runs), 0);
}

int main(int argc, char **argv)
{
    static enum fks_shape shapes[SHAPE_any];
    static char names[SHAPE_any][32];
    static struct CMUnitTest tests[SHAPE_any + 2];
    int n = 0;
    settings_read(argc, argv);
    printf("machine scheduled, seed %" PRIu64 "%s\n", settings_get()->seed, settings_get()->is_short ? ", short" : "");
    for (int i = 0; i < SHAPE_any; i++) {
        shapes[i] = (enum fks_shape)i;
        snprintf(names[i], sizeof names[i], "explore %s", fks_shape_names[i]);
        tests[n++] = (struct CMUnitTest){.name = names[i], .test_func = explore_shape, .initial_state = &shapes[i]};
    }
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(rare_things_happened);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(every_atomic_site_switched);
    if (settings_get()->only) cmocka_set_test_filter(settings_get()->only);
    return cmocka_run_group_tests_name("scheduled fks write", tests, NULL, NULL) ? EXIT_FAILURE : EXIT_SUCCESS;
}
