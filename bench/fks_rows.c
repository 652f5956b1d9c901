/* The rows of engine fks:
 * - tables at the usual load factor; a build of all keys streams, so it is compared with a
 *   copy's bytes
 * - small batches into a large table
 * - other widths
 * - the write-up's own shape and the quadratic one
 * - for --figures, the write-up's experiments */
#include "peer_rows.h"
#include "session.h"

#include <stdio.h>
#include <string.h>

enum {
    INCREMENTS = 10, /* batches, each of a hundredth of the table's keys */
    SHARE = 100
};

static struct table_case fks_case(const struct place *p, const char *options, const char *group)
{
    return place_case(p, "fks", options, group);
}

/* A copy's share of the least that a build does: it reads its pairs and writes the table's
 * bytes. */
static void set_build_limit(const struct place *p, struct row *row, const struct workload w)
{
    if (!row->stats.table_bytes) return;
    place_set_stream_limit(p, row, w.key_bytes + w.value_bytes + (double)row->stats.table_bytes / (double)w.keys);
}

/* The parts of the last table's build. Repeated keys are found while buckets are built, so that
 * has no time of its own. */
static void describe_build(struct row *row, const struct workload w)
{
    const struct numbers *s = &row->stats;
    if (row->note[0] || !s->table_bytes) return;
    snprintf(
        row->note, sizeof row->note,
        "count %.3f + partition %.3f + build (with deduplication) %.3f = %.3f ms; %llu buckets reseeded, %llu keys outside their "
        "lines; %.3f times the pairs' bytes",
        1e3 * s->count_seconds, 1e3 * s->partition_seconds, 1e3 * s->build_seconds,
        1e3 * (s->count_seconds + s->partition_seconds + s->build_seconds), (unsigned long long)s->reseeded_buckets,
        (unsigned long long)s->outside_keys, (double)s->table_bytes / (double)workload_pair_bytes(w, w.keys));
}

static void report_table(const struct place *p, struct table_rows *rows, const struct workload w)
{
    set_build_limit(p, &rows->insert, w);
    describe_build(&rows->insert, w);
    report_row(p->o, rows->insert);
    for (int i = 0; i < TABLE_FIND_LEVELS; i++) {
        /* their notes say how long they took */
        place_set_find_limit(p, &rows->find[i], w, rows->find[i].note[0] != 0);
        row_describe_path(&rows->find[i]);
        report_row(p->o, rows->find[i]);
    }
    place_set_write_limit(p, &rows->erase, w, 0, rows->erase.stats.table_bytes);
    report_row(p->o, rows->erase);
    place_set_find_limit(p, &rows->find_erased, w, rows->find_erased.note[0] != 0);
    report_row(p->o, rows->find_erased);
}

static void report_memory(const struct place *p, const char *group, const struct row *insert, const struct workload w)
{
    if (!insert->stats.table_bytes) return;
    const double raw = (double)workload_pair_bytes(w, w.keys);
    place_ratio(p, group, "pairs/bytes", raw / (double)insert->stats.table_bytes, "bytes of the pairs over the table's, at rest");
}

static uint64_t input_checksum(const struct place *p, const struct arrays *a)
{
    const uint64_t keys = p->machine->checksum(a->keys, a->w.keys * (uint64_t)a->w.key_bytes);
    return a->values ? keys ^ p->machine->checksum(a->values, a->w.keys * (uint64_t)a->w.value_bytes) : keys;
}

/* Returns the build's rate; 0 if it was not measured. */
static double measure_table(const struct place *p, struct arrays *a, const char *group, const char *options)
{
    if (!table_wanted(p->o, group)) return 0;
    const struct table_case c = fks_case(p, options, group);
    const uint64_t input = input_checksum(p, a);
    struct table_rows rows = table_measure(p->o, &c, a);
    if (input_checksum(p, a) != input) row_fail(&rows.insert, ROW_WRONG, "the build changed its input");
    report_table(p, &rows, a->w);
    report_memory(p, group, &rows.insert, a->w);
    return row_rate(&rows.insert);
}

/* A build on the host, divided by libcuckoo's inserts in the same run. */
static void report_libcuckoo(const struct place *p, struct arrays *a, const char *group, double build)
{
    char name[96];
    snprintf(name, sizeof name, "%s/insert/libcuckoo", group);
    const struct peer_entry *libcuckoo = &peers[0];
    if (!p->threads || !(build > 0) || !libcuckoo->library || !options_want(p->o, name)) return;
    const double insert = peer_rates(p->o, libcuckoo, a, p->threads).insert;
    if (insert > 0) place_ratio(p, group, "insert/libcuckoo", build / insert, "against the faster of libcuckoo's two reservations");
}

static void measure_width(const struct place *p, struct arrays *a, const char *group) { (void)measure_table(p, a, group, NULL); }

/* ---- Small batches into a large table -------------------------------------------------------- */

/* Builds a table of all keys except the last ones, which come in batches. Each batch is timed by
 * itself; the row has their sum. */
static void increments_measure(const struct place *p, struct arrays *a, uint64_t base, uint64_t capacity, struct row *row)
{
    struct table_case c = fks_case(p, NULL, row->name);
    const uint64_t n = (a->w.keys - base) / INCREMENTS;
    double least = 0, most = 0;
    struct session s;
    c.capacity = capacity;
    const roost_config config = table_config(&c, a->w);
    if (!session_open(&s, &c, a, &config, row)) return;
    roost_status status = session_insert_range(&s, 0, base);
    if (status == ROOST_OK) status = roost_table_sync(s.table, NULL);
    bool good = session_good(&s, status, row);
    struct times all = times_start_insert(&s, a->w.keys - base);
    for (int i = 0; good && i < INCREMENTS; i++) {
        struct times one = {.start = machine_now()};
        status = session_insert_range(&s, base + (uint64_t)i * n, i + 1 < INCREMENTS ? n : a->w.keys - base - (uint64_t)i * n);
        const double seconds = machine_now() - one.start;
        least = i && least < seconds ? least : seconds;
        most = most > seconds ? most : seconds;
        good = session_good(&s, status, row);
    }
    status = session_finish(&s, VERB_INSERT, &all);
    if (good) good = session_good(&s, status, row);
    if (good) row_add_time(row, all.seconds, all.device_seconds);
    row_describe(row, &s);
    if (good) session_verify_all(&s, false, row);
    session_close(&s);
    row->items = a->w.keys - base;
    row->distinct = row->items;
    if (!row->note[0])
        snprintf(row->note, sizeof row->note, "%d batches, %.3f to %.3f ms a call; %llu buckets built, %llu split", INCREMENTS,
                 1e3 * least, 1e3 * most, (unsigned long long)row->stats.bucket_builds, (unsigned long long)row->stats.splits);
}

/* Batches of a hundredth of a table's keys: into a table with room for all of them, and into one
 * that is only as large as its keys need. */
static void measure_increments(const struct place *p)
{
    static const char *const kinds[] = {"reserved", "growing"};
    struct workload w = {.seed = p->o->seed, .keys = p->keys + p->keys / SHARE * INCREMENTS, .key_bytes = 4, .value_bytes = 4};
    char name[96];
    snprintf(name, sizeof name, "%s/fks-0.80/increments", p->prefix);
    if (!options_want_some(p->o, name)) return;
    struct arrays a = arrays_make(p->machine, w, w.keys);
    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "%s/fks-0.80/increments-%s", p->prefix, kinds[i]);
        struct row row = row_make(name, p->unit);
        if (!options_want(p->o, name)) continue;
        increments_measure(p, &a, p->keys, i ? p->keys : w.keys, &row);
        place_set_limit(p, &row, ACCESS_UPDATE, row.stats.table_bytes);
        report_row(p->o, row);
    }
    arrays_free(p->machine, &a);
}

/* ---- The write-up's shapes ------------------------------------------------------------------- */

/* Single positions at load factor 0.35, and n * n positions for n keys; with a quarter of the
 * keys, because they take much memory. */
static void measure_presets(const struct place *p)
{
    static const char *const presets[] = {"preset=paper", "preset=quadratic"};
    const struct workload w = {.seed = p->o->seed, .keys = p->keys / 4, .key_bytes = 4, .value_bytes = 4};
    char group[64];
    snprintf(group, sizeof group, "%s/fks[", p->prefix);
    if (!options_want_some(p->o, group)) return;
    struct arrays a = arrays_make(p->machine, w, 2 * w.keys);
    for (size_t i = 0; i < sizeof presets / sizeof presets[0]; i++) {
        snprintf(group, sizeof group, "%s/fks[%s]", p->prefix, presets[i]);
        (void)measure_table(p, &a, group, presets[i]);
    }
    arrays_free(p->machine, &a);
}

void fks_width_rows(const struct place *p)
{
    if (place_wants(p, "fks")) place_widths(p, "fks-0.80", measure_width);
}

void fks_rows(const struct place *p, struct arrays *a)
{
    char group[64];
    if (!place_wants(p, "fks")) return;
    snprintf(group, sizeof group, "%s/fks-0.80", p->prefix);
    const double build = measure_table(p, a, group, NULL);
    report_libcuckoo(p, a, group, build);
    snprintf(group, sizeof group, "%s/fks-0.80[bulk=on]", p->prefix);
    (void)measure_table(p, a, group, "bulk=on");
    measure_increments(p);
    measure_presets(p);
}
