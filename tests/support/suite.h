/* A test program's cases: one body per behaviour, run for every width and other variant, under cmocka; and the two macros
 * that tests check with, which print the case, its seed and the step that failed. */
#ifndef ROOST_TESTS_SUITE_H
#define ROOST_TESTS_SUITE_H

#include "support/arrays.h"
#include "support/layouts.h"
#include "support/shapes.h"

/* Where the arrays of calls lie. */
enum placement { PLACE_HOST, PLACE_DEVICE, PLACE_MIXED };

struct variant {
    const struct test_shape *shape;
    const char *options; /* of the engine; NULL: its defaults */
    int threads;         /* as in roost_config */
    enum placement placement;
    uint64_t number; /* a parameter of the body's own */
};

typedef void (*test_body)(const struct variant *variant);

/* How many placements of arrays this run tests: on a GPU all, on the host one. */
int suite_placements(void);

/* Adds one case. */
void suite_add(const char *behaviour, test_body body, struct variant variant);

/* Adds a case that needs no width: its variant has 4+4. */
void suite_add_once(const char *behaviour, test_body body);

/* Adds a case for every width, on a GPU with the arrays on the host, on the device and mixed. */
void suite_add_widths(const char *behaviour, test_body body);

/* The same for those widths alone that `takes` answers true for. */
void suite_add_some(const char *behaviour, test_body body, bool (*takes)(const struct test_shape *shape));

/* The same for some widths beyond those, and for strings, where this run tests an engine that takes them. */
void suite_add_wide(const char *behaviour, test_body body, bool (*takes)(const struct test_shape *shape));

/* Reads the settings, which suite_add_* consult: the first call of a main. */
void suite_begin(int argc, char **argv);

/* The same for a program whose tables are all on the host, whatever device is asked for: tests/device-programs leaves it out. */
void suite_begin_on_host(int argc, char **argv);

/* Runs the cases; main returns what it returns: 0 if all passed. */
int suite_run(const char *program);

/* The seed of the running case; it depends on the run's seed and the case's name alone. */
uint64_t suite_seed(void);

/* What the running case is about to do; printed if it fails. */
void suite_step(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Ends the running case as failed. */
void suite_fail(const char *file, int line, const char *condition, const char *format, ...)
    __attribute__((format(printf, 4, 5), noreturn));

/* Ends the running case as skipped, for a reason that is printed. */
void suite_skip(const char *reason);

#define require(condition, ...)                                                                                                    \
    do {                                                                                                                           \
        if (!(condition)) suite_fail(__FILE__, __LINE__, #condition, __VA_ARGS__);                                                 \
    } while (0)

/* The status of a call on a table (or NULL) is the one expected. */
#define require_status(expected, call, table) suite_status(__FILE__, __LINE__, #call, expected, call, table)
void suite_status(const char *file, int line, const char *call, roost_status expected, roost_status status,
                  const roost_table *table);

#endif
