/* Scenes that find planted faults in Stadium's kernels, and report none in the sound ones. */
#include "support/scheduled_plants.h"
#include "support/scheduled_stadium_scene.h"

/* Pairs of a word and of two, a set, both drivers, tiles of 1, 2 and 4 lanes. */
static const struct frame_scenario combinations[] = {
    {.shape = SHAPE_k4v4, .driver = DRIVER_tile, .size = 1},        {.shape = SHAPE_k8v8, .driver = DRIVER_tile, .size = 2},
    {.shape = SHAPE_k8v8g64, .driver = DRIVER_tile, .size = 4},     {.shape = SHAPE_k4v0, .driver = DRIVER_tile, .size = 1},
    {.shape = SHAPE_k4v4, .driver = DRIVER_cooperative, .size = 2},
};

static const struct plant planted[] = {
    {.name = "stadium_takes_erased", .kernels = &stadium_takes_erased, .shows = PLANT_IN_STRONG},
    {.name = "stadium_skips_reserved", .kernels = &stadium_skips_reserved, .shows = PLANT_IN_STRONG},
    {.name = "stadium_no_release", .kernels = &stadium_no_release, .shows = PLANT_IN_WEAK_ALONE},
    {.name = "stadium_reserves_by_and", .kernels = &stadium_reserves_by_and, .shows = PLANT_IN_STRONG},
    {.name = "stadium_info_at_once", .kernels = &stadium_info_at_once, .shows = PLANT_IN_STRONG},
};

int main(int argc, char **argv)
{
    static const struct plants plants = {.explore = stadium_explore,
                                         .sound = &stadium_sound,
                                         .combinations = combinations,
                                         .combinations_n = PROGRAM_COUNT(combinations),
                                         .plants = planted,
                                         .plants_n = PROGRAM_COUNT(planted),
                                         .brief_weak = PLANT_SEEDS,
                                         .brief_sound = {PLANT_SEEDS / 2, PLANT_SEEDS / 2}};
    return plants_main(argc, argv, "scheduled stadium plants", &plants);
}
