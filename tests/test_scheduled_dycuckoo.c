/* DyCuckoo's item operations on the scheduled machine: every shape, driver and tile, several
 * tiles at once, thousands of seeds, each checked by an exact reference.  Then the coverage, by
 * operation and by site.  A failure names the seed that replays it first: ROOST_TEST_SEED=<seed>
 * ... --only '<case>'. */
#include "support/scheduled_explore.h"
#include "support/scheduled_program.h"
#include "support/settings.h"

#include <inttypes.h>
#include <stdio.h>

enum { DRIVERS = DRIVER_vote + 1 };

static uint64_t scenarios;

/* ---- Combinations --------------------------------------------------------------------------- */

static const char *const driver_texts[DRIVERS] = {"lane", "tile", "cooperative", "vote"};

struct listed {
    enum dycuckoo_operation operation;
    enum dycuckoo_shape shape;
    enum driver driver;
    int size;
};
/* DRIVER_once is the tile driver with as many tiles as items. */
#define LISTED(operation, shape, driver, size)                                                                                     \
    {DYCUCKOO_##operation, SHAPE_##shape, DRIVER_##driver == DRIVER_once ? DRIVER_tile : DRIVER_##driver, size},
static const struct listed listed[] = {DYCUCKOO_KERNELS(LISTED) DYCUCKOO_DARY_KERNELS(LISTED)};
enum { LISTED_COUNT = PROGRAM_COUNT(listed) };

struct combination {
    enum dycuckoo_shape shape;
    enum driver driver;
    int size;
};

/* Tiles of 1, 4 and 32 lanes for every shape and driver, and further tiles of the kernel list; a
 * lane alone is a tile of 1. */
static bool combination_runs(const struct combination *c)
{
    if (c->driver == DRIVER_lane) return c->size == 1;
    if (c->size == 1 || c->size == 4 || c->size == 32) return true;
    for (int i = 0; i < LISTED_COUNT; i++)
        if (listed[i].shape == c->shape && listed[i].driver == c->driver && listed[i].size == c->size) return true;
    return false;
}

/* Steps to the next combination that runs; false after the last.  Starts from all zero with size
 * 0. */
static bool combination_next(struct combination *c)
{
    do {
        c->size = c->size ? c->size * 2 : 1;
        if (c->size > 32) c->size = 1, c->driver = (enum driver)(c->driver + 1);
        if ((int)c->driver == DRIVERS) c->driver = DRIVER_lane, c->shape = (enum dycuckoo_shape)(c->shape + 1);
        if (c->shape == SHAPE_any) return false;
    } while (!combination_runs(c));
    return true;
}

static const uint64_t *cells_of(enum dycuckoo_shape shape, enum driver driver, int size)
{
    return explored.items[shape][driver][bit_lowest32((uint32_t)size)];
}

/* Operations on buckets run with tiles, the estimate with lanes and tiles, the spill list with
 * lanes, all others with every driver. */
static bool cell_runs(const struct combination *c, int cell)
{
    if (cell >= CELL_join) return c->driver == DRIVER_lane;
    return cell < CELL_grow || c->driver == DRIVER_tile || (cell == CELL_estimate && c->driver == DRIVER_lane);
}

/* True if more seeds are needed: fewer where a batch is large, and a few more where a cell is
 * still empty.  Evictions in every mode, and growing, are rare. */
static bool combination_needs(const struct combination *c, size_t seeds)
{
    const bool large = c->size >= 16 || scheduled_shape(c->shape).slots >= 16;
    const size_t wanted = large ? settings_effort(8, 3, 2) : settings_effort(20, 8, 4);
    bool empty = false;
    for (int i = 0; i < CELLS; i++) empty |= cell_runs(c, i) && !cells_of(c->shape, c->driver, c->size)[i];
    return seeds < wanted || (empty && seeds < wanted + 40);
}

/* Every other seed has weak memory. */
static void explore_scenario(const struct combination *c, uint64_t seed)
{
    const struct frame_scenario scenario = {
        .kernels = &dycuckoo_sound, .shape = (int)c->shape, .driver = c->driver, .size = c->size, .weak = seed % 2, .seed = seed};
    const char *wrong = dycuckoo_explore(&scenario);
    scenarios++;
    if (!wrong) return;
    print_error("%s, %s, tile of %d: %s\n  replay: ROOST_TEST_SEED=%" PRIu64 "\n", scheduled_shape_name(c->shape),
                driver_texts[c->driver], c->size, wrong, scenario.seed);
    fail();
}

static void explore_combination(const struct combination *c)
{
    for (size_t i = 0; combination_needs(c, i); i++) explore_scenario(c, settings_get()->seed + i);
}

/* Explores all combinations of driver and tile of one shape. */
static void explore_shape(void **state)
{
    struct combination c = {SHAPE_k4v4, DRIVER_lane, 0};
    while (combination_next(&c))
        if (c.shape == *(const enum dycuckoo_shape *)*state) explore_combination(&c);
}

/* ---- Coverage ------------------------------------------------------------------------------- */

static int print_cells(const struct combination *c, int first, int end)
{
    int empty = 0;
    const uint64_t *cells = cells_of(c->shape, c->driver, c->size);
    printf("%-10s %-11s %4d", scheduled_shape_name(c->shape), driver_texts[c->driver], c->size);
    for (int i = first; i < end; i++) {
        printf(" %7" PRIu64, cells[i]);
        empty += !cells[i];
    }
    printf("\n");
    return empty;
}

/* Prints items by width, driver, tile, operation and mode. */
static void every_cell_ran(void **state)
{
    static const char *const modes[] = {"ASSIGN", "KEEP", "ADD", "MIN", "MAX"};
    int empty = 0;
    (void)state;
    printf("items on machine scheduled; inserts by mode: the passes f fill, e evict, p path\nwidth      driver      tile    find   "
           "erase");
    for (int i = 0; i < 15; i++) printf(" %c%6s", "fep"[i / 5], modes[i % 5]);
    printf("\n");
    for (struct combination c = {SHAPE_k4v4, DRIVER_lane, 0}; combination_next(&c);) empty += print_cells(&c, 0, CELL_grow);
    printf("buckets on machine scheduled\nwidth      driver      tile    grow  shrink  export\n");
    for (struct combination c = {SHAPE_k4v4, DRIVER_lane, 0}; combination_next(&c);)
        if (cell_runs(&c, CELL_grow)) empty += print_cells(&c, CELL_grow, CELL_estimate);
    printf("items on machine scheduled\nwidth      driver      tile  estimate\n");
    for (struct combination c = {SHAPE_k4v4, DRIVER_lane, 0}; combination_next(&c);)
        if (cell_runs(&c, CELL_estimate)) empty += print_cells(&c, CELL_estimate, CELL_join);
    printf("items on machine scheduled, in the spill list: j join, p put, find, erase\nwidth      driver      tile");
    for (int i = 0; i < 10; i++) printf(" %c%6s", "jp"[i / 5], modes[i % 5]);
    printf("    find   erase\n");
    for (struct combination c = {SHAPE_k4v4, DRIVER_lane, 0}; combination_next(&c);)
        if (cell_runs(&c, CELL_join)) empty += print_cells(&c, CELL_join, CELLS);
    assert_int_equal(empty, 0);
}

static int first_cell(enum dycuckoo_operation operation)
{
    static const int cells[] = {CELL_find, CELL_erase,  CELL_fill,     CELL_evict, CELL_path,
                                CELL_grow, CELL_export, CELL_estimate, CELL_put};
    return cells[operation];
}

/* Each pair of operation and driver in the kernel list ran with the tile that is listed. */
static void every_listed_kernel_ran(void **state)
{
    int missing = 0;
    (void)state;
    for (int i = 0; i < LISTED_COUNT; i++) {
        const struct listed *l = &listed[i];
        const enum dycuckoo_shape shape = l->shape == SHAPE_any ? SHAPE_k4v4 : l->shape;
        if (cells_of(shape, l->driver, l->size)[first_cell(l->operation)]) continue;
        print_error("kernel %d of the list did not run\n", i);
        missing++;
    }
    assert_int_equal(missing, 0);
}

/* A cooperative or voting tile puts back an item whose lock is taken; a lane alone tries again. */
static void items_were_put_back(void **state)
{
    (void)state;
    for (int driver = 0; driver < DRIVERS; driver++) {
        uint64_t sum = 0;
        printf("put back, %-11s", driver_texts[driver]);
        for (int i = 0; i < SCHEDULED_SIZES; i++) {
            sum += explored.put_back[driver][i];
            if (driver != DRIVER_lane || i == 0) printf("  tile %d: %" PRIu64, 1 << i, explored.put_back[driver][i]);
        }
        printf("\n");
        assert_true(sum > 0);
    }
    for (int size = 1; size <= 32; size *= size == 1 ? 4 : 8)
        assert_true(explored.put_back[DRIVER_vote][bit_lowest32((uint32_t)size)] > 0);
}

static void rare_things_happened(void **state)
{
    (void)state;
    printf(
        "%" PRIu64 " scenarios, %" PRIu64 " pairs evicted, %" PRIu64 " items full, %" PRIu64 " of them only beside others; %" PRIu64
        " resizes with residuals, %" PRIu64 " undone; %" PRIu64 " batches on tidy tables, %" PRIu64 " left a vacancy; %" PRIu64
        " items too many for the spill list; %" PRIu64 " points, %" PRIu64 " switches\n",
        scenarios, explored.evicted, explored.full + explored.late, explored.late, explored.resizes_with_residuals,
        explored.undone_resizes, explored.tidy_batches, explored.untidy, explored.spill_failed, explored.points, explored.switches);
    assert_true(explored.evicted > 0 && explored.full > 0 && explored.resizes_with_residuals > 0 && explored.undone_resizes > 0);
    assert_true(explored.tidy_batches > 0 && explored.untidy > 0 && explored.spill_failed > 0);
}

/* ---- Switches by verb and by site ----------------------------------------------------------- */

/* True if lanes should be switched at this site with tiles of this size.  Only single lanes work
 * on the spill list. */
static bool site_runs(const struct scheduled_site *site, int size)
{
    return size == 1 || !strstr(site->file, "dycuckoo_spill_items.h");
}

/* Some sites are reached rarely.  Explores further seeds with tiles of this size until there was
 * a switch at every site, at most MORE. */
static void explore_until_switched(int size)
{
    enum { MORE = 2000 };
    for (uint64_t i = 0; i < MORE; i++) {
        if (!scheduled_sites_missing(size, site_runs)) return;
        const struct combination c = {(enum dycuckoo_shape)(i % SHAPE_any), (enum driver)(i / SHAPE_any % DRIVERS), size};
        if (combination_runs(&c)) explore_scenario(&c, settings_get()->seed + 1000 + i);
    }
}

static void every_verb_switched(void **state)
{
    (void)state;
    printf("switches by verb             tile of 1          4         32\n");
    assert_int_equal(scheduled_sites_print(true, site_runs), 0);
}

static void every_atomic_site_switched(void **state)
{
    (void)state;
    for (int size = 1; size <= 32; size *= size == 1 ? 4 : 8) explore_until_switched(size);
    printf("switches by atomic's site    tile of 1          4         32\n");
    assert_int_equal(scheduled_sites_print(false, site_runs), 0);
}

int main(int argc, char **argv)
{
    static enum dycuckoo_shape shapes[SHAPE_any];
    static struct program_cases cases;
    for (int i = 0; i < SHAPE_any; i++) {
        char name[64];
        snprintf(name, sizeof name, "explore %s", scheduled_shape_name(shapes[i] = (enum dycuckoo_shape)i));
        program_case(&cases, name, explore_shape, &shapes[i]);
    }
    PROGRAM_CASE(&cases, every_cell_ran);
    PROGRAM_CASE(&cases, every_listed_kernel_ran);
    PROGRAM_CASE(&cases, items_were_put_back);
    PROGRAM_CASE(&cases, rare_things_happened);
    PROGRAM_CASE(&cases, every_verb_switched);
    PROGRAM_CASE(&cases, every_atomic_site_switched);
    return program_run(argc, argv, "scheduled dycuckoo", &cases);
}
