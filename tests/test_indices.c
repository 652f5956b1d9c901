/* Index arithmetic at sizes for which no test machine has memory: addresses are computed, and
 * nothing is read there. */
#include "engines/dycuckoo/dycuckoo_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define BASE ((uintptr_t)1 << 44) /* pretended address of the arrays */

static const struct shape all_shapes[] = {
#define SHAPE_VALUE(name, key, value, slots, word, homes) {key, value, slots, word, homes},
    DYCUCKOO_SHAPES(SHAPE_VALUE)};
enum { ALL_SHAPES = sizeof all_shapes / sizeof all_shapes[0] };

/* The last bucket of the largest subtable, which has 2^31 buckets. */
static void buckets_lie_where_they_should(void **state)
{
    (void)state;
    for (int i = 0; i < ALL_SHAPES; i++) {
        const struct shape s = all_shapes[i];
        struct dycuckoo_view v;
        memset(&v, 0, sizeof v);
        v.sub[1].buckets = (unsigned char *)BASE;
        v.sub[1].bucket_count = (uint32_t)1 << 31;
        const uint64_t bytes = (uint64_t)s.slots * (unsigned)(s.key_bytes + s.value_bytes);
        static const uint32_t places[] = {0, 1, 0x03ffffffu, 0x04000000u, 0x1fffffffu, 0x20000000u, 0x7fffffffu};
        for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
            const struct home home = {1, places[k]};
            assert_int_equal((uintptr_t)bucket_at(s, &v, home) - BASE, places[k] * bytes);
        }
    }
}

/* Every key's home lies in its subtable, even in one of 2^31 buckets, and the homes reach all of
 * it. */
static void homes_reach_all_of_a_subtable(void **state)
{
    const uint32_t buckets = (uint32_t)1 << 31;
    uint32_t highest = 0, lowest = UINT32_MAX;
    (void)state;
    for (uint64_t i = 0; i < 100000; i++) {
        const uint32_t at = range64(mix64(i), buckets);
        assert_true(at < buckets);
        if (at > highest) highest = at;
        if (at < lowest) lowest = at;
    }
    assert_true(highest > buckets - buckets / 10000);
    assert_true(lowest < buckets / 10000);
    assert_int_equal(range64(UINT64_MAX, buckets), buckets - 1);
    assert_int_equal(range64(0, buckets), 0);
}

/* Slices of a batch that begin beyond 2^32 items. */
static void slices_of_long_batches(void **state)
{
    struct dycuckoo_table t;
    static const uint64_t firsts[] = {0, ((uint64_t)1 << 31) - 1, ((uint64_t)1 << 31) + 1, ((uint64_t)1 << 32) + 1,
                                      (uint64_t)1 << 40};
    (void)state;
    memset(&t, 0, sizeof t);
    for (int i = 0; i < ALL_SHAPES; i++)
        for (size_t k = 0; k < sizeof firsts / sizeof firsts[0]; k++) {
            struct batch whole;
            memset(&whole, 0, sizeof whole);
            t.base.key_bytes = all_shapes[i].key_bytes;
            t.base.value_bytes = all_shapes[i].value_bytes;
            whole.keys = (const void *)BASE;
            whole.values_in = (const void *)(BASE * 2);
            whole.statuses = (uint8_t *)(BASE * 3);
            const struct batch part = batch_slice(&t.base, &whole, firsts[k], 7);
            assert_int_equal((uintptr_t)part.keys - BASE, firsts[k] * (unsigned)t.base.key_bytes);
            assert_int_equal((uintptr_t)part.values_in - BASE * 2, firsts[k] * (unsigned)t.base.value_bytes);
            assert_int_equal((uintptr_t)part.statuses - BASE * 3, firsts[k]);
            assert_int_equal(part.n, 7);
        }
}

/* Slots and bytes of a table with subtables of the largest size. */
static void sums_over_subtables(void **state)
{
    struct dycuckoo_table t;
    (void)state;
    memset(&t, 0, sizeof t);
    t.options.subtables = t.view.subtables = MAX_SUBTABLES;
    for (uint32_t i = 0; i < MAX_SUBTABLES; i++) t.view.sub[i].bucket_count = (uint32_t)1 << 31, t.count[i] = (uint64_t)1 << 34;
    for (int i = 0; i < ALL_SHAPES; i++) {
        t.base.shape = all_shapes[i];
        const uint64_t slots = (uint64_t)MAX_SUBTABLES * (unsigned)t.base.shape.slots << 31;
        assert_int_equal(dycuckoo_slots(&t.base), slots);
        assert_true(dycuckoo_bytes(&t.base) >= slots * (unsigned)(t.base.shape.key_bytes + t.base.shape.value_bytes));
    }
    assert_int_equal(dycuckoo_count(&t.base), (uint64_t)MAX_SUBTABLES << 34);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buckets_lie_where_they_should),
        cmocka_unit_test(homes_reach_all_of_a_subtable),
        cmocka_unit_test(slices_of_long_batches),
        cmocka_unit_test(sums_over_subtables),
    };
    return cmocka_run_group_tests_name("indices", tests, NULL, NULL) ? EXIT_FAILURE : EXIT_SUCCESS;
}
