/* The checker of linearisability itself: hand-made histories, both right ones and one for each
 * known anomaly, and small random ones for which it has to agree with a search through all
 * orders. */
#include "support/draw.h"
#include "support/linear.h"
#include "support/settings.h"
#include "support/suite.h"
#include "roost/mixed.h"

#include <stdlib.h>
#include <string.h>

static const struct linear_state absent = {false, 0};

static struct linear_state value(uint64_t v) { return (struct linear_state){true, v}; }

static struct linear_op find(uint64_t invoked, uint64_t responded, uint64_t v)
{
    return (struct linear_op){0, v, invoked, responded, ROOST_OP_FIND, ROOST_ITEM_FOUND, false};
}

static struct linear_op miss(uint64_t invoked, uint64_t responded)
{
    return (struct linear_op){0, 0, invoked, responded, ROOST_OP_FIND, ROOST_ITEM_ABSENT, false};
}

static struct linear_op erase(uint64_t invoked, uint64_t responded, roost_item_status status)
{
    return (struct linear_op){0, 0, invoked, responded, ROOST_OP_ERASE, (uint8_t)status, false};
}

static struct linear_op insert(uint64_t invoked, uint64_t responded, roost_mode mode, uint64_t argument, roost_item_status status)
{
    return (struct linear_op){argument, 0, invoked, responded, (uint8_t)(ROOST_OP_INSERT + mode), (uint8_t)status, false};
}

#define INSERTED ROOST_ITEM_INSERTED
#define UPDATED ROOST_ITEM_UPDATED
#define KEPT ROOST_ITEM_KEPT
#define ERASED ROOST_ITEM_ERASED
#define ABSENT ROOST_ITEM_ABSENT

static enum linear_verdict judge(const struct linear_op *ops, size_t n, struct linear_state start, struct linear_state end)
{
    struct linear_op sorted[2 * LINEAR_WINDOW];
    struct linear *linear = linear_new(width_mask(4), LINEAR_PLACES);
    if (n) memcpy(sorted, ops, n * sizeof *ops);
    const enum linear_verdict verdict = linear_check(linear, sorted, n, start, end);
    linear_free(linear);
    return verdict;
}

#define HISTORY(...)                                                                                                               \
    (const struct linear_op[]){__VA_ARGS__}, sizeof((const struct linear_op[]){__VA_ARGS__}) / sizeof(struct linear_op)
#define right(start, end, ...) require(judge(HISTORY(__VA_ARGS__), start, end) == LINEAR_YES, "a right history is refused")
#define wrong(start, end, ...) require(judge(HISTORY(__VA_ARGS__), start, end) == LINEAR_NO, "a wrong history is not refused")

static void right_histories(const struct variant *variant)
{
    (void)variant;
    require(judge(NULL, 0, value(3), value(3)) == LINEAR_YES, "nothing happened");
    right(absent, value(7), insert(1, 2, ROOST_KEEP, 7, INSERTED), find(3, 4, 7));
    /* the find ends after the insert began */
    right(absent, value(7), find(1, 4, 7), insert(2, 3, ROOST_ASSIGN, 7, INSERTED));
    right(absent, value(7), miss(1, 4), insert(2, 3, ROOST_ASSIGN, 7, INSERTED));
    right(value(1), value(1 + 2 + 4), insert(1, 9, ROOST_ADD, 2, UPDATED), insert(1, 9, ROOST_ADD, 4, UPDATED), find(3, 8, 5));
    right(value(5), value(9), insert(1, 9, ROOST_MAX, 9, UPDATED), insert(1, 9, ROOST_MIN, 7, UPDATED), find(1, 9, 5));
    right(value(5), value(5), insert(1, 2, ROOST_MIN, 9, UPDATED), insert(3, 4, ROOST_MAX, 2, UPDATED));
    right(value(5), absent, erase(1, 9, ERASED), erase(2, 8, ABSENT), miss(3, 7), find(1, 4, 5));
    right(value(5), value(6), insert(1, 9, ROOST_KEEP, 6, INSERTED), erase(2, 8, ERASED), insert(3, 7, ROOST_KEEP, 8, KEPT));
    right(absent, absent, insert(1, 2, ROOST_ADD, 1, ROOST_ITEM_FULL), miss(3, 4),
          insert(5, 6, ROOST_ADD, 1, ROOST_ITEM_NO_MEMORY));
    right(value(~0u), value(1), insert(1, 2, ROOST_ADD, 2, UPDATED));
}

static void lost_update(const struct variant *variant)
{
    (void)variant;
    wrong(value(1), value(3), insert(1, 4, ROOST_ADD, 2, UPDATED), insert(2, 3, ROOST_ADD, 4, UPDATED));
    wrong(value(1), value(7), insert(1, 4, ROOST_ADD, 2, UPDATED), insert(2, 3, ROOST_ADD, 4, UPDATED), find(5, 6, 3));
    wrong(value(1), value(8), insert(1, 4, ROOST_MAX, 9, UPDATED), insert(2, 3, ROOST_MAX, 8, UPDATED));
    wrong(value(1), value(2), insert(1, 2, ROOST_ASSIGN, 2, UPDATED), insert(3, 4, ROOST_ASSIGN, 3, UPDATED));
}

static void duplicate_insert(const struct variant *variant)
{
    (void)variant;
    wrong(absent, value(2), insert(1, 4, ROOST_KEEP, 1, INSERTED), insert(2, 3, ROOST_KEEP, 2, INSERTED));
    wrong(value(1), value(2), insert(1, 4, ROOST_ASSIGN, 2, INSERTED));
    wrong(absent, absent, insert(1, 4, ROOST_KEEP, 2, KEPT));
    wrong(absent, absent, insert(1, 4, ROOST_ASSIGN, 0, UPDATED));
    wrong(value(1), value(2), insert(1, 4, ROOST_KEEP, 2, UPDATED));
}

static void stale_read(const struct variant *variant)
{
    (void)variant;
    wrong(value(1), value(2), insert(1, 2, ROOST_ASSIGN, 2, UPDATED), find(3, 4, 1));
    wrong(value(1), absent, erase(1, 2, ERASED), find(3, 4, 1));
    wrong(absent, value(1), insert(1, 2, ROOST_KEEP, 1, INSERTED), miss(3, 4));
    /* Both finds overlap the update, but the second one sees the older value. */
    wrong(value(1), value(2), insert(1, 9, ROOST_ASSIGN, 2, UPDATED), find(2, 3, 2), find(4, 5, 1));
}

static void two_erasers(const struct variant *variant)
{
    (void)variant;
    wrong(value(1), absent, erase(1, 4, ERASED), erase(2, 3, ERASED));
    wrong(value(1), absent, erase(1, 4, ABSENT), erase(5, 6, ERASED));
}

static void phantom(const struct variant *variant)
{
    (void)variant;
    wrong(absent, absent, find(1, 2, 0));
    wrong(absent, value(1), insert(1, 4, ROOST_ASSIGN, 1, INSERTED), find(2, 3, 9));
    /* read before it was written */
    wrong(absent, value(1), find(1, 2, 1), insert(3, 4, ROOST_ASSIGN, 1, INSERTED));
    /* no insert stored it */
    wrong(absent, value(1), miss(1, 2));
    /* no erase removed it */
    wrong(value(1), absent, find(1, 2, 1));
    wrong(absent, absent, insert(1, 2, ROOST_KEEP, 1, ROOST_ITEM_NONE));
}

/* Searches that reach one state in several ways, and searches that reach many states. */
static void memory_of_places(const struct variant *variant)
{
    (void)variant;
    /* The same value by other operations: the last find excludes one way and permits the other. */
    right(value(10), value(118), insert(1, 1000, ROOST_ADD, 100, UPDATED), insert(2, 1000, ROOST_ADD, 4, UPDATED),
          insert(3, 10, ROOST_ADD, 1, UPDATED), insert(4, 10, ROOST_ADD, 3, UPDATED), find(5, 9, 14), find(20, 30, 14));
    /* The same operations in another order. */
    right(value(0), value(101), insert(1, 1000, ROOST_ADD, 100, UPDATED), insert(2, 10, ROOST_ASSIGN, 1, UPDATED),
          insert(3, 10, ROOST_ASSIGN, 2, UPDATED), find(4, 9, 2), find(20, 30, 1));
    /* All 2^12 sets of additions are tried before the one order that the finds saw, with the
     * last addition first. */
    struct linear_op ops[24];
    for (size_t i = 0; i < 12; i++) ops[i] = insert(1 + i, 1000, ROOST_ADD, UINT64_C(1) << i, UPDATED);
    for (size_t i = 0; i < 12; i++) ops[12 + i] = find(20 + i, 900, 3 + (UINT64_C(0xfff) << i & 0xfff));
    require(judge(ops, 24, value(3), value(3 + 0xfff)) == LINEAR_YES, "the last addition first");
    ops[12] = find(20, 900, UINT64_C(1) << 20);
    require(judge(ops, 24, value(3), value(3 + 0xfff)) == LINEAR_NO, "a sum of nothing");
}

/* Operations whose values are seen later are tried later.  Without this the search would not end
 * in time. */
static void order_of_trying(const struct variant *variant)
{
    struct linear_op ops[41];
    (void)variant;
    for (size_t i = 0; i < 40; i++) ops[i] = insert(1 + i, 500 + i, ROOST_ASSIGN, i, UPDATED);
    ops[40] = find(520, 530, 3);
    require(judge(ops, 41, value(0), value(39)) == LINEAR_YES, "the fourth value is seen last");
}

/* If more operations overlap than a window holds, the verdict is undecided.  A long history with
 * little overlap is cheap. */
static void limits(const struct variant *variant)
{
    struct linear_op ops[2 * LINEAR_WINDOW];
    (void)variant;
    for (size_t i = 0; i < LINEAR_WINDOW + 1; i++) ops[i] = insert(1 + i, 1000, ROOST_ASSIGN, i, UPDATED);
    require(judge(ops, LINEAR_WINDOW, value(0), value(5)) == LINEAR_YES, "as many as a window holds");
    require(judge(ops, LINEAR_WINDOW + 1, value(0), value(5)) == LINEAR_UNDECIDED, "one more than a window holds");
    for (size_t i = 0; i < LINEAR_WINDOW; i++) ops[i] = insert(1 + i, 1000, ROOST_ADD, UINT64_C(1) << i / 2, UPDATED);
    require(judge(ops, LINEAR_WINDOW, value(0), value(5)) == LINEAR_UNDECIDED, "too many places");
    for (size_t i = 0; i < 2 * LINEAR_WINDOW; i++) ops[i] = insert(10 * i + 1, 10 * i + 15, ROOST_ADD, 1, UPDATED);
    require(judge(ops, 2 * LINEAR_WINDOW, value(0), value(2 * LINEAR_WINDOW)) == LINEAR_YES, "a long history");
    require(judge(ops, 2 * LINEAR_WINDOW, value(0), value(2 * LINEAR_WINDOW - 1)) == LINEAR_NO, "a long history, one update lost");
}

static void crowds(const struct variant *variant)
{
    (void)variant;
    require(linear_crowded(HISTORY(find(1, 5, 1), find(2, 6, 1), erase(3, 4, ERASED))), "three at once");
    require(linear_crowded(HISTORY(erase(1, 9, ERASED), miss(2, 4), miss(5, 7), miss(6, 8))), "three at once, later");
    require(!linear_crowded(HISTORY(find(1, 5, 1), find(2, 6, 1), find(3, 4, 1))), "three finds");
    require(!linear_crowded(HISTORY(erase(1, 3, ERASED), miss(2, 5), miss(4, 6))), "two and two");
    require(!linear_crowded(HISTORY(miss(1, 3), miss(2, 5), erase(4, 6, ERASED))), "two and two, the other way round");
}

/* ---- Against all orders --------------------------------------------------------------------- */

enum { MOST = 6, VALUES = 4 };

/* Tries every order of the operations not in `done` from this state on. */
static bool some_order(const struct linear_op *ops, size_t n, unsigned done, struct linear_state state, struct linear_state end)
{
    if (done == (1u << n) - 1) return state.present == end.present && state.value == end.value;
    for (size_t i = 0; i < n; i++) {
        struct linear_state next = state;
        bool may = !(done >> i & 1);
        for (size_t j = 0; j < n; j++) may &= done >> j & 1 || ops[j].responded >= ops[i].invoked;
        if (may && linear_step(&ops[i], width_mask(4), &next) && some_order(ops, n, done | 1u << i, next, end)) return true;
    }
    return false;
}

static uint8_t random_status(struct dice *dice, uint8_t operation)
{
    if (operation == ROOST_OP_FIND) return draw_below(dice, 3) ? ROOST_ITEM_FOUND : ROOST_ITEM_ABSENT;
    if (operation == ROOST_OP_ERASE) return draw_below(dice, 3) ? ROOST_ITEM_ERASED : ROOST_ITEM_ABSENT;
    if (draw_below(dice, 16) == 0) return ROOST_ITEM_FULL;
    return draw_below(dice, 2) ? INSERTED : operation == ROOST_OP_KEEP ? KEPT : UPDATED;
}

static struct linear_op random_op(struct dice *dice)
{
    struct linear_op op = {.argument = draw_below(dice, VALUES)};
    op.value = draw_below(dice, VALUES);
    op.invoked = 1 + draw_below(dice, 12);
    op.responded = op.invoked + draw_below(dice, 8);
    op.operation = (uint8_t)draw_below(dice, ROOST_OP_MAX + 1);
    op.status = random_status(dice, op.operation);
    return op;
}

static struct linear_state random_state(struct dice *dice)
{
    return draw_below(dice, 2) ? value(draw_below(dice, VALUES)) : absent;
}

static void all_orders(const struct variant *variant)
{
    struct dice dice = {suite_seed()};
    struct linear *linear = linear_new(width_mask(4), LINEAR_PLACES);
    size_t yes = 0;
    const size_t trials = settings_size(200000, 20000);
    (void)variant;
    for (size_t trial = 0; trial < trials; trial++) {
        struct linear_op ops[MOST];
        const size_t n = draw_below(&dice, MOST + 1);
        for (size_t i = 0; i < n; i++) ops[i] = random_op(&dice);
        const struct linear_state start = random_state(&dice), end = random_state(&dice);
        const bool expected = some_order(ops, n, 0, start, end);
        suite_step("history %zu of %zu operations", trial, n);
        require(linear_check(linear, ops, n, start, end) == (expected ? LINEAR_YES : LINEAR_NO), "all orders say %d", expected);
        yes += expected && n > 2;
    }
    linear_free(linear);
    require(yes > trials / 100, "only %zu of %zu histories were right", yes, trials);
}

int main(int argc, char **argv)
{
    suite_begin_on_host(argc, argv);
    suite_add_once("right histories", right_histories);
    suite_add_once("lost update", lost_update);
    suite_add_once("duplicate insert", duplicate_insert);
    suite_add_once("stale read", stale_read);
    suite_add_once("two erasers", two_erasers);
    suite_add_once("phantom", phantom);
    suite_add_once("memory of places", memory_of_places);
    suite_add_once("order of trying", order_of_trying);
    suite_add_once("limits", limits);
    suite_add_once("crowds", crowds);
    suite_add_once("all orders", all_orders);
    return suite_run("linear");
}
