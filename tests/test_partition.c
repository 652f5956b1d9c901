/* The host's partition by several digits (src/engines/partition.h): every width of keys and
 * payloads, distinct keys, few keys or one key, and any number of bits and threads.  Afterwards
 * the bits are in order, and each payload is with its key. */
#include "engines/partition.h"
#include "portable/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 100000 };

/* Item i's key follows from i, and i follows from the item's payload. */
struct keys {
    uint64_t distinct;
    int bytes;
};

static uint64_t key_of(const struct keys *k, uint64_t i)
{
    const uint64_t x = mix64(i % k->distinct + 1);
    return k->bytes == 4 ? (uint32_t)x : x;
}

static void make_keys(const void *context, uint64_t first, int n, void *keys)
{
    const struct keys *k = (const struct keys *)context;
    for (int i = 0; i < n; i++) store_width(k->bytes, keys, (uint64_t)i, key_of(k, first + (unsigned)i));
}

static void *allocate(uint64_t n, int bytes)
{
    void *memory = calloc(n + 1, bytes ? (size_t)bytes : 1);
    assert_non_null(memory);
    return memory;
}

/* What the payload of an item is: a column's, twice its number; its number; or that below a value
 * of 4 bytes. */
enum payload { COLUMN, NUMBERS, NUMBERS_AND_VALUES };

static uint64_t item_of(enum payload kind, uint64_t payload)
{
    if (kind != NUMBERS_AND_VALUES) return kind == COLUMN ? payload / 2 : payload;
    assert_int_equal(payload >> 32, 0x80000000u | (uint32_t)payload);
    return (uint32_t)payload;
}

static void one(struct keys k, int payload_bytes, enum payload kind, uint64_t n, int low, int threads)
{
    const struct backend b = {.threads = threads, .ordinal = -1};
    void *const payload = allocate(n, payload_bytes), *const scratch = malloc(partition_host_scratch(&b, n) + 1);
    uint8_t *const seen = (uint8_t *)allocate(n, 1);
    uint32_t *const values = (uint32_t *)allocate(n, 4);
    struct partition_sort s = {.make_keys = make_keys,
                               .context = &k,
                               .payload = kind == COLUMN ? payload : NULL,
                               .values = kind == NUMBERS_AND_VALUES ? values : NULL,
                               .keys_out = allocate(n, k.bytes),
                               .payload_out = allocate(n, payload_bytes),
                               .key_bytes = k.bytes,
                               .payload_bytes = payload_bytes,
                               .low = low,
                               .top = 8 * k.bytes,
                               .n = n,
                               .scratch = scratch};
    for (uint64_t i = 0; i < n && payload_bytes; i++) store_width(payload_bytes, payload, i, 2 * i);
    for (uint64_t i = 0; i < n; i++) values[i] = 0x80000000u | (uint32_t)i;
    partition_host_sort(&b, &s);
    uint64_t before = 0, sum = 0, expected = 0;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t key = load_width(k.bytes, s.keys_out, i), digits = low < 64 ? key >> low : 0;
        assert_true(digits >= before);
        before = digits;
        sum += mix64(key), expected += mix64(key_of(&k, i));
        if (!payload_bytes) continue;
        const uint64_t item = item_of(kind, load_width(payload_bytes, s.payload_out, i));
        assert_true(item < n && key == key_of(&k, item) && !seen[item]++);
    }
    assert_int_equal(sum, expected); /* also without payloads all keys are there */
    free(payload), free(scratch), free(seen), free(values), free(s.keys_out), free(s.payload_out);
}

static void every_width(void **state)
{
    static const int all_bits[] = {0, 1, 8, 13, 16, 24};
    static const int widths[][2] = {{4, 4}, {4, 8}, {4, 0}, {8, 4}, {8, 8}, {8, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
        for (size_t j = 0; j < sizeof all_bits / sizeof all_bits[0]; j++)
            for (int threads = 1; threads <= 3; threads += 2) {
                const struct keys k = {MOST, widths[i][0]};
                for (int kind = COLUMN; kind <= NUMBERS_AND_VALUES; kind++)
                    if (kind == COLUMN || widths[i][1] >= 4 * kind)
                        one(k, widths[i][1], (enum payload)kind, MOST, 8 * k.bytes - all_bits[j], threads);
            }
}

static void few_keys_and_few_items(void **state)
{
    static const uint64_t distinct[] = {1, 2, 300};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        const struct keys k = {distinct[i], 4};
        one(k, 4, COLUMN, MOST, 16, 2);
        for (uint64_t n = 1; n < 2000; n = n * 3 + 1) one(k, 4, NUMBERS, n, 13, 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_width), cmocka_unit_test(few_keys_and_few_items)};
    return cmocka_run_group_tests_name("partition", tests, NULL, NULL) ? EXIT_FAILURE : EXIT_SUCCESS;
}
