/* One table over the threads of a process: each thread is a rank, which counts its own part of the
 * numbers, and the table has the counts of all.
 *
 *     cc sharded.c $(pkg-config --cflags --libs roost) -pthread && ./a.out */
#include <pthread.h>
#include <roost/roost.h>
#include <roost/sharding.h>
#include <stdio.h>
#include <stdlib.h>

enum { RANKS = 3, ITEMS = 100000, NUMBERS = 1000 };

static roost_comm *comms[RANKS];
static uint32_t keys[RANKS][ITEMS], ones[ITEMS];

static void require(roost_status status, const roost_table *table)
{
    if (status == ROOST_OK) return;
    fprintf(stderr, "%s: %s\n", roost_status_name(status), roost_last_error(table));
    exit(1);
}

/* All ranks make these calls in the same order, each with items of its own. */
static void *count(void *argument)
{
    const int rank = *(const int *)argument;
    const uint32_t asked[] = {7, NUMBERS};
    uint32_t counts[2];
    uint8_t found[2];
    roost_config config;
    roost_table *table;
    require(roost_config_init(&config, sizeof config), NULL);
    config.comm = comms[rank];
    require(roost_table_create(&table, &config), NULL);
    for (uint32_t i = 0; i < ITEMS; i++) keys[rank][i] = (i * (unsigned)(2 * rank + 3)) % NUMBERS;
    require(roost_insert(table, ROOST_ADD, keys[rank], ones, ITEMS, NULL), table);
    require(roost_find(table, asked, 2, counts, found, NULL), table);
    printf("rank %d: %u is %s, %u times; %u is %s\n", rank, asked[0], found[0] ? "there" : "absent", counts[0], asked[1],
           found[1] ? "there" : "absent");
    roost_table_destroy(table);
    return NULL;
}

int main(void)
{
    pthread_t threads[RANKS];
    int ranks[RANKS];
    require(roost_comm_local(comms, RANKS, "host,host,host", NULL), NULL);
    for (int i = 0; i < ITEMS; i++) ones[i] = 1;
    for (int r = 0; r < RANKS; r++) {
        ranks[r] = r;
        if (pthread_create(&threads[r], NULL, count, &ranks[r])) return 1;
    }
    for (int r = 0; r < RANKS; r++) pthread_join(threads[r], NULL);
    for (int r = 0; r < RANKS; r++) roost_comm_free(comms[r]);
    return 0;
}
