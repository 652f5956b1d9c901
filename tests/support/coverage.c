/* How many items the tests sent through the library, by width, driver and operation. */
#include "support/coverage.h"

#include <stdio.h>
#include <string.h>

struct cell {
    uint64_t items;
    bool unsupported;
};

const char *const driver_names[DRIVER_COUNT] = {"auto", "lane", "tile", "cooperative", "vote", "once"};
static const char *const operation_names[COVER_COUNT] = {"ASSIGN", "KEEP", "ADD", "MIN", "MAX", "find", "erase"};
/* the last entry counts all other shapes */
static struct cell cells[SHAPE_COUNT + 1][DRIVER_COUNT][COVER_COUNT];

unsigned driver_of_options(const char *options)
{
    const char *name = options ? strstr(options, "driver=") : NULL;
    if (!name) return 0;
    name += strlen("driver=");
    const size_t length = strcspn(name, ",");
    for (unsigned i = 1; i < DRIVER_COUNT; i++)
        if (strlen(driver_names[i]) == length && !strncmp(name, driver_names[i], length)) return i;
    return 0;
}

void coverage_add(const struct test_shape *shape, unsigned driver, unsigned operation, uint64_t n)
{
    cells[shape_index(shape)][driver][operation].items += n;
}

void coverage_unsupported(const struct test_shape *shape, unsigned driver, unsigned operation)
{
    cells[shape_index(shape)][driver][operation].unsupported = true;
}

static bool print_cell(const struct cell *cell)
{
    if (!cell->items && cell->unsupported) {
        printf(" %10s", "-");
        return false;
    }
    printf(" %10llu", (unsigned long long)cell->items);
    return !cell->items;
}

unsigned coverage_print(const char *machine)
{
    unsigned empty = 0;
    printf("items on %s\n%-6s%-12s", machine, "width", "driver");
    for (size_t i = 0; i < COVER_COUNT; i++) printf(" %10s", operation_names[i]);
    printf("\n");
    for (size_t s = 0; s < SHAPE_COUNT; s++) {
        for (size_t d = 0; d < DRIVER_COUNT; d++) {
            printf("%-6s%-12s", shapes[s].name, driver_names[d]);
            for (size_t o = 0; o < COVER_COUNT; o++) empty += print_cell(&cells[s][d][o]);
            printf("\n");
        }
    }
    return empty;
}
