/* The experiments of HH Hash's write-up, for --figures:
 * - throughput by the number of keys, with and without the copies to and from the GPU, beside
 *   tables of other libraries on the host
 * - bucket load, REG_LOAD and iterations, with the share of keys placed at once
 * - the write-up's own trace, pairs (i + 1, 3 i + 5) */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "peer_rows.h"

enum { LEAST_LOG = 10, MOST_LOG = 27 };

/* Where keys lie once their buckets are built. The write-up placed 70 % in the first iteration. */
static void describe_placing(struct row *row, uint64_t keys)
{
    const double n = (double)keys, second = (double)row->stats.second_keys / n, moved = (double)row->stats.evicted / n;
    if (row->note[0] || !row->stats.table_bytes) return;
    snprintf(row->note, sizeof row->note,
             "placed in the first line %.2f %%, in the second %.2f %%, by moving others %.3f %%; %llu of %llu buckets reseeded",
             100 * (1 - second - moved), 100 * second, 100 * moved, (unsigned long long)row->stats.reseeded_buckets,
             (unsigned long long)row->stats.buckets);
}

/* What a table's rows are compared with: accesses to its own memory, or the copies to the GPU
 * and back. */
struct against {
    enum access insert, find, erase;
};
static const struct against own = {ACCESS_STREAM, ACCESS_LINE, ACCESS_UPDATE},
                            copies = {ACCESS_TRANSFER_IN, ACCESS_TRANSFER_BOTH, ACCESS_TRANSFER_KEYS};

static void report(const struct place *p, struct table_rows *rows, const struct workload w, const struct against *against)
{
    const uint64_t bytes = (uint64_t)((double)w.keys * 10);
    if (against->insert == ACCESS_STREAM) place_set_stream_limit(p, &rows->insert, 18);
    else place_set_limit(p, &rows->insert, against->insert, bytes);
    describe_placing(&rows->insert, w.keys);
    report_row(p->o, rows->insert);
    for (int i = 0; i < TABLE_FIND_LEVELS; i++) {
        place_set_limit(p, &rows->find[i], against->find, bytes);
        report_row(p->o, rows->find[i]);
    }
    if (against->erase == ACCESS_UPDATE) place_set_write_limit(p, &rows->erase, w, 0, bytes);
    else place_set_limit(p, &rows->erase, against->erase, bytes);
    report_row(p->o, rows->erase);
}

static void measure(const struct place *p, struct arrays *a, const char *what, const char *options)
{
    char group[96];
    snprintf(group, sizeof group, "%s/figures/fks/%s", p->prefix, what);
    if (!table_wanted(p->o, group)) return;
    struct table_case c = place_case(p, "fks", options, group);
    c.writes = 2;
    struct table_rows rows = table_measure(p->o, &c, a);
    report(p, &rows, a->w, &own);
}

/* ---- By the number of keys ------------------------------------------------------------------- */

/* The table on the GPU, with all arrays in the host's memory. */
static void measure_copied(const struct place *p, const struct workload w, const char *what)
{
    char group[96];
    snprintf(group, sizeof group, "%s/figures/fks/%s-copied", p->prefix, what);
    if (!table_wanted(p->o, group)) return;
    const struct machine *host = machine_host((int)sysconf(_SC_NPROCESSORS_ONLN));
    struct arrays a = arrays_make(host, w, w.keys);
    struct table_case c = place_case(p, "fks", NULL, group);
    c.machine = host;
    struct table_rows rows = table_measure(p->o, &c, &a);
    report(p, &rows, w, &copies);
    arrays_free(host, &a);
}

static void measure_size(const struct place *p, int log)
{
    const struct workload w = {.seed = p->o->seed, .keys = (uint64_t)1 << log, .key_bytes = 4, .value_bytes = 4};
    char what[32], group[96];
    snprintf(what, sizeof what, "keys-2^%d", log);
    snprintf(group, sizeof group, "%s/figures/fks/%s", p->prefix, what);
    if (options_want_some(p->o, group)) {
        struct arrays a = arrays_make(p->machine, w, w.keys);
        measure(p, &a, what, NULL);
        arrays_free(p->machine, &a);
        if (!p->threads) measure_copied(p, w, what);
    }
    for (const struct peer_entry *peer = peers; p->threads && peer < peers + PEERS; peer++) {
        snprintf(group, sizeof group, "%s/figures/%s/%s", p->prefix, peer->name, what);
        if (!options_want_some(p->o, group) || !peer->library) continue;
        struct arrays a = arrays_make(p->machine, w, w.keys);
        (void)peer_rates_of(p->o, peer, &a, p->threads, group);
        arrays_free(p->machine, &a);
    }
}

/* ---- Parameters and the trace ---------------------------------------------------------------- */

static void measure_parameters(const struct place *p, struct arrays *a)
{
    static const char *const options[] = {"bucket=50",
                                          "bucket=100",
                                          "bucket=200",
                                          "bucket=300",
                                          "load=0.35",
                                          "load=0.5",
                                          "load=0.6",
                                          "load=0.7",
                                          "iterations=1",
                                          "iterations=4",
                                          "iterations=16",
                                          "preset=paper,iterations=1",
                                          "preset=paper,iterations=4",
                                          "preset=paper,iterations=16",
                                          "preset=paper,iterations=64"};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        char what[64];
        snprintf(what, sizeof what, "[%s]", options[i]);
        measure(p, a, what, options[i]);
    }
}

/* Uses a quarter of the keys, as for the presets. */
void fks_figure_rows(const struct place *p)
{
    const struct workload w = {.seed = p->o->seed, .keys = p->keys / 4, .key_bytes = 4, .value_bytes = 4};
    const struct workload trace = {.seed = p->o->seed, .keys = p->keys / 4, .key_bytes = 4, .value_bytes = 4, .trace = true};
    char prefix[64];
    snprintf(prefix, sizeof prefix, "%s/figures", p->prefix);
    if (!options_want_some(p->o, prefix) || (p->o->engine && strcmp(p->o->engine, "fks") != 0)) return;
    const int most = p->threads ? MOST_LOG - 3 : MOST_LOG;
    for (int log = LEAST_LOG; log <= most; log += log < MOST_LOG - 1 ? 2 : 1)
        if (!p->o->quick || (uint64_t)1 << log <= p->keys) measure_size(p, log);
    struct arrays a = arrays_make(p->machine, w, 2 * w.keys);
    measure_parameters(p, &a);
    arrays_free(p->machine, &a);
    a = arrays_make(p->machine, trace, 2 * trace.keys);
    measure(p, &a, "trace", NULL);
    arrays_free(p->machine, &a);
}
