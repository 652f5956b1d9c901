/* Code that the programs named test_scheduled_* share: scenarios of many seeds by shape, counts
 * of what has run, switches by site, small scenes, and cases made from lists. */
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

/* Adds a case: the function and its state. The name is copied. */
void program_case(struct program_cases *cases, const char *name, CMUnitTestFunction function, const void *state);

/* Adds a case without a state, named after the function. */
#define PROGRAM_CASE(cases, function) program_case(cases, #function, function, NULL)

/* Reads the settings, prints the seed, and runs the selected cases. Returns main's status. */
int program_run(int argc, char **argv, const char *group, struct program_cases *cases);

/* The same for cases that need no other one: a sample (ROOST_TEST_SAMPLE) has some of them. */
int program_run_sampled(int argc, char **argv, const char *group, struct program_cases *cases);

/* ---- Scenarios by seeds ---------------------------------------------------------------------- */

/* A rare event that the scenarios have to meet. */
struct program_rare {
    const char *name;
    const uint64_t *n;
    bool may_be_none; /* it is only printed */
};

struct program {
    frame_explore *explore;
    const struct frame_explored *explored;
    const void *sound; /* kernels */
    int operations;
    const char *const *shapes;  /* names by index */
    int shapes_first, shapes_n; /* shapes that are run */
    size_t seeds[3];            /* for each shape, in long, usual and short runs */
    /* Runs the i-th seed of a shape: calls program_explore. */
    void (*explore_seed)(int shape, uint64_t i, uint64_t seed);
    /* Number of memories: 1 is strong memory alone; NULL: 2. */
    int (*memories)(int shape);
    const struct program_rare *rares;
    int rares_n;
    scheduled_site_runs *site_runs;
};

/* For the program whose cases were made: runs the sound kernels with strong and with weak
 * memory; fails if something is wrong. */
void program_explore(int shape, enum driver driver, int size, uint64_t seed);

/* Runs one of these memories. */
void program_assert_sound(const char *shape, const struct frame_scenario *scenario);

/* Adds a case for each shape, named "explore" and the shape. program_report_cases adds
 * rare_things_happened and every_atomic_site_switched. */
void program_explore_cases(struct program_cases *cases, const struct program *p);
void program_report_cases(struct program_cases *cases);

/* A program of all these cases and no others. */
int program_main(int argc, char **argv, const char *group, const struct program *p);

/* ---- Searches through all schedules ---------------------------------------------------------- */

/* Counts the schedules. Fails if something was wrong or the search was given up, and names the
 * scene. */
void program_assert_searched(const char *wrong, const struct scheduled_searched *searched, const char *scene, ...)
    __attribute__((format(printf, 3, 4)));

uint64_t program_schedules(void); /* schedules so far */
void program_schedules_print(void);

#endif
