/* compact's item operations on the scheduled machine: every shape, tiles of one lane and of two,
 * several tiles at once, many seeds.  Then the coverage, by operation and by site.  A failure names
 * the seed that replays it first: ROOST_TEST_SEED=<seed> ... --only '<case>'. */
#include "support/scheduled_compact_scene.h"
#include "support/scheduled_program.h"

static const struct program_rare rares[] = {
    {"items parked", &compact_explored.parked, false},
    {"placed by displacements", &compact_explored.displaced, false},
    {"placed by evictions", &compact_explored.placed, false},
    {"pairs moved by them", &compact_explored.evicted, false},
    {"items without room", &compact_explored.stuck, false},
    {"batches that may add few keys", &compact_explored.permitted, false},
    {"dead slots reused", &compact_explored.reused, false},
    {"keys in their second home", &compact_explored.second, false},
    {"keys of one low part", &compact_explored.twins, false},
    {"keys moved home", &compact_explored.tidied, false},
    {"pairs moved to another table", &compact_explored.moved, false},
    {"and without room there", &compact_explored.stranded, false},
    {"keys in the stash", &compact_explored.stashed, false},
    {"and moved to buckets", &compact_explored.drained, false},
    {"erases alone", &compact_explored.all.items[COMPACT_erase], false},
};

/* Of builds, whose tiles have one lane here and take no batches (scheduled_compact_scene.c), and of
 * checks, beside which nothing runs. */
static bool is_left_out(const struct scheduled_site *site)
{
    static const char *const of_batches[] = {"compact_region_park", "compact_leader_of", "compact_region_serve"};
    for (int i = 0; i < 3; i++)
        if (!strcmp(site->function, of_batches[i])) return true;
    if (strstr(site->file, "/compact_verify.h")) return true;
    return strstr(site->function, "compact_tile_") && !strstr(site->verb, "load") && !strstr(site->verb, "store");
}

/* True for the engine's sites, by lanes alone: tiles of two lanes are not among the report's. */
static bool site_runs(const struct scheduled_site *site, int size)
{
    return size == 1 && strstr(site->file, "/compact/") && !is_left_out(site);
}

static void explore_seed(int shape, uint64_t i, uint64_t seed)
{
    program_explore(shape, DRIVER_tile, 1, seed);
    program_explore(shape, DRIVER_tile, 2, seed);
    (void)i;
}

static const struct program program = {.explore = compact_explore,
                                       .explored = &compact_explored.all,
                                       .sound = &compact_sound,
                                       .shapes = compact_shape_names,
                                       .shapes_n = SHAPE_any,
                                       .seeds = {400, 30, 6},
                                       .explore_seed = explore_seed,
                                       .rares = rares,
                                       .rares_n = PROGRAM_COUNT(rares),
                                       .site_runs = site_runs};

int main(int argc, char **argv) { return program_main(argc, argv, "scheduled compact", &program); }
