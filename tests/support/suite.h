/* A test program's cases: one body per behaviour, run under cmocka for every width and other
 * variant. The two macros that tests check with print the case, its seed and the step that
 * failed. */
#ifndef ROOST_TESTS_SUITE_H
#define ROOST_TESTS_SUITE_H

#include "support/arrays.h"
#include "support/layouts.h"
#include "support/shapes.h"

/* Where a call's arrays lie. */
enum placement { PLACE_HOST, PLACE_DEVICE, PLACE_MIXED };

struct variant {
    const struct test_shape *shape;
    const char *options; /* options of the engine; NULL: its defaults */
    int threads;         /* as in roost_config */
    enum placement placement;
    uint64_t number; /* a parameter for the body */
};

typedef void (*test_body)(const struct variant *variant);

/* The number of placements of arrays that this run tests: all on a GPU, one on the host. */
int suite_placements(void);

/* Adds one case. */
void suite_add(const char *behaviour, test_body body, struct variant variant);

/* Adds a case that needs no width: its variant has 4+4. */
void suite_add_once(const char *behaviour, test_body body);

/* Adds a case for every placement that needs no width either. */
void suite_add_placed(const char *behaviour, test_body body, struct variant variant);

/* Adds a case for every width; on a GPU with the arrays on the host, on the device, and mixed. */
void suite_add_widths(const char *behaviour, test_body body);

/* The same, only for widths for which `takes` is true. */
void suite_add_some(const char *behaviour, test_body body, bool (*takes)(const struct test_shape *shape));

/* The same for some other widths and for strings, if this run tests an engine that supports
 * them. */
void suite_add_wide(const char *behaviour, test_body body, bool (*takes)(const struct test_shape *shape));

/* Reads the settings, which suite_add_* need; main calls it first. */
void suite_begin(int argc, char **argv);

/* The same for a program whose tables are all on the host, whatever device is requested.
 * tests/device-programs does not list such a program. */
void suite_begin_on_host(int argc, char **argv);

/* Runs the cases; returns main's status: 0 if all passed. */
int suite_run(const char *program);

/* The seed of the running case; it depends only on the run's seed and the case's name. */
uint64_t suite_seed(void);

/* Records what the running case does next; printed if it fails. */
void suite_step(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Ends the running case as a failure. */
void suite_fail(const char *file, int line, const char *condition, const char *format, ...)
    __attribute__((format(printf, 4, 5), noreturn));

/* Ends the running case as skipped, and prints the reason. */
void suite_skip(const char *reason);

#define require(condition, ...)                                                                                                    \
    do {                                                                                                                           \
        if (!(condition)) suite_fail(__FILE__, __LINE__, #condition, __VA_ARGS__);                                                 \
    } while (0)

/* Requires that a call on a table (or NULL) returns this status. */
#define require_status(expected, call, table) suite_status(__FILE__, __LINE__, #call, expected, call, table)
void suite_status(const char *file, int line, const char *call, roost_status expected, roost_status status,
                  const roost_table *table);

#endif
