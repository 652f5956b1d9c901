/* Code that the programs named test_scheduled_* share. */
#include "support/scheduled_program.h"

#include "support/settings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Cases ----------------------------------------------------------------------------------- */

void program_case(struct program_cases *cases, const char *name, CMUnitTestFunction function, const void *state)
{
    if (cases->n == PROGRAM_CASES) abort();
    char *const copy = cases->names[cases->n];
    snprintf(copy, sizeof cases->names[0], "%s", name);
    cases->tests[cases->n++] = (struct CMUnitTest){.name = copy, .test_func = function, .initial_state = (void *)(uintptr_t)state};
}

int program_run(int argc, char **argv, const char *group, struct program_cases *cases)
{
    settings_read(argc, argv);
    printf("machine scheduled, seed %" PRIu64 "%s\n", settings_get()->seed, settings_get()->is_short ? ", short" : "");
    if (settings_get()->only) cmocka_set_test_filter(settings_get()->only);
    return _cmocka_run_group_tests(group, cases->tests, (size_t)cases->n, NULL, NULL) ? EXIT_FAILURE : EXIT_SUCCESS;
}

int program_run_sampled(int argc, char **argv, const char *group, struct program_cases *cases)
{
    settings_read(argc, argv);
    const struct settings *s = settings_get();
    int n = 0;
    for (int i = 0; i < cases->n; i++)
        if (s->sample <= 1 || s->only || (uint64_t)i % s->sample == s->sample_part) cases->tests[n++] = cases->tests[i];
    if (n < cases->n) printf("one in %" PRIu64 " scenes, part %" PRIu64 "\n", s->sample, s->sample_part);
    cases->n = n;
    return program_run(argc, argv, group, cases);
}

/* ---- Scenarios by seeds ---------------------------------------------------------------------- */

static const struct program *program; /* set once for the program */
static uint64_t scenarios;

void program_assert_sound(const char *shape, const struct frame_scenario *scenario)
{
    const char *wrong = program->explore(scenario);
    scenarios++;
    if (wrong)
        print_error("%s, driver %d, tile of %d, %s memory: %s\n  replay: ROOST_TEST_SEED=%" PRIu64 "\n", shape, scenario->driver,
                    scenario->size, scenario->weak ? "weak" : "strong", wrong, scenario->seed);
    assert_null(wrong);
}

void program_explore(int shape, enum driver driver, int size, uint64_t seed)
{
    for (int weak = 0; weak < (program->memories ? program->memories(shape) : 2); weak++) {
        const struct frame_scenario scenario = {program->sound, shape, driver, size, weak != 0, seed, false, false};
        program_assert_sound(program->shapes[shape], &scenario);
    }
}

static void explore_shape(void **state)
{
    const int shape = (int)((const char *const *)*state - program->shapes);
    const size_t *seeds = program->seeds;
    for (uint64_t i = 0; i < settings_effort(seeds[0], seeds[1], seeds[2]); i++)
        program->explore_seed(shape, i, settings_get()->seed + i);
}

static void rare_things_happened(void **state)
{
    const struct frame_explored *e = program->explored;
    (void)state;
    printf("%" PRIu64 " scenarios:", scenarios);
    for (int i = 0; i < program->rares_n; i++) printf(" %" PRIu64 " %s,", *program->rares[i].n, program->rares[i].name);
    printf(" %" PRIu64 " items put back, %" PRIu64 " points, %" PRIu64 " switches\n", e->put_back, e->points, e->switches);
    for (int i = 0; i < program->rares_n; i++) assert_true(*program->rares[i].n > 0 || program->rares[i].may_be_none);
    assert_true(e->put_back > 0);
    for (int i = 0; i < program->operations; i++) assert_true(e->items[i] > 0);
}

/* Some sites are rarely reached: tries at most 200 more seeds, until there was a switch at every
 * site. */
static void every_atomic_site_switched(void **state)
{
    enum { MORE = 200 };
    (void)state;
    for (int size = 1; size <= 32; size *= size == 1 ? 4 : 8)
        for (uint64_t i = 0; i < MORE && scheduled_sites_missing(size, program->site_runs); i++) {
            const int shape = program->shapes_first + (int)(i % (uint64_t)program->shapes_n);
            program_explore(shape, DRIVER_tile, size, settings_get()->seed + 1000 + i);
        }
    printf("switches by atomic's site    tile of 1          4         32\n");
    assert_int_equal(scheduled_sites_print(false, program->site_runs), 0);
}

void program_explore_cases(struct program_cases *cases, const struct program *p)
{
    program = p;
    for (int i = p->shapes_first; i < p->shapes_first + p->shapes_n; i++) {
        char name[64];
        snprintf(name, sizeof name, "explore %s", p->shapes[i]);
        program_case(cases, name, explore_shape, &p->shapes[i]);
    }
}

void program_report_cases(struct program_cases *cases)
{
    PROGRAM_CASE(cases, rare_things_happened);
    PROGRAM_CASE(cases, every_atomic_site_switched);
}

int program_main(int argc, char **argv, const char *group, const struct program *p)
{
    static struct program_cases cases;
    program_explore_cases(&cases, p);
    program_report_cases(&cases);
    return program_run(argc, argv, group, &cases);
}

/* ---- Searches through all schedules ---------------------------------------------------------- */

static uint64_t schedules;

void program_assert_searched(const char *wrong, const struct scheduled_searched *searched, const char *scene, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, scene);
    vsnprintf(text, sizeof text, scene, arguments);
    va_end(arguments);
    schedules += searched->schedules;
    if (wrong) print_error("%s: %s\n  replay: ROOST_TEST_SEED=%" PRIu64 "\n", text, wrong, settings_get()->seed);
    assert_null(wrong);
    assert_true(searched->complete);
}

uint64_t program_schedules(void) { return schedules; }

void program_schedules_print(void) { printf("%" PRIu64 " schedules so far\n", schedules); }
