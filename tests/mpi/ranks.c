/* A rank of a test of tables over MPI (tests/mpi_ranks.sh): counts, looks up and erases, and
 * compares with what all ranks together must have.
 * usage: mpirun -n N ranks [late]     late: the last rank does not come, and the others give up */
#include <roost/mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ITEMS = 300000, NUMBERS = 100000 };

static int rank, ranks;

static void require(roost_status status, roost_status expected, const char *what)
{
    if (status == expected) return;
    fprintf(stderr, "rank %d of %d: %s: %s: %s\n", rank, ranks, what, roost_status_name(status), roost_last_error(NULL));
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
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
    static uint32_t keys[ITEMS], ones[ITEMS], asked[2 * NUMBERS], counts[2 * NUMBERS], expected[NUMBERS];
    static uint8_t found[2 * NUMBERS];
    roost_config config = ROOST_CONFIG_INIT;
    roost_stats stats = {.size = sizeof stats};
    roost_table *table;
    uint64_t distinct = 0, wrong = 0;
    config.comm = comm;
    config.device = "host";
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
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    require(roost_erase(table, asked, rank == 0 ? NUMBERS : 0, NULL), ROOST_OK, "erase");
    require(roost_table_stats(table, &stats, sizeof stats), ROOST_OK, "stats");
    require(stats.count ? ROOST_ERR_CORRUPT : ROOST_OK, ROOST_OK, "keys after an erase");
    roost_table_destroy(table);
}

/* The others end within their limit. */
static void others_give_up(roost_comm *comm)
{
    static const uint32_t key[1] = {7};
    roost_config config = ROOST_CONFIG_INIT;
    roost_table *table;
    config.comm = comm;
    config.device = "host";
    require(roost_table_create(&table, &config), ROOST_OK, "create");
    if (rank == ranks - 1) sleep(3);
    else require(roost_insert(table, ROOST_ASSIGN, key, key, 1, NULL), ROOST_ERR_COMM, "insert without the last rank");
    roost_table_destroy(table);
}

int main(int argc, char **argv)
{
    const int late = argc > 1 && !strcmp(argv[1], "late");
    const roost_comm_limits limits = {sizeof limits, 30, late ? 1 : 60};
    roost_comm *comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    require(roost_comm_from_mpi(&comm, MPI_COMM_WORLD, &limits), ROOST_OK, "comm");
    if (late) others_give_up(comm);
    else table_try(comm);
    roost_comm_free(comm);
    if (rank == 0) printf("%d ranks: %s\n", ranks, late ? "the others gave up" : "right");
    if (!late) MPI_Finalize();
    fflush(stdout);
    if (late) _exit(0); /* messages are on their way, for which MPI_Finalize would wait */
    return 0;
}
