/* The rows of engine gph, the same on every machine: tables at two load factors, batches into a
 * reserved table, the places of the index, and other widths. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BATCHES = 100 };

/* A kind of table: its name in rows, its load factor, and R, which its options also give. */
struct kind {
    const char *name;
    double load, virtuals;
    const char *options;
    /* Builds without ROOST_TUNE lack this kind; its rows then say so. */
    bool tuned;
};

/* R is 16, as in the profile of the H200: with 8, more cells are flagged, and inserts try
 * longer. */
static const struct kind lower = {"0.70", 0.70, 16, "virtual=16", false}, higher = {"0.80", 0.80, 16, "virtual=16,keys=6", false};

static struct table_case gph_case(const struct place *p, double load, const char *options, const char *group)
{
    struct table_case c = place_case(p, "gph", options, group);
    c.load = load;
    return c;
}

/* Describes in words how the cells ended. */
static void describe_cells(struct row *row, uint64_t keys)
{
    if (!row->stats.cells || row->note[0]) return;
    snprintf(row->note, sizeof row->note,
             "flagged %.3f %%, overflow %.3f %%, moves %llu Delta %llu Phi, %llu tries, %llu wait-die aborts, %llu rehashes",
             100 * (double)row->stats.flagged_cells / (double)row->stats.cells,
             100 * (double)row->stats.overflow_keys / (double)keys, (unsigned long long)row->stats.delta_moves,
             (unsigned long long)row->stats.phi_moves, (unsigned long long)row->stats.mapping_tries,
             (unsigned long long)row->stats.wait_die_aborts, (unsigned long long)row->stats.grow_steps);
}

/* A lookup reads a one-byte entry of the index for its cell, and then one bucket. An insert or
 * an erase updates at least one bucket. */
static void rows_set_limits(const struct place *p, struct table_rows *rows, const struct workload w, bool values)
{
    /* With pairs of more than a word, a lookup reads the keys first. */
    const bool word = w.value_bytes == 0 || (w.key_bytes == 4 && w.value_bytes == 4);
    const uint64_t bucket = rows->insert.stats.slots_per_bucket * (uint64_t)(w.key_bytes + (word ? w.value_bytes : 0)),
                   bytes = rows->insert.stats.table_bytes;
    const struct access_limit find = p->index_limit(p, bucket, bytes, rows->insert.stats.cells, values),
                              update = p->limit(p, ACCESS_UPDATE, bytes);
    for (int i = 0; i < TABLE_FIND_LEVELS; i++)
        if (rows->find[i].repetitions) row_set_limit(&rows->find[i], find.name, find.rate);
    if (rows->find_erased.repetitions) row_set_limit(&rows->find_erased, find.name, find.rate);
    if (rows->insert.repetitions) row_set_limit(&rows->insert, update.name, update.rate);
    if (rows->erase.repetitions) row_set_limit(&rows->erase, update.name, update.rate);
}

static void report_finds(const struct place *p, struct arrays *a, struct table_rows *rows, bool values)
{
    if (rows->insert.stats.table_bytes) rows_set_limits(p, rows, a->w, values);
    for (int i = 0; i < TABLE_FIND_LEVELS; i++) report_row(p->o, rows->find[i]);
}

/* ---- Expectations of the paper on inserts (section 6.2) -------------------------------------- */

/* 1 - Pr(Y): the probability that of d keys, each in one of n buckets, more than R * M lie in
 * the R buckets of a mapping. */
static double failure_expected(double d, double n, double virtuals, double slots)
{
    const double p = virtuals / n;
    double sum = 0;
    for (double k = virtuals * slots + 1, term = 1; k <= d && term > 1e-12 * sum; k++) {
        term = exp(lgamma(d + 1) - lgamma(k + 1) - lgamma(d - k + 1) + k * log(p) + (d - k) * log1p(-p));
        sum += term;
    }
    return sum;
}

/* Mappings tried until a cell was mapped again or flagged, beside Theorem 6.1, which is for
 * buckets of one slot; and flagged cells beside the paper's probability that an insert fails.
 * Both concern the main store, so they take the load factor that it was made for. */
static void report_tries(const struct place *p, const char *group, const struct kind *kind, const struct numbers *stats,
                         uint64_t keys)
{
    char name[96];
    snprintf(name, sizeof name, "%s/tries", group);
    struct row row = row_make(name, UNIT_TIMES);
    const double load = kind->load, virtuals = kind->virtuals;
    const double resolved = (double)(stats->delta_moves + stats->phi_moves + stats->flagged_cells), slots = stats->slots_per_bucket;
    if (!(resolved > 0)) return;
    row.rate = (double)stats->mapping_tries / resolved;
    snprintf(row.note, sizeof row.note,
             "mappings a cell; Theorem 6.1 (buckets of one slot): %.3g; failed, so flagged: %.4f %% of cells; the paper's 1 - "
             "Pr(Y): %.4f %%",
             pow(1 / (1 - load), virtuals), 100 * (double)stats->flagged_cells / (double)stats->cells,
             100 * failure_expected((double)keys, (double)keys / load / slots, virtuals, slots));
    report_row(p->o, row);
}

/* ---- Requirements of all lookups ------------------------------------------------------------- */

/* Lookups that read only one bucket: those in cells that are not flagged, and those of keys
 * stored there. */
static void report_shares(const struct place *p, const char *group, const struct numbers *stats, uint64_t keys)
{
    if (!stats->cells) return;
    place_ratio(p, group, "cells/unflagged", 1 - (double)stats->flagged_cells / (double)stats->cells, "");
    place_ratio(p, group, "keys/in-cells", 1 - (double)stats->overflow_keys / (double)keys, "the others are in the overflow store");
}

/* The rate at the slowest share of hits, divided by the fastest rate and by its limit. */
static void report_evenness(const struct place *p, const char *group, const struct row *finds)
{
    double slowest = INFINITY, fastest = 0, share = INFINITY;
    for (int i = 0; i < TABLE_FIND_LEVELS; i++) {
        if (!finds[i].repetitions || !(finds[i].limit > 0)) return;
        const double rate = (double)finds[i].items / row_seconds(&finds[i]);
        slowest = fmin(slowest, rate);
        fastest = fmax(fastest, rate);
        share = fmin(share, rate / finds[i].limit);
    }
    place_ratio(p, group, "find/slowest/fastest", slowest / fastest, "of hits, half hits and misses");
    place_ratio(p, group, "find/slowest/limit", share, "");
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static void measure_table(const struct place *p, struct arrays *a, const char *group, const struct kind *kind)
{
    struct table_case c = gph_case(p, kind->load, kind->options, group);
    c.may_lack = kind->tuned;
    if (!table_wanted(p->o, group)) return;
    struct table_rows rows = table_measure(p->o, &c, a);
    if (rows.insert.stats.table_bytes) rows_set_limits(p, &rows, a->w, a->w.value_bytes != 0);
    describe_cells(&rows.insert, a->w.keys);
    report_row(p->o, rows.insert);
    report_tries(p, group, kind, &rows.insert.stats, a->w.keys);
    report_shares(p, group, &rows.insert.stats, a->w.keys);
    for (int i = 0; i < TABLE_FIND_LEVELS; i++) report_row(p->o, rows.find[i]);
    report_evenness(p, group, rows.find);
    report_row(p->o, rows.erase);
    report_row(p->o, rows.find_erased);
}

/* A table whose index is one part has nothing to route. */
static void describe_unrouted(struct row *row)
{
    if (row->repetitions && !row->note[0]) snprintf(row->note, sizeof row->note, "the index is one part, so nothing was routed");
}

/* Only finds, of a table whose index is elsewhere, for comparisons. */
static void measure_finds(const struct place *p, struct arrays *a, const char *table, const char *index)
{
    char group[80], options[64];
    snprintf(group, sizeof group, "%s/%s[%s]", p->prefix, table, index);
    snprintf(options, sizeof options, "%s,%s", lower.options, index);
    if (!table_wanted(p->o, group)) return;
    struct table_case c = gph_case(p, lower.load, options, group);
    c.finds_only = true;
    struct table_rows rows = table_measure(p->o, &c, a);
    if (strcmp(index, "index=routed") == 0)
        for (int i = 0; i < TABLE_FIND_LEVELS; i++) describe_unrouted(&rows.find[i]);
    report_finds(p, a, &rows, true);
}

/* The same finds, but values of absent keys stay unchanged. Memory is then written in parts of
 * sectors, and misses write less of it, which sets the limit. */
static void measure_absent_keep(const struct place *p, struct arrays *a)
{
    const struct kind kinds[] = {lower, higher};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        char group[80];
        snprintf(group, sizeof group, "%s/gph-%s[absent=keep]", p->prefix, kinds[i].name);
        if (!table_wanted(p->o, group)) continue;
        struct table_case c = gph_case(p, kinds[i].load, kinds[i].options, group);
        c.finds_only = c.absent_keep = true;
        struct table_rows rows = table_measure(p->o, &c, a);
        report_finds(p, a, &rows, false);
    }
}

/* Where lookups read the index of a table whose index fits a block's shared memory. */
static void measure_small(const struct place *p)
{
    enum { SMALL = 2000000 };
    static const char *const places[] = {"index=global", "index=shared"};
    const struct workload w = {.seed = p->o->seed, .keys = p->keys < SMALL ? p->keys : SMALL, .key_bytes = 4, .value_bytes = 4};
    char group[64];
    snprintf(group, sizeof group, "%s/gph-small", p->prefix);
    if (!options_want_some(p->o, group)) return;
    struct arrays a = arrays_make(p->machine, w, p->keys);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) measure_finds(p, &a, "gph-small", places[i]);
    arrays_free(p->machine, &a);
}

/* Batches into a table with room for all of them. */
static void measure_batches(const struct place *p, struct arrays *a, const char *group, const struct kind *kind)
{
    char name[96];
    snprintf(name, sizeof name, "%s/batches-reserved", group);
    if (!options_want(p->o, name)) return;
    struct table_case c = gph_case(p, kind->load, kind->options, group);
    c.reserved = true;
    struct row row = table_measure_batches(&c, a, name, BATCHES, false);
    place_set_limit(p, &row, ACCESS_UPDATE, row.stats.table_bytes);
    describe_cells(&row, a->w.keys);
    report_row(p->o, row);
}

static void measure_width(const struct place *p, struct arrays *a, const char *group) { measure_table(p, a, group, &lower); }

void gph_width_rows(const struct place *p)
{
    if (place_wants(p, "gph")) place_widths(p, "gph-0.70", measure_width);
}

void gph_rows(const struct place *p, struct arrays *a)
{
    static const struct kind variants[] = {{"preset=paper", 0.70, 8, "preset=paper", true},
                                           {"virtual=8", 0.70, 8, "virtual=8", false},
                                           {"tile=4", 0.70, 16, "virtual=16,tile=4", false},
                                           {"tile=1", 0.70, 16, "virtual=16,tile=1", false}};
    char group[64];
    if (!place_wants(p, "gph")) return;
    snprintf(group, sizeof group, "%s/gph-%s", p->prefix, lower.name);
    measure_table(p, a, group, &lower);
    measure_batches(p, a, group, &lower);
    snprintf(group, sizeof group, "%s/gph-%s", p->prefix, higher.name);
    measure_table(p, a, group, &higher);
    measure_batches(p, a, group, &higher);
    measure_absent_keep(p, a);
    measure_finds(p, a, "gph-0.70", "index=routed");
    measure_small(p);
    /* The rows below are only for the machine that the design is for. */
    if (p->threads) return;
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        snprintf(group, sizeof group, "%s/gph-%s[%s]", p->prefix, lower.name, variants[i].name);
        measure_table(p, a, group, &variants[i]);
    }
}
