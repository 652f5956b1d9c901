/* The rows of engine slab, the same on every machine: tables at two utilisations and over lists
 * of every length, mixed batches, other widths, small batches, and one key. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

/* ---- Limits ---------------------------------------------------------------------------------- */

/* Limits are over as many bytes as the table has. A table whose capacity is not its number of
 * keys has unused memory; its limits are those of a table at utilisation 0.60. */
static uint64_t limit_bytes(const struct table_case *c, const struct arrays *a, const struct row *row)
{
    return c->capacity ? (uint64_t)(8 * (double)a->w.keys / 0.60) : row->stats.table_bytes;
}

/* A find reads at least half a slab; the note compares it with a read of a whole one. */
static void find_set_limit(const struct place *p, struct row *row, uint64_t bytes)
{
    place_set_limit(p, row, ACCESS_LINE, bytes);
    if (!row->limit) return;
    const struct access_limit whole = p->limit(p, ACCESS_SLAB, bytes);
    const double seconds = row_seconds(row);
    if (seconds > 0 && whole.rate > 0 && strcmp(whole.name, row->limit_name) != 0)
        snprintf(row->note, sizeof row->note, "%.0f %% of %s", 100 * (double)row->items / seconds / whole.rate, whole.name);
}

/* Finds read a line; inserts and erases update a word of one. The time of a mix is at least the
 * sum of both. */
static void mix_set_limit(const struct place *p, struct row *row, struct mix mix)
{
    if (!row->repetitions) return;
    const struct access_limit line = p->limit(p, ACCESS_LINE, row->stats.table_bytes),
                              update = p->limit(p, ACCESS_UPDATE, row->stats.table_bytes);
    const double updates = 0.01 * (mix.inserts + mix.erases);
    char name[64];
    snprintf(name, sizeof name, "%s%s%s", line.name, strcmp(line.name, update.name) ? "," : "",
             strcmp(line.name, update.name) ? update.name : "");
    row_set_limit(row, name, 1 / ((1 - updates) / line.rate + updates / update.rate));
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static void measure_case(const struct place *p, struct arrays *a, const struct table_case *c)
{
    if (!table_wanted(p->o, c->group)) return;
    struct table_rows rows = table_measure(p->o, c, a);
    const uint64_t bytes = limit_bytes(c, a, &rows.insert);
    place_set_limit(p, &rows.insert, ACCESS_UPDATE, bytes);
    place_set_limit(p, &rows.erase, ACCESS_UPDATE, bytes);
    find_set_limit(p, &rows.find_erased, bytes);
    report_row(p->o, rows.insert);
    for (int i = 0; i < TABLE_FIND_LEVELS; i++) {
        find_set_limit(p, &rows.find[i], bytes);
        report_row(p->o, rows.find[i]);
    }
    report_row(p->o, rows.erase);
    report_row(p->o, rows.find_erased);
}

static void measure_tables(const struct place *p, struct arrays *a, const char *group, const char *options)
{
    const struct table_case c = place_case(p, "slab", options, group);
    measure_case(p, a, &c);
}

/* ---- Lists of every length ------------------------------------------------------------------- */

/* The number of buckets for the workload's keys at the engine's default utilisation; 0: no
 * table. */
static uint64_t buckets_by_default(const struct place *p, const struct workload w)
{
    roost_config config;
    roost_table *table;
    struct numbers stats = {0};
    roost_config_init(&config, sizeof config);
    config.engine = "slab";
    config.device = p->device;
    config.capacity = w.keys;
    if (roost_table_create(&table, &config) == ROOST_OK) stats = numbers_read(table);
    roost_table_destroy(table);
    return stats.buckets;
}

/* The paper's average slab count, keys / (buckets * slots of a slab), by a capacity that gives
 * this number of buckets. The lists' slabs are allocated beforehand, so no insert waits for
 * memory. */
static void measure_averages(const struct place *p, struct arrays *a)
{
    static const double averages[] = {0.2, 0.4, 0.6, 0.8, 1, 1.5, 2, 3, 4, 5};
    enum { SLOTS = 15 };
    char group[64];
    snprintf(group, sizeof group, "%s/slab-average", p->prefix);
    if (!options_want_some(p->o, group)) return;
    const double by_default = (double)buckets_by_default(p, a->w);
    for (size_t i = 0; by_default > 0 && i < sizeof averages / sizeof averages[0]; i++) {
        const double buckets = (double)a->w.keys / (averages[i] * SLOTS);
        snprintf(group, sizeof group, "%s/slab-average-%.1f", p->prefix, averages[i]);
        struct table_case c = place_case(p, "slab", "growth=chain,memory=paper", group);
        c.capacity = (uint64_t)((double)a->w.keys * buckets / by_default);
        measure_case(p, a, &c);
    }
}

/* ---- Mixes ----------------------------------------------------------------------------------- */

/* The paper's section VI-C, by the share of updates: half of them are inserts, half erases; half
 * of the finds hit. */
static const struct mix mixes[] = {
    {.inserts = 50, .erases = 50, .hits = 0}, {.inserts = 20, .erases = 20, .hits = 30}, {.inserts = 10, .erases = 10, .hits = 40}};
enum { MIXES = sizeof mixes / sizeof mixes[0] };

static void measure_mix(const struct place *p, struct arrays *a, const struct table_case *c, const struct mix *mix, bool ordered)
{
    char name[96];
    snprintf(name, sizeof name, "%s/mix-%d%s", c->group, mix->inserts + mix->erases, ordered ? "-ordered" : "");
    if (!options_want(p->o, name)) return;
    struct mix batch = *mix;
    batch.n = a->w.keys / 4;
    struct row row = table_measure_mix(c, a, name, batch, ordered);
    mix_set_limit(p, &row, *mix);
    report_row(p->o, row);
}

/* 10^7 inserts and erases of one key, beside as many of different keys. */
static void measure_one_key(const struct place *p, struct arrays *a, const char *group)
{
    const struct table_case c = place_case(p, "slab", "utilisation=0.60", group);
    struct mix different = mixes[0], one = {.inserts = 50, .erases = 50, .one_key = true};
    char name[2][96];
    different.n = one.n = a->w.keys;
    snprintf(name[0], sizeof name[0], "%s/one-key", group);
    snprintf(name[1], sizeof name[1], "%s/many-keys", group);
    struct row rows[2] = {table_measure_mix(&c, a, name[0], one, false), table_measure_mix(&c, a, name[1], different, false)};
    struct row ratio = row_make(strcat(name[0], "/many-keys"), UNIT_TIMES);
    if (rows[0].repetitions && rows[1].repetitions) ratio.rate = row_seconds(&rows[1]) / row_seconds(&rows[0]);
    for (int i = 0; i < 2; i++) {
        mix_set_limit(p, &rows[i], mixes[0]);
        report_row(p->o, rows[i]);
    }
    report_row(p->o, ratio);
}

void phase_rows(const struct place *p, struct arrays *a)
{
    char group[64];
    if (p->o->engine && strcmp(p->o->engine, "dycuckoo") != 0) return;
    snprintf(group, sizeof group, "%s/phases", p->prefix);
    const struct table_case c = place_case(p, "dycuckoo", NULL, group);
    measure_mix(p, a, &c, &mixes[MIXES - 1], false);
}

/* ---- Small batches --------------------------------------------------------------------------- */

/* Fills a table with room for all its keys in batches of `size`; the note compares this with one
 * batch. */
static double measure_increments(const struct place *p, struct arrays *a, const char *group, const char *what, uint64_t size,
                                 double at_once)
{
    char name[96];
    snprintf(name, sizeof name, "%s/incremental-%s", group, what);
    struct table_case c = place_case(p, "slab", "utilisation=0.60", group);
    c.reserved = true;
    struct row row = table_measure_batches(&c, a, name, size < a->w.keys ? a->w.keys / size : 1, false);
    place_set_limit(p, &row, ACCESS_UPDATE, row.stats.table_bytes);
    const double seconds = row_seconds(&row);
    if (at_once > 0) snprintf(row.note, sizeof row.note, "%.3f ms in all, %.2f times one batch", 1e3 * seconds, seconds / at_once);
    report_row(p->o, row);
    return seconds;
}

/* The paper's Figure 6. */
static void measure_incremental(const struct place *p, struct arrays *a, const char *group)
{
    const double at_once = measure_increments(p, a, group, "all", a->w.keys, 0);
    measure_increments(p, a, group, "128k", 128 << 10, at_once);
    measure_increments(p, a, group, "64k", 64 << 10, at_once);
    measure_increments(p, a, group, "32k", 32 << 10, at_once);
}

static uint64_t at_most(uint64_t n, uint64_t most) { return n < most ? n : most; }

void slab_batch_rows(const struct place *p)
{
    enum { INCREMENTAL = 2 << 20, ONE_KEY = 10000000 };
    struct workload w = {.seed = p->o->seed, .key_bytes = 4, .value_bytes = 4};
    char group[64];
    if (!place_wants(p, "slab")) return;
    snprintf(group, sizeof group, "%s/slab-0.60/incremental", p->prefix);
    const bool increments = options_want_some(p->o, group);
    snprintf(group, sizeof group, "%s/slab-0.60/one-key", p->prefix);
    const bool one_key = options_want_some(p->o, group);
    snprintf(group, sizeof group, "%s/slab-0.60", p->prefix);
    if (increments) {
        w.keys = at_most(p->keys, INCREMENTAL);
        struct arrays a = arrays_make(p->machine, w, w.keys);
        measure_incremental(p, &a, group);
        arrays_free(p->machine, &a);
    }
    if (one_key) {
        w.keys = at_most(p->keys, ONE_KEY);
        struct arrays a = arrays_make(p->machine, w, w.keys);
        measure_one_key(p, &a, group);
        arrays_free(p->machine, &a);
    }
}

/* ---- Other widths ---------------------------------------------------------------------------- */

static void measure_width(const struct place *p, struct arrays *a, const char *group)
{
    char two_step[80];
    measure_tables(p, a, group, "utilisation=0.60");
    if (a->w.key_bytes != 8 || a->w.value_bytes != 8) return;
    snprintf(two_step, sizeof two_step, "%s[publish=two-step]", group);
    measure_tables(p, a, two_step, "utilisation=0.60,publish=two-step");
}

void slab_width_rows(const struct place *p)
{
    if (place_wants(p, "slab")) place_widths(p, "slab-0.60", measure_width);
}

/* ---- All rows of 4+4 ------------------------------------------------------------------------- */

void slab_rows(const struct place *p, struct arrays *a)
{
    char group[64];
    if (!place_wants(p, "slab")) return;
    snprintf(group, sizeof group, "%s/slab-0.60", p->prefix);
    const struct table_case c = place_case(p, "slab", "utilisation=0.60", group);
    measure_tables(p, a, group, c.options);
    for (int i = 0; i < MIXES; i++) measure_mix(p, a, &c, &mixes[i], false);
    measure_mix(p, a, &c, &mixes[MIXES - 1], true);
    snprintf(group, sizeof group, "%s/slab-0.75", p->prefix);
    measure_tables(p, a, group, "utilisation=0.75");
    /* The rows below are only for the machine that the design is for. */
    if (p->threads) return;
    strcat(group, "[memory=light]");
    measure_tables(p, a, group, "utilisation=0.75,memory=light");
    measure_averages(p, a);
}
