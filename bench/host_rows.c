/* The host's rows: Roost's tables, the machine's limits, and tables of other libraries on the
 * same keys with the same number of threads. */
#include "bench.h"
#include "peer_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Limits ---------------------------------------------------------------------------------- */

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

/* The limit of a copy. */
static struct access_limit host_stream_limit(const struct place *p)
{
    static int threads;
    static struct limit limit;
    if (threads != p->threads && !p->o->profile) {
        char name[96];
        limit = limit_host_copy(LIMIT_COPY_BYTES, p->threads);
        snprintf(name, sizeof name, "host-%d/limit/copy", p->threads);
        struct row row = row_make(name, UNIT_BYTES);
        row.rate = limit.rate;
        row.items = limit.operations;
        for (int i = 0; i < LIMIT_REPETITIONS; i++) row_add_time(&row, limit.seconds[i], 0);
        report_row(p->o, row);
    }
    threads = p->threads;
    return (struct access_limit){"copy", limit.rate};
}

/* The limits are measured once for each number of threads, because all tables have about the
 * same size. */
static struct access_limit host_access_limit(const struct place *p, enum access access, uint64_t bytes)
{
    static int threads;
    static double rate;
    if (access == ACCESS_STREAM) return host_stream_limit(p); /* all other accesses read a line */
    if (threads != p->threads) rate = limit_row(p->o, LIMIT_GATHER_64, bytes, p->threads);
    threads = p->threads;
    return (struct access_limit){limit_name(LIMIT_GATHER_64), rate};
}

/* The host has no index limit of its own: a table's index is small beside its buckets. */
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
    fks_rows(&p, a);
    stadium_rows(&p, a);
    string_rows(&p);
    chosen_rows(&p);
    compact_rows(&p);
    ranks_rows(&p);
    relations_rows(&p);
    snapshot_rows(&p);
    if (o->house) house_rows(&p);
    if (o->figures) figure_rows(&p, a);
    if (o->figures) stadium_figure_rows(&p, a);
    if (o->figures) stadium_size_rows(&p);
    if (o->figures) fks_figure_rows(&p);
    if (o->figures) region_rows(&p);
    if (o->figures) reach_rows(&p);
}

/* ---- Roost ----------------------------------------------------------------------------------- */

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
    struct rates rates = {.insert = row_rate(&rows.insert)};
    for (int i = 0; i < TABLE_FIND_LEVELS; i++) rates.find[i] = row_rate(&rows.find[i]);
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

/* ---- All rows -------------------------------------------------------------------------------- */

/* True if rows for this number of threads are needed, to be printed or for a comparison. */
static bool group_wanted(const struct options *o, int threads)
{
    char group[32];
    snprintf(group, sizeof group, "host-%d", threads);
    return table_wanted(o, group) || options_name(o, group);
}

/* True if --only selects rows of engines by name, or (`alone`) names one of their groups. */
static bool asks_for_engines(const struct options *o, int threads, bool alone)
{
    static const char *const parts[] = {"slab",   "phases",  "gph",      "fks",     "stadium", "libcuckoo-strings",
                                        "chosen", "figures", "house",    "compact", "ranks",   "numbers",
                                        "joins",  "groups",  "snapshots"};
    char prefix[32];
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        snprintf(prefix, sizeof prefix, "host-%d/%s", threads, parts[i]);
        if (options_want_some(o, prefix) && (!alone || options_name(o, prefix))) return true;
    }
    return false;
}

static bool any_peer_wanted(const struct options *o, int threads)
{
    bool any = false;
    for (int p = 0; p < PEERS; p++) any = any || peer_wanted(o, &peers[p], threads);
    return any;
}

/* All libraries beside Roost's rows, or only the selected ones. */
static void groups_of_peers(const struct options *o, struct arrays *a, int threads, struct rates mine)
{
    static const int hits[TABLE_FIND_LEVELS] = {100, 50, 0};
    char row[64], note[96];
    for (int p = 0; p < PEERS; p++) {
        if (!group_wanted(o, threads) && !peer_wanted(o, &peers[p], threads)) continue;
        const struct rates peer = peer_rates(o, &peers[p], a, threads);
        snprintf(note, sizeof note, "against the faster of %s's two reservations", peers[p].name);
        snprintf(row, sizeof row, "host-%d/insert", threads);
        ratio_row(o, row, peers[p].name, mine.insert, peer.insert, note);
        for (int i = 0; i < TABLE_FIND_LEVELS; i++) {
            snprintf(row, sizeof row, "host-%d/find-%d", threads, hits[i]);
            ratio_row(o, row, peers[p].name, mine.find[i], peer.find[i], note);
        }
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

bool host_rows_wanted(const struct options *o)
{
    bool wanted = options_want_some(o, "host");
    for (int p = 0; p < PEERS; p++) wanted = wanted || options_want_some(o, peers[p].name);
    return wanted;
}

void host_rows(const struct options *o)
{
    bool any = false;
    struct rates rates[BENCH_MAX_THREAD_COUNTS] = {{0}};
    for (int i = 0; i < o->thread_counts; i++) {
        const int threads = o->threads[i];
        any = any || group_wanted(o, threads) || any_peer_wanted(o, threads) || asks_for_engines(o, threads, false);
    }
    if (!any) return;

    const struct workload w = {.seed = o->seed, .keys = o->host_keys, .key_bytes = 4, .value_bytes = 4};
    const struct machine *m = machine_host((int)sysconf(_SC_NPROCESSORS_ONLN));
    struct arrays a = arrays_make(m, w, w.keys);
    for (int i = 0; i < o->thread_counts; i++) {
        const int threads = o->threads[i];
        const bool alone = asks_for_engines(o, threads, true);
        if (group_wanted(o, threads) && !alone) rates[i] = roost_group(o, &a, threads);
        if (!alone) groups_of_peers(o, &a, threads, rates[i]);
        if (asks_for_engines(o, threads, false)) engine_groups(o, &a, threads);
    }
    scaling_rows(o, rates);
    arrays_free(m, &a);
}
