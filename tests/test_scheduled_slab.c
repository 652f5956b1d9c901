/* SlabHash's item operations on the scheduled machine: every shape, driver and tile, several
 * tiles at once, many seeds.  Then the coverage, by operation and by site.  A failure names the
 * seed that replays it first: ROOST_TEST_SEED=<seed> ... --only '<case>'. */
#include "support/scheduled_program.h"
#include "support/scheduled_slab_scene.h"

static const struct program_rare rares[] = {
    {"slabs linked", &slab_explored.linked, false},      {"items parked", &slab_explored.parked, false},
    {"bounded passes", &slab_explored.bounded, false},   {"flushes wanted", &slab_explored.flush_wanted, false},
    {"tombstones reused", &slab_explored.reused, false}, {"pairs moved", &slab_explored.moved, false},
    {"pairs exported", &slab_explored.exported, false},  {"lists with a tail", &slab_explored.tails, false},
    {"dead slabs skipped", &slab_explored.skips, false}, {"finds slot by slot", &slab_explored.all.items[SLAB_findslot], false},
};

/* True for the engine's sites; whole lists and queues are only worked on by single lanes. */
static bool site_runs(const struct scheduled_site *site, int size)
{
    const bool of_lanes = strstr(site->file, "slab_rebuild.h") || strstr(site->file, "slab_queues.h");
    return strstr(site->file, "/slab/") && (size == 1 || !of_lanes);
}

/* Tiles of 1, 4 and 32 lanes; a lane alone is a tile of 1. */
static void explore_seed(int shape, uint64_t i, uint64_t seed)
{
    program_explore(shape, DRIVER_tile, 1, seed);
    program_explore(shape, DRIVER_tile, 4, seed);
    program_explore(shape, DRIVER_cooperative, 4, seed);
    if (i % 4 == 0) program_explore(shape, i % 8 ? DRIVER_tile : DRIVER_cooperative, 32, seed);
}

static const struct program program = {.explore = slab_explore,
                                       .explored = &slab_explored.all,
                                       .sound = &slab_sound,
                                       .operations = SLAB_serve + 1,
                                       .shapes = slab_shape_names,
                                       .shapes_n = SHAPE_any,
                                       .seeds = {40, 40, 6},
                                       .explore_seed = explore_seed,
                                       .rares = rares,
                                       .rares_n = PROGRAM_COUNT(rares),
                                       .site_runs = site_runs};

int main(int argc, char **argv) { return program_main(argc, argv, "scheduled slab", &program); }
