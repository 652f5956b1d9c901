/* One table over the GPUs of a machine, with a process for each, which NCCL connects.  The
 * processes are this program's children, and each sees one GPU.
 *
 *     cc sharded_nccl.c $(pkg-config --cflags --libs roost) -lnccl && ./a.out 2
 *
 * (with -I and -L for the folders of CUDA and NCCL where these are not searched) */
#define _GNU_SOURCE
#include <nccl.h>
#include <roost/roost.h>
#include <roost/sharding.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ITEMS = 100000, NUMBERS = 1000, RANKS_MOST = 64 };

/* Where rank 0 leaves the communicator's name for the others. */
static struct {
    ncclUniqueId id;
    volatile int there;
} * shared;

static void require(roost_status status, const roost_table *table)
{
    if (status == ROOST_OK) return;
    fprintf(stderr, "%s: %s\n", roost_status_name(status), roost_last_error(table));
    exit(1);
}

static ncclComm_t communicator(int rank, int ranks)
{
    ncclComm_t nccl;
    if (rank == 0 && ncclGetUniqueId(&shared->id) != ncclSuccess) exit(1);
    if (rank == 0) __sync_synchronize(), shared->there = 1;
    while (!shared->there) usleep(1000);
    __sync_synchronize();
    if (ncclCommInitRank(&nccl, ranks, shared->id, rank) != ncclSuccess) exit(1);
    return nccl;
}

static int count(int rank, int ranks)
{
    static uint32_t keys[ITEMS], ones[ITEMS];
    const uint32_t asked[] = {7, NUMBERS};
    uint32_t counts[2];
    uint8_t found[2];
    char gpu[16];
    roost_config config;
    roost_table *table;
    roost_comm *comm;
    snprintf(gpu, sizeof gpu, "%d", rank);
    setenv("CUDA_VISIBLE_DEVICES", gpu, 1);
    const ncclComm_t nccl = communicator(rank, ranks);
    require(roost_comm_from_nccl(&comm, nccl, NULL), NULL);
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
    ncclCommDestroy(nccl);
    return 0;
}

int main(int argc, char **argv)
{
    const int ranks = argc > 1 ? atoi(argv[1]) : 1;
    int failed = ranks < 1 || ranks > RANKS_MOST, status;
    if (failed) return fprintf(stderr, "usage: %s GPUS\n", argv[0]), 2;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return 1;
    for (int rank = 0; rank < ranks; rank++)
        if (fork() == 0) exit(count(rank, ranks));
    for (int rank = 0; rank < ranks; rank++) failed |= wait(&status) < 0 || status != 0;
    return failed;
}
