/* The rows of engine stadium, the same on every machine: tables at three load factors, by ticket size, group and probing, other widths, the
 * two ways of inserts of its hybrid. */
#include "session.h"

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

/* The board; and in builds that count it (ROOST_PROBES) the share of lanes that were active when their warp took a step: Table I's warp execution
 * efficiency, where a lane serves an item alone. */
static void describe_board(struct row *row)
{
    const roost_stats *stats = &row->stats;
    if (!row->repetitions || row->note[0]) return;
    const int n = snprintf(row->note, sizeof row->note, "tickets of %u bits: %.1f MB, groups of %u", stats->ticket_bits,
                           1e-6 * (double)stats->board_bytes, stats->slots_per_bucket);
    if (stats->lanes_possible)
        snprintf(row->note + n, sizeof row->note - (size_t)n, "; active lanes %.1f %%",
                 100 * (double)stats->lanes_active / (double)stats->lanes_possible);
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

/* ---- The hybrid of Stash and clStash (section III-C2, Figure 13) --------------------------------------------------------- */

enum { CHUNKS = 50 };

/* One of CHUNKS equal parts of the keys into a table that has the parts before it; a row of its own. */
static struct row insert_chunk(struct session *s, const struct place *p, const char *driver, uint64_t chunk)
{
    char name[96];
    snprintf(name, sizeof name, "%s/stadium-hybrid/%s/chunk-%02llu", p->prefix, driver, (unsigned long long)chunk);
    struct row row = row_make(name, s->c->unit);
    row.items = row.distinct = workload_part(s->a->w, chunk, CHUNKS);
    struct times times = times_start(s->c->machine);
    const roost_status status = session_insert_part(s, chunk, CHUNKS), finished = session_finish(s, VERB_INSERT, &times);
    if (session_good(s, status ? status : finished, &row)) row_add_time(&row, times.seconds, times.device_seconds);
    row_describe(&row, s);
    describe_board(&row);
    return row;
}

/* The last chunk's row has the verification of all. */
static void measure_chunks(const struct place *p, struct arrays *a, const char *driver, const char *options)
{
    struct table_case c = place_case(p, "stadium", options, "stadium-hybrid");
    struct session s;
    c.load = 0.95;
    const roost_config config = table_config(&c, a->w);
    struct row row = row_make("stadium-hybrid", c.unit);
    if (!session_open(&s, &c, a, &config, &row)) {
        report_row(p->o, row);
        return;
    }
    const struct access_limit update = p->limit(p, ACCESS_UPDATE, session_stats(&s).table_bytes);
    for (uint64_t i = 0; i < CHUNKS; i++) {
        row = insert_chunk(&s, p, driver, i);
        row_set_limit(&row, update.name, update.rate);
        if (i == CHUNKS - 1) session_verify_all(&s, false, &row);
        report_row(p->o, row);
    }
    session_close(&s);
}

void stadium_hybrid_rows(const struct place *p, struct arrays *a)
{
    char group[64];
    snprintf(group, sizeof group, "%s/stadium-hybrid", p->prefix);
    if (!place_wants(p, "stadium") || !options_want_some(p->o, group)) return;
    measure_chunks(p, a, "lane", "insert=lane1");
    measure_chunks(p, a, "collaborate", "insert=collaborate1");
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
