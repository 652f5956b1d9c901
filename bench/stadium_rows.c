/* The rows of engine stadium, the same on every machine: tables at two load factors, by ticket size, group and probing, other widths. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

/* ---- Limits ------------------------------------------------------------------------------------------------------------ */

/* A hit reads a group of tickets and then its pair, as lookups by an index do; a miss a group alone; an insert and an erase update what they read. */
static void rows_set_limits(const struct place *p, struct table_rows *rows)
{
    enum { LEAST_READ = 32 };
    const roost_stats *stats = &rows->insert.stats;
    const struct access_limit hit = p->index_limit(p, LEAST_READ, stats->table_bytes, stats->board_bytes, true),
                              miss = p->limit(p, ACCESS_LINE, stats->board_bytes),
                              update = p->limit(p, ACCESS_UPDATE, stats->table_bytes);
    const double hits[TABLE_FIND_LEVELS] = {1, 0.5, 0};
    for (int i = 0; i < TABLE_FIND_LEVELS; i++) {
        char name[64];
        if (!rows->find[i].repetitions) continue;
        const bool both = hits[i] > 0 && hits[i] < 1;
        snprintf(name, sizeof name, "%s%s%s", hits[i] > 0 ? hit.name : "", both ? "," : "", hits[i] < 1 ? miss.name : "");
        row_set_limit(&rows->find[i], name, 1 / (hits[i] / hit.rate + (1 - hits[i]) / miss.rate));
    }
    if (rows->find_erased.repetitions) row_set_limit(&rows->find_erased, hit.name, hit.rate);
    if (rows->insert.repetitions) row_set_limit(&rows->insert, update.name, update.rate);
    if (rows->erase.repetitions) row_set_limit(&rows->erase, update.name, update.rate);
}

static void describe_board(struct row *row)
{
    if (!row->repetitions || row->note[0]) return;
    snprintf(row->note, sizeof row->note, "tickets of %u bits: %.1f MB, groups of %u", row->stats.ticket_bits,
             1e-6 * (double)row->stats.board_bytes, row->stats.slots_per_bucket);
}

/* ---- Tables ------------------------------------------------------------------------------------------------------------ */

static void measure_table(const struct place *p, struct arrays *a, const char *group, double load, const char *options)
{
    struct table_case c = place_case(p, "stadium", options, group);
    c.load = load;
    if (!table_wanted(p->o, group)) return;
    struct table_rows rows = table_measure(p->o, &c, a);
    if (rows.insert.stats.table_bytes) rows_set_limits(p, &rows);
    describe_board(&rows.insert);
    report_row(p->o, rows.insert);
    for (int i = 0; i < TABLE_FIND_LEVELS; i++) report_row(p->o, rows.find[i]);
    report_row(p->o, rows.erase);
    report_row(p->o, rows.find_erased);
}

static void measure_width(const struct place *p, struct arrays *a, const char *group) { measure_table(p, a, group, 0.80, NULL); }

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
        measure_table(p, a, group, loads[i], NULL);
    }
    if (p->threads) return; /* what follows is for the machine that the design is for */
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        snprintf(group, sizeof group, "%s/stadium-0.80[%s]", p->prefix, variants[i]);
        measure_table(p, a, group, 0.80, variants[i]);
    }
}
