/* GPH's item operations on the scheduled machine: widths, tiles, both families of hash
 * functions, several tiles at once, many seeds.  Then the coverage, by operation and by site.  A
 * failure names the seed that replays it first: ROOST_TEST_SEED=<seed> ... --only '<case>'. */
#include "support/scheduled_gph_scene.h"
#include "support/scheduled_program.h"
#include "support/settings.h"

static const struct program_rare rares[] = {
    {"items filled", &gph_explored.all.items[GPH_fill], false},
    {"parked", &gph_explored.parked_by_fill, false},
    {"refined", &gph_explored.all.items[GPH_refine], false},
    {"erased", &gph_explored.all.items[GPH_erase], false},
    {"cells by another Delta", &gph_explored.delta_moves, false},
    {"by another Phi", &gph_explored.phi_moves, false},
    {"pairs moved", &gph_explored.evicted, false},
    {"batches that flagged", &gph_explored.flagged, false},
    {"batches that overflowed", &gph_explored.in_overflow, false},
    {"deaths", &gph_explored.died, false},
    {"parked for that", &gph_explored.parked_by_deaths, false},
    {"without room", &gph_explored.full, false},
    {"without room only beside others", &gph_explored.late, true},
    {"cells mended", &gph_explored.mended, false},
    {"keys with room by evictions", &gph_explored.placed, false},
};

/* Without a watch: at this number of keys it would take most of the time. */
static void explore_crowd(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < settings_effort(100, 10, 2); i++)
        for (int size = 1; size <= 8; size *= 8)
            for (int weak = 0; weak < 2; weak++) {
                const int shape = GPH_SHAPES + ((i + (uint64_t)weak) % 2 ? 0 : 1);
                const struct frame_scenario scenario = {.kernels = &gph_sound,
                                                        .shape = shape,
                                                        .driver = DRIVER_tile,
                                                        .size = size,
                                                        .weak = weak != 0,
                                                        .seed = settings_get()->seed + i};
                program_assert_sound(gph_shape_names[shape], &scenario);
            }
}

static void explore_seed(int shape, uint64_t i, uint64_t seed)
{
    (void)i;
    for (int size = 1; size <= 8; size *= 2) program_explore(shape, DRIVER_tile, size, seed);
}

/* True for the sites of the engine and of its locks; tiles have 8 lanes at most. */
static bool site_runs(const struct scheduled_site *site, int size)
{
    return size <= 8 && (strstr(site->file, "/gph/") || strstr(site->file, "/wait_die.h"));
}

int main(int argc, char **argv)
{
    static const struct program program = {.explore = gph_explore,
                                           .explored = &gph_explored.all,
                                           .sound = &gph_sound,
                                           .operations = GPH_OPERATIONS_HERE,
                                           .shapes = gph_shape_names,
                                           .shapes_n = GPH_SHAPES,
                                           .seeds = {400, 20, 3},
                                           .explore_seed = explore_seed,
                                           .rares = rares,
                                           .rares_n = PROGRAM_COUNT(rares),
                                           .site_runs = site_runs};
    static struct program_cases cases;
    program_explore_cases(&cases, &program);
    program_case(&cases, "a crowd of one cell", explore_crowd, NULL);
    program_report_cases(&cases);
    return program_run(argc, argv, "scheduled gph", &cases);
}
