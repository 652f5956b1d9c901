/* Stadium's tables that are larger than the GPU's memory. The boards are there, the pairs in the
 * host's pinned memory; the limit of the table's device memory is below the pairs' size. The
 * rows are compared with random reads and writes of such memory (zero copy). */
#include "stadium_rows.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define HOST_LOAD 0.85

/* Keys of a find that reads a pair for each: unordered, 0.4 s at 40 million a second; and by
 * region. */
enum { PAIR_FINDS = 1 << 24, REGION_FINDS = 1 << 26 };

/* A table of `keys` 16-byte pairs. Its limit of device memory is half of the pairs' bytes. */
static struct table_case host_case(const struct place *p, const char *group, const char *options, uint64_t keys)
{
    struct table_case c = stadium_case(p, group, HOST_LOAD, options);
    c.memory_limit = 8 * keys;
    return c;
}

/* Rates divided by this run's zero-copy limit; for misses also as a share of the rate that their
 * reads of pairs allow. */
static void report_ratios(const struct place *p, const char *group, const struct table_rows *rows)
{
    const struct row *hit = &rows->find[0], *miss = &rows->find[TABLE_FIND_LEVELS - 1];
    const double expected = stadium_expected_reads(&miss->stats, miss->options);
    char note[128];
    if (!rows->insert.stats.host_bytes) return;
    const double limit = p->limit(p, ACCESS_ZERO_COPY_READ, rows->insert.stats.host_bytes).rate;
    if (!(limit > 0)) return;
    if (row_rate(hit) > 0)
        place_ratio(p, group, "find-100/zero-copy", row_rate(hit) / limit, "of random 16-byte reads of the host");
    if (!(row_rate(miss) > 0) || !(expected > 0)) return;
    snprintf(note, sizeof note, "times random 16-byte reads of the host; by pair reads alone at most %.4g times", 1 / expected);
    place_ratio(p, group, "find-0/zero-copy", row_rate(miss) / limit, note);
    place_ratio(p, group, "find-0/pair-reads", row_rate(miss) * expected / limit, "of what the reads of pairs allow");
}

static void measure_host(const struct place *p, struct arrays *a, const struct table_case *c)
{
    if (!options_want_some(p->o, c->group)) return;
    struct table_rows rows = stadium_measure(p, a, c);
    stadium_report(p, c->group, &rows);
    report_ratios(p, c->group, &rows);
}

/* True if there is enough memory. The device holds keys, values, two arrays of queries, answers
 * and the table's part; the host holds slots, and later the limit's memory. */
static bool has_memory(const struct place *p, uint64_t keys, const char *group)
{
    enum { DEVICE_BYTES = 50, HOST_BYTES = 24 };
    const double host = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE), n = (double)keys;
    if ((double)place_device_bytes(p) >= n * DEVICE_BYTES && host >= n * HOST_BYTES) return true;
    struct row row = row_make(group, p->unit);
    row_fail(&row, ROW_UNAVAILABLE, "it needs %.0f GB of the device and %.0f GB of the host", 1e-9 * n * DEVICE_BYTES,
             1e-9 * n * HOST_BYTES);
    report_row(p->o, row);
    return false;
}

static struct arrays arrays_of_pairs(const struct place *p, uint64_t keys, uint64_t queries)
{
    const struct workload w = {.seed = p->o->seed, .keys = keys, .key_bytes = 8, .value_bytes = 8};
    return arrays_make(p->machine, w, queries);
}

/* 320 million pairs if the other tables have 100 million keys: the keys are inserted once, and
 * none is erased. */
static void measure_large(const struct place *p)
{
    static const char *const kinds[][2] = {{"[ticket=16,group=64]", "memory=host,ticket=16,group=64"},
                                           {"", "memory=host"},
                                           {"[ticket=16,group=64,regions=1]", "memory=host,ticket=16,group=64,regions=1"}};
    const uint64_t keys = p->keys / 5 * 16;
    char group[80];
    snprintf(group, sizeof group, "%s/stadium-host-%.2f", p->prefix, HOST_LOAD);
    if (!options_want_some(p->o, group) || !has_memory(p, keys, group)) return;
    struct arrays a = arrays_of_pairs(p, keys, keys);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        snprintf(group, sizeof group, "%s/stadium-host-%.2f%s", p->prefix, HOST_LOAD, kinds[i][0]);
        struct table_case c = host_case(p, group, kinds[i][1], keys);
        c.finds_only = true;
        c.finds[0] = c.finds[1] = strstr(kinds[i][1], "regions=1") ? PAIR_FINDS : REGION_FINDS;
        measure_host(p, &a, &c);
    }
    arrays_free(p->machine, &a);
}

/* A tenth of these pairs, by ticket size, and with lookups that read every pair on their way
 * (Figures 17 and 18). */
static void measure_tenth(const struct place *p)
{
    static const char *const variants[] = {
        "ticket=16", "ticket=8", "ticket=4", "ticket=2", "ticket=1", "probe=double", "probe=double,lookup=pairs"};
    const uint64_t keys = p->keys / 50 * 16;
    char group[96], options[64];
    snprintf(group, sizeof group, "%s/stadium-host-tenth-%.2f", p->prefix, HOST_LOAD);
    if (!options_want_some(p->o, group) || !has_memory(p, keys, group)) return;
    struct arrays a = arrays_of_pairs(p, keys, keys / 8);
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        snprintf(group, sizeof group, "%s/stadium-host-tenth-%.2f[%s]", p->prefix, HOST_LOAD, variants[i]);
        snprintf(options, sizeof options, "memory=host,%s", variants[i]);
        struct table_case c = host_case(p, group, options, keys);
        c.writes = 1;
        measure_host(p, &a, &c);
    }
    arrays_free(p->machine, &a);
}

void stadium_host_rows(const struct place *p)
{
    if (!place_wants(p, "stadium")) return;
    measure_large(p);
    if (p->o->figures) measure_tenth(p);
}
