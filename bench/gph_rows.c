/* The rows of engine gph, the same on every machine: tables at two load factors, batches into a reserved one, other widths. */
#include "bench.h"

#include <stdio.h>

enum { BATCHES = 100 };

static struct table_case gph_case(const struct place *p, double load, const char *options, const char *group)
{
    struct table_case c = place_case(p, "gph", options, group);
    c.load = load;
    return c;
}

/* What became of the cells, in words. */
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

/* A lookup reads an entry of the index, a byte for each cell, and then one bucket; an insert and an erase update one, at least. */
static void rows_set_limits(const struct place *p, struct table_rows *rows, const struct workload w)
{
    const bool word = w.value_bytes == 0 || (w.key_bytes == 4 && w.value_bytes == 4); /* else a lookup reads the keys first */
    const uint64_t bucket = rows->insert.stats.slots_per_bucket * (uint64_t)(w.key_bytes + (word ? w.value_bytes : 0)),
                   bytes = rows->insert.stats.table_bytes;
    const struct access_limit find = p->index_limit(p, bucket, bytes, rows->insert.stats.cells),
                              update = p->limit(p, ACCESS_UPDATE, bytes);
    for (int i = 0; i < TABLE_FIND_LEVELS; i++)
        if (rows->find[i].repetitions) row_set_limit(&rows->find[i], find.name, find.rate);
    if (rows->find_erased.repetitions) row_set_limit(&rows->find_erased, find.name, find.rate);
    if (rows->insert.repetitions) row_set_limit(&rows->insert, update.name, update.rate);
    if (rows->erase.repetitions) row_set_limit(&rows->erase, update.name, update.rate);
}

static void measure_table(const struct place *p, struct arrays *a, const char *group, double load, const char *options)
{
    const struct table_case c = gph_case(p, load, options, group);
    if (!table_wanted(p->o, group)) return;
    struct table_rows rows = table_measure(p->o, &c, a);
    if (rows.insert.stats.table_bytes) rows_set_limits(p, &rows, a->w);
    describe_cells(&rows.insert, a->w.keys);
    report_row(p->o, rows.insert);
    for (int i = 0; i < TABLE_FIND_LEVELS; i++) report_row(p->o, rows.find[i]);
    report_row(p->o, rows.erase);
    report_row(p->o, rows.find_erased);
}

/* Batches into a table that has room for all of them. */
static void measure_batches(const struct place *p, struct arrays *a, const char *group, double load, const char *options)
{
    char name[96];
    snprintf(name, sizeof name, "%s/batches-reserved", group);
    if (!options_want(p->o, name)) return;
    struct table_case c = gph_case(p, load, options, group);
    c.reserved = true;
    struct row row = table_measure_batches(&c, a, name, BATCHES);
    if (row.stats.table_bytes) {
        const struct access_limit update = p->limit(p, ACCESS_UPDATE, row.stats.table_bytes);
        row_set_limit(&row, update.name, update.rate);
    }
    describe_cells(&row, a->w.keys);
    report_row(p->o, row);
}

static void measure_width(const struct place *p, struct arrays *a, const char *group) { measure_table(p, a, group, 0.70, NULL); }

void gph_width_rows(const struct place *p)
{
    if (place_wants(p, "gph")) place_widths(p, "gph-0.70", measure_width);
}

void gph_rows(const struct place *p, struct arrays *a)
{
    char group[64];
    if (!place_wants(p, "gph")) return;
    snprintf(group, sizeof group, "%s/gph-0.70", p->prefix);
    measure_table(p, a, group, 0.70, NULL);
    measure_batches(p, a, group, 0.70, NULL);
    snprintf(group, sizeof group, "%s/gph-0.80", p->prefix);
    measure_table(p, a, group, 0.80, "keys=6");
    measure_batches(p, a, group, 0.80, "keys=6");
    if (p->threads) return; /* what follows is for the machine that the design is for */
    snprintf(group, sizeof group, "%s/gph-0.70[preset=paper]", p->prefix);
    measure_table(p, a, group, 0.70, "preset=paper");
    snprintf(group, sizeof group, "%s/gph-0.70[tile=4]", p->prefix);
    measure_table(p, a, group, 0.70, "tile=4");
    snprintf(group, sizeof group, "%s/gph-0.70[tile=1]", p->prefix);
    measure_table(p, a, group, 0.70, "tile=1");
}
