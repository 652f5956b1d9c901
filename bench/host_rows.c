/* The host's rows: Roost's tables, the machine's limits, and libcuckoo on the same keys with as many threads. */
#include "bench.h"
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PEER_INSERTS = 3, PEER_FINDS = 3 };

static const int peer_hits[TABLE_FIND_LEVELS] = {100, 50, 0};

/* Rates by which rows of different groups are compared; 0 where a row was not measured. */
struct rates {
    double insert, find[TABLE_FIND_LEVELS];
};

static uint64_t host_cache_bytes(void)
{
    roost_device_info info;
    for (size_t i = 0; roost_device_describe(i, &info, sizeof info) == ROOST_OK; i++)
        if (strcmp(info.name, "host") == 0 && info.l2_bytes) return info.l2_bytes;
    long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
    return bytes > 0 ? (uint64_t)bytes : 0;
}

static double rate_of(const struct row *row)
{
    double seconds = median(row->seconds, row->repetitions);
    return seconds > 0 && !row->wrong ? (double)row->items / seconds : 0;
}

/* ---- Limits ------------------------------------------------------------------------------------------------------------ */

static double limit_row(const struct options *o, enum limit_pattern pattern, uint64_t bytes, int threads)
{
    char name[96];
    if (o->profile) return 0;
    struct limit limit = limit_host(pattern, bytes, o->host_keys, o->seed, threads);
    snprintf(name, sizeof name, "host-%d/limit/%s", threads, limit_name(pattern));
    struct row row = row_make(name, UNIT_MEGA);
    row.rate = limit.rate;
    row.items = limit.operations;
    snprintf(row.shape, sizeof row.shape, "%s", limit.shape);
    for (int i = 0; i < LIMIT_REPETITIONS; i++) row_add_time(&row, limit.seconds[i], 0);
    report_row(o, row);
    return limit.rate;
}

/* Limits are measured once for each count of threads; all tables have about as many bytes. */
static struct access_limit host_access_limit(const struct place *p, enum access access, uint64_t bytes)
{
    static int threads;
    static double rate;
    (void)access; /* any of them reads a line */
    if (threads != p->threads) rate = limit_row(p->o, LIMIT_GATHER_64, bytes, p->threads);
    threads = p->threads;
    return (struct access_limit){limit_name(LIMIT_GATHER_64), rate};
}

/* The host has no index limit of its own: the index of such a table is small beside its buckets. */
static struct access_limit host_index_limit(const struct place *p, uint64_t bucket_bytes, uint64_t bytes, uint64_t index_bytes,
                                            bool values)
{
    (void)bucket_bytes, (void)index_bytes, (void)values;
    return host_access_limit(p, ACCESS_LINE, bytes);
}

static struct place host_place(const struct options *o, const char *prefix, int threads)
{
    return (struct place){.o = o,
                          .machine = machine_host(threads),
                          .device = "host",
                          .prefix = prefix,
                          .keys = o->host_keys,
                          .threads = threads,
                          .cache_bytes = host_cache_bytes(),
                          .unit = UNIT_MEGA,
                          .limit = host_access_limit,
                          .index_limit = host_index_limit};
}

static void engine_groups(const struct options *o, struct arrays *a, int threads)
{
    char prefix[32];
    snprintf(prefix, sizeof prefix, "host-%d", threads);
    const struct place p = host_place(o, prefix, threads);
    slab_rows(&p, a);
    phase_rows(&p, a);
    slab_batch_rows(&p);
    gph_rows(&p, a);
    stadium_rows(&p, a);
    string_rows(&p);
    if (o->figures) figure_rows(&p, a);
    if (o->figures) stadium_figure_rows(&p, a);
    if (o->figures) stadium_size_rows(&p);
    if (o->figures) reach_rows(&p);
}

/* ---- Roost ------------------------------------------------------------------------------------------------------------- */

static void roost_report(const struct options *o, struct table_rows *rows, int threads)
{
    if (rows->insert.stats.table_bytes) {
        const double gather = limit_row(o, LIMIT_GATHER_64, rows->insert.stats.table_bytes, threads);
        const double update = limit_row(o, LIMIT_READ2_STORE, rows->insert.stats.table_bytes, threads);
        row_set_limit(&rows->insert, limit_name(LIMIT_READ2_STORE), update);
        row_set_limit(&rows->erase, limit_name(LIMIT_GATHER_64), gather);
        row_set_limit(&rows->find_erased, limit_name(LIMIT_GATHER_64), gather);
        for (int i = 0; i < TABLE_FIND_LEVELS; i++) row_set_limit(&rows->find[i], limit_name(LIMIT_GATHER_64), gather);
    }
    report_row(o, rows->insert);
    for (int i = 0; i < TABLE_FIND_LEVELS; i++) report_row(o, rows->find[i]);
    report_row(o, rows->erase);
    report_row(o, rows->find_erased);
}

static struct rates roost_group(const struct options *o, struct arrays *a, int threads)
{
    char group[32];
    snprintf(group, sizeof group, "host-%d", threads);
    const struct place p = host_place(o, group, threads);
    const struct table_case c = place_case(&p, o->engine, NULL, group);
    struct table_rows rows = table_measure(o, &c, a);
    struct rates rates = {.insert = rate_of(&rows.insert)};
    for (int i = 0; i < TABLE_FIND_LEVELS; i++) rates.find[i] = rate_of(&rows.find[i]);
    roost_report(o, &rows, threads);
    return rates;
}

static void ratio_row(const struct options *o, const char *row, const char *against, double rate, double other, const char *note)
{
    char name[96];
    if (rate <= 0 || other <= 0) return;
    snprintf(name, sizeof name, "%s/%s", row, against);
    struct row ratio = row_make(name, UNIT_TIMES);
    ratio.rate = rate / other;
    snprintf(ratio.note, sizeof ratio.note, "%s", note);
    report_row(o, ratio);
}

/* ---- libcuckoo --------------------------------------------------------------------------------------------------------- */

#ifdef ROOST_BENCH_PEER
static void peer_describe(struct row *row, const struct peer *peer)
{
    snprintf(row->engine, sizeof row->engine, "libcuckoo");
    row->stats.table_bytes = peer_bytes(peer);
    row->stats.load_factor = peer_load_factor(peer);
    row->cache_bytes = host_cache_bytes();
}

static void peer_ask(const struct peer *peer, const struct arrays *a, const void *queries, uint64_t n, int threads, struct row *row,
                     bool timed)
{
    const struct machine *m = machine_host(threads);
    m->fill(a->found, BENCH_POISON, n);
    m->fill(a->answer, BENCH_POISON, n * sizeof(uint32_t));
    double start = machine_now();
    peer_find(peer, queries, n, a->answer, a->found, threads);
    if (timed) row_add_time(row, machine_now() - start, 0);
    row->wrong += m->count_wrong(a->w, (struct answers){queries, a->found, a->answer, n, false, true});
    row->verified += n;
}

static double peer_finds(const struct options *o, const char *group, const struct peer *peer, struct arrays *a, int threads,
                         int hits)
{
    const struct machine *m = machine_host(threads);
    char name[96];
    snprintf(name, sizeof name, "%s/find-%d", group, hits);
    struct row row = row_make(name, UNIT_MEGA);
    row.items = a->queries;
    for (int i = 0; i < 2; i++)
        m->make_queries(a->w, (struct drawing){(uint64_t)(1 + i + 2 * hits), hits, 0}, a->queries, a->query[i], NULL);
    row.distinct = m->count_distinct(a->w, a->query[0], a->queries);
    peer_describe(&row, peer);
    /* The insert's verification was the warm-up. */
    for (int i = 0; i < PEER_FINDS; i++) peer_ask(peer, a, a->query[i % 2], a->queries, threads, &row, true);
    double rate = rate_of(&row);
    report_row(o, row);
    return rate;
}

/* A fresh map with all keys, or NULL with the row saying why. */
static struct peer *peer_filled(const struct arrays *a, uint64_t reserve, int threads, struct row *row)
{
    struct peer *peer = peer_create(reserve);
    double start = machine_now();
    int failed = !peer || peer_insert(peer, a->keys, a->values, a->w.keys, threads);
    row_add_time(row, machine_now() - start, 0);
    if (!failed && peer_count(peer) == a->w.keys) {
        peer_ask(peer, a, a->keys, a->w.keys, threads, row, false);
        return peer;
    }
    row_fail(row, ROW_FAILED, "libcuckoo did not store all keys");
    if (peer) peer_destroy(peer);
    return NULL;
}

/* One reservation: keys that libcuckoo is told to make room for. */
static struct rates peer_group(const struct options *o, const char *group, struct arrays *a, uint64_t reserve, int threads)
{
    struct rates rates = {0};
    struct peer *peer = NULL;
    char name[96];
    snprintf(name, sizeof name, "%s/insert", group);
    struct row row = row_make(name, UNIT_MEGA);
    row.items = row.distinct = a->w.keys;
    for (int i = 0; i < PEER_INSERTS && row.state != ROW_FAILED; i++) {
        if (peer) peer_destroy(peer);
        peer = peer_filled(a, reserve, threads, &row);
    }
    if (peer) peer_describe(&row, peer);
    rates.insert = rate_of(&row);
    report_row(o, row);
    for (int i = 0; peer && i < TABLE_FIND_LEVELS; i++) rates.find[i] = peer_finds(o, group, peer, a, threads, peer_hits[i]);
    if (peer) peer_destroy(peer);
    return rates;
}

static double larger(double a, double b) { return a > b ? a : b; }

/* Reserved to n and, since that may leave it nearly full, reserved to n / load: the faster of the two counts, row by row. */
static struct rates peer_rates(const struct options *o, struct arrays *a, int threads)
{
    char group[64];
    snprintf(group, sizeof group, "libcuckoo-%d", threads);
    struct rates best = peer_group(o, group, a, a->w.keys, threads);
    snprintf(group, sizeof group, "libcuckoo-%d[n/load]", threads);
    struct rates roomy = peer_group(o, group, a, (uint64_t)((double)a->w.keys / o->load), threads);
    best.insert = larger(best.insert, roomy.insert);
    for (int i = 0; i < TABLE_FIND_LEVELS; i++) best.find[i] = larger(best.find[i], roomy.find[i]);
    return best;
}
#else
static struct rates peer_rates(const struct options *o, struct arrays *a, int threads)
{
    char name[96];
    (void)a;
    snprintf(name, sizeof name, "libcuckoo-%d", threads);
    struct row row = row_make(name, UNIT_MEGA);
    row_fail(&row, ROW_UNAVAILABLE, "libcuckoo-dev or a C++ compiler was not found when this was built");
    report_row(o, row);
    return (struct rates){0};
}
#endif

/* ---- All of them ------------------------------------------------------------------------------------------------------- */

static bool peer_wanted(const struct options *o, int threads)
{
    char group[64];
    snprintf(group, sizeof group, "libcuckoo-%d", threads);
    if (table_wanted(o, group)) return true;
    snprintf(group, sizeof group, "libcuckoo-%d[n/load]", threads);
    return table_wanted(o, group);
}

/* Whether the rows of this many threads are asked for, either to be printed or to be compared with. */
static bool group_wanted(const struct options *o, int threads)
{
    char group[32];
    snprintf(group, sizeof group, "host-%d", threads);
    return table_wanted(o, group) || (o->only && strncmp(o->only, group, strlen(group)) == 0);
}

/* Whether --only leaves rows of engines by name in, or (`alone`) names one of their groups. */
static bool asks_for_engines(const struct options *o, int threads, bool alone)
{
    static const char *const parts[] = {"slab", "phases", "gph", "stadium", "libcuckoo-strings", "figures"};
    char prefix[32];
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        snprintf(prefix, sizeof prefix, "host-%d/%s", threads, parts[i]);
        if (options_want_some(o, prefix) && (!alone || (o->only && strlen(o->only) >= strlen(prefix)))) return true;
    }
    return false;
}

static void group_against_peer(const struct options *o, struct arrays *a, int threads, struct rates mine)
{
    char row[64];
    static const char note[] = "against the faster of libcuckoo's two reservations";
    struct rates peer = peer_rates(o, a, threads);
    snprintf(row, sizeof row, "host-%d/insert", threads);
    ratio_row(o, row, "libcuckoo", mine.insert, peer.insert, note);
    for (int i = 0; i < TABLE_FIND_LEVELS; i++) {
        snprintf(row, sizeof row, "host-%d/find-%d", threads, peer_hits[i]);
        ratio_row(o, row, "libcuckoo", mine.find[i], peer.find[i], note);
    }
}

static void scaling_rows(const struct options *o, const struct rates *rates)
{
    double one = 0;
    for (int i = 0; i < o->thread_counts; i++)
        if (o->threads[i] == 1) one = rates[i].insert;
    for (int i = 0; i < o->thread_counts; i++) {
        char row[64];
        snprintf(row, sizeof row, "host-%d/insert", o->threads[i]);
        if (o->threads[i] != 1) ratio_row(o, row, "1-thread", rates[i].insert, one, "");
    }
}

void host_rows(const struct options *o)
{
    bool any = false;
    struct rates rates[BENCH_MAX_THREAD_COUNTS] = {{0}};
    for (int i = 0; i < o->thread_counts; i++) any = any || group_wanted(o, o->threads[i]) || peer_wanted(o, o->threads[i]);
    if (!any) return;

    const struct workload w = {.seed = o->seed, .keys = o->host_keys, .key_bytes = 4, .value_bytes = 4};
    const struct machine *m = machine_host((int)sysconf(_SC_NPROCESSORS_ONLN));
    struct arrays a = arrays_make(m, w, w.keys);
    for (int i = 0; i < o->thread_counts; i++) {
        const int threads = o->threads[i];
        const bool alone = asks_for_engines(o, threads, true);
        if (group_wanted(o, threads) && !alone) rates[i] = roost_group(o, &a, threads);
        if ((group_wanted(o, threads) || peer_wanted(o, threads)) && !alone) group_against_peer(o, &a, threads, rates[i]);
        if (asks_for_engines(o, threads, false)) engine_groups(o, &a, threads);
    }
    scaling_rows(o, rates);
    arrays_free(m, &a);
}
