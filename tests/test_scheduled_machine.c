/* The scheduled machine itself: its verbs mean what they should, a seed replays, and it reports
 * all faults that it promises to report. */
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
    const struct scheduled_plan plan = {seed, size, tiles, BUDGET, 0, NULL, NULL, false, false};
    return plan;
}

/* ---- Verbs ---------------------------------------------------------------------------------- */

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
        for (uint64_t seed = 0; seed < 2 * SEEDS; seed++) {
            struct sums sums = {0, 0, 0, 0, size};
            struct scheduled_plan plan = plan_of(seed, size, 3);
            plan.weak = seed >= SEEDS;
            const uint64_t lanes = 3 * (uint64_t)size;
            assert_null(scheduled_run(&plan, use_all_verbs, &sums));
            assert_int_equal(sums.wrong, 0);
            assert_int_equal(sums.narrow, lanes);
            assert_int_equal(sums.wide, lanes * (lanes - 1) / 2);
            assert_int_equal(sums.largest, 2);
        }
}

/* The schedule, as the order in which lanes arrive. */
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

/* Each lane of a tile arrives twice, with a meeting in between. */
static void write_tile_twice(const void *args, void *scratch)
{
    struct order *order = (struct order *)(uintptr_t)args;
    const tile g = tile_make(4);
    (void)scratch;
    order->lane[add_relaxed_device64(&order->n, 1)] = (uint8_t)tile_rank(4);
    tile_sync(g);
    order->lane[add_relaxed_device64(&order->n, 1)] = (uint8_t)tile_rank(4);
}

/* Counts how often the next arrival is of another tile. */
static int changes_of_tile(uint64_t seed)
{
    struct order order = {0, {0}};
    const struct scheduled_plan plan = plan_of(seed, 4, 3);
    int changes = 0;
    assert_null(scheduled_run(&plan, write_tile_twice, &order));
    for (int i = 1; i < 24; i++) changes += order.lane[i] != order.lane[i - 1];
    return changes;
}

static void alone_tiles_run_one_after_another(void **state)
{
    int mixed = 0;
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        mixed += changes_of_tile(seed) > 2;
        scheduled_alone = true;
        const int changes = changes_of_tile(seed);
        scheduled_alone = false;
        assert_int_equal(changes, 2);
    }
    assert_int_equal(mixed, SEEDS);
}

/* ---- Reports -------------------------------------------------------------------------------- */

/* The run is reported, and the report has both texts. */
static void assert_reported_with(bool weak, scheduled_kernel *kernel, int size, const char *what, const char *where)
{
    uint32_t memory[4] __attribute__((aligned(16)));
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct scheduled_plan plan = plan_of(seed, size, 2);
        plan.weak = weak;
        memset(memory, 0, sizeof memory);
        const char *report = scheduled_run(&plan, kernel, memory);
        if (seed == 0) printf("%s\n", report ? report : "nothing reported");
        assert_non_null(report);
        assert_non_null(strstr(report, what));
        assert_non_null(strstr(report, where));
    }
}

static void assert_reported(scheduled_kernel *kernel, int size, const char *what, const char *where)
{
    assert_reported_with(false, kernel, size, what, where);
    assert_reported_with(true, kernel, size, what, where);
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
    assert_reported(wait_for_nobody, 1, "exceed the budget of points", "load_relaxed_device32 in wait_for_nobody");
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

/* The second lane to arrive gives back the first lane's lock. */
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

static void or_seven(const void *args, void *scratch)
{
    (void)scratch;
    store_relaxed_device32((uint32_t *)(uintptr_t)args, 6);
    or_relaxed_device32((uint32_t *)(uintptr_t)args, 1);
    store_relaxed_device32((uint32_t *)(uintptr_t)args, 8);
}

static void and_seven(const void *args, void *scratch)
{
    (void)scratch;
    store_relaxed_device32((uint32_t *)(uintptr_t)args, 15);
    and_relaxed_device32((uint32_t *)(uintptr_t)args, 7);
    store_relaxed_device32((uint32_t *)(uintptr_t)args, 8);
}

static void add_seven(const void *args, void *scratch)
{
    (void)scratch;
    store_relaxed_device32((uint32_t *)(uintptr_t)args, 6);
    add_after_release_device32((uint32_t *)(uintptr_t)args, 1, 0);
    store_relaxed_device32((uint32_t *)(uintptr_t)args, 8);
}

static void watch_sees_what_stands_for_a_moment(void **state)
{
    static scheduled_kernel *const kernels[] = {write_seven, or_seven, and_seven, add_seven};
    (void)state;
    for (int i = 0; i < 4; i++) {
        uint32_t memory = 0;
        struct scheduled_plan plan = plan_of(1, 1, 1);
        assert_null(scheduled_run(&plan, kernels[i], &memory));
        plan.watch = dislike_seven;
        plan.context = &memory;
        const char *report = scheduled_run(&plan, kernels[i], &memory);
        assert_non_null(report);
        assert_non_null(strstr(report, "there is a seven"));
    }
}

static void use_two_widths(const void *args, void *scratch)
{
    (void)scratch;
    (void)load_relaxed_device64((const uint64_t *)args);
    (void)load_relaxed_device32((const uint32_t *)args + 1);
}

static void use_two_wide_widths(const void *args, void *scratch)
{
    uint64_t v[2];
    (void)scratch;
    (void)load_relaxed_device32((const uint32_t *)args + 3);
    load_relaxed_device128((const uint64_t *)args, v);
}

static void use_half_of_two(const void *args, void *scratch)
{
    (void)scratch;
    (void)load_relaxed_device64((const uint64_t *)(const void *)((const uint32_t *)args + 1));
}

static void store_plainly(const void *args, void *scratch)
{
    uint32_t *memory = (uint32_t *)(uintptr_t)args;
    (void)scratch;
    add_relaxed_device32(memory, 1);
    ++*memory;
    (void)load_relaxed_device32(memory);
}

static void weak_memory_reports_what_it_cannot_model(void **state)
{
    (void)state;
    assert_reported_with(true, use_two_widths, 1, "accesses a word at two widths", "load_relaxed_device32 in use_two_widths");
    assert_reported_with(true, use_two_wide_widths, 1, "accesses a word at two widths", "load_relaxed_device128 in use_two_wide");
    assert_reported_with(true, use_half_of_two, 1, "not aligned to its width", "load_relaxed_device64 in use_half_of_two");
    assert_reported_with(true, store_plainly, 1, "and then stored plainly", "in store_plainly");
}

/* Pairs of 8 and of 16 bytes.  Their keys are taken by swaps of the whole pair, while their
 * values are updated alone. */
struct pairs {
    uint64_t wide[2], narrow, stored, wrong;
};

enum { KEY = 7, TAKEN = 9, ADDED = 3, STORED = 1000 };

static void take_narrow(uint64_t *pair)
{
    uint64_t seen = load_relaxed_device64(pair), was;
    while ((was = cas_relaxed_device64(pair, seen, seen >> 32 << 32 | TAKEN)) != seen) seen = was;
}

static void take_wide(uint64_t *pair)
{
    uint64_t seen[2], was[2];
    load_relaxed_device128(pair, was);
    do {
        const uint64_t taken[2] = {TAKEN, was[1]};
        memcpy(seen, was, sizeof seen);
        cas_relaxed_device128(pair, seen, taken, was);
    } while (memcmp(seen, was, sizeof seen));
}

/* The first tile takes the keys; the others add to two values and store a third. */
static void update_values_alone(const void *args, void *scratch)
{
    struct pairs *p = (struct pairs *)(uintptr_t)args;
    uint32_t *const narrow = (uint32_t *)&p->narrow + 1, *const wide = (uint32_t *)&p->wide[1];
    uint64_t pair[2];
    (void)scratch;
    if (tile_rank(1) == 0) {
        take_narrow(&p->narrow), take_narrow(&p->stored), take_wide(p->wide);
        return;
    }
    load_relaxed_device128(p->wide, pair), load_relaxed_device64(&p->narrow), load_relaxed_device64(&p->stored);
    const uint32_t before = add_relaxed_device32(narrow, ADDED);
    add_relaxed_device32(wide, ADDED);
    add_relaxed_device64(&p->wide[1], ADDED);
    store_relaxed_device32((uint32_t *)&p->stored + 1, STORED);
    p->wrong += load_relaxed_device32(narrow) < before + ADDED;
}

/* A swap of the whole pair loses no update of its value, and no update undoes the swap. */
static void values_are_updated_alone(void **state)
{
    enum { OTHERS = 3 };
    (void)state;
    for (uint64_t seed = 0; seed < 20 * SEEDS; seed++) {
        struct pairs p __attribute__((aligned(16))) = {{KEY, 0}, KEY, KEY, 0};
        struct scheduled_plan plan = plan_of(seed, 1, 1 + OTHERS);
        plan.weak = seed % 2;
        plan.values_alone = true;
        assert_null(scheduled_run(&plan, update_values_alone, &p));
        assert_int_equal(p.narrow, (uint64_t)(OTHERS * ADDED) << 32 | TAKEN);
        assert_int_equal(p.stored, (uint64_t)STORED << 32 | TAKEN);
        assert_int_equal(p.wide[0], TAKEN);
        assert_int_equal(p.wide[1], 2 * OTHERS * ADDED);
        assert_int_equal(p.wrong, 0);
    }
}

/* ---- Scratch memory ------------------------------------------------------------------------- */

enum { PART = 100 /* bytes of each lane, no power of two */, IN_TILE = 4 };

struct scratches {
    uint64_t early, late, wrong; /* bytes of another lane, seen after a vote, and after a meeting */
};

/* Each lane writes to its own part, and reads its neighbour's. */
static void write_parts(const void *args, void *scratch)
{
    struct scratches *seen = (struct scratches *)(uintptr_t)args;
    unsigned char *part = (unsigned char *)scratch;
    const tile g = tile_make(IN_TILE);
    const int others = (g.lane + 1) % IN_TILE;
    memset(part + g.lane * PART, 1 + g.lane, PART);
    (void)tile_any(g, true);
    for (int i = 0; i < PART; i++) seen->early += part[others * PART + i] == 1 + others;
    tile_sync(g);
    for (int i = 0; i < PART; i++) seen->late += part[others * PART + i] == 1 + others;
    for (int i = 0; i < PART; i++) seen->wrong += part[g.lane * PART + i] != 1 + g.lane;
}

/* A vote is enough only with strong memory. */
static void scratch_is_seen_after_a_meeting(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct scratches seen = {0, 0, 0};
        struct scheduled_plan plan = plan_of(seed, IN_TILE, 3);
        plan.scratch_bytes = IN_TILE * PART;
        plan.weak = seed % 2;
        assert_null(scheduled_run(&plan, write_parts, &seen));
        assert_int_equal(seen.early, plan.weak ? 0 : 3 * IN_TILE * PART);
        assert_int_equal(seen.late, 3 * IN_TILE * PART);
        assert_int_equal(seen.wrong, 0);
    }
}

/* Two lanes write the same byte, or (args) two different ones. */
static void write_one_byte(const void *args, void *scratch)
{
    const tile g = tile_make(IN_TILE);
    unsigned char *bytes = (unsigned char *)scratch;
    if (g.lane % 2) bytes[0] = bytes[IN_TILE * PART - 1] = *(const bool *)args ? (unsigned char)g.lane : 1;
    tile_sync(g);
}

static void scratch_that_two_write_is_reported(void **state)
{
    (void)state;
    for (int different = 0; different < 2; different++)
        for (int weak = 0; weak < 2; weak++) {
            const bool differs = different != 0;
            struct scheduled_plan plan = plan_of(1, IN_TILE, 1);
            plan.scratch_bytes = IN_TILE * PART;
            plan.weak = weak != 0;
            const char *report = scheduled_run(&plan, write_one_byte, &differs);
            assert_int_equal(report && strstr(report, "two lanes wrote different values"), differs && weak);
        }
}

static void write_behind(const void *args, void *scratch)
{
    const tile g = tile_make(IN_TILE);
    if (g.lane == IN_TILE - 1) ((unsigned char *)scratch)[IN_TILE * PART + *(const int *)args] = 1;
}

static void scratch_that_is_left_is_reported(void **state)
{
    (void)state;
    for (int by = -1; by < 2; by++)
        for (int weak = 0; weak < 2; weak++) {
            struct scheduled_plan plan = plan_of(1, IN_TILE, 2);
            plan.scratch_bytes = IN_TILE * PART;
            plan.weak = weak != 0;
            const char *report = scheduled_run(&plan, write_behind, &by);
            assert_int_equal(report && strstr(report, "tile 0 wrote behind its scratch memory"), by >= 0);
        }
}

/* An abandoned run does not disturb later runs. */
static void runs_after_a_report(void **state)
{
    endless_run_is_reported(state);
    verbs_of_a_tile(state);
}

/* ---- Searches ------------------------------------------------------------------------------- */

enum { ACCESSES = 3 };

static void count_accesses(const void *args, void *scratch)
{
    (void)scratch;
    for (int i = 0; i < ACCESSES; i++) add_relaxed_device32((uint32_t *)(uintptr_t)args, 1);
}

static void forget(void *context) { *(uint32_t *)context = 0; }

static const char *want_all_accesses(void *context) { return *(const uint32_t *)context == 2 * ACCESSES ? NULL : "not all"; }

/* Two tiles.  Without an interruption the first ends and then the second runs.  The first may be
 * interrupted before each of its accesses, then the second before each of its own, then the
 * first before each access that it has left, except the one at which it stands. */
static void search_goes_through_all_schedules(void **state)
{
    static const uint64_t schedules[] = {2, 2 + 6, 8 + 2 * 9, 26 + 2 * 9};
    uint32_t n;
    const struct scheduled_trial trial = {forget, want_all_accesses, &n};
    const struct scheduled_plan plan = plan_of(0, 1, 2);
    struct scheduled_searched searched;
    (void)state;
    for (int preemptions = 0; preemptions < 4; preemptions++) {
        const struct scheduled_limits limits = {preemptions, 0, 1000}, fewer = {preemptions, 0, schedules[preemptions] - 1};
        assert_null(scheduled_explore(&plan, &limits, count_accesses, &n, &trial, &searched));
        assert_int_equal(searched.schedules, schedules[preemptions]);
        assert_true(searched.complete);
        assert_null(scheduled_explore(&plan, &fewer, count_accesses, &n, &trial, &searched));
        assert_int_equal(searched.schedules, schedules[preemptions] - 1);
        assert_false(searched.complete);
    }
}

static void lose_an_addition(const void *args, void *scratch)
{
    uint32_t *n = (uint32_t *)(uintptr_t)args;
    (void)scratch;
    store_relaxed_device32(n, load_relaxed_device32(n) + 1);
}

static const char *want_two(void *context) { return *(const uint32_t *)context == 2 ? NULL : "an addition is lost"; }

/* Copies the schedule that a report names. */
static void schedule_of(const char *report, char *schedule, size_t room)
{
    const char *begin = strstr(report, "schedule \"");
    assert_non_null(begin);
    begin += strlen("schedule \"");
    snprintf(schedule, room, "%.*s", (int)strcspn(begin, "\""), begin);
}

/* The fault needs one interruption, or, with weak memory, one old message. */
static void search_finds_and_replays(void **state)
{
    uint32_t n;
    char schedule[64], first[1024];
    const struct scheduled_trial trial = {forget, want_two, &n};
    struct scheduled_plan plan = plan_of(0, 1, 2);
    struct scheduled_searched searched;
    (void)state;
    for (int i = 0; i < 3; i++) {
        const struct scheduled_limits limits = {i == 1, i == 2, 1000};
        plan.weak = i == 2;
        const char *report = scheduled_explore(&plan, &limits, lose_an_addition, &n, &trial, &searched);
        if (i == 0) assert_null(report);
        if (i == 0) continue;
        assert_non_null(report);
        assert_non_null(strstr(report, "an addition is lost"));
        assert_non_null(
            strstr(report, i == 1 ? "tile 0 lane 0 is interrupted at store_relaxed" : "takes a message 1 older at load_relaxed"));
        printf("%s\n", report);
        snprintf(first, sizeof first, "%s", report);
        schedule_of(report, schedule, sizeof schedule);
        assert_string_equal(scheduled_replay(&plan, schedule, lose_an_addition, &n, &trial), first);
        assert_null(scheduled_replay(&plan, "", lose_an_addition, &n, &trial));
    }
}

static void wait_for_the_other(const void *args, void *scratch)
{
    uint32_t *n = (uint32_t *)(uintptr_t)args;
    const uint32_t mine = 1u << tile_rank(1);
    (void)scratch;
    or_relaxed_device32(n, mine);
    while (load_relaxed_device32(n) == mine) {}
}

static const char *want_nothing(void *context)
{
    (void)context;
    return NULL;
}

static void search_interrupts_who_waits(void **state)
{
    uint32_t n;
    const struct scheduled_trial trial = {forget, want_nothing, &n};
    const struct scheduled_limits limits = {0, 0, 1000};
    const struct scheduled_plan plan = plan_of(0, 1, 2);
    struct scheduled_searched searched;
    (void)state;
    assert_null(scheduled_explore(&plan, &limits, wait_for_the_other, &n, &trial, &searched));
    assert_int_equal(searched.schedules, 2);
}

/* A lane runs after the tile's lanes before it, round by round; lanes of other tiles do not
 * change that. */
static void write_ranks(const void *args, void *scratch)
{
    uint8_t *rounds = (uint8_t *)(uintptr_t)args + sizeof(uint32_t) + tile_rank(4);
    const tile g = tile_make(4);
    (void)scratch;
    for (int i = 0; i < 2; i++) {
        add_relaxed_device32((uint32_t *)(uintptr_t)args, *rounds % 4 != g.lane);
        ++*rounds;
        (void)tile_any(g, true);
    }
}

static void forget_rounds(void *context) { memset(context, 0, 2 * sizeof(uint32_t)); }

static const char *want_order(void *context) { return *(const uint32_t *)context ? "a lane out of its turn" : NULL; }

static void search_keeps_the_order_in_a_tile(void **state)
{
    uint32_t memory[2];
    const struct scheduled_trial trial = {forget_rounds, want_order, memory};
    const struct scheduled_limits limits = {2, 0, 10000};
    const struct scheduled_plan plan = plan_of(0, 4, 2);
    struct scheduled_searched searched;
    (void)state;
    const char *report = scheduled_explore(&plan, &limits, write_ranks, memory, &trial, &searched);
    if (report) print_error("%s\n", report);
    assert_null(report);
    assert_int_equal(searched.schedules, 2 + 2 * 8 + 2 * 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verbs_of_a_tile),
        cmocka_unit_test(seed_replays),
        cmocka_unit_test(alone_tiles_run_one_after_another),
        cmocka_unit_test(lane_that_leaves_is_reported),
        cmocka_unit_test(lane_elsewhere_is_reported_with_both_sites),
        cmocka_unit_test(endless_run_is_reported),
        cmocka_unit_test(lock_that_is_kept_is_reported),
        cmocka_unit_test(lock_of_another_is_reported),
        cmocka_unit_test(watch_sees_what_stands_for_a_moment),
        cmocka_unit_test(weak_memory_reports_what_it_cannot_model),
        cmocka_unit_test(values_are_updated_alone),
        cmocka_unit_test(scratch_is_seen_after_a_meeting),
        cmocka_unit_test(scratch_that_two_write_is_reported),
        cmocka_unit_test(scratch_that_is_left_is_reported),
        cmocka_unit_test(runs_after_a_report),
        cmocka_unit_test(search_goes_through_all_schedules),
        cmocka_unit_test(search_finds_and_replays),
        cmocka_unit_test(search_interrupts_who_waits),
        cmocka_unit_test(search_keeps_the_order_in_a_tile),
    };
    return cmocka_run_group_tests_name("scheduled machine", tests, NULL, NULL) ? EXIT_FAILURE : EXIT_SUCCESS;
}
