/* Programs that show that scenes on the scheduled machine find faults: kernels with one planted
 * fault each are reported within a stated number of seeds, and the sound kernels are not, over the
 * same seeds. */
#ifndef ROOST_TESTS_SCHEDULED_PLANTS_H
#define ROOST_TESTS_SCHEDULED_PLANTS_H

#include "support/scheduled_program.h"

enum { PLANT_SEEDS = 40 };

/* Where a fault has to show.  With strong memory an order that is missing cannot. */
enum { PLANT_IN_STRONG = 1, PLANT_IN_WEAK = 2, PLANT_NOT_IN_STRONG = 4, PLANT_IN_WEAK_ALONE = PLANT_IN_WEAK | PLANT_NOT_IN_STRONG };

struct plant {
    const char *name;
    const void *kernels;
    int shows;
    const char *reports[3];       /* texts of which a report has one; or none */
    bool unwatched, writes_alone; /* see struct frame_scenario */
};

struct plants {
    frame_explore *explore;
    const void *sound;                         /* kernels */
    const struct frame_scenario *combinations; /* of each seed: shape, driver, size */
    int combinations_n;
    const struct plant *plants;
    int plants_n;
    /* In short runs, of PLANT_SEEDS: seeds of a plant with weak memory, and of the sound kernels
     * with strong memory and with weak (0: other cases run them). */
    size_t brief_weak, brief_sound[2];
};

/* A case for each plant, and nothing_planted; and a program of these. */
void plants_cases(struct program_cases *cases, const struct plants *plants);
int plants_main(int argc, char **argv, const char *group, const struct plants *plants);

#endif
