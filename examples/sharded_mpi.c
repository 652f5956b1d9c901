/* One table over the processes of an MPI job: each counts its own part of the numbers, and the
 * table has the counts of all.
 *
 *     mpicc sharded_mpi.c $(pkg-config --cflags --libs roost-mpi) && mpirun -n 3 ./a.out */
#include <roost/mpi.h>
#include <roost/roost.h>
#include <stdio.h>
#include <stdlib.h>

enum { ITEMS = 100000, NUMBERS = 1000 };

static uint32_t keys[ITEMS], ones[ITEMS];

static void require(roost_status status, const roost_table *table)
{
    if (status == ROOST_OK) return;
    fprintf(stderr, "%s: %s\n", roost_status_name(status), roost_last_error(table));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
    const uint32_t asked[] = {7, NUMBERS};
    uint32_t counts[2];
    uint8_t found[2];
    roost_config config;
    roost_table *table;
    roost_comm *comm;
    MPI_Init(&argc, &argv);
    require(roost_comm_from_mpi(&comm, MPI_COMM_WORLD, NULL), NULL);
    const int rank = roost_comm_rank(comm);
    require(roost_config_init(&config, sizeof config), NULL);
    config.comm = comm;
    require(roost_table_create(&table, &config), NULL);
    for (uint32_t i = 0; i < ITEMS; i++) keys[i] = (i * (unsigned)(2 * rank + 3)) % NUMBERS, ones[i] = 1;
    require(roost_insert(table, ROOST_ADD, keys, ones, ITEMS, NULL), table);
    require(roost_find(table, asked, 2, counts, found, NULL), table);
    printf("rank %d: %u is %s, %u times; %u is %s\n", rank, asked[0], found[0] ? "there" : "absent", counts[0], asked[1],
           found[1] ? "there" : "absent");
    roost_table_destroy(table);
    roost_comm_free(comm);
    MPI_Finalize();
    return 0;
}
