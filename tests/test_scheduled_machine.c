/* The scheduled machine itself: its verbs mean what they should, a seed replays, and what it promises to report is reported. */
#include "portable/lock.h"
#include "portable/scheduled.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { BUDGET = 100000, SEEDS = 50 };

static struct scheduled_plan plan_of(uint64_t seed, int size, int tiles)
{
    const struct scheduled_plan plan = {seed, size, tiles, BUDGET, 0, NULL, NULL};
    return plan;
}

/* ---- Verbs ------------------------------------------------------------------------------------------------------------------------ */

struct sums {
    uint32_t narrow;
    uint64_t wide, largest, wrong;
    int size;
};

/* Every lane sees the whole tile's operands, and no atomic is lost. */
static void use_all_verbs(const void *args, void *scratch)
{
    struct sums *sums = (struct sums *)(uintptr_t)args;
    const tile g = tile_make(sums->size);
    const uint32_t all = 0xffffffffu >> (32 - g.size);
    (void)scratch;
    sums->wrong += tile_ballot(g, true) != all || tile_ballot(g, g.lane == 0) != 1u || tile_any(g, false) ||
                   !tile_any(g, g.lane == g.size - 1);
    sums->wrong += tile_from32(g, (uint32_t)g.lane + 5u, g.size - 1) != (uint32_t)g.size + 4u;
    sums->wrong += tile_from64(g, (uint64_t)g.lane << 40, g.size / 2) != (uint64_t)(g.size / 2) << 40;
    tile_sync(g);
    add_relaxed_device32(&sums->narrow, 1);
    add_relaxed_device64(&sums->wide, tile_rank(g.size) * (unsigned)g.size + (unsigned)g.lane);
    max_relaxed_device64(&sums->largest, tile_rank(g.size));
    sums->wrong += load_relaxed_device64(&sums->largest) >= tile_count(g.size);
}

static void verbs_of_a_tile(void **state)
{
    (void)state;
    for (int size = 1; size <= 32; size *= 2)
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            struct sums sums = {0, 0, 0, 0, size};
            const struct scheduled_plan plan = plan_of(seed, size, 3);
            const uint64_t lanes = 3 * (uint64_t)size;
            assert_null(scheduled_run(&plan, use_all_verbs, &sums));
            assert_int_equal(sums.wrong, 0);
            assert_int_equal(sums.narrow, lanes);
            assert_int_equal(sums.wide, lanes * (lanes - 1) / 2);
            assert_int_equal(sums.largest, 2);
        }
}

/* The order in which lanes come here is the schedule. */
struct order {
    uint64_t n;
    uint8_t lane[64];
};

static void write_order(const void *args, void *scratch)
{
    struct order *order = (struct order *)(uintptr_t)args;
    (void)scratch;
    for (int i = 0; i < 8; i++) order->lane[add_relaxed_device64(&order->n, 1)] = (uint8_t)tile_rank(1);
}

static void seed_replays(void **state)
{
    int different = 0;
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        const struct scheduled_plan plan = plan_of(seed, 1, 8), other = plan_of(seed + 1, 1, 8);
        struct order first = {0, {0}}, second = {0, {0}}, third = {0, {0}};
        assert_null(scheduled_run(&plan, write_order, &first));
        assert_null(scheduled_run(&plan, write_order, &second));
        assert_null(scheduled_run(&other, write_order, &third));
        assert_memory_equal(&first, &second, sizeof first);
        different += memcmp(&first, &third, sizeof first) != 0;
    }
    assert_int_equal(different, SEEDS);
}

/* ---- Reports ---------------------------------------------------------------------------------------------------------------------- */

/* The run is reported, and the report has both texts. */
static void assert_reported(scheduled_kernel *kernel, int size, const char *what, const char *where)
{
    uint32_t memory[4];
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        const struct scheduled_plan plan = plan_of(seed, size, 2);
        memset(memory, 0, sizeof memory);
        const char *report = scheduled_run(&plan, kernel, memory);
        if (seed == 0) printf("%s\n", report ? report : "nothing reported");
        assert_non_null(report);
        assert_non_null(strstr(report, what));
        assert_non_null(strstr(report, where));
    }
}

static void leave_early(const void *args, void *scratch)
{
    const tile g = tile_make(4);
    (void)args, (void)scratch;
    if (g.lane == 2) return;
    tile_sync(g);
}

static void lane_that_leaves_is_reported(void **state)
{
    (void)state;
    assert_reported(leave_early, 4, "left the kernel", "tile_sync in leave_early");
}

static void go_elsewhere(const void *args, void *scratch)
{
    const tile g = tile_make(4);
    (void)args, (void)scratch;
    if (g.lane == 1) (void)tile_any(g, true);
    (void)tile_ballot(g, true);
}

static void lane_elsewhere_is_reported_with_both_sites(void **state)
{
    (void)state;
    assert_reported(go_elsewhere, 4, "tile_any in go_elsewhere", "tile_ballot in go_elsewhere");
}

static void wait_for_nobody(const void *args, void *scratch)
{
    (void)scratch;
    while (load_relaxed_device32((const uint32_t *)args) == 0) {}
}

static void endless_run_is_reported(void **state)
{
    (void)state;
    assert_reported(wait_for_nobody, 1, "do not come to an end", "load_relaxed_device32 in wait_for_nobody");
}

static void keep_lock(const void *args, void *scratch)
{
    (void)scratch;
    lock_try((uint32_t *)(uintptr_t)args, (uint32_t)tile_rank(1));
}

static void keep_lock_in_step(const void *args, void *scratch)
{
    keep_lock(args, scratch);
    scheduled_step_returned();
}

static void lock_that_is_kept_is_reported(void **state)
{
    (void)state;
    assert_reported(keep_lock, 1, "left the kernel and still holds 1 lock", "take_bits_relaxed_device32");
    assert_reported(keep_lock_in_step, 1, "returns from a step and still holds 1 lock", "take_bits_relaxed_device32");
}

/* The second lane to come gives back the lock that the first one has. */
static void give_others_lock_back(const void *args, void *scratch)
{
    uint32_t *locks = (uint32_t *)(uintptr_t)args;
    (void)scratch;
    if (!lock_try(locks, 7)) lock_give(locks, 7);
    while (load_relaxed_device32(locks)) {}
}

static void lock_of_another_is_reported(void **state)
{
    (void)state;
    assert_reported(give_others_lock_back, 1, "gives back a lock that it does not hold", "keep_bits_relaxed_device32");
}

static const char *dislike_seven(void *context) { return *(const uint32_t *)context == 7 ? "there is a seven" : NULL; }

static void write_seven(const void *args, void *scratch)
{
    (void)scratch;
    store_relaxed_device32((uint32_t *)(uintptr_t)args, 6);
    cas_relaxed_device32((uint32_t *)(uintptr_t)args, 6, 7);
    store_relaxed_device32((uint32_t *)(uintptr_t)args, 8);
}

static void watch_sees_what_stands_for_a_moment(void **state)
{
    uint32_t memory = 0;
    struct scheduled_plan plan = plan_of(1, 1, 1);
    (void)state;
    assert_null(scheduled_run(&plan, write_seven, &memory));
    plan.watch = dislike_seven;
    plan.context = &memory;
    const char *report = scheduled_run(&plan, write_seven, &memory);
    assert_non_null(report);
    assert_non_null(strstr(report, "there is a seven"));
}

/* An abandoned run leaves nothing behind. */
static void runs_after_a_report(void **state)
{
    endless_run_is_reported(state);
    verbs_of_a_tile(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verbs_of_a_tile),
        cmocka_unit_test(seed_replays),
        cmocka_unit_test(lane_that_leaves_is_reported),
        cmocka_unit_test(lane_elsewhere_is_reported_with_both_sites),
        cmocka_unit_test(endless_run_is_reported),
        cmocka_unit_test(lock_that_is_kept_is_reported),
        cmocka_unit_test(lock_of_another_is_reported),
        cmocka_unit_test(watch_sees_what_stands_for_a_moment),
        cmocka_unit_test(runs_after_a_report),
    };
    return cmocka_run_group_tests_name("scheduled machine", tests, NULL, NULL) ? EXIT_FAILURE : EXIT_SUCCESS;
}
