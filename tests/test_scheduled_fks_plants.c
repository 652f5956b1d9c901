/* Scenes that find planted faults in FKS's kernels, and report none in the sound ones. */
#include "support/scheduled_fks_scene.h"
#include "support/scheduled_plants.h"

static const struct frame_scenario combinations[] = {
    {.shape = SHAPE_k4v4, .size = 1}, {.shape = SHAPE_k8v8, .size = 1},   {.shape = SHAPE_k8v4, .size = 2},
    {.shape = SHAPE_k4v8, .size = 4}, {.shape = SHAPE_k8v8, .size = 2},   {.shape = SHAPE_k4v0, .size = 2},
    {.shape = SHAPE_k8v0, .size = 4}, {.shape = SHAPE_k4v4s1, .size = 1},
};

static const struct plant planted[] = {
    {.name = "fks_no_mark", .kernels = &fks_no_mark, .shows = PLANT_IN_STRONG | PLANT_IN_WEAK},
    {.name = "fks_first_line_only", .kernels = &fks_first_line_only, .shows = PLANT_IN_STRONG | PLANT_IN_WEAK},
    {.name = "fks_store_claims", .kernels = &fks_store_claims, .shows = PLANT_IN_STRONG | PLANT_IN_WEAK},
    {.name = "fks_no_locks", .kernels = &fks_no_locks, .shows = PLANT_IN_STRONG | PLANT_IN_WEAK},
    {.name = "fks_no_locks, writes alone", .kernels = &fks_no_locks, .shows = PLANT_IN_WEAK, .writes_alone = true},
    {.name = "fks_updates_early", .kernels = &fks_updates_early, .shows = PLANT_IN_WEAK},
};

int main(int argc, char **argv)
{
    static const struct plants plants = {.explore = fks_explore,
                                         .sound = &fks_sound,
                                         .combinations = combinations,
                                         .combinations_n = PROGRAM_COUNT(combinations),
                                         .plants = planted,
                                         .plants_n = PROGRAM_COUNT(planted),
                                         .brief_weak = PLANT_SEEDS,
                                         .brief_sound = {PLANT_SEEDS / 4, PLANT_SEEDS / 4}};
    return plants_main(argc, argv, "scheduled fks plants", &plants);
}
