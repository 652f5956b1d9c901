/* SlabAlloc on the scheduled machine.  Several workers take units until there are none and give
 * them back, in tiles of 1, 4 and 32 lanes, with strong and with weak memory.  Small cases run
 * through all schedules of few preemptions.  No unit is given out twice and none is lost.  Each
 * is filled with ones when its taker sees it, and `exhausted` is right when no other worker is
 * left. */
#include "support/scheduled_program.h"
#include "support/scheduled_slab_table.h"
#include "support/settings.h"

#include <inttypes.h>
#include <stdio.h>

enum { BUDGET = 2000000, ROUNDS = 4, TILES = 8 };

/* The task of the workers, and its results. */
static struct {
    struct slab_scene_table t;
    int size, rounds, keeps; /* takes of each worker; units that it keeps to its end, or forever */
    bool gives, resides;     /* resides: workers begin in the first words */
    bool sweeps;             /* true: workers search only by sweeps */
    bool late;               /* the pool says at first, falsely, that it is exhausted */
    bool owned[SLAB_MOST_UNITS];
    int refused, taken;
    const char *wrong;
} w;

static int unit_number(uint32_t handle)
{
    for (int i = 0; i < w.t.sizes.units; i++)
        if (w.t.unit[i] == handle) return i;
    return -1;
}

static void own(uint32_t handle)
{
    const int i = unit_number(handle);
    if (i < 0) w.wrong = "a unit that does not exist is given out";
    else if (w.owned[i]) w.wrong = "a unit is given out twice";
    else w.owned[i] = true, w.taken++;
}

/* Every lane sees ones; then lane 0 writes something else. */
static void use(const tile g, uint32_t handle)
{
    uint64_t *const words = (uint64_t *)(void *)slab_unit(&w.t.view.pool, handle);
    for (int i = g.lane; i < SLAB_BYTES / 8; i += g.size)
        if (load_relaxed_device64(words + i) != ~0ULL) w.wrong = "a lane of its taker sees a unit that is not filled with ones";
    tile_sync(g);
    for (int i = 0; i < SLAB_BYTES / 8 && g.lane == 0; i += 3) store_relaxed_device64(words + i, (uint64_t)i);
}

/* Runs in lane 0. */
static void give(uint32_t handle)
{
    uint64_t *const words = (uint64_t *)(void *)slab_unit(&w.t.view.pool, handle);
    for (int i = 0; i < SLAB_BYTES / 8; i += 3) store_relaxed_device64(words + i, ~0ULL);
    w.owned[unit_number(handle)] = false;
    slab_give(&w.t.view.pool, handle);
}

static void work(const void *args, void *scratch)
{
    const tile g = tile_make(w.size);
    struct slab_resident resident = slab_resident_none((uint32_t)tile_rank(w.size));
    uint32_t kept[ROUNDS];
    int n = 0;
    (void)args, (void)scratch;
    if (w.resides) slab_reside(&w.t.view.pool, g, &resident, 0, 0);
    for (int i = 0; i < w.rounds; i++) {
        const uint32_t handle = w.sweeps ? slab_sweep(&w.t.view.pool, g, &resident) : slab_take(&w.t.view.pool, g, &resident);
        if (handle == SLAB_NONE) {
            w.refused += g.lane == 0;
            continue;
        }
        if (g.lane == 0) own(handle);
        use(g, handle);
        if (i < w.keeps) kept[n++] = handle;
        else if (g.lane == 0) give(handle);
    }
    for (int i = 0; i < n && w.gives && g.lane == 0; i++) give(kept[i]);
}

/* A lane alone, after all others have ended and `exhausted` was reset.  It finds a unit again
 * that it gives back then. */
static void take_rest(const void *args, void *scratch)
{
    struct slab_resident resident = slab_resident_none(0);
    uint32_t handle, last = SLAB_NONE;
    (void)args, (void)scratch;
    while ((handle = slab_take(&w.t.view.pool, tile_make(1), &resident)) != SLAB_NONE) own(last = handle);
    if (last == SLAB_NONE) return;
    slab_give(&w.t.view.pool, last);
    if (slab_take(&w.t.view.pool, tile_make(1), &resident) != last)
        w.wrong = "a unit that was given back to an exhausted pool is lost";
    if (slab_take(&w.t.view.pool, tile_make(1), &resident) != SLAB_NONE) w.wrong = "a unit is given out twice";
}

static int owned_count(void)
{
    int n = 0;
    for (int i = 0; i < SLAB_MOST_UNITS; i++) n += w.owned[i];
    return n;
}

static void pool_reset(void *unused)
{
    (void)unused;
    for (int i = 0; i < w.t.sizes.units; i++) memset(slab_unit(&w.t.view.pool, w.t.unit[i]), 0xff, SLAB_BYTES);
    for (int i = 0; i < w.t.sizes.units; i++) {
        const uint32_t handle = w.t.unit[i], super = w.t.view.pool.light ? 0 : handle >> 24, in_super = handle & 0xffffffu;
        uint32_t *const bitmap = slab_bitmap(&w.t.view.pool, super, w.t.view.pool.first_block[super] + in_super / SLAB_BLOCK_UNITS);
        bitmap[in_super % SLAB_BLOCK_UNITS / 32] &= ~(1u << (handle & 31u));
    }
    memset(w.owned, 0, sizeof w.owned);
    w.t.exhausted = w.late;
    w.refused = w.taken = 0;
    w.wrong = NULL;
}

static const char *pool_verdict(void *unused)
{
    const struct scheduled_plan alone = {.seed = 1, .size = 1, .tiles = 1, .budget = BUDGET};
    const int units = w.t.sizes.units, free_units = units - owned_count();
    (void)unused;
    if (w.wrong) return w.wrong;
    if (w.refused && !w.gives && w.keeps == w.rounds && free_units)
        return "a worker got no unit, although one is free and none was given back";
    if (!w.refused && w.t.exhausted && !w.late) return "the pool says that it is exhausted, but no worker was refused";
    if (free_units && w.t.exhausted && !w.late) return "the pool says that it is exhausted, but a unit is free";
    w.t.exhausted = 0;
    w.taken = 0;
    const char *wrong = scheduled_run(&alone, take_rest, NULL);
    if (wrong) return wrong;
    if (w.taken != free_units) return "a unit is lost";
    return w.wrong ? w.wrong : w.t.exhausted != 1 ? "all units are taken, and the pool does not say so" : NULL;
}

static void draw_work(struct dice *dice, int size)
{
    const struct shape shape = shape_k8v0();
    struct slab_sizes sizes;
    slab_table_draw_sizes(&sizes, dice);
    slab_table_make(&w.t, shape, &sizes, 4, 0, dice);
    w.size = size;
    w.rounds = 1 + (int)dice_below(dice, ROUNDS);
    w.keeps = (int)dice_below(dice, (uint32_t)w.rounds + 1);
    w.gives = dice_below(dice, 2);
    w.resides = dice_below(dice, 2);
    w.sweeps = w.late = false;
}

static uint64_t refused, taken;

static void one_seed(uint64_t seed, int size)
{
    struct dice dice = {mix64(seed) + (uint64_t)size};
    draw_work(&dice, size);
    const struct scheduled_plan plan = {.seed = dice_draw(&dice),
                                        .size = size,
                                        .tiles = 2 + (int)dice_below(&dice, size == 32 ? 3 : TILES - 1),
                                        .budget = BUDGET,
                                        .weak = seed % 2 == 1};
    pool_reset(NULL);
    const char *wrong = scheduled_run(&plan, work, NULL);
    refused += (uint64_t)w.refused, taken += (uint64_t)w.taken;
    if (!wrong) wrong = pool_verdict(NULL);
    if (wrong) print_error("seed %" PRIu64 ", tile of %d: %s\n", seed, size, wrong);
    slab_table_free(&w.t);
    assert_null(wrong);
}

static void many_seeds(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < settings_size(400, 60); seed++)
        for (int size = 1; size <= 32; size *= size == 1 ? 4 : 8) one_seed(settings_get()->seed + seed, size);
    printf("%" PRIu64 " units taken, %" PRIu64 " times there was none\n", taken, refused);
    assert_true(refused > 0 && taken > 0);
}

static bool site_runs(const struct scheduled_site *site, int size)
{
    (void)size;
    return strstr(site->file, "slab_alloc.h");
}

/* Some sites are reached rarely.  Explores further seeds until there was a switch at every site,
 * at most MORE. */
static void every_atomic_site_switched(void **state)
{
    enum { MORE = 4000 };
    (void)state;
    for (int size = 1; size <= 32; size *= size == 1 ? 4 : 8)
        for (uint64_t i = 0; i < MORE && scheduled_sites_missing(size, site_runs); i++)
            one_seed(settings_get()->seed + 1000 + i, size);
    printf("switches by atomic's site    tile of 1          4         32\n");
    assert_int_equal(scheduled_sites_print(false, site_runs), 0);
}

/* Two workers, and units in the words where they begin, `apart` words apart. */
struct small_pool {
    int units, apart, rounds, keeps;
    bool sweeps, late;
};

static void small_case(const struct small_pool *small, int size, bool weak)
{
    const struct slab_sizes sizes = {1, small->units, 1, false, false, small->apart};
    const struct scheduled_plan plan = {.size = size, .tiles = 2, .budget = BUDGET, .weak = weak};
    const struct scheduled_limits limits = {size == 1 ? (weak ? 2 : (int)settings_size(3, 2)) : (weak ? 1 : 2), weak ? 1 : 0,
                                            2000000};
    const struct scheduled_trial trial = {pool_reset, pool_verdict, NULL};
    struct dice dice = {settings_get()->seed};
    struct scheduled_searched searched;
    slab_table_make(&w.t, shape_k8v0(), &sizes, 4, 0, &dice);
    w.size = size, w.rounds = small->rounds, w.keeps = small->keeps, w.gives = false, w.resides = !small->sweeps;
    w.sweeps = small->sweeps, w.late = small->late;
    const char *wrong = scheduled_explore(&plan, &limits, work, NULL, &trial, &searched);
    printf("%d units %d apart, tile of %d, %s memory, %d of %d kept%s%s: %" PRIu64 " schedules\n", small->units, small->apart, size,
           weak ? "weak" : "strong", small->keeps, small->rounds, small->sweeps ? ", by a sweep" : "", small->late ? ", late" : "",
           searched.schedules);
    if (wrong) print_error("%s\n", wrong);
    slab_table_free(&w.t);
    assert_null(wrong);
    assert_true(searched.complete);
}

static void all_schedules(void **state)
{
    static const struct small_pool small[] = {{1, 1, 1, 0, false, false}, {2, 1, 1, 1, false, false},
                                              {2, 1, 1, 0, false, false}, {2, 1, 2, 0, false, false},
                                              {2, 1, 1, 1, false, true},  {2, SLAB_BLOCK_WORDS, 1, 1, true, false}};
    (void)state;
    for (size_t i = 0; i < sizeof small / sizeof small[0]; i++)
        for (int size = 1; size <= 4; size *= 4)
            for (int weak = 0; weak < 2; weak++) small_case(&small[i], size, weak);
}

int main(int argc, char **argv)
{
    static struct program_cases cases;
    PROGRAM_CASE(&cases, many_seeds);
    PROGRAM_CASE(&cases, every_atomic_site_switched);
    PROGRAM_CASE(&cases, all_schedules);
    return program_run(argc, argv, "scheduled slab allocator", &cases);
}
