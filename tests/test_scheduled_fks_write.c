/* FKS's inserts in place, erases and finds on the scheduled machine: every shape, tiles of 1, 2
 * and 4 lanes, several tiles at once, many seeds.  Then the coverage, by site.  A failure names
 * the seed that replays it first: ROOST_TEST_SEED=<seed> ... --only '<case>'. */
#include "support/scheduled_fks_scene.h"
#include "support/scheduled_program.h"

static const struct program_rare rares[] = {
    {"items written", &fks_explored.all.items[FKS_write], false},
    {"into second lines", &fks_explored.second, false},
    {"parked", &fks_explored.parked, false},
    {"parked at a limit", &fks_explored.limited, false},
    {"shifted", &fks_explored.shifted, false},
    {"by columns", &fks_explored.by_columns, false},
    {"pairs moved", &fks_explored.moved, false},
    {"items without a move", &fks_explored.stuck, false},
};

static void explore_seed(int shape, uint64_t i, uint64_t seed)
{
    (void)i;
    for (int size = 1; size <= 4; size *= 2) program_explore(shape, DRIVER_tile, size, seed);
}

static void not_all_are_limited(void **state)
{
    (void)state;
    assert_true(fks_explored.parked > fks_explored.limited);
}

static bool site_runs(const struct scheduled_site *site, int size)
{
    return size <= 4 && (strstr(site->file, "/fks_items.h") || strstr(site->file, "/fks_write.h"));
}

int main(int argc, char **argv)
{
    static const struct program program = {.explore = fks_explore,
                                           .explored = &fks_explored.all,
                                           .sound = &fks_sound,
                                           .operations = FKS_OPERATIONS_HERE,
                                           .shapes = fks_shape_names,
                                           .shapes_n = SHAPE_any,
                                           .seeds = {2500, 400, 60},
                                           .explore_seed = explore_seed,
                                           .rares = rares,
                                           .rares_n = PROGRAM_COUNT(rares),
                                           .site_runs = site_runs};
    static struct program_cases cases;
    program_explore_cases(&cases, &program);
    program_report_cases(&cases);
    PROGRAM_CASE(&cases, not_all_are_limited);
    return program_run(argc, argv, "scheduled fks write", &cases);
}
