/* How many items the tests sent through the library, by width, driver and operation. A table
 * without empty cells shows that every supported combination ran. */
#ifndef ROOST_TESTS_COVERAGE_H
#define ROOST_TESTS_COVERAGE_H

#include "support/shapes.h"

#define DRIVER_COUNT 6
/* auto, lane, tile, cooperative, vote, once. */
extern const char *const driver_names[DRIVER_COUNT];

/* The five insert modes have their own numbers, 0 to 4. */
enum { COVER_FIND = 5, COVER_ERASE = 6, COVER_COUNT = 7 };

/* The driver that the engine options name; "auto" if they name none. */
unsigned driver_of_options(const char *options);

/* Counts n items of an operation. */
void coverage_add(const struct test_shape *shape, unsigned driver, unsigned operation, uint64_t n);

/* Records that the library returned "unsupported" for this combination. */
void coverage_unsupported(const struct test_shape *shape, unsigned driver, unsigned operation);

/* Prints the table and returns how many supported cells are empty. */
unsigned coverage_print(const char *machine);

#endif
