/* Programs that show that scenes on the scheduled machine find faults. Kernels with one planted
 * fault each are reported within a stated number of seeds; the sound kernels are not, over the
 * same seeds. */
#ifndef ROOST_TESTS_SCHEDULED_PLANTS_H
#define ROOST_TESTS_SCHEDULED_PLANTS_H

#include "support/scheduled_program.h"

enum { PLANT_SEEDS = 40 };

/* Where a fault must show. A missing order cannot show with strong memory. */
enum { PLANT_IN_STRONG = 1, PLANT_IN_WEAK = 2, PLANT_NOT_IN_STRONG = 4, PLANT_IN_WEAK_ALONE = PLANT_IN_WEAK | PLANT_NOT_IN_STRONG };

struct plant {
    const char *name;
    const void *kernels;
    int shows;
    const char *reports[3];       /* texts; a report must hold one of them, if there are any */
    bool unwatched, writes_alone; /* see struct frame_scenario */
};

struct plants {
    frame_explore *explore;
    const void *sound;                         /* kernels */
    const struct frame_scenario *combinations; /* for each seed: shape, driver, size */
    int combinations_n;
    const struct plant *plants;
    int plants_n;
    /* For short runs, at most PLANT_SEEDS. brief_weak: seeds of a plant with weak memory.
     * brief_sound: seeds of the sound kernels with strong memory and with weak; 0 if other cases
     * run them. */
    size_t brief_weak, brief_sound[2];
};

/* plants_cases adds a case for each plant, and nothing_planted. plants_main is a program of
 * these cases. */
void plants_cases(struct program_cases *cases, const struct plants *plants);
int plants_main(int argc, char **argv, const char *group, const struct plants *plants);

#endif
