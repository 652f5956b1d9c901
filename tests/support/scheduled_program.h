/* What the programs named test_scheduled_* share: scenarios of many seeds by shape, what has been
 * run, and switches by site; small scenes; and cases that are made of lists. */
#ifndef ROOST_TESTS_SCHEDULED_PROGRAM_H
#define ROOST_TESTS_SCHEDULED_PROGRAM_H

#include "support/scheduled_frame.h"
#include "support/scheduled_sites.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* ---- Cases ----------------------------------------------------------------------------------- */

enum { PROGRAM_CASES = 48 };

#define PROGRAM_COUNT(list) ((int)(sizeof(list) / sizeof(list)[0]))

struct program_cases {
    int n;
    char names[PROGRAM_CASES][64];
    struct CMUnitTest tests[PROGRAM_CASES];
};

/* One more: the function and what its state is; the name is copied. */
void program_case(struct program_cases *cases, const char *name, CMUnitTestFunction function, const void *state);

/* One more whose name is the function's, without a state. */
#define PROGRAM_CASE(cases, function) program_case(cases, #function, function, NULL)

/* Reads the settings, prints the seed, and runs the cases that are asked for: what main returns. */
int program_run(int argc, char **argv, const char *group, struct program_cases *cases);

/* ---- Scenarios by seeds ---------------------------------------------------------------------- */

/* Something that the scenarios have to meet. */
struct program_rare {
    const char *name;
    const uint64_t *n;
    bool may_be_none; /* it is printed alone */
};

struct program {
    frame_explore *explore;
    const struct frame_explored *explored;
    const void *sound; /* kernels */
    int operations;
    const char *const *shapes;  /* names, by number */
    int shapes_first, shapes_n; /* those that are run */
    size_t seeds[3];            /* of each shape, in long, usual and short runs */
    /* The i-th seed of a shape: calls program_explore. */
    void (*explore_seed)(int shape, uint64_t i, uint64_t seed);
    /* 1: with strong memory alone; NULL: 2. */
    int (*memories)(int shape);
    const struct program_rare *rares;
    int rares_n;
    scheduled_site_runs *site_runs;
};

/* Of the program whose cases were made: runs the sound kernels, with strong memory and with weak,
 * and fails if something is wrong. */
void program_explore(int shape, enum driver driver, int size, uint64_t seed);

/* One memory of these. */
void program_assert_sound(const char *shape, const struct frame_scenario *scenario);

/* A case for each shape, named "explore" and the shape; then rare_things_happened and
 * every_atomic_site_switched. */
void program_explore_cases(struct program_cases *cases, const struct program *p);
void program_report_cases(struct program_cases *cases);

/* All of these, and nothing else. */
int program_main(int argc, char **argv, const char *group, const struct program *p);

/* ---- Searches through all schedules ---------------------------------------------------------- */

/* Fails if something was wrong or the search was given up, and tells the scene then; counts the
 * schedules. */
void program_assert_searched(const char *wrong, const struct scheduled_searched *searched, const char *scene, ...)
    __attribute__((format(printf, 3, 4)));

uint64_t program_schedules(void); /* so far */
void program_schedules_print(void);

#endif
