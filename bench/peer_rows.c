/* Rows of other libraries' tables on the host. Each runs with as many threads as Roost, and its
 * answers are verified in the same way. */
#include "peer_rows.h"
#include "roost/tuning.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PEER_INSERTS = 3, PEER_FINDS = 3 };

static const int peer_hits[TABLE_FIND_LEVELS] = {100, 50, 0};

#ifndef ROOST_BENCH_LIBCUCKOO
#define ROOST_BENCH_LIBCUCKOO NULL
#endif
#ifndef ROOST_BENCH_TBB
#define ROOST_BENCH_TBB NULL
#endif
#ifndef ROOST_BENCH_URCU
#define ROOST_BENCH_URCU NULL
#endif
#ifndef ROOST_BENCH_CK
#define ROOST_BENCH_CK NULL
#endif
/* The build defines the libraries that exist. */
const struct peer_entry peers[PEERS] = {{"libcuckoo", "libcuckoo-dev", ROOST_BENCH_LIBCUCKOO},
                                        {"tbb", "libtbb-dev", ROOST_BENCH_TBB},
                                        {"urcu", "liburcu-dev", ROOST_BENCH_URCU},
                                        {"ck", "libck-dev", ROOST_BENCH_CK}};

uint64_t host_cache_bytes(void)
{
    roost_device_info info;
    for (size_t i = 0; roost_device_describe(i, &info, sizeof info) == ROOST_OK; i++)
        if (strcmp(info.name, "host") == 0 && info.l2_bytes) return info.l2_bytes;
    long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
    return bytes > 0 ? (uint64_t)bytes : 0;
}

/* A library's table under measurement. */
struct measured {
    const struct options *o;
    const struct peer_entry *of;
    struct peer *peer;
    int threads;
};

static void peer_describe(struct row *row, const struct measured *m)
{
    snprintf(row->engine, sizeof row->engine, "%s", m->of->name);
    row->stats.table_bytes = m->of->library->bytes(m->peer);
    row->stats.load_factor = m->of->library->load_factor(m->peer);
    row->cache_bytes = host_cache_bytes();
    if (m->of->library->one_writer && m->threads > 1) snprintf(row->note, sizeof row->note, "inserted by one thread");
}

static void peer_ask(const struct measured *m, const struct arrays *a, const void *queries, uint64_t n, struct row *row, bool timed)
{
    const struct machine *machine = machine_host(m->threads);
    machine->fill(a->found, BENCH_POISON, n);
    machine->fill(a->answer, BENCH_POISON, n * sizeof(uint32_t));
    const double start = machine_now();
    m->of->library->find(m->peer, queries, n, a->answer, a->found, m->threads);
    if (timed) row_add_time(row, machine_now() - start, 0);
    row->wrong += machine->count_wrong(a->w, (struct answers){queries, a->found, a->answer, n, false, true});
    row->verified += n;
}

static double peer_finds(const struct measured *m, const char *group, struct arrays *a, int hits)
{
    const struct machine *machine = machine_host(m->threads);
    char name[96];
    snprintf(name, sizeof name, "%s/find-%d", group, hits);
    struct row row = row_make(name, UNIT_MEGA);
    row.items = a->queries;
    for (int i = 0; i < 2; i++)
        machine->make_queries(a->w, (struct drawing){(uint64_t)(1 + i + 2 * hits), hits, 0}, a->queries, a->query[i], NULL);
    row.distinct = machine->count_distinct(a->w, a->query[0], a->queries);
    peer_describe(&row, m);
    /* The insert's verification was the warm-up. */
    for (int i = 0; i < PEER_FINDS; i++) peer_ask(m, a, a->query[i % 2], a->queries, &row, true);
    const double rate = row_rate(&row);
    report_row(m->o, row);
    return rate;
}

/* Fills a fresh table with all keys; on failure returns false, and the row gives the reason. */
static bool peer_fill(struct measured *m, const struct arrays *a, uint64_t reserve, struct row *row)
{
    m->of->library->destroy(m->peer);
    m->peer = m->of->library->create(reserve);
    machine_host(m->threads)->ready(workload_pair_bytes(a->w, a->w.keys));
    const double start = machine_now();
    const int failed = !m->peer || m->of->library->insert(m->peer, a->keys, a->values, a->w.keys, m->threads);
    row_add_time(row, machine_now() - start, 0);
    if (!failed && m->of->library->count(m->peer) == a->w.keys) {
        peer_ask(m, a, a->keys, a->w.keys, row, false);
        return true;
    }
    row_fail(row, ROW_FAILED, "%s did not store all keys", m->of->name);
    return false;
}

/* One reservation; `reserve`: number of keys that the library makes room for. */
static struct rates peer_group(struct measured m, const char *group, struct arrays *a, uint64_t reserve)
{
    struct rates rates = {0};
    char name[96];
    snprintf(name, sizeof name, "%s/insert", group);
    struct row row = row_make(name, UNIT_MEGA);
    row.items = row.distinct = a->w.keys;
    bool filled = true;
    for (int i = 0; i < PEER_INSERTS && filled; i++) filled = peer_fill(&m, a, reserve, &row);
    if (filled) peer_describe(&row, &m);
    rates.insert = row_rate(&row);
    report_row(m.o, row);
    for (int i = 0; filled && i < TABLE_FIND_LEVELS; i++) rates.find[i] = peer_finds(&m, group, a, peer_hits[i]);
    m.of->library->destroy(m.peer);
    return rates;
}

static double larger(double a, double b) { return a > b ? a : b; }

/* The groups of a library: "tbb-2", and its name for the second reservation. */
enum { RESERVATIONS = 2 };
static void group_name(char name[64], const struct peer_entry *peer, int threads, int reservation)
{
    snprintf(name, 64, "%s-%d%s", peer->name, threads, reservation ? "[n/load]" : "");
}

bool peer_wanted(const struct options *o, const struct peer_entry *peer, int threads)
{
    char group[64];
    bool wanted = false;
    for (int i = 0; i < RESERVATIONS; i++) {
        group_name(group, peer, threads, i);
        wanted = wanted || table_wanted(o, group);
    }
    return wanted;
}

struct rates peer_rates(const struct options *o, const struct peer_entry *peer, struct arrays *a, int threads)
{
    const struct measured m = {o, peer, NULL, threads};
    const double roomy = (double)a->w.keys / o->load;
    struct rates best = {0};
    char group[64];
    for (int i = 0; i < RESERVATIONS && peer->library; i++) {
        group_name(group, peer, threads, i);
        const struct rates rates = peer_group(m, group, a, i ? (uint64_t)roomy : a->w.keys);
        best.insert = larger(best.insert, rates.insert);
        for (int level = 0; level < TABLE_FIND_LEVELS; level++) best.find[level] = larger(best.find[level], rates.find[level]);
    }
    if (peer->library) return best;
    group_name(group, peer, threads, 0);
    struct row row = row_make(group, UNIT_MEGA);
    row_fail(&row, ROW_UNAVAILABLE, "%s was not found when this was built", peer->package);
    report_row(o, row);
    return best;
}

struct rates peer_rates_of(const struct options *o, const struct peer_entry *peer, struct arrays *a, int threads, const char *group)
{
    const struct measured m = {o, peer, NULL, threads};
    return peer_group(m, group, a, a->w.keys);
}
