/* The rows of engine stadium, the same on every machine: tables at three load factors, by ticket
 * size, group and probing, and of other widths. */
#include "stadium_rows.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- Expectations ---------------------------------------------------------------------------- */

/* The number of tickets in use per group, if by chance `mean` keys come to a group of `tickets`
 * tickets. Groups to which more keys come stay full and send the others on. *full: the share of
 * full groups. */
static double tickets_used(double mean, unsigned tickets, double *full)
{
    double used = 0, below = 0;
    for (unsigned k = 0; k < tickets; k++) {
        const double share = exp(k * log(mean) - mean - lgamma(k + 1.0));
        used += k * share;
        below += share;
    }
    *full = 1 - below;
    return used + tickets * *full;
}

/* Every group on the way of an absent key is like any other. So the number of groups is one over
 * the share of those with a FREE ticket, and each has the average number of keys. Of these, one
 * in as many as the info has values looks like the key. */
double stadium_expected_reads(const struct numbers *stats, const char *options)
{
    const unsigned tickets = stats->slots_per_bucket, bits = stats->ticket_bits;
    const double infos = options && strstr(options, "lookup=pairs") ? 1 : bits == 1 ? 1 : (double)((1u << (bits - 1)) - 1);
    double low = 1e-9, high = 1000.0 * tickets, full = 0;
    if (!tickets || !bits) return 0;
    for (int i = 0; i < 100; i++) {
        const double mean = 0.5 * (low + high);
        if (tickets_used(mean, tickets, &full) < stats->load_factor * tickets) low = mean;
        else high = mean;
    }
    return full < 1 ? stats->load_factor * tickets / (1 - full) / infos : 0;
}

/* ---- Limits ---------------------------------------------------------------------------------- */

/* An insert writes a pair; if it has to see the old pair first, it updates a line of the table. */
void stadium_limit_insert(const struct place *p, struct row *row)
{
    const struct numbers *stats = &row->stats;
    if (!row->repetitions) return;
    const struct access_limit limit =
        stats->host_bytes ? p->limit(p, ACCESS_ZERO_COPY_WRITE, stats->host_bytes) : p->limit(p, ACCESS_UPDATE, stats->table_bytes);
    row_set_limit(row, limit.name, limit.rate);
}

/* What a hit reads of pairs: a sector, or the 64 or 128 bytes that a wide pair has at least. */
static uint64_t least_read(const struct numbers *stats)
{
    const uint64_t pair = stats->slots ? (stats->table_bytes - stats->board_bytes) / stats->slots : 0;
    return pair >= 128 ? 128 : pair >= 64 ? 64 : 32;
}

/* A hit reads a group of tickets and then its pair, as lookups by an index do. Over a bus, only
 * the pair counts, within the region that all current lookups are in. A miss reads only a group. */
void stadium_limit_find(const struct place *p, struct row *row, double hits)
{
    const struct numbers *stats = &row->stats;
    char name[64];
    if (!row->repetitions) return;
    struct access_limit hit = {"", 1}, miss = {"", 1};
    if (hits > 0 && stats->host_bytes)
        hit = p->limit(p, ACCESS_ZERO_COPY_READ, stats->host_bytes / (stats->regions ? stats->regions : 1));
    else if (hits > 0) hit = p->index_limit(p, least_read(stats), stats->table_bytes, stats->board_bytes, true);
    if (hits < 1) miss = p->limit(p, ACCESS_LINE, stats->board_bytes);
    snprintf(name, sizeof name, "%s%s%s", hit.name, hits > 0 && hits < 1 ? "," : "", miss.name);
    row_set_limit(row, name, 1 / (hits / hit.rate + (1 - hits) / miss.rate));
}

/* An erase has to see the pair, in the order of the keys. In the GPU's memory, the update of its
 * ticket counts like that of a line. */
static void limit_erase(const struct place *p, struct row *row, const struct workload w)
{
    if (!row->repetitions) return;
    if (!row->stats.host_bytes) {
        place_set_write_limit(p, row, w, 0, row->stats.table_bytes);
        return;
    }
    const struct access_limit limit = p->limit(p, ACCESS_ZERO_COPY_READ, row->stats.host_bytes);
    row_set_limit(row, limit.name, limit.rate);
}

static void rows_set_limits(const struct place *p, struct table_rows *rows, const struct workload w)
{
    static const double hits[TABLE_FIND_LEVELS] = {1, 0.5, 0};
    for (int i = 0; i < TABLE_FIND_LEVELS; i++) stadium_limit_find(p, &rows->find[i], hits[i]);
    stadium_limit_find(p, &rows->find_erased, 0.5); /* half of the keys were erased */
    stadium_limit_insert(p, &rows->insert);
    limit_erase(p, &rows->erase, w);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static void append(struct row *row, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(struct row *row, const char *format, ...)
{
    const size_t length = strlen(row->note);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(row->note + length, sizeof row->note - length, format, arguments);
    va_end(arguments);
}

/* Describes the board; if pairs are on the host, the device's memory and the host's; and in
 * builds that count (ROOST_PROBES) the share of lanes that were active when their warp took a
 * step. That is Table I's warp execution efficiency, if a lane serves an item alone. */
void stadium_describe(struct row *row, uint64_t memory_limit)
{
    const struct numbers *stats = &row->stats;
    if (!row->repetitions || row->note[0]) return;
    append(row, "tickets of %u bits: %.1f MB, groups of %u", (unsigned)stats->ticket_bits, 1e-6 * (double)stats->board_bytes,
           (unsigned)stats->slots_per_bucket);
    if (stats->host_bytes)
        append(row, "; device %.0f MB (limit %.0f, peak %.0f), pinned host %.0f MB", 1e-6 * (double)stats->bytes_now,
               1e-6 * (double)memory_limit, 1e-6 * (double)stats->bytes_peak, 1e-6 * (double)stats->host_bytes);
    if (stats->lanes_possible)
        append(row, "; active lanes %.1f %%", 100 * (double)stats->lanes_active / (double)stats->lanes_possible);
}

/* For misses: the expected reads of pairs and, in builds that count, the actual ones, with their
 * ratio as a row. */
static void report_misses(const struct place *p, const char *group, struct row *row)
{
    const double expected = stadium_expected_reads(&row->stats, row->options), counted = row->counted_reads;
    if (row->repetitions && !row->note[0]) {
        append(row, "%.3g pair reads a miss expected", expected);
        if (counted > 0) append(row, ", %.3g counted", counted);
    }
    report_row(p->o, *row);
    if (counted > 0) place_ratio(p, group, "find-0/expected/counted", expected / counted, "pair reads a miss");
}

struct table_case stadium_case(const struct place *p, const char *group, double load, const char *options)
{
    struct table_case c = place_case(p, "stadium", options, group);
    c.load = load;
    return c;
}

struct table_rows stadium_measure(const struct place *p, struct arrays *a, const struct table_case *c)
{
    struct table_rows rows = table_measure(p->o, c, a);
    if (rows.insert.stats.table_bytes) rows_set_limits(p, &rows, a->w);
    stadium_describe(&rows.insert, c->memory_limit);
    return rows;
}

void stadium_report(const struct place *p, const char *group, struct table_rows *rows)
{
    report_row(p->o, rows->insert);
    for (int i = 0; i < TABLE_FIND_LEVELS - 1; i++) report_row(p->o, rows->find[i]);
    report_misses(p, group, &rows->find[TABLE_FIND_LEVELS - 1]);
    report_row(p->o, rows->erase);
    report_row(p->o, rows->find_erased);
}

void stadium_table(const struct place *p, struct arrays *a, const struct table_case *c)
{
    if (!table_wanted(p->o, c->group)) return;
    struct table_rows rows = stadium_measure(p, a, c);
    stadium_report(p, c->group, &rows);
}

static void measure_width(const struct place *p, struct arrays *a, const char *group)
{
    const struct table_case c = stadium_case(p, group, 0.80, NULL);
    stadium_table(p, a, &c);
}

void stadium_width_rows(const struct place *p)
{
    if (place_wants(p, "stadium")) place_widths(p, "stadium-0.80", measure_width);
}

void stadium_rows(const struct place *p, struct arrays *a)
{
    static const double loads[] = {0.80, 0.90, 0.95};
    static const char *const variants[] = {"ticket=16",    "ticket=4", "group=64", "group=64,ticket=16",
                                           "probe=double", "ticket=2", "ticket=1"};
    char group[80];
    if (!place_wants(p, "stadium")) return;
    for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++) {
        snprintf(group, sizeof group, "%s/stadium-%.2f", p->prefix, loads[i]);
        const struct table_case c = stadium_case(p, group, loads[i], NULL);
        stadium_table(p, a, &c);
    }
    /* The rows below are only for the machine that the design is for. */
    if (p->threads) return;
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        snprintf(group, sizeof group, "%s/stadium-0.80[%s]", p->prefix, variants[i]);
        const struct table_case c = stadium_case(p, group, 0.80, variants[i]);
        stadium_table(p, a, &c);
    }
}
