/* What each rank of a test does with its table, whatever connects the ranks: it counts, looks up
 * and erases, and compares with what all ranks together must have.  The program says how a rank
 * fails. */
#ifndef ROOST_TESTS_RANKS_H
#define ROOST_TESTS_RANKS_H

#include <roost/sharding.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Thread_local int rank, ranks;
static const char *device; /* of the tables; NULL: the comm's, or the default */
static void rank_fails(void);

enum { ITEMS = 300000, NUMBERS = 100000 };

static void require(roost_status status, roost_status expected, const char *what)
{
    if (status == expected) return;
    fprintf(stderr, "rank %d of %d: %s: %s: %s\n", rank, ranks, what, roost_status_name(status), roost_last_error(NULL));
    rank_fails();
}

/* Rank r has the numbers 0 .. ITEMS - 1, times 2 r + 1, modulo NUMBERS; the last one of several has
 * none. */
static uint32_t items_of(int r) { return ranks > 1 && r == ranks - 1 ? 0 : ITEMS; }

static void counts_expect(uint32_t *counts)
{
    memset(counts, 0, NUMBERS * sizeof *counts);
    for (int r = 0; r < ranks; r++)
        for (uint32_t i = 0; i < items_of(r); i++) counts[(uint64_t)i * (unsigned)(2 * r + 1) % NUMBERS]++;
}

static void table_try(roost_comm *comm)
{
    static _Thread_local uint32_t keys[ITEMS], ones[ITEMS], asked[2 * NUMBERS], counts[2 * NUMBERS], expected[NUMBERS];
    static _Thread_local uint8_t found[2 * NUMBERS];
    roost_config config = ROOST_CONFIG_INIT;
    roost_stats stats = {.size = sizeof stats};
    roost_table *table;
    uint64_t distinct = 0, wrong = 0;
    config.comm = comm;
    config.device = device;
    config.threads = 1;
    require(roost_table_create(&table, &config), ROOST_OK, "create");
    for (uint32_t i = 0; i < ITEMS; i++) keys[i] = (uint32_t)((uint64_t)i * (unsigned)(2 * rank + 1) % NUMBERS), ones[i] = 1;
    require(roost_insert(table, ROOST_ADD, keys, ones, items_of(rank), NULL), ROOST_OK, "insert");
    for (uint32_t i = 0; i < 2 * NUMBERS; i++) asked[i] = i;
    require(roost_find(table, asked, 2 * NUMBERS, counts, found, NULL), ROOST_OK, "find");
    counts_expect(expected);
    for (uint32_t i = 0; i < NUMBERS; i++)
        distinct += expected[i] > 0, wrong += counts[i] != expected[i] || found[i] != (expected[i] > 0);
    for (uint32_t i = NUMBERS; i < 2 * NUMBERS; i++) wrong += found[i] != 0;
    require(roost_table_stats(table, &stats, sizeof stats), ROOST_OK, "stats");
    require(roost_table_check(table), ROOST_OK, "check");
    if (wrong || stats.count != distinct) {
        fprintf(stderr, "rank %d: %llu wrong answers, %llu keys, not %llu\n", rank, (unsigned long long)wrong,
                (unsigned long long)stats.count, (unsigned long long)distinct);
        rank_fails();
    }
    require(roost_erase(table, asked, rank == 0 ? NUMBERS : 0, NULL), ROOST_OK, "erase");
    require(roost_table_stats(table, &stats, sizeof stats), ROOST_OK, "stats");
    require(stats.count ? ROOST_ERR_CORRUPT : ROOST_OK, ROOST_OK, "keys after an erase");
    roost_table_destroy(table);
}

#endif
