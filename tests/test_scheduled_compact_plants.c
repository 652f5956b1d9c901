/* Scenes that find planted faults in compact's kernels, and report none in the sound ones. */
#include "support/scheduled_compact_scene.h"
#include "support/scheduled_plants.h"

/* Every kind of tag, with and without values, tiles of one lane and of two. */
static const struct frame_scenario combinations[] = {
    {.shape = SHAPE_k4v4, .driver = DRIVER_tile, .size = 1},     {.shape = SHAPE_k8v8, .driver = DRIVER_tile, .size = 2},
    {.shape = SHAPE_k4v0, .driver = DRIVER_tile, .size = 1},     {.shape = SHAPE_k8v8wide, .driver = DRIVER_tile, .size = 1},
    {.shape = SHAPE_k4v8wide, .driver = DRIVER_tile, .size = 2}, {.shape = SHAPE_k8v0six, .driver = DRIVER_tile, .size = 1},
    {.shape = SHAPE_k8v8, .driver = DRIVER_tile, .size = 1},
};

static const struct plant planted[] = {
    {.name = "compact_bit_after_claim", .kernels = &compact_bit_after_claim, .shows = PLANT_IN_STRONG},
    {.name = "compact_no_second_look", .kernels = &compact_no_second_look, .shows = PLANT_IN_STRONG},
    {.name = "compact_reopens_dead", .kernels = &compact_reopens_dead, .shows = PLANT_IN_STRONG},
    {.name = "compact_reopens_dead, by results", .kernels = &compact_reopens_dead, .shows = PLANT_IN_STRONG, .unwatched = true},
    /* an add that does not release calls no watch */
    {.name = "compact_no_release", .kernels = &compact_no_release, .shows = PLANT_IN_WEAK_ALONE, .unwatched = true},
    {.name = "compact_no_reload", .kernels = &compact_no_reload, .shows = PLANT_IN_STRONG | PLANT_IN_WEAK},
    {.name = "compact_erase_stores", .kernels = &compact_erase_stores, .shows = PLANT_IN_STRONG},
    {.name = "compact_erase_stores, by results", .kernels = &compact_erase_stores, .shows = PLANT_IN_STRONG, .unwatched = true},
    {.name = "compact_clears_first", .kernels = &compact_clears_first, .shows = PLANT_IN_STRONG},
    {.name = "compact_no_locks", .kernels = &compact_no_locks, .shows = PLANT_IN_STRONG},
    {.name = "compact_no_locks, by results", .kernels = &compact_no_locks, .shows = PLANT_IN_STRONG, .unwatched = true},
    {.name = "compact_displace_stores", .kernels = &compact_displace_stores, .shows = PLANT_IN_STRONG},
    {.name = "compact_meets_incomplete", .kernels = &compact_meets_incomplete, .shows = PLANT_IN_STRONG},
};

int main(int argc, char **argv)
{
    static const struct plants plants = {.explore = compact_explore,
                                         .sound = &compact_sound,
                                         .combinations = combinations,
                                         .combinations_n = PROGRAM_COUNT(combinations),
                                         .plants = planted,
                                         .plants_n = PROGRAM_COUNT(planted),
                                         .brief_weak = PLANT_SEEDS,
                                         .brief_sound = {PLANT_SEEDS / 4, PLANT_SEEDS / 4}};
    return plants_main(argc, argv, "scheduled compact plants", &plants);
}
