/* A test program's cases: one body per behaviour, run under cmocka for every width and other
 * variant. */
#include "support/suite.h"

#include "support/draw.h"
#include "support/settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct test_case {
    char name[160];
    test_body body;
    struct variant variant;
};

#define MOST_CASES 1024
static struct test_case cases[MOST_CASES];
static size_t case_count;
static const struct test_case *running;
static char step[256];

static const char *placement_name(enum placement placement)
{
    static const char *const names[] = {"", " device arrays", " mixed arrays"};
    return names[placement];
}

void suite_add(const char *behaviour, test_body body, struct variant variant)
{
    if (case_count == MOST_CASES) abort();
    if (settings_get()->ranks > 1 && shape_has_strings(variant.shape)) return; /* no such tables */
    struct test_case *new_case = &cases[case_count++];
    char threads[24] = "", number[32] = "";
    if (variant.threads) snprintf(threads, sizeof threads, " threads=%d", variant.threads);
    if (variant.number) snprintf(number, sizeof number, " %llu", (unsigned long long)variant.number);
    snprintf(new_case->name, sizeof new_case->name, "%s%s %s%s%s%s%s", behaviour, number, variant.shape->name,
             variant.options ? " " : "", variant.options ? variant.options : "", threads, placement_name(variant.placement));
    new_case->body = body;
    new_case->variant = variant;
}

void suite_add_once(const char *behaviour, test_body body) { suite_add(behaviour, body, (struct variant){.shape = &shapes[0]}); }

void suite_add_placed(const char *behaviour, test_body body, struct variant variant)
{
    variant.shape = &shapes[0];
    for (int p = PLACE_HOST; p < suite_placements(); p++) {
        variant.placement = (enum placement)p;
        suite_add(behaviour, body, variant);
    }
}

int suite_placements(void) { return settings_on_gpu() && ROOST_WITH_CUDA ? PLACE_MIXED + 1 : 1; }

void suite_add_some(const char *behaviour, test_body body, bool (*takes)(const struct test_shape *shape))
{
    for (size_t i = 0; i < SHAPE_COUNT; i++)
        for (int p = PLACE_HOST; p < suite_placements() && takes(&shapes[i]); p++)
            suite_add(behaviour, body, (struct variant){.shape = &shapes[i], .placement = (enum placement)p});
}

void suite_add_widths(const char *behaviour, test_body body) { suite_add_some(behaviour, body, shape_is_any); }

void suite_add_wide(const char *behaviour, test_body body, bool (*takes)(const struct test_shape *shape))
{
    /* Under a sanitizer: each kind of key with each kind of value, except none. */
    enum { FEW = 4 };
    static const char *const names[] = {"12+4 u32", "16+16", "s+5",   "s+8 i64", "3+1",    "12+0",
                                        "16+8 u64", "127+3", "8+256", "s+0",     "s+4 u32"};
    const size_t n = settings_sanitized() ? FEW : sizeof names / sizeof *names;
    for (size_t i = 0; i < n && settings_on_stadium(); i++)
        for (int p = PLACE_HOST; p < suite_placements() && takes(shape_named(names[i])); p++)
            suite_add(behaviour, body, (struct variant){.shape = shape_named(names[i]), .placement = (enum placement)p});
}

static void print_settings(void)
{
    printf("device %s, engine %s, seed %llu%s\n", settings_get()->device,
           settings_get()->engine ? settings_get()->engine : "(default)", (unsigned long long)settings_get()->seed,
           settings_get()->is_short  ? ", short"
           : settings_get()->is_long ? ", long"
                                     : "");
    if (settings_get()->sample > 1)
        printf("one in %llu variants, part %llu\n", (unsigned long long)settings_get()->sample,
               (unsigned long long)settings_get()->sample_part);
}

void suite_begin(int argc, char **argv)
{
    settings_read(argc, argv);
    print_settings();
}

void suite_begin_on_host(int argc, char **argv)
{
    settings_read(argc, argv);
    settings_stay_on_host();
    print_settings();
}

static uint64_t case_hash(const struct test_case *one)
{
    uint64_t hash = mix64(settings_get()->seed);
    for (const char *c = one->name; *c; c++) hash = mix64(hash + (unsigned char)*c);
    return hash;
}

/* A sample also has each behaviour's first case, so that no behaviour is left out. A case named
 * by --only always runs. */
static bool is_drawn(size_t at)
{
    const uint64_t sample = settings_get()->sample;
    if (sample <= 1 || settings_get()->only || case_hash(&cases[at]) % sample == settings_get()->sample_part) return true;
    for (size_t i = 0; i < at; i++)
        if (cases[i].body == cases[at].body) return false;
    return true;
}

static void run_case(void **state)
{
    running = *state;
    step[0] = 0;
    running->body(&running->variant);
}

int suite_run(const char *program)
{
    static struct CMUnitTest tests[MOST_CASES];
    size_t n = 0;
    for (size_t i = 0; i < case_count; i++)
        if (is_drawn(i)) tests[n++] = (struct CMUnitTest){.name = cases[i].name, .test_func = run_case, .initial_state = &cases[i]};
    if (settings_get()->only) cmocka_set_test_filter(settings_get()->only);
    const int failed = _cmocka_run_group_tests(program, tests, n, NULL, NULL);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

uint64_t suite_seed(void) { return case_hash(running); }

void suite_step(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(step, sizeof step, format, arguments);
    va_end(arguments);
}

void suite_fail(const char *file, int line, const char *condition, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    print_error(
        "%s:%d: not so: %s\n  %s\n  step: %s\n  replay: ROOST_TEST_SEED=%llu ROOST_TEST_SHORT=%d ... --device %s --only '%s'\n",
        file, line, condition, text, step, (unsigned long long)settings_get()->seed, settings_get()->is_short,
        settings_get()->device, running->name);
    _fail(file, line);
    abort(); /* _fail does not return */
}

void suite_skip(const char *reason)
{
    print_message("skipped: %s\n", reason);
    skip();
}

void suite_status(const char *file, int line, const char *call, roost_status expected, roost_status status,
                  const roost_table *table)
{
    if (status == expected) return;
    suite_fail(file, line, call, "%s instead of %s: \"%s\"", roost_status_name(status), roost_status_name(expected),
               roost_last_error(table));
}
