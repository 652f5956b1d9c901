/* Sizes around the limits of 31 and 32 bits: that many items in one call, and that many slots,
 * on a GPU with enough memory.  Capacities whose bytes no machine has are refused everywhere. */
#include "support/draw.h"
#include "support/settings.h"
#include "support/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Refused capacities --------------------------------------------------------------------- */

/* Nothing is allocated, and a table that exists stays unchanged. */
static void overflowing_capacities(const struct variant *variant)
{
    static const uint64_t keys[] = {UINT64_MAX,          UINT64_MAX / 2 + 1, UINT64_MAX / 8,
                                    UINT64_MAX / 16 + 1, (uint64_t)1 << 60,  (uint64_t)1 << 45};
    struct table table, small;
    roost_config config;
    const uint64_t one = 1;
    table_open(&small, variant, NULL);
    require_status(ROOST_OK, table_insert(&small, ROOST_KEEP, &one, &one, 1, NULL), small.handle);
    const uint64_t bytes = table_stats(&small).bytes_now;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        suite_step("%llu keys", (unsigned long long)keys[i]);
        table_config(variant, &config);
        config.capacity = keys[i];
        const roost_status made = table_create(&table, variant, &config);
        require(made == ROOST_ERR_ARGUMENT || made == ROOST_ERR_MEMORY, "created: %s", roost_status_name(made));
        const roost_status reserved = roost_table_reserve(small.handle, keys[i]);
        require(reserved == ROOST_ERR_ARGUMENT || reserved == ROOST_ERR_MEMORY, "reserved: %s", roost_status_name(reserved));
        require(table_stats(&small).bytes_now == bytes, "%llu bytes held", (unsigned long long)table_stats(&small).bytes_now);
    }
    table_check(&small);
    table_close(&small);
}

#if ROOST_WITH_CUDA
#include <cuda_runtime_api.h>

/* ---- Billions of items ---------------------------------------------------------------------- */

enum { PIECE = 1 << 25 /* items written or read at a time */ };

static void cuda_done(cudaError_t error)
{
    require(error == cudaSuccess, "the test's own CUDA call: %s", cudaGetErrorString(error));
}

static void *device_bytes(uint64_t bytes)
{
    void *memory;
    cuda_done(cudaMalloc(&memory, bytes));
    return memory;
}

/* Writes the first n distinct keys of a scattered sequence into the device's array. */
static void write_keys(uint64_t *device, uint64_t n)
{
    uint64_t *piece;
    cuda_done(cudaMallocHost((void **)&piece, PIECE * sizeof *piece));
    for (uint64_t first = 0; first < n; first += PIECE) {
        const uint64_t count = n - first < PIECE ? n - first : PIECE;
#pragma omp parallel for
        for (uint64_t i = 0; i < count; i++) piece[i] = mix64(first + i);
        cuda_done(cudaMemcpy(device + first, piece, count * sizeof *piece, cudaMemcpyHostToDevice));
    }
    cuda_done(cudaFreeHost(piece));
}

/* Counts the flags that are 1, of n; fails for any other than 0 and 1. */
static uint64_t count_flags(const uint8_t *device, uint64_t n)
{
    uint8_t *piece;
    uint64_t sum = 0, wrong = 0;
    cuda_done(cudaMallocHost((void **)&piece, PIECE));
    for (uint64_t first = 0; first < n; first += PIECE) {
        const uint64_t count = n - first < PIECE ? n - first : PIECE;
        cuda_done(cudaMemcpy(piece, device + first, count, cudaMemcpyDeviceToHost));
#pragma omp parallel for reduction(+ : sum, wrong)
        for (uint64_t i = 0; i < count; i++) sum += piece[i] == 1, wrong += piece[i] > 1;
    }
    cuda_done(cudaFreeHost(piece));
    require(wrong == 0, "%llu flags that are neither", (unsigned long long)wrong);
    return sum;
}

static uint64_t find_all(const struct table *table, const uint64_t *keys, uint8_t *found, uint64_t n, const roost_call *call)
{
    cuda_done(cudaMemset(found, 0xee, n));
    require_status(ROOST_OK, roost_find(table->handle, keys, n, NULL, found, call), table->handle);
    return count_flags(found, n);
}

static uint64_t free_bytes(void)
{
    size_t bytes, all;
    cuda_done(cudaMemGetInfo(&bytes, &all));
    return bytes;
}

/* False if the GPU has no memory for the table.  Engines take up to twice the bytes of its keys. */
static bool open_large(struct table *table, const struct variant *variant, const roost_config *config)
{
    const double bytes = (double)config->capacity * sizeof(uint64_t) / config->max_fill;
    const uint64_t vacant = free_bytes();
    const roost_status made = table_create(table, variant, config);
    require(made == ROOST_OK || (made == ROOST_ERR_MEMORY && 2 * bytes > (double)vacant), "%s for %.0f bytes of keys, of %llu free",
            roost_status_name(made), bytes, (unsigned long long)vacant);
    return made == ROOST_OK;
}

/* Calls of n items each: insert, find, erase the last tenth, and find again.  found: room for n
 * flags on the device.  False: no memory. */
static bool billions(const uint64_t *keys, uint8_t *found, uint64_t n, double max_fill, const struct variant *variant)
{
    struct table table;
    roost_config config;
    roost_call call;
    const uint64_t erased = n / 10, kept = n - erased;
    roost_call_init(&call, sizeof call);
    call.space = ROOST_SPACE_DEVICE;
    table_config(variant, &config);
    config.capacity = n;
    config.max_fill = max_fill;
    config.min_fill = 0;
    if (!open_large(&table, variant, &config)) return false;
    suite_step("%llu items: inserting", (unsigned long long)n);
    require_status(ROOST_OK, roost_insert(table.handle, ROOST_KEEP, keys, NULL, n, &call), table.handle);
    require_status(ROOST_OK, roost_table_sync(table.handle, NULL), table.handle);
    require(table_stats(&table).count == n, "%llu keys", (unsigned long long)table_stats(&table).count);
    suite_step("%llu items: finding", (unsigned long long)n);
    require(find_all(&table, keys, found, n, &call) == n, "not all were found");
    suite_step("%llu items: erasing", (unsigned long long)n);
    require_status(ROOST_OK, roost_erase(table.handle, keys + kept, erased, &call), table.handle);
    require_status(ROOST_OK, roost_table_sync(table.handle, NULL), table.handle);
    const struct table_numbers stats = table_stats(&table);
    require(stats.count == kept, "%llu keys", (unsigned long long)stats.count);
    require(find_all(&table, keys, found, n, &call) == kept && count_flags(found, kept) == kept,
            "the erased keys are not the last");
    printf("%llu items, %llu slots, %llu bytes of table\n", (unsigned long long)n, (unsigned long long)stats.slots,
           (unsigned long long)stats.table_bytes);
    table_close(&table);
    return true;
}

/* Items, and at the higher fill slots, around 2^31 and above 2^32. */
static void around_the_limits(const struct variant *variant)
{
    static const struct {
        uint64_t n;
        double max_fill;
    } cases[] = {{((uint64_t)1 << 31) - 1, 0.85},
                 {((uint64_t)1 << 31) + 1, 0.85},
                 {((uint64_t)1 << 31) * 9 / 10 - 100000, 0.9},
                 {((uint64_t)1 << 31) * 9 / 10 + 100000, 0.9},
                 {((uint64_t)1 << 32) + 1, 0.9}};
    enum { CASES = sizeof cases / sizeof cases[0] };
    const struct variant sets = {.shape = &shapes[5], .number = variant->number};
    const double vacant = (double)free_bytes();
    size_t able = 0, done = 0;
    /* items; the cases share an array of keys, which takes longer to write than they run */
    uint64_t most = 0;
    for (; able < CASES; able++) {
        const uint64_t needed = most > cases[able].n ? most : cases[able].n;
        if ((double)needed * 9 + (double)cases[able].n * 9 / cases[able].max_fill > vacant) break;
        most = needed;
    }
    if (able) {
        uint64_t *keys = device_bytes(most * sizeof *keys);
        uint8_t *found = device_bytes(most);
        write_keys(keys, most);
        while (done < able && billions(keys, found, cases[done].n, cases[done].max_fill, &sets)) done++;
        cuda_done(cudaFree(keys));
        cuda_done(cudaFree(found));
    }
    if (done < CASES) suite_skip("this GPU has too little memory");
}
#endif

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    suite_add_widths("overflowing capacities", overflowing_capacities);
#if ROOST_WITH_CUDA
    if (settings_on_gpu()) suite_add_once("around the limits", around_the_limits);
#endif
    return suite_run("sizes");
}
