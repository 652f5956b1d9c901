/* All engines on one workload, for --house: one factor at a time varies around a table of
 * 4+4-byte pairs at load factor 0.8. bench/choice derives the library's choice of an engine from
 * these rows. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "session.h"

enum { ENGINES = 6, BATCHES = 100, HOST_PART = 8, MOST_QUERIES = 1 << 28 };

static const char *const engines[ENGINES] = {"dycuckoo", "slab", "gph", "stadium", "fks", "compact"};

/* A point of the workload. */
struct cell {
    char name[32];
    double load;
    /* The row is unavailable for a table that does not reach this load factor. */
    bool exact;
};

static struct cell cell_make(const char *name, double load, bool exact)
{
    struct cell cell = {.load = load, .exact = exact};
    snprintf(cell.name, sizeof cell.name, "%s", name);
    return cell;
}

static void group_name(const struct place *p, const char *engine, const struct cell *cell, char group[64])
{
    snprintf(group, 64, "%s/house/%s/%s", p->prefix, engine, cell->name);
}

/* Configures each engine as its users do: gph has R = 16, as in the profiles; slab's utilisation
 * is the load factor. */
static struct table_case house_case(const struct place *p, const char *engine, double load, const char *group, char options[48])
{
    options[0] = 0;
    if (strcmp(engine, "slab") == 0) snprintf(options, 48, "utilisation=%.2f", load);
    if (strcmp(engine, "gph") == 0) snprintf(options, 48, "virtual=16");
    struct table_case c = place_case(p, engine, options[0] ? options : NULL, group);
    c.load = load;
    c.may_lack = true;
    c.writes = 2;
    return c;
}

/* How full a table is, by its engine's own measure. */
static double fill_of(const struct numbers *s, const char *engine)
{
    return strcmp(engine, "slab") == 0 ? s->memory_utilisation : s->load_factor;
}

/* The bytes for the limits of all engines at a point: those of the pairs at this load factor. */
static uint64_t cell_bytes(const struct workload w, double load)
{
    return (uint64_t)((double)workload_pair_bytes(w, w.keys) / load);
}

static struct row *row_at(struct table_rows *rows, int i)
{
    return i == 0 ? &rows->insert : i <= TABLE_FIND_LEVELS ? &rows->find[i - 1] : i == TABLE_FIND_LEVELS + 1 ? &rows->erase : NULL;
}

static void measure_cell(const struct place *p, struct arrays *a, const char *engine, const struct cell *cell)
{
    char group[64], options[48];
    group_name(p, engine, cell, group);
    if (!table_wanted(p->o, group)) return;
    const struct table_case c = house_case(p, engine, cell->load, group, options);
    struct table_rows rows = table_measure(p->o, &c, a);
    const struct numbers stats = rows.insert.stats;
    const double fill = fill_of(&stats, engine);
    const bool missed = stats.table_bytes && cell->exact && fill < 0.93 * cell->load;
    const uint64_t bytes = cell_bytes(a->w, cell->load);
    place_set_insert_limit(p, &rows.insert, a->w, bytes);
    /* Misses of stadium read a group of tickets and seldom a pair. Their limit is over the
     * board, more of which is in the cache than of other tables. */
    const enum access find = stats.board_bytes ? ACCESS_SECTOR : ACCESS_LINE;
    for (int i = 1; i <= TABLE_FIND_LEVELS; i++) {
        const bool misses = i == TABLE_FIND_LEVELS && stats.board_bytes;
        place_set_limit(p, row_at(&rows, i), find, misses ? stats.board_bytes : bytes);
    }
    place_set_write_limit(p, &rows.erase, a->w, 0, bytes);
    for (int i = 0; row_at(&rows, i); i++) {
        struct row *row = row_at(&rows, i);
        if (missed && row->state == ROW_UNUSED)
            row_fail(row, ROW_UNAVAILABLE, "%s reaches a load factor of %.2f only", engine, fill);
        if (!row->repetitions && rows.insert.state == ROW_UNAVAILABLE) row_fail(row, ROW_UNAVAILABLE, "%s", rows.insert.note);
        report_row(p->o, *row);
    }
}

/* Batches with growth at the central point; in place, the row says what they took at their peak. */
static void measure_growth(const struct place *p, struct arrays *a, const struct table_case *c, const char *way)
{
    char name[96];
    snprintf(name, sizeof name, "%s/house/%s/base/growing%s", p->prefix, c->engine, way);
    if (!options_want(p->o, name)) return;
    struct row row = table_measure_batches(c, a, name, BATCHES, false);
    place_set_limit(p, &row, ACCESS_UPDATE, cell_bytes(a->w, 0.8));
    if (strcmp(way, "-in-place") == 0 && row.repetitions && !row.note[0])
        snprintf(row.note, sizeof row.note, "peak %.1f MB, with the lists of the calls: %.3f of the table's bytes",
                 1e-6 * (double)row.stats.bytes_peak, (double)row.stats.bytes_peak / (double)row.stats.table_bytes);
    report_row(p->o, row);
}

/* All keys updated by one batch, at the central point. */
static void measure_updates(const struct place *p, struct arrays *a, const struct table_case *c)
{
    char name[96];
    snprintf(name, sizeof name, "%s/house/%s/base/updating", p->prefix, c->engine);
    if (!options_want(p->o, name)) return;
    struct row row = table_measure_updates(c, a, name);
    place_set_limit(p, &row, ACCESS_UPDATE, cell_bytes(a->w, 0.8));
    report_row(p->o, row);
}

/* Finds alone by the kernel that mixes operations: what they cost where writers may be beside
 * them. */
static void measure_finds_mixed(const struct place *p, struct arrays *a, const struct table_case *c)
{
    char name[96];
    snprintf(name, sizeof name, "%s/house/%s/base/finds-mixed", p->prefix, c->engine);
    if (!options_want(p->o, name)) return;
    struct row row = table_measure_mix(c, a, name, (struct mix){.n = a->w.keys / 4, .hits = 50}, false);
    place_set_limit(p, &row, ACCESS_LINE, cell_bytes(a->w, 0.8));
    report_row(p->o, row);
}

/* A mix with 20 % updates, updates of all keys, and batches with growth, at the central point.
 * compact also grows in place, and by steps that keep its fill between 0.77 and 0.85. */
static void measure_changes(const struct place *p, struct arrays *a, const char *engine)
{
    char name[96], options[48];
    struct table_case c = house_case(p, engine, 0.8, "", options);
    snprintf(name, sizeof name, "%s/house/%s/base/mixed", p->prefix, engine);
    if (options_want(p->o, name)) {
        struct row row =
            table_measure_mix(&c, a, name, (struct mix){.n = a->w.keys / 4, .inserts = 10, .erases = 10, .hits = 40}, false);
        place_set_limit(p, &row, ACCESS_LINE, cell_bytes(a->w, 0.8));
        report_row(p->o, row);
    }
    measure_updates(p, a, &c);
    if (strcmp(engine, "slab") == 0) c.options = NULL; /* it grows by its own rule */
    measure_growth(p, a, &c, "");
    if (strcmp(engine, "compact") != 0) return;
    measure_finds_mixed(p, a, &c);
    c.options = "step=1.1";
    measure_growth(p, a, &c, "-full");
    c.options = "growth=in-place";
    measure_growth(p, a, &c, "-in-place");
}

static void measure_engines(const struct place *p, struct arrays *a, const struct cell *cell)
{
    for (int e = 0; e < ENGINES; e++)
        if (!p->o->engine || strcmp(p->o->engine, engines[e]) == 0) measure_cell(p, a, engines[e], cell);
}

static bool cell_wanted(const struct place *p, const struct cell *cell)
{
    char group[64];
    for (int e = 0; e < ENGINES; e++) {
        group_name(p, engines[e], cell, group);
        if (options_want_some(p->o, group)) return true;
    }
    return false;
}

/* Measures a point with arrays of its own. */
static void measure_apart(const struct place *p, const struct cell *cell, const struct workload w)
{
    if (!cell_wanted(p, cell)) return;
    struct arrays a = arrays_make(p->machine, w, 2 * w.keys < MOST_QUERIES ? 2 * w.keys : (uint64_t)MOST_QUERIES);
    measure_engines(p, &a, cell);
    arrays_free(p->machine, &a);
}

static void measure_sizes(const struct place *p, const struct workload base)
{
    static const int gpu[] = {12, 16, 20, 22, 24, 26, 28, 30}, host[] = {10, 12, 14, 16, 18, 20, 22, 24};
    const int *const sizes = p->threads ? host : gpu;
    const size_t n = p->threads ? sizeof host / sizeof host[0] : sizeof gpu / sizeof gpu[0];
    for (size_t i = 0; i < n; i++) {
        char name[32];
        struct workload w = base;
        w.keys = (uint64_t)1 << sizes[i];
        snprintf(name, sizeof name, "keys-2^%d", sizes[i]);
        const struct cell cell = cell_make(name, 0.8, false);
        if (!p->o->quick || w.keys <= p->keys) measure_apart(p, &cell, w);
    }
}

static void measure_base(const struct place *p, const struct workload base)
{
    static const double loads[] = {0.5, 0.6, 0.7, 0.9, 0.95};
    struct cell cell = cell_make("base", 0.8, false);
    struct arrays a = arrays_make(p->machine, base, 2 * base.keys);
    measure_engines(p, &a, &cell);
    for (int e = 0; e < ENGINES; e++)
        if (!p->o->engine || strcmp(p->o->engine, engines[e]) == 0) measure_changes(p, &a, engines[e]);
    for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++) {
        char name[32];
        snprintf(name, sizeof name, "load-%.2f", loads[i]);
        cell = cell_make(name, loads[i], true);
        measure_engines(p, &a, &cell);
    }
    arrays_free(p->machine, &a);
}

/* Other widths use a quarter of the keys, so 4+4 is measured again for comparison. */
static void measure_widths(const struct place *p, const struct workload base)
{
    static const int widths[][2] = {{4, 4}, {8, 8}, {8, 4}, {4, 8}, {4, 0}, {8, 0}};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        char name[32];
        struct workload w = base;
        w.keys /= 4;
        w.key_bytes = widths[i][0];
        w.value_bytes = widths[i][1];
        snprintf(name, sizeof name, "width-%d+%d", w.key_bytes, w.value_bytes);
        const struct cell cell = cell_make(name, 0.8, false);
        measure_apart(p, &cell, w);
    }
}

void house_rows(const struct place *p)
{
    char prefix[64];
    const struct workload base = {
        .seed = p->o->seed, .keys = p->threads ? p->keys / HOST_PART : p->keys, .key_bytes = 4, .value_bytes = 4};
    snprintf(prefix, sizeof prefix, "%s/house", p->prefix);
    if (!options_want_some(p->o, prefix)) return;
    measure_base(p, base);
    measure_widths(p, base);
    measure_sizes(p, base);
}
