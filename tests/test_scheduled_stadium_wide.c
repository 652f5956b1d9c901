/* Stadium hashing's item operations on wide pairs on the scheduled machine: keys of other widths
 * and strings, and values of other widths, which are found whole or not at all.  One lane an
 * item, several lanes at once, many seeds.  Then the coverage, by operation and by site, and a
 * planted fault.  A failure names the seed that replays it first: ROOST_TEST_SEED=<seed> ...
 * --only '<case>'. */
#include "support/scheduled_plants.h"
#include "support/scheduled_stadium_scene.h"

static const struct program_rare rares[] = {
    {"items parked", &stadium_explored.parked, false},
    {"refilled", &stadium_explored.refilled, false},
    {"ERASED slots reused", &stadium_explored.reused, false},
    {"batches with ways of several groups", &stadium_explored.far, false},
    {"pairs moved", &stadium_explored.moved, false},
    {"slots compacted", &stadium_explored.compacted, false},
    {"arenas", &stadium_explored.arenas, false},
    {"batches without room for strings", &stadium_explored.closed, false},
    {"inserts within the reach", &stadium_explored.bounded, false},
    {"batches that may add few keys", &stadium_explored.permitted, false},
    {"finds ended by a sift", &stadium_explored.sifted, false},
    {"and left by it", &stadium_explored.left, false},
};

static void explore_seed(int shape, uint64_t i, uint64_t seed)
{
    (void)i;
    program_explore(shape, DRIVER_tile, 1, seed);
}

/* True for the sites of wide pairs; test_scheduled_stadium has the others. */
static bool site_runs(const struct scheduled_site *site, int size)
{
    return size == 1 && strstr(site->file, "/stadium/") && stadium_site_is_wide(site);
}

/* Long values. */
static const struct frame_scenario combinations[] = {
    {.shape = STADIUM_12_20, .driver = DRIVER_tile, .size = 1},
    {.shape = STADIUM_5_3, .driver = DRIVER_tile, .size = 1},
    {.shape = STADIUM_STRINGS_20, .driver = DRIVER_tile, .size = 1},
};
static const struct plant planted[] = {
    {.name = "stadium_no_sequence", .kernels = &stadium_no_sequence, .shows = PLANT_IN_STRONG | PLANT_IN_WEAK},
};

int main(int argc, char **argv)
{
    static const struct program program = {.explore = stadium_explore,
                                           .explored = &stadium_explored.all,
                                           .sound = &stadium_sound,
                                           .operations = STADIUM_export + 1,
                                           .shapes = stadium_shape_names,
                                           .shapes_first = STADIUM_12_20,
                                           .shapes_n = STADIUM_WIDTHS,
                                           .seeds = {400, 200, 60},
                                           .explore_seed = explore_seed,
                                           .rares = rares,
                                           .rares_n = PROGRAM_COUNT(rares),
                                           .site_runs = site_runs};
    static const struct plants plants = {.explore = stadium_explore,
                                         .combinations = combinations,
                                         .combinations_n = PROGRAM_COUNT(combinations),
                                         .plants = planted,
                                         .plants_n = PROGRAM_COUNT(planted),
                                         .brief_weak = PLANT_SEEDS};
    static struct program_cases cases;
    program_explore_cases(&cases, &program);
    program_report_cases(&cases);
    plants_cases(&cases, &plants);
    return program_run(argc, argv, "scheduled stadium, wide pairs", &cases);
}
