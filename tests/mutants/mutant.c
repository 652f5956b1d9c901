/* Chooses the active mutant before main: ROOST_MUTANT is its number.  With ROOST_MUTANT_ALONE=1
 * the scheduled machine runs one item after another.  ROOST_MUTANT_REACHED names a file for the
 * numbers of all mutants that the program reached. */
#include "mutants/mutant.h"

#include <stdio.h>
#include <stdlib.h>

int mutant_number;
bool mutant_reached[MUTANTS_MOST];
enum mutant_inner mutant_inner;

enum { PASSES_MOST = 10000000 };

void mutant_passed(void)
{
    static uint64_t points;
    static int passes;
    const uint64_t now = scheduled_numbers().points;
    passes = now == points ? passes + 1 : 0;
    points = now;
    if (passes < PASSES_MOST) return;
    fflush(stdout);
    fprintf(stderr, "a loop without end: the mutant was passed %d times, and no lane reached a point\n", passes);
    abort();
}

static void choose_mutant(void) __attribute__((constructor));
static void choose_mutant(void)
{
    const char *number = getenv("ROOST_MUTANT"), *alone = getenv("ROOST_MUTANT_ALONE");
    mutant_number = number ? atoi(number) : 0;
    scheduled_alone = alone && *alone == '1';
}

static void write_reached(void) __attribute__((destructor));
static void write_reached(void)
{
    const char *name = getenv("ROOST_MUTANT_REACHED");
    FILE *file = name ? fopen(name, "w") : NULL;
    if (!file) return;
    for (int i = 1; i < MUTANTS_MOST; i++)
        if (mutant_reached[i]) fprintf(file, "%d\n", i);
    fclose(file);
}
