/* The ranks of a test of tables over NCCL (tests/nccl_ranks.sh), as processes or as threads.  Built
 * with the stand-in of tests/nccl.
 * usage: nccl_ranks N [processes | threads | fails]
 *     fails: a group of exchanges fails somewhere (STANDIN_FAIL), and all ranks must learn it */
#include <pthread.h>
#include <sys/wait.h>

#include "ranks.h"
#include "nccl/nccl.h"

static ncclUniqueId id;
static int rank_count, fails;

static void rank_fails(void) { exit(1); }

/* Some call fails, on each rank; later ones, too. */
static void all_learn(roost_comm *comm)
{
    static const uint32_t key[1] = {7};
    roost_config config = ROOST_CONFIG_INIT;
    roost_table *table = NULL;
    config.comm = comm;
    config.device = "host";
    roost_status status = roost_table_create(&table, &config);
    for (int i = 0; !status && i < 100; i++) status = roost_insert(table, ROOST_ADD, key, key, 1, NULL);
    require(status, ROOST_ERR_COMM, "calls over a transport that fails");
    if (table) require(roost_insert(table, ROOST_ADD, key, key, 1, NULL), ROOST_ERR_COMM, "a call after the failure");
    roost_table_destroy(table);
}

static void *rank_run(void *number)
{
    const roost_comm_limits limits = {.size = sizeof limits, .progress = 20, .arrival = 20};
    ncclComm_t nccl;
    roost_comm *comm;
    rank = (int)(intptr_t)number;
    ranks = rank_count;
    if (ncclCommInitRank(&nccl, ranks, id, rank)) rank_fails();
    const roost_status status = roost_comm_from_nccl(&comm, nccl, &limits);
    if (status) ncclCommDestroy(nccl); /* else its memory would stay */
    require(status, ROOST_OK, "comm");
    if (fails) all_learn(comm);
    else table_try(comm);
    roost_comm_free(comm);
    ncclCommDestroy(nccl);
    return NULL;
}

static int processes_run(void)
{
    int failed = 0, status;
    for (int r = 0; r < rank_count; r++) {
        const pid_t child = fork();
        if (child < 0) return 1;
        if (child == 0) {
            rank_run((void *)(intptr_t)r);
            exit(0);
        }
    }
    for (int r = 0; r < rank_count; r++) failed |= wait(&status) < 0 || status != 0;
    return failed;
}

static int threads_run(void)
{
    pthread_t thread[16];
    int failed = 0;
    for (int r = 0; r < rank_count; r++) failed |= pthread_create(&thread[r], NULL, rank_run, (void *)(intptr_t)r);
    for (int r = 0; r < rank_count; r++) failed |= pthread_join(thread[r], NULL);
    return failed;
}

int main(int argc, char **argv)
{
    rank_count = argc > 1 ? atoi(argv[1]) : 0;
    if (rank_count < 1 || rank_count > 16 || ncclGetUniqueId(&id)) return 2;
    const char *const how = argc > 2 ? argv[2] : "processes";
    fails = !strcmp(how, "fails");
    const int failed = strcmp(how, "processes") ? threads_run() : processes_run();
    if (!failed) printf("%d ranks: %s\n", rank_count, fails ? "all learnt" : "right");
    return failed;
}
