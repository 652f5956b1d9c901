/* Scenes that find planted faults in SlabHash's kernels, and report none in the sound ones. */
#include "support/scheduled_plants.h"
#include "support/scheduled_slab_scene.h"

/* Every kind of slot, tiles of 1, 4 and 32 lanes. */
static const struct frame_scenario combinations[] = {
    {.shape = SHAPE_k4v4, .driver = DRIVER_lane, .size = 1},        {.shape = SHAPE_k8v8, .driver = DRIVER_tile, .size = 4},
    {.shape = SHAPE_k8v8steps, .driver = DRIVER_tile, .size = 1},   {.shape = SHAPE_k4v0, .driver = DRIVER_tile, .size = 32},
    {.shape = SHAPE_k4v4, .driver = DRIVER_cooperative, .size = 4},
};

static const struct plant planted[] = {
    {.name = "slab_delete_stores", .kernels = &slab_delete_stores, .shows = PLANT_IN_STRONG},
    {.name = "slab_reuse_tombstone", .kernels = &slab_reuse_tombstone, .shows = PLANT_IN_STRONG},
    {.name = "slab_queue_stores", .kernels = &slab_queue_stores, .shows = PLANT_IN_STRONG},
    {.name = "slab_relaxed_publication", .kernels = &slab_relaxed_publication, .shows = PLANT_IN_WEAK_ALONE},
};

int main(int argc, char **argv)
{
    static const struct plants plants = {.explore = slab_explore,
                                         .sound = &slab_sound,
                                         .combinations = combinations,
                                         .combinations_n = PROGRAM_COUNT(combinations),
                                         .plants = planted,
                                         .plants_n = PROGRAM_COUNT(planted),
                                         .brief_weak = PLANT_SEEDS,
                                         .brief_sound = {PLANT_SEEDS / 2, PLANT_SEEDS / 2}};
    return plants_main(argc, argv, "scheduled slab plants", &plants);
}
