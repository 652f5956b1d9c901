/* Tables of compact whose keys are numbers. */
#include "support/herd.h"

#include <stdlib.h>
#include <string.h>

#include "roost/mixed.h"

enum { ABSENT = 1u << 31 /* numbers from here on are never inserted */ };

/* ---- Tables of numbered keys ----------------------------------------------------------------- */

void herd_config(const struct variant *variant, roost_config *config)
{
    table_config(variant, config);
    config->engine = "compact";
}

void herd_open_with(struct herd *herd, const struct variant *variant, const roost_config *config)
{
    *herd = (struct herd){.dice = {suite_seed()}};
    table_open(&herd->table, variant, config);
}

void herd_open(struct herd *herd, const struct variant *variant, uint64_t capacity)
{
    roost_config config;
    herd_config(variant, &config);
    config.capacity = capacity;
    herd_open_with(herd, variant, &config);
}

void herd_close(struct herd *herd)
{
    table_close(&herd->table);
    free(herd->live);
}

static uint64_t herd_value(uint64_t number) { return mix64(number ^ UINT64_C(0x5bd1e995)); }

static uint64_t *herd_keys(const struct herd *herd, const uint64_t *numbers, size_t n)
{
    uint64_t *keys = make_patterns(n);
    for (size_t i = 0; i < n; i++) keys[i] = distinct_key(&herd->table.shape, numbers[i]);
    return keys;
}

static void herd_admit(struct herd *herd, uint64_t number)
{
    if (herd->n == herd->room) {
        herd->room = 2 * herd->room + 1000;
        herd->live = realloc(herd->live, herd->room * sizeof *herd->live);
        if (!herd->live) abort();
    }
    herd->live[herd->n++] = number;
}

/* Takes a random one out of the live numbers. */
static uint64_t herd_dismiss(struct herd *herd)
{
    const size_t i = (size_t)draw_below(&herd->dice, herd->n);
    const uint64_t number = herd->live[i];
    herd->live[i] = herd->live[--herd->n];
    return number;
}

size_t herd_try(struct herd *herd, size_t n)
{
    uint64_t *keys = make_patterns(n), *values = make_patterns(n);
    uint8_t *statuses = make_bytes(n);
    size_t refused = 0;
    for (size_t i = 0; i < n; i++) {
        keys[i] = distinct_key(&herd->table.shape, herd->next + i);
        values[i] = herd_value(herd->next + i);
    }
    const roost_status status = table_insert(&herd->table, ROOST_ASSIGN, keys, values, n, statuses);
    for (size_t i = 0; i < n; i++) {
        require(statuses[i] == ROOST_ITEM_INSERTED || statuses[i] == ROOST_ITEM_FULL, "item %zu ended %u", i, statuses[i]);
        if (statuses[i] == ROOST_ITEM_INSERTED) herd_admit(herd, herd->next + i);
        else refused++;
    }
    require_status(refused ? ROOST_ERR_FULL : ROOST_OK, status, herd->table.handle);
    herd->next += n;
    free(keys), free(values), free(statuses);
    return refused;
}

void herd_insert(struct herd *herd, size_t n)
{
    const size_t refused = herd_try(herd, n);
    require(!refused, "%zu of %zu keys were refused", refused, n);
}

/* Looks up n numbers: all of them are there or none. */
static void herd_require_found(const struct herd *herd, const uint64_t *numbers, size_t n, bool expected)
{
    const uint64_t mask = width_mask(herd->table.shape.value_bytes);
    uint64_t *keys = herd_keys(herd, numbers, n), *values = make_patterns(n);
    uint8_t *found = make_bytes(n);
    require_status(ROOST_OK, table_find(&herd->table, keys, n, values, found, NULL), herd->table.handle);
    for (size_t i = 0; i < n; i++) {
        require(found[i] == expected, "key %llu, item %zu of %zu: found %u", print(numbers[i]), i, n, found[i]);
        require(!expected || (values[i] & mask) == (herd_value(numbers[i]) & mask), "key %llu has the value %llx",
                print(numbers[i]), print(values[i]));
    }
    free(keys), free(values), free(found);
}

void herd_erase(struct herd *herd, size_t n)
{
    uint64_t *numbers = make_patterns(n);
    for (size_t i = 0; i < n; i++) numbers[i] = herd_dismiss(herd);
    uint64_t *keys = herd_keys(herd, numbers, n);
    uint8_t *statuses = make_bytes(n);
    require_status(ROOST_OK, table_erase(&herd->table, keys, n, statuses), herd->table.handle);
    for (size_t i = 0; i < n; i++) require(statuses[i] == ROOST_ITEM_ERASED, "item %zu ended %u", i, statuses[i]);
    herd_require_found(herd, numbers, n < 5000 ? n : 5000, false);
    free(numbers), free(keys), free(statuses);
}

static void mixed_put(struct mixed *mixed, size_t i, uint8_t operation, uint64_t key, uint64_t value)
{
    mixed->operations[i] = operation;
    mixed->keys[i] = key;
    mixed->values_in[i] = value;
}

size_t herd_mix(struct herd *herd, size_t n)
{
    const size_t all = 2 * n;
    struct mixed mixed = {all, make_bytes(all), make_patterns(all), make_patterns(all), make_patterns(all), make_bytes(all)};
    uint64_t *order = make_patterns(all), *gone = make_patterns(n);
    size_t refused = 0;
    for (size_t i = 0; i < all; i++) order[i] = i;
    draw_order(&herd->dice, order, all);
    for (size_t i = 0; i < n; i++) {
        gone[i] = herd_dismiss(herd);
        mixed_put(&mixed, order[i], ROOST_OP_ERASE, distinct_key(&herd->table.shape, gone[i]), 0);
        mixed_put(&mixed, order[n + i], ROOST_OP_ASSIGN, distinct_key(&herd->table.shape, herd->next + i),
                  herd_value(herd->next + i));
    }
    const roost_status status = table_apply(&herd->table, &mixed, 0);
    for (size_t i = 0; i < n; i++) {
        const uint8_t added = mixed.statuses[order[n + i]];
        require(mixed.statuses[order[i]] == ROOST_ITEM_ERASED, "an erase ended %u", mixed.statuses[order[i]]);
        require(added == ROOST_ITEM_INSERTED || added == ROOST_ITEM_FULL, "an insert ended %u", added);
        if (added == ROOST_ITEM_INSERTED) herd_admit(herd, herd->next + i);
        else refused++;
    }
    require_status(refused ? ROOST_ERR_FULL : ROOST_OK, status, herd->table.handle);
    herd->next += n;
    herd_require_found(herd, gone, n < 5000 ? n : 5000, false);
    free(mixed.operations), free(mixed.keys), free(mixed.values_in), free(mixed.values_out), free(mixed.statuses);
    free(order), free(gone);
    return refused;
}

struct table_numbers herd_check(const struct herd *herd)
{
    const struct table_numbers stats = table_stats(&herd->table);
    require(stats.count == herd->n, "%llu keys, and not %zu", print(stats.count), herd->n);
    table_check(&herd->table);
    herd_require_found(herd, herd->live, herd->n, true);
    return stats;
}

/* ---- Reads ----------------------------------------------------------------------------------- */

/* Buckets that a find of these numbers reads on average; 0 where a GPU's kernels do not count. */
static double reads_of(const struct herd *herd, const uint64_t *numbers, size_t n, bool hits)
{
    const uint64_t before = table_stats(&herd->table).bucket_reads;
    herd_require_found(herd, numbers, n, hits);
    const struct table_numbers stats = table_stats(&herd->table);
    require(stats.bucket_reads > before || settings_on_gpu(), "no reads were counted");
    require(stats.max_bucket_reads <= 2, "a lookup read %llu buckets", print(stats.max_bucket_reads));
    return (double)(stats.bucket_reads - before) / (double)n;
}

double herd_reads_of_hits(const struct herd *herd, size_t n) { return reads_of(herd, herd->live, n, true); }
double herd_reads_of_misses(const struct herd *herd, size_t n)
{
    uint64_t *numbers = make_patterns(n);
    for (size_t i = 0; i < n; i++) numbers[i] = ABSENT + i;
    const double reads = reads_of(herd, numbers, n, false);
    free(numbers);
    return reads;
}

struct herd_reads herd_most_reads(const struct table_numbers *stats)
{
    static const struct herd_reads all[] = {{3, 1.22, 1.31}, {4, 1.17, 1.25}, {6, 1.115, 1.18}, {10, 1.07, 1.12}, {14, 1.05, 1.08}};
    size_t i = 0;
    while (i + 1 < sizeof all / sizeof *all && all[i].slots < stats->slots_per_bucket) i++;
    return all[i];
}
