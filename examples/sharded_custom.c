/* One table over processes that sockets connect: a transport of the caller's own
 * (roost_comm_custom).  Each process counts its own part of the numbers, and the table has the
 * counts of all.
 *
 *     cc sharded_custom.c $(pkg-config --cflags --libs roost) && ./a.out */
#define _GNU_SOURCE
#include <errno.h>
#include <roost/roost.h>
#include <roost/sharding.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANKS = 3, ITEMS = 100000, NUMBERS = 1000 };

/* A rank's end of the transport: a socket to each other rank, and how far the exchange is. */
struct transport {
    int rank, socket[RANKS];
    const roost_comm_exchange *exchange;
    size_t sent[RANKS], received[RANKS];
};

static int start(void *context, const roost_comm_exchange *exchange)
{
    struct transport *const t = context;
    t->exchange = exchange;
    memset(t->sent, 0, sizeof t->sent);
    memset(t->received, 0, sizeof t->received);
    const size_t own = exchange->send_bytes[t->rank];
    if (own) memcpy(exchange->receive[t->rank], exchange->send[t->rank], own);
    return 0;
}

/* Moves what the sockets take and have now.  -1: a rank is gone. */
static int move(struct transport *t, int peer)
{
    const roost_comm_exchange *const e = t->exchange;
    const size_t out = e->send_bytes[peer] - t->sent[peer], in = e->receive_bytes[peer] - t->received[peer];
    if (out) {
        const ssize_t n = send(t->socket[peer], (const char *)e->send[peer] + t->sent[peer], out, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0 && errno != EAGAIN) return -1;
        if (n > 0) t->sent[peer] += (size_t)n;
    }
    if (in) {
        const ssize_t n = recv(t->socket[peer], (char *)e->receive[peer] + t->received[peer], in, MSG_DONTWAIT);
        if (n == 0 || (n < 0 && errno != EAGAIN)) return -1;
        if (n > 0) t->received[peer] += (size_t)n;
    }
    return 0;
}

static int test(void *context, int *done)
{
    struct transport *const t = context;
    *done = 1;
    for (int r = 0; r < RANKS; r++) {
        if (r == t->rank) continue;
        if (move(t, r)) return -1;
        *done &= t->sent[r] == t->exchange->send_bytes[r] && t->received[r] == t->exchange->receive_bytes[r];
    }
    return 0;
}

static void require(roost_status status, const roost_table *table)
{
    if (status == ROOST_OK) return;
    fprintf(stderr, "%s: %s\n", roost_status_name(status), roost_last_error(table));
    exit(1);
}

static void count(struct transport *t)
{
    static uint32_t keys[ITEMS], ones[ITEMS];
    const uint32_t asked[] = {7, NUMBERS};
    uint32_t counts[2];
    uint8_t found[2];
    roost_comm_operations operations = ROOST_COMM_OPERATIONS_INIT;
    roost_config config;
    roost_table *table;
    operations.context = t;
    operations.rank = t->rank;
    operations.ranks = RANKS;
    operations.start = start;
    operations.test = test;
    require(roost_config_init(&config, sizeof config), NULL);
    require(roost_comm_custom(&config.comm, &operations, NULL), NULL);
    require(roost_table_create(&table, &config), NULL);
    for (uint32_t i = 0; i < ITEMS; i++) keys[i] = (i * (unsigned)(2 * t->rank + 3)) % NUMBERS, ones[i] = 1;
    require(roost_insert(table, ROOST_ADD, keys, ones, ITEMS, NULL), table);
    require(roost_find(table, asked, 2, counts, found, NULL), table);
    printf("rank %d: %u is %s, %u times; %u is %s\n", t->rank, asked[0], found[0] ? "there" : "absent", counts[0], asked[1],
           found[1] ? "there" : "absent");
    roost_table_destroy(table);
    roost_comm_free(config.comm);
}

int main(void)
{
    struct transport t[RANKS];
    int failed = 0, status;
    for (int r = 0; r < RANKS; r++) t[r].rank = r;
    for (int a = 0; a < RANKS; a++)
        for (int b = 0; b < a; b++) {
            int pair[2];
            if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) return 1;
            t[a].socket[b] = pair[0];
            t[b].socket[a] = pair[1];
        }
    for (int r = 0; r < RANKS; r++)
        if (fork() == 0) {
            count(&t[r]);
            return 0;
        }
    for (int r = 0; r < RANKS; r++) failed |= wait(&status) < 0 || status != 0;
    return failed;
}
