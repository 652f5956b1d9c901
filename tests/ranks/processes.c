/* Ranks that are processes of one host, over a transport of sockets: tables on a GPU store items in
 * each other's memory.
 * usage: process_ranks N DEVICE [dies]
 *     dies: the last rank is killed between two calls, and the others must learn it */
#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "comms/group.h"
#include "ranks.h"

enum { MOST = 16 };

static void rank_fails(void) { exit(1); }

/* ---- The transport --------------------------------------------------------------------------- */

/* A socket to each other rank, and how far the exchange is. */
static int sockets[MOST][MOST];
static const roost_comm_exchange *exchange;
static size_t sent[MOST], received[MOST];

static int start(void *context, const roost_comm_exchange *e)
{
    (void)context;
    exchange = e;
    memset(sent, 0, sizeof sent);
    memset(received, 0, sizeof received);
    if (e->send_bytes[rank]) memcpy(e->receive[rank], e->send[rank], e->send_bytes[rank]);
    return 0;
}

/* Sends and receives what the socket takes and has.  -1: the rank is gone. */
static int move(int peer)
{
    const size_t out = exchange->send_bytes[peer] - sent[peer], in = exchange->receive_bytes[peer] - received[peer];
    const int s = sockets[rank][peer];
    ssize_t n = out ? send(s, (const char *)exchange->send[peer] + sent[peer], out, MSG_DONTWAIT | MSG_NOSIGNAL) : 0;
    if (n < 0 && errno != EAGAIN) return -1;
    sent[peer] += n > 0 ? (size_t)n : 0;
    n = in ? recv(s, (char *)exchange->receive[peer] + received[peer], in, MSG_DONTWAIT) : 0;
    if (in && (n == 0 || (n < 0 && errno != EAGAIN))) return -1;
    received[peer] += n > 0 ? (size_t)n : 0;
    return 0;
}

static int test(void *context, int *done)
{
    (void)context;
    *done = 1;
    for (int r = 0; r < ranks; r++) {
        if (r == rank) continue;
        if (move(r)) return 1;
        *done = *done && sent[r] == exchange->send_bytes[r] && received[r] == exchange->receive_bytes[r];
    }
    return 0;
}

/* ---- The ranks ------------------------------------------------------------------------------- */

/* The last rank is killed after a call.  The others' next call fails, and their shards can be
 * read. */
static void one_dies(roost_comm *comm)
{
    static uint32_t keys[ITEMS], values[ITEMS];
    roost_config config = ROOST_CONFIG_INIT;
    roost_cursor cursor = {0, 0};
    roost_table *table;
    size_t n = 0, all = 0;
    config.comm = comm;
    config.device = device;
    require(roost_table_create(&table, &config), ROOST_OK, "create");
    for (uint32_t i = 0; i < ITEMS; i++) keys[i] = (uint32_t)rank * ITEMS + i, values[i] = i;
    require(roost_insert(table, ROOST_ADD, keys, values, ITEMS, NULL), ROOST_OK, "insert");
    if (rank == ranks - 1) kill(getpid(), SIGKILL);
    require(roost_find(table, keys, ITEMS, values, NULL, NULL), ROOST_ERR_COMM, "a call without a rank");
    require(roost_find(table, keys, ITEMS, values, NULL, NULL), ROOST_ERR_COMM, "a call after that");
    while (!cursor.end) {
        require(roost_export(table, &cursor, keys, values, ITEMS, &n, NULL), ROOST_OK, "export");
        all += n;
    }
    if (!all || all > (size_t)ranks * ITEMS) rank_fails();
    roost_table_destroy(table);
}

/* On a GPU ranks must reach each other. */
static void reach_try(roost_comm *comm)
{
    roost_config config = ROOST_CONFIG_INIT;
    roost_table *table;
    config.comm = comm;
    config.device = device;
    require(roost_table_create(&table, &config), ROOST_OK, "create");
    const int reach = group_of(table)->peers != NULL;
    if (reach != !strncmp(device, "cuda", 4)) {
        fprintf(stderr, "rank %d: ranks reach each other: %d\n", rank, reach);
        rank_fails();
    }
    roost_table_destroy(table);
}

static void rank_run(int r, int dies)
{
    const roost_comm_limits limits = {.size = sizeof limits, .progress = 20, .arrival = 20};
    const roost_comm_operations operations = {.size = sizeof operations, .rank = r, .ranks = ranks, .start = start, .test = test};
    roost_comm *comm;
    rank = r;
    for (int a = 0; a < ranks; a++)
        for (int b = 0; b < ranks; b++)
            if (a != r && a != b) close(sockets[a][b]);
    require(roost_comm_custom(&comm, &operations, &limits), ROOST_OK, "comm");
    if (dies) one_dies(comm);
    else reach_try(comm), table_try(comm);
    roost_comm_free(comm);
}

int main(int argc, char **argv)
{
    ranks = argc > 2 ? atoi(argv[1]) : 0;
    if (ranks < 1 || ranks > MOST) return 2;
    device = argv[2];
    const int dies = argc > 3 && !strcmp(argv[3], "dies");
    pid_t children[MOST];
    int failed = 0, status, ends[2];
    for (int a = 0; a < ranks; a++)
        for (int b = a + 1; b < ranks; b++) {
            if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return 1;
            sockets[a][b] = ends[0], sockets[b][a] = ends[1];
        }
    for (int r = 0; r < ranks; r++) {
        children[r] = fork();
        if (children[r] == 0) {
            rank_run(r, dies);
            exit(0);
        }
        if (children[r] < 0) return 1;
    }
    for (int a = 0; a < ranks; a++)
        for (int b = 0; b < ranks; b++)
            if (a != b) close(sockets[a][b]);
    for (int r = 0; r < ranks; r++) {
        const int killed = dies && r == ranks - 1;
        if (waitpid(children[r], &status, 0) < 0 || (killed ? !WIFSIGNALED(status) : status != 0)) failed = 1;
    }
    if (!failed) printf("%d ranks: %s\n", ranks, dies ? "all learnt" : "right");
    return failed;
}
