/* A rank of a test of tables over MPI (tests/mpi_ranks.sh).
 * usage: mpirun -n N ranks [late]     late: the last rank does not come, and the others give up */
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

int main(int argc, char **argv)
{
    const int late = argc > 1 && !strcmp(argv[1], "late");
    const roost_comm_limits limits = {.size = sizeof limits, .progress = 30, .arrival = late ? 1 : 60};
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
