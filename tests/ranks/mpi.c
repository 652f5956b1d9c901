/* A rank of a test of tables over MPI (tests/mpi_ranks.sh, tests/mpi_hosts.sh).
 * usage: mpirun -n N ranks [late | cut FOLDER]
 *     late: the last rank does not come, and the others give up
 *     cut: all insert until one of them is out of reach, and say so in FOLDER/rank.R */
#include <roost/mpi.h>

#include "ranks.h"

static void rank_fails(void)
{
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

/* The others end within their limit. */
static void others_give_up(roost_comm *comm)
{
    static const uint32_t key[1] = {7};
    roost_config config = ROOST_CONFIG_INIT;
    roost_table *table;
    config.comm = comm;
    require(roost_table_create(&table, &config), ROOST_OK, "create");
    if (rank == ranks - 1) sleep(3);
    else require(roost_insert(table, ROOST_ASSIGN, key, key, 1, NULL), ROOST_ERR_COMM, "insert without the last rank");
    roost_table_destroy(table);
}

static void say(FILE *file, const char *text)
{
    if (!file || fputs(text, file) < 0 || fflush(file)) rank_fails();
}

/* The shard can be exported after its rank has given up. */
static void insert_until_cut(roost_comm *comm, const char *folder)
{
    static uint32_t keys[NUMBERS], values[NUMBERS];
    char path[4096];
    roost_config config = ROOST_CONFIG_INIT;
    roost_cursor cursor = {0};
    roost_table *table;
    roost_status status;
    size_t n;
    config.comm = comm;
    config.threads = 1;
    for (uint32_t i = 0; i < NUMBERS; i++) keys[i] = i;
    require(roost_table_create(&table, &config), ROOST_OK, "create");
    require(roost_insert(table, ROOST_ASSIGN, keys, keys, NUMBERS, NULL), ROOST_OK, "insert");
    snprintf(path, sizeof path, "%s/rank.%d", folder, rank);
    FILE *const file = fopen(path, "w");
    do status = roost_insert(table, ROOST_ASSIGN, keys, keys, NUMBERS, NULL);
    while (status == ROOST_OK);
    require(status, ROOST_ERR_COMM, "insert without a rank");
    require(roost_export(table, &cursor, keys, values, NUMBERS, &n, NULL), ROOST_OK, "export");
    for (size_t i = 0; i < n; i++) require(keys[i] == values[i] ? ROOST_OK : ROOST_ERR_CORRUPT, ROOST_OK, "value");
    say(file, n ? "gave up\n" : "has no keys\n");
    sleep(10); /* mpirun ends all ranks as soon as one has ended */
}

int main(int argc, char **argv)
{
    const int late = argc > 1 && !strcmp(argv[1], "late"), cut = argc > 2 && !strcmp(argv[1], "cut");
    const roost_comm_limits limits = {.size = sizeof limits, .progress = cut ? 3 : 30, .arrival = late ? 1 : cut ? 3 : 60};
    roost_comm *comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    require(roost_comm_from_mpi(&comm, MPI_COMM_WORLD, &limits), ROOST_OK, "comm");
    if (late) others_give_up(comm);
    else if (cut) insert_until_cut(comm, argv[2]);
    else table_try(comm);
    roost_comm_free(comm);
    if (rank == 0) printf("%d ranks: %s\n", ranks, late ? "the others gave up" : "right");
    if (!late && !cut) MPI_Finalize();
    fflush(stdout);
    if (late || cut) _exit(0); /* messages are on their way, for which MPI_Finalize would wait */
    return 0;
}
