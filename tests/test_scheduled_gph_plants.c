/* Scenes of GPH tables on the scheduled machine find faults: kernels with one planted fault each
 * are reported within a stated number of seeds, or in a search through all schedules of a small
 * scene.  The sound kernels are not reported. */
#include "support/scheduled_gph_small.h"
#include "support/scheduled_plants.h"
#include "support/settings.h"

#include <stdio.h>

enum { TABLES = 8 /* of a search */ };

/* Shapes are numbers of gph_shapes. */
static const struct frame_scenario combinations[] = {
    {.shape = 0, .size = 1}, {.shape = 1, .size = 8}, {.shape = 2, .size = 2}, {.shape = 3, .size = 4},
    {.shape = 6, .size = 2}, {.shape = 1, .size = 4}, {.shape = 8, .size = 2},
};

/* Without the cell's lock (gph_no_cell_lock) no watch can tell which pairs are being moved. */
static const struct plant planted[] = {
    {.name = "gph_vacancy_first", .kernels = &gph_vacancy_first, .shows = PLANT_IN_STRONG},
    {.name = "gph_no_cell_lock", .kernels = &gph_no_cell_lock, .shows = PLANT_IN_STRONG, .unwatched = true},
    {.name = "gph_unchecked_move", .kernels = &gph_unchecked_move, .shows = PLANT_IN_STRONG},
    {.name = "gph_no_acquire", .kernels = &gph_no_acquire, .shows = PLANT_IN_WEAK_ALONE},
    {.name = "gph_no_release", .kernels = &gph_no_release, .shows = PLANT_IN_WEAK_ALONE},
    {.name = "gph_keeps_locks", .kernels = &gph_keeps_locks, .shows = PLANT_IN_STRONG},
    {.name = "gph_never_dies", .kernels = &gph_never_dies, .shows = PLANT_IN_STRONG},
};

/* Searches for a fault that random seeds do not find. */
static const char *searched_report(const struct gph_stamped *stamped, const struct gph_small *small, int size, int preemptions,
                                   bool weak, uint64_t seed)
{
    const struct shape shape = {8, 8, 2, 0, 2};
    const struct gph_small_run run = {stamped, shape, size, weak, 16, UINT32_MAX, seed, {preemptions, weak, 100000}};
    struct scheduled_searched searched;
    const char *wrong = gph_small_explore(small, &run, &searched);
    printf("%s, %s memory: %s\n", stamped->name, weak ? "weak" : "strong", wrong ? wrong : "not found");
    return wrong;
}

/* Needs three items in turn, and an old message. */
static void vacated_relaxed(void **state)
{
    static const struct gph_small small = {
        "an update, a move, and an insert into its slot", GPH_refine, ROOST_OP_ASSIGN, "uab", "-m-", GPH_IN_TURN};
    (void)state;
    assert_non_null(searched_report(&gph_vacated_relaxed, &small, 1, 0, true, settings_get()->seed));
    assert_null(searched_report(&gph_vacated_relaxed, &small, 1, 0, false, settings_get()->seed));
}

/* Some of the tables show the fault; the sound kernels show none. */
static void assert_found(const struct gph_stamped *stamped, const struct gph_small *small, int size)
{
    const uint64_t first = settings_get()->seed;
    int found = 0;
    for (uint64_t i = 0; i < TABLES; i++) {
        found += searched_report(stamped, small, size, 1, false, first + i) != NULL;
        assert_null(searched_report(&gph_sound, small, size, 1, false, first + i));
    }
    printf("%s: found in %d of %d tables\n", stamped->name, found, TABLES);
    assert_true(found > 0);
}

/* An overflow bucket is marked as passed between two lanes' looks. */
static void lanes_pass(void **state)
{
    static const struct gph_small small = {
        "a refine that passes an overflow bucket", GPH_refine, ROOST_OP_ASSIGN, "db", "--", GPH_PASSES};
    (void)state;
    assert_found(&gph_lanes_pass, &small, 2);
}

int main(int argc, char **argv)
{
    static const struct plants plants = {.explore = gph_explore,
                                         .sound = &gph_sound,
                                         .combinations = combinations,
                                         .combinations_n = PROGRAM_COUNT(combinations),
                                         .plants = planted,
                                         .plants_n = PROGRAM_COUNT(planted),
                                         .brief_weak = PLANT_SEEDS,
                                         .brief_sound = {PLANT_SEEDS / 4, PLANT_SEEDS / 4}};
    static struct program_cases cases;
    plants_cases(&cases, &plants);
    PROGRAM_CASE(&cases, vacated_relaxed);
    PROGRAM_CASE(&cases, lanes_pass);
    return program_run(argc, argv, "scheduled gph plants", &cases);
}
