/* Litmus tests of the scheduled machine's weak memory: few operations of few lanes, all
 * schedules and all choices of messages.  The set of outcomes must be the one that C11 permits.
 * A machine that permitted less would hide missing orders; one that permitted more would report
 * sound code.  The sets are printed; tests/litmus runs this program. */
#include "portable/atomic.h"
#include "portable/lock.h"
#include "portable/scheduled.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MOST_LANES = 4, MOST_STEPS = 5, MOST_RESULTS = 4, OUTCOMES = 10000, SEEDS = 20000 };

/* ---- Programs ------------------------------------------------------------------------------- */

enum verb {
    END,
    LOAD,
    LOAD_ACQUIRE,
    STORE,
    ADD,
    MAX,
    CAS,
    CAS_RELEASE,
    OR_ACQUIRE,
    OR_RELEASE,
    AND_RELEASE,
    ACQUIRE, /* fences */
    RELEASE,
    ACQUIRE_RELEASE,
    SEQUENTIAL
};

enum { X, Y, Z, LOCATIONS, NOWHERE /* an unused result */ };

/* A value that is read becomes a result, a digit of the outcome. */
struct step_of_litmus {
    enum verb verb;
    int location, result;
    uint32_t value, expected;
};

struct litmus {
    const char *name, *orders;
    const char *outcomes; /* in ascending order */
    int results;
    const char *finals; /* locations whose last values are further digits; NULL: none */
    struct step_of_litmus lane[MOST_LANES][MOST_STEPS];
};

#define R(x, r)                                                                                                                    \
    {                                                                                                                              \
        LOAD, x, r, 0, 0                                                                                                           \
    }
#define RA(x, r)                                                                                                                   \
    {                                                                                                                              \
        LOAD_ACQUIRE, x, r, 0, 0                                                                                                   \
    }
#define W(x, v)                                                                                                                    \
    {                                                                                                                              \
        STORE, x, NOWHERE, v, 0                                                                                                    \
    }
#define WR(x, v)                                                                                                                   \
    {                                                                                                                              \
        OR_RELEASE, x, NOWHERE, v, 0                                                                                               \
    } /* the dialect's release store is an or, over 0 */
#define RMW(verb, x, v, r)                                                                                                         \
    {                                                                                                                              \
        verb, x, r, v, 0                                                                                                           \
    }
#define SWAP(verb, x, from, to, r)                                                                                                 \
    {                                                                                                                              \
        verb, x, r, to, from                                                                                                       \
    }
#define FENCE(order)                                                                                                               \
    {                                                                                                                              \
        order, X, NOWHERE, 0, 0                                                                                                    \
    }

#define TWO_BITS "00 01 10 11"
#define THREE_BITS "000 001 010 011 100 101 110 111"
#define FOUR_BITS "0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1010 1011 1100 1101 1110 1111"

#define LITMUS(name, orders, outcomes, results, finals, ...)                                                                       \
    {                                                                                                                              \
        name, orders, outcomes, results, finals, { __VA_ARGS__ }                                                                   \
    }

#define FOUR_BITS_BUT_1010 "0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1011 1100 1101 1110 1111"

static const struct litmus tests_of_c11[] = {
    /* Message passing: flag and data. */
    LITMUS("MP", "relaxed", TWO_BITS, 2, NULL, {W(X, 1), W(Y, 1)}, {R(Y, 0), R(X, 1)}),
    LITMUS("MP", "release, relaxed", TWO_BITS, 2, NULL, {W(X, 1), WR(Y, 1)}, {R(Y, 0), R(X, 1)}),
    LITMUS("MP", "relaxed, acquire", TWO_BITS, 2, NULL, {W(X, 1), W(Y, 1)}, {RA(Y, 0), R(X, 1)}),
    LITMUS("MP", "release, acquire", "00 01 11", 2, NULL, {W(X, 1), WR(Y, 1)}, {RA(Y, 0), R(X, 1)}),
    LITMUS("MP", "cas release, acquire", "00 01 11", 2, NULL, {W(X, 1), SWAP(CAS_RELEASE, Y, 0, 1, NOWHERE)}, {RA(Y, 0), R(X, 1)}),
    LITMUS("MP", "and release, acquire", "00 01 11 30 31", 2, NULL, {W(Y, 3), W(X, 1), RMW(AND_RELEASE, Y, 1, NOWHERE)},
           {RA(Y, 0), R(X, 1)}),
    LITMUS("MP", "release, or acquire", "00 01 11", 2, NULL, {W(X, 1), WR(Y, 1)}, {RMW(OR_ACQUIRE, Y, 4, 0), R(X, 1)}),
    LITMUS("MP", "release fence", TWO_BITS, 2, NULL, {W(X, 1), FENCE(RELEASE), W(Y, 1)}, {R(Y, 0), R(X, 1)}),
    LITMUS("MP", "acquire fence", TWO_BITS, 2, NULL, {W(X, 1), W(Y, 1)}, {R(Y, 0), FENCE(ACQUIRE), R(X, 1)}),
    LITMUS("MP", "both fences", "00 01 11", 2, NULL, {W(X, 1), FENCE(RELEASE), W(Y, 1)}, {R(Y, 0), FENCE(ACQUIRE), R(X, 1)}),
    LITMUS("MP", "acq_rel fences", "00 01 11", 2, NULL, {W(X, 1), FENCE(ACQUIRE_RELEASE), W(Y, 1)},
           {R(Y, 0), FENCE(ACQUIRE_RELEASE), R(X, 1)}),
    LITMUS("MP", "acquire fence, acquire", TWO_BITS, 2, NULL, {W(X, 1), FENCE(ACQUIRE), W(Y, 1)}, {RA(Y, 0), R(X, 1)}),
    LITMUS("MP", "release, release fence", TWO_BITS, 2, NULL, {W(X, 1), WR(Y, 1)}, {R(Y, 0), FENCE(RELEASE), R(X, 1)}),
    LITMUS("MP", "fences too late", TWO_BITS, 2, NULL, {W(X, 1), W(Y, 1), FENCE(RELEASE)}, {R(Y, 0), R(X, 1), FENCE(ACQUIRE)}),
    LITMUS("MP", "release fence, acquire", "00 01 11", 2, NULL, {W(X, 1), FENCE(RELEASE), W(Y, 1)}, {RA(Y, 0), R(X, 1)}),
    LITMUS("MP", "release, acquire fence", "00 01 11", 2, NULL, {W(X, 1), WR(Y, 1)}, {R(Y, 0), FENCE(ACQUIRE), R(X, 1)}),
    LITMUS("MP, add between", "release, relaxed, acquire", "000 001 020 021 031 100 101 111 131", 3, NULL, {W(X, 1), WR(Y, 1)},
           {RMW(ADD, Y, 2, 0)}, {RA(Y, 1), R(X, 2)}),
    LITMUS("MP, store between", "release, relaxed, acquire", "000 001 011 020 021 100 101 111 120 121", 3, NULL,
           {W(X, 1), SWAP(CAS_RELEASE, Y, 0, 1, NOWHERE)}, {R(Y, 0), W(Y, 2)}, {RA(Y, 1), R(X, 2)}),
    /* Through a third lane. */
    LITMUS("WRC", "relaxed", THREE_BITS, 3, NULL, {W(X, 1)}, {R(X, 0), W(Y, 1)}, {R(Y, 1), R(X, 2)}),
    LITMUS("WRC", "release, acquire", "000 001 010 011 100 101 111", 3, NULL, {W(X, 1)}, {R(X, 0), WR(Y, 1)}, {RA(Y, 1), R(X, 2)}),
    LITMUS("ISA2", "relaxed", THREE_BITS, 3, NULL, {W(X, 1), W(Y, 1)}, {R(Y, 0), W(Z, 1)}, {R(Z, 1), R(X, 2)}),
    LITMUS("ISA2", "release, acquire", "000 001 010 011 100 101 111", 3, NULL, {W(X, 1), WR(Y, 1)}, {RA(Y, 0), WR(Z, 1)},
           {RA(Z, 1), R(X, 2)}),
    /* Store buffering. */
    LITMUS("SB", "relaxed", TWO_BITS, 2, NULL, {W(X, 1), R(Y, 0)}, {W(Y, 1), R(X, 1)}),
    LITMUS("SB", "release, acquire", TWO_BITS, 2, NULL, {WR(X, 1), RA(Y, 0)}, {WR(Y, 1), RA(X, 1)}),
    LITMUS("SB", "acq_rel fences", TWO_BITS, 2, NULL, {W(X, 1), FENCE(ACQUIRE_RELEASE), R(Y, 0)},
           {W(Y, 1), FENCE(ACQUIRE_RELEASE), R(X, 1)}),
    LITMUS("SB", "seq_cst fences", "01 10 11", 2, NULL, {W(X, 1), FENCE(SEQUENTIAL), R(Y, 0)},
           {W(Y, 1), FENCE(SEQUENTIAL), R(X, 1)}),
    /* Load buffering: relaxed, C11 permits 11 as well. */
    LITMUS("LB", "relaxed, without buffers", "00 01 10", 2, NULL, {R(X, 0), W(Y, 1)}, {R(Y, 1), W(X, 1)}),
    LITMUS("LB", "release, acquire", "00 01 10", 2, NULL, {RA(X, 0), WR(Y, 1)}, {RA(Y, 1), WR(X, 1)}),
    /* Coherence: each location by itself has one order. */
    LITMUS("CoRR", "relaxed", "00 01 02 11 12 22", 2, NULL, {W(X, 1), W(X, 2)}, {R(X, 0), R(X, 1)}),
    LITMUS("CoRR, final", "relaxed", "001 002 011 012 021 022 111 112 122 211 221 222", 2, "x", {W(X, 1)}, {W(X, 2)},
           {R(X, 0), R(X, 1)}),
    LITMUS("CoWW, final", "relaxed", "02 12 22", 1, "x", {W(X, 1), W(X, 2)}, {R(X, 0)}),
    LITMUS("CoWR, final", "relaxed", "11 12 22", 1, "x", {W(X, 1), R(X, 0)}, {W(X, 2)}),
    LITMUS("CoRW, final", "relaxed", "01 02 21", 1, "x", {R(X, 0), W(X, 1)}, {W(X, 2)}),
    /* Orders of stores on which no two lanes agree. */
    LITMUS("2+2W, finals", "relaxed", "11 12 21 22", 0, "xy", {W(X, 1), W(Y, 2)}, {W(Y, 1), W(X, 2)}),
    LITMUS("2+2W, finals", "seq_cst fences", "12 21 22", 0, "xy", {W(X, 1), FENCE(SEQUENTIAL), W(Y, 2)},
           {W(Y, 1), FENCE(SEQUENTIAL), W(X, 2)}),
    LITMUS("S, final", "relaxed", "01 02 11 12", 1, "x", {W(X, 2), W(Y, 1)}, {R(Y, 0), W(X, 1)}),
    LITMUS("S, final", "release, acquire", "01 02 11", 1, "x", {W(X, 2), WR(Y, 1)}, {RA(Y, 0), W(X, 1)}),
    LITMUS("R, final", "release, acquire", "01 02 11 12", 1, "y", {W(X, 1), FENCE(RELEASE), W(Y, 1)}, {W(Y, 2), RA(X, 0)}),
    /* Independent reads of independent writes. */
    LITMUS("IRIW", "relaxed", FOUR_BITS, 4, NULL, {W(X, 1)}, {W(Y, 1)}, {R(X, 0), R(Y, 1)}, {R(Y, 2), R(X, 3)}),
    LITMUS("IRIW", "release, acquire", FOUR_BITS, 4, NULL, {WR(X, 1)}, {WR(Y, 1)}, {RA(X, 0), RA(Y, 1)}, {RA(Y, 2), RA(X, 3)}),
    LITMUS("IRIW", "acq_rel fences", FOUR_BITS, 4, NULL, {W(X, 1)}, {W(Y, 1)}, {R(X, 0), FENCE(ACQUIRE_RELEASE), R(Y, 1)},
           {R(Y, 2), FENCE(ACQUIRE_RELEASE), R(X, 3)}),
    LITMUS("IRIW", "seq_cst fences", FOUR_BITS_BUT_1010, 4, NULL, {W(X, 1)}, {W(Y, 1)}, {R(X, 0), FENCE(SEQUENTIAL), R(Y, 1)},
           {R(Y, 2), FENCE(SEQUENTIAL), R(X, 3)}),
    /* Read-modify-writes: nothing comes between their two halves.  One that changes nothing is a
     * load. */
    LITMUS("add, add", "relaxed", "012 102", 2, "x", {RMW(ADD, X, 1, 0)}, {RMW(ADD, X, 1, 1)}),
    LITMUS("max, max", "relaxed", "022 102", 2, "x", {RMW(MAX, X, 2, 0)}, {RMW(MAX, X, 1, 1)}),
    LITMUS("cas, cas", "relaxed", "011 202", 2, "x", {SWAP(CAS, X, 0, 1, 0)}, {SWAP(CAS, X, 0, 2, 1)}),
    LITMUS("cas that fails", "relaxed", "02 12 22", 1, "x", {W(X, 1), W(X, 2)}, {SWAP(CAS, X, 3, 9, 0)}),
    LITMUS("cas beside a store", "relaxed", "01 11", 1, "x", {W(X, 1)}, {SWAP(CAS, X, 0, 2, 0)}),
};

enum { TESTS_OF_C11 = sizeof tests_of_c11 / sizeof tests_of_c11[0] };

/* ---- Running them --------------------------------------------------------------------------- */

/* The way in which the lanes of a tile meet. */
enum meeting { APART, VOTE, SYNC };

/* A run's memory and results, and the outcomes of all runs so far. */
struct arena {
    const struct litmus *litmus;
    enum meeting meeting;
    bool acquires, releases; /* by fences at a lock */
    uint32_t location[LOCATIONS];
    uint64_t pair[2] __attribute__((aligned(16)));
    uint32_t result[NOWHERE + 1];
    bool seen[OUTCOMES];
};

static uint32_t step_run(const struct step_of_litmus *step, uint32_t *p)
{
    switch (step->verb) {
    case LOAD: return load_relaxed_device32(p);
    case LOAD_ACQUIRE: return load_acquire_device32(p);
    case ADD: return add_relaxed_device32(p, step->value);
    case MAX: return max_relaxed_device32(p, step->value);
    case CAS: return cas_relaxed_device32(p, step->expected, step->value);
    case CAS_RELEASE: return cas_release_device32(p, step->expected, step->value);
    case OR_ACQUIRE: return or_acquire_device32(p, step->value);
    case OR_RELEASE: return or_release_device32(p, step->value);
    case AND_RELEASE: return and_release_device32(p, step->value);
    case STORE: store_relaxed_device32(p, step->value); break;
    case ACQUIRE: fence_acquire_device(); break;
    case RELEASE: fence_release_device(); break;
    case ACQUIRE_RELEASE: fence_acquire_release_device(); break;
    case SEQUENTIAL: fence_sequential_device(); break;
    case END: break;
    }
    return 0;
}

static void lane_run(const void *args, void *scratch)
{
    struct arena *a = (struct arena *)(uintptr_t)args;
    const struct step_of_litmus *step = a->litmus->lane[tile_rank(1)];
    (void)scratch;
    for (int i = 0; i < MOST_STEPS && step[i].verb != END; i++)
        a->result[step[i].result] = step_run(&step[i], &a->location[step[i].location]);
}

static void arena_reset(void *context)
{
    struct arena *a = (struct arena *)context;
    memset(a->location, 0, sizeof a->location);
    memset(a->pair, 0, sizeof a->pair);
    memset(a->result, 0, sizeof a->result);
}

static const char *arena_collect(void *context)
{
    struct arena *a = (struct arena *)context;
    uint32_t outcome = 0;
    for (int i = 0; i < a->litmus->results; i++) outcome = outcome * 10 + a->result[i];
    for (const char *final = a->litmus->finals; final && *final; final++) outcome = outcome * 10 + a->location[*final - 'x'];
    assert_true(outcome < OUTCOMES);
    a->seen[outcome] = true;
    return NULL;
}

static int lanes_of(const struct litmus *litmus)
{
    int n = 0;
    while (n < MOST_LANES && litmus->lane[n][0].verb != END) n++;
    return n;
}

static struct scheduled_plan weak_plan(int size, int tiles)
{
    const struct scheduled_plan plan = {.size = size, .tiles = tiles, .budget = 10000, .weak = true};
    return plan;
}

static const struct scheduled_limits without_limits = {INT_MAX, INT_MAX, UINT64_MAX};

/* ---- Sets of outcomes ----------------------------------------------------------------------- */

static const char *outcomes_text(const bool *seen, int digits)
{
    static char text[OUTCOMES];
    size_t at = 0;
    text[0] = '\0';
    for (int i = 0; i < OUTCOMES && at < sizeof text - 8; i++)
        if (seen[i]) at += (size_t)snprintf(text + at, sizeof text - at, "%s%0*d", at ? " " : "", digits, i);
    return text;
}

/* Prints the row of a table.  Returns 1 if the set is not the wanted one. */
static int row_check(const char *name, const char *orders, const char *wanted, const bool *seen, uint64_t schedules)
{
    const char *text = outcomes_text(seen, (int)strcspn(wanted, " "));
    const bool right = !strcmp(text, wanted);
    printf("%-18s %-28s %8llu  %s\n", name, orders, (unsigned long long)schedules, text);
    if (!right) print_error("%s, %s: C11 has %s\n", name, orders, wanted);
    return !right;
}

static int search_and_check(struct arena *a, scheduled_kernel *kernel, int size, int tiles)
{
    const struct scheduled_plan plan = weak_plan(size, tiles);
    const struct scheduled_trial trial = {arena_reset, arena_collect, a};
    struct scheduled_searched searched;
    assert_null(scheduled_explore(&plan, &without_limits, kernel, a, &trial, &searched));
    assert_true(searched.complete);
    return row_check(a->litmus->name, a->litmus->orders, a->litmus->outcomes, a->seen, searched.schedules);
}

/* All schedules, all messages. */
static void sets_of_outcomes_are_those_of_c11(void **state)
{
    int wrong = 0;
    (void)state;
    printf("litmus             orders                      schedules  outcomes\n");
    for (int i = 0; i < TESTS_OF_C11; i++) {
        struct arena a = {.litmus = &tests_of_c11[i]};
        wrong += search_and_check(&a, lane_run, 1, lanes_of(a.litmus));
    }
    assert_int_equal(wrong, 0);
}

/* Random seeds reach the same sets. */
static void seeds_reach_all_outcomes(void **state)
{
    int wrong = 0;
    (void)state;
    for (int i = 0; i < TESTS_OF_C11; i++) {
        struct arena a = {.litmus = &tests_of_c11[i]};
        struct scheduled_plan plan = weak_plan(1, lanes_of(a.litmus));
        for (plan.seed = 0; plan.seed < SEEDS; plan.seed++) {
            arena_reset(&a);
            assert_null(scheduled_run(&plan, lane_run, &a));
            arena_collect(&a);
        }
        wrong += row_check(a.litmus->name, a.litmus->orders, a.litmus->outcomes, a.seen, SEEDS);
    }
    assert_int_equal(wrong, 0);
}

/* ---- Tiles, locks, wide words --------------------------------------------------------------- */

static void tile_meet(const tile g, enum meeting meeting)
{
    if (meeting == VOTE) (void)tile_any(g, true);
    if (meeting == SYNC) tile_sync(g);
}

/* One lane writes, its mate reads. */
static void pass_in_tile(const void *args, void *scratch)
{
    struct arena *a = (struct arena *)(uintptr_t)args;
    const tile g = tile_make(2);
    (void)scratch;
    if (g.lane == 0) store_relaxed_device32(&a->location[X], 1);
    tile_meet(g, a->meeting);
    if (g.lane == 1) a->result[0] = load_relaxed_device32(&a->location[X]);
}

/* Message passing between tiles: in each, one lane accesses the data and its mate the flag. */
static void pass_between_tiles(const void *args, void *scratch)
{
    struct arena *a = (struct arena *)(uintptr_t)args;
    const tile g = tile_make(2);
    const bool sends = tile_rank(2) == 0;
    (void)scratch;
    if (sends && g.lane == 0) store_relaxed_device32(&a->location[X], 1);
    if (!sends && g.lane == 0) a->result[0] = load_acquire_device32(&a->location[Y]);
    tile_meet(g, a->meeting);
    if (sends && g.lane == 1) or_release_device32(&a->location[Y], 1);
    if (!sends && g.lane == 1) a->result[1] = load_relaxed_device32(&a->location[X]);
}

/* The lane that gets the lock adds 1 in two steps. */
static void add_under_lock(const void *args, void *scratch)
{
    struct arena *a = (struct arena *)(uintptr_t)args;
    (void)scratch;
    if (!lock_try(&a->location[Z], 0)) return;
    if (a->acquires) fence_acquire_device();
    store_relaxed_device32(&a->location[X], load_relaxed_device32(&a->location[X]) + 1);
    if (a->releases) fence_release_device();
    lock_give(&a->location[Z], 0);
    a->result[tile_rank(1)] = 1;
}

static void pass_pair_whole(const void *args, void *scratch)
{
    struct arena *a = (struct arena *)(uintptr_t)args;
    const uint64_t vacant[2] = {0, 0}, full[2] = {1, 1};
    uint64_t seen[2];
    (void)scratch;
    if (tile_rank(1) == 0) {
        cas_relaxed_device128(a->pair, vacant, full, seen);
    } else {
        load_relaxed_device128(a->pair, seen);
        a->result[0] = (uint32_t)seen[0], a->result[1] = (uint32_t)seen[1];
    }
}

static void pass_pair_in_words(const void *args, void *scratch)
{
    struct arena *a = (struct arena *)(uintptr_t)args;
    uint64_t seen[2];
    (void)scratch;
    if (tile_rank(1) == 0) {
        store_relaxed_device64(&a->pair[0], 1);
        store_relaxed_device64(&a->pair[1], 1);
    } else {
        load_vector64(CONCURRENT, a->pair, seen);
        a->result[0] = (uint32_t)seen[0], a->result[1] = (uint32_t)seen[1];
    }
}

/* tile_sync orders the accesses of a tile's lanes; votes and shuffles do not. */
static void tiles_order_memory_by_sync_alone(void **state)
{
    static const struct litmus in_tile[] = {{.name = "in a tile", .orders = "nothing", .outcomes = "0 1", .results = 1},
                                            {.name = "in a tile", .orders = "tile_any", .outcomes = "0 1", .results = 1},
                                            {.name = "in a tile", .orders = "tile_sync", .outcomes = "1", .results = 1}};
    static const struct litmus between[] = {{.name = "MP of tiles", .orders = "nothing", .outcomes = TWO_BITS, .results = 2},
                                            {.name = "MP of tiles", .orders = "tile_any", .outcomes = TWO_BITS, .results = 2},
                                            {.name = "MP of tiles", .orders = "tile_sync", .outcomes = "00 01 11", .results = 2}};
    int wrong = 0;
    (void)state;
    for (int meeting = APART; meeting <= SYNC; meeting++) {
        struct arena a = {.litmus = &in_tile[meeting], .meeting = (enum meeting)meeting};
        struct arena b = {.litmus = &between[meeting], .meeting = (enum meeting)meeting};
        wrong += search_and_check(&a, pass_in_tile, 2, 1) + search_and_check(&b, pass_between_tiles, 2, 2);
    }
    assert_int_equal(wrong, 0);
}

/* If either fence is missing, both lanes may get the lock and lose one addition: 111. */
static void locks_need_both_fences(void **state)
{
    static const char *const orders[] = {"no fence", "acquire fence", "release fence", "both fences"};
    int wrong = 0;
    (void)state;
    for (int i = 0; i < 4; i++) {
        const struct litmus litmus = {.name = "lock",
                                      .orders = orders[i],
                                      .outcomes = i == 3 ? "011 101 112" : "011 101 111 112",
                                      .results = 2,
                                      .finals = "x"};
        struct arena a = {.litmus = &litmus, .acquires = i & 1, .releases = i & 2};
        wrong += search_and_check(&a, add_under_lock, 1, 2);
    }
    assert_int_equal(wrong, 0);
}

/* 16 bytes are one location; each word of a vector is one. */
static void wide_words_are_whole(void **state)
{
    static const struct litmus whole = {.name = "16 bytes", .orders = "cas, load", .outcomes = "00 11", .results = 2},
                               words = {.name = "2 times 8 bytes", .orders = "vector load", .outcomes = TWO_BITS, .results = 2};
    struct arena a = {.litmus = &whole}, b = {.litmus = &words};
    (void)state;
    assert_int_equal(search_and_check(&a, pass_pair_whole, 1, 2), 0);
    assert_int_equal(search_and_check(&b, pass_pair_in_words, 1, 2), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_of_outcomes_are_those_of_c11),
        cmocka_unit_test(seeds_reach_all_outcomes),
        cmocka_unit_test(tiles_order_memory_by_sync_alone),
        cmocka_unit_test(locks_need_both_fences),
        cmocka_unit_test(wide_words_are_whole),
    };
    return cmocka_run_group_tests_name("scheduled litmus", tests, NULL, NULL) ? EXIT_FAILURE : EXIT_SUCCESS;
}
