/* Stadium hashing's item operations on the scheduled machine: every shape, three drivers, tiles
 * of 1, 2 and 4 lanes, several tiles at once, many seeds.  Then the coverage, by operation and
 * by site.  A failure names the seed that replays it first: ROOST_TEST_SEED=<seed> ... --only
 * '<case>'. */
#include "support/scheduled_program.h"
#include "support/scheduled_stadium_scene.h"

static const struct program_rare rares[] = {
    {"items parked", &stadium_explored.parked, false},
    {"refilled", &stadium_explored.refilled, false},
    {"ERASED slots reused", &stadium_explored.reused, false},
    {"batches with ways of several groups", &stadium_explored.far, false},
    {"pairs moved", &stadium_explored.moved, false},
    {"slots compacted", &stadium_explored.compacted, false},
    {"inserts within the reach", &stadium_explored.bounded, false},
    {"batches that may add few keys", &stadium_explored.permitted, false},
    {"finds ended by a sift", &stadium_explored.sifted, false},
    {"and left by it", &stadium_explored.left, false},
};

/* The number of memories.  A value of 4 bytes in a word of 8 is stored with that word and later
 * updated alone, ordered by its ticket.  Weak memory knows only words of one width. */
static int memories(int shape) { return shape == SHAPE_k8v4 ? 1 : 2; }

static void explore_seed(int shape, uint64_t i, uint64_t seed)
{
    program_explore(shape, DRIVER_tile, 1, seed);
    program_explore(shape, DRIVER_tile, 2, seed);
    program_explore(shape, DRIVER_tile, 4, seed);
    program_explore(shape, DRIVER_cooperative, i % 2 ? 2 : 4, seed);
    program_explore(shape, DRIVER_collaborate, i % 2 ? 2 : 8, seed);
}

/* True for the engine's sites, with the tiles that are explored.  test_scheduled_stadium_wide
 * has those of wide pairs. */
static bool site_runs(const struct scheduled_site *site, int size)
{
    /* surveys are by lanes alone */
    if (size > 1 && !strcmp(site->function, "stadium_reach_raise")) return false;
    return size <= 4 && strstr(site->file, "/stadium/") && !stadium_site_is_wide(site);
}

int main(int argc, char **argv)
{
    static const struct program program = {.explore = stadium_explore,
                                           .explored = &stadium_explored.all,
                                           .sound = &stadium_sound,
                                           .operations = STADIUM_export + 1,
                                           .shapes = stadium_shape_names,
                                           .shapes_n = SHAPE_wide,
                                           .seeds = {40, 40, 6},
                                           .explore_seed = explore_seed,
                                           .memories = memories,
                                           .rares = rares,
                                           .rares_n = PROGRAM_COUNT(rares),
                                           .site_runs = site_runs};
    return program_main(argc, argv, "scheduled stadium", &program);
}
