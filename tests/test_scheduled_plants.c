/* Scenes that find planted faults in DyCuckoo's kernels, with the reports that each fault may
 * cause, and report none in the sound ones. */
#include "support/scheduled_explore.h"
#include "support/scheduled_plants.h"

/* Both ways of publishing, each driver, tiles of 1, 4 and 32 lanes. */
static const struct frame_scenario combinations[] = {
    {.shape = SHAPE_k4v4, .driver = DRIVER_lane, .size = 1},        {.shape = SHAPE_k8v8, .driver = DRIVER_tile, .size = 4},
    {.shape = SHAPE_k4v4dary, .driver = DRIVER_vote, .size = 4},    {.shape = SHAPE_k4v4s4, .driver = DRIVER_vote, .size = 32},
    {.shape = SHAPE_k4v0, .driver = DRIVER_cooperative, .size = 4},
};

/* A missing order causes a key that is stored twice or lost, a wrong value, or a wrong count. */
#define ORDER_IS_MISSING(planted)                                                                                                  \
    {                                                                                                                              \
        .name = #planted, .kernels = &planted, .shows = PLANT_IN_WEAK, .reports = { "key", "invariant C", "counter" }              \
    }

static const struct plant planted[] = {
    {.name = "dycuckoo_vacancy_first",
     .kernels = &dycuckoo_vacancy_first,
     .shows = PLANT_IN_STRONG,
     .reports = {"inserted, ", "is stored twice", "which was stored"}},
    {.name = "dycuckoo_clear_first",
     .kernels = &dycuckoo_clear_first,
     .shows = PLANT_IN_STRONG,
     .reports = {"stored before, is in none of its homes"}},
    {.name = "dycuckoo_skip_unlock", .kernels = &dycuckoo_skip_unlock, .shows = PLANT_IN_STRONG, .reports = {"and still holds"}},
    {.name = "dycuckoo_spill_unlocked",
     .kernels = &dycuckoo_spill_unlocked,
     .shows = PLANT_IN_STRONG,
     .reports = {"is in the spill list twice", "inserted, "}},
    {.name = "dycuckoo_spill_erase_stores",
     .kernels = &dycuckoo_spill_erase_stores,
     .shows = PLANT_IN_STRONG,
     .reports = {"which was stored: "}},
    ORDER_IS_MISSING(dycuckoo_no_acquire),
    ORDER_IS_MISSING(dycuckoo_no_release),
    ORDER_IS_MISSING(dycuckoo_sync_votes),
    ORDER_IS_MISSING(dycuckoo_first_lane_updates),
};

int main(int argc, char **argv)
{
    static const struct plants plants = {.explore = dycuckoo_explore,
                                         .sound = &dycuckoo_sound,
                                         .combinations = combinations,
                                         .combinations_n = PROGRAM_COUNT(combinations),
                                         .plants = planted,
                                         .plants_n = PROGRAM_COUNT(planted),
                                         .brief_weak = PLANT_SEEDS / 2,
                                         .brief_sound = {PLANT_SEEDS, PLANT_SEEDS / 2}};
    return plants_main(argc, argv, "scheduled plants", &plants);
}
